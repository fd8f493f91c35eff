use std::path::PathBuf;
use std::process::Command;

/// The repository's root folder.
pub(crate) fn root() -> PathBuf {
    let xtask = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().map_or(xtask.clone(), std::path::Path::to_path_buf)
}

/// Where cargo puts what it builds.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// The binary `drystone`, as it is once built for release.
pub(crate) fn binary() -> PathBuf {
    target().join("release").join("drystone").with_extension(std::env::consts::EXE_EXTENSION)
}

/// Cargo, to be run in the root folder: the one that started us.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(root());
    command
}

/// The commit that is checked out, short.
pub(crate) fn commit() -> String {
    let output = Command::new("git").args(["rev-parse", "--short", "HEAD"]).current_dir(root()).output();
    output.ok().map_or_else(|| "unknown".to_owned(), |o| String::from_utf8_lossy(&o.stdout).trim().to_owned())
}
