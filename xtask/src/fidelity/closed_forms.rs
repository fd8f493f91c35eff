//! Small scenes whose motion is known, and how far off a run ends.

use super::reference::{double_rod, free_body, heavy_top, rocking_peaks, rod};
use super::scene::{Frame, G, ball, cube, figures, frames, ground, scene, surfaces};
use crate::experiments::runner::{Figures, Runner};
use serde_json::{Value, json};

/// A motion that is known.
pub(crate) struct Problem {
    pub(crate) name: &'static str,
    /// What the error is measured in.
    pub(crate) unit: &'static str,
    /// What the run is compared with.
    pub(crate) exact: &'static str,
    /// The error under a preset at a step (s).
    pub(crate) error: fn(&Runner, &str, f64) -> Error,
}

/// An error; the inner `Err` is a run that failed by itself.
type Error = Result<Result<f64, String>, String>;

pub(crate) const ALL: &[Problem] = &[
    Problem { name: "block thrown at 8 headings, place", unit: "m", exact: "v^2 / 2 mu g", error: headings },
    Problem { name: "block on a slope at 0.99 of its friction", unit: "m", exact: "a t^2 / 2", error: slow_slide },
    Problem { name: "block on a slope at 1.01 of its friction", unit: "m", exact: "rest", error: stuck },
    Problem { name: "ball from sliding to rolling, speed", unit: "m/s", exact: "5/7 v", error: rolling },
    Problem { name: "ball with e = 0.8, first rebound", unit: "m", exact: "e^2 H", error: rebound },
    Problem { name: "ball with e = 1 for 20 s, energy", unit: "fraction", exact: "1", error: bounces_on },
    Problem {
        name: "ball with e = 0.7, time to rest",
        unit: "s",
        exact: "sqrt(2H/g) (1+e)/(1-e)",
        error: time_to_rest,
    },
    Problem { name: "rocking block, second peak", unit: "fraction", exact: "Housner 1963", error: rocking },
    Problem { name: "rod from level on a hinge, 3 s", unit: "m", exact: "reference integrator", error: single },
    Problem { name: "two rods in a row, 3 s", unit: "m", exact: "reference integrator", error: double },
    Problem { name: "heavy top, tilt 60 degrees, 2 s", unit: "m", exact: "reference integrator", error: top },
    Problem { name: "free body about its middle axis, 5 s", unit: "rad/s", exact: "reference integrator", error: free },
    Problem { name: "two bodies meet with friction, momenta", unit: "fraction", exact: "kept", error: momenta },
];

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f64>().sqrt()
}

/// The error that the final figures show.
fn at_end(runner: &Runner, scene: &Value, preset: &str, error: impl Fn(&Figures) -> f64) -> Error {
    Ok(figures(runner, scene, preset)?.map(|f| error(&f)))
}

/// The error that the frames show.
fn on_the_way(runner: &Runner, scene: &Value, preset: &str, error: impl Fn(&[Frame]) -> f64) -> Error {
    Ok(frames(runner, scene, preset)?.map(|f| error(&f)))
}

fn headings(runner: &Runner, preset: &str, h: f64) -> Error {
    let (speed, mu) = (4.0, 0.4);
    let want = speed * speed / (2.0 * mu * G);
    let mut worst: f64 = 0.0;
    for k in 0..8 {
        let (sin, cos) = (core::f64::consts::FRAC_PI_4 * f64::from(k) + 0.1).sin_cos();
        let mut block = cube("block", 0.5, [0.0, 0.5, 0.0]);
        block["linear_velocity"] = json!([speed * cos, 0.0, speed * sin]);
        let thrown = surfaces(scene("headings", 2.0, h, &[ground(), block]), mu, 0.0);
        match figures(runner, &thrown, preset)? {
            Ok(f) => worst = worst.max(distance(f.vector("block", "position"), [want * cos, 0.5, want * sin])),
            Err(why) => return Ok(Err(why)),
        }
    }
    Ok(Ok(worst))
}

/// How far a block has slid on a slope of one in two, friction being the given fraction of the slope.
fn slid(runner: &Runner, preset: &str, h: f64, fraction: f64, want: impl Fn(f64, f64) -> f64) -> Error {
    let slope = 0.5_f64.atan();
    let mut tilted =
        surfaces(scene("slope", 3.0, h, &[ground(), cube("block", 0.5, [0.0, 0.5, 0.0])]), 0.5 * fraction, 0.0);
    tilted["scene"]["gravity"] = json!([G * slope.sin(), -G * slope.cos(), 0.0]);
    let want = want(G * (slope.sin() - 0.5 * fraction * slope.cos()), 3.0);
    at_end(runner, &tilted, preset, |f| (f.vector("block", "position")[0] - want).abs())
}

