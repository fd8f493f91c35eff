//! The data that a world is computed from.

use super::plane::Plane;
use super::refreshed::refresh;
use drystone_core::{
    BodyIndex, BodyPair, Configuration, ContactGraph, EdgeEntry, Executor, FailureKind, Flight, Gone, Module,
    SleepMemory, State, StepFailure, marked, piece_length, run_each,
};
use drystone_math::{Pose, Real, Twist, Vec3, Wrench};
use std::sync::{Mutex, PoisonError};

/// Up to this many edges a second thread is not worth while if little is done with each.
pub(crate) const FEW_EDGES: usize = 6144;

/// Data of a world: the configuration, the state, and the pair data.
pub(crate) struct WorldData {
    pub(crate) configuration: Configuration,
    pub(crate) state: State,
    pub(crate) graph: ContactGraph,
    /// The user's forces and torques for the next step only, in column order; empty if there are none.
    pub(crate) pushes: Vec<Wrench>,
    /// The plane to which the world is confined; `None` if it has all three dimensions.
    pub(crate) plane: Option<Plane>,
}

impl WorldData {
    pub(super) fn new(mut configuration: Configuration, mut state: State, plane: Option<Plane>) -> Self {
        if let Some(plane) = plane {
            // once: the component along the plane has others in its last bits
            configuration.gravity = plane.along(configuration.gravity);
            plane.lay(&mut configuration, &mut state);
        }
        Self { configuration, state, graph: ContactGraph::default(), pushes: Vec::new(), plane }
    }

    /// A failure at the present time.
    pub(super) fn failure(&self, body: Option<BodyIndex>, module: Module, kind: FailureKind) -> StepFailure {
        StepFailure { time: self.state.time, body, module, kind }
    }

    /// Fails with the first body whose state does not allow a step: after edits by the user, or because of the module at work.
    pub(crate) fn check_state(&self, module: Module) -> Result<(), StepFailure> {
        if self.state.is_sound() {
            return Ok(());
        }
        for body in (0..self.state.len()).map(BodyIndex::new) {
            self.state.check_body(body).map_err(|kind| self.failure(Some(body), module, kind))?;
        }
        Ok(())
    }

    /// Fails with the first of some bodies, in column order, whose state does not allow a step, because of the module at work.
    pub(super) fn check_bodies(
        &self,
        bodies: impl Iterator<Item = BodyIndex>,
        module: Module,
    ) -> Result<(), StepFailure> {
        let bad = bodies.filter_map(|body| Some((body, self.state.check_body(body).err()?)));
        match bad.min_by_key(|(body, _)| *body) {
            Some((body, kind)) => Err(self.failure(Some(body), module, kind)),
            None => Ok(()),
        }
    }

