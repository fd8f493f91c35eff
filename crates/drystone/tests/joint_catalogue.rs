//! Joints, limits and motors in a running world, against closed forms.

use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind};
use drystone_core::catalogue::Value;
use drystone_joints::{AxisFreedom, JointDescription, Motor};
use std::f64::consts::{PI, TAU};

const G: f64 = 9.81;

fn text(s: &str) -> Value {
    Value::Text(s.to_owned())
}

/// A world of `velocity-lcp` whose solver is exact for a few rows, with the given method of removing position errors.
fn world(gravity: impl Into<Vec3>, stabilization: &str, erp: f64) -> World {
    let lcp = vec![("iterations".to_owned(), Value::Integer(2000))];
    let sweeps = if stabilization == "projection" { 500 } else { 0 };
    let errors = vec![
        ("stabilization".to_owned(), text(stabilization)),
        ("erp".to_owned(), Value::Real(erp)),
        ("correction_iterations".to_owned(), Value::Integer(sweeps)),
    ];
    World::builder()
        .paradigm(Paradigm::VELOCITY_LCP)
        .gravity(gravity)
        .choose(ModuleChoice { kind: ModuleKind::Lcp, name: None, settings: lcp })
        .choose(ModuleChoice { kind: ModuleKind::ConstraintSolver, name: None, settings: errors })
        .build()
        .unwrap()
}

/// A world without gravity whose position errors are projected away.
fn still() -> World {
    world(Vec3::ZERO, "projection", 1.0)
}

fn ball(mass: f64, at: impl Into<Vec3>) -> Body {
    Body::dynamic(Shape::sphere(0.1).unwrap()).mass(mass).at(at)
}

fn cube(mass: f64, at: impl Into<Vec3>) -> Body {
    Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).mass(mass).at(at)
}

/// Joins bodies at their present poses; `None` is the world.
fn join(world: &mut World, bodies: [Option<BodyId>; 2], description: &JointDescription<'_>) -> JointId {
    let poses = bodies.map(|b| b.map_or(Pose::IDENTITY, |b| world.pose(b).unwrap()));
    let source = drystone_joints::build(description, &poses[0], &poses[1]).unwrap();
    world.add_joint(bodies, source).unwrap()
}

fn on(kind: &str, anchor: impl Into<Vec3>, axis: impl Into<Vec3>) -> JointDescription<'_> {
    JointDescription { anchor: Some(anchor.into()), axis: Some(axis.into()), ..JointDescription::new(kind) }
}

fn run(world: &mut World, steps: usize, h: f64) {
    for _ in 0..steps {
        world.advance(h).unwrap();
    }
}

fn speed(world: &World, body: BodyId) -> f64 {
    world.velocity(body).unwrap().linear.x
}

#[test]
fn feedback_closes_a_gap_and_leaves_its_speed_behind() {
    // G-07: two particles, 3 cm further apart than their rod is long
    let h = 0.01;
    let gap = |stabilization: &str| {
        let mut world = world(Vec3::ZERO, stabilization, 1.0);
        let [a, b] = [world.add(ball(1.0, [0.0; 3])).unwrap(), world.add(ball(2.0, [1.03, 0.0, 0.0])).unwrap()];
        let rod = JointDescription {
            anchor: Some(Vec3::ZERO),
            anchor2: Some(Vec3::X * 1.03),
            length: Some(1.0),
            erp: 1.0,
            ..JointDescription::new("distance")
        };
        let rod = join(&mut world, [Some(a), Some(b)], &rod);
        world.advance(h).unwrap();
        assert!(world.joint_error(rod).unwrap().linear < 1e-12, "closed in one step");
        let momentum = world.momentum().linear.length();
        assert!(momentum < 1e-12, "{momentum}");
        [speed(&world, a), speed(&world, b)]
    };
    let left = gap("baumgarte");
    assert!((left[0] - 2.0).abs() < 1e-9 && (left[1] + 1.0).abs() < 1e-9, "they go on closing at r / h: {left:?}");
    assert_eq!(gap("projection"), [0.0; 2]);
}

