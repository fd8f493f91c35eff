use crate::{Failure, Overrides, load_from, output};
use clap::Args;
use drystone::Registry;

/// Options of `drystone check`.
#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// A scene file (TOML or JSON), or the name of a bundled scene
    scene: String,
}

pub(crate) fn run(a: &CheckArguments, registry: &Registry) -> Result<(), Failure> {
    let loaded = load_from(registry, &a.scene, &Overrides::default())?;
    output::warn(&loaded.warnings);
    output::print(&format!(
        "{}: no fault found; {} bodies, {} s under {}\n",
        a.scene,
        loaded.names.len(),
        loaded.duration,
        loaded.paradigm
    ))
}
