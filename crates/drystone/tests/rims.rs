//! Boxes that slide off the rim of an open sheet fall as they do off the edge of a solid plate.

use drystone::prelude::*;
use drystone_geometry::MeshShape;
use drystone_geometry::mesh::TriangleMesh;
use drystone_testkit::Random;

/// A sheet of two triangles, or a plate with the same top, that ends at `x = 1`.
fn platform(sheet: bool, turn: usize) -> (Shape, Vec3) {
    if !sheet {
        return (Shape::cuboid(2.0, 0.5, 3.0).unwrap(), Vec3::new(-1.0, -0.5, 0.0));
    }
    let corners = [[-3.0, 0.0, -3.0], [-3.0, 0.0, 3.0], [1.0, 0.0, 3.0], [1.0, 0.0, -3.0]].map(Vec3::from);
    // the diagonal either way, and with or without common vertices
    let [a, b, c, d] = [0, 1, 2, 3].map(|k| (k + turn) % 4);
    let (vertices, triangles) = if turn < 2 {
        (corners.to_vec(), vec![[a as u32, b as u32, c as u32], [a as u32, c as u32, d as u32]])
    } else {
        ([a, b, c, a, c, d].map(|k| corners[k]).to_vec(), vec![[0, 1, 2], [3, 4, 5]])
    };
    let mesh = TriangleMesh::new(vertices, triangles).unwrap();
    (Shape::mesh(MeshShape::new(mesh, None).unwrap()), Vec3::ZERO)
}

/// Where a smooth box is 1.2 s after it began to slide towards the edge, and the most energy that it gained (J), in its weights times a metre.
fn slide(preset: Paradigm, sheet: bool, k: usize) -> (Vec3, f64) {
    let mut r = Random::new(k as u64);
    let half = [r.range(0.1, 0.3), r.range(0.05, 0.15), r.range(0.1, 0.3)];
    let (speed, turned) = (r.range(0.7, 2.0), if k.is_multiple_of(3) { 0.0 } else { r.range(-0.6, 0.6) });
    let mut world = World::builder().paradigm(preset).build().unwrap();
    let smooth = world.add_material(Material { friction: 0.0, restitution: 0.0, ..Material::default() }).unwrap();
    let (shape, at) = platform(sheet, k % 4);
    world.add(Body::fixed(shape).at(at).material(smooth)).unwrap();
    let shape = Shape::cuboid(half[0], half[1], half[2]).unwrap();
    let body = Body::dynamic(shape).mass(1.0).material(smooth).oriented(Quat::from_rotation_y(turned));
    let body = world.add(body.at([0.5, half[1], 0.0]).linear_velocity([speed, 0.0, 0.0])).unwrap();
    let start = world.energy().total();
    let mut gained: f64 = 0.0;
    for _ in 0..72 {
        world.advance(1.0 / 60.0).unwrap();
        gained = gained.max(world.energy().total() - start);
    }
    (world.position(body).unwrap(), gained / 9.81)
}

#[test]
fn boxes_slide_off_sheets_as_off_plates() {
    for preset in [
        Paradigm::REAL_TIME,
        Paradigm::MECHANISM,
        Paradigm::VELOCITY_LCP,
        Paradigm::XPBD,
        Paradigm::AVBD,
        Paradigm::SUBSTEP_SOFT,
    ] {
        for k in 0..12 {
            let [(right, _), (found, gained)] = [false, true].map(|sheet| slide(preset, sheet, k));
            assert!(right.x > 1.0, "{} {k}: {right}", preset.name);
            assert!((found - right).length() < 0.3, "{} {k}: {found}, not {right}", preset.name);
            assert!(gained < 0.05, "{} {k}: gained {gained} m", preset.name);
        }
    }
}
