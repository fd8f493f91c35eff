use drystone_core::BodyPair;

/// Sorts lists of pairs of bodies in time linear in pairs and bodies, without allocation when warm.
///
/// A counting sort by the larger body followed by a stable one by the smaller.
#[derive(Debug, Clone, Default)]
pub struct PairSort {
    starts: Vec<u32>,
    other: Vec<BodyPair>,
}

impl PairSort {
    /// Sorts pairs of bodies with indices below `bodies`.
    pub fn sort(&mut self, pairs: &mut [BodyPair], bodies: usize) {
        // few pairs among many bodies: counting would cost more than comparing
        if pairs.len() < 64 || pairs.len() * 8 < bodies {
            pairs.sort_unstable();
            return;
        }
        self.other.resize(pairs.len(), BodyPair::ordered(0, 1));
        Self::pass(&mut self.starts, pairs, &mut self.other, bodies, |p| p.b.at());
        Self::pass(&mut self.starts, &self.other, pairs, bodies, |p| p.a.at());
    }

    fn pass(starts: &mut Vec<u32>, from: &[BodyPair], to: &mut [BodyPair], n: usize, key: impl Fn(&BodyPair) -> usize) {
        starts.clear();
        starts.resize(n, 0);
        for p in from {
            starts[key(p)] += 1;
        }
        let mut total = 0;
        for s in &mut *starts {
            total += core::mem::replace(s, total);
        }
        for p in from {
            let at = &mut starts[key(p)];
            to[*at as usize] = *p;
            *at += 1;
        }
    }
}

/// Merges the two sorted parts of a list, the second of which begins at `middle`, from the back; `room` is scratch.
pub(crate) fn merge<T: Copy + Ord>(list: &mut [T], middle: usize, room: &mut Vec<T>) {
    room.clear();
    room.extend_from_slice(&list[middle..]);
    let (mut first, mut to) = (middle, list.len());
    while let Some(last) = room.last() {
        to -= 1;
        if first > 0 && list[first - 1] > *last {
            first -= 1;
            list[to] = list[first];
        } else {
            list[to] = *last;
            room.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merges_wherever_the_second_part_begins() {
        let numbers: Vec<u32> = (0..100).map(|i| i * 7919 % 50).collect();
        for middle in [0, 1, 37, 99, 100] {
            let mut list = numbers.clone();
            list[..middle].sort_unstable();
            list[middle..].sort_unstable();
            merge(&mut list, middle, &mut Vec::new());
            assert!(list.is_sorted() && list.len() == 100);
        }
    }

    #[test]
    fn sorts_like_the_standard_library() {
        let mut pairs: Vec<_> = (0..500_u32).map(|i| BodyPair::ordered(i * 7919 % 50, 50 + i * 104_729 % 49)).collect();
        let mut expected = pairs.clone();
        expected.sort_unstable();
        PairSort::default().sort(&mut pairs, 100);
        assert_eq!(pairs, expected);
    }
}
