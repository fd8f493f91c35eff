use crate::{ContactEvent, EventLog};
use drystone_core::ContactGraph;
use drystone_math::Real;

/// Time-stamped events of a simulator that backtracks: the thesis' first policy in its plain form, with which [`EventLog`] is compared.
///
/// Every detection is recorded. Going back in time takes the later ones out, and with them the marks by which the next detection tells new from old, at the
/// price of a copy of the marks per detection.
///
/// # Source
/// H-13, H-18; Erleben 2005, section 5.3. Differs in: the marks are kept with each detection instead of
/// being found again by a scan through the queue.
#[derive(Debug, Clone, Default)]
pub struct EventQueue {
    log: EventLog,
    events: Vec<ContactEvent>,
    /// The log as it was before each recorded detection, and its time.
    history: Vec<(Real, EventLog)>,
}

impl EventQueue {
    /// Records a detection at `time` (s).
    pub fn record(&mut self, time: Real, graph: &ContactGraph) {
        self.history.push((time, self.log.clone()));
        self.events.extend_from_slice(self.log.update(time, graph));
    }

    /// Goes back to `time` (s): takes out what was recorded later.
    pub fn rewind(&mut self, time: Real) {
        self.events.retain(|e| e.time <= time);
        while self.history.last().is_some_and(|(t, _)| *t > time) {
            if let Some((_, log)) = self.history.pop() {
                self.log = log;
            }
        }
    }

    /// Hands out the events that can no longer be taken back, oldest first, and forgets them: the frame is complete.
    pub fn drain(&mut self) -> impl Iterator<Item = ContactEvent> + '_ {
        self.history.clear();
        self.events.drain(..)
    }
}
