use crate::script::{RotationSpline, SpacePath, Turning, VelocitySpline};
use drystone_core::{ScriptedMotion, ScriptedState};
use drystone_math::{Pose, Quat, Real, Twist, Vec3};

/// How a scripted body turns.
#[derive(Debug, Clone, PartialEq)]
pub enum Orientation {
    /// Not at all.
    Fixed(Quat),
    /// At a constant rate about a world axis.
    Spin {
        /// Orientation at time zero.
        start: Quat,
        /// Angular velocity, world frame (rad/s).
        velocity: Vec3,
    },
    /// Along a rotation spline.
    Spline(RotationSpline),
}

impl Orientation {
    fn evaluate(&self, t: Real) -> Turning {
        match self {
            Self::Fixed(q) => Turning { orientation: *q, velocity: Vec3::ZERO, acceleration: Vec3::ZERO },
            Self::Spin { start, velocity } => Turning {
                orientation: crate::rotate_finite(*start, *velocity, t),
                velocity: *velocity,
                acceleration: Vec3::ZERO,
            },
            Self::Spline(spline) => spline.evaluate(t),
        }
    }
}

/// Motion along a path in space, by a velocity spline: r(t) = C(U(s(t))).
///
/// # Source
/// M-01, M-02, M-05; thesis (3.2), (3.10)-(3.14): `v = C_s s'`, `a = C_ss s'^2 + C_s s''`, derivatives over arc length on the right.
#[derive(Debug, Clone, PartialEq)]
pub struct SplineScript {
    /// Where.
    pub path: SpacePath,
    /// When.
    pub progress: VelocitySpline,
    /// How it turns.
    pub orientation: Orientation,
}

impl SplineScript {
    /// Corners of a box that holds the body frame's origin from one time to another (s): what a swept volume is grown from. Takes
    /// arc length to be monotone in between, as for a velocity spline whose points rise.
    pub fn bounds(&self, from: Real, to: Real) -> [Vec3; 2] {
        self.path.bounds(self.progress.evaluate(from).s, self.progress.evaluate(to).s)
    }
}

impl ScriptedMotion for SplineScript {
    fn evaluate(&self, t: Real) -> ScriptedState {
        let progress = self.progress.evaluate(t);
        let at = self.path.evaluate(progress.s);
        let turning = self.orientation.evaluate(t);
        let acceleration = at.curvature * (progress.speed * progress.speed) + at.tangent * progress.acceleration;
        ScriptedState {
            pose: Pose::new(at.position, turning.orientation),
            velocity: Twist::new(at.tangent * progress.speed, turning.velocity),
            acceleration: Twist::new(acceleration, turning.acceleration),
        }
    }
}
