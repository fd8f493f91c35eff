//! The `drystone` command line, as a library so that tests can run scenes the way the binary does.
//!
//! One file a command. A scene's way through `run`: [`load`] reads it and builds the world, [`simulate`] steps the
//! world and gathers the figures, the file `run_command` prints them.

mod check_command;
mod compare_command;
mod failure;
mod import_command;
mod interrupt;
mod lcp_command;
mod lcp_dump;
mod list_command;
#[cfg(feature = "view")]
pub mod live;
mod load;
mod output;
mod page;
mod picture;
mod plot;
mod progress;
mod query_command;
pub mod replay;
mod run_command;
mod scene_query;
mod schema_command;
mod simulate;
mod table;
#[cfg(feature = "view")]
mod view_command;

pub use drystone_session::{
    Bundled, Kept, Loaded, Overrides, SaveError, SaveWorld, bundled_scenes, catalogue, catalogue_json,
    catalogue_json_of, catalogue_of, open,
};
pub use failure::Failure;
pub use lcp_dump::DumpTarget;
pub use load::{load, load_document, load_dumping, load_from};
pub use query_command::query_pairs;
pub use simulate::{FrameSink, Simulated, simulate};

use clap::{Parser, Subcommand};
use drystone::Registry;
use std::ffi::OsString;
use std::process::ExitCode;

#[derive(Debug, Parser)]
#[command(name = "drystone", version, about = "Rigid-body dynamics with every module swappable at run time")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Simulate a scene and report its figures
    Run(run_command::RunArguments),
    /// Simulate scenes under several paradigms and settings, side by side
    Compare(compare_command::CompareArguments),
    /// List presets, modules with their parameters, and bundled scenes
    List(list_command::ListArguments),
    /// Read a scene and report every fault in it
    Check(check_command::CheckArguments),
    /// Print a JSON schema of what the commands read or write, for editors and programs
    Schema(schema_command::SchemaArguments),
    /// Solve or describe complementarity problems from files
    Lcp(lcp_command::LcpArgs),
    /// Query narrow phases with pairs of placed shapes, or a scene with rays, points and swept shapes
    Query(query_command::QueryArgs),
    /// Serve a scene as a live web page, on this machine only; stop with Ctrl-C
    #[cfg(feature = "view")]
    View(view_command::ViewArguments),
    /// Convert a robot or model description (URDF, MJCF, glTF, USD) to a scene; needs the Python package
    Import(import_command::ImportArguments),
}

/// Runs the command line; the exit status is 0 for done, 1 for a simulation that failed, 2 for bad usage or input, and 128 and the signal's number
/// (130 for Ctrl-C) for a run that was stopped.
pub fn main() -> ExitCode {
    run(&Registry::default(), std::env::args_os())
}

/// Runs the command line around a registry, for a binary of one's own: what was added to the registry is known to scene files, `--set`, `list`,
/// `schema`, `compare`, `lcp` and reports. `arguments` begin with the program's name.
pub fn run(registry: &Registry, arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(e) => {
            // help goes to standard output; that it may not be printed is no reason to fail
            let _ = e.print();
            return ExitCode::from(u8::try_from(e.exit_code()).unwrap_or(2));
        }
    };
    let outcome = match arguments.command {
        Command::Run(a) => run_command::run(&a, registry),
        Command::Compare(a) => compare_command::run(&a, registry),
        Command::List(a) => list_command::run(&a, registry),
        Command::Check(a) => check_command::run(&a, registry),
        Command::Schema(a) => schema_command::run(&a, registry),
        Command::Lcp(a) => lcp_command::run(&a, registry),
        Command::Query(a) => query_command::run(&a, registry),
        #[cfg(feature = "view")]
        Command::View(a) => view_command::run(&a, registry),
        Command::Import(a) => import_command::run(&a),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            failure.exit_code()
        }
    }
}

/// The README's Rust blocks, compiled as they stand.
#[doc = include_str!("../README.md")]
#[cfg(doctest)]
pub struct ReadmeDoctests;

/// The program of the book's first steps, compiled and run as it stands.
#[doc = include_str!("../../../docs/src/first-steps.md")]
#[cfg(doctest)]
pub struct BookDoctests;
