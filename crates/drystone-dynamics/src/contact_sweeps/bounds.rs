use super::SweepParameters;
use crate::support_change::SLOW;
use drystone_core::{GroupBody, GroupProblem, Level, Step};
use drystone_math::{Real, Twist, Vec3};

/// Contacts that slip or separate by less than this fraction of the speed that gravity adds in a step are at rest.
const SETTLED: Real = 1e-6;
/// Residual velocities above this fraction of that speed may at most double per step: otherwise the impulses that
/// stopped a body would restart it.
const STEADY: Real = 0.03;
/// Friction at its bound may exceed it by this fraction of the bound, because of rounding.
pub(super) const ROUNDING: Real = 1e-6;

/// The conditions that bodies and contacts which stand have to meet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// Largest velocity of a contact that bears, and of one that closes (m/s).
    pub(super) still: Real,
    /// Largest change of a velocity in a step that counts as none (m/s).
    pub(super) steady: Real,
    /// Largest approach before external forces of a contact that may bounce, or that is still apart (m/s).
    pub(super) approach: Real,
    /// True if there is friction.
    rough: bool,
    /// The step (s).
    pub(super) h: Real,
}

impl Bounds {
    /// The bounds for a step; `None` if nothing has weight, or if the step does not ask for velocities.
    pub(super) fn of(problem: &GroupProblem, own: &SweepParameters, step: Step) -> Option<Self> {
        let unit = problem.gravity * step.h;
        let still = SETTLED * unit;
        let resting = own.rows.resting_factor * problem.gravity * step.horizon;
        (unit != 0.0 && step.level == Level::Velocity).then_some(Self {
            still,
            steady: STEADY * still,
            approach: still.min(SLOW * resting),
            rough: own.is_rough(),
            h: step.h,
        })
    }

    /// Largest friction, as a fraction of its bound.
    #[inline(always)]
    pub(super) fn slack(self) -> Real {
        if self.rough { 1.0 + ROUNDING } else { 0.0 }
    }

    /// Returns true if a velocity counts as zero and stays so: its change in a step is far below what would be noticed.
    #[inline(always)]
    pub(super) fn is_rest(self, before: Vec3, after: Vec3) -> bool {
        (before.length_squared() <= self.still * self.still)
            & ((after - before).length_squared() <= self.steady * self.steady)
    }

    /// Returns true if a body neither moves nor turns, as measured by its radius of gyration. A body that turns about a
    /// fixed point is left out.
    #[inline(always)]
    pub(super) fn rests(self, body: &GroupBody, after: Twist) -> bool {
        self.goes_on(body, body.velocity, after)
    }

    /// The same for a body that has velocity `before`.
    #[inline(always)]
    fn goes_on(self, body: &GroupBody, before: Twist, after: Twist) -> bool {
        if !body.is_movable() {
            return body.velocity == Twist::ZERO;
        }
        // a body that cannot turn at all has no radius
        let stiff = body.inverse_inertia.diagonal.element_sum().max(Real::MIN_POSITIVE);
        let radius = (3.0 * body.inverse_mass / stiff).min(Real::MAX).sqrt();
        let turns = self.is_rest(before.angular * radius, after.angular * radius);
        body.inverse_mass > 0.0 && turns && self.is_rest(before.linear, after.linear)
    }

    /// Returns true if all bodies are below the rest threshold, and some are not exactly at rest.
    pub(super) fn creep(self, bodies: &[GroupBody]) -> bool {
        bodies.iter().all(|body| self.goes_on(body, body.velocity, body.velocity))
            && bodies.iter().any(|body| body.velocity != Twist::ZERO)
    }

    /// Returns true if a body that was at rest stays at rest.
    pub(super) fn stays(self, body: &GroupBody, after: Twist) -> bool {
        self.goes_on(body, Twist::ZERO, after)
    }
}
