use super::runner::{Figures, Runner, set};
use super::table::Table;

pub(crate) const CHAIN: &str = "chain of 100 links with a 100 times heavier end: joint error and time by LCP solver";
pub(crate) const FOUR_BAR: &str = "IFToMM A02 (N = 2): place of the corner after 10 s against dt";
pub(crate) const TOP: &str = "order of the motion solvers on a free top, by halving dt";
pub(crate) const GYROSCOPE: &str = "precession of a gyroscope on a pivot against the closed form, by halving dt";
pub(crate) const SPIRAL: &str = "a scripted spiral through up to 2025 balls on a table: time a frame (O-34)";

const SOLVERS: [&str; 14] = [
    "projected-gauss-seidel",
    "symmetric-gauss-seidel",
    "blocked-gauss-seidel",
    "two-level-gauss-seidel",
    "projected-jacobi",
    "nonsmooth-conjugate-gradient",
    "subspace-minimization",
    "mprgp",
    "accelerated-projected-gradient",
    "admm",
    "block-principal-pivoting",
    "sparse-principal-pivoting",
    "newton-minimum-map",
    "interior-point",
];

fn error_of(f: &Figures, body: &str, key: &str, exact: [f64; 3]) -> f64 {
    let found = f.vector(body, key);
    (0..3).map(|i| (found[i] - exact[i]).powi(2)).sum::<f64>().sqrt()
}

/// The order that two errors show whose steps differ by a factor of two.
fn order(last: Option<f64>, now: f64) -> String {
    last.map_or_else(String::new, |l| format!("{:.2}", (l / now).log2()))
}

/// The hanging chain under each solver, with the solver's own defaults; errors in mm.
pub(crate) fn chain(runner: &Runner) -> Result<(), String> {
    let mut table = Table::new(&["scene", "solver", "joint_error_mm", "energy_gain_J", "step_median_ms"]);
    for scene in ["chain-hanging", "chain-swing"] {
        for solver in SOLVERS {
            let mut options = vec!["--duration".to_owned(), "2".to_owned()];
            options.extend(set("simulation.lcp.solver", solver));
            options.extend(set("simulation.time_control.predictive", false));
            let mut cells = vec![scene.to_owned(), solver.to_owned()];
            match runner.figures(scene, &options)? {
                Ok(f) => cells.extend([
                    format!("{:.1e}", 1e3 * f.number(&["joint_error", "max_linear"])),
                    format!("{:.1e}", f.number(&["energy", "max"]) - f.number(&["energy", "initial"])),
                    format!("{:.3}", f.number(&["step_ms", "median"])),
                ]),
                Err(why) => cells.push(why),
            }
            table.row(cells);
        }
    }
    table.finish(&runner.csv("chain-solvers"))
}

/// Errors against `theta'' = 7/6 g sin(theta)`, `theta(0) = 0`, `theta'(0) = 1`, integrated to rounding.
pub(crate) fn four_bar(runner: &Runner) -> Result<(), String> {
    const CORNER: [f64; 2] = [0.328_458_111_54, 0.944_518_538_18];
    let mut table =
        Table::new(&["time_control", "dt_s", "x_m", "y_m", "error_m", "order", "energy_error_J", "seconds"]);
    for control in ["fixed", "leapfrog"] {
        let mut last = None;
        for halvings in 0..6 {
            let dt = 0.008 / f64::from(1 << halvings);
            let mut options = Vec::from(set("simulation.time_step", dt));
            options.extend(set("simulation.time_control.kind", control));
            let mut cells = vec![control.to_owned(), dt.to_string()];
            match runner.figures("four-bar", &options)? {
                Ok(f) => {
                    // the middle of the first bar across is half a metre from the corner
                    let found = f.vector("across0", "position");
                    let error = error_of(&f, "across0", "position", [CORNER[0] + 0.5, CORNER[1], 0.0]);
                    let energy = f.number(&["energy", "final"]) - f.number(&["energy", "initial"]);
                    cells.extend([
                        format!("{:.9}", found[0] - 0.5),
                        format!("{:.9}", found[1]),
                        format!("{error:.1e}"),
                        order(last, error),
                        format!("{energy:.1e}"),
                        format!("{:.2}", f.number(&["wall_seconds"])),
                    ]);
                    last = Some(error);
                }
                Err(why) => cells.push(why),
            }
            table.row(cells);
        }
    }
    table.finish(&runner.csv("four-bar-digits"))
}

