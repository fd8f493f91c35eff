//! Collisions.

use super::Entry;
use crate::ensure;
use crate::random::Random;
use crate::run::{Frame, Member};
use crate::sketch::{G, Sketch, ball, cuboid};
use serde_json::json;

pub(super) const KINDS: &[Entry] = &[
    (
        "cradle",
        "Newton's cradle: the last ball leaves with > 0.9 of the first one's angle, the others with < 0.1",
        cradle,
    ),
    ("bumpers", "12 balls that lose nothing: energy to 5 % after 10 s", bumpers),
];

/// Three to seven balls hang side by side; judged from a fifth of a swing after the hit to half a swing after it, when the last ball has been highest.
fn cradle(r: &mut Random) -> Member {
    let (count, radius, length, angle) = (r.count(3, 7), r.range(0.03, 0.1), r.range(0.5, 1.5), r.range(0.2, 0.6));
    let mass = r.log(0.1, 10.0);
    let mut s = Sketch::new(0.0, 1.0);
    for k in 0..count {
        let (x, a) = (2.0 * radius * k as f64, if k == 0 { angle } else { 0.0 });
        let name = format!("ball{k}");
        s.body(&name, ball(radius), [x - length * a.sin(), -length * a.cos(), 0.0], mass);
        s.joint(&format!("string{k}"), "hinge", ["world", &name], [x, 0.0, 0.0])["axis"] = json!([0.0, 0.0, 1.0]);
    }
    let quarter = 0.5 * std::f64::consts::PI * (length / G).sqrt();
    Member::new(s, 2.2 * quarter, move |run| {
        let at = |f: &Frame, k: usize| (f.poses[k].position.x - 2.0 * radius * k as f64).atan2(-f.poses[k].position.y);
        let most = |k: usize| run.from(1.3 * quarter).map(|f| at(f, k).abs()).fold(0.0, f64::max) / angle;
        let last = most(count - 1);
        ensure!(last > 0.9, "the last ball swings to {last:.2}");
        let other = (0..count - 1).map(most).fold(0.0, f64::max);
        ensure!(other < 0.1, "another ball swings to {other:.2}");
        Ok(())
    })
}

/// Balls of different masses between walls in a plane, without gravity and friction.
fn bumpers(r: &mut Random) -> Member {
    let (radius, half) = (r.range(0.05, 0.1), 1.0);
    let mut s = Sketch::new(0.0, 1.0);
    s.gravity([0.0; 3]);
    for (k, [x, y]) in [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]].into_iter().enumerate() {
        let size = if x == 0.0 { [half + 0.2, 0.1, 1.0] } else { [0.1, half + 0.2, 1.0] };
        s.fixed(&format!("wall{k}"), cuboid(size), [x * (half + 0.1), y * (half + 0.1), 0.0]);
    }
    for k in 0..12 {
        let at = [f64::from(k % 4), f64::from(k / 4)];
        let body =
            s.body(&format!("ball{k}"), ball(radius), [0.5 * at[0] - 0.75, 0.5 * at[1] - 0.5, 0.0], r.range(0.5, 5.0));
        body["linear_velocity"] = json!([r.range(-3.0, 3.0), r.range(-3.0, 3.0), 0.0]);
    }
    Member::new(s, 10.0, |run| {
        let part = run.last().energy[0] / run.first().energy[0];
        ensure!((part - 1.0).abs() < 0.05, "energy is {part:.3} of what it was");
        Ok(())
    })
}
