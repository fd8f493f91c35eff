//! Begin and end of touches, and the impulses exchanged.
//!
//! A detection tells which bodies touch. If it looks ahead, or found contacts at poses that have been taken back since, a pair also counts as touching when it
//! exchanges an impulse: the bodies reach each other within the step. The impulses of a touch are summed from its beginning to the end of the frame.

use super::data::WorldData;
use super::derived::Derived;
use super::membership::{Extent, Membership};
use super::output::Output;
use super::sensors::Sensors;
use super::survey::{Mark, Survey};
use super::task::Operation;
use drystone_contact_graph::{EventLog, EventMark, Meeting};
use drystone_core::{BodyIndex, BodyPair, ContactGraph, ContactImpulse, DetectMode, Edge, Gone, Restore, Scope, State};
use drystone_math::{Pose, Real, Vec3};

/// Touches, sensor overlaps, and the impulses exchanged.
#[derive(Default)]
pub(crate) struct Touches {
    /// Touches begun and ended since the end of the last frame.
    pub(super) events: EventLog,
    /// The same for pairs with a sensor.
    pub(super) sensed: EventLog,
    /// Pairs with a sensor.
    pub(super) sensors: Sensors,
    /// The impulses exchanged by pairs that began to touch.
    pub(super) strikes: Strikes,
}

/// Result of a detection for each pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// Only its proximity.
    Proximities,
    /// Its contacts too.
    Contacts,
}

/// The criterion by which a pair counts as touching.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Touch {
    /// The statement of the narrow phase.
    Said,
    /// That, and a gap within the envelope, since contacts may be further apart.
    Near,
}

/// Pairs that began to touch in this frame, and those that may do so within the step.
#[derive(Default)]
pub(crate) struct Strikes {
    open: Vec<Open>,
    /// By slot of the edge: one more than its place in `open`; zero for none.
    places: Vec<u32>,
    /// True if poses were restored but contacts were not: which pairs touch must then be determined from the latter.
    stale: bool,
    /// The contact envelope of the last detection (m).
    envelope: Real,
    /// The poses and motions, at the last detection of all bodies, of those that may touch within the step. Most do not, so the places where they would meet are not
    /// computed in advance.
    then: Course,
}

/// The poses and motions of the bodies that were noted.
#[derive(Default)]
struct Course {
    frames: Vec<Pose>,
    centres: Vec<Vec3>,
    velocities: Vec<[Vec3; 2]>,
}

impl Course {
    /// Makes a place for each of this many bodies, so that the first one after a long rest finds it.
    fn resize(&mut self, bodies: usize) {
        self.frames.resize(bodies, Pose::IDENTITY);
        self.centres.resize(bodies, Vec3::ZERO);
        self.velocities.resize(bodies, [Vec3::ZERO; 2]);
    }

    fn note(&mut self, state: &State, frames: &[Pose], body: BodyIndex) {
        let i = body.at();
        (self.frames[i], self.centres[i]) = (frames[i], state.position[i]);
        self.velocities[i] = [state.linear_velocity[i], state.angular_velocity[i]];
    }

    /// Meeting point and speed of an edge's bodies according to this course.
    fn meeting(&self, edge: &Edge) -> Meeting {
        let motion = |body: BodyIndex| (self.velocities[body.at()], self.centres[body.at()]);
        meeting(edge, Found::Contacts, motion, &self.frames)
    }
}

struct Open {
    slot: u32,
    pair: BodyPair,
    /// Meeting point and speed, if computed.
    meeting: Option<Meeting>,
    /// The event of its first touch, once there is one.
    serial: Option<u64>,
    /// Impulses on the second body: the total, that of the last solve, and that of the present operation (N s).
    sum: Vec3,
    last: Vec3,
    now: Vec3,
    struck: bool,
}

impl Strikes {
    /// To be called when a frame begins.
    pub(super) fn clear(&mut self) {
        self.retain(|_| false);
        self.stale = false;
    }

    /// The place of a slot's pair among those that are open.
    fn place(&self, slot: u32) -> Option<usize> {
        self.places.get(slot as usize).and_then(|place| (*place as usize).checked_sub(1))
    }

