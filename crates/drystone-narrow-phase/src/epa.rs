use crate::gjk::Simplex;
use crate::minkowski::{Corner, Difference};
use drystone_math::{Real, Vec3, tangent_basis};
use smallvec::SmallVec;

/// Corners after which the best depth so far is taken.
const MOST_CORNERS: usize = 160;

/// The bounds on the depth agree to this part of the size.
const RELATIVE: Real = 1e-9;

/// A corner this close to a facet's plane (part of the size) lies in it.
const SAME_PLANE: Real = 1e-14;

/// How deep two cores overlap, and where.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Depth {
    /// How far B must move along `normal` to part them (m); below zero by rounding where they hardly touch.
    pub length: Real,
    /// Unit, A's frame: the way B has to go.
    pub normal: Vec3,
    /// Deepest point of A's core (A's frame, m).
    pub on_a: Vec3,
    /// Deepest point of B's core (A's frame, m).
    pub on_b: Vec3,
    /// Corners taken.
    pub iterations: u32,
}

/// A triangle of the growing polytope with the distance of its plane from the origin.
#[derive(Clone, Copy)]
struct Facet {
    corner: [u16; 3],
    normal: Vec3,
    distance: Real,
}

/// The least depth of two overlapping cores by the expanding polytope algorithm, from the simplex that GJK left.
///
/// Whatever rounding does to the polytope, the depth is the extent of the difference along the normal that is
/// returned: a length that parts the cores.
///
/// # Source
/// van den Bergen 2001, named by thesis 5.4 (J-22).
pub(crate) fn penetration(shape: &Difference<'_>, simplex: &Simplex) -> Depth {
    let mut corners: SmallVec<[Corner; 64]> = simplex.corners.iter().copied().collect();
    if let Some(flat) = complete(shape, &mut corners) {
        return flat;
    }
    let mut facets: SmallVec<[Facet; 128]> = SmallVec::new();
    let [a, b, c, d] = [corners[0].at, corners[1].at, corners[2].at, corners[3].at];
    let inward = (b - a).cross(c - a).dot(d - a) > 0.0;
    for t in [[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]] {
        let t = if inward { [t[0], t[2], t[1]] } else { t };
        facets.push(facet(&corners, t));
    }

    let mut best = extent(shape, facets[0].normal, 0);
    let mut iterations = 0;
    loop {
        iterations += 1;
        // the facet nearest to the origin bounds the depth from below, the extent along its normal from above
        let nearest = facets.iter().fold(facets[0], |m, f| if f.distance < m.distance { *f } else { m });
        if nearest.distance == Real::INFINITY {
            break;
        }
        let w = shape.support(nearest.normal);
        let reach = nearest.normal.dot(w.at);
        if reach < best.length || iterations == 1 {
            best = located(shape, &corners, &nearest, reach, iterations);
        }
        if best.length - nearest.distance <= RELATIVE * shape.size || corners.len() >= MOST_CORNERS {
            break;
        }
        let noise = SAME_PLANE * shape.size;
        if corners.iter().any(|c| c.at == w.at) || !grow(&mut corners, &mut facets, w, noise) {
            // rounding leaves no way on from here: the other facets may have one
            for f in facets.iter_mut().filter(|f| f.corner == nearest.corner) {
                f.distance = Real::INFINITY;
            }
        }
    }
    Depth { iterations, ..best }
}

