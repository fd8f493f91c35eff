/// Which of 32 groups a body is in, and which it meets, as bits.
///
/// Two bodies meet if each is in a group that the other one's mask has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CollisionGroups {
    /// The groups that the body is in.
    pub membership: u32,
    /// The groups that it meets.
    pub mask: u32,
}

impl Default for CollisionGroups {
    /// A body in the first group that meets all groups.
    fn default() -> Self {
        Self { membership: 1, mask: u32::MAX }
    }
}

impl CollisionGroups {
    /// Returns true if the groups let two bodies meet.
    #[inline]
    pub fn meet(&self, other: &Self) -> bool {
        self.membership & other.mask != 0 && other.membership & self.mask != 0
    }
}