fn slow_slide(runner: &Runner, preset: &str, h: f64) -> Error {
    slid(runner, preset, h, 0.99, |a, t| 0.5 * a * t * t)
}

fn stuck(runner: &Runner, preset: &str, h: f64) -> Error {
    slid(runner, preset, h, 1.01, |_, _| 0.0)
}

fn rolling(runner: &Runner, preset: &str, h: f64) -> Error {
    let mut rolls = ball("ball", 0.5, [0.0, 0.5, 0.0]);
    rolls["linear_velocity"] = json!([5.0, 0.0, 0.0]);
    let rolls = surfaces(scene("rolling", 3.0, h, &[ground(), rolls]), 0.4, 0.0);
    at_end(runner, &rolls, preset, |f| (f.vector("ball", "linear_velocity")[0] - 25.0 / 7.0).abs())
}

/// A ball let go one metre above the floor.
fn dropped(h: f64, duration: f64, restitution: f64) -> Value {
    surfaces(scene("dropped", duration, h, &[ground(), ball("ball", 0.1, [0.0, 1.1, 0.0])]), 0.5, restitution)
}

fn rebound(runner: &Runner, preset: &str, h: f64) -> Error {
    // the top of the first rebound is at 0.452 (1 + 2 e) s
    on_the_way(runner, &dropped(h, 1.5, 0.8), preset, |f| {
        let high = f.iter().filter(|f| f.time > 0.6).map(|f| f.bodies[1][1] - 0.1).fold(0.0, f64::max);
        (high - 0.64).abs()
    })
}

fn bounces_on(runner: &Runner, preset: &str, h: f64) -> Error {
    on_the_way(runner, &dropped(h, 20.0, 1.0), preset, |f| {
        // of the energy above that of the ball at rest on the floor
        let rest = f[0].energy * 0.1 / 1.1;
        f.last().map_or(f64::NAN, |last| ((last.energy - rest) / (f[0].energy - rest) - 1.0).abs())
    })
}

fn time_to_rest(runner: &Runner, preset: &str, h: f64) -> Error {
    let e = 0.7;
    let want = (2.0 / G).sqrt() * (1.0 + e) / (1.0 - e);
    on_the_way(runner, &dropped(h, 5.0, e), preset, |f| {
        let moving = f.iter().rev().find(|f| f.bodies[1][1] > 0.1 + 1e-3 || f.bodies[1][8].abs() > 0.05);
        moving.map_or(f64::NAN, |f| (f.time - want).abs())
    })
}

fn rocking(runner: &Runner, preset: &str, h: f64) -> Error {
    let (width, height, start) = (0.25_f64, 1.0_f64, 0.1_f64);
    // let go on its right lower edge
    let (radius, slope) = (width.hypot(height), (width / height).atan());
    let mut block = json!({ "name": "block", "shape": { "box": { "half_extents": [width, height, width] } } });
    block["position"] = json!([-radius * (slope - start).sin(), radius * (slope - start).cos(), 0.0]);
    block["orientation"] = json!({ "axis": [0, 0, 1], "degrees": -start.to_degrees() });
    let rocks = surfaces(scene("rocking", 4.0, h, &[ground(), block]), 2.0, 0.0);
    let want = rocking_peaks(width, height, start, 2)[1];
    on_the_way(runner, &rocks, preset, |f| {
        let tilt: Vec<f64> = f.iter().map(|f| (2.0 * f.bodies[1][5].atan2(f.bodies[1][6])).abs()).collect();
        let tops = tilt.windows(3).filter(|w| w[1] > w[0] && w[1] >= w[2] && w[1] > 1e-4).map(|w| w[1]);
        tops.take(2).last().map_or(f64::NAN, |peak| (peak / want - 1.0).abs())
    })
}

/// A uniform rod of a metre and a kilogram along x, its left end at the given place.
fn level_rod(name: &str, left: f64, layer: u32) -> Value {
    json!({
        "name": name, "shape": { "box": { "half_extents": [0.5, 0.02, 0.02] } }, "position": [left + 0.5, 0.0, 0.0],
        "mass": 1.0, "inertia": [1e-3, 1.0 / 12.0, 1.0 / 12.0], "layer": layer,
    })
}

fn hinge(name: &str, a: &str, b: &str, x: f64) -> Value {
    json!({ "name": name, "kind": "hinge", "bodies": [a, b], "anchor": [x, 0.0, 0.0], "axis": [0, 0, 1] })
}

