//! What stands, lies and sleeps.

use super::Entry;
use crate::ensure;
use crate::random::Random;
use crate::run::{Member, Run, tilt};
use crate::sketch::{Sketch, ball, capsule, cube, cuboid, cylinder};
use serde_json::json;

pub(super) const KINDS: &[Entry] = &[
    ("heavy_on_light", "10 t to 1000 t on 1 to 3 crates of 1 kg: all stand, < 1 % of a crate lower", heavy_on_light),
    ("huge_100m", "4 cubes of 40 to 200 m stand on each other: < 1/1000 of their size", huge),
    ("long_rest600", "a stack without sleep for 10 min: it moves < 0.5 mm", long_rest),
    ("flicker", "25 mixed bodies in a box: at most 12 wakes in 20 s, all asleep, depth < 5 mm", flicker),
];

/// The crates stand on each other. Tilts at the end are below a degree.
fn heavy_on_light(r: &mut Random) -> Member {
    let (half, count, mass) = (r.range(0.2, 0.6), r.count(1, 3), r.log(1e4, 1e6));
    let mut s = Sketch::new(r.range(0.4, 0.8), 0.0);
    s.floor();
    for k in 0..count {
        s.body(&format!("crate{k}"), cube(half), [0.0, half * (2 * k + 1) as f64, 0.0], 1.0);
    }
    let size = half * r.range(0.8, 1.5);
    s.body("load", cuboid([size, 0.5 * size, size]), [0.0, 2.0 * half * count as f64 + 0.5 * size, 0.0], mass);
    Member::new(s, 5.0, move |run| {
        for body in 1..=count + 1 {
            let way = run.moved(body, 0.0);
            ensure!(way < 0.02 * half, "body {body} moved by {:.1} mm", way * 1e3);
            let off = tilt(run.last().poses[body].orientation).to_degrees();
            ensure!(off < 1.0, "body {body} tilts by {off:.2} degrees");
        }
        Ok(())
    })
}

/// The floor is a plane or a box.
fn huge(r: &mut Random) -> Member {
    let mut s = Sketch::new(r.range(0.4, 0.8), 0.0);
    if r.coin() {
        s.floor();
    } else {
        s.fixed("floor", cuboid([500.0, 50.0, 500.0]), [0.0, -50.0, 0.0]);
    }
    let half = r.range(20.0, 100.0);
    for k in 0..4 {
        s.solid(&format!("cube{k}"), cube(half), [0.0, half * f64::from(2 * k + 1), 0.0]);
    }
    Member::new(s, 10.0, move |run| {
        for k in 1..=4 {
            let way = run.moved(k, 0.0);
            ensure!(way < 2e-3 * half, "cube {k} moved by {way:.3} m");
        }
        Ok(())
    })
}

/// Three to six boxes, each a little off the middle of the one below. Its place is compared with that of the first second's end: it settles before.
fn long_rest(r: &mut Random) -> Member {
    let count = r.count(3, 6);
    let mut s = Sketch::new(r.range(0.3, 0.8), 0.0);
    s.floor();
    let mut height = 0.0;
    for k in 0..count {
        let half = [(); 3].map(|()| r.range(0.15, 0.3));
        let [x, _, z] = r.vector(0.03);
        let body = s.solid(&format!("box{k}"), cuboid(half), [x, height + half[1], z]);
        body["can_sleep"] = json!(false);
        height += 2.0 * half[1];
    }
    let member = Member::new(s, 600.0, move |run| {
        for body in 1..=count {
            let start = run.at(1.0).poses[body].position;
            let way = run.from(1.0).map(|f| (f.poses[body].position - start).length()).fold(0.0, f64::max);
            ensure!(way < 5e-4, "box {body} moved by {:.2} mm", way * 1e3);
        }
        Ok(())
    });
    Member { every: 1.0, ..member }
}

/// A box without a lid, open upwards: a floor of half extent `half` and walls.
fn tray(s: &mut Sketch, half: f64, height: f64) {
    s.fixed("bottom", cuboid([half + 0.1, 0.1, half + 0.1]), [0.0, -0.1, 0.0]);
    for (k, [x, z]) in [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]].into_iter().enumerate() {
        let size = if x == 0.0 { [half + 0.2, height, 0.1] } else { [0.1, height, half + 0.2] };
        s.fixed(&format!("wall{k}"), cuboid(size), [x * (half + 0.1), height, z * (half + 0.1)]);
    }
}

/// Bodies fall from rest into the box, in three layers; wakes are counted from 10 s on, when they have had time to lie still, to 30 s.
fn flicker(r: &mut Random) -> Member {
    let mut s = Sketch::new(r.range(0.3, 0.7), r.range(0.0, 0.3));
    let half = r.range(0.35, 0.5);
    tray(&mut s, half, 1.0);
    for k in 0..25 {
        let size = r.range(0.06, 0.14);
        let shape = match r.count(0, 3) {
            0 => ball(size),
            1 => cuboid([size, size * r.range(0.5, 1.0), size * r.range(0.5, 1.0)]),
            2 => capsule(0.6 * size, 0.6 * size),
            _ => cylinder(size, 0.7 * size),
        };
        let [x, z] = [k % 3, k / 3 % 3].map(|c| (f64::from(c) - 1.0) * (half - 0.05) * 0.66);
        let body = s.solid(&format!("body{k}"), shape, [x, 0.2 + 0.3 * f64::from(k / 9), z]);
        body["orientation"] = json!(r.orientation());
    }
    Member::new(s, 30.0, |run| judge_flicker(run, 10.0)).with_depth()
}

fn judge_flicker(run: &Run, calm: f64) -> crate::run::Verdict {
    let bodies = run.all("body");
    let woken = |two: &[crate::run::Frame]| bodies.iter().filter(|b| two[0].asleep[**b] && !two[1].asleep[**b]).count();
    let wakes: usize = run.frames.windows(2).filter(|w| w[1].time > calm).map(woken).sum();
    ensure!(wakes <= 12, "{wakes} wakes");
    let awake = bodies.iter().filter(|b| !run.last().asleep[**b]).count();
    ensure!(awake == 0, "{awake} bodies are awake at the end");
    let depth = run.depth(calm);
    ensure!(depth < 5e-3, "{:.1} mm deep", depth * 1e3);
    Ok(())
}
