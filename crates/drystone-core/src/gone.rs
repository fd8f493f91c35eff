use crate::BodyIndex;
use core::cmp::Ordering;

/// Places that are taken out of columns all at once; the entries after them move up and keep their order.
///
/// # Cost
/// A look-up takes O(log k) for k places.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Gone {
    places: Vec<u32>,
}

impl Gone {
    /// From places in any order; those that occur twice count once.
    pub fn new(places: impl IntoIterator<Item = u32>) -> Self {
        let mut places: Vec<u32> = places.into_iter().collect();
        places.sort_unstable();
        places.dedup();
        Self { places }
    }

    /// The places, ascending.
    pub fn places(&self) -> &[u32] {
        &self.places
    }

    /// Returns true if nothing is removed.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Returns true if a place is removed.
    pub fn has(&self, place: u32) -> bool {
        self.places.binary_search(&place).is_ok()
    }

    /// Returns true if a body is removed.
    pub fn has_body(&self, body: BodyIndex) -> bool {
        self.has(body.0)
    }

    /// The new place of what is at `place`; `None` if it is taken out.
    #[must_use]
    pub fn without(&self, place: u32) -> Option<u32> {
        self.places.binary_search(&place).err().map(|before| place - before as u32)
    }

    /// The new place of a body; `None` if it is taken out.
    #[must_use]
    pub fn without_body(&self, body: BodyIndex) -> Option<BodyIndex> {
        self.without(body.0).map(BodyIndex)
    }

    /// Takes the places out of a column, which may be shorter than they reach.
    ///
    /// # Cost
    /// One move for each entry behind the first of them, however many they are.
    pub fn close_up<T>(&self, column: &mut Vec<T>) {
        let (mut gone, mut place) = (self.places.iter().peekable(), 0);
        if gone.peek().is_none_or(|first| **first as usize >= column.len()) {
            return;
        }
        column.retain(|_| {
            let goes = gone.next_if_eq(&&place).is_some();
            place += 1;
            !goes
        });
    }

    /// Takes the places out of an ascending list of places, and renumbers the others.
    pub fn renumber(&self, list: &mut Vec<u32>) {
        let mut gone = self.places.iter().peekable();
        let mut before = 0;
        list.retain_mut(|place| {
            while gone.next_if(|g| **g < *place).is_some() {
                before += 1;
            }
            let stays = gone.peek().is_none_or(|g| g.cmp(&&*place) != Ordering::Equal);
            *place -= before;
            stays
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The next number of a sequence that looks random.
    fn next(seed: &mut u64) -> u64 {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *seed >> 33
    }

    /// Taking places out at once is taking them out one after the other, from the last on.
    #[test]
    fn places_taken_out_at_once_are_those_taken_out_one_by_one() {
        let mut seed = 1;
        for _ in 0..500 {
            let len = next(&mut seed) as u32 % 20;
            let places: Vec<u32> = (0..next(&mut seed) % 8).map(|_| next(&mut seed) as u32 % 24).collect();
            let gone = Gone::new(places.iter().copied());
            let mut column: Vec<u32> = (100..100 + len).collect();
            let mut expected = column.clone();
            for place in gone.places().iter().rev() {
                if (*place as usize) < expected.len() {
                    expected.remove(*place as usize);
                }
            }
            gone.close_up(&mut column);
            assert_eq!(column, expected);
            let named: Vec<u32> = (0..len).filter(|k| next(&mut seed).is_multiple_of(2) || k % 5 == 0).collect();
            let mut list = named.clone();
            gone.renumber(&mut list);
            assert_eq!(list, named.iter().filter_map(|k| gone.without(*k)).collect::<Vec<_>>());
            for k in (0..len).filter(|k| !gone.has(*k)) {
                assert_eq!(column[gone.without(k).unwrap() as usize], 100 + k);
            }
        }
    }
}
