use super::succeeds;
use crate::root::{binary, cargo, root};
use std::process::Command;

/// Builds the lab from its registries and drives it, and a report of the binary, in headless Chromium.
pub(super) fn run() -> Result<(), String> {
    succeeds(cargo(&["build", "--release", "-p", "drystone-cli"]))?;
    for step in [&["ci"][..], &["run", "build"], &["test"]] {
        println!("== lab: npm {}", step.join(" "));
        let mut npm = Command::new("npm");
        npm.args(step).current_dir(root().join("lab")).env("DRYSTONE", binary());
        let status = npm.status().map_err(|e| format!("npm could not be started: {e}"))?;
        if !status.success() {
            return Err(format!("lab, npm {}: {status}", step.join(" ")));
        }
    }
    Ok(())
}
