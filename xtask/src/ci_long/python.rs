use super::succeeds;
use crate::root::{binary, cargo, root, target};
use std::process::Command;

/// What the tests need beside the package itself.
const EXTRAS: &str = "test,sweep,sparse,import,export,polars,ray,dask,notebook";

/// Installs the package into a fresh virtual environment under `target`, from this repository and the package index alone, and runs its
/// tests, the long ones included, against the binary.
pub(crate) fn run() -> Result<(), String> {
    succeeds(cargo(&["build", "--release", "-p", "drystone-cli"]))?;
    let target = target();
    let environment = target.join("ci-python");
    let python = environment.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let mut create = Command::new("python3");
    create.args(["-m", "venv", "--clear"]).arg(&environment);
    succeeds(create)?;
    let pip = |what: &[&str]| {
        let mut install = Command::new(&python);
        install.args(["-m", "pip", "install", "--quiet"]).args(what).current_dir(root());
        // what the binary was built from need not be built again
        install.env("CARGO_TARGET_DIR", &target);
        succeeds(install)
    };
    pip(&[&format!("./python[{EXTRAS}]"), "gymnasium>=1"])?;
    // descriptions of robots, without the programs that they were packed for
    pip(&["--no-deps", "example-robot-data==6.0.0"])?;
    let mut tests = Command::new(&python);
    tests.args(["-m", "pytest", "-q", "--durations=5", "python/tests"]).current_dir(root());
    tests.env("DRYSTONE_BINARY", binary());
    succeeds(tests)
}
