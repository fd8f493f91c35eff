//! The witnesses of every narrow phase over all pairs of shapes that it takes, apart, touching and deep inside
//! one another: each lies on the surface of its own shape, they are the distance apart along the normal, and
//! they are opposite each other if the shapes, moved by the depth, part at a point.

use drystone_core::catalogue::Settings;
use drystone_core::{ContactSeed, NarrowCache, NarrowPhase, PosedShape, Proximity, UnsupportedPair};
use drystone_geometry::mesh::SignedDistanceMap;
use drystone_geometry::triangle::closest_between_triangles;
use drystone_geometry::{MapSettings, MeshShape, Shape, TriangleMesh};
use drystone_math::{Pose, Quat, Real, Vec3};
use drystone_narrow_phase::{Combined, IMPLEMENTATIONS, PrimitivesImproved, by_name};
use drystone_testkit::{Random, WitnessErrors, check_witnesses, from_surface, measure_witnesses};

/// The allowance for rounding (m); the shapes are about a metre wide.
const EXACT: Real = 1e-9;

/// The allowance for overlapping curved cores, which a polytope approximates (m).
const CURVED: Real = 1e-5;

/// The allowance for a map, in cells.
const CELLS: Real = 0.5;

/// Balls in a capsule's core represent its side up to a tilt of 0.05: this fraction of the radius.
const LEANING: Real = 0.0013;

/// Asked for contacts within this distance (m), narrow phases look at samples of meshes.
const ENVELOPE: Real = 0.05;

const RADIUS: Real = 0.3;

fn mesh(mesh: TriangleMesh, map: Option<MapSettings>) -> Shape {
    Shape::mesh(MeshShape::new(mesh, map).unwrap())
}

/// Two boxes that form an L.
fn corner() -> TriangleMesh {
    let outline = [[0.0, 0.0], [0.8, 0.0], [0.8, 0.3], [0.3, 0.3], [0.3, 0.9], [0.0, 0.9]];
    let vertices = [-0.3, 0.3].into_iter().flat_map(|z| outline.map(|[x, y]| Vec3::new(x - 0.3, y - 0.3, z)));
    let mut faces: Vec<[u32; 3]> = vec![[6, 7, 8], [6, 8, 9], [6, 9, 10], [6, 10, 11]];
    faces.extend([[0, 2, 1], [0, 3, 2], [0, 4, 3], [0, 5, 4]]);
    for i in 0..6 {
        let j = (i + 1) % 6;
        faces.extend([[i, j, j + 6], [i, j + 6, i + 6]]);
    }
    TriangleMesh::new(vertices.collect(), faces).unwrap()
}

/// A box whose vertices are pulled in and out.
fn star() -> TriangleMesh {
    let m = TriangleMesh::cuboid(Vec3::new(0.6, 0.5, 0.4), 3);
    let pulled = m.vertices().iter().enumerate().map(|(i, p)| *p * if i % 3 == 0 { 1.4 } else { 0.8 });
    TriangleMesh::new(pulled.collect(), m.triangles().to_vec()).unwrap()
}

fn convex() -> Vec<Shape> {
    let points: Vec<Vec3> = (0..24)
        .map(|i| Vec3::new((f64::from(i) * 1.7).sin(), (f64::from(i) * 2.9).cos(), (f64::from(i) * 0.9).sin()) * 0.7)
        .collect();
    let at = |x: Real| Pose::new(Vec3::new(x, 0.0, 0.0), Quat::from_rotation_z(0.3));
    let parts = vec![(Shape::cuboid(0.4, 0.2, 0.3).unwrap(), at(-0.3)), (Shape::sphere(0.3).unwrap(), at(0.4))];
    vec![
        Shape::sphere(0.5).unwrap(),
        Shape::cuboid(0.5, 0.4, 0.3).unwrap(),
        Shape::capsule(RADIUS, 0.4).unwrap(),
        Shape::cylinder(0.4, 0.5).unwrap(),
        Shape::cone(0.5, 0.6).unwrap(),
        Shape::convex(&points).unwrap(),
        Shape::convex(&points[..4]).unwrap(),
        Shape::plane(Vec3::new(0.1, 1.0, 0.2), 0.1).unwrap(),
        Shape::compound(parts).unwrap(),
    ]
}

fn meshes(map: Option<MapSettings>) -> [Shape; 3] {
    [mesh(TriangleMesh::cuboid(Vec3::new(0.5, 0.4, 0.3), 2), map), mesh(corner(), map), mesh(star(), map)]
}

fn is_mesh(s: &Shape) -> bool {
    matches!(s, Shape::Mesh(_))
}

