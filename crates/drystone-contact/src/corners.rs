use crate::reduction::{Spot, most_spread};
use drystone_math::{Real, Vec2, Vec3};

/// Places for corners: four for those of one face, four for the other's, and what two of four sides that cross can have besides.
pub(crate) const MOST: usize = 16;

/// Of the places those of crossings begin here.
pub(crate) const CROSSINGS: usize = 8;

/// The corners of what two faces both cover, in coordinates of the reference face: coordinate by coordinate, each corner in a place of its own, most of which are
/// empty.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Corners {
    /// Where they are in the plane of the face (m).
    pub u: [Real; MOST],
    /// The same across.
    pub v: [Real; MOST],
    /// Where the other surface's points are along the axis, outwards (m).
    pub along: [Real; MOST],
    /// Signed distances (m).
    pub separation: [Real; MOST],
    /// Places at which there is a corner, a bit for each.
    pub found: u32,
    /// Of those the ones no further apart than the envelope.
    pub kept: u32,
    /// What the names of all of them begin with.
    pub name: u64,
    /// How they go on.
    pub names: [u8; MOST],
}

impl Corners {
    /// The name of the one at a place: which features meet.
    #[inline(always)]
    pub(crate) fn key(&self, place: usize) -> u64 {
        self.name | u64::from(self.names[place])
    }

    /// Where the corners of both faces are that were found; others are not numbers, and so near nothing.
    #[inline(always)]
    pub(crate) fn of_faces(&self) -> [[Real; CROSSINGS]; 2] {
        let mut known = [[Real::NAN; CROSSINGS]; 2];
        for (coordinates, all) in known.iter_mut().zip([&self.u, &self.v]) {
            for (place, coordinate) in coordinates.iter_mut().enumerate() {
                *coordinate = if self.found >> place & 1 == 1 { all[place] } else { Real::NAN };
            }
        }
        known
    }

    /// Whether a crossing at a place before `end` is near a point. One by one: there are few, and what was written just now would be waited for if it were read
    /// several at a time.
    #[inline(always)]
    pub(crate) fn crosses_near(&self, x: Vec2, tolerance: Real, end: usize) -> bool {
        let mut place = CROSSINGS;
        while place < end {
            if near((self.u[place], self.v[place]), x, tolerance) {
                return true;
            }
            place += 1;
        }
        false
    }

    /// Keeps four of more than four that are kept, as [`most_spread`] chooses.
    pub(crate) fn reduce_to_four(&mut self, normal: Vec3, noise: Real) {
        let mut points = [Corner { at: Vec2::ZERO, separation: 0.0, place: 0 }; MOST];
        let mut count = 0;
        for (point, place) in points.iter_mut().zip(places(self.kept)) {
            *point = Corner { at: Vec2::new(self.u[place], self.v[place]), separation: self.separation[place], place };
            count += 1;
        }
        if count > 4 {
            let four = most_spread(&points[..count], normal, noise);
            self.kept = four.into_iter().fold(0, |kept, i| kept | 1 << points[i].place);
        }
    }
}

/// A corner that may be left out.
#[derive(Debug, Clone, Copy)]
struct Corner {
    at: Vec2,
    separation: Real,
    place: usize,
}

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

/// Whether two points are the same up to a tolerance (m), coordinate by coordinate.
#[inline(always)]
pub(crate) fn near((u, v): (Real, Real), x: Vec2, tolerance: Real) -> bool {
    ((u - x.x).abs() <= tolerance) & ((v - x.y).abs() <= tolerance)
}

/// The places of the bits that are set.
#[inline(always)]
pub(crate) fn places(mut marks: u32) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        let place = marks.trailing_zeros() as usize;
        let any = marks != 0;
        marks &= marks.wrapping_sub(1);
        any.then_some(place)
    })
}
