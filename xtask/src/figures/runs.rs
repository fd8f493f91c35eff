use crate::experiments::runner::{Runner, set};
use crate::experiments::table::Table;
use crate::experiments::{box_stack, restitution, wall_weight};
use std::fmt::Write;

/// Sweeps of the iteration study that take a moment each.
const ITERATIONS: [u32; 9] = [10, 20, 50, 100, 200, 400, 600, 800, 1000];

/// The thesis' iteration study, without its times.
pub(crate) fn iterations(runner: &Runner) -> Result<String, String> {
    let (table, _) = box_stack::measure(runner, &ITERATIONS, box_stack::Timing::Once)?;
    Ok(table.markdown(&[
        ("solver", "preset"),
        ("iterations", "iterations"),
        ("top_error_m", "top, m"),
        ("lean_m", "lean, m"),
        ("depth_m", "depth, m"),
        ("residual", "residual, m/s"),
    ]))
}

/// Ten boxes at rest, by restitution.
pub(crate) fn stack_restitution(runner: &Runner) -> Result<String, String> {
    Ok(restitution::measure(runner)?.markdown(&[
        ("bounce", "bounce"),
        ("e", "e"),
        ("asleep_at_step", "asleep at step"),
        ("energy_gain_J", "energy gained, J"),
        ("depth_max_m", "deepest, m"),
        ("kinetic_J", "kinetic energy at the end, J"),
        ("top_error_m", "top off by, m"),
    ]))
}

/// The wall at rest, by the weighting f.
pub(crate) fn wall_weight(runner: &Runner) -> Result<String, String> {
    Ok(wall_weight::measure(runner)?.markdown(&[
        ("f", "f"),
        ("asleep", "asleep"),
        ("moved_90_m", "90 % moved less than, m"),
        ("moved_max_m", "largest, m"),
        ("depth_m", "depth, m"),
        ("kinetic_J", "kinetic energy, J"),
    ]))
}

/// Two touching balls that move down: what positions follow.
pub(crate) fn position_update(runner: &Runner) -> Result<String, String> {
    let mut table = Table::new(&["time_control", "depth"]);
    for name in ["fixed", "explicit-euler"] {
        let f = runner.figures("two-balls-down", &set("simulation.time_control.kind", name))??;
        table.row(vec![format!("`{name}`"), format!("{:.2e}", f.number(&["penetration", "max"]))]);
    }
    Ok(table.markdown(&[("time_control", "time control"), ("depth", "deepest penetration, m")]))
}

/// Three equal balls in a row, the first of which moves at 1 m/s.
pub(crate) fn three_balls(runner: &Runner) -> Result<String, String> {
    let mut out = String::from("| collision solver | first, m/s | second, m/s | third, m/s |\n|---|---|---|---|\n");
    for name in ["sequential", "simultaneous"] {
        let f = runner.figures("three-balls", &set("simulation.collision_solver.kind", name))??;
        let cells = ["left", "middle", "right"].map(|ball| format!("{:.6}", f.vector(ball, "linear_velocity")[0]));
        let _ = writeln!(out, "| `{name}` | {} |", cells.join(" | "));
    }
    Ok(out)
}
