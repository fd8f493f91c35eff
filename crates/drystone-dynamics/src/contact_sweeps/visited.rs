use drystone_math::Real;

/// Which patches a sweep visits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Visited {
    /// All of them.
    All,
    /// Those whose bodies something has stirred since their last visit.
    Stirred,
    /// The same, except that changes of less than this (m/s) stir nobody.
    Far(Real),
}
