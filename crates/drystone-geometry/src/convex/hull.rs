use crate::ShapeError;
use drystone_math::{Real, Vec3};

/// Points this close to a face (as a fraction of the size) are in it.
pub(super) const IN_FACE: Real = 1e-11;

/// A triangle of the growing hull; `across[k]` is the neighbour over the edge from corner k to the next.
struct Facet {
    corner: [u32; 3],
    across: [usize; 3],
    normal: Vec3,
    offset: Real,
    outside: Vec<u32>,
    alive: bool,
}

/// Triangles, and over each of their edges the number of the neighbour.
pub(super) type Facets = (Vec<[u32; 3]>, Vec<[usize; 3]>);

/// The convex hull of points, as triangles that turn counter-clockwise seen from outside, and which facet lies over
/// each edge (quickhull).
pub(super) fn hull(points: &[Vec3]) -> Result<Facets, ShapeError> {
    let (lo, hi) = points.iter().fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(lo, hi), &p| (lo.min(p), hi.max(p)));
    let size = (hi - lo).max_element();
    let eps = IN_FACE * size.max(hi.abs().max(lo.abs()).max_element() * 1e-3);
    let mut build = Build { points, facets: Vec::new(), eps };
    build.start()?;
    // grow to the farthest point of a facet until no facet has a point outside
    let mut next = 0;
    while next < build.facets.len() {
        if !build.facets[next].alive || build.facets[next].outside.is_empty() {
            next += 1;
            continue;
        }
        build.grow(next);
    }
    let mut index = vec![usize::MAX; build.facets.len()];
    let live: Vec<usize> = (0..build.facets.len()).filter(|&f| build.facets[f].alive).collect();
    for (i, &f) in live.iter().enumerate() {
        index[f] = i;
    }
    let corners = live.iter().map(|&f| build.facets[f].corner).collect();
    let across = live.iter().map(|&f| build.facets[f].across.map(|g| index[g])).collect();
    Ok((corners, across))
}

struct Build<'a> {
    points: &'a [Vec3],
    facets: Vec<Facet>,
    eps: Real,
}

