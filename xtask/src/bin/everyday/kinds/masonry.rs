//! Blocks that stand by their shape.

use super::Entry;
use crate::ensure;
use crate::random::Random;
use crate::run::Member;
use crate::sketch::{Sketch, ball, prism};
use drystone::math::{Twist, Vec3};
use serde_json::json;
use std::f64::consts::PI;

pub(super) const KINDS: &[Entry] = &[("arch_hit", "an arch stands to 5 mm, and to 3 cm after a light hit", arch_hit)];

/// Half a circle of 7 to 13 voussoirs, 0.16 to 0.3 of the radius thick (0.1075 is the least that stands: Heyman 1969). After 3 s, a ball of a hundredth of its
/// mass hits a voussoir at 1 to 3 m/s.
fn arch_hit(r: &mut Random) -> Member {
    let (count, radius) = (2 * r.count(3, 6) + 1, r.range(0.5, 3.0));
    let (thick, depth) = (radius * r.range(0.16, 0.3), radius * r.range(0.1, 0.25));
    let mut s = Sketch::new(r.range(0.6, 0.9), 0.0);
    s.floor();
    let (inner, outer) = (radius - 0.5 * thick, radius + 0.5 * thick);
    let point = |radius: f64, angle: f64| [radius * angle.cos(), radius * angle.sin()];
    for k in 0..count {
        let [from, to] = [k, k + 1].map(|j| PI * j as f64 / count as f64);
        let middle = point(radius, 0.5 * (from + to));
        let corners = [point(inner, from), point(outer, from), point(outer, to), point(inner, to)];
        let shape = prism(&corners.map(|c| [c[0] - middle[0], c[1] - middle[1]]), depth);
        s.solid(&format!("stone{k}"), shape, [middle[0], middle[1], 0.0]);
    }
    let mass = 1000.0 * 0.5 * PI * (outer * outer - inner * inner) * 2.0 * depth;
    let (hit, speed) = (r.range(0.3, 0.7) * PI, r.range(1.0, 3.0));
    let small = 0.3 * thick;
    // it waits outside, and comes along the radius
    let away = outer + small + 2.0 * radius;
    let at = point(away, hit);
    s.body("shot", ball(small), [at[0], at[1], 0.0], 0.01 * mass)["gravity_scale"] = json!(0.0);
    let velocity = Vec3::new(-speed * hit.cos(), -speed * hit.sin(), 0.0);
    let shot = count + 1;
    let (calm, duration) = (3.0, 6.0 + 2.0 * radius / speed);
    let member = Member::new(s, duration, move |run| {
        for stone in 1..=count {
            let start = run.first().poses[stone].position;
            let way = (run.at(calm).poses[stone].position - start).length();
            ensure!(way < 5e-3, "a stone moved by {:.1} mm before the hit", way * 1e3);
            let way = (run.last().poses[stone].position - start).length();
            ensure!(way < 0.03, "a stone moved by {:.0} mm after the hit", way * 1e3);
        }
        Ok(())
    });
    member.at(calm, move |engine| {
        engine.set_velocity(shot, Twist::new(velocity, Vec3::ZERO));
    })
}
