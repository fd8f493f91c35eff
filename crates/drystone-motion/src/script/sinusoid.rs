use drystone_core::{ScriptedMotion, ScriptedState};
use drystone_math::elementary::sin_cos;
use drystone_math::{Pose, Real, Twist, Vec3};
use std::any::Any;
use std::f64::consts::TAU;

/// Shaking: a body swings about a pose, along a line and about an axis, in step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sinusoid {
    /// Body frame in the middle of the swing.
    pub middle: Pose,
    /// Largest displacement from the middle, world frame (m).
    pub travel: Vec3,
    /// Largest turn from the middle, a rotation vector in the world frame (rad).
    pub turn: Vec3,
    /// Swings per second (Hz).
    pub frequency: Real,
    /// Phase at time zero (rad).
    pub phase: Real,
}

impl ScriptedMotion for Sinusoid {
    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }

    fn evaluate(&self, t: Real) -> ScriptedState {
        let rate = TAU * self.frequency;
        let (sine, cosine) = sin_cos(rate * t + self.phase);
        // the turn stays on one axis: its rates are those of the angle
        let (first, second) = (rate * cosine, -rate * rate * sine);
        ScriptedState {
            pose: Pose::new(
                self.middle.position + self.travel * sine,
                crate::rotate_finite(self.middle.orientation, self.turn, sine),
            ),
            velocity: Twist::new(self.travel * first, self.turn * first),
            acceleration: Twist::new(self.travel * second, self.turn * second),
        }
    }
}
