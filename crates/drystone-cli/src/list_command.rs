use crate::{Failure, bundled_scenes, catalogue, output};
use clap::Args;
use drystone::{ModuleKind, Paradigm, registry};
use drystone_core::catalogue::{Implementation, Parameter, ParameterKind, Value};
use drystone_scene::Scene;
use serde_json::{Map, Value as Json, json};
use std::fmt::Write;

/// Options of `drystone list`.
#[derive(Debug, Args)]
pub(crate) struct ListArguments {
    /// Print it as one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(a: &ListArguments) -> Result<(), Failure> {
    output::print(&if a.json { format!("{}\n", catalogue_json()) } else { as_text() })
}

fn as_text() -> String {
    let mut out = String::new();
    let _ = writeln!(out, "PRESETS (--paradigm)");
    for p in Paradigm::ALL {
        let _ = writeln!(out, "  {}\n      {}\n      source: {}", p.name, p.summary, p.source);
        for (kind, name) in ModuleKind::ALL.into_iter().zip(p.names()) {
            let _ = writeln!(out, "        {:<22} {name}", kind.table());
        }
    }
    let _ = writeln!(out, "\nMODULES (tables of [simulation], or --set simulation.TABLE.KEY=VALUE)");
    for kind in ModuleKind::ALL {
        let _ = writeln!(out, "  {}", kind.table());
        for i in registry::implementations(kind) {
            let _ = writeln!(out, "    {}\n        {}\n        source: {}", i.name, i.summary, i.source);
            for p in i.parameters {
                let _ = writeln!(out, "          {} = {}  ({}) {}", p.name, p.default_value(), p.allowed(), p.summary);
            }
        }
    }
    let _ = writeln!(out, "\nSCENES (drystone run NAME)");
    for s in bundled_scenes() {
        let _ = writeln!(out, "  {:<24} {}", s.name, description(s.text));
    }
    out
}

/// Presets, modules with their parameters and bundled scenes: what `drystone list --json` prints.
pub fn catalogue_json() -> Json {
    let paradigms: Vec<Json> = Paradigm::ALL
        .iter()
        .map(|p| {
            let modules: Map<String, Json> =
                ModuleKind::ALL.into_iter().zip(p.names()).map(|(k, n)| (k.table().to_owned(), json!(n))).collect();
            json!({ "name": p.name, "summary": p.summary, "source": p.source, "modules": modules })
        })
        .collect();
    let modules: Map<String, Json> = ModuleKind::ALL
        .into_iter()
        .map(|k| {
            let list: Vec<Json> = registry::implementations(k).iter().map(implementation).collect();
            (k.table().to_owned(), Json::Array(list))
        })
        .collect();
    let scenes: Vec<Json> =
        bundled_scenes().iter().map(|s| json!({ "name": s.name, "description": description(s.text) })).collect();
    json!({ "paradigms": paradigms, "modules": modules, "scenes": scenes })
}

fn implementation(i: &Implementation) -> Json {
    let parameters: Vec<Json> = i.parameters.iter().map(parameter).collect();
    json!({ "name": i.name, "summary": i.summary, "source": i.source, "parameters": parameters })
}

fn parameter(p: &Parameter) -> Json {
    let default = match p.default_value() {
        Value::Bool(v) => json!(v),
        Value::Integer(v) => json!(v),
        Value::Real(v) => json!(v),
        Value::Text(v) => json!(v),
    };
    let kind = match p.kind {
        ParameterKind::Bool { .. } => "bool",
        ParameterKind::Integer { .. } => "integer",
        ParameterKind::Real { .. } => "real",
        ParameterKind::Choice { .. } => "choice",
    };
    json!({ "name": p.name, "type": kind, "default": default, "allowed": p.allowed(), "summary": p.summary })
}

/// The description in a bundled scene's head.
fn description(text: &str) -> String {
    Scene::from_toml_str(text, &catalogue()).map(|s| s.info.description).unwrap_or_default()
}
