use crate::box_box::{Face, largest, turned};
use crate::corners::{CROSSINGS, Corners, MOST, near, places};
use drystone_math::{Mat3, Real, Vec2};

/// The face of the other box that is turned most against a reference face, by its four corners: coordinates (u, v) in the plane of the reference face, along its
/// axis, and heights above it. What is asked of four corners or edges is asked of all of them before anything depends on it.
pub(crate) struct Facing {
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

/// A bit for each of four that passes a test.
#[inline(always)]
fn marks(test: impl Fn(usize) -> bool) -> u32 {
    let bit = |i: usize| u32::from(test(i)) << i;
    bit(0) | bit(1) | bit(2) | bit(3)
}

/// Four numbers one by one.
#[inline(always)]
fn four(of: impl Fn(usize) -> Real) -> [Real; 4] {
    [of(0), of(1), of(2), of(3)]
}

impl Facing {
    /// The face opposite a reference face.
    #[inline(always)]
    pub(crate) fn new(face: &Face) -> Self {
        let other = &face.reference.other;
        let m = Mat3::from_quat(other.orientation);
        // the other box's axes, and its middle, in coordinates of the face
        let [x, y, z] = [
            turned(m.x_axis.to_array(), face.axis),
            turned(m.y_axis.to_array(), face.axis),
            turned(m.z_axis.to_array(), face.axis),
        ];
        let (u, v) = ([x[0], y[0], z[0]], [x[1], y[1], z[1]]);
        let along = [x[2] * face.sign, y[2] * face.sign, z[2] * face.sign];
        let [mut at_u, mut at_v, at] = turned(other.position.to_array(), face.axis);
        let mut at = at * face.sign;
        // the other's axes in turn too, that of its face last
        let j = largest(along);
        let (u, v, along, [g1, g2, g]) =
            (turned(u, j), turned(v, j), turned(along, j), turned(face.other.to_array(), j));
        let out = g.copysign(along[2]);
        at_u -= u[2] * out;
        at_v -= v[2] * out;
        at -= along[2] * out;
        // middle + x + y, - x + y, - x - y, + x - y
        let corners = |middle: Real, row: [Real; 3]| {
            let (x, y) = (row[0] * g1, row[1] * g2);
            [middle + x + y, middle - x + y, middle - x - y, middle + x - y]
        };
        let (u4, v4, along4) = (corners(at_u, u), corners(at_v, v), corners(at, along));
        let height = four(|i| along4[i] - face.level);
        let slope = Vec2::new(u[2], v[2]) * (-1.0 / along[2]);
        Self {
            base: height[0] - slope.dot(Vec2::new(u4[0], v4[0])),
            u: u4,
            v: v4,
            along: along4,
            height,
            level: face.level,
            slope,
            key: face.key | (j as u64) << 33 | u64::from(along[2] < 0.0) << 32,
        }
    }

    #[inline(always)]
    fn corner(&self, i: usize) -> Vec2 {
        Vec2::new(self.u[i], self.v[i])
    }

