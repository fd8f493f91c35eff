//! Springs and dampers of joints against closed forms: implicit ones hold where explicit ones blow up (B-32).

use drystone::Paradigm;
use drystone::prelude::*;
use drystone_core::{Configuration, ForceField, State};
use drystone_joints::{JointDescription, Spring};
use drystone_math::Wrench;
use drystone_motion::force::{Anchor, SpringDamper};

const MASS: f64 = 1.0;

/// Displacement (m) and energy (J) of a mass on a slider's spring, released at 0.5 m, after `steps` steps of `h` seconds.
fn slide(paradigm: Paradigm, stiffness: f64, damping: f64, h: f64, steps: usize) -> (f64, f64) {
    let mut world = World::builder().paradigm(paradigm).gravity(Vec3::ZERO).build().unwrap();
    let body = world.add(Body::dynamic(Shape::cuboid(0.1, 0.1, 0.1).unwrap()).mass(MASS)).unwrap();
    let spring = Some(Spring { stiffness, damping, rest: -0.5 });
    let slider = JointDescription { axis: Some(Vec3::X), spring, ..JointDescription::new("slider") };
    let source = drystone_joints::build(&slider, &Pose::IDENTITY, &Pose::IDENTITY).unwrap();
    world.add_joint([None, Some(body)], source).unwrap();
    for _ in 0..steps {
        world.advance(h).unwrap();
    }
    let (x, v) = (world.position(body).unwrap().x + 0.5, world.velocity(body).unwrap().linear.x);
    (x, 0.5 * MASS * v * v + 0.5 * stiffness * x * x)
}

/// `x(t)` of `m x'' + c x' + k x = 0` from 0.5 m at rest.
fn closed_form(stiffness: f64, damping: f64, t: f64) -> f64 {
    let decay = 0.5 * damping / MASS;
    let turn = (stiffness / MASS - decay * decay).sqrt();
    0.5 * (-decay * t).exp() * ((turn * t).cos() + decay / turn * (turn * t).sin())
}

fn order(paradigm: Paradigm) -> f64 {
    let (stiffness, damping, t) = (100.0, 1.0, 3.75);
    let off = |steps: usize| {
        let h = t / steps as f64;
        (slide(paradigm, stiffness, damping, h, steps).0 - closed_form(stiffness, damping, t)).abs()
    };
    (off(1500) / off(3000)).log2()
}

#[test]
fn springs_are_of_order_two_in_a_mechanism_and_of_order_one_elsewhere() {
    let two = order(Paradigm::MECHANISM);
    assert!((two - 2.0).abs() < 0.1, "{two}");
    let one = order(Paradigm::VELOCITY_LCP);
    assert!(one > 0.7 && one < 1.3, "{one}");
    let shock = order(Paradigm::LOAD_PROPAGATION);
    assert!(shock > 0.7 && shock < 1.3, "{shock}");
}

#[test]
fn an_undamped_spring_keeps_its_energy_by_the_trapezoidal_rule_and_no_spring_is_too_stiff() {
    for stiffness in [100.0, 1e4, 1e8] {
        let (_, energy) = slide(Paradigm::MECHANISM, stiffness, 0.0, 0.01, 1000);
        let start = 0.125 * stiffness;
        // what it keeps is the energy at the ends of steps, which a leapfrog sees through a shifted quadratic form
        assert!(energy < 1.1 * start, "k = {stiffness}: {energy} J of {start} J");
        let (x, energy) = slide(Paradigm::VELOCITY_LCP, stiffness, 0.0, 0.01, 1000);
        assert!(energy < 1.1 * start && x.is_finite(), "k = {stiffness}: {energy} J of {start} J");
    }
    let (_, energy) = slide(Paradigm::MECHANISM, 100.0, 0.0, 0.01, 1000);
    assert!((energy / 12.5 - 1.0).abs() < 0.01, "{energy}");
    // velocities belong to half a step earlier, so the energy at the ends of steps oscillates by h w / 2, and does not decay
    let (_, energy) = slide(Paradigm::VELOCITY_LCP, 100.0, 0.0, 0.01, 1000);
    assert!((energy / 12.5 - 1.0).abs() < 0.06, "{energy}");
}

