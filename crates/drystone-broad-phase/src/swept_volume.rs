use drystone_geometry::Aabb;
use drystone_math::{Real, Twist, Vec3};

/// Bounds on a body's motion known in advance: constant acceleration and bounded angular speed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BallisticMotion {
    /// Centre of mass now, world frame (m).
    pub center: Vec3,
    /// Velocity now.
    pub velocity: Twist,
    /// Acceleration of the centre (m/s^2): gravity for a body in flight.
    pub acceleration: Vec3,
    /// Radius of a ball about the centre that holds the body (m); may be infinite.
    pub radius: Real,
}

impl BallisticMotion {
    /// A box that the body, now within `now`, does not leave for `look_ahead` seconds.
    ///
    /// The centre's path is a parabola: its bounds on an axis are those of its ends and of its vertex. However the body
    /// turns at its angular speed, each of its points, seen from the centre, stays within `|w| radius look_ahead` of
    /// where it was, and within the ball. For a body whose angular speed may grow (an asymmetric top),
    /// `velocity.angular` must be a bound on it.
    ///
    /// # Source
    /// I-07, I-08; Mirtich and Canny 1995; Lennerz, Schömer and Warken 1999, section 3.1: "the ballistic assumption".
    pub fn swept_box(&self, now: &Aabb, look_ahead: Real) -> Aabb {
        let (mut lo, mut hi) = (Vec3::ZERO, Vec3::ZERO);
        for k in 0..3 {
            let (v, a) = (self.velocity.linear[k], self.acceleration[k]);
            let at = |t: Real| t * (v + 0.5 * a * t);
            let vertex = -v / a;
            for t in [look_ahead, vertex] {
                if t > 0.0 && t <= look_ahead {
                    lo[k] = lo[k].min(at(t));
                    hi[k] = hi[k].max(at(t));
                }
            }
        }
        // turning: no farther than the chord, and never out of the ball
        let angle = self.velocity.angular.length() * look_ahead;
        let turned = if angle > 0.0 { now.grown((angle * self.radius).min(2.0 * self.radius)) } else { *now };
        let ball = Aabb::from_center(self.center, Vec3::splat(self.radius));
        let shape = Aabb::new(turned.min.max(ball.min.min(now.min)), turned.max.min(ball.max.max(now.max)));
        Aabb::new(shape.min + lo, shape.max + hi)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_geometry::Shape;
    use drystone_math::{Pose, Quat};
    use drystone_testkit::Random;

    #[test]
    fn a_thrown_turning_box_never_leaves_its_swept_box() {
        // I-07, I-08: over an interval
        let shape = Shape::cuboid(0.5, 0.1, 0.3).unwrap();
        let mut r = Random::new(1);
        for _ in 0..200 {
            let start = Pose::new(r.vector(3.0), r.rotation());
            let velocity = Twist::new(r.vector(5.0), r.vector(8.0));
            let motion = BallisticMotion {
                center: start.position,
                velocity,
                acceleration: Vec3::NEG_Y * 9.81,
                radius: shape.bounding_radius(),
            };
            let look_ahead = r.range(0.01, 1.0);
            let swept = motion.swept_box(&shape.aabb(&start), look_ahead).grown(1e-12);
            for i in 0..=50 {
                let t = look_ahead * f64::from(i) / 50.0;
                let turn = Quat::from_scaled_axis(velocity.angular * t);
                let position = start.position + velocity.linear * t + motion.acceleration * (0.5 * t * t);
                let now = shape.aabb(&Pose::new(position, turn * start.orientation));
                assert!(swept.contains(&now), "{swept:?} does not hold {now:?}");
            }
        }
    }

    #[test]
    fn a_body_at_rest_without_weight_keeps_its_box() {
        // I-08: at an instant
        let now = Aabb::new(Vec3::NEG_INFINITY, Vec3::new(Real::INFINITY, 0.0, Real::INFINITY));
        let motion = BallisticMotion {
            center: Vec3::ZERO,
            velocity: Twist::ZERO,
            acceleration: Vec3::ZERO,
            radius: Real::INFINITY,
        };
        assert_eq!(motion.swept_box(&now, 1.0), now);
    }
}
