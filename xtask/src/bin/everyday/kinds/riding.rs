//! What rides on moving ground.

use super::Entry;
use crate::ensure;
use crate::random::Random;
use crate::run::Member;
use crate::sketch::{G, Sketch, cube, cuboid, cylinder, eased};
use drystone::math::{Pose, Quat, Vec3};
use serde_json::json;

pub(super) const KINDS: &[Entry] = &[
    ("truck_rides", "a box on a truck below 0.85 of the slip and tip limit: it moves < 1 cm on the truck", truck_rides),
    ("truck_slides", "a truck starts faster than friction carries: the box moves mu g t^2 / 2 to 3 %", truck_slides),
    ("elevator", "boxes on a shaken lift, at most 0.7 g: lift-off < 3 mm, no drift", elevator),
    ("set_pose_lift", "a platform that is moved by setting its pose carries a box", set_pose_lift),
    ("carousel", "a box on a turntable within the friction limit: < 1 cm outwards in 20 s", carousel),
];

/// A truck's bed, 20 m long, moves along x; the box stands at its middle.
fn bed(s: &mut Sketch, [w, h]: [f64; 2], mass: f64) -> [f64; 3] {
    let from = [0.0, -0.1, 0.0];
    s.scripted("truck", cuboid([10.0, 0.1, 2.0]), from);
    s.body("box", cuboid([w, h, w]), [0.0, h, 0.0], mass);
    from
}

/// The truck starts smoothly, with half a sine of acceleration whose peak is 0.3 to 0.85 of the limit, and drives on at the speed it has then.
fn truck_rides(r: &mut Random) -> Member {
    let (mu, w, mass) = (r.range(0.2, 0.9), r.range(0.1, 0.5), r.log(1.0, 500.0));
    let h = w * r.range(0.5, 2.5);
    let peak = r.range(0.3, 0.85) * G * mu.min(w / h);
    let (start, duration) = (r.range(1.0, 3.0), 6.0);
    let speed = peak * start * 2.0 / std::f64::consts::PI;
    let mut s = Sketch::new(mu, 0.0);
    let from = bed(&mut s, [w, h], mass);
    s.drive("truck", from, [1.0, 0.0, 0.0], [duration, 0.05], eased(speed, start));
    Member::new(s, duration, |run| {
        let off = |f: &crate::run::Frame| (f.poses[1].position - f.poses[0].position).with_y(0.0).length();
        let way = run.frames.iter().map(off).fold(0.0, f64::max);
        ensure!(way < 0.01, "moved by {:.1} mm on the truck", way * 1e3);
        Ok(())
    })
}

/// The box is low enough not to tip.
fn truck_slides(r: &mut Random) -> Member {
    let (mu, w, mass) = (r.range(0.1, 0.6), r.range(0.1, 0.5), r.log(1.0, 500.0));
    let h = w * r.range(0.3, 0.8) * (1.0_f64).min(0.8 / mu);
    let a = r.range(1.3, 2.5) * mu * G;
    // the box slides over half of the bed at most
    let duration = (2.0 * 9.0 / (a - mu * G)).sqrt().min(2.0);
    let mut s = Sketch::new(mu, 0.0);
    let from = bed(&mut s, [w, h], mass);
    s.drive("truck", from, [1.0, 0.0, 0.0], [duration, 0.05], move |t| 0.5 * a * t * t);
    Member::new(s, duration, move |run| {
        let (found, t) = (run.last().poses[1].position.x, run.last().time);
        let right = 0.5 * mu * G * t * t;
        ensure!((found - right).abs() < 0.03 * right, "moved by {found:.3} m, right: {right:.3} m");
        Ok(())
    })
}