    /// Notes the impulse of a contact, given by the slot of its edge and its place there.
    fn note(&mut self, (slot, point): (u32, u32), impulse: &ContactImpulse, graph: &ContactGraph, frames: &[Pose]) {
        let Some(place) = self.place(slot) else { return };
        // most pairs that may touch within the step do not
        if *impulse == ContactImpulse::ZERO {
            return;
        }
        let open = &mut self.open[place];
        let point = &graph.edges[slot as usize].manifold.points[point as usize];
        let (normal, ..) = point.world(&frames[open.pair.a.at()], &frames[open.pair.b.at()]);
        open.now += impulse.total(normal);
        open.struck |= impulse.normal > 0.0;
    }

    fn retain(&mut self, mut keep: impl FnMut(&Open) -> bool) {
        let Self { open, places, .. } = self;
        for o in open.iter() {
            places[o.slot as usize] = 0;
        }
        open.retain(|o| keep(o));
        for (place, o) in (1..).zip(open.iter()) {
            places[o.slot as usize] = place;
        }
    }

    fn add(&mut self, slot: u32, pair: BodyPair, meeting: Option<Meeting>, serial: Option<u64>) {
        let none = Vec3::ZERO;
        if self.places.len() <= slot as usize {
            self.places.resize(slot as usize + 1, 0);
        }
        if self.places[slot as usize] == 0 {
            self.open.push(Open { slot, pair, meeting, serial, sum: none, last: none, now: none, struck: false });
            self.places[slot as usize] = self.open.len() as u32;
        } else if serial.is_some() {
            // what might have touched within the step before now does
            let known = &mut self.open[self.places[slot as usize] as usize - 1];
            (known.meeting, known.serial) = (meeting, serial);
        }
    }

    /// To be called when the last solve of some pairs is done again: its impulses do not count.
    fn take_back_last(&mut self, mut solves: impl FnMut(BodyPair) -> bool) {
        for open in self.open.iter_mut().filter(|o| o.last != Vec3::ZERO) {
            if solves(open.pair) {
                open.sum -= core::mem::take(&mut open.last);
            }
        }
    }
}

impl Touches {
    /// To be called when a frame begins.
    pub(super) fn begin_frame(&mut self) {
        self.strikes.clear();
    }

    /// To be called when bodies are removed; those after them move up.
    pub(super) fn remove_bodies(&mut self, gone: &Gone) {
        self.events.remove_bodies(gone);
        self.sensed.remove_bodies(gone);
    }

    /// To be called after a detection: notes which pairs touch. If a detection of all bodies found contacts, `survey` gives the state of the edges.
    pub(super) fn observe(
        &mut self,
        (data, derived): (&WorldData, &Derived),
        members: &mut Membership,
        scope: Scope,
        mode: DetectMode,
        (found, survey): (Found, Option<&Survey>),
    ) {
        self.strikes.envelope = mode.envelope.unwrap_or(derived.envelope);
        self.strikes.stale = false;
        let touch = if mode.look_ahead > 0.0 { Touch::Near } else { Touch::Said };
        self.look(data, derived, (touch, found), survey);
        let Self { events, strikes, .. } = self;
        strikes.retain(|o| events.touches(o.pair) || (scope != Scope::All && !members.covers(data, scope, o.pair)));
        if mode.look_ahead > 0.0 && found == Found::Contacts {
            self.open_what_comes(data, derived, survey);
        }
    }

    /// To be called before contacts that were found at other poses are solved: notes which pairs touch at the present poses.
    pub(super) fn observe_again(&mut self, data: &WorldData, derived: &Derived, scope: Scope) {
        if self.strikes.stale {
            self.strikes.stale = false;
            self.look(data, derived, (Touch::Near, Found::Contacts), None);
            self.open_what_comes(data, derived, None);
        }
        let Scope::Pair(pair) = scope else { return };
        // examined on its own: it may touch for the first time
        if let Some(slot) = data.slot(pair)
            && !self.events.touches(pair)
        {
            let edge = &data.graph.edges[slot as usize];
            let meeting = meeting(edge, Found::Contacts, motion_of(&data.state), &derived.frames);
            self.strikes.add(slot, pair, Some(meeting), None);
        }
    }

