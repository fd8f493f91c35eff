//! Whatever is wrong with a mesh is reported with its place, and never silently becomes a wrong volume.

use drystone_geometry::bvh::{BoundingBall, BoundingVolume};
use drystone_geometry::mesh::{Mended, MeshFault, Topology};
use drystone_geometry::{MapSettings, MeshError, MeshReport, MeshShape, Shape, TriangleMesh};
use drystone_math::{Quat, Real, Vec3};

fn report(mesh: &TriangleMesh) -> MeshReport {
    Topology::of(mesh).report(mesh)
}

fn faults(mesh: &TriangleMesh) -> Vec<MeshFault> {
    Topology::of(mesh).faults(mesh)
}

/// Several meshes as one, each with its own vertices; those with `inwards` set are turned inside out.
fn together(parts: &[(&TriangleMesh, Vec3, bool)]) -> TriangleMesh {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for (mesh, shift, inwards) in parts {
        let base = vertices.len() as u32;
        vertices.extend(mesh.vertices().iter().map(|p| *p + *shift));
        triangles.extend(mesh.triangles().iter().map(|t| {
            let [a, b, c] = t.map(|v| v + base);
            if *inwards { [a, c, b] } else { [a, b, c] }
        }));
    }
    TriangleMesh::new(vertices, triangles).unwrap()
}

fn cube(half: Real) -> TriangleMesh {
    TriangleMesh::cuboid(Vec3::splat(half), 2)
}

/// A ball of rings and columns, pulled into an animal with two horns and four legs.
fn animal() -> TriangleMesh {
    let (rings, columns) = (25_u32, 30_u32);
    let mut vertices = vec![Vec3::Y, Vec3::NEG_Y];
    for i in 1..=rings {
        let (s, c) = (core::f64::consts::PI * Real::from(i) / Real::from(rings + 1)).sin_cos();
        for j in 0..columns {
            let (z, x) = (core::f64::consts::TAU * Real::from(j) / Real::from(columns)).sin_cos();
            vertices.push(Vec3::new(s * x, c, s * z));
        }
    }
    let at = |i: u32, j: u32| 2 + i * columns + j % columns;
    let mut triangles = Vec::new();
    for j in 0..columns {
        triangles.push([0, at(0, j + 1), at(0, j)]);
        triangles.push([1, at(rings - 1, j), at(rings - 1, j + 1)]);
        for i in 0..rings - 1 {
            triangles.push([at(i, j), at(i, j + 1), at(i + 1, j + 1)]);
            triangles.push([at(i, j), at(i + 1, j + 1), at(i + 1, j)]);
        }
    }
    let tips =
        [(2.0, 1.2, 0.6), (2.0, 1.2, -0.6), (1.0, -2.0, 0.5), (1.0, -2.0, -0.5), (-1.0, -2.0, 0.5), (-1.0, -2.0, -0.5)];
    let pulled = vertices.iter().map(|p| {
        let reach = tips.iter().map(|&(x, y, z)| p.dot(Vec3::new(x, y, z).normalize()).max(0.0).powi(24));
        *p * Vec3::new(1.6, 1.0, 0.7) * (1.0 + reach.sum::<Real>())
    });
    TriangleMesh::new(pulled.collect(), triangles).unwrap()
}

#[test]
fn the_counts_of_the_thesis_meshes_add_up() {
    // J-01: V - E + F = 2 for the box and for a closed mesh with the cow's counts
    let solid = TriangleMesh::cuboid(Vec3::splat(0.5), 5);
    let cow = animal();
    for (mesh, counts) in [(&solid, (152, 450, 300)), (&cow, (752, 2250, 1500))] {
        let r = report(mesh);
        assert_eq!((r.vertices, r.edges, r.triangles, r.euler, r.parts), (counts.0, counts.1, counts.2, 2, 1));
        assert!(r.is_solid() && faults(mesh).is_empty(), "{r:?}");
    }
    assert!(cow.crossings(1).is_empty());
    // a torus has a hole
    let ring = |i: u32, j: u32| 8 * (i % 12) + j % 8;
    let vertices = (0..96).map(|v| {
        let (u, w) =
            (core::f64::consts::TAU * Real::from(v / 8) / 12.0, core::f64::consts::TAU * Real::from(v % 8) / 8.0);
        Vec3::new((2.0 + w.cos()) * u.cos(), w.sin(), -(2.0 + w.cos()) * u.sin())
    });
    let triangles = (0..96).flat_map(|v| {
        let (i, j) = (v / 8, v % 8);
        [[ring(i, j), ring(i + 1, j), ring(i + 1, j + 1)], [ring(i, j), ring(i + 1, j + 1), ring(i, j + 1)]]
    });
    let torus = TriangleMesh::new(vertices.collect(), triangles.collect()).unwrap();
    assert!(report(&torus).euler == 0 && report(&torus).is_solid(), "{:?}", report(&torus));
}

