//! A world without inertia, and switching to it and back (C-03).

use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind};
use drystone_core::catalogue::Value;
use drystone_core::{BodyIndex, Configuration, ForceField, State};
use drystone_joints::{JointDescription, Motor};
use drystone_math::Wrench;
use drystone_motion::force::SpringDamper;
use drystone_testkit::Random;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A constant wrench on body 0 while it is switched on.
struct Push {
    on: Arc<AtomicBool>,
    wrench: Wrench,
}

impl ForceField for Push {
    fn accumulate(&self, _: &Configuration, _: &State, wrenches: &mut [Wrench]) {
        if self.on.load(Ordering::Relaxed) {
            let w = &mut wrenches[BodyIndex(0).at()];
            *w = Wrench::new(w.force + self.wrench.force, w.torque + self.wrench.torque);
        }
    }
}

fn pushed(bodies: &[Body], wrench: Wrench) -> (World, Vec<BodyId>, Arc<AtomicBool>) {
    let mut world = World::builder().paradigm(Paradigm::FIRST_ORDER).gravity(Vec3::ZERO).build().unwrap();
    let ids = bodies.iter().map(|b| world.add(b.clone()).unwrap()).collect();
    let on = Arc::new(AtomicBool::new(true));
    world.add_force(Push { on: on.clone(), wrench });
    (world, ids, on)
}

fn cube(x: f64, mass: f64) -> Body {
    Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).mass(mass).at([x, 0.0, 0.0])
}

#[test]
fn a_force_gives_a_velocity_and_no_more() {
    let wrench = Wrench::new(Vec3::X * 3.0, Vec3::Y * 0.5);
    let (mut world, ids, on) = pushed(&[cube(0.0, 2.0).linear_velocity([0.0, 7.0, 0.0])], wrench);
    for _ in 0..50 {
        world.advance(0.02).unwrap();
    }
    // a way of F t / m and an angle of tau t / I after a second; the initial velocity has no effect
    assert!((world.position(ids[0]).unwrap() - Vec3::X * 1.5).length() < 1e-12);
    let turned = world.pose(ids[0]).unwrap().orientation.to_axis_angle().1;
    let inertia = 2.0 / 6.0;
    assert!((turned - 0.5 / inertia).abs() < 1e-9, "{turned}");
    on.store(false, Ordering::Relaxed);
    for _ in 0..10 {
        world.advance(0.02).unwrap();
    }
    assert!((world.position(ids[0]).unwrap() - Vec3::X * 1.5).length() < 1e-12, "it stops when the force stops");
    assert_eq!(world.velocity(ids[0]).unwrap().linear, Vec3::ZERO);
}

/// A sliding body has a constant speed. The drag that takes the place of inertia is the mass per second, so a crate on
/// a frictionless slope has v = g sin(angle) times one second for any step size, from the first step on, and the energy
/// of that speed (506 J for 100 kg at 18.92 degrees). On level ground it stands still, whatever velocity it was given.
#[test]
fn a_crate_on_a_slope_slides_at_one_speed_and_on_level_ground_stands() {
    let g = 9.81;
    for (angle, h) in [(18.92_f64, 0.002), (18.92, 0.01), (18.92, 0.05), (0.0, 0.002), (0.0, 0.01)] {
        let [along, down] = [angle.to_radians().sin(), -angle.to_radians().cos()].map(|part| g * part);
        let gravity = Vec3::new(along, down, 0.0);
        let mut world = World::builder().paradigm(Paradigm::FIRST_ORDER).gravity(gravity).build().unwrap();
        world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
        let crate_ = Body::dynamic(Shape::cuboid(0.4, 0.4, 0.4).unwrap()).mass(100.0);
        let id = world.add(crate_.at([0.0, 0.6, 0.0]).linear_velocity([0.0, 0.0, 3.0])).unwrap();
        // it falls at g m/s, and lands after 0.02 s
        let steps = (1.0 / h) as u32;
        let mut since = None;
        for step in 1..=steps {
            world.advance(h).unwrap();
            // what ten sweeps leave of the landing is gone after half a second
            if f64::from(step) * h > 0.5 {
                let velocity = world.velocity(id).unwrap();
                assert!((velocity.linear - Vec3::X * along).length() < 1e-9, "{angle} {h}: {velocity:?}");
                assert!((world.energy().kinetic - 50.0 * along * along).abs() < 1e-6, "{angle} {h}");
                since.get_or_insert((world.time(), world.position(id).unwrap().x));
            }
        }
        let (time, x) = since.unwrap();
        let way = world.position(id).unwrap().x - x;
        assert!((way - along * (world.time() - time)).abs() < 1e-9, "{angle} {h}: {way}");
        assert!((world.position(id).unwrap().y - 0.4).abs() < 1e-6);
    }
}

