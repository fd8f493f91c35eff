use super::body::Body;
use super::normals::{MOST, NormalBlock};
use super::response::{Factor, Response};
use super::seat::{Seat, Upper};
use drystone_core::{ContactImpulse, GroupContact, TOUCHING};
use drystone_math::{Real, Vec3, tangent_basis};

/// The contact points of a pair of bodies that share a normal, two to four: a face or a line. A single point is a [`Point`].
///
/// Its impulse is a normal impulse and a friction at each point; friction acts in the plane through the middle. Velocities and wrenches at the middle are six numbers
/// in the order of [`Frame::rows`]; the patch is solved in these, and the bodies are read and struck only once.
///
/// [`Point`]: super::point::Point
#[derive(Debug, Clone, Copy)]
pub(super) struct Patch {
    pub(super) bodies: [u32; 2],
    /// Index of its first point in the problem.
    pub(super) first: u32,
    /// Number of points, 2 to 4.
    pub(super) count: u8,
    pub(super) upper: Upper,
    /// Number of leading rows that its points determine: 5 or 6.
    pub(super) rows: u8,
    /// True if the wanted normal velocities lie in a plane, and the points not in a line, so that all rows can be
    /// solved at once.
    pub(super) weldable: bool,
    /// Which of `response` and `factor` have been made.
    pub(super) made: Made,
    pub(super) frame: Frame,
    /// Places of the points, from the middle along the tangents (m). Here and in all that follows, entries that belong to no point are zero.
    pub(super) place: [[Real; 2]; MOST],
    /// The inverse of the points' second moments along the second and first tangent: (s44, s45, s55).
    pub(super) spread: [Real; 3],
    /// Largest distance of a point from the middle (m).
    pub(super) reach: Real,
    pub(super) friction: Real,
    /// Least normal velocity of each point.
    pub(super) target: [Real; MOST],
    /// The targets as velocities of the middle: row 0, 4 and 5.
    pub(super) plane: [Real; 3],
    /// Normal impulse of each point, at least zero.
    pub(super) normal: [Real; MOST],
    /// Friction of each point along the tangents.
    pub(super) grip: [[Real; 2]; MOST],
    pub(super) response: Response,
    pub(super) factor: Factor,
    /// The normals' own rows of the response.
    pub(super) block: NormalBlock,
}

/// The normal impulses of the points of a patch, and their friction along the tangents.
pub(super) type Impulses = ([Real; MOST], [[Real; 2]; MOST]);

/// Extent to which the response of a patch has been computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Made {
    /// Nothing.
    Neither,
    /// The response.
    Response,
    /// The response and its factor.
    Factor,
}

/// The axes of a patch and the position of its middle.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    /// The normal from A to B and two tangents.
    pub(super) axes: [Vec3; 3],
    /// From each body's centre of mass to the middle (m).
    pub(super) arms: [Vec3; 2],
}

impl Frame {
    /// A relative velocity and angular velocity in rows: normal, first and second tangent, about the normal, about the second and the first tangent.
    #[inline(always)]
    pub(super) fn rows(&self, linear: Vec3, angular: Vec3) -> [Real; 6] {
        let [n, t1, t2] = self.axes;
        [n.dot(linear), t1.dot(linear), t2.dot(linear), n.dot(angular), t2.dot(angular), t1.dot(angular)]
    }

    /// The impulse and angular impulse of a wrench in rows.
    #[inline(always)]
    pub(super) fn impulse(&self, w: &[Real; 6]) -> (Vec3, Vec3) {
        let [n, t1, t2] = self.axes;
        (n * w[0] + t1 * w[1] + t2 * w[2], n * w[3] + t2 * w[4] + t1 * w[5])
    }
}

/// Normals differ too much to belong to the same patch if 1 - cosine of the angle between them exceeds this.
const BENT: Real = 1e-4;
/// Points are in line if their second moment across is smaller than that along by this factor.
const IN_LINE: Real = 1e-6;
/// Points nearer to each other than this fraction of the distance to their body's centre of mass are in one place: their positions relative to each other are only rounding.
const ONE_PLACE: Real = 1e-6;
/// Rounding of a friction that lies on its bound, and of the moment of pressures that act in one place.
const BOUND: Real = 1e-12;

/// Number of contacts, starting with the first, that make up one patch.
#[inline(always)]
pub(super) fn patch_length(contacts: &[GroupContact]) -> usize {
    let Some(first) = contacts.first() else { return 0 };
    let same = |c: &&GroupContact| c.edge == first.edge && c.normal.dot(first.normal) > 1.0 - BENT;
    1 + contacts[1..].iter().take(MOST - 1).take_while(same).count()
}

