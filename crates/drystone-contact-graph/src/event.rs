use drystone_core::{BodyPair, ContactGraph};

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

/// What a pair was marked with: it is near, and it may touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Mark {
    pair: BodyPair,
    touching: bool,
}

/// Compares the graph with what it was when it was last looked at, and lists the changes.
///
/// Looked at only when it is safe, at the end of a frame, this is the thesis' second policy for simulators that backtrack:
/// what was detected and then taken back leaves no event, and neither does what came and went within the frame. Looked
/// at after each detection it gives each event to an [`crate::EventQueue`].
///
/// # Source
/// H-12, H-13; seed `004_1a7b6777e6ce649b.txt`, section 5.3.
#[derive(Debug, Clone, Default)]
pub struct EventLog {
    marks: Vec<Mark>,
    next: Vec<Mark>,
    events: Vec<ContactEvent>,
}

impl EventLog {
    /// The changes since the last call, by pair, in the order of [`EventKind`].
    pub fn update(&mut self, graph: &ContactGraph) -> &[ContactEvent] {
        let Self { marks, next, events } = self;
        events.clear();
        next.clear();
        let live = graph.iter().filter(|e| e.overlapping);
        next.extend(live.map(|e| Mark { pair: e.pair, touching: e.touching }));
        // merge the two sorted lists
        let (mut old, mut new) = (marks.iter().peekable(), next.iter().peekable());
        loop {
            let pair = match (old.peek(), new.peek()) {
                (Some(o), Some(n)) => o.pair.min(n.pair),
                (Some(m), None) | (None, Some(m)) => m.pair,
                (None, None) => break,
            };
            let (was, is) = (old.next_if(|m| m.pair == pair), new.next_if(|m| m.pair == pair));
            let (touched, touches) = (was.is_some_and(|m| m.touching), is.is_some_and(|m| m.touching));
            let changes = [
                (EventKind::NewProximity, was.is_none()),
                (EventKind::NewTouching, touches && !touched),
                (EventKind::VanishingTouching, touched && !touches),
                (EventKind::VanishingProximity, is.is_none()),
            ];
            events.extend(
                changes.into_iter().filter(|(_, happened)| *happened).map(|(kind, _)| ContactEvent { pair, kind }),
            );
        }
        core::mem::swap(marks, next);
        events
    }

    /// Forgets what it saw without an event: the bodies' indices changed.
    pub fn clear(&mut self) {
        self.marks.clear();
        self.events.clear();
    }
}
