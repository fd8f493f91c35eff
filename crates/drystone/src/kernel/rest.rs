//! Who rests: pairs of such bodies are what they were, and a detection does not look at them.

use super::boxes::CROWDED;
use super::data::WorldData;
use super::derived::Derived;
use crate::Stages;
use drystone_core::{BodyIndex, BodyKind, BodyPair, ContactSet, DetectMode, Moving};

/// So many detections of all in a row find the same bodies at rest before pairs of these are left out: the first may still test some of them, and the second leaves
/// them as it finds them.
const ALIKE: u32 = 2;

/// One in so many of the bodies that can move must be at rest for it to be worth the while.
const SHARE: usize = 4;

/// Who rests, and what is known of pairs of which both bodies do.
#[derive(Default)]
pub(crate) struct Rest {
    /// By body: whether the last detection of all found that it may move, being neither fixed nor asleep.
    is: Vec<bool>,
    /// Those that it found so.
    bodies: Vec<BodyIndex>,
    /// How many of the last detections of all found the same, and were made in the same way.
    alike: u32,
    mode: DetectMode,
    /// Whether the last one left out what rests.
    left_out: bool,
    /// How many pairs rest, by their boxes and by their balls.
    pairs: [usize; 2],
    /// Whether distant pairs are dropped.
    drops_distant: bool,
}

impl Rest {
    /// Something about bodies at rest, or what is remembered of their pairs, may be another than the last detection left it.
    pub(super) fn forget(&mut self) {
        self.alike = 0;
        self.left_out = false;
    }

    /// A frame begins: who moves in it is not known.
    pub(super) fn begin_frame(&mut self) {
        self.left_out = false;
    }

    /// A detection of all begins: looks who may move, and whether the others can be left out.
    pub(super) fn begin(&mut self, data: &WorldData, derived: &Derived, mode: DetectMode, stages: &Stages) {
        let same = self.look(&data.state.sleeping, &derived.kinds) && self.mode == mode;
        self.mode = mode;
        let plain = mode.contacts != ContactSet::Union && !mode.short_circuit && !mode.proximity_only;
        let worth = derived.movable - self.bodies.len() > derived.movable / SHARE;
        // what is left out is as it was where its contacts were made
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

    /// Notes who is neither fixed nor asleep; whether it is who it was.
    fn look(&mut self, sleeping: &[bool], kinds: &[BodyKind]) -> bool {
        let mut same = self.is.len() == kinds.len();
        self.is.resize(kinds.len(), false);
        for ((is, kind), asleep) in self.is.iter_mut().zip(kinds).zip(sleeping) {
            let moves = match kind {
                BodyKind::Dynamic => !asleep,
                BodyKind::Scripted => true,
                BodyKind::Fixed | BodyKind::Passive => false,
            };
            same &= *is == moves;
            *is = moves;
        }
        if !same {
            self.bodies.clear();
            // the first that moves after a long rest finds room
            self.bodies.reserve(kinds.len());
            self.bodies.extend((0..kinds.len()).filter(|i| self.is[*i]).map(BodyIndex::new));
        }
        same
    }

    /// Who moves, where the last detection of all left out what rests and nothing has changed that since.
    pub(super) fn moving(&self) -> Option<Moving<'_>> {
        self.left_out.then_some(Moving { bodies: &self.bodies, is: &self.is })
    }

    /// Whether so many pairs, of which a body may move where what rests is left out, are so many with the others that distant ones are to be dropped. `None` where pairs that rest were
    /// dropped and would not be now, or the other way round.
    pub(super) fn are_crowded(&mut self, pairs: usize) -> Option<bool> {
        let rest = if self.left_out { self.pairs[0] } else { 0 };
        let crowded = pairs + rest >= CROWDED * self.is.len();
        if self.left_out && crowded != self.drops_distant {
            return None;
        }
        self.drops_distant = crowded;
        Some(crowded)
    }

    /// Counts pairs at rest among all that the broad phase found, where the next detection may leave them out.
    pub(super) fn count_found(&mut self, pairs: &[BodyPair]) {
        self.pairs[0] = self.at_rest(pairs).unwrap_or(self.pairs[0]);
    }

    /// The same among those that are left once distant ones are dropped.
    pub(super) fn count_kept(&mut self, pairs: &[BodyPair]) {
        self.pairs[1] = self.at_rest(pairs).unwrap_or(self.pairs[1]);
    }

    /// How many pairs rest, where this detection finds them all and the next may leave them out.
    fn at_rest(&self, pairs: &[BodyPair]) -> Option<usize> {
        let moving = Moving { bodies: &self.bodies, is: &self.is };
        (self.alike == ALIKE && !self.left_out).then(|| pairs.iter().filter(|pair| !moving.has(**pair)).count())
    }

    /// How many pairs are left out.
    pub(super) fn pairs_left_out(&self) -> usize {
        if self.left_out { self.pairs[1] } else { 0 }
    }
}
