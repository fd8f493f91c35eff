use crate::root::cargo;

/// Compares the bits of short runs with the table, with and without optimisation and debug assertions; or writes the table.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => {
            test(&[], &[])?;
            test(&["--release"], &[])
        }
        ["--bless"] => test(&[], &[("DRYSTONE_BLESS", "1")]),
        _ => Err("golden: allowed: --bless".to_owned()),
    }
}

fn test(profile: &[&str], environment: &[(&str, &str)]) -> Result<(), String> {
    let arguments = [&["test", "--quiet", "-p", "drystone-cli", "--test", "golden_hashes"], profile].concat();
    println!("== cargo {}", arguments.join(" "));
    let mut command = cargo(&arguments);
    command.envs(environment.iter().copied());
    let status = command.status().map_err(|e| format!("cargo could not be started: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("golden hashes: {status}")) }
}
