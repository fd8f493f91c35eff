//! Runge-Kutta methods by their tableau: their order on smooth motion, free and held by a joint, and step control (C-04).

use drystone::core::catalogue::Value;
use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind, WorldBuilder};
use drystone_core::MaterialIndex;
use drystone_joints::JointDescription;
use drystone_testkit::Random;

fn choice(kind: ModuleKind, name: &str, settings: &[(&str, Value)]) -> ModuleChoice {
    let settings = settings.iter().map(|(k, v)| ((*k).to_owned(), v.clone())).collect();
    ModuleChoice { kind, name: Some(name.to_owned()), settings }
}

/// Accelerations exactly as in the equations of motion: gyroscopic torque at the current state, joints solved exactly.
fn builder(method: &str, tolerance: f64) -> WorldBuilder {
    let explicit = [("gyroscopic_rule", Value::Text("explicit".to_owned()))];
    builder_with(method, tolerance, choice(ModuleKind::MotionSolver, "semi-implicit-euler", &explicit))
}

fn builder_with(method: &str, tolerance: f64, motion: ModuleChoice) -> WorldBuilder {
    let text = |t: &str| Value::Text(t.to_owned());
    World::builder()
        .choose(choice(
            ModuleKind::TimeControl,
            "runge-kutta",
            &[("method", text(method)), ("tolerance", Value::Real(tolerance))],
        ))
        .choose(motion)
        .choose(choice(ModuleKind::Lcp, "sparse-principal-pivoting", &[]))
        .choose(choice(ModuleKind::ConstraintSolver, "velocity-complementarity", &[("stabilization", text("none"))]))
}

/// A thrown box that tumbles about its middle axis.
fn top(method: &str, steps: u32) -> (Vec3, Vec3) {
    thrown(builder(method, 0.0), steps)
}

fn thrown(builder: WorldBuilder, steps: u32) -> (Vec3, Vec3) {
    let mut world = builder.build().unwrap();
    let body = Body::dynamic(Shape::cuboid(0.1, 0.4, 0.2).unwrap());
    let id = world.add(body.linear_velocity([1.0, 5.0, 0.0]).angular_velocity([0.3, 0.2, 6.0])).unwrap();
    for _ in 0..steps {
        world.advance(1.0 / f64::from(steps)).unwrap();
    }
    (world.position(id).unwrap(), world.pose(id).unwrap().orientation * Vec3::new(0.1, 0.4, 0.2))
}

/// The position of a pendulum's centre after a second; it is a bar on a ball joint.
fn pendulum(method: &str, steps: u32) -> Vec3 {
    let mut world = builder(method, 0.0).build().unwrap();
    let bar = Body::dynamic(Shape::cuboid(0.05, 0.5, 0.05).unwrap()).at([0.0, -0.5, 0.0]);
    // its velocity is consistent with the joint
    let id = world.add(bar.linear_velocity([1.0, 0.0, 0.5]).angular_velocity([-1.0, 0.0, 2.0])).unwrap();
    let joint = JointDescription { anchor: Some(Vec3::ZERO), ..JointDescription::new("ball") };
    let joint = drystone_joints::build(&joint, &Pose::IDENTITY, &world.pose(id).unwrap()).unwrap();
    world.add_joint([None, Some(id)], joint).unwrap();
    for _ in 0..steps {
        world.advance(1.0 / f64::from(steps)).unwrap();
    }
    world.position(id).unwrap()
}

/// The order of convergence, from the errors at one step and at half of it.
fn order(coarse: f64, fine: f64) -> f64 {
    (coarse / fine).log2()
}

#[test]
fn a_thrown_top_is_followed_to_the_order_of_the_method() {
    let (place, corner) = top("dormand-prince", 2000);
    let parabola = Vec3::new(1.0, 5.0 - 0.5 * 9.81, 0.0);
    assert!((place - parabola).length() < 1e-9, "{place}");
    for (method, expected) in
        [("euler", 1.0), ("midpoint", 2.0), ("heun", 2.0), ("bogacki-shampine", 3.0), ("classical", 4.0)]
    {
        let error = |steps| (top(method, steps).1 - corner).length();
        let found = order(error(100), error(200));
        assert!((found - expected).abs() < 0.35, "{method}: order {found}");
    }
}

/// The rates agree if the drift, and not a torque, turns the spin.
#[test]
fn a_top_tumbles_alike_whoever_integrates_its_spin() {
    let exact = top("dormand-prince", 2000).1;
    for motion in ["lie-midpoint", "torque-free-rk4", "dormand-prince"] {
        let error = |steps| {
            let builder = builder_with("classical", 0.0, choice(ModuleKind::MotionSolver, motion, &[]));
            (thrown(builder, steps).1 - exact).length()
        };
        let found = order(error(100), error(200));
        assert!((found - 4.0).abs() < 0.35, "{motion}: order {found}, off by {}", error(200));
    }
}

#[test]
fn a_pendulum_is_followed_to_order_four() {
    let exact = pendulum("dormand-prince", 1000);
    assert!((exact.length() - 0.5).abs() < 1e-9);
    let error = |method: &str, steps| (pendulum(method, steps) - exact).length();
    let found = order(error("classical", 50), error("classical", 100));
    assert!((3.5..5.0).contains(&found), "order {found}, error {}", error("classical", 100));
    // negative control: a single stage
    let found = order(error("euler", 100), error("euler", 200));
    assert!((0.7..1.4).contains(&found), "order {found}");
}

