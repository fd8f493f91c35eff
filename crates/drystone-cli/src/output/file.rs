use crate::Failure;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{BufWriter, Error, Write};
use std::path::{Path, PathBuf};
use tempfile::{Builder, NamedTempFile};

/// A file that is written beside its target and takes the target's place when it is whole.
///
/// If writing fails, or the program ends early, the target stays as it was: absent, or with its former contents. A target that exists and is not a
/// regular file (a pipe), or that stands for an open file (`/dev/stdout`), is written directly.
#[derive(Debug)]
pub(crate) struct Output {
    path: PathBuf,
    place: Place,
}

#[derive(Debug)]
enum Place {
    /// The file beside the target, and the target with symbolic links resolved.
    Beside(Box<BufWriter<NamedTempFile>>, PathBuf),
    Direct(BufWriter<File>),
}

impl Output {
    /// Makes the file beside the target.
    ///
    /// # Errors
    /// [`Failure::Write`] if the target may not be written, or nothing can be created in its folder.
    pub(crate) fn open(path: &Path) -> Result<Self, Failure> {
        let place = Place::open(path).map_err(|error| unwritable(path, error))?;
        Ok(Self { path: path.to_owned(), place })
    }

    /// The path that was asked for.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// # Errors
    /// [`Failure::Write`].
    pub(crate) fn write(&mut self, bytes: impl AsRef<[u8]>) -> Result<(), Failure> {
        let written = match &mut self.place {
            Place::Beside(file, _) => file.write_all(bytes.as_ref()),
            Place::Direct(file) => file.write_all(bytes.as_ref()),
        };
        written.map_err(|error| unwritable(&self.path, error))
    }

    /// Puts the file in the target's place, once all of it is on the disk.
    ///
    /// # Errors
    /// [`Failure::Write`]; the target is then as it was.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        let Self { path, place } = self;
        place.finish().map_err(|error| unwritable(&path, error))
    }
}

impl Place {
    fn open(path: &Path) -> Result<Self, Error> {
        let found = match std::fs::metadata(path) {
            Ok(found) if !found.is_file() || is_open_file(path) => {
                return Ok(Self::Direct(BufWriter::new(File::create(path)?)));
            }
            Ok(found) => Some(found),
            Err(_) => None,
        };
        if found.is_some() {
            // a file that may not be written is not replaced either
            OpenOptions::new().write(true).open(path)?;
        }
        let target = if found.is_some() { path.canonicalize()? } else { path.to_owned() };
        let folder = target.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut builder = Builder::new();
        builder.prefix(".drystone-").suffix(".part");
        let file = created(&mut builder, folder, found.as_ref())?;
        Ok(Self::Beside(Box::new(BufWriter::new(file)), target))
    }

    fn finish(self) -> Result<(), Error> {
        match self {
            Self::Beside(file, target) => {
                let file = file.into_inner().map_err(std::io::IntoInnerError::into_error)?;
                file.as_file().sync_all()?;
                file.persist(target)?;
                Ok(())
            }
            Self::Direct(mut file) => file.flush(),
        }
    }
}

/// Returns true if a path stands for a file that this process has open already. Replacing it would take it away from
/// other writers.
pub(super) fn is_open_file(path: &Path) -> bool {
    ["/dev/stdout", "/dev/stderr", "/dev/fd", "/proc"].iter().any(|open| path.starts_with(open))
}

/// A new file with the permissions of the one that it replaces, or with those of any new file.
#[cfg(unix)]
fn created(builder: &mut Builder<'_, '_>, folder: &Path, old: Option<&Metadata>) -> Result<NamedTempFile, Error> {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;
    let file = builder.permissions(Permissions::from_mode(0o666)).tempfile_in(folder)?;
    if let Some(old) = old {
        file.as_file().set_permissions(old.permissions())?;
    }
    Ok(file)
}

#[cfg(not(unix))]
fn created(builder: &mut Builder<'_, '_>, folder: &Path, _: Option<&Metadata>) -> Result<NamedTempFile, Error> {
    builder.tempfile_in(folder)
}

/// Writes a whole file, or leaves what is there as it was.
///
/// # Errors
/// [`Failure::Write`].
pub(crate) fn write_file(path: &Path, bytes: impl AsRef<[u8]>) -> Result<(), Failure> {
    let mut file = Output::open(path)?;
    file.write(bytes)?;
    file.finish()
}

fn unwritable(path: &Path, error: Error) -> Failure {
    Failure::Write { path: path.display().to_string(), error }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(folder: &Path) -> Vec<String> {
        let names = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_replaced_when_it_is_whole_and_not_before() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        std::fs::write(&path, "old").unwrap();
        let mut dropped = Output::open(&path).unwrap();
        dropped.write(vec![b'x'; 100_000]).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        drop(dropped);
        assert_eq!((std::fs::read(&path).unwrap(), listed(folder.path())), (b"old".to_vec(), vec!["out".to_owned()]));
        write_file(&path, "new").unwrap();
        assert_eq!((std::fs::read(&path).unwrap(), listed(folder.path())), (b"new".to_vec(), vec!["out".to_owned()]));
    }

    #[cfg(unix)]
    #[test]
    fn permissions_and_links_stay_and_devices_are_written_directly() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (path, link, plain) = (folder.path().join("out"), folder.path().join("link"), folder.path().join("plain"));
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        // the control: what any program's new file gets here
        std::fs::write(&plain, "").unwrap();
        write_file(&path, "first").unwrap();
        assert_eq!(mode(&path), mode(&plain));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&path, &link).unwrap();
        write_file(&link, "second").unwrap();
        assert_eq!((std::fs::read(&path).unwrap(), mode(&path)), (b"second".to_vec(), 0o640));
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
        write_file(Path::new("/dev/null"), "nothing").unwrap();
        assert!(!std::fs::metadata("/dev/null").unwrap().is_file());
    }
}
