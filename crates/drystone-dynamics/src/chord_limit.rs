//! Keeps joints from giving energy where a step does not see how they turn.

use crate::ConstraintRows;
use drystone_lcp::LcpOperator;
use drystone_math::Real;

/// What the impulses of a solve do to the kinetic energy of a group, as far as it takes to judge the chords.
///
/// A row without a chord asks for a velocity along its constraint, and impulses that make it so only take energy: `lambda^T A lambda / 2`
/// of it. A row with a chord t asks for `J u+ = t`, and its impulse works `lambda . t` on top. On a path that the step resolves both are
/// equal: bodies arrive with the mirror image of the velocity with which they leave. Where the work is larger the joint is a motor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ChordWork {
    /// `lambda . t` (J).
    pub(crate) work: Real,
    /// What the impulses take otherwise (J): `lambda^T A lambda / 2` where the problem is solved.
    pub(crate) taken: Real,
}

impl ChordWork {
    /// Of the solution in `rows`, in the basis in which it was found; what it changes in the velocities of bodies goes into `changes`, six numbers each.
    pub(crate) fn of_solution(rows: &ConstraintRows, changes: &mut Vec<Real>) -> Self {
        changes.clear();
        changes.resize(6 * rows.operator.bodies(), 0.0);
        rows.operator.start(&rows.x, changes);
        Self::of(rows, changes)
    }

    /// The same where that is known: what it changes in the velocities of bodies, six numbers each.
    pub(crate) fn of(rows: &ConstraintRows, changes: &[Real]) -> Self {
        let mut merit = 0.0;
        for (i, (x, b)) in rows.x.iter().zip(&rows.b).enumerate() {
            merit += x * (0.5 * rows.operator.row_dot(i, &rows.x, changes) + b);
        }
        Self { work: -rows.x.iter().zip(&rows.chords).map(|(x, c)| x * c).sum::<Real>(), taken: -merit }
    }

    /// Of rows without bounds whose equations hold, `A lambda = -b`.
    pub(crate) fn of_equations(rows: &ConstraintRows) -> Self {
        let product = |of: &[Real]| rows.x.iter().zip(of).map(|(x, v)| x * v).sum::<Real>();
        Self { work: -product(&rows.chords), taken: -0.5 * product(&rows.b) }
    }

    /// Whether the chords give more than `slack` of their work.
    pub(crate) fn gives(&self, slack: Real) -> bool {
        self.work - self.taken > slack * self.work.abs()
    }

    /// The share of the chords at which they would neither give nor take, if `plain` is what a solve without them takes.
    ///
    /// With `T = t^T A^-1 t`, `V = v^T A^-1 v`, v the rates without impulses, the energy changes by `(s^2 T - V) / 2` at the share s.
    pub(crate) fn balanced_share(&self, plain: Real) -> Real {
        let square = 2.0 * (self.work + plain - self.taken);
        if square > 0.0 { (2.0 * plain.max(0.0) / square).sqrt().min(1.0) } else { 0.0 }
    }
}
