//! What is driven.

use super::Entry;
use crate::ensure;
use crate::random::Random;
use crate::run::{Member, angle};
use crate::sketch::{G, Sketch, capsule, cube, cuboid, cylinder, turn};
use drystone::math::{Twist, Vec3};
use serde_json::json;
use std::f64::consts::{FRAC_PI_2, TAU};

pub(super) const KINDS: &[Entry] = &[
    ("rollers", "a box on driven rollers: their speed to 2 %, hop < 5 mm", rollers),
    ("gimbal", "a spinning wheel in gimbals on a turning carrier: its axis stays to 0.1 rad, gap < 5 mm", gimbal),
    (
        "mouse_drag",
        "a body is dragged to a place: no kick (< 6 times the hand's speed), < 1 cm/s 3 s later, where the hand can hold it, depth < 5 mm",
        mouse_drag,
    ),
    ("walker", "a walker pushes crates and does not kick them: < 2 times its speed", walker),
];

/// Eight to twelve rollers on hinges with motors; the box is three to four pitches long. Its mean speed over the last half second.
fn rollers(r: &mut Random) -> Member {
    let (radius, count) = (r.range(0.05, 0.12), r.count(14, 20));
    let pitch = radius * r.range(2.2, 3.0);
    let (speed, half) = (r.range(0.2, 1.0), pitch * r.range(1.6, 2.2));
    let mut s = Sketch::new(r.range(0.4, 0.9), 0.0);
    for k in 0..count {
        let (name, at) = (format!("roller{k}"), [pitch * k as f64, -radius, 0.0]);
        s.body(&name, cylinder(radius, 0.4), at, r.range(2.0, 10.0))["orientation"] = turn([1.0, 0.0, 0.0], FRAC_PI_2);
        let joint = s.joint(&format!("axle{k}"), "hinge", ["world", &name], at);
        joint["axis"] = json!([0.0, 0.0, -1.0]);
        joint["motor"] = json!({ "velocity": speed / radius, "max_force": 1e4 });
    }
    let height = half * r.range(0.2, 0.5);
    s.body("box", cuboid([half, height, 0.3]), [pitch + half, height, 0.0], r.log(1.0, 50.0));
    // to the last roller but two
    let way = pitch * (count as f64 - 4.0) - 2.0 * half;
    let duration = (way / speed).min(4.0);
    Member::new(s, duration, move |run| {
        let (from, to) = (run.at(duration - 0.5), run.last());
        let found = (to.poses[count].position.x - from.poses[count].position.x) / (to.time - from.time);
        ensure!((found / speed - 1.0).abs() < 0.02, "the box has {found:.3} m/s, the rollers {speed:.3}");
        let hop = run.frames.iter().map(|f| f.poses[count].position.y).fold(0.0, f64::max) - height;
        ensure!(hop < 5e-3, "hops by {:.1} mm", hop * 1e3);
        Ok(())
    })
}

/// Two light rings on crossed hinges carry a wheel that spins at 50 to 300 rad/s; the scripted carrier swings by up to half a radian about a random axis.
fn gimbal(r: &mut Random) -> Member {
    let (mass, radius, spin) = (r.range(0.5, 3.0), r.range(0.08, 0.15), r.range(50.0, 300.0));
    let mut s = Sketch::new(0.0, 0.0);
    let block = cuboid([0.02, 0.02, 0.02]);
    s.scripted("carrier", block.clone(), [0.0; 3]);
    let about = Vec3::from_array(r.vector(1.0)).normalize() * r.range(0.1, 0.5);
    let swing = json!({ "turn": about.to_array(), "frequency": r.range(0.1, 0.5) });
    s.script(json!({ "body": "carrier", "sinusoid": swing }));
    let ring = 0.4 * 0.02 * mass * radius * radius;
    for name in ["outer", "inner"] {
        s.body(name, block.clone(), [0.0; 3], 0.05 * mass)["inertia"] = json!([ring, ring, ring]);
    }
    // the wheel's axis is y
    s.body("wheel", cylinder(radius, 0.02), [0.0; 3], mass)["angular_velocity"] = json!([0.0, spin, 0.0]);
    for (joint, bodies, axis) in [
        ("first", ["carrier", "outer"], [1.0, 0.0, 0.0]),
        ("second", ["outer", "inner"], [0.0, 0.0, 1.0]),
        ("axle", ["inner", "wheel"], [0.0, 1.0, 0.0]),
    ] {
        s.joint(joint, "hinge", bodies, [0.0; 3])["axis"] = json!(axis);
    }
    for (one, other) in [("carrier", "inner"), ("carrier", "wheel"), ("outer", "wheel")] {
        s.ignore(one, other);
    }
    Member::new(s, 8.0, |run| {
        let off = run.frames.iter().map(|f| angle(f.poses[3].orientation * Vec3::Y, Vec3::Y)).fold(0.0, f64::max);
        ensure!(off < 0.1, "the axis is {off:.2} rad off");
        let gap = run.gap();
        ensure!(gap < 5e-3, "a joint opens by {:.1} mm", gap * 1e3);
        Ok(())
    })
}

