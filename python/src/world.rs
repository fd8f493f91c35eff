//! A world as Python holds it: the engine's, with names, behind a lock of its own.

use crate::error::{Done, Fail, detached};
use crate::report::StepReport;
use drystone::{Paradigm, World};
use drystone_cli::replay::Recording;
use drystone_cli::{Loaded, Overrides, load, load_document};
use drystone_core::{BodyId, BodyIndex, ForceId, JointId, TimerId};
use drystone_math::{Quat, Vec3};
use drystone_scene::figures::FrameLine;
use drystone_scene::{Document, JointEntry, SceneFaults};
use pyo3::prelude::*;
use serde_json::{Value as Json, json};
use slotmap::{Key, KeyData, SecondaryMap};
use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// What stands behind a `drystone.World`.
#[pyclass(frozen, module = "drystone._native")]
pub(crate) struct NativeWorld {
    inner: Mutex<Inner>,
    /// The process that its threads are of.
    process: AtomicU32,
}

pub(crate) struct Inner {
    pub(crate) loaded: Loaded,
    /// What each joint was built from.
    pub(crate) joints: SecondaryMap<JointId, JointEntry>,
    pub(crate) recording: Option<Recording>,
    /// How many frames were due so far.
    pub(crate) due: u64,
    pub(crate) seed: u64,
}

impl Inner {
    fn new(loaded: Loaded, seed: u64) -> Self {
        let ids = loaded.world.joints().iter().copied();
        let joints = ids.zip(loaded.joints.iter().cloned()).collect();
        Self { loaded, joints, recording: None, due: 0, seed }
    }

    pub(crate) fn world(&mut self) -> &mut World {
        &mut self.loaded.world
    }

    pub(crate) fn column(&self, body: u64) -> Done<BodyIndex> {
        Ok(self.loaded.world.body_index(body_id(body))?)
    }

    /// How many frames are due by now.
    fn frames_by_now(&self) -> u64 {
        let between = self.loaded.steps_per_frame() as f64 * self.loaded.time_step;
        (self.loaded.world.time() / between * (1.0 + 1e-12)).floor() as u64
    }

    /// Notes the present state where the run is recorded.
    pub(crate) fn record(&mut self, contacts: u64) -> Done<()> {
        self.due = self.frames_by_now();
        let Some(recording) = &mut self.recording else { return Ok(()) };
        let loaded = &mut self.loaded;
        let penetration = loaded.world.penetration();
        let penetration = penetration.map_err(|e| Fail::of_step(&e, &loaded.names, &loaded.joint_names))?;
        let world = &loaded.world;
        let mut line = FrameLine::default();
        line.record(world.configuration(), world.state(), world.graph(), contacts, penetration);
        recording.push(&line, world);
        Ok(())
    }

    /// One step, recorded where asked for.
    pub(crate) fn step(&mut self, dt: f64) -> Done<drystone::StepReport> {
        let loaded = &mut self.loaded;
        let report = loaded.advance(dt).map_err(|e| Fail::of_step(&e, &loaded.names, &loaded.joint_names))?;
        if self.recording.is_some() && self.frames_by_now() > self.due {
            self.record(report.contacts)?;
        }
        Ok(report)
    }
}

pub(crate) fn body_id(key: u64) -> BodyId {
    KeyData::from_ffi(key).into()
}

pub(crate) fn joint_id(key: u64) -> JointId {
    KeyData::from_ffi(key).into()
}

pub(crate) fn force_id(key: u64) -> ForceId {
    KeyData::from_ffi(key).into()
}

pub(crate) fn timer_id(key: u64) -> TimerId {
    KeyData::from_ffi(key).into()
}

pub(crate) fn key_of(id: impl Key) -> u64 {
    id.data().as_ffi()
}

/// Time after which the interpreter's signals are looked at once the present step is done: a look takes the interpreter's lock.
const BETWEEN_SIGNALS: Duration = Duration::from_millis(50);

thread_local! {
    /// The worlds that this thread is stepping while the interpreter's signal handlers run.
    static AT_WORK: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

impl NativeWorld {
    /// Looks at the interpreter's signals in the middle of this world's work: a handler that asks the world is told so, where it would wait for itself.
    pub(crate) fn check_signals(&self) -> PyResult<()> {
        AT_WORK.with_borrow_mut(|all| all.push(self.address()));
        let looked = Python::attach(|py| py.check_signals());
        AT_WORK.with_borrow_mut(|all| all.pop());
        looked
    }

    fn address(&self) -> usize {
        core::ptr::from_ref(self).addr()
    }

    /// The world, once no other thread has it; a thread that waits does not hold the interpreter's lock.
    pub(crate) fn lock<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut Inner) -> Done<T> + Send) -> PyResult<T> {
        Ok(detached(py, || work(&mut *self.locked()?))?)
    }

    pub(crate) fn locked(&self) -> Done<MutexGuard<'_, Inner>> {
        if AT_WORK.with_borrow(|all| all.contains(&self.address())) {
            return Err(Fail::Input("this world is in the middle of a run: it answers after it".to_owned()));
        }
        if self.process.load(Ordering::Acquire) != std::process::id() {
            self.settle_after_fork()?;
        }
        self.inner.lock().map_err(|_| {
            Fail::Internal(
                "this world was left in the middle of a step by an internal error: make a new one".to_owned(),
            )
        })
    }

    /// After a fork: the threads are not there, nor who had the lock at that moment.
    fn settle_after_fork(&self) -> Done<()> {
        let Ok(mut inner) = self.inner.try_lock() else {
            let text = "this world was at work in another thread when the process was forked: make a new one";
            return Err(Fail::Input(text.to_owned()));
        };
        let threads = inner.world().threads();
        inner.world().set_threads(threads)?;
        self.process.store(std::process::id(), Ordering::Release);
        Ok(())
    }
}

