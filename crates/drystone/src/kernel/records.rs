//! Pair records: distance, bound on the closing, and whether bodies stay in their swept bounds.

use super::data::WorldData;
use super::derived::Derived;
use super::membership::{Domain, Membership};
use drystone_core::{
    BodyIndex, BodyPair, ClosingBound, ContactPoint, Edge, EdgeAction, MotionBound, PairRecord, Scope, State,
};
use drystone_geometry::{Aabb, Shape};
use drystone_math::{Pose, Real, Vec3};

/// The room that the last detection of all bodies gave each body, and how much of it was used.
#[derive(Debug, Default)]
pub(super) struct Rooms {
    /// Bound on the displacement of each point of a body in the look-ahead time (m).
    ways: Vec<Real>,
    /// Displacement since (m), as of the last detection of its scope.
    gone: Vec<Real>,
    /// The positions of the centres of mass at that detection.
    from: Vec<Vec3>,
    turned_from: Vec<drystone_math::Quat>,
}

impl Rooms {
    /// Begins a detection of all bodies that looks ahead by the given ways.
    pub(super) fn begin(&mut self, state: &State, ways: impl Iterator<Item = Real>) {
        self.ways.clear();
        self.ways.extend(ways);
        self.gone.clear();
        self.gone.resize(state.len(), 0.0);
        self.from.clone_from(&state.position);
        self.turned_from.clone_from(&state.orientation);
    }

    /// The same for a detection that examines only some bodies, with the ways of these; those of the others stay as they were.
    pub(super) fn begin_some(&mut self, state: &State, some: &[BodyIndex], way: impl Fn(usize) -> Real) {
        for i in some.iter().map(|body| body.at()) {
            (self.ways[i], self.gone[i]) = (way(i), 0.0);
            (self.from[i], self.turned_from[i]) = (state.position[i], state.orientation[i]);
        }
    }

    /// Bound on the displacement of each point of a body in the look-ahead time (m), by body.
    pub(super) fn ways(&self) -> &[Real] {
        &self.ways
    }

    /// The larger of the room that a body was given and the distance that it moved (m).
    fn extent(&self, body: BodyIndex) -> Real {
        self.ways[body.at()].max(self.gone[body.at()])
    }
}

/// Returns true if a slab separates the closest points of a shape and another one: only for shapes without dents.
fn is_convex(shape: &Shape) -> bool {
    !matches!(shape, Shape::Mesh(_) | Shape::Compound(_))
}

/// The records of the pairs of a scope that the last detection tested.
pub(super) fn list_records(
    data: &WorldData,
    members: &mut Membership,
    (rooms, half_thickness): (&Rooms, &[Real]),
    scope: Scope,
    into: &mut Vec<PairRecord>,
) {
    into.clear();
    if let Scope::Pair(pair) = scope {
        into.extend(data.slot(pair).and_then(|slot| record(data, rooms, half_thickness, slot)));
        return;
    }
    for entry in &data.graph.order {
        if members.covers(data, scope, entry.pair) {
            into.extend(record(data, rooms, half_thickness, entry.slot));
        }
    }
}

/// The record of an edge; `None` if the last detection did not examine it.
fn record(data: &WorldData, rooms: &Rooms, half_thickness: &[Real], slot: u32) -> Option<PairRecord> {
    let WorldData { configuration, graph, .. } = data;
    let edge = &graph.edges[slot as usize];
    if !edge.overlapping || edge.action == EdgeAction::Skip {
        return None;
    }
    let (a, b) = (edge.pair.a, edge.pair.b);
    let convex = [a, b].iter().all(|x| is_convex(&configuration.body(*x).shape));
    let reused = edge.action == EdgeAction::Reuse && !edge.manifold.points.is_empty();
    let distance = if reused { edge.manifold.least_separation() } else { edge.proximity.distance };
    // reused contacts have turned with their bodies since they were found
    let normal = (convex && !reused && distance > 0.0).then_some(edge.proximity.normal);
    let ways = |b: BodyIndex| rooms.ways.get(b.at()).copied().unwrap_or(0.0);
    Some(PairRecord {
        pair: edge.pair,
        distance,
        bound: ClosingBound::of(&bound_of(data, a), &bound_of(data, b), normal),
        approach: approach(&data.state, edge),
        thickness: half_thickness[a.at()] + half_thickness[b.at()],
        ways: ways(a) + ways(b),
        moves: [a, b].map(|x| configuration.body(x).is_dynamic()),
        held: !edge.manifold.points.is_empty(),
        known: edge.known,
    })
}

/// Closing speed of the closest points (m/s).
fn approach(state: &State, edge: &Edge) -> Real {
    let p = &edge.proximity;
    let at = |b: BodyIndex, point: Vec3| {
        let u = state.velocity(b);
        u.at(point - state.position[b.at()])
    };
    p.normal.dot(at(edge.pair.a, p.witness_a) - at(edge.pair.b, p.witness_b))
}

