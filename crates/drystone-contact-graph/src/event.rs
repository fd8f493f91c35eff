use crate::sorted_list::exchange;
use drystone_core::{BodyIndex, BodyPair, ContactGraph, Edge, EventCounts, Gone};
use drystone_math::{Real, Vec3};

/// Kind of event between two bodies.
///
/// # Source
/// H-12; Erleben 2005, Table 5.3. Triggers are pairs whose touching events a listener takes as entering and leaving; persistence is the absence of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EventKind {
    /// Their boxes began to overlap.
    NewProximity,
    /// They began to touch.
    NewTouching,
    /// They ceased to touch.
    VanishingTouching,
    /// Their boxes ceased to overlap.
    VanishingProximity,
}

/// Point and speed at which two bodies met.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Meeting {
    /// Midpoint between the surfaces where they are closest, or overlap most (m).
    pub point: Vec3,
    /// Unit normal there, from the first body of the pair to the second.
    pub normal: Vec3,
    /// Speed at which the bodies approached along it (m/s); negative if they moved apart.
    pub speed: Real,
}

/// An event between two bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactEvent {
    /// The bodies.
    pub pair: BodyPair,
    /// Kind of event.
    pub kind: EventKind,
    /// The clock of the detection that found it (s).
    pub time: Real,
    /// Point and speed of the meeting; zero but for [`EventKind::NewTouching`].
    pub meeting: Meeting,
    /// Impulse on the second body (N s) from then until the end of the frame or of the touch; zero for all other kinds.
    pub impulse: Vec3,
    /// Ascending within a log: it identifies an event after others were taken back.
    pub serial: u64,
}

/// The state of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Mark {
    pair: BodyPair,
    touching: bool,
}

/// An impulse as it was before it was changed.
#[derive(Debug, Clone, Copy)]
struct Before {
    /// When, in terms of the serial numbers of events.
    at: u64,
    pair: BodyPair,
    event: u64,
    impulse: Vec3,
}

/// An instant of an [`EventLog`]: the state of its pairs, and the last event. Its size is that of the pairs that are near, however long the frame has been.
#[derive(Debug, Clone, Default)]
pub struct EventMark {
    marks: Vec<Mark>,
    serial: u64,
}

impl EventMark {
    /// Number of pairs that it knows, which is its cost.
    pub fn len(&self) -> usize {
        self.marks.len()
    }

    /// Returns true if it knows none.
    pub fn is_empty(&self) -> bool {
        self.marks.is_empty()
    }
}

/// The beginnings and ends of proximity and touching between pairs of bodies: the changes from one observation to the next.
///
/// A simulator that takes detections back restores an instant of the log that it saved before ([`Self::save`], [`Self::restore`], [`Self::restore_bodies`],
/// [`Self::restore_marks`]): what was observed in between then leaves no event. The events after the instant are dropped for good: an instant that was saved
/// among them can still be restored, but its events are then gone. When the frame is complete ([`Self::finish`]), its events can no longer be taken back.
///
/// # Source
/// H-12, H-13; Erleben 2005, section 5.3: the first of the two policies for simulators that backtrack, with copies of the marks instead of a scan of the queue.
/// Differs in: what comes and goes within a frame is reported too.
#[derive(Debug, Default)]
pub struct EventLog {
    marks: Vec<Mark>,
    next: Vec<Mark>,
    /// The marks that go and those that come, when few pairs are looked at.
    gone: Vec<Mark>,
    come: Vec<Mark>,
    /// True if a pair touched that was not near when all pairs were last observed.
    has_strangers: bool,
    /// Events of the current frame, by serial number.
    pending: Vec<ContactEvent>,
    /// Impulses of the frame's events that were changed after an instant was saved, in the order of the changes.
    changed: Vec<Before>,
    /// Events of the last complete frame, by time.
    events: Vec<ContactEvent>,
    serial: u64,
    /// The last event that an instant of this frame may restore.
    saved: u64,
}

impl Clone for EventLog {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.clone_from(self);
        copy
    }

    /// Copies into the existing lists: no allocation if they are long enough. Serial numbers go on, and the events of the last complete frame stay as they are.
    fn clone_from(&mut self, source: &Self) {
        self.marks.clone_from(&source.marks);
        self.has_strangers = source.has_strangers;
        self.pending.clone_from(&source.pending);
        self.changed.clone_from(&source.changed);
        make_room(&mut self.pending, source.marks.len());
        self.serial = self.serial.max(source.serial);
        self.saved = self.saved.max(source.saved);
    }
}

