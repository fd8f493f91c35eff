use super::data::WorldData;
use super::derived::Derived;
use super::engine::Engine;
use super::motion::Motion;
use super::rates::Rates;
use drystone_contact_graph::EventLog;
use drystone_core::{
    BodyIndex, BodyPair, ContactGraph, Displacement, Edge, EdgeEntry, Instant, Restore, Save, Scope, State, reach,
};
use drystone_math::elementary::{asin, sin};
use drystone_math::{Pose, Quat, Real, Twist, Vec3};

/// A saved instant of all bodies, or of some.
#[derive(Default)]
pub(super) struct Saved {
    in_use: bool,
    /// Whether it is of all bodies.
    whole: bool,
    /// The bodies that it is of, ascending, and their columns.
    pub(super) bodies: Vec<BodyIndex>,
    pub(super) poses: Vec<Pose>,
    velocities: Vec<Twist>,
    /// All columns, for what belongs to no body alone.
    state: State,
    tunnelled: u64,
    fast_starts: Vec<(BodyIndex, Vec3)>,
    /// Whether what follows was saved too.
    with_contacts: bool,
    /// Of all bodies.
    graph: ContactGraph,
    /// What had begun and ceased to touch, saved with every instant.
    events: EventLog,
    sensed: EventLog,
    /// Of some: the edges that one of them has a part in, by pair; beyond `edge_count` only their memory.
    edges: Vec<Edge>,
    edge_count: usize,
}

impl Saved {
    fn take(&mut self, what: Save, engine: &Engine, whole: bool) {
        self.in_use = true;
        self.whole = whole;
        self.bodies.clone_from(&engine.motion.listed);
        self.state.clone_from(&engine.data.state);
        self.poses.clear();
        self.poses.extend(engine.motion.listed.iter().map(|b| engine.data.state.pose(*b)));
        self.velocities.clear();
        self.velocities.extend(engine.motion.listed.iter().map(|b| engine.data.state.velocity(*b)));
        self.tunnelled = engine.motion.tunnelled;
        self.fast_starts.clone_from(&engine.motion.fast.starts);
        self.with_contacts = what == Save::Contacts;
        self.events.clone_from(&engine.touches.events);
        self.sensed.clone_from(&engine.touches.sensed);
        if !self.with_contacts {
            return;
        }
        if whole {
            self.graph.clone_from(&engine.data.graph);
        } else {
            self.take_edges(engine);
        }
    }

    fn take_edges(&mut self, engine: &Engine) {
        self.edge_count = 0;
        for entry in &engine.data.graph.order {
            if !self.concerns(entry.pair) {
                continue;
            }
            let edge = &engine.data.graph.edges[entry.slot as usize];
            match self.edges.get_mut(self.edge_count) {
                Some(old) => old.clone_from(edge),
                None => self.edges.push(edge.clone()),
            }
            self.edge_count += 1;
        }
        self.graph.joint_impulses.clone_from(&engine.data.graph.joint_impulses);
        self.graph.joint_reactions.clone_from(&engine.data.graph.joint_reactions);
    }

    fn has(&self, body: BodyIndex) -> bool {
        self.bodies.binary_search(&body).is_ok()
    }

    fn concerns(&self, pair: BodyPair) -> bool {
        self.has(pair.a) || self.has(pair.b)
    }

    /// What was known of a pair.
    fn edge(&self, pair: BodyPair) -> Option<&Edge> {
        if self.whole {
            return self.graph.edge(pair.a, pair.b);
        }
        let edges = &self.edges[..self.edge_count];
        edges.binary_search_by_key(&pair, |e| e.pair).ok().map(|k| &edges[k])
    }

    /// What was known of pairs, by pair.
    fn known(&self) -> impl Iterator<Item = &Edge> {
        let whole = self.whole.then(|| self.graph.iter());
        let some = (!self.whole).then(|| self.edges[..self.edge_count].iter());
        whole.into_iter().flatten().chain(some.into_iter().flatten())
    }

    /// Where a body was; `None` where it is not one of the instant's.
    pub(super) fn pose(&self, body: BodyIndex) -> Option<Pose> {
        self.bodies.binary_search(&body).ok().map(|k| self.poses[k])
    }
}

/// What a time control keeps within a frame.
#[derive(Default)]
pub(crate) struct Instants {
    pub(super) saved: Vec<Saved>,
    pub(super) rates: Rates,
}

