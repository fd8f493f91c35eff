//! Single bodies against closed forms, and the source texts' small impact scenes.

use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind};
use drystone_core::catalogue::Value;

const G: f64 = 9.81;

fn frictionless(world: &mut World, restitution: f64) -> drystone_core::MaterialIndex {
    world.add_material(Material { friction: 0.0, restitution, ..Material::default() }).unwrap()
}

#[test]
fn free_fall_is_the_parabola() {
    let mut world = World::builder().build().unwrap();
    let ball = world.add(Body::dynamic(Shape::sphere(0.5).unwrap()).at([0.0, 100.0, 0.0])).unwrap();
    let (h, n) = (0.01, 100);
    for _ in 0..n {
        world.advance(h).unwrap();
    }
    let fallen = 100.0 - world.position(ball).unwrap().y;
    let expected = 0.5 * G;
    assert!((fallen - expected).abs() < 1e-10, "{fallen} against {expected}");
    assert!((world.velocity(ball).unwrap().linear.y + G).abs() < 1e-12);
    assert!((world.time() - 1.0).abs() < 1e-12);
}

#[test]
fn elastic_ball_keeps_its_height() {
    let mut world = World::builder().build().unwrap();
    let elastic = frictionless(&mut world, 1.0);
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(elastic)).unwrap();
    let ball = world.add(Body::dynamic(Shape::sphere(0.5).unwrap()).at([0.0, 2.5, 0.0]).material(elastic)).unwrap();
    let mut highest = 0.0_f64;
    let mut bounced = false;
    for _ in 0..2000 {
        world.advance(0.001).unwrap();
        bounced |= world.velocity(ball).unwrap().linear.y > 0.0;
        if bounced {
            highest = highest.max(world.position(ball).unwrap().y);
        }
    }
    // a step's fall is the resolution of the impact time: 2 h v = 0.0126 m at 6.3 m/s
    assert!((highest - 2.5).abs() < 0.015, "rose to {highest}");
}

/// D-02.
#[test]
fn bounce_heights_go_with_e_squared() {
    for e in [0.3, 0.5, 0.8] {
        let mut world = World::builder().build().unwrap();
        let surface = frictionless(&mut world, e);
        world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(surface)).unwrap();
        let ball = world.add(Body::dynamic(Shape::sphere(0.5).unwrap()).at([0.0, 2.5, 0.0]).material(surface)).unwrap();
        let (mut bounced, mut top) = (false, 0.0_f64);
        for _ in 0..1500 {
            world.advance(0.001).unwrap();
            let v = world.velocity(ball).unwrap().linear.y;
            if bounced && v < 0.0 {
                break;
            }
            bounced |= v > 0.0;
            top = world.position(ball).unwrap().y - 0.5;
        }
        let expected = e * e * 2.0;
        assert!((top - expected).abs() < 0.01 * 2.0, "e = {e}: rose to {top}, closed form {expected}");
    }
}

/// Three equal balls in a row, the first one strikes the others (O-18): their velocities afterwards.
fn three_balls(solver: &str) -> [f64; 3] {
    let choice = ModuleChoice { kind: ModuleKind::CollisionSolver, name: Some(solver.into()), settings: vec![] };
    let mut world = World::builder().gravity([0.0; 3]).choose(choice).build().unwrap();
    let elastic = frictionless(&mut world, 1.0);
    let ball = |x: f64| Body::dynamic(Shape::sphere(0.5).unwrap()).at([x, 0.0, 0.0]).material(elastic);
    let first = world.add(ball(-1.0).linear_velocity([1.0, 0.0, 0.0])).unwrap();
    let rest = [world.add(ball(0.0)).unwrap(), world.add(ball(1.0)).unwrap()];
    world.advance(0.001).unwrap();
    [first, rest[0], rest[1]].map(|b| world.velocity(b).unwrap().linear.x)
}

#[test]
fn three_balls_by_both_laws_of_application() {
    let close = |found: [f64; 3], want: [f64; 3]| found.iter().zip(want).all(|(a, b)| (a - b).abs() < 1e-12);
    let sequential = three_balls("sequential");
    assert!(close(sequential, [0.0, 0.0, 1.0]), "propagation gives the last ball everything: {sequential:?}");
    let simultaneous = three_balls("simultaneous");
    assert!(close(simultaneous, [-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]), "Baraff's condition: {simultaneous:?}");
}

#[test]
fn friction_at_any_angle_of_the_pyramid() {
    // a block thrown between the pyramid's axes stops after v^2 / (2 mu g), the more exactly the more facets there are
    let stop = |facets: i64| {
        let settings =
            vec![("friction".to_owned(), Value::Text("pyramid".into())), ("facets".to_owned(), Value::Integer(facets))];
        let choice = ModuleChoice { kind: ModuleKind::ConstraintSolver, name: None, settings };
        let mut world = World::builder().paradigm(Paradigm::VELOCITY_LCP).choose(choice).build().unwrap();
        let rough = world.add_material(Material { friction: 0.5, restitution: 0.0, ..Material::default() }).unwrap();
        world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(rough)).unwrap();
        let speed = 2.0 / 2.0_f64.sqrt();
        let (sine, cosine) = (core::f64::consts::PI / 8.0).sin_cos();
        let block = Body::dynamic(Shape::cuboid(0.5, 0.1, 0.5).unwrap())
            .at([0.0, 0.1, 0.0])
            .material(rough)
            .linear_velocity([speed * cosine, 0.0, speed * sine]);
        let block = world.add(block).unwrap();
        for _ in 0..400 {
            world.advance(1.0 / 240.0).unwrap();
        }
        world.position(block).unwrap().with_y(0.0).length()
    };
    let exact = 2.0 / (2.0 * 0.5 * G);
    let off = |facets| (stop(facets) / exact - 1.0).abs();
    let errors = [off(4), off(16)];
    assert!(errors[1] < 0.03 && errors[1] < errors[0], "errors with 4 and 16 facets: {errors:?}");
}
