use crate::candidate::{Candidate, Candidates};
use drystone_math::{Real, Vec3, tangent_basis};
use smallvec::SmallVec;

/// Cosine of the angle up to which normals of samples count as one direction.
const ONE_DIRECTION: Real = 0.99;

/// Places of points in a list; no allocation up to 16.
pub(crate) type Chosen = SmallVec<[usize; 16]>;

/// In units of the noise: points of uneven surfaces that are apart by no more than this may all touch.
pub(crate) const TOUCHING: Real = 1000.0;

/// A contact point of several directions: what the reduction needs of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Placed {
    /// Place (m), in the frame of the normal.
    pub position: Vec3,
    /// Unit normal.
    pub normal: Vec3,
    /// Signed distance (m).
    pub separation: Real,
    /// True if it may be left out.
    pub is_reduced: bool,
}

/// Of the points that may be left out, keeps as few per direction as span their region, and of those that may touch as span theirs: the outermost of one direction can bear whatever
/// all of them bear (K-02). Calls back with the places in the list of those that are kept, first all that may not be left out.
///
/// # Cost
/// O(n directions). No allocation for up to 64 points.
pub(crate) fn reduce_by_direction(
    count: usize,
    at: impl Fn(usize) -> Placed,
    noise: Real,
    mut keep: impl FnMut(usize),
) {
    (0..count).filter(|&i| !at(i).is_reduced).for_each(&mut keep);
    let mut left: SmallVec<[u32; 64]> = (0..count as u32).filter(|&i| at(i as usize).is_reduced).collect();
    while let Some(&first) = left.first() {
        let normal = at(first as usize).normal;
        let mut points = Candidates::new();
        left.retain(|&mut i| {
            let s = at(i as usize);
            let same = s.normal.dot(normal) >= ONE_DIRECTION;
            if same {
                let (on_reference, separation) = (s.position, s.separation);
                points.push(Candidate { on_reference, on_other: s.position, separation, key: u64::from(i) });
            }
            !same
        });
        // what is apart does not bear: the points that touch span a region of their own
        let touch = |c: &Candidate| c.separation <= TOUCHING * noise;
        let mut touching: Candidates = points.iter().copied().filter(touch).collect();
        if touching.len() < points.len() {
            reduce(&mut points, normal, noise);
            points.retain(|c| !touch(c));
        } else {
            points.clear();
        }
        reduce(&mut touching, normal, noise);
        points.extend(touching);
        points.sort_unstable_by_key(|c| c.key);
        points.iter().for_each(|c| keep(c.key as usize));
    }
}

/// With more points than this, the one farthest from the deepest is taken as the other end of the diagonal.
const MOST_DIAGONALS: usize = 24;

/// The first of those whose score is the highest up to noise.
#[inline(always)]
fn pick(count: usize, noise: Real, score: impl Fn(usize) -> Real) -> usize {
    let mut best = (Real::NEG_INFINITY, 0);
    for i in 0..count {
        let s = score(i);
        if s > best.0 + noise {
            best = (s, i);
        }
    }
    best.1
}

/// If there are more than four points, keeps those that [`spanning`] chooses.
pub(crate) fn reduce(points: &mut Candidates, normal: Vec3, noise: Real) {
    if points.len() <= 4 {
        return;
    }
    let (t1, t2) = tangent_basis(normal);
    let places = points.len().next_multiple_of(ABREAST);
    let along = |axis: Vec3| {
        let mut x: SmallVec<[Real; 16]> = points.iter().map(|c| axis.dot(c.on_reference)).collect();
        x.resize(places, 0.0);
        x
    };
    let separation: SmallVec<[Real; 16]> = points.iter().map(|c| c.separation).collect();
    let chosen = spanning([&mut along(t1), &mut along(t2)], &separation, noise);
    let mut at = 0;
    points.retain(|_| {
        at += 1;
        chosen.binary_search(&(at - 1)).is_ok()
    });
}

