use crate::Failure;
use drystone::Modules;
use drystone_lcp_files::LcpDump;
use drystone_session::ProblemTap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// A folder that takes one JSON file for each problem the constraint solver solves.
#[derive(Debug, Clone)]
pub struct DumpTarget(Arc<Mutex<Target>>);

#[derive(Debug)]
struct Target {
    dir: PathBuf,
    scene: String,
    time: f64,
    /// Problems written at this time, and in all.
    group: usize,
    written: usize,
    error: Option<std::io::Error>,
}

impl DumpTarget {
    /// Makes the folder where it does not exist.
    ///
    /// # Errors
    /// [`Failure::Write`].
    pub fn new(dir: &Path, scene: &str) -> Result<Self, Failure> {
        std::fs::create_dir_all(dir).map_err(|error| Failure::Write { path: dir.display().to_string(), error })?;
        Ok(Self(Arc::new(Mutex::new(Target {
            dir: dir.to_owned(),
            scene: scene.to_owned(),
            time: 0.0,
            group: 0,
            written: 0,
            error: None,
        }))))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Target> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says at which time the next problems arise.
    pub(crate) fn at(&self, time: f64) {
        let mut target = self.lock();
        target.time = time;
        target.group = 0;
    }

    /// Checks that everything could be written.
    ///
    /// # Errors
    /// [`Failure::Write`] for the first that could not.
    pub fn finish(&self) -> Result<(), Failure> {
        let mut target = self.lock();
        let path = target.dir.display().to_string();
        target.error.take().map_or(Ok(()), |error| Err(Failure::Write { path, error }))
    }

    /// The chosen constraint solver with its problems written down as they come.
    pub(crate) fn wrap(&self, modules: Modules) -> Result<ProblemTap, Failure> {
        let target = self.clone();
        ProblemTap::new(modules, move |dump| target.lock().write(dump))
            .map_err(|e| Failure::Input(format!("--lcp-dump: {e}")))
    }
}

impl Target {
    fn write(&mut self, dump: LcpDump) {
        let dump = LcpDump { scene: self.scene.clone(), time: self.time, group: self.group, ..dump };
        let path = self.dir.join(format!("{:06}.json", self.written));
        let text = dump.to_json().map_err(std::io::Error::from);
        let part = path.with_extension("part");
        let whole = |text: String| std::fs::write(&part, text).and_then(|()| std::fs::rename(&part, &path));
        if let Err(error) = text.and_then(whole) {
            // half a problem is none, and whether the rest can be removed does not matter
            let _ = std::fs::remove_file(&part);
            // the first one is told at the end
            self.error.get_or_insert(error);
        }
        self.group += 1;
        self.written += 1;
    }
}
