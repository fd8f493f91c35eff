//! Largest overlap of pairs, as far as it is known without examining all of them again.

use drystone_core::Penetration;
use drystone_math::Real;

/// An upper bound on the deepest overlap of all pairs (m), provided that every change of separations is reported; `None` if one was not.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Depth(Option<Real>);

impl Depth {
    /// To be called if contacts have changed in an unknown way.
    pub(super) fn forget(&mut self) {
        self.0 = None;
    }

    /// To be called after all pairs were examined.
    pub(super) fn of_all(&mut self, deepest: Option<Penetration>) {
        self.0 = Some(deepest.map_or(0.0, |deepest| deepest.depth));
    }

    /// To be called after some separations were evaluated anew; `least` is the smallest of them (m).
    pub(super) fn of_some(&mut self, least: Real) {
        self.0 = self.0.map(|deepest| deepest.max(-least));
    }

    /// Returns true if no pair can be deeper than a bound (m).
    pub(super) fn is_within(self, bound: Real) -> bool {
        self.0.is_some_and(|deepest| deepest <= bound)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_core::{BodyIndex, BodyPair};

    #[test]
    fn nothing_is_within_bounds_that_nobody_looked_at() {
        let mut depth = Depth::default();
        assert!(!depth.is_within(1.0));
        depth.of_some(0.1);
        assert!(!depth.is_within(1.0), "some pairs are not all");
        depth.of_all(None);
        assert!(depth.is_within(0.0));
        depth.of_some(-0.2);
        assert!(depth.is_within(0.2) && !depth.is_within(0.1));
        let pair = BodyPair { a: BodyIndex(0), b: BodyIndex(1) };
        depth.of_all(Some(Penetration { pair, depth: 0.1 }));
        depth.of_some(0.3);
        assert!(depth.is_within(0.1) && !depth.is_within(0.05));
        depth.forget();
        assert!(!depth.is_within(1.0));
    }
}