#[test]
fn the_step_does_not_change_the_static_load() {
    // the sag is 9.81 N over 100 N/m, whatever the paradigm and the step
    for paradigm in [Paradigm::VELOCITY_LCP, Paradigm::LOAD_PROPAGATION, Paradigm::MECHANISM] {
        for h in [1.0 / 60.0, 1e-3] {
            let mut world = World::builder().paradigm(paradigm).gravity([0.0, -9.81, 0.0]).build().unwrap();
            let body = world.add(Body::dynamic(Shape::sphere(0.1).unwrap()).mass(MASS)).unwrap();
            let spring = Some(Spring { stiffness: 100.0, damping: 20.0, rest: 0.0 });
            let slider = JointDescription { axis: Some(Vec3::Y), spring, ..JointDescription::new("slider") };
            let source = drystone_joints::build(&slider, &Pose::IDENTITY, &Pose::IDENTITY).unwrap();
            world.add_joint([None, Some(body)], source).unwrap();
            for _ in 0..(4.0 / h) as usize {
                world.advance(h).unwrap();
            }
            let y = world.position(body).unwrap().y;
            // a creeping body may fall asleep slightly early
            let near = if world.is_sleepy(body).unwrap() { 2e-3 } else { 1e-6 };
            assert!((y + 0.0981).abs() < near, "{} at {h}: {y}", paradigm.name);
        }
    }
}

/// A spring that acts by its wrench alone, as springs added as forces once did.
struct Explicit(SpringDamper);

impl ForceField for Explicit {
    fn accumulate(&self, configuration: &Configuration, state: &State, wrenches: &mut [Wrench]) {
        self.0.accumulate(configuration, state, wrenches);
    }
}

/// The spring that holds a ball of 1 kg below the origin.
fn hanging(stiffness: f64, damping: f64, rest_length: f64) -> SpringDamper {
    let anchors = [Anchor::World(Vec3::ZERO), Anchor::Body { body: drystone_core::BodyIndex(0), point: Vec3::ZERO }];
    SpringDamper { anchors, rest_length, stiffness, damping, max_force: f64::INFINITY }
}

fn ball(paradigm: Paradigm, gravity: f64, at: Vec3) -> (World, BodyId) {
    let builder = World::builder().paradigm(paradigm).gravity([0.0, -gravity, 0.0]);
    let mut world = builder.limits(drystone::Limits::NONE).build().unwrap();
    let body = world.add(Body::dynamic(Shape::sphere(0.1).unwrap()).mass(MASS).at(at.to_array())).unwrap();
    (world, body)
}

#[test]
fn a_spring_among_the_forces_is_never_too_stiff_and_bears_its_load() {
    let h = 1.0 / 60.0;
    for paradigm in [Paradigm::VELOCITY_LCP, Paradigm::LOAD_PROPAGATION, Paradigm::MECHANISM] {
        for rest_length in [0.0, 0.5] {
            for stiffness in [100.0, 1e6, 1e9] {
                let damping = 0.2 * f64::sqrt(stiffness);
                let spring = hanging(stiffness, damping, rest_length);
                let (mut world, body) = ball(paradigm, 9.81, Vec3::NEG_Y * rest_length);
                world.add_force(spring);
                for _ in 0..1800 {
                    world.advance(h).unwrap();
                }
                let y = world.position(body).unwrap().y + rest_length + 9.81 / stiffness;
                let near = if world.is_sleepy(body).unwrap() { 2e-3 } else { 1e-6 };
                assert!(y.abs() < near, "{} k = {stiffness}, rest {rest_length}: {y}", paradigm.name);
                // the control: the same spring by its wrench alone
                if stiffness > 1e3 {
                    let (mut world, body) = ball(paradigm, 9.81, Vec3::NEG_Y * rest_length);
                    world.add_force(Explicit(spring));
                    let ended = (0..200).any(|_| world.advance(h).is_err());
                    assert!(ended || world.position(body).unwrap().length() > 10.0, "a wrench alone bears it too");
                }
            }
        }
    }
}

#[test]
fn a_spring_among_the_forces_follows_the_closed_form() {
    let (stiffness, damping, t) = (100.0, 1.0, 3.75);
    let off = |paradigm: Paradigm, steps: usize| {
        let (mut world, body) = ball(paradigm, 0.0, Vec3::NEG_Y * 1.5);
        world.add_force(hanging(stiffness, damping, 1.0));
        for _ in 0..steps {
            world.advance(t / steps as f64).unwrap();
        }
        (-world.position(body).unwrap().y - 1.0 - closed_form(stiffness, damping, t)).abs()
    };
    for (paradigm, order, near) in
        [(Paradigm::MECHANISM, 2.0, 1e-4), (Paradigm::VELOCITY_LCP, 1.0, 5e-3), (Paradigm::LOAD_PROPAGATION, 1.0, 5e-3)]
    {
        let [coarse, fine] = [1500, 3000].map(|steps| off(paradigm, steps));
        let found = (coarse / fine).log2();
        assert!(fine < near && (found - order).abs() < 0.3, "{}: {coarse} {fine}, order {found}", paradigm.name);
    }
}

