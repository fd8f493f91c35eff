use crate::root::cargo;

/// Pairs where none are asked for, and in the long checks.
const PAIRS: &str = "1000000";

/// Judges random pairs of shapes by the example `fuzz_pairs`: `[N] [--seed S] [--first K]`.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let (mut pairs, mut seed, mut first) = (PAIRS, "1", "0");
    let mut rest = arguments.iter().map(String::as_str);
    while let Some(argument) = rest.next() {
        let value = match argument {
            "--seed" => &mut seed,
            "--first" => &mut first,
            number => {
                pairs = number;
                continue;
            }
        };
        *value = rest.next().ok_or_else(|| format!("fuzz-pairs: {argument} needs a number"))?;
    }
    if let Some(bad) = [pairs, seed, first].into_iter().find(|x| x.parse::<u64>().is_err()) {
        return Err(format!("fuzz-pairs: found '{bad}'; allowed: a number of pairs, --seed and --first with a number"));
    }
    let example = ["run", "--quiet", "-p", "drystone-contact", "--example", "fuzz_pairs", "--", pairs, seed, first];
    let status = cargo(&example).status().map_err(|e| format!("cargo could not be started: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("fuzz-pairs: {status}")) }
}

/// For the long checks.
pub(crate) fn long() -> Result<(), String> {
    run(&[])
}
