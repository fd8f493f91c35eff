//! What slides.

use super::Entry;
use crate::ensure;
use crate::random::Random;
use crate::run::{Member, Run, Verdict};
use crate::sketch::{G, Sketch, cuboid};
use serde_json::json;

pub(super) const KINDS: &[Entry] = &[
    ("seam_boxes", "a crate slides over flush boxes: it hops < 2 mm, and its way is right to 3 %", seam_boxes),
    ("seam_mesh", "the same on triangles", seam_mesh),
    ("tilting_plank", "a box on a plank that tilts slowly slips at the friction angle, to 6 %", tilting_plank),
];

/// Six to twelve tiles under the way of the crate; half of the crates slide without friction.
fn seam_boxes(r: &mut Random) -> Member {
    let (tile, speed) = (r.range(0.3, 1.0), r.range(0.5, 4.0));
    let mu = if r.coin() { 0.0 } else { r.range(0.05, 0.4) };
    let mut s = Sketch::new(mu, 0.0);
    for k in 0..r.count(6, 12) {
        s.fixed(&format!("tile{k}"), cuboid([0.5 * tile, 0.1, 2.0]), [tile * (k as f64 + 0.5), -0.1, 0.0]);
    }
    slide(r, s, mu, speed, tile * 4.0)
}

/// A crate slides along x from a place on the first tile, over `length` at most.
fn slide(r: &mut Random, mut s: Sketch, mu: f64, speed: f64, length: f64) -> Member {
    let half = [r.range(0.08, 0.3), r.range(0.05, 0.15), r.range(0.08, 0.3)];
    let body = s.solid("crate", cuboid(half), [half[0] + 0.01, half[1], r.range(-0.5, 0.5)]);
    body["linear_velocity"] = json!([speed, 0.0, 0.0]);
    let way = move |t: f64| match mu {
        0.0 => speed * t,
        mu => speed * t.min(speed / (mu * G)) - 0.5 * mu * G * t.min(speed / (mu * G)).powi(2),
    };
    // until it has come to rest, or to the end of the tiles
    let duration = (1..1000).map(|k| f64::from(k) * 0.005).find(|t| way(*t) > length).unwrap_or(5.0);
    Member::new(s, duration, move |run| slides(run, half[1], way))
}

fn slides(run: &Run, height: f64, way: impl Fn(f64) -> f64) -> Verdict {
    let crate_ = run.index("crate");
    let top = run.frames.iter().map(|f| f.poses[crate_].position.y).fold(0.0, f64::max);
    ensure!(top - height < 2e-3, "hopped by {:.1} mm", (top - height) * 1e3);
    let [from, to] = [run.first(), run.last()].map(|f| f.poses[crate_].position.x);
    let right = way(run.last().time);
    ensure!((to - from - right).abs() < 0.03 * right, "slid {:.3} m, right: {right:.3} m", to - from);
    Ok(())
}

/// A grid of triangles with jittered nodes.
fn seam_mesh(r: &mut Random) -> Member {
    let (tile, speed) = (r.range(0.3, 1.0), r.range(0.5, 4.0));
    let mu = if r.coin() { 0.0 } else { r.range(0.05, 0.4) };
    let mut s = Sketch::new(mu, 0.0);
    let (nx, nz) = (8_usize, 6_usize);
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for i in 0..=nx {
        for k in 0..=nz {
            let [dx, _, dz] = if i == 0 || i == nx || k == 0 || k == nz { [0.0; 3] } else { r.vector(0.3 * tile) };
            vertices.push([tile * i as f64 + dx - 0.5 * tile, 0.0, tile * (k as f64 - 3.0) + dz]);
        }
    }
    for i in 0..nx {
        for k in 0..nz {
            let [a, b, c, d] = [[i, k], [i, k + 1], [i + 1, k + 1], [i + 1, k]].map(|[i, k]| i * (nz + 1) + k);
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    s.fixed("ground", json!({ "mesh": { "vertices": vertices, "triangles": triangles } }), [0.0; 3]);
    slide(r, s, mu, speed, tile * 4.0)
}

/// The plank turns at 0.02 to 0.04 rad/s about its middle. Slipped: by a millimetre along it; the angle at which that is seen is later by what the closed form
/// says, `s = g w t^3 / (6 cos f)` after the friction angle f.
fn tilting_plank(r: &mut Random) -> Member {
    let (mu, rate, half) = (r.range(0.2, 0.8), r.range(0.02, 0.04), r.range(0.05, 0.2));
    let mut s = Sketch::new(mu, 0.0);
    let plank = s.scripted("plank", cuboid([2.0, 0.05, 0.5]), [0.0, -0.05, 0.0]);
    plank["angular_velocity"] = json!([0.0, 0.0, rate]);
    // lower than wide by more than the friction, so that it does not tip
    s.solid("box", cuboid([half, 0.5 * half, half]), [0.0, 0.5 * half, 0.0]);
    let limit = mu.atan();
    let (slip, seen) = (1e-3, (6.0 * 1e-3 * limit.cos() / (G * rate)).cbrt());
    Member::new(s, 1.3 * limit / rate + 2.0, move |run| {
        let along = |f: &crate::run::Frame| f.poses[0].local_point(f.poses[1].position).x.abs();
        let Some(f) = run.frames.iter().find(|f| along(f) > slip) else {
            return Err(format!("does not slip up to {:.2} of the friction angle", run.last().time * rate / limit));
        };
        let found = (f.time - seen) * rate / limit;
        ensure!((found - 1.0).abs() < 0.06, "slips at {found:.2} of the friction angle");
        Ok(())
    })
}
