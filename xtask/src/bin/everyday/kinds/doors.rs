//! Doors, drawers and pegs.

use super::Entry;
use crate::ensure;
use crate::random::Random;
use crate::run::{Frame, Member, Run};
use crate::sketch::{Sketch, cuboid, cylinder, prism};
use drystone::math::Vec3;
use serde_json::json;
use std::f64::consts::TAU;

pub(super) const KINDS: &[Entry] = &[
    ("door_slam", "a door flies into its limit: overshoot < 0.02 rad, gap < 2 mm, no gain, at rest", door_slam),
    ("limit_contact", "a door is pressed against limit and wall by 10 to 500 N m: 0.01 rad, 1 mm", limit_contact),
    ("overcon_door", "a door on 2 to 4 hinges on one axis: gap < 1 mm, no gain", overcon_door),
    ("drawer", "a drawer is pulled: it opens, depth < 1 mm", drawer),
    ("twist_peg", "a round peg is let go, turning, above its hole: seated, inside the hole", twist_peg),
];

/// A door on a hinge along y through the origin.
fn door(r: &mut Random, s: &mut Sketch) -> (f64, f64) {
    let (wide, high) = (r.range(0.3, 0.6), r.range(0.8, 1.2));
    let mass = r.log(5.0, 80.0);
    s.body("door", cuboid([wide, high, 0.02]), [wide, 0.0, 0.0], mass);
    (wide, mass)
}

/// The angle about the hinge.
fn opened(f: &Frame) -> f64 {
    let x = f.poses[0].orientation * Vec3::X;
    (-x.z).atan2(x.x)
}

/// The limit is 0.5 to 2 rad away; the door turns at 1 to 8 rad/s, and the limit gives nothing back.
fn door_slam(r: &mut Random) -> Member {
    let mut s = Sketch::new(0.3, 0.0);
    let (wide, _) = door(r, &mut s);
    let (speed, limit) = (r.range(1.0, 8.0), r.range(0.5, 2.0));
    let body = &mut s.value["bodies"][0];
    body["linear_velocity"] = json!([0.0, 0.0, -speed * wide]);
    body["angular_velocity"] = json!([0.0, speed, 0.0]);
    let joint = s.joint("hinge", "hinge", ["world", "door"], [0.0; 3]);
    joint["axis"] = json!([0.0, 1.0, 0.0]);
    joint["limits"] = json!({ "lower": -0.1, "upper": limit });
    Member::new(s, 4.0, move |run| {
        let most = run.frames.iter().map(opened).fold(0.0, f64::max);
        ensure!(most < limit + 0.02, "{:.3} rad beyond the limit", most - limit);
        ensure!(most > limit - 0.02, "stops {:.3} rad before the limit", limit - most);
        no_gain(run, 2e-3)?;
        let turn = run.last().velocities[0].angular.length();
        ensure!(turn < 0.01, "still turns at {turn:.3} rad/s");
        Ok(())
    })
}

/// Gaps below a bound, and no more than a hundredth of the motion's energy gained.
fn no_gain(run: &Run, bound: f64) -> crate::run::Verdict {
    let gap = run.gap();
    ensure!(gap < bound, "the hinge opens by {:.1} mm", gap * 1e3);
    let part = run.gain() / run.top_kinetic().max(1e-9);
    ensure!(part < 0.01, "gains {:.1} % of the motion's energy", part * 100.0);
    Ok(())
}

/// The limit is where the door touches the wall.
fn limit_contact(r: &mut Random) -> Member {
    let mut s = Sketch::new(0.3, 0.0);
    let (wide, _) = door(r, &mut s);
    let (limit, torque): (f64, f64) = (r.range(0.3, 1.2), r.log(10.0, 500.0));
    let joint = s.joint("hinge", "hinge", ["world", "door"], [0.0; 3]);
    joint["axis"] = json!([0.0, 1.0, 0.0]);
    joint["limits"] = json!({ "lower": -0.1, "upper": limit });
    joint["motor"] = json!({ "velocity": 1.0, "max_force": torque });
    // behind the far half of the door as it stands at the limit
    let (sin, cos) = limit.sin_cos();
    let (along, thick) = (1.5 * wide, 0.02 + 0.1);
    let at = [along * cos - thick * sin, 0.0, -along * sin - thick * cos];
    s.fixed("wall", cuboid([0.4 * wide, 1.0, 0.1]), at)["orientation"] = crate::sketch::turn([0.0, 1.0, 0.0], limit);
    Member::new(s, 4.0, move |run| {
        let most = run.frames.iter().map(opened).fold(0.0, f64::max);
        ensure!((most - limit).abs() < 0.01, "{:.4} rad beyond the limit", most - limit);
        let depth = run.depth(0.0);
        ensure!(depth < 1e-3, "{:.2} mm deep", depth * 1e3);
        Ok(())
    })
    .with_depth()
}

