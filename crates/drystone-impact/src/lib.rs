//! Collision laws and collision solvers
