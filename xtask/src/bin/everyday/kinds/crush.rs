//! More force than there is room for.

use super::Entry;
use crate::ensure;
use crate::random::Random;
use crate::run::{Member, Run, Verdict};
use crate::sketch::{Sketch, ball, capsule, cube, cuboid};
use serde_json::{Value, json};

pub(super) const KINDS: &[Entry] = &[
    ("squeeze", "1 to 3 bodies are crushed by 4 to 9 cm between a scripted plate and a wall: < 6 m/s", squeeze),
    ("motor_crush", "a motor of 1e3 to 1e8 N presses 1 to 3 bodies against a wall: < 10 m/s", motor_crush),
];

/// Bodies in a row along x between a wall at the right and what comes from the left; returns the place of the leftmost face, and the sum of
/// the gaps.
fn row(r: &mut Random, s: &mut Sketch) -> [f64; 2] {
    s.floor();
    s.fixed("wall", cuboid([0.1, 1.0, 1.0]), [1.1, 1.0, 0.0]);
    let (size, mut x, mut gaps) = (r.range(0.12, 0.3), 1.0, 0.0);
    for k in 0..r.count(1, 3) {
        let (shape, upright): (Value, f64) = match r.count(0, 2) {
            0 => (ball(size), size),
            1 => (cube(size), size),
            _ => (capsule(size, 0.5 * size), 1.5 * size),
        };
        let gap = r.range(0.0, 0.02);
        let at = [x - size - gap, upright, r.range(-0.01, 0.01)];
        s.body(&format!("body{k}"), shape, at, r.log(1.0, 50.0));
        x -= 2.0 * size + gap;
        gaps += gap;
    }
    [x, gaps]
}

/// All dynamic bodies, all the time.
fn slow(run: &Run, prefixes: &[&str], most: f64) -> Verdict {
    let bodies: Vec<usize> = prefixes.iter().flat_map(|p| run.all(p)).collect();
    let speed = run.fastest(&bodies, 0.0);
    ensure!(speed < most, "a body has {speed:.1} m/s");
    Ok(())
}

/// The plate goes at up to 0.5 m/s until the bodies have 4 to 9 cm less room than they need, and stays there for a second. Its three keys are splined, as scripts are.
fn squeeze(r: &mut Random) -> Member {
    let mut s = Sketch::new(r.range(0.3, 0.7), 0.0);
    let before = r.range(0.05, 0.15);
    let [edge, gaps] = row(r, &mut s);
    let way = before + gaps + r.range(0.04, 0.09);
    let time = way / r.range(0.3, 0.6);
    let from = [edge - before - 0.1, 0.5, 0.0];
    s.scripted("plate", cuboid([0.1, 0.5, 0.5]), from);
    let to = [from[0] + way, 0.5, 0.0];
    s.keys("plate", [(0.0, from), (time, to), (time + 1.0, to)]);
    Member::new(s, time + 1.0, |run| slow(run, &["body"], 6.0))
}

/// A plate on a slider; its motor wants 0.3 to 1 m/s.
fn motor_crush(r: &mut Random) -> Member {
    let mut s = Sketch::new(r.range(0.3, 0.7), 0.0);
    let [edge, _] = row(r, &mut s);
    let edge = edge - r.range(0.05, 0.15);
    let force = r.log(1e3, 1e8);
    s.body("plate", cuboid([0.1, 0.5, 0.5]), [edge - 0.1, 0.5, 0.0], r.log(5.0, 200.0))["gravity_scale"] = json!(0.0);
    s.press("plate", [1.0, 0.0, 0.0], r.range(0.3, 1.0), force);
    s.ignore("plate", "floor");
    Member::new(s, 2.0, |run| slow(run, &["body", "plate"], 10.0))
}
