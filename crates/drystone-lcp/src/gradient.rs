//! First-order and conjugate-gradient methods.
pub(crate) mod accelerated;
pub(crate) mod admm;
pub(crate) mod barzilai_borwein;
pub(crate) mod mprgp;
pub(crate) mod nonsmooth;
