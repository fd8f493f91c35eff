//! Sparse direct solution of the free rows' equations: ordering, pattern, factors.
pub(crate) mod factors;
pub(crate) mod ordering;
pub(crate) mod structure;
