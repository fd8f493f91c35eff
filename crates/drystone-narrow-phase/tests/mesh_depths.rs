//! Depths of meshes against closed forms: the length that separates the shapes, not one by which a single sample leaves.

use drystone_core::{ContactSeed, NarrowCache, NarrowPhase, PosedShape, Proximity, UnsupportedPair};
use drystone_geometry::mesh::Topology;
use drystone_geometry::{MapSettings, MeshShape, Shape, TriangleMesh};
use drystone_math::{Pose, Quat, Real, Vec3};
use drystone_narrow_phase::{Combined, ExactMesh, GjkEpa, SdfMap};
use drystone_testkit::{NarrowPhaseTolerance, check_narrow_phase};

fn mesh(mesh: TriangleMesh, map: Option<MapSettings>) -> Shape {
    Shape::mesh(MeshShape::new(mesh, map).unwrap())
}

fn ask(n: &dyn NarrowPhase, a: (&Shape, Pose), b: (&Shape, Pose), envelope: Real) -> Proximity {
    let posed = |(shape, pose)| PosedShape { shape, pose };
    n.query(posed(a), posed(b), envelope, &mut [0; 4], &mut Vec::new()).unwrap()
}

/// The exact mesh algorithm with an unlimited envelope: within a finite one, samples stand for the depth.
struct Endless;

impl NarrowPhase for Endless {
    fn name(&self) -> &'static str {
        ExactMesh.name()
    }

    fn supports(&self, a: &Shape, b: &Shape) -> bool {
        ExactMesh.supports(a, b)
    }

    fn query(
        &self,
        a: PosedShape<'_>,
        b: PosedShape<'_>,
        _: Real,
        cache: &mut NarrowCache,
        seeds: &mut Vec<ContactSeed>,
    ) -> Result<Proximity, UnsupportedPair> {
        let p = ExactMesh.query(a, b, Real::INFINITY, cache, seeds)?;
        Ok(Proximity { relation: Proximity::relation_of(p.distance, 100.0), ..p })
    }
}

/// Checks that a displacement by the depth along the normal separates the shapes; returns the answer.
fn parts(n: &dyn NarrowPhase, a: (&Shape, Pose), b: (&Shape, Pose), tolerance: Real) -> Proximity {
    let p = ask(n, a, b, Real::INFINITY);
    let moved = |by: Real| (b.0, Pose::new(b.1.position + p.normal * by, b.1.orientation));
    let free = ask(n, a, moved(tolerance - p.distance), Real::INFINITY);
    assert!(free.distance >= -tolerance, "moved by {} they overlap by {}", -p.distance, -free.distance);
    assert!((p.witness_a + p.normal * p.distance - p.witness_b).length() < 1e-9);
    p
}

/// A U of three boxes welded into one surface: a slot of width one and depth one in a block of 3 x 2 x 1.
fn cradle() -> TriangleMesh {
    let outline =
        [(-1.5, -1.0), (1.5, -1.0), (1.5, 1.0), (0.5, 1.0), (0.5, 0.0), (-0.5, 0.0), (-0.5, 1.0), (-1.5, 1.0)];
    let mut vertices = Vec::new();
    for z in [-0.5, 0.5] {
        vertices.extend(outline.iter().map(|&(x, y)| Vec3::new(x, y, z)));
    }
    // the outline as triangles, counter-clockwise seen from +z
    let flat = [[0, 5, 7], [5, 6, 7], [0, 4, 5], [0, 1, 4], [1, 3, 4], [1, 2, 3]];
    let mut triangles: Vec<[u32; 3]> = flat.iter().map(|t| t.map(|v| v + 8)).collect();
    triangles.extend(flat.iter().map(|&[a, b, c]| [a, c, b]));
    for i in 0..8 {
        let j = (i + 1) % 8;
        triangles.extend([[i, j, j + 8], [i, j + 8, i + 8]]);
    }
    let made = TriangleMesh::new(vertices, triangles).unwrap();
    let report = Topology::of(&made).report(&made);
    assert!(report.is_solid() && (report.volume - 5.0).abs() < 1e-12, "{report:?}");
    made
}

#[test]
fn boxes_as_meshes_are_as_deep_as_boxes() {
    // deep, tilted, edge on edge: with and without maps, against the expanding polytope
    let (h, g) = (Vec3::new(1.0, 0.5, 0.7), Vec3::new(0.6, 0.8, 0.5));
    let solid = |h: Vec3| Shape::cuboid(h.x, h.y, h.z).unwrap();
    let map = Some(MapSettings { spacing: 10.0, ..MapSettings::new(16) });
    for map in [None, map] {
        let (a, b) = (mesh(TriangleMesh::cuboid(h, 3), map), mesh(TriangleMesh::cuboid(g, 2), map));
        for k in 0..200 {
            let w = Real::from(k);
            let at = Vec3::new(1.1 * (1.7 * w).sin(), 0.9 * (0.9 * w).cos(), 0.8 * (0.31 * w).sin());
            let pose = Pose::new(at, Quat::from_scaled_axis(Vec3::new(w, 0.4 * w, (0.3 * w).cos())));
            let exact = ask(&GjkEpa, (&solid(h), Pose::IDENTITY), (&solid(g), pose), Real::INFINITY);
            let all: [&dyn NarrowPhase; 3] = [&ExactMesh, &SdfMap::default(), &Combined];
            for n in all {
                if !n.supports(&a, &b) {
                    continue;
                }
                for (y, shape) in [("mesh", &b), ("box", &solid(g))] {
                    let p = ask(n, (&a, Pose::IDENTITY), (shape, pose), Real::INFINITY);
                    assert!((p.distance - exact.distance).abs() < 1e-6, "{} {y} {k}: {p:?} {exact:?}", n.name());
                }
            }
        }
    }
}

