//! Bodies that are stopped on their way by whatever they would pass through.

use super::data::WorldData;
use super::derived::Derived;
use super::fast_bodies::{FastBodies, is_linked};
use super::tunnelling::crosses;
use drystone_core::{BodyIndex, BodyPair, ContactGraph, Edge, PosedShape, make_room};
use drystone_math::{Pose, Real, Vec3};
use drystone_narrow_phase::{Sweep, sweep};

/// Largest number of passes that look for bodies that would run into a stopped one: each goes one link further along a row of bodies that push each other.
const LINKS: usize = 64;

/// Fraction of a drift that each body completes.
#[derive(Default)]
pub(super) struct Stops {
    /// By body: the fraction of its way after which it stops; 1 if nothing stops it.
    fractions: Vec<Real>,
    /// The bodies that are stopped.
    bodies: Vec<BodyIndex>,
}

impl Stops {
    /// Reserves room for this many bodies.
    pub(super) fn make_room(&mut self, bodies: usize) {
        make_room(&mut self.fractions, bodies);
        make_room(&mut self.bodies, bodies);
    }

    /// To be called after a drift: stops bodies that moved far at the first thing on their straight way. This covers continuous bodies, and bodies that a blow threw
    /// out of the room that was searched for them, since it is not known what is there. Bodies that push a stopped body, and bodies linked to it, stop at the same
    /// time. Velocities stay, and whatever a body meets becomes a contact at the next detection. What a body touched at the start is left to its contacts, unless
    /// these let it through. Returns whether any body was stopped.
    ///
    /// # Source
    /// Mirtich 1996 (conservative advancement); losing the rest of the step is common in game engines.
    pub(super) fn stop(&mut self, fast: &FastBodies, data: &mut WorldData, derived: &mut Derived) -> bool {
        self.begin(&fast.standing, data.state.len());
        for &body in &fast.ways.bodies {
            let properties = data.configuration.body(body);
            let swept = properties.continuous || fast.is_unseen(data, derived, body);
            if !swept || properties.sensor || fast.standing.binary_search(&body).is_ok() {
                continue;
            }
            // contacts that were solved hold a thrown body
            let is_held = |pair: BodyPair| !properties.continuous && has_contacts(&data.graph, pair);
            let free = free_fraction(fast, data, derived, body, is_held);
            if free < 1.0 {
                self.make_ready(data.state.len());
                self.stop_at(body, free);
            }
        }
        self.stop_at_middles(fast, data, derived);
        if self.fractions.is_empty() {
            return false;
        }
        let swept = self.bodies.len();
        self.stop_what_follows(fast, data, derived);
        for (k, &body) in self.bodies.iter().chain(&fast.standing).enumerate() {
            let mut stop = fast.ways.stop(&data.state, body, self.fractions[body.at()]);
            // its way was swept with its final orientation
            if k < swept && !is_linked(&data.configuration, body) {
                stop.orientation = data.state.orientation[body.at()];
            }
            data.state.set_pose(body, stop);
            derived.frames[body.at()] = data.configuration.body(body).frame(&stop);
        }
        !self.bodies.is_empty()
    }

    /// Stops continuous bodies that would pass the middle of what they are in although their contacts push them back: beyond the middle they would push them out on the
    /// far side.
    ///
    /// # Cost
    /// Linear in the edges, whose bodies are looked up among the deep ones.
    fn stop_at_middles(&mut self, fast: &FastBodies, data: &WorldData, derived: &Derived) {
        if fast.ways.deep.is_empty() {
            return;
        }
        for edge in data.graph.iter().filter(|e| e.overlapping) {
            for (body, other) in [(edge.pair.a, edge.pair.b), (edge.pair.b, edge.pair.a)] {
                let properties = data.configuration.body(body);
                let may_stop = properties.continuous && !properties.sensor && fast.ways.is_deep(body);
                if !may_stop || self.fraction(body) == 0.0 {
                    continue;
                }
                let way = fast.ways.of(&data.state, body);
                if is_pushed_back(derived, edge, (body, way)) && crosses(data, derived, (body, way), other) {
                    self.make_ready(data.state.len());
                    self.stop_at(body, 0.0);
                }
            }
        }
    }

    /// The fraction of its last way that a body went.
    pub(super) fn fraction(&self, body: BodyIndex) -> Real {
        self.fractions.get(body.at()).copied().unwrap_or(1.0)
    }

    /// The bodies that were stopped.
    pub(super) fn bodies(&self) -> &[BodyIndex] {
        &self.bodies
    }

    /// To be called before anything is stopped: bodies that have been standing since another drift stay where they are.
    fn begin(&mut self, standing: &[BodyIndex], bodies: usize) {
        self.bodies.clear();
        self.fractions.clear();
        if !standing.is_empty() {
            self.make_ready(bodies);
        }
        for body in standing {
            self.fractions[body.at()] = 0.0;
        }
    }

    /// To be called once something is stopped: the other bodies go all their way.
    fn make_ready(&mut self, bodies: usize) {
        if self.fractions.is_empty() {
            self.fractions.resize(bodies, 1.0);
        }
    }

    /// Stops a body earlier.
    fn stop_at(&mut self, body: BodyIndex, time: Real) {
        if self.fractions[body.at()] == 1.0 {
            self.bodies.push(body);
        }
        self.fractions[body.at()] = time;
    }

