//! Complementarity problems and their solvers, with honest residuals and no physics inside