/// The normal and two tangents; the first tangent is along two points in line if they are further apart than `near` (m).
#[inline(always)]
fn axes(contacts: &[GroupContact], near: Real) -> [Vec3; 3] {
    let n = contacts[0].normal;
    if let [a, b] = contacts {
        let along = b.position - a.position;
        let along = along - n * n.dot(along);
        let length = along.length();
        if length > near {
            let t1 = along / length;
            return [n, t1, n.cross(t1)];
        }
    }
    let (t1, t2) = tangent_basis(n);
    [n, t1, t2]
}

/// The middle of some points, at the height of those that touch: friction acts there, and points that are still open are lower where faces are tilted to each other.
#[inline(always)]
pub(super) fn middle(contacts: &[GroupContact]) -> Vec3 {
    let middle = contacts.iter().map(|c| c.position).sum::<Vec3>() / contacts.len() as Real;
    let (mut height, mut touching) = (0.0, 0);
    for c in contacts.iter().filter(|c| c.separation <= TOUCHING) {
        height += contacts[0].normal.dot(c.position - middle);
        touching += 1;
    }
    if touching == 0 || touching == contacts.len() {
        return middle;
    }
    middle + contacts[0].normal * (height / touching as Real)
}

/// The sum of a quantity over the points.
#[inline(always)]
pub(super) fn total([a, b, c, d]: &[Real; MOST]) -> Real {
    a + b + c + d
}

/// Second moments of points about their middle, along the tangents (m^2), and the square of the largest distance.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moments {
    along: Real,
    mixed: Real,
    across: Real,
    farthest: Real,
}

impl Default for Patch {
    fn default() -> Self {
        Self::BLANK
    }
}

impl Patch {
    /// Nothing yet.
    pub(super) const BLANK: Self = Self {
        bodies: [0; 2],
        first: 0,
        count: 0,
        upper: Upper::Neither,
        rows: 0,
        weldable: true,
        made: Made::Neither,
        frame: Frame { axes: [Vec3::ZERO; 3], arms: [Vec3::ZERO; 2] },
        place: [[0.0; 2]; MOST],
        spread: [0.0; 3],
        reach: 0.0,
        friction: 0.0,
        target: [0.0; MOST],
        plane: [0.0; 3],
        normal: [0.0; MOST],
        grip: [[0.0; 2]; MOST],
        response: Response::NONE,
        factor: Factor::NONE,
        block: NormalBlock::BLANK,
    };

    /// Makes it blank, except for data that are valid only once `made`.
    #[inline(always)]
    pub(super) fn clear(&mut self) {
        // what is not named here is written by `set`, or is not valid yet
        self.weldable = true;
        self.made = Made::Neither;
        self.block.made = false;
        self.place = [[0.0; 2]; MOST];
        self.spread = [0.0; 3];
        self.reach = 0.0;
        self.target = [0.0; MOST];
        self.plane = [0.0; 3];
        self.normal = [0.0; MOST];
        self.grip = [[0.0; 2]; MOST];
    }

    /// Turns a blank one, in place, into a patch of some contacts, without targets and without an impulse.
    #[inline(always)]
    pub(super) fn set(&mut self, contacts: &[GroupContact], seat: &Seat, bodies: &[Body]) {
        self.upper = seat.upper;
        self.rows = if contacts.len() == 2 { 5 } else { 6 };
        self.friction = contacts[0].friction;
        let moments = self.set_normals(contacts, seat, bodies);
        self.find_spread(moments);
    }

    /// The same for its normals alone; returns the moments of the points, `None` if all are in one place.
    #[inline(always)]
    pub(super) fn set_normals(&mut self, contacts: &[GroupContact], seat: &Seat, bodies: &[Body]) -> Option<Moments> {
        let middle = middle(contacts);
        let pair = seat.bodies;
        let arms = pair.map(|b| middle - bodies[b as usize].position);
        let levers = (0..2).filter(|&s| bodies[pair[s] as usize].moves).map(|s| arms[s].length());
        let near = ONE_PLACE * levers.fold(Real::INFINITY, Real::min);
        self.bodies = pair;
        self.first = seat.first;
        self.count = contacts.len() as u8;
        self.frame.axes = axes(contacts, 2.0 * near);
        self.frame.arms = arms;
        let [_, t1, t2] = self.frame.axes;
        let mut moments = Moments { along: 0.0, mixed: 0.0, across: 0.0, farthest: 0.0 };
        for (place, c) in self.place.iter_mut().zip(contacts) {
            let d = c.position - middle;
            let [a, b] = [t1.dot(d), t2.dot(d)];
            *place = [a, b];
            moments.along += a * a;
            moments.mixed += a * b;
            moments.across += b * b;
            moments.farthest = moments.farthest.max(a * a + b * b);
        }
        if moments.farthest <= near * near {
            self.place = [[0.0; 2]; MOST];
            return None;
        }
        Some(moments)
    }

