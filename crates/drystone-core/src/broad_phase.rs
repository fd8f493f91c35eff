use crate::{BodyPair, CollisionGroups, Executor, Moving, OneThread};
use core::fmt;
use drystone_geometry::Aabb;

/// Properties of a body, besides its box, that decide which pairs a broad phase reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProxyFilter {
    /// True if the body can move. Two bodies that cannot move never meet.
    pub movable: bool,
    /// Bodies on different layers never meet (I-11).
    pub layer: i64,
    /// The body's groups, and the groups that it meets.
    pub groups: CollisionGroups,
}

impl ProxyFilter {
    /// The filter of a body in the default groups, which meet everybody.
    pub fn new(movable: bool, layer: i64) -> Self {
        Self { movable, layer, groups: CollisionGroups::default() }
    }

    /// Returns true if the filters of both bodies admit the pair.
    #[inline]
    pub fn admits(&self, other: &Self) -> bool {
        (self.movable || other.movable) && self.layer == other.layer && self.groups.meet(&other.groups)
    }
}

/// One box and one filter per body, in column order, and threads to work with.
#[derive(Clone, Copy)]
pub struct BroadPhaseInput<'a> {
    /// World boxes, already grown by the contact envelope and any look-ahead. May reach to infinity.
    pub boxes: &'a [Aabb],
    /// Filters.
    pub filters: &'a [ProxyFilter],
    /// Threads for work that is independent box by box or pair by pair.
    pub executor: &'a dyn Executor,
}

impl<'a> BroadPhaseInput<'a> {
    /// Input that the calling thread works on alone.
    pub fn new(boxes: &'a [Aabb], filters: &'a [ProxyFilter]) -> Self {
        Self { boxes, filters, executor: &OneThread }
    }
}

impl fmt::Debug for BroadPhaseInput<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { boxes, filters, executor } = self;
        let mut out = f.debug_struct("BroadPhaseInput");
        out.field("boxes", boxes)
            .field("filters", filters)
            .field("threads", &executor.threads())
            .finish_non_exhaustive()
    }
}

/// Number of pairs beyond which a broad phase need not look: a step with more of them would need more memory than there is, and fails.
pub const MOST_PAIRS: usize = 1 << 24;

/// Coarse pruning: from boxes to the pairs whose boxes overlap.
///
/// # Contract
/// The list holds every pair of admitted bodies with overlapping boxes, each once, sorted. It holds no other pair, unless the implementation says that it looks
/// at fewer axes. The result depends on boxes and filters alone, never on earlier calls or on threads, which may only make it faster. If there are more than
/// [`MOST_PAIRS`] pairs, any [`MOST_PAIRS`] + 1 or more of them will do; memory for all of them must not be requested.
pub trait BroadPhase: Send {
    /// The name in scene files.
    fn name(&self) -> &'static str;

    /// Replaces `pairs` by the sorted list of overlapping pairs.
    fn find_pairs(&mut self, input: BroadPhaseInput<'_>, pairs: &mut Vec<BodyPair>);

    /// Replaces `pairs` by the pairs of that list that contain a body of `moving`. The boxes and filters of all other bodies must be those of the last call, of
    /// this method or the other, and the number of bodies must be the same. The set of moving bodies may differ from call to call.
    ///
    /// By default, finds the pairs of all bodies and drops those without a moving one.
    fn find_moving_pairs(&mut self, input: BroadPhaseInput<'_>, moving: Moving<'_>, pairs: &mut Vec<BodyPair>) {
        self.find_pairs(input, pairs);
        pairs.retain(|pair| moving.has(*pair));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two boxes may meet only if one of them moves and both are on the same layer; either condition alone keeps them apart.
    #[test]
    fn bodies_meet_that_can_move_on_the_same_layer() {
        for (a, b, meet) in [
            ((true, 0), (true, 0), true),
            ((true, 3), (false, 3), true),
            ((false, 0), (false, 0), false),
            ((true, 0), (true, 1), false),
            ((false, 1), (true, 0), false),
        ] {
            let [one, other] = [a, b].map(|(movable, layer)| ProxyFilter::new(movable, layer));
            assert_eq!((one.admits(&other), other.admits(&one)), (meet, meet), "{a:?} {b:?}");
        }
        let apart = |membership, mask| ProxyFilter {
            groups: CollisionGroups { membership, mask },
            ..ProxyFilter::new(true, 0)
        };
        assert!(!apart(1, 2).admits(&apart(4, 1)) && apart(1, 2).admits(&apart(2, 1)));
    }
}
