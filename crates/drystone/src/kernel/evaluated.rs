//! At which poses separations of contacts were evaluated last.

use drystone_core::{BodyPair, Moving};
use drystone_math::Pose;

/// Body frames when the separations of all awake groups were last evaluated: what has not moved since then need not be evaluated again.
#[derive(Default)]
pub(crate) struct EvaluatedAt {
    frames: Vec<Pose>,
    /// By body: whether its frame is the same now.
    unmoved: Vec<bool>,
    /// Whether that was found by comparing.
    known: bool,
}

impl EvaluatedAt {
    /// Separations were evaluated at these frames; all others than those that move are where they were.
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

    /// Contacts were brought back, or bodies edited: nothing is known.
    pub(super) fn forget(&mut self) {
        self.frames.clear();
    }

    /// Looks who is where it was, among those that move.
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

    /// Whether both bodies are where they were.
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
