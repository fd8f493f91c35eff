use crate::rotate_finite;
use crate::script::error::rising;
use crate::script::{CubicSpline, RotationSpline, ScriptError};
use drystone_core::{ScriptedMotion, ScriptedState};
use drystone_math::elementary::rotation_vector;
use drystone_math::{Pose, Quat, Real, Twist, Vec3};
use std::any::Any;

/// A pose at a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Key {
    /// Time (s).
    pub time: Real,
    /// Body frame in the world.
    pub pose: Pose,
}

/// Twice continuously differentiable motion through keys: a natural cubic spline for the place, a rotation spline for the
/// orientation. Before the first and after the last key the body rests.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyFrames {
    place: CubicSpline<Vec3>,
    turning: RotationSpline,
}

impl KeyFrames {
    /// Through keys at rising times.
    ///
    /// # Errors
    /// [`ScriptError`] for fewer than two keys, times that do not rise, poses that are not finite, and orientations too far apart.
    pub fn new(keys: &[Key]) -> Result<Self, ScriptError> {
        let times: Vec<Real> = keys.iter().map(|k| k.time).collect();
        let places: Vec<Vec3> = keys.iter().map(|k| k.pose.position).collect();
        let orientations: Vec<Quat> = keys.iter().map(|k| k.pose.orientation).collect();
        Ok(Self {
            place: CubicSpline::through(&times, &places)?,
            turning: RotationSpline::through(&times, &orientations)?,
        })
    }
}

impl KeyFrames {
    /// The poses that it goes through.
    pub fn keys(&self) -> Vec<Key> {
        let (places, times) = self.place.given();
        let poses = places.iter().zip(self.turning.given().1).map(|(p, q)| Pose::new(*p, *q));
        times.iter().zip(poses).map(|(time, pose)| Key { time: *time, pose }).collect()
    }
}

impl ScriptedMotion for KeyFrames {
    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }

    fn evaluate(&self, t: Real) -> ScriptedState {
        let [place, mut v, mut a] = self.place.evaluate(t);
        let [first, last] = self.place.range();
        if t < first || t > last {
            (v, a) = (Vec3::ZERO, Vec3::ZERO);
        }
        let turning = self.turning.evaluate(t);
        ScriptedState {
            pose: Pose::new(place, turning.orientation),
            velocity: Twist::new(v, turning.velocity),
            acceleration: Twist::new(a, turning.acceleration),
        }
    }
}

/// Keys joined by straight lines and great arcs, with the velocities of these and no acceleration: the splines are measured against it.
///
/// # Source
/// M-03; thesis Ch. 3: simple, but storage is linear in the keys and sampling shows.
#[derive(Debug, Clone, PartialEq)]
pub struct FiniteDifferences {
    keys: Vec<Key>,
}

impl FiniteDifferences {
    /// Keys at rising times.
    ///
    /// # Errors
    /// [`ScriptError`] for fewer than two keys, times that do not rise, or poses that are not finite.
    pub fn new(keys: &[Key]) -> Result<Self, ScriptError> {
        if keys.len() < 2 {
            return Err(ScriptError::Count { what: "keys", found: keys.len(), needed: "at least 2" });
        }
        rising("time", keys.iter().map(|k| k.time))?;
        let bad = keys.iter().position(|k| !(k.pose.is_finite() && k.pose.orientation.length_squared() > 0.0));
        if let Some(index) = bad {
            return Err(ScriptError::NonFinite { what: "key", index });
        }
        let unit = |k: &Key| Key { time: k.time, pose: Pose::new(k.pose.position, k.pose.orientation.normalize()) };
        Ok(Self { keys: keys.iter().map(unit).collect() })
    }
}

impl ScriptedMotion for FiniteDifferences {
    fn evaluate(&self, t: Real) -> ScriptedState {
        let i = self.keys.partition_point(|k| k.time <= t).clamp(1, self.keys.len() - 1) - 1;
        let (from, to) = (&self.keys[i], &self.keys[i + 1]);
        let h = to.time - from.time;
        let along = ((t - from.time) / h).clamp(0.0, 1.0);
        let turn = (to.pose.orientation * from.pose.orientation.conjugate()).normalize();
        let vector = rotation_vector(if turn.w < 0.0 { -turn } else { turn });
        let resting = t < from.time || t > to.time;
        let velocity = Twist::new((to.pose.position - from.pose.position) / h, vector / h);
        ScriptedState {
            pose: Pose::new(
                from.pose.position.lerp(to.pose.position, along),
                rotate_finite(from.pose.orientation, vector, along),
            ),
            velocity: if resting { Twist::ZERO } else { velocity },
            acceleration: Twist::ZERO,
        }
    }
}