fn single(runner: &Runner, preset: &str, h: f64) -> Error {
    let mut swings = scene("rod", 3.0, h, &[level_rod("rod", 0.0, 1)]);
    swings["joints"] = json!([hinge("pivot", "world", "rod", 0.0)]);
    let angle = rod(1.0, 3.0);
    let want = [0.5 * angle.sin(), -0.5 * angle.cos(), 0.0];
    at_end(runner, &swings, preset, |f| distance(f.vector("rod", "position"), want))
}

fn double(runner: &Runner, preset: &str, h: f64) -> Error {
    let mut swings = scene("rods", 3.0, h, &[level_rod("upper", 0.0, 1), level_rod("lower", 1.0, 2)]);
    swings["joints"] = json!([hinge("pivot", "world", "upper", 0.0), hinge("elbow", "upper", "lower", 1.0)]);
    let [a, b] = double_rod(1.0, 3.0);
    let want = [a.sin() + 0.5 * b.sin(), -a.cos() - 0.5 * b.cos(), 0.0];
    at_end(runner, &swings, preset, |f| distance(f.vector("lower", "position"), want))
}

fn top(runner: &Runner, preset: &str, h: f64) -> Error {
    let (arm, tilt, spin) = (0.5, 60_f64.to_radians(), 40.0);
    let axis = [tilt.sin(), tilt.cos(), 0.0];
    let body = json!({
        "name": "top", "shape": { "cylinder": { "radius": 0.5, "half_height": 0.05 } }, "mass": 1.0,
        "inertia": [0.0625, 0.125, 0.0625], "position": axis.map(|x| arm * x),
        "orientation": { "axis": [0, 0, 1], "degrees": -60.0 }, "angular_velocity": axis.map(|x| spin * x),
    });
    let mut spins = scene("top", 2.0, h, &[body]);
    spins["joints"] = json!([{ "name": "pivot", "kind": "ball", "bodies": ["world", "top"], "anchor": [0, 0, 0] }]);
    let want = heavy_top(1.0, arm, [0.0625, 0.125], tilt, spin, 2.0);
    at_end(runner, &spins, preset, |f| distance(f.vector("top", "position"), want))
}

fn free(runner: &Runner, preset: &str, h: f64) -> Error {
    let (inertia, spin) = ([1.0, 2.0, 3.0], [0.1, 3.0, 0.2]);
    let body = json!({
        "name": "body", "shape": { "box": { "half_extents": [0.5, 0.5, 0.5] } }, "mass": 1.0, "inertia": inertia,
        "position": [0, 0, 0], "angular_velocity": spin,
    });
    let mut turns = scene("free", 5.0, h, &[body]);
    turns["scene"]["gravity"] = json!([0, 0, 0]);
    let want = free_body(inertia, spin, 5.0);
    on_the_way(runner, &turns, preset, |f| {
        f.last().map_or(f64::NAN, |f| distance(into_body(&f.bodies[0][3..7], &f.bodies[0][10..13]), want))
    })
}

/// A world vector in the axes of an orientation (x, y, z, w).
fn into_body(q: &[f64], v: &[f64]) -> [f64; 3] {
    let axis = [-q[0], -q[1], -q[2]];
    let cross =
        |a: [f64; 3], b: [f64; 3]| [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    let v = [v[0], v[1], v[2]];
    let once = cross(axis, v).map(|x| 2.0 * x);
    let twice = cross(axis, once);
    core::array::from_fn(|i| v[i] + q[3] * once[i] + twice[i])
}

fn momenta(runner: &Runner, preset: &str, h: f64) -> Error {
    let mut one = cube("one", 0.5, [-1.0, 0.2, 0.0]);
    one["linear_velocity"] = json!([3.0, 0.0, 0.5]);
    one["angular_velocity"] = json!([1.0, 2.0, -3.0]);
    let mut other = cube("other", 0.4, [1.0, -0.1, 0.1]);
    other["linear_velocity"] = json!([-2.0, 0.1, 0.0]);
    let mut meet = surfaces(scene("momenta", 2.0, h, &[one, other]), 0.6, 0.5);
    meet["scene"]["gravity"] = json!([0, 0, 0]);
    at_end(runner, &meet, preset, |f| {
        let change = |kind: &str| {
            let at = |when: &str| f.triple(&["momentum", &format!("{kind}_{when}")]);
            distance(at("final"), at("initial")) / distance(at("initial"), [0.0; 3])
        };
        change("linear").max(change("angular"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_turns_into_the_body() {
        // a quarter turn about z: the world's y is the body's x
        let half = core::f64::consts::FRAC_1_SQRT_2;
        let x = into_body(&[0.0, 0.0, half, half], &[0.0, 1.0, 0.0]);
        assert!(distance(x, [1.0, 0.0, 0.0]) < 1e-12);
    }
}
