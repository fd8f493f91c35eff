//! Performance profiles of all complementarity solvers.
use super::lcp_dumps::{dump, run_example};
use super::runner::Runner;

pub(crate) const SUMMARY: &str =
    "performance profiles (Dolan, More) of all complementarity solvers, on generated problems and dumps of scenes";

/// Scenes, and steps until there is something to solve.
const SCENES: [(&str, u32); 12] = [
    ("apex", 20),
    ("box-stack", 20),
    ("brick-tower", 30),
    ("card-house-5", 20),
    ("column-30", 3),
    ("free-top", 20),
    ("heavy-on-top", 20),
    ("nine-to-one", 20),
    ("pyramid-20", 30),
    ("see-saw", 30),
    ("slope-sticks", 20),
    ("stack-heights", 20),
];

pub(crate) fn run(runner: &Runner) -> Result<(), String> {
    let out = runner.csv("performance-profile");
    let mut arguments = vec![out.parent().ok_or("no folder for the output")?.to_owned()];
    for (scene, steps) in SCENES {
        arguments.push(dump(runner, scene, steps, &[])?);
    }
    run_example("performance_profile", &arguments)
}
