//! At which poses separations of contacts were evaluated last.

use drystone_core::BodyPair;
use drystone_math::Pose;

/// Body frames when the separations of all awake groups were last evaluated: what has not moved since then need not be evaluated again.
#[derive(Default)]
pub(crate) struct EvaluatedAt {
    frames: Vec<Pose>,
    /// By body: whether its frame is the same now.
    unmoved: Vec<bool>,
}

impl EvaluatedAt {
    /// Separations were evaluated at these frames.
    pub(super) fn note(&mut self, frames: &[Pose]) {
        self.frames.clear();
        self.frames.extend_from_slice(frames);
    }

    /// Contacts were brought back, or bodies edited: nothing is known.
    pub(super) fn forget(&mut self) {
        self.frames.clear();
    }

    /// Looks who is where it was.
    pub(super) fn compare(&mut self, frames: &[Pose]) {
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
        evaluated.compare(&frames);
        assert!(!evaluated.is_unmoved(pair(0, 1)), "nothing was evaluated yet");
        evaluated.note(&frames);
        frames[2].position.y = 1e-300;
        evaluated.compare(&frames);
        assert!(evaluated.is_unmoved(pair(0, 1)) && !evaluated.is_unmoved(pair(1, 2)));
        evaluated.forget();
        evaluated.compare(&frames);
        assert!(!evaluated.is_unmoved(pair(0, 1)));
    }
}
