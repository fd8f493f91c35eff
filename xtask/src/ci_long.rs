//! What takes minutes, or needs more than a Rust toolchain: part by part.

mod bevy;
mod dependencies;
mod fuzz;
mod lab;
mod pages;
mod python;
mod targets;

use std::process::Command;
use std::time::Instant;

/// A part: its name, what it needs beside Rust, and how it runs.
type Part = (&'static str, &'static str, fn() -> Result<(), String>);

const PARTS: &[Part] = &[
    ("wasm-check", "the target wasm32-unknown-unknown", targets::wasm),
    (
        "oldest-rust",
        "rustup with the toolchain that rust-version names, as 1.90.0; skipped without it",
        targets::oldest_rust,
    ),
    ("fuzz", "a C++ compiler, the registry and 20 minutes", fuzz::run),
    ("deny", "cargo-deny, and for advisories a network that reaches GitHub; skipped without", dependencies::deny),
    ("audit", "cargo-audit and a network that reaches GitHub; skipped without", dependencies::audit),
    (
        "semver-checks",
        "cargo-semver-checks, and a release or SEMVER_BASELINE=REVISION to compare with; skipped without",
        dependencies::semver_checks,
    ),
    ("pages", "Chromium, or another browser of its kind named by CHROMIUM", pages::run),
    ("python", "Python 3.10 or newer with venv, and its package index", python::run),
    ("wasm-bits", "the target wasm32-unknown-unknown and Node", crate::wasm_bits::run),
    ("lab", "the same, npm's registry and Chromium", lab::run),
    ("fuzz-pairs", "a quarter of an hour", crate::fuzz_pairs::long),
    ("monkey", "an hour", crate::monkey::hour),
    ("combinations", "half an hour", crate::combinations::long),
    ("bevy", "the registry: Bevy is a large compile", bevy::run),
];

/// Runs the named parts, all where no name is given, and stops at the first that fails.
pub(crate) fn run(names: &[String]) -> Result<(), String> {
    if let Some(odd) = names.iter().find(|n| !PARTS.iter().any(|(name, ..)| name == n)) {
        let all: Vec<_> = PARTS.iter().map(|(name, ..)| *name).collect();
        return Err(format!("ci-long: found '{odd}'; allowed: {}", all.join(", ")));
    }
    for (name, needs, part) in PARTS.iter().filter(|(name, ..)| names.is_empty() || names.iter().any(|n| n == name)) {
        println!("== {name} (needs {needs})");
        let start = Instant::now();
        part()?;
        println!("   {:.0} s", start.elapsed().as_secs_f64());
    }
    Ok(())
}

/// Prints a command and runs it.
fn succeeds(mut command: Command) -> Result<(), String> {
    println!("   {}", format!("{command:?}").replace('"', ""));
    let status = command.status().map_err(|e| format!("could not be started: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?}: {status}")) }
}