    /// Stops bodies that would run into stopped bodies, and bodies that are linked to these, and so on.
    fn stop_what_follows(&mut self, fast: &FastBodies, data: &WorldData, derived: &Derived) {
        for _ in 0..LINKS {
            let pushed = self.stop_what_pushes(fast, data, derived);
            let pulled = self.stop_what_is_linked(data);
            if !pushed && !pulled {
                break;
            }
        }
    }

    /// Stops bodies that would run into stopped bodies; returns whether there were any.
    fn stop_what_pushes(&mut self, fast: &FastBodies, data: &WorldData, derived: &Derived) -> bool {
        let mut stopped = false;
        for entry in data.graph.moving_edges() {
            let pair = entry.pair;
            let [a, b] = [pair.a, pair.b].map(|body| self.fractions[body.at()]);
            if a == b {
                continue;
            }
            let edge = &data.graph.edges[entry.slot as usize];
            let (later, time) = if a > b { (pair.a, b) } else { (pair.b, a) };
            if edge.overlapping
                && data.configuration.body(later).is_dynamic()
                && self.goes_in(edge, fast, data, derived)
            {
                self.stop_at(later, time);
                stopped = true;
            }
        }
        stopped
    }

    /// Stops moving bodies that are linked to stopped ones; returns whether there were any.
    fn stop_what_is_linked(&mut self, data: &WorldData) -> bool {
        let WorldData { configuration, state, .. } = data;
        let mut stopped = false;
        // forwards and backwards: the joints of a chain may be listed in either order
        let links = 0..configuration.link_count();
        for link in links.clone().chain(links.rev()).filter(|link| !state.is_broken(*link)) {
            let Some([Some(a), Some(b)]) = configuration.link_bodies(link) else { continue };
            let times = [a, b].map(|body| self.fractions[body.at()]);
            let (later, time) = if times[0] > times[1] { (a, times[1]) } else { (b, times[0]) };
            if times[0] != times[1] && configuration.body(later).is_dynamic() {
                self.stop_at(later, time);
                stopped = true;
            }
        }
        stopped
    }

    /// Returns true if the bodies of an edge, at their stops and in their former orientations, would overlap more
    /// deeply than before by more than the contact envelope.
    fn goes_in(&self, edge: &Edge, fast: &FastBodies, data: &WorldData, derived: &Derived) -> bool {
        let [a, b] = [edge.pair.a, edge.pair.b].map(|body| {
            let there = fast.ways.part(&data.state, body, self.fractions[body.at()]);
            data.configuration.body(body).frame(&there)
        });
        edge.manifold.points.iter().any(|p| p.world(&a, &b).2 < p.separation.min(0.0) - derived.envelope)
    }
}

fn has_contacts(graph: &ContactGraph, pair: BodyPair) -> bool {
    graph.edge(pair.a, pair.b).is_some_and(|edge| edge.overlapping && !edge.manifold.points.is_empty())
}

/// True if the deepest contact of an edge pushes one of its bodies against its way (m).
fn is_pushed_back(derived: &Derived, edge: &Edge, (body, way): (BodyIndex, Vec3)) -> bool {
    let deepest = edge.manifold.points.iter().reduce(|d, p| if p.separation < d.separation { p } else { d });
    deepest.is_some_and(|point| {
        let [a, b] = [edge.pair.a, edge.pair.b].map(|body| &derived.frames[body.at()]);
        let along = point.world(a, b).0.dot(way);
        if edge.pair.a == body { along > 0.0 } else { along < 0.0 }
    })
}

/// The fraction of its last way that a body went before it met something that it did not touch at the start and that does not hold it.
fn free_fraction(
    fast: &FastBodies,
    data: &WorldData,
    derived: &Derived,
    body: BodyIndex,
    is_held: impl Fn(BodyPair) -> bool,
) -> Real {
    let way = fast.ways.of(&data.state, body);
    let frame = derived.frames[body.at()];
    let start = Pose::new(frame.position - way, frame.orientation);
    let shape = &data.configuration.body(body).shape;
    let moving = PosedShape { shape, pose: start };
    let bounds = shape.aabb(&start).swept(way);
    let mut free: Real = 1.0;
    for other in fast.near(derived, &bounds) {
        let properties = data.configuration.body(other);
        let pose = derived.frames[other.at()];
        let meets = |pair| derived.may_meet(&data.configuration, pair) && !is_held(pair);
        if properties.sensor
            || !properties.shape.aabb(&pose).overlaps(&bounds)
            || !BodyPair::new(body, other).is_some_and(meets)
        {
            continue;
        }
        let (until, depth) = match sweep(moving, way, PosedShape { shape: &properties.shape, pose }) {
            Ok(Sweep::Touch(hit)) => (hit.fraction, -hit.normal.dot(way)),
            Ok(Sweep::NotBefore(fraction)) => (fraction, 0.0),
            Ok(Sweep::Free) | Err(_) => (1.0, 0.0),
        };
        if until * way.length() > derived.envelope {
            free = free.min(until);
        // contacts that hold it would not allow such a way
        } else if depth > fast.half_thickness[body.at()] {
            free = 0.0;
        }
    }
    free
}