#[test]
fn errors_shrink_by_the_reduction_parameter() {
    // G-09, G-11: e' = (1 - erp) e
    for erp in [0.2, 0.5, 0.8, 1.0] {
        let mut world = world(Vec3::ZERO, "baumgarte", 0.3);
        let body = world.add(ball(1.0, [0.0; 3])).unwrap();
        let gap =
            JointDescription { erp, anchor2: Some(Vec3::new(0.0, 0.03, 0.04)), ..on("ball", Vec3::ZERO, Vec3::X) };
        // if the body's end of the gap is its centre of mass, the gap's line goes through that
        let gap = JointDescription { anchor: gap.anchor2, anchor2: gap.anchor, ..gap };
        let joint = join(&mut world, [None, Some(body)], &gap);
        let tilted = world.add(ball(1.0, [5.0, 0.0, 0.0])).unwrap();
        let hinge =
            join(&mut world, [None, Some(tilted)], &JointDescription { erp, ..on("hinge", Vec3::X * 5.0, Vec3::Y) });
        world.set_pose(tilted, Vec3::X * 5.0, Quat::from_rotation_x(1e-3)).unwrap();
        for _ in 0..6 {
            let before = [world.joint_error(joint).unwrap().linear, world.joint_error(hinge).unwrap().angular];
            world.advance(0.01).unwrap();
            let after = [world.joint_error(joint).unwrap().linear, world.joint_error(hinge).unwrap().angular];
            for (e, next) in before.into_iter().zip(after) {
                assert!((next - (1.0 - erp) * e).abs() < 1e-9, "{erp}: {e} to {next}");
            }
        }
    }
}

#[test]
fn a_pendulum_has_its_period() {
    // G-10: T = 2 pi sqrt((I + m L^2) / (m g L)), close to the point pendulum's 2 pi sqrt(L / g)
    let (length, angle, h) = (1.0, 0.01_f64, 1e-3);
    let mut world = world(Vec3::NEG_Y * G, "projection", 1.0);
    let bob = world.add(ball(1.0, [length * angle.sin(), -length * angle.cos(), 0.0])).unwrap();
    let joint = join(&mut world, [None, Some(bob)], &on("ball", Vec3::ZERO, Vec3::Y));
    let mut crossings = Vec::new();
    let mut before = world.position(bob).unwrap().x;
    while crossings.len() < 5 && world.time() < 10.0 {
        world.advance(h).unwrap();
        let x = world.position(bob).unwrap().x;
        if before < 0.0 && x >= 0.0 {
            crossings.push(world.time() - h * x / (x - before));
        }
        before = x;
    }
    let period = (crossings[4] - crossings[0]) / 4.0;
    let inertia = 0.4 * 0.1 * 0.1;
    let exact = TAU * ((inertia + length * length) / (G * length)).sqrt() * (1.0 + angle * angle / 16.0);
    assert!((period / exact - 1.0).abs() < 2e-5, "{period} against {exact}");
    assert!((period / (TAU * (length / G).sqrt()) - 1.0).abs() < 3e-3);
    assert!(world.joint_error(joint).unwrap().linear < 1e-9);
}

/// Two cubes on a slider along x, rotating as one body and gliding apart.
fn gliding(stabilization: &str, limits: Option<[f64; 2]>, restitution: f64) -> (World, [BodyId; 2], JointId) {
    let mut world = world(Vec3::ZERO, stabilization, 1.0);
    let spin = Vec3::new(0.3, 0.8, -0.5);
    let body = |mass: f64, x: f64, v: f64| {
        let arm = spin.cross(Vec3::new(x, 0.0, 0.0));
        cube(mass, [x, 0.0, 0.0]).angular_velocity(spin).linear_velocity(arm + Vec3::X * v)
    };
    let [a, b] = [world.add(body(2.0, -0.6, -0.3)).unwrap(), world.add(body(1.0, 0.6, 0.6)).unwrap()];
    let slider =
        JointDescription { limits, limit_restitution: restitution, erp: 1.0, ..on("slider", Vec3::ZERO, Vec3::X) };
    let slider = join(&mut world, [Some(a), Some(b)], &slider);
    (world, [a, b], slider)
}

