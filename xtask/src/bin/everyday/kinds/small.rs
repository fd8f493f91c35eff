//! Thin and small things.

use super::Entry;
use crate::ensure;
use crate::random::Random;
use crate::run::{Frame, Member, angle, off_face, tilt};
use crate::sketch::{G, Sketch, cube, cuboid, cylinder, turn};
use drystone::math::{Quat, Vec3};
use serde_json::json;
use std::f64::consts::FRAC_PI_2;

pub(super) const KINDS: &[Entry] = &[
    ("coins", "thrown coins: each lies flat, or rolls above its critical speed", coins),
    ("sheets", "6 plates of 1 to 4 mm lie flat", sheets),
    (
        "sheets_order",
        "(not in the list) the same plates lie as they fell: none has passed through another",
        sheets_order,
    ),
    ("sticks", "15 rods of 5 mm in a heap: depth < 0.5 mm, at rest", sticks),
    ("peg_hole", "a square peg of 10 mm, let go 1 mm above a hole with 0.1 mm clearance: seated", peg_hole),
    ("tiny_1mm", "5 cubes of 1 mm stand on each other, and 6 dice of that size lie on faces", tiny),
];

/// Three coins of 9 to 16 mm radius, tossed or rolled. A disc rolls upright above `v^2 = g r / 3` (Routh 1905; thin disc). Flat: the axis is within 0.1 rad of the vertical after 10 s.
fn coins(r: &mut Random) -> Member {
    let mut s = Sketch::new(r.range(0.2, 0.6), r.range(0.0, 0.3));
    s.floor();
    let radius = r.range(0.009, 0.016);
    for k in 0..3 {
        let at = [0.2 * f64::from(k), r.range(0.03, 0.2), 0.0];
        let half = r.range(0.0007, 0.0015);
        let body = s.solid(&format!("coin{k}"), cylinder(radius, half), at);
        if r.coin() {
            body["orientation"] = json!(r.orientation());
            body["linear_velocity"] = json!([r.range(-0.5, 0.5), 0.0, r.range(-0.5, 0.5)]);
            body["angular_velocity"] = json!(r.vector(15.0));
        } else {
            // rolling along z, leaning by more than its rim bears
            let (speed, lean) = (r.range(0.0, 1.0), half / radius + r.range(0.02, 0.1));
            let height = radius * lean.cos() + half * lean.sin();
            body["position"] = json!([0.2 * f64::from(k), height, 0.0]);
            body["orientation"] = turn([0.0, 0.0, 1.0], FRAC_PI_2 + lean);
            body["linear_velocity"] = json!([0.0, 0.0, speed]);
            body["angular_velocity"] = json!([speed / radius, 0.0, 0.0]);
        }
    }
    Member::new(s, 10.0, move |run| {
        for coin in 1..=3 {
            let f = run.last();
            let off = angle(f.poses[coin].orientation * Vec3::Y, Vec3::Y);
            let flat = off.min(std::f64::consts::PI - off);
            let speed = f.velocities[coin].linear.length();
            ensure!(flat < 0.1 || speed > (G * radius / 3.0).sqrt(), "coin {coin} at {flat:.2} rad, {speed:.3} m/s");
        }
        Ok(())
    })
}

/// Flat: within 0.02 rad.
fn sheets(r: &mut Random) -> Member {
    let (s, heights) = fallen_sheets(r);
    Member::new(s, 4.0, move |run| {
        for k in 0..heights.len() {
            let off = tilt(run.last().poses[k + 1].orientation);
            ensure!(off < 0.02, "sheet {k} tilts by {off:.3} rad");
        }
        Ok(())
    })
}

/// As high as the plates below are thick, to 0.5 mm: none has passed through another.
fn sheets_order(r: &mut Random) -> Member {
    let (s, heights) = fallen_sheets(r);
    Member::new(s, 4.0, move |run| {
        for (k, right) in heights.iter().enumerate() {
            let by = run.last().poses[k + 1].position.y - right;
            ensure!(by.abs() < 5e-4, "sheet {k} is {:.2} mm too high", by * 1e3);
        }
        Ok(())
    })
}

/// Six plates one above the other, a little turned, with a centimetre of air between them; and how high each must lie.
fn fallen_sheets(r: &mut Random) -> (Sketch, Vec<f64>) {
    let mut s = Sketch::new(r.range(0.3, 0.7), 0.0);
    s.floor();
    let (mut height, mut heights) = (0.0, Vec::new());
    for k in 0..6 {
        let thick = r.range(0.001, 0.004);
        let half = [r.range(0.1, 0.2), 0.5 * thick, r.range(0.1, 0.2)];
        let [x, _, z] = r.vector(0.01);
        let body = s.solid(&format!("sheet{k}"), cuboid(half), [x, height + half[1] + 0.01 * f64::from(k + 1), z]);
        body["orientation"] = turn([0.0, 1.0, 0.0], r.range(-0.3, 0.3));
        heights.push(height + half[1]);
        height += thick;
    }
    (s, heights)
}

