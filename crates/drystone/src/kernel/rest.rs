//! Bodies at rest: pairs of such bodies stay as they were, and a detection does not examine them.

use super::boxes::CROWDED;
use super::data::WorldData;
use super::derived::Derived;
use crate::Stages;
use drystone_core::{BodyIndex, BodyPair, ContactSet, DetectMode, Moving, make_room};

/// Number of detections of all bodies in a row that must find the same bodies at rest before their pairs are left out: the first may still test some of them, and
/// the second leaves them as it finds them.
const ALIKE: u32 = 2;

/// One in this many of the bodies must be at rest for it to be worth while.
const SHARE: usize = 4;

/// Which bodies rest, and what is known about pairs of such bodies.
#[derive(Default)]
pub(crate) struct Rest {
    /// By body: whether the last detection of all bodies found that it may move, being neither fixed nor asleep.
    is: Vec<bool>,
    /// The bodies that may move.
    bodies: Vec<BodyIndex>,
    /// Number of the last detections of all bodies that found the same ones, and were made in the same way.
    alike: u32,
    mode: DetectMode,
    /// True if the last detection left out bodies at rest.
    left_out: bool,
    /// Number of pairs at rest, according to their boxes and according to their balls.
    pairs: [usize; 2],
    /// True if distant pairs are dropped.
    drops_distant: bool,
}

impl Rest {
    /// To be called if something about bodies at rest, or what is remembered about their pairs, may differ from what the last detection left.
    pub(super) fn forget(&mut self) {
        self.alike = 0;
        self.left_out = false;
    }

    /// To be called when a frame begins: it is not known which bodies move in it.
    pub(super) fn begin_frame(&mut self) {
        self.left_out = false;
    }

    /// To be called when a detection of all bodies begins: determines which may move, and whether the others can be left out.
    pub(super) fn begin(&mut self, data: &WorldData, derived: &Derived, mode: DetectMode, stages: &Stages) {
        let same = self.look(&data.state.sleeping, derived) && self.mode == mode;
        self.mode = mode;
        let plain = mode.contacts != ContactSet::Union && !mode.short_circuit && !mode.proximity_only;
        let worth = derived.kinds.len() - self.bodies.len() > derived.kinds.len() / SHARE;
        // what is left out stays as it was when its contacts were made
        let leaves_rest = stages.coherence.leaves_rest() && stages.coherence.keeps_contacts();
        if !(plain && worth && leaves_rest) {
            return self.forget();
        }
        if !same {
            self.forget();
        }
        self.left_out = self.alike >= ALIKE;
        self.alike += u32::from(!self.left_out);
    }

    /// Notes which bodies are neither fixed nor asleep; returns whether they are the same as before.
    ///
    /// # Cost
    /// Linear in the bodies that move, unless the number of all bodies has changed.
    fn look(&mut self, sleeping: &[bool], derived: &Derived) -> bool {
        let count = derived.kinds.len();
        if self.is.len() == count && derived.movers(sleeping).eq(self.bodies.iter().copied()) {
            return true;
        }
        if self.is.len() == count {
            for body in &self.bodies {
                self.is[body.at()] = false;
            }
        } else {
            self.is.clear();
            self.is.resize(count, false);
        }
        // room for the first body that moves after a long rest
        make_room(&mut self.bodies, count);
        self.bodies.extend(derived.movers(sleeping));
        for body in &self.bodies {
            self.is[body.at()] = true;
        }
        false
    }

    /// The bodies that move, if the last detection of all bodies left out what rests and nothing has invalidated that since.
    pub(super) fn moving(&self) -> Option<Moving<'_>> {
        self.left_out.then_some(Moving { bodies: &self.bodies, is: &self.is })
    }

    /// Returns true if this many pairs are so many that distant ones should be dropped; if bodies at rest are left out,
    /// these are the pairs with a body that may move, and those at rest are added. `None` if pairs at rest were dropped
    /// but would not be now, or the other way round.
    pub(super) fn are_crowded(&mut self, pairs: usize) -> Option<bool> {
        let rest = if self.left_out { self.pairs[0] } else { 0 };
        let crowded = pairs + rest >= CROWDED * self.is.len();
        if self.left_out && crowded != self.drops_distant {
            return None;
        }
        self.drops_distant = crowded;
        Some(crowded)
    }

    /// Counts the pairs at rest among all that the broad phase found, if the next detection may leave them out.
    pub(super) fn count_found(&mut self, pairs: &[BodyPair]) {
        self.pairs[0] = self.at_rest(pairs).unwrap_or(self.pairs[0]);
    }

    /// The same among those that remain after distant ones were dropped.
    pub(super) fn count_kept(&mut self, pairs: &[BodyPair]) {
        self.pairs[1] = self.at_rest(pairs).unwrap_or(self.pairs[1]);
    }

    /// The number of pairs at rest, if this detection finds them all and the next may leave them out.
    fn at_rest(&self, pairs: &[BodyPair]) -> Option<usize> {
        let moving = Moving { bodies: &self.bodies, is: &self.is };
        (self.alike == ALIKE && !self.left_out).then(|| pairs.iter().filter(|pair| !moving.has(**pair)).count())
    }

    /// The number of pairs that are left out.
    pub(super) fn pairs_left_out(&self) -> usize {
        if self.left_out { self.pairs[1] } else { 0 }
    }
}