/// How far (m) B has moved relative to A along A's x axis, and its speed there (m/s).
fn along(world: &World, [a, b]: [BodyId; 2]) -> [f64; 2] {
    let axis = world.pose(a).unwrap().direction(Vec3::X);
    let gap = world.position(b).unwrap() - world.position(a).unwrap();
    let [u, v] = [a, b].map(|i| world.velocity(i).unwrap());
    [axis.dot(gap) - 1.2, axis.dot(v.linear - u.linear - u.angular.cross(gap))]
}

#[test]
fn a_slider_and_its_limits_keep_both_momenta() {
    // G-12, G-17, R-06: without position correction both momenta are kept to rounding, though the joint drifts
    for limits in [None, Some([-0.2, 0.3])] {
        let (mut world, _, slider) = gliding("none", limits, 0.0);
        let start = world.momentum();
        run(&mut world, 200, 0.005);
        let end = world.momentum();
        assert!((end.linear - start.linear).length() < 1e-10, "{}", end.linear);
        assert!((end.angular - start.angular).length() < 1e-10, "{} {}", start.angular, end.angular);
        assert!(world.joint_error(slider).unwrap().linear < 0.05);
    }
    // with correction the joint holds
    let (mut world, _, slider) = gliding("projection", Some([-0.2, 0.3]), 0.0);
    let start = world.momentum();
    run(&mut world, 200, 0.005);
    let error = world.joint_error(slider).unwrap();
    assert!(error.linear < 2e-6 && error.angular < 2e-6, "{error:?}");
    assert!((world.momentum().angular - start.angular).length() < 5e-3 * start.angular.length());
}

#[test]
fn slider_limits_stop_bounce_and_never_push_outwards() {
    let h = 0.005;
    for e in [0.0, 0.5, 1.0] {
        let (mut world, bodies, slider) = gliding("projection", Some([-0.2, 0.3]), e);
        let (mut hits, mut before) = (0, along(&world, bodies)[1]);
        for _ in 0..400 {
            let away = along(&world, bodies)[1].abs();
            world.advance(h).unwrap();
            let [x, v] = along(&world, bodies);
            assert!(x > -0.2 - away * h - 1e-3 && x < 0.3 + away * h + 1e-3, "{x}");
            // the limit's row comes last, and only pushes
            let impulses = world.joint_impulses(slider).unwrap();
            assert!(impulses.len() == 5 || impulses[5] >= 0.0);
            if impulses.len() == 6 && impulses[5] > 0.2 {
                hits += 1;
                assert!((v + e * before).abs() < 0.05 * (1.0 + before.abs()), "{e}: {before} to {v}");
            }
            before = v;
        }
        assert!(hits >= 1, "{e}");
    }
}

/// A wheel on a hinge about y, turning at `w` (rad/s).
fn wheel(world: &mut World, w: f64, description: &JointDescription<'_>) -> (BodyId, JointId) {
    let body = Body::dynamic(Shape::cylinder(0.5, 0.1).unwrap()).mass(1.0).inertia([0.5, 1.0, 0.5]);
    let body = world.add(body.angular_velocity(Vec3::Y * w)).unwrap();
    let joint = join(world, [None, Some(body)], description);
    (body, joint)
}

fn angle(world: &World, body: BodyId) -> f64 {
    let q = world.pose(body).unwrap().orientation;
    2.0 * q.y.atan2(q.w)
}