fn allowed(n: &dyn NarrowPhase, pair: [&Shape; 2], envelope: Real) -> WitnessErrors {
    let any = |f: fn(&Shape) -> bool| pair.iter().any(|s| f(s));
    let cell = |s: &Shape| match s {
        Shape::Mesh(m) if n.name() != "mesh" => m.map().map_or(0.0, SignedDistanceMap::cell),
        _ => 0.0,
    };
    let within = envelope.is_finite() && any(is_mesh);
    let off = [
        EXACT,
        if any(|s| matches!(s, Shape::Cylinder(_) | Shape::Cone(_))) { CURVED } else { 0.0 },
        if any(|s| matches!(s, Shape::Plane(_))) { 0.0 } else { CELLS * cell(pair[0]).max(cell(pair[1])) },
        if within && any(|s| matches!(s, Shape::Capsule(_))) { LEANING * RADIUS } else { 0.0 },
    ];
    // by the thesis' rule, and for triangles with no sample near, a way out may be longer than needed: then the shapes separate before its end
    let hollow = any(|s| matches!(s, Shape::Mesh(m) if !m.is_convex()));
    let opposite = n.name() != PrimitivesImproved::DESCRIPTION.name && !(within && hollow);
    WitnessErrors {
        off: off.into_iter().fold(0.0, Real::max),
        along: EXACT,
        beside: if opposite { EXACT } else { Real::INFINITY },
    }
}

/// Every narrow phase of the registry on each pair of a first and a second shape.
fn check_all(first: &[Shape], second: &[Shape], rounds: u32) {
    let (mut pairs, mut deepest) = (0, 0.0);
    for i in IMPLEMENTATIONS {
        let n = by_name(i.name, &Settings::defaults(i)).unwrap();
        for (a, b) in first.iter().flat_map(|a| second.iter().map(move |b| (a, b))).filter(|(a, b)| n.supports(a, b)) {
            for envelope in [Real::INFINITY, ENVELOPE] {
                let report = check_witnesses(&*n, [a, b], envelope, rounds, allowed(&*n, [a, b], envelope));
                deepest = Real::max(deepest, report.deepest);
                pairs += 1;
            }
        }
    }
    assert!(pairs > 0 && deepest > 0.5, "{pairs} {deepest}");
}

#[test]
fn of_convex_shapes_and_compounds() {
    check_all(&convex(), &convex(), 200);
}

#[test]
fn of_convex_shapes_and_meshes() {
    check_all(&convex(), &meshes(None), 12);
    check_all(&meshes(None), &convex(), 6);
}

#[test]
fn of_meshes() {
    check_all(&meshes(None), &meshes(None), 12);
}

/// The least distance of two meshes (m) over all pairs of triangles.
fn least_distance([x, y]: [PosedShape<'_>; 2]) -> Real {
    let triangles = |s: PosedShape<'_>| {
        let Shape::Mesh(m) = s.shape else { return Vec::new() };
        (0..m.mesh().triangles().len()).map(|t| m.mesh().corners(t).map(|v| s.pose.point(v))).collect()
    };
    let (first, second): (Vec<[Vec3; 3]>, Vec<[Vec3; 3]>) = (triangles(x), triangles(y));
    let distance = |p: &[Vec3; 3], q: &[Vec3; 3]| {
        let (u, v) = closest_between_triangles(*p, *q);
        (u - v).length()
    };
    first.iter().flat_map(|p| second.iter().map(move |q| distance(p, q))).fold(Real::INFINITY, Real::min)
}

/// Side by side, nearer than the envelope and farther: the gap is the distance between the two witnesses, and the least distance.
#[test]
fn of_meshes_beside_each_other_in_and_beyond_an_envelope() {
    let shapes = meshes(None);
    let (mut random, mut within, mut beyond) = (Random::new(6), 0, 0);
    for i in IMPLEMENTATIONS {
        let n = by_name(i.name, &Settings::defaults(i)).unwrap();
        for (x, y) in shapes.iter().flat_map(|x| shapes.iter().map(move |y| (x, y))).filter(|(x, y)| n.supports(x, y)) {
            for round in 0..30 {
                let a = PosedShape { shape: x, pose: Pose::new(random.vector(1.0), random.rotation()) };
                let at = a.pose.position + random.direction() * random.range(1.0, 2.5);
                let mut b = PosedShape { shape: y, pose: Pose::new(at, random.rotation()) };
                let least = least_distance([a, b]);
                if least == 0.0 {
                    continue;
                }
                let ask = |b, envelope| n.query(a, b, envelope, &mut NarrowCache::default(), &mut Vec::new()).unwrap();
                if round % 2 == 0 {
                    let found = ask(b, Real::INFINITY);
                    b.pose.position -= found.normal * (found.distance - [0.03, 0.07][round / 2 % 2]);
                }
                let least = least_distance([a, b]);
                for envelope in [0.0, ENVELOPE, Real::INFINITY] {
                    let p = ask(b, envelope);
                    for (s, w) in [(a, p.witness_a), (b, p.witness_b)] {
                        let off = from_surface(s.shape, s.pose.local_point(w));
                        assert!(off < EXACT, "{}, envelope {envelope}: {off} m off its surface: {p:?}", n.name());
                    }
                    let between = p.witness_b - p.witness_a;
                    assert!((between - p.normal * p.distance).length() < EXACT, "{}: {p:?}", n.name());
                    assert!((p.distance - least).abs() < EXACT, "{}, {envelope}: not {least}: {p:?}", n.name());
                    *(if p.distance > envelope { &mut beyond } else { &mut within }) += 1;
                }
            }
        }
    }
    assert!(within > 200 && beyond > 200, "{within} {beyond}");
}

