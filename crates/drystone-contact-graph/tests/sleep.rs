//! Sleep policies on motions known in closed form (H-30 … H-33, O-75).

use drystone_contact_graph::sleep::{KineticEnergy, KineticEnergyRelative, Never, Positions, Velocities};
use drystone_core::{SleepMemory, SleepObservation, SleepPolicy};
use drystone_math::{Pose, Quat, Twist, Vec3};
use drystone_testkit::Random;

const H: f64 = 0.005;

/// The thesis' policy with a window of five steps.
const THESIS: KineticEnergyRelative = KineticEnergyRelative {
    threshold: 1e-3,
    steps: 5,
    seconds: 0.02,
    slack: 0.01,
    acceleration: 0.02,
    drift: 2e-5,
    patience: 1e6,
    creep: 0.0,
};

fn policies() -> Vec<Box<dyn SleepPolicy>> {
    vec![
        Box::new(Positions { threshold: 1e-3, steps: 5 }),
        Box::new(Velocities { linear: 0.02, angular: 0.02, steps: 10 }),
        Box::new(KineticEnergy { threshold: 1e-3, steps: 10 }),
        Box::new(THESIS),
        Box::new(Never),
    ]
}

/// The names of the policies that call a body sleepy at some time during a motion.
fn sleepy(mass: f64, steps: u32, motion: impl Fn(f64) -> (Pose, Twist)) -> Vec<&'static str> {
    let mut found = Vec::new();
    for policy in policies() {
        let mut memory = SleepMemory::default();
        let calm = (0..steps).any(|i| {
            let (pose, velocity) = motion(f64::from(i) * H);
            let spin = 0.4 * mass * 0.25 * velocity.angular.length_squared();
            let kinetic_energy = 0.5 * mass * velocity.linear.length_squared() + 0.5 * spin;
            policy.is_sleepy(&SleepObservation { mass, kinetic_energy, velocity, gyration: 0.3, pose }, H, &mut memory)
        });
        if calm {
            found.push(policy.name());
        }
    }
    found
}

#[test]
fn a_thrown_ball_hangs_at_its_apex_by_the_position_policy_alone() {
    // thrown at different speeds, so that the steps fall differently about the apex
    for k in 0..20 {
        let speed = 3.0 + 0.003 * f64::from(k);
        let found = sleepy(1.0, 200, |t| {
            let y = speed * t - 0.5 * 9.81 * t * t;
            (Pose::from_position(Vec3::Y * y), Twist::new(Vec3::Y * (speed - 9.81 * t), Vec3::ZERO))
        });
        assert_eq!(found, ["positions"], "thrown at {speed} m/s");
    }
}

#[test]
fn a_body_at_rest_is_sleepy_to_all_that_ever_sleep() {
    let at_rest = |_| (Pose::IDENTITY, Twist::ZERO);
    assert_eq!(sleepy(10.0, 20, at_rest).len(), 4);
    assert!(sleepy(10.0, 4, at_rest).is_empty(), "not before its steps are over");
}

#[test]
fn a_body_that_gains_energy_is_never_sleepy_by_the_thesis_policy() {
    let policy = KineticEnergyRelative { slack: 0.0, ..THESIS };
    let mut memory = SleepMemory::default();
    for i in 0..1000 {
        let kinetic_energy = 1e-7 * f64::from(i);
        let seen =
            SleepObservation { mass: 1.0, kinetic_energy, velocity: Twist::ZERO, gyration: 0.3, pose: Pose::IDENTITY };
        assert!(!policy.is_sleepy(&seen, H, &mut memory), "step {i}");
    }
}

#[test]
fn a_body_that_loses_its_calm_wakes() {
    let policy = THESIS;
    let mut memory = SleepMemory::default();
    let mut at = |kinetic_energy: f64| {
        let seen =
            SleepObservation { mass: 1.0, kinetic_energy, velocity: Twist::ZERO, gyration: 0.3, pose: Pose::IDENTITY };
        policy.is_sleepy(&seen, H, &mut memory)
    };
    assert_eq!((0..6).map(|_| at(1e-4)).collect::<Vec<_>>(), [false, false, false, false, true, true]);
    assert!(!at(2e-4), "grown, though below the threshold");
    assert_eq!((0..4).map(|_| at(2e-4)).collect::<Vec<_>>(), [false, false, false, true]);
    assert!(!at(f64::NAN));
}