#[pymethods]
impl NativeWorld {
    /// `source` is a path or bundled name, or a text; `form` is "path", "toml" or "json".
    #[new]
    fn new(
        py: Python<'_>,
        source: String,
        form: &str,
        paradigm: Option<String>,
        set: Vec<String>,
        threads: usize,
        seed: u64,
    ) -> PyResult<Self> {
        let form = form.to_owned();
        let overrides = Overrides { paradigm, set, threads: Some(threads), seed, ..Overrides::default() };
        let inner = detached(py, move || {
            let loaded = match form.as_str() {
                "path" => load(&source, &overrides)?,
                form => load_document(parse(&source, form)?, &overrides)?,
            };
            Ok(Inner::new(loaded, seed))
        })?;
        Ok(Self { inner: Mutex::new(inner), process: AtomicU32::new(std::process::id()) })
    }

    /// What the scene says of itself, as JSON.
    fn info(&self, py: Python<'_>) -> PyResult<String> {
        self.lock(py, |w| {
            let l = &w.loaded;
            let modules: serde_json::Map<String, Json> =
                l.world.modules().chosen.iter().map(|(k, name, _)| (k.table().to_owned(), json!(name))).collect();
            Ok(json!({ "name": l.name, "description": l.description, "duration": l.duration, "frame": l.frame,
                       "time_step": l.time_step, "paradigm": l.paradigm, "threads": l.threads, "seed": w.seed,
                       "warnings": l.warnings, "modules": modules })
            .to_string())
        })
    }

    /// `steps` steps of `dt`; the last one's report.
    fn advance(&self, py: Python<'_>, dt: f64, steps: u64) -> PyResult<StepReport> {
        let mut left = steps;
        let mut report = drystone::StepReport::default();
        while left > 0 {
            report = self.lock(py, |w| {
                let begun = Instant::now();
                loop {
                    let report = w.step(dt)?;
                    left -= 1;
                    if left == 0 || begun.elapsed() > BETWEEN_SIGNALS {
                        return Ok(report);
                    }
                }
            })?;
            py.check_signals()?;
        }
        Ok(report.into())
    }

    /// Another preset, with settings `[(table, kind or None, {key: value})]` as JSON.
    fn set_paradigm(&self, py: Python<'_>, paradigm: &str, choices: &str) -> PyResult<()> {
        let paradigm = Paradigm::by_name(paradigm).map_err(Fail::from)?;
        let choices = crate::choices::module_choices(choices)?;
        self.lock(py, |w| {
            w.world().set_paradigm(paradigm, &choices)?;
            paradigm.name.clone_into(&mut w.loaded.paradigm);
            Ok(())
        })
    }

    fn time(&self, py: Python<'_>) -> PyResult<f64> {
        self.lock(py, |w| Ok(w.world().time()))
    }

    fn gravity(&self, py: Python<'_>) -> PyResult<[f64; 3]> {
        self.lock(py, |w| Ok(w.world().configuration().gravity.to_array()))
    }

    fn set_gravity(&self, py: Python<'_>, gravity: [f64; 3]) -> PyResult<()> {
        self.lock(py, |w| Ok(w.world().set_gravity(Vec3::from_array(gravity))?))
    }

    /// (kinetic, potential) in J.
    fn energy(&self, py: Python<'_>) -> PyResult<(f64, f64)> {
        self.lock(py, |w| {
            let e = w.world().energy();
            Ok((e.kinetic, e.potential))
        })
    }

    /// (linear, angular) in kg m/s and kg m^2/s.
    fn momentum(&self, py: Python<'_>) -> PyResult<([f64; 3], [f64; 3])> {
        self.lock(py, |w| {
            let m = w.world().momentum();
            Ok((m.linear.to_array(), m.angular.to_array()))
        })
    }

    fn penetration(&self, py: Python<'_>) -> PyResult<f64> {
        self.lock(py, |w| Ok(w.world().penetration()?))
    }

    fn state_hash(&self, py: Python<'_>) -> PyResult<String> {
        self.lock(py, |w| Ok(drystone_scene::figures::state_hash(w.world().state())))
    }

    fn set_limits(&self, py: Python<'_>, length: f64, energy: f64) -> PyResult<()> {
        self.lock(py, |w| {
            w.world().set_limits(drystone::Limits { length, energy });
            Ok(())
        })
    }

    fn set_pose(&self, py: Python<'_>, body: u64, position: [f64; 3], orientation: [f64; 4]) -> PyResult<()> {
        let (position, orientation) = (Vec3::from_array(position), Quat::from_array(orientation));
        self.lock(py, |w| Ok(w.world().set_pose(body_id(body), position, orientation)?))
    }
}

/// A scene's text, parsed.
pub(crate) fn parse(text: &str, form: &str) -> Result<Document, SceneFaults> {
    if form == "json" { Document::from_json_str(text) } else { Document::from_toml_str(text) }
}

/// A file, parsed.
pub(crate) fn parse_file(path: &str) -> Result<Document, SceneFaults> {
    Document::from_path(PathBuf::from(path))
}
