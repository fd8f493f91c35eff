use core::ops::Range;
use drystone_core::make_room;

/// Lists of numbers, one for each key, one after the other in memory.
#[derive(Debug, Default)]
pub(super) struct Lists {
    /// First index of each key's list, and the end of all.
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    /// Reserves memory for this many keys and items: filling the lists with no more allocates nothing.
    pub(super) fn make_room(&mut self, keys: usize, items: usize) {
        make_room(&mut self.starts, keys + 2);
        make_room(&mut self.items, items);
    }

    /// Begins counting the items of each of `keys` keys.
    #[inline]
    pub(super) fn begin(&mut self, keys: usize) {
        self.starts.clear();
        // two more than keys: the start of each list is kept one place further on until the list is full
        self.starts.resize(keys + 2, 0);
    }

    /// Counts an item that will be added to a key's list.
    #[inline]
    pub(super) fn count(&mut self, key: usize) {
        self.starts[key + 2] += 1;
    }

    /// Ends the counting.
    #[inline]
    pub(super) fn end_counting(&mut self) {
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        self.items.resize(sum as usize, 0);
    }

    /// Adds one of the items that were counted.
    #[inline]
    pub(super) fn add(&mut self, key: usize, item: u32) {
        let at = &mut self.starts[key + 1];
        self.items[*at as usize] = item;
        *at += 1;
    }

    /// Range of a key's list within [all](Self::all), once all items are added.
    #[inline]
    pub(super) fn range(&self, key: usize) -> Range<u32> {
        self.starts[key]..self.starts[key + 1]
    }

    /// The list of a key.
    #[inline]
    pub(super) fn of(&self, key: usize) -> &[u32] {
        let Range { start, end } = self.range(key);
        &self.items[start as usize..end as usize]
    }

    /// All lists, one after the other.
    #[inline]
    pub(super) fn all(&self) -> &[u32] {
        &self.items
    }
}

/// Sorts items by a key below `keys`; items with the same key keep their order.
#[inline]
pub(super) fn count_into(
    keys: usize,
    items: impl Iterator<Item = u32> + Clone,
    key: impl Fn(u32) -> usize,
    lists: &mut Lists,
) {
    lists.begin(keys);
    items.clone().for_each(|item| lists.count(key(item)));
    lists.end_counting();
    items.for_each(|item| lists.add(key(item), item));
}