impl EventLog {
    /// Notes all pairs whose boxes overlap at `time` (s), ascending by pair, and whether they touch. `meet` gives where a pair that begins to touch meets.
    pub fn observe(
        &mut self,
        time: Real,
        mut near: impl Iterator<Item = (BodyPair, bool)>,
        meet: impl Fn(BodyPair) -> Meeting,
    ) {
        self.has_strangers = false;
        let Self { marks, next, pending, serial, .. } = self;
        make_room(pending, marks.len());
        let mut tell = teller(pending, serial, time);
        let gone = |old: Mark, tell: &mut dyn FnMut(BodyPair, EventKind, Meeting)| {
            if old.touching {
                tell(old.pair, EventKind::VanishingTouching, Meeting::default());
            }
            tell(old.pair, EventKind::VanishingProximity, Meeting::default());
        };
        let turned =
            |pair: BodyPair, touching: [bool; 2], tell: &mut dyn FnMut(BodyPair, EventKind, Meeting)| match touching {
                [false, true] => tell(pair, EventKind::NewTouching, meet(pair)),
                [true, false] => tell(pair, EventKind::VanishingTouching, Meeting::default()),
                _ => {}
            };
        // as long as pairs are the same as before, only what has changed is written
        let (mut same, mut first) = (0, None);
        for (pair, touching) in near.by_ref() {
            let Some(mark) = marks.get_mut(same).filter(|mark| mark.pair == pair) else {
                first = Some((pair, touching));
                break;
            };
            let was = core::mem::replace(&mut mark.touching, touching);
            same += 1;
            turned(pair, [was, touching], &mut tell);
        }
        // as much room as the previous list has, so that the first change after a long rest finds it
        next.clear();
        next.reserve(marks.capacity());
        if same == marks.len() && first.is_none() {
            return;
        }
        next.extend_from_slice(&marks[..same]);
        // from there on two lists sorted by pair are merged
        let mut old = &marks[same..];
        while let Some((pair, touching)) = first {
            while let [left, others @ ..] = old
                && left.pair < pair
            {
                gone(*left, &mut tell);
                old = others;
            }
            let mut touched = false;
            if let [known, others @ ..] = old
                && known.pair == pair
            {
                (touched, old) = (known.touching, others);
            } else {
                tell(pair, EventKind::NewProximity, Meeting::default());
            }
            turned(pair, [touched, touching], &mut tell);
            next.push(Mark { pair, touching });
            first = near.next();
        }
        for left in old {
            gone(*left, &mut tell);
        }
        core::mem::swap(marks, next);
    }

    /// The same for some pairs, ascending: which are near, and whether these touch. All others stay as they were.
    pub fn observe_some(
        &mut self,
        time: Real,
        pairs: impl Iterator<Item = (BodyPair, Option<bool>)>,
        meet: impl Fn(BodyPair) -> Meeting,
    ) {
        let Self { marks, gone, come, pending, serial, .. } = self;
        make_room(pending, marks.len());
        let mut tell = teller(pending, serial, time);
        // the first change after a long rest finds room
        gone.clear();
        gone.reserve(marks.capacity());
        come.clear();
        come.reserve(marks.capacity());
        for (pair, now) in pairs {
            let place = marks.binary_search_by_key(&pair, |mark| mark.pair);
            let was = place.ok().map(|place| marks[place].touching);
            if was.is_none() && now.is_some() {
                tell(pair, EventKind::NewProximity, Meeting::default());
            }
            let [touched, touching] = [was, now].map(|touches| touches == Some(true));
            if touching && !touched {
                tell(pair, EventKind::NewTouching, meet(pair));
            } else if touched && !touching {
                tell(pair, EventKind::VanishingTouching, Meeting::default());
            }
            match (place, now) {
                (Ok(place), Some(touching)) => marks[place].touching = touching,
                (Ok(place), None) => {
                    tell(pair, EventKind::VanishingProximity, Meeting::default());
                    gone.push(marks[place]);
                }
                (Err(_), Some(touching)) => come.push(Mark { pair, touching }),
                (Err(_), None) => {}
            }
        }
        exchange(marks, gone, come);
    }

    /// Returns true if a pair that was not near when it was last observed is among the marks: all pairs must then be
    /// observed, not just some.
    pub fn has_strangers(&self) -> bool {
        self.has_strangers
    }

    /// Notes, between two observations, that a pair that was only near touches: it exchanged an impulse. Returns the serial number of the event; `None` if the
    /// pair touched before.
    pub fn touch(&mut self, time: Real, pair: BodyPair, meeting: Meeting) -> Option<u64> {
        match self.marks.binary_search_by_key(&pair, |m| m.pair) {
            Ok(k) if self.marks[k].touching => return None,
            Ok(k) => self.marks[k].touching = true,
            Err(k) => {
                self.marks.insert(k, Mark { pair, touching: true });
                self.has_strangers = true;
                self.tell(time, pair, EventKind::NewProximity, Meeting::default());
            }
        }
        self.tell(time, pair, EventKind::NewTouching, meeting);
        Some(self.serial)
    }

