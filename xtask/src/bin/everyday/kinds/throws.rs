//! What is thrown.

use super::Entry;
use crate::ensure;
use crate::random::Random;
use crate::run::{Member, off_face, tilt};
use crate::sketch::{Sketch, ball, capsule, cube, cuboid, cylinder, turn};
use drystone::math::Vec3;
use serde_json::json;

pub(super) const KINDS: &[Entry] = &[
    ("dice", "6 thrown dice lie on faces only", dice),
    ("domino_curve", "a curved row of dominoes: all fall", domino_curve),
    ("bowling", "pins stand; a ball makes at least 5 fall, and gains nothing", bowling),
    ("bullet", "a continuous ball of 20 to 1000 m/s does not pass a wall of 2 to 20 mm", bullet),
    ("stick", "a rod spins at 20 to 120 rad/s onto the floor: no end below 3 cm, no gain", stick),
];

/// Dice of 8 to 20 mm; each is within 0.05 rad of a face, and still, after 5 s.
fn dice(r: &mut Random) -> Member {
    let half = r.range(0.004, 0.01);
    let mut s = Sketch::new(r.range(0.3, 0.7), r.range(0.0, 0.4));
    s.floor();
    for k in 0..6 {
        let body = s.solid(&format!("die{k}"), cube(half), [0.03 * f64::from(k), r.range(0.05, 0.2), 0.0]);
        body["orientation"] = json!(r.orientation());
        body["linear_velocity"] = json!([r.range(-1.0, 1.0), 0.0, r.range(-1.0, 1.0)]);
        body["angular_velocity"] = json!(r.vector(20.0));
    }
    Member::new(s, 5.0, |run| {
        for k in 1..=6 {
            let off = off_face(run.last().poses[k].orientation);
            ensure!(off < 0.05, "die {k} is {off:.2} rad off a face");
            let speed = run.last().velocities[k].linear.length();
            ensure!(speed < 0.01, "die {k} has {speed:.3} m/s");
        }
        Ok(())
    })
}

/// 12 to 25 dominoes along an arc; the first one starts to fall. Fallen: tilted by more than half a radian.
fn domino_curve(r: &mut Random) -> Member {
    let (height, count) = (r.range(0.02, 0.1), r.count(12, 25));
    let (thick, wide) = (0.15 * height, 0.5 * height);
    let (pitch, radius) = (height * r.range(0.8, 1.2), height * r.range(8.0, 20.0));
    let mut s = Sketch::new(r.range(0.2, 0.5), 0.0);
    s.floor();
    for k in 0..count {
        let a = pitch * k as f64 / radius;
        let at = [radius * a.sin(), height, radius * (1.0 - a.cos())];
        let body = s.solid(&format!("domino{k}"), cuboid([thick, height, wide]), at);
        body["orientation"] = turn([0.0, 1.0, 0.0], -a);
        if k == 0 {
            // about its lower edge
            let spin = -r.range(2.0, 4.0) * (0.1 / height).sqrt();
            body["angular_velocity"] = json!([0.0, 0.0, spin]);
            body["linear_velocity"] = json!([-spin * height, 0.0, 0.0]);
        }
    }
    Member::new(s, 6.0, move |run| {
        let stand = (1..=count).filter(|k| tilt(run.last().poses[*k].orientation) < 0.5).count();
        ensure!(stand == 0, "{stand} of {count} stand");
        Ok(())
    })
}

/// Ten pins, cylinders with a narrower head, stand for a second and a half; then the ball comes. Standing: moved by less than 5 mm before.
fn bowling(r: &mut Random) -> Member {
    let mut s = Sketch::new(r.range(0.1, 0.4), r.range(0.0, 0.5));
    s.floor();
    let mut pins = 0;
    for row in 0..4 {
        for k in 0..=row {
            let at = [0.26 * f64::from(row), 0.19, 0.3 * (f64::from(k) - 0.5 * f64::from(row))];
            s.body(&format!("pin{pins}"), cylinder(0.06, 0.19), at, 1.5);
            pins += 1;
        }
    }
    let (speed, side) = (r.range(5.0, 9.0), r.range(-0.05, 0.05));
    let start = -1.5 * speed - 0.5;
    let body = s.body("ball", ball(0.11), [start, 0.11, side], r.range(4.0, 7.0));
    body["linear_velocity"] = json!([speed, 0.0, 0.0]);
    body["angular_velocity"] = json!([0.0, 0.0, -speed / 0.11]);
    Member::new(s, 4.0, |run| {
        for k in 1..=10 {
            let way = (run.at(1.4).poses[k].position - run.first().poses[k].position).length();
            ensure!(way < 5e-3, "a pin moved by {:.1} mm before", way * 1e3);
        }
        let fallen = (1..=10).filter(|k| tilt(run.last().poses[*k].orientation) > 0.5).count();
        ensure!(fallen >= 5, "{fallen} fall");
        let part = run.gain() / run.top_kinetic();
        ensure!(part < 0.01, "gains {:.1} % of the motion's energy", part * 100.0);
        Ok(())
    })
}

/// The ball has 5 to 30 mm radius. Passed: beyond the middle of the wall, in any frame.
fn bullet(r: &mut Random) -> Member {
    let (radius, speed, thick) = (r.range(0.005, 0.03), r.log(20.0, 1000.0), r.range(0.001, 0.01));
    let mut s = Sketch::new(r.range(0.0, 0.5), r.range(0.0, 0.5));
    s.fixed("wall", cuboid([thick, 2.0, 2.0]), [0.0; 3]);
    let aim = Vec3::new(1.0, r.range(-0.4, 0.4), r.range(-0.4, 0.4)).normalize();
    let start = -aim * r.range(1.0, 3.0);
    let body = s.solid("ball", ball(radius), start.to_array());
    body["linear_velocity"] = json!((aim * speed).to_array());
    body["continuous"] = json!(true);
    Member::new(s, 0.4, |run| {
        let far = run.frames.iter().map(|f| f.poses[1].position.x).fold(f64::NEG_INFINITY, f64::max);
        ensure!(far < 0.0, "passes the wall");
        Ok(())
    })
}

/// The ends of the rod, a capsule or a thin box: never more than 3 cm below the floor.
fn stick(r: &mut Random) -> Member {
    let (half, thick, spin) = (r.range(0.2, 0.6), r.range(0.01, 0.03), r.range(20.0, 120.0));
    let round = r.coin();
    let mut s = Sketch::new(r.range(0.1, 0.6), r.range(0.0, 0.4));
    s.floor();
    let shape = if round { capsule(thick, half - thick) } else { cuboid([thick, half, thick]) };
    let body = s.solid("stick", shape, [0.0, half + r.range(0.05, 0.5), 0.0]);
    body["orientation"] = json!(r.orientation());
    body["angular_velocity"] = json!((Vec3::from_array(r.vector(1.0)).normalize() * spin).to_array());
    body["linear_velocity"] = json!([r.range(-1.0, 1.0), r.range(-3.0, 0.0), 0.0]);
    Member::new(s, 3.0, move |run| {
        for f in &run.frames {
            for end in [-half, half] {
                let y = f.poses[1].point(Vec3::Y * end).y;
                ensure!(y > -0.03, "an end is {:.0} mm below the floor at {:.2} s", -y * 1e3, f.time);
            }
        }
        let part = run.gain() / run.top_kinetic();
        ensure!(part < 0.01, "gains {:.1} % of the motion's energy", part * 100.0);
        Ok(())
    })
}