#[test]
fn meshes_that_are_convex_keep_the_contract_of_convex_shapes() {
    let cube = mesh(TriangleMesh::cuboid(Vec3::new(0.5, 0.4, 0.3), 2), None);
    let wedge: Vec<Vec3> = [(0, 0, 0), (2, 0, 0), (2, 0, 1), (0, 0, 1), (0, 1, 0), (0, 1, 1)]
        .map(|(x, y, z)| Vec3::new(f64::from(x), f64::from(y), f64::from(z)) * 0.6 - Vec3::splat(0.3))
        .to_vec();
    let faces = vec![[0, 1, 2], [0, 2, 3], [0, 3, 5], [0, 5, 4], [1, 4, 5], [1, 5, 2], [0, 4, 1], [3, 2, 5]];
    let wedge = mesh(TriangleMesh::new(wedge, faces).unwrap(), None);
    assert!([&cube, &wedge].iter().all(|s| matches!(s, Shape::Mesh(m) if m.is_convex())));
    let shapes = [cube, wedge, Shape::capsule(0.3, 0.4).unwrap(), Shape::cuboid(0.5, 0.4, 0.3).unwrap()];
    check_narrow_phase(&Endless, &shapes, NarrowPhaseTolerance::default());
}

#[test]
fn a_crossing_of_two_edges_is_felt_where_no_sample_is() {
    // one edge across another, both without samples: the depth equals that of the boxes
    let quarter = core::f64::consts::FRAC_PI_4;
    let settings = MapSettings { spacing: 10.0, ..MapSettings::new(32) };
    let cube = mesh(TriangleMesh::cuboid(Vec3::splat(0.5), 1), Some(settings));
    let lower = Pose::new(Vec3::ZERO, Quat::from_rotation_z(quarter));
    for turn in [0.4, 0.9, 1.5] {
        for depth in [0.001, 0.01, 0.1] {
            let q = Quat::from_rotation_y(turn) * Quat::from_rotation_z(quarter);
            let upper = Pose::new(Vec3::Y * (Real::sqrt(2.0) - depth), q);
            for n in [&SdfMap::default() as &dyn NarrowPhase, &ExactMesh] {
                for envelope in [Real::INFINITY, 0.01] {
                    let p = ask(n, (&cube, lower), (&cube, upper), envelope);
                    assert!(p.distance < 0.0, "{} {turn} {depth}: {p:?}", n.name());
                    if envelope > 1.0 || depth < 0.05 {
                        assert!((p.distance + depth).abs() < 1e-9 && p.normal.y > 1.0 - 1e-9, "{}: {p:?}", n.name());
                    }
                }
            }
        }
    }
}

#[test]
fn a_block_in_a_slot_comes_out_the_shortest_way() {
    // the hull of the cradle is of no use here: the block is entirely inside it
    let block = TriangleMesh::cuboid(Vec3::new(0.4, 0.4, 0.4), 2);
    let solid = Shape::cuboid(0.4, 0.4, 0.4).unwrap();
    for map in [None, Some(MapSettings { spacing: 1e-9, ..MapSettings::new(64) })] {
        let (a, b) = (mesh(cradle(), map), mesh(block.clone(), map));
        let tolerance = map.map_or(1e-9, |_| 0.06);
        let n: &dyn NarrowPhase =
            if map.is_some() { &SdfMap { sphere_tree: true, ..SdfMap::default() } } else { &ExactMesh };
        // 0.1 deep in the slot's floor; 0.1 in its wall; in both, up to the nearest free place between them
        for (x, y, depth, out) in [
            (0.0, 0.3, 0.1, Vec3::Y),
            (0.2, 0.5, 0.1, Vec3::NEG_X),
            (-0.15, 0.5, 0.05, Vec3::X),
            (0.15, 0.35, Real::hypot(0.05, 0.05), Vec3::new(-1.0, 1.0, 0.0).normalize()),
        ] {
            let pose = Pose::from_position(Vec3::new(x, y, 0.0));
            for shape in [&b, &solid] {
                let p = parts(n, (&a, Pose::IDENTITY), (shape, pose), tolerance);
                assert!((p.distance + depth).abs() <= tolerance, "{x} {y} {}: {p:?}", shape.kind());
                assert!(map.is_some() || p.normal.dot(out) > 1.0 - 1e-6, "{x} {y}: {p:?}");
                let swapped = ask(n, (shape, pose), (&a, Pose::IDENTITY), Real::INFINITY);
                assert!((swapped.distance - p.distance).abs() < 1e-9 && swapped.normal.dot(p.normal) < -0.999_999);
            }
        }
    }
}

#[test]
fn stars_part_by_their_depth() {
    let star = |spikes: u32| {
        let m = TriangleMesh::cuboid(Vec3::new(0.7, 0.6, 0.5), spikes);
        let pulled = m.vertices().iter().enumerate().map(|(i, p)| *p * if i % 3 == 0 { 1.4 } else { 0.8 });
        mesh(TriangleMesh::new(pulled.collect(), m.triangles().to_vec()).unwrap(), None)
    };
    let (a, b) = (star(2), star(3));
    let mut deep = 0;
    for k in 0..60 {
        let w = Real::from(k);
        let at = Vec3::new((1.3 * w).sin(), 0.9 * (0.9 * w).cos(), 0.8 * (0.31 * w).sin());
        let pose = Pose::new(at, Quat::from_scaled_axis(Vec3::new(w, 0.4 * w, (0.3 * w).cos())));
        let p = parts(&ExactMesh, (&a, Pose::IDENTITY), (&b, pose), 1e-6);
        deep += usize::from(p.distance < -0.1);
    }
    assert!(deep > 20, "{deep}");
}
