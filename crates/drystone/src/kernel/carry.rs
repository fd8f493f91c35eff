//! The pass that hands loads down, layer by layer, and how it changes a layer's problem.

use super::engine::Engine;
use super::layer_plan::stack_layers;
use super::loads::find_rest;
use super::port::StepKernel;
use super::task::{Operation, Task};
use super::worker::{Shared, Worker};
use crate::stopwatch::Stopwatch;
use drystone_core::{GroupBody, GroupProblem, Module, SolveReport};
use drystone_math::{Real, Twist, Wrench};

/// Largest deviation of a body from the velocity of rest for its group to count as balanced, as a fraction of the speed
/// that gravity gives in the step.
const BALANCED: Real = 1e-3;

/// Growth of kinetic energy in a solve that is tolerated, as a fraction.
const ENERGY_SLACK: Real = 0.01;

impl StepKernel<'_> {
    /// Passes the loads of groups at rest down, and removes those that are balanced from the tasks: they have their final velocities.
    pub(super) fn carry_loads(&mut self, h: Real, horizon: Real) -> SolveReport {
        let Self { engine, selection, stages } = self;
        engine.wiring.trace(Module::TimeControl, Module::CoherenceAnalysis);
        let watch = Stopwatch::start();
        stack_layers(&mut engine.data, &engine.derived, stages);
        let Engine { data, plan, loads, .. } = &mut **engine;
        let layers = find_rest(data, plan, loads, &selection.tasks, h);
        engine.wiring.book(Module::CoherenceAnalysis, watch);
        let mut report = SolveReport::default();
        for layer in (0..layers as u32).rev() {
            selection.layer.clear();
            let groups = engine.loads.groups_with(&engine.plan, layer);
            selection.layer.extend(groups.map(|group| Task::Layer { group, layer }));
            if !selection.layer.is_empty() {
                report.merge(&engine.run(&selection.layer, Operation::Bear { h, horizon }).solve);
            }
        }
        let Engine { data, loads, .. } = &mut **engine;
        let slack = BALANCED * data.configuration.gravity.length() * h;
        selection.tasks.retain(|task| !matches!(*task, Task::Group(g) if loads.take_balance(data, g, slack)));
        report
    }
}

impl Worker {
    /// Turns the problem of a layer into that of its loads: bodies below move as if at rest, and the loads of bodies above act on the others.
    pub(super) fn bear_loads(&mut self, shared: Shared<'_>, layer: u32) {
        let GroupProblem { bodies, contacts, .. } = &mut self.problem;
        for body in bodies {
            let is_below = shared.graph.layers.heights.get(body.index.at()).is_none_or(|h| *h <= layer);
            if !shared.configuration.body(body.index).is_dynamic() {
                // it moves as it does for the body that it carries
                continue;
            }
            if is_below {
                body.velocity = shared.loads.rest(body.index);
            } else {
                let load = shared.loads.load(body.index);
                body.external += Twist::new(load.force * body.inverse_mass, body.inverse_inertia.mul_vec(load.torque));
            }
        }
        for c in contacts {
            c.impulse = shared.graph.edges[c.edge as usize].manifold.points[c.point as usize].impulse;
        }
    }

    /// Notes the loads that the contacts of the layer put on the bodies below.
    pub(super) fn collect_loads(&mut self, shared: Shared<'_>, layer: u32) {
        for (c, impulse) in self.problem.contacts.iter().zip(&self.answer.contacts) {
            let impulse = impulse.total(c.normal);
            for (side, impulse) in [-impulse, impulse].into_iter().enumerate() {
                let body = &self.problem.bodies[c.bodies[side] as usize];
                let height = shared.graph.layers.heights[body.index.at()];
                if height > 0 && height <= layer {
                    self.output.loads.push((body.index.0, Wrench::at(impulse, c.position - body.pose.position)));
                }
            }
        }
    }

    /// Returns true if the solve of a group gained kinetic energy compared with its bodies' velocities plus their
    /// external changes.
    pub(super) fn gained_energy(&self, shared: Shared<'_>) -> bool {
        let (mut before, mut after) = (0.0, 0.0);
        for (body, solved) in self.problem.bodies.iter().zip(&self.answer.velocity) {
            before += kinetic_energy(shared, body, body.velocity + body.external);
            after += kinetic_energy(shared, body, *solved);
        }
        after > (1.0 + ENERGY_SLACK) * before
    }

    /// Replaces the multipliers of the pass by those of the last step.
    pub(super) fn take_back_loads(&mut self, shared: Shared<'_>) {
        for c in &mut self.problem.contacts {
            c.impulse = shared.loads.unloaded(c.edge, c.point);
        }
    }
}

fn kinetic_energy(shared: Shared<'_>, body: &GroupBody, velocity: Twist) -> Real {
    if body.inverse_mass == 0.0 {
        return 0.0;
    }
    shared.configuration.body(body.index).kinetic_energy(body.pose.orientation, velocity)
}
