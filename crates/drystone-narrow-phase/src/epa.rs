use crate::minkowski::{Corner, Difference};
use crate::polytope::Polytope;
use crate::simplex::Simplex;
use drystone_math::elementary::{cos, sin};
use drystone_math::{Real, Vec3, tangent_basis};
use std::cell::Cell;

/// After this many corners the best depth so far is taken.
const MOST_CORNERS: usize = 192;

/// The bounds on the depth must agree to this fraction of the size if all corners are sharp.
const RELATIVE: Real = 1e-10;

/// The same for curved shapes, which the polytope only approaches: a descent makes up the rest.
const RELATIVE_CURVED: Real = 1e-6;

/// A corner this close to a facet's plane (as a fraction of the size) lies in it.
const SAME_PLANE: Real = 1e-14;

/// A foot this far outside a facet, as a fraction of its area, lies in another one.
const BESIDE: Real = 1e-9;

/// A facet deeper inside the difference than this fraction of the size is not part of its surface.
const INSIDE: Real = 1e-10;

thread_local! {
    /// The polytope of the last call on this thread, kept for its memory.
    static ROOM: Cell<Polytope> = Cell::new(Polytope::default());
}

/// Penetration of two cores: depth and place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Depth {
    /// Distance that B must move along `normal` to separate them (m); negative by rounding if they barely touch.
    pub length: Real,
    /// Unit vector in A's frame: the way B has to go.
    pub normal: Vec3,
    /// Deepest point of A's core (A's frame, m).
    pub on_a: Vec3,
    /// Deepest point of B's core (A's frame, m).
    pub on_b: Vec3,
    /// No way out is shorter than this (m).
    pub lower: Real,
    /// True if the points may lie beside the surfaces: the foot of the origin lies in another facet of the same plane,
    /// the facet is not in the difference's surface, or there is no facet.
    pub beside: bool,
    /// Corners taken.
    pub iterations: u32,
}

/// The least depth of two overlapping cores by the expanding polytope algorithm, from the simplex that GJK left.
///
/// Whatever rounding does to the polytope, the depth is the extent of the difference along the normal that is returned:
/// a length that does part the cores.
///
/// # Source
/// van den Bergen 2001, named by thesis 5.4 (J-22).
pub(crate) fn penetration(shape: &Difference<'_>, simplex: &Simplex) -> Depth {
    let mut polytope = ROOM.take();
    let found = expand(shape, simplex, &mut polytope);
    ROOM.set(polytope);
    found
}

fn expand(shape: &Difference<'_>, simplex: &Simplex, polytope: &mut Polytope) -> Depth {
    polytope.clear();
    polytope.corners.extend_from_slice(simplex.corners());
    if let Some(flat) = complete(shape, &mut polytope.corners) {
        return flat;
    }
    let relative = if shape.curved { RELATIVE_CURVED } else { RELATIVE };
    polytope.start();
    let mut best: Option<Depth> = None;
    let mut lower = 0.0;
    let mut iterations = 0;
    // the facet nearest to the origin bounds the depth from below, the extent along its normal from above
    while let Some((at, nearest)) = polytope.nearest() {
        iterations += 1;
        let w = shape.support(nearest.normal);
        let reach = nearest.normal.dot(w.at);
        if best.is_none_or(|b| reach < b.length) {
            best = Some(located(shape, &polytope.corners, nearest.corner, nearest.normal, nearest.distance, reach));
        }
        lower = nearest.distance;
        let upper = best.map_or(reach, |b| b.length);
        if upper - lower <= relative * shape.size || polytope.corners.len() >= MOST_CORNERS {
            break;
        }
        let known = polytope.corners.iter().any(|c| c.at == w.at);
        if known || !polytope.grow(at, w, SAME_PLANE * shape.size) {
            // rounding leaves no way on from here, but the other facets may have one
            polytope.drop_facet(at);
        }
    }
    let best = best.unwrap_or_else(|| extent(shape, Vec3::Y, 0));
    Depth { lower, iterations, ..best }
}

/// Adds corners until four span a volume; returns the answer at once if the difference has no volume.
fn complete(shape: &Difference<'_>, corners: &mut Vec<Corner>) -> Option<Depth> {
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
            let d = u * cos(w) + v * sin(w);
            let w = shape.support(d);
            if (w.at - corners[0].at).cross(line).length() > noise {
                corners.push(w);
                break;
            }
        }
        if corners.len() < 3 {
            // two segments on one line: across it they part at once, preferably the way they are already apart
            let from = corners[0].at;
            let apart = (from - line * from.dot(line)).normalize_or(u);
            let (any, best) = (shorter(shape, u), shorter(shape, apart));
            return Some(if best.length < any.length { best } else { any });
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
        return Some(shorter(shape, n));
    }
    corners.truncate(4);
    None
}

/// The depth along a facet's normal, with the points that meet at the foot of the origin.
fn located(shape: &Difference<'_>, corners: &[Corner], facet: [u16; 3], n: Vec3, distance: Real, reach: Real) -> Depth {
    let [a, b, c] = facet.map(|i| corners[usize::from(i)]);
    let foot = n * distance;
    let part = |p: &Corner, q: &Corner| n.dot((p.at - foot).cross(q.at - foot));
    let (u, v, w) = (part(&b, &c), part(&c, &a), part(&a, &b));
    let least = u.min(v).min(w);
    let (u, v, w) = (u.max(0.0), v.max(0.0), w.max(0.0));
    let sum = u + v + w;
    if sum <= Real::MIN_POSITIVE {
        return extent(shape, -n, 0);
    }
    let on_a = (a.on_a * u + b.on_a * v + c.on_a * w) / sum;
    // B has to go against the facet's normal: the difference is B - A
    Depth {
        length: reach,
        normal: -n,
        on_a,
        on_b: on_a + n * reach,
        lower: distance,
        beside: least < -BESIDE * sum || reach - distance > INSIDE * shape.size,
        iterations: 0,
    }
}

/// The shorter of two opposite ways out; if they are equal, the one on B's side.
fn shorter(shape: &Difference<'_>, way: Vec3) -> Depth {
    let way = if way.dot(shape.offset()) < 0.0 { -way } else { way };
    let (forth, back) = (extent(shape, way, 0), extent(shape, -way, 0));
    if back.length < forth.length - 1e-12 * shape.size { back } else { forth }
}

/// Distance that B must go along `way` to separate the cores. Its points are a corner of B's core and the point one
/// depth before it, which need not lie on A.
fn extent(shape: &Difference<'_>, way: Vec3, iterations: u32) -> Depth {
    let w = shape.support(-way);
    let length = -way.dot(w.at);
    let on_b = w.on_b();
    Depth { length, normal: way, on_a: on_b + way * length, on_b, lower: length, beside: true, iterations }
}
