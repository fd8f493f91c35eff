//! What hangs together by joints.

use super::Entry;
use crate::ensure;
use crate::random::Random;
use crate::run::{Member, Run, Verdict};
use crate::sketch::{Point, Sketch, ball, capsule, cube, cuboid, turn};
use serde_json::json;

pub(super) const KINDS: &[Entry] = &[
    ("stiff_spring", "two balls on springs of 1e3 to 1e8 N/m: energy gain < 5 % of the motion's in 5 s", stiff_spring),
    ("crane", "a hook of 30 to 1000 links' mass: stretch of the chain < 1 %", crane),
    ("wrecking", "a ball on a chain hits a wall of boxes: stretch < 1 %", wrecking),
    ("rope_bridge", "gaps < 5 mm, and the walker does not fall through", rope_bridge),
    ("ragdoll_stairs", "a rag doll falls down stairs: gaps < 1 cm, no body goes through", ragdoll_stairs),
];

/// The balls are let go at rest in a row at 0.2 to 1.5 rad to the vertical, the springs at their rest lengths.
fn stiff_spring(r: &mut Random) -> Member {
    let (stiffness, masses) = (r.log(1e3, 1e8), [r.log(0.1, 3.0), r.log(0.1, 3.0)]);
    let lengths = [r.range(0.3, 1.0), r.range(0.3, 1.0)];
    let mut s = Sketch::new(0.0, 0.0);
    let (mut along, mut last, angle) = (0.0, "world".to_owned(), r.range(0.2, 1.5));
    for k in 0..2 {
        along += lengths[k];
        let name = format!("ball{k}");
        s.body(&name, ball(0.05), [along * angle.sin(), -along * angle.cos(), 0.0], masses[k]);
        s.force(json!({ "kind": "spring", "bodies": [last, name], "stiffness": stiffness, "rest_length": lengths[k] }));
        last = name;
    }
    Member::new(s, 5.0, |run| {
        let part = run.gain() / run.top_kinetic();
        ensure!(part < 0.05, "gains {:.1} % of the motion's energy", part * 100.0);
        Ok(())
    })
}

/// A chain of capsules from a pivot of the world, at an angle to the vertical, with a body at its end. Links do not touch each other.
struct Chain {
    count: usize,
    /// Length of a link (m).
    link: f64,
    /// Mass of a link (kg).
    mass: f64,
    angle: f64,
    pivot: Point,
}

impl Chain {
    fn draw(r: &mut Random, count: [usize; 2], pivot: Point, angle: f64) -> Self {
        let count = r.count(count[0], count[1]);
        Self { count, link: r.range(0.1, 0.3), mass: r.log(0.1, 2.0), angle, pivot }
    }

    fn at(&self, along: f64) -> Point {
        let (sin, cos) = self.angle.sin_cos();
        [self.pivot[0] + along * sin, self.pivot[1] - along * cos, self.pivot[2]]
    }

    /// Hangs `end`, a body that the caller adds at [`Self::at`] of the length and half its size.
    fn hang(&self, s: &mut Sketch, end: &str) {
        let mut last = "world".to_owned();
        for k in 0..self.count {
            let name = format!("link{k}");
            let radius = 0.1 * self.link;
            let shape = capsule(radius, 0.5 * self.link - radius);
            let body = s.body(&name, shape, self.at((k as f64 + 0.5) * self.link), self.mass);
            body["orientation"] = turn([0.0, 0.0, 1.0], self.angle);
            s.joint(&format!("joint{k}"), "ball", [&last, &name], self.at(k as f64 * self.link));
            last = name;
        }
        s.joint("hook's joint", "ball", [&last, end], self.at(self.length()));
    }

    fn length(&self) -> f64 {
        self.count as f64 * self.link
    }

    /// The distance from the pivot to the far end of the last link grows by less than a hundredth of the length.
    fn stretches(&self, run: &Run) -> Verdict {
        let (last, half) = (run.index(&format!("link{}", self.count - 1)), 0.5 * self.link);
        let end = run.index("hook");
        let hold = run.first().poses[end].local_point(self.at(self.length()).into());
        let reach = |f: &crate::run::Frame| {
            let tip = f.poses[last].point([0.0, -half, 0.0].into());
            let pivot = drystone::math::Vec3::from_array(self.pivot);
            (tip - pivot).length().max((f.poses[end].point(hold) - pivot).length())
        };
        let most = run.frames.iter().map(reach).fold(0.0, f64::max) / self.length() - 1.0;
        ensure!(most < 0.01, "stretched by {:.1} %", most * 100.0);
        Ok(())
    }
}

/// The chain starts at an angle and swings.
fn crane(r: &mut Random) -> Member {
    let mut s = Sketch::new(0.3, 0.0);
    let chain = {
        let angle = r.range(0.1, 0.8);
        Chain::draw(r, [5, 15], [0.0; 3], angle)
    };
    chain.hang(&mut s, "hook");
    let half = r.range(0.1, 0.3);
    s.body("hook", ball(half), chain.at(chain.length() + half), chain.mass * r.log(30.0, 1000.0));
    Member::new(s, 8.0, move |run| chain.stretches(run))
}

