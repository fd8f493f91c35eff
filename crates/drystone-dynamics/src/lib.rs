//! Constraint solvers: velocity-based complementarity, stabilization and projection
