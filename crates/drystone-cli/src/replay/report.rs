use super::Recording;
use crate::Simulated;
use drystone_scene::figures::FrameLine;
use serde_json::{Value, json};

/// Most frames a run of the 3-D replay has.
const FRAMES: usize = 240;

/// A run as the report shows it.
#[derive(Debug, Clone)]
pub struct ReplayRun<'a> {
    /// Its title.
    pub name: String,
    /// Rows of the table: what, and how much, which is a number or null.
    pub table: Vec<(&'static str, Value)>,
    /// The motion.
    pub recording: &'a Recording,
}

impl<'a> ReplayRun<'a> {
    /// A run that has come to its end, with its figures.
    pub fn of(name: String, done: &Simulated, recording: &'a Recording) -> Self {
        let f = &done.figures;
        let table = vec![
            ("step, median (ms)", json!(f.step_ms.median)),
            ("contacts, mean", json!(f.contacts.mean)),
            ("deepest contact (m)", json!(f.penetration.max)),
            ("deepest at the end (m)", json!(f.penetration.final_depth)),
            ("drift (m)", json!(done.drift)),
            ("energy at start (J)", json!(f.energy.initial)),
            ("energy at end (J)", json!(f.energy.final_total)),
            ("LCP residual, mean", json!(f.lcp.residual_mean)),
            ("LCP iterations, mean", json!(f.lcp.iterations_mean)),
            ("joint error (m)", json!(f.joint_error.max_linear)),
            ("asleep at end", json!(f.sleeping_final)),
        ];
        Self { name, table, recording }
    }
}

/// A report in one HTML file that needs nothing else: a table of figures, curves over time, and the runs side by side in 3-D.
pub fn to_html(title: &str, runs: &[ReplayRun<'_>]) -> String {
    let data: Vec<Value> = runs.iter().map(run).collect();
    // a '<' could end the script element
    let data = Value::Array(data).to_string().replace('<', "\\u003c");
    let title = title.replace('&', "&amp;").replace('<', "&lt;");
    include_str!("report.html").replace("/*TITLE*/", &title).replace("/*DATA*/", &data)
}

fn run(run: &ReplayRun<'_>) -> Value {
    let recording = run.recording;
    let frames: Vec<_> = recording.picked(FRAMES).collect();
    let poses: Vec<Vec<f64>> =
        frames.iter().map(|f| f.bodies.iter().flat_map(|b| b[..7].iter().map(|v| rounded(*v))).collect()).collect();
    let surfaces: Vec<Value> =
        recording.surfaces.iter().map(|s| json!({ "p": s.positions.concat(), "t": s.triangles.concat() })).collect();
    let series = |of: fn(&FrameLine) -> f64| frames.iter().map(|f| of(f)).collect::<Vec<_>>();
    json!({
        "name": run.name,
        "table": run.table,
        "time": series(|f| f.time),
        "series": {
            "energy (J)": series(|f| f.kinetic + f.potential), "kinetic energy (J)": series(|f| f.kinetic),
            "penetration (m)": series(|f| f.penetration), "contacts": series(|f| f.contacts as f64),
            "joint error (m)": series(|f| f.joint_error),
        },
        "surfaces": surfaces, "surfaceOf": recording.surface_of, "moves": recording.moves, "poses": poses,
    })
}

/// Five decimals are a hundredth of a millimetre: enough to look at.
fn rounded(v: f64) -> f64 {
    (v * 1e5).round() / 1e5
}
