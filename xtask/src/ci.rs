use crate::root::cargo;
use crate::{ci_long, figures, golden, monkey, tidy};
use std::time::Instant;

/// One step: its name and what cargo is told.
type Step = (&'static str, &'static [&'static str]);

const STEPS: &[Step] = &[
    ("format", &["fmt", "--all", "--check"]),
    ("lints", &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]),
    (
        "lints of the everyday scenes",
        &["clippy", "-p", "xtask", "--features", "rapier", "--bin", "everyday", "--", "-D", "warnings"],
    ),
    ("tests", &["test", "--quiet"]),
    ("tests of the chores", &["test", "--quiet", "-p", "xtask"]),
    (
        "tests of the everyday scenes",
        &["test", "--quiet", "--release", "-p", "xtask", "--features", "everyday", "--bin", "everyday"],
    ),
    (
        "tests without threads, and of values as data",
        &["test", "--quiet", "-p", "drystone", "--no-default-features", "--features", "serde"],
    ),
    ("documentation", &["doc", "--no-deps", "--quiet"]),
    (
        "modules from outside the workspace",
        &["check", "--quiet", "--manifest-path", "examples/outside/Cargo.toml", "--target-dir", "target"],
    ),
    ("benches compile", &["check", "--quiet", "-p", "drystone-benches", "--benches"]),
    ("fuzz targets compile", &["check", "--quiet", "--manifest-path", "fuzz/Cargo.toml", "--target-dir", "target"]),
];

/// Runs every check in order and stops at the first that fails.
pub(crate) fn run() -> Result<(), String> {
    println!("== tidy");
    tidy::run()?;
    for (name, arguments) in STEPS {
        println!("== {name}: cargo {}", arguments.join(" "));
        let start = Instant::now();
        let mut command = cargo(arguments);
        if *name == "documentation" {
            command.env("RUSTDOCFLAGS", "-D warnings");
        }
        // nothing is linked here: with this the fuzzer's own library, which needs a C++ compiler, is not built
        command.env("CUSTOM_LIBFUZZER_PATH", "fuzz/libfuzzer.a");
        let status = command.status().map_err(|e| format!("cargo could not be started: {e}"))?;
        if !status.success() {
            return Err(format!("{name}: {status}"));
        }
        println!("   {:.0} s", start.elapsed().as_secs_f64());
    }
    println!("== dependencies");
    ci_long::run(&["deny".to_owned()])?;
    println!("== restored runs");
    monkey::run(&["--restore".to_owned(), "60".to_owned()])?;
    println!("== golden hashes, with and without optimisation");
    golden::run(&[])?;
    println!("== figures of the documentation");
    figures::run(&["--check".to_owned()])?;
    println!("all is well");
    Ok(())
}
