use crate::root::cargo;
use std::time::Instant;

/// Calls where none are asked for.
const CALLS: &str = "1000000";
/// Seconds of interrupted runs where none are asked for.
const SECONDS: &str = "3600";

/// Runs the monkey test of the facade for long, with checks of overflow and without: `[CALLS [SEED]]`. With `--restore [SECONDS [SEED]]`, runs the test of repeated,
/// interrupted and restored runs for this long, under all presets.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    if let Some(("--restore", rest)) = arguments.split_first().map(|(first, rest)| (first.as_str(), rest)) {
        return restore(rest);
    }
    let [calls, seed] = numbers(arguments, CALLS, "a number of calls")?;
    for profile in [&[][..], &["--release"]] {
        let values = [("DRYSTONE_MONKEY_CALLS", calls), ("DRYSTONE_MONKEY_SEED", seed)];
        test(profile, "no_call_panics", &values)?;
    }
    Ok(())
}

/// For the long checks: an hour.
pub(crate) fn hour() -> Result<(), String> {
    restore(&[])
}

fn restore(arguments: &[String]) -> Result<(), String> {
    let [seconds, seed] = numbers(arguments, SECONDS, "a number of seconds")?;
    let values = [("DRYSTONE_MONKEY_SECONDS", seconds), ("DRYSTONE_MONKEY_SEED", seed)];
    test(&["--release", "--features", "json"], "a_run_has_the_same_bits", &values)
}

/// The first number, which has a default, and the first seed.
fn numbers<'a>(arguments: &'a [String], default: &'a str, what: &str) -> Result<[&'a str; 2], String> {
    if let Some(bad) = arguments.iter().find(|a| a.parse::<u64>().is_err()) {
        return Err(format!("found {bad}; allowed: {what} and a first seed"));
    }
    Ok([(0, default), (1, "1")].map(|(i, default)| arguments.get(i).map_or(default, String::as_str)))
}

/// Runs a test of the monkey's with some values in its environment.
fn test(profile: &[&str], name: &str, values: &[(&str, &str)]) -> Result<(), String> {
    let test = ["test", "--quiet", "-p", "drystone", "--test", "monkey"];
    let all: Vec<&str> = test.iter().chain(profile).chain(&["--", "--nocapture", name]).copied().collect();
    let told: Vec<String> = values.iter().map(|(name, value)| format!("{name}={value}")).collect();
    println!("== {} cargo {}", told.join(" "), all.join(" "));
    let start = Instant::now();
    let status =
        cargo(&all).envs(values.iter().copied()).status().map_err(|e| format!("cargo could not be started: {e}"))?;
    if !status.success() {
        return Err(format!("monkey: {status}"));
    }
    println!("   {:.0} s", start.elapsed().as_secs_f64());
    Ok(())
}
