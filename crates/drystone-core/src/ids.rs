slotmap::new_key_type! {
    /// Names a body for as long as it exists; never reused for another.
    pub struct BodyId;
    /// Names a joint for as long as it exists; never reused for another.
    pub struct JointId;
    /// Names a force of a world; never reused.
    pub struct ForceId;
    /// Names a timer of a world; never reused.
    pub struct TimerId;
}

/// A body's place in the columns of [`crate::Configuration`] and [`crate::State`], valid within a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BodyIndex(pub u32);

impl BodyIndex {
    /// From a column position.
    pub fn new(position: usize) -> Self {
        Self(position as u32)
    }

    /// Its place after another body is taken out of the columns: the bodies after that one move up. `None` for that body itself.
    #[must_use]
    pub fn without(self, removed: Self) -> Option<Self> {
        match self.cmp(&removed) {
            core::cmp::Ordering::Less => Some(self),
            core::cmp::Ordering::Equal => None,
            core::cmp::Ordering::Greater => Some(Self(self.0 - 1)),
        }
    }

    /// The column position.
    #[inline]
    pub fn at(self) -> usize {
        self.0 as usize
    }
}