    /// Notes which pairs touch. Edges that have been surveyed are not examined again.
    fn look(&mut self, data: &WorldData, derived: &Derived, (touch, found): (Touch, Found), survey: Option<&Survey>) {
        let Self { events, strikes, .. } = self;
        let (graph, state, frames) = (&data.graph, &data.state, &derived.frames);
        let envelope = strikes.envelope;
        let touches = |e: &Edge| e.touching && (touch == Touch::Said || gap(e, found) <= envelope);
        let before = events.last_serial();
        strikes.open.reserve(graph.order.len().saturating_sub(strikes.open.len()));
        let meet = |pair: BodyPair| {
            graph.edge(pair.a, pair.b).map_or(Meeting::default(), |e| meeting(e, found, motion_of(state), frames))
        };
        if let Some(survey) = survey.filter(|_| graph.knows_moving && !events.has_strangers()) {
            let stands = |mark: Mark| (mark != Mark::Apart).then_some(mark == Mark::Touching);
            let pairs = graph.moving.iter().map(|entry| (entry.pair, stands(survey.mark(entry.slot))));
            events.observe_some(state.time, pairs, meet);
        } else if let Some(survey) = survey {
            let near = graph.order.iter().map(|entry| (entry.pair, survey.mark(entry.slot)));
            let near = near.filter(|(_, mark)| *mark != Mark::Apart);
            events.observe(state.time, near.map(|(pair, mark)| (pair, mark == Mark::Touching)), meet);
        } else {
            let near = graph.order.iter().map(|entry| (entry.pair, &graph.edges[entry.slot as usize]));
            let near = near.filter(|(_, edge)| edge.overlapping);
            events.observe(state.time, near.map(|(pair, edge)| (pair, touches(edge))), meet);
        }
        for event in events.begun_since(before) {
            if let Some(slot) = data.slot(event.pair) {
                strikes.add(slot, event.pair, Some(event.meeting), Some(event.serial));
            }
        }
    }

    /// Opens pairs with contacts that do not touch, but may within the step.
    fn open_what_comes(&mut self, data: &WorldData, derived: &Derived, survey: Option<&Survey>) {
        let Self { events, strikes, .. } = self;
        if let Some(survey) = survey {
            strikes.then.resize(data.state.len());
            // pairs that touch were observed by the same marks
            if survey.has_coming(&data.graph) {
                for entry in data.graph.moving_edges().iter().filter(|entry| survey.mark(entry.slot) == Mark::Coming) {
                    strikes.add(entry.slot, entry.pair, None, None);
                    for body in [entry.pair.a, entry.pair.b] {
                        strikes.then.note(&data.state, &derived.frames, body);
                    }
                }
            }
            return;
        }
        let comes = |edge: &Edge| meeting(edge, Found::Contacts, motion_of(&data.state), &derived.frames);
        // both are in ascending order of pairs
        let mut observed = events.observed().peekable();
        for entry in &data.graph.order {
            while observed.next_if(|(pair, _)| *pair < entry.pair).is_some() {}
            if observed.next_if_eq(&(entry.pair, true)).is_some() {
                continue;
            }
            let edge = &data.graph.edges[entry.slot as usize];
            if edge.overlapping && !edge.manifold.points.is_empty() {
                strikes.add(entry.slot, entry.pair, Some(comes(edge)), None);
            }
        }
    }