///
#[test]
fn adjacencies_lead_there_and_back() {
    let mesh = animal();
    let topology = Topology::of(&mesh);
    for t in 0..mesh.triangles().len() {
        for side in 0..3 {
            let edge = topology.edge_of(t, side);
            let (a, b) = (mesh.triangles()[t][side], mesh.triangles()[t][(side + 1) % 3]);
            assert_eq!(topology.edges()[edge], [a.min(b), a.max(b)]);
            let other = topology.across(t, side).unwrap();
            assert!(topology.sides(edge).eq([t.min(other), t.max(other)]));
            assert!((0..3).any(|s| topology.edge_of(other, s) == edge && topology.across(other, s) == Some(t)));
        }
        for v in mesh.triangles()[t] {
            assert!(topology.around(v as usize).contains(&(t as u32)));
        }
    }
}

#[test]
fn a_part_that_is_inside_out_is_told() {
    let (big, small) = (cube(2.0), cube(0.5));
    let mesh = together(&[(&big, Vec3::ZERO, false), (&small, Vec3::X * 5.0, true)]);
    let r = report(&mesh);
    // the total volume, 63, is positive and reveals nothing
    assert!(r.is_watertight() && r.inverted_parts == 1 && !r.has_volume() && (r.volume - 63.0).abs() < 1e-9, "{r:?}");
    assert_eq!(faults(&mesh), [MeshFault::InvertedPart { triangle: big.triangles().len() }]);
    let shape = Shape::mesh(MeshShape::new(mesh.clone(), None).unwrap());
    assert!(shape.mass_properties(1.0).is_none());
    let mut mended = mesh;
    let done = mended.mend(0.0);
    assert_eq!((done.flipped, done.hollow), (small.triangles().len(), 0));
    assert!(report(&mended).is_solid() && (report(&mended).volume - 65.0).abs() < 1e-9);
    // the whole mesh inside out
    let mut turned = together(&[(&big, Vec3::ZERO, true)]);
    assert_eq!(faults(&turned), [MeshFault::InvertedPart { triangle: 0 }]);
    assert_eq!(turned.mend(0.0).flipped, big.triangles().len());
    assert!(report(&turned).is_solid());
}

#[test]
fn a_hollow_stays_a_hollow_and_a_part_within_is_told() {
    let (big, small, least) = (cube(2.0), cube(1.0), cube(0.5));
    let hollow = together(&[(&big, Vec3::ZERO, false), (&small, Vec3::ZERO, true)]);
    let r = report(&hollow);
    assert!(r.is_solid() && r.parts == 2 && (r.volume - 56.0).abs() < 1e-9 && r.euler == 4, "{r:?}");
    let shape = MeshShape::new(hollow.clone(), Some(MapSettings::new(16))).unwrap();
    assert!((shape.distance(Vec3::ZERO, 9.0).unwrap().distance - 1.0).abs() < 1e-12, "the hollow is outside");
    assert!(!shape.is_convex());
    let mass = Shape::mesh(shape).mass_properties(2.0).unwrap();
    let inertia = |m: Real, edge: Real| m * edge * edge / 6.0;
    assert!((mass.mass - 112.0).abs() < 1e-9);
    assert!((mass.inertia.diagonal.x - inertia(128.0, 4.0) + inertia(16.0, 2.0)).abs() < 1e-9);
    // mending keeps the hollow, and a body in it; a part inside that faces outwards becomes a hollow, and that is reported
    for (nested, volume) in [(false, 56.0), (true, 57.0)] {
        for outwards in [true, false] {
            let mut parts = vec![(&big, Vec3::ZERO, false), (&small, Vec3::ZERO, !outwards)];
            parts.extend(nested.then_some((&least, Vec3::ZERO, false)));
            let mut mesh = together(&parts);
            assert_eq!(report(&mesh).doubled_parts > 0, outwards);
            let done = mesh.mend(0.0);
            assert_eq!(done.hollow, small.triangles().len());
            assert!(report(&mesh).is_solid() && (report(&mesh).volume - volume).abs() < 1e-9, "{:?}", report(&mesh));
        }
    }
    let twice = together(&[(&big, Vec3::ZERO, false), (&small, Vec3::ZERO, false)]);
    assert_eq!(faults(&twice), [MeshFault::DoubledPart { triangle: big.triangles().len() }]);
    assert!(MeshShape::new(twice, None).is_ok_and(|s| Shape::mesh(s).mass_properties(1.0).is_none()));
}