/// The axis is tilted a little, so that gravity swings the door.
fn overcon_door(r: &mut Random) -> Member {
    let mut s = Sketch::new(0.3, 0.0);
    let (wide, _) = door(r, &mut s);
    let [x, _, z] = r.vector(3.0);
    s.gravity([x, -9.0, z]);
    let speed = r.range(-4.0, 4.0);
    let body = &mut s.value["bodies"][0];
    body["linear_velocity"] = json!([0.0, 0.0, -speed * wide]);
    body["angular_velocity"] = json!([0.0, speed, 0.0]);
    for k in 0..r.count(2, 4) {
        let joint = s.joint(&format!("hinge{k}"), "hinge", ["world", "door"], [0.0, r.range(-0.8, 0.8), 0.0]);
        joint["axis"] = json!([0.0, 1.0, 0.0]);
    }
    Member::new(s, 6.0, |run| no_gain(run, 1e-3))
}

/// A box between two sides, a bottom and a top with 0.5 to 1.5 mm of play; the pull is up to a tenth of its width off its middle. Open: by 0.2 m after 3 s.
fn drawer(r: &mut Random) -> Member {
    let half = [r.range(0.2, 0.3), r.range(0.05, 0.1), r.range(0.15, 0.25)];
    let (mu, mass, play) = (r.range(0.05, 0.3), r.range(1.0, 10.0), r.range(0.0005, 0.0015));
    let mut s = Sketch::new(mu, 0.0);
    s.body("drawer", cuboid(half), [0.0; 3], mass);
    let length = 2.0 * half[0] + 0.5;
    for side in [-1.0, 1.0] {
        let name = if side < 0.0 { "left" } else { "right" };
        s.fixed(name, cuboid([length, half[1], 0.05]), [0.0, 0.0, side * (half[2] + play + 0.05)]);
    }
    s.fixed("bottom", cuboid([length, 0.05, half[2]]), [0.0, -half[1] - 0.05, 0.0]);
    s.fixed("top", cuboid([length, 0.05, half[2]]), [0.0, half[1] + 2.0 * play + 0.05, 0.0]);
    let force = mass * 9.81 * (mu + r.range(0.1, 0.3));
    let point = [half[0], 0.0, half[2] * r.range(-0.1, 0.1)];
    s.force(json!({ "kind": "wrench", "body": "drawer", "point": point, "force": [force, 0.0, 0.0] }));
    Member::new(s, 3.0, |run| {
        let way = run.frames.iter().map(|f| f.poses[0].position.x).fold(0.0, f64::max);
        ensure!(way > 0.2, "opens by {way:.2} m");
        let depth = run.from(0.0).filter(|f| f.poses[0].position.x < 0.4).map(|f| f.depth).fold(0.0, f64::max);
        ensure!(depth < 1e-3, "{:.2} mm deep", depth * 1e3);
        Ok(())
    })
    .with_depth()
}

/// A peg of 5 to 15 mm radius, 0.3 to 1 mm of play, in a hole of twelve blocks. Seated: within 1 mm of the bottom, the axis inside the hole.
fn twist_peg(r: &mut Random) -> Member {
    let (radius, clear) = (r.range(0.005, 0.015), r.range(3e-4, 1e-3));
    let (long, deep, sides) = (radius * r.range(2.0, 3.0), radius * r.range(1.0, 1.8), 12);
    let mut s = Sketch::new(r.range(0.1, 0.4), 0.0);
    s.floor();
    let half_angle = 0.5 * TAU / f64::from(sides);
    let (inner, outer) = (radius + clear, 3.0 * radius);
    for k in 0..sides {
        // a wedge of the ring; it stands upright
        let polygon =
            [[inner, -1.0], [outer, -1.0], [outer, 1.0], [inner, 1.0]].map(|[x, y]| [x, y * x * half_angle.tan()]);
        let a = 2.0 * half_angle * f64::from(k);
        let (sin, cos) = a.sin_cos();
        let turned = polygon.map(|[x, y]| [x * cos - y * sin, x * sin + y * cos]);
        let block = s.fixed(&format!("block{k}"), prism(&turned, deep), [0.0, deep, 0.0]);
        block["orientation"] = crate::sketch::turn([1.0, 0.0, 0.0], std::f64::consts::FRAC_PI_2);
    }
    let [x, _, z] = r.vector(0.5 * clear);
    let peg = s.body("peg", cylinder(radius, long), [x, 2.0 * deep + 1e-3 + long, z], r.range(0.01, 0.2));
    peg["angular_velocity"] = json!([0.0, r.range(-10.0, 10.0), 0.0]);
    Member::new(s, 3.0, move |run| {
        let place = run.last().poses[run.index("peg")].position;
        ensure!((place.y - long).abs() < 1e-3, "the peg is {:.1} mm from the bottom", (place.y - long) * 1e3);
        let off = place.with_y(0.0).length();
        ensure!(off < 2.0 * clear, "the peg is {:.2} mm off the middle", off * 1e3);
        Ok(())
    })
}
