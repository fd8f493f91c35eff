use super::data::WorldData;
use super::derived::Derived;
use super::engine::Engine;
use super::groups::Solving;
use crate::Stages;
use crate::profile::Stopwatch;
use drystone_core::{
    BodyFrame, BodyIndex, Configuration, ConstraintRow, Joint, Module, SleepObservation, State, kinetic_energy,
};
use drystone_math::{Real, Twist};

impl Engine {
    /// After a step of `h` seconds: which bodies are sleepy, and which groups fall asleep.
    pub(crate) fn update_sleep(&mut self, stages: &Stages, h: Real) {
        let watch = Stopwatch::start();
        for i in 0..self.data.state.len() {
            let body = &self.data.configuration.bodies[i];
            if !body.is_dynamic() || self.data.state.sleeping[i] {
                continue;
            }
            let observation = SleepObservation {
                mass: body.mass,
                kinetic_energy: kinetic_energy(body, &self.data.state, i),
                velocity: self.data.state.velocity(BodyIndex::new(i)),
                gyration: ((body.inertia.diagonal.element_sum() / 3.0) / body.mass).sqrt(),
                pose: self.data.state.pose(BodyIndex::new(i)),
            };
            let calm = stages.sleep_policy.is_sleepy(&observation, h, &mut self.data.state.sleep_memory[i]);
            self.data.state.sleepy[i] = calm && body.can_sleep;
        }
        for g in 0..self.data.graph.groups.len() {
            let all = |e: &Self| e.data.graph.groups.group_bodies(g).iter().all(|b| e.data.state.sleepy[b.at()]);
            let calm = self.data.graph.groups.awake[g] && all(self);
            if calm && (!stages.sleep_policy.asks_for_support() || self.is_at_rest(g)) {
                for k in 0..self.data.graph.groups.group_bodies(g).len() {
                    let body = self.data.graph.groups.group_bodies(g)[k];
                    self.data.put_to_sleep(body);
                }
            }
        }
        for k in 0..self.data.graph.groups.free.len() {
            let body = self.data.graph.groups.free[k];
            // nothing holds it: it rests only where nothing pulls at it
            let rests =
                || self.forces.change[body.at()] == Twist::ZERO && self.data.state.velocity(body) == Twist::ZERO;
            let may = !stages.sleep_policy.asks_for_support() || rests();
            if may && self.data.state.sleepy[body.at()] && !self.data.state.sleeping[body.at()] {
                self.data.put_to_sleep(body);
            }
        }
        self.book(Module::CoherenceAnalysis, watch);
    }

    /// Whether a group leans on something that stands still, and nothing moves it: no script, no motor.
    fn is_at_rest(&mut self, group: usize) -> bool {
        let Self {
            data: WorldData { configuration, state, graph, .. }, solving: Solving { motor_rows: rows, .. }, ..
        } = self;
        let touching = graph.groups.group_edges(group).iter().map(|&slot| {
            let pair = graph.edges[slot as usize].pair;
            [Some(pair.a), Some(pair.b)]
        });
        let links = graph.groups.group_joints(group);
        let held = links.iter().filter_map(|&link| configuration.link_bodies(link as usize));
        let mut supported = false;
        for body in touching.chain(held).flatten() {
            match body {
                Some(b) if configuration.body(b).is_dynamic() => {}
                Some(b) if state.velocity(b) != Twist::ZERO => return false,
                _ => supported = true,
            }
        }
        supported && !graph.groups.group_joints(group).iter().any(|&joint| is_driven(configuration, state, joint, rows))
    }

    /// Whether a step would change nothing but the clock: all that can move sleeps, nothing else moves, and nothing was edited.
    ///
    /// # Cost
    /// Two comparisons per body, one more per body with a velocity of its own.
    pub(crate) fn is_still(&self) -> bool {
        let Self { data: WorldData { configuration, state, .. }, derived: Derived { filters, unscripted, .. }, .. } =
            self;
        let current = !self.derived.edited && !self.derived.surfaces_edited && filters.len() == state.len();
        current
            && self.wiring.observer.is_none()
            && configuration.scripts.is_empty()
            && filters.iter().zip(&state.sleeping).all(|(f, asleep)| *asleep || !f.movable)
            && unscripted.iter().all(|b| state.velocity(*b) == Twist::ZERO)
    }
}

/// Whether a joint has a motor that is to turn; `rows` is scratch.
fn is_driven(configuration: &Configuration, state: &State, joint: u32, rows: &mut Vec<ConstraintRow>) -> bool {
    // a force drives nothing
    let Some(Joint { bodies, source, .. }) = configuration.joints.get(joint as usize) else { return false };
    let frames = bodies.map(|b| BodyFrame::of(state, b));
    rows.clear();
    source.rows([&frames[0], &frames[1]], state.joint_memory.of(joint as usize), rows);
    rows.iter().any(|r| r.target != 0.0)
}
