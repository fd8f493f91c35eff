//! The book as pages, with the lab beside them, in whose frames the text can be tried.

use crate::root::root;
use std::io;
use std::path::Path;
use std::process::Command;

/// Builds `docs/book` by mdbook and puts the built lab into it.
pub(crate) fn run() -> Result<(), String> {
    let (docs, lab) = (root().join("docs"), root().join("lab").join("dist"));
    if !lab.join("index.html").exists() {
        return Err("the lab is not built: cd lab && npm ci && npm run build".to_owned());
    }
    let status = Command::new("mdbook").arg("build").arg(&docs).status();
    let status = status.map_err(|e| format!("mdbook could not be started: {e}; cargo install mdbook"))?;
    if !status.success() {
        return Err(format!("mdbook build: {status}"));
    }
    let book = docs.join("book");
    copy(&lab, &book.join("lab")).map_err(|e| format!("{}: {e}", lab.display()))?;
    println!("{}", book.join("index.html").display());
    Ok(())
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
