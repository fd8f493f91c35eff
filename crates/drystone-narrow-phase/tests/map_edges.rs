//! Normals of samples beside edges and corners of a distance map (K-04, K-05): they must be normals of both surfaces.

use drystone_core::{ContactSeed, NarrowCache, NarrowPhase, PosedShape};
use drystone_geometry::{MapSettings, MeshShape, Shape, TriangleMesh};
use drystone_math::{Pose, Quat, Real, Vec3};
use drystone_narrow_phase::{EdgeNormals, SdfMap};

const ENVELOPE: Real = 0.01;

/// The error of the map's nodes, stored in single precision, and of interpolation between them (m).
const MAPPED: Real = 1e-6;

/// By how much a direction may deviate from the normals of a surface.
const LEAN: Real = 2e-3;

fn mapped(mesh: TriangleMesh, spacing: Real) -> Shape {
    let settings = MapSettings { spacing, ..MapSettings::new(32) };
    Shape::mesh(MeshShape::new(mesh, Some(settings)).unwrap())
}

/// A cube of edge one with samples at its corners and at the centres of its faces.
fn cube() -> Shape {
    mapped(TriangleMesh::cuboid(Vec3::splat(0.5), 1), 10.0)
}

fn contacts(normals: EdgeNormals, a: &Shape, b: &Shape, pose: Pose) -> Vec<ContactSeed> {
    let mut seeds = Vec::new();
    let (a, b) = (PosedShape { shape: a, pose: Pose::IDENTITY }, PosedShape { shape: b, pose });
    let phase = SdfMap { edge_normals: normals, ..SdfMap::default() };
    phase.query(a, b, ENVELOPE, &mut NarrowCache::default(), &mut seeds).unwrap();
    seeds
}

#[test]
fn a_cube_upon_a_cube_has_vertical_contacts_at_the_corners_of_what_both_cover() {
    let cube = cube();
    for gap in [-0.05, -1e-3, -1e-6, 0.0, 1e-3] {
        for (x, z) in [(0.0, 0.0), (1e-6, 0.0), (1e-4, -1e-4), (5e-3, 3e-3), (-5e-3, 0.0), (0.3, 0.0), (-0.4, 0.0)] {
            let seeds = contacts(EdgeNormals::Common, &cube, &cube, Pose::from_position(Vec3::new(x, 1.0 + gap, z)));
            for s in &seeds {
                assert!((s.normal - Vec3::Y).length() < 1e-6, "{gap} {x} {z}: {s:?}");
                assert!((s.separation - gap).abs() < MAPPED, "{gap} {x} {z}: {s:?}");
            }
            for corner_x in [(x - 0.5).max(-0.5), (x + 0.5).min(0.5)] {
                for corner_z in [(z - 0.5).max(-0.5), (z + 0.5).min(0.5)] {
                    let middle = 0.5 * gap;
                    let found = seeds
                        .iter()
                        .any(|s| (s.position - Vec3::new(corner_x, 0.5 + middle, corner_z)).length() < 1e-6);
                    assert!(found, "{gap} {x} {z}: none at {corner_x} {corner_z} of {seeds:?}");
                }
            }
        }
    }
    // the control: where corners meet, the gradient of the map is horizontal
    let seeds = contacts(EdgeNormals::Gradient, &cube, &cube, Pose::from_position(Vec3::Y * (1.0 - 1e-6)));
    let count = |least: Real, most: Real| seeds.iter().filter(|s| (least..=most).contains(&s.normal.y)).count();
    assert!(count(-0.1, 0.1) >= 2 && count(0.99, 1.0) < 5, "{seeds:?}");
}

#[test]
fn a_cube_that_is_turned_about_the_vertical_has_vertical_contacts() {
    let cube = cube();
    for k in 0..90 {
        let turn = Quat::from_rotation_y((Real::from(k) * 0.5).to_radians());
        for gap in [-1e-3, 1e-3] {
            let seeds = contacts(EdgeNormals::Common, &cube, &cube, Pose::new(Vec3::Y * (1.0 + gap), turn));
            for s in &seeds {
                assert!((s.normal - Vec3::Y).length() < 1e-6 && (s.separation - gap).abs() < MAPPED, "{k}: {s:?}");
            }
            // if no corner lies over a face, edges cross at the eight corners of the common region
            let on_rim = |s: &&ContactSeed| (s.position.x.abs().max(s.position.z.abs()) - 0.5).abs() < 1e-9;
            let corners = seeds.iter().filter(on_rim).count();
            assert!(if k < 3 { corners >= 4 } else { corners == 8 }, "{k}: {seeds:?}");
        }
    }
}

/// The same for blocks whose edges lie between the nodes of their maps, which locate them only to a fraction of a cell.
#[test]
fn blocks_between_the_nodes_of_their_maps_have_vertical_contacts() {
    let half = Vec3::new(0.5, 0.371, 0.443);
    let block = mapped(TriangleMesh::cuboid(half, 1), 10.0);
    for (x, z) in [(0.0, 0.0), (1e-3, -1e-3), (0.21, 0.0), (0.13, 0.17)] {
        let pose = Pose::from_position(Vec3::new(x, 2.0 * half.y - 1e-4, z));
        let seeds = contacts(EdgeNormals::Common, &block, &block, pose);
        // the centres of both faces, and at least the corner of each block that lies over the other one
        assert!(seeds.len() >= 4, "{x} {z}: {seeds:?}");
        for s in &seeds {
            assert!((s.normal - Vec3::Y).length() < 1e-6, "{x} {z}: {s:?}");
            assert!((s.separation + 1e-4).abs() < 0.01, "{x} {z}: {s:?}");
        }
    }
}

