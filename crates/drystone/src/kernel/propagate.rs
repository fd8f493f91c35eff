//! Shock propagation: layer by layer, from the bottom up.

use super::data::WorldData;
use super::derived::Derived;
use super::groups::run_tasks;
use super::loads::Loads;
use super::scatter::corrected;
use super::selection::{Selection, select_bodies, select_groups};
use super::verbs::StepKernel;
use super::worker::{Operation, Task};
use crate::Stages;
use crate::profile::Stopwatch;
use drystone_contact_graph::{GroupLayers, StackLayer};
use drystone_core::{Configuration, ContactGraph, FrameView, LayerStep, Module, Scope, SolveReport, StepFailure};

/// The stack layers of the groups at work.
#[derive(Debug, Default)]
pub(super) struct LayerPlan {
    groups: Vec<GroupLayers>,
    used: usize,
}

impl LayerPlan {
    /// A layer of the `group`-th group of the plan.
    pub(super) fn layer(&self, group: u32, layer: u32) -> StackLayer<'_> {
        self.groups[group as usize].layer(layer as usize)
    }

    /// Number of layers of the `group`-th group of the plan.
    pub(super) fn layers(&self, group: u32) -> u32 {
        self.groups[group as usize].len() as u32
    }

    /// Arranges the listed groups; returns the height of the highest.
    pub(super) fn arrange(&mut self, tasks: &[Task], configuration: &Configuration, graph: &ContactGraph) -> usize {
        self.used = 0;
        let mut highest = 0;
        for task in tasks {
            let Task::Group(group) = *task else { continue };
            if self.used == self.groups.len() {
                self.groups.push(GroupLayers::default());
            }
            self.groups[self.used].arrange(configuration, graph, group as usize);
            highest = highest.max(self.groups[self.used].len());
            self.used += 1;
        }
        highest
    }
}

/// What passes over layers work with.
#[derive(Default)]
pub(crate) struct Layering {
    pub(super) plan: LayerPlan,
    pub(super) loads: Loads,
}

/// Stack heights anew, by the coherence analysis.
pub(super) fn stack_layers(data: &mut WorldData, derived: &Derived, stages: &mut Stages) {
    let WorldData { configuration, state, graph, .. } = data;
    let view = FrameView { configuration, state, frames: &derived.frames, boxes: &derived.boxes };
    stages.coherence.stack_layers(view, graph);
}

impl StepKernel<'_> {
    /// The steps on each layer in turn, all groups side by side.
    pub(super) fn propagate_layers(&mut self, scope: Scope, steps: &[LayerStep]) -> Result<SolveReport, StepFailure> {
        let layers = self.plan_layers(scope);
        let mut report = SolveReport::default();
        // bodies that touch nothing go first, as a layer without contacts
        if matches!(scope, Scope::All | Scope::Free) {
            let Selection { bodies, layer, .. } = &mut *self.selection;
            layer.clear();
            select_bodies(&self.engine.data, &mut self.engine.members, Scope::Free, bodies);
            bodies.extend_from_slice(&self.engine.derived.unscripted);
            self.run_layer(steps, &mut report)?;
        }
        for layer in 0..layers as u32 {
            self.engine.layers.plan.select(layer, self.selection);
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
        let layers = engine.layers.plan.arrange(tasks, &engine.data.configuration, &engine.data.graph);
        engine.wiring.book(Module::CoherenceAnalysis, watch);
        engine.forces.gather(&engine.data, self.stages.motion_solver.as_ref());
        layers
    }

    /// The steps on one layer: the selected tasks, and the bodies that it moves.
    fn run_layer(&mut self, steps: &[LayerStep], report: &mut SolveReport) -> Result<(), StepFailure> {
        for step in steps {
            match *step {
                LayerStep::Refresh => self.refresh_layer(),
                LayerStep::Solve { h, horizon } => report.merge(&self.solve_layer(Operation::Solve { h, horizon })?),
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
            let edges = engine.layers.plan.layer(group, layer).edges;
            engine.data.refresh_edges(edges, |b| engine.derived.frames[b.at()]);
        }
    }

    fn solve_layer(&mut self, operation: Operation) -> Result<SolveReport, StepFailure> {
        let engine = &mut *self.engine;
        let Selection { bodies, layer: tasks, .. } = &*self.selection;
        let watch = Stopwatch::start();
        let kicked = engine.forces.kick(&engine.data, self.stages.motion_solver.as_ref(), bodies, operation.h());
        engine.wiring.book(Module::MotionSolver, watch);
        kicked?;
        if tasks.is_empty() {
            // nothing holds these bodies: they take their velocity change as it is
            engine.forces.take_change(&mut engine.data.state, bodies);
            return Ok(SolveReport::default());
        }
        engine.wiring.trace(Module::MotionSolver, Module::ConstraintSolver);
        run_tasks(engine, tasks, operation);
        Ok(engine.solving.reports().0)
    }

    fn correct_layer(&mut self) -> Result<(), StepFailure> {
        let engine = &mut *self.engine;
        let tasks = &self.selection.layer;
        if !tasks.is_empty() {
            run_tasks(engine, tasks, Operation::Correct);
            let moved = corrected(&engine.solving.workers);
            engine.derived.settle(&engine.data, moved, Module::ConstraintSolver)?;
        }
        engine.motion.count_tunnelled(&engine.data, &engine.derived, self.stages);
        Ok(())
    }
}

impl LayerPlan {
    /// The tasks of a layer over all groups of the plan, and the bodies that it moves.
    fn select(&self, layer: u32, into: &mut Selection) {
        into.layer.clear();
        into.bodies.clear();
        for group in 0..self.used as u32 {
            if layer >= self.layers(group) {
                continue;
            }
            let here = self.layer(group, layer);
            into.bodies.extend_from_slice(here.free);
            if !(here.edges.is_empty() && here.joints.is_empty()) {
                into.layer.push(Task::Layer { group, layer });
            }
        }
    }
}
