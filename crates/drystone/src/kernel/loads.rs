//! Loads passed down through stacks at rest.
//!
//! A group *rests* where contacts alone hold its bodies, each is carried by something, and none moves against what carries it
//! faster than gravity makes it in [`QUIET_STEPS`] steps. Such a group is gone through from the top down: the contacts
//! under a layer are solved as if what is below did not give way, and push on what is below with what they bear. Where every body
//! then stays with what carries it, the forces found are a balance of the whole group, and it is done. Where one does not, they are
//! where the solve of the whole group begins.

use super::data::WorldData;
use super::engine::Engine;
use super::groups::run_tasks;
use super::propagate::{LayerPlan, Layering, stack_layers};
use super::selection::Selection;
use super::worker::{Operation, Shared, Task, Worker};
use crate::Stages;
use crate::profile::Stopwatch;
use drystone_core::{BodyIndex, GroupBody, GroupProblem, Module, SolveReport, StackLayers};
use drystone_math::{Real, Twist, Vec3, Wrench};

/// Steps of free fall that make the speed below which a body may be at rest on another.
const QUIET_STEPS: Real = 2.0;

/// How far a body may be off the velocity of rest where its group counts as balanced, as a fraction of what gravity gives in the step.
const BALANCED: Real = 1e-3;

/// Growth of kinetic energy in a solve that counts as none, as a fraction.
const ENERGY_SLACK: Real = 0.01;

/// What is known of groups at rest in a frame.
#[derive(Debug, Default)]
pub(super) struct Loads {
    /// By group of the last detection: whether it rests.
    rests: Vec<bool>,
    /// By body: the velocity that it has if it stays with what carries it.
    rest: Vec<Option<Twist>>,
    /// By body: impulses of what stands on it.
    load: Vec<Wrench>,
    /// By body: the velocity that the pass gives.
    solved: Vec<Twist>,
    /// The tasks of the plan, one per group at rest.
    tasks: Vec<Task>,
}

impl Loads {
    /// Nothing is known any longer.
    pub(super) fn forget(&mut self) {
        self.rests.clear();
        self.tasks.clear();
    }

    /// Whether a group rests.
    pub(super) fn rests(&self, group: u32) -> bool {
        self.rests.get(group as usize).copied().unwrap_or(false)
    }

    /// The velocity of a body that stays with what carries it.
    fn rest(&self, body: BodyIndex) -> Twist {
        self.rest[body.at()].unwrap_or(Twist::ZERO)
    }

    pub(super) fn add_load(&mut self, body: BodyIndex, impulse: Wrench) {
        self.load[body.at()] += impulse;
    }

    pub(super) fn set_solved(&mut self, body: BodyIndex, velocity: Twist) {
        self.solved[body.at()] = velocity;
    }
}

/// Passes the loads of groups at rest down, and takes those that are balanced out of the tasks: they have their velocities.
pub(super) fn carry_loads(
    engine: &mut Engine,
    selection: &mut Selection,
    stages: &mut Stages,
    h: Real,
    horizon: Real,
) -> SolveReport {
    engine.wiring.trace(Module::TimeControl, Module::CoherenceAnalysis);
    let watch = Stopwatch::start();
    stack_layers(&mut engine.data, &engine.derived, stages);
    let layers = find_rest(&engine.data, &mut engine.layers, &selection.tasks, h);
    engine.wiring.book(Module::CoherenceAnalysis, watch);
    let mut report = SolveReport::default();
    for layer in (0..layers as u32).rev() {
        selection.layer.clear();
        let groups = engine.layers.loads.groups_with(&engine.layers.plan, layer);
        selection.layer.extend(groups.map(|group| Task::Load { group, layer }));
        if !selection.layer.is_empty() {
            run_tasks(engine, &selection.layer, Operation::Solve { h, horizon });
            report.merge(&engine.solving.reports().0);
        }
    }
    let Engine { data, layers, .. } = engine;
    let slack = BALANCED * data.configuration.gravity.length() * h;
    selection.tasks.retain(|task| !matches!(*task, Task::Group(g) if layers.loads.take_balance(data, g, slack)));
    report
}

/// Finds the groups at rest among the tasks and their layers; returns the height of the highest.
fn find_rest(data: &WorldData, layers: &mut Layering, tasks: &[Task], h: Real) -> usize {
    let WorldData { configuration, state, graph, .. } = data;
    let Layering { plan, loads, .. } = layers;
    loads.begin(data, tasks);
    plan.arrange(&loads.tasks, configuration, graph);
    let quiet = QUIET_STEPS * configuration.gravity.length() * h;
    for k in 0..loads.tasks.len() {
        loads.carry_rest_up(data, plan, k as u32);
        let Task::Group(g) = loads.tasks[k] else { continue };
        loads.rests[g as usize] = loads.stays_within(data, g, quiet, |b| state.velocity(b));
    }
    let Loads { tasks, rests, .. } = loads;
    tasks.retain(|t| matches!(*t, Task::Group(g) if rests[g as usize]));
    plan.arrange(tasks, configuration, graph)
}

