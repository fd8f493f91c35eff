use super::succeeds;
use crate::root::{cargo, root};
use std::process::{Command, Stdio};

/// The packages whose trees are held to `deny.toml`: the workspace, and what has a lock file of its own.
const TREES: [&str; 3] = ["", "python", "bevy-drystone"];

/// Licences, sources and bans of all dependencies; known vulnerabilities too where the database of advisories can be had.
pub(super) fn deny() -> Result<(), String> {
    if missing("deny", "--version", "cargo-deny") {
        return Ok(());
    }
    for tree in TREES {
        succeeds(deny_in(tree, &["licenses", "bans", "sources"]))?;
    }
    let mut fetch = cargo(&["deny", "fetch", "db"]);
    fetch.current_dir(root()).stdout(Stdio::null()).stderr(Stdio::null());
    if !fetch.status().is_ok_and(|s| s.success()) {
        println!("   advisories skipped: the database (github.com/RustSec/advisory-db) cannot be reached from here");
        return Ok(());
    }
    TREES.iter().try_for_each(|tree| succeeds(deny_in(tree, &["advisories"])))
}

fn deny_in(tree: &str, checks: &[&str]) -> Command {
    let mut check = cargo(&["deny", "--all-features", "--locked", "--config"]);
    check.arg(root().join("deny.toml")).args(["check", "--hide-inclusion-graph"]).args(checks);
    check.current_dir(root().join(tree));
    check
}

/// Known vulnerabilities of what the lock files name.
pub(super) fn audit() -> Result<(), String> {
    if missing("audit", "--version", "cargo-audit") {
        return Ok(());
    }
    for tree in TREES {
        let mut audit = cargo(&["audit", "--quiet"]);
        let output = audit.current_dir(root().join(tree)).output().map_err(|e| format!("could not be started: {e}"))?;
        let text = String::from_utf8_lossy(&output.stderr);
        if text.contains("couldn't fetch advisory database") {
            println!("   skipped: the database (github.com/RustSec/advisory-db) cannot be reached from here");
            return Ok(());
        }
        if !output.status.success() {
            return Err(format!("cargo audit: {}\n{}{text}", output.status, String::from_utf8_lossy(&output.stdout)));
        }
    }
    Ok(())
}

/// Whether the library crates keep the promises of the last release. Nothing is published: the baseline is a revision of this repository,
/// that of `SEMVER_BASELINE`, else the newest tag `v…`.
pub(super) fn semver_checks() -> Result<(), String> {
    if missing("semver-checks", "--version", "cargo-semver-checks") {
        return Ok(());
    }
    let Some(baseline) = std::env::var("SEMVER_BASELINE").ok().or_else(newest_release) else {
        println!("   skipped: nothing is released, so there is no promise to keep yet");
        println!("   (SEMVER_BASELINE=REVISION compares with a revision; later the newest tag v… is taken)");
        return Ok(());
    };
    let check = cargo(&["semver-checks", "check-release", "--workspace", "--baseline-rev", &baseline]);
    succeeds(check)
}

fn newest_release() -> Option<String> {
    let mut describe = Command::new("git");
    describe.args(["describe", "--tags", "--abbrev=0", "--match", "v[0-9]*"]).current_dir(root());
    let output = describe.output().ok().filter(|o| o.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Says how to have a subcommand of cargo where it is not installed.
fn missing(subcommand: &str, version: &str, package: &str) -> bool {
    let lacks = !cargo(&[subcommand, version]).output().is_ok_and(|o| o.status.success());
    if lacks {
        println!("   skipped: `cargo install --locked {package}` brings what this part needs");
    }
    lacks
}
