use core::ops::{Deref, DerefMut};

/// A list that is rewritten again and again. Items of a longer list before it stay in memory: a new item is one of these, to be overwritten where it
/// differs.
#[derive(Debug)]
pub(super) struct Renewed<T> {
    all: Vec<T>,
    /// Number of items that belong to the list.
    length: usize,
}

impl<T> Default for Renewed<T> {
    fn default() -> Self {
        Self { all: Vec::new(), length: 0 }
    }
}

impl<T: Copy> Renewed<T> {
    /// Empties the list.
    pub(super) fn clear(&mut self) {
        self.length = 0;
    }

    /// Adds an item, in the state in which an earlier list left it; a copy of `blank` if no list was that long.
    #[inline(always)]
    pub(super) fn add(&mut self, blank: &T) -> &mut T {
        let place = self.length;
        self.length += 1;
        if place == self.all.len() {
            self.all.push(*blank);
        }
        &mut self.all[place]
    }
}

impl<T> Deref for Renewed<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        &self.all[..self.length]
    }
}

impl<T> DerefMut for Renewed<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.all[..self.length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shorter_list_hides_what_a_longer_one_had_and_the_next_finds_it() {
        let mut list = Renewed::default();
        for x in [1, 2, 3] {
            *list.add(&0) = x;
        }
        assert_eq!(*list, [1, 2, 3]);
        list.clear();
        assert!(list.is_empty());
        *list.add(&0) = 7;
        assert_eq!(*list, [7]);
        assert_eq!(*list.add(&0), 2, "as it was");
        *list.add(&0) = 9;
        assert_eq!(*list.add(&0), 0, "none was so long");
        assert_eq!(*list, [7, 2, 9, 0]);
    }
}
