//! What is kept inside.

use super::Entry;
use crate::ensure;
use crate::random::Random;
use crate::run::{Member, Run, Verdict};
use crate::sketch::{G, Sketch, ball, capsule, cube, cuboid, cylinder, turn};
use drystone::math::{Quat, Vec3};
use serde_json::{Value, json};
use std::f64::consts::{FRAC_PI_2, TAU};

pub(super) const KINDS: &[Entry] = &[
    ("bowl", "a ball in a bowl of triangles: it rises < 2 % above its start, and stays inside", bowl),
    ("drum", "10 bodies in a turning drum stay inside, depth < 1 cm", drum),
    ("shaken_box", "12 bodies stay inside a shaken closed box", shaken_box),
    ("packing", "18 boxes packed in a crate: each layer is level to 3 mm", packing),
    ("tube_balls", "balls on each other in a tube: depth < 2 mm", tube_balls),
    ("vgroove", "bodies in a groove: depth < 2 mm, at rest", vgroove),
];

/// A box, ball, capsule or cylinder within a ball of a radius.
fn lump(r: &mut Random, size: f64) -> Value {
    match r.count(0, 3) {
        0 => ball(size),
        1 => cuboid([0.5 * size, 0.5 * size, 0.5 * size]),
        2 => capsule(0.4 * size, 0.5 * size),
        _ => cylinder(0.6 * size, 0.5 * size),
    }
}

/// A ball starts at rest on the inside of a spherical bowl of triangles. A rise of 2 % of the height above the bowl's lowest point.
fn bowl(r: &mut Random) -> Member {
    let (radius, rings, around) = (r.range(0.8, 1.5), 8, r.count(16, 32));
    let mut vertices = vec![[0.0, 0.0, 0.0]];
    for ring in 1..=rings {
        let a = 0.5 * std::f64::consts::PI * ring as f64 / rings as f64;
        for k in 0..around {
            let b = TAU * k as f64 / around as f64;
            vertices.push([radius * a.sin() * b.cos(), radius * (1.0 - a.cos()), radius * a.sin() * b.sin()]);
        }
    }
    let at = |ring: usize, k: usize| if ring == 0 { 0 } else { 1 + (ring - 1) * around + k % around };
    let mut triangles = Vec::new();
    for ring in 0..rings {
        for k in 0..around {
            // seen from above, inside of the bowl
            if ring > 0 {
                triangles.push([at(ring, k), at(ring, k + 1), at(ring + 1, k)]);
            }
            triangles.push([at(ring, k + 1), at(ring + 1, k + 1), at(ring + 1, k)]);
        }
    }
    let mut s = Sketch::new(r.range(0.0, 0.5), 0.0);
    s.fixed("bowl", json!({ "mesh": { "vertices": vertices, "triangles": triangles } }), [0.0; 3]);
    let size = radius * r.range(0.05, 0.12);
    let (a, b): (f64, f64) = (r.range(0.4, 1.1), r.angle());
    // clear of the flat triangles
    let out = (radius - size) * 0.985;
    let place = [out * a.sin() * b.cos(), radius - out * a.cos(), out * a.sin() * b.sin()];
    s.body("ball", ball(size), place, r.log(0.1, 5.0));
    Member::new(s, 6.0, move |run| {
        let start = run.first().poses[1].position.y;
        for f in &run.frames {
            let p = f.poses[1].position;
            ensure!(p.y < start + 0.02 * (start - size), "rises by {:.0} mm", (p.y - start) * 1e3);
            ensure!(p.y > 0.0, "outside at {:.2} s", f.time);
        }
        Ok(())
    })
}

