//! Two faces or edges that lie flush on each other: their points span what both cover, which a clipping in the plane tells.

use super::certificates::{Fault, manifold};
use drystone_core::PosedShape;
use drystone_geometry::{MeshShape, Shape, TriangleMesh};
use drystone_math::{Pose, Quat, Real, Vec3};
use drystone_testkit::Random;

/// Corners that stand for a circle.
const CIRCLE: usize = 720;

/// The points may span less than what is covered by this fraction of its size, by the reduction.
const LACK: Real = 0.0105;

/// And by this fraction of the radius of a circle, for which a polygon of 16 corners stands: 1 - cos(pi / 16).
const SAGITTA: Real = 0.0193;

/// The points may span more by this (m): round shapes come near the other beside the flush region.
const BESIDE: Real = 5e-3;

/// Regions narrower than this are not judged (m): rounding decides what they cover.
const NARROW: Real = 0.01;

/// The kind that lies on a sharp edge.
const SHARP: usize = 5;

type Flat = (Real, Real);

/// A shape that stands on a face, or lies on an edge, at height zero, with the outline of what touches the ground.
struct Standing {
    shape: Shape,
    pose: Pose,
    outline: Vec<Flat>,
    /// True if it lies on a sharp edge.
    is_sharp: bool,
}

impl Standing {
    /// The radius of a circular outline (m), or zero.
    fn radius(&self) -> Real {
        if self.outline.len() == CIRCLE { self.outline[0].0 } else { 0.0 }
    }
}

fn rectangle(x: Real, z: Real) -> Vec<Flat> {
    vec![(x, z), (-x, z), (-x, -z), (x, -z)]
}

fn circle(r: Real) -> Vec<Flat> {
    let at = |i: usize| core::f64::consts::TAU * i as Real / CIRCLE as Real;
    (0..CIRCLE).map(|i| (r * at(i).cos(), r * at(i).sin())).collect()
}

/// A shape on its lowest face or edge.
fn standing(random: &mut Random) -> Standing {
    let [x, y, z] = [(); 3].map(|()| random.range(0.1, 0.6));
    let upright = |h: Real| Pose::from_position(Vec3::Y * h);
    let lying = |r: Real| Pose::new(Vec3::Y * r, Quat::from_rotation_z(core::f64::consts::FRAC_PI_2));
    let kind = random.below(8);
    let is_sharp = kind == SHARP;
    let (shape, pose, outline) = match kind {
        0 => (Shape::cuboid(x, y, z), upright(y), rectangle(x, z)),
        1 => (Shape::cylinder(x, y), upright(y), circle(x)),
        2 => (Shape::cone(x, y), upright(y), circle(x)),
        3 => (Shape::capsule(x, y), lying(x), vec![(y, 0.0), (-y, 0.0)]),
        4 => (Shape::cylinder(x, y), lying(x), vec![(y, 0.0), (-y, 0.0)]),
        SHARP => {
            let (s, c) = random.range(0.3, 1.2).sin_cos();
            let turned = Quat::from_rotation_x(c.acos());
            let place = Vec3::new(0.0, y * c + z * s, y * s - z * c);
            (Shape::cuboid(x, y, z), Pose::new(place, turned), vec![(x, 0.0), (-x, 0.0)])
        }
        6 => {
            let corners = prism(random, x);
            let points: Vec<Vec3> =
                corners.iter().flat_map(|&(u, v)| [Vec3::new(u, -y, v), Vec3::new(0.7 * u, y, 0.7 * v)]).collect();
            (Shape::convex(&points), upright(y), corners)
        }
        _ => {
            let mesh = MeshShape::new(TriangleMesh::cuboid(Vec3::new(x, y, z), 1 + random.below(2) as u32), None);
            (Ok(Shape::mesh(mesh.expect("a sound mesh"))), upright(y), rectangle(x, z))
        }
    };
    let shape = shape.expect("sizes above zero");
    if random.below(4) == 0 {
        let place = Pose::new(random.vector(0.5), random.rotation());
        let whole = Shape::compound(vec![(shape, place)]).expect("one part");
        return Standing { shape: whole, pose: pose * Pose::IDENTITY.relative_to(&place), outline, is_sharp };
    }
    Standing { shape, pose, outline, is_sharp }
}

/// The corners of a convex polygon about the origin, counter-clockwise.
fn prism(random: &mut Random, size: Real) -> Vec<Flat> {
    let count = 3 + random.below(6);
    let at = |i: usize, w: Real| core::f64::consts::TAU * (i as Real + w) / count as Real;
    (0..count).map(|i| at(i, random.range(-0.3, 0.3))).map(|w| (size * w.cos(), size * w.sin())).collect()
}

/// The common region of two convex outlines; the second may be a segment.
fn covered(a: &[Flat], b: &[Flat]) -> Vec<Flat> {
    let mut left = b.to_vec();
    for i in 0..a.len() {
        let (p, q) = (a[i], a[(i + 1) % a.len()]);
        let side = |x: Flat| (q.0 - p.0) * (x.1 - p.1) - (q.1 - p.1) * (x.0 - p.0);
        let mut cut = Vec::new();
        for k in 0..left.len() {
            let (x, y) = (left[k], left[(k + 1) % left.len()]);
            let (dx, dy) = (side(x), side(y));
            if dx >= 0.0 {
                cut.push(x);
            }
            if dx * dy < 0.0 {
                let t = dx / (dx - dy);
                cut.push((x.0 + t * (y.0 - x.0), x.1 + t * (y.1 - x.1)));
            }
        }
        left = cut;
    }
    left
}

