use crate::candidate::{Candidate, Candidates};
use drystone_core::ContactSeed;
use drystone_math::{Real, Vec3, tangent_basis};
use smallvec::SmallVec;

/// Cosine of the angle up to which normals of samples count as one direction.
const ONE_DIRECTION: Real = 0.99;

/// Keeps at most four points per direction of those that samples found: the outermost of one direction can bear whatever
/// all of them bear (K-02). Calls back with the kept points, in their order.
///
/// # Cost
/// O(n directions). No allocation for up to 64 points.
pub(crate) fn reduce_samples(seeds: &[ContactSeed], noise: Real, mut keep: impl FnMut(&ContactSeed)) {
    let mut left: SmallVec<[u32; 64]> = (0..seeds.len() as u32).collect();
    while let Some(&first) = left.first() {
        let normal = seeds[first as usize].normal;
        let mut points = Candidates::new();
        left.retain(|&mut i| {
            let s = &seeds[i as usize];
            let same = s.normal.dot(normal) >= ONE_DIRECTION;
            if same {
                let (on_reference, separation) = (s.position, s.separation);
                points.push(Candidate { on_reference, on_other: s.position, separation, key: u64::from(i) });
            }
            !same
        });
        reduce_to_four(&mut points, normal, noise);
        for c in &points {
            keep(&seeds[c.key as usize]);
        }
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

/// If there are more than four points, keeps the four that [`most_spread`] chooses.
pub(crate) fn reduce_to_four(points: &mut Candidates, normal: Vec3, noise: Real) {
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
    let four = most_spread([&mut along(t1), &mut along(t2)], &separation, noise);
    let mut kept = 0;
    let mut last = None;
    for i in four {
        if last != Some(i) {
            points[kept] = points[i];
            kept += 1;
        }
        last = Some(i);
    }
    points.truncate(kept);
}

/// Chooses four points that span the largest quadrilateral with the deepest point as a corner (K-09): the deepest, the other end of
/// its diagonal, and on either side of the diagonal the point farthest from it. Returns their places in ascending order; some may
/// coincide.
///
/// Points are given by their coordinates in a plane along the surface, right-handed seen from the tip of the normal (m), and by their signed distances (m). The number of places is
/// a multiple of [`ABREAST`]; the last ones are empty. On return the points are relative to the deepest one.
///
/// Points as deep as the deepest up to `noise` (m) count as equal, and the first of equals is taken, so that the
/// choice does not flicker.
#[inline(always)]
pub(crate) fn most_spread([u, v]: [&mut [Real]; 2], separation: &[Real], noise: Real) -> [usize; 4] {
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
    let mut chosen = [first, second, third, fourth];
    chosen.sort_unstable();
    chosen
}

/// How many points are processed at once.
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

    #[test]
    fn an_octagon_keeps_a_quadrilateral() {
        let at = |i: usize| {
            let w = core::f64::consts::FRAC_PI_4 * i as Real;
            Vec3::new(w.cos(), 0.0, w.sin())
        };
        let mut points: Candidates = (0..8)
            .map(|i| Candidate { on_reference: at(i), on_other: at(i), separation: 0.0, key: i as u64 })
            .collect();
        reduce_to_four(&mut points, Vec3::Y, 1e-9);
        assert_eq!(points.iter().map(|c| c.key).collect::<Vec<_>>(), [0, 2, 4, 6]);
    }

    #[test]
    fn of_a_flat_region_the_corners_stay() {
        // K-09: points inside the rectangle or on its sides add no wrench that its corners cannot bear
        let mut seeds = Vec::new();
        for i in 0..7 {
            for j in 0..5 {
                let position = Vec3::new(Real::from(i), 0.0, Real::from(j));
                let key = drystone_core::FeatureKey(10 * i as u64 + j as u64);
                seeds.push(ContactSeed { position, normal: Vec3::Y, separation: 0.0, key });
            }
        }
        let side = |z| ContactSeed { normal: Vec3::X, position: Vec3::new(9.0, 0.0, z), ..seeds[0] };
        seeds.extend([side(0.0), side(1.0)]);
        let mut kept = Vec::new();
        reduce_samples(&seeds, 1e-9, |s| kept.push(s.position));
        assert_eq!(kept.len(), 6, "{kept:?}");
        for corner in [[0.0, 0.0], [6.0, 0.0], [0.0, 4.0], [6.0, 4.0]] {
            assert!(kept.contains(&Vec3::new(corner[0], 0.0, corner[1])), "{kept:?}");
        }
    }
}