#[test]
fn a_pushed_box_moves_its_neighbours_and_leaves_them_freely() {
    // L-03
    let wrench = Wrench::new(Vec3::X * 6.0, Vec3::ZERO);
    let bodies = [cube(0.0, 1.0), cube(1.0, 2.0), cube(2.0, 3.0)];
    let (mut world, ids, on) = pushed(&bodies, wrench);
    for _ in 0..50 {
        world.advance(0.02).unwrap();
    }
    // all three move at F over the sum of the masses
    for (i, id) in ids.iter().enumerate() {
        let x = world.position(*id).unwrap().x - i as f64;
        assert!((x - 1.0).abs() < 1e-6, "box {i} has come {x}");
    }
    // pulled back, the first box moves alone
    on.store(false, Ordering::Relaxed);
    world.add_force(Push { on: Arc::new(AtomicBool::new(true)), wrench: Wrench::new(Vec3::X * -6.0, Vec3::ZERO) });
    for _ in 0..50 {
        world.advance(0.02).unwrap();
    }
    assert!((world.position(ids[0]).unwrap().x + 5.0).abs() < 1e-6);
    assert!((world.position(ids[1]).unwrap().x - 2.0).abs() < 1e-6);
}

#[test]
fn switching_keeps_positions_and_drops_velocities() {
    // N-04
    let (mut world, ids, _) = pushed(&[cube(0.0, 2.0)], Wrench::new(Vec3::X * 2.0, Vec3::ZERO));
    world.advance(0.5).unwrap();
    let here = world.position(ids[0]).unwrap();
    assert!((here.x - 0.5).abs() < 1e-12);
    world.set_paradigm(Paradigm::VELOCITY_LCP, &[]).unwrap();
    assert_eq!(world.position(ids[0]).unwrap(), here);
    assert_eq!(world.velocity(ids[0]).unwrap(), Twist::ZERO);
    world.advance(0.5).unwrap();
    assert!((world.velocity(ids[0]).unwrap().linear.x - 0.5).abs() < 1e-12, "second order: v = F / m t");
    world.set_paradigm(Paradigm::LOAD_PROPAGATION, &[]).unwrap();
    assert!((world.velocity(ids[0]).unwrap().linear.x - 0.5).abs() < 1e-12, "no change of order, velocities stay");
    world.set_paradigm(Paradigm::FIRST_ORDER, &[]).unwrap();
    assert_eq!(world.velocity(ids[0]).unwrap(), Twist::ZERO);
}

/// A chain of links of 0.2 m and 1 kg, with fifty times that mass at the end, released from level.
fn chain(stiffness: Option<f64>) -> (World, Vec<BodyId>) {
    let settings = stiffness.map(|s| vec![("geometric_stiffness".to_owned(), Value::Real(s))]).unwrap_or_default();
    let choice = ModuleChoice { kind: ModuleKind::ConstraintSolver, name: None, settings };
    // slowed down to 1 m/s under gravity, so that steps resolve how the links turn
    let slow = vec![("time_scale".to_owned(), Value::Real(0.1))];
    let slow = ModuleChoice { kind: ModuleKind::MotionSolver, name: None, settings: slow };
    let mut world = World::builder().paradigm(Paradigm::FIRST_ORDER).choose(choice).choose(slow).build().unwrap();
    let mut links: Vec<BodyId> = Vec::new();
    for i in 0..8 {
        let (mass, at) = (if i == 7 { 50.0 } else { 1.0 }, Vec3::X * (0.1 + 0.2 * f64::from(i)));
        let shape = Shape::cuboid(0.09, 0.02, 0.02).unwrap();
        let link = world.add(Body::dynamic(shape).mass(mass).at(at.to_array())).unwrap();
        let ball = JointDescription { anchor: Some(at - Vec3::X * 0.1), ..JointDescription::new("ball") };
        let before = links.last().copied();
        let frame = before.map_or(Pose::IDENTITY, |a| world.pose(a).unwrap());
        let source = drystone_joints::build(&ball, &frame, &world.pose(link).unwrap()).unwrap();
        world.add_joint([before, Some(link)], source).unwrap();
        links.push(link);
    }
    (world, links)
}

/// Without inertia a chain ends up straight down and stays there, at steps far larger than its tension allows an explicit step.
#[test]
fn a_chain_under_tension_hangs_still() {
    let (mut world, links) = chain(None);
    for _ in 0..1500 {
        world.advance(0.01).unwrap();
    }
    let error = world.configuration().largest_joint_error(world.state()).linear;
    assert!(error < 1e-6, "{error}");
    for (i, link) in links.iter().enumerate() {
        let off = world.position(*link).unwrap() + Vec3::Y * (0.1 + 0.2 * i as f64);
        assert!(off.length() < 1e-2, "link {i}: {off}");
        let speed = world.velocity(*link).unwrap().linear.length();
        assert!(speed < 1e-3, "link {i}: {speed} m/s");
    }
    // negative control: the explicit step
    let (mut world, links) = chain(Some(0.0));
    let went = (0..300).try_for_each(|_| world.advance(0.01).map(drop));
    let speed = links.iter().map(|l| world.velocity(*l).unwrap().linear.length()).fold(0.0, f64::max);
    assert!(went.is_err() || speed > 0.1, "{speed} m/s");
}

