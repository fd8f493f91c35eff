//! Friction that holds, up to its bound.

use super::Entry;
use crate::ensure;
use crate::random::Random;
use crate::run::Member;
use crate::sketch::{G, Sketch, ball, cuboid, cylinder, prism, turn};
use drystone::math::Vec3;
use serde_json::{Value, json};

pub(super) const KINDS: &[Entry] = &[
    ("pinch", "two pads hold a body: slip < 2 mm at 1.2 to 4 times the force needed; it falls below 0.85", pinch),
    ("gripper_mug", "a mug is held by its handle within 2 cm at 1.3 to 4 times the friction needed", gripper_mug),
    ("nutcracker", "a ball between hinged jaws is gripped below the friction angle, and let go above", nutcracker),
    ("wedge", "a wedge between two jaws is gripped below the friction angle, and let go above", wedge),
];

/// Two pads on sliders press with motors of `force` at most, along x.
fn pads(s: &mut Sketch, half: [f64; 3], at: [f64; 3], mass: f64, [speed, force]: [f64; 2]) {
    for (name, side) in [("left", -1.0), ("right", 1.0)] {
        s.body(name, cuboid(half), [side * at[0], at[1], at[2]], mass);
        s.press(name, [-side, 0.0, 0.0], speed, force);
    }
}

/// The force needed is m g / 2 mu. The pads touch the body at the start. A body that falls is 5 cm lower after 2 s.
fn pinch(r: &mut Random) -> Member {
    let (mu, mass, half) = (r.range(0.2, 0.9), r.log(0.05, 20.0), r.range(0.01, 0.15));
    let holds = r.coin();
    let ratio = if holds { r.range(1.2, 4.0) } else { r.range(0.4, 0.85) };
    let force = ratio * mass * G / (2.0 * mu);
    let mut s = Sketch::new(mu, 0.0);
    let size = [half, half * r.range(0.7, 2.0), half * r.range(0.7, 1.5)];
    let shape = if r.coin() { cuboid(size) } else { cylinder(half, size[1]) };
    let round = shape.get("cylinder").is_some();
    let body = s.body("body", shape, [0.0; 3], mass);
    if round {
        // its flat ends face the pads
        body["orientation"] = turn([0.0, 0.0, 1.0], std::f64::consts::FRAC_PI_2);
    }
    let reach = if round { size[1] } else { half };
    let thick = 0.3 * half;
    pads(&mut s, [thick, 0.6 * half, 0.6 * half], [reach + thick, 0.0, 0.0], mass * r.range(0.1, 1.0), [0.05, force]);
    let duration = if holds { 5.0 } else { 2.0 };
    Member::new(s, duration, move |run| {
        let fell = -run.last().poses[0].position.y;
        if holds {
            let slip = run.moved(0, 0.0);
            ensure!(slip < 2e-3, "slipped by {:.1} mm at {ratio:.2} times the force", slip * 1e3);
        } else {
            ensure!(fell > 0.05, "fell by {:.1} mm at {ratio:.2} times the force", fell * 1e3);
        }
        Ok(())
    })
}

/// Largest torque-like load that corner contacts of a square of half side `s` carry: the force with which each pad must press, by the virtual work of turns about
/// all points of the level line. Four corners on each of two pads bear a quarter of the force each; the load hangs at a distance `arm`.
fn force_needed(mu: f64, weight: f64, arm: f64, s: f64) -> f64 {
    let need = |x: f64| {
        let ways: f64 = [-s, s].iter().map(|c| 2.0 * (c - x).hypot(s)).sum();
        weight * (arm - x).abs() / (2.0 * mu * ways / 4.0)
    };
    (-4000..=4000).map(|k| need(f64::from(k) * 0.01 * s)).fold(weight / (2.0 * mu), f64::max)
}

/// The handle is a plate beside the mug; the pads grip its middle, so that the weight turns the mug about them.
fn gripper_mug(r: &mut Random) -> Member {
    let (mu, mass) = (r.range(0.4, 1.0), r.range(0.15, 0.6));
    let (radius, half, pad) = (r.range(0.03, 0.05), r.range(0.035, 0.06), r.range(0.006, 0.012));
    let handle = [0.004, 1.4 * pad, 1.4 * pad];
    // origin: the middle of the handle; the cup stands behind it along z, its wall against the handle's edge
    let arm_of_cup = radius + handle[2];
    let volumes = [std::f64::consts::PI * radius * radius * 2.0 * half, 8.0 * handle[0] * handle[1] * handle[2]];
    let arm = arm_of_cup * volumes[0] / (volumes[0] + volumes[1]);
    let parts: [Value; 2] = [
        json!({ "shape": cylinder(radius, half), "position": [0.0, 0.0, arm_of_cup] }),
        json!({ "shape": cuboid(handle) }),
    ];
    let ratio = r.range(1.3, 4.0);
    let force = ratio * force_needed(mu, mass * G, arm, pad);
    let mut s = Sketch::new(mu, 0.0);
    s.body("mug", json!({ "compound": { "parts": parts } }), [0.0; 3], mass);
    pads(&mut s, [0.005, pad, pad], [handle[0] + 0.005, 0.0, 0.0], r.range(0.05, 0.3), [0.05, force]);
    Member::new(s, 5.0, move |run| {
        let way = run.moved(0, 0.0);
        ensure!(way < 0.02, "the handle moved by {:.0} mm at {ratio:.2} times the friction", way * 1e3);
        Ok(())
    })
}

