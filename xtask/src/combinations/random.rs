/// Random numbers by `SplitMix64`.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64, walk: u64) -> Self {
        let mut random = Self(seed ^ walk.wrapping_mul(0xA076_1D64_78BD_642F));
        random.next();
        random
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A whole number below `limit`, which is not zero.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    /// One of some values; `None` if there are none.
    pub(crate) fn of<'a, T>(&mut self, values: &'a [T]) -> Option<&'a T> {
        if values.is_empty() { None } else { values.get(self.below(values.len())) }
    }
}
