use super::succeeds;
use crate::root::{cargo, root};
use std::process::Command;

/// What is built for browsers: the facade without threads, what front ends share, and each crate below that can be used alone.
const WASM: [&[&str]; 4] = [
    &["-p", "drystone", "--no-default-features"],
    &["-p", "drystone-lcp", "--no-default-features"],
    &[
        "-p",
        "drystone-broad-phase",
        "-p",
        "drystone-narrow-phase",
        "-p",
        "drystone-contact",
        "-p",
        "drystone-contact-graph",
    ],
    &["-p", "drystone-joints", "-p", "drystone-motion", "-p", "drystone-impact", "-p", "drystone-session"],
];

/// Checks the crates for wasm32, without building anything that runs.
pub(crate) fn wasm() -> Result<(), String> {
    for crates in WASM {
        succeeds(cargo(&[&["check", "--quiet", "--target", "wasm32-unknown-unknown"], crates].concat()))?;
    }
    Ok(())
}

/// Checks the workspace with the oldest Rust that the manifest promises, where rustup has it.
pub(crate) fn oldest_rust() -> Result<(), String> {
    let path = root().join("Cargo.toml");
    let manifest = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let version = manifest.lines().find_map(|l| l.strip_prefix("rust-version = \"")?.strip_suffix('"'));
    let version = version.ok_or("Cargo.toml: no rust-version")?;
    let version = if version.matches('.').count() == 1 { format!("{version}.0") } else { version.to_owned() };
    if !Command::new("rustup").args(["run", &version, "rustc", "--version"]).output().is_ok_and(|o| o.status.success())
    {
        println!("   skipped: `rustup toolchain install {version} --profile minimal` brings what this part needs");
        return Ok(());
    }
    // cargo's own variables would lead the other toolchain's cargo back to this one
    let mut check = Command::new("rustup");
    check.args(["run", &version, "cargo", "check", "--quiet", "--workspace", "--locked"]).current_dir(root());
    check.env_remove("CARGO").env_remove("RUSTC").env_remove("RUSTUP_TOOLCHAIN");
    succeeds(check)
}