    /// Notes that a pair that did not touch when it was last observed touched in between, from one time (s) to another.
    pub fn pass(&mut self, [from, until]: [Real; 2], pair: BodyPair) {
        let is_near = self.marks.binary_search_by_key(&pair, |m| m.pair).is_ok();
        if !is_near {
            self.tell(from, pair, EventKind::NewProximity, Meeting::default());
        }
        self.tell(from, pair, EventKind::NewTouching, Meeting::default());
        self.tell(until, pair, EventKind::VanishingTouching, Meeting::default());
        if !is_near {
            self.tell(until, pair, EventKind::VanishingProximity, Meeting::default());
        }
    }

    /// Sets the impulse of an event of this frame; does nothing if the event was taken back.
    pub fn set_impulse(&mut self, serial: u64, impulse: Vec3) {
        let Ok(k) = self.pending.binary_search_by_key(&serial, |e| e.serial) else { return };
        let event = &mut self.pending[k];
        if serial <= self.saved && event.impulse != impulse {
            self.serial += 1;
            self.changed.push(Before { at: self.serial, pair: event.pair, event: serial, impulse: event.impulse });
        }
        event.impulse = impulse;
    }

    /// The impulse exchanged so far after an event of this frame; `None` if the event was taken back.
    pub fn impulse(&self, serial: u64) -> Option<Vec3> {
        self.pending.binary_search_by_key(&serial, |e| e.serial).ok().map(|k| self.pending[k].impulse)
    }

    /// Completes the frame. Returns its changes by time, those of the same time in the order they were found.
    pub fn finish(&mut self) -> &[ContactEvent] {
        core::mem::swap(&mut self.events, &mut self.pending);
        self.pending.clear();
        self.changed.clear();
        self.events.sort_unstable_by(|a, b| a.time.total_cmp(&b.time).then(a.serial.cmp(&b.serial)));
        &self.events
    }

    /// The changes since the last call: one detection makes a complete frame. What touches is what the analysis says.
    pub fn update(&mut self, time: Real, graph: &ContactGraph) -> &[ContactEvent] {
        let near = graph.iter().filter(|e| e.overlapping).map(|e| (e.pair, e.touching));
        self.observe(time, near, |pair| graph.edge(pair.a, pair.b).map_or(Meeting::default(), meeting_of));
        self.finish()
    }

    /// The changes of the last complete frame.
    pub fn events(&self) -> &[ContactEvent] {
        &self.events
    }

    /// Returns true if a pair touched when it was last observed.
    pub fn touches(&self, pair: BodyPair) -> bool {
        self.marks.binary_search_by_key(&pair, |m| m.pair).is_ok_and(|k| self.marks[k].touching)
    }

    /// The pairs that touched when they were last observed, ascending.
    pub fn touching(&self) -> impl Iterator<Item = BodyPair> {
        self.marks.iter().filter(|m| m.touching).map(|m| m.pair)
    }

    /// The pairs that were last observed, ascending, and whether they touch.
    pub fn observed(&self) -> impl Iterator<Item = (BodyPair, bool)> {
        self.marks.iter().map(|m| (m.pair, m.touching))
    }

    /// The pairs that began to touch in this frame after the event of a serial number, in the order they were found.
    pub fn begun_since(&self, serial: u64) -> impl Iterator<Item = &ContactEvent> {
        let from = self.pending.partition_point(|e| e.serial <= serial);
        self.pending[from..].iter().filter(|e| e.kind == EventKind::NewTouching)
    }

    /// The serial number of the last event.
    pub fn last_serial(&self) -> u64 {
        self.serial
    }

    /// Number of changes of each kind in the last complete frame.
    pub fn counts(&self) -> EventCounts {
        let mut counts = EventCounts::default();
        for event in &self.events {
            *match event.kind {
                EventKind::NewProximity => &mut counts.new_proximity,
                EventKind::NewTouching => &mut counts.new_touching,
                EventKind::VanishingTouching => &mut counts.vanishing_touching,
                EventKind::VanishingProximity => &mut counts.vanishing_proximity,
            } += 1;
        }
        counts
    }

    /// Notes that another instant was restored, at which these pairs were near (ascending) and some touched; this leaves no event.
    pub fn reset(&mut self, pairs: impl Iterator<Item = (BodyPair, bool)>) {
        self.marks.clear();
        self.marks.extend(pairs.map(|(pair, touching)| Mark { pair, touching }));
        self.pending.clear();
        self.changed.clear();
        self.events.clear();
    }

    /// The pairs that were near when they were last observed, ascending, and whether they touched.
    pub fn near(&self) -> impl ExactSizeIterator<Item = (BodyPair, bool)> {
        self.marks.iter().map(|m| (m.pair, m.touching))
    }

