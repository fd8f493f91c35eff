//! One convex problem in the velocities of a group: regularised elliptic cones, by Newton's method.
//!
//! ```text
//! min over v of  (v - v_free)^T M (v - v_free) / 2 + sum s(J v - v_ref),   impulse f = -s', in a cone or within bounds
//! ```
//!
//! Newton's method with a factorisation by envelope and an exact line search. Source: Todorov 2014.
// Index loops over several arrays at once read as the equations do.
#![allow(clippy::needless_range_loop)]

mod cone_cost;
mod envelope;
mod newton;
mod parameters;
mod program;
mod proximal;

pub use parameters::ConvexParameters;
pub(crate) use parameters::DESCRIPTION;
pub(crate) use proximal::{Goal, ProximalNewton};

use crate::bounce::{impact_of, rate_at_end};
use crate::chord_limit::ChordWork;
use crate::formulation::{Formulation, Outcome, write_multipliers, write_velocity};
use crate::row_solver::twist;
use crate::{ConstraintRows, RowParameters, assemble};
use cone_cost::{BoundedRow, EllipticCone};
use drystone_core::{GroupAnswer, GroupProblem, LcpSummary, ModuleKind, RowLimits, SolveReport, Step, Unread};
use drystone_lcp::{LcpOperator, LcpSolver, Share};
use drystone_math::Real;
use newton::{Newton, Tolerance};
use program::{Cost, Program, Term};

/// The problem is not posed again once the opening by sliding changes by less than this fraction of what gravity adds in a step.
const SETTLED: Real = 1e-3;
/// The least value of that threshold (m/s), used without gravity.
const SETTLED_SPEED: Real = 1e-6;

/// The convex problem of MuJoCo: the minimum of `(v - v_free)^T M (v - v_free) / 2 + sum s(J v - v_ref)`, primal and without constraints.
///
/// The cost s grows with the shortfall of a constraint; its slope is the impulse, which lies in Coulomb's cone and has a regularisation
/// R of its own. Each contact and joint asks for the velocity of a spring and damper, so that errors decay in a time of one's choice.
///
/// In a convex problem a contact that slides at v also opens at mu v, so that sliding bodies hop and hover. Here this opening is taken
/// out of the normal velocity that the contact asks for, and the problem is solved again until it no longer changes: friction is then Coulomb's.
///
/// # Source
/// Todorov 2014, Convex and analytically-invertible dynamics with contacts and constraints; MuJoCo's documentation, chapter Computation. De Saxce and Feng 1998
/// for what sliding opens; Cadoux 2009 for the sequence of convex problems.
#[derive(Debug)]
pub(crate) struct Convex {
    parameters: ConvexParameters,
    row_parameters: RowParameters,
    /// Only handed out to callers that ask for one: the convex problem itself is of another kind.
    lcp: Box<dyn LcpSolver>,
    rows: ConstraintRows,
    program: Program,
    newton: Newton,
    changes: Vec<Real>,
}

impl Convex {
    pub(crate) fn new(parameters: ConvexParameters, warm_start: bool, lcp: Box<dyn LcpSolver>) -> Self {
        let (rows, program, newton, changes) = Default::default();
        Self { parameters, row_parameters: ConvexParameters::rows(warm_start), lcp, rows, program, newton, changes }
    }

    /// Adds the reference velocities to the rows, and builds the program from them.
    fn pose(&mut self, problem: &GroupProblem, step: Step) {
        self.refer(problem, step);
        let Self { parameters, rows, program, .. } = self;
        program.restart(&problem.bodies, rows);
        for (i, r) in problem.rows.iter().enumerate() {
            let row = &rows.operator.factored_rows()[i];
            let error = if r.row.correctable { r.row.error } else { 0.0 };
            let response = row.diagonal - row.cfm;
            let softness = if row.cfm > 0.0 { row.cfm } else { parameters.softness(error, response) };
            let cost = if response > 0.0 {
                Cost::Row(BoundedRow { softness, bounds: (rows.lo[i], rows.hi[i]) })
            } else {
                Cost::None
            };
            program.terms.push(Term { first: i, cost });
        }
        for (k, (own, c)) in rows.contacts.iter().zip(&problem.contacts).enumerate() {
            let first = own.normal as usize;
            let response = rows.operator.diagonal(first);
            let softness = parameters.softness(c.separation.min(0.0), response);
            let cost = if response > 0.0 {
                let coefficients = &rows.mu[first + 1..first + own.count()];
                Cost::Cone(EllipticCone::new(softness, coefficients, parameters.friction_ratio), k)
            } else {
                Cost::None
            };
            program.terms.push(Term { first, cost });
        }
    }

