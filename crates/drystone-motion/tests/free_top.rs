//! A torque-free asymmetric body: conservation over a minute, and the order of convergence of each integrator (C-01, C-14).

use drystone_core::catalogue::{Settings, Value};
use drystone_core::{BodyIndex, BodyProperties, Configuration, MotionSolver, State};
use drystone_geometry::{MassProperties, Shape};
use drystone_math::{Pose, Quat, Real, SymmetricMat3, Twist, Vec3, Wrench};
use drystone_motion::{Composition, LieMidpoint};

/// The length of a unit quaternion is off by up to 2e-16, which scales the momentum in the same way in every step: 14 400 steps of that.
const ROUNDING: Real = 1e-11;

fn top(inertia: SymmetricMat3, w: Vec3) -> (Configuration, State) {
    let mass = MassProperties { mass: 1.0, center: Vec3::ZERO, inertia };
    let mut configuration = Configuration::default();
    configuration.bodies.push(BodyProperties::dynamic(Shape::sphere(1.0).unwrap(), &mass).unwrap());
    let mut state = State::default();
    state.push(Pose::IDENTITY, Twist::new(Vec3::ZERO, w));
    (configuration, state)
}

fn run(solver: &dyn MotionSolver, configuration: &Configuration, state: &mut State, h: Real, steps: u32) {
    let (bodies, wrenches, mut change) = ([BodyIndex(0)], [Wrench::ZERO], [Twist::ZERO]);
    for _ in 0..steps {
        solver.kick(configuration, state, &bodies, &wrenches, h, &mut change);
        state.angular_velocity[0] += change[0].angular;
        solver.drift(configuration, state, &bodies, h);
    }
}

fn momentum(c: &Configuration, s: &State) -> Vec3 {
    let q = s.orientation[0];
    q * c.bodies[0].inertia.mul_vec(q.conjugate() * s.angular_velocity[0])
}

fn energy(c: &Configuration, s: &State) -> Real {
    0.5 * c.bodies[0].inertia.quadratic(s.orientation[0].conjugate() * s.angular_velocity[0])
}

fn solver(name: &str, key: Option<(&str, Value)>) -> Box<dyn MotionSolver> {
    let d = drystone_motion::IMPLEMENTATIONS.iter().find(|d| d.name == name).unwrap();
    let mut settings = Settings::defaults(d);
    if let Some((key, value)) = key {
        settings.set(key, &value).unwrap();
    }
    drystone_motion::by_name(name, &settings).unwrap()
}

fn drifts(name: &str, inertia: SymmetricMat3, w: Vec3, h: Real, steps: u32) -> (Real, Real) {
    let (c, mut s) = top(inertia, w);
    let (l, e) = (momentum(&c, &s), energy(&c, &s));
    run(solver(name, None).as_ref(), &c, &mut s, h, steps);
    ((momentum(&c, &s) - l).length() / l.length(), (energy(&c, &s) / e - 1.0).abs())
}

#[test]
fn lie_midpoint_keeps_energy_and_momentum_for_a_minute() {
    let plain = SymmetricMat3::from_diagonal(Vec3::new(1.0, 2.0, 3.0));
    let oblique = plain.rotated(Quat::from_rotation_x(0.5) * Quat::from_rotation_z(1.1));
    for (inertia, h, steps) in [(plain, 1.0 / 240.0, 14_400), (plain, 0.01, 6000), (oblique, 1.0 / 240.0, 14_400)] {
        let (l, e) = drifts("lie-midpoint", inertia, Vec3::new(0.01, 2.0, 0.01), h, steps);
        assert!(l < ROUNDING && e < ROUNDING, "momentum {l:e}, energy {e:e}");
    }
}

#[test]
fn the_others_keep_what_their_order_promises() {
    let inertia = SymmetricMat3::from_diagonal(Vec3::new(1.0, 2.0, 3.0));
    for (name, l_most, e_most) in
        [("torque-free-rk4", ROUNDING, 1e-9), ("dormand-prince", ROUNDING, 1e-9), ("adams-moulton", ROUNDING, 1e-9)]
    {
        let (l, e) = drifts(name, inertia, Vec3::new(0.01, 2.0, 0.01), 0.01, 6000);
        assert!(l < l_most && e < e_most, "{name}: momentum {l:e}, energy {e:e}");
    }
    // first order: the implicit torque loses energy but never gains any
    let (c, mut s) = top(inertia, Vec3::new(0.01, 2.0, 0.01));
    let e = energy(&c, &s);
    run(solver("implicit-gyroscopic", None).as_ref(), &c, &mut s, 0.01, 6000);
    assert!(energy(&c, &s) < e && energy(&c, &s) > 0.5 * e);
}

