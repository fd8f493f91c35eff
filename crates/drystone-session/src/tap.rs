use crate::LoadError;
use drystone::{ModuleKind, Modules, registry};
use drystone_core::{
    Configuration, ConstraintSolver, Executor, GroupAnswer, GroupProblem, Levels, Resolves, SolveReport, Step, Unread,
};
use drystone_dynamics::{PosedRows, RowParameters};
use drystone_lcp::solver_by_name;
use drystone_lcp_files::LcpDump;
use std::sync::{Arc, Mutex, PoisonError};

/// The function that receives the problems.
type Take = dyn FnMut(LcpDump) + Send;

/// A constraint solver that passes on each of its complementarity problems, with the multipliers that were found.
pub struct ProblemTap {
    inner: Box<dyn ConstraintSolver>,
    parameters: RowParameters,
    posed: PosedRows,
    solver: String,
    /// True if that solver is a direct one.
    direct: bool,
    take: Arc<Mutex<Take>>,
}

impl ProblemTap {
    /// Wraps the constraint solver of some modules. `take` receives the problem, the solver's name and the multipliers; scene, time and group are left for it to fill in.
    ///
    /// # Errors
    /// [`LoadError::Input`] if friction makes the problem something other than a complementarity problem with bounds.
    pub fn new(modules: Modules, take: impl FnMut(LcpDump) + Send + 'static) -> Result<Self, LoadError> {
        let kind = ModuleKind::ConstraintSolver;
        if !drystone_dynamics::poses_boxed_problem(modules.name(kind), modules.settings(kind)) {
            let name = modules.name(kind);
            let message = format!(
                "{name} with these settings poses no complementarity problem with bounds (friction by pyramid or cone is none)"
            );
            return Err(LoadError::Input(message));
        }
        Ok(Self {
            parameters: registry::row_parameters(&modules.chosen),
            direct: solver_by_name(modules.name(ModuleKind::Lcp)).is_ok_and(|s| s.is_direct()),
            solver: modules.name(ModuleKind::Lcp).to_owned(),
            inner: modules.stages.constraint_solver,
            posed: PosedRows::default(),
            take: Arc::new(Mutex::new(take)),
        })
    }
}

impl ConstraintSolver for ProblemTap {
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
        if self.direct {
            self.posed.pose(problem, &self.parameters, step);
        } else {
            self.posed.pose_for_sweeps(problem, &self.parameters, step);
        }
        let report = self.inner.solve(problem, step, executor, answer);
        let rows = &mut self.posed.rows;
        if !rows.is_empty() {
            let multipliers = rows.multipliers_of(problem, answer);
            let (view, start) = rows.split();
            let dump = LcpDump { solver: self.solver.clone(), multipliers, ..LcpDump::new(&view, start) };
            (self.take.lock().unwrap_or_else(PoisonError::into_inner))(dump);
        }
        report
    }

    fn sub_steps(&self) -> u32 {
        self.inner.sub_steps()
    }

    fn holds_early(&self) -> bool {
        self.inner.holds_early()
    }

    fn cannot(&self, configuration: &Configuration) -> Option<&'static str> {
        self.inner.cannot(configuration)
    }

    fn leaves_out(&self, configuration: &Configuration) -> Option<&'static str> {
        self.inner.leaves_out(configuration)
    }

    fn unread(&self) -> &'static [Unread] {
        self.inner.unread()
    }

    fn unread_in(&self, configuration: &Configuration) -> &'static [Unread] {
        self.inner.unread_in(configuration)
    }

    fn takes_rows(&self) -> bool {
        self.inner.takes_rows()
    }

    fn fork(&self) -> Box<dyn ConstraintSolver> {
        Box::new(Self {
            inner: self.inner.fork(),
            parameters: self.parameters,
            posed: PosedRows::default(),
            solver: self.solver.clone(),
            direct: self.direct,
            take: Arc::clone(&self.take),
        })
    }
}
