use crate::Failure;
use drystone::{ModuleKind, Modules, registry};
use drystone_core::{ConstraintSolver, Executor, GroupAnswer, GroupProblem, Levels, Resolves, SolveReport, Step};
use drystone_dynamics::{ConstraintRows, RowParameters, assemble};
use drystone_lcp::LcpDump;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// A folder that takes one JSON file for each problem the constraint solver solves.
#[derive(Debug, Clone)]
pub struct DumpTarget(Arc<Mutex<Target>>);

#[derive(Debug)]
struct Target {
    dir: PathBuf,
    scene: String,
    solver: String,
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
            solver: String::new(),
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

    /// Whether everything could be written.
    ///
    /// # Errors
    /// [`Failure::Write`] for the first that could not.
    pub fn finish(&self) -> Result<(), Failure> {
        let mut target = self.lock();
        let path = target.dir.display().to_string();
        target.error.take().map_or(Ok(()), |error| Err(Failure::Write { path, error }))
    }

    /// The chosen constraint solver with its problems written down as they come.
    pub(crate) fn wrap(&self, modules: Modules) -> Result<DumpingSolver, Failure> {
        let parameters = registry::row_parameters(&modules.chosen);
        let friction = modules.settings(ModuleKind::ConstraintSolver).text("friction");
        if matches!(friction, "pyramid" | "cone") {
            return Err(Failure::Input("--lcp-dump: friction by pyramid or cone is not a boxed problem".to_owned()));
        }
        let named = modules.chosen.iter().find(|(kind, ..)| *kind == ModuleKind::Lcp);
        self.lock().solver = named.map(|(_, name, _)| (*name).to_owned()).unwrap_or_default();
        Ok(DumpingSolver {
            inner: modules.stages.constraint_solver,
            parameters,
            rows: ConstraintRows::default(),
            target: self.clone(),
        })
    }
}

/// A constraint solver that writes its problems down before it solves them.
pub(crate) struct DumpingSolver {
    inner: Box<dyn ConstraintSolver>,
    parameters: RowParameters,
    rows: ConstraintRows,
    target: DumpTarget,
}

impl ConstraintSolver for DumpingSolver {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn levels(&self) -> Levels {
        self.inner.levels()
    }

    fn resolves(&self) -> Resolves {
        self.inner.resolves()
    }

    fn solve(
        &mut self,
        problem: &GroupProblem,
        step: Step,
        executor: &dyn Executor,
        answer: &mut GroupAnswer,
    ) -> SolveReport {
        assemble(problem, &self.parameters, step.h, step.horizon, &mut self.rows);
        let report = self.inner.solve(problem, step, executor, answer);
        if !self.rows.is_empty() {
            let multipliers = self.rows.multipliers_of(problem, answer);
            self.target.lock().write(&mut self.rows, multipliers);
        }
        report
    }

    fn fork(&self) -> Box<dyn ConstraintSolver> {
        Box::new(Self {
            inner: self.inner.fork(),
            parameters: self.parameters,
            rows: ConstraintRows::default(),
            target: self.target.clone(),
        })
    }
}

impl Target {
    fn write(&mut self, rows: &mut ConstraintRows, multipliers: Vec<f64>) {
        let (view, start) = rows.split();
        let dump = LcpDump {
            scene: self.scene.clone(),
            time: self.time,
            group: self.group,
            solver: self.solver.clone(),
            multipliers,
            ..LcpDump::new(&view, start)
        };
        let path = self.dir.join(format!("{:06}.json", self.written));
        let text = dump.to_json().map_err(std::io::Error::from);
        if let Err(error) = text.and_then(|t| std::fs::write(path, t)) {
            // the first one is told at the end
            self.error.get_or_insert(error);
        }
        self.group += 1;
        self.written += 1;
    }
}