    /// The corners of the face over a rectangle with half sides `h`; kept are those no further apart than the envelope (m).
    #[inline(always)]
    pub(crate) fn over(&self, h: Vec2, tolerance: Real, envelope: Real) -> Corners {
        let inside = marks(|i| (self.u[i].abs() - h.x <= tolerance) & (self.v[i].abs() - h.y <= tolerance));
        let first = |[a, b, c, d]: [Real; 4]| [a, b, c, d, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        Corners {
            u: first(self.u),
            v: first(self.v),
            along: first(self.along),
            separation: first(self.height),
            found: inside,
            kept: inside & marks(|i| self.height[i] <= envelope),
            name: self.key,
            names: [0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0, 0, 0, 0, 0],
        }
    }

    /// Adds all other corners of what the face and the rectangle both cover.
    ///
    /// # Source
    /// Thesis 6.3 (K-11): corners of both faces first; a crossing of two edges only where not both ends of one of them
    /// are contacts already, and the ends of each lie on opposite sides of the other.
    #[inline(always)]
    pub(crate) fn complete(&self, h: Vec2, tolerance: Real, envelope: Real, corners: &mut Corners) {
        let inside = corners.found;
        if inside == 0b1111 {
            return;
        }
        let covered = self.under(h, (inside, tolerance, envelope), corners);
        if covered != 0b1111 {
            self.cross(h, (inside, covered), (tolerance, envelope), corners);
        }
    }

    /// Finds the corners of the rectangle under the face, where no corner is already; gives which are under it.
    #[inline(always)]
    fn under(&self, h: Vec2, (inside, tolerance, envelope): (u32, Real, Real), corners: &mut Corners) -> u32 {
        let (u, v) = ([h.x, -h.x, -h.x, h.x], [h.y, h.y, -h.y, -h.y]);
        let separation = four(|m| self.slope.dot(Vec2::new(u[m], v[m])) + self.base);
        for m in 0..4 {
            (corners.u[4 + m], corners.v[4 + m]) = (u[m], v[m]);
            (corners.along[4 + m], corners.separation[4 + m]) = (self.level + separation[m], separation[m]);
        }
        let covered = self.covers((&u, &v), tolerance);
        let mut free = [true; 4];
        for i in 0..4 {
            let beyond = inside >> i & 1 == 0;
            for m in 0..4 {
                let across = (self.u[i] - u[m]).abs() > 2.0 * tolerance;
                let along = (self.v[i] - v[m]).abs() > 2.0 * tolerance;
                free[m] &= beyond | across | along;
            }
        }
        let found = covered & marks(|m| free[m]);
        corners.found |= found << 4;
        corners.kept |= (found & marks(|m| separation[m] <= envelope)) << 4;
        covered
    }

    /// Which of four points lie within the face.
    #[inline(always)]
    fn covers(&self, (u, v): (&[Real; 4], &[Real; 4]), tolerance: Real) -> u32 {
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
    fn cross(
        &self,
        h: Vec2,
        (inside, covered): (u32, u32),
        (tolerance, envelope): (Real, Real),
        corners: &mut Corners,
    ) {
        let (crossed, parts) = self.crossed(h);
        let both = |marks: u32| marks & (marks >> 1 | marks << 3) & 0b1111;
        let (inside, covered) = (both(inside), both(covered) << 1);
        // a bit of the one for all sides of an edge, of the other for all edges
        let inside = (inside & 1 | (inside & 2) << 3 | (inside & 4) << 6 | (inside & 8) << 9) * 0b1111;
        let covered = ((covered | covered >> 4) & 0b1111) * 0x1111;
        let known = corners.of_faces();
        let mut place = CROSSINGS;
        for bit in places(crossed & !inside & !covered) {
            let (i, side) = (bit / 4, bit % 4);
            let (j, t) = ((i + 1) % 4, parts[side][i]);
            let at = self.corner(i).lerp(self.corner(j), t);
            let mut held = false;
            for (&u, &v) in known[0].iter().zip(&known[1]) {
                held |= near((u, v), at, 2.0 * tolerance);
            }
            if held || place == MOST || corners.crosses_near(at, 2.0 * tolerance, place) {
                continue;
            }
            let separation = self.height[i] + t * (self.height[j] - self.height[i]);
            (corners.u[place], corners.v[place]) = (at.x, at.y);
            corners.along[place] = self.along[i] * (1.0 - t) + self.along[j] * t;
            corners.separation[place] = separation;
            corners.names[place] = 8 + bit as u8;
            corners.found |= 1 << place;
            corners.kept |= u32::from(separation <= envelope) << place;
            place += 1;
        }
    }

    /// Bit `4 i + side` where edge `i` crosses a side of the rectangle, and for each side where along the edges. The sides are u = +h, v = +h, u = -h, v = -h; the ends of
    /// one are corners `side - 1` and `side` of the rectangle.
    #[inline(always)]
    fn crossed(&self, h: Vec2) -> (u32, [[Real; 4]; 4]) {
        let (u, v) = (&self.u, &self.v);
        let sides = [(u, v, h.x, h.y), (v, u, h.y, h.x), (u, v, -h.x, h.y), (v, u, -h.y, h.x)];
        let (mut crossed, mut parts) = (0, [[0.0; 4]; 4]);
        for (side, (across, along, wall, half)) in sides.into_iter().enumerate() {
            let off = four(|i| across[i] - wall);
            let next = four(|i| off[(i + 1) % 4]);
            let part = four(|i| off[i] / (off[i] - next[i]));
            let at = four(|i| along[i] * (1.0 - part[i]) + along[(i + 1) % 4] * part[i]);
            let mark = |i: usize| u32::from((off[i] * next[i] < 0.0) & (at[i].abs() < half)) << (4 * i);
            crossed |= (mark(0) | mark(1) | mark(2) | mark(3)) << side;
            parts[side] = part;
        }
        (crossed, parts)
    }
}