#[test]
fn parts_that_share_a_corner_or_an_edge_are_told() {
    for (shift, pinched, crowded) in
        [(Vec3::ONE, 1, 0), (Vec3::new(1.0, 1.0, 0.0), 3, 2), (Vec3::new(1.0, 0.5, 0.0), 4, 5)]
    {
        let a = TriangleMesh::cuboid(Vec3::splat(0.5), 2);
        let mut mesh = together(&[(&a, Vec3::ZERO, false), (&a, shift, false)]);
        let _ = mesh.mend(1e-9);
        let r = report(&mesh);
        assert!(r.pinched_vertices >= pinched && r.crowded_edges >= crowded, "{shift}: {r:?}");
        assert!(!r.is_solid() && !faults(&mesh).is_empty());
        // parts that touch in a corner still have a volume; at a shared edge it is not for us to say which sides belong together
        let mass = Shape::mesh(MeshShape::new(mesh, None).unwrap()).mass_properties(1.0);
        assert_eq!(mass.map(|m| (m.mass - 2.0).abs() < 1e-9), (crowded == 0).then_some(true), "{shift}");
    }
}

#[test]
fn doubled_faces_loose_vertices_and_slivers() {
    let good = cube(1.0);
    let mut triangles = good.triangles().to_vec();
    triangles.push(triangles[3]);
    triangles.push([triangles[5][1], triangles[5][2], triangles[5][0]]);
    let mut vertices = good.vertices().to_vec();
    vertices.push(Vec3::splat(100.0));
    let mesh = TriangleMesh::new(vertices.clone(), triangles).unwrap();
    let r = report(&mesh);
    assert_eq!((r.crowded_edges, r.unused_vertices), (6, 1), "{r:?}");
    let mut mended = mesh.clone();
    let done = mended.mend(0.0);
    assert_eq!(done, Mended { doubled: 2, unused: 1, ..Mended::default() });
    assert!(report(&mended).is_solid() && report(&mended).euler == 2);
    // a vertex that no triangle uses does not belong to the shape
    let loose = TriangleMesh::new(vertices, good.triangles().to_vec()).unwrap();
    assert!(report(&loose).euler == 2 && report(&loose).is_solid());
    let shape = MeshShape::new(loose, Some(MapSettings::new(8))).unwrap();
    assert!(shape.report().unused_vertices == 1 && shape.is_convex());
    assert!((shape.bounding_radius() - Real::sqrt(3.0)).abs() < 1e-12 && shape.map().unwrap().cell() < 0.3);
    // a sliver: all of its corners on a line
    let line = TriangleMesh::new((0..3).map(|i| Vec3::X * f64::from(i)).collect(), vec![[0, 1, 2]]).unwrap();
    assert!(faults(&line).contains(&MeshFault::DegenerateTriangle { triangle: 0 }));
    assert!(Shape::mesh(MeshShape::new(line.clone(), None).unwrap()).mass_properties(1.0).is_none());
    let mut line = line;
    assert_eq!(line.mend(0.0).degenerate, 1);
    assert!(line.triangles().is_empty());
}

#[test]
fn what_is_no_mesh_is_refused() {
    let p = vec![Vec3::ZERO, Vec3::X, Vec3::Y];
    assert_eq!(TriangleMesh::new(p.clone(), vec![]), Err(MeshError::Empty));
    assert_eq!(
        TriangleMesh::new(p.clone(), vec![[0, 1, 2], [2, 1, 7]]),
        Err(MeshError::Index { triangle: 1, vertex: 7, vertices: 3 })
    );
    for bad in [Real::NAN, Real::INFINITY, 1e31] {
        let error = TriangleMesh::new(vec![p[0], p[1], Vec3::new(0.0, bad, 0.0)], vec![[0, 1, 2]]).unwrap_err();
        assert!(matches!(error, MeshError::Vertex { vertex: 2, .. }), "{error}");
    }
    let open = TriangleMesh::new(p, vec![[0, 1, 2]]).unwrap();
    let refused = MeshShape::new(open, Some(MapSettings::new(8))).unwrap_err();
    assert!(matches!(refused, MeshError::NoVolume { open_edges: 3, .. }) && refused.to_string().contains("3 edges"));
}

