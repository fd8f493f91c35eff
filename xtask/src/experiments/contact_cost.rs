use super::fit;
use super::runner::{Figures, Runner, set};
use super::table::Table;

pub(crate) const SUMMARY: &str = "walls of growing length: time stepping against contacts (L-26, O-70)";

const LENGTHS: [u32; 8] = [5, 10, 20, 30, 40, 60, 80, 100];

/// Time of a step without collision detection, as in thesis Figure 6.65, sleeping off.
pub(crate) fn run(runner: &Runner) -> Result<(), String> {
    let mut table =
        Table::new(&["paradigm", "bricks", "contacts", "time_stepping_ms", "us_a_contact", "step_median_ms"]);
    let mut lines = Vec::new();
    for paradigm in ["velocity-lcp", "shock-propagation"] {
        let mut points = Vec::new();
        for length in LENGTHS {
            let mut options =
                vec!["--paradigm".to_owned(), paradigm.to_owned(), "--steps".to_owned(), "100".to_owned()];
            options.extend(set("bodies[1].repeat.count", format!("[{length}, 10, 1]")));
            options.extend(set("simulation.sleep_policy.kind", "never"));
            let mut cells = vec![paradigm.to_owned(), (10 * length).to_string()];
            match runner.fastest("wall", &options, Figures::time_stepping_ms)? {
                Ok(f) => {
                    let (contacts, ms) = (f.number(&["contacts", "mean"]), f.time_stepping_ms());
                    points.push((contacts, ms));
                    cells.extend([
                        format!("{contacts:.0}"),
                        format!("{ms:.4}"),
                        format!("{:.3}", 1e3 * ms / contacts),
                        format!("{:.4}", f.number(&["step_ms", "median"])),
                    ]);
                }
                Err(why) => cells.push(why),
            }
            table.row(cells);
        }
        lines.push((paradigm, fit::line(&points)));
    }
    table.finish(&runner.csv("contact-cost"))?;
    for (paradigm, line) in lines {
        let Some(l) = line else { continue };
        let each = 1e3 * l.slope;
        println!("{paradigm}: {:.4} ms + {each:.3} us per contact, R^2 = {:.5}", l.intercept, l.r_squared);
    }
    Ok(())
}