/// The angular velocity after 2 s against that of the sixth-order product at a hundredth of the step.
pub(crate) fn top(runner: &Runner) -> Result<(), String> {
    let options = |kind: &str, dt: f64, more: &[[String; 2]]| {
        let mut o = vec!["--duration".to_owned(), "2".to_owned()];
        o.extend(set("simulation.motion_solver.kind", kind));
        o.extend(set("simulation.time_step", dt));
        o.extend(set("bodies[0].angular_velocity", "[0.6, 2.0, -0.4]"));
        o.extend(more.iter().flatten().cloned());
        o
    };
    let composed = |name: &str| [set("simulation.motion_solver.composition", name)];
    let exact = runner.figures("free-top", &options("lie-midpoint", 2e-4, &composed("yoshida-6")))??;
    let exact = exact.vector("top", "angular_velocity");
    let mut table = Table::new(&["motion_solver", "dt_s", "error_rad_s", "order", "energy_error_J"]);
    let plain: [(&str, &[[String; 2]]); 2] = [("semi-implicit-euler", &[]), ("implicit-gyroscopic", &[])];
    let composed = ["none", "suzuki-4", "yoshida-6"].map(composed);
    let products = composed.iter().map(|c| ("lie-midpoint", &c[..]));
    let others = ["torque-free-rk4", "dormand-prince", "adams-moulton"].map(|kind| (kind, &[][..]));
    for (kind, more) in plain.into_iter().chain(others).chain(products) {
        let mut last = None;
        for halvings in 0..5 {
            let dt = 0.1 / f64::from(1 << halvings);
            let f = runner.figures("free-top", &options(kind, dt, more))??;
            let error = error_of(&f, "top", "angular_velocity", exact);
            let energy = f.number(&["energy", "final"]) - f.number(&["energy", "initial"]);
            let product = more.first().and_then(|m| m[1].rsplit_once('=')).map_or("", |(_, v)| v);
            table.row(vec![
                format!("{kind} {product}").trim().to_owned(),
                dt.to_string(),
                format!("{error:.1e}"),
                order(last, error),
                format!("{energy:.1e}"),
            ]);
            last = Some(error);
        }
    }
    table.finish(&runner.csv("top-orders"))
}

/// The wheel's place after 2 s against regular precession at `m g l / (C w)`.
pub(crate) fn gyroscope(runner: &Runner) -> Result<(), String> {
    let (arm, angle) = (0.5, 2.0 * 9.81 * 0.5 / (0.125 * 100.0));
    let exact = [arm * f64::cos(angle), 0.0, -arm * f64::sin(angle)];
    let mut table = Table::new(&["time_control", "motion_solver", "dt_s", "error_m", "order", "energy_error_J"]);
    for control in ["fixed", "leapfrog"] {
        for solver in ["semi-implicit-euler", "implicit-gyroscopic", "torque-free-rk4", "lie-midpoint"] {
            let mut last = None;
            for halvings in 0..5 {
                let dt = 0.004 / f64::from(1 << halvings);
                let mut options = Vec::from(set("simulation.time_step", dt));
                options.extend(set("simulation.time_control.kind", control));
                options.extend(set("simulation.motion_solver.kind", solver));
                let f = runner.figures("gyroscope", &options)??;
                let error = error_of(&f, "wheel", "position", exact);
                let energy = f.number(&["energy", "final"]) - f.number(&["energy", "initial"]);
                table.row(vec![
                    control.to_owned(),
                    solver.to_owned(),
                    dt.to_string(),
                    format!("{error:.1e}"),
                    order(last, error),
                    format!("{energy:.1e}"),
                ]);
                last = Some(error);
            }
        }
    }
    table.finish(&runner.csv("gyroscope-orders"))
}

/// The bundled scene with more balls: the source has 2000 and 0.2 to 0.3 s a frame.
pub(crate) fn spiral(runner: &Runner) -> Result<(), String> {
    let mut table =
        Table::new(&["balls", "contacts", "ms_a_frame", "ms_a_frame_p99", "penetration_final_m", "seconds"]);
    for side in [14, 28, 45] {
        let from = -0.32 * 0.5 * f64::from(side - 1);
        let mut options = Vec::from(set("bodies[2].repeat.count", format!("[{side}, 1, {side}]")));
        options.extend(set("bodies[2].position", format!("[{from}, 0.15, {from}]")));
        let mut cells = vec![(side * side).to_string()];
        match runner.fastest("scripted-spiral", &options, |f| f.number(&["step_ms", "mean"]))? {
            Ok(f) => {
                // two steps make a frame
                let frame = |key| format!("{:.2}", 2.0 * f.number(&["step_ms", key]));
                cells.extend([
                    format!("{:.0}", f.number(&["contacts", "mean"])),
                    frame("mean"),
                    frame("p99"),
                    format!("{:.1e}", f.number(&["penetration", "final"])),
                    format!("{:.2}", f.number(&["wall_seconds"])),
                ]);
            }
            Err(why) => cells.push(why),
        }
        table.row(cells);
    }
    table.finish(&runner.csv("spiral-balls"))
}
