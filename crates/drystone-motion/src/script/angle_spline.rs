use crate::script::{CubicSpline, ScriptError, Turning};
use drystone_math::{Quat, Real, Vec3};

/// A twice continuously differentiable curve of orientations through Euler angles: three numbers, each interpolated separately.
///
/// The angles (rad) turn about the body's own z, then its new y, then its new x axis (yaw, pitch, roll): `q = q_z(a_0) q_y(a_1) q_x(a_2)`. They are taken as
/// they stand: a full turn between two keys is a full turn. Unlike [`super::RotationSpline`], the curve depends on the axes, and near a pitch of a quarter turn
/// it takes detours. Like that one it is twice differentiable, so that angular velocity and acceleration exist and are continuous.
///
/// # Source
/// M-14; thesis 3.5, which names Euler-angle splines as one of three ways, and (3.50)-(3.53) for what is wanted of them. The derivatives are those of the three factors, each carried by those before it.
#[derive(Debug, Clone, PartialEq)]
pub struct AngleSpline(CubicSpline<Vec3>);

impl AngleSpline {
    /// Through angles (rad; yaw, pitch, roll) at rising times (s), with zero acceleration of the angles at both ends.
    ///
    /// # Errors
    /// [`ScriptError`] for fewer than two keys, unequal counts, times that do not rise, and numbers that are not finite.
    pub fn through(times: &[Real], angles: &[Vec3]) -> Result<Self, ScriptError> {
        if let Some(index) = times.iter().position(|t| !t.is_finite()) {
            return Err(ScriptError::NonFinite { what: "time", index });
        }
        CubicSpline::through(times, angles).map(Self)
    }

    /// The times (s) and angles (rad) that it goes through.
    pub fn given(&self) -> (&[Real], &[Vec3]) {
        let (angles, times) = self.0.given();
        (times, angles)
    }

    /// First and last time (s).
    pub fn times(&self) -> [Real; 2] {
        self.0.range()
    }

    /// Orientation, angular velocity and angular acceleration at time `t` (s). Before the first and after the last key the body rests.
    pub fn evaluate(&self, t: Real) -> Turning {
        let [first, last] = self.times();
        let [angle, mut rate, mut second] = self.0.evaluate(t);
        if t < first || t > last {
            (rate, second) = (Vec3::ZERO, Vec3::ZERO);
        }
        let mut turning = Turning { orientation: Quat::IDENTITY, velocity: Vec3::ZERO, acceleration: Vec3::ZERO };
        for (k, axis) in [Vec3::Z, Vec3::Y, Vec3::X].into_iter().enumerate() {
            let carried = turning.orientation * axis;
            // the earlier factors turn the axis of this one
            turning.acceleration += carried * second[k] + turning.velocity.cross(carried) * rate[k];
            turning.velocity += carried * rate[k];
            turning.orientation = crate::rotate_finite(turning.orientation, carried * angle[k], 1.0);
        }
        turning.orientation = turning.orientation.normalize();
        turning
    }
}
