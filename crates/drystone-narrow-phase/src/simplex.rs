//! The nearest point of a simplex to the origin.

use crate::minkowski::Corner;
use drystone_math::{Real, Vec3};

/// Up to four corners of a difference, and the weights of the point of their hull nearest to the origin.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Simplex {
    corners: [Corner; 4],
    weights: [Real; 4],
    count: usize,
}

/// Some corners of a simplex, by index, with the weights of a point and its squared distance from the origin.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pick {
    /// Ascending.
    places: [usize; 4],
    weights: [Real; 4],
    count: usize,
    /// The point nearest to the origin (m), and its squared distance.
    pub point: Vec3,
    squared: Real,
}

impl Simplex {
    /// Becomes a single corner.
    #[inline]
    pub(crate) fn begin(&mut self, corner: Corner) {
        self.corners[0] = corner;
        (self.weights[0], self.count) = (1.0, 1);
    }

    /// Corners found elsewhere, one to four, reduced to the part that has the nearest point.
    pub(crate) fn from_corners(corners: &[Corner]) -> Self {
        let count = corners.len().min(4);
        let mut s = Self::default();
        s.corners[..count].copy_from_slice(&corners[..count]);
        let pick = Pick::among(&s.corners.map(|c| c.at), count, Parts::All);
        for m in 0..pick.count {
            s.corners[m] = s.corners[pick.places[m]];
        }
        (s.weights, s.count) = (pick.weights, pick.count);
        s
    }

    /// The corners.
    #[inline]
    pub(crate) fn corners(&self) -> &[Corner] {
        &self.corners[..self.count]
    }

    /// Number of corners; four enclose the origin.
    #[inline]
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Returns true if the corner is one of them.
    #[inline]
    pub(crate) fn holds(&self, corner: &Corner) -> bool {
        self.corners().iter().any(|c| c.at == corner.at)
    }

    /// The weighted sum of a quantity over the corners.
    #[inline]
    pub(crate) fn blend(&self, f: impl Fn(&Corner) -> Vec3) -> Vec3 {
        let mut sum = f(&self.corners[0]) * self.weights[0];
        for i in 1..self.count {
            sum += f(&self.corners[i]) * self.weights[i];
        }
        sum
    }

    /// The point nearest to the origin (m).
    #[inline]
    pub(crate) fn point(&self) -> Vec3 {
        self.blend(|c| c.at)
    }

    /// Rest of the simplex after another corner is added that lies farther towards the origin than all the others: the
    /// smallest part whose hull has the point nearest to the origin.
    #[inline]
    pub(crate) fn pick(&self, corner: &Corner) -> Pick {
        let mut p = [Vec3::ZERO; 4];
        for (q, c) in p.iter_mut().zip(self.corners()) {
            *q = c.at;
        }
        if self.count < 4 {
            p[self.count] = corner.at;
        }
        Pick::among(&p, (self.count + 1).min(4), Parts::OfLast)
    }

    /// Adds the corner and keeps only what was picked.
    #[inline]
    pub(crate) fn apply(&mut self, corner: Corner, pick: &Pick) {
        if self.count < 4 {
            self.corners[self.count] = corner;
        }
        for m in 0..pick.count {
            // the places ascend, so nothing is overwritten before it is moved
            self.corners[m] = self.corners[pick.places[m]];
        }
        (self.weights, self.count) = (pick.weights, pick.count);
    }
}

/// Which parts of a simplex may be the nearest to the origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Parts {
    All,
    /// Those that include the last corner: the others are known to be farther.
    OfLast,
}

impl Pick {
    /// The nearest of these parts of the first `count` points.
    #[inline]
    fn among(p: &[Vec3; 4], count: usize, parts: Parts) -> Self {
        match count {
            0 | 1 => Self::corner(p, 0),
            2 => segment(p, 0, 1),
            3 => triangle(p, [0, 1, 2], parts),
            _ => tetrahedron(p, parts),
        }
    }

    #[inline]
    fn corner(p: &[Vec3; 4], i: usize) -> Self {
        Self { places: [i; 4], weights: [1.0, 0.0, 0.0, 0.0], count: 1, point: p[i], squared: p[i].length_squared() }
    }

    #[inline]
    fn nearer(self, other: Self) -> Self {
        if other.squared < self.squared { other } else { self }
    }
}