/// The order, from the distance to a fine solution at two step sizes.
fn order(name: &str, key: Option<&(&str, Value)>, coarse: u32) -> Real {
    let inertia = SymmetricMat3::from_diagonal(Vec3::new(1.0, 2.0, 3.0));
    let w = Vec3::new(1.0, 2.0, -0.5);
    let end = |solver: &dyn MotionSolver, steps: u32| {
        let (c, mut s) = top(inertia, w);
        run(solver, &c, &mut s, 2.0 / Real::from(steps), steps);
        s.orientation[0]
    };
    let exact = end(solver("lie-midpoint", Some(("composition", Value::Text("yoshida-6".into())))).as_ref(), 8000);
    let error = |steps| {
        let q = end(solver(name, key.cloned()).as_ref(), steps);
        (q - exact).length().min((q + exact).length())
    };
    (error(coarse) / error(2 * coarse)).log2()
}

#[test]
fn orders_are_1_1_4_5_4_and_2_4_6() {
    let composition = |c: &str| Some(("composition", Value::Text(c.into())));
    let table = [
        ("semi-implicit-euler", None, 400, 1.0),
        ("implicit-gyroscopic", None, 400, 1.0),
        ("torque-free-rk4", None, 50, 4.0),
        ("dormand-prince", Some(("tolerance", Value::Real(0.0))), 50, 5.0),
        ("adams-moulton", Some(("tolerance", Value::Real(0.0))), 30, 4.0),
        ("lie-midpoint", composition("none"), 50, 2.0),
        ("lie-midpoint", composition("suzuki-4"), 50, 4.0),
        ("lie-midpoint", composition("yoshida-6"), 30, 6.0),
    ];
    for (name, key, coarse, expected) in table {
        let found = order(name, key.as_ref(), coarse);
        println!("{name:<20} {found:.2}");
        assert!((found - expected).abs() < 0.35, "{name} {key:?}: order {found}");
    }
}

#[test]
fn locked_rotation_and_scripted_spin() {
    for d in drystone_motion::IMPLEMENTATIONS {
        let (mut c, mut s) = top(SymmetricMat3::from_diagonal(Vec3::new(1.0, 2.0, 3.0)), Vec3::ZERO);
        c.bodies[0].inverse_inertia = SymmetricMat3::ZERO;
        let solver = solver(d.name, None);
        let (bodies, mut change) = ([BodyIndex(0)], [Twist::ZERO]);
        let wrenches = [Wrench { force: Vec3::X, torque: Vec3::ONE }];
        solver.kick(&c, &s, &bodies, &wrenches, 0.5, &mut change);
        // without inertia a force gives a velocity, however long the step
        let gained = if solver.is_first_order() { Vec3::X } else { Vec3::X * 0.5 };
        assert_eq!(change[0], Twist::new(gained, Vec3::ZERO), "{}", d.name);
        // a body with a velocity still moves, and keeps its velocity
        s.angular_velocity[0] = Vec3::Z;
        s.linear_velocity[0] = Vec3::Y;
        solver.drift(&c, &mut s, &bodies, 0.5);
        assert_eq!((s.angular_velocity[0], s.position[0]), (Vec3::Z, Vec3::Y * 0.5));
        assert!((s.orientation[0] - Quat::from_rotation_z(0.5)).length() < 1e-15);
    }
}

#[test]
fn the_midpoint_torque_of_semi_implicit_euler_keeps_the_energy_of_a_stick_at_any_speed() {
    // a thin box at several turns per second, and at one turn per step
    let inertia = SymmetricMat3::from_diagonal(Vec3::new(0.0014, 0.0285, 0.0289));
    for (w, h) in
        [(Vec3::new(5.0, 10.0, 10.0), 1.0 / 60.0), (Vec3::new(10.0, 30.0, 30.0), 0.01), (Vec3::splat(200.0), 0.03)]
    {
        let kept = |rule: &str| {
            let (configuration, mut state) = top(inertia, w);
            let before = energy(&configuration, &state);
            let solver = solver("semi-implicit-euler", Some(("gyroscopic_rule", Value::Text(rule.to_owned()))));
            run(solver.as_ref(), &configuration, &mut state, h, 300);
            energy(&configuration, &state) / before
        };
        assert!((kept("midpoint") - 1.0).abs() < 1e-11, "{w}: {}", kept("midpoint"));
        let explicit = kept("explicit");
        assert!(explicit > 1.3 || explicit.is_nan(), "{w}: the explicit torque feeds energy, {explicit}");
    }
}