/// The polygon that is left may lack this fraction of the size of the region.
const LACK: Real = 0.01;

/// Chooses as few points as span the region to within 1 % of its size, the deepest among them: the four of [`most_spread`], and corners of the region that lie farther outside
/// their polygon than that. Returns their places in ascending order. The arguments are those of [`most_spread`].
///
/// # Source
/// Four points: K-09. More: the splitting of Douglas and Peucker 1973, on the loop of the region's corners.
#[inline(always)]
pub(crate) fn spanning([u, v]: [&mut [Real]; 2], separation: &[Real], noise: Real) -> Chosen {
    let loop_of_four = most_spread([&mut *u, &mut *v], separation, noise);
    let mut chosen: Chosen = loop_of_four.into_iter().collect();
    chosen.sort_unstable();
    chosen.dedup();
    let count = separation.len();
    let (u, v) = (&u[..count], &v[..count]);
    let reach = (0..count).fold(0.0, |r: Real, i| r.max(u[i] * u[i] + v[i] * v[i])).sqrt();
    let slack = (LACK * reach).max(noise);
    // most regions are no more than the four
    let outside = |i: usize| {
        let off = |k: usize| beyond([u, v], [loop_of_four[k], loop_of_four[(k + 1) % 4]], i);
        off(0).max(off(1)).max(off(2)).max(off(3))
    };
    if (0..count).any(|i| outside(i) > slack) {
        split([u, v], slack, &mut chosen);
    }
    chosen
}

/// Distance of a point to the right of the line from one point to another (m).
#[inline(always)]
fn beyond([u, v]: [&[Real]; 2], [from, to]: [usize; 2], i: usize) -> Real {
    let (x, y) = (u[to] - u[from], v[to] - v[from]);
    let length = (x * x + y * y).sqrt();
    let off = y * (u[i] - u[from]) - x * (v[i] - v[from]);
    if length > 0.0 { off / length } else { 0.0 }
}

/// Adds corners of the region until no corner is farther than `slack` (m) outside the polygon of the chosen ones.
#[cold]
fn split([u, v]: [&[Real]; 2], slack: Real, chosen: &mut Chosen) {
    let hull = corners([u, v]);
    let count = hull.len();
    let is_chosen = |chosen: &Chosen, k: usize| chosen.contains(&hull[k % count]);
    let Some(start) = (0..count).find(|&k| is_chosen(chosen, k)) else { return };
    let mut from = start;
    while from < start + count {
        let Some(to) = (from + 1..=start + count).find(|&k| is_chosen(chosen, k)) else { return };
        let ends = [hull[from % count], hull[to % count]];
        let mut farthest = (slack, None);
        for k in from + 1..to {
            let i = hull[k % count];
            // between a point and itself, all around
            let off = if ends[0] == ends[1] {
                ((u[i] - u[ends[0]]).powi(2) + (v[i] - v[ends[0]]).powi(2)).sqrt()
            } else {
                beyond([u, v], ends, i)
            };
            if off > farthest.0 {
                farthest = (off, Some(i));
            }
        }
        // the nearer part of a stretch that was split is looked at again
        match farthest.1 {
            Some(i) => chosen.push(i),
            None => from = to,
        }
    }
    chosen.sort_unstable();
}

/// The corners of the convex hull of points in a plane, counter-clockwise (Andrew's monotone chain).
fn corners([u, v]: [&[Real]; 2]) -> Chosen {
    let mut order: Chosen = (0..u.len()).collect();
    order.sort_unstable_by(|&i, &j| u[i].total_cmp(&u[j]).then(v[i].total_cmp(&v[j])).then(i.cmp(&j)));
    let mut hull = Chosen::new();
    let mut chain = |order: &mut dyn Iterator<Item = usize>| {
        let first = hull.len();
        for i in order {
            while hull.len() >= first + 2 && beyond([u, v], [hull[hull.len() - 2], hull[hull.len() - 1]], i) >= 0.0 {
                hull.pop();
            }
            hull.push(i);
        }
        // the last point begins the next chain
        hull.pop();
    };
    chain(&mut order.iter().copied());
    chain(&mut order.iter().rev().copied());
    if hull.is_empty() { order } else { hull }
}

