//! Bundled scenes are part of the library: a new or changed one must rebuild it. In the repository they lie at its root; a package has them
//! inside.

use std::path::{Path, PathBuf};

fn main() {
    let own = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).unwrap_or_default();
    let root = own.join("../../scenes");
    let scenes = if Path::new(&root).join("box-stack.toml").is_file() { root } else { own.join("scenes") };
    println!("cargo::rerun-if-changed={}", scenes.display());
    println!("cargo::rustc-env=DRYSTONE_SCENES={}", scenes.display());
}
