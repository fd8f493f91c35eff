use crate::query_command::Row;
use crate::scene_query::Answers;
use crate::{Failure, catalogue_of, output};
use clap::Args;
use drystone::Registry;
use drystone_core::did_you_mean;
use drystone_scene::figures::{Figures, FrameLine, written_schema};
use drystone_scene::{Format, reference, schema};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Options of `drystone schema`.
#[derive(Debug, Args)]
pub(crate) struct SchemaArguments {
    /// Format that is read (scene, scene-query, pair-query) or written (figures, frame, scene-answers, pair-answers)
    #[arg(default_value = "scene")]
    format: String,
    /// Print the tables and keys of scene files in Markdown instead
    #[arg(long, conflicts_with = "out")]
    markdown: bool,
    /// Write all schemas to this folder, each as NAME.json
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// A schema from the declarations of what is written.
type Written = fn() -> Value;

/// Formats that the commands write, with their schemas.
const WRITTEN: [(&str, Written); 4] = [
    ("figures", written_schema::<Figures>),
    ("frame", written_schema::<FrameLine>),
    ("scene-answers", written_schema::<Answers>),
    ("pair-answers", written_schema::<Vec<Row>>),
];

/// Names of all formats.
fn names() -> impl Iterator<Item = &'static str> {
    Format::ALL.iter().map(|(name, _)| *name).chain(WRITTEN.iter().map(|(name, _)| *name))
}

fn text_of(name: &str, registry: &Registry) -> Result<Option<String>, Failure> {
    let read = Format::ALL.iter().find(|(n, _)| *n == name).map(|(_, f)| schema(*f, &catalogue_of(registry)));
    let found = read.or_else(|| WRITTEN.iter().find(|(n, _)| *n == name).map(|(_, written)| written()));
    let text = found.map(|json| serde_json::to_string_pretty(&json)).transpose();
    Ok(text.map_err(|e| Failure::Input(e.to_string()))?.map(|text| text + "\n"))
}

pub(crate) fn run(a: &SchemaArguments, registry: &Registry) -> Result<(), Failure> {
    if a.markdown {
        return output::print(&reference());
    }
    if let Some(folder) = &a.out {
        return write_all(folder, registry);
    }
    let Some(text) = text_of(&a.format, registry)? else {
        let allowed = names().collect::<Vec<_>>().join(", ");
        let hint = did_you_mean(&a.format, &allowed);
        return Err(Failure::Input(format!("found '{}'{hint}; allowed: {allowed}", a.format)));
    };
    output::print(&text)
}

fn write_all(folder: &Path, registry: &Registry) -> Result<(), Failure> {
    let path = || folder.display().to_string();
    std::fs::create_dir_all(folder).map_err(|error| Failure::Write { path: path(), error })?;
    for name in names() {
        let text = text_of(name, registry)?.unwrap_or_default();
        output::write_file(&folder.join(format!("{name}.json")), text)?;
    }
    Ok(())
}
