//! Long experiments, driven through the built binary as a user would.

mod benchmark_mechanisms;
pub(crate) mod box_stack;
mod contact_cost;
mod distance_maps;
mod fit;
mod lcp_dumps;
mod lcp_pivoting;
mod lcp_profile;
mod mechanisms;
pub(crate) mod restitution;
pub(crate) mod runner;
mod speed_ups;
pub(crate) mod table;
pub(crate) mod wall_weight;

use runner::Runner;
use std::path::PathBuf;

/// An experiment that can be named.
pub(crate) struct Experiment {
    pub(crate) name: &'static str,
    pub(crate) summary: &'static str,
    run: fn(&Runner) -> Result<(), String>,
}

/// All experiments, in the order in which they run.
pub(crate) const ALL: &[Experiment] = &[
    Experiment { name: "box-stack-iterations", summary: box_stack::SUMMARY, run: box_stack::run },
    Experiment { name: "contact-cost", summary: contact_cost::WALLS, run: contact_cost::walls },
    Experiment { name: "silo-cost", summary: contact_cost::SILO, run: contact_cost::silo },
    Experiment { name: "distance-maps", summary: distance_maps::SUMMARY, run: distance_maps::run },
    Experiment { name: "mechanisms", summary: benchmark_mechanisms::SUMMARY, run: benchmark_mechanisms::table },
    Experiment { name: "chain-solvers", summary: mechanisms::CHAIN, run: mechanisms::chain },
    Experiment { name: "four-bar-digits", summary: mechanisms::FOUR_BAR, run: mechanisms::four_bar },
    Experiment { name: "top-orders", summary: mechanisms::TOP, run: mechanisms::top },
    Experiment { name: "spiral-balls", summary: mechanisms::SPIRAL, run: mechanisms::spiral },
    Experiment { name: "gyroscope-orders", summary: mechanisms::GYROSCOPE, run: mechanisms::gyroscope },
    Experiment { name: "wall-weight", summary: wall_weight::SUMMARY, run: wall_weight::run },
    Experiment { name: "speed-ups", summary: speed_ups::SUMMARY, run: speed_ups::run },
    Experiment { name: "stack-restitution", summary: restitution::SUMMARY, run: restitution::run },
    Experiment { name: "lcp-pivoting", summary: lcp_pivoting::SUMMARY, run: lcp_pivoting::run },
    Experiment { name: "lcp-profile", summary: lcp_profile::SUMMARY, run: lcp_profile::run },
];

/// Runs the named experiments, or all of them.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let (mut binary, mut meshes) = (None, None);
    let mut chosen = Vec::new();
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        if argument == "--binary" {
            binary = Some(PathBuf::from(arguments.next().ok_or("--binary: no file given")?));
            continue;
        }
        if argument == "--meshes" {
            meshes = Some(PathBuf::from(arguments.next().ok_or("--meshes: no folder given")?));
            continue;
        }
        let names: Vec<&str> = ALL.iter().map(|e| e.name).collect();
        chosen.push(
            ALL.iter()
                .find(|e| e.name == argument)
                .ok_or(format!("no experiment {argument}; allowed: {}", names.join(", ")))?,
        );
    }
    if chosen.is_empty() {
        chosen.extend(ALL);
    }
    let runner = Runner::new(binary, meshes)?;
    for experiment in chosen {
        println!("\n== {}: {}", experiment.name, experiment.summary);
        (experiment.run)(&runner)?;
    }
    Ok(())
}
