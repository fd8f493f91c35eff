//! Instants of a frame as values: saved, restored, compared.

use super::data::WorldData;
use super::derived::Derived;
use super::fast_bodies::FastWays;
use super::flight::{FlightMark, FreeFlight};
use super::membership::{Extent, Membership};
use super::motion::Motion;
use super::rates::Rates;
use super::refreshed::refresh_gaps;
use super::touches::Touches;
use drystone_contact_graph::EventMark;
use drystone_core::{
    BodyIndex, BodyPair, Configuration, ContactGraph, Displacement, Edge, EdgeEntry, Instant, Restore, Save, State,
    reach,
};
use drystone_math::elementary::{asin, rotation_vector, sin};
use drystone_math::{Pose, Quat, Real, Twist};

/// A saved instant.
#[derive(Default)]
pub(super) struct Saved {
    in_use: bool,
    pub(super) extent: Extent,
    /// The bodies that it covers, ascending, and their columns.
    pub(super) bodies: Vec<BodyIndex>,
    pub(super) poses: Vec<Pose>,
    velocities: Vec<Twist>,
    /// All columns, for data that belongs to no single body.
    state: State,
    tunnelled: Vec<BodyPair>,
    fast_ways: FastWays,
    /// The bodies that had been stopped on their way, ascending.
    standing: Vec<BodyIndex>,
    /// True if the data below was saved too.
    with_contacts: bool,
    /// If the instant covers all bodies.
    graph: ContactGraph,
    /// Touch events up to the instant, saved with every instant.
    events: EventMark,
    sensed: EventMark,
    /// Time by which the velocities of flying bodies were behind their poses, saved with every instant.
    flight: FlightMark,
    /// If it covers some bodies: the edges that involve one of them, sorted by pair; beyond `edge_count` there is only reusable memory.
    edges: Vec<Edge>,
    edge_count: usize,
}

/// Data that an instant is saved from: everything that a frame changes.
pub(super) struct Present<'a> {
    pub(super) data: &'a mut WorldData,
    pub(super) derived: &'a mut Derived,
    pub(super) members: &'a mut Membership,
    pub(super) motion: &'a mut Motion,
    pub(super) touches: &'a mut Touches,
    pub(super) flight: &'a mut FreeFlight,
}

impl Saved {
    fn take(&mut self, present: &mut Present<'_>, bodies: &[BodyIndex], what: Save, extent: Extent) {
        let Present { data, motion, touches, flight, .. } = present;
        self.in_use = true;
        self.extent = extent;
        self.bodies.clear();
        self.bodies.extend_from_slice(bodies);
        self.state.clone_from(&data.state);
        self.poses.clear();
        self.poses.extend(bodies.iter().map(|b| data.state.pose(*b)));
        self.velocities.clear();
        self.velocities.extend(bodies.iter().map(|b| data.state.velocity(*b)));
        self.tunnelled.clone_from(&motion.tunnelled);
        self.fast_ways.copy(&motion.fast.ways);
        self.standing.clone_from(&motion.fast.standing);
        self.with_contacts = what == Save::Contacts;
        touches.events.save(&mut self.events);
        touches.sensed.save(&mut self.sensed);
        flight.save(data, &mut self.flight);
        if !self.with_contacts {
            return;
        }
        match extent {
            Extent::Whole => self.graph.clone_from(&data.graph),
            Extent::Part => self.take_edges(&data.graph),
        }
    }

    fn take_edges(&mut self, graph: &ContactGraph) {
        self.edge_count = 0;
        for entry in &graph.order {
            if !self.concerns(entry.pair) {
                continue;
            }
            let edge = &graph.edges[entry.slot as usize];
            match self.edges.get_mut(self.edge_count) {
                Some(old) => old.clone_from(edge),
                None => self.edges.push(edge.clone()),
            }
            self.edge_count += 1;
        }
        self.graph.joint_impulses.clone_from(&graph.joint_impulses);
        self.graph.joint_stiffness.clone_from(&graph.joint_stiffness);
        self.graph.joint_reactions.clone_from(&graph.joint_reactions);
    }

    /// Returns true if the instant covers a body.
    pub(super) fn has(&self, body: BodyIndex) -> bool {
        self.bodies.binary_search(&body).is_ok()
    }

    fn concerns(&self, pair: BodyPair) -> bool {
        self.has(pair.a) || self.has(pair.b)
    }

    /// Saved edge of a pair.
    fn edge(&self, pair: BodyPair) -> Option<&Edge> {
        if self.extent == Extent::Whole {
            return self.graph.edge(pair.a, pair.b);
        }
        let edges = &self.edges[..self.edge_count];
        edges.binary_search_by_key(&pair, |e| e.pair).ok().map(|k| &edges[k])
    }

    /// Saved edges, sorted by pair.
    fn known(&self) -> impl Iterator<Item = &Edge> {
        let is_whole = self.extent == Extent::Whole;
        let whole = is_whole.then(|| self.graph.iter());
        let some = (!is_whole).then(|| self.edges[..self.edge_count].iter());
        whole.into_iter().flatten().chain(some.into_iter().flatten())
    }