/// The last corner is the base, here and below: as a rule it is the one nearest to the origin.
#[inline]
fn segment(p: &[Vec3; 4], i: usize, j: usize) -> Pick {
    let (a, d) = (p[j], p[i] - p[j]);
    let l = d.length_squared();
    let t = -a.dot(d);
    if t <= 0.0 || l <= Real::MIN_POSITIVE {
        return Pick::corner(p, j);
    }
    if t >= l {
        return Pick::corner(p, i);
    }
    let t = t / l;
    let point = a + d * t;
    Pick { places: [i, j, j, j], weights: [t, 1.0 - t, 0.0, 0.0], count: 2, point, squared: point.length_squared() }
}

#[inline]
fn triangle(p: &[Vec3; 4], [i, j, k]: [usize; 3], parts: Parts) -> Pick {
    let (a, u, v) = (p[k], p[i] - p[k], p[j] - p[k]);
    let n = u.cross(v);
    let area = n.length_squared();
    let longest = u.length_squared().max(v.length_squared());
    if area > 1e-28 * longest * longest {
        // the foot of the origin, from the areas that it cuts off
        let (s, t) = (n.dot(v.cross(a)), n.dot(a.cross(u)));
        if s > 0.0 && t > 0.0 && s + t < area {
            let (s, t) = (s / area, t / area);
            let point = a + u * s + v * t;
            let (places, weights) = ([i, j, k, k], [s, t, 1.0 - s - t, 0.0]);
            return Pick { places, weights, count: 3, point, squared: point.length_squared() };
        }
    }
    // else the nearest is on an edge
    let best = segment(p, i, k).nearer(segment(p, j, k));
    match parts {
        Parts::All => best.nearer(segment(p, i, j)),
        Parts::OfLast => best,
    }
}

#[inline]
fn tetrahedron(p: &[Vec3; 4], parts: Parts) -> Pick {
    const FACES: [[usize; 4]; 4] = [[0, 1, 3, 2], [1, 2, 3, 0], [0, 2, 3, 1], [0, 1, 2, 3]];
    let mut best: Option<Pick> = None;
    let candidates = match parts {
        Parts::All => 4,
        Parts::OfLast => 3,
    };
    for [i, j, k, opposite] in &FACES[..candidates] {
        let (a, u, v, w) = (p[*k], p[*i] - p[*k], p[*j] - p[*k], p[*opposite] - p[*k]);
        let n = u.cross(v);
        let (own, other) = (-n.dot(a), n.dot(w));
        // beyond the face, or the tetrahedron too flat to tell
        if own * other <= 0.0 || other * other <= 1e-28 * n.length_squared() * w.length_squared() {
            let t = triangle(p, [*i, *j, *k], parts);
            best = Some(best.map_or(t, |b| b.nearer(t)));
        }
    }
    best.unwrap_or_else(|| {
        // the origin is inside: its weights are fractions of the volume
        let (a, b, c, d) = (p[0], p[1], p[2], p[3]);
        let w = [b.dot(c.cross(d)), -a.dot(c.cross(d)), a.dot(b.cross(d)), -a.dot(b.cross(c))].map(Real::abs);
        let sum = w[0] + w[1] + w[2] + w[3];
        let weights = if sum > 0.0 { w.map(|w| w / sum) } else { [0.25; 4] };
        // zero, unless it is all rounding
        let point = a * weights[0] + b * weights[1] + c * weights[2] + d * weights[3];
        Pick { places: [0, 1, 2, 3], weights, count: 4, point, squared: point.length_squared() }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corner(x: Real, y: Real, z: Real) -> Corner {
        Corner { at: Vec3::new(x, y, z), ..Corner::default() }
    }

    #[test]
    fn each_part_of_a_tetrahedron() {
        let base =
            |h: Real| [corner(-1.0, h, -1.0), corner(1.0, h, -1.0), corner(0.0, h, 1.0), corner(0.0, h + 1.0, 0.0)];
        let s = Simplex::from_corners(&base(1.0));
        assert!(s.count() == 3 && (s.point() - Vec3::Y).length() < 1e-15);
        assert_eq!(Simplex::from_corners(&base(-0.5)).count(), 4);
        let s = Simplex::from_corners(&base(-3.0));
        assert!(s.count() == 1 && s.point() == Vec3::new(0.0, -2.0, 0.0));
        // flat: all four in one plane
        let flat = [corner(-1.0, 2.0, -1.0), corner(1.0, 2.0, -1.0), corner(1.0, 2.0, 1.0), corner(-1.0, 2.0, 1.0)];
        let s = Simplex::from_corners(&flat);
        assert!(s.count() < 4 && (s.point() - Vec3::Y * 2.0).length() < 1e-15);
    }
}
