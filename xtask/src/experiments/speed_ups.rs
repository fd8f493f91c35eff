use super::runner::{Figures, Runner, set};
use super::table::Table;

pub(crate) const SUMMARY: &str = "spheres on an engraved incline: what contact groups and every combination of the other speed-ups save, and how far they change the motion";

const SCENE: &str = "engraved-incline";

/// A speed-up: its letter in the source's table, and what switches it on.
const SPEED_UPS: [(char, &[&str]); 7] = [
    ('c', &["simulation.stc_analysis.reuse=true", "simulation.lcp.warm_start=true"]),
    ('t', &["simulation.lcp.iterations=5"]),
    ('r', &["simulation.stc_analysis.reduce=true"]),
    ('z', &["simulation.stc_analysis.zero=true"]),
    ('d', &["forces.0.linear=0.5", "forces.0.angular=0.5"]),
    ('s', &["simulation.stc_analysis.subgroup=true"]),
    ('f', &["simulation.stc_analysis.fixate=true"]),
];

/// Erleben 2005, section 5.6, Tables 5.4 and 5.5: all combinations in which fixation goes with subgrouping.
pub(crate) fn run(runner: &Runner) -> Result<(), String> {
    let mut groups = Table::new(&["30 spheres, 3 s, path search", "constraint_solver_ms", "variables_max"]);
    for (name, one_group) in [("contact groups", false), ("one group", true)] {
        let figures = runner.figures(SCENE, &few(one_group))??;
        groups.row(vec![
            name.to_owned(),
            format!("{:.3}", figures.solver_ms()),
            format!("{}", figures.number(&["lcp", "variables_max"])),
        ]);
    }
    groups.finish(&runner.csv("contact-groups"))?;

    let plain = ["simulation.lcp.warm_start=false".to_owned(), "simulation.stc_analysis.one_group=true".to_owned()];
    let brute = run_with(runner, &plain)?;
    let mut table =
        Table::new(&["speed_ups", "step_mean_ms", "solver_ms", "asleep", "off_brute_force_mean_m", "highest_m"]);
    table.row(row("brute force", &brute, &brute));
    for mask in 0_u32..1 << SPEED_UPS.len() {
        let on = |letter: char| SPEED_UPS.iter().position(|(l, _)| *l == letter).is_some_and(|k| mask >> k & 1 == 1);
        if on('f') && !on('s') {
            continue;
        }
        let mut options = vec![plain[0].clone()];
        let mut name = String::new();
        for (letter, settings) in SPEED_UPS.iter().filter(|(l, _)| on(*l)) {
            name.push(*letter);
            options.extend(settings.iter().map(|s| (*s).to_owned()));
        }
        let name = if name.is_empty() { "groups alone" } else { &name };
        table.row(row(name, &run_with(runner, &options)?, &brute));
    }
    table.finish(&runner.csv("speed-ups"))
}

/// A quarter of the spheres under a solver of the source's kind, whose cost grows with the cube of the size.
fn few(one_group: bool) -> Vec<String> {
    let mut options: Vec<String> = ["--duration".to_owned(), "3".to_owned()].into();
    options.extend(set("bodies.3.repeat.count", "[15, 1, 2]"));
    options.extend(set("bodies.3.position", "[-5.5, 1.0, -1.0]"));
    options.extend(set("simulation.lcp.solver", "path-search-newton"));
    options.extend(set("simulation.stc_analysis.one_group", one_group));
    options
}

fn run_with(runner: &Runner, settings: &[String]) -> Result<Figures, String> {
    let options: Vec<String> = settings.iter().flat_map(|s| ["--set".to_owned(), s.clone()]).collect();
    runner.fastest(SCENE, &options, |f| f.number(&["step_ms", "mean"]))?
}

fn row(name: &str, figures: &Figures, brute: &Figures) -> Vec<String> {
    let (here, there) = (figures.positions("ball"), brute.positions("ball"));
    let off = |(a, b): (&[f64; 3], &[f64; 3])| (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f64>().sqrt();
    let mean = here.iter().zip(&there).map(off).sum::<f64>() / here.len().max(1) as f64;
    let highest = here.iter().map(|p| p[1]).fold(f64::NEG_INFINITY, f64::max);
    vec![
        name.to_owned(),
        format!("{:.3}", figures.number(&["step_ms", "mean"])),
        format!("{:.3}", figures.solver_ms()),
        format!("{:.0}", figures.number(&["sleeping_final"])),
        format!("{mean:.3}"),
        format!("{highest:.2}"),
    ]
}
