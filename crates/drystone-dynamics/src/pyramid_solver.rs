use crate::boxed::Boxed;
use crate::contact_rows::ContactFriction;
use crate::formulation::{Formulation, Outcome, write_velocity};
use crate::pyramid::directions;
use crate::row_solver::{share_of, summary, twist};
use crate::{FrictionModel, PyramidProblem, RowParameters};
use drystone_core::{ContactImpulse, GroupAnswer, GroupProblem, SolveReport, Step};
use drystone_lcp::{Budget, LcpOperator, LcpReport, LcpSolver, Lemke, Share};
use drystone_math::{Real, Vec3};

/// The friction pyramid with auxiliary variables, for any complementarity solver that takes unsymmetric problems.
///
/// Lemke's method takes over if the chosen solver fails, and if that fails too, the box of the same width, which always has an answer. Both count as fallbacks.
/// A pyramid has no torques: groups with rolling or spinning friction are solved with discs.
///
/// # Source
/// Stewart and Trinkle 1996; Anitescu and Potra 1997; thesis (4.46)-(4.64).
#[derive(Debug)]
pub(crate) struct Pyramid {
    facets: usize,
    boxed: Boxed,
    /// Multiplications taken by the problem's matrix and Lemke's method in the current solve.
    work: Real,
    whole: PyramidProblem,
    x: Vec<Real>,
    /// Takes over if the chosen solver fails.
    lemke: Lemke,
    /// Impulses of the physical rows, and `W J^T x` of them, six numbers per body.
    physical: Vec<Real>,
    changes: Vec<Real>,
}

/// Cost of an entry of its matrix in multiplications: made, copied to its place among the auxiliary variables, and read again.
const ENTRY: Real = 40.0;

/// An answer is rejected if its residual, relative to the problem's right-hand side, is above this.
const GOOD: Real = 1e-8;

impl Pyramid {
    /// With this many directions, even and at least four; `boxed` solves groups that have no pyramid.
    pub(crate) fn new(facets: usize, boxed: Boxed) -> Self {
        let (whole, lemke, [x, physical, changes]) = Default::default();
        Self { facets, boxed, work: 0.0, whole, x, lemke, physical, changes }
    }

    /// Number of unknowns: rows of joints, and for each contact a normal, the directions and an auxiliary variable.
    fn unknowns(&self, problem: &GroupProblem) -> Real {
        let own =
            |k: usize| problem.contact_facets.get(k).copied().filter(|f| *f > 0).map_or(self.facets, |f| f as usize);
        (problem.rows.len() + (0..problem.contacts.len()).map(|k| own(k) + 2).sum::<usize>()) as Real
    }

    /// `None` if neither the chosen solver nor Lemke's method solves it, or if its matrix costs more than the frame has left.
    fn solve_pyramid(&mut self, problem: &GroupProblem, step: Step, answer: &mut GroupAnswer) -> Option<SolveReport> {
        let matrix = ENTRY * self.unknowns(problem).powi(2);
        if problem.spent + matrix > share_of(problem).most(Budget::USUAL) {
            return None;
        }
        self.work = matrix;
        let Self { whole: p, x, lemke, physical, changes, .. } = self;
        p.assemble(problem, &self.boxed.parameters, self.facets, [step.h, step.horizon]);
        x.clear();
        x.resize(p.problem.b.len(), 0.0);
        let scale = p.problem.b.iter().fold(1.0_f64, |m, b| m.max(b.abs()));
        let good = |r: &LcpReport| r.residual.is_some_and(|r| r <= GOOD * scale);
        let mut outcome = self.boxed.solver.chosen().solve(&p.problem.view(), x).ok().filter(good);
        let spent = self.boxed.solver.is_spent();
        let replaced = outcome.is_none();
        if replaced && !spent {
            x.fill(0.0);
            let taken = self.boxed.solver.chosen().budget().map_or_else(|| share_of(problem), |b| b.taken());
            lemke.budget().into_iter().for_each(|b| b.share(taken));
            outcome = lemke.solve(&p.problem.view(), x).ok().filter(good);
            self.work += lemke.budget().map_or(0.0, |b| b.spent()) - taken.spent;
        }
        let outcome = outcome?;

        // physical impulses and the velocities they make
        physical.clear();
        physical.extend(p.places.iter().map(|&i| x[i]));
        changes.clear();
        changes.resize(6 * problem.bodies.len(), 0.0);
        p.rows.operator.start(physical, changes);
        for (i, c) in changes.as_chunks::<6>().0.iter().enumerate() {
            write_velocity(problem, answer, i, twist(c));
        }
        p.rows.basis.leave(physical);
        answer.rows.copy_from_slice(&physical[..p.joint_rows]);
        let contacts = problem.contacts.iter().zip(&mut answer.contacts);
        let mut rest = &physical[p.joint_rows..];
        for ((c, impulse), &facets) in contacts.zip(&p.facets) {
            let (x, behind) = rest.split_at(facets + 1);
            rest = behind;
            let (rays, _) = directions(&ContactFriction::of_parts(c, &problem.surfaces), facets);
            let friction: Vec3 = rays.zip(&x[1..]).map(|(d, &beta)| d * beta).sum();
            *impulse = ContactImpulse { normal: x[0], friction };
        }
        Some(summary(&outcome, p.problem.b.len() as u64, u64::from(replaced)))
    }
}

impl Formulation for Pyramid {
    fn name(&self) -> &'static str {
        "pyramid"
    }

    fn parameters(&self) -> &RowParameters {
        &self.boxed.parameters
    }

    fn begin(&mut self, share: Share) {
        self.boxed.begin(share);
    }

    fn solve(&mut self, problem: &GroupProblem, step: Step, given_up: Real, answer: &mut GroupAnswer) -> Outcome {
        if problem.surfaces.iter().any(|s| s.rolling > 0.0 || s.spinning > 0.0) {
            self.boxed.parameters.friction = FrictionModel::Disc;
            let step = Step { again: false, ..step };
            return self.boxed.solve(problem, step, given_up, answer);
        }
        let before = self.boxed.solver.spent();
        self.work = 0.0;
        let mut outcome = if let Some(report) = self.solve_pyramid(problem, step, answer) {
            report.into()
        } else {
            self.boxed.parameters.friction = FrictionModel::ScaledBox;
            // the problem that it solved last was another one, or the same before its pyramids were tried
            let step = Step { again: false, ..step };
            let mut outcome = self.boxed.solve(problem, step, given_up, answer);
            outcome.report.fallbacks += 1;
            outcome
        };
        outcome.report.work = self.boxed.solver.spent() - before + self.work;
        outcome
    }

    fn lcp(&self) -> Box<dyn LcpSolver> {
        self.boxed.lcp()
    }

    fn fork(&self) -> Box<dyn Formulation> {
        Box::new(Self::new(self.facets, self.boxed.again()))
    }
}
