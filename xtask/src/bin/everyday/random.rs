/// Random numbers from a seed: splitmix64 (Steele, Lea and Flood 2014).
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    /// The stream of a member: each kind has its own.
    pub(crate) fn of(kind: &str, seed: u64) -> Self {
        // FNV-1a
        let name = kind.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
        let mut stream = Self(name ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        stream.next();
        stream
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in `[low, high)`.
    pub(crate) fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform in the logarithm, for what spans powers of ten.
    pub(crate) fn log(&mut self, low: f64, high: f64) -> f64 {
        self.range(low.ln(), high.ln()).exp()
    }

    /// A whole number from `low` to `high`, both included.
    pub(crate) fn count(&mut self, low: usize, high: usize) -> usize {
        low + (self.next() % (high - low + 1) as u64) as usize
    }

    /// True in half of all cases.
    pub(crate) fn coin(&mut self) -> bool {
        self.next() >> 63 == 1
    }

    /// Uniform in a cube about the origin.
    pub(crate) fn vector(&mut self, half: f64) -> [f64; 3] {
        [(); 3].map(|()| self.range(-half, half))
    }

    /// A uniform orientation `[x, y, z, w]` (Shoemake 1992).
    pub(crate) fn orientation(&mut self) -> [f64; 4] {
        let (u, a, b) = (self.range(0.0, 1.0), self.angle(), self.angle());
        let (s, c) = ((1.0 - u).sqrt(), u.sqrt());
        [s * a.sin(), s * a.cos(), c * b.sin(), c * b.cos()]
    }

    /// Uniform in a full turn.
    pub(crate) fn angle(&mut self) -> f64 {
        self.range(0.0, std::f64::consts::TAU)
    }
}
