use crate::moving::{MovingBody, MovingContact, shift_contact};
use drystone_core::{ContactImpulse, GroupAnswer, GroupProblem};
use drystone_math::{Real, Vec3, tangent_basis};

/// A contact of position-based dynamics.
#[derive(Debug, Clone, Copy)]
struct PositionContact {
    at: MovingContact,
    friction: Real,
    restitution: Real,
    /// Where the two points stood against each other at the start of the sub-step (m).
    stood: Vec3,
    /// Normal velocity then (m/s).
    approach: Real,
    /// Multipliers of the positions in the sub-step (kg m): along the normal and across it.
    normal: Real,
    across: Vec3,
    total: ContactImpulse,
}

/// The contacts of a group.
#[derive(Debug, Clone, Default)]
pub(super) struct PositionContacts {
    list: Vec<PositionContact>,
}

impl PositionContacts {
    pub(super) fn start(&mut self, problem: &GroupProblem) {
        self.list.clear();
        self.list.extend(problem.contacts.iter().map(|c| {
            let at = MovingContact::of(problem, c, tangent_basis(c.normal).0);
            let (friction, restitution) = (c.friction, c.restitution);
            let total = ContactImpulse::ZERO;
            let (stood, across) = (Vec3::ZERO, Vec3::ZERO);
            PositionContact { at, friction, restitution, stood, approach: 0.0, normal: 0.0, across, total }
        }));
    }

    /// Before the motion of a sub-step.
    pub(super) fn begin(&mut self, bodies: &[MovingBody]) {
        for c in &mut self.list {
            c.at.follow(bodies);
            c.stood = c.at.points[1] - c.at.points[0];
            c.approach = c.at.normal.dot(c.at.relative_velocity(bodies));
            (c.normal, c.across) = (0.0, Vec3::ZERO);
        }
    }

    /// One pass over the positions.
    pub(super) fn project(&mut self, bodies: &mut [MovingBody]) {
        for c in &mut self.list {
            c.project(bodies);
        }
    }

    /// Dynamic friction and restitution, after a sub-step of `h` seconds.
    pub(super) fn change_velocities(&mut self, bodies: &mut [MovingBody], h: Real, resting: Real) {
        for c in self.list.iter_mut().filter(|c| c.normal > 0.0) {
            c.change_velocities(bodies, h, resting);
        }
    }

    pub(super) fn write(&self, answer: &mut GroupAnswer) {
        for (c, impulse) in self.list.iter().zip(&mut answer.contacts) {
            *impulse = c.total;
        }
    }
}

impl PositionContact {
    fn project(&mut self, bodies: &mut [MovingBody]) {
        self.at.follow(bodies);
        if self.at.gap >= 0.0 {
            return;
        }
        let n = self.at.normal;
        let response = self.at.response(bodies, n, n);
        if response <= 0.0 {
            return;
        }
        let out = -self.at.gap / response;
        self.normal += out;
        shift_contact(&self.at, bodies, n * out);
        // back to where the points stood against each other, if friction is enough for that
        self.at.follow(bodies);
        let slipped = self.at.points[1] - self.at.points[0] - self.stood;
        let slipped = slipped - n * n.dot(slipped);
        let Some(along) = slipped.try_normalize() else { return };
        let back = along * (-slipped.length() / self.at.response(bodies, along, along));
        if (self.across + back).length() <= self.friction * self.normal {
            self.across += back;
            shift_contact(&self.at, bodies, back);
        }
    }

    fn change_velocities(&mut self, bodies: &mut [MovingBody], h: Real, resting: Real) {
        self.at.follow(bodies);
        let n = self.at.normal;
        // the velocity that came of being pushed out goes, what bounces gets its own
        let rate = n.dot(self.at.relative_velocity(bodies));
        let wanted = if self.approach < -resting { -self.restitution * self.approach } else { 0.0 };
        let out = self.normal / h;
        let change = ((wanted - rate) / self.at.response(bodies, n, n)).max(-out);
        self.at.push(bodies, n * change);
        let borne = out + change;
        // dynamic friction, in the disc of all that the contact bore beside static friction
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
