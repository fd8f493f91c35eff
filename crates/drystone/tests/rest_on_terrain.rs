//! Round bodies come to rest on rough ground and on rails, under the default.

use drystone::geometry::{MapSettings, MeshShape, TriangleMesh};
use drystone::prelude::*;

/// Kinds of bodies that are not boxes.
fn kinds() -> Vec<(&'static str, Shape)> {
    let hull = |count: u32| {
        let points: Vec<Vec3> = (0..count)
            .map(|i| {
                let y = 1.0 - 2.0 * (f64::from(i) + 0.5) / f64::from(count);
                let w = 2.399_963_229_728_653 * f64::from(i);
                let r = (1.0 - y * y).sqrt();
                Vec3::new(0.4 * r * w.cos(), 0.2 * y, 0.3 * r * w.sin())
            })
            .collect();
        Shape::convex(&points).unwrap()
    };
    vec![
        ("cylinder", Shape::cylinder(0.2, 0.35).unwrap()),
        ("drum", Shape::cylinder(0.35, 0.1).unwrap()),
        ("capsule", Shape::capsule(0.15, 0.3).unwrap()),
        ("cone", Shape::cone(0.3, 0.3).unwrap()),
        ("hull of 12", hull(12)),
        ("hull of 40", hull(40)),
    ]
}

/// A generator of numbers in [0, 1), the same on every machine.
fn numbers(mut seed: u64) -> impl FnMut() -> f64 {
    move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as f64 / f64::from(1_u32 << 31)
    }
}

/// Runs 8 s at 60 Hz, and names the bodies that still move in the last second or have fallen through.
fn restless(world: &mut World, bodies: &[(&'static str, BodyId)], lowest: f64) -> Vec<String> {
    let mut fastest = vec![0.0_f64; bodies.len()];
    for step in 0..480 {
        world.advance(1.0 / 60.0).unwrap();
        if step >= 420 {
            for ((_, body), fastest) in bodies.iter().zip(&mut fastest) {
                let v = world.velocity(*body).unwrap();
                *fastest = fastest.max(v.linear.length() + 0.3 * v.angular.length());
            }
        }
    }
    let state = |((what, body), fastest): (&(&'static str, BodyId), &f64)| {
        let height = world.pose(*body).unwrap().position.y;
        (*fastest > 1e-3 || height < lowest).then(|| format!("{what}: {fastest:.1e} m/s at {height:.2} m"))
    };
    bodies.iter().zip(&fastest).filter_map(state).collect()
}

#[test]
fn on_rough_ground() {
    let mut random = numbers(11);
    let n = 49;
    let heights: Vec<f64> = (0..n * n).map(|_| 0.12 * random()).collect();
    let mesh = TriangleMesh::height_field(n, &heights, 0.25, 1.0).unwrap();
    let mut world = World::builder().build().unwrap();
    // what is round oscillates for long in a hollow unless it resists rolling
    let rough = Material { friction: 0.5, restitution: 0.0, rolling: 0.01, ..Material::default() };
    let rough = world.add_material(rough).unwrap();
    let ground = Body::fixed(Shape::mesh(MeshShape::new(mesh, None).unwrap())).at([-6.0, 0.0, -6.0]);
    world.add(ground.material(rough)).unwrap();
    let mut bodies = Vec::new();
    for (k, (what, shape)) in kinds().iter().cycle().take(18).enumerate() {
        let turn = Quat::from_scaled_axis(Vec3::new(random() - 0.5, random() - 0.5, random() - 0.5) * 6.0);
        let at = [(k % 5) as f64 * 2.0 - 4.0, 0.8, (k / 5) as f64 * 2.0 - 3.0];
        bodies.push((*what, world.add(Body::dynamic(shape.clone()).at(at).oriented(turn).material(rough)).unwrap()));
    }
    let moving = restless(&mut world, &bodies, 0.0);
    assert!(moving.is_empty(), "{moving:#?}");
}

/// Logs on rails.
fn on_two_rails(map: Option<MapSettings>) {
    let rail = TriangleMesh::cuboid(Vec3::new(8.0, 0.1, 0.05), 8);
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for z in [-0.25, 0.25] {
        let first = vertices.len() as u32;
        vertices.extend(rail.vertices().iter().map(|p| *p + Vec3::new(0.0, -0.1, z)));
        triangles.extend(rail.triangles().iter().map(|t| t.map(|v| v + first)));
    }
    let rails = Shape::mesh(MeshShape::new(TriangleMesh::new(vertices, triangles).unwrap(), map).unwrap());
    let mut world = World::builder().build().unwrap();
    world.add(Body::fixed(rails)).unwrap();
    let across = Quat::from_rotation_x(core::f64::consts::FRAC_PI_2);
    let mut bodies = Vec::new();
    for (k, (what, shape)) in kinds().iter().enumerate() {
        // cones and hulls would roll between the rails, and the drum would fall through
        // in a map, a cylinder rolls between the samples of the rails
        let is_log = matches!(shape, Shape::Capsule(_)) || map.is_none() && matches!(shape, Shape::Cylinder(_));
        let lies = *what != "drum" && is_log;
        if lies {
            let turn = Quat::from_rotation_y(0.1 * k as f64) * across * Quat::from_rotation_y(0.7 * k as f64);
            let body = Body::dynamic(shape.clone()).at([k as f64 * 1.5 - 3.0, 0.42, 0.0]).oriented(turn);
            bodies.push((*what, world.add(body).unwrap()));
        }
    }
    let moving = restless(&mut world, &bodies, 0.0);
    assert!(moving.is_empty(), "{moving:#?}");
}

#[test]
fn on_two_rails_without_a_map() {
    on_two_rails(None);
}

#[test]
fn on_two_rails_in_a_map() {
    on_two_rails(Some(MapSettings::new(400)));
}
