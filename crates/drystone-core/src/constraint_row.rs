use crate::Softness;
use drystone_math::{Real, Twist, Vec3};

/// One scalar constraint on two bodies: `lo <= multiplier <= hi` drives `J u` towards its target.
///
/// With C the constraint function and J its Jacobian (`dC/dt = J u`), a row asks for
/// `J u + cfm * multiplier / h = target - erp * error / h`, `error` being the value of C. If bodies move along straight lines for h seconds, C leaves its
/// tangent by `h / 2` of the curvature: a solver of order two asks for `target - h / 2 * curvature`.
// G-02, G-04
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConstraintRow {
    /// J, two 1x6 blocks: what multiplies the velocity of A and of B.
    pub jacobian: [Twist; 2],
    /// Desired value of `J u` (m/s or rad/s): zero for a joint, the set speed for a motor.
    pub target: Real,
    /// Value of C (m or rad), which position correction and stabilization take out. If positive in a row that only pushes ([`RowLimits::UNILATERAL`]), it is a
    /// gap, which may close within the step.
    pub error: Real,
    /// `dJ/dt u` at the present velocities (m/s^2 or rad/s^2): the second derivative of C under a steady motion. Zero if it is not known; the row is then kept
    /// to first order.
    pub curvature: Real,
    /// Bounds of the multiplier.
    pub limits: RowLimits,
    /// Its erp and cfm, as numbers or as a spring and damper.
    pub softness: Softness,
    /// Coefficient of restitution of a limit.
    pub restitution: Real,
    /// True if position correction may act on the row; false for motors.
    pub correctable: bool,
    /// For a row that acts along the line between a point of A and one of B, as of a rope or a rod: that line, which turns as the points move.
    pub line: Option<Line>,
}

/// The line between a point of A and a point of B.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// From the centres of mass of A and B to their points, world axes (m).
    pub arms: [Vec3; 2],
    /// From A's point to B's, world axes (m).
    pub gap: Vec3,
}

impl Line {
    /// The second derivative of its length, for steady velocities of A and B (m/s^2): `n . (w_B x (w_B x b) - w_A x (w_A x a)) + |u|^2 / L`, n its direction and u the
    /// velocity of its ends against each other across it.
    pub fn curvature(&self, velocities: [Twist; 2]) -> Real {
        let length = self.gap.length();
        if length == 0.0 {
            return 0.0;
        }
        let n = self.gap / length;
        let [a, b] = [0, 1].map(|k| {
            let (u, arm) = (velocities[k], self.arms[k]);
            (u.at(arm), u.angular.cross(u.angular.cross(arm)))
        });
        let rate = b.0 - a.0;
        n.dot(b.1 - a.1) + (rate.length_squared() - n.dot(rate).powi(2)) / length
    }
}

impl ConstraintRow {
    /// `J u`: the rate of C at the velocities of A and B.
    pub fn rate(&self, velocities: [Twist; 2]) -> Real {
        self.jacobian.iter().zip(velocities).map(|(j, u)| j.linear.dot(u.linear) + j.angular.dot(u.angular)).sum()
    }
}

/// Bounds of a multiplier, as a force or torque (N, N m): a solver scales them by the step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RowLimits {
    /// Least force.
    pub lo: Real,
    /// Largest force.
    pub hi: Real,
}

impl RowLimits {
    /// Any force: a joint.
    pub const BILATERAL: Self = Self { lo: Real::NEG_INFINITY, hi: Real::INFINITY };
    /// Pushing only: a limit or a contact.
    pub const UNILATERAL: Self = Self { lo: 0.0, hi: Real::INFINITY };
}