    /// Adds the reference velocities of rows that are not open; as assembled, rows ask for rest.
    fn refer(&mut self, problem: &GroupProblem, step: Step) {
        let reference = self.parameters.reference(step.h);
        let Self { row_parameters, rows, .. } = self;
        let before = |bodies: [u32; 2]| bodies.map(|i| problem.bodies[i as usize].velocity);
        for (i, r) in problem.rows.iter().enumerate() {
            let held = r.row.correctable && !r.row.softness.is_soft();
            let open = r.row.limits == RowLimits::UNILATERAL && r.row.error > 0.0;
            let rate = r.row.rate(before(r.bodies));
            let bounces = r.row.restitution > 0.0 && rate < 0.0;
            if held && !open && !bounces {
                rows.b[i] -= (1.0 - reference.damped) * rate - reference.drive * r.row.error;
            }
        }
        let contacts = problem.contacts.iter().enumerate();
        for (own, (k, c)) in rows.contacts.iter().zip(contacts).filter(|(_, (_, c))| c.separation < 0.0) {
            let first = own.normal as usize;
            let rate = |i: usize| {
                let row = &rows.operator.factored_rows()[i];
                let [a, b] = c.bodies.map(|i| problem.bodies[i as usize].velocity);
                row_rate(&row.jacobian[0], a) + row_rate(&row.jacobian[1], b)
            };
            let external = |i: usize| {
                let row = &rows.operator.factored_rows()[i];
                let [a, b] = c.bodies.map(|i| problem.bodies[i as usize].external);
                row_rate(&row.jacobian[0], a) + row_rate(&row.jacobian[1], b)
            };
            let normal = rate(first);
            let rates = [normal, rate_at_end(problem, k, normal + external(first))];
            let bounces = impact_of(problem, c, rates, row_parameters, [step.h, step.horizon]).is_some();
            for i in first..first + own.count() {
                let error = if i == first { c.separation } else { 0.0 };
                if i > first || !bounces {
                    rows.b[i] -= (1.0 - reference.damped) * rate(i) - reference.drive * error;
                }
            }
        }
    }

    /// Solves the program repeatedly until the opening by sliding has settled; returns the numbers of Newton steps and of programs.
    fn iterate(&mut self, problem: &GroupProblem, step: Step) -> (usize, u64) {
        let settled = (SETTLED * problem.gravity * step.h).max(SETTLED_SPEED);
        self.newton.shape(&self.program);
        self.newton.start(&self.program, &self.rows.x);
        let ConvexParameters { sliding_iterations, iterations, tolerance, .. } = self.parameters;
        let Self { rows, program, newton, changes, .. } = self;
        let mut note_sliding =
            |program: &mut Program, newton: &Newton| program.note_sliding(&newton.u, &rows.b, changes);
        if sliding_iterations > 0 {
            note_sliding(program, newton);
        }
        let (mut steps, mut problems) = (0, 0);
        loop {
            steps += newton.run(program, iterations, Tolerance::Relative(tolerance));
            problems += 1;
            if problems > sliding_iterations || note_sliding(program, newton) <= settled {
                return (steps, problems as u64);
            }
        }
    }
}

/// `j . v` of a block of a row.
fn row_rate(j: &[Real; 6], v: drystone_math::Twist) -> Real {
    let j = twist(j);
    j.linear.dot(v.linear) + j.angular.dot(v.angular)
}

impl Formulation for Convex {
    fn name(&self) -> &'static str {
        DESCRIPTION.name
    }

    fn parameters(&self) -> &RowParameters {
        &self.row_parameters
    }

    /// Nothing to share: its Newton steps are few.
    fn begin(&mut self, _: Share) {}

    fn solve(&mut self, problem: &GroupProblem, step: Step, given_up: Real, answer: &mut GroupAnswer) -> Outcome {
        self.rows.given_up = given_up;
        assemble(problem, &self.row_parameters, step.h, step.horizon, &mut self.rows);
        if self.rows.is_empty() {
            return Outcome::default();
        }
        self.pose(problem, step);
        let (steps, problems) = self.iterate(problem, step);
        let Self { rows, program, newton, changes, .. } = self;
        rows.x.clone_from(&newton.f);
        let residual = newton.residual(program);
        let lcp = LcpSummary {
            solves: problems,
            iterations: steps as u64,
            residual_sum: residual,
            residuals: 1,
            residual_max: residual,
            variables_max: 6 * program.bodies() as u64,
        };
        let chords = Some(ChordWork::of_solution(rows, changes));
        // the velocity change is that of the impulses, so that momentum is conserved to rounding, however far the iteration got
        for (i, change) in changes.as_chunks::<6>().0.iter().enumerate() {
            write_velocity(problem, answer, i, twist(change));
        }
        write_multipliers(problem, rows, answer);
        Outcome { report: SolveReport { lcp, ..SolveReport::default() }, chords }
    }

    // the solver is never run, but its kind decides whether joints are asked first
    fn unread(&self) -> &'static [Unread] {
        &[Unread::AllBut(ModuleKind::Lcp, &["solver", "warm_start"])]
    }

    fn lcp(&self) -> Box<dyn LcpSolver> {
        self.lcp.fork()
    }

    fn fork(&self) -> Box<dyn Formulation> {
        Box::new(Self::new(self.parameters, self.row_parameters.warm_start, self.lcp.fork()))
    }
}
