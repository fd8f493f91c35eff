//! Contacts of meshes: corners of the common region, quality against what it should be, reduction, coherence.

use drystone_contact::{ClippingManifold, ContactQuality};
use drystone_core::{ContactDetermination, Manifold, NarrowPhase, PosedShape, Proximity};
use drystone_geometry::{MapSettings, MeshShape, Shape, TriangleMesh};
use drystone_math::{Pose, Quat, Real, Vec3};
use drystone_narrow_phase::{Combined, EdgeNormals, ExactMesh, SdfMap};

const ENVELOPE: Real = 0.01;

fn mesh(half: Vec3, parts: u32, map: Option<MapSettings>) -> Shape {
    Shape::mesh(MeshShape::new(TriangleMesh::cuboid(half, parts), map).unwrap())
}

fn manifold(n: &dyn NarrowPhase, reduce_samples: bool, a: (&Shape, Pose), b: (&Shape, Pose)) -> (Proximity, Manifold) {
    let (a, b) = (PosedShape { shape: a.0, pose: a.1 }, PosedShape { shape: b.0, pose: b.1 });
    let (mut seeds, mut m) = (Vec::new(), Manifold::default());
    let p = n.query(a, b, ENVELOPE, &mut [0; 4], &mut seeds).unwrap();
    ClippingManifold { reduce_samples, ..ClippingManifold::default() }.determine(a, b, &p, &seeds, ENVELOPE, &mut m);
    (p, m)
}

/// Places (world, m), normals and separations of a manifold.
fn points(m: &Manifold, a: Pose, b: Pose) -> Vec<(Vec3, Vec3, Real)> {
    let world = |p: &drystone_core::ContactPoint| {
        let (n, _, separation) = p.world(&a, &b);
        ((a.point(p.anchor_a) + b.point(p.anchor_b)) * 0.5, n, separation)
    };
    m.points.iter().map(world).collect()
}

#[test]
fn planks_across_each_other_meet_in_four_corners() {
    // no vertex of one lies over the other: the corners of the region are crossings of edges
    let half = Vec3::new(1.0, 0.05, 0.15);
    let (plank, solid) = (mesh(half, 1, None), Shape::cuboid(half.x, half.y, half.z).unwrap());
    for turn in [0.6, 1.0, core::f64::consts::FRAC_PI_2] {
        for gap in [-1e-3, 0.0, 1e-3] {
            let upper = Pose::new(Vec3::Y * (0.1 + gap), Quat::from_rotation_y(turn));
            for other in [&plank, &solid] {
                let (p, m) = manifold(&ExactMesh, false, (&plank, Pose::IDENTITY), (other, upper));
                let found = points(&m, Pose::IDENTITY, upper);
                assert!((p.distance - gap).abs() < 1e-9, "{} {turn} {gap}: {p:?}", other.kind());
                // the corners of the rhombus covered by both
                let reach = 0.15 / (0.5 * turn).sin();
                let across = 0.15 / (0.5 * turn).cos();
                let corners = found.iter().filter(|(at, n, s)| {
                    let far = Vec3::new(at.x, 0.0, at.z).length();
                    ((far - reach).abs() < 1e-9 || (far - across).abs() < 1e-9)
                        && n.y > 1.0 - 1e-9
                        && (s - gap).abs() < 1e-9
                });
                assert_eq!(corners.count(), 4, "{} {turn} {gap}: {found:?}", other.kind());
                let (_, reduced) = manifold(&ExactMesh, true, (&plank, Pose::IDENTITY), (other, upper));
                assert_eq!(reduced.points.len(), 4, "{reduced:?}");
                let (_, swapped) = manifold(&ExactMesh, false, (other, upper), (&plank, Pose::IDENTITY));
                assert_eq!(swapped.points.len(), m.points.len());
            }
        }
    }
}

#[test]
fn cubes_of_triangles_upon_each_other_meet_in_the_corners_of_what_both_cover() {
    let cube = mesh(Vec3::splat(0.5), 1, None);
    let mut seed = 1.0_f64;
    for _ in 0..60 {
        seed = (seed * 12.9898).sin() * 43_758.545_3 % 1.0;
        if seed.abs() < 0.02 {
            // edges that run beside each other have end points, not crossings
            continue;
        }
        let pose = Pose::new(Vec3::new(0.4 * seed, 0.9995, 0.3 * seed.cos()), Quat::from_rotation_y(3.0 * seed));
        let (_, m) = manifold(&ExactMesh, false, (&cube, Pose::IDENTITY), (&cube, pose));
        let found = points(&m, Pose::IDENTITY, pose);
        let up: Vec<_> = found.iter().filter(|(_, n, s)| n.y > 0.999 && *s < 0.0).collect();
        // the box-box method on the same cubes
        let solid = Shape::cuboid(0.5, 0.5, 0.5).unwrap();
        let all = ClippingManifold { reduce: false, ..ClippingManifold::default() };
        let (a, b) = (PosedShape { shape: &solid, pose: Pose::IDENTITY }, PosedShape { shape: &solid, pose });
        let p = Combined.query(a, b, ENVELOPE, &mut [0; 4], &mut Vec::new()).unwrap();
        let mut exact = Manifold::default();
        all.determine(a, b, &p, &[], ENVELOPE, &mut exact);
        for (at, ..) in points(&exact, Pose::IDENTITY, pose) {
            let near = up.iter().any(|(q, ..)| (*q - at).length() < 2e-3);
            assert!(near, "no contact at {at} of {seed}: {up:?}");
        }
    }
}