/// The hand is a spring of one to four oscillations a second, critically damped; it drags along the floor at 0.3 to 2 m/s for 2 s, then holds still. A body on the floor may
/// stop where friction and spring balance.
fn mouse_drag(r: &mut Random) -> Member {
    let (half, mass, mu) = (r.range(0.05, 0.3), r.log(0.2, 50.0), r.range(0.1, 0.8));
    let (speed, rate, a) = (r.range(0.3, 2.0), TAU * r.range(1.0, 4.0), r.angle());
    let mut s = Sketch::new(mu, 0.0);
    s.floor();
    s.body("body", cube(half), [0.0, half, 0.0], mass);
    let spring = [mass * rate * rate, 2.0 * mass * rate];
    let along = Vec3::new(a.cos(), 0.0, a.sin()) * speed;
    let member = Member::new(s, 5.0, move |run| {
        let kick = run.fastest(&[1], 0.0);
        ensure!(kick < 6.0 * speed, "{kick:.1} m/s at {speed:.1} m/s of the hand");
        let still = run.fastest(&[1], run.last().time);
        ensure!(still < 0.01, "still has {still:.3} m/s");
        let off = (run.last().poses[1].position - along * 2.0).with_y(0.0).length();
        let play = mu * mass * G / spring[0];
        ensure!(off < play + 1e-3, "{off:.3} m from the hand; friction holds {play:.3}");
        let depth = run.depth(0.0);
        ensure!(depth < 5e-3, "{:.1} mm deep", depth * 1e3);
        Ok(())
    });
    let member = member.with_depth();
    member.with_hook(move |engine, t, _| engine.drag(1, along * t.min(2.0) + Vec3::Y * half, spring))
}

/// The walker is an upright capsule that does not turn and is given its speed along x in each step; up to four crates stand in its way.
fn walker(r: &mut Random) -> Member {
    let (speed, mu) = (r.range(0.5, 2.5), r.range(0.2, 0.7));
    let mut s = Sketch::new(mu, 0.0);
    s.floor();
    let body = s.body("walker", capsule(0.3, 0.5), [-1.0, 0.8, 0.0], 80.0);
    body["lock_rotation"] = json!(true);
    let count = r.count(1, 4);
    for k in 0..count {
        let (half, x) = (r.range(0.1, 0.3), 0.7 * k as f64);
        s.body(&format!("crate{k}"), cube(half), [x, half, r.range(-0.1, 0.1)], r.log(1.0, 30.0));
    }
    let member = Member::new(s, 4.0, move |run| {
        let fast = run.fastest(&run.all("crate"), 0.0);
        ensure!(fast < 2.0 * speed, "a crate has {fast:.1} m/s, the walker {speed:.1}");
        let way = run.last().poses[2].position.x;
        ensure!(way > 0.2, "the first crate is pushed by {way:.2} m only");
        Ok(())
    });
    member.with_hook(move |engine, _, _| {
        let fall = engine.velocity(1).linear.y;
        engine.set_velocity(1, Twist::new(Vec3::new(speed, fall, 0.0), Vec3::ZERO));
    })
}