/// Chooses four points that span the largest quadrilateral with the deepest point as a corner (K-09): the deepest, the other end of
/// its diagonal, and on either side of the diagonal the point farthest from it. Returns their places counter-clockwise from the deepest; some may
/// coincide.
///
/// Points are given by their coordinates in a plane along the surface, right-handed seen from the tip of the normal (m), and by their signed distances (m). The number of places is
/// a multiple of [`ABREAST`]; the last ones are empty. On return the points are relative to the deepest one.
///
/// Points as deep as the deepest up to `noise` (m) count as equal, and the first of equals is taken, so that the
/// choice does not flicker.
#[inline(always)]
fn most_spread([u, v]: [&mut [Real]; 2], separation: &[Real], noise: Real) -> [usize; 4] {
    let count = separation.len();
    let first = pick(count, noise, |i| -separation[i]);
    let from = [u[first], v[first]];
    for i in 0..count {
        u[i] -= from[0];
        v[i] -= from[1];
    }
    // the places behind the last point are put at the first, where they have no effect
    u[count..].fill(0.0);
    v[count..].fill(0.0);
    let (u, v) = (&*u, &*v);
    let length = |i: usize| (u[i] * u[i] + v[i] * v[i]).sqrt();
    let farthest = pick(count, noise, length);
    let reach = length(farthest);
    let second = if count > MOST_DIAGONALS {
        farthest
    } else {
        // in units of length, so that noise counts the same
        let unit = reach.max(Real::MIN_POSITIVE);
        let widest = pick(count, noise, |i| spanned([u, v], [u[i], v[i]]) / unit);
        if spanned([u, v], [u[widest], v[widest]]) > noise * reach { widest } else { farthest }
    };
    // signed height above the line from the first to the second point
    let scale = 1.0 / length(second);
    let across = if scale.is_finite() { [-v[second] * scale, u[second] * scale] } else { [0.0; 2] };
    let height = |i: usize| across[0] * u[i] + across[1] * v[i];
    let third = pick(count, noise, height);
    let fourth = pick(count, noise, |i| -height(i));
    [first, fourth, second, third]
}

/// Number of points processed at once.
pub(crate) const ABREAST: usize = 4;