    #[inline(always)]
    fn find_spread(&mut self, moments: Option<Moments>) {
        let Some(Moments { along: aa, mixed: ab, across: bb, farthest }) = moments else {
            self.weldable = false;
            return;
        };
        self.reach = farthest.sqrt();
        if self.count == 2 {
            self.spread = [1.0 / aa, 0.0, 0.0];
            return;
        }
        // moments of (-a, b), the rows of turning about the second and the first tangent
        let determinant = aa * bb - ab * ab;
        let scale = aa.max(bb);
        self.weldable = determinant > IN_LINE * scale * scale && scale > 0.0;
        if self.weldable {
            self.spread = [bb / determinant, ab / determinant, aa / determinant];
        }
    }

    /// Number of points.
    #[inline(always)]
    pub(super) fn points(&self) -> usize {
        self.count as usize
    }

    /// The normal velocity of a point, given velocities of the middle as rows 0, 4 and 5.
    #[inline(always)]
    pub(super) fn rate(&self, i: usize, [e0, e4, e5]: [Real; 3]) -> Real {
        let [a, b] = self.place[i];
        e0 - a * e4 + b * e5
    }

    /// The wrench of normal impulses: rows 0, 4 and 5.
    #[inline(always)]
    pub(super) fn sum(&self, x: &[Real; MOST]) -> [Real; 3] {
        let mut sum = [0.0; 3];
        for i in 0..MOST {
            let [a, b] = self.place[i];
            sum[0] += x[i];
            sum[1] -= a * x[i];
            sum[2] += b * x[i];
        }
        sum
    }

    /// The least-squares numbers whose [`Self::sum`] is the given one, if the points are not in a line; works for velocities of points too.
    #[inline(always)]
    pub(super) fn spread(&self, sum: [Real; 3]) -> [Real; 3] {
        let [p, q, r] = self.spread;
        [sum[0] / Real::from(self.count), p * sum[1] + q * sum[2], q * sum[1] + r * sum[2]]
    }

    /// Finds the plane of the targets.
    #[inline(always)]
    pub(super) fn fit_plane(&mut self) {
        let k = self.points();
        if self.target[..k].iter().all(|t| *t == 0.0) {
            return;
        }
        self.plane = self.spread(self.sum(&self.target));
        let size = self.target[..k].iter().fold(0.0, |m: Real, t| m.max(t.abs()));
        let off = (0..k).any(|i| (self.rate(i, self.plane) - self.target[i]).abs() > 1e-3 * size);
        self.weldable &= !off;
    }

    /// The friction of all points as a wrench at the middle: along the tangents, and about the normal.
    #[inline(always)]
    pub(super) fn rub(&self) -> [Real; 3] {
        let mut rub = [0.0; 3];
        for i in 0..MOST {
            let ([a, b], [f1, f2]) = (self.place[i], self.grip[i]);
            rub[0] += f1;
            rub[1] += f2;
            rub[2] += a * f2 - b * f1;
        }
        rub
    }

    /// Friction of the points that adds up to a wrench, in the shape of a rigid slip: each bears in proportion to its normal impulse, turned about the centre of pressure.
    /// `None` if a point would exceed its bound.
    #[inline(always)]
    pub(super) fn grips(&self, normal: &[Real; MOST], [f1, f2, twist]: [Real; 3]) -> Option<[[Real; 2]; MOST]> {
        let sum = total(normal);
        if sum <= 0.0 {
            return (f1 == 0.0 && f2 == 0.0 && twist == 0.0).then_some([[0.0; 2]; MOST]);
        }
        let mut centre = [0.0; 2];
        for i in 0..MOST {
            centre[0] += normal[i] * self.place[i][0];
            centre[1] += normal[i] * self.place[i][1];
        }
        centre = centre.map(|c| c / sum);
        let mut moment = 0.0;
        for i in 0..MOST {
            let [a, b] = [self.place[i][0] - centre[0], self.place[i][1] - centre[1]];
            moment += normal[i] * (a * a + b * b);
        }
        let left = twist - (centre[0] * f2 - centre[1] * f1);
        // pressure in one place holds no twist but that of rounding
        let turn = if moment > BOUND * sum * self.reach * self.reach {
            left / moment
        } else if left.abs() <= BOUND * self.friction * sum * self.reach {
            0.0
        } else {
            return None;
        };
        let most = self.friction * self.friction * (1.0 + BOUND);
        let (mut grip, mut holds) = ([[0.0; 2]; MOST], true);
        for i in 0..MOST {
            let [a, b] = [self.place[i][0] - centre[0], self.place[i][1] - centre[1]];
            let [g1, g2] = [f1 / sum - turn * b, f2 / sum + turn * a];
            holds &= normal[i] == 0.0 || g1 * g1 + g2 * g2 <= most;
            grip[i] = [normal[i] * g1, normal[i] * g2];
        }
        holds.then_some(grip)
    }

