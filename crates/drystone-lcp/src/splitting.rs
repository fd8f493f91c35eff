//! Splitting methods: x+ = lambda clamp(x - omega E (A x + b + K (x+ - x))) + (1 - lambda) x (Erleben 2005, Theorem 6.1.10).
pub(crate) mod alternation;
pub(crate) mod blocked;
mod complement;
pub(crate) mod eliminated;
mod handover;
pub(crate) mod in_turn;
pub(crate) mod jacobi;
pub(crate) mod permutation;
pub(crate) mod probe;
pub(crate) mod projected_gauss_seidel;
