use crate::root::cargo;
use std::time::Instant;

/// Calls where none are asked for.
const CALLS: &str = "1000000";

/// Runs the monkey test of the facade for long, with checks of overflow and without: `[CALLS [SEED]]`.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    if let Some(bad) = arguments.iter().find(|a| a.parse::<u64>().is_err()) {
        return Err(format!("found {bad}; allowed: a number of calls and a first seed"));
    }
    let [calls, seed] = [(0, CALLS), (1, "1")].map(|(i, default)| arguments.get(i).map_or(default, String::as_str));
    for profile in [&[][..], &["--release"]] {
        let test = ["test", "--quiet", "-p", "drystone", "--test", "monkey"];
        let all: Vec<&str> = test.iter().chain(profile).chain(&["--", "--nocapture"]).copied().collect();
        println!("== cargo {}, {calls} calls from seed {seed} on", all.join(" "));
        let start = Instant::now();
        let mut command = cargo(&all);
        command.env("DRYSTONE_MONKEY_CALLS", calls).env("DRYSTONE_MONKEY_SEED", seed);
        let status = command.status().map_err(|e| format!("cargo could not be started: {e}"))?;
        if !status.success() {
            return Err(format!("monkey: {status}"));
        }
        println!("   {:.0} s", start.elapsed().as_secs_f64());
    }
    Ok(())
}
