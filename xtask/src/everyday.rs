//! `cargo xtask everyday`: the binary of that name, optimised, with rapier where it is asked for.

use crate::root::cargo;

/// Builds and runs it.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let features = if arguments.iter().any(|a| a == "--rapier") { "rapier" } else { "everyday" };
    let build = ["run", "--quiet", "--release", "-p", "xtask", "--features", features, "--bin", "everyday", "--"];
    let status = cargo(&build).args(arguments).status().map_err(|e| format!("cargo could not be started: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("everyday: {status}")) }
}