impl Engine {
    /// Saves an instant of the frame, in memory that a released one left.
    pub(super) fn save(&mut self, scope: Scope, what: Save) -> Instant {
        if scope == Scope::All {
            self.motion.listed.clear();
            self.motion.listed.extend((0..self.data.state.len()).map(BodyIndex::new));
        } else {
            self.list_bodies(scope);
        }
        let at = self.instants.saved.iter().position(|s| !s.in_use).unwrap_or(self.instants.saved.len());
        if at == self.instants.saved.len() {
            self.instants.saved.push(Saved::default());
        }
        let mut saved = core::mem::take(&mut self.instants.saved[at]);
        saved.take(what, self, scope == Scope::All);
        self.instants.saved[at] = saved;
        Instant(at as u32)
    }

    /// The instant of a name; `None` where it was released, or is not of this frame.
    pub(super) fn instant(&self, name: Instant) -> Option<&Saved> {
        self.instants.saved.get(name.0 as usize).filter(|s| s.in_use)
    }

    pub(super) fn release(&mut self, name: Instant) {
        if let Some(saved) = self.instants.saved.get_mut(name.0 as usize) {
            saved.in_use = false;
        }
    }

    /// The end of a frame: no instant is held any longer.
    pub(super) fn release_all(&mut self) {
        self.instants.saved.iter_mut().for_each(|s| s.in_use = false);
        self.instants.rates.clear();
    }

    /// Brings back a part of a saved instant; nothing for a name that holds none.
    pub(super) fn restore(&mut self, scope: Scope, name: Instant, what: Restore) {
        if self.instant(name).is_none() {
            return;
        }
        let at = name.0 as usize;
        let saved = core::mem::take(&mut self.instants.saved[at]);
        let whole = saved.whole && scope == Scope::All;
        if scope == Scope::All {
            self.motion.listed.clone_from(&saved.bodies);
        } else {
            self.list_bodies(scope);
            self.motion.listed.retain(|b| saved.has(*b));
        }
        if what == Restore::All && whole {
            self.data.state.clone_from(&saved.state);
            self.motion.tunnelled = saved.tunnelled;
            self.motion.fast.starts.clone_from(&saved.fast_starts);
        }
        if what != Restore::Velocities {
            self.restore_joint_memory(whole, &saved.state);
        }
        for &body in &self.motion.listed {
            let Ok(k) = saved.bodies.binary_search(&body) else { continue };
            if what != Restore::Velocities {
                self.data.state.set_pose(body, saved.poses[k]);
                self.derived.frames[body.at()] = self.data.configuration.body(body).frame(&saved.poses[k]);
                self.data.state.restore_turn(body, &saved.state);
            }
            if what != Restore::Poses {
                self.data.state.set_velocity(body, saved.velocities[k]);
            }
        }
        if what == Restore::All && saved.with_contacts {
            if whole {
                self.data.graph.clone_from(&saved.graph);
                self.note_groups();
            } else {
                self.restore_edges(&saved);
                self.restore_joints(&saved);
                self.list_edges_of_groups();
            }
        }
        self.restore_events(what, whole, &saved);
        self.instants.saved[at] = saved;
    }

    /// What had begun and ceased between the listed bodies and others: an instant that is taken back leaves no event.
    fn restore_events(&mut self, what: Restore, whole: bool, saved: &Saved) {
        if what == Restore::Velocities {
            return;
        }
        for (log, then) in [(&mut self.touches.events, &saved.events), (&mut self.touches.sensed, &saved.sensed)] {
            if what == Restore::Poses {
                // the contacts stay, and with them what they exchange
                log.restore_marks(then, &self.motion.listed);
            } else if whole {
                log.clone_from(then);
            } else {
                log.restore_bodies(then, &self.motion.listed);
            }
        }
        self.forget_strikes(what == Restore::All && saved.with_contacts);
    }

    /// What is known of the pairs of the listed bodies. Groups keep their bodies.
    fn restore_edges(&mut self, saved: &Saved) {
        let Self { data: WorldData { graph, .. }, motion: Motion { listed, .. }, .. } = self;
        let concerns = |pair: BodyPair| [pair.a, pair.b].iter().any(|b| listed.binary_search(b).is_ok());
        for k in 0..graph.order.len() {
            let EdgeEntry { pair, slot } = graph.order[k];
            if concerns(pair) && saved.edge(pair).is_none() {
                // not known then: to be tested as a new one
                let edge = &mut graph.edges[slot as usize];
                (edge.tested_at, edge.touching, edge.was_touching) = (None, false, false);
                edge.cache = Default::default();
                edge.seeds.clear();
                edge.manifold.points.clear();
            }
        }
        for edge in saved.known().filter(|e| concerns(e.pair)) {
            let slot = match graph.order.binary_search_by_key(&edge.pair, |e| e.pair) {
                Ok(k) => graph.order[k].slot,
                Err(k) => {
                    let slot = graph.allocate(edge.pair, edge.material);
                    graph.order.insert(k, EdgeEntry { pair: edge.pair, slot });
                    slot
                }
            };
            graph.edges[slot as usize].clone_from(edge);
        }
    }

