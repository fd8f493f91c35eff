use crate::live::{Stage, Viewer};
use crate::{Failure, Overrides, load_from, output};
use clap::Args;
use drystone::Registry;
use std::sync::atomic::AtomicBool;

/// Options of `drystone view`.
#[derive(Debug, Args)]
pub(crate) struct ViewArguments {
    /// A scene file (TOML or JSON), or the name of a bundled scene
    scene: String,
    /// Preset to use instead of the scene's
    #[arg(long)]
    paradigm: Option<String>,
    /// Set a value of the scene: PATH=VALUE, like simulation.lcp.iterations=50
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// Port on 127.0.0.1; 0 takes a free one
    #[arg(long, default_value_t = 8321)]
    port: u16,
    /// Number of threads; the result does not depend on it
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,
}

pub(crate) fn run(a: &ViewArguments, registry: &Registry) -> Result<(), Failure> {
    let overrides = Overrides {
        paradigm: a.paradigm.clone(),
        set: a.set.clone(),
        threads: Some(usize::from(a.threads)),
        ..Overrides::default()
    };
    let loaded = load_from(registry, &a.scene, &overrides)?;
    output::warn(&loaded.warnings);
    let mut stage = Stage::new(registry, loaded);
    let viewer = Viewer::bind(a.port)?;
    output::print(&format!("{}: http://127.0.0.1:{}/ (Ctrl-C to stop)\n", stage.name(), viewer.port()))?;
    viewer.serve(&mut stage, &AtomicBool::new(false))
}
