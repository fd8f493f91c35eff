use super::data::WorldData;
use super::derived::Derived;
use super::engine::Engine;
use super::loads::Loads;
use super::worker::{Operation, Task};
use crate::Stages;
use crate::profile::Stopwatch;
use drystone_contact_graph::{GroupLayers, StackLayer};
use drystone_core::{
    BodyIndex, Configuration, ContactGraph, FrameView, LayerStep, Module, Scope, SolveReport, StepFailure,
};

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
    /// The bodies that a layer moves.
    pub(super) layer_bodies: Vec<BodyIndex>,
}

impl Engine {
    /// Shock propagation: the steps on each layer in turn, all groups side by side.
    pub(super) fn propagate_layers(
        &mut self,
        stages: &mut Stages,
        scope: Scope,
        steps: &[LayerStep],
    ) -> Result<SolveReport, StepFailure> {
        self.observe_again(scope);
        self.trace(Module::TimeControl, Module::CoherenceAnalysis);
        let watch = Stopwatch::start();
        let Self {
            data: WorldData { configuration, state, graph, .. }, derived: Derived { frames, boxes, .. }, ..
        } = self;
        stages.coherence.stack_layers(FrameView { configuration, state, frames, boxes }, graph);
        let mut tasks = core::mem::take(&mut self.solving.tasks);
        self.list_groups(scope, &mut tasks);
        let mut plan = core::mem::take(&mut self.layers.plan);
        let layers = plan.arrange(&tasks, &self.data.configuration, &self.data.graph);
        self.layers.plan = plan;
        self.book(Module::CoherenceAnalysis, watch);
        self.gather_wrenches(stages);

        let mut report = SolveReport::default();
        let outcome = self.run_layers(stages, scope, steps, layers, &mut tasks, &mut report);
        self.solving.tasks = tasks;
        outcome.map(|()| report)
    }

    fn run_layers(
        &mut self,
        stages: &Stages,
        scope: Scope,
        steps: &[LayerStep],
        layers: usize,
        tasks: &mut Vec<Task>,
        report: &mut SolveReport,
    ) -> Result<(), StepFailure> {
        let mut moved = core::mem::take(&mut self.layers.layer_bodies);
        let mut outcome = Ok(());
        // bodies that touch nothing go first, as a layer without contacts
        if matches!(scope, Scope::All | Scope::Free) {
            self.list_bodies(Scope::Free);
            moved.clear();
            moved.extend_from_slice(&self.motion.listed);
            moved.extend_from_slice(&self.derived.unscripted);
            tasks.clear();
            outcome = self.run_steps(stages, steps, tasks, &moved, report);
        }
        for layer in 0..layers as u32 {
            if outcome.is_err() {
                break;
            }
            tasks.clear();
            moved.clear();
            for group in 0..self.layers.plan.used as u32 {
                if layer as usize >= self.layers.plan.groups[group as usize].len() {
                    continue;
                }
                let here = self.layers.plan.layer(group, layer);
                moved.extend_from_slice(here.free);
                if !(here.edges.is_empty() && here.joints.is_empty()) {
                    tasks.push(Task::Layer { group, layer });
                }
            }
            outcome = self.run_steps(stages, steps, tasks, &moved, report);
        }
        self.layers.layer_bodies = moved;
        outcome
    }

    /// The steps on one layer: its tasks, and the bodies that it moves.
    fn run_steps(
        &mut self,
        stages: &Stages,
        steps: &[LayerStep],
        tasks: &[Task],
        bodies: &[BodyIndex],
        report: &mut SolveReport,
    ) -> Result<(), StepFailure> {
        for step in steps {
            match *step {
                LayerStep::Refresh => {
                    for &task in tasks {
                        self.refresh_task(task);
                    }
                }
                LayerStep::Solve { h, horizon } => {
                    self.motion.listed.clear();
                    self.motion.listed.extend_from_slice(bodies);
                    self.kick(stages, h)?;
                    if tasks.is_empty() {
                        // nothing holds these bodies: they take their velocity change as it is
                        self.take_change(bodies);
                    } else {
                        self.trace(Module::MotionSolver, Module::ConstraintSolver);
                        self.run_tasks(tasks, Operation::Solve { h, horizon });
                        report.merge(&self.merged_reports().0);
                    }
                }
                LayerStep::Drift { h } => {
                    self.motion.listed.clear();
                    self.motion.listed.extend_from_slice(bodies);
                    self.drift_and_note(stages, h)?;
                }
                LayerStep::Correct => {
                    if !tasks.is_empty() {
                        self.run_tasks(tasks, Operation::Correct);
                        self.settle_frames(Module::ConstraintSolver)?;
                    }
                    self.count_tunnelled(stages);
                }
            }
        }
        Ok(())
    }

    fn refresh_task(&mut self, task: Task) {
        let Task::Layer { group, layer } = task else { return };
        let plan = core::mem::take(&mut self.layers.plan);
        self.refresh_edges(plan.layer(group, layer).edges);
        self.layers.plan = plan;
    }
}
