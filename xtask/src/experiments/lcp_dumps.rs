//! Dumps of complementarity problems from scenes, and the solver crate's examples on them.
use super::runner::Runner;
use crate::root::cargo;
use std::path::PathBuf;

/// Runs a scene for some steps and writes its problems into a folder of their own, which it returns.
pub(crate) fn dump(runner: &Runner, scene: &str, steps: u32, options: &[String]) -> Result<PathBuf, String> {
    let folder = runner.csv("lcp-dumps").with_extension("").join(scene);
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut arguments = vec!["--steps".into(), steps.to_string(), "--lcp-dump".into(), folder.display().to_string()];
    arguments.extend_from_slice(options);
    runner.figures(scene, &arguments)?.map_err(|e| format!("{scene}: {e}"))?;
    Ok(folder)
}

/// Runs an example of the solver crate on folders, as it is run by hand.
pub(crate) fn run_example(name: &str, folders: &[PathBuf]) -> Result<(), String> {
    let status = cargo(&["run", "--release", "--quiet", "-p", "drystone-lcp", "--example", name, "--"])
        .args(folders)
        .status()
        .map_err(|e| format!("cargo: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("example {name}: {status}")) }
}
