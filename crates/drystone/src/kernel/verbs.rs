use super::engine::Engine;
use super::worker::{Operation, Task};
use crate::Stages;
use crate::profile::Stopwatch;
use drystone_core::{
    BodyIndex, DetectMode, DetectReport, Displacement, FailureKind, Instant, Kernel, LayerStep, Module, PairRecord,
    Rate, RateOf, ResolveReport, Restore, Save, Scope, SolveReport, StepFailure,
};
use drystone_math::Real;

/// The kernel that a time control drives: the engine, and the modules lent to it for the step.
pub(crate) struct StepKernel<'a> {
    pub(crate) engine: &'a mut Engine,
    pub(crate) stages: &'a mut Stages,
}

impl Kernel for StepKernel<'_> {
    fn time(&self) -> Real {
        self.engine.data.state.time
    }

    fn set_time(&mut self, time: Real) {
        self.engine.data.state.time = time;
    }

    fn body_count(&self) -> usize {
        self.engine.data.state.len()
    }

    fn groups(&self) -> &[BodyIndex] {
        &self.engine.members.firsts
    }

    fn first_of(&mut self, body: BodyIndex) -> Option<BodyIndex> {
        let group = self.engine.awake_group(body)?;
        self.engine.data.graph.groups.group_bodies(group as usize).first().copied()
    }

    fn join(&mut self, one: BodyIndex, other: BodyIndex) {
        self.engine.join(one, other);
    }

    fn is_unseen(&self, h: Real) -> bool {
        self.engine.motion.fast.disturbed && self.engine.has_fast_bodies(h)
    }

    fn script(&mut self, t: Real) -> Result<(), StepFailure> {
        self.engine.trace(Module::TimeControl, Module::MotionSolver);
        self.engine.place_scripted(t)
    }

    fn save(&mut self, scope: Scope, what: Save) -> Instant {
        self.engine.save(scope, what)
    }

    fn restore(&mut self, scope: Scope, saved: Instant, what: Restore) {
        self.engine.restore(scope, saved, what);
    }

    fn release(&mut self, saved: Instant) {
        self.engine.release(saved);
    }

    fn difference(&mut self, a: Instant, b: Instant) -> Displacement {
        self.engine.difference(a, b)
    }

    fn rate(&mut self, scope: Scope, of: RateOf, h: Real, horizon: Real) -> Result<(Rate, SolveReport), StepFailure> {
        self.engine.rate(self.stages, scope, of, [h, horizon])
    }

    fn combine(&mut self, base: Instant, terms: &[(Rate, Real)]) -> Result<(), StepFailure> {
        self.engine.trace(Module::TimeControl, Module::MotionSolver);
        self.engine.combine(base, terms)
    }

    fn release_rates(&mut self) {
        self.engine.instants.rates.clear();
    }

    fn velocities_from(&mut self, from: Instant, h: Real) {
        self.engine.velocities_from(from, h);
    }

    fn predict(&mut self, scope: Scope, h: Real) -> Result<(), StepFailure> {
        self.engine.trace(Module::TimeControl, Module::MotionSolver);
        self.engine.list_bodies(scope);
        self.engine.drift_listed(self.stages, h)
    }

    fn apply_forces(&mut self, scope: Scope, h: Real) -> Result<(), StepFailure> {
        let engine = &mut *self.engine;
        engine.trace(Module::TimeControl, Module::MotionSolver);
        engine.list_bodies(scope);
        engine.gather_listed_wrenches(self.stages);
        engine.kick(self.stages, h)?;
        let listed = core::mem::take(&mut engine.motion.listed);
        engine.take_change(&listed);
        engine.motion.listed = listed;
        Ok(())
    }

    fn detect(&mut self, scope: Scope, mode: DetectMode) -> Result<DetectReport, StepFailure> {
        // what was on the way is among the edges of the detection before
        self.engine.count_tunnelled(self.stages);
        let report = match scope {
            Scope::All => self.engine.detect_all(self.stages, mode)?,
            _ => self.engine.detect_scope(self.stages, scope, mode)?,
        };
        // one pair is looked at many times in a frame
        if !matches!(scope, Scope::Pair(_)) {
            let cut_short = mode.short_circuit && scope == Scope::All && report.deepest.is_some();
            self.engine.observe(scope, mode, mode.proximity_only || cut_short);
        }
        if scope == Scope::All {
            self.engine.sense(self.stages)?;
        }
        Ok(report)
    }

    fn pairs(&mut self, scope: Scope) -> &[PairRecord] {
        self.engine.list_records(scope);
        &self.engine.detection.records
    }

    fn refresh(&mut self, scope: Scope, gaps_at: Option<Instant>) {
        let engine = &mut *self.engine;
        let watch = Stopwatch::start();
        let mut tasks = core::mem::take(&mut engine.solving.tasks);
        let mut slots = core::mem::take(&mut engine.detection.scope_edges);
        engine.list_groups(scope, &mut tasks);
        for task in &tasks {
            slots.clear();
            match *task {
                Task::Edge(slot) => slots.push(slot),
                Task::Group(g) => slots.extend_from_slice(engine.data.graph.groups.group_edges(g as usize)),
                Task::Layer { .. } | Task::Load { .. } => {}
            }
            match gaps_at {
                None => engine.refresh_edges(&slots),
                Some(instant) => engine.refresh_at(&slots, instant),
            }
        }
        engine.detection.scope_edges = slots;
        engine.solving.tasks = tasks;
        engine.book(Module::ContactDetermination, watch);
    }

    fn resolve(&mut self, scope: Scope, horizon: Real) -> Result<ResolveReport, StepFailure> {
        let engine = &mut *self.engine;
        if !self.stages.resolves_impacts() {
            return Ok(ResolveReport::default());
        }
        engine.trace(Module::TimeControl, Module::CollisionSolver);
        engine.observe_again(scope);
        // where bodies meet within the step depends on what pulls at them
        engine.list_bodies(scope);
        engine.gather_listed_wrenches(self.stages);
        engine.kick(self.stages, horizon)?;
        let mut tasks = core::mem::take(&mut engine.solving.tasks);
        engine.list_groups(scope, &mut tasks);
        engine.run_tasks(&tasks, Operation::Resolve { horizon });
        engine.solving.tasks = tasks;
        engine.trace(Module::CollisionSolver, Module::MotionSolver);
        engine.list_bodies(scope);
        let bad = engine.motion.listed.iter().find(|b| !engine.data.state.velocity(**b).is_finite()).copied();
        match bad {
            Some(b) => Err(engine.failure(Some(b), Module::CollisionSolver, FailureKind::NonFinite)),
            None => Ok(engine.merged_reports().1),
        }
    }

    fn solve(&mut self, scope: Scope, h: Real, horizon: Real) -> Result<SolveReport, StepFailure> {
        let engine = &mut *self.engine;
        engine.trace(Module::TimeControl, Module::MotionSolver);
        engine.solving.curvature_corrections.clear();
        engine.list_bodies(scope);
        if scope == Scope::All {
            engine.gather_wrenches(self.stages);
        } else {
            engine.gather_listed_wrenches(self.stages);
        }
        for &body in &engine.motion.listed {
            engine.solving.velocity_before[body.at()] = engine.data.state.velocity(body);
        }
        engine.constrain(self.stages, scope, h, horizon, false)
    }

    fn refine(&mut self, scope: Scope, h: Real, horizon: Real) -> Result<Option<SolveReport>, StepFailure> {
        let engine = &mut *self.engine;
        let plain = engine.data.configuration.forces.is_empty() && engine.data.configuration.joints.is_empty();
        // an impact changes velocities at the midpoint: where bodies came from is not what they show then
        if h <= 0.0 || plain || self.stages.resolves_impacts() || !engine.prepare_again(self.stages, scope, h) {
            return Ok(None);
        }
        engine.touches.strikes.take_back_last();
        engine.constrain(self.stages, scope, h, horizon, false).map(Some)
    }

    fn solve_carried(&mut self, scope: Scope, h: Real, horizon: Real) -> Result<SolveReport, StepFailure> {
        let engine = &mut *self.engine;
        engine.trace(Module::TimeControl, Module::MotionSolver);
        engine.solving.curvature_corrections.clear();
        engine.gather_wrenches(self.stages);
        engine.list_bodies(scope);
        for &body in &engine.motion.listed {
            engine.solving.velocity_before[body.at()] = engine.data.state.velocity(body);
        }
        engine.constrain(self.stages, scope, h, horizon, true)
    }

    fn repeat(&mut self, scope: Scope) -> Result<(), StepFailure> {
        let engine = &mut *self.engine;
        engine.trace(Module::TimeControl, Module::MotionSolver);
        engine.list_bodies(scope);
        for &body in &engine.motion.listed {
            let velocity = engine.data.state.velocity(body) + engine.solving.solve_change[body.at()];
            engine.data.state.set_velocity(body, velocity);
        }
        let bad = engine.motion.listed.iter().find(|b| !engine.data.state.velocity(**b).is_finite()).copied();
        bad.map_or(Ok(()), |b| Err(engine.failure(Some(b), Module::MotionSolver, FailureKind::NonFinite)))
    }

    fn drift(&mut self, scope: Scope, h: Real) -> Result<(), StepFailure> {
        let engine = &mut *self.engine;
        engine.trace(Module::TimeControl, Module::MotionSolver);
        engine.list_bodies(scope);
        if matches!(scope, Scope::All | Scope::Free) {
            engine.motion.listed.extend_from_slice(&engine.derived.unscripted);
        }
        if let Scope::Body(body) = scope
            && engine.derived.unscripted.contains(&body)
        {
            engine.motion.listed.push(body);
        }
        engine.drift_and_note(self.stages, h)
    }

    fn correct(&mut self, scope: Scope) -> Result<SolveReport, StepFailure> {
        let engine = &mut *self.engine;
        let mut tasks = core::mem::take(&mut engine.solving.tasks);
        engine.list_groups(scope, &mut tasks);
        engine.trace(Module::MotionSolver, Module::ConstraintSolver);
        engine.run_tasks(&tasks, Operation::Correct);
        engine.solving.tasks = tasks;
        engine.settle_frames(Module::ConstraintSolver)?;
        engine.count_tunnelled(self.stages);
        Ok(engine.merged_reports().0)
    }

    fn propagate(&mut self, scope: Scope, steps: &[LayerStep]) -> Result<SolveReport, StepFailure> {
        self.engine.propagate_layers(self.stages, scope, steps)
    }
}

