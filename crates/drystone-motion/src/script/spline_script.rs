use crate::script::{AngleSpline, Gaze, RotationSpline, SpacePath, Target, Turning, VelocitySpline};
use drystone_core::{ScriptedMotion, ScriptedState};
use drystone_math::{Pose, Quat, Real, Twist, Vec3};
use std::any::Any;

/// Orientation of a scripted body along its path.
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
    /// Along a spline of Euler angles.
    Angles(AngleSpline),
    /// Towards what it looks at.
    Gaze(Gaze),
}

impl Orientation {
    /// The orientation at a time; `place` is where the body is on its path, and `ahead` gives the point this far (m) ahead of it, each with two derivatives.
    fn evaluate(&self, t: Real, place: [Vec3; 3], ahead: impl Fn(Real) -> [Vec3; 3]) -> Turning {
        match self {
            Self::Fixed(q) => Turning { orientation: *q, velocity: Vec3::ZERO, acceleration: Vec3::ZERO },
            Self::Spin { start, velocity } => Turning {
                orientation: crate::rotate_finite(*start, *velocity, t),
                velocity: *velocity,
                acceleration: Vec3::ZERO,
            },
            Self::Spline(spline) => spline.evaluate(t),
            Self::Angles(spline) => spline.evaluate(t),
            Self::Gaze(gaze) => {
                let target = match gaze.target {
                    Target::Point(point) => [point, Vec3::ZERO, Vec3::ZERO],
                    Target::Ahead(by) => ahead(by),
                };
                gaze.turning([0, 1, 2].map(|k| target[k] - place[k]))
            }
        }
    }
}

/// Motion along a path in space, by a velocity spline: r(t) = C(U(s(t))).
///
/// # Source
/// M-01, M-02, M-05; thesis (3.2), (3.10)-(3.14): `v = C_s s'`, `a = C_ss s'^2 + C_s s''`, derivatives over arc length on the right.
#[derive(Debug, Clone, PartialEq)]
pub struct SplineScript {
    /// Path.
    pub path: SpacePath,
    /// When.
    pub progress: VelocitySpline,
    /// Orientation along the path.
    pub orientation: Orientation,
}

impl SplineScript {
    /// Corners of a box that holds the body frame's origin from one time to another (s): the basis of a swept volume. Assumes that arc length is monotone in
    /// between, as for a velocity spline whose points rise.
    pub fn bounds(&self, from: Real, to: Real) -> [Vec3; 2] {
        self.path.bounds(self.progress.evaluate(from).s, self.progress.evaluate(to).s)
    }
}

impl ScriptedMotion for SplineScript {
    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }

    fn evaluate(&self, t: Real) -> ScriptedState {
        let progress = self.progress.evaluate(t);
        let place = |s: Real| {
            let at = self.path.evaluate(s);
            let acceleration = at.curvature * (progress.speed * progress.speed) + at.tangent * progress.acceleration;
            [at.position, at.tangent * progress.speed, acceleration]
        };
        let here = place(progress.s);
        let turning = self.orientation.evaluate(t, here, |by| place(progress.s + by));
        let [position, velocity, acceleration] = here;
        ScriptedState {
            pose: Pose::new(position, turning.orientation),
            velocity: Twist::new(velocity, turning.velocity),
            acceleration: Twist::new(acceleration, turning.acceleration),
        }
    }
}
