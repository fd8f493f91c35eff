use drystone_geometry::Aabb;

/// The axes on which boxes are compared: any of x, y, z, at least one.
///
/// Comparing on fewer axes gives a superset of the pairs (I-10).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Axes {
    used: [bool; 3],
}

impl Axes {
    /// All three.
    pub const ALL: Self = Self { used: [true; 3] };

    /// The names scene files use.
    pub const NAMES: &'static [&'static str] = &["xyz", "xy", "xz", "yz", "x", "y", "z"];

    /// From one of [`Self::NAMES`].
    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMES.contains(&name).then(|| Self { used: ['x', 'y', 'z'].map(|c| name.contains(c)) })
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self.used {
            [true, true, true] => "xyz",
            [true, true, false] => "xy",
            [true, false, true] => "xz",
            [false, true, true] => "yz",
            [true, false, false] => "x",
            [false, true, false] => "y",
            [false, false, _] => "z",
        }
    }

    /// Returns true if the set contains an axis (0, 1, 2).
    #[inline]
    pub fn has(self, axis: usize) -> bool {
        self.used[axis]
    }

    /// The axes, in order.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        (0..3).filter(move |&k| self.used[k])
    }

    /// Returns true if two closed boxes share a point on each of these axes.
    #[inline]
    pub fn overlap(self, a: &Aabb, b: &Aabb) -> bool {
        (0..3).all(|k| !self.used[k] || (a.min[k] <= b.max[k] && b.min[k] <= a.max[k]))
    }
}

impl Default for Axes {
    fn default() -> Self {
        Self::ALL
    }
}
