use crate::candidate::Candidate;
use crate::corners::Corners;
use crate::reference::Reference;
use drystone_core::Proximity;
use drystone_geometry::Cuboid;
use drystone_math::{Pose, Real, Vec2, Vec3};

/// Cosine of the angle up to which a normal belongs to a face.
const ALIGNED: Real = 0.995;

/// B's face is the reference only where it is better aligned by this cosine.
const PREFERENCE: Real = 1e-6;

/// A corner this far outside (part of the size) still counts as inside.
const CORNER: Real = 1e-5;

/// A face of one of two boxes that meet, the reference box, and the other box.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Face {
    pub reference: Reference,
    /// The box's axis that it is square to.
    pub axis: usize,
    /// Outwards along the axis.
    pub sign: Real,
    /// Where the plane is along the axis, outwards (m).
    pub level: Real,
    /// Half the sides of the face (m).
    pub half: Vec2,
    /// Half extents of the other box (m).
    pub other: Vec3,
    /// What counts as nothing in the plane of the face (m).
    pub tolerance: Real,
    /// What the names of all corners begin with.
    pub key: u64,
}

impl Face {
    /// The face that two boxes meet at, if one meets the normal: of the box that is better aligned.
    #[inline(always)]
    pub(crate) fn of([a, b]: [&Cuboid; 2], [pose_a, pose_b]: [Pose; 2], proximity: &Proximity) -> Option<Self> {
        let n_a = pose_a.local_direction(proximity.normal);
        let n_b = pose_b.local_direction(-proximity.normal);
        let (best_a, best_b) = (n_a.abs().max_element(), n_b.abs().max_element());
        if best_a.max(best_b) < ALIGNED {
            return None;
        }
        let is_b = best_b > best_a + PREFERENCE;
        let (h, other, n, pose, pose_other) = if is_b {
            (b.half_extents(), a.half_extents(), n_b, pose_b, pose_a)
        } else {
            (a.half_extents(), b.half_extents(), n_a, pose_a, pose_b)
        };
        let axis = largest(n.to_array());
        let sign = 1.0_f64.copysign(turned(n.to_array(), axis)[2]);
        let normal = turned_back([0.0, 0.0, sign], axis);
        let seen = pose_other.relative_to(&pose);
        let [u, v, level] = turned(h.to_array(), axis);
        Some(Self {
            reference: Reference { is_b, normal, on_edges: false, other: seen, noise: 1e-6 * h.max_element() },
            axis,
            sign,
            level,
            half: Vec2::new(u, v),
            other,
            tolerance: CORNER * h.max_element().max(other.max_element()),
            key: u64::from(is_b) << 40 | (axis as u64) << 36 | u64::from(sign < 0.0) << 35,
        })
    }

    /// The normal in coordinates of the face, in which the box's frame may be mirrored.
    pub(crate) fn normal(&self) -> Vec3 {
        Vec3::Z * self.sign
    }

    /// A corner in the reference box's frame.
    #[inline(always)]
    pub(crate) fn placed(&self, corners: &Corners, place: usize) -> Candidate {
        let (u, v) = (corners.u[place], corners.v[place]);
        let point = |along: Real| turned_back([u, v, self.sign * along], self.axis);
        Candidate {
            on_reference: point(self.level),
            on_other: point(corners.along[place]),
            separation: corners.separation[place],
            key: corners.key(place),
        }
    }
}

/// The place of the number of largest size, the first of equals but for the last two.
#[inline(always)]
pub(crate) fn largest(c: [Real; 3]) -> usize {
    let [x, y, z] = [c[0].abs(), c[1].abs(), c[2].abs()];
    if x >= y && x >= z { 0 } else { 1 + usize::from(z > y) }
}

/// Which of a vector's coordinates are u, v and along for each axis: in turn, that along it last.
const TURNS: [[usize; 3]; 3] = [[1, 2, 0], [2, 0, 1], [0, 1, 2]];

/// The reverse: which of u, v and along are x, y and z.
const BACK: [[usize; 3]; 3] = [[2, 0, 1], [1, 2, 0], [0, 1, 2]];

/// Coordinates of a vector in the order u, v, along. Read by their number: a branch on the axis would be guessed wrong.
#[inline(always)]
pub(crate) fn turned(c: [Real; 3], axis: usize) -> [Real; 3] {
    let [u, v, along] = TURNS[axis];
    [c[u], c[v], c[along]]
}

/// The reverse.
#[inline(always)]
fn turned_back(c: [Real; 3], axis: usize) -> Vec3 {
    let [x, y, z] = BACK[axis];
    Vec3::new(c[x], c[y], c[z])
}