impl Loads {
    /// Before a pass: nobody is known to rest, and nobody bears anything.
    fn begin(&mut self, data: &WorldData, tasks: &[Task]) {
        let WorldData { configuration, state, graph, .. } = data;
        let n = configuration.bodies.len();
        let given = |i: usize| (!configuration.bodies[i].is_dynamic()).then(|| state.velocity(BodyIndex::new(i)));
        self.rest.clear();
        self.rest.extend((0..n).map(given));
        self.load.clear();
        self.load.resize(n, Wrench::ZERO);
        self.solved.clear();
        self.solved.extend((0..n).map(|i| state.velocity(BodyIndex::new(i))));
        self.rests.clear();
        self.rests.resize(graph.groups.len(), false);
        self.tasks.clear();
        let unlinked = |t: &Task| matches!(*t, Task::Group(g) if graph.groups.group_joints(g as usize).is_empty());
        self.tasks.extend(tasks.iter().copied().filter(unlinked));
    }

    /// Gives the bodies of a group the velocities that the pass found, if these are those of rest within `slack` (m/s).
    fn take_balance(&self, data: &mut WorldData, group: u32, slack: Real) -> bool {
        let is_balanced = self.rests(group) && self.stays_within(data, group, slack, |b| self.solved[b.at()]);
        if is_balanced {
            for &body in data.graph.groups.group_bodies(group as usize) {
                data.state.set_velocity(body, self.solved[body.at()]);
            }
        }
        is_balanced
    }

    /// The velocities of rest of a group of the plan, bottom up: each body moves rigidly with one that carries it.
    fn carry_rest_up(&mut self, data: &WorldData, plan: &LayerPlan, group: u32) {
        let WorldData { state, graph, .. } = data;
        let heights = &graph.layers.heights;
        for layer in 0..plan.layers(group) {
            for &slot in plan.layer(group, layer).edges {
                let pair = graph.edges[slot as usize].pair;
                let (low, high) =
                    if heights[pair.a.at()] < heights[pair.b.at()] { (pair.a, pair.b) } else { (pair.b, pair.a) };
                let below = heights[low.at()] < heights[high.at()] && heights[high.at()] != StackLayers::NONE;
                if let (true, None, Some(rest)) = (below, self.rest[high.at()], self.rest[low.at()]) {
                    let arm = state.position[high.at()] - state.position[low.at()];
                    self.rest[high.at()] = Some(Twist::new(rest.at(arm), rest.angular));
                }
            }
        }
    }

    /// Whether all bodies of a group are carried and at most this far (m/s) off the velocity of rest.
    fn stays_within(&self, data: &WorldData, group: u32, most: Real, velocity: impl Fn(BodyIndex) -> Twist) -> bool {
        data.graph.groups.group_bodies(group as usize).iter().all(|&body| {
            let Some(rest) = self.rest[body.at()] else { return false };
            let properties = data.configuration.body(body);
            let gyration = ((properties.inertia.diagonal.element_sum() / 3.0) / properties.mass).sqrt();
            let off = velocity(body) - rest;
            off.linear.length().max(off.angular.length() * gyration) <= most
        })
    }

    /// The groups at rest, by their number in the plan, that have contacts in a layer.
    fn groups_with(&self, plan: &LayerPlan, layer: u32) -> impl Iterator<Item = u32> {
        (0..self.tasks.len() as u32).filter(move |&g| layer < plan.layers(g) && !plan.layer(g, layer).edges.is_empty())
    }
}

impl Worker {
    /// Turns the problem of a layer into that of its loads: what is below moves as if at rest, what stands above bears on the rest.
    pub(super) fn bear_loads(&mut self, shared: Shared<'_>, layer: u32) {
        let GroupProblem { bodies, contacts, .. } = &mut self.problem;
        for body in bodies {
            let is_below = shared.graph.layers.heights.get(body.index.at()).is_none_or(|h| *h <= layer);
            if is_below {
                body.velocity = shared.loads.rest(body.index);
            } else {
                let load = shared.loads.load[body.index.at()];
                body.external += Twist::new(load.force * body.inverse_mass, body.inverse_inertia.mul_vec(load.torque));
            }
        }
        for c in contacts {
            c.impulse = shared.graph.edges[c.edge as usize].manifold.points[c.point as usize].impulse;
        }
    }

    /// Notes what the contacts of the layer bear on the bodies below.
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

    /// Whether the solve of a group gained kinetic energy over what its bodies had with their external forces.
    pub(super) fn gained_energy(&self, shared: Shared<'_>) -> bool {
        let (mut before, mut after) = (0.0, 0.0);
        for (body, solved) in self.problem.bodies.iter().zip(&self.answer.velocity) {
            before += kinetic_energy(shared, body, body.velocity + body.external);
            after += kinetic_energy(shared, body, *solved);
        }
        after > (1.0 + ENERGY_SLACK) * before
    }

    /// The multipliers of the last step in place of those of the pass.
    pub(super) fn take_back_loads(&mut self, shared: Shared<'_>) {
        for c in &mut self.problem.contacts {
            c.impulse = shared.graph.edges[c.edge as usize].manifold.points[c.point as usize].layer_impulse;
        }
    }
}

fn kinetic_energy(shared: Shared<'_>, body: &GroupBody, velocity: Twist) -> Real {
    if body.inverse_mass == 0.0 {
        return 0.0;
    }
    let properties = shared.configuration.body(body.index);
    let turning: Vec3 = body.pose.orientation.conjugate() * velocity.angular;
    0.5 * (properties.mass * velocity.linear.length_squared() + properties.inertia.quadratic(turning))
}
