//! What is changed while a world runs.

use super::Entry;
use crate::ensure;
use crate::random::Random;
use crate::run::{Member, Run, Verdict};
use crate::sketch::{G, Sketch, ball, cube, cuboid, turn};
use drystone::math::{Pose, Quat, Vec3};
use serde_json::json;

pub(super) const KINDS: &[Entry] = &[
    ("teleport", "a body is set into another one: < 5 m/s, then depth < 5 mm and rest", teleport),
    ("respawn", "a body is set into the floor: < 5 m/s, then rest at its height", respawn),
    ("remove_under", "the lowest box of a sleeping stack is removed: the rest falls by one", remove_under),
    ("remove_support", "the support of sleepers is removed or moved away: they wake and fall", remove_support),
    ("gravity_change", "gravity turns round: the way is g t^2 / 2 to one step's way", gravity_change),
    (
        "mu_change",
        "a sleeper on a slope loses its friction, slides as it must to 5 %, and stops when it is back",
        mu_change,
    ),
    ("joint_cut", "a joint of a hanging chain is cut: the upper part hangs, the lower one falls", joint_cut),
];

/// A box or ball.
fn lump(r: &mut Random, half: f64) -> serde_json::Value {
    if r.coin() { ball(half) } else { cube(half) }
}

/// Two bodies lie on the floor; after 2 s the second is set into the first, a third to two thirds of its size deep. Judged after 4 s more.
fn teleport(r: &mut Random) -> Member {
    let half = r.range(0.1, 0.4);
    let mut s = Sketch::new(r.range(0.3, 0.7), 0.0);
    s.floor();
    let shape = lump(r, half);
    s.body("first", shape, [0.0, half, 0.0], r.log(1.0, 100.0));
    let shape = lump(r, half);
    s.body("second", shape, [3.0, half, 0.0], r.log(1.0, 100.0));
    let deep = r.range(0.3, 0.7) * 2.0 * half;
    let a = r.angle();
    let to = Vec3::new((2.0 * half - deep) * a.cos(), half, (2.0 * half - deep) * a.sin());
    let member = Member::new(s, 6.0, |run| settles(run, 5.0, 5e-3)).with_depth();
    member.at(2.0, move |engine| engine.set_pose(2, Pose::new(to, Quat::IDENTITY)))
}

fn settles(run: &Run, most: f64, depth: f64) -> Verdict {
    let bodies: Vec<usize> = (1..run.names.len()).collect();
    let speed = run.fastest(&bodies, 0.0);
    ensure!(speed < most, "a body has {speed:.1} m/s");
    ensure!(run.last().depth < depth, "{:.1} mm deep", run.last().depth * 1e3);
    let speed = run.fastest(&bodies, run.last().time);
    // balls may roll
    ensure!(speed < most.min(1.0), "a body still has {speed:.2} m/s");
    Ok(())
}

/// The body is set as deep as half its height into the floor.
fn respawn(r: &mut Random) -> Member {
    let half = r.range(0.1, 0.5);
    let mut s = Sketch::new(r.range(0.3, 0.7), 0.0);
    s.floor();
    let shape = lump(r, half);
    s.body("body", shape, [0.0, half, 0.0], r.log(1.0, 100.0));
    let to = Vec3::new(2.0, half - r.range(0.1, 1.0) * half, 0.0);
    let member = Member::new(s, 5.0, move |run| {
        let speed = run.fastest(&[1], 0.0);
        ensure!(speed < 5.0, "{speed:.1} m/s");
        let off = run.last().poses[1].position.y - half;
        ensure!(off.abs() < 5e-3, "rests {:.1} mm off its height", off * 1e3);
        let speed = run.fastest(&[1], run.last().time);
        ensure!(speed < 0.01, "still has {speed:.2} m/s");
        Ok(())
    });
    member.at(1.0, move |engine| engine.set_pose(1, Pose::new(to, Quat::IDENTITY)))
}

/// A stack of three to six sleeps; all heights above the removed box are lower by its height at the end, to 5 mm.
fn remove_under(r: &mut Random) -> Member {
    let (half, count) = (r.range(0.1, 0.4), r.count(3, 6));
    let mut s = Sketch::new(r.range(0.4, 0.8), 0.0);
    s.floor();
    for k in 0..count {
        s.body(&format!("box{k}"), cube(half), [0.0, half * (2 * k + 1) as f64, 0.0], r.log(1.0, 10.0));
    }
    let member = Member::new(s, 8.0, move |run| {
        for k in 2..=count {
            let fell = run.first().poses[k].position.y - run.last().poses[k].position.y;
            ensure!((fell - 2.0 * half).abs() < 5e-3, "box {k} fell by {fell:.3} m, right: {:.3} m", 2.0 * half);
        }
        Ok(())
    });
    member.at(4.0, |engine| engine.remove(1))
}

