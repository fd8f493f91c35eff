//! What projection does to potential energy, counted: the three ways of thesis Figure 4.20 out of a wall, a floor and a slope.

use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind};
use drystone_core::catalogue::Value;

const G: f64 = 9.81;
const MASS: f64 = 3.0;
const DEPTH: f64 = 0.05;

/// A cube this deep in a plane that faces `normal`: what projections put in over some steps, and how far it moved along the normal.
fn projected(normal: Vec3, stabilization: &str, gravity_scale: f64, steps: usize) -> (f64, f64) {
    let settings = vec![
        ("stabilization".to_owned(), Value::Text(stabilization.to_owned())),
        ("correction_iterations".to_owned(), Value::Integer(200)),
    ];
    let choice = ModuleChoice { kind: ModuleKind::ConstraintSolver, name: None, settings };
    let mut world = World::builder().paradigm(Paradigm::VELOCITY_LCP).choose(choice).build().unwrap();
    let m = world.add_material(Material { friction: 0.0, restitution: 0.0, ..Material::default() }).unwrap();
    world.add(Body::fixed(Shape::plane(normal, 0.0).unwrap()).material(m)).unwrap();
    let turned = Quat::from_rotation_arc(Vec3::Y, normal);
    let cube = Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).mass(MASS).material(m).gravity_scale(gravity_scale);
    let cube = world.add(cube.at(normal * (0.5 - DEPTH)).oriented(turned)).unwrap();
    let mut sum = 0.0;
    for _ in 0..steps {
        sum += world.advance(1e-6).unwrap().calls.correction.lifted;
    }
    (sum, world.position(cube).unwrap().dot(normal) - (0.5 - DEPTH))
}

#[test]
fn the_energy_of_projection_is_that_of_its_way() {
    let slope = Vec3::new(0.6, 0.8, 0.0);
    for (normal, height) in [(Vec3::Y, 1.0), (slope, 0.8), (Vec3::X, 0.0)] {
        let (sum, way) = projected(normal, "projection", 1.0, 20);
        assert!(way > 0.9 * DEPTH, "{normal}: {way}");
        // to what 20 steps of a microsecond fall besides
        assert!((sum - MASS * G * way * height).abs() < 1e-6, "{normal}: {sum} J over {way} m");
    }
    // what is not projected puts nothing in, and what weighs nothing has nothing to put in
    assert_eq!(projected(Vec3::Y, "none", 1.0, 20).0, 0.0);
    let (sum, way) = projected(Vec3::Y, "projection", 0.0, 20);
    assert!(sum == 0.0 && way > 0.9 * DEPTH, "{sum} {way}");
}
