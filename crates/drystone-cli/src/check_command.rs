use crate::{Failure, Overrides, load, output};
use clap::Args;

/// Options of `drystone check`.
#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// A scene file (TOML or JSON), or the name of a bundled scene
    scene: String,
}

pub(crate) fn run(a: &CheckArguments) -> Result<(), Failure> {
    let loaded = load(&a.scene, &Overrides::default())?;
    output::print(&format!(
        "{}: no fault found; {} bodies, {} s under {}\n",
        a.scene,
        loaded.names.len(),
        loaded.duration,
        loaded.paradigm
    ))
}