/// Heights of a body of 2 kg under gravity, on a spring to the world of this stiffness (N/m), after each of 200 steps of 0.02 s.
fn sprung(stiffness: f64, max_force: f64) -> Vec<f64> {
    let mut world = World::builder().paradigm(Paradigm::FIRST_ORDER).build().unwrap();
    let body = world.add(cube(0.0, 2.0).at([0.0, 0.5, 0.0])).unwrap();
    world.add_force(SpringDamper::mouse(BodyIndex(0), Vec3::ZERO, Vec3::ZERO, stiffness, 3.0, max_force));
    (0..200)
        .map(|_| {
            world.advance(0.02).unwrap();
            world.position(body).unwrap().y
        })
        .collect()
}

#[test]
fn springs_are_implicit_without_inertia_too() {
    const H: f64 = 0.02;
    let weight = 2.0 * 9.81;
    // implicit Euler of x' = -(k x + m g) / m. Explicit Euler alternates from k h / m = 1 on, and diverges from 2 on; here it is 0.1, 10 and 1e6
    for stiffness in [10.0, 1e3, 1e8] {
        let mut wanted: f64 = 0.5;
        for (step, found) in sprung(stiffness, f64::INFINITY).into_iter().enumerate() {
            wanted = (wanted - H * weight / 2.0) / (1.0 + H * stiffness / 2.0);
            assert!((found - wanted).abs() < 1e-9, "{stiffness} N/m, step {step}: {found} for {wanted}");
        }
    }
    // with a limited force the weight wins by 10 N
    let held = sprung(1e8, weight - 10.0);
    let speed = (held[199] - held[99]) / (100.0 * H);
    assert!((speed + 10.0 / 2.0).abs() < 1e-9, "{speed}");
}

/// A body of `mass` on a slider, moved over `seconds` in steps of `h` by a motor that wants 100 m/s, has at most `force`, and works against a push `against`. Returns its way.
fn driven(mass: f64, force: f64, against: f64, (h, steps): (f64, u32)) -> f64 {
    let (mut world, ids, _) = pushed(&[cube(0.0, mass)], Wrench::new(Vec3::X * -against, Vec3::ZERO));
    let mut slider = JointDescription { axis: Some(Vec3::X), ..JointDescription::new("slider") };
    slider.motor = Some(Motor::Velocity { velocity: 100.0, max_force: force });
    let source = drystone_joints::build(&slider, &Pose::IDENTITY, &Pose::IDENTITY).unwrap();
    world.add_joint([None, Some(ids[0])], source).unwrap();
    for _ in 0..steps {
        world.advance(h).unwrap();
    }
    world.position(ids[0]).unwrap().x
}

/// The bound of a motor is a force like any other: it moves a body at F / m times the time scale, whatever the step.
#[test]
fn a_motor_of_limited_force_moves_a_body_at_that_force_over_its_mass() {
    let mut random = Random::new(55);
    for _ in 0..20 {
        let (mass, force) = (random.range(0.5, 10.0), random.range(1.0, 20.0));
        let against = random.range(0.0, 0.9) * force;
        let (steps, h) = (20 + random.below(80) as u32, random.range(0.002, 0.02));
        let wanted = (force - against) / mass * h * f64::from(steps);
        let found = driven(mass, force, against, (h, steps));
        assert!(
            (found - wanted).abs() < 1e-6 * wanted,
            "{force} N against {against} N on {mass} kg at {h} s: {found} for {wanted}"
        );
    }
    // the control: a force that suffices for the speed
    assert!((driven(1.0, 1e6, 0.0, (0.01, 100)) - 100.0).abs() < 1e-6);
}

/// The same under each time control that takes a world without inertia and joints, with no force beside the motor: some compute forces group by group.
#[test]
fn a_motor_of_limited_force_needs_no_other_force_and_no_particular_time_control() {
    let (mut random, mut kinds) = (Random::new(56), 0);
    for control in drystone::registry::implementations(ModuleKind::TimeControl) {
        let choice = ModuleChoice { kind: ModuleKind::TimeControl, name: Some(control.name.into()), settings: vec![] };
        let (mass, force, h) = (random.range(0.5, 10.0), random.range(1.0, 20.0), random.range(0.002, 0.02));
        let builder = World::builder().paradigm(Paradigm::FIRST_ORDER).gravity(Vec3::ZERO).choose(choice);
        let Ok(mut world) = builder.build() else { continue };
        let body = world.add(cube(0.0, mass)).unwrap();
        let motor = Motor::Velocity { velocity: 100.0, max_force: force };
        let slider = Joint::slider(None, Some(body)).axis(Vec3::X).motor(motor);
        if world.join(slider).is_err() || world.advance(h).is_err() {
            continue;
        }
        let at: Vec<f64> = (0..20).map(|_| (world.advance(h).unwrap(), world.position(body).unwrap().x).1).collect();
        // from the second step on: velocities that are half a step ahead begin at zero
        let (wanted, found) = (force / mass * h * 19.0, at[19] - at[0]);
        assert!((found - wanted).abs() < 1e-6 * wanted, "{}: {found} for {wanted}", control.name);
        kinds += 1;
    }
    assert!(kinds > 3, "{kinds} time controls");
}
