use crate::{Failure, catalogue_of, output};
use clap::Args;
use drystone::Registry;
use drystone_core::did_you_mean;
use drystone_scene::{Format, reference, schema};

/// Options of `drystone schema`.
#[derive(Debug, Args)]
pub(crate) struct SchemaArguments {
    /// Which files: scene, scene-query or pair-query
    #[arg(default_value = "scene")]
    format: String,
    /// Print the tables and keys of scene files in Markdown instead
    #[arg(long)]
    markdown: bool,
}

pub(crate) fn run(a: &SchemaArguments, registry: &Registry) -> Result<(), Failure> {
    if a.markdown {
        return output::print(&reference());
    }
    let Some((_, format)) = Format::ALL.iter().find(|(name, _)| *name == a.format) else {
        let allowed = Format::ALL.map(|(name, _)| name).join(", ");
        let hint = did_you_mean(&a.format, &allowed);
        return Err(Failure::Input(format!("found '{}'{hint}; allowed: {allowed}", a.format)));
    };
    let text = serde_json::to_string_pretty(&schema(*format, &catalogue_of(registry)));
    output::print(&(text.map_err(|e| Failure::Input(e.to_string()))? + "\n"))
}
