use drystone::World;
use drystone_core::{BodyIndex, BodyKind};
use drystone_geometry::Shape;
use drystone_math::{Real, Vec3};

/// The focal length in half heights of the picture, and the directions of the pages' first view: to the right of z, and from above.
const FOCUS: Real = 1.9;
const BACK: Vec3 = Vec3::new(0.458, 0.296, 0.838);
/// Bound on the picture's extent, as a multiple of the initial region's size: bodies that fly off count up to it.
const FAR: Real = 8.0;

/// A box around all that moves, or around all bounded bodies where nothing does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bounds {
    pub(crate) low: Vec3,
    pub(crate) high: Vec3,
}

impl Bounds {
    /// Of a world as it stands; of no size about the origin where there is nothing.
    pub(crate) fn of(world: &World) -> Self {
        let bodies = &world.configuration().bodies;
        let balls = || {
            bodies.iter().enumerate().filter_map(|(i, body)| {
                let pose = body.frame(&world.state().pose(BodyIndex::new(i)));
                let radius = body.shape.bounding_radius();
                let seen = radius.is_finite() && body.kind != BodyKind::Passive && !body.sensor;
                seen.then_some((body.kind != BodyKind::Fixed, pose.position, radius))
            })
        };
        let any_moves = balls().any(|(moves, ..)| moves);
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for (_, at, radius) in balls().filter(|(moves, ..)| *moves || !any_moves) {
            (low, high) = (low.min(at - radius), high.max(at + radius));
        }
        if low.is_finite() && high.is_finite() {
            Self { low, high }
        } else {
            Self { low: Vec3::ZERO, high: Vec3::ZERO }
        }
    }

    /// Half the diagonal (m).
    pub(crate) fn reach(&self) -> Real {
        (0.5 * self.high.distance(self.low)).max(1e-4)
    }

    fn within(self, other: Self) -> Self {
        Self { low: self.low.clamp(other.low, other.high), high: self.high.clamp(other.low, other.high) }
    }

    fn grown(self, by: Real) -> Self {
        Self { low: self.low - by, high: self.high + by }
    }
}

/// From where the picture is taken.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Camera {
    pub(crate) eye: Vec3,
    /// Distance from the middle of the visible region (m).
    pub(crate) away: Real,
    right: Vec3,
    up: Vec3,
    back: Vec3,
    aspect: Real,
}

impl Camera {
    /// A camera framing the final state, ignoring bodies that left the initial region.
    pub(crate) fn fitting(first: Bounds, last: Bounds, aspect: Real) -> Self {
        let seen = last.within(first.grown(FAR * 2.0 * first.reach()));
        let back = BACK.normalize();
        let right = Vec3::Y.cross(back).normalize();
        // the ball around it fits the smaller angle of view
        let away = 2.2 * seen.reach() * (1.15 / aspect).max(1.0);
        Self { eye: 0.5 * (seen.low + seen.high) + away * back, away, right, up: back.cross(right), back, aspect }
    }

    /// The unit direction through a place of the picture, from (0, 0) at the upper left to (1, 1).
    pub(crate) fn through(&self, x: Real, y: Real) -> Vec3 {
        let (u, v) = (2.0 * x - 1.0, 1.0 - 2.0 * y);
        (self.right * (u * self.aspect / FOCUS) + self.up * (v / FOCUS) - self.back).normalize()
    }
}

/// Returns true if a shape is a floor or a wall without end.
pub(crate) fn is_endless(shape: &Shape) -> bool {
    matches!(shape, Shape::Plane(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_of_the_picture_looks_at_the_middle_and_all_of_the_ball_is_in_sight() {
        let bounds = Bounds { low: Vec3::new(-1.0, 0.0, 2.0), high: Vec3::new(3.0, 5.0, 4.0) };
        for aspect in [0.5, 1.0, 1.6] {
            let camera = Camera::fitting(bounds, bounds, aspect);
            let middle = 0.5 * (bounds.low + bounds.high);
            assert!(camera.through(0.5, 0.5).dot((middle - camera.eye).normalize()) > 1.0 - 1e-12);
            // no ray through the edge meets the ball
            for k in 0..=20 {
                let t = Real::from(k) / 20.0;
                for (x, y) in [(t, 0.0), (t, 1.0), (0.0, t), (1.0, t)] {
                    let way = camera.through(x, y);
                    let off = (middle - camera.eye).reject_from_normalized(way).length();
                    assert!(off > 0.95 * bounds.reach(), "{aspect}: {off} of {}", bounds.reach());
                }
            }
        }
    }

    /// A thing a hundred times as large is seen from a hundred times as far, whatever flew off.
    #[test]
    fn a_larger_thing_is_seen_from_as_much_farther() {
        let box_of = |low: Real, high: Real| Bounds { low: Vec3::splat(low), high: Vec3::new(high, 2.0 * high, high) };
        let eye = |scale: Real| Camera::fitting(box_of(-scale, scale), box_of(-scale, 1e3 * scale), 1.6).eye / scale;
        for scale in [0.01, 100.0] {
            assert!(
                (eye(scale) / eye(1.0) - Vec3::ONE).length() < 1e-12,
                "{scale}: {} beside {}",
                eye(scale),
                eye(1.0)
            );
        }
    }

    #[test]
    fn what_flew_off_does_not_shrink_the_rest_to_a_point() {
        let first = Bounds { low: Vec3::NEG_ONE, high: Vec3::ONE };
        let far = Bounds { low: Vec3::NEG_ONE, high: Vec3::splat(1e9) };
        let camera = Camera::fitting(first, far, 1.6);
        assert!(camera.eye.length() < 200.0);
    }
}
