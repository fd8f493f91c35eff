use drystone_math::Real;

/// One end of an interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Endpoint {
    /// Coordinate (m); plus or minus infinity is allowed.
    pub value: Real,
    tag: u32,
}

impl Endpoint {
    fn new(value: Real, interval: u32, is_end: bool) -> Self {
        // NaN overlaps nothing, wherever it is sorted; adding zero turns -0 into +0, so that a beginning and an end
        // there compare as equal
        let value = if value.is_nan() { Real::INFINITY } else { value + 0.0 };
        Self { value, tag: interval << 1 | u32::from(is_end) }
    }

    /// The interval it belongs to.
    #[inline]
    pub fn interval(self) -> u32 {
        self.tag >> 1
    }

    /// Returns true for the interval's end `e`, false for its beginning `b`.
    #[inline]
    pub fn is_end(self) -> bool {
        self.tag & 1 == 1
    }

    /// Returns true if it must come before `o`. Intervals are closed: at the same value beginnings come before ends.
    #[inline]
    fn before(self, o: Self) -> bool {
        self.value < o.value || (self.value == o.value && !self.is_end() && o.is_end())
    }
}

/// The sorted endpoints `b_i`, `e_i` of intervals on one axis.
///
/// # Source
/// I-03, I-04; Baraff 1995, "The one-dimensional case", Figures 3 and 4.
#[derive(Debug, Clone, Default)]
pub struct EndpointList {
    endpoints: Vec<Endpoint>,
}

impl EndpointList {
    /// The endpoints, from lowest to highest.
    pub fn endpoints(&self) -> &[Endpoint] {
        &self.endpoints
    }

    /// Replaces the list by the endpoints of the given intervals `(b, e)`, sorted from scratch.
    ///
    /// # Cost
    /// O(n log n).
    pub fn rebuild(&mut self, intervals: impl Iterator<Item = (Real, Real)>) {
        self.endpoints.clear();
        for (i, (b, e)) in intervals.enumerate() {
            self.endpoints.push(Endpoint::new(b, i as u32, false));
            self.endpoints.push(Endpoint::new(e, i as u32, true));
        }
        self.endpoints.sort_unstable_by(|x, y| {
            if x.before(*y) {
                core::cmp::Ordering::Less
            } else if y.before(*x) {
                core::cmp::Ordering::Greater
            } else {
                x.tag.cmp(&y.tag)
            }
        });
    }

    /// Moves the intervals to new places and restores the order by insertion sort.
    ///
    /// Calls `exchanged` with each pair of neighbours that change places, the one that moves down first: a beginning
    /// that moves down past an end may begin an overlap, an end that moves down past a beginning ends one. Returns the
    /// number of exchanges, or `None` if it gave up after `limit` of them; then the list must be rebuilt.
    ///
    /// # Cost
    /// O(n + exchanges).
    pub fn update(
        &mut self,
        interval: impl Fn(u32) -> (Real, Real),
        limit: u64,
        mut exchanged: impl FnMut(Endpoint, Endpoint),
    ) -> Option<u64> {
        for p in &mut self.endpoints {
            let (b, e) = interval(p.interval());
            *p = Endpoint::new(if p.is_end() { e } else { b }, p.interval(), p.is_end());
        }
        let mut exchanges = 0;
        for i in 1..self.endpoints.len() {
            let moving = self.endpoints[i];
            let mut j = i;
            while j > 0 && moving.before(self.endpoints[j - 1]) {
                exchanged(moving, self.endpoints[j - 1]);
                self.endpoints[j] = self.endpoints[j - 1];
                j -= 1;
            }
            self.endpoints[j] = moving;
            exchanges += (i - j) as u64;
            if exchanges > limit {
                return None;
            }
        }
        Some(exchanges)
    }

    /// Sweeps the sorted list with the list of active intervals: calls `visit` at each endpoint with the intervals
    /// that are active when it is met, in the order in which they began.
    pub fn sweep(&self, active: &mut Vec<u32>, mut visit: impl FnMut(Endpoint, &[u32])) {
        active.clear();
        for p in &self.endpoints {
            visit(*p, active);
            if p.is_end() {
                active.retain(|i| *i != p.interval());
            } else {
                active.push(p.interval());
            }
        }
    }
}
