//! Solving groups, one after the other or in parallel.

use super::departure::Departures;
use super::foreseen::Foreseen;
use super::output::Output;
use super::task::{Operation, Task};
use super::wiring::Wiring;
use super::worker::{Shared, Worker};
use crate::Stages;
use crate::stopwatch::Stopwatch;
use drystone_core::{
    BodyIndex, ConstraintRow, Executor, GroupRow, RateOf, ResolveReport, RowLimits, SolveReport, Step, bound_displaced,
    bound_jammed,
};
use drystone_math::{DISTANCE_NOISE, Real, Twist};

/// Number of contacts and joints below which a second thread costs more than it gains.
const LINKS_PER_THREAD: usize = 256;

/// The working memory of solves.
#[derive(Default)]
pub(crate) struct Solving {
    pub(super) workers: Vec<Worker>,
    /// Velocities before the last solve, in column order.
    pub(super) velocity_before: Vec<Twist>,
    /// The change that it made to them.
    pub(super) solve_change: Vec<Twist>,
    /// Constraint drift of joints.
    pub(super) departures: Departures,
    /// Prediction of the last solve for the correction after its step.
    pub(super) foreseen: Foreseen,
    /// Number of multiplications that all groups of this frame took: the bound `work` of a solver applies to a whole frame.
    pub(super) spent: Real,
    /// Scratch rows of a joint that is examined for motors.
    pub(super) motor_rows: Vec<ConstraintRow>,
    /// By slot: where the multipliers of an edge begin in the results of a solve.
    pub(super) starts: Vec<u32>,
    /// True if a solve of this frame gave a multiplier that is not finite.
    pub(super) overflowed: bool,
}

impl Solving {
    /// Makes room for this many bodies.
    pub(super) fn resize(&mut self, bodies: usize) {
        self.velocity_before.resize(bodies, Twist::ZERO);
        self.solve_change.clear();
        self.solve_change.resize(bodies, Twist::ZERO);
    }

    /// To be called when a frame begins: each thread gets a worker, and no solve has changed anything about the `dynamic` bodies.
    pub(super) fn begin_frame(&mut self, stages: &Stages, threads: usize, dynamic: &[BodyIndex]) {
        for body in dynamic {
            self.solve_change[body.at()] = Twist::ZERO;
        }
        self.spent = 0.0;
        self.overflowed = false;
        self.foreseen.forget();
        if self.workers.is_empty() {
            self.workers.extend((0..threads).map(|_| Worker::new(stages)));
        }
        self.workers.iter_mut().for_each(Worker::begin_frame);
    }

    /// The results of the last run, in the order of its tasks.
    pub(super) fn outputs(&self) -> impl Iterator<Item = &Output> + Clone {
        self.workers.iter().map(|w| &w.output)
    }

    /// The reports of the last run, merged.
    pub(super) fn reports(&self) -> Reports {
        let mut all = Reports::default();
        for output in self.outputs() {
            all.solve.merge(&output.solve);
            all.resolve.merge(&output.resolve);
        }
        all
    }
}

/// The solvers' reports of a run.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Reports {
    pub(super) solve: SolveReport,
    pub(super) resolve: ResolveReport,
}

/// Runs an operation on each task, in parallel if there are threads for it. The results are left in the workers, in the order of the tasks.
pub(super) fn share_out(
    shared: Shared<'_>,
    workers: &mut [Worker],
    tasks: &[Task],
    operation: Operation,
    wiring: &Wiring,
) {
    let executor = wiring.executor();
    for worker in workers.iter_mut() {
        worker.output.clear();
    }
    let total: usize = tasks.iter().map(|task| shared.weight_of(task)).sum();
    let count = workers.len().min(total / LINKS_PER_THREAD).min(tasks.len()).max(1);
    run_shares(&mut workers[..count], tasks, (shared, executor), &|worker: &mut Worker, share: &[Task]| {
        worker.run(shared, share, operation, executor);
    });
}

