use super::runner::{Figures, Runner, set};
use super::table::Table;

pub(crate) const SUMMARY: &str = "ten boxes at rest: when they fall asleep and what they gain, by restitution (O-67)";

const RESTITUTIONS: [f64; 7] = [0.0, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0];
const LONGEST: u32 = 400;
const BOXES: f64 = 10.0;

/// Thesis Figures 6.67-6.69: asleep in frame 5 at e = 0.1, after 28 frames at 0.4, a blow-up at 1.
pub(crate) fn run(runner: &Runner) -> Result<(), String> {
    measure(runner)?.finish(&runner.csv("stack-restitution"))
}

/// The table.
pub(crate) fn measure(runner: &Runner) -> Result<Table, String> {
    let mut table =
        Table::new(&["bounce", "e", "asleep_at_step", "energy_gain_J", "depth_max_m", "kinetic_J", "top_error_m"]);
    // the stated threshold, and every approach counted as an impact as in the thesis
    for (bounce, resting_factor) in [("impacts", None), ("all", Some(0.0))] {
        for e in RESTITUTIONS {
            let options = |steps: u32| {
                let mut o = vec!["--steps".to_owned(), steps.to_string()];
                o.extend(set("materials.default.restitution", e));
                if let Some(factor) = resting_factor {
                    o.extend(set("simulation.constraint_solver.resting_factor", factor));
                }
                o
            };
            let mut cells = vec![bounce.to_owned(), e.to_string()];
            match runner.figures("box-stack-restitution", &options(LONGEST))? {
                Ok(f) => {
                    cells.push(first_asleep(runner, &f, &options)?);
                    let gain = f.number(&["energy", "max"]) - f.number(&["energy", "initial"]);
                    let top = f.positions("box").last().map_or(f64::NAN, |p| (p[1] - (BOXES - 0.5)).abs());
                    cells.extend([
                        format!("{gain:.2e}"),
                        format!("{:.2e}", f.number(&["penetration", "max"])),
                        format!("{:.2e}", f.number(&["energy", "kinetic_final"])),
                        format!("{top:.2e}"),
                    ]);
                }
                Err(why) => cells.push(why),
            }
            table.row(cells);
        }
    }
    Ok(table)
}

/// The first step after which every box sleeps, by bisection: a group that sleeps is woken by nothing here.
fn first_asleep(runner: &Runner, last: &Figures, options: &dyn Fn(u32) -> Vec<String>) -> Result<String, String> {
    let asleep = |f: &Figures| f.number(&["sleeping_final"]) >= BOXES;
    if !asleep(last) {
        return Ok(format!("not by {LONGEST}"));
    }
    let (mut awake, mut sleeping) = (0, LONGEST);
    while sleeping - awake > 1 {
        let middle = awake.midpoint(sleeping);
        match runner.figures("box-stack-restitution", &options(middle))? {
            Ok(f) if asleep(&f) => sleeping = middle,
            _ => awake = middle,
        }
    }
    Ok(sleeping.to_string())
}