/// The ball starts at half a right angle or more and meets a wall of boxes where it is lowest.
fn wrecking(r: &mut Random) -> Member {
    let mut s = Sketch::new(0.5, 0.0);
    let half = r.range(0.15, 0.3);
    let chain = {
        let angle = -r.range(0.8, 1.4);
        Chain::draw(r, [5, 10], [0.0; 3], angle)
    };
    let low = chain.length() + 2.0 * half;
    let floor = -low - r.range(0.05, 0.3);
    s.fixed("floor", json!({ "plane": { "normal": [0, 1, 0], "offset": floor } }), [0.0; 3]);
    chain.hang(&mut s, "hook");
    s.body("hook", ball(half), chain.at(chain.length() + half), chain.mass * r.log(10.0, 200.0));
    let size = r.range(0.1, 0.2);
    let (across, up) = (r.count(2, 4), r.count(2, 5));
    for k in 0..across * up {
        let z = size * (2.0 * (k % across) as f64 - (across - 1) as f64);
        let y = floor + size * (2 * (k / across) + 1) as f64;
        s.body(&format!("brick{k}"), cube(size), [half + size + 0.05, y, z], r.log(1.0, 20.0));
    }
    Member::new(s, 6.0, move |run| chain.stretches(run))
}

/// Planks between two ledges along a parabola that sags by 4 to 10 % of the span, neighbours held by two ball joints; a heavy ball rolls onto them and to and fro.
/// Through: its middle is lower than the ropes reach when they are drawn to a point.
fn rope_bridge(r: &mut Random) -> Member {
    let (count, half) = (r.count(6, 14), [r.range(0.1, 0.2), r.range(0.01, 0.03), r.range(0.3, 0.6)]);
    let (mass, pitch) = (r.range(1.0, 8.0), 2.0 * half[0] + 0.04);
    let span = pitch * count as f64;
    let sag = r.range(0.04, 0.1) * span;
    let point = |k: usize| {
        let x = pitch * k as f64;
        [x, -4.0 * sag * (x / span) * (1.0 - x / span)]
    };
    let mut s = Sketch::new(0.6, 0.0);
    for (name, x) in [("near ledge", -2.05), ("far ledge", span + 2.05)] {
        s.fixed(name, cuboid([2.0, 0.5, 1.0]), [x, -0.5, 0.0]);
    }
    let (mut last, mut length) = ("world".to_owned(), 0.0);
    for k in 0..=count {
        let name = if k == count { "world".to_owned() } else { format!("plank{k}") };
        let at = point(k);
        if k < count {
            let to = point(k + 1);
            let (x, y) = (to[0] - at[0], to[1] - at[1]);
            length += x.hypot(y);
            let body = s.body(&name, cuboid(half), [at[0] + 0.5 * x, at[1] + 0.5 * y, 0.0], mass);
            body["orientation"] = turn([0.0, 0.0, 1.0], y.atan2(x));
        }
        for (side, z) in [("a", -half[2]), ("b", half[2])] {
            s.joint(&format!("rope{k}{side}"), "ball", [&last, &name], [at[0], at[1], z]);
        }
        last = name;
    }
    let (radius, weight) = (r.range(0.2, 0.35), mass * r.log(5.0, 50.0));
    let walker = s.body("walker", ball(radius), [-radius, radius, 0.0], weight);
    let speed = r.range(0.5, 2.0);
    walker["linear_velocity"] = json!([speed, 0.0, 0.0]);
    walker["angular_velocity"] = json!([0.0, 0.0, -speed / radius]);
    let lowest = -0.5 * (length * length - span * span).sqrt();
    Member::new(s, 6.0, move |run| {
        let gap = run.gap();
        ensure!(gap < 5e-3, "a joint opens by {:.1} mm", gap * 1e3);
        let walker = run.index("walker");
        let low = run.frames.iter().map(|f| f.poses[walker].position.y).fold(f64::INFINITY, f64::min);
        ensure!(low > lowest, "the walker falls to {low:.2} m");
        Ok(())
    })
}

