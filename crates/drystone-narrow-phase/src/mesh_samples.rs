//! Sample points of either shape looked up in the other's signed distance.

use crate::edge_normals::EdgeNormals;
use crate::field::{MeshField, field};
use crate::mesh_levels::{Found, WITHIN, visit_levels};
use crate::probes::{CORNERS, ROLLING, corners, is_round_about, rolling_circles, visit_probes};
use drystone_core::{ContactSeed, FeatureKey, PosedShape};
use drystone_geometry::Shape;
use drystone_geometry::mesh::{PlacedMap, SignedDistanceMap, SphereTree};
use drystone_math::{Pose, Real, Vec3};
use smallvec::SmallVec;

/// Sine of the angle by which the way out of a capsule's side may lean along it: there a ball's surface is off the capsule's by
/// 1/800 of the radius.
const LEAN: Real = 0.05;

/// Sines of the angle between a circle's axis and a direction: up to the first the circle faces the direction, beyond the second it stands upright on it. Between the two it leans,
/// like a cylinder tipping over its rim, and has corners all round, starting from the point it rolls on, as on a plane.
const FACING: Real = 1e-3;
const ON_ITS_RIM: Real = 0.5;

/// Cosine of the angle up to which two normals belong to the same side.
const ALIKE: Real = 0.999;

/// Marks the key of a sample of B.
pub(crate) const FROM_B: u64 = 1 << 41;

/// Marks the key of any sample.
pub(crate) const SAMPLED: u64 = FeatureKey::SAMPLE;

/// The number of a mesh's first inner ball among its samples.
const INNER: u32 = 1 << 31;

/// True for the contact of a ball inside a mesh, false for that of a sample of its surface.
pub(crate) fn is_inner(key: FeatureKey) -> bool {
    key.0 & SAMPLED != 0 && key.0 as u32 >= INNER
}

/// Lookup method for meshes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lookup {
    /// The field in which points are looked up.
    pub field: MeshField,
    /// True to descend the sphere trees of the samples, false to try each sample.
    pub tree: bool,
    /// Which normals samples get beside an edge of a map.
    pub edges: EdgeNormals,
}

impl Lookup {
    /// The map to look a shape up in.
    pub(crate) fn map(self, shape: &Shape) -> Option<&SignedDistanceMap> {
        match shape {
            Shape::Mesh(m) if self.field == MeshField::Mapped => m.map(),
            _ => None,
        }
    }
}

/// The samples of each shape in the other's field, up to `reach` (m); of meshes also the balls inside that are far in the other shape. The depth of either is
/// a lower bound on the distance by which the shapes part. Returns how many distances to meshes without a map were computed.
pub(crate) fn look_up(
    a: PosedShape<'_>,
    b: PosedShape<'_>,
    reach: Real,
    lookup: Lookup,
    seeds: &mut Vec<ContactSeed>,
) -> u32 {
    seeds.clear();
    let looks = samples_in_field(a, b, reach, lookup, Samples::OfA, seeds);
    looks + samples_in_field(b, a, reach, lookup, Samples::OfB, seeds)
}

/// Whose samples are looked up in the other's field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Samples {
    OfA,
    OfB,
}

/// Looks the samples of `from` up in the field of `of`; returns how many distances to a mesh without a map were computed.
fn samples_in_field(
    from: PosedShape<'_>,
    of: PosedShape<'_>,
    reach: Real,
    lookup: Lookup,
    samples: Samples,
    seeds: &mut Vec<ContactSeed>,
) -> u32 {
    let rel = from.pose.relative_to(&of.pose);
    let (mut rolls, mut looks) = (false, 0);
    let mut emit = |at: Vec3, radius: Real, number: u32, (d, n): (Real, Vec3)| {
        let separation = d - radius;
        // the field's gradient leads from `of` to `from`
        let out = of.pose.direction(n);
        let position = of.pose.point(at) - out * (radius + 0.5 * separation);
        let (normal, mark) = match samples {
            Samples::OfA => (-out, 0),
            Samples::OfB => (out, FROM_B),
        };
        let key = FeatureKey(mark | SAMPLED | u64::from(number));
        seeds.push(ContactSeed { position, normal, separation, key, parts: None });
    };
    match (from.shape, lookup.map(of.shape)) {
        (Shape::Mesh(mesh), Some(map)) => {
            let samples = mesh.samples();
            let placed = PlacedMap::new(map, &rel, samples.extent(), reach);
            let mut try_point = |number: usize, p: Vec3| {
                if let Some(found) = map.sample_below(placed.place(p), reach) {
                    emit(rel.point(p), 0.0, number as u32, found);
                }
            };
            if lookup.tree {
                samples.visit_near(&placed, try_point);
            } else {
                samples.points().iter().copied().enumerate().for_each(|(i, p)| try_point(i, p));
            }
        }
        (Shape::Mesh(mesh), None) => {
            let distance = |p: Vec3, limit: Real, slack: Real| match of.shape {
                Shape::Mesh(m) if slack > 0.0 => m.depth(rel.point(p), slack).map(|d| (d.distance, d.gradient)),
                shape => field(shape, rel.point(p), limit, MeshField::Exact),
            };
            let has_map = lookup.map(from.shape).is_some();
            let balls = if has_map { &[] } else { mesh.inner_balls() };
            let own = |p: Vec3, radius: Real, number: u32, found: Found| emit(rel.point(p), radius, number, found);
            looks = mesh_at_distances((mesh.samples(), balls), (of.shape, &rel), reach, distance, own);
        }
        (probed, _) => {
            probes_in_field(probed, of, &rel, reach, lookup, &mut emit);
            rolls = roll(probed, of, &rel, reach, lookup, &mut emit);
        }
    }
    if rolls {
        drop_beside(from.shape, samples, seeds);
    }
    looks
}

