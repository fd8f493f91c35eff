//! Levers and rollers, against the law of the lever and closed forms.

use super::Entry;
use crate::ensure;
use crate::random::Random;
use crate::run::{Frame, Member};
use crate::sketch::{G, Sketch, ball, cube, cuboid, cylinder, turn};
use drystone::math::Vec3;
use serde_json::json;
use std::f64::consts::FRAC_PI_2;

pub(super) const KINDS: &[Entry] = &[
    ("seesaw", "two weights that differ by 2 to 5 %: the heavier side sinks", seesaw),
    ("lever", "a weight on a lever is lifted, or not, by the law of the lever", lever),
    ("catapult", "a falling weight throws a ball: it flies, and no energy is gained", catapult),
    ("logs", "a plank on four rollers down a slope: its way is right to 5 %", logs),
    ("swing_ropes", "a seat on two ropes: > 85 % of its height after 15 s", swing_ropes),
];

/// A plank on a hinge along z at the origin, with a box at each of two arms; returns the index of the plank.
fn beam(s: &mut Sketch, length: f64, mass: f64, loads: [(f64, f64); 2], half: f64) {
    s.fixed("floor", json!({ "plane": { "normal": [0, 1, 0], "offset": -0.6 } }), [0.0; 3]);
    s.body("beam", cuboid([length, 0.03, 0.3]), [0.0; 3], mass);
    s.joint("hinge", "hinge", ["world", "beam"], [0.0; 3])["axis"] = json!([0.0, 0.0, 1.0]);
    for ((arm, mass), name) in loads.into_iter().zip(["left", "right"]) {
        s.body(name, cube(half), [arm, 0.03 + half, 0.0], mass);
    }
}

/// Angle of the beam about z.
fn slope(f: &Frame) -> f64 {
    let x = f.poses[1].orientation * Vec3::X;
    x.y.atan2(x.x)
}

/// Equal arms. Sunk: the beam has turned by 0.1 rad towards the heavier side within 5 s.
fn seesaw(r: &mut Random) -> Member {
    let (length, half, mass) = (r.range(1.2, 2.5), r.range(0.1, 0.2), r.log(2.0, 50.0));
    let (bias, side) = (r.range(1.02, 1.05), r.coin());
    let arm = length - half - 0.05;
    let (left, right) = if side { (mass * bias, mass) } else { (mass, mass * bias) };
    let mut s = Sketch::new(r.range(0.5, 0.9), 0.0);
    beam(&mut s, length, mass * r.range(0.2, 1.0), [(-arm, left), (arm, right)], half);
    Member::new(s, 5.0, move |run| {
        let turned = run.frames.iter().map(slope).find(|a| a.abs() > 0.1).unwrap_or(0.0);
        ensure!(turned.abs() > 0.1, "the beam stays");
        ensure!((turned > 0.0) == side, "the lighter side sinks");
        Ok(())
    })
}

/// Arms of different lengths. The weight at the left has 0.5 to 0.9, or 1.1 to 2 times the moment of the one at the right; the beam begins level on a stop under its
/// right end, so that it turns only if the left side is stronger.
fn lever(r: &mut Random) -> Member {
    let (length, half, mass) = (r.range(1.2, 2.5), r.range(0.1, 0.2), r.log(2.0, 50.0));
    let lifts = r.coin();
    let part = if lifts { r.range(1.1, 2.0) } else { r.range(0.5, 0.9) };
    let (far, near) = (length - half - 0.02, r.range(0.3, 1.0) * (length - half - 0.02));
    let mut s = Sketch::new(r.range(0.5, 0.9), 0.0);
    beam(&mut s, length, mass * r.range(0.2, 1.0), [(-far, part * mass * near / far), (near, mass)], half);
    s.fixed("stop", cuboid([0.1, 0.1, 0.3]), [length - 0.1, -0.13, 0.0]);
    Member::new(s, 4.0, move |run| {
        let most = run.frames.iter().map(slope).fold(0.0, f64::max);
        ensure!((most > 0.1) == lifts, "turns by {most:.3} rad at {part:.2} of the moment");
        Ok(())
    })
}

