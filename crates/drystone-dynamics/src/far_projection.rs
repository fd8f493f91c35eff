//! Projection of large errors: Newton's method with its rows evaluated anew, damped if a step leads astray.

use crate::correction::{error_size, is_corrected};
use crate::moving::{self, MovingBody};
use crate::refinement::{ENOUGH, RATE, larger};
use crate::row::Row;
use crate::started_solver::StartedSolver;
use crate::{ConstraintRows, CorrectionParameters, assemble_correction};
use drystone_core::{ConstraintRow, GroupAnswer, GroupProblem, GroupRow, RowLimits, SolveReport, make_room};
use drystone_math::{Real, Twist};

/// Most solves.
const SOLVES: usize = 60;
/// The fraction of the rows' diagonal entries that is added to them: at first, at least after a step that led astray, and at most.
const DAMPING: [Real; 3] = [1e-2, 1e-1, 1e4];
/// A correction that turns a body by more than this (rad) is checked: errors are not linear in the displacement over such a distance.
const TURN: Real = 0.05;
/// The factor by which the damping grows and shrinks.
const CHANGE: Real = 10.0;

/// Nonlinear projection (Levenberg-Marquardt) of joint errors that one Newton step does not reduce: past a dead centre
/// of a linkage, or if rows nearly contradict each other.
///
/// # Source
/// D. W. Marquardt, "An algorithm for least-squares estimation of nonlinear parameters", 1963, with the kinetic energy as the norm of a step.
#[derive(Debug, Default)]
pub(crate) struct FarProjection {
    /// The group at its current placement.
    problem: GroupProblem,
    bodies: Vec<MovingBody>,
    /// The rows at the end of a step.
    rows: Vec<ConstraintRow>,
    ways: Vec<Twist>,
}

/// Position errors of joints.
#[derive(Debug, Clone, Copy)]
struct Off {
    /// The sum of squared errors over the responses of their rows (kg m^2), which a sufficiently damped step decreases.
    square: Real,
    /// The largest error in units of the error that is left alone.
    largest: Real,
}

impl Off {
    /// For the current errors of a group.
    fn at_start(problem: &GroupProblem, parameters: &CorrectionParameters) -> Self {
        Self::of(problem, problem.rows.iter().map(|r| (r, r.row.error)), parameters)
    }

    /// For given errors of the rows of a group.
    fn of<'a>(
        problem: &GroupProblem,
        errors: impl Iterator<Item = (&'a GroupRow, Real)>,
        parameters: &CorrectionParameters,
    ) -> Self {
        let mut off = Self { square: 0.0, largest: 0.0 };
        for (r, error) in errors.filter(|(r, _)| is_corrected(r, parameters)) {
            let error = if r.row.limits == RowLimits::UNILATERAL { error.min(0.0) } else { error };
            let row = Row { bodies: r.bodies, jacobian: r.row.jacobian, cfm: 0.0 };
            off.square += error * error / row.response(&problem.bodies).max(Real::MIN_POSITIVE);
            off.largest = larger(off.largest, error_size(problem, r, error));
        }
        off
    }
}

/// Position errors of the joints of a group after some displacements, and the rows that they have there; `None` if
/// these are not the same rows as before.
fn look(
    (bodies, rows): (&mut Vec<MovingBody>, &mut Vec<ConstraintRow>),
    problem: &GroupProblem,
    ways: &[Twist],
    parameters: &CorrectionParameters,
) -> Option<Off> {
    moving::start_after(problem, ways, bodies);
    rows.clear();
    for joint in &problem.joints {
        let first = rows.len();
        let frames = joint.bodies.map(|i| bodies[i as usize].frame());
        problem.rows_at(joint, [&frames[0], &frames[1]], rows);
        if rows.len() - first != joint.rows.len() {
            return None;
        }
    }
    let places = problem.joints.iter().flat_map(|joint| joint.rows.clone());
    let errors = places.zip(rows.iter()).map(|(place, row)| (&problem.rows[place as usize], row.error));
    Some(Off::of(problem, errors, parameters))
}

impl FarProjection {
    /// Reserves memory for a group, so that the first time that it is far off allocates nothing.
    pub(crate) fn make_room(&mut self, group: &GroupProblem) {
        let Self { problem, bodies, rows, ways } = self;
        problem.make_room_for(group);
        make_room(bodies, group.bodies.len());
        make_room(rows, group.rows.len());
        make_room(ways, group.bodies.len());
    }

    /// Returns true if a correction with large rotations leaves more than a fraction of the errors of joints: past a
    /// dead centre of a linkage, its rows point anywhere.
    pub(crate) fn is_needed(
        &mut self,
        problem: &GroupProblem,
        parameters: &CorrectionParameters,
        answer: &GroupAnswer,
    ) -> bool {
        if answer.correction.iter().all(|way| way.angular.length_squared() <= TURN * TURN) {
            return false;
        }
        let before = Off::at_start(problem, parameters).largest;
        let after = look((&mut self.bodies, &mut self.rows), problem, &answer.correction, parameters);
        // what is not a number is no nearer
        after.is_some_and(|after| after.largest.is_nan() || after.largest > (RATE * before).max(ENOUGH))
    }

    /// Displacements that bring joints as near to their places as some solves can; none at all if no solve brings them nearer.
    pub(crate) fn run(
        &mut self,
        problem: &GroupProblem,
        parameters: &CorrectionParameters,
        (solver, rows): (&mut StartedSolver<'_>, &mut ConstraintRows),
        answer: &mut GroupAnswer,
    ) -> SolveReport {
        self.problem.clone_from(problem);
        let mut now = Off::at_start(&self.problem, parameters);
        let mut report = SolveReport::default();
        let [mut damping, least, most] = DAMPING;
        for _ in 0..SOLVES {
            assemble_correction(&self.problem, parameters, damping, rows);
            report.merge(&solver.begin_and_solve(rows));
            self.ways.clear();
            self.ways.resize(problem.bodies.len(), Twist::ZERO);
            solver.with_changes(rows, |i, change| self.ways[i] = change);
            let then = look((&mut self.bodies, &mut self.rows), &self.problem, &self.ways, parameters);
            // what is not a number is no nearer
            if then.is_some_and(|then| then.square < now.square) {
                self.go();
                now = Off::at_start(&self.problem, parameters);
                damping /= CHANGE;
            } else {
                damping = (damping * CHANGE).max(least);
            }
            if now.largest <= ENOUGH || damping > most {
                break;
            }
        }
        for ((out, body), start) in answer.correction.iter_mut().zip(&self.problem.bodies).zip(&problem.bodies) {
            *out = moving::way(&start.pose, &body.pose);
        }
        report
    }

    /// Moves the group to the end of the displacements.
    fn go(&mut self) {
        let Self { problem, bodies, rows, ways } = self;
        for c in &mut problem.contacts {
            let [a, b] = c.bodies.map(|i| i as usize);
            let [by_a, by_b] = [a, b].map(|i| ways[i].at(c.position - problem.bodies[i].pose.position));
            c.separation += c.normal.dot(by_b - by_a);
        }
        for (place, row) in problem.joints.iter().flat_map(|joint| joint.rows.clone()).zip(rows.iter()) {
            problem.rows[place as usize].row = *row;
        }
        moving::settle(problem, bodies);
        for (body, moved) in problem.bodies.iter_mut().zip(bodies.iter()) {
            (body.pose, body.inverse_inertia) = (moved.pose, moved.inverse_inertia);
        }
    }
}