/// The samples of a mesh and the balls inside it at their distances from another shape, with `rel` the mesh's frame seen from that. `distance` is that of [`visit_levels`], and all
/// points are in the mesh's frame. Returns how many distances of samples were computed.
fn mesh_at_distances(
    (samples, balls): (&SphereTree, &[(Vec3, Real)]),
    (of, rel): (&Shape, &Pose),
    reach: Real,
    mut distance: impl FnMut(Vec3, Real, Real) -> Option<Found>,
    mut emit: impl FnMut(Vec3, Real, u32, Found),
) -> u32 {
    let others = if let Shape::Mesh(m) = of { m.inner_balls() } else { &[] };
    let others: SmallVec<[(Vec3, Real); 8]> = others.iter().map(|(c, radius)| (rel.local_point(*c), *radius)).collect();
    let near = |p: Vec3, radius: Real| rel.point(p).length() <= of.bounding_radius() + radius;
    let inner = inner_at_distances(balls, &others, near, &mut distance);
    let deepest = inner.iter().fold(Real::INFINITY, |d: Real, ball| d.min(ball.found.0 - ball.radius));
    let known = others.iter().map(|(center, radius)| (-radius, *center));
    let looks = visit_levels(samples, [reach, deepest], known, distance, |number, found| {
        emit(samples.points()[number], 0.0, number as u32, found);
    });
    for Probe { at, radius, number, found } in inner {
        emit(at, radius, number, found);
    }
    looks
}

/// The balls inside a mesh that are in another shape by more than half their radius; `others` are the balls inside that. Samples of surfaces that are in each other that far look for
/// a way out on the far side.
///
/// Near the middle of one of the other balls all triangles around it are equally near, and an exact distance has to look at each. There a way out that is nearly the shortest will
/// do, and the depth is one that is reached in any case: that of the other ball, or the least that the way found leaves.
fn inner_at_distances(
    balls: &[(Vec3, Real)],
    others: &[(Vec3, Real)],
    near: impl Fn(Vec3, Real) -> bool,
    mut distance: impl FnMut(Vec3, Real, Real) -> Option<Found>,
) -> SmallVec<[Probe; 8]> {
    let look_up = |(k, &(at, radius)): (usize, &(Vec3, Real))| {
        let limit = 0.5 * radius;
        let depth = |(center, r): &(Vec3, Real)| r - (at - *center).length();
        let middle = others.iter().filter(|other| depth(other) > (1.0 - WITHIN) * other.1);
        let sure = middle.map(depth).fold(0.0, Real::max);
        let slack = if sure > 0.0 { WITHIN } else { 0.0 };
        let (d, way) = near(at, limit).then(|| distance(at, limit, slack)).flatten()?;
        let found = if sure > 0.0 { ((d * (1.0 - slack)).min(-sure), way) } else { (d, way) };
        Some(Probe { at, radius, number: INNER + k as u32, found })
    };
    balls.iter().enumerate().filter_map(look_up).collect()
}