/// One to three boxes sleep on a fixed shelf, which is removed or set aside after 4 s: half a second later they have fallen freely.
fn remove_support(r: &mut Random) -> Member {
    let (half, count, gone) = (r.range(0.1, 0.3), r.count(1, 3), r.coin());
    let mut s = Sketch::new(r.range(0.3, 0.8), 0.0);
    s.floor();
    s.fixed("shelf", cuboid([0.5, 0.05, 0.5]), [0.0, 3.0, 0.0]);
    for k in 0..count {
        s.body(&format!("box{k}"), cube(half), [0.0, 3.05 + half * (2 * k + 1) as f64, 0.0], r.log(1.0, 10.0));
    }
    let member = Member::new(s, 4.5, move |run| {
        for k in 2..2 + count {
            let fell = run.first().poses[k].position.y - run.last().poses[k].position.y;
            // half a second, less the time that a step may take to see it
            ensure!(fell > 0.5 * G * 0.4 * 0.4, "box {k} fell by {fell:.3} m");
        }
        Ok(())
    });
    member.at(4.0, move |engine| {
        if gone {
            engine.remove(1);
        } else {
            engine.set_pose(1, Pose::new(Vec3::new(20.0, 3.0, 0.0), Quat::IDENTITY));
        }
    })
}

/// After 3 s, when a box may sleep, gravity pulls it upwards or along a floor without friction. One step's way: that at the final speed, in the longest step.
fn gravity_change(r: &mut Random) -> Member {
    let (half, strength, up) = (r.range(0.1, 0.5), r.range(2.0, 20.0), r.coin());
    let mut s = Sketch::new(0.0, 0.0);
    s.floor();
    s.body("box", cube(half), [0.0, half, 0.0], r.log(1.0, 100.0));
    let to = if up { Vec3::Y * strength } else { Vec3::new(strength, -G, 0.0) };
    let member = Member::new(s, 4.0, move |run| {
        let way = run.last().poses[1].position - run.first().poses[1].position;
        let found = if up { way.y } else { way.x };
        let begun = run.frames.iter().rfind(|f| f.velocities[1].linear.length() < 1e-3);
        let (t, t0) = (run.last().time, begun.map_or(0.0, |f| f.time));
        ensure!(t0 < 3.1, "starts at {t0:.2} s");
        let step = run.frames.windows(2).map(|f| f[1].time - f[0].time).fold(0.0, f64::max);
        let right = 0.5 * strength * (t - t0).powi(2);
        ensure!((found - right).abs() < strength * (t - t0) * step, "moved by {found:.3} m, right: {right:.3} m");
        Ok(())
    });
    member.at(3.0, move |engine| engine.set_gravity(to))
}

/// The slope is a turned gravity. Friction is 1.2 times the slope or more, then 0.3 to 0.8 of it for a second.
fn mu_change(r: &mut Random) -> Member {
    let (slope, half) = (r.range(10.0, 35.0_f64).to_radians(), r.range(0.1, 0.4));
    let (holds, slips) = (slope.tan() * r.range(1.2, 2.0), slope.tan() * r.range(0.3, 0.8));
    let mut s = Sketch::new(holds, 0.0);
    s.gravity([G * slope.sin(), -G * slope.cos(), 0.0]);
    s.floor();
    s.body("box", cuboid([half, 0.4 * half, half]), [0.0, 0.4 * half, 0.0], r.log(1.0, 100.0));
    let member = Member::new(s, 10.0, move |run| {
        ensure!(run.at(3.0).poses[1].position.x < 1e-3, "slides before");
        let (from, to) = (run.at(3.0), run.at(4.0));
        let (way, t) = (to.poses[1].position.x - from.poses[1].position.x, to.time - from.time);
        let right = 0.5 * G * (slope.sin() - slips * slope.cos()) * t * t;
        ensure!((way - right).abs() < 0.05 * right, "slides by {way:.3} m, right: {right:.3} m");
        let speed = run.fastest(&[1], run.last().time);
        ensure!(speed < 1e-3, "does not stop: {speed:.3} m/s");
        Ok(())
    });
    let member = member.at(3.0, move |engine| engine.set_friction(slips));
    // twice the friction, so that it stops in time
    member.at(4.0, move |engine| engine.set_friction(2.0 * holds))
}

/// A chain of three to eight boxes hangs from the world; a joint in its middle is cut after 2 s.
fn joint_cut(r: &mut Random) -> Member {
    let (half, count) = (r.range(0.05, 0.15), r.count(3, 8));
    let cut = r.count(1, count - 1);
    let angle = r.range(0.0, 0.5);
    let mut s = Sketch::new(0.3, 0.0);
    let at = |along: f64| [along * angle.sin(), -along * angle.cos(), 0.0];
    let mut last = "world".to_owned();
    for k in 0..count {
        let name = format!("link{k}");
        let body =
            s.body(&name, cuboid([0.4 * half, half, 0.4 * half]), at(half * (2 * k + 1) as f64), r.log(0.5, 5.0));
        body["orientation"] = turn([0.0, 0.0, 1.0], angle);
        s.joint(&format!("joint{k}"), "ball", [&last, &name], at(2.0 * half * k as f64));
        last = name;
    }
    s.force(json!({ "kind": "damping", "linear": 0.5, "angular": 0.5 }));
    let member = Member::new(s, 3.0, move |run| {
        for k in 0..count {
            let (y, lowest) = (run.last().poses[k].position.y, -2.0 * half * cut as f64);
            let fell = run.at(2.0).poses[k].position.y - y;
            if k < cut {
                ensure!(y > lowest - 0.01, "link {k} falls");
            } else {
                ensure!(fell > 2.0, "link {k} fell by {fell:.2} m only");
            }
        }
        Ok(())
    });
    member.at(2.0, move |engine| engine.cut(&format!("joint{cut}")))
}
