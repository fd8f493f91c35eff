//! The penalty method: bodies sink by their weight over the stiffness, and what the method cannot do is refused.

use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind, WorldError};
use drystone_core::catalogue::Value;
use drystone_joints::JointDescription;

const H: f64 = 1.0 / 240.0;
const G: f64 = 9.81;

fn world(solver: Option<&str>, settings: &[(&str, f64)]) -> World {
    let settings = settings.iter().map(|(k, v)| ((*k).to_owned(), Value::Real(*v))).collect();
    let choice = ModuleChoice { kind: ModuleKind::ConstraintSolver, name: solver.map(str::to_owned), settings };
    World::builder().paradigm(Paradigm::PENALTY).gravity([0.0, -G, 0.0]).choose(choice).build().unwrap()
}

fn floor() -> Body {
    Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())
}

/// How deep a ball of 2 kg lies after 2 s.
fn sink(mut world: World) -> f64 {
    world.add(floor()).unwrap();
    let ball = world.add(Body::dynamic(Shape::sphere(0.1).unwrap()).mass(2.0).at([0.0, 0.1, 0.0])).unwrap();
    for _ in 0..480 {
        world.advance(H).unwrap();
    }
    assert!(world.velocity(ball).unwrap().linear.length() < 1e-6);
    0.1 - world.position(ball).unwrap().y
}

// E-28
#[test]
fn a_ball_sinks_by_its_weight_over_the_stiffness() {
    for k in [2e3, 2e4, 1e5] {
        let (found, expected) = (sink(world(None, &[("stiffness", k)])), 2.0 * G / k);
        assert!((found - expected).abs() < 1e-6 * expected, "{k}: {found}, expected {expected}");
    }
    // by default k = factor m / h^2, where h is a quarter of a frame
    let (found, expected) = (sink(world(None, &[])), G * (H / 4.0).powi(2) / 0.25);
    assert!((found - expected).abs() < 1e-6 * expected, "{found}, expected {expected}");
    // the control: a constraint solver holds it in place
    assert!(sink(world(Some("velocity-complementarity"), &[])).abs() < 1e-5);
}

/// How high a body rises after falling by 1 m onto the floor (m); `half` is the height of its centre above its lowest points.
fn rise(mut world: World, restitution: f64, (shape, half): (Shape, f64)) -> f64 {
    let m = world.add_material(Material { restitution, ..Material::default() }).unwrap();
    world.add(floor().material(m)).unwrap();
    let body = world.add(Body::dynamic(shape).mass(2.0).at([0.0, half + 1.0, 0.0]).material(m)).unwrap();
    let mut before = 0.0;
    for _ in 0..480 {
        world.advance(H).unwrap();
        let up = world.velocity(body).unwrap().linear.y;
        if before > 0.0 && up <= 0.0 {
            return world.position(body).unwrap().y - half;
        }
        before = up;
    }
    0.0
}

#[test]
fn a_ball_bounces_as_high_as_its_restitution_says() {
    // k such that a contact lasts many steps: otherwise the spring would not be resolved
    let ball = |restitution| rise(world(None, &[("stiffness", 2e3)]), restitution, (Shape::sphere(0.1).unwrap(), 0.1));
    let (hard, soft) = (ball(0.9), ball(0.3));
    assert!((hard - 0.81).abs() < 0.1 && soft < 0.25, "{hard} {soft}");
}

/// The four springs below a face act on the body as one. If each were damped for what is felt at its corner alone, a cube with e = 0.3 would rise
/// to 0.33 m and a plate to 0.43 m.
#[test]
fn faces_bounce_as_high_as_balls() {
    let faces = [[0.1, 0.1, 0.1], [0.4, 0.02, 0.4], [0.2, 0.04, 0.1]];
    for restitution in [0.0, 0.3, 0.5, 0.9] {
        let ball = rise(world(None, &[]), restitution, (Shape::sphere(0.1).unwrap(), 0.1));
        for [x, y, z] in faces {
            let face = rise(world(None, &[]), restitution, (Shape::cuboid(x, y, z).unwrap(), y));
            assert!((face - ball).abs() < 0.05, "e = {restitution}, half of {y}: {face}, a ball {ball}");
            assert!((face - restitution * restitution).abs() < 0.05, "e = {restitution}, half of {y}: {face}");
        }
    }
}

#[test]
fn it_is_stable_at_its_default_and_refuses_what_it_cannot_hold() {
    let mut w = world(None, &[]);
    w.add(floor()).unwrap();
    let ids: Vec<_> = (0..3)
        .map(|i| {
            w.add(Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).at([0.0, 0.5 + f64::from(i), 0.0])).unwrap()
        })
        .collect();
    for _ in 0..720 {
        w.advance(H).unwrap();
    }
    for (i, id) in ids.iter().enumerate() {
        let off = w.position(*id).unwrap() - Vec3::Y * (0.5 + i as f64);
        assert!(off.length() < 0.01 && w.velocity(*id).unwrap().linear.length() < 1e-4, "{i}: {off}");
    }
    let joint = JointDescription { anchor: Some(Vec3::ZERO), ..JointDescription::new("ball") };
    let joint = drystone_joints::build(&joint, &Pose::IDENTITY, &Pose::IDENTITY).unwrap();
    w.add_joint([None, Some(ids[0])], joint).unwrap();
    let refused = w.advance(H).unwrap_err();
    assert!(matches!(refused, WorldError::Refused { paradigm: "penalty", what: "joints", .. }), "{refused}");

    let mut w = world(None, &[]);
    let rolls = w.add_material(Material { rolling: 0.01, ..Material::default() }).unwrap();
    w.add(floor().material(rolls)).unwrap();
    let refused = w.advance(H).unwrap_err();
    assert!(refused.to_string().contains("rolling"), "{refused}");
}
