use super::recorded::Run;
use crate::fidelity::scene::{G, ball, cube, ground, scene, surfaces};
use serde_json::{Value, json};

/// One step per frame (s).
const STEP: f64 = 1.0 / 60.0;

/// A scene and what must come out.
pub(crate) struct Scene {
    pub(crate) name: &'static str,
    /// What counts as good, and what the figure is.
    pub(crate) asks: &'static str,
    pub(crate) start: fn() -> Start,
    pub(crate) judge: fn(&Run) -> Judgement,
}

/// Where the scene comes from.
pub(crate) enum Start {
    Bundled { name: &'static str, duration: f64, step: f64 },
    Written(Value),
}

/// Whether it went well, and by what figure.
pub(crate) struct Judgement {
    pub(crate) good: bool,
    pub(crate) figure: String,
}

pub(crate) const ALL: &[Scene] = &[
    Scene {
        name: "column of 10",
        asks: "stands 10 s; farthest move",
        start: || Start::Written(column(10)),
        judge: stands,
    },
    Scene {
        name: "column of 30",
        asks: "stands 10 s; farthest move",
        start: || Start::Written(column(30)),
        judge: stands,
    },
    Scene {
        name: "1000 : 1 on 9 cubes",
        asks: "stands 10 s; farthest move",
        start: || Start::Written(heavy()),
        judge: stands,
    },
    Scene {
        name: "card house",
        asks: "stands 5 s; farthest move",
        start: || Start::Bundled { name: "card-house-5", duration: 5.0, step: STEP },
        judge: stands,
    },
    Scene { name: "wall of 200", asks: "stands 10 s; farthest move", start: || Start::Written(wall()), judge: stands },
    Scene {
        name: "pyramid of 20",
        asks: "stands 5 s; farthest move",
        start: || Start::Bundled { name: "pyramid-20", duration: 5.0, step: STEP },
        judge: stands,
    },
    Scene {
        name: "chain of 100 hangs",
        asks: "100 times the mass at the end; joints within 1 mm; joint error",
        start: || Start::Bundled { name: "chain-hanging", duration: 5.0, step: STEP },
        judge: holds,
    },
    Scene {
        name: "it swings",
        asks: "the same chain, let go from level; joints within 1 mm; joint error",
        start: || Start::Bundled { name: "chain-swing", duration: 4.0, step: STEP },
        judge: holds,
    },
    Scene {
        name: "five balls",
        asks: "a row, e = 1; the last one leaves with the blow; its speed over that of the first",
        start: || Start::Written(cradle()),
        judge: passes_the_blow_on,
    },
    Scene {
        name: "100 dominoes",
        asks: "all fall; how many",
        start: || Start::Bundled { name: "domino-row", duration: 15.0, step: 1.0 / 120.0 },
        judge: all_fall,
    },
    Scene {
        name: "gyroscope",
        asks: "a heavy one on a pivot keeps its energy to 1 %; energy error",
        start: || Start::Bundled { name: "gyroscope", duration: 2.0, step: 1.0 / 240.0 },
        judge: keeps_energy,
    },
    Scene {
        name: "block thrown",
        asks: "at 0.5 rad to the axes; stops within 2 % of v^2 / 2 mu g; error",
        start: || Start::Written(thrown()),
        judge: stops,
    },
    Scene {
        name: "1000 balls",
        asks: "in a box; at most 1 J per ball left, none escapes, 1 cm deep at most; J per ball",
        start: || Start::Bundled { name: "balls-in-box", duration: 5.0, step: STEP },
        judge: comes_to_rest,
    },
];

fn column(n: usize) -> Value {
    let mut boxes = cube("box", 0.5, [0.0, 0.5, 0.0]);
    boxes["repeat"] = json!({ "count": [1, n, 1], "step": [0, 1, 0] });
    scene("column", 10.0, STEP, &[ground(), boxes])
}

fn heavy() -> Value {
    let mut stack = column(9);
    let mut top = cube("top", 0.5, [0.0, 9.5, 0.0]);
    top["mass"] = json!(1e6);
    if let Some(bodies) = stack["bodies"].as_array_mut() {
        bodies.push(top);
    }
    stack
}

fn wall() -> Value {
    let mut brick = cube("brick", 0.5, [-10.0, 0.2, 0.0]);
    brick["shape"] = json!({ "box": { "half_extents": [0.5, 0.2, 0.25] } });
    brick["repeat"] = json!({ "count": [20, 10, 1], "step": [1.0, 0.4, 0], "stagger": [0.4, 0, 0] });
    surfaces(scene("wall", 10.0, STEP, &[ground(), brick]), 0.6, 0.0)
}

fn cradle() -> Value {
    let balls: Vec<Value> = (0..5_u32)
        .map(|i| {
            let mut b = ball(&format!("ball{i}"), 0.5, [if i == 0 { -1.0 } else { 1.001 * f64::from(i) }, 0.0, 0.0]);
            b["linear_velocity"] = json!([if i == 0 { 2.0 } else { 0.0 }, 0.0, 0.0]);
            b
        })
        .collect();
    let mut row = surfaces(scene("row", 1.5, 1.0 / 240.0, &balls), 0.0, 1.0);
    row["scene"]["gravity"] = json!([0.0, 0.0, 0.0]);
    row
}

/// Thrown at 4 m/s at 0.5 rad to the axes, mu = 0.4.
fn thrown() -> Value {
    let mut block = cube("block", 0.5, [0.0, 0.5, 0.0]);
    block["linear_velocity"] = json!([4.0 * 0.5_f64.cos(), 0.0, 4.0 * 0.5_f64.sin()]);
    surfaces(scene("thrown", 2.0, STEP, &[ground(), block]), 0.4, 0.0)
}

/// The farthest way of a body from its first place to its last (m).
fn farthest(run: &Run) -> f64 {
    let (Some(first), Some(last)) = (run.frames.first(), run.frames.last()) else { return f64::NAN };
    let way = |a: &[f64], b: &[f64]| (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f64>().sqrt();
    first.bodies.iter().zip(&last.bodies).map(|(a, b)| way(a, b)).fold(0.0, f64::max)
}

/// A length in words of fixed width.
fn millimetres(metres: f64) -> String {
    match metres {
        m if m < 1e-6 => "< 0.001 mm".to_owned(),
        m if m < 0.1 => format!("{:.3} mm", 1e3 * m),
        m => format!("{m:.1} m"),
    }
}

fn stands(run: &Run) -> Judgement {
    let moved = farthest(run);
    Judgement { good: moved < 0.05, figure: millimetres(moved) }
}

fn holds(run: &Run) -> Judgement {
    let error = run.figures.number(&["joint_error", "max_linear"]);
    Judgement { good: error < 1e-3, figure: millimetres(error) }
}

fn passes_the_blow_on(run: &Run) -> Judgement {
    let v: Vec<f64> = (0..5).map(|i| run.figures.vector(&format!("ball{i}"), "linear_velocity")[0]).collect();
    let others = v[..4].iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    Judgement { good: (v[4] - 2.0).abs() < 0.02 && others < 0.02, figure: format!("{:.2}", 0.5 * v[4]) }
}

fn all_fall(run: &Run) -> Judgement {
    let Some(last) = run.frames.last() else { return Judgement { good: false, figure: String::new() } };
    // the second column of the rotation says where the long axis points; the first body is the ground
    let fallen = last.bodies[1..].iter().filter(|b| 1.0 - 2.0 * (b[3] * b[3] + b[5] * b[5]) < 0.7).count();
    Judgement { good: fallen + 1 == last.bodies.len(), figure: fallen.to_string() }
}

fn keeps_energy(run: &Run) -> Judgement {
    let start = run.frames.first().map_or(f64::NAN, |f| f.energy);
    let worst = run.frames.iter().map(|f| (f.energy - start).abs()).fold(0.0, f64::max) / start.abs();
    Judgement { good: worst < 0.01, figure: format!("{worst:.1e}") }
}

fn stops(run: &Run) -> Judgement {
    let want = 16.0 / (0.8 * G);
    let [x, _, z] = run.figures.vector("block", "position");
    let error = (x - want * 0.5_f64.cos()).hypot(z - want * 0.5_f64.sin());
    Judgement { good: error < 0.02 * want, figure: millimetres(error) }
}

fn comes_to_rest(run: &Run) -> Judgement {
    let each = run.figures.number(&["energy", "kinetic_final"]) / 1000.0;
    let deep = run.figures.number(&["penetration", "final"]);
    let inside = run.figures.positions("ball").iter().all(|p| p[0].abs() < 3.0 && p[2].abs() < 3.0 && p[1] > 0.0);
    Judgement { good: each < 1.0 && deep < 0.01 && inside, figure: format!("{each:.2}") }
}
