use crate::candidate::Candidate;
use crate::reduction::Spot;
use crate::reference::Reference;
use drystone_core::Proximity;
use drystone_geometry::Cuboid;
use drystone_math::{Mat3, Pose, Real, Vec2, Vec3};
use smallvec::SmallVec;

/// Cosine of the angle up to which a normal belongs to a face.
const ALIGNED: Real = 0.995;

/// B's face is the reference only where it is better aligned by this cosine.
const PREFERENCE: Real = 1e-6;

/// A corner this far outside (part of the size) still counts as inside.
const CORNER: Real = 1e-5;

/// A corner of what both faces cover, in coordinates of the reference face.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Corner {
    /// Where it is in the plane of the face (m).
    at: Vec2,
    /// Where the other surface's point is along the axis, outwards (m).
    along: Real,
    /// Signed distance (m).
    separation: Real,
    /// Which features meet.
    key: u64,
}

/// The corners of a pair; no allocation up to 16.
pub(crate) type Corners = SmallVec<[Corner; 16]>;

impl Spot for Corner {
    #[inline]
    fn place(&self) -> Vec3 {
        self.at.extend(0.0)
    }

    #[inline]
    fn separation(&self) -> Real {
        self.separation
    }
}

/// The coordinates of a vector in turn for each axis, that along it last.
const TURNS: [[usize; 3]; 3] = [[1, 2, 0], [2, 0, 1], [0, 1, 2]];

/// A face of the reference box.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Face {
    pub reference: Reference,
    /// Coordinates of the box that are u, v and along the axis.
    turn: [usize; 3],
    /// Outwards along the axis.
    sign: Real,
    /// Where the plane is along the axis, outwards (m).
    level: Real,
}

impl Face {
    /// The normal in coordinates of the face, in which the box's frame may be mirrored.
    pub(crate) fn normal(&self) -> Vec3 {
        Vec3::Z * self.sign
    }

    /// A corner in the reference box's frame.
    #[inline]
    pub(crate) fn placed(&self, c: &Corner) -> Candidate {
        let point = |along: Real| {
            let mut p = [0.0; 3];
            p[self.turn[0]] = c.at.x;
            p[self.turn[1]] = c.at.y;
            p[self.turn[2]] = self.sign * along;
            Vec3::from_array(p)
        };
        Candidate { on_reference: point(self.level), on_other: point(c.along), separation: c.separation, key: c.key }
    }
}

/// The corners of what the faces of two boxes that meet both cover, no further apart than the envelope (m); none where no face meets the normal.
///
/// # Source
/// Thesis 6.3 (K-11): corners of both faces first; a crossing of two edges only where not both ends of one of them
/// are contacts already, and the ends of each lie on opposite sides of the other.
#[inline(always)]
pub(crate) fn cut(
    [a, b]: [&Cuboid; 2],
    [pose_a, pose_b]: [Pose; 2],
    proximity: &Proximity,
    envelope: Real,
    out: &mut Corners,
) -> Option<Face> {
    let n_a = pose_a.local_direction(proximity.normal);
    let n_b = pose_b.local_direction(-proximity.normal);
    let (best_a, best_b) = (n_a.abs().max_element(), n_b.abs().max_element());
    if best_a.max(best_b) < ALIGNED {
        return None;
    }
    let is_b = best_b > best_a + PREFERENCE;
    let (h, g, n, other) = if is_b {
        (b.half_extents(), a.half_extents(), n_b, pose_a.relative_to(&pose_b))
    } else {
        (a.half_extents(), b.half_extents(), n_a, pose_b.relative_to(&pose_a))
    };
    let axis = largest(n.to_array());
    let sign = 1.0_f64.copysign(n[axis]);
    let mut normal = Vec3::ZERO;
    normal[axis] = sign;
    let reference = Reference { is_b, normal, on_edges: false, other, noise: 1e-6 * h.max_element() };
    let turn = TURNS[axis];
    let [u, v, along] = turn.map(|k| h.to_array()[k]);
    let face = Face { reference, turn, sign, level: along };
    let key = u64::from(is_b) << 40 | (axis as u64) << 36 | u64::from(sign < 0.0) << 35;
    let tolerance = CORNER * h.max_element().max(g.max_element());
    let facing = Facing::new(&face, g, key);
    facing.collect(Vec2::new(u, v), tolerance, &mut Found { out, envelope, at: SmallVec::new() });
    Some(face)
}