/// Adds corners until four span a volume; the answer at once where the difference has none.
fn complete(shape: &Difference<'_>, corners: &mut SmallVec<[Corner; 64]>) -> Option<Depth> {
    let noise = 1e-9 * shape.size;
    // a second corner, away from the first
    if corners.len() < 2 {
        let from = corners[0].at;
        for d in [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z] {
            let w = shape.support(d);
            if (w.at - from).length() > noise {
                corners.push(w);
                break;
            }
        }
        if corners.len() < 2 {
            // two points: any direction will do
            return Some(extent(shape, Vec3::Y, 0));
        }
    }
    // a third, off their line
    if corners.len() < 3 {
        let line = (corners[1].at - corners[0].at).normalize();
        let (u, v) = tangent_basis(line);
        for k in 0..6 {
            let w = core::f64::consts::FRAC_PI_3 * f64::from(k);
            let d = u * w.cos() + v * w.sin();
            let w = shape.support(d);
            if (w.at - corners[0].at).cross(line).length() > noise {
                corners.push(w);
                break;
            }
        }
        if corners.len() < 3 {
            // two segments on one line: across it they part at once
            return Some(extent(shape, u, 0));
        }
    }
    // a fourth, off their plane
    let plane = |c: &[Corner]| (c[1].at - c[0].at).cross(c[2].at - c[0].at).normalize_or(Vec3::Y);
    let n = plane(corners);
    if corners.len() > 3 && n.dot(corners[3].at - corners[0].at).abs() <= noise {
        corners.truncate(3);
    }
    if corners.len() < 4 {
        for d in [n, -n] {
            let w = shape.support(d);
            if n.dot(w.at - corners[0].at).abs() > noise {
                corners.push(w);
                return None;
            }
        }
        // all in one plane: across it they part at once
        let way = if n.dot(shape.offset()) < 0.0 { -n } else { n };
        return Some(extent(shape, way, 0));
    }
    corners.truncate(4);
    None
}

fn facet(corners: &[Corner], corner: [u16; 3]) -> Facet {
    let [a, b, c] = corner.map(|i| corners[usize::from(i)].at);
    let n = (b - a).cross(c - a);
    let longest = (b - a).length_squared().max((c - a).length_squared()).max((c - b).length_squared());
    let length = n.length();
    if length <= 1e-14 * longest {
        // a sliver bounds nothing
        return Facet { corner, normal: Vec3::ZERO, distance: Real::INFINITY };
    }
    let normal = n / length;
    let distance = normal.dot(a).max(normal.dot(b)).max(normal.dot(c));
    Facet { corner, normal, distance }
}

/// Replaces the facets that see `w` by a fan from it; `false` where rounding leaves no clean border.
fn grow(corners: &mut SmallVec<[Corner; 64]>, facets: &mut SmallVec<[Facet; 128]>, w: Corner, noise: Real) -> bool {
    let apex = corners.len() as u16;
    let mut border: SmallVec<[(u16, u16); 64]> = SmallVec::new();
    let mut kept: SmallVec<[Facet; 128]> = SmallVec::new();
    for f in facets.iter() {
        let a = corners[usize::from(f.corner[0])].at;
        // what lies in a facet's plane does not see it; slivers have no side at all
        if f.normal.dot(w.at - a) > noise {
            for e in 0..3 {
                let (p, q) = (f.corner[e], f.corner[(e + 1) % 3]);
                if let Some(i) = border.iter().position(|&b| b == (q, p)) {
                    border.swap_remove(i);
                } else {
                    border.push((p, q));
                }
            }
        } else {
            kept.push(*f);
        }
    }
    let once = |v: u16| border.iter().filter(|b| b.0 == v).count() == 1;
    if border.len() < 3 || !border.iter().all(|b| once(b.0) && once(b.1)) {
        return false;
    }
    corners.push(w);
    for &(p, q) in &border {
        kept.push(facet(corners, [p, q, apex]));
    }
    *facets = kept;
    true
}

/// The depth along a facet's normal, with the points that meet at the foot of the origin.
fn located(shape: &Difference<'_>, corners: &[Corner], f: &Facet, reach: Real, iterations: u32) -> Depth {
    let [a, b, c] = f.corner.map(|i| corners[usize::from(i)]);
    let foot = f.normal * f.distance;
    let n = f.normal;
    let (u, v, w) = (
        n.dot((b.at - foot).cross(c.at - foot)).max(0.0),
        n.dot((c.at - foot).cross(a.at - foot)).max(0.0),
        n.dot((a.at - foot).cross(b.at - foot)).max(0.0),
    );
    let sum = u + v + w;
    if sum <= Real::MIN_POSITIVE {
        return extent(shape, -n, iterations);
    }
    let on_a = (a.on_a * u + b.on_a * v + c.on_a * w) / sum;
    // B has to go against the facet's normal: the difference is B - A
    Depth { length: reach, normal: -n, on_a, on_b: on_a + n * reach, iterations }
}

/// How far B must go along `way` to part the cores.
fn extent(shape: &Difference<'_>, way: Vec3, iterations: u32) -> Depth {
    let w = shape.support(-way);
    let length = -way.dot(w.at);
    Depth { length, normal: way, on_a: w.on_b + way * length, on_b: w.on_b, iterations }
}
