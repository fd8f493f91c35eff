use crate::Real;

/// Distances below this are rounding noise for bodies of everyday size (m).
///
/// Positions up to 1 km carry 1e-13 m of rounding; a chain of some hundred operations stays under this.
pub const DISTANCE_NOISE: Real = 1e-10;

/// Drift of the squared length of a unit vector or quaternion from 1 by rounding alone.
pub const UNIT_NOISE: Real = 1e-12;
