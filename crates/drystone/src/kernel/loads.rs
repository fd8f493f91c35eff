//! Loads passed down through stacks at rest.
//!
//! A group *rests* if only contacts hold its bodies, each is carried by something, and none moves against what carries it faster than gravity would make it in
//! [`QUIET_STEPS`] steps. Such a group is processed from the top down: the contacts under a layer are solved as if the bodies below did not give way, and their
//! impulses then load these bodies. If every body stays with what carries it, the forces found balance the whole group, which is then done. Otherwise they are the
//! initial values for the solve of the whole group. The pass itself is in `carry.rs`.

use super::data::WorldData;
use super::layer_plan::LayerPlan;
use super::output::Output;
use super::task::Task;
use drystone_core::{BodyIndex, ContactGraph, ContactImpulse, StackLayers};
use drystone_math::{Real, Twist, Wrench};

/// Number of steps of free fall that produce the speed below which a body may be at rest on another.
const QUIET_STEPS: Real = 2.0;

/// Loads and rest of groups in a frame.
#[derive(Debug, Default)]
pub(super) struct Loads {
    /// By group of the last detection: whether it rests.
    rests: Vec<bool>,
    /// By body: the velocity that it has if it stays with what carries it.
    rest: Vec<Option<Twist>>,
    /// By body: the load, as the impulse of what stands on it.
    load: Vec<Wrench>,
    /// By body: the velocity that results from the pass.
    solved: Vec<Twist>,
    /// The tasks of the plan, one per group at rest.
    tasks: Vec<Task>,
    /// Multipliers of the contacts of groups at rest as they were before the pass; `first` has, by slot of the edge, the place of its first contact in `unloaded`.
    first: Vec<u32>,
    unloaded: Vec<ContactImpulse>,
}

impl Loads {
    /// To be called when nothing of this is known any longer.
    pub(super) fn forget(&mut self) {
        self.rests.clear();
        self.tasks.clear();
    }

    /// Returns true if a group rests.
    pub(super) fn rests(&self, group: u32) -> bool {
        self.rests.get(group as usize).copied().unwrap_or(false)
    }

    /// The velocity of a body if it stays with what carries it.
    pub(super) fn rest(&self, body: BodyIndex) -> Twist {
        self.rest[body.at()].unwrap_or(Twist::ZERO)
    }

    /// The load on a body, as an impulse.
    pub(super) fn load(&self, body: BodyIndex) -> Wrench {
        self.load[body.at()]
    }

    /// The multipliers that a contact of a group at rest had before the pass.
    pub(super) fn unloaded(&self, edge: u32, point: u32) -> ContactImpulse {
        self.unloaded[(self.first[edge as usize] + point) as usize]
    }

    /// Takes the results of a layer: the velocities of its bodies, and the loads on those below.
    pub(super) fn take(&mut self, output: &Output) {
        for &(body, velocity) in &output.velocities {
            self.solved[body as usize] = velocity;
        }
        for &(body, impulse) in &output.loads {
            self.load[body as usize] += impulse;
        }
    }
}

/// Finds the groups at rest among the tasks, and their layers; returns the height of the highest.
pub(super) fn find_rest(data: &WorldData, plan: &mut LayerPlan, loads: &mut Loads, tasks: &[Task], h: Real) -> usize {
    let WorldData { configuration, state, graph, .. } = data;
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
    loads.keep_multipliers(graph);
    plan.arrange(&loads.tasks, configuration, graph)
}

impl Loads {
    /// To be called before a pass: nothing is known to rest, and nothing bears a load.
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

    /// Keeps the multipliers of the groups at rest, for solves that must begin without the loads.
    fn keep_multipliers(&mut self, graph: &ContactGraph) {
        let Self { tasks, first, unloaded, .. } = self;
        unloaded.clear();
        first.resize(graph.edges.len(), 0);
        for task in tasks.iter() {
            let Task::Group(g) = *task else { continue };
            for &slot in graph.groups.group_edges(g as usize) {
                first[slot as usize] = unloaded.len() as u32;
                unloaded.extend(graph.edges[slot as usize].manifold.points.iter().map(|p| p.impulse));
            }
        }
    }

    /// Gives the bodies of a group the velocities that the pass found, if they equal those of rest within `slack` (m/s); returns whether they do.
    pub(super) fn take_balance(&self, data: &mut WorldData, group: u32, slack: Real) -> bool {
        let is_balanced = self.rests(group) && self.stays_within(data, group, slack, |b| self.solved[b.at()]);
        if is_balanced {
            for &body in data.graph.groups.group_bodies(group as usize) {
                data.state.set_velocity(body, self.solved[body.at()]);
            }
        }
        is_balanced
    }

    /// Determines the velocities of rest of a group of the plan, bottom up: each body moves rigidly with one that carries it.
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

    /// Returns true if all bodies of a group are carried and differ by at most this much (m/s) from the velocity of
    /// rest.
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
    pub(super) fn groups_with(&self, plan: &LayerPlan, layer: u32) -> impl Iterator<Item = u32> {
        (0..self.tasks.len() as u32).filter(move |&g| layer < plan.layers(g) && !plan.layer(g, layer).edges.is_empty())
    }
}
