use super::fit;
use super::runner::{Figures, Runner, set};
use super::table::Table;

pub(crate) const WALLS: &str = "walls of growing length: time stepping and detection against contacts (L-26, O-70)";
pub(crate) const SILO: &str = "a silo with ever more balls: time per step against contacts (O-71)";

const LENGTHS: [u32; 8] = [5, 10, 20, 30, 40, 60, 80, 100];
/// Layers of balls of the silo, 100 in each.
const LAYERS: [u32; 6] = [5, 10, 15, 20, 25, 30];

/// What grows with the contacts: milliseconds of a run.
type Part = (&'static str, fn(&Figures) -> f64);

/// As thesis Figures 6.65 and 6.66, sleeping off. Contacts of a wall at rest are known again from step to step where pairs are reused.
pub(crate) fn walls(runner: &Runner) -> Result<(), String> {
    let variants: [(&str, &str, &[&str]); 3] = [
        ("velocity-lcp", "velocity-lcp", &[]),
        ("load-propagation", "load-propagation", &[]),
        ("velocity-lcp, pairs reused", "velocity-lcp", &["simulation.stc_analysis.reuse=true"]),
    ];
    let mut study = Study::new("bricks");
    for (name, paradigm, settings) in variants {
        for length in LENGTHS {
            let mut options =
                vec!["--paradigm".to_owned(), paradigm.to_owned(), "--steps".to_owned(), "100".to_owned()];
            options.extend(set("bodies[1].repeat.count", format!("[{length}, 10, 1]")));
            options.extend(set("simulation.sleep_policy.kind", "never"));
            options.extend(settings.iter().flat_map(|s| ["--set".to_owned(), (*s).to_owned()]));
            study.run(runner, name, "wall", &options, 10 * length)?;
        }
    }
    study.finish(
        runner,
        "contact-cost",
        &[("time stepping", Figures::time_stepping_ms), ("detection", Figures::detection_ms)],
    )
}

/// As thesis section 6.4.6 tells of the silo.
pub(crate) fn silo(runner: &Runner) -> Result<(), String> {
    let mut study = Study::new("balls");
    for layers in LAYERS {
        let options = set("bodies[3].repeat.count", format!("[10, {layers}, 10]"));
        study.run(runner, "velocity-lcp", "silo", &options, 100 * layers)?;
    }
    study.finish(runner, "silo-cost", &[("a step", |f| f.number(&["step_ms", "mean"]))])
}

/// Runs of one scene in several sizes.
struct Study {
    table: Table,
    runs: Vec<(&'static str, Figures)>,
}

impl Study {
    fn new(bodies: &str) -> Self {
        let columns =
            ["variant", bodies, "contacts", "time_stepping_ms", "detection_ms", "us_a_contact", "step_mean_ms"];
        Self { table: Table::new(&columns), runs: Vec::new() }
    }

    fn run(
        &mut self,
        runner: &Runner,
        variant: &'static str,
        scene: &str,
        options: &[String],
        bodies: u32,
    ) -> Result<(), String> {
        let step = |f: &Figures| f.number(&["step_ms", "mean"]);
        let mut cells = vec![variant.to_owned(), bodies.to_string()];
        match runner.fastest(scene, options, step)? {
            Ok(f) => {
                let contacts = f.number(&["contacts", "mean"]);
                cells.extend([
                    format!("{contacts:.0}"),
                    format!("{:.4}", f.time_stepping_ms()),
                    format!("{:.4}", f.detection_ms()),
                    format!("{:.3}", 1e3 * step(&f) / contacts),
                    format!("{:.4}", step(&f)),
                ]);
                self.runs.push((variant, f));
            }
            Err(why) => cells.push(why),
        }
        self.table.row(cells);
        Ok(())
    }

    /// Prints the table and a straight line per variant and part.
    fn finish(self, runner: &Runner, name: &str, parts: &[Part]) -> Result<(), String> {
        self.table.finish(&runner.csv(name))?;
        let mut variants: Vec<&str> = self.runs.iter().map(|(variant, _)| *variant).collect();
        variants.dedup();
        for variant in variants {
            for (part, ms) in parts {
                let of_variant = self.runs.iter().filter(|(v, _)| *v == variant);
                let points: Vec<_> = of_variant.map(|(_, f)| (f.number(&["contacts", "mean"]), ms(f))).collect();
                let Some(l) = fit::line(&points) else { continue };
                let each = 1e3 * l.slope;
                println!(
                    "{variant}, {part}: {:.4} ms + {each:.3} us per contact, R^2 = {:.5}",
                    l.intercept, l.r_squared
                );
            }
        }
        Ok(())
    }
}
