use crate::root::root;
use std::process::Command;

/// Builds the lab from its registries and drives it in headless Chromium.
pub(super) fn run() -> Result<(), String> {
    for step in [&["ci"][..], &["run", "build"], &["test"]] {
        println!("== lab: npm {}", step.join(" "));
        let status = Command::new("npm").args(step).current_dir(root().join("lab")).status();
        let status = status.map_err(|e| format!("npm could not be started: {e}"))?;
        if !status.success() {
            return Err(format!("lab, npm {}: {status}", step.join(" ")));
        }
    }
    Ok(())
}