#[test]
fn welding_does_not_depend_on_the_order_of_places() {
    // corners shaken by less than half the welding distance are joined, those farther apart are not
    let good = cube(1.0);
    let mut vertices = Vec::new();
    let triangles: Vec<[u32; 3]> = good
        .triangles()
        .iter()
        .enumerate()
        .map(|(t, c)| {
            let w = t as Real;
            vertices.extend(c.iter().enumerate().map(|(k, &v)| {
                let k = k as Real;
                good.vertices()[v as usize] + Vec3::new((w + k).sin(), (2.0 * w - k).cos(), (3.0 * w).sin()) * 2e-7
            }));
            [0, 1, 2].map(|k| 3 * t as u32 + k)
        })
        .collect();
    let count = vertices.len();
    let mut mesh = TriangleMesh::new(vertices, triangles).unwrap();
    assert_eq!(mesh.clone().mend(1e-9).welded, 0);
    assert_eq!(mesh.mend(1e-6).welded, count - good.vertices().len());
    assert!(report(&mesh).is_solid());
    // zeros of either sign are the same place
    let mut signed =
        TriangleMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y, -Vec3::ZERO], vec![[0, 1, 2], [3, 2, 1]]).unwrap();
    assert_eq!(signed.mend(0.0).welded, 1);
}

#[test]
fn a_hundred_thousand_triangles_are_looked_through_at_once() {
    // a million triangles take ten times as long: nothing here is quadratic
    let mesh = TriangleMesh::cuboid(Vec3::new(1.0, 2.0, 3.0), 92);
    let r = report(&mesh);
    assert!(r.triangles == 101_568 && r.euler == 2 && r.is_solid() && (r.volume - 48.0).abs() < 1e-9, "{r:?}");
    // a fan of thousands of triangles about two vertices
    let count = 20_000_u32;
    let rim =
        (0..count).map(|i| Quat::from_rotation_y(core::f64::consts::TAU * Real::from(i) / Real::from(count)) * Vec3::X);
    let vertices = [Vec3::Y, Vec3::NEG_Y].into_iter().chain(rim).collect();
    let fan = (0..count).flat_map(|i| {
        let (a, b) = (2 + i, 2 + (i + 1) % count);
        [[0, a, b], [1, b, a]]
    });
    let cone = TriangleMesh::new(vertices, fan.collect()).unwrap();
    assert!(report(&cone).is_solid(), "{:?}", report(&cone));
}

#[test]
fn a_smallest_ball_is_found_whatever_the_order_of_its_points() {
    // the rings of a ball one after the other: an algorithm that takes the points in this order has cubic cost
    let ball = rings_of_a_ball(200, 200);
    let found = BoundingBall::around(&ball);
    assert!((found.radius - 1.0).abs() < 1e-4 && found.center.length() < 1e-4, "{found:?}");
    // a cube with points inside: the corners decide
    let mut cube: Vec<Vec3> = cube(0.5).vertices().to_vec();
    cube.extend(ball.iter().map(|p| *p * 0.8));
    let found = BoundingBall::around(&cube);
    assert!((found.radius - 0.75_f64.sqrt()).abs() < 1e-12 && found.center.length() < 1e-12, "{found:?}");
    assert!(cube.iter().all(|p| (*p - found.center).length() <= found.radius * (1.0 + 1e-12)));
}

fn rings_of_a_ball(rings: u32, columns: u32) -> Vec<Vec3> {
    let place = |i: u32, j: u32| {
        let (s, c) = (core::f64::consts::PI * Real::from(i) / Real::from(rings)).sin_cos();
        let (z, x) = (core::f64::consts::TAU * Real::from(j) / Real::from(columns)).sin_cos();
        Vec3::new(s * x, c, s * z)
    };
    (1..rings).flat_map(|i| (0..columns).map(move |j| place(i, j))).collect()
}
