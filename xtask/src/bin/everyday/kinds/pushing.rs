//! What a scripted hand pushes.

use super::Entry;
use crate::ensure;
use crate::random::Random;
use crate::run::{Member, Run, Verdict, tilt};
use crate::sketch::{Sketch, cube, cuboid, eased};

pub(super) const KINDS: &[Entry] = &[
    (
        "push_stack",
        "a pushed stack of equal boxes: upper boxes slip < 4 mm, tilt < 1 degree, hand in touch",
        push_stack,
    ),
    ("push_heavy", "the same with boxes that are heavier upwards: slip < 6 mm", push_heavy),
];

/// Three to six boxes of one size; the hand comes up to its speed within 0.5 to 1.5 s, which asks for at most a third of the friction there is.
fn push_stack(r: &mut Random) -> Member {
    let count = r.count(3, 6);
    let mass = r.log(0.5, 20.0);
    pushed(r, vec![mass; count], 4e-3)
}

/// Three to five boxes, each 1.5 to 2.5 times as heavy as the one below.
fn push_heavy(r: &mut Random) -> Member {
    let (count, lowest, ratio) = (r.count(3, 5), r.log(0.5, 2.0), r.range(1.5, 2.5));
    pushed(r, (0..count).map(|k| lowest * ratio.powi(k as i32)).collect(), 6e-3)
}

fn pushed(r: &mut Random, masses: Vec<f64>, most: f64) -> Member {
    let half = r.range(0.1, 0.4);
    let (friction, speed, ramp) = (r.range(0.3, 0.7), r.range(0.05, 0.4), r.range(0.5, 1.5));
    let (duration, count) = (6.0, masses.len());
    let mut s = Sketch::new(friction, 0.0);
    s.floor();
    for (k, mass) in masses.into_iter().enumerate() {
        s.body(&format!("box{k}"), cube(half), [0.0, half * (2 * k + 1) as f64, 0.0], mass);
    }
    let (thick, start) = (0.05, 1e-3);
    let from = [-half - thick - start, half * r.range(0.4, 0.8), 0.0];
    s.scripted("hand", cuboid([thick, 0.35 * half, 0.8 * half]), from);
    s.drive("hand", from, [1.0, 0.0, 0.0], [duration, 0.1], eased(speed, ramp));
    Member::new(s, duration, move |run| rides_along(run, count, half + thick, most))
}

/// Slips and tilts at the end, against the lowest box; in touch: the hand's face is within 2 mm of the lowest box.
fn rides_along(run: &Run, count: usize, reach: f64, most: f64) -> Verdict {
    let (first, last) = (run.first(), run.last());
    for k in 0..count {
        let (a, b) = (last.poses[k + 1], last.poses[1]);
        let mut way = (a.position - b.position) - (first.poses[k + 1].position - first.poses[1].position);
        way.y = 0.0;
        ensure!(way.length() < most, "box {k} slipped by {:.1} mm", way.length() * 1e3);
        let off = tilt(a.orientation).to_degrees();
        ensure!(off < 1.0, "box {k} tilts by {off:.2} degrees");
    }
    let gap = last.poses[1].position.x - last.poses[count + 1].position.x - reach;
    ensure!(gap.abs() < 2e-3, "the hand is {:.1} mm off", gap * 1e3);
    Ok(())
}
