use super::file::is_open_file;
use crate::Failure;
use std::path::{Path, PathBuf};

/// A path with the option that it was given by.
type Named<'a> = (&'a str, &'a Path);

/// Refuses files to write that are the same file twice, or that are read as well.
///
/// # Errors
/// [`Failure::Input`] with both options.
pub(crate) fn refuse_same(written: &[Named<'_>], read: &[Named<'_>]) -> Result<(), Failure> {
    let written: Vec<_> = written.iter().map(|(option, path)| (option, path, identity(path))).collect();
    let read: Vec<_> = read.iter().map(|(option, path)| (option, path, identity(path))).collect();
    for (i, (option, path, own)) in written.iter().enumerate() {
        let mut others = written[..i].iter().chain(&read);
        if let Some((other, ..)) = others.find(|(.., identity)| own.is_some() && identity == own) {
            let path = path.display();
            return Err(Failure::Input(format!("{option} {path}: the same file as {other}; allowed: another file")));
        }
    }
    Ok(())
}

/// The path of a file with links resolved, whether it exists or not. None for a device or a pipe, which takes any number of outputs.
fn identity(path: &Path) -> Option<PathBuf> {
    match std::fs::metadata(path) {
        Ok(found) if found.is_file() && !is_open_file(path) => path.canonicalize().ok(),
        Ok(_) => None,
        Err(_) => {
            let folder = path.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
            Some(folder.canonicalize().ok()?.join(path.file_name()?))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_file_is_known_by_any_path() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::create_dir(path("below")).unwrap();
        std::fs::write(path("scene"), "").unwrap();
        let (a, b, scene) = (path("a"), path("below/../a"), path("below/../scene"));
        let refused =
            |written: &[Named<'_>]| refuse_same(written, &[("the scene", &scene)]).err().map(|e| e.to_string());
        assert_eq!(refused(&[("--x", &a), ("--y", &path("b"))]), None);
        assert!(refused(&[("--x", &a), ("--y", &b)]).is_some_and(|said| said.contains("--x") && said.contains("--y")));
        assert!(refused(&[("--x", &path("scene"))]).is_some_and(|said| said.contains("the scene")));
        // a folder, or a device, is no file that could be lost
        assert_eq!(refused(&[("--x", folder.path()), ("--y", folder.path())]), None);
    }
}
