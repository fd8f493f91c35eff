use crate::{BodyIndex, BodyPair};

/// The bodies that may have changed in any way since the call before, if all others are known not to have.
#[derive(Debug, Clone, Copy)]
pub struct Moving<'a> {
    /// These bodies, ascending.
    pub bodies: &'a [BodyIndex],
    /// By body, whether it is one of them.
    pub is: &'a [bool],
}

impl Moving<'_> {
    /// Returns true if at least one of a pair's bodies is in the set.
    #[inline]
    pub fn has(&self, pair: BodyPair) -> bool {
        self.is[pair.a.at()] || self.is[pair.b.at()]
    }
}