/// The probes of a shape that is not a mesh, looked up in the field of `of`.
fn probes_in_field(
    probed: &Shape,
    of: PosedShape<'_>,
    rel: &Pose,
    reach: Real,
    lookup: Lookup,
    emit: &mut impl FnMut(Vec3, Real, u32, (Real, Vec3)),
) {
    let mut held = SmallVec::<[Vec3; 5]>::new();
    // the ball at the raised end of a capsule whose other end touches: it comes down on the same side if an impact turns the capsule within the step
    let mut beyond = SmallVec::<[Probe; 2]>::new();
    visit_probes(probed, |p, radius, number| {
        let at = rel.point(p);
        let found = match lookup.map(of.shape) {
            Some(map) if radius > 0.0 => ball_in_map(map, at, radius, reach),
            _ => field(of.shape, at, reach + radius, lookup.field),
        };
        let Some(found) = found else { return };
        if is_on_surface(probed, number, rel.local_direction(-found.1)) {
            held.push(found.1);
            emit(at, radius, number, found);
        } else if matches!(number, 0 | LAST_OF_CAPSULE) {
            beyond.push(Probe { at, radius, number, found });
        }
    });
    for Probe { at, radius, number, found } in beyond {
        if held.iter().any(|n| n.dot(found.1) > ALIKE) {
            emit(at, radius, number, found);
        }
    }
}

/// The points that the circles of a shape roll on in the field of `of`, and corners all round from there if the circles lean; returns whether
/// there are any.
fn roll(
    probed: &Shape,
    of: PosedShape<'_>,
    rel: &Pose,
    reach: Real,
    lookup: Lookup,
    emit: &mut impl FnMut(Vec3, Real, u32, (Real, Vec3)),
) -> bool {
    let mut rolls = false;
    for (k, (height, radius)) in rolling_circles(probed).into_iter().enumerate() {
        let center = Vec3::Y * height;
        let Some((_, n)) = field(of.shape, rel.point(center), reach + radius, lookup.field) else { continue };
        let within = rel.local_direction(-n).with_y(0.0);
        if within.length() <= FACING {
            continue;
        }
        let foremost = within.normalize() * radius;
        let count = if within.length() > ON_ITS_RIM { 1 } else { CORNERS };
        for (i, arm) in corners(foremost).take(count as usize).enumerate() {
            let at = rel.point(center + arm);
            if let Some(found) = field(of.shape, at, reach, lookup.field) {
                emit(at, 0.0, ROLLING + CORNERS * k as u32 + i as u32, found);
                rolls |= i == 0;
            }
        }
    }
    rolls
}

/// If a circle rolls on its foremost point, the probes beside it are not corners: those that find the same side of the other shape, no nearer, are dropped.
fn drop_beside(shape: &Shape, samples: Samples, seeds: &mut Vec<ContactSeed>) {
    let own = |s: &ContactSeed| (s.key.0 & FROM_B != 0) == (samples == Samples::OfB);
    let number = |s: &ContactSeed| s.key.0 as u32;
    let is_foremost = |number: u32| number.checked_sub(ROLLING).is_some_and(|n| n.is_multiple_of(CORNERS));
    let rolls: SmallVec<[ContactSeed; 2]> =
        seeds.iter().filter(|s| own(s) && is_foremost(number(s))).copied().collect();
    let beside = |s: &ContactSeed| {
        rolls.iter().any(|r| r.normal.dot(s.normal) > ALIKE && s.separation >= r.separation - s.separation.abs() * 1e-9)
    };
    seeds.retain(|s| !(own(s) && number(s) < ROLLING && is_round_about(shape, number(s)) && beside(s)));
}

/// The number of the probe at the far end of a capsule.
const LAST_OF_CAPSULE: u32 = 4;

/// A ball of a shape that was looked up.
struct Probe {
    at: Vec3,
    radius: Real,
    number: u32,
    /// The signed distance, and the way out.
    found: (Real, Vec3),
}

/// Returns true if the surface of a probe's ball is the shape's in a direction of the shape's frame: on a capsule,
/// balls inside the core represent only the side, those at the ends a hemisphere.
fn is_on_surface(probed: &Shape, number: u32, direction: Vec3) -> bool {
    !matches!(probed, Shape::Capsule(_))
        || match number {
            0 => direction.y <= LEAN,
            LAST_OF_CAPSULE => direction.y >= -LEAN,
            _ => direction.y.abs() <= LEAN,
        }
}

