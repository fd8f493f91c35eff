use crate::{BodyPair, Gone};
use hashbrown::HashMap;

/// Pairs that never meet, and why: the logical rules of the contact graph (H-06).
///
/// # Cost
/// Looked up by hashing, once per pair of a broad phase; iteration is sorted, so that nothing depends on the order of the table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IgnoredPairs {
    reasons: HashMap<BodyPair, Reasons>,
}

/// Why a pair does not meet; at least one of these reasons holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Reasons {
    /// A rule of the user's.
    rule: bool,
    /// Joints that keep their bodies from meeting.
    joints: u32,
}

impl IgnoredPairs {
    /// Returns true if the pair never meets.
    #[inline]
    pub fn contains(&self, pair: BodyPair) -> bool {
        !self.reasons.is_empty() && self.reasons.contains_key(&pair)
    }

    /// The pairs, ascending.
    pub fn iter(&self) -> impl Iterator<Item = BodyPair> {
        let mut pairs: Vec<BodyPair> = self.reasons.keys().copied().collect();
        pairs.sort_unstable();
        pairs.into_iter()
    }

    /// The pairs that a rule keeps from meeting, whatever joints do, ascending.
    pub fn rules(&self) -> impl Iterator<Item = BodyPair> {
        self.iter().filter(|pair| self.reasons.get(pair).is_some_and(|reasons| reasons.rule))
    }

    /// Number of pairs.
    pub fn len(&self) -> usize {
        self.reasons.len()
    }

    /// Returns true if all pairs may meet.
    pub fn is_empty(&self) -> bool {
        self.reasons.is_empty()
    }

    /// Keeps a pair from meeting, whatever joints are between its bodies.
    pub fn add_rule(&mut self, pair: BodyPair) {
        self.reasons.entry(pair).or_default().rule = true;
    }

    /// Lets a pair meet again, whatever kept it from meeting.
    pub fn remove(&mut self, pair: BodyPair) {
        self.reasons.remove(&pair);
    }

    /// Keeps a pair from meeting for as long as a joint is between its bodies: counted, one for each joint.
    pub fn add_joint(&mut self, pair: BodyPair) {
        let joints = &mut self.reasons.entry(pair).or_default().joints;
        *joints = joints.saturating_add(1);
    }

    /// Takes one joint's reason back; the pair is removed with its last reason.
    pub fn remove_joint(&mut self, pair: BodyPair) {
        let Some(reasons) = self.reasons.get_mut(&pair) else { return };
        reasons.joints = reasons.joints.saturating_sub(1);
        if reasons.joints == 0 && !reasons.rule {
            self.reasons.remove(&pair);
        }
    }

    /// Forgets the pairs of bodies that are taken out of the columns; the bodies after them move up.
    pub fn remove_bodies(&mut self, gone: &Gone) {
        let moved = |(pair, reasons): (BodyPair, Reasons)| {
            let (a, b) = (gone.without_body(pair.a)?, gone.without_body(pair.b)?);
            Some((BodyPair { a, b }, reasons))
        };
        self.reasons = core::mem::take(&mut self.reasons).into_iter().filter_map(moved).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BodyIndex;

    #[test]
    fn a_pair_meets_again_when_its_last_reason_goes() {
        let pair = |a, b| BodyPair { a: BodyIndex(a), b: BodyIndex(b) };
        let mut ignored = IgnoredPairs::default();
        ignored.add_joint(pair(1, 2));
        ignored.add_joint(pair(1, 2));
        ignored.add_rule(pair(0, 3));
        ignored.remove_joint(pair(1, 2));
        assert!(ignored.contains(pair(1, 2)));
        ignored.remove_joint(pair(1, 2));
        assert!(!ignored.contains(pair(1, 2)) && ignored.contains(pair(0, 3)));
        ignored.add_joint(pair(4, 5));
        assert_eq!(ignored.rules().collect::<Vec<_>>(), [pair(0, 3)]);
        ignored.remove_joint(pair(4, 5));
        // a rule outlives its joints, and removing a joint that was never counted changes nothing
        ignored.add_joint(pair(0, 3));
        ignored.remove_joint(pair(0, 3));
        ignored.remove_joint(pair(0, 3));
        assert!(ignored.contains(pair(0, 3)));
        // bodies behind the removed one move up
        ignored.remove_bodies(&Gone::new([1]));
        assert_eq!(ignored.iter().collect::<Vec<_>>(), [pair(0, 2)]);
        ignored.remove_bodies(&Gone::new([2]));
        assert!(ignored.is_empty());
    }
}