/// The least distance between a ball and the triangles of a mesh (m).
fn ball_distance(ball: PosedShape<'_>, of: PosedShape<'_>, radius: Real) -> Real {
    let Shape::Mesh(m) = of.shape else { return Real::INFINITY };
    let triangles = (0..m.mesh().triangles().len()).map(|t| m.mesh().corners(t).map(|v| of.pose.point(v)));
    let near = triangles.map(|t| {
        let (u, v) = closest_between_triangles([ball.pose.position; 3], t);
        (u - v).length()
    });
    near.fold(Real::INFINITY, Real::min) - radius
}

/// Convex shapes apart from a mesh, with and without a map: without an end to the envelope the witnesses are nearest
/// points, not the positions of the bodies; beyond an envelope the distance is no larger. For balls the exact distance is known.
#[test]
fn of_convex_shapes_apart_from_a_mesh() {
    let convex: Vec<Shape> = convex().into_iter().filter(Shape::is_convex).collect();
    let maps = meshes(Some(MapSettings { spacing: 1e-9, ..MapSettings::new(24) }));
    let (mut random, mut beyond, mut balls) = (Random::new(9), 0, 0);
    for i in IMPLEMENTATIONS {
        let n = by_name(i.name, &Settings::defaults(i)).unwrap();
        for of in maps.iter().chain(&meshes(None)) {
            for shape in convex.iter().filter(|s| n.supports(s, of) && !matches!(s, Shape::Plane(_))) {
                for round in 0..12 {
                    let first = PosedShape { shape, pose: Pose::new(random.vector(1.0), random.rotation()) };
                    let at = first.pose.position + random.direction() * random.range(1.8, 3.5);
                    let second = PosedShape { shape: of, pose: Pose::new(at, random.rotation()) };
                    let [a, b] = if round % 2 == 0 { [first, second] } else { [second, first] };
                    let ask =
                        |envelope: Real| n.query(a, b, envelope, &mut NarrowCache::default(), &mut Vec::new()).unwrap();
                    let (p, bound) = (ask(Real::INFINITY), ask(ENVELOPE).distance);
                    if p.distance <= 2.0 * ENVELOPE {
                        continue;
                    }
                    assert!(bound > ENVELOPE && bound <= p.distance + EXACT, "{}: {bound} of {p:?}", n.name());
                    beyond += 1;
                    for (s, w) in [(a, p.witness_a), (b, p.witness_b)] {
                        let off = from_surface(s.shape, s.pose.local_point(w));
                        assert!(off < CURVED, "{}: {off} m off its surface: {p:?}", n.name());
                    }
                    let between = p.witness_b - p.witness_a;
                    assert!((between - p.normal * p.distance).length() < CURVED, "{}: {p:?}", n.name());
                    if let Shape::Sphere(s) = shape {
                        balls += 1;
                        let least = ball_distance(first, second, s.radius());
                        assert!((p.distance - least).abs() < EXACT, "{}: not {least}: {p:?}", n.name());
                    }
                }
            }
        }
    }
    // the control: the origins of the bodies would be inside all of these shapes
    assert!(beyond > 500 && balls > 60, "{beyond} {balls}");
}

#[test]
fn of_maps_to_half_a_cell() {
    let maps = meshes(Some(MapSettings { spacing: 1e-9, ..MapSettings::new(24) }));
    check_all(&maps, &maps, 8);
    check_all(&convex(), &maps, 8);
    check_all(&meshes(None), &maps, 4);
}

/// Witnesses slightly beside the correct places.
struct Beside;

impl NarrowPhase for Beside {
    fn name(&self) -> &'static str {
        Combined.name()
    }

    fn supports(&self, a: &Shape, b: &Shape) -> bool {
        Combined.supports(a, b)
    }

    fn query(
        &self,
        a: PosedShape<'_>,
        b: PosedShape<'_>,
        envelope: Real,
        cache: &mut NarrowCache,
        seeds: &mut Vec<ContactSeed>,
    ) -> Result<Proximity, UnsupportedPair> {
        let p = Combined.query(a, b, envelope, cache, seeds)?;
        Ok(Proximity { witness_b: p.witness_b + p.normal * 1e-6 + p.normal.any_orthonormal_vector() * 2e-6, ..p })
    }
}

#[test]
fn what_is_beside_is_seen() {
    let shapes = [Shape::sphere(0.5).unwrap(), Shape::cuboid(0.5, 0.4, 0.3).unwrap()];
    let worst = measure_witnesses(&Beside, [&shapes[0], &shapes[1]], ENVELOPE, 50).worst;
    assert!(
        worst.off > 0.9e-6 && (worst.along - 1e-6).abs() < EXACT && (worst.beside - 2e-6).abs() < EXACT,
        "{worst:?}"
    );
}
