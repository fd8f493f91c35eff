//! Transmission of forces that link bodies to the solver.

use crate::modules::Stages;
use drystone_core::{ConstraintRow, RowLimits, Softness};
use drystone_math::Real;

/// Path by which forces that link bodies reach the solver.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) enum LinkingForces {
    /// They are solved together with contacts and joints.
    #[default]
    ByRows,
    /// The same in a world without inertia: the solver's results are forces times its time scale (s).
    AtRest(Real),
    /// They act as wrenches, under solvers that know only contacts.
    ByWrenches,
}

impl LinkingForces {
    /// Path with these solvers and motion solver.
    pub(super) fn of(stages: &Stages) -> Self {
        if !stages.constraint_solver.takes_rows() {
            return Self::ByWrenches;
        }
        stages.motion_solver.time_scale().map_or(Self::ByRows, Self::AtRest)
    }

    /// Adapts the rows of a joint or a link for a step of `h` seconds.
    ///
    /// Without inertia a multiplier is T F, the time scale times a force. A solver turns bounds into impulses by a factor h, and compliance into velocity by 1 / h.
    /// Bounds are therefore scaled by T / h, and the compliance of a row by h / T.
    ///
    /// A spring's force at the end of the step, `F = -k (e + h J v)`, is the row `J v + F / (h k) = -e / h`, stable for any stiffness. Bodies are taken to be at
    /// rest, so that a damper does nothing.
    pub(super) fn fit(self, rows: &mut [ConstraintRow], h: Real) {
        let Self::AtRest(time_scale) = self else { return };
        let scale = time_scale / h;
        for row in rows {
            row.softness = match row.softness {
                // an operation that takes no time: impulses as they are
                Softness::Fixed { .. } if h == 0.0 => continue,
                Softness::Fixed { erp, cfm } => Softness::Fixed { erp, cfm: cfm / scale },
                Softness::Spring { stiffness, .. } if h > 0.0 && stiffness > 0.0 => {
                    Softness::Fixed { erp: 1.0, cfm: 1.0 / (stiffness * scale) }
                }
                Softness::Spring { .. } => {
                    row.limits = RowLimits { lo: 0.0, hi: 0.0 };
                    continue;
                }
            };
            row.limits = RowLimits { lo: row.limits.lo * scale, hi: row.limits.hi * scale };
        }
    }
}