/// Distributes the tasks in contiguous shares of about equal weight, one per worker, so that the results are in the order of the tasks.
fn run_shares(
    workers: &mut [Worker],
    tasks: &[Task],
    (shared, executor): (Shared<'_>, &dyn Executor),
    run: &(impl Fn(&mut Worker, &[Task]) + Sync),
) {
    if let [worker] = workers {
        return run(worker, tasks);
    }
    let half = workers.len() / 2;
    let total: usize = tasks.iter().map(|task| shared.weight_of(task)).sum();
    let goal = total * half / workers.len();
    let mut before = 0;
    let first = tasks.iter().take_while(|task| {
        let wanted = before < goal;
        before += shared.weight_of(task);
        wanted
    });
    let (first, rest) = tasks.split_at(first.count());
    if first.is_empty() || rest.is_empty() {
        return run_shares(&mut workers[..1], tasks, (shared, executor), run);
    }
    let (some, others) = workers.split_at_mut(half);
    let mut one = || run_shares(some, first, (shared, executor), run);
    let mut other = || run_shares(others, rest, (shared, executor), run);
    executor.run(&mut [&mut one, &mut other]);
}

impl Shared<'_> {
    /// A rough measure of how long a task takes, relative to others: a joint has about as many rows as a contact.
    fn weight_of(&self, task: &Task) -> usize {
        self.edges_of(task).len() + self.joints_of(*task).len() + 1
    }

    /// The edges that take part in a task.
    pub(super) fn edges_of<'t>(&'t self, task: &'t Task) -> &'t [u32] {
        match task {
            Task::Edge(slot) => core::slice::from_ref(slot),
            Task::Group(g) => self.graph.groups.group_edges(*g as usize),
            Task::Layer { group, layer } => self.plan.layer(*group, *layer).edges,
        }
    }

    pub(super) fn joints_of(&self, task: Task) -> &[u32] {
        match task {
            Task::Edge(_) => &[],
            Task::Group(g) => self.graph.groups.group_joints(g as usize),
            Task::Layer { group, layer } => self.plan.layer(group, layer).joints,
        }
    }

    /// Returns true if a position correction that ignores penetration up to `slop` could have anything to do.
    fn has_errors(&self, task: Task, slop: Real) -> bool {
        let deepest = -slop.max(DISTANCE_NOISE);
        let is_deep = |slot: &u32| {
            let points = self.graph.edges[*slot as usize].manifold.points.as_slice();
            points.iter().any(|p| p.separation < deepest)
        };
        !self.joints_of(task).is_empty() || self.edges_of(&task).iter().any(is_deep)
    }
}

impl Worker {
    /// Gathers, solves and collects a share of the tasks: the forces of one group are independent of those of all others (H-17).
    fn run(&mut self, shared: Shared<'_>, tasks: &[Task], operation: Operation, executor: &dyn Executor) {
        for &task in tasks {
            let slop = self.position_corrector.slop();
            if operation == Operation::Correct && (self.is_corrected_by_solver() || !shared.has_errors(task, slop)) {
                continue;
            }
            let gather = Stopwatch::start();
            let again = self.take(shared, task, operation, executor);
            if let (Operation::Bear { .. }, Task::Layer { layer, .. }) = (operation, task) {
                self.bear_loads(shared, layer);
            }
            self.leave_to_collision_solver(operation);
            self.seam_seconds += gather.seconds();
            match operation {
                Operation::Solve { h, horizon } => {
                    let carried = matches!(task, Task::Group(g) if shared.loads.rests(g));
                    let step = Step { slop: self.slop_ahead(shared, task), ..shared.step(h, horizon) };
                    let report = self.solve(Step { started: carried, again, ..step }, executor);
                    if !carried {
                        if let (true, Task::Group(g)) = (self.answer.rests, task) {
                            self.output.resting.push((g, report));
                        }
                        self.note_solved(task, step);
                    }
                    if carried && self.gained_energy(shared) {
                        self.take_back_loads(shared);
                        self.solve(shared.step(h, horizon), executor);
                    }
                }
                Operation::Bear { h, horizon } => {
                    self.solve(shared.step(h, horizon), executor);
                }
                Operation::Rate { h, horizon, of } => {
                    if of == RateOf::Motion {
                        self.hold_accelerations(h);
                    }
                    self.solve(shared.step(h, horizon), executor);
                }
                Operation::Correct => {
                    self.answer.start_correction(&self.problem);
                    let mut report = self.position_corrector.correct(&self.problem, &mut self.answer);
                    report.jammed += bound_displaced(&self.problem, &mut self.answer);
                    if let (true, Task::Group(g)) = (report.finished < report.lcp.solves, task) {
                        self.output.unfinished.push(g);
                    }
                    self.take_report(&report);
                }
                Operation::Resolve { horizon } => {
                    self.answer.start_impacts(&self.problem);
                    let report = self.collision_solver.resolve(&self.problem, horizon, &mut self.answer);
                    let jammed = bound_jammed(&self.problem, 0.0, &mut self.answer);
                    self.take_report(&SolveReport { jammed, ..SolveReport::default() });
                    self.output.resolve.merge(&report);
                }
            }
            let collect = Stopwatch::start();
            self.collect(shared, task, operation);
            self.seam_seconds += collect.seconds();
        }
    }

