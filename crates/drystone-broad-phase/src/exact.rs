use drystone_core::{BodyPair, BroadPhaseInput};

/// The exact question about a pair.
pub(crate) trait Exact {
    /// Returns true if the boxes overlap and the filters admit the pair.
    fn overlaps(&self, pair: BodyPair) -> bool;
}

impl Exact for BroadPhaseInput<'_> {
    #[inline]
    fn overlaps(&self, pair: BodyPair) -> bool {
        let (i, j) = (pair.a.at(), pair.b.at());
        self.boxes[i].overlaps(&self.boxes[j]) && self.filters[i].admits(&self.filters[j])
    }
}