/// The signed distance of a ball's centre from the zero level of a map and the way out there, if the ball comes within
/// `reach` (m) of it (J-19). The point of the zero level nearest to the centre is searched for, so the centre may lie
/// outside the map.
fn ball_in_map(map: &SignedDistanceMap, center: Vec3, radius: Real, reach: Real) -> Option<(Real, Vec3)> {
    if !PlacedMap::new(map, &Pose::IDENTITY, center.length(), reach).ball_may_reach(center, radius) {
        return None;
    }
    let (nearest, gradient) = map.nearest_on_surface(center)?;
    let away = center - nearest;
    let distance = away.length().copysign(map.sample(center).map_or(1.0, |s| s.0));
    // from a distance, the way to the nearest point is the better direction: the gradient bends in the cells at an edge
    let out = if distance.abs() > 0.25 * map.cell() { away / distance } else { gradient };
    (distance <= reach + radius).then_some((distance, out))
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_geometry::{MeshShape, TriangleMesh};
    use drystone_testkit::Random;

    /// A closed surface about the origin, of `n` parts along a meridian, stretched along the axes (m).
    fn stretched_ball(n: u32, stretch: Vec3) -> MeshShape {
        let at = |i: u32, j: u32| 1 + (i - 1) * n + j % n;
        let place = |i: u32, j: u32| {
            let [theta, phi] = [i, 2 * j].map(|k| core::f64::consts::PI * Real::from(k) / Real::from(n));
            Vec3::new(theta.sin() * phi.cos(), theta.cos(), theta.sin() * phi.sin()) * stretch
        };
        let rings = (1..n).flat_map(|i| (0..n).map(move |j| place(i, j)));
        let points: Vec<Vec3> = [Vec3::Y * stretch].into_iter().chain(rings).chain([Vec3::NEG_Y * stretch]).collect();
        let last = points.len() as u32 - 1;
        let caps = (0..n).flat_map(|j| [[0, at(1, j + 1), at(1, j)], [last, at(n - 1, j), at(n - 1, j + 1)]]);
        let sides = (1..n - 1).flat_map(|i| (0..n).map(move |j| (i, j))).flat_map(|(i, j)| {
            [[at(i, j), at(i, j + 1), at(i + 1, j)], [at(i, j + 1), at(i + 1, j + 1), at(i + 1, j)]]
        });
        MeshShape::new(TriangleMesh::new(points, caps.chain(sides).collect()).unwrap(), None).unwrap()
    }

    /// Two copies of a mesh on one spot, or nearly: in the middle of a ball inside it an exact distance looks at all triangles, and none is computed. The depths of balls are lower
    /// bounds all the same, and exact on one spot. The control knows of no balls in the other shape.
    #[test]
    fn no_distance_is_exact_where_all_triangles_are_equally_near() {
        let mut random = Random::new(17);
        let mut of_control = 0;
        for member in 0..30 {
            let stretch = Vec3::new(random.range(0.9, 1.1), random.range(0.9, 1.1), random.range(0.9, 3.0));
            let mesh = stretched_ball(12, stretch * random.range(0.1, 10.0));
            let shape = Shape::mesh(mesh.clone());
            let balls = mesh.inner_balls();
            let off = if member % 3 == 0 { 0.0 } else { random.range(0.0, 0.04) * balls[0].1 };
            let rel = Pose::from_position(random.direction() * off);
            let exact = std::cell::Cell::new(0);
            let distance = |p: Vec3, limit: Real, slack: Real| {
                let at = rel.point(p);
                let is_middle = balls.iter().any(|(center, radius)| (at - *center).length() < WITHIN * radius);
                exact.set(exact.get() + u32::from(is_middle && slack == 0.0));
                let found = if slack > 0.0 { mesh.depth(at, slack) } else { mesh.distance(at, limit) };
                found.map(|d| (d.distance, d.gradient))
            };
            let mut deepest: Real = 0.0;
            mesh_at_distances((mesh.samples(), balls), (&shape, &rel), 0.0, distance, |p, radius, number, found| {
                if number < INNER {
                    return;
                }
                let true_distance = mesh.distance(rel.point(p), Real::INFINITY).unwrap().distance;
                let least = true_distance * (1.0 + 1e-9);
                assert!(found.0 >= least && found.0 <= true_distance * (1.0 - WITHIN), "{member}: {found:?} {least}");
                deepest = deepest.min(found.0 - radius);
            });
            assert_eq!(exact.get(), 0, "{member}");
            assert!(deepest <= -2.0 * balls[0].1 * (1.0 - 1e-9) || off > 0.0, "{member}: {deepest}");
            inner_at_distances(balls, &[], |_, _| true, distance);
            of_control += exact.get();
        }
        assert!(of_control >= 30, "{of_control}");
    }
}