/// Twice the area of the widest quadrilateral that has a given vector from the first point as a diagonal (m^2); the number of vectors is a multiple of
/// [`ABREAST`].
#[inline(always)]
fn spanned([u, v]: [&[Real]; 2], way: [Real; 2]) -> Real {
    let (mut low, mut high) = ([0.0; ABREAST], [0.0; ABREAST]);
    for (u, v) in u.chunks_exact(ABREAST).zip(v.chunks_exact(ABREAST)) {
        for i in 0..ABREAST {
            let h = way[0] * v[i] - way[1] * u[i];
            low[i] = if h < low[i] { h } else { low[i] };
            high[i] = if h > high[i] { h } else { high[i] };
        }
    }
    high.into_iter().fold(0.0, Real::max) - low.into_iter().fold(0.0, Real::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(places: &[(Real, Real)]) -> Candidates {
        let at = |&(x, z): &(Real, Real)| Vec3::new(x, 0.0, z);
        let candidate = |(i, p)| Candidate { on_reference: at(p), on_other: at(p), separation: 0.0, key: i as u64 };
        places.iter().enumerate().map(candidate).collect()
    }

    /// Loss of extent by the kept points compared with all, at worst over directions (m).
    fn lack(all: &[(Real, Real)], kept: &Candidates) -> Real {
        let reach = |w: Real, p: (Real, Real)| p.0 * w.cos() + p.1 * w.sin();
        let lacking = (0..720).map(|k| {
            let w = core::f64::consts::PI / 360.0 * Real::from(k);
            let most =
                |points: &mut dyn Iterator<Item = (Real, Real)>| points.map(|p| reach(w, p)).fold(Real::MIN, Real::max);
            most(&mut all.iter().copied()) - most(&mut kept.iter().map(|c| (c.on_reference.x, c.on_reference.z)))
        });
        lacking.fold(0.0, Real::max)
    }

    #[test]
    fn an_octagon_keeps_its_corners_and_a_square_with_blunt_ones_four() {
        let ring = |count: u32, radius: Real| -> Vec<(Real, Real)> {
            let w = core::f64::consts::TAU / Real::from(count);
            (0..count).map(|i| (radius * (w * Real::from(i)).cos(), radius * (w * Real::from(i)).sin())).collect()
        };
        let mut octagon = points(&ring(8, 1.0));
        reduce(&mut octagon, Vec3::Y, 1e-9);
        assert_eq!(octagon.len(), 8);
        let blunt: Vec<(Real, Real)> =
            ring(4, 1.0).iter().flat_map(|&(x, z)| [0.003, -0.003].map(|d| (x + d * z, z - d * x))).collect();
        let mut square = points(&blunt);
        reduce(&mut square, Vec3::Y, 1e-9);
        assert_eq!(square.len(), 4);
    }

    #[test]
    fn of_any_region_the_polygon_is_kept_to_one_hundredth_by_few_points() {
        let mut seed = 0.3_f64;
        let mut next = || {
            seed = (seed * 91.17 + 0.123_456_7).fract();
            seed
        };
        let mut lost_by_four: Real = 0.0;
        for round in 0..300 {
            let count = 5 + round % 30;
            let (a, b) = (0.2 + next(), 0.2 + next());
            let places: Vec<(Real, Real)> = (0..count)
                .map(|_| {
                    let (w, r) = (core::f64::consts::TAU * next(), next().sqrt());
                    (a * r * w.cos(), b * r * w.sin())
                })
                .collect();
            let mut kept = points(&places);
            reduce(&mut kept, Vec3::Y, 1e-9);
            let size = places
                .iter()
                .flat_map(|p| places.iter().map(move |q| (p.0 - q.0).hypot(p.1 - q.1)))
                .fold(0.0, Real::max);
            assert!(lack(&places, &kept) <= LACK * size * (1.0 + 1e-9), "{places:?} {kept:?}");
            // the control: four points do not
            kept.truncate(4);
            lost_by_four = lost_by_four.max(lack(&places, &kept) / size);
        }
        assert!(lost_by_four > 5.0 * LACK, "{lost_by_four}");
    }

    #[test]
    fn of_a_flat_region_the_corners_stay() {
        // K-09: points inside the rectangle or on its sides add no wrench that its corners cannot bear
        let mut points = Vec::new();
        for i in 0..7 {
            for j in 0..5 {
                let position = Vec3::new(Real::from(i), 0.0, Real::from(j));
                points.push(Placed { position, normal: Vec3::Y, separation: 0.0, is_reduced: true });
            }
        }
        let side = |z| Placed { normal: Vec3::X, position: Vec3::new(9.0, 0.0, z), ..points[0] };
        points.extend([side(0.0), side(1.0)]);
        let mut kept = Vec::new();
        reduce_by_direction(points.len(), |i| points[i], 1e-9, |i| kept.push(points[i].position));
        assert_eq!(kept.len(), 6, "{kept:?}");
        for corner in [[0.0, 0.0], [6.0, 0.0], [0.0, 4.0], [6.0, 4.0]] {
            assert!(kept.contains(&Vec3::new(corner[0], 0.0, corner[1])), "{kept:?}");
        }
    }
}
