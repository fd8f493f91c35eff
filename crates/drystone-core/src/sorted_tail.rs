//! Merging new entries into a sorted list.

/// Merges the entries from `first` on, whose keys are in any order, into the sorted ones before them. No two entries may have the same key.
///
/// # Cost
/// For m new entries: O(m log m), and one move for each entry behind the least new one. Allocates nothing if there is room for m more entries.
pub(crate) fn merge_tail<T: Clone, K: Ord>(list: &mut Vec<T>, first: usize, key: impl Fn(&T) -> K) {
    list[first..].sort_unstable_by_key(&key);
    let all = list.len();
    if first == 0 || first == all || key(&list[first - 1]) < key(&list[first]) {
        return;
    }
    // from the back, with a copy of the new entries behind the list: what is overwritten has been moved before
    list.extend_from_within(first..);
    let (mut old, mut new, mut to) = (first, list.len(), all);
    while new > all {
        let from = if old > 0 && key(&list[old - 1]) > key(&list[new - 1]) { &mut old } else { &mut new };
        *from -= 1;
        to -= 1;
        list[to] = list[*from].clone();
    }
    list.truncate(all);
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::cell::Cell;

    /// A number that counts how often it is copied and compared.
    struct Counted<'a>(u32, &'a Cell<usize>);

    impl Clone for Counted<'_> {
        fn clone(&self) -> Self {
            self.1.set(self.1.get() + 1);
            Self(self.0, self.1)
        }
    }

    impl Ord for Counted<'_> {
        fn cmp(&self, other: &Self) -> core::cmp::Ordering {
            self.1.set(self.1.get() + 1);
            self.0.cmp(&other.0)
        }
    }

    impl PartialOrd for Counted<'_> {
        fn partial_cmp(&self, other: &Self) -> Option<core::cmp::Ordering> {
            Some(self.cmp(other))
        }
    }

    impl PartialEq for Counted<'_> {
        fn eq(&self, other: &Self) -> bool {
            self.0 == other.0
        }
    }

    impl Eq for Counted<'_> {}

    /// A permutation of the numbers below `n`.
    fn shuffled(n: u32, mut seed: u64) -> Vec<u32> {
        let mut list: Vec<u32> = (0..n).collect();
        for i in (1..list.len()).rev() {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            list.swap(i, (seed >> 33) as usize % (i + 1));
        }
        list
    }

    /// Number of entries that one insertion after the other moves.
    fn moves_of_insertions(order: &[u32]) -> usize {
        let mut sorted: Vec<u32> = Vec::new();
        let mut moves = 0;
        for k in order {
            let at = sorted.partition_point(|s| s < k);
            moves += sorted.len() - at;
            sorted.insert(at, *k);
        }
        moves
    }

    /// Comparisons and moves grow as n log n, those of insertions as n^2.
    #[test]
    fn a_tail_is_merged_in_n_log_n() {
        for seed in 0..8 {
            for n in [64_u32, 1024, 16384] {
                let (work, order) = (Cell::new(0), shuffled(n, seed));
                let known = n as usize / 3;
                let mut list: Vec<Counted<'_>> = order.iter().map(|k| Counted(*k, &work)).collect();
                list[..known].sort_unstable_by_key(|c| c.0);
                merge_tail(&mut list, known, |c| Counted(c.0, &work));
                assert!(list.iter().map(|c| c.0).eq(0..n));
                let bound = 4 * n as usize * (n.ilog2() as usize + 1);
                assert!(work.get() < bound, "{} of {bound}", work.get());
                let insertions = moves_of_insertions(&order);
                assert!(n < 1024 || insertions > 4 * bound / 3, "{insertions} of {bound}");
            }
        }
    }

    #[test]
    fn a_tail_that_follows_is_left_in_place() {
        let work = Cell::new(0);
        let mut list: Vec<Counted<'_>> = (0..1000).map(|k| Counted(k, &work)).collect();
        merge_tail(&mut list, 999, |c| Counted(c.0, &work));
        assert!(work.get() <= 2, "{}", work.get());
    }
}