#[test]
fn hinge_limits_stop_on_both_sides_and_next_to_pi() {
    // G-18; 4 rad/s at 20 ms is 0.08 rad per step, beyond the limit unless it is anticipated
    let h = 0.02;
    for [low, high] in [[-0.5, 0.7], [-3.0, 3.0], [2.0, 3.1], [-3.1, -2.0]] {
        for w in [-4.0, 4.0] {
            let mut world = still();
            let limits = JointDescription { limits: Some([low, high]), erp: 1.0, ..on("hinge", Vec3::ZERO, Vec3::Y) };
            let (body, _) = wheel(&mut world, w, &limits);
            let middle = 0.5 * (low + high);
            let q = Quat::from_rotation_y(middle);
            world.set_pose(body, Vec3::ZERO, q).unwrap();
            let mut turned = middle;
            for _ in 0..100 {
                let before = angle(&world, body);
                world.advance(h).unwrap();
                let step = angle(&world, body) - before;
                turned += step - TAU * (step / TAU).round();
                assert!(turned > low - 1e-9 && turned < high + 1e-9, "{turned} in {low} {high}");
            }
            let bound = if w > 0.0 { high } else { low };
            assert!((turned - bound).abs() < 1e-6, "{turned} at {bound}");
            assert!(world.velocity(body).unwrap().angular.length() < 1e-9);
        }
    }
}

#[test]
fn hinge_limits_give_speed_back() {
    for e in [0.0, 0.6, 1.0] {
        let mut world = still();
        let limits = Some([-0.4, 0.4]);
        let d = JointDescription { limits, limit_restitution: e, ..on("hinge", Vec3::ZERO, Vec3::Y) };
        let (body, _) = wheel(&mut world, 2.0, &d);
        let mut hits = 0;
        let mut before = 2.0;
        for _ in 0..200 {
            world.advance(0.005).unwrap();
            let w = world.velocity(body).unwrap().angular.y;
            if (w - before).abs() > 1e-9 {
                hits += 1;
                assert!((w + e * before).abs() < 1e-9, "{before} to {w}");
            }
            before = w;
        }
        assert!(hits == if e == 0.0 { 1 } else { hits.max(2) }, "{hits}");
    }
}

#[test]
fn an_arm_stays_in_its_reach_cone() {
    // G-19: a heavy arm falls over from upright while spinning
    let cone = 0.6;
    let mut world = world(Vec3::NEG_Y * G, "projection", 1.0);
    let shape = Shape::cuboid(0.05, 0.5, 0.05).unwrap();
    let arm = Body::dynamic(shape).mass(2.0).at([0.0, 0.5, 0.0]).angular_velocity([0.4, 3.0, -0.5]);
    let arm = world.add(arm.linear_velocity([0.25, 0.0, 0.2])).unwrap();
    let joint = JointDescription { cone: Some(cone), erp: 1.0, ..on("ball", Vec3::ZERO, Vec3::Y) };
    let joint = join(&mut world, [None, Some(arm)], &joint);
    let (mut widest, mut off) = (0.0_f64, 0.0_f64);
    for _ in 0..800 {
        world.advance(0.0025).unwrap();
        let swing = world.pose(arm).unwrap().direction(Vec3::Y).dot(Vec3::Y).acos();
        widest = widest.max(swing);
        off = off.max(world.joint_error(joint).unwrap().linear);
    }
    assert!(widest > cone - 1e-3 && widest < cone + 2e-3, "{widest}");
    assert!(off < 1e-5, "{off}");
}