/// Half the angle between the jaws, as a fraction of the friction angle: 0.5 to 0.9 grips, 1.1 to 1.6 lets go.
fn bite(r: &mut Random, mu: f64) -> (bool, f64) {
    let grips = r.coin();
    let part = if grips { r.range(0.5, 0.9) } else { r.range(1.1, 1.6) };
    (grips, part * mu.atan())
}

/// Two levers on one hinge axis close on a ball; there is no gravity. Gripped: after 2 s the ball has moved by less than a fifth of its radius.
fn nutcracker(r: &mut Random) -> Member {
    let (mu, radius) = (r.range(0.25, 0.6), r.range(0.02, 0.1));
    let (grips, half_angle) = bite(r, mu);
    let (thick, far) = (0.1 * radius, radius / half_angle.sin());
    let length = 0.5 * (far * half_angle.cos() + 3.0 * radius);
    let (mass, torque) = (r.log(0.02, 1.0), r.log(0.5, 20.0) * radius * 10.0);
    let mut s = Sketch::new(mu, 0.0);
    s.gravity([0.0; 3]);
    s.body("ball", ball(radius), [far, 0.0, 0.0], mass);
    for (name, side) in [("upper", 1.0), ("lower", -1.0)] {
        let (sin, cos) = (side * half_angle).sin_cos();
        // the inner face passes through the axis
        let at = [length * cos - side * thick * sin, length * sin + side * thick * cos, 0.0];
        let jaw = s.body(name, cuboid([length, thick, 2.0 * radius]), at, mass * r.range(0.5, 3.0));
        jaw["orientation"] = turn([0.0, 0.0, 1.0], side * half_angle);
        let joint = s.joint(&format!("hinge of {name}"), "hinge", ["world", name], [0.0; 3]);
        joint["axis"] = json!([0.0, 0.0, -side]);
        joint["motor"] = json!({ "velocity": 1.0, "max_force": torque });
    }
    s.ignore("upper", "lower");
    Member::new(s, 2.0, move |run| judge_bite(run.moved(0, 0.0), grips, 0.2 * radius, half_angle / mu.atan()))
}

/// Two jaws on sliders press the flanks of a wedge; there is no gravity.
fn wedge(r: &mut Random) -> Member {
    let mu = r.range(0.2, 0.6);
    let (grips, half_angle) = bite(r, mu);
    let (height, width, depth) = (r.range(0.05, 0.3), r.range(0.05, 0.2), r.range(0.03, 0.2));
    let slope = half_angle.tan();
    let [low, high] = [-1.0, 1.0].map(|y| width + y * height * slope);
    let mass = r.log(0.05, 5.0);
    let mut s = Sketch::new(mu, 0.0);
    s.gravity([0.0; 3]);
    s.body("wedge", prism(&[[-low, -height], [low, -height], [high, height], [-high, height]], depth), [0.0; 3], mass);
    let force = mass * r.log(10.0, 200.0);
    for (name, side) in [("left", -1.0), ("right", 1.0)] {
        // the flank of the jaw is that of the wedge, over its middle part
        let (reach, back) = (0.6 * height, high + 0.1);
        let inner = |y: f64| width + y * slope;
        let flank = [[inner(-reach), -reach], [inner(reach), reach], [back, reach], [back, -reach]];
        s.body(name, prism(&flank.map(|[x, y]| [side * x, y]), 0.8 * depth), [0.0; 3], mass * r.range(0.3, 3.0));
        s.press(name, [-side, 0.0, 0.0], 0.5, force);
    }
    Member::new(s, 2.0, move |run| {
        let start = Vec3::ZERO;
        let way = run.frames.iter().map(|f| (f.poses[0].position - start).length()).fold(0.0, f64::max);
        judge_bite(way, grips, 0.2 * height, half_angle / mu.atan())
    })
}

fn judge_bite(way: f64, grips: bool, bound: f64, part: f64) -> crate::run::Verdict {
    ensure!((way < bound) == grips, "moved by {:.1} mm at {part:.2} of the friction angle", way * 1e3);
    Ok(())
}