    /// Gathers a task, or only what has changed in it since the last solve; returns whether the latter was enough.
    fn take(&mut self, shared: Shared<'_>, task: Task, operation: Operation, executor: &dyn Executor) -> bool {
        if let Operation::Solve { h, horizon } = operation
            && self.gather_again(shared, task, shared.step(h, horizon))
        {
            return true;
        }
        self.solved = None;
        if !self.gather_moved(shared, task) {
            self.gather(shared, task, executor);
        }
        false
    }

    /// Makes rigid joints hold accelerations instead of velocities: over `h` seconds the rate of their rows changes by what their curvature requires.
    fn hold_accelerations(&mut self, h: Real) {
        let drystone_core::GroupProblem { bodies, rows, .. } = &mut self.problem;
        for GroupRow { bodies: pair, row, .. } in rows {
            if row.correctable && row.limits == RowLimits::BILATERAL && !row.softness.is_soft() {
                let rate = row.rate(pair.map(|b| bodies[b as usize].velocity));
                row.target += rate - h * core::mem::take(&mut row.curvature);
                row.error = 0.0;
            }
        }
    }

    fn solve(&mut self, step: Step, executor: &dyn Executor) -> SolveReport {
        self.answer.start(&self.problem);
        let mut report = self.constraint_solver.solve(&self.problem, step, executor, &mut self.answer);
        report.jammed += bound_jammed(&self.problem, step.h, &mut self.answer);
        self.take_report(&report);
        report
    }

    fn take_report(&mut self, report: &SolveReport) {
        self.output.solve.merge(report);
        // whole numbers: their sum is the same in any order
        self.output.work += report.work.ceil();
    }

    /// Returns true if the constraint solver leaves no position errors.
    fn is_corrected_by_solver(&self) -> bool {
        self.constraint_solver.resolves().positions
    }

    /// Overlap to keep, if the solver of a task predicts the overlap removal; otherwise `None`.
    fn slop_ahead(&self, shared: Shared<'_>, task: Task) -> Option<Real> {
        let asked = shared.foresees && matches!(task, Task::Group(_));
        asked.then(|| self.position_corrector.slop_ahead()).flatten()
    }

    /// Divides the work: if the collision solver makes bodies bounce, the constraint solver must not do so again. Limits of joints keep their bounce, since a
    /// collision solver sees only limits that are already reached, and what brings a joint to its limit within the step comes through the reactions of joints.
    fn leave_to_collision_solver(&mut self, operation: Operation) {
        if !matches!(operation, Operation::Resolve { .. }) && self.collision_solver.resolves().restitution {
            for contact in &mut self.problem.contacts {
                contact.restitution = 0.0;
            }
        }
    }
}
