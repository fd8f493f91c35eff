//! The fast constraint solver: contact patches are solved as a whole, after loads have been passed down.
//!
//! Find impulses x with `u' = u + h M^-1 F + M^-1 J^T x`, `x_n >= 0`, `J_n u' >= target`, one of each pair zero, and friction
//! `|x_t| <= mu x_n` against the slip. With J_p the rows of a patch p, and u the present velocities:
//!
//! 1. loads, from the top layer down: x_p brings the upper body to rest on supports that do not move;
//! 2. sweeps: x_p solves the patch with all others held, until nothing changes by more than a fraction of `g h`;
//! 3. Newton's method for what sweeps leave; small steps for groups with joints.
//!
//! Source: Jean and Moreau 1992, block Gauss-Seidel over contacts; Guendelman, Bridson and Fedkiw 2003, layers.
#![allow(clippy::needless_range_loop, reason = "small dense matrices are read by their indices")]

mod bisection;
mod body;
mod bounds;
mod budget;
mod clock;
mod corrector;
mod domains;
mod group;
mod last_impulses;
mod links;
mod lists;
mod load_start;
mod newton;
mod normals;
mod order;
mod overlap;
mod parameters;
mod part;
mod patch;
mod patch_normals;
mod point;
mod relax;
mod renewed;
mod response;
mod seat;
mod separation;
mod settled;
mod side_by_side;
mod small_steps;
mod stand;
mod support;
mod surfaces;
mod target;
mod visited;

pub use corrector::PatchCorrection;
pub(crate) use load_start::Loads;
pub use parameters::{PatchFriction, SWEEPS_DESCRIPTION, SweepParameters};

use crate::step_phases::StepPhases;
use crate::{RowParameters, VelocityLevel};
use drystone_core::{
    Configuration, ConstraintSolver, Executor, GroupAnswer, GroupProblem, Level, ModuleKind, Resolves, SolveReport,
    Step, Unread,
};
use drystone_lcp::{EliminatedGaussSeidel, LcpSolver, ProjectedGaussSeidel, StepTest};
use drystone_math::Real;
use group::SweptGroup;
use newton::ContactNewton;
use settled::Settled;
use small_steps::SmallSteps;

/// Sweeps over a group whose friction patches do not cover.
const ROW_SWEEPS: usize = 20;

/// Sweeps over the contacts of a group whose joints are eliminated.
const MIXED_SWEEPS: usize = 30;
/// The same for more contacts than the reduced matrix is formed for: each sweep then costs a solution for the joints.
const SWEEPS_IN_TURN: usize = 10;
/// Both kinds of sweeps end at a change of this fraction of the largest impulse.
const MIXED_STOP: Real = 1e-5;

/// A group is corrected only if something is deeper than this many times the slop: what sinks by a fraction of the slop per step is then corrected every few steps.
const BAND: Real = 2.0;

/// Largest number of contacts of a group of patches in which changes of support are followed: in a large pile something rocks in each step, and each time the whole
/// group would be solved twice.
const FOLLOWED: usize = 1024;

/// Largest number of contacts of a group of joints and contacts that is looked at closely: for more, each further solve takes too long.
const LOOKED_AT: usize = EliminatedGaussSeidel::MOST_DENSE / 3;

/// Iterations and tolerance for groups whose friction is kept in Coulomb's cone.
const CONE_STOP: (usize, Real) = (100, 1e-9);