    /// The pose that a body had; `None` if the instant does not cover it.
    pub(super) fn pose(&self, body: BodyIndex) -> Option<Pose> {
        self.bodies.binary_search(&body).ok().map(|k| self.poses[k])
    }

    /// Restores a part of the instant for some of its bodies; `extent` is whole if they are all bodies of an instant of all.
    pub(super) fn restore(&self, present: Present<'_>, bodies: &[BodyIndex], what: Restore, extent: Extent) {
        let Present { data, derived, members, motion, touches, flight } = present;
        if what != Restore::Poses {
            flight.restore(data, &self.flight, bodies);
        }
        if what == Restore::All && extent == Extent::Whole {
            data.state.clone_from(&self.state);
        }
        if matches!(what, Restore::Motion | Restore::All) {
            self.restore_passages(motion, bodies, extent);
        }
        if what != Restore::Velocities {
            motion.fast.restore_stops(&self.standing, bodies);
            self.restore_joint_memory(&data.configuration, &mut data.state, bodies, extent);
        }
        for &body in bodies {
            let Ok(k) = self.bodies.binary_search(&body) else { continue };
            if what != Restore::Velocities {
                data.state.set_pose(body, self.poses[k]);
                derived.frames[body.at()] = data.configuration.body(body).frame(&self.poses[k]);
                data.state.restore_displacement(body, &self.state);
            }
            if what != Restore::Poses {
                data.state.set_velocity(body, self.velocities[k]);
            }
        }
        if what != Restore::Velocities {
            let covers = |b: BodyIndex| bodies.binary_search(&b).is_ok() && self.bodies.binary_search(&b).is_ok();
            data.state.restore_turns(covers, &self.state);
        }
        if what == Restore::All && self.with_contacts {
            derived.evaluated.forget();
            match extent {
                Extent::Whole => {
                    data.graph.clone_from(&self.graph);
                    members.note(&data.graph.groups);
                }
                Extent::Part => {
                    self.restore_edges(&mut data.graph, bodies);
                    self.restore_joints(data, bodies);
                    members.list_edges(data);
                }
            }
        }
        if what != Restore::Velocities {
            let then = [&self.events, &self.sensed];
            touches.restore(then, &data.graph, bodies, (what, extent));
            if what != Restore::All || !self.with_contacts {
                touches.distrust_contacts();
            }
        }
    }

    /// Brings back which pairs had passed through each other: what is taken back did not happen.
    fn restore_passages(&self, motion: &mut Motion, bodies: &[BodyIndex], extent: Extent) {
        if extent == Extent::Whole {
            motion.tunnelled.clone_from(&self.tunnelled);
            motion.fast.ways.copy(&self.fast_ways);
            return;
        }
        let concerns = |pair: &BodyPair| [pair.a, pair.b].iter().any(|b| bodies.binary_search(b).is_ok());
        motion.tunnelled.retain(|pair| !concerns(pair));
        motion.tunnelled.extend(self.tunnelled.iter().filter(|pair| concerns(pair)));
        motion.fast.ways.retain(|b| bodies.binary_search(&b).is_err());
    }

    /// Re-evaluates the separations of edges at the instant's poses; bodies that it does not cover are where `present` has them.
    pub(super) fn refresh_edges(&self, data: &mut WorldData, edges: &[u32], present: impl Fn(BodyIndex) -> Pose) {
        let WorldData { graph, configuration, .. } = data;
        let frame = |b: BodyIndex| self.pose(b).map_or_else(|| present(b), |pose| configuration.body(b).frame(&pose));
        for &slot in edges {
            let edge = &mut graph.edges[slot as usize];
            let frames = [frame(edge.pair.a), frame(edge.pair.b)];
            refresh_gaps(edge, configuration, [&frames[0], &frames[1]]);
            edge.fresh = false;
        }
    }

