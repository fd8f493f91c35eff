//! Which bodies have been moved since somebody last looked.

use drystone_core::{BodyIndex, make_room};

/// The bodies that were moved since the list was last emptied, each once, in the order of their first motion.
#[derive(Debug, Default)]
pub(crate) struct MovedBodies {
    bodies: Vec<BodyIndex>,
    /// By body: whether it is listed.
    is_listed: Vec<bool>,
    /// Number of times all bodies were placed anew.
    placements: u64,
}

impl MovedBodies {
    /// To be called after an edit, when this many bodies are placed anew: none of them is listed.
    pub(super) fn begin(&mut self, bodies: usize) {
        self.placements += 1;
        make_room(&mut self.bodies, bodies);
        self.is_listed.clear();
        self.is_listed.resize(bodies, false);
    }

    /// Lists a body.
    pub(super) fn note(&mut self, body: BodyIndex) {
        if !core::mem::replace(&mut self.is_listed[body.at()], true) {
            self.bodies.push(body);
        }
    }

    /// Empties the list.
    ///
    /// # Cost
    /// Linear in its length.
    pub(crate) fn forget(&mut self) {
        for body in self.bodies.drain(..) {
            self.is_listed[body.at()] = false;
        }
    }

    /// The bodies of the list.
    pub(crate) fn bodies(&self) -> &[BodyIndex] {
        &self.bodies
    }

    /// Number of times all bodies were placed anew: motion before the last time is not listed.
    pub(crate) fn placements(&self) -> u64 {
        self.placements
    }
}
