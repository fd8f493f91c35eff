use crate::Simulated;
use drystone::PhaseTimes;
use std::fmt::Write;

/// The figures of one run, for reading.
pub(crate) fn of_run(done: &Simulated) -> String {
    let f = &done.figures;
    let mut out = String::new();
    let mut line = |key: &str, value: String| {
        let _ = writeln!(out, "  {key:<24} {value}");
    };
    line("scene", format!("{} under {}", f.scene, f.paradigm));
    line("simulated", format!("{:.3} s in {} steps, {} bodies", f.time, f.steps, f.bodies));
    line("wall time", format!("{:.3} s", f.wall_seconds));
    let t = &f.awake_ms;
    line(
        "per step",
        format!("awake: mean {:.4} ms, median {:.4} ms, p99 {:.4} ms, max {:.4} ms", t.mean, t.median, t.p99, t.max),
    );
    line("  asleep", format!("{:.0} % of the steps", 100.0 * f.asleep_share));
    for module in PhaseTimes::MODULES {
        let name = module.name().replace("stc", "STC").replace('_', " ");
        line(&format!("  {name}"), format!("{:.4} ms", f.phase_ms.of(module)));
    }
    let seams = f.gather_scatter_ms;
    let share = 100.0 * seams / f.step_ms.mean.max(f64::MIN_POSITIVE);
    line("  gather and scatter", format!("{seams:.4} ms, {share:.1} % of the step (included above)"));
    line("contacts", format!("mean {:.1}, max {}", f.contacts.mean, f.contacts.max));
    line("groups", format!("mean {:.1}, max {}", f.groups.mean, f.groups.max));
    line("penetration", format!("max {:.2e} m, final {:.2e} m", f.penetration.max, f.penetration.final_depth));
    line("tunnelled", format!("{} pairs went through each other unseen", f.tunnelled));
    line("drift from start", format!("{:.4e} m", done.drift));
    line("joint error", format!("max {:.2e} m, {:.2e} rad", f.joint_error.max_linear, f.joint_error.max_angular));
    line(
        "energy",
        format!("{:.6} J to {:.6} J, kinetic {:.3e} J", f.energy.initial, f.energy.final_total, f.energy.kinetic_final),
    );
    line(
        "LCP",
        format!(
            "{} solves, {:.1} iterations each, mean residual {}, up to {} variables",
            f.lcp.solves,
            f.lcp.iterations_mean,
            measured(f.lcp.residual_mean),
            f.lcp.variables_max
        ),
    );
    let (converged, not) = (f.lcp.steps_converged, f.lcp.steps_not_converged);
    if converged + not > 0 {
        line("  not converged", format!("{not} of {} steps that were measured", converged + not));
    }
    if f.lcp.fallbacks > 0 {
        line("  fallbacks", format!("{}: the solver returned nothing usable, Gauss-Seidel took over", f.lcp.fallbacks));
    }
    if f.lcp.unsettled > 0 {
        line("  not settled", format!("{} sub-steps: the answer still changed at the last iteration", f.lcp.unsettled));
    }
    if f.lcp.jammed > 0 {
        let said = "bodies that a script pressed against a wall were slowed: their scripts yielded";
        line("  jammed", format!("{} times {said}", f.lcp.jammed));
    }
    line("asleep at the end", format!("{} of {} bodies", f.sleeping_final, f.bodies));
    line("state hash", f.state_hash.clone());
    out
}

/// A small figure, or a dash where it was not measured.
pub(crate) fn measured(figure: Option<f64>) -> String {
    figure.map_or_else(|| "-".to_owned(), |v| format!("{v:.1e}"))
}

/// A table with aligned columns: text to the left, numbers to the right.
pub(crate) fn aligned(header: &[&str], rows: &[Vec<String>]) -> String {
    let mut widths: Vec<usize> = header.iter().map(|h| h.chars().count()).collect();
    for row in rows {
        for (w, cell) in widths.iter_mut().zip(row) {
            *w = (*w).max(cell.chars().count());
        }
    }
    let is_number = |s: &str| s.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '+');
    let mut out = String::new();
    let mut put = |cells: &[String], align: &dyn Fn(usize, &str) -> bool| {
        for (i, (cell, w)) in cells.iter().zip(&widths).enumerate() {
            let pad = " ".repeat(w - cell.chars().count());
            let gap = if i == 0 { "" } else { "  " };
            let _ = if align(i, cell) { write!(out, "{gap}{pad}{cell}") } else { write!(out, "{gap}{cell}{pad}") };
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
    };
    let right: Vec<bool> =
        (0..header.len()).map(|i| rows.iter().any(|r| r.get(i).is_some_and(|c| is_number(c)))).collect();
    put(&header.iter().map(|h| (*h).to_owned()).collect::<Vec<_>>(), &|i, _| right[i]);
    for row in rows {
        put(row, &|i, _| right[i]);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let rows = vec![vec!["a".into(), "10".into()], vec!["bcd".into(), "7.5".into()]];
        assert_eq!(aligned(&["name", "n"], &rows), "name    n\na      10\nbcd   7.5\n");
    }
}
