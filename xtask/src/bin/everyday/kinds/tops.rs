//! What spins and swings, against closed forms.

use super::Entry;
use crate::ensure;
use crate::random::Random;
use crate::run::{Frame, Member, Run, Verdict, tilt};
use crate::sketch::{G, Sketch, ball, cylinder, turn};
use drystone::math::Vec3;
use serde_json::json;
use std::f64::consts::{PI, TAU};

pub(super) const KINDS: &[Entry] = &[
    ("top", "a top on a ball joint in steady precession: tilt error < 0.05 rad", top),
    ("pendulum", "a ball on a weightless rod: period to 2 %, amplitude to 5 % after 10 swings", pendulum),
];

/// The slow steady precession of a symmetric top: `A W^2 cos t - C s W + m g l = 0`, with the precession W, the spin s about the axis, the moments C about the axis
/// and A about an axis across it through the tip (Goldstein 1980, section 5-7). The spin is 15 to 80 rad/s.
fn top(r: &mut Random) -> Member {
    let (radius, half, mass) = (r.range(0.05, 0.2), r.range(0.005, 0.02), r.log(0.1, 5.0));
    let (length, angle, spin) = (radius * r.range(0.3, 1.2), r.range(0.2, 1.0), r.range(15.0, 80.0));
    let along = 0.5 * mass * radius * radius;
    let across = 0.5 * along + mass * half * half / 3.0 + mass * length * length;
    let (momentum, cos) = (along * spin, angle.cos());
    let root = momentum * momentum - 4.0 * across * cos * mass * G * length;
    if root < 0.5 * momentum * momentum {
        // too slow to stay far from the limit of steady precession
        return top(r);
    }
    let precession = (momentum - root.sqrt()) / (2.0 * across * cos);
    let axis = Vec3::new(angle.sin(), cos, 0.0);
    let velocity = axis * (spin - precession * cos) + Vec3::Y * precession;
    let mut s = Sketch::new(0.0, 0.0);
    let place = axis * length;
    let body = s.body("top", cylinder(radius, half), place.to_array(), mass);
    body["orientation"] = turn([0.0, 0.0, 1.0], -angle);
    body["linear_velocity"] = json!(velocity.cross(place).to_array());
    body["angular_velocity"] = json!(velocity.to_array());
    s.joint("tip", "ball", ["world", "top"], [0.0; 3]);
    Member::new(s, 5.0, move |run| {
        let off = run.frames.iter().map(|f| (tilt(f.poses[0].orientation) - angle).abs()).fold(0.0, f64::max);
        ensure!(off < 0.05, "tilt off by {off:.2} rad at {spin:.0} rad/s");
        Ok(())
    })
}

/// Arithmetic-geometric mean.
pub(super) fn mean(mut a: f64, mut b: f64) -> f64 {
    for _ in 0..20 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    a
}

/// A swing is a full period. The period at an amplitude A is `T0 / agm(1, cos(A / 2))`; the ball turns with the rod.
fn pendulum(r: &mut Random) -> Member {
    let (radius, length, angle) = (r.range(0.02, 0.1), r.range(0.5, 3.0), r.range(0.2, 1.2));
    let mut s = Sketch::new(0.0, 0.0);
    let at = [length * angle.sin(), -length * angle.cos(), 0.0];
    s.body("bob", ball(radius), at, r.log(0.1, 50.0));
    let joint = s.joint("pivot", if r.coin() { "ball" } else { "hinge" }, ["world", "bob"], [0.0; 3]);
    if joint["kind"] == "hinge" {
        joint["axis"] = json!([0.0, 0.0, 1.0]);
    }
    let arm = length * length + 0.4 * radius * radius;
    let period = TAU * (arm / (G * length)).sqrt() / mean(1.0, (0.5 * angle).cos());
    Member::new(s, 10.6 * period, move |run| swings(run, angle, period))
}

/// The mean period between the first and the last pass of the lowest point in one direction; the largest angle of the tenth swing.
fn swings(run: &Run, angle: f64, period: f64) -> Verdict {
    let at = |f: &Frame| f.poses[0].position.x.atan2(-f.poses[0].position.y);
    let passes: Vec<f64> = run
        .frames
        .windows(2)
        .filter_map(|w| {
            let (a, b) = (at(&w[0]), at(&w[1]));
            (a > 0.0 && b <= 0.0).then(|| w[0].time + (w[1].time - w[0].time) * a / (a - b))
        })
        .collect();
    ensure!(passes.len() >= 10, "{} swings", passes.len());
    let found = (passes[9] - passes[0]) / 9.0;
    ensure!((found / period - 1.0).abs() < 0.02, "period {found:.3} s, right: {period:.3} s");
    let top = run.from(9.5 * period).map(at).map(f64::abs).fold(0.0, f64::max);
    ensure!((top / angle - 1.0).abs() < 0.05 && top < PI, "swings to {top:.3} rad, at first {angle:.3}");
    Ok(())
}