    /// The joints that may have moved in the last frame: those of groups that were awake, or all if there are others than those of groups. In any order.
    pub(crate) fn joints_at_work(&self) -> impl Iterator<Item = usize> + '_ {
        let Self { configuration, state, graph, .. } = self;
        let (groups, count) = (&graph.groups, configuration.joints.len());
        let are_grouped = configuration.forces.is_empty() && groups.joints.len() + state.broken_joints.len() == count;
        let awake = marked(&groups.awake).flat_map(|g| groups.group_joints(g)).map(|joint| *joint as usize);
        let all = if are_grouped { 0..0 } else { 0..count };
        all.chain(awake.filter(move |_| are_grouped))
    }

    /// Returns true if the multipliers of all contacts and links are finite.
    pub(super) fn has_finite_multipliers(&self) -> bool {
        let mut edges = self.graph.iter();
        let mut links = self.graph.joint_impulses.iter().flatten();
        edges.all(|e| e.manifold.points.as_slice().iter().all(|p| p.impulse.is_finite()))
            && links.all(|m| m.is_finite())
    }

    /// Fails with the first of some bodies whose velocity is not finite, because of the module at work.
    pub(super) fn check_velocities(&self, bodies: &[BodyIndex], module: Module) -> Result<(), StepFailure> {
        let bad = bodies.iter().find(|b| !self.state.velocity(**b).is_finite());
        bad.map_or(Ok(()), |b| Err(self.failure(Some(*b), module, FailureKind::NonFinite)))
    }

    /// The slot of the edge of a pair.
    pub(super) fn slot(&self, pair: BodyPair) -> Option<u32> {
        let order = &self.graph.order;
        order.binary_search_by_key(&pair, |e| e.pair).ok().map(|k| order[k].slot)
    }

    /// Makes an edge for a pair whose boxes have come to overlap since the last detection of all bodies, or marks its edge as overlapping if there is one.
    pub(super) fn ensure_edge(&mut self, pair: BodyPair) {
        let Self { configuration, graph, .. } = self;
        graph.knows_moving = false;
        match graph.order.binary_search_by_key(&pair, |e| e.pair) {
            Ok(k) => graph.edges[graph.order[k].slot as usize].overlapping = true,
            Err(k) => {
                let (a, b) = (configuration.body(pair.a).material, configuration.body(pair.b).material);
                let slot = graph.allocate(pair, configuration.materials.pair(a, b));
                graph.order.insert(k, EdgeEntry { pair, slot });
            }
        }
    }

    /// Re-evaluates the separations of edges from their anchors at the given frames of the bodies; the caller decides whether they are `fresh`. Returns the smallest
    /// separation (m).
    pub(super) fn refresh_edges(&mut self, edges: &[u32], frame: impl Fn(BodyIndex) -> Pose, fresh: bool) -> Real {
        let Self { configuration, graph, .. } = self;
        let mut least = Real::INFINITY;
        for &slot in edges {
            let edge = &mut graph.edges[slot as usize];
            let frames = [frame(edge.pair.a), frame(edge.pair.b)];
            least = least.min(refresh(edge, configuration, [&frames[0], &frames[1]]));
            edge.fresh = fresh;
        }
        least
    }

    /// The same for the edges of all awake groups, at the present frames, in parallel if there are many; `marked` is scratch.
    pub(super) fn refresh_awake(
        &mut self,
        slots: &[u32],
        frames: &[Pose],
        marked: &mut Vec<bool>,
        executor: &dyn Executor,
    ) -> Real {
        let (configuration, edges) = (&self.configuration, &mut self.graph.edges);
        let length = piece_length(executor, edges.len(), FEW_EDGES);
        // grows with the memory of the edges
        marked.clear();
        marked.reserve(edges.capacity());
        if length >= edges.len() {
            return self.refresh_edges(slots, |body| frames[body.at()], true);
        }
        marked.resize(edges.len(), false);
        for &slot in slots {
            marked[slot as usize] = true;
        }
        let least = Mutex::new(Real::INFINITY);
        run_each(executor, edges.chunks_mut(length).zip(marked.chunks(length)), |(edges, marked)| {
            let mut here = Real::INFINITY;
            for (edge, _) in edges.iter_mut().zip(marked).filter(|(_, marked)| **marked) {
                let pair = [edge.pair.a, edge.pair.b].map(|b| &frames[b.at()]);
                here = here.min(refresh(edge, configuration, pair));
                edge.fresh = true;
            }
            let mut least = least.lock().unwrap_or_else(PoisonError::into_inner);
            *least = least.min(here);
        });
        least.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the separations of edges back by `h` seconds at their present rates, scaled by the fraction `gone` of their ways that bodies went.
    pub(super) fn rewind_edges(&mut self, edges: &[u32], frames: &[Pose], h: Real, gone: impl Fn(BodyIndex) -> Real) {
        let Self { graph, state, .. } = self;
        for &slot in edges {
            let edge = &mut graph.edges[slot as usize];
            edge.fresh = false;
            let bodies = [edge.pair.a, edge.pair.b];
            let [u, v] = bodies.map(|body| {
                let Twist { linear, angular } = state.velocity(body);
                Twist::new(linear * gone(body), angular)
            });
            for p in &mut edge.manifold.points {
                let (normal, place, _) = p.world(&frames[bodies[0].at()], &frames[bodies[1].at()]);
                let [a, b] = bodies.map(|body| place - state.position[body.at()]);
                p.separation -= h * normal.dot(v.at(b) - u.at(a));
            }
        }
    }

    /// Wakes a body; its group follows at the next detection.
    pub(crate) fn wake(&mut self, body: BodyIndex) {
        if self.state.sleeping[body.at()] {
            self.state.flight[body.at()] = Flight::Unknown;
        }
        self.state.sleeping[body.at()] = false;
        self.state.sleepy[body.at()] = false;
        self.state.sleep_memory[body.at()] = SleepMemory::default();
    }

    /// Puts a body to sleep, and sets its velocities to zero.
    pub(crate) fn put_to_sleep(&mut self, body: BodyIndex) {
        self.state.sleeping[body.at()] = true;
        self.state.forget_turn(body);
        // it will need the same support in the step that wakes it
        self.state.flight[body.at()] = Flight::Held;
        self.state.linear_velocity[body.at()] = Vec3::ZERO;
        self.state.angular_velocity[body.at()] = Vec3::ZERO;
    }

    /// Wakes whatever touches a body, is near it, or is joined to it, each with its group. To be called before the body is moved, removed or made to move, so that
    /// nothing is left sleeping in the air.
    pub(crate) fn wake_neighbours(&mut self, body: BodyIndex) {
        self.wake_near(|b| b == body);
    }

    /// The same for several bodies, in one pass over links and edges.
    fn wake_near(&mut self, is_one: impl Fn(BodyIndex) -> bool) {
        for link in 0..self.configuration.link_count() {
            let bodies = self.configuration.link_bodies(link).unwrap_or_default();
            if bodies.into_iter().flatten().any(&is_one) {
                for other in bodies.into_iter().flatten() {
                    self.wake(other);
                }
            }
        }
        for k in 0..self.graph.order.len() {
            let BodyPair { a, b } = self.graph.order[k].pair;
            if is_one(a) {
                self.wake(b);
            }
            if is_one(b) {
                self.wake(a);
            }
        }
    }

    /// Forgets the multipliers of forces. To be called before the numbers of the links change, while the number of joints is still the same.
    pub(crate) fn forget_forces(&mut self) {
        self.graph.joint_impulses.truncate(self.configuration.joints.len());
        self.graph.joint_stiffness.truncate(self.configuration.joints.len());
    }

    /// Removes joints from graph and columns; those after them move up. Their bodies wake.
    pub(crate) fn forget_joints(&mut self, gone: &Gone) {
        self.forget_forces();
        for place in gone.places() {
            let joint = &self.configuration.joints[*place as usize];
            let (bodies, pair) = (joint.bodies, joint.pair().filter(|_| joint.insulates));
            for body in bodies.into_iter().flatten() {
                self.wake(body);
            }
            if let Some(pair) = pair {
                self.configuration.ignored_pairs.remove_joint(pair);
            }
        }
        gone.close_up(&mut self.configuration.joints);
        gone.close_up(&mut self.graph.joint_impulses);
        gone.close_up(&mut self.graph.joint_reactions);
        gone.close_up(&mut self.graph.joint_stiffness);
        self.state.remove_joints(gone);
    }

    /// Removes bodies from graph and columns; those after them move up. Returns the former places of forces that no longer act and were dropped.
    pub(super) fn forget_bodies(&mut self, gone: &Gone) -> Gone {
        self.wake_near(|b| gone.has_body(b));
        drystone_contact_graph::remove_bodies(&mut self.graph, gone);
        gone.close_up(&mut self.pushes);
        let configuration = &mut self.configuration;
        configuration.ignored_pairs.remove_bodies(gone);
        configuration.scripts.retain_mut(|s| gone.without_body(s.body).inspect(|b| s.body = *b).is_some());
        for joint in &mut configuration.joints {
            for b in &mut joint.bodies {
                *b = b.and_then(|b| gone.without_body(b));
            }
        }
        self.forget_forces();
        let configuration = &mut self.configuration;
        let (mut place, mut dropped) = (0, Vec::new());
        configuration.forces.retain_mut(|force| {
            // from the last on, so that the places of the others are still right
            let acts = gone.places().iter().rev().all(|body| force.remove_body(BodyIndex(*body)));
            dropped.extend((!acts).then_some(place));
            place += 1;
            acts
        });
        gone.close_up(&mut configuration.bodies);
        self.state.remove(gone);
        Gone::new(dropped)
    }
}