/// Square rods of 8 to 20 cm (round ones may roll away), let fall one after another; at rest: no rod is faster than 1 cm/s at the end of 8 s.
fn sticks(r: &mut Random) -> Member {
    let mut s = Sketch::new(r.range(0.3, 0.7), 0.0);
    s.floor();
    for k in 0..15 {
        let [x, _, z] = r.vector(0.03);
        let half = r.range(0.04, 0.1);
        let body = s.solid(&format!("rod{k}"), cuboid([0.0025, half, 0.0025]), [x, 0.01 + 0.02 * f64::from(k), z]);
        let (a, b) = (0.5 * r.angle(), r.range(-0.1, 0.1));
        // level, but for a tenth of a radian
        let level = Quat::from_rotation_y(a) * Quat::from_rotation_z(FRAC_PI_2 + b);
        body["orientation"] = json!(level.to_array());
    }
    Member::new(s, 8.0, |run| {
        let depth = run.last().depth;
        ensure!(depth < 5e-4, "{:.2} mm deep", depth * 1e3);
        let speed = run.fastest(&run.all("rod"), run.last().time);
        ensure!(speed < 0.01, "a rod has {speed:.3} m/s");
        Ok(())
    })
    .with_depth()
}

/// Four fixed blocks around a square hole, with 0.1 mm of clearance on each side. The peg is off the
/// middle, tilted and turned about its axis, by so little that its lower end fits. Seated: within 0.2 mm of the bottom.
fn peg_hole(r: &mut Random) -> Member {
    let (half, clear) = (0.005, 1e-4);
    let (long, deep, wide) = (r.range(0.015, 0.03), r.range(0.005, 0.015), r.range(0.01, 0.03));
    let mut s = Sketch::new(r.range(0.0, 0.5), 0.0);
    s.floor();
    let open = half + clear;
    for (k, [x, z]) in [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]].into_iter().enumerate() {
        let size = if x == 0.0 { [open + 2.0 * wide, deep, wide] } else { [wide, deep, open] };
        s.fixed(&format!("block{k}"), cuboid(size), [x * (open + wide), deep, z * (open + wide)]);
    }
    let [x, _, z] = r.vector(0.4 * clear);
    let peg = s.body("peg", cuboid([half, long, half]), [x, 2.0 * deep + 1e-3 + long, z], r.range(0.005, 0.05));
    let [a, b, c] = r.vector(0.25 * clear);
    peg["orientation"] = json!(Quat::from_scaled_axis(Vec3::new(a / long, b / half, c / long)).to_array());
    Member::new(s, 2.0, move |run| {
        let off = (run.last().poses[5].position - Vec3::new(0.0, long, 0.0)).length();
        ensure!(off < 2e-4, "the peg is {:.2} mm from its seat", off * 1e3);
        Ok(())
    })
}

/// The tower moves by less than a tenth of a cube; the dice fall from 2 to 8 mm.
fn tiny(r: &mut Random) -> Member {
    let half = 5e-4;
    let mut s = Sketch::new(r.range(0.3, 0.8), 0.0);
    s.floor();
    for k in 0..5 {
        s.solid(&format!("cube{k}"), cube(half), [0.0, half * f64::from(2 * k + 1), 0.0]);
    }
    for k in 0..6 {
        let body = s.solid(&format!("die{k}"), cube(half), [0.01 + 0.004 * f64::from(k), r.range(0.002, 0.008), 0.0]);
        body["orientation"] = json!(r.orientation());
        body["angular_velocity"] = json!(r.vector(20.0));
    }
    Member::new(s, 4.0, move |run| {
        for cube in 1..=5 {
            let way = run.moved(cube, 0.0);
            ensure!(way < 0.2 * half, "cube {cube} moved by {:.3} mm", way * 1e3);
        }
        for die in 6..=11 {
            on_a_face(run.last(), die, half)?;
        }
        Ok(())
    })
}

/// A cube lies on one of its faces on the floor, and still.
fn on_a_face(frame: &Frame, body: usize, half: f64) -> crate::run::Verdict {
    let (pose, speed) = (&frame.poses[body], frame.velocities[body].linear.length());
    let off = off_face(pose.orientation);
    ensure!(off < 0.05, "die {body} is {off:.2} rad off a face");
    ensure!((pose.position.y - half).abs() < 0.1 * half, "die {body} is {:.3} mm high", pose.position.y * 1e3);
    ensure!(speed < 0.01, "die {body} has {speed:.3} m/s");
    Ok(())
}