    #[cfg(test)]
    pub(super) fn total(&self) -> Real {
        total(&self.normal)
    }

    /// Starts from the impulses of the points, cut to the bounds of friction.
    #[inline(always)]
    pub(super) fn start(&mut self, contacts: &[GroupContact]) {
        let [_, t1, t2] = self.frame.axes;
        for (i, c) in contacts.iter().enumerate() {
            self.normal[i] = c.impulse.normal.max(0.0);
            let f = c.impulse.friction;
            let (grip, limit) = ([t1.dot(f), t2.dot(f)], self.friction * self.normal[i]);
            let square = grip[0] * grip[0] + grip[1] * grip[1];
            let cut = if square > limit * limit { limit / square.sqrt() } else { 1.0 };
            self.grip[i] = grip.map(|f| f * cut);
        }
    }

    /// The impulse as a wrench in rows.
    #[inline(always)]
    pub(super) fn wrench(&self) -> [Real; 6] {
        let [n, m2, m1] = self.sum(&self.normal);
        let [f1, f2, twist] = self.rub();
        [n, f1, f2, twist, m2, m1]
    }

    /// Writes the impulses of the points.
    #[inline(always)]
    pub(super) fn write(&self, impulses: &mut [ContactImpulse]) {
        let [_, t1, t2] = self.frame.axes;
        for (i, impulse) in impulses.iter_mut().enumerate() {
            let [f1, f2] = self.grip[i];
            *impulse = ContactImpulse::of_multipliers([self.normal[i], f1, f2], [t1, t2]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact_sweeps::relax::Visit;
    use crate::contact_sweeps::surfaces::Surfaces;
    use drystone_math::Twist;
    use drystone_testkit::problem::{contact, cube};

    /// A ball on a mesh may touch two triangles at one place: the distance between the points
    /// that is due to rounding is not a lever arm that can hold it.
    #[test]
    fn points_in_one_place_bear_what_one_point_does() {
        let cubes = [cube(0, 0.0, Vec3::new(0.0, -0.5, 0.0)), cube(1, 2.0, Vec3::new(0.0, 0.5, 0.0))];
        let motion = Twist::new(Vec3::new(0.02, -0.1, 0.01), Vec3::new(0.1, 0.2, -0.3));
        let visited = |places: &[Vec3]| {
            let mut bodies = [Body::of(&cubes[0], Twist::ZERO), Body::of(&cubes[1], motion)];
            let points: Vec<_> =
                places.iter().zip(0..).map(|(at, feature)| contact([0, 1], *at, Vec3::Y, 0, feature)).collect();
            let mut surfaces = Surfaces::default();
            let item = match points.as_slice() {
                [point] => surfaces.add_point(point, &Seat::leaning([0, 1], 1), 0.0, &bodies),
                points => surfaces.add_patch(points, &Seat::leaning([0, 1], points.len() as u32), &bodies).0,
            };
            for _ in 0..50 {
                let visit = Visit::ALL_THE_WAY;
                surfaces.relax(&item, &mut bodies, visit);
            }
            let borne = surfaces
                .points
                .iter()
                .map(|p| p.impulse[0])
                .chain(surfaces.patches.iter().map(Patch::total))
                .sum::<Real>();
            (borne, bodies[1].velocity)
        };
        let at = Vec3::new(0.1, 0.0, -0.2);
        let (alone, left) = visited(&[at]);
        assert!(alone > 0.01);
        let aside = Vec3::new(1.1e-16, 0.0, 3e-17);
        for places in [vec![at, at + aside], vec![at, at], vec![at, at + aside, at - aside, at + Vec3::Z * 2e-16]] {
            let (borne, then) = visited(&places);
            assert!((borne - alone).abs() < 1e-6 * alone, "{places:?}: {borne} N s where one point bears {alone}");
            let off = then - left;
            assert!(off.linear.length() + off.angular.length() < 1e-6, "{places:?}: {off:?}");
        }
    }
}