    /// To be called after velocities were solved for: adds the impulses of pairs that touch for the first time.
    pub(super) fn note_strikes<'a>(
        &mut self,
        outputs: impl Iterator<Item = &'a Output>,
        data: &WorldData,
        frames: &[Pose],
        operation: Operation,
    ) {
        let Self { events, strikes, .. } = self;
        let (graph, state) = (&data.graph, &data.state);
        let solved = matches!(operation, Operation::Solve { .. });
        if strikes.open.is_empty() || !(solved || matches!(operation, Operation::Resolve { .. })) {
            return;
        }
        for output in outputs {
            for (edge, impulses) in output.by_edge() {
                if strikes.place(edge.slot).is_none() {
                    continue;
                }
                for (point, impulse) in (0..).zip(impulses) {
                    strikes.note((edge.slot, point), impulse, graph, frames);
                }
            }
            for (slot, point, impulse) in &output.blows {
                strikes.note((*slot, *point), impulse, graph, frames);
            }
        }
        let Strikes { open, then, .. } = strikes;
        for open in open.iter_mut().filter(|o| o.struck) {
            let now = core::mem::take(&mut open.now);
            open.struck = false;
            let meeting = || open.meeting.unwrap_or_else(|| then.meeting(&graph.edges[open.slot as usize]));
            open.serial = open.serial.or_else(|| events.touch(state.time, open.pair, meeting()));
            open.sum += now;
            if solved {
                open.last = now;
            }
            if let Some(serial) = open.serial {
                events.set_impulse(serial, open.sum);
            }
        }
    }

    /// To be called when the last solve of some pairs is done again: its impulses do not count.
    pub(super) fn take_back_last(&mut self, solves: impl FnMut(BodyPair) -> bool) {
        self.strikes.take_back_last(solves);
    }

    /// Restores what had begun and stopped between some bodies and others: an instant that is taken back leaves no event.
    pub(super) fn restore(
        &mut self,
        then: [&EventMark; 2],
        graph: &ContactGraph,
        bodies: &[BodyIndex],
        (what, extent): (Restore, Extent),
    ) {
        for (log, then) in [&mut self.events, &mut self.sensed].into_iter().zip(then) {
            match (what, extent) {
                // the contacts stay, and so do the impulses that they exchange
                (Restore::Poses, _) => log.restore_marks(then, bodies),
                (_, Extent::Whole) => log.restore(then),
                (_, Extent::Part) => log.restore_bodies(then, bodies),
            }
        }
        self.forget_strikes(graph);
    }

    /// Notes that contacts were not restored with the poses: which pairs touch must be determined from them.
    pub(super) fn distrust_contacts(&mut self) {
        self.strikes.stale = true;
    }

    /// To be called when poses were restored: touches that had begun by then continue, with the impulses exchanged by then.
    fn forget_strikes(&mut self, graph: &ContactGraph) {
        let Self { strikes, events, .. } = self;
        let Strikes { open, places, .. } = strikes;
        for o in open.iter() {
            places[o.slot as usize] = 0;
        }
        open.retain_mut(|o| {
            let slot = graph.order.binary_search_by_key(&o.pair, |e| e.pair).map(|k| graph.order[k].slot);
            let (Ok(slot), Some(sum)) = (slot, o.serial.and_then(|serial| events.impulse(serial))) else {
                return false;
            };
            (o.slot, o.sum, o.last) = (slot, sum, Vec3::ZERO);
            true
        });
        let slots = open.iter().map(|o| o.slot as usize + 1).max().unwrap_or(0);
        places.resize(places.len().max(slots), 0);
        for (place, o) in (1..).zip(open.iter()) {
            places[o.slot as usize] = place;
        }
    }
}

/// The distance between an edge's bodies (m).
fn gap(edge: &Edge, found: Found) -> Real {
    match found {
        Found::Proximities => edge.proximity.distance,
        Found::Contacts => edge.manifold.least_separation(),
    }
}

/// The velocities and the centre of mass of each body in a state.
fn motion_of(state: &State) -> impl Fn(BodyIndex) -> ([Vec3; 2], Vec3) {
    |body| ([state.linear_velocity[body.at()], state.angular_velocity[body.at()]], state.position[body.at()])
}

/// Meeting point and speed of an edge's bodies, for given frames and motion.
fn meeting(edge: &Edge, found: Found, motion: impl Fn(BodyIndex) -> ([Vec3; 2], Vec3), frames: &[Pose]) -> Meeting {
    let [a, b] = [edge.pair.a, edge.pair.b];
    let deepest = edge.manifold.deepest().filter(|_| found == Found::Contacts);
    let (normal, point) = deepest.map_or_else(
        || (edge.proximity.normal, (edge.proximity.witness_a + edge.proximity.witness_b) * 0.5),
        |p| {
            let (normal, point, _) = p.world(&frames[a.at()], &frames[b.at()]);
            (normal, point)
        },
    );
    let [u, v] = [a, b].map(|body| {
        let ([linear, angular], centre) = motion(body);
        linear + angular.cross(point - centre)
    });
    Meeting { point, normal, speed: normal.dot(u - v) }
}
