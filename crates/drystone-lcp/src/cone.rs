//! Frictional contact with second-order cones: problems, their residual, and the solvers for them.
pub(crate) mod accelerated;
pub(crate) mod admm;
pub(crate) mod gauss_seidel;
pub(crate) mod local;
pub(crate) mod newton;
pub(crate) mod problem;
pub(crate) mod projection;
pub(crate) mod solver;
pub(crate) mod staggering;
