//! Pivoting methods: exact up to rounding after finitely many steps.
pub(crate) mod dantzig;
pub(crate) mod enumeration;
pub(crate) mod lemke;
pub(crate) mod principal;
pub(crate) mod sparse;
