/// The key of items that are left out.
pub(crate) const LEFT_OUT: u32 = u32::MAX;

/// Items sorted by a small key, in the order in which they came: a counting sort into buffers that are kept.
#[derive(Debug, Clone)]
pub(crate) struct Buckets<T> {
    starts: Vec<u32>,
    items: Vec<T>,
}

impl<T> Default for Buckets<T> {
    fn default() -> Self {
        Self { starts: Vec::new(), items: Vec::new() }
    }
}

impl<T: Copy> Buckets<T> {
    /// Sorts pairs of key and item into `buckets` buckets; `filler` is any item.
    pub(crate) fn fill(&mut self, keyed: impl Iterator<Item = (u32, T)> + Clone, buckets: usize, filler: T) {
        fill(keyed, buckets, filler, &mut self.starts, &mut self.items);
    }

    /// The items of a bucket.
    pub(crate) fn get(&self, bucket: usize) -> &[T] {
        &self.items[self.starts[bucket] as usize..self.starts[bucket + 1] as usize]
    }
}

/// As [`Buckets::fill`], into lists of the caller's: bucket `i` is `items[starts[i] .. starts[i + 1]]`.
pub(crate) fn fill<T: Copy>(
    keyed: impl Iterator<Item = (u32, T)> + Clone,
    buckets: usize,
    filler: T,
    starts: &mut Vec<u32>,
    items: &mut Vec<T>,
) {
    let keyed = keyed.filter(|(key, _)| *key != LEFT_OUT);
    starts.clear();
    starts.resize(buckets + 1, 0);
    let mut total = 0;
    for (key, _) in keyed.clone() {
        starts[key as usize] += 1;
        total += 1;
    }
    let mut sum = 0;
    for s in starts.iter_mut() {
        sum += core::mem::replace(s, sum);
    }
    items.clear();
    items.resize(total, filler);
    for (key, item) in keyed {
        let at = &mut starts[key as usize];
        items[*at as usize] = item;
        *at += 1;
    }
    // each start has moved to the next one's place
    starts.rotate_right(1);
    starts[0] = 0;
}
