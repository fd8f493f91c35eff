//! The stack layers of groups, and the tasks that they make.

use super::data::WorldData;
use super::derived::Derived;
use super::selection::Selection;
use super::task::Task;
use crate::Stages;
use drystone_contact_graph::{GroupLayers, StackLayer};
use drystone_core::{Configuration, ContactGraph, FrameView, OneThread};

/// The stack layers of the groups that are being solved.
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

    /// Arranges the listed groups in layers; returns the height of the highest.
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

impl LayerPlan {
    /// Selects the tasks of a layer in all groups of the plan, and the bodies that it moves.
    pub(super) fn select(&self, layer: u32, into: &mut Selection) {
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

/// Determines stack heights anew, by the coherence analysis.
pub(super) fn stack_layers(data: &mut WorldData, derived: &Derived, stages: &mut Stages) {
    let WorldData { configuration, state, graph, .. } = data;
    let view = FrameView {
        configuration,
        state,
        frames: &derived.frames,
        boxes: &derived.boxes,
        moving: None,
        executor: &OneThread,
    };
    stages.coherence.stack_layers(view, graph);
}