#[test]
fn oversampled_edges_twist_normals_and_say_the_same_many_times() {
    // K-06, Figure 6.27: a cube on a cube, rotated, two hundredths deep; edges sampled sensibly, and at every cell
    let place = Pose::new(Vec3::new(0.1, 0.98, 0.05), Quat::from_rotation_y(0.5));
    let quality = |edge_normals: EdgeNormals, spacing: Real, resolution: usize| {
        let settings = MapSettings { spacing, ..MapSettings::new(resolution) };
        let cube = mesh(Vec3::splat(0.5), 5, Some(settings));
        let phase = SdfMap { edge_normals, ..SdfMap::default() };
        let (_, m) = manifold(&phase, false, (&cube, Pose::IDENTITY), (&cube, place));
        ContactQuality::of(points(&m, Pose::IDENTITY, place).into_iter().map(|(at, n, _)| (at, n)), Vec3::Y)
    };
    let by_gradient = |spacing: Real, resolution: usize| quality(EdgeNormals::Gradient, spacing, resolution);
    let (sensible, over) = (by_gradient(10.0, 64), by_gradient(1e-9, 64));
    // with vertices and faces alone hardly any normal is tilted; samples near the rim of the other's face point sideways
    assert!(sensible.count < 50 && over.count > 5 * sensible.count, "{sensible:?} {over:?}");
    assert!(over.twisted(60) > 0.01 && over.worst > 1.0, "{over:?}");
    assert!(sensible.over_determined() + 6 >= sensible.count && over.over_determined() > 150, "{over:?}");
    assert_eq!(over.deviations.iter().sum::<usize>(), over.count);
    // a finer map narrows the rim in which this happens
    let fine = by_gradient(1.0 / 64.0, 96);
    assert!(fine.twisted(30) <= over.twisted(30) + 0.02, "{fine:?} {over:?}");
    // with normals common to both surfaces none is tilted
    let upright = quality(EdgeNormals::Common, 1e-9, 64);
    assert!(upright.worst < 1e-6 && 4 * upright.count > 3 * over.count, "{upright:?}");
    // four per direction bear the same: reduction leaves less than a quarter as many as the oversampled edges gave
    let settings = MapSettings { spacing: 1e-9, ..MapSettings::new(64) };
    let cube = mesh(Vec3::splat(0.5), 5, Some(settings));
    let (_, reduced) = manifold(&SdfMap::default(), true, (&cube, Pose::IDENTITY), (&cube, place));
    assert!(reduced.points.len() * 4 < over.count, "{}", reduced.points.len());
    // a small box inside a large one gets a local way out (thesis 6.2.4)
    let large = mesh(Vec3::splat(1.0), 2, Some(MapSettings::new(32)));
    let small = mesh(Vec3::splat(0.1), 1, Some(MapSettings::new(16)));
    let inside = Pose::from_position(Vec3::new(0.7, 0.0, 0.0));
    let (p, m) = manifold(&SdfMap::default(), false, (&large, Pose::IDENTITY), (&small, inside));
    assert!(p.distance > -0.5 && p.distance < -0.3 && p.normal.x > 0.99, "{p:?}");
    assert!(points(&m, Pose::IDENTITY, inside).iter().all(|(_, n, _)| n.x > 0.9));
}

#[test]
fn a_rocking_box_keeps_its_contacts_by_name() {
    // K-12: the points of a frame that also exist in the next one keep their keys and hardly move
    let floor = TriangleMesh::height_field(13, &vec![0.0; 169], 0.35, 1.0).unwrap();
    let floors = [
        ("plane", Shape::plane(Vec3::Y, 0.0).unwrap(), Pose::IDENTITY),
        ("box", Shape::cuboid(2.0, 0.5, 2.0).unwrap(), Pose::from_position(Vec3::NEG_Y * 0.5)),
        ("mesh", Shape::mesh(MeshShape::new(floor, None).unwrap()), Pose::from_position(Vec3::new(-2.1, 0.0, -2.1))),
    ];
    let bodies = [Shape::cuboid(0.5, 0.5, 0.5).unwrap(), mesh(Vec3::splat(0.5), 2, None)];
    for (what, ground, at) in &floors {
        for body in &bodies {
            let (mut kept, mut all) = (0, 0);
            let mut last: Option<(Manifold, Pose)> = None;
            for k in 0..200 {
                let w = 0.05 * f64::from(k);
                // rocks to and fro by a third of a degree about two axes, and creeps along
                let q = Quat::from_rotation_x(0.006 * w.sin()) * Quat::from_rotation_z(0.005 * (0.7 * w).sin());
                let pose = Pose::new(Vec3::new(0.13 + 1e-4 * w, 0.4985, 0.07), q * Quat::from_rotation_y(0.3));
                let (_, m) = manifold(&Combined, false, (ground, *at), (body, pose));
                assert!(!m.points.is_empty());
                let mut keys: Vec<_> = m.points.iter().map(|p| p.key).collect();
                keys.sort_unstable();
                keys.dedup();
                assert_eq!(keys.len(), m.points.len(), "{what}, {}: two points of one name", body.kind());
                if let Some((before, _)) = &last {
                    for p in &m.points {
                        let same = before.points.iter().find(|q| q.key == p.key);
                        kept += usize::from(same.is_some_and(|q| (q.anchor_b - p.anchor_b).length() < 5e-3));
                        all += 1;
                    }
                }
                last = Some((m, pose));
            }
            let share = f64::from(kept as u32) / f64::from(all as u32);
            println!("{what}, {}: {:.2} %", body.kind(), 100.0 * share);
            assert!(share > 0.95, "{what}, {}: {share}", body.kind());
        }
    }
}