#[test]
fn step_control_keeps_its_tolerance_with_fewer_steps_where_it_can() {
    let exact = top("dormand-prince", 2000).1;
    let run = |tolerance: f64| {
        let mut world = builder("dormand-prince", tolerance).build().unwrap();
        let body = Body::dynamic(Shape::cuboid(0.1, 0.4, 0.2).unwrap());
        let id = world.add(body.linear_velocity([1.0, 5.0, 0.0]).angular_velocity([0.3, 0.2, 6.0])).unwrap();
        let calls = world.advance(1.0).unwrap().calls;
        ((world.pose(id).unwrap().orientation * Vec3::new(0.1, 0.4, 0.2) - exact).length(), calls.sub_steps)
    };
    let (coarse, few) = run(1e-4);
    let (fine, many) = run(1e-8);
    assert!(coarse < 1e-2 && fine < 1e-6 && fine < coarse, "{coarse} {fine}");
    assert!(few < many && many < 500, "{few} and {many} steps");
}

#[test]
fn contacts_are_held_through_the_stages() {
    let mut world = builder("classical", 0.0).build().unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
    let cube = Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).at([0.0, 0.5, 0.0]);
    let id = world.add(cube.linear_velocity([3.0, 0.0, 0.0])).unwrap();
    let mu = world.configuration().materials.pair(MaterialIndex::default(), MaterialIndex::default()).friction;
    for _ in 0..300 {
        world.advance(0.01).unwrap();
    }
    let way = world.position(id).unwrap();
    let expected = 9.0 / (2.0 * mu * 9.81);
    assert!((way.x - expected).abs() < 0.02 * expected && (way.y - 0.5).abs() < 1e-3, "{way}, expected {expected}");
}

/// A body's own damping is part of the rates: it is of order four under Runge and Kutta's method, where mean rates over a step gave order one.
/// Decay within a fraction of a step stays bounded.
#[test]
fn damping_of_a_body_is_of_the_order_of_the_method() {
    let left = |rate: f64, h: f64, steps: usize| {
        let mut world = builder("classical", 0.0).gravity(Vec3::ZERO).build().unwrap();
        let ball = Body::dynamic(Shape::sphere(0.1).unwrap()).damping(rate, 0.0).linear_velocity([4.0, 0.0, 0.0]);
        let ball = world.add(ball).unwrap();
        for _ in 0..steps {
            world.advance(h).unwrap();
        }
        world.velocity(ball).unwrap().linear.x
    };
    let want = 4.0 * (-0.7_f64).exp();
    let off = [left(0.7, 0.1, 10), left(0.7, 0.05, 20)].map(|v| (v - want).abs());
    assert!(off[0] < 1e-5 && (off[0] / off[1]).log2() > 3.7, "{off:?}");
    let stiff = left(1e4, 0.1, 10);
    assert!(stiff.abs() < 4.0, "{stiff}");
}

/// Largest and least energy of a random row of elastic balls on a line, relative to what it has at first, and the momentum that it loses.
fn elastic_row(method: &str, random: &mut Random) -> ([f64; 2], f64) {
    let mut world = builder(method, 0.0)
        .gravity(Vec3::ZERO)
        .choose(choice(ModuleKind::CollisionSolver, "sequential", &[]))
        .build()
        .unwrap();
    let material = Material { restitution: 1.0, friction: 0.0, ..Material::default() };
    let material = world.add_material(material).unwrap();
    let (mut x, count) = (0.0, 3 + random.below(3));
    for i in 0..count {
        let ball = Body::dynamic(Shape::sphere(0.1).unwrap()).mass(random.range(0.5, 2.0)).material(material);
        let speed = if i == 0 { random.range(2.0, 5.0) } else { 0.0 };
        world.add(ball.at([x, 0.0, 0.0]).linear_velocity([speed, 0.0, 0.0])).unwrap();
        // farther apart than any of them comes in a step: what meets twice in a step is slowed down by the contact that it had not reached before
        x += 0.2 + random.range(0.05, 0.15);
    }
    let (energy, momentum) = (world.energy().kinetic, world.momentum().linear.x);
    let (mut most, mut least): (f64, f64) = (1.0, 1.0);
    let h = random.range(0.0005, 0.002);
    for _ in 0..300 {
        world.advance(h).unwrap();
        let part = world.energy().kinetic / energy;
        (most, least) = (most.max(part), least.min(part));
    }
    ([most, least], (world.momentum().linear.x / momentum - 1.0).abs())
}

/// Impacts that come within a step turn bodies where they meet, under every tableau.
#[test]
fn elastic_rows_keep_their_energy() {
    let mut random = Random::new(55);
    for method in ["euler", "midpoint", "heun", "classical", "bogacki-shampine", "dormand-prince"] {
        for _ in 0..10 {
            let ([most, least], lost) = elastic_row(method, &mut random);
            assert!(most < 1.0 + 1e-9 && least > 1.0 - 1e-9 && lost < 1e-9, "{method}: {most} {least} {lost}");
        }
    }
}