    /// Restores what was known about the pairs of some bodies. Groups keep their bodies.
    fn restore_edges(&self, graph: &mut ContactGraph, bodies: &[BodyIndex]) {
        let concerns = |pair: BodyPair| [pair.a, pair.b].iter().any(|b| bodies.binary_search(b).is_ok());
        for k in 0..graph.order.len() {
            let EdgeEntry { pair, slot } = graph.order[k];
            if concerns(pair) && self.edge(pair).is_none() {
                // not known then: to be tested like a new one
                let edge = &mut graph.edges[slot as usize];
                (edge.is_tested, edge.touching, edge.was_touching) = (false, false, false);
                edge.cache = Default::default();
                edge.seeds.clear();
                edge.manifold.points.clear();
            }
        }
        for edge in self.known().filter(|e| concerns(e.pair)) {
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

    /// Restores what joints remember about the poses of some bodies.
    fn restore_joint_memory(
        &self,
        configuration: &Configuration,
        state: &mut State,
        bodies: &[BodyIndex],
        extent: Extent,
    ) {
        if extent == Extent::Whole {
            state.joint_memory.clone_from(&self.state.joint_memory);
            return;
        }
        for (k, joint) in configuration.joints.iter().enumerate() {
            if joint.bodies.iter().flatten().any(|b| bodies.binary_search(b).is_ok()) {
                state.joint_memory.restore(k, &self.state.joint_memory);
            }
        }
    }

    /// Restores what was known about the joints of some bodies.
    fn restore_joints(&self, data: &mut WorldData, bodies: &[BodyIndex]) {
        let WorldData { graph, configuration, state, .. } = data;
        for k in 0..configuration.link_count() {
            let linked = configuration.link_bodies(k).unwrap_or_default();
            if !linked.iter().flatten().any(|b| bodies.binary_search(b).is_ok()) {
                continue;
            }
            if let (Some(now), Some(then)) = (graph.joint_impulses.get_mut(k), self.graph.joint_impulses.get(k)) {
                now.clone_from(then);
            }
            if let (Some(now), Some(then)) = (graph.joint_stiffness.get_mut(k), self.graph.joint_stiffness.get(k)) {
                now.clone_from(then);
            }
            if let (Some(now), Some(then)) = (graph.joint_reactions.get_mut(k), self.graph.joint_reactions.get(k)) {
                *now = *then;
            }
            if state.is_broken(k) && !self.state.is_broken(k) {
                state.mend_joint(k);
            }
        }
    }
}

/// The instants that a time control keeps within a frame.
#[derive(Default)]
pub(crate) struct Instants {
    saved: Vec<Saved>,
    pub(super) rates: Rates,
}

impl Instants {
    /// Saves an instant of some bodies, in memory that a released one left.
    pub(super) fn save(
        &mut self,
        present: &mut Present<'_>,
        bodies: &[BodyIndex],
        what: Save,
        extent: Extent,
    ) -> Instant {
        let at = self.saved.iter().position(|s| !s.in_use).unwrap_or(self.saved.len());
        if at == self.saved.len() {
            self.saved.push(Saved::default());
        }
        self.saved[at].take(present, bodies, what, extent);
        Instant(at as u32)
    }

    /// The instant with this name; `None` if it was released, or belongs to another frame.
    pub(super) fn get(&self, name: Instant) -> Option<&Saved> {
        self.saved.get(name.0 as usize).filter(|s| s.in_use)
    }

    pub(super) fn release(&mut self, name: Instant) {
        if let Some(saved) = self.saved.get_mut(name.0 as usize) {
            saved.in_use = false;
        }
    }

    /// To be called at the end of a frame: no instant is held any longer.
    pub(super) fn release_all(&mut self) {
        self.saved.iter_mut().for_each(|s| s.in_use = false);
        self.rates.clear();
    }

    /// Distance between two instants.
    pub(super) fn difference(&self, configuration: &Configuration, a: Instant, b: Instant) -> Displacement {
        let (Some(a), Some(b)) = (self.get(a), self.get(b)) else { return Displacement::default() };
        let mut most = Displacement::default();
        for (k, &body) in a.bodies.iter().enumerate() {
            let Ok(l) = b.bodies.binary_search(&body) else { continue };
            let reach = reach(configuration.body(body));
            most = most.max(apart([a.poses[k], b.poses[l]], [a.velocities[k], b.velocities[l]], reach));
        }
        most
    }
}

/// Sets velocities that lead from an instant to the present poses of its bodies in `h` seconds.
pub(super) fn velocities_from(data: &mut WorldData, from: &Saved, h: Real) {
    if h == 0.0 {
        return;
    }
    for (&body, then) in from.bodies.iter().zip(&from.poses) {
        if data.configuration.body(body).is_dynamic() && !data.state.sleeping[body.at()] {
            let now = data.state.pose(body);
            let turned = rotation_vector(rotation_between(then.orientation, now.orientation));
            data.state.set_velocity(body, Twist::new((now.position - then.position) / h, turned / h));
        }
    }
}

/// The rotation that leads from one orientation to another, by the shorter way.
fn rotation_between(from: Quat, to: Quat) -> Quat {
    let by = to * from.conjugate();
    if by.w < 0.0 { -by } else { by }
}

/// The difference between two states of a body.
fn apart(poses: [Pose; 2], velocities: [Twist; 2], reach: Real) -> Displacement {
    let translation = poses[0].position.distance(poses[1].position);
    let [p, q] = poses.map(|p| p.orientation);
    // unit quaternions of either sign: the chord between them is twice the sine of a quarter of the angle
    let quarter = asin((0.5 * (p - q).length().min((p + q).length())).min(1.0));
    let u = velocities[1] - velocities[0];
    // a rate of zero moves no point, even if the reach is infinite, as for a plane
    let along = |rate: Real| if rate == 0.0 { 0.0 } else { rate * reach };
    Displacement {
        translation,
        angle: 4.0 * quarter,
        way: translation + along(2.0 * sin(2.0 * quarter)),
        speed: u.linear.length() + along(u.angular.length()),
    }
}