/// Tops that turn about an axis or tumble, are round or do not turn, and one that turns many
/// times per step: all in one drift, and each in a drift of its own.
#[test]
fn bodies_that_drift_together_come_to_the_bits_that_each_comes_to_alone() {
    let spins = [
        Vec3::new(0.0, 0.0, 3.0),
        Vec3::new(1.0, -2.0, 0.5),
        Vec3::new(0.0, 4.0, 0.0),
        Vec3::new(-7.0, 0.1, 2.0),
        Vec3::new(0.3, 0.2, 0.1),
        Vec3::new(900.0, 5000.0, -2000.0),
        Vec3::new(0.0, -1.0, 0.0),
        Vec3::new(2.0, 2.0, -2.0),
        Vec3::ZERO,
        Vec3::new(1.0, 0.0, 0.0),
        Vec3::new(0.0, 1.0, 1.0),
        Vec3::new(1.0, 1.0, 0.0),
        Vec3::new(5.0, 4.0, 3.0),
    ];
    let moments = |k: usize| if k == 9 { Vec3::ONE } else { Vec3::new(1.0, 2.0 + k as Real, 2.5) };
    let tops: Vec<_> =
        spins.iter().enumerate().map(|(k, w)| top(SymmetricMat3::from_diagonal(moments(k)), *w)).collect();
    for composition in [Composition::None, Composition::Suzuki] {
        let solver = LieMidpoint { composition };
        let (mut all, mut together) = (Configuration::default(), State::default());
        for (configuration, state) in &tops {
            all.bodies.extend_from_slice(&configuration.bodies);
            together.push(state.pose(BodyIndex(0)), state.velocity(BodyIndex(0)));
        }
        let bodies: Vec<BodyIndex> = (0..tops.len()).map(BodyIndex::new).collect();
        let mut alone: Vec<State> = tops.iter().map(|(_, state)| state.clone()).collect();
        for _ in 0..20 {
            solver.drift(&all, &mut together, &bodies, 0.02);
            for ((configuration, _), state) in tops.iter().zip(&mut alone) {
                solver.drift(configuration, state, &[BodyIndex(0)], 0.02);
            }
        }
        for (body, state) in bodies.iter().zip(&alone) {
            assert_eq!(together.pose(*body), state.pose(BodyIndex(0)), "{body:?}");
            assert_eq!(together.velocity(*body), state.velocity(BodyIndex(0)), "{body:?}");
        }
    }
}

/// A surface reverses the velocity with which a body arrives, but not what the forces of a kick add.
#[test]
fn the_kick_leaves_spins_alone_and_the_drift_turns_them_at_its_end() {
    let inertia = SymmetricMat3::from_diagonal(Vec3::new(1.0, 2.0, 3.0));
    let h = 0.02;
    let (c, s) = top(inertia, Vec3::new(2.0, -1.0, 3.0));
    let (bodies, mut change) = ([BodyIndex(0)], [Twist::ZERO]);
    let body = &c.bodies[0];
    for (name, rule, turns) in [
        ("semi-implicit-euler", Some(("gyroscopic_rule", Value::Text("midpoint".to_owned()))), true),
        ("semi-implicit-euler", Some(("gyroscopic_rule", Value::Text("explicit".to_owned()))), false),
        ("semi-implicit-euler", Some(("gyroscopic", Value::Bool(false))), false),
        ("implicit-gyroscopic", None, true),
    ] {
        let explicit = rule.as_ref().is_some_and(|(_, v)| *v == Value::Text("explicit".to_owned()));
        let solver = solver(name, rule.clone());
        solver.kick(&c, &s, &bodies, &[Wrench::ZERO], h, &mut change);
        assert_eq!(change[0] != Twist::ZERO, explicit, "{name} {rule:?}");
        let mut moved = s.clone();
        solver.drift(&c, &mut moved, &bodies, h);
        let (q, w) = (moved.orientation[0], s.angular_velocity[0]);
        let by = solver.spin_change(body, q, w, h);
        assert_eq!(moved.angular_velocity[0], w + by, "{name} {rule:?}");
        // Euler's equations to first order
        let own = q.conjugate() * w;
        let exact = q * body.inverse_inertia.mul_vec(body.inertia.mul_vec(own).cross(own)) * h;
        let expected = if turns { exact } else { Vec3::ZERO };
        assert!((by - expected).length() < 0.1 * exact.length(), "{name} {rule:?}: {by} {expected}");
        // a round, held or still body has none
        for (inverse, w) in [(body.inverse_inertia, Vec3::ZERO), (SymmetricMat3::ZERO, w)] {
            let held = BodyProperties { inverse_inertia: inverse, ..body.clone() };
            assert_eq!(solver.spin_change(&held, q, w, h), Vec3::ZERO, "{name} {rule:?}");
        }
        let (round, _) = top(SymmetricMat3::from_diagonal(Vec3::ONE), w);
        assert_eq!(solver.spin_change(&round.bodies[0], q, w, h), Vec3::ZERO, "{name} {rule:?}");
    }
}
