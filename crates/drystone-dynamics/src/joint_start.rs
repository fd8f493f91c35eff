use crate::ConstraintRows;
use crate::row::is_rigid;
use drystone_core::GroupProblem;
use drystone_lcp::{
    FactoredOperator, LcpOperator, LcpSolver, LcpStatus, Measure, OperatorRef, ProblemView, SparsePrincipalPivoting,
};
use drystone_math::Real;

/// Multiplications that the start may take per row: anything beyond that is left to the sweeps.
const WORK: Real = 4e4;

/// Steps of the exact solver: limits and motors of joints open and close in a few.
const STEPS: usize = 20;

/// Solves the joints of a group exactly, among themselves, as the start of sweeps.
///
/// A sweep hands an impulse on from joint to joint: a chain of n links takes some n^2 sweeps, and more if what hangs on it is heavy. A sparse
/// factorisation solves it at a cost proportional to n. With contacts at the multipliers of the last step, this is the answer except for what
/// they change; without contacts it is the answer.
///
/// # Source
/// D. Baraff, "Linear-time dynamics using Lagrange multipliers", 1996, section 7: joints are solved at once, contacts by iteration around them.
#[derive(Debug)]
pub(crate) struct JointStart {
    solver: SparsePrincipalPivoting,
    operator: FactoredOperator,
    b: Vec<Real>,
    x: Vec<Real>,
    changes: Vec<Real>,
}

impl Default for JointStart {
    fn default() -> Self {
        let solver = SparsePrincipalPivoting { iterations: STEPS, measure: Measure::AtEnd, ..Default::default() };
        Self { solver, operator: FactoredOperator::new(), b: Vec::new(), x: Vec::new(), changes: Vec::new() }
    }
}

impl JointStart {
    /// Returns true if sweeps over a problem's joints need it.
    pub(crate) fn is_needed(problem: &GroupProblem) -> bool {
        !problem.rows.is_empty()
    }

    /// The same if the rigid rows of each joint are orthogonal to each other: one sweep then solves a joint that is the only one.
    pub(crate) fn is_needed_by_orthogonal(problem: &GroupProblem) -> bool {
        let first = problem.rows.first().map(|r| r.joint);
        problem.rows.iter().any(|r| Some(r.joint) != first || !is_rigid(&r.row))
    }

    /// Replaces the start value of the joints, the first `joints` rows, by their exact solution; returns whether it did.
    pub(crate) fn run(&mut self, rows: &mut ConstraintRows, joints: usize) -> bool {
        let Self { solver, operator, b, x, changes } = self;
        x.clear();
        x.extend_from_slice(&rows.x[..joints]);
        rows.x[..joints].fill(0.0);
        changes.clear();
        changes.resize(6 * rows.operator.bodies(), 0.0);
        rows.operator.start(&rows.x, changes);
        b.clear();
        b.extend((0..joints).map(|i| rows.b[i] + rows.operator.row_dot(i, &rows.x, changes)));
        take_joints(&rows.operator, joints, operator);
        let view = ProblemView {
            operator: OperatorRef::Factored(operator),
            b,
            lo: &rows.lo[..joints],
            hi: &rows.hi[..joints],
            dependency: &rows.dependency[..joints],
            mu: &rows.mu[..joints],
            partner: &rows.partner[..joints],
        };
        solver.work = WORK * joints as Real;
        rows.x[..joints].copy_from_slice(x);
        let outcome = solver.solve(&view, x);
        let solved = outcome.is_ok_and(|r| matches!(r.status, LcpStatus::Converged | LcpStatus::Stagnated))
            && x.iter().all(|v| v.is_finite());
        if solved {
            rows.x[..joints].copy_from_slice(x);
        }
        solved
    }
}

/// The bodies of an operator and its first rows.
fn take_joints(from: &FactoredOperator, joints: usize, to: &mut FactoredOperator) {
    to.clear();
    for (inverse_mass, inverse_inertia) in (0..from.bodies()).filter_map(|i| from.body(i)) {
        to.push_body(inverse_mass, inverse_inertia);
    }
    for row in &from.factored_rows()[..joints] {
        let pushed = to.push_row(row.bodies, row.jacobian[0], row.jacobian[1], row.cfm);
        debug_assert!(pushed.is_ok(), "rows of the same bodies");
    }
}