/// Returns true if a contact overlaps by more than `slop` (m), and by this much more than it did `h` seconds ago,
/// assuming present velocities.
pub(super) fn has_gone_in(data: &WorldData, frames: &[Pose], h: Real, slop: Real) -> bool {
    let WorldData { state, graph, .. } = data;
    let came_in = |pair: BodyPair, contact: &ContactPoint| {
        let (normal, point, _) = contact.world(&frames[pair.a.at()], &frames[pair.b.at()]);
        let [of_a, of_b] = [pair.a, pair.b].map(|b| state.velocity(b).at(point - state.position[b.at()]));
        normal.dot(of_a - of_b) * h > slop
    };
    let deep = |edge: &&Edge| edge.overlapping && edge.manifold.least_separation() < -slop;
    let contacts = graph.iter().filter(deep).flat_map(|edge| edge.manifold.points.iter().map(move |p| (edge.pair, p)));
    contacts.filter(|(_, contact)| contact.separation < -slop).any(|(pair, contact)| came_in(pair, contact))
}

/// The first of some bodies that has left the box made for it, or can leave it within `h` seconds.
pub(super) fn escaped(data: &WorldData, derived: &Derived, bodies: &[BodyIndex], h: Real) -> Option<BodyIndex> {
    bodies.iter().copied().find(|&body| !derived.boxes[body.at()].contains(&room(data, derived, body, h)))
}

/// The box of a body and of where it can be within `h` seconds.
fn room(data: &WorldData, derived: &Derived, body: BodyIndex, h: Real) -> Aabb {
    let here = data.configuration.body(body).shape.aabb(&derived.frames[body.at()]);
    if h == 0.0 {
        return here;
    }
    let bound = bound_of(data, body);
    let way = (bound.velocity + bound.acceleration * h) * h;
    // the box may turn back on the way down: both the start and the vertex of the arc are in the two sweeps
    here.swept(way).swept(bound.velocity * h).grown(bound.turned(h))
}

impl Rooms {
    /// The first pair of one of some bodies that moved, or can move within `h` seconds, further than it was given room for, and a dynamic body outside its domain that it
    /// may have met, even though the two may be at different times.
    pub(super) fn crossing(
        &mut self,
        data: &mut WorldData,
        derived: &mut Derived,
        members: &mut Membership,
        (bodies, h): (&[BodyIndex], Real),
    ) -> Option<BodyPair> {
        for &body in bodies {
            let i = body.at();
            let by = data.state.orientation[i] * self.turned_from[i].conjugate();
            let chord = 2.0 * Vec3::new(by.x, by.y, by.z).length();
            let turned = if chord == 0.0 { 0.0 } else { chord * drystone_core::reach(data.configuration.body(body)) };
            let ahead = if h > 0.0 { bound_of(data, body).way(h) } else { 0.0 };
            let gone = data.state.position[i].distance(self.from[i]) + turned + ahead;
            self.gone[i] = self.gone[i].max(gone);
            let room = room(data, derived, body, h);
            let given = derived.boxes[i];
            let inside = given.contains(&room);
            if !inside {
                derived.boxes[i] = given.union(&room);
            }
            if (!inside || gone > self.ways[i] * (1.0 + 1e-9))
                && let Some(met) = self.met(data, derived, members, body)
            {
                // the next try, with the two in one domain, must see it leave again: it then gets its edges there
                derived.boxes[i] = given;
                return Some(met);
            }
        }
        None
    }

    /// A dynamic body outside the domain of a body that the latter may have met. Bodies inside the domain, or not dynamic, get an edge with it instead.
    fn met(
        &self,
        data: &mut WorldData,
        derived: &Derived,
        members: &mut Membership,
        body: BodyIndex,
    ) -> Option<BodyPair> {
        let own = members.domain(data, body);
        for other in (0..data.state.len()).map(BodyIndex::new) {
            let Some(pair) = BodyPair::new(body, other) else { continue };
            let overlap = derived.boxes[body.at()].overlaps(&derived.boxes[other.at()]);
            if !overlap || !derived.may_meet(&data.configuration, pair) {
                continue;
            }
            let theirs = members.domain(data, other);
            if theirs == Domain::Outside || theirs == own {
                data.ensure_edge(pair);
                continue;
            }
            let apart = data.graph.edge(pair.a, pair.b).filter(|e| e.overlapping).map(|e| e.proximity.distance);
            if apart.is_none_or(|d| d <= self.extent(pair.a) + self.extent(pair.b) + derived.envelope) {
                return Some(pair);
            }
        }
        None
    }
}

/// Motion bound for the points of a body, from its velocity and gravity.
pub(super) fn bound_of(data: &WorldData, body: BodyIndex) -> MotionBound {
    let WorldData { configuration, state, .. } = data;
    let properties = configuration.body(body);
    let gravity = if properties.is_dynamic() { configuration.gravity * properties.gravity_scale } else { Vec3::ZERO };
    MotionBound::of(properties, state.orientation[body.at()], state.velocity(body), gravity)
}
