use drystone_core::{BodyIndex, BodyPair, ContactGraph, EventCounts};

/// What happened between two bodies.
///
/// # Source
/// H-12; seed `004_1a7b6777e6ce649b.txt`, Table 5.3. Triggers are pairs whose touching events a listener takes as in and
/// out; persistence is the absence of an event.
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

/// An event between two bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContactEvent {
    /// The bodies.
    pub pair: BodyPair,
    /// What happened.
    pub kind: EventKind,
}

/// How a pair stands: whether its boxes overlap, and whether it touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Standing {
    near: bool,
    touching: bool,
}

/// What a pair was marked with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Mark {
    pair: BodyPair,
    /// At the end of the last frame.
    was: Standing,
    /// In any detection since.
    seen: Standing,
    /// In the last detection.
    is: Standing,
}

/// Compares the graph with what it was at the end of the last frame, and lists the changes.
///
/// Each detection of a frame is observed; when the frame is complete, a pair has begun to touch if it did not touch at the end of the
/// last frame and did in any detection since, and has ceased to if it touched and does not any more: what comes and goes within a frame
/// is told with its end. A simulator that takes detections back restores a copy of the log with the graph; or it looks only once, at
/// the end of a frame ([`Self::update`]): the thesis' second policy for simulators that backtrack.
///
/// # Source
/// H-12, H-13; seed `004_1a7b6777e6ce649b.txt`, section 5.3.
#[derive(Debug, Default)]
pub struct EventLog {
    marks: Vec<Mark>,
    next: Vec<Mark>,
    events: Vec<ContactEvent>,
}

impl Clone for EventLog {
    fn clone(&self) -> Self {
        Self { marks: self.marks.clone(), next: Vec::new(), events: self.events.clone() }
    }

    /// Copies into the lists that are there: no allocation where they are long enough.
    fn clone_from(&mut self, source: &Self) {
        self.marks.clone_from(&source.marks);
        self.events.clone_from(&source.events);
    }
}

impl EventLog {
    /// Notes what a detection found.
    pub fn observe(&mut self, graph: &ContactGraph) {
        let Self { marks, next, .. } = self;
        next.clear();
        // merge two lists sorted by pair
        let mut old = marks.iter().copied().peekable();
        for edge in graph.iter().filter(|e| e.overlapping) {
            while let Some(gone) = old.next_if(|m| m.pair < edge.pair) {
                next.push(Mark { is: Standing::default(), ..gone });
            }
            let none = Standing::default();
            let mark = old.next_if(|m| m.pair == edge.pair);
            let Mark { was, seen, .. } = mark.unwrap_or(Mark { pair: edge.pair, was: none, seen: none, is: none });
            let is = Standing { near: true, touching: edge.touching };
            let seen = Standing { near: true, touching: seen.touching || edge.touching };
            next.push(Mark { pair: edge.pair, was, seen, is });
        }
        next.extend(old.map(|gone| Mark { is: Standing::default(), ..gone }));
        core::mem::swap(marks, next);
    }

    /// The frame is complete: its changes by pair, in the order of [`EventKind`].
    pub fn finish(&mut self) -> &[ContactEvent] {
        let Self { marks, events, .. } = self;
        events.clear();
        for Mark { pair, was, seen, is } in marks.iter() {
            let changes = [
                (EventKind::NewProximity, seen.near && !was.near),
                (EventKind::NewTouching, seen.touching && !was.touching),
                (EventKind::VanishingTouching, (was.touching || seen.touching) && !is.touching),
                (EventKind::VanishingProximity, (was.near || seen.near) && !is.near),
            ];
            let happened = changes.into_iter().filter(|(_, happened)| *happened);
            events.extend(happened.map(|(kind, _)| ContactEvent { pair: *pair, kind }));
        }
        self.begin();
        &self.events
    }

    /// The changes since the last call, by pair: one detection, and the frame is complete.
    pub fn update(&mut self, graph: &ContactGraph) -> &[ContactEvent] {
        self.observe(graph);
        self.finish()
    }

    /// The changes of the last complete frame.
    pub fn events(&self) -> &[ContactEvent] {
        &self.events
    }

    /// How many changes of each kind the last complete frame had.
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

    /// Takes a graph as that of the end of a frame, without an event: another instant was brought back.
    pub fn reset(&mut self, graph: &ContactGraph) {
        self.clear();
        self.observe(graph);
        self.begin();
    }

    /// Forgets what it saw without an event: the bodies' indices changed.
    pub fn clear(&mut self) {
        self.marks.clear();
        self.events.clear();
    }

    /// Takes a body out; those after it move up by one.
    pub fn remove_body(&mut self, body: BodyIndex) {
        let down = |b: BodyIndex| if b > body { BodyIndex(b.0 - 1) } else { b };
        self.marks.retain(|m| m.pair.a != body && m.pair.b != body);
        // taking out one index keeps the order of all others
        for m in &mut self.marks {
            m.pair = BodyPair { a: down(m.pair.a), b: down(m.pair.b) };
        }
        self.events.clear();
    }

    /// Brings back the marks of another log for the pairs with a body of the list, which is ascending.
    pub fn restore_bodies(&mut self, saved: &Self, bodies: &[BodyIndex]) {
        let of = |m: &Mark| [m.pair.a, m.pair.b].iter().any(|b| bodies.binary_search(b).is_ok());
        self.marks.retain(|m| !of(m));
        self.marks.extend(saved.marks.iter().filter(|m| of(m)));
        self.marks.sort_unstable_by_key(|m| m.pair);
    }

    /// What is now is what was.
    fn begin(&mut self) {
        self.marks.retain(|m| m.is.near);
        for m in &mut self.marks {
            (m.was, m.seen) = (m.is, Standing::default());
        }
    }
}