    /// Takes bodies out; those after them move up.
    pub fn remove_bodies(&mut self, gone: &Gone) {
        self.marks.retain_mut(|m| {
            let (Some(a), Some(b)) = (gone.without_body(m.pair.a), gone.without_body(m.pair.b)) else { return false };
            // taking out places keeps the order of all others
            m.pair = BodyPair { a, b };
            true
        });
        self.pending.clear();
        self.changed.clear();
        self.events.clear();
    }

    /// Saves the current instant into the existing lists. The cost grows with the pairs that are near, not with the events of the frame.
    pub fn save(&mut self, instant: &mut EventMark) {
        instant.marks.clone_from(&self.marks);
        instant.serial = self.serial;
        self.saved = self.serial;
    }

    /// Restores an instant of this frame, as if no event and no impulse had come after it.
    pub fn restore(&mut self, instant: &EventMark) {
        self.marks.clone_from(&instant.marks);
        self.drop_after(instant.serial, |_| true);
        self.undo(instant.serial, |_| true);
    }

    /// Restores what was known, at an instant of this frame, of the pairs with a body of the list, which is ascending.
    pub fn restore_bodies(&mut self, instant: &EventMark, bodies: &[BodyIndex]) {
        let of = |pair: BodyPair| [pair.a, pair.b].iter().any(|b| bodies.binary_search(b).is_ok());
        self.replace_marks(instant, of);
        self.drop_after(instant.serial, of);
        self.undo(instant.serial, of);
    }

    /// Restores the state, at an instant of this frame, of pairs with a body of the list, without the events since; impulses exchanged since stay.
    pub fn restore_marks(&mut self, instant: &EventMark, bodies: &[BodyIndex]) {
        let of = |pair: BodyPair| [pair.a, pair.b].iter().any(|b| bodies.binary_search(b).is_ok());
        self.replace_marks(instant, of);
        self.drop_after(instant.serial, of);
    }

    fn replace_marks(&mut self, instant: &EventMark, of: impl Fn(BodyPair) -> bool) {
        self.marks.retain(|m| !of(m.pair));
        self.marks.extend(instant.marks.iter().filter(|m| of(m.pair)));
        self.marks.sort_unstable_by_key(|m| m.pair);
    }

    /// Drops the events of some pairs after the one of a serial number.
    fn drop_after(&mut self, serial: u64, of: impl Fn(BodyPair) -> bool) {
        let from = self.pending.partition_point(|e| e.serial <= serial);
        retain_from(&mut self.pending, from, |e| !of(e.pair));
    }

    /// Undoes what was changed about the impulses of some pairs since then, the last change first.
    fn undo(&mut self, serial: u64, of: impl Fn(BodyPair) -> bool) {
        let from = self.changed.partition_point(|c| c.at <= serial);
        for change in self.changed[from..].iter().rev().filter(|c| of(c.pair)) {
            if let Ok(k) = self.pending.binary_search_by_key(&change.event, |e| e.serial) {
                self.pending[k].impulse = change.impulse;
            }
        }
        retain_from(&mut self.changed, from, |c| !of(c.pair));
    }

    fn tell(&mut self, time: Real, pair: BodyPair, kind: EventKind, meeting: Meeting) {
        teller(&mut self.pending, &mut self.serial, time)(pair, kind, meeting);
    }
}

/// Adds events at one time to a list, each with the next serial number.
fn teller(pending: &mut Vec<ContactEvent>, serial: &mut u64, time: Real) -> impl FnMut(BodyPair, EventKind, Meeting) {
    move |pair, kind, meeting| {
        *serial += 1;
        pending.push(ContactEvent { pair, kind, time, meeting, impulse: Vec3::ZERO, serial: *serial });
    }
}

/// Keeps the entries for which `keep` is true at a list's end; the beginning is not looked at.
fn retain_from<T: Copy>(list: &mut Vec<T>, from: usize, keep: impl Fn(&T) -> bool) {
    let mut end = from;
    for k in from..list.len() {
        let entry = list[k];
        if keep(&entry) {
            list[end] = entry;
            end += 1;
        }
    }
    list.truncate(end);
}

/// Reserves room for the events of a frame in which every pair comes and goes.
fn make_room(pending: &mut Vec<ContactEvent>, pairs: usize) {
    pending.reserve((4 * pairs).saturating_sub(pending.len()));
}

/// Meeting point of an edge's bodies, as the narrow phase found it; the speed is not filled in.
fn meeting_of(edge: &Edge) -> Meeting {
    let found = &edge.proximity;
    Meeting { point: (found.witness_a + found.witness_b) * 0.5, normal: found.normal, speed: 0.0 }
}
