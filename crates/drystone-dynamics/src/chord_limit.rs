//! Keeps joints from adding energy if a step does not resolve how they turn.

use crate::ConstraintRows;
use drystone_lcp::LcpOperator;
use drystone_math::Real;

/// The effect of joints' impulses on the kinetic energy of a group, as far as needed to judge the chords.
///
/// A row without a chord asks for a velocity along its constraint, and the impulses that achieve this only take energy: `lambda^T A lambda / 2`.
/// A row with a chord t asks for `J u+ = t`, and its impulse does the work `lambda . t` in addition. On a path that the step resolves both are
/// equal: bodies arrive with the mirror image of the velocity with which they leave. If the work is larger, the joint is a motor.
///
/// Only joints are judged, each row by its impulse times the mean of its rates before and after. What contacts of the same group take is governed by the laws of friction and
/// restitution, and is no credit for joints: a joint in an impact that gives back e of its approach would have `(1 + e) / 2` of impulse times approach to give.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ChordWork {
    /// `lambda . t` (J).
    pub(crate) work: Real,
    /// Work of the joints' impulses if there were no others (J): `lambda^T A lambda / 2` once the problem is solved.
    pub(crate) taken: Real,
    /// The work that they would do along the chords if these counted in full (J).
    along: Real,
}

impl ChordWork {
    /// For the solution in `rows`, in the basis in which it was found; its velocity change is written to `changes`, six numbers per body.
    pub(crate) fn of_solution(rows: &ConstraintRows, changes: &mut Vec<Real>) -> Self {
        changes.clear();
        changes.resize(6 * rows.operator.bodies(), 0.0);
        rows.operator.start(&rows.x, changes);
        Self::of(rows, changes)
    }

    /// The same if the velocity change is known: six numbers per body.
    pub(crate) fn of(rows: &ConstraintRows, changes: &[Real]) -> Self {
        let (mut taken, mut along) = (0.0, 0.0);
        // rows with a chord are those of joints
        for (i, chord) in rows.chords.iter().enumerate() {
            let x = rows.x[i];
            taken -= x * (0.5 * rows.operator.row_dot(i, &rows.x, changes) + rows.b[i]);
            along -= x * chord;
        }
        Self { work: along * (1.0 - rows.given_up), taken, along }
    }

    /// For rows without bounds whose equations hold, `A lambda = -b`.
    pub(crate) fn of_equations(rows: &ConstraintRows) -> Self {
        let product = |of: &[Real]| rows.x.iter().zip(of).map(|(x, v)| x * v).sum::<Real>();
        let along = -product(&rows.chords);
        Self { work: along * (1.0 - rows.given_up), taken: -0.5 * product(&rows.b), along }
    }

    /// The energy that joints add (J).
    pub(crate) fn energy_gain(&self) -> Real {
        self.work - self.taken
    }

    /// Returns true if joints add more energy than the fraction `slack` of the work of their chords.
    pub(crate) fn gives(&self, slack: Real) -> bool {
        self.energy_gain() > slack * self.work.abs()
    }

    /// The largest share of the chords at which joints add no energy; if contacts make them add energy even in a solve without chords, `plain`, then no more than there.
    ///
    /// With impulses `x + s y` at the share s, chords c, and rates v without impulses, they add `(x + s y) . (v - s c) / 2`. Without contacts x . c = y . v, and the
    /// linear term vanishes.
    pub(crate) fn balanced_share(&self, plain: &Self) -> Real {
        let most = plain.energy_gain().max(0.0);
        if self.energy_gain() <= most {
            return 1.0;
        }
        let room = most - plain.energy_gain();
        let square = 0.5 * (self.along - plain.along);
        let linear = self.energy_gain() - plain.energy_gain() - square;
        // square s^2 + linear s - room is at most zero at 0 and positive at 1: the root between, in the form without cancellation
        let root = (linear * linear + 4.0 * square * room).max(0.0).sqrt();
        let s = if linear > 0.0 { 2.0 * room / (linear + root) } else { (root - linear) / (2.0 * square) };
        if s.is_finite() { s.clamp(0.0, 1.0) } else { 0.0 }
    }
}