/// The box stands on a scripted turntable at 0.3 to 0.95 of the friction limit and starts at its speed.
fn carousel(r: &mut Random) -> Member {
    let (mu, arm, half) = (r.range(0.2, 0.9), r.range(0.5, 3.0), r.range(0.05, 0.2));
    let speed = (r.range(0.3, 0.95) * mu * G / arm).sqrt();
    let mut s = Sketch::new(mu, 0.0);
    let table = s.scripted("table", cylinder(arm + 1.0, 0.1), [0.0, -0.1, 0.0]);
    table["angular_velocity"] = json!([0.0, speed, 0.0]);
    let body = s.solid("box", cube(half), [arm, half, 0.0]);
    body["linear_velocity"] = json!([0.0, 0.0, -speed * arm]);
    body["angular_velocity"] = json!([0.0, speed, 0.0]);
    Member::new(s, 20.0, move |run| {
        let out = run.frames.iter().map(|f| f.poses[1].position.with_y(0.0).length() - arm).fold(0.0, f64::max);
        ensure!(out < 0.01, "{:.1} mm outwards", out * 1e3);
        Ok(())
    })
}

/// A platform swings up and down; one to four boxes stand on it. Drift: less than 3 mm sideways.
fn elevator(r: &mut Random) -> Member {
    let (half, count) = (r.range(0.1, 0.3), r.count(1, 4));
    let frequency = r.range(0.2, 1.5);
    let travel = r.range(0.2, 0.7) * G / (std::f64::consts::TAU * frequency).powi(2);
    let mut s = Sketch::new(r.range(0.3, 0.8), 0.0);
    // from the highest point, where the platform is at rest
    let (from, turns) = ([0.0, travel - 0.1, 0.0], std::f64::consts::TAU * frequency);
    s.scripted("lift", cuboid([2.0, 0.1, 2.0]), from);
    s.drive("lift", from, [0.0, 1.0, 0.0], [10.0, 0.02 / frequency], move |t| travel * ((turns * t).cos() - 1.0));
    for k in 0..count {
        s.body(&format!("box{k}"), cube(half), [0.0, travel + half * (2 * k + 1) as f64, 0.0], r.log(1.0, 100.0));
    }
    Member::new(s, 10.0, move |run| {
        for k in 1..=count {
            let rest = half * (2 * k - 1) as f64 + 0.1;
            let off = |f: &crate::run::Frame| f.poses[k].position.y - f.poses[0].position.y - rest;
            let most = run.frames.iter().map(off).fold(0.0, f64::max);
            ensure!(most < 3e-3, "box {k} lifts off by {:.1} mm", most * 1e3);
            let drift = run.last().poses[k].position.with_y(0.0).length();
            ensure!(drift < 3e-3, "box {k} drifts by {:.1} mm", drift * 1e3);
        }
        Ok(())
    })
}

/// The platform rises by 0.2 to 1 m/s; carried: the box ends on it, to 1 cm, and has not moved sideways by more.
fn set_pose_lift(r: &mut Random) -> Member {
    let (half, speed, duration) = (r.range(0.1, 0.4), r.range(0.2, 1.0), 3.0);
    let mut s = Sketch::new(r.range(0.3, 0.8), 0.0);
    s.scripted("lift", cuboid([1.0, 0.1, 1.0]), [0.0, -0.1, 0.0]);
    s.body("box", cube(half), [0.0, half, 0.0], r.log(1.0, 100.0));
    let member = Member::new(s, duration, move |run| {
        let off = run.last().poses[1].position - run.last().poses[0].position - Vec3::new(0.0, half + 0.1, 0.0);
        ensure!(off.y.abs() < 0.01, "the box is {:.1} mm above the platform", off.y * 1e3);
        ensure!(run.last().poses[0].position.y + 0.1 > 0.99 * speed * duration, "the platform does not rise");
        ensure!(run.last().poses[1].position.with_y(0.0).length() < 0.01, "the box slid off");
        Ok(())
    });
    member.with_hook(move |engine, t, dt| {
        let at = Vec3::new(0.0, speed * (t + dt) - 0.1, 0.0);
        engine.set_pose(0, Pose::new(at, Quat::IDENTITY));
    })
}
