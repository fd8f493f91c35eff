use crate::boxed::Boxed;
use crate::cone_solver::Cone;
use crate::contact_sweeps::Loads;
use crate::convex::{Convex, ConvexParameters};
use crate::formulation::Formulation;
use crate::geometric_stiffness::{GeometricStiffness, Stiffened};
use crate::passive::{Effort, Passive};
use crate::pyramid_solver::Pyramid;
use crate::row_solver::share_of;
use crate::step_phases::StepPhases;
use crate::{FrictionModel, RowParameters};
use drystone_core::{
    Configuration, ConstraintSolver, Executor, GroupAnswer, GroupProblem, Resolves, SolveReport, Step, Unread,
};
use drystone_lcp::{ConeSolver, LcpSolver, PlainSweeps};
use drystone_math::Real;

/// The velocity-based complementarity formulation (thesis 4.3 … 4.6, 6.4): finds impulses of a group such that its velocities at the end of the
/// step satisfy all constraints.
///
/// The problem solved is one of three, which differ in the set that friction is kept in ([`Self::boxed`], [`Self::pyramid`],
/// [`Self::cone`]), or a convex one ([`Self::convex`]). The layers around it are the same for all; from the inside out they are: joints with curved constraints
/// add no energy, geometric stiffness, changes of support and impacts within the step.
// E-16, E-35, E-39: velocities are unique and always exist, impulses need not be unique
#[derive(Debug)]
pub struct VelocityLevel {
    inner: Stiffened,
    phases: StepPhases,
    /// Start values from loads; `None` for direct solvers and for formulations with a start of their own.
    loads: Option<Box<Loads>>,
    /// Largest number of contacts of a group whose step is examined more closely.
    looked_at: usize,
}

impl VelocityLevel {
    fn around(formulation: Box<dyn Formulation>) -> Self {
        let lcp = formulation.lcp();
        let loads = (!lcp.is_direct()).then(Box::default);
        let phases = if lcp.holds_equations() { StepPhases::asking_joints() } else { StepPhases::default() };
        Self { inner: Stiffened::new(Passive::new(formulation)), phases, loads, looked_at: usize::MAX }
    }

    /// Friction in the set that the parameters name, solved by `lcp`. With its [`LcpSolver::plain_sweeps`], groups of contacts alone are solved contact
    /// by contact without forming rows, to the same iterates up to rounding; with `None`, all groups by `lcp` itself.
    pub fn boxed(parameters: RowParameters, lcp: Box<dyn LcpSolver>, plain_sweeps: Option<PlainSweeps>) -> Self {
        let mut boxed = Boxed::new(parameters, lcp);
        boxed.plain_sweeps = plain_sweeps;
        Self::around(Box::new(boxed))
    }

    /// Friction in a pyramid of `facets` sides, an even number of at least 4, with auxiliary variables: an unsymmetric problem.
    pub fn pyramid(parameters: RowParameters, facets: usize, lcp: Box<dyn LcpSolver>) -> Self {
        Self::around(Box::new(Pyramid::new(facets, Boxed::new(parameters, lcp))))
    }

    /// Friction in Coulomb's cone, contact by contact in at most `iterations` sweeps down to a residual of `tolerance`, or by `cone_solver`;
    /// groups with joints are solved by `lcp`.
    pub fn cone(
        parameters: RowParameters,
        (iterations, tolerance): (usize, Real),
        cone_solver: Option<Box<dyn ConeSolver>>,
        lcp: Box<dyn LcpSolver>,
    ) -> Self {
        Self::around(Box::new(Cone::new(iterations, tolerance, cone_solver, Boxed::new(parameters, lcp))))
    }

    /// One convex problem with regularised forces, by Newton's method, started from the impulses of the last solve if `warm_start`.
    pub fn convex(parameters: ConvexParameters, warm_start: bool, lcp: Box<dyn LcpSolver>) -> Self {
        Self::from_its_own_start(Box::new(Convex::new(parameters, warm_start, lcp)))
    }

    /// Around a formulation that starts from something other than loads.
    pub(crate) fn from_its_own_start(formulation: Box<dyn Formulation>) -> Self {
        Self { loads: None, ..Self::around(formulation) }
    }

    /// Adds the geometric stiffness of joints to the inertia.
    #[must_use]
    pub fn with_geometric_stiffness(mut self, stiffness: GeometricStiffness) -> Self {
        self.inner.stiffness = stiffness;
        self
    }

    /// Solves groups of more contacts than this as they are, and only once unless that adds energy: neither what happens within the step nor what the resulting forces do
    /// to it is examined. Each of these questions costs another solve, and they multiply.
    #[must_use]
    pub(crate) fn looking_closely_up_to(self, contacts: usize) -> Self {
        Self { phases: self.phases.following(contacts), looked_at: contacts, ..self }
    }

    /// Another instance of its complementarity solver.
    pub(crate) fn lcp(&self) -> Box<dyn LcpSolver> {
        self.inner.formulation().lcp()
    }

    /// Parameters of its rows.
    pub fn parameters(&self) -> &RowParameters {
        self.inner.formulation().parameters()
    }
}

impl ConstraintSolver for VelocityLevel {
    fn name(&self) -> &'static str {
        self.inner.formulation().name()
    }

    fn resolves(&self) -> Resolves {
        Resolves { restitution: self.parameters().restitution, positions: false, instants: false }
    }

    fn leaves_out(&self, configuration: &Configuration) -> Option<&'static str> {
        if self.parameters().friction == FrictionModel::None {
            crate::penalty::any_friction(configuration)
        } else {
            None
        }
    }

    fn solve(
        &mut self,
        problem: &GroupProblem,
        step: Step,
        _executor: &dyn Executor,
        answer: &mut GroupAnswer,
    ) -> SolveReport {
        let parameters = *self.parameters();
        let Self { inner, phases, loads, looked_at } = self;
        inner.begin(share_of(problem));
        let (problem, step) = match loads {
            Some(loads) => loads.start(problem, &parameters, step),
            None => (problem, step),
        };
        let effort = if problem.contacts.len() <= *looked_at { Effort::Whole } else { Effort::Once };
        let report = phases.solve(problem, &parameters, step, answer, |problem, _, step, answer| {
            inner.solve(problem, step, effort, answer)
        });
        answer.solved_once |= effort == Effort::Once;
        report
    }

    fn unread(&self) -> &'static [Unread] {
        self.inner.formulation().unread()
    }

    fn fork(&self) -> Box<dyn ConstraintSolver> {
        let fork = Self::around(self.inner.formulation().fork());
        let fork = Self { loads: self.loads.is_some().then(Box::default), ..fork };
        let fork = fork.looking_closely_up_to(self.looked_at);
        Box::new(fork.with_geometric_stiffness(self.inner.stiffness))
    }
}
