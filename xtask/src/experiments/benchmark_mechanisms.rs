use super::runner::{Runner, set};
use super::table::Table;
use crate::root::root;

pub(crate) const SUMMARY: &str =
    "IFToMM A01 to A05: error at the end against the references of the scenes, by preset and step";

/// Scene, number in the library, and the steps.
const SCENES: [(&str, &str, &[f64]); 5] = [
    ("simple-pendulum", "A01", &[1e-2, 5e-3, 2.5e-3, 1e-3]),
    ("four-bar", "A02, N = 2", &[1e-2, 5e-3, 2.5e-3, 1e-3]),
    ("andrews-squeezer", "A03", &[1e-4, 3e-5, 1e-5]),
    ("bricard", "A04", &[1e-2, 5e-3, 2.5e-3, 1e-3]),
    ("governor", "A05", &[1e-2, 5e-3, 2.5e-3, 1e-3]),
];

/// What a scene expects of a coordinate of a body.
struct Expected {
    body: String,
    axis: usize,
    near: f64,
}

/// The places that stand in a scene's expectations.
fn expected(scene: &str) -> Result<Vec<Expected>, String> {
    let path = root().join("scenes").join(format!("{scene}.expect.toml"));
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut found = Vec::new();
    for block in text.split("[[expect]]") {
        let value = |key: &str| {
            let line = block.lines().find_map(|l| l.strip_prefix(key))?;
            line.trim_start().strip_prefix('=').map(|v| v.trim().trim_matches('"').to_owned())
        };
        let axis =
            value("quantity").and_then(|q| ["position.x", "position.y", "position.z"].iter().position(|a| *a == q));
        if let (Some(body), Some(axis), Some(Ok(near))) = (value("body"), axis, value("near").map(|n| n.parse())) {
            found.push(Expected { body, axis, near });
        }
    }
    Ok(found)
}

/// The largest difference of a place that is known, at the end of each scene.
pub(crate) fn table(runner: &Runner) -> Result<(), String> {
    let header = ["benchmark", "scene", "preset", "dt_s", "error_m", "joint_error_m", "energy_change_J", "seconds"];
    let mut table = Table::new(&header);
    for (scene, number, steps) in SCENES {
        let wanted = expected(scene)?;
        for preset in ["mechanism", "velocity-lcp"] {
            for dt in steps {
                let mut options = vec!["--paradigm".to_owned(), preset.to_owned()];
                options.extend(set("simulation.time_step", dt));
                for module in ["time_control", "lcp", "constraint_solver"] {
                    options.extend(set(&format!("simulation.{module}"), "{}"));
                }
                let mut cells = vec![number.to_owned(), scene.to_owned(), preset.to_owned(), dt.to_string()];
                match runner.figures(scene, &options)? {
                    Ok(f) => {
                        let off = |e: &Expected| (f.vector(&e.body, "position")[e.axis] - e.near).abs();
                        let error = wanted.iter().map(off).fold(0.0, f64::max);
                        let energy = f.number(&["energy", "final"]) - f.number(&["energy", "initial"]);
                        cells.extend([
                            format!("{error:.1e}"),
                            format!("{:.1e}", f.number(&["joint_error", "max_linear"])),
                            format!("{energy:.1e}"),
                            format!("{:.2}", f.number(&["wall_seconds"])),
                        ]);
                    }
                    Err(why) => cells.push(why),
                }
                table.row(cells);
            }
        }
    }
    table.finish(&runner.csv("mechanisms"))
}