#[test]
fn bodies_that_a_spring_links_are_one_group_and_keep_both_momenta() {
    for paradigm in [Paradigm::VELOCITY_LCP, Paradigm::LOAD_PROPAGATION, Paradigm::MECHANISM] {
        let mut world = World::builder().paradigm(paradigm).gravity(Vec3::ZERO).build().unwrap();
        let ball = |x: f64, v: Vec3| {
            let ball = Body::dynamic(Shape::sphere(0.1).unwrap()).mass(1.0 + x);
            ball.at([x, 0.0, 0.0]).linear_velocity(v.to_array())
        };
        world.add(ball(0.0, Vec3::new(0.3, -1.0, 0.2))).unwrap();
        world.add(ball(1.0, Vec3::new(0.0, 0.8, 0.0))).unwrap();
        let body = |i: u32, point: Vec3| Anchor::Body { body: drystone_core::BodyIndex(i), point };
        let anchors = [body(0, Vec3::X * 0.1), body(1, Vec3::Y * 0.1)];
        let (stiffness, damping) = (1e5, 10.0);
        world.add_force(SpringDamper { anchors, rest_length: 0.9, stiffness, damping, max_force: f64::INFINITY });
        let before = world.momentum();
        for _ in 0..120 {
            let report = world.advance(1.0 / 60.0).unwrap();
            assert_eq!(report.groups, 1, "{}", paradigm.name);
        }
        let after = world.momentum();
        assert!((after.linear - before.linear).length() < 1e-12);
        assert!((after.angular - before.angular).length() < 1e-12, "{} {}", before.angular, after.angular);
    }
}

/// Ten balls of 1 kg, one below the other, 0.5 m apart on springs of this stiffness. Returns how far they sag (m), or `None` if the world blows up.
fn chain(stiffness: f64, implicit: bool, h: f64, steps: usize) -> Option<Vec<f64>> {
    let never = drystone::ModuleChoice {
        kind: drystone::ModuleKind::SleepPolicy,
        name: Some("never".to_owned()),
        settings: vec![],
    };
    let builder = World::builder().paradigm(Paradigm::MECHANISM).choose(never).limits(drystone::Limits::NONE);
    let mut world = builder.build().unwrap();
    let rest_length = 0.5;
    let place = |i: u32| Vec3::NEG_Y * rest_length * f64::from(i + 1);
    let mut balls = Vec::new();
    for i in 0..10 {
        balls.push(world.add(Body::dynamic(Shape::sphere(0.05).unwrap()).mass(MASS).at(place(i))).unwrap());
        let body = |i: u32| Anchor::Body { body: drystone_core::BodyIndex(i), point: Vec3::ZERO };
        let anchors = [if i == 0 { Anchor::World(Vec3::ZERO) } else { body(i - 1) }, body(i)];
        let damping = 0.2 * f64::sqrt(stiffness);
        let spring = SpringDamper { anchors, rest_length, stiffness, damping, max_force: f64::INFINITY };
        if implicit {
            world.add_force(spring);
        } else {
            world.add_force(Explicit(spring));
        }
    }
    for _ in 0..steps {
        world.advance(h).ok()?;
    }
    let sag = balls.iter().zip(0..).map(|(b, i)| (place(i) - world.position(*b).unwrap()).y);
    let sag: Vec<f64> = sag.collect();
    sag.iter().all(|s| s.abs() < 10.0).then_some(sag)
}

#[test]
fn a_stiff_chain_stands_the_step_at_which_explicit_springs_blow_up() {
    let stiffness = 1e6;
    // the fastest mode turns by 33 rad in a sixtieth of a second
    let sag = chain(stiffness, true, 1.0 / 60.0, 600).unwrap();
    let mut closed_form = 0.0;
    for (i, sag) in sag.iter().enumerate() {
        // spring i bears the 10 - i balls from ball i downwards
        closed_form += 9.81 * MASS * (10 - i) as f64 / stiffness;
        assert!((sag - closed_form).abs() < 1e-7, "ball {i}: {sag}, closed form {closed_form}");
    }
    // negative control: by their wrenches alone, the same springs blow up
    assert_eq!(chain(stiffness, false, 1.0 / 60.0, 600), None);
    // they are the same springs: at steps short enough for both, the two runs agree, the better the shorter the step
    let apart = |h: f64| {
        let [one, other] = [true, false].map(|implicit| chain(stiffness, implicit, h, (0.01 / h).round() as usize));
        let (one, other) = (one.unwrap(), other.unwrap());
        one.iter().zip(other).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    };
    let [coarse, fine] = [apart(1e-4), apart(5e-5)];
    assert!(coarse < 5e-5 && fine < 0.7 * coarse, "{coarse} {fine}");
}
