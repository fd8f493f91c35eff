use super::fit;
use super::runner::{Figures, Runner, set};
use super::table::Table;

pub(crate) const SUMMARY: &str = "25 boxes under plain Gauss-Seidel: error and cost against iterations (O-52, O-56)";

const ITERATIONS: [u32; 12] = [10, 20, 50, 100, 200, 400, 600, 800, 1000, 2000, 5000, 10_000];
const TOP: f64 = 24.5;

/// The thesis' iteration study (Figures 6.14-6.17 and 6.22), from zero multipliers, and shock propagation beside it.
pub(crate) fn run(runner: &Runner) -> Result<(), String> {
    let (table, points) = measure(runner, &ITERATIONS, Timing::FastestOfThree)?;
    table.finish(&runner.csv("box-stack-iterations"))?;
    if let Some(l) = fit::line(&points) {
        let per_iteration = 1e3 * l.slope;
        println!(
            "time of the constraint solver = {:.4} ms + {per_iteration:.3} us per iteration, R^2 = {:.5}",
            l.intercept, l.r_squared
        );
    }
    Ok(())
}

/// Which run's time is taken.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Timing {
    /// That of the only one: times do not count.
    Once,
    FastestOfThree,
}

/// The table, and the time of the solver (ms) against iterations.
pub(crate) fn measure(runner: &Runner, iterations: &[u32], timing: Timing) -> Result<(Table, Vec<(f64, f64)>), String> {
    let mut table = Table::new(&["solver", "iterations", "solver_ms", "top_error_m", "lean_m", "depth_m", "residual"]);
    let mut points = Vec::new();
    let mut cases: Vec<(&str, u32)> = iterations.iter().map(|n| ("velocity-lcp", *n)).collect();
    cases.push(("shock-propagation", 10));
    for (paradigm, iterations) in cases {
        let mut options = vec!["--paradigm".to_owned(), paradigm.to_owned(), "--duration".to_owned(), "2".to_owned()];
        options.extend(set("simulation.lcp.iterations", iterations));
        options.extend(set("simulation.lcp.warm_start", false));
        options.extend(set("simulation.sleep_policy.kind", "never"));
        let mut cells = vec![paradigm.to_owned(), iterations.to_string()];
        let figures = match timing {
            Timing::FastestOfThree => runner.fastest("box-stack", &options, Figures::solver_ms)?,
            Timing::Once => runner.figures("box-stack", &options)?,
        };
        match figures {
            Ok(f) => {
                let boxes = f.positions("box");
                let lean = boxes.iter().map(|p| p[0].hypot(p[2])).fold(0.0, f64::max);
                let top = boxes.last().map_or(f64::NAN, |p| (p[1] - TOP).abs());
                let ms = f.solver_ms();
                if paradigm == "velocity-lcp" {
                    points.push((f64::from(iterations), ms));
                }
                cells.extend([
                    format!("{ms:.4}"),
                    format!("{top:.2e}"),
                    format!("{lean:.2e}"),
                    format!("{:.2e}", f.number(&["penetration", "final"])),
                    format!("{:.2e}", f.number(&["lcp", "residual_mean"])),
                ]);
            }
            Err(why) => cells.push(why),
        }
        table.row(cells);
    }
    Ok((table, points))
}
