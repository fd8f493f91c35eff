use crate::{BodyIndex, BodyPair};

/// Bodies of which something may be another than at the call before, where it is known of all others that nothing is.
#[derive(Debug, Clone, Copy)]
pub struct Moving<'a> {
    /// Which these are, ascending.
    pub bodies: &'a [BodyIndex],
    /// By body, whether it is one of them.
    pub is: &'a [bool],
}

impl Moving<'_> {
    /// Whether one of a pair's bodies is among them.
    #[inline]
    pub fn has(&self, pair: BodyPair) -> bool {
        self.is[pair.a.at()] || self.is[pair.b.at()]
    }
}
