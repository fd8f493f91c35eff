use crate::BodyIndex;

/// Two different bodies, the smaller index first: body A is `a`, body B is `b` (C-20).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BodyPair {
    /// The body with the smaller index.
    pub a: BodyIndex,
    /// The body with the larger index.
    pub b: BodyIndex,
}

impl BodyPair {
    /// The pair of two bodies in either order, or `None` for a body with itself.
    pub fn new(one: BodyIndex, other: BodyIndex) -> Option<Self> {
        match one.cmp(&other) {
            core::cmp::Ordering::Less => Some(Self { a: one, b: other }),
            core::cmp::Ordering::Greater => Some(Self { a: other, b: one }),
            core::cmp::Ordering::Equal => None,
        }
    }

    /// The pair of two column positions that are known to be in order.
    #[inline]
    pub fn ordered(a: u32, b: u32) -> Self {
        debug_assert!(a < b);
        Self { a: BodyIndex(a), b: BodyIndex(b) }
    }

    /// Both places as one number: lists of pairs are then merged and searched with one comparison per pair instead of two.
    #[inline(always)]
    fn number(self) -> u64 {
        u64::from(self.a.0) << 32 | u64::from(self.b.0)
    }
}

/// By the first body, then by the second.
impl Ord for BodyPair {
    #[inline]
    fn cmp(&self, other: &Self) -> core::cmp::Ordering {
        self.number().cmp(&other.number())
    }
}

impl PartialOrd for BodyPair {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<core::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
