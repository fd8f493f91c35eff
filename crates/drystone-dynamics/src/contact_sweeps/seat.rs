/// Which body of a patch the other one carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Upper {
    /// The first or the second.
    Side(u8),
    /// Neither: they lean on each other.
    Neither,
}

/// Topology of a patch before it is computed: the contacts that are its points, and its layer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seat {
    pub(super) bodies: [u32; 2],
    /// Index of its first point in the problem.
    pub(super) first: u32,
    /// Number of points.
    pub(super) count: u32,
    pub(super) upper: Upper,
    pub(super) layer: u32,
}

impl Seat {
    /// None.
    pub(super) const NONE: Self = Self { bodies: [0; 2], first: 0, count: 0, upper: Upper::Neither, layer: 0 };

    /// The first `count` contacts of two bodies that lean on each other.
    #[cfg(test)]
    pub(super) fn leaning(bodies: [u32; 2], count: u32) -> Self {
        Self { bodies, first: 0, count, upper: Upper::Neither, layer: 0 }
    }

    /// The upper body; `None` if the two lean on each other.
    pub(super) fn carried(&self) -> Option<u32> {
        sides(self.bodies, self.upper).map(|(high, _)| high as u32)
    }

    /// Returns true if both are the same except for the layer.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        let Self { bodies, first, count, upper, layer: _ } = *self;
        bodies == other.bodies && first == other.first && count == other.count && upper == other.upper
    }
}

/// The upper and the lower body of a pair, in this order; `None` if they lean on each other.
pub(super) fn sides(pair: [u32; 2], upper: Upper) -> Option<(usize, usize)> {
    let [a, b] = pair.map(|i| i as usize);
    match upper {
        Upper::Side(0) => Some((a, b)),
        Upper::Side(_) => Some((b, a)),
        Upper::Neither => None,
    }
}
