use crate::root::cargo;

/// Bodies where none are asked for.
const BODIES: &str = "500";

/// Drops random bodies on random terrain and rails under the default, by the test of the facade: `[N [SEED]]`.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    if let Some(bad) = arguments.iter().find(|a| a.parse::<u64>().is_err()) {
        return Err(format!("rest: found {bad}; allowed: a number of bodies and a first seed"));
    }
    let given = |i: usize, default| arguments.get(i).map_or(default, String::as_str);
    let name = "bodies_of_all_kinds_rest_on_random_terrain_and_rails";
    let status = cargo(&["test", "--quiet", "--release", "-p", "drystone", "--test", "contacts_suite", "--", name])
        .env("DRYSTONE_REST_BODIES", given(0, BODIES))
        .env("DRYSTONE_REST_SEED", given(1, "1"))
        .status()
        .map_err(|e| format!("cargo could not be started: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("rest: {status}")) }
}
