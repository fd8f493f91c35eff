use crate::root::{cargo, root};
use std::process::{Command, Stdio};

/// What each mutant may take of the tests, in seconds.
const TIMEOUT: &str = "300";

/// Runs cargo-mutants over a crate with that crate's own tests: `CRATE [ARGUMENT…]`, the arguments being those of cargo-mutants.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let all = crates()?;
    let name = arguments.first().map_or("nothing", String::as_str);
    let full = if all.iter().any(|c| c == name) { name.to_owned() } else { format!("drystone-{name}") };
    if !all.contains(&full) {
        return Err(format!("mutants: found {name}; allowed: {}", all.join(", ")));
    }
    let mut version = cargo(&["mutants", "--version"]);
    if !version.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|s| s.success()) {
        return Err("mutants: cargo-mutants is not installed; to have it: cargo install cargo-mutants --locked".into());
    }
    // whoever gives arguments after -- says what the tests are
    let own = &arguments[1..];
    let tests: &[&str] = if own.iter().any(|a| a == "--") { &[] } else { &["--", "--tests"] };
    let mut command: Command = cargo(&["mutants", "--package", &full, "--timeout", TIMEOUT]);
    command.args(own).args(tests);
    let status = command.status().map_err(|e| format!("cargo could not be started: {e}"))?;
    // 2: some mutants survived, 3: some ran out of time
    match status.code() {
        Some(0) => Ok(()),
        Some(2 | 3) => Err("mutants: those that survived are in mutants.out/missed.txt: each needs a test that kills it, or a word why it is the same program".into()),
        _ => Err(format!("mutants: {status}")),
    }
}

/// The crates of the workspace, by their folders' names.
fn crates() -> Result<Vec<String>, String> {
    let folder = root().join("crates");
    let entries = std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut names: Vec<String> = entries.flatten().filter_map(|e| e.file_name().into_string().ok()).collect();
    names.sort();
    Ok(names)
}
