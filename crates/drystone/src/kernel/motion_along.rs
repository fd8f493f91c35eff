//! Potential energy that a correction adds, paid for by the motion along the displacement.

use drystone_core::GroupBody;
use drystone_math::{Real, Twist, Vec3};

/// The motion of a group along a displacement `d`: `d^T M d` and `d^T M u`.
///
/// The displacement of a projection is `M^-1 J^T x`, so a change of velocity by `s d` amounts to one impulse `s x` along the rows that are corrected: what one body
/// gets another one loses, and momentum is conserved unless something fixed is involved. The kinetic energy changes by `s d^T M u + s^2 d^T M d / 2`; requiring this
/// to be minus the change of the potential energy gives `s`.
///
/// # Source
/// P-08. Thesis sections 4.12 and 4.12.1 describe the effect of projection on the potential energy, and call for a method that leaves it alone. One body pushed out
/// of one plane ends with the speed at which it would have come from the true surface, `sqrt(v^2 - 2 g d)`.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct MotionAlong {
    square: Real,
    momentum: Real,
    /// `d^T M u` and `u^T M u` of the motion relative to what carries the group.
    against: Real,
    motion: Real,
}

/// The motion that bodies of a group have because of what carries them: the motion of what they hang on, or of their centre of mass if they hang on nothing. Whether
/// a body moves against a correction depends on its motion relative to this carrier: a pendulum on a train should be treated like one at rest.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Carrier {
    /// The velocity of its point at the origin.
    linear: Vec3,
    angular: Vec3,
}

impl Carrier {
    /// The mean over the immovable bodies of a group, each extended rigidly to all space; without any, the motion of the centre of mass.
    pub(super) fn of(bodies: &[GroupBody]) -> Self {
        let mut held = Self::default();
        let (mut count, mut mass, mut momentum) = (0.0, 0.0, Vec3::ZERO);
        for body in bodies {
            let Twist { linear, angular } = body.velocity;
            if !body.is_movable() {
                count += 1.0;
                held.linear += linear - angular.cross(body.pose.position);
                held.angular += angular;
            } else if body.inverse_mass > 0.0 {
                mass += 1.0 / body.inverse_mass;
                momentum += linear / body.inverse_mass;
            }
        }
        if count > 0.0 {
            return Self { linear: held.linear / count, angular: held.angular / count };
        }
        if mass > 0.0 { Self { linear: momentum / mass, angular: Vec3::ZERO } } else { held }
    }

    /// A body's motion relative to the carrier.
    fn beside(&self, body: &GroupBody) -> Twist {
        let carried = Twist::new(self.linear + self.angular.cross(body.pose.position), self.angular);
        body.velocity - carried
    }
}

/// Motion counts as against a displacement from this cosine of the angle between the two on, in the norm of the kinetic energy. Regular joints make motion go across
/// their corrections, to within the fraction of a radian that it turns in a step.
const AGAINST: Real = 0.3;

impl MotionAlong {
    /// Adds a body of the group that is displaced in this way.
    pub(super) fn add(&mut self, body: &GroupBody, way: Twist, carrier: &Carrier) {
        let beside = carrier.beside(body);
        let inertia = body.inverse_inertia.pseudo_inverse();
        let square = |change: Twist| {
            let linear = if body.inverse_mass > 0.0 { change.linear.length_squared() / body.inverse_mass } else { 0.0 };
            linear + inertia.quadratic(change.angular)
        };
        self.square += square(way);
        self.motion += square(beside);
        if body.inverse_mass > 0.0 {
            self.momentum += way.linear.dot(body.velocity.linear) / body.inverse_mass;
            self.against += way.linear.dot(beside.linear) / body.inverse_mass;
        }
        let turned = inertia.mul_vec(way.angular);
        self.momentum += turned.dot(body.velocity.angular);
        self.against += turned.dot(beside.angular);
    }

    /// Multiple of the displacement to add to the velocities (1/s) so that nothing continues to move against it; `None`
    /// unless most of the motion does.
    pub(super) fn ended(&self) -> Option<Real> {
        let Self { square, against, motion, .. } = *self;
        let mostly = against < 0.0 && against * against > AGAINST * AGAINST * square * motion;
        (mostly && square > Real::MIN_POSITIVE).then(|| -against / square)
    }

    /// Multiple of the displacement to add to the velocities (1/s), and the energy that the motion then loses (J), for
    /// a potential energy that has grown by
    /// `lifted` (J). If the motion along the displacement has less energy than that, it is removed entirely.
    pub(super) fn pay(&self, lifted: Real) -> (Real, Real) {
        let Self { square, momentum, .. } = *self;
        // a displacement that is zero, or nothing but rounding
        if !(square > Real::MIN_POSITIVE && lifted != 0.0) {
            return (0.0, 0.0);
        }
        let discriminant = momentum * momentum - 2.0 * square * lifted;
        let speed = if discriminant <= 0.0 {
            -momentum / square
        } else {
            // the root nearer to zero, without cancellation; of two equal ones the one that separates
            -2.0 * lifted / (momentum + discriminant.sqrt().copysign(momentum + 0.0))
        };
        (speed, -speed * (momentum + 0.5 * speed * square))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Along a displacement of 1 m, a moving body of 1 kg pays for its rise.
    #[test]
    fn a_rise_is_paid_for_as_far_as_motion_goes() {
        let along = |speed: Real| MotionAlong { square: 1.0, momentum: speed, ..MotionAlong::default() };
        for (speed, lifted, after) in
            [(2.0, 1.5, 1.0), (-2.0, 1.5, -1.0), (1.0, -1.5, 2.0), (0.0, -2.0, 2.0), (-1.0, -1.5, -2.0)]
        {
            let (change, paid) = along(speed).pay(lifted);
            let end: Real = speed + change;
            assert!((end - after).abs() < 1e-15, "{speed} m/s, {lifted} J: {end}");
            assert!((paid - lifted).abs() < 1e-15);
        }
        // more than it has
        assert_eq!(along(2.0).pay(3.0), (-2.0, 2.0));
        assert_eq!(along(0.0).pay(3.0), (0.0, 0.0));
        assert_eq!(MotionAlong::default().pay(1.0), (0.0, 0.0));
    }

    /// Motion straight back along a displacement of 2 m is ended; motion across it, or with it, is not.
    #[test]
    fn motion_against_a_way_ends() {
        let along = |against: Real, across: Real| MotionAlong {
            square: 4.0,
            against: -2.0 * against,
            motion: against * against + across * across,
            ..MotionAlong::default()
        };
        assert_eq!(along(3.0, 0.0).ended(), Some(1.5));
        assert_eq!(along(3.0, 4.0).ended(), Some(1.5));
        assert_eq!(along(1.0, 4.0).ended(), None);
        assert_eq!(along(-3.0, 0.0).ended(), None);
        assert_eq!(MotionAlong::default().ended(), None);
    }
}