impl Engine {
    /// Kick and constraint solve at the wrenches that are known, with `carried` after loads were passed down. What the velocities change from
    /// `velocity_before` goes into `solve_change`.
    fn constrain(
        &mut self,
        stages: &mut Stages,
        scope: Scope,
        h: Real,
        horizon: Real,
        carried: bool,
    ) -> Result<SolveReport, StepFailure> {
        self.observe_again(scope);
        self.kick(stages, h)?;
        if scope != Scope::All && !self.has_task(scope) {
            // nothing holds these: they take their velocity change as it is
            self.list_bodies(scope);
            let free = core::mem::take(&mut self.motion.listed);
            self.take_change(&free);
            self.motion.listed = free;
        } else if scope == Scope::All {
            self.list_bodies(Scope::Free);
            let free = core::mem::take(&mut self.motion.listed);
            self.take_change(&free);
            self.motion.listed = free;
        }
        self.trace(Module::MotionSolver, Module::ConstraintSolver);
        let mut tasks = core::mem::take(&mut self.solving.tasks);
        self.list_groups(scope, &mut tasks);
        let mut report = SolveReport::default();
        if carried && h > 0.0 {
            report = self.carry_loads(stages, &mut tasks, h, horizon);
        }
        self.run_tasks(&tasks, Operation::Solve { h, horizon });
        report.merge(&self.merged_reports().0);
        self.solving.tasks = tasks;
        self.list_bodies(scope);
        for &body in &self.motion.listed {
            self.solving.solve_change[body.at()] =
                self.data.state.velocity(body) - self.solving.velocity_before[body.at()];
        }
        Ok(report)
    }

    /// Whether there is anything to solve in a scope.
    fn has_task(&mut self, scope: Scope) -> bool {
        let mut tasks = core::mem::take(&mut self.solving.tasks);
        self.list_groups(scope, &mut tasks);
        let any = !tasks.is_empty();
        self.solving.tasks = tasks;
        any
    }
}