/// The place of the number of largest size, the first of equals but for the last two.
#[inline]
fn largest(c: [Real; 3]) -> usize {
    let [x, y, z] = c.map(Real::abs);
    if x >= y && x >= z { 0 } else { 1 + usize::from(z > y) }
}

/// A bit for each of four that passes a test.
#[inline(always)]
fn marks(test: impl Fn(usize) -> bool) -> u32 {
    (0..4).fold(0, |marks, i| marks | u32::from(test(i)) << i)
}

/// The places of the bits that are set.
#[inline(always)]
fn places(mut marks: u32) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        let place = marks.trailing_zeros() as usize;
        let any = marks != 0;
        marks &= marks.wrapping_sub(1);
        any.then_some(place)
    })
}

/// The corners so far.
struct Found<'a> {
    out: &'a mut Corners,
    /// What is further apart is left out (m).
    envelope: Real,
    /// (u, v) of all that were found, left out or not.
    at: SmallVec<[Vec2; 16]>,
}

impl Found<'_> {
    /// Whether something was found at `(u, v)` already.
    #[inline(always)]
    fn holds(&self, x: Vec2, tolerance: Real) -> bool {
        self.at.iter().any(|at| (at.x - x.x).abs() <= tolerance && (at.y - x.y).abs() <= tolerance)
    }

    #[inline(always)]
    fn push(&mut self, corner: Corner) {
        self.at.push(corner.at);
        if corner.separation <= self.envelope {
            self.out.push(corner);
        }
    }
}

/// The other box's face opposite, by its four corners: coordinates (u, v) in the plane of the reference face, along its axis, and heights above it. What is asked of
/// four corners or edges is asked of all of them before anything depends on it.
struct Facing {
    u: [Real; 4],
    v: [Real; 4],
    along: [Real; 4],
    height: [Real; 4],
    /// Where the plane is along the axis, outwards (m).
    level: Real,
    /// Height of the face: `slope . (u, v) + base`.
    slope: Vec2,
    base: Real,
    key: u64,
}

impl Facing {
    /// The face of a box with half extents `g` that is turned most against the reference face.
    #[inline(always)]
    fn new(face: &Face, g: Vec3, key: u64) -> Self {
        let other = &face.reference.other;
        let m = Mat3::from_quat(other.orientation);
        // rows of the other box's axes, and its middle, in coordinates of the face
        let rows = [
            [m.x_axis.x, m.y_axis.x, m.z_axis.x],
            [m.x_axis.y, m.y_axis.y, m.z_axis.y],
            [m.x_axis.z, m.y_axis.z, m.z_axis.z],
        ];
        let [u, v, along] = face.turn.map(|k| rows[k]);
        let along = along.map(|x| x * face.sign);
        let [mut at_u, mut at_v, mut at] = face.turn.map(|k| other.position.to_array()[k]);
        at *= face.sign;
        let j = largest(along);
        let [j1, j2, _] = TURNS[j];
        let g = g.to_array();
        let out = g[j].copysign(along[j]);
        at_u -= u[j] * out;
        at_v -= v[j] * out;
        at -= along[j] * out;
        // middle + x + y, - x + y, - x - y, + x - y
        let corners = |middle: Real, row: &[Real; 3]| {
            let (x, y) = (row[j1] * g[j1], row[j2] * g[j2]);
            [middle + x + y, middle - x + y, middle - x - y, middle + x - y]
        };
        let (u4, v4, along4) = (corners(at_u, &u), corners(at_v, &v), corners(at, &along));
        let height = along4.map(|z| z - face.level);
        let slope = Vec2::new(u[j], v[j]) * (-1.0 / along[j]);
        Self {
            base: height[0] - slope.dot(Vec2::new(u4[0], v4[0])),
            u: u4,
            v: v4,
            along: along4,
            height,
            level: face.level,
            slope,
            key: key | (j as u64) << 33 | u64::from(along[j] < 0.0) << 32,
        }
    }

    #[inline(always)]
    fn corner(&self, i: usize) -> Vec2 {
        Vec2::new(self.u[i], self.v[i])
    }