    /// What joints remember of the poses of the listed bodies.
    fn restore_joint_memory(&mut self, whole: bool, saved: &State) {
        let Self { motion: Motion { listed, .. }, data: WorldData { configuration, state, .. }, .. } = self;
        if whole {
            state.joint_memory.clone_from(&saved.joint_memory);
            return;
        }
        for (k, joint) in configuration.joints.iter().enumerate() {
            if joint.bodies.iter().flatten().any(|b| listed.binary_search(b).is_ok()) {
                state.joint_memory.restore(k, &saved.joint_memory);
            }
        }
    }

    /// What is known of the joints of the listed bodies.
    fn restore_joints(&mut self, saved: &Saved) {
        let Self { data: WorldData { graph, configuration, state, .. }, motion: Motion { listed, .. }, .. } = self;
        for k in 0..configuration.link_count() {
            let bodies = configuration.link_bodies(k).unwrap_or_default();
            if !bodies.iter().flatten().any(|b| listed.binary_search(b).is_ok()) {
                continue;
            }
            if let (Some(now), Some(then)) = (graph.joint_impulses.get_mut(k), saved.graph.joint_impulses.get(k)) {
                now.clone_from(then);
            }
            if let (Some(now), Some(then)) = (graph.joint_reactions.get_mut(k), saved.graph.joint_reactions.get(k)) {
                *now = *then;
            }
            if state.is_broken(k) && !saved.state.is_broken(k) {
                state.mend_joint(k);
            }
        }
    }

    /// How far two instants are apart.
    pub(super) fn difference(&self, a: Instant, b: Instant) -> Displacement {
        let (Some(a), Some(b)) = (self.instant(a), self.instant(b)) else { return Displacement::default() };
        let mut most = Displacement::default();
        for (k, &body) in a.bodies.iter().enumerate() {
            let Ok(l) = b.bodies.binary_search(&body) else { continue };
            let properties = self.data.configuration.body(body);
            most = most.max(apart([a.poses[k], b.poses[l]], [a.velocities[k], b.velocities[l]], reach(properties)));
        }
        most
    }

    /// Re-evaluates the separations of edges at the poses of an instant.
    pub(super) fn refresh_at(&mut self, edges: &[u32], instant: Instant) {
        let Self {
            data: WorldData { graph, configuration, .. },
            derived: Derived { frames, .. },
            instants: Instants { saved, .. },
            ..
        } = self;
        let Some(saved) = saved.get(instant.0 as usize).filter(|s| s.in_use) else { return };
        let frame =
            |body: BodyIndex| saved.pose(body).map_or(frames[body.at()], |pose| configuration.body(body).frame(&pose));
        for &slot in edges {
            let edge = &mut graph.edges[slot as usize];
            edge.manifold.refresh(&frame(edge.pair.a), &frame(edge.pair.b));
        }
    }
}

/// The rotation that leads from one orientation to another, by the shorter way.
pub(super) fn rotation_between(from: Quat, to: Quat) -> Quat {
    let by = to * from.conjugate();
    if by.w < 0.0 { -by } else { by }
}

/// How far a body is apart from itself.
fn apart(poses: [Pose; 2], velocities: [Twist; 2], reach: Real) -> Displacement {
    let translation = poses[0].position.distance(poses[1].position);
    let [p, q] = poses.map(|p| p.orientation);
    // unit quaternions of either sign: the chord between them is twice the sine of a quarter of the angle
    let quarter = asin((0.5 * (p - q).length().min((p + q).length())).min(1.0));
    let u = velocities[1] - velocities[0];
    // what does not turn has no points that turn: a plane's reach is infinite
    let along = |rate: Real| if rate == 0.0 { 0.0 } else { rate * reach };
    Displacement {
        translation,
        angle: 4.0 * quarter,
        way: translation + along(2.0 * sin(2.0 * quarter)),
        speed: u.linear.length() + along(u.angular.length()),
    }
}
