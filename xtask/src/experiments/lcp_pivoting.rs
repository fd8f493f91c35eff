//! Baraff's claim (E-13): a pivoting method costs two to three linear solutions of the same size.
use super::lcp_dumps::{dump, run_example};
use super::runner::Runner;

pub(crate) const SUMMARY: &str =
    "what pivoting methods cost beside one Cholesky solution, on frictionless dumps of standing scenes (E-13)";

/// Scenes, and steps until they stand on each other.
const SCENES: [(&str, u32); 5] =
    [("column-30", 3), ("brick-tower", 30), ("card-house-5", 20), ("wall", 30), ("pyramid-20", 30)];

pub(crate) fn run(runner: &Runner) -> Result<(), String> {
    let without_friction = ["--set".into(), "simulation.constraint_solver.friction=none".into()];
    let mut folders = Vec::new();
    for (scene, steps) in SCENES {
        folders.push(dump(runner, scene, steps, &without_friction)?);
    }
    println!("dumps:");
    run_example("baraff", &folders)?;
    println!("generated stacks:");
    run_example("baraff", &[])
}
