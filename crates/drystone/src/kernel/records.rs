//! What is known of pairs: how far apart they are, how fast they can close, and whether bodies keep to the room that was looked ahead.

use super::engine::Engine;
use drystone_core::{BodyIndex, BodyPair, ClosingBound, Edge, EdgeAction, MotionBound, PairRecord, Scope, State};
use drystone_geometry::Shape;
use drystone_math::{Real, Vec3};

/// The room that the last detection of all gave each body, and how it was used.
#[derive(Debug, Default)]
pub(super) struct Rooms {
    /// How far each point of a body may come in the time looked ahead (m).
    pub(super) ways: Vec<Real>,
    /// How far one has come since (m), as of the last detection of its scope.
    gone: Vec<Real>,
    /// Where the centres of mass were.
    from: Vec<Vec3>,
    turned_from: Vec<drystone_math::Quat>,
}

impl Rooms {
    /// The state of a detection of all that looks ahead by the given ways.
    pub(super) fn begin(&mut self, state: &State) {
        self.gone.clear();
        self.gone.resize(state.len(), 0.0);
        self.from.clone_from(&state.position);
        self.turned_from.clone_from(&state.orientation);
    }

    /// The larger of what a body was given and what it took (m).
    fn extent(&self, body: BodyIndex) -> Real {
        self.ways[body.at()].max(self.gone[body.at()])
    }
}

/// Whether the closest points of a shape and another one have a slab between them: no shape with dents.
fn is_convex(shape: &Shape) -> bool {
    !matches!(shape, Shape::Mesh(_) | Shape::Compound(_))
}

impl Engine {
    /// How the points of a body can move, by its present velocity and gravity.
    pub(super) fn motion_bound(&self, body: BodyIndex) -> MotionBound {
        bound_of(&self.data.configuration, &self.data.state, body)
    }

    /// The domain of a body: its group, itself where it is free, nothing where it is not dynamic.
    pub(super) fn domain(&mut self, body: BodyIndex) -> Domain {
        self.know_groups();
        if !self.data.configuration.body(body).is_dynamic() {
            return Domain::Outside;
        }
        self.members.group_of[body.at()].map_or(Domain::Free(body), Domain::Group)
    }

    /// Whether the edge between two bodies belongs to a scope: within it, or between it and what is not dynamic.
    pub(super) fn covers(&mut self, scope: Scope, pair: BodyPair) -> bool {
        let domains = [self.domain(pair.a), self.domain(pair.b)];
        match scope {
            Scope::All => true,
            Scope::Pair(p) => p == pair,
            Scope::Body(body) => pair.a == body || pair.b == body,
            Scope::Free => domains.iter().all(|d| !matches!(d, Domain::Group(_))),
            Scope::With(body) => {
                let own = self.domain(body);
                own != Domain::Outside
                    && domains.contains(&own)
                    && domains.iter().all(|d| *d == own || *d == Domain::Outside)
            }
        }
    }

    /// The records of the pairs of a scope that the last detection tested.
    pub(super) fn list_records(&mut self, scope: Scope) {
        self.detection.records.clear();
        if let Scope::Pair(pair) = scope {
            if let Ok(k) = self.data.graph.order.binary_search_by_key(&pair, |e| e.pair) {
                self.push_record(self.data.graph.order[k].slot);
            }
            return;
        }
        for k in 0..self.data.graph.order.len() {
            let entry = self.data.graph.order[k];
            if self.covers(scope, entry.pair) {
                self.push_record(entry.slot);
            }
        }
    }

    fn push_record(&mut self, slot: u32) {
        let edge = &self.data.graph.edges[slot as usize];
        if !edge.overlapping || edge.action == EdgeAction::Skip {
            return;
        }
        let (a, b) = (edge.pair.a, edge.pair.b);
        let convex = [a, b].iter().all(|x| is_convex(&self.data.configuration.body(*x).shape));
        let reused = edge.action == EdgeAction::Reuse && !edge.manifold.points.is_empty();
        let distance = if reused { edge.manifold.least_separation() } else { edge.proximity.distance };
        // reused contacts have turned with their bodies since
        let normal = (convex && !reused && distance > 0.0).then_some(edge.proximity.normal);
        let ways = |b: BodyIndex| self.detection.rooms.ways.get(b.at()).copied().unwrap_or(0.0);
        let record = PairRecord {
            pair: edge.pair,
            distance,
            bound: ClosingBound::of(&self.motion_bound(a), &self.motion_bound(b), normal),
            approach: self.approach(edge),
            ways: ways(a) + ways(b),
            moves: [a, b].map(|x| self.data.configuration.body(x).is_dynamic()),
            held: !edge.manifold.points.is_empty(),
            known: edge.known,
        };
        self.detection.records.push(record);
    }

