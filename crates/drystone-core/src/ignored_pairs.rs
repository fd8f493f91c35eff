use crate::{BodyIndex, BodyPair};

/// Pairs that never meet, sorted, and why: the logical rules of the contact graph (H-06).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IgnoredPairs {
    list: Vec<IgnoredPair>,
}

/// A pair with the reasons for which it does not meet; one of them at least holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct IgnoredPair {
    pair: BodyPair,
    /// A rule of the user's.
    rule: bool,
    /// Joints that keep their bodies from meeting.
    joints: u32,
}

impl IgnoredPairs {
    /// Whether the pair never meets.
    #[inline]
    pub fn contains(&self, pair: BodyPair) -> bool {
        !self.list.is_empty() && self.find(pair).is_ok()
    }

    /// The pairs, ascending.
    pub fn iter(&self) -> impl Iterator<Item = BodyPair> {
        self.list.iter().map(|p| p.pair)
    }

    /// Number of pairs.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether all pairs may meet.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Keeps a pair from meeting, whatever joints are between its bodies.
    pub fn add_rule(&mut self, pair: BodyPair) {
        self.entry(pair).rule = true;
    }

    /// Lets a pair meet again, whatever kept it from meeting.
    pub fn remove(&mut self, pair: BodyPair) {
        if let Ok(i) = self.find(pair) {
            self.list.remove(i);
        }
    }

    /// Keeps a pair from meeting for as long as a joint is between its bodies: counted, one for each joint.
    pub fn add_joint(&mut self, pair: BodyPair) {
        let joints = &mut self.entry(pair).joints;
        *joints = joints.saturating_add(1);
    }

    /// Takes one joint's reason back; with the last reason the pair goes.
    pub fn remove_joint(&mut self, pair: BodyPair) {
        let Ok(i) = self.find(pair) else { return };
        let entry = &mut self.list[i];
        entry.joints = entry.joints.saturating_sub(1);
        if entry.joints == 0 && !entry.rule {
            self.list.remove(i);
        }
    }

    /// Forgets the pairs of a body that is taken out of the columns; the bodies after it move up by one.
    pub fn remove_body(&mut self, body: BodyIndex) {
        self.list.retain_mut(|p| match (p.pair.a.without(body), p.pair.b.without(body)) {
            (Some(a), Some(b)) => {
                p.pair = BodyPair { a, b };
                true
            }
            _ => false,
        });
    }

    fn find(&self, pair: BodyPair) -> Result<usize, usize> {
        self.list.binary_search_by_key(&pair, |p| p.pair)
    }

    fn entry(&mut self, pair: BodyPair) -> &mut IgnoredPair {
        let i = self.find(pair).unwrap_or_else(|i| {
            self.list.insert(i, IgnoredPair { pair, rule: false, joints: 0 });
            i
        });
        &mut self.list[i]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        // a rule outlives joints, and a joint that was never counted takes nothing away
        ignored.add_joint(pair(0, 3));
        ignored.remove_joint(pair(0, 3));
        ignored.remove_joint(pair(0, 3));
        assert!(ignored.contains(pair(0, 3)));
        // columns move up
        ignored.remove_body(BodyIndex(1));
        assert_eq!(ignored.iter().collect::<Vec<_>>(), [pair(0, 2)]);
        ignored.remove_body(BodyIndex(2));
        assert!(ignored.is_empty());
    }
}
