//! A joint of one's own, from outside: a screw that couples the way along an axis to the turn about it.
//!
//! Only `drystone-core` and `drystone-math` are needed; a configuration takes the boxed source as it takes the built-in ones.

use drystone_core::{BodyFrame, ConstraintRow, ConstraintSource, Joint, JointError, RowLimits, Softness};
use drystone_math::{Pose, Quat, Real, Twist, Vec3};

/// Moves by `pitch` metres a turn along the world axis `axis`, on which both centres of mass lie.
struct Screw {
    axis: Vec3,
    pitch: Real,
}

impl Screw {
    /// C = x - pitch theta / 2 pi, for the offset x along the axis and the turn theta about it.
    fn error(&self, a: &Pose, b: &Pose) -> Real {
        let turn = b.orientation * a.orientation.conjugate();
        let theta = 2.0 * turn.xyz().dot(self.axis).atan2(turn.w);
        self.axis.dot(b.position - a.position) - self.per_radian() * theta
    }

    fn per_radian(&self) -> Real {
        self.pitch / std::f64::consts::TAU
    }
}

impl ConstraintSource for Screw {
    fn kind(&self) -> &'static str {
        "screw"
    }

    fn rows(&self, [a, b]: [&BodyFrame; 2], _memory: &[Real], rows: &mut Vec<ConstraintRow>) {
        // dC/dt = s . (v_B - v_A) - p s . (w_B - w_A)
        let gradient = Twist::new(self.axis, -self.axis * self.per_radian());
        rows.push(ConstraintRow {
            jacobian: [-gradient, gradient],
            target: 0.0,
            error: self.error(&a.pose, &b.pose),
            curvature: 0.0,
            limits: RowLimits::BILATERAL,
            softness: Softness::Fixed { erp: 0.2, cfm: 0.0 },
            restitution: 0.0,
            correctable: true,
            line: None,
        });
    }

    fn error(&self, [a, b]: [&BodyFrame; 2], _memory: &[Real]) -> JointError {
        JointError { linear: Screw::error(self, &a.pose, &b.pose).abs(), angular: 0.0 }
    }
}

fn main() {
    let screw = Screw { axis: Vec3::Y, pitch: 0.01 };
    let nut = BodyFrame { pose: Pose::IDENTITY, velocity: Twist::ZERO };
    let turn = 0.5;
    let bolt = Pose::new(Vec3::Y * (0.01 * turn / std::f64::consts::TAU), Quat::from_rotation_y(turn));
    let bolt = BodyFrame { pose: bolt, velocity: Twist::ZERO };

    let joint = Joint::new([None, None], Box::new(screw));
    let mut rows = Vec::new();
    joint.source.rows([&nut, &bolt], &[], &mut rows);
    println!("{}: {} row, off by {:.1e} m", joint.source.kind(), rows.len(), rows[0].error);
    println!("turning at 1 rad/s asks for {:.3} mm/s", -1e3 * rows[0].jacobian[1].angular.y);
}
