use super::Turning;
use drystone_math::{Mat3, Quat, Real, Vec3};

/// Turns a body so that its x axis looks at a point and its y axis stands as far up as that allows: the centre of interest and the view-up of animation.
///
/// The orientation follows from the positions of the body and the point, and angular velocity and acceleration from their derivatives: it is differentiable as
/// often as the path. If the body looks along the up vector, no orientation is upright: the one next to it by an arbitrary side is taken there, without rates. If the point is where the body is, the orientation is
/// the identity, without rates.
///
/// # Source
/// M-14; thesis 3.5, which names both beside splines of quaternions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gaze {
    /// Target of the gaze.
    pub target: Target,
    /// Up direction, of any length above zero.
    pub up: Vec3,
}

/// Target that a body looks at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Target {
    /// A point that stays where it is (m).
    Point(Vec3),
    /// A point on its own path, this far ahead (m of arc length, above zero).
    Ahead(Real),
}

/// A vector and its first two derivatives by time.
type Course = [Vec3; 3];

/// Lengths, and sines of angles to the up vector, below this count as zero.
const NONE: Real = 1e-9;

impl Gaze {
    /// The orientation for this vector from the body to the target, and how it changes.
    pub(super) fn turning(&self, to_target: Course) -> Turning {
        let up = self.up.normalize_or(Vec3::Y);
        let Some(forward) = unit(to_target) else {
            return Turning { orientation: Quat::IDENTITY, velocity: Vec3::ZERO, acceleration: Vec3::ZERO };
        };
        let Some(side) = unit(forward.map(|f| f.cross(up))) else {
            let side = forward[0].any_orthonormal_vector();
            let orientation = Quat::from_mat3(&Mat3::from_cols(forward[0], side.cross(forward[0]), side));
            return Turning { orientation, velocity: Vec3::ZERO, acceleration: Vec3::ZERO };
        };
        let above = [
            side[0].cross(forward[0]),
            side[1].cross(forward[0]) + side[0].cross(forward[1]),
            side[2].cross(forward[0]) + side[1].cross(forward[1]) * 2.0 + side[0].cross(forward[2]),
        ];
        // e' = w x e and e'' = a x e + w x (w x e) of all three axes
        let axes = [forward, above, side];
        let half_sum = |k: usize| axes.iter().map(|e| e[0].cross(e[k])).fold(Vec3::ZERO, |sum, c| sum + c) * 0.5;
        Turning {
            orientation: Quat::from_mat3(&Mat3::from_cols(forward[0], above[0], side[0])).normalize(),
            velocity: half_sum(1),
            acceleration: half_sum(2),
        }
    }
}

/// The direction of a vector, with its derivatives; `None` if it has none.
fn unit([d, first, second]: Course) -> Option<Course> {
    let length = d.length();
    if length <= NONE {
        return None;
    }
    let e = d / length;
    let rate = e.dot(first);
    let turned = (first - e * rate) / length;
    let bend = turned.dot(first) + e.dot(second);
    Some([e, turned, (second - e * bend - turned * (2.0 * rate)) / length])
}
