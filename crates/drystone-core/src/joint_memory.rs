use crate::{Gone, Joint};
use drystone_math::Real;

/// Memory of joints from step to step beyond the poses of their bodies, such as an angle with its full turns: a column
/// of [`crate::State`] with some values for each joint, zero at the initial state.
///
/// The number of values of a joint, and their meaning, is up to its source ([`crate::ConstraintSource::memory_len`]).
#[derive(Debug, Default, PartialEq)]
pub struct JointMemory {
    /// End of each joint's values.
    ends: Vec<u32>,
    values: Vec<Real>,
}

impl Clone for JointMemory {
    fn clone(&self) -> Self {
        Self { ends: self.ends.clone(), values: self.values.clone() }
    }

    fn clone_from(&mut self, source: &Self) {
        self.ends.clone_from(&source.ends);
        self.values.clone_from(&source.values);
    }
}

impl JointMemory {
    /// The memory of joints that remember nothing yet: zeros.
    pub fn of_joints(joints: &[Joint]) -> Self {
        let mut memory = Self::default();
        for joint in joints {
            memory.push(joint.source.memory_len());
        }
        memory
    }

    /// Number of joints.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns true if there is no joint.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns true if no joint has memory.
    pub fn is_blank(&self) -> bool {
        self.values.is_empty()
    }

    /// Returns true if it has as many values for each joint as the joint asks for.
    pub fn fits(&self, joints: &[Joint]) -> bool {
        self.len() == joints.len() && (0..joints.len()).all(|j| self.of(j).len() == joints[j].source.memory_len())
    }

    fn range(&self, joint: usize) -> core::ops::Range<usize> {
        let end = |j: usize| self.ends.get(j).map_or(self.values.len(), |e| *e as usize);
        joint.checked_sub(1).map_or(0, end)..end(joint)
    }

    /// Memory of a joint; empty for one that does not exist.
    #[inline]
    pub fn of(&self, joint: usize) -> &[Real] {
        if self.values.is_empty() { &[] } else { &self.values[self.range(joint)] }
    }

    /// Memory of a joint, mutable.
    #[inline]
    pub fn of_mut(&mut self, joint: usize) -> &mut [Real] {
        let range = self.range(joint);
        &mut self.values[range]
    }

    /// Adds a joint with this many values.
    pub fn push(&mut self, len: usize) {
        self.values.resize(self.values.len() + len, 0.0);
        self.ends.push(self.values.len() as u32);
    }

    /// Takes joints out; those after them move up.
    pub fn remove(&mut self, gone: &Gone) {
        if gone.is_empty() {
            return;
        }
        let (mut end, mut kept) = (0, 0);
        for joint in 0..self.len() {
            let own = core::mem::replace(&mut end, self.ends[joint] as usize)..self.ends[joint] as usize;
            let stays = !gone.has(joint as u32);
            if stays {
                self.values.copy_within(own.clone(), kept);
                kept += own.len();
            }
            self.ends[joint] = kept as u32;
        }
        self.values.truncate(kept);
        gone.close_up(&mut self.ends);
    }

    /// Makes a joint forget, and gives it this many values from now on.
    pub fn replace(&mut self, joint: usize, len: usize) {
        if joint >= self.len() {
            return;
        }
        let range = self.range(joint);
        let had = range.len();
        self.values.splice(range, core::iter::repeat_n(0.0, len));
        for end in &mut self.ends[joint..] {
            *end = *end + len as u32 - had as u32;
        }
    }

    /// Restores what a joint remembered in a saved state; a joint that had another number of values then keeps what it has.
    pub fn restore(&mut self, joint: usize, saved: &Self) {
        let (own, then) = (self.of_mut(joint), saved.of(joint));
        if own.len() == then.len() {
            own.copy_from_slice(then);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joints_come_and_go() {
        let mut memory = JointMemory::default();
        for len in [1, 0, 2, 1] {
            memory.push(len);
        }
        for (j, value) in [(0, 5.0), (2, 7.0), (3, 9.0)] {
            memory.of_mut(j)[0] = value;
        }
        let saved = memory.clone();
        memory.replace(0, 3);
        assert_eq!(
            (memory.of(0), memory.of(1), memory.of(2), memory.of(3)),
            (&[0.0; 3][..], &[][..], &[7.0, 0.0][..], &[9.0][..])
        );
        memory.of_mut(2)[1] = 8.0;
        // a joint with a different number of values keeps its own
        (0..4).for_each(|j| memory.restore(j, &saved));
        assert_eq!((memory.of(0), memory.of(2)), (&[0.0; 3][..], &[7.0, 0.0][..]));
        memory.remove(&Gone::new([2]));
        assert_eq!((memory.len(), memory.of(2), memory.of(3), memory.of(100)), (3, &[9.0][..], &[][..], &[][..]));
    }
}
