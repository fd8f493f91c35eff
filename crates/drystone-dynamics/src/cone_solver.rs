use crate::boxed::Boxed;
use crate::chord_limit::ChordWork;
use crate::cone_sweep::ConeSweep;
use crate::formulation::{Formulation, Outcome, write_multipliers, write_velocity};
use crate::row_solver::{summary, twist};
use crate::{ConstraintRows, FrictionModel, RowParameters, assemble};
use drystone_core::{GroupAnswer, GroupProblem, SolveReport, Step};
use drystone_lcp::{ConeProblem, ConeSolver, LcpReport, LcpSolver, LcpStatus, Operator, Share};
use drystone_math::Real;

/// Coulomb's cone itself, isotropic or elliptic.
///
/// Each contact is solved exactly in turn, sweep after sweep. Alternatively all of them are solved by a cone solver of `drystone-lcp`, which takes groups of
/// contacts without grain, rolling and spinning friction. Groups with joints are solved with discs, so that joints are left to the
/// complementarity solver.
#[derive(Debug)]
pub(crate) struct Cone {
    iterations: usize,
    tolerance: Real,
    /// The solver of plain groups; `None` for sweeps.
    named: Option<Box<dyn ConeSolver>>,
    boxed: Boxed,
    rows: ConstraintRows,
    sweep: ConeSweep,
    changes: Vec<Real>,
    /// Coefficients of friction.
    mu: Vec<Real>,
}

impl Cone {
    /// With a largest number of iterations, and the residual (m/s, N s) at which they stop; zero means that all are made.
    pub(crate) fn new(
        iterations: usize,
        tolerance: Real,
        named: Option<Box<dyn ConeSolver>>,
        mut boxed: Boxed,
    ) -> Self {
        boxed.parameters.friction = FrictionModel::Cone;
        let (rows, sweep, [changes, mu]) = Default::default();
        Self { iterations, tolerance, named, boxed, rows, sweep, changes, mu }
    }
}

impl Formulation for Cone {
    fn name(&self) -> &'static str {
        "cone"
    }

    fn parameters(&self) -> &RowParameters {
        &self.boxed.parameters
    }

    fn begin(&mut self, share: Share) {
        self.boxed.begin(share);
        self.named.as_mut().and_then(|named| named.budget()).into_iter().for_each(|b| b.share(share));
    }

    fn solve(&mut self, problem: &GroupProblem, step: Step, given_up: Real, answer: &mut GroupAnswer) -> Outcome {
        if !problem.rows.is_empty() {
            return self.boxed.solve(problem, step, given_up, answer);
        }
        let Self { rows, sweep, changes, mu, .. } = self;
        rows.given_up = given_up;
        assemble(problem, &self.boxed.parameters.started(step), step.h, step.horizon, rows);
        if rows.is_empty() {
            return Outcome::default();
        }
        let named = self.named.as_mut().filter(|_| problem.surfaces.is_empty());
        let mut work = 0.0;
        let outcome = named.map(|solver| {
            let before = spent_by(solver.as_mut());
            let outcome = solve_named(solver.as_mut(), problem, rows, mu);
            work = spent_by(solver.as_mut()) - before;
            outcome
        });
        let failed = outcome == Some(None);
        let solved = outcome.flatten();
        // after a solver of that name no sweep is made: only its residual and its effect on the bodies are computed
        let most = if solved.is_some() { 0 } else { step.iterations(self.iterations) };
        let (sweeps, residual) = sweep.solve(rows, most, self.tolerance);
        for (i, c) in sweep.accumulator().as_chunks::<6>().0.iter().enumerate() {
            write_velocity(problem, answer, i, twist(c));
        }
        let iterations = solved.unwrap_or(0) + sweeps;
        let report = LcpReport { status: LcpStatus::Converged, iterations, residual: Some(residual), change: 0.0 };
        let report = SolveReport { work, ..summary(&report, rows.len() as u64, u64::from(failed)) };
        let chords = Some(ChordWork::of_solution(rows, changes));
        write_multipliers(problem, rows, answer);
        Outcome { report, chords }
    }

    fn lcp(&self) -> Box<dyn LcpSolver> {
        self.boxed.lcp()
    }

    fn fork(&self) -> Box<dyn Formulation> {
        let named = self.named.as_ref().map(|s| s.fork());
        Box::new(Self::new(self.iterations, self.tolerance, named, self.boxed.again()))
    }
}

/// Multiplications that a cone solver's solves have taken.
fn spent_by(solver: &mut dyn ConeSolver) -> Real {
    solver.budget().map_or(0.0, |b| b.spent())
}

/// Solves contacts by a cone solver of `drystone-lcp`; returns its iterations, or `None`, with zero impulses, if it gives nothing usable.
fn solve_named(
    solver: &mut dyn ConeSolver,
    problem: &GroupProblem,
    rows: &mut ConstraintRows,
    mu: &mut Vec<Real>,
) -> Option<usize> {
    mu.clear();
    mu.extend(problem.contacts.iter().map(|c| c.friction));
    let cones = ConeProblem {
        operator: Operator::Factored(core::mem::take(&mut rows.operator)),
        q: core::mem::take(&mut rows.b),
        mu: core::mem::take(mu),
        dimension: 3,
    };
    let outcome = solver.solve(&cones, &mut rows.x);
    rows.b = cones.q;
    *mu = cones.mu;
    if let Operator::Factored(operator) = cones.operator {
        rows.operator = operator;
    }
    let usable = outcome.ok().filter(|r| r.status != LcpStatus::Failed && rows.x.iter().all(|x| x.is_finite()));
    if usable.is_none() {
        rows.x.fill(0.0);
    }
    usable.map(|r| r.iterations)
}