impl Build<'_> {
    fn facet(&self, corner: [u32; 3]) -> Facet {
        let [a, b, c] = corner.map(|i| self.points[i as usize]);
        let normal = (b - a).cross(c - a).normalize_or_zero();
        // the middle of the corners' offsets: no corner is favoured
        let offset = (normal.dot(a) + normal.dot(b) + normal.dot(c)) / 3.0;
        Facet { corner, across: [usize::MAX; 3], normal, offset, outside: Vec::new(), alive: true }
    }

    fn above(&self, f: &Facet, p: u32) -> Real {
        f.normal.dot(self.points[p as usize]) - f.offset
    }

    /// The first tetrahedron, from points far apart along the axes.
    fn start(&mut self) -> Result<(), ShapeError> {
        let p = self.points;
        let farthest = |score: &dyn Fn(Vec3) -> Real| {
            let mut best = (Real::NEG_INFINITY, 0);
            for (i, &q) in p.iter().enumerate() {
                let s = score(q);
                if s > best.0 {
                    best = (s, i);
                }
            }
            best
        };
        let ends: Vec<usize> =
            Vec3::AXES.iter().flat_map(|&e| [farthest(&|q| q.dot(e)).1, farthest(&|q| -q.dot(e)).1]).collect();
        let (mut a, mut b, mut span) = (0, 0, -1.0);
        for &i in &ends {
            for &j in &ends {
                let d = (p[i] - p[j]).length();
                if d > span {
                    (a, b, span) = (i, j, d);
                }
            }
        }
        let flat = || ShapeError::Flat { points: p.len() };
        let reach = 100.0 * self.eps;
        if span <= reach {
            return Err(flat());
        }
        let line = (p[b] - p[a]) / span;
        let (width, c) = farthest(&|q| (q - p[a]).cross(line).length());
        if width <= reach {
            return Err(flat());
        }
        let n = (p[b] - p[a]).cross(p[c] - p[a]).normalize_or_zero();
        let (height, d) = farthest(&|q| n.dot(q - p[a]).abs());
        if height <= reach {
            return Err(flat());
        }
        let (mut b, mut c) = (b as u32, c as u32);
        let (a, d) = (a as u32, d as u32);
        if n.dot(p[d as usize] - p[a as usize]) > 0.0 {
            core::mem::swap(&mut b, &mut c);
        }
        // d lies below a, b, c
        for corner in [[a, b, c], [a, d, b], [b, d, c], [c, d, a]] {
            let f = self.facet(corner);
            self.facets.push(f);
        }
        let across = [[1, 2, 3], [3, 2, 0], [1, 3, 0], [2, 1, 0]];
        for (f, x) in self.facets.iter_mut().zip(across) {
            f.across = x;
        }
        let all: Vec<u32> = (0..p.len() as u32).collect();
        self.distribute(&all, 0);
        Ok(())
    }

    /// Assigns each point to the facet, among those from number `from` on, that it lies highest above.
    fn distribute(&mut self, points: &[u32], from: usize) {
        for &p in points {
            let mut best = (self.eps, usize::MAX);
            for (i, f) in self.facets.iter().enumerate().skip(from) {
                let h = self.above(f, p);
                if h > best.0 {
                    best = (h, i);
                }
            }
            if best.1 != usize::MAX {
                self.facets[best.1].outside.push(p);
            }
        }
    }

    /// Replaces all facets that see the farthest point outside facet `f` by a fan from that point.
    fn grow(&mut self, f: usize) {
        let facet = &self.facets[f];
        let mut apex = (Real::NEG_INFINITY, 0, 0);
        for (i, &p) in facet.outside.iter().enumerate() {
            let h = self.above(facet, p);
            if h > apex.0 {
                apex = (h, i, p);
            }
        }
        let (_, at, apex) = apex;
        self.facets[f].outside.swap_remove(at);

        // the visible facets, and the edges of the horizon
        let mut seen = vec![f];
        let mut horizon: Vec<(u32, u32, usize)> = Vec::new();
        let mut k = 0;
        while k < seen.len() {
            let g = seen[k];
            k += 1;
            for e in 0..3 {
                let h = self.facets[g].across[e];
                if seen.contains(&h) {
                    continue;
                }
                if self.above(&self.facets[h], apex) > self.eps {
                    seen.push(h);
                }
            }
        }
        for &g in &seen {
            for e in 0..3 {
                let facet = &self.facets[g];
                if !seen.contains(&facet.across[e]) {
                    horizon.push((facet.corner[e], facet.corner[(e + 1) % 3], facet.across[e]));
                }
            }
        }
        // rounding can tear the horizon: then the point is left out, as it is within noise of the hull
        let follows = |v: u32| horizon.iter().filter(|h| h.0 == v).count() == 1;
        if horizon.len() < 3 || !horizon.iter().all(|h| follows(h.0) && follows(h.1)) {
            return;
        }

        let first = self.facets.len();
        for &(a, b, beyond) in &horizon {
            let mut fresh = self.facet([a, b, apex]);
            let next = horizon.iter().position(|h| h.0 == b);
            let last = horizon.iter().position(|h| h.1 == a);
            fresh.across = [beyond, first + next.unwrap_or(0), first + last.unwrap_or(0)];
            let number = self.facets.len();
            self.facets.push(fresh);
            let other = &mut self.facets[beyond];
            for e in 0..3 {
                if other.corner[e] == b && other.corner[(e + 1) % 3] == a {
                    other.across[e] = number;
                }
            }
        }
        let mut orphans = Vec::new();
        for &g in &seen {
            self.facets[g].alive = false;
            orphans.append(&mut self.facets[g].outside);
        }
        orphans.sort_unstable();
        self.distribute(&orphans, first);
    }
}
