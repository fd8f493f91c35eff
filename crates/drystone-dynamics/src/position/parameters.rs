//! Settings of the position method.
use drystone_core::catalogue::Implementation;
use drystone_core::{choice, settings};
use drystone_math::Real;

pub(crate) const DESCRIPTION: Implementation = Implementation {
    name: "position-ncp",
    summary: "contact distances at the end of the step complementary to forces, by Newton's method; friction; no bounce, no joints",
    source: "Lennerz, Schömer and Warken 1999, section 3; Fischer 1992; friction: Alart and Curnier 1991",
    parameters: PositionParameters::PARAMETERS,
};

choice! {
    /// Contact treatment of separating bodies.
    pub enum PositionMethod {
        /// They push or are open.
        Complementary = "complementary",
        /// They hold on both sides.
        Bilateral = "bilateral",
    }
}

settings! {
    /// Parameters of the problem of [`super::PositionNcp`] and of its solution.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct PositionParameters {
        /// contacts push or are open, or (naive) hold on both sides and are released one step after they have pulled
        method: PositionMethod = choice(Complementary),
        /// whether friction within Coulomb's cone acts, complementary to displacements over the step; the source has none
        friction: bool = switch(true),
        /// maximum Newton steps
        iterations: usize = integer(50, 1, 1_000_000),
        /// distance at which Newton's method stops (m)
        tolerance: Real = real(1e-11, 0.0, 1.0),
        /// maximum multiplications per Newton step; groups that need more are swept contact by contact instead
        work: Real = real(2e7, 0.0, 1e12),
        /// maximum multiplications for all groups of a frame together; unfinished solves then keep their best result
        frame_work: Real = real(4e8, 0.0, 1e15),
    }
}

impl PositionParameters {
    /// Returns true if contacts are bilateral.
    pub(super) fn is_bilateral(&self) -> bool {
        self.method == PositionMethod::Bilateral
    }
}