    /// How fast the closest points approach each other (m/s).
    fn approach(&self, edge: &Edge) -> Real {
        let p = &edge.proximity;
        let at = |b: BodyIndex, point: Vec3| {
            let u = self.data.state.velocity(b);
            u.at(point - self.data.state.position[b.at()])
        };
        p.normal.dot(at(edge.pair.a, p.witness_a) - at(edge.pair.b, p.witness_b))
    }

    /// The first of the listed bodies that has left the box made for it, or can in `h` seconds.
    pub(super) fn escaped(&self, h: Real) -> Option<BodyIndex> {
        self.motion.listed.iter().copied().find(|&body| {
            let i = body.at();
            let shape = &self.data.configuration.body(body).shape;
            let mut room = shape.aabb(&self.derived.frames[i]);
            if h > 0.0 {
                let bound = self.motion_bound(body);
                let way = (bound.velocity + bound.acceleration * h) * h;
                // the box may turn back on the way down: both the start and the vertex of the arc are in the two sweeps
                room = room.swept(way).swept(bound.velocity * h).grown(bound.spin * h);
            }
            !self.derived.boxes[i].contains(&room)
        })
    }

    /// The first pair of a listed body that went further than it was given and a dynamic body outside that it may have met: at whatever
    /// times of their own the two are.
    pub(super) fn crossing(&mut self) -> Option<BodyPair> {
        for k in 0..self.motion.listed.len() {
            let body = self.motion.listed[k];
            let i = body.at();
            let by = self.data.state.orientation[i] * self.detection.rooms.turned_from[i].conjugate();
            let chord = 2.0 * Vec3::new(by.x, by.y, by.z).length();
            let turned =
                if chord == 0.0 { 0.0 } else { chord * drystone_core::reach(self.data.configuration.body(body)) };
            let gone = self.data.state.position[i].distance(self.detection.rooms.from[i]) + turned;
            self.detection.rooms.gone[i] = self.detection.rooms.gone[i].max(gone);
            let room = self.data.configuration.body(body).shape.aabb(&self.derived.frames[i]);
            let inside = self.derived.boxes[i].contains(&room);
            if !inside {
                self.derived.boxes[i] = self.derived.boxes[i].union(&room);
            }
            if (!inside || gone > self.detection.rooms.ways[i] * (1.0 + 1e-9))
                && let Some(met) = self.met(body)
            {
                return Some(met);
            }
        }
        None
    }

    /// A dynamic body outside the domain of one that it may have met. What is inside, or not dynamic, gets an edge with it.
    fn met(&mut self, body: BodyIndex) -> Option<BodyPair> {
        let own = self.domain(body);
        for other in (0..self.data.state.len()).map(BodyIndex::new) {
            let Some(pair) = BodyPair::new(body, other) else { continue };
            let theirs = self.domain(other);
            if !self.derived.boxes[body.at()].overlaps(&self.derived.boxes[other.at()]) || !self.may_meet(pair) {
                continue;
            }
            if theirs == Domain::Outside || theirs == own {
                self.ensure_edge(pair);
                continue;
            }
            let apart = self.data.graph.edge(pair.a, pair.b).filter(|e| e.overlapping).map(|e| e.proximity.distance);
            if apart.is_none_or(|d| {
                d <= self.detection.rooms.extent(pair.a) + self.detection.rooms.extent(pair.b) + self.derived.envelope
            }) {
                return Some(pair);
            }
        }
        None
    }
}

/// What a body moves with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Domain {
    /// A contact group, by its number.
    Group(u32),
    /// It alone.
    Free(BodyIndex),
    /// Not dynamic.
    Outside,
}

/// How the points of a body can move, by its velocity and gravity.
pub(super) fn bound_of(configuration: &drystone_core::Configuration, state: &State, body: BodyIndex) -> MotionBound {
    let properties = configuration.body(body);
    let gravity = if properties.is_dynamic() { configuration.gravity * properties.gravity_scale } else { Vec3::ZERO };
    MotionBound::of(properties, state.orientation[body.at()], state.velocity(body), gravity)
}
