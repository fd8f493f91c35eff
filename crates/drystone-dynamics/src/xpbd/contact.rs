use crate::moving::{MovingBody, MovingContact};
use drystone_core::{ContactImpulse, GroupProblem};
use drystone_math::{Real, Vec3, tangent_basis};

/// A contact of position-based dynamics.
#[derive(Debug, Clone, Copy)]
pub(super) struct PositionContact {
    pub(super) at: MovingContact,
    friction: Real,
    restitution: Real,
    /// Relative position of the two points at the start of the sub-step (m).
    stood: Vec3,
    /// Normal velocity then (m/s).
    approach: Real,
    /// Multipliers of the positions in the sub-step (kg m): along the normal and across it.
    pub(super) normal: Real,
    pub(super) across: Vec3,
    /// That along the normal in the sub-step before.
    before: Real,
    /// Impulses of the step.
    pub(super) total: ContactImpulse,
}

impl PositionContact {
    /// As at the start of a step; `scale` makes the last impulse the multiplier of a sub-step.
    pub(super) fn of(problem: &GroupProblem, contact: usize, scale: Real) -> Self {
        let c = &problem.contacts[contact];
        Self {
            at: MovingContact::of(problem, contact, tangent_basis(c.normal).0),
            friction: c.friction,
            restitution: c.restitution,
            stood: Vec3::ZERO,
            approach: 0.0,
            normal: scale * c.impulse.normal,
            across: Vec3::ZERO,
            before: 0.0,
            total: ContactImpulse::ZERO,
        }
    }

    /// Before the motion of a sub-step.
    pub(super) fn begin(&mut self, bodies: &[MovingBody]) {
        self.at.follow(bodies);
        self.stood = self.at.points[1] - self.at.points[0];
        self.approach = self.at.normal.dot(self.at.relative_velocity(bodies));
        (self.before, self.normal, self.across) = (self.normal, 0.0, Vec3::ZERO);
    }

    /// Friction limit of the position solve: the mean of two sub-steps, because sweeps up and down see different loads.
    pub(super) fn bound(&self) -> Real {
        0.5 * self.friction * (self.normal + self.before)
    }

    /// By how much its points have slipped since the sub-step began (m).
    pub(super) fn slipped(&self) -> Vec3 {
        let slipped = self.at.points[1] - self.at.points[0] - self.stood;
        slipped - self.at.normal * self.at.normal.dot(slipped)
    }

    /// The change of its rate: the velocity that came of being pushed out goes, what bounces gets its own.
    pub(super) fn wants(&self, bodies: &[MovingBody], resting: Real) -> Real {
        let rate = self.at.normal.dot(self.at.relative_velocity(bodies));
        let wanted = if self.approach < -resting { -self.restitution * self.approach } else { 0.0 };
        wanted - rate
    }

    /// Dynamic friction, in the disc of all that the contact bore beside static friction.
    pub(super) fn rub(&mut self, bodies: &mut [MovingBody], borne: Real, h: Real) {
        let n = self.at.normal;
        let slip = self.at.relative_velocity(bodies);
        let slip = slip - n * n.dot(slip);
        let mut friction = self.across / h;
        if let Some(along) = slip.try_normalize() {
            let stop = along * (-slip.length() / self.at.response(bodies, along, along));
            let after = (friction + stop).clamp_length_max(self.friction * borne);
            self.at.push(bodies, after - friction);
            friction = after;
        }
        self.total.normal += borne;
        self.total.friction += friction;
    }
}