/// Parts of a rag doll: name, half extents or radius and half height, place relative to the hips.
const PARTS: [(&str, [f64; 3], Point); 11] = [
    ("hips", [0.15, 0.1, 0.1], [0.0, 0.0, 0.0]),
    ("chest", [0.18, 0.2, 0.11], [0.0, 0.31, 0.0]),
    ("head", [0.11, 0.0, 0.0], [0.0, 0.66, 0.0]),
    ("upper arm l", [0.05, 0.1, 0.0], [0.26, 0.32, 0.0]),
    ("upper arm r", [0.05, 0.1, 0.0], [-0.26, 0.32, 0.0]),
    ("lower arm l", [0.045, 0.1, 0.0], [0.26, 0.02, 0.0]),
    ("lower arm r", [0.045, 0.1, 0.0], [-0.26, 0.02, 0.0]),
    ("thigh l", [0.07, 0.13, 0.0], [0.09, -0.31, 0.0]),
    ("thigh r", [0.07, 0.13, 0.0], [-0.09, -0.31, 0.0]),
    ("shin l", [0.06, 0.14, 0.0], [0.09, -0.71, 0.0]),
    ("shin r", [0.06, 0.14, 0.0], [-0.09, -0.71, 0.0]),
];

/// Joints of a rag doll: parts, place relative to the hips, and the largest angle of a ball joint, or the limits of a hinge about x.
const LINKS: [(&str, &str, Point, [f64; 2]); 10] = [
    ("hips", "chest", [0.0, 0.105, 0.0], [0.6, 0.6]),
    ("chest", "head", [0.0, 0.53, 0.0], [0.7, 0.7]),
    ("chest", "upper arm l", [0.26, 0.45, 0.0], [1.5, 1.5]),
    ("chest", "upper arm r", [-0.26, 0.45, 0.0], [1.5, 1.5]),
    ("upper arm l", "lower arm l", [0.26, 0.17, 0.0], [-2.2, 0.1]),
    ("upper arm r", "lower arm r", [-0.26, 0.17, 0.0], [-2.2, 0.1]),
    ("hips", "thigh l", [0.09, -0.11, 0.0], [1.2, 1.2]),
    ("hips", "thigh r", [-0.09, -0.11, 0.0], [1.2, 1.2]),
    ("thigh l", "shin l", [0.09, -0.51, 0.0], [-0.1, 2.2]),
    ("thigh r", "shin r", [-0.09, -0.51, 0.0], [-0.1, 2.2]),
];

/// Adds the doll with its hips at a place, moving at a velocity; it weighs some 75 kg.
fn doll(s: &mut Sketch, at: Point, velocity: Point) {
    let place = |p: Point| [0, 1, 2].map(|i| at[i] + p[i]);
    for (name, size, p) in PARTS {
        let shape = match size {
            [radius, 0.0, _] => ball(radius),
            [radius, half, 0.0] => capsule(radius, half),
            half => cuboid(half),
        };
        s.solid(name, shape, place(p))["linear_velocity"] = json!(velocity);
    }
    for (one, other, p, [low, high]) in LINKS {
        let kind = if low < 0.0 { "hinge" } else { "ball" };
        let joint = s.joint(&format!("{one} to {other}"), kind, [one, other], place(p));
        if low < 0.0 {
            joint["axis"] = json!([1.0, 0.0, 0.0]);
            joint["limits"] = json!({ "lower": low, "upper": high });
        } else {
            joint["axis"] = json!([0.0, 1.0, 0.0]);
            joint["cone"] = json!(high);
        }
    }
    // parts that are neighbours but one
    for (one, other) in [
        ("thigh l", "thigh r"),
        ("chest", "thigh l"),
        ("chest", "thigh r"),
        ("hips", "lower arm l"),
        ("hips", "lower arm r"),
    ] {
        s.ignore(one, other);
    }
}

/// Stairs of fixed boxes down along z; a middle of a body in a step is through.
fn ragdoll_stairs(r: &mut Random) -> Member {
    let (steps, depth, height) = (r.count(6, 12), r.range(0.25, 0.35), r.range(0.14, 0.2));
    let mut s = Sketch::new(r.range(0.3, 0.7), 0.0);
    s.floor();
    let top = steps as f64 * height;
    s.fixed("landing", cuboid([2.0, 0.5 * top, 1.0]), [0.0, 0.5 * top, -1.0]);
    for k in 0..steps - 1 {
        let half = 0.5 * (top - (k + 1) as f64 * height);
        s.fixed(&format!("step{k}"), cuboid([2.0, half, 0.5 * depth]), [0.0, half, (k as f64 + 0.5) * depth]);
    }
    let start = [r.range(-0.3, 0.3), top + r.range(1.0, 1.4), r.range(-0.4, 0.2)];
    doll(&mut s, start, [r.range(-0.3, 0.3), 0.0, r.range(1.0, 3.0)]);
    let surface = move |z: f64| match z {
        z if z < 0.0 => top,
        z => (top - ((z / depth).floor() + 1.0) * height).max(0.0),
    };
    Member::new(s, 5.0, move |run| {
        let gap = run.gap();
        ensure!(gap < 0.01, "a joint opens by {:.0} mm", gap * 1e3);
        for f in &run.frames {
            for (name, _, _) in PARTS {
                let p = f.poses[run.index(name)].position;
                ensure!(p.x.abs() > 2.0 || p.y > surface(p.z), "{name} is through at {:.2} s", f.time);
            }
        }
        Ok(())
    })
}
