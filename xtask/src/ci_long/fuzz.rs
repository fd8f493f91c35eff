use super::succeeds;
use crate::root::{cargo, root, target};
use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};

/// What libFuzzer steers by, and the checks of debug builds: as cargo-fuzz sets them, without the address sanitizer, which asks for flags that a stable compiler refuses.
const FLAGS: &str = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Cdebug-assertions -Coverflow-checks";

/// Time for which each target runs (s).
const SECONDS: u32 = 120;

/// Builds the fuzz targets and runs each for some minutes, from its seeds. What they find, and what they say, lies in `fuzz` in the target folder.
pub(super) fn run() -> Result<(), String> {
    let (host, folder) = (host()?, target().join("fuzz"));
    let mut build = cargo(&["build", "--quiet", "--release", "--manifest-path", "fuzz/Cargo.toml"]);
    // with a named target the flags reach neither build scripts nor macros
    build.args(["--target", &host]).arg("--target-dir").arg(&folder).env("RUSTFLAGS", FLAGS);
    succeeds(build)?;
    names()?.iter().try_for_each(|name| fuzz(&folder.join(&host).join("release").join(name), &folder, name))
}

/// Runs a target. It begins with its seeds and with what it found before, and adds new inputs to that.
fn fuzz(binary: &Path, folder: &Path, name: &str) -> Result<(), String> {
    let (corpus, log) = (folder.join("corpus").join(name), folder.join(name).with_extension("log"));
    let told = |e: std::io::Error| format!("{}: {e}", log.display());
    std::fs::create_dir_all(&corpus).map_err(told)?;
    let mut command = Command::new(binary);
    command.arg(&corpus).current_dir(root()).args(["-timeout=20", "-print_funcs=0", "-print_final_stats=1"]);
    command.arg(format!("-max_total_time={SECONDS}"));
    command.arg(format!("-artifact_prefix={}/{name}-", folder.display()));
    // the world of a scene is built from the same files
    let seeds = root().join("fuzz/seeds").join(if name == "advance" { "scene" } else { name });
    let words = seeds.with_extension("dict");
    if seeds.is_dir() {
        command.arg(seeds);
    }
    if words.is_file() {
        command.arg(format!("-dict={}", words.display()));
    }
    command.stdout(Stdio::null()).stderr(File::create(&log).map_err(told)?);
    let status = command.status().map_err(|e| format!("{}: {e}", binary.display()))?;
    let text = String::from_utf8_lossy(&std::fs::read(&log).map_err(told)?).into_owned();
    let count = |what: &str| text.lines().find_map(|line| line.strip_prefix(what)).unwrap_or(" ?").trim().to_owned();
    let [runs, units] = ["stat::number_of_executed_units:", "stat::new_units_added:"].map(count);
    println!("   {name}: {runs} executions, {units} units added");
    if status.success() { Ok(()) } else { Err(format!("{name}: {status}: see {}", log.display())) }
}

/// The names of the targets, ascending.
fn names() -> Result<Vec<String>, String> {
    let folder = root().join("fuzz/fuzz_targets");
    let told = |e: std::io::Error| format!("{}: {e}", folder.display());
    let entries: Result<Vec<_>, _> = std::fs::read_dir(&folder).map_err(told)?.collect();
    let stems =
        entries.map_err(told)?.into_iter().filter_map(|entry| Some(entry.path().file_stem()?.to_str()?.to_owned()));
    let mut names: Vec<String> = stems.collect();
    names.sort_unstable();
    Ok(names)
}

/// The compiler's own target.
fn host() -> Result<String, String> {
    let output = Command::new("rustc").arg("-vV").output().map_err(|e| format!("rustc could not be started: {e}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "rustc -vV names no host".to_owned())
}
