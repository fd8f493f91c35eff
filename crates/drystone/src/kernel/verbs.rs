use super::engine::Engine;
use super::worker::Operation;
use crate::Stages;
use crate::profile::Stopwatch;
use drystone_core::{
    DetectMode, DetectReport, FailureKind, Kernel, LayerStep, Module, ResolveReport, Restore, Save, SaveToken, Scope,
    SolveReport, StepFailure,
};
use drystone_math::Real;

/// The kernel that a time control drives: the engine, and the modules lent to it for the step.
pub(crate) struct StepKernel<'a> {
    pub(crate) engine: &'a mut Engine,
    pub(crate) stages: &'a mut Stages,
}

impl Kernel for StepKernel<'_> {
    fn time(&self) -> Real {
        self.engine.state.time
    }

    fn set_time(&mut self, time: Real) {
        self.engine.state.time = time;
    }

    fn group_count(&self) -> u32 {
        self.engine.graph.groups.len() as u32
    }

    fn is_unseen(&self, h: Real) -> bool {
        self.engine.fast.disturbed && self.engine.has_fast_bodies(h)
    }

    fn script(&mut self, t: Real) -> Result<(), StepFailure> {
        self.engine.trace(Module::TimeControl, Module::MotionSolver);
        self.engine.place_scripted(t)
    }

    fn save(&mut self, what: Save) -> SaveToken {
        self.engine.save(what)
    }

    fn restore(&mut self, scope: Scope, saved: SaveToken, what: Restore) {
        self.engine.restore(scope, saved, what);
    }

    fn predict(&mut self, scope: Scope, h: Real) -> Result<(), StepFailure> {
        self.engine.trace(Module::TimeControl, Module::MotionSolver);
        self.engine.list_bodies(scope);
        self.engine.drift_listed(self.stages, h)
    }

    fn apply_forces(&mut self, scope: Scope, h: Real) -> Result<(), StepFailure> {
        let engine = &mut *self.engine;
        engine.trace(Module::TimeControl, Module::MotionSolver);
        engine.gather_wrenches(self.stages);
        engine.list_bodies(scope);
        engine.kick(self.stages, h)?;
        let listed = core::mem::take(&mut engine.listed);
        engine.take_change(&listed);
        engine.listed = listed;
        Ok(())
    }

    fn detect(&mut self, mode: DetectMode) -> Result<DetectReport, StepFailure> {
        let report = self.engine.detect_all(self.stages, mode)?;
        self.engine.events.observe(&self.engine.graph);
        Ok(report)
    }

    fn refresh(&mut self, scope: Scope) {
        let engine = &mut *self.engine;
        let watch = Stopwatch::start();
        let mut tasks = core::mem::take(&mut engine.tasks);
        engine.list_groups(scope, &mut tasks);
        for task in &tasks {
            engine.refresh_group(*task);
        }
        engine.tasks = tasks;
        engine.book(Module::ContactDetermination, watch);
    }

    fn resolve(&mut self, scope: Scope, horizon: Real) -> Result<ResolveReport, StepFailure> {
        let engine = &mut *self.engine;
        if !self.stages.resolves_impacts() {
            return Ok(ResolveReport::default());
        }
        engine.trace(Module::TimeControl, Module::CollisionSolver);
        // where bodies meet within the step depends on what pulls at them
        engine.gather_wrenches(self.stages);
        engine.list_bodies(scope);
        engine.kick(self.stages, horizon)?;
        let mut tasks = core::mem::take(&mut engine.tasks);
        engine.list_groups(scope, &mut tasks);
        engine.run_tasks(&tasks, Operation::Resolve { horizon });
        engine.tasks = tasks;
        engine.trace(Module::CollisionSolver, Module::MotionSolver);
        engine.list_bodies(scope);
        let bad = engine.listed.iter().find(|b| !engine.state.velocity(**b).is_finite()).copied();
        match bad {
            Some(b) => Err(engine.failure(Some(b), Module::CollisionSolver, FailureKind::NonFinite)),
            None => Ok(engine.merged_reports().1),
        }
    }

    fn solve(&mut self, scope: Scope, h: Real, horizon: Real) -> Result<SolveReport, StepFailure> {
        let engine = &mut *self.engine;
        engine.trace(Module::TimeControl, Module::MotionSolver);
        engine.gather_wrenches(self.stages);
        engine.list_bodies(scope);
        for &body in &engine.listed {
            engine.gain[body.at()] = engine.state.velocity(body);
        }
        engine.constrain(self.stages, scope, h, horizon, false)
    }

    fn solve_carried(&mut self, scope: Scope, h: Real, horizon: Real) -> Result<SolveReport, StepFailure> {
        let engine = &mut *self.engine;
        engine.trace(Module::TimeControl, Module::MotionSolver);
        engine.gather_wrenches(self.stages);
        engine.list_bodies(scope);
        for &body in &engine.listed {
            engine.gain[body.at()] = engine.state.velocity(body);
        }
        engine.constrain(self.stages, scope, h, horizon, true)
    }

    fn solve_midpoint(
        &mut self,
        scope: Scope,
        h: Real,
        horizon: Real,
        refinements: u32,
    ) -> Result<SolveReport, StepFailure> {
        let mut report = self.solve(scope, h, horizon)?;
        let engine = &mut *self.engine;
        let plain = engine.configuration.forces.is_empty() && engine.configuration.joints.is_empty();
        // an impact changes velocities at the midpoint: where bodies came from is not what they show then
        if h > 0.0 && !plain && !self.stages.resolves_impacts() {
            for _ in 0..refinements {
                // what was too much work once is not tried again
                if report.fallbacks > 0 || !engine.prepare_again(self.stages, scope, h) {
                    break;
                }
                match engine.constrain(self.stages, scope, h, horizon, false) {
                    Ok(again) => report.merge(&again),
                    Err(failure) => {
                        engine.chords.clear();
                        return Err(failure);
                    }
                }
            }
            engine.chords.clear();
        }
        Ok(report)
    }

    fn repeat(&mut self, scope: Scope) -> Result<(), StepFailure> {
        let engine = &mut *self.engine;
        engine.trace(Module::TimeControl, Module::MotionSolver);
        engine.list_bodies(scope);
        for &body in &engine.listed {
            let velocity = engine.state.velocity(body) + engine.gain[body.at()];
            engine.state.set_velocity(body, velocity);
        }
        let bad = engine.listed.iter().find(|b| !engine.state.velocity(**b).is_finite()).copied();
        bad.map_or(Ok(()), |b| Err(engine.failure(Some(b), Module::MotionSolver, FailureKind::NonFinite)))
    }

    fn drift(&mut self, scope: Scope, h: Real) -> Result<(), StepFailure> {
        let engine = &mut *self.engine;
        engine.trace(Module::TimeControl, Module::MotionSolver);
        engine.list_bodies(scope);
        if scope == Scope::All {
            engine.listed.extend_from_slice(&engine.unscripted);
        }
        engine.drift_and_count(self.stages, h)
    }

    fn correct(&mut self, scope: Scope) -> Result<SolveReport, StepFailure> {
        let engine = &mut *self.engine;
        let mut tasks = core::mem::take(&mut engine.tasks);
        engine.list_groups(scope, &mut tasks);
        engine.trace(Module::MotionSolver, Module::ConstraintSolver);
        engine.run_tasks(&tasks, Operation::Correct);
        engine.tasks = tasks;
        engine.settle_frames(Module::ConstraintSolver)?;
        Ok(engine.merged_reports().0)
    }

    fn propagate(&mut self, scope: Scope, steps: &[LayerStep]) -> Result<SolveReport, StepFailure> {
        self.engine.propagate_layers(self.stages, scope, steps)
    }
}

