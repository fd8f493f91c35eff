use super::axis::placed;
use crate::candidate::Candidate;
use crate::reduction::{ABREAST, spanning};
use drystone_math::lanes::{Lanes, read};
use drystone_math::{Real, Vec2};
use pulp::Simd;

/// Places for corners: four for those of one face, four for the other's, and as many crossings as two quadrilaterals can have.
const MOST: usize = 16;

/// The places of crossings begin here.
const CROSSINGS: usize = 8;

/// The corners of the overlap of two faces, in coordinates of the reference face, for each of `N` pairs: stored coordinate by coordinate, each corner in its own place, most of
/// which are empty.
pub(super) struct Corners<const N: usize> {
    /// First coordinate in the plane of the face (m).
    u: [[Real; N]; MOST],
    /// Second coordinate (m).
    v: [[Real; N]; MOST],
    /// Outward coordinates of the other surface's points along the axis (m).
    along: [[Real; N]; MOST],
    /// Signed distances (m).
    separation: [[Real; N]; MOST],
    /// The places of those corners of both faces that were found; the others are NaN, and so near nothing.
    known: [[[Real; N]; CROSSINGS]; 2],
    /// Places of corners that are no further apart than the envelope, a bit for each.
    pub kept: [u64; N],
    /// Bit `4 i + side` is set if edge `i` of the other face crosses that side of the reference face.
    pub crossings: [u64; N],
    /// Positions of the crossings along the edge, by the same numbers.
    pub parts: [[Real; N]; 16],
    /// The common beginning of all names.
    pub name: [u64; N],
    /// The rest of each name.
    names: [[u8; MOST]; N],
}

impl<const N: usize> Corners<N> {
    /// None is known yet.
    pub(super) const NONE: Self = Self {
        u: [[0.0; N]; MOST],
        v: [[0.0; N]; MOST],
        along: [[0.0; N]; MOST],
        separation: [[0.0; N]; MOST],
        known: [[[Real::NAN; N]; CROSSINGS]; 2],
        kept: [0; N],
        crossings: [0; N],
        parts: [[0.0; N]; 16],
        name: [0; N],
        names: [[0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0, 0, 0, 0, 0]; N],
    };

    /// Records a corner of one of the faces for a group of pairs, and where it was found.
    #[inline(always)]
    pub(super) fn note<S: Simd>(
        &mut self,
        simd: S,
        (place, group): (usize, usize),
        [u, v, along, separation]: [Lanes<S>; 4],
        found: S::m64s,
    ) {
        let none = Lanes::splat(simd, Real::NAN);
        u.put(&mut self.u[place], group);
        v.put(&mut self.v[place], group);
        along.put(&mut self.along[place], group);
        separation.put(&mut self.separation[place], group);
        u.where_else(found, none).put(&mut self.known[0][place], group);
        v.where_else(found, none).put(&mut self.known[1][place], group);
    }

    /// Number of corners kept for a pair.
    #[inline(always)]
    pub(super) fn count(&self, lane: usize) -> u32 {
        self.kept[lane].count_ones()
    }

    /// Adds the crossings of a pair that are not near a corner or each other.
    #[inline(always)]
    pub(super) fn add_crossings(&mut self, lane: usize, tolerance: Real, envelope: Real) {
        if self.crossings[lane] == 0 {
            return;
        }
        let known = [read(&self.known[0], lane), read(&self.known[1], lane)];
        let mut place = CROSSINGS;
        for bit in places(self.crossings[lane]) {
            let (i, j, t) = (bit / 4, (bit / 4 + 1) % 4, self.parts[bit][lane]);
            let between = |c: &[[Real; N]; MOST]| c[i][lane] * (1.0 - t) + c[j][lane] * t;
            let at = Vec2::new(between(&self.u), between(&self.v));
            let mut held = false;
            for (&u, &v) in known[0].iter().zip(&known[1]) {
                held |= near((u, v), at, 2.0 * tolerance);
            }
            if held || place == MOST || self.crosses_near(lane, at, 2.0 * tolerance, place) {
                continue;
            }
            let (from, to) = (self.separation[i][lane], self.separation[j][lane]);
            let separation = from + t * (to - from);
            (self.u[place][lane], self.v[place][lane]) = (at.x, at.y);
            self.along[place][lane] = between(&self.along);
            self.separation[place][lane] = separation;
            self.names[lane][place] = 8 + bit as u8;
            self.kept[lane] |= u64::from(separation <= envelope) << place;
            place += 1;
        }
    }

    /// Returns true if a crossing at a place before `end` is near a point. Tested one by one, as there are few.
    #[inline(always)]
    fn crosses_near(&self, lane: usize, x: Vec2, tolerance: Real, end: usize) -> bool {
        let mut place = CROSSINGS;
        while place < end {
            if near((self.u[place][lane], self.v[place][lane]), x, tolerance) {
                return true;
            }
            place += 1;
        }
        false
    }

    /// Keeps those of the kept corners of a pair that [`spanning`] chooses; the sign tells whether the box's frame is mirrored in the plane of its face.
    #[inline(always)]
    pub(super) fn reduce(&mut self, lane: usize, sign: Real, noise: Real) {
        let (mut u, mut v, mut separation) = ([0.0; MOST], [0.0; MOST], [0.0; MOST]);
        let mut count = 0;
        for place in places(self.kept[lane]) {
            u[count] = self.u[place][lane];
            v[count] = sign * self.v[place][lane];
            separation[count] = self.separation[place][lane];
            count += 1;
        }
        let end = count.next_multiple_of(ABREAST);
        let chosen = spanning([&mut u[..end], &mut v[..end]], &separation[..count], noise);
        let mut kept = 0;
        for (i, place) in places(self.kept[lane]).enumerate() {
            kept |= u64::from(chosen.contains(&i)) << place;
        }
        self.kept[lane] = kept;
    }

    /// The kept corners of a pair, in the reference box's frame, given the axis of the reference face, its sign and the plane's position along it.
    #[inline(always)]
    pub(super) fn candidates(
        &self,
        lane: usize,
        axis: usize,
        (sign, level): (Real, Real),
    ) -> impl Iterator<Item = Candidate> {
        places(self.kept[lane]).map(move |place| {
            let (u, v) = (self.u[place][lane], self.v[place][lane]);
            Candidate {
                on_reference: placed([u, v, sign * level], axis),
                on_other: placed([u, v, sign * self.along[place][lane]], axis),
                separation: self.separation[place][lane],
                key: self.name[lane] | u64::from(self.names[lane][place]),
            }
        })
    }
}

/// Returns true if two points are the same up to a tolerance (m), coordinate by coordinate.
#[inline(always)]
fn near((u, v): (Real, Real), x: Vec2, tolerance: Real) -> bool {
    ((u - x.x).abs() <= tolerance) & ((v - x.y).abs() <= tolerance)
}

/// The places of the bits that are set.
#[inline(always)]
fn places(mut marks: u64) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        let place = marks.trailing_zeros() as usize;
        let any = marks != 0;
        marks &= marks.wrapping_sub(1);
        any.then_some(place)
    })
}