#[test]
fn a_slider_motor_reaches_its_speed_on_time_and_stalls() {
    // G-20: it takes m v / F seconds; a load above F drags the motor along, accelerated by the difference
    let (mass, v, force, h) = (2.0, 1.5, 6.0, 0.01);
    let motor = Some(Motor::Velocity { velocity: v, max_force: force });
    let mut world = still();
    let body = world.add(cube(mass, [0.0; 3])).unwrap();
    let joint = join(&mut world, [None, Some(body)], &JointDescription { motor, ..on("slider", Vec3::ZERO, Vec3::X) });
    let on_time = (mass * v / force / h).round() as usize;
    run(&mut world, on_time - 1, h);
    assert!((speed(&world, body) - (v - force / mass * h)).abs() < 1e-9, "{}", speed(&world, body));
    run(&mut world, 1, h);
    assert!((speed(&world, body) - v).abs() < 1e-9);
    run(&mut world, 20, h);
    assert!((speed(&world, body) - v).abs() < 1e-9 && world.joint_impulses(joint).unwrap()[5].abs() < 1e-9);
    // faster than the target: full braking (G-20) until the target speed is reached again
    world.set_velocity(body, Twist::new(Vec3::X * 3.0, Vec3::ZERO)).unwrap();
    run(&mut world, 10, h);
    assert!((speed(&world, body) - (3.0 - 10.0 * h * force / mass)).abs() < 1e-9);

    for (load, expected) in [(0.9 * force, v), (1.5 * force, -0.5 * force / mass * 2.0)] {
        world.set_velocity(body, Twist::ZERO).unwrap();
        world.set_gravity(Vec3::NEG_X * (load / mass)).unwrap();
        run(&mut world, if load < force { 1000 } else { 200 }, h);
        assert!((speed(&world, body) - expected).abs() < 1e-8, "{load}: {}", speed(&world, body));
    }
}

#[test]
fn a_hinge_motor_reaches_its_speed_on_time_either_way() {
    for w in [3.0, -3.0] {
        let mut world = still();
        let motor = Some(Motor::Velocity { velocity: w, max_force: 5.0 });
        let (body, _) = wheel(&mut world, 0.0, &JointDescription { motor, ..on("hinge", Vec3::ZERO, Vec3::Y) });
        // inertia 1: takes 0.6 s
        run(&mut world, 30, 0.01);
        assert!((world.velocity(body).unwrap().angular.y - 0.5 * w).abs() < 1e-9);
        run(&mut world, 40, 0.01);
        assert!((world.velocity(body).unwrap().angular.y - w).abs() < 1e-9);
    }
}

#[test]
fn joint_friction_slows_down_evenly_and_stops() {
    // G-21
    let (mass, friction, h) = (2.0, 3.0, 0.01);
    let mut world = still();
    let body = world.add(cube(mass, [0.0, 0.0, 5.0]).linear_velocity(Vec3::X * 1.5)).unwrap();
    let d = JointDescription { friction, ..on("slider", Vec3::ZERO, Vec3::X) };
    join(&mut world, [None, Some(body)], &d);
    let d = JointDescription { friction, ..on("hinge", Vec3::ZERO, Vec3::Y) };
    let (turning, _) = wheel(&mut world, -6.0, &d);
    for step in 1..=220 {
        world.advance(h).unwrap();
        let t = h * f64::from(step);
        assert!((speed(&world, body) - (1.5 - friction / mass * t).max(0.0)).abs() < 1e-9, "{t}");
        let w = world.velocity(turning).unwrap().angular.y;
        assert!((w - (-6.0 + friction * t).min(0.0)).abs() < 1e-9, "{t}: {w}");
    }
}