/// A drum of twelve plates and two ends, on a scripted axis along z.
fn drum(r: &mut Random) -> Member {
    let (radius, half, speed) = (r.range(0.5, 1.0), r.range(0.3, 0.5), r.range(0.5, 2.0));
    let sides = 12;
    let mut parts = Vec::new();
    for k in 0..sides {
        let a = TAU * f64::from(k) / f64::from(sides);
        let width = radius * (0.5 * TAU / f64::from(sides)).tan() + 0.05;
        let at = [(radius + 0.05) * a.cos(), (radius + 0.05) * a.sin(), 0.0];
        parts.push(json!({ "shape": cuboid([0.05, width, half + 0.1]), "position": at, "orientation": turn([0.0, 0.0, 1.0], a) }));
    }
    for z in [-1.0, 1.0] {
        parts.push(json!({ "shape": cuboid([radius, radius, 0.05]), "position": [0.0, 0.0, z * (half + 0.05)] }));
    }
    let mut s = Sketch::new(r.range(0.2, 0.7), r.range(0.0, 0.3));
    let drum = s.scripted("drum", json!({ "compound": { "parts": parts } }), [0.0; 3]);
    drum["angular_velocity"] = json!([0.0, 0.0, speed]);
    for k in 0..10 {
        let size = radius * r.range(0.08, 0.14);
        let [x, y] = [f64::from(k % 4) - 1.5, f64::from(k / 4) - 1.0].map(|c| c * 0.3 * radius);
        let shape = lump(r, size);
        s.solid(&format!("body{k}"), shape, [x, y, r.range(-0.4, 0.4) * half])["orientation"] = json!(r.orientation());
    }
    let judge = move |run: &Run| {
        stay_inside(run, |p| p.truncate().length() < radius / (0.5 * TAU / 12.0_f64).cos() && p.z.abs() < half)?;
        let depth = run.depth(0.0);
        ensure!(depth < 0.01, "{:.1} mm deep", depth * 1e3);
        Ok(())
    };
    Member::new(s, 8.0, judge).with_depth()
}

/// Middles of all bodies, all the time.
fn stay_inside(run: &Run, inside: impl Fn(Vec3) -> bool) -> Verdict {
    for body in run.all("body") {
        for f in &run.frames {
            ensure!(inside(f.poses[body].position), "body {body} is outside at {:.2} s", f.time);
        }
    }
    Ok(())
}

/// A scripted box of six plates that swings along a random direction, and turns about another, at up to twice gravity.
fn shaken_box(r: &mut Random) -> Member {
    let (half, thick) = (r.range(0.3, 0.6), 0.05);
    let mut parts = Vec::new();
    for axis in 0..3 {
        for side in [-1.0, 1.0] {
            let (mut size, mut at) = ([half + 2.0 * thick; 3], [0.0; 3]);
            size[axis] = thick;
            at[axis] = side * (half + thick);
            parts.push(json!({ "shape": cuboid(size), "position": at }));
        }
    }
    let frequency = r.range(0.5, 3.0);
    let most = r.range(0.5, 2.0) * G / (TAU * frequency).powi(2);
    let along = Vec3::from_array(r.vector(1.0)).normalize() * most;
    let mut s = Sketch::new(r.range(0.2, 0.6), r.range(0.0, 0.5));
    s.scripted("box", json!({ "compound": { "parts": parts } }), [0.0; 3]);
    let swing = json!({ "travel": along.to_array(), "turn": r.vector(0.3), "frequency": frequency });
    s.script(json!({ "body": "box", "sinusoid": swing }));
    for k in 0..12 {
        let at = [k % 3, k / 3 % 2, k / 6].map(|c| f64::from(c) - 0.7).map(|c| c * 0.5 * half);
        let size = half * r.range(0.1, 0.18);
        let shape = lump(r, size);
        s.solid(&format!("body{k}"), shape, at)["orientation"] = json!(r.orientation());
    }
    Member::new(s, 8.0, move |run| {
        for body in run.all("body") {
            for f in &run.frames {
                let p = f.poses[0].local_point(f.poses[body].position);
                ensure!(p.abs().max_element() < half, "body {body} is outside at {:.2} s", f.time);
            }
        }
        Ok(())
    })
}