impl Engine {
    /// Kick and constraint solve at the wrenches that are known, with `carried` after loads were passed down; `gain` holds the
    /// velocities before, and their change afterwards.
    fn constrain(
        &mut self,
        stages: &mut Stages,
        scope: Scope,
        h: Real,
        horizon: Real,
        carried: bool,
    ) -> Result<SolveReport, StepFailure> {
        self.kick(stages, h)?;
        if matches!(scope, Scope::All | Scope::Free) {
            self.list_bodies(Scope::Free);
            let free = core::mem::take(&mut self.listed);
            self.take_change(&free);
            self.listed = free;
        }
        self.trace(Module::MotionSolver, Module::ConstraintSolver);
        let mut tasks = core::mem::take(&mut self.tasks);
        self.list_groups(scope, &mut tasks);
        let mut report = SolveReport::default();
        if carried && h > 0.0 {
            report = self.carry_loads(stages, &mut tasks, h, horizon);
        }
        self.run_tasks(&tasks, Operation::Solve { h, horizon });
        report.merge(&self.merged_reports().0);
        self.tasks = tasks;
        self.list_bodies(scope);
        for &body in &self.listed {
            self.gain[body.at()] = self.state.velocity(body) - self.gain[body.at()];
        }
        Ok(report)
    }

    fn refresh_group(&mut self, task: super::worker::Task) {
        let super::worker::Task::Group(g) = task else { return };
        let Engine { graph, frames, .. } = self;
        let drystone_core::ContactGraph { groups, edges, .. } = graph;
        for &slot in groups.group_edges(g as usize) {
            let edge = &mut edges[slot as usize];
            edge.manifold.refresh(&frames[edge.pair.a.at()], &frames[edge.pair.b.at()]);
        }
    }
}