/// Velocity-based contact dynamics by sweeps over contact patches, for worlds that must run in real time.
///
/// Stacked bodies are solved by elimination, not relaxation: from the top down, the patches of each layer are solved
/// with the bodies below moving as if at rest, and hand their loads on. For a body that stands on what is below it,
/// this is already the answer, at any ratio of masses. Ordinary sweeps, started from the impulses found, then account
/// for what the lower bodies actually do; they stop when nothing changes by more than a fraction of `g h`. If the
/// result has gained energy, the group is solved without the pass.
///
/// A patch (the points of a pair that share a normal) is solved as a whole: glued, if then no point pulls and friction suffices;
/// otherwise its normals as a small complementarity problem, then twist, then friction on a disc.
///
/// Groups with joints take small steps, in each of which all joints are solved at once (`small_steps.rs`). Impacts alone, friction with a grain, rolling and
/// spinning friction, and cones are solved by rows: by the given solver where there are no contacts; otherwise, if that is direct, joints are eliminated and
/// contacts swept on what remains.
///
/// Sweeps hardly converge where load goes sideways through many contacts, as in an arch or a pushed stack, or where a heavy body presses on light ones between
/// others. Groups that they leave unsolved go on by Newton's method (`contact_sweeps/newton.rs`) where its matrix has a narrow envelope, as far as the frame's work pays for it.
///
/// # Source
/// Block Gauss-Seidel over contacts: M. Jean and J. J. Moreau, "Unilaterality and dry friction in the dynamics of rigid body collections", 1992.
/// The pass of loads is the forward elimination of the block tridiagonal matrix of a pile, dual to the shock propagation of Guendelman, Bridson and Fedkiw, 2003.
#[derive(Debug)]
pub struct ContactSweeps {
    parameters: SweepParameters,
    group: SweptGroup,
    settled: Settled,
    phases: StepPhases,
    /// For groups of joints alone.
    mechanisms: VelocityLevel,
    /// For groups of joints and contacts.
    mixed: VelocityLevel,
    /// For groups with joints over a step.
    small: SmallSteps,
    /// For contacts that sweeps leave unsolved.
    newton: ContactNewton,
    /// For all other groups.
    rows: VelocityLevel,
    /// Which of these solved the last group.
    last: Option<Way>,
}

/// Solution method for mechanisms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mechanisms {
    /// By a direct method, which eliminates joints if there are contacts too.
    Direct,
    /// By sweeps.
    Swept,
}

impl Mechanisms {
    fn by(solver: &dyn LcpSolver) -> Self {
        if solver.is_direct() { Self::Direct } else { Self::Swept }
    }
}

/// Which solver a group is given to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Patches,
    Mechanism,
    Mixed,
    SmallSteps,
    Rows,
}

impl Way {
    /// Returns true if patches cover the friction of a group in this set.
    fn covers(problem: &GroupProblem, friction: PatchFriction) -> bool {
        problem.surfaces.is_empty() && friction != PatchFriction::Cone
    }

    /// The solver for a group with friction in this set over a step.
    fn over_step(problem: &GroupProblem, friction: PatchFriction) -> Self {
        let small = !problem.rows.is_empty() && Self::covers(problem, friction);
        if small { Self::SmallSteps } else { Self::at_instant(problem, friction) }
    }

    /// The same at an instant.
    fn at_instant(problem: &GroupProblem, friction: PatchFriction) -> Self {
        if !problem.rows.is_empty() {
            match problem.contacts.len() {
                0 => Self::Mechanism,
                contacts if friction != PatchFriction::Cone || contacts < problem.rows.len() => Self::Mixed,
                _ => Self::Rows,
            }
        } else if Self::covers(problem, friction) {
            Self::Patches
        } else {
            Self::Rows
        }
    }
}

/// The solver for groups of joints and contacts. If mechanisms are solved by a direct method, joints are eliminated and contacts swept on what remains;
/// otherwise it is the solver of mechanisms.
pub(super) fn mixed(joints: &dyn LcpSolver) -> Box<dyn LcpSolver> {
    if !joints.is_direct() {
        return joints.fork();
    }
    let step = StepTest { absolute: 0.0, relative: MIXED_STOP };
    Box::new(EliminatedGaussSeidel {
        iterations: MIXED_SWEEPS,
        sweeps_in_turn: SWEEPS_IN_TURN,
        step,
        ..Default::default()
    })
}

