//! Corrections on top of Gauss-Seidel sweeps.
pub(crate) mod subspace;
pub(crate) mod two_level;
