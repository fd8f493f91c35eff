use super::runner::{Runner, set};
use super::table::Table;

pub(crate) const SUMMARY: &str =
    "a wall under the thesis' shock propagation: which bricks move and sleep, by the weighting f (O-72)";

const WEIGHTS: [f64; 8] = [0.0, 0.01, 0.05, 0.125, 0.25, 0.5, 0.75, 1.0];

/// 200 bricks at rest; thesis Figures 6.70 and 6.71.
pub(crate) fn run(runner: &Runner) -> Result<(), String> {
    measure(runner)?.finish(&runner.csv("wall-weight"))
}

/// The table.
pub(crate) fn measure(runner: &Runner) -> Result<Table, String> {
    let start = runner.figures("wall", &["--steps".to_owned(), "0".to_owned()])??.positions("brick");
    let mut table = Table::new(&["f", "asleep", "moved_90_m", "moved_max_m", "depth_m", "kinetic_J", "step_mean_ms"]);
    for f in WEIGHTS {
        let mut options = vec!["--paradigm".to_owned(), "shock-propagation".to_owned()];
        options.extend(set("simulation.time_control.predictive", false));
        options.extend(set("simulation.time_control.weight", f));
        let mut cells = vec![f.to_string()];
        match runner.figures("wall", &options)? {
            Ok(figures) => {
                let moved = displacements(&start, &figures.positions("brick"));
                let at = |part: f64| moved.get((part * (moved.len() - 1) as f64) as usize).copied().unwrap_or(f64::NAN);
                cells.extend([
                    format!("{:.0}", figures.number(&["sleeping_final"])),
                    format!("{:.2e}", at(0.9)),
                    format!("{:.2e}", at(1.0)),
                    format!("{:.2e}", figures.number(&["penetration", "final"])),
                    format!("{:.2e}", figures.number(&["energy", "kinetic_final"])),
                    format!("{:.4}", figures.number(&["step_ms", "mean"])),
                ]);
            }
            Err(why) => cells.push(why),
        }
        table.row(cells);
    }
    Ok(table)
}

/// How far each body is from where it started, least first.
fn displacements(start: &[[f64; 3]], end: &[[f64; 3]]) -> Vec<f64> {
    let squared = |a: &[f64; 3], b: &[f64; 3]| (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f64>();
    let mut moved: Vec<f64> = start.iter().zip(end).map(|(a, b)| squared(a, b).sqrt()).collect();
    moved.sort_by(f64::total_cmp);
    moved
}