/// Two layers of three times three boxes with gaps of 0.5 to 2 mm, let fall from a few millimetres.
fn packing(r: &mut Random) -> Member {
    let (half, height, gap) = (r.range(0.05, 0.2), r.range(0.03, 0.15), r.range(0.0005, 0.002));
    let mut s = Sketch::new(r.range(0.3, 0.7), 0.0);
    s.floor();
    let (pitch, open) = (2.0 * half + gap, 3.0 * half + 2.0 * gap);
    for (k, [x, z]) in [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]].into_iter().enumerate() {
        let size = if x == 0.0 { [open + 0.1, 3.0 * height, 0.05] } else { [0.05, 3.0 * height, open + 0.1] };
        s.fixed(&format!("wall{k}"), cuboid(size), [x * (open + 0.05), 3.0 * height, z * (open + 0.05)]);
    }
    let mass = r.log(0.2, 20.0);
    for k in 0..18_usize {
        let [x, z] = [k % 3, k / 3 % 3].map(|c| pitch * (c as f64 - 1.0));
        let y = height * (2 * (k / 9) + 1) as f64 + r.range(0.001, 0.005) * (1 + k / 9) as f64;
        s.body(&format!("box{k:02}"), cuboid([half, height, half]), [x, y, z], mass * r.range(0.8, 1.2));
    }
    Member::new(s, 5.0, move |run| {
        for (k, body) in run.all("box").into_iter().enumerate() {
            let off = run.last().poses[body].position.y - height * (2 * (k / 9) + 1) as f64;
            ensure!(off.abs() < 3e-3, "box {k} is {:.1} mm off its layer", off * 1e3);
        }
        Ok(())
    })
}

/// Six to twelve balls in a square tube 1 to 1.3 times as wide as they are: they touch the walls in turn.
fn tube_balls(r: &mut Random) -> Member {
    let (radius, count) = (r.range(0.05, 0.2), r.count(6, 12));
    let open = radius * r.range(1.0, 1.3) + 1e-3;
    let mut s = Sketch::new(r.range(0.0, 0.5), 0.0);
    s.floor();
    let high = 1.5 * radius * count as f64;
    for (k, [x, z]) in [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]].into_iter().enumerate() {
        let size = if x == 0.0 { [open + 0.2, high, 0.1] } else { [0.1, high, open + 0.2] };
        s.fixed(&format!("wall{k}"), cuboid(size), [x * (open + 0.1), high, z * (open + 0.1)]);
    }
    let play = open - radius - 1e-3;
    let mass = r.log(0.5, 20.0);
    for k in 0..count {
        let at = [play * r.range(-1.0, 1.0), radius * (2.005 * k as f64 + 1.0), play * r.range(-1.0, 1.0)];
        s.body(&format!("ball{k}"), ball(radius), at, mass);
    }
    Member::new(s, 4.0, |run| {
        let depth = run.depth(0.0);
        ensure!(depth < 2e-3, "{:.1} mm deep", depth * 1e3);
        Ok(())
    })
    .with_depth()
}

/// Two fixed plates at 30 to 60 degrees; three to five bodies along the groove.
fn vgroove(r: &mut Random) -> Member {
    let slope = r.range(30.0, 60.0_f64).to_radians();
    let mut s = Sketch::new(r.range(0.2, 0.6), 0.0);
    for (name, side) in [("left", -1.0), ("right", 1.0)] {
        let along = Quat::from_rotation_z(side * slope) * Vec3::X;
        let out = Quat::from_rotation_z(side * slope) * Vec3::Y;
        let at = along * (side * 1.0) - out * 0.1;
        s.fixed(name, cuboid([1.0, 0.1, 3.0]), at.to_array())["orientation"] = turn([0.0, 0.0, 1.0], side * slope);
    }
    for k in 0..r.count(3, 5) {
        let size = r.range(0.08, 0.2);
        let shape = match r.count(0, 2) {
            0 => ball(size),
            1 => cube(size),
            _ => cylinder(size, size),
        };
        let round = shape.get("cylinder").is_some();
        let body = s.body(&format!("body{k}"), shape, [0.0, 2.5 * size + 0.1, 1.1 * k as f64 - 2.0], r.log(0.5, 50.0));
        body["orientation"] = if round { turn([1.0, 0.0, 0.0], FRAC_PI_2) } else { turn([0.0, 0.0, 1.0], r.angle()) };
    }
    Member::new(s, 6.0, |run| {
        let depth = run.depth(0.0);
        ensure!(depth < 2e-3, "{:.1} mm deep", depth * 1e3);
        let speed = run.fastest(&run.all("body"), run.last().time);
        ensure!(speed < 0.01, "a body has {speed:.3} m/s");
        Ok(())
    })
    .with_depth()
}