/// A heavy ball falls on the short arm, a light one lies on the long arm. Thrown: half a metre above its start.
fn catapult(r: &mut Random) -> Member {
    let (length, mass) = (r.range(1.0, 2.0), r.range(0.5, 2.0));
    let mut s = Sketch::new(0.5, 0.0);
    s.fixed("floor", json!({ "plane": { "normal": [0, 1, 0], "offset": -0.6 } }), [0.0; 3]);
    s.body("beam", cuboid([length, 0.03, 0.3]), [0.0; 3], mass * r.range(0.5, 2.0));
    let joint = s.joint("hinge", "hinge", ["world", "beam"], [0.0; 3]);
    joint["axis"] = json!([0.0, 0.0, 1.0]);
    // the long arm rests low
    let low = -0.25_f64;
    let arm = [low.cos(), low.sin(), 0.0].map(|c| c * (length - 0.15));
    s.value["bodies"][1]["orientation"] = turn([0.0, 0.0, 1.0], low);
    s.fixed("stop", cuboid([0.05, 0.1, 0.3]), [0.6 * length * low.cos(), 0.6 * length * low.sin() - 0.16, 0.0]);
    s.body("shot", cube(0.06), [arm[0] - 0.09 * low.sin(), arm[1] + 0.091 * low.cos(), 0.0], mass)["orientation"] =
        turn([0.0, 0.0, 1.0], low);
    let weight = mass * r.range(10.0, 50.0);
    s.body("weight", ball(0.2), [-length + 0.25, 0.6 + r.range(0.2, 1.0), 0.0], weight);
    Member::new(s, 3.0, |run| {
        let start = run.first().poses[run.index("shot")].position.y;
        let top = run.frames.iter().map(|f| f.poses[run.index("shot")].position.y).fold(f64::NEG_INFINITY, f64::max);
        ensure!(top > start + 0.5, "thrown to {:.2} m above its start", top - start);
        let part = run.gain() / run.top_kinetic();
        ensure!(part < 0.01, "gains {:.1} % of the motion's energy", part * 100.0);
        Ok(())
    })
}

/// The slope is a turned gravity; rollers of mass m each roll between floor and plank (mass p): `a = g sin s (p + 2 m) / (p + 1.5 m)` for four of them.
fn logs(r: &mut Random) -> Member {
    let (slope, radius) = (r.range(2.0, 10.0_f64).to_radians(), r.range(0.05, 0.15));
    let (plank, log) = (r.log(5.0, 100.0), r.log(1.0, 20.0));
    let length = radius * 12.0;
    let mut s = Sketch::new(r.range(0.5, 0.9), 0.0);
    s.gravity([G * slope.sin(), -G * slope.cos(), 0.0]);
    s.floor();
    s.body("plank", cuboid([length, 0.03, 0.4]), [0.0, 2.0 * radius + 0.03, 0.0], plank);
    for k in 0..4 {
        let at = [radius * (4.0 * f64::from(k) - 6.0), radius, 0.0];
        s.body(&format!("log{k}"), cylinder(radius, 0.5), at, log)["orientation"] = turn([1.0, 0.0, 0.0], FRAC_PI_2);
    }
    let a = G * slope.sin() * (plank + 2.0 * log) / (plank + 1.5 * log);
    // until the plank has gone three radii on
    let duration = (2.0 * 3.0 * radius / a).sqrt();
    Member::new(s, duration, move |run| {
        let (way, t) = (run.last().poses[1].position.x, run.last().time);
        let right = 0.5 * a * t * t;
        ensure!((way - right).abs() < 0.05 * right, "rolls {way:.3} m, right: {right:.3} m");
        Ok(())
    })
}

/// Each rope is a chain of four to eight capsules. The largest height above the lowest point within the last 4 s, against the start.
fn swing_ropes(r: &mut Random) -> Member {
    let (count, link, angle) = (r.count(4, 8), r.range(0.15, 0.4), r.range(0.2, 0.7));
    let (seat, mass) = (r.log(5.0, 60.0), r.range(0.1, 0.5));
    let mut s = Sketch::new(0.3, 0.0);
    let length = link * count as f64;
    let at = |along: f64, z: f64| [along * f64::sin(angle), -along * f64::cos(angle), z];
    s.body("seat", cuboid([0.15, 0.02, 0.25]), at(length, 0.0), seat)["orientation"] = turn([0.0, 0.0, 1.0], angle);
    for (rope, z) in [("a", -0.25), ("b", 0.25)] {
        let mut last = "world".to_owned();
        for k in 0..count {
            let name = format!("link{rope}{k}");
            let shape = crate::sketch::capsule(0.02, 0.5 * link - 0.02);
            let body = s.body(&name, shape, at((k as f64 + 0.5) * link, z), mass);
            body["orientation"] = turn([0.0, 0.0, 1.0], angle);
            s.joint(&format!("joint{rope}{k}"), "ball", [&last, &name], at(k as f64 * link, z));
            last = name;
        }
        s.joint(&format!("hook{rope}"), "ball", [&last, "seat"], at(length, z));
    }
    Member::new(s, 15.0, move |run| {
        let height = |f: &Frame| f.poses[0].position.y + length;
        let most = run.from(11.0).map(height).fold(0.0, f64::max) / height(run.first());
        ensure!(most > 0.85, "swings to {:.0} % of its height", most * 100.0);
        Ok(())
    })
}