#[test]
fn mass_scales_only_the_thesis_policy() {
    // solver noise of 10 mm/s: 5e-5 J/kg
    let trembles = |t: f64| {
        let sign = if (t / H).round() % 2.0 == 0.0 { 1.0 } else { -1.0 };
        (Pose::IDENTITY, Twist::new(Vec3::X * 0.01 * sign, Vec3::ZERO))
    };
    assert!(sleepy(1e4, 50, trembles).contains(&"kinetic-energy-relative"));
    assert!(!sleepy(1e4, 50, trembles).contains(&"kinetic-energy"));
}

/// H-31: a velocity policy wrongly puts a creeping body to sleep; below its thresholds it cannot tell that the body keeps moving for ever.
#[test]
fn a_slow_body_falls_asleep_by_its_velocity() {
    let creeps = |v: f64| move |_: f64| (Pose::IDENTITY, Twist::new(Vec3::X * v, Vec3::ZERO));
    assert!(sleepy(1.0, 50, creeps(0.01)).contains(&"velocities"));
    assert!(!sleepy(1.0, 50, creeps(0.01)).contains(&"kinetic-energy-relative"));
    assert!(!sleepy(1.0, 50, creeps(0.03)).contains(&"velocities"));
}

/// The time (s) at which the policy with patience finds a body with these speeds sleepy; it is never calm before.
fn waits(speed: impl Fn(f64) -> f64) -> Option<f64> {
    let (t, only_slow) = found(speed)?;
    assert!(only_slow, "at {t}");
    Some(t)
}

/// The same for any body, and whether it is sleepy only because it has been slow for long.
fn found(speed: impl Fn(f64) -> f64) -> Option<(f64, bool)> {
    let policy = KineticEnergyRelative { patience: 2.0, creep: 0.015, ..THESIS };
    let mut memory = SleepMemory::default();
    (0..4000).map(|i| f64::from(i) * H).find_map(|t| {
        let velocity = Twist::new(Vec3::X * speed(t), Vec3::ZERO);
        let kinetic_energy = 0.5 * velocity.linear.length_squared();
        let seen = SleepObservation { mass: 1.0, kinetic_energy, velocity, gyration: 0.3, pose: Pose::IDENTITY };
        policy.is_sleepy(&seen, H, &mut memory).then_some((t, memory.only_slow))
    })
}

#[test]
fn what_creeps_for_long_is_sleepy_and_what_begins_to_slide_never_is() {
    assert!((waits(|_| 0.01).unwrap() - 2.0).abs() < 2.0 * H);
    // fading from 0.2 m/s: slow from 1.5 s on, and no more than creeping in the second half of the waiting time
    let fades = waits(|t| 0.2 * (-t).exp()).unwrap();
    assert!((3.4..4.6).contains(&fades), "{fades}");
    assert_eq!(waits(|_| 0.02), None, "it rolls");
    for slide in [0.001, 0.002, 0.004, 0.0055, 0.0088, 0.02, 0.05] {
        assert_eq!(waits(|t| slide * (t + 0.1)), None, "at {slide} m/s^2");
    }
    // the controls: a body that speeds up by less than the drift that counts as rest, one that slows down, and noise of the same size
    assert!(found(|t| 1e-5 * (t + 0.1)).is_some());
    assert!(waits(|t| 0.01 - 0.002 * t.min(5.0)).is_some());
    let mut random = Random::new(16);
    for _ in 0..200 {
        let noise: Vec<f64> = (0..4000).map(|_| random.range(-0.008, 0.008)).collect();
        assert!(found(|t| noise[(t / H).round() as usize]).is_some());
    }
}