#[test]
fn a_servo_reaches_its_place_and_holds_it_within_its_force() {
    // G-22: a weight within the servo's force is lifted against gravity; one that is too heavy sinks
    let (mass, h) = (2.0, 0.005);
    for (max_force, holds) in [(1.5 * mass * G, true), (0.8 * mass * G, false)] {
        let mut world = world(Vec3::NEG_Y * G, "projection", 1.0);
        let body = world.add(cube(mass, [0.0; 3])).unwrap();
        let motor = Some(Motor::Position { target: 0.25, max_force });
        let d = JointDescription { motor, erp: 0.1, ..on("slider", Vec3::ZERO, Vec3::Y) };
        let joint = join(&mut world, [None, Some(body)], &d);
        for _ in 0..600 {
            world.advance(h).unwrap();
            assert!(world.joint_impulses(joint).unwrap()[5].abs() <= max_force * h * (1.0 + 1e-12));
        }
        let y = world.position(body).unwrap().y;
        if holds {
            assert!((y - 0.25).abs() < 1e-6, "{y}");
            let held = world.joint_impulses(joint).unwrap()[5] / h;
            assert!((held - mass * G).abs() < 1e-6, "{held}");
        } else {
            assert!((y + 0.5 * 0.2 * G * 9.0).abs() < 0.05, "{y}");
        }
    }
}

#[test]
fn limited_axes_of_a_six_dof_stop_at_both_ends() {
    let h = 0.01;
    for sign in [-1.0, 1.0] {
        let mut world = still();
        let body = cube(1.0, [0.0; 3]).linear_velocity(Vec3::new(1.0, 0.5, 2.0) * sign);
        let body = world.add(body.angular_velocity([0.0, 0.0, 1.5 * sign])).unwrap();
        let d = JointDescription {
            anchor: Some(Vec3::ZERO),
            translations: [AxisFreedom::Limited(-0.2, 0.3), AxisFreedom::Free, AxisFreedom::Locked],
            rotations: [AxisFreedom::Locked, AxisFreedom::Locked, AxisFreedom::Limited(-0.4, 0.5)],
            erp: 1.0,
            ..JointDescription::new("six-dof")
        };
        let joint = join(&mut world, [None, Some(body)], &d);
        run(&mut world, 100, h);
        let p = world.position(body).unwrap();
        let expected = if sign > 0.0 { [0.3, 0.5] } else { [-0.2, -0.4] };
        assert!((p.x - expected[0]).abs() < 1e-6 && (p.y - 0.5 * sign).abs() < 1e-6 && p.z.abs() < 1e-9, "{p}");
        let q = world.pose(body).unwrap().orientation;
        assert!((2.0 * q.z.atan2(q.w) - expected[1]).abs() < 1e-6, "{q}");
        assert!(world.joint_error(joint).unwrap().linear < 1e-6);
    }
}

#[test]
fn two_welded_boxes_move_as_one() {
    // G-15: a blow on one box gives the velocities of a single body of 3 kg with the inertia of both
    let mut world = still();
    let [one, two] = [world.add(cube(1.0, [-0.5, 0.0, 0.0])).unwrap(), world.add(cube(2.0, [0.5, 0.0, 0.0])).unwrap()];
    let weld = join(&mut world, [Some(one), Some(two)], &on("fixed", Vec3::ZERO, Vec3::X));
    let (impulse, point) = (Vec3::new(0.3, -0.8, 0.5), Vec3::new(-0.9, 0.4, 0.3));
    world.apply_impulse(one, impulse, point).unwrap();
    world.advance(1e-6).unwrap();
    let centre = Vec3::X * ((2.0 - 1.0) * 0.5 / 3.0);
    let own = 3.0 / 6.0;
    let apart = 1.0 * (0.5 + centre.x).powi(2) + 2.0 * (0.5 - centre.x).powi(2);
    let moment = (point - centre).cross(impulse);
    let w = Vec3::new(moment.x / own, moment.y / (own + apart), moment.z / (own + apart));
    for (body, x) in [(one, -0.5), (two, 0.5)] {
        let v = world.velocity(body).unwrap();
        let linear = impulse / 3.0 + w.cross(Vec3::X * x - centre);
        assert!((v.angular - w).length() < 1e-5, "{} {w}", v.angular);
        assert!((v.linear - linear).length() < 1e-5, "{} {linear}", v.linear);
    }
    run(&mut world, 400, 0.005);
    let error = world.joint_error(weld).unwrap();
    assert!(error.linear < 2e-6 && error.angular < 1e-8, "{error:?}");
    assert!((world.momentum().linear - impulse).length() < 1e-9);
}

