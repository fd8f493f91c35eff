use crate::{Failure, bundled_scenes, output};
use clap::Args;
use drystone::{ModuleKind, Registry};
use drystone_core::catalogue::Implementation;
use drystone_joints::KINDS;
use drystone_scene::{force_kinds, script_kinds, shape_kinds};
use drystone_session::catalogue_json_of;
use std::fmt::Write;

/// Options of `drystone list`.
#[derive(Debug, Args)]
pub(crate) struct ListArguments {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(a: &ListArguments, registry: &Registry) -> Result<(), Failure> {
    output::print(&if a.json { format!("{}\n", catalogue_json_of(registry)) } else { as_text(registry) })
}

fn as_text(registry: &Registry) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "PRESETS (--paradigm)");
    for p in registry.paradigms() {
        let _ = writeln!(out, "  {}\n      {}\n      source: {}", p.name, p.summary, p.source);
        for (kind, name) in ModuleKind::ALL.into_iter().zip(p.names()) {
            let _ = writeln!(out, "        {:<22} {name}", kind.table());
        }
        for b in p.claims {
            // what is counted from zero is there or not
            let claim = if b.most == 0.0 { "no claim for".to_owned() } else { format!("claims up to {}", b.most) };
            let _ = writeln!(out, "      {claim}: {} ({}; {})", b.demand.summary(), b.reason, b.source);
        }
    }
    let _ = writeln!(out, "\nMODULES (tables in [simulation], or --set simulation.TABLE.KEY=VALUE)");
    for kind in ModuleKind::ALL {
        let _ = writeln!(out, "  {}", kind.table());
        for i in registry.implementations(kind) {
            write_implementation(i, &mut out);
        }
    }
    let _ = writeln!(out, "\nJOINTS (kind in [[joints]])");
    for kind in KINDS.iter().chain(registry.joints().iter().map(|m| &m.described)) {
        write_implementation(kind, &mut out);
    }
    let _ = writeln!(out, "\nSHAPES (key of a body's shape)");
    for (name, summary) in shape_kinds() {
        let _ = writeln!(out, "    {name}\n        {summary}");
    }
    let _ = writeln!(out, "\nSCRIPTS (key in [[scripts]])");
    for (name, summary) in script_kinds() {
        let _ = writeln!(out, "    {name}\n        {summary}");
    }
    let _ = writeln!(out, "\nFORCES (kind in [[forces]])");
    for (name, summary) in force_kinds() {
        let _ = writeln!(out, "    {name}\n        {summary}");
    }
    for kind in registry.forces() {
        write_implementation(&kind.described, &mut out);
    }
    let _ = writeln!(out, "\nSCENES (drystone run NAME)");
    for s in bundled_scenes() {
        let _ = writeln!(out, "  {:<24} {}", s.name, s.description());
    }
    out
}

fn write_implementation(i: &Implementation, out: &mut String) {
    let _ = writeln!(out, "    {}\n        {}", i.name, i.summary);
    if !i.source.is_empty() {
        let _ = writeln!(out, "        source: {}", i.source);
    }
    for p in i.parameters {
        let _ = writeln!(out, "          {} = {}  ({}) {}", p.name, p.default_value(), p.allowed(), p.description());
    }
}