/// The stretch that two parallel segments share.
fn shared(a: &[Flat], b: &[Flat]) -> Vec<Flat> {
    let (p, u) = (a[0], (a[1].0 - a[0].0, a[1].1 - a[0].1));
    let along = |x: Flat| ((x.0 - p.0) * u.0 + (x.1 - p.1) * u.1) / (u.0 * u.0 + u.1 * u.1);
    let (s, t) = (along(b[0]), along(b[1]));
    let (from, to) = (s.min(t).max(0.0), s.max(t).min(1.0));
    if from > to { Vec::new() } else { [from, to].map(|s| (p.0 + s * u.0, p.1 + s * u.1)).to_vec() }
}

fn reach(points: &[Flat], w: Real) -> Real {
    points.iter().fold(Real::NEG_INFINITY, |m, p| m.max(p.0 * w.cos() + p.1 * w.sin()))
}

/// The common region, and the placement: the upper one at `place` in the frame in which the lower one stands on its head.
struct Meeting {
    region: Vec<Flat>,
    place: Pose,
    gap: Real,
}

fn meeting(random: &mut Random, below: &Standing, above: &Standing) -> Meeting {
    let mirrored: Vec<Flat> = below.outline.iter().map(|&(x, z)| (x, -z)).collect();
    let segments = below.outline.len() == 2 && above.outline.len() == 2;
    let spin = if segments { core::f64::consts::PI * random.below(2) as Real } else { random.range(0.0, 6.0) };
    let across = if segments { 0.0 } else { random.range(-0.5, 0.5) };
    let offset = Vec3::new(random.range(-0.5, 0.5), 0.0, across);
    // sharp edges that overlap leave each other sideways
    let gap = [1e-3, 1e-6, 0.0, -1e-6, -1e-3][random.below(if segments { 2 } else { 5 })];
    let place = Pose::new(offset + Vec3::Y * gap, Quat::from_rotation_y(spin));
    let turned = |&(x, z): &Flat| {
        let p = place.point(Vec3::new(x, 0.0, z));
        (p.x, p.z)
    };
    let outline: Vec<Flat> = above.outline.iter().map(turned).collect();
    let [x, y] = [mirrored, outline].map(counter_clockwise);
    let region = match (x.len(), y.len()) {
        (2, 2) => shared(&x, &y),
        (2, _) => covered(&y, &x),
        _ => covered(&x, &y),
    };
    Meeting { region, place, gap }
}

fn counter_clockwise(outline: Vec<Flat>) -> Vec<Flat> {
    let next = |i: usize| outline[(i + 1) % outline.len()];
    let area: Real = outline.iter().enumerate().map(|(i, p)| p.0 * next(i).1 - p.1 * next(i).0).sum();
    if area < 0.0 { outline.into_iter().rev().collect() } else { outline }
}

/// The largest difference of the reach of two sets of points over directions (m).
fn farther(a: &[Flat], b: &[Flat]) -> Real {
    (0..64).map(|k| Real::from(k) * 0.098).map(|w| reach(a, w) - reach(b, w)).fold(0.0, Real::max)
}

/// Draws a pair that meets flush and judges what its points span.
///
/// # Errors
/// A region that the points do not span, or that they leave.
pub(crate) fn check(random: &mut Random) -> Result<(), Fault> {
    let (below, above) = (standing(random), standing(random));
    let Meeting { region, place, gap } = meeting(random, &below, &above);
    let frame = Pose::new(random.vector(1.0), random.rotation());
    let head = Pose::new(Vec3::ZERO, Quat::from_rotation_x(core::f64::consts::PI));
    let a = PosedShape { shape: &below.shape, pose: frame * head * below.pose };
    let b = PosedShape { shape: &above.shape, pose: frame * place * above.pose };
    let widths = [0.0, 0.8, 1.6, 2.4].map(|w| reach(&region, w) + reach(&region, w + core::f64::consts::PI));
    let [lower, upper] = [&below, &above].map(|s| s.outline.len() == 2);
    // a sharp edge along another edge has one contact
    if lower && upper && (below.is_sharp || above.is_sharp) {
        return Ok(());
    }
    let is_edge = lower || upper;
    let size = widths.into_iter().fold(0.0, Real::max);
    if size < 4.0 * NARROW || !is_edge && widths.into_iter().any(|w| w < NARROW) {
        return Ok(());
    }
    let sagitta = SAGITTA * below.radius().max(above.radius());
    for (reduce, allowed) in [(false, sagitta + 1e-5), (true, LACK * size + sagitta)] {
        let m = manifold(a, b, reduce);
        let placed = m.points.iter().map(|p| p.world(&a.pose, &b.pose));
        let points: Vec<Flat> = placed
            .filter(|(_, _, s)| (s - gap).abs() < 2e-6)
            .map(|(_, at, _)| frame.local_point(at))
            .map(|p| (p.x, p.z))
            .collect();
        let (lack, excess) = (farther(&region, &points), farther(&points, &region));
        let what = match (lack > allowed, excess > BESIDE) {
            (true, _) => "region not spanned",
            (_, true) => "beyond the region",
            _ => continue,
        };
        let kind = format!("flush: {} - {}: {what}", below.shape.kind(), above.shape.kind());
        let told = format!(
            "lacks {lack} of {size}, beyond by {excess}, gap {gap}, reduced {reduce}: {points:?} of {region:?}"
        );
        return Err(Fault { kind, told: told.chars().take(1500).collect() });
    }
    Ok(())
}