#[test]
fn a_cardan_shaft_turns_with_the_textbook_speed() {
    // G-14: w_B / w_A = cos b / (1 - sin^2 b sin^2 a), a the turn from where the axis of A's fork is normal to the plane of the shafts
    let (beta, w, h) = (0.5_f64, 2.0, 2e-3);
    let mut world = still();
    let (shaft_a, shaft_b) = (Vec3::Z, Quat::from_rotation_y(beta) * Vec3::Z);
    let shaft = |at: Vec3| Body::dynamic(Shape::sphere(0.2).unwrap()).mass(1.0).at(at);
    let [a, b] = [world.add(shaft(-shaft_a)).unwrap(), world.add(shaft(shaft_b)).unwrap()];
    let motor = Some(Motor::Velocity { velocity: w, max_force: f64::INFINITY });
    join(&mut world, [None, Some(a)], &JointDescription { motor, ..on("hinge", -shaft_a, shaft_a) });
    join(&mut world, [None, Some(b)], &on("hinge", shaft_b, shaft_b));
    let across = Quat::from_rotation_y(beta) * Vec3::X;
    let cross = JointDescription { axis2: Some(across), ..on("universal", Vec3::ZERO, Vec3::Y) };
    let cross = join(&mut world, [Some(a), Some(b)], &cross);
    let mut extremes = [f64::INFINITY, 0.0_f64];
    for step in 1..=(TAU / w / h) as usize {
        world.advance(h).unwrap();
        // velocities hold for the whole step: compare at its middle
        let turned = w * h * (step as f64 - 0.5);
        let ratio = world.velocity(b).unwrap().angular.dot(shaft_b) / w;
        extremes = [extremes[0].min(ratio), extremes[1].max(ratio)];
        let exact = beta.cos() / (1.0 - beta.sin().powi(2) * turned.sin().powi(2));
        assert!((ratio - exact).abs() < 1e-3, "{turned}: {ratio} against {exact}");
    }
    assert!((extremes[0] - beta.cos()).abs() < 1e-3 && (extremes[1] - 1.0 / beta.cos()).abs() < 1e-3, "{extremes:?}");
    assert!(world.joint_error(cross).unwrap().angular < 1e-6);
    assert!((angle_about(&world, a, shaft_a) - (w * world.time() - TAU)).abs() < 1e-3 + w * h);
}

/// The turn about an axis since the start (rad), from -pi to pi.
fn angle_about(world: &World, body: BodyId, axis: Vec3) -> f64 {
    let q = world.pose(body).unwrap().orientation;
    let turned = 2.0 * q.xyz().dot(axis).atan2(q.w);
    if turned > PI { turned - TAU } else { turned }
}

#[test]
fn a_wheel_spins_and_steers_freely_and_nothing_else() {
    // G-13: a hinge-2 transmits no torque about its two axes, and holds the third
    let mut world = still();
    let body = Body::dynamic(Shape::sphere(0.3).unwrap()).mass(1.0);
    let body = world.add(body.angular_velocity([1.0, 2.0, 3.0]).linear_velocity([4.0, 5.0, 6.0])).unwrap();
    let d = JointDescription { axis2: Some(Vec3::Z), ..on("hinge2", Vec3::ZERO, Vec3::Y) };
    let joint = join(&mut world, [None, Some(body)], &d);
    world.advance(1e-3).unwrap();
    let v = world.velocity(body).unwrap();
    assert!((v.angular - Vec3::new(0.003, 2.0, 3.0)).length() < 1e-9 && v.linear.length() < 1e-9, "{v:?}");
    run(&mut world, 1000, 1e-3);
    let error = world.joint_error(joint).unwrap();
    assert!(error.linear < 1e-9 && error.angular < 1e-6, "{error:?}");
}
