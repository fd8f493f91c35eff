//! Shock propagation: layer by layer, from the bottom up.

use super::engine::Engine;
use super::layer_plan::stack_layers;
use super::port::StepKernel;
use super::scatter::corrected;
use super::selection::{Selection, select_bodies, select_groups};
use super::task::{Operation, Task};
use crate::stopwatch::Stopwatch;
use drystone_core::{LayerStep, Module, RateOf, Scope, SolveReport, StepFailure};

impl StepKernel<'_> {
    /// Performs the steps on each layer in turn, with all groups in parallel.
    pub(super) fn propagate_layers(&mut self, scope: Scope, steps: &[LayerStep]) -> Result<SolveReport, StepFailure> {
        let layers = self.plan_layers(scope);
        let mut report = SolveReport::default();
        // bodies that touch nothing come first, as a layer without contacts
        if matches!(scope, Scope::All | Scope::Free) {
            let Selection { bodies, layer, .. } = &mut *self.selection;
            layer.clear();
            let Engine { data, derived, members, .. } = &mut *self.engine;
            select_bodies(data, &derived.awake, members, Scope::Free, bodies);
            bodies.extend_from_slice(&self.engine.derived.unscripted);
            self.run_layer(steps, &mut report)?;
        }
        for layer in 0..layers as u32 {
            self.engine.plan.select(layer, self.selection);
            self.run_layer(steps, &mut report)?;
        }
        Ok(report)
    }

    /// Arranges the groups of the scope in layers; returns the height of the highest. Forces are gathered for all steps.
    fn plan_layers(&mut self, scope: Scope) -> usize {
        let engine = &mut *self.engine;
        engine.touches.observe_again(&engine.data, &engine.derived, scope);
        engine.wiring.trace(Module::TimeControl, Module::CoherenceAnalysis);
        let watch = Stopwatch::start();
        stack_layers(&mut engine.data, &engine.derived, self.stages);
        let tasks = &mut self.selection.tasks;
        select_groups(&engine.data, &mut engine.members, scope, tasks);
        let layers = engine.plan.arrange(tasks, &engine.data.configuration, &engine.data.graph);
        engine.wiring.book(Module::CoherenceAnalysis, watch);
        engine.forces.gather(&engine.data, self.stages, &engine.derived.awake);
        layers
    }

    /// Performs the steps on one layer: on the selected tasks, and the bodies that it moves.
    fn run_layer(&mut self, steps: &[LayerStep], report: &mut SolveReport) -> Result<(), StepFailure> {
        for step in steps {
            match *step {
                LayerStep::Script { t } => {
                    let Engine { data, derived, motion, carriers, .. } = &mut *self.engine;
                    carriers.forget();
                    motion.place_scripted(data, derived, t)?;
                }
                LayerStep::Refresh => self.refresh_layer(),
                LayerStep::Solve { h, horizon } => {
                    self.engine.carry_over(h, self.stages.constraint_solver.sub_steps());
                    report.merge(&self.solve_layer(Operation::Solve { h, horizon })?);
                }
                LayerStep::Drift { h } => {
                    let (engine, bodies) = (&mut *self.engine, &self.selection.bodies);
                    engine.motion.drift(&mut engine.data, &mut engine.derived, self.stages, bodies, h)?;
                }
                LayerStep::Correct => self.correct_layer()?,
            }
        }
        Ok(())
    }

    fn refresh_layer(&mut self) {
        let engine = &mut *self.engine;
        for task in &self.selection.layer {
            let Task::Layer { group, layer } = *task else { continue };
            let edges = engine.plan.layer(group, layer).edges;
            engine.data.refresh_edges(edges, |b| engine.derived.frames[b.at()], false);
        }
    }

    fn solve_layer(&mut self, operation: Operation) -> Result<SolveReport, StepFailure> {
        let engine = &mut *self.engine;
        let Selection { bodies, layer: tasks, .. } = &*self.selection;
        let watch = Stopwatch::start();
        let kicked =
            engine.forces.kick(&engine.data, self.stages.motion_solver.as_ref(), bodies, (operation.h(), RateOf::Step));
        engine.wiring.book(Module::MotionSolver, watch);
        kicked?;
        if tasks.is_empty() {
            // nothing holds these bodies: they take their velocity changes as they are
            engine.forces.take_change(&mut engine.data.state, bodies);
            return Ok(SolveReport::default());
        }
        engine.wiring.trace(Module::MotionSolver, Module::ConstraintSolver);
        for &body in bodies {
            engine.solving.velocity_before[body.at()] = engine.data.state.velocity(body);
        }
        let report = engine.run(tasks, operation).solve;
        let Engine { data, forces, solving, flight, .. } = engine;
        flight.note_impulses(data, bodies, &solving.velocity_before, &forces.change);
        Ok(report)
    }

    fn correct_layer(&mut self) -> Result<(), StepFailure> {
        let engine = &mut *self.engine;
        let tasks = &self.selection.layer;
        if !tasks.is_empty() {
            engine.run(tasks, Operation::Correct);
            let moved = corrected(engine.solving.outputs());
            engine.derived.settle(&engine.data, moved, Module::ConstraintSolver)?;
        }
        engine.motion.count_tunnelled(&engine.data, &engine.derived);
        Ok(())
    }
}
