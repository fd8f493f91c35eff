use crate::root::{cargo, root};

/// Tests of the Bevy plugin, and its example without a window.
pub(super) fn run() -> Result<(), String> {
    let manifest = root().join("bevy-drystone").join("Cargo.toml");
    let manifest = manifest.to_string_lossy();
    for step in [&["test"][..], &["run", "--example", "falling_box"]] {
        println!("== bevy-drystone: cargo {}", step.join(" "));
        let status = cargo(step).args(["--manifest-path", &manifest]).status();
        let status = status.map_err(|e| format!("cargo could not be started: {e}"))?;
        if !status.success() {
            return Err(format!("bevy-drystone, cargo {}: {status}", step.join(" ")));
        }
    }
    Ok(())
}
