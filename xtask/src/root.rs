use std::path::PathBuf;
use std::process::Command;

/// The repository's root folder.
pub(crate) fn root() -> PathBuf {
    let xtask = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().map_or(xtask.clone(), std::path::Path::to_path_buf)
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
