//! The poses at which separations of contacts were last evaluated.

use drystone_core::{BodyPair, Moving};
use drystone_math::Pose;

/// Body frames when the separations of all awake groups were last evaluated: for bodies that have not moved since then, they need not be evaluated again.
#[derive(Default)]
pub(crate) struct EvaluatedAt {
    frames: Vec<Pose>,
    /// By body: whether its frame is still the same.
    unmoved: Vec<bool>,
    /// True if `unmoved` results from a comparison.
    known: bool,
    /// True if a snapshot was restored and nothing edited since: separations are those of the poses that it restored,
    /// where its edges say so.
    pub(super) restored: bool,
}

impl EvaluatedAt {
    /// Notes that separations were evaluated at these frames; all bodies but the moving ones are where they were.
    pub(super) fn note(&mut self, frames: &[Pose], moving: Option<Moving<'_>>) {
        if let Some(moving) = moving.filter(|_| self.frames.len() == frames.len()) {
            for i in moving.bodies.iter().map(|body| body.at()) {
                self.frames[i] = frames[i];
            }
            return;
        }
        self.frames.clear();
        self.frames.extend_from_slice(frames);
    }

    /// To be called when contacts were restored, or bodies edited: nothing is known then.
    pub(super) fn forget(&mut self) {
        self.frames.clear();
        self.restored = false;
    }

    /// To be called when the frames of all bodies were computed anew after edits, or after a restore.
    pub(super) fn settle(&mut self, frames: &[Pose]) {
        let restored = self.restored;
        self.forget();
        if restored {
            self.note(frames, None);
        }
    }

    /// Compares which of the moving bodies are where they were.
    pub(super) fn compare(&mut self, frames: &[Pose], moving: Option<Moving<'_>>) {
        let is_known = self.frames.len() == frames.len() && self.known;
        self.known = self.frames.len() == frames.len();
        if let Some(moving) = moving.filter(|_| is_known) {
            for i in moving.bodies.iter().map(|body| body.at()) {
                self.unmoved[i] = self.frames[i] == frames[i];
            }
            return;
        }
        self.unmoved.clear();
        if self.frames.len() == frames.len() {
            self.unmoved.extend(self.frames.iter().zip(frames).map(|(then, now)| then == now));
        } else {
            self.unmoved.resize(frames.len(), false);
        }
    }

    /// Returns true if separations were evaluated at these frames of a pair's bodies.
    pub(super) fn is_at(&self, frames: &[Pose], pair: BodyPair) -> bool {
        [pair.a.at(), pair.b.at()].into_iter().all(|i| self.frames.get(i) == frames.get(i) && i < frames.len())
    }

    /// Returns true if neither body has moved.
    pub(super) fn is_unmoved(&self, pair: BodyPair) -> bool {
        self.unmoved[pair.a.at()] && self.unmoved[pair.b.at()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_core::BodyIndex;
    use drystone_math::Vec3;

    #[test]
    fn only_pairs_that_are_both_where_they_were_are_unmoved() {
        let mut frames: Vec<Pose> = (0..3).map(|i| Pose::from_position(Vec3::X * f64::from(i))).collect();
        let pair = |a: usize, b: usize| BodyPair::new(BodyIndex::new(a), BodyIndex::new(b)).unwrap();
        let mut evaluated = EvaluatedAt::default();
        evaluated.compare(&frames, None);
        assert!(!evaluated.is_unmoved(pair(0, 1)), "nothing was evaluated yet");
        evaluated.note(&frames, None);
        frames[2].position.y = 1e-300;
        evaluated.compare(&frames, None);
        assert!(evaluated.is_unmoved(pair(0, 1)) && !evaluated.is_unmoved(pair(1, 2)));
        evaluated.forget();
        evaluated.compare(&frames, None);
        assert!(!evaluated.is_unmoved(pair(0, 1)));
    }

    #[test]
    fn what_rests_is_known_from_before() {
        let mut frames: Vec<Pose> = (0..3).map(|i| Pose::from_position(Vec3::X * f64::from(i))).collect();
        let pair = |a: usize, b: usize| BodyPair::new(BodyIndex::new(a), BodyIndex::new(b)).unwrap();
        let moving = Some(Moving { bodies: &[BodyIndex(2)], is: &[false, false, true] });
        let mut evaluated = EvaluatedAt::default();
        evaluated.compare(&frames, None);
        evaluated.note(&frames, moving);
        evaluated.compare(&frames, moving);
        assert!(evaluated.is_unmoved(pair(0, 1)) && evaluated.is_unmoved(pair(1, 2)), "nothing was known before");
        frames[2].position.y = 1.0;
        evaluated.compare(&frames, moving);
        assert!(evaluated.is_unmoved(pair(0, 1)) && !evaluated.is_unmoved(pair(1, 2)));
        evaluated.note(&frames, moving);
        evaluated.compare(&frames, moving);
        assert!(evaluated.is_unmoved(pair(1, 2)));
    }
}
