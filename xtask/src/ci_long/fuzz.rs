use super::succeeds;
use crate::root::{cargo, root};

/// Checks that the fuzz targets compile. Running them needs cargo-fuzz: see `fuzz/README.md`.
pub(super) fn run() -> Result<(), String> {
    let mut check = cargo(&["check", "--quiet", "--target-dir", "target"]);
    check.current_dir(root()).arg("--manifest-path").arg(root().join("fuzz/Cargo.toml"));
    succeeds(check)
}