    /// Finds the corners of what the face and a rectangle with half sides `h` both cover.
    #[inline(always)]
    fn collect(&self, h: Vec2, tolerance: Real, found: &mut Found<'_>) {
        // corners of the face over the rectangle
        let inside = marks(|i| (self.u[i].abs() - h.x <= tolerance) & (self.v[i].abs() - h.y <= tolerance));
        for i in places(inside) {
            let (separation, key) = (self.height[i], self.key | i as u64);
            found.push(Corner { at: self.corner(i), along: self.along[i], separation, key });
        }
        if inside == 0b1111 {
            return;
        }

        // corners of the rectangle under the face, where no corner is already
        let rectangle = ([h.x, -h.x, -h.x, h.x], [h.y, h.y, -h.y, -h.y]);
        let covered = self.covers(&rectangle, tolerance);
        for m in places(covered) {
            let (x, y) = (rectangle.0[m], rectangle.1[m]);
            let near =
                marks(|i| ((self.u[i] - x).abs() <= 2.0 * tolerance) & ((self.v[i] - y).abs() <= 2.0 * tolerance));
            if near & inside == 0 {
                let at = Vec2::new(x, y);
                let separation = self.slope.dot(at) + self.base;
                found.push(Corner { at, along: self.level + separation, separation, key: self.key | (4 + m as u64) });
            }
        }
        if covered == 0b1111 {
            return;
        }
        self.cross(h, (inside, covered), tolerance, found);
    }

    /// Which of four points lie within the face.
    #[inline(always)]
    fn covers(&self, (u, v): &([Real; 4], [Real; 4]), tolerance: Real) -> u32 {
        let edge = |i: usize| self.corner((i + 1) % 4) - self.corner(i);
        let turn = 1.0_f64.copysign(edge(0).perp_dot(edge(1)));
        let mut within = [true; 4];
        for i in 0..4 {
            let edge = edge(i);
            let slack = tolerance * edge.length();
            for m in 0..4 {
                let reach = turn * (edge.x * (v[m] - self.v[i]) - edge.y * (u[m] - self.u[i])) + slack;
                within[m] &= reach >= 0.0;
            }
        }
        marks(|m| within[m])
    }

    /// Finds the crossings of an edge of the face with a side of the rectangle, but of edges and sides with both ends found.
    #[inline(always)]
    fn cross(&self, h: Vec2, (inside, covered): (u32, u32), tolerance: Real, found: &mut Found<'_>) {
        // sides u = +h, v = +h, u = -h, v = -h; the ends of a side are corners `side - 1` and `side` of the rectangle
        let (u, v) = (&self.u, &self.v);
        let sides = [(u, v, h.x, h.y), (v, u, h.y, h.x), (u, v, -h.x, h.y), (v, u, -h.y, h.x)];
        let crossings = sides.map(|(across, along, wall, half)| {
            let off = across.map(|x| x - wall);
            let next = [off[1], off[2], off[3], off[0]];
            let ends = [along[1], along[2], along[3], along[0]];
            let part: [Real; 4] = core::array::from_fn(|i| off[i] / (off[i] - next[i]));
            let at: [Real; 4] = core::array::from_fn(|i| along[i] * (1.0 - part[i]) + ends[i] * part[i]);
            (part, marks(|i| (off[i] * next[i] < 0.0) & (at[i].abs() < half)))
        });
        let both = |marks: u32| marks & (marks >> 1 | marks << 3) & 0b1111;
        let (inside, covered) = (both(inside), both(covered) << 1);
        let covered = covered | covered >> 4;
        for i in places(!inside & 0b1111) {
            for side in places(marks(|side| crossings[side].1 >> i & 1 == 1) & !covered) {
                let (j, t) = ((i + 1) % 4, crossings[side].0[i]);
                let at = self.corner(i).lerp(self.corner(j), t);
                if found.holds(at, 2.0 * tolerance) {
                    continue;
                }
                found.push(Corner {
                    at,
                    along: self.along[i] * (1.0 - t) + self.along[j] * t,
                    separation: self.height[i] + t * (self.height[j] - self.height[i]),
                    key: self.key | (8 + 4 * i + side) as u64,
                });
            }
        }
    }
}