#[test]
fn a_cube_that_leans_has_contacts_as_deep_as_its_corners() {
    let cube = cube();
    for angle in [1e-5, 1e-3, 5e-3, 0.01, 0.1] {
        for turn in [Quat::from_rotation_x(angle), Quat::from_rotation_z(angle), Quat::from_rotation_z(-angle)] {
            // the lowest corners are half a millimetre deep
            let lowest = 0.5 * (angle.cos() + angle.sin());
            let pose = Pose::new(Vec3::Y * (0.5 + lowest - 5e-4), turn);
            let seeds = contacts(EdgeNormals::Common, &cube, &cube, pose);
            let deepest = seeds.iter().fold(0.0, |d: Real, s| d.max(-s.separation));
            assert!((deepest - 5e-4).abs() < MAPPED, "{angle}: {deepest}");
            for s in &seeds {
                assert!(s.normal.dot(Vec3::Y) > (angle + LEAN).cos() - 1e-12, "{angle}: {s:?}");
                // the point is equally far from both faces, and their distance there is the separation
                let (upper, at) = (turn * Vec3::Y, s.position - pose.position);
                let gap = s.position.y - 0.5 - (at.dot(upper) + 0.5);
                assert!((gap - s.separation).abs() < ENVELOPE * angle + MAPPED, "{angle} {gap}: {s:?}");
            }
        }
    }
}

#[test]
fn edges_that_cross_have_the_normal_that_is_square_to_both() {
    // two roofs across each other, ridge on ridge, sampled at the crossing and beside it
    let cube = mapped(TriangleMesh::cuboid(Vec3::splat(0.5), 1), 1.0 / 16.0);
    let lower = Quat::from_rotation_x(core::f64::consts::FRAC_PI_4);
    for (turn, gap) in [(1.57, -1e-3), (1.57, 1e-3), (1.0, -1e-3), (0.4, -5e-3)] {
        let upper = Quat::from_rotation_y(turn) * lower;
        let height = Real::sqrt(2.0) + gap;
        let rel = Pose::new(lower.inverse() * (Vec3::Y * height), lower.inverse() * upper);
        let seeds = contacts(EdgeNormals::Common, &cube, &cube, rel);
        let deepest = seeds.iter().reduce(|d, s| if s.separation < d.separation { s } else { d });
        let s = deepest.unwrap_or_else(|| panic!("{turn} {gap}: no contact"));
        assert!((lower * s.normal - Vec3::Y).length() < 1e-6, "{turn} {gap}: {s:?}");
        assert!((s.separation - gap).abs() < MAPPED, "{turn} {gap}: {s:?}");
    }
}

/// The control: on smooth surfaces and at inner edges the result is the gradient, to the last bit.
#[test]
fn balls_of_triangles_and_inner_corners_have_the_normals_of_the_map() {
    let round = |radius: Real| {
        let cube = TriangleMesh::cuboid(Vec3::ONE, 10);
        let vertices = cube.vertices().iter().map(|v| v.normalize() * radius).collect();
        mapped(TriangleMesh::new(vertices, cube.triangles().to_vec()).unwrap(), 0.0)
    };
    let (large, small) = (round(0.5), round(0.3));
    let mut touching = 0;
    for k in 0..50 {
        let w = Real::from(k);
        let out = Vec3::new((1.3 * w).sin(), (0.7 * w).cos(), (2.1 * w).sin()).normalize();
        let pose = Pose::new(out * 0.79, Quat::from_scaled_axis(Vec3::new(w, 0.3, 0.5 * w)));
        let common = contacts(EdgeNormals::Common, &large, &small, pose);
        assert_eq!(common, contacts(EdgeNormals::Gradient, &large, &small, pose));
        assert!(common.iter().all(|s| s.normal.dot(out) > 0.9), "{common:?}");
        touching += usize::from(!common.is_empty());
    }
    assert!(touching > 40, "{touching}");
}

#[test]
fn swapped_bodies_are_told_the_same() {
    let cube = cube();
    for k in 0..200 {
        let w = Real::from(k);
        let at = Vec3::new(0.6 * (1.3 * w).sin(), 0.98, 0.6 * (2.1 * w).sin());
        let turn = Quat::from_scaled_axis(Vec3::new((0.9 * w).sin(), w, (1.7 * w).cos()) * 0.05);
        let pose = Pose::new(at, turn);
        let one = contacts(EdgeNormals::Common, &cube, &cube, pose);
        let inverse = Pose::IDENTITY.relative_to(&pose);
        let two = contacts(EdgeNormals::Common, &cube, &cube, inverse);
        assert_eq!(one.len(), two.len(), "{k}");
        for s in &one {
            // seen from the other cube, where B's samples play this part
            let at = pose.local_point(s.position);
            let near = |t: &&ContactSeed| (t.position - at).length() < 1e-9 && (t.key.0 ^ s.key.0) != 0;
            let t = two.iter().find(near).unwrap_or_else(|| panic!("{k}: none at {at}, {two:?}"));
            assert!((s.separation - t.separation).abs() < 1e-9, "{k}: {s:?} {t:?}");
            assert!((pose.local_direction(s.normal) + t.normal).length() < 1e-6, "{k}: {s:?} {t:?}");
        }
    }
}