impl ContactSweeps {
    /// From the parameters and the solver for groups with joints.
    pub fn new(parameters: SweepParameters, joints: Box<dyn LcpSolver>) -> Self {
        let own = RowParameters { friction: parameters.friction.of_rows(), ..parameters.rows };
        let mechanism = RowParameters { orthogonal_joints: !joints.is_direct(), ..own };
        // a solver that eliminates joints needs no start for them
        let held = RowParameters { joint_start: mechanism.joint_start && !joints.is_direct(), ..mechanism };
        let sweeps = Box::new(ProjectedGaussSeidel::with_iterations(ROW_SWEEPS));
        let rows = if parameters.friction == PatchFriction::Cone {
            VelocityLevel::cone(own, CONE_STOP, None, sweeps)
        } else {
            let plain_sweeps = sweeps.plain_sweeps();
            VelocityLevel::boxed(own, sweeps, plain_sweeps)
        };
        let small = SmallSteps::new(&parameters, held, mixed(joints.as_ref()));
        Self {
            mixed: VelocityLevel::boxed(held, mixed(joints.as_ref()), None)
                .with_geometric_stiffness(parameters.stiffness())
                .looking_closely_up_to(LOOKED_AT),
            mechanisms: VelocityLevel::boxed(mechanism, joints, None).with_geometric_stiffness(parameters.stiffness()),
            rows: rows.with_geometric_stiffness(parameters.stiffness()),
            small,
            newton: ContactNewton::default(),
            parameters,
            group: SweptGroup::default(),
            settled: Settled::default(),
            phases: StepPhases::of_faces(FOLLOWED),
            last: None,
        }
    }

    /// Its parameters.
    pub fn parameters(&self) -> &SweepParameters {
        &self.parameters
    }
}

impl ConstraintSolver for ContactSweeps {
    fn name(&self) -> &'static str {
        SWEEPS_DESCRIPTION.name
    }

    fn solve(
        &mut self,
        problem: &GroupProblem,
        step: Step,
        executor: &dyn Executor,
        answer: &mut GroupAnswer,
    ) -> SolveReport {
        let Self { parameters, group, settled, phases, mechanisms, mixed, small, newton, rows, last } = self;
        // at an instant there are no smaller steps
        let takes_time = step.level == Level::Velocity && step.h > 0.0;
        let way = if takes_time { Way::over_step } else { Way::at_instant }(problem, parameters.friction);
        let before = last.take();
        let again = step.again && before == Some(way);
        let empty = problem.contacts.is_empty() && problem.rows.is_empty();
        if way != Way::Rows
            && !empty
            && let Some(report) = settled.answer(problem, parameters, step, answer)
        {
            return report;
        }
        *last = Some(way);
        let step = Step { again, ..step };
        match way {
            Way::Mechanism => mechanisms.solve(problem, step, executor, answer),
            Way::Mixed => mixed.solve(problem, step, executor, answer),
            Way::SmallSteps => small.solve(problem, step, answer),
            Way::Rows => rows.solve(problem, step, executor, answer),
            Way::Patches if empty => SolveReport::default(),
            Way::Patches => {
                let mut went_on = false;
                let report = phases.solve(problem, &parameters.rows, step, answer, |problem, rows, step, answer| {
                    let swept = group.solve(problem, (parameters, rows), (step, None), executor, answer);
                    let left = group.unsolved();
                    let further = left.map(|left| newton.solve(problem, rows, step, left, answer));
                    let (own, further) = further.unwrap_or_default();
                    went_on = further;
                    if further { own } else { SolveReport { work: own.work, exhausted: own.exhausted, ..swept } }
                });
                if phases.was_plain() {
                    Settled::stop(problem, parameters, step, answer);
                }
                if let Some(slop) = step.slop {
                    group.part(problem, phases.was_plain() && !went_on, (step.h, slop), executor, answer);
                }
                report
            }
        }
    }

    fn resolves(&self) -> Resolves {
        Resolves { restitution: true, positions: false, instants: true }
    }

    // the solver of the lcp table is for joints: contacts alone are swept, or go on by Newton's method
    fn unread_in(&self, configuration: &Configuration) -> &'static [Unread] {
        let linked = (0..configuration.link_count()).any(|link| configuration.link_bodies(link).is_some());
        if linked { self.unread() } else { &[Unread::AllBut(ModuleKind::Lcp, &["warm_start"])] }
    }

    fn follows_contacts(&self) -> bool {
        true
    }

    fn fork(&self) -> Box<dyn ConstraintSolver> {
        Box::new(Self::new(self.parameters.clone(), self.mechanisms.lcp()))
    }
}
