use super::Recording;
use crate::Simulated;
use serde_json::{Value, json};

/// Most frames a run of the 3-D replay has.
const FRAMES: usize = 240;

/// A report in one HTML file that needs nothing else: a table of figures, curves over time, and the runs side by side in 3-D.
/// `runs` are titles with what came out.
pub fn to_html(title: &str, runs: &[(String, &Simulated, &Recording)]) -> String {
    let data: Vec<Value> = runs.iter().map(|(name, done, recording)| run(name, done, recording)).collect();
    // a '<' could end the script element
    let data = Value::Array(data).to_string().replace('<', "\\u003c");
    let title = title.replace('&', "&amp;").replace('<', "&lt;");
    include_str!("report.html").replace("/*TITLE*/", &title).replace("/*DATA*/", &data)
}

fn run(name: &str, done: &Simulated, recording: &Recording) -> Value {
    let f = &done.figures;
    let frames: Vec<_> = recording.picked(FRAMES).collect();
    let poses: Vec<Vec<f64>> =
        frames.iter().map(|f| f.bodies.iter().flat_map(|b| b[..7].iter().map(|v| rounded(*v))).collect()).collect();
    let surfaces: Vec<Value> =
        recording.surfaces.iter().map(|s| json!({ "p": s.positions.concat(), "t": s.triangles.concat() })).collect();
    let series = |of: fn(&drystone_scene::figures::FrameLine) -> f64| frames.iter().map(|f| of(f)).collect::<Vec<_>>();
    json!({
        "name": name,
        "table": [
            ["step, median (ms)", f.step_ms.median], ["contacts, mean", f.contacts.mean],
            ["deepest contact (m)", f.penetration.max], ["deepest at the end (m)", f.penetration.final_depth],
            ["drift (m)", done.drift], ["energy at start (J)", f.energy.initial], ["energy at end (J)", f.energy.final_total],
            ["LCP residual, mean", f.lcp.residual_mean], ["LCP iterations, mean", f.lcp.iterations_mean],
            ["joint error (m)", f.joint_error.max_linear], ["asleep at end", f.sleeping_final],
        ],
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