/// H-32: one energy threshold weighs moving and turning by mass and inertia. Two speed thresholds
/// ignore that a slow turn of a large body moves its rim fast.
#[test]
fn an_energy_is_an_energy_whether_it_moves_or_turns() {
    let policy = KineticEnergy { threshold: 1e-3, steps: 10 };
    let calm = |mass: f64, gyration: f64, velocity: Twist| {
        let inertia = mass * gyration * gyration;
        let kinetic_energy =
            0.5 * (mass * velocity.linear.length_squared() + inertia * velocity.angular.length_squared());
        let seen = SleepObservation { mass, kinetic_energy, velocity, gyration, pose: Pose::IDENTITY };
        let by_speed = Velocities { linear: 0.02, angular: 0.02, steps: 10 };
        let mut memories = [SleepMemory::default(), SleepMemory::default()];
        let [mut energy, mut speed] = [false; 2];
        for _ in 0..20 {
            energy = policy.is_sleepy(&seen, H, &mut memories[0]);
            speed = by_speed.is_sleepy(&seen, H, &mut memories[1]);
        }
        (energy, speed)
    };
    for (mass, gyration) in [(0.1, 0.05), (1.0, 0.3), (100.0, 5.0)] {
        for (part, wanted) in [(0.99_f64, true), (1.01, false)] {
            let v = (2e-3 * part / mass).sqrt();
            let moves = Twist::new(Vec3::X * v, Vec3::ZERO);
            let turns = Twist::new(Vec3::ZERO, Vec3::Z * (v / gyration));
            assert_eq!((calm(mass, gyration, moves).0, calm(mass, gyration, turns).0), (wanted, wanted), "{mass} kg");
        }
    }
    // the same rim speed of 5 cm/s: the speed policy calls the large body calm
    let rim = |gyration: f64| calm(1.0, gyration, Twist::new(Vec3::ZERO, Vec3::Z * (0.05 / gyration)));
    assert_eq!((rim(0.3).1, rim(5.0).1), (false, true));
    assert_eq!((rim(0.3).0, rim(5.0).0), (false, false));
}

#[test]
fn what_moves_evenly_is_never_sleepy_by_the_thesis_policy() {
    let along = |v: f64| (Pose::IDENTITY, Twist::new(Vec3::X * v, Vec3::ZERO));
    let about = |w: f64| (Pose::IDENTITY, Twist::new(Vec3::ZERO, Vec3::Z * w));
    let policy = "kinetic-energy-relative";
    for speed in [1e-4, 1e-3, 1e-2] {
        assert!(!sleepy(1.0, 200, |_| along(speed)).contains(&policy), "creeps at {speed} m/s");
        assert!(!sleepy(1.0, 200, |_| about(speed / 0.3)).contains(&policy), "turns, {speed} m/s at its gyration");
    }
    // from rest, and through a turning point; 4.4 mm/s^2 is what remains of gravity on a slope at 0.999 of the friction limit
    for a in [0.0044, 0.02, 0.044, 1.0] {
        assert!(!sleepy(1.0, 200, |t| along(a * t)).contains(&policy), "speeds up at {a} m/s^2");
        assert!(!sleepy(1.0, 200, |t| along(a * (t - 0.5))).contains(&policy), "turns round at {a} m/s^2");
    }
    // below the drift that is ignored a body counts as at rest, and so does one that trembles about a smaller drift
    assert!(sleepy(1.0, 200, |_| along(1e-5)).contains(&policy));
    let trembles = |t: f64| along(1e-4 + if (t / H).round() % 2.0 == 0.0 { 1e-3 } else { -1e-3 });
    assert!(sleepy(1.0, 200, trembles).contains(&policy));
}

#[test]
fn a_spinning_body_is_seen_to_turn() {
    let spin = |t: f64| (Pose::new(Vec3::ZERO, Quat::from_rotation_y(t)), Twist::new(Vec3::ZERO, Vec3::Y));
    assert!(sleepy(1.0, 100, spin).is_empty());
    // about an oblique axis
    let axis = Vec3::new(0.48, 0.6, 0.64);
    assert!(
        sleepy(1.0, 100, |t| (Pose::new(Vec3::ZERO, Quat::from_axis_angle(axis, t)), Twist::new(Vec3::ZERO, axis)))
            .is_empty()
    );
}
