use crate::ConstraintRow;
use drystone_math::Real;

/// A group's own copy of one row of a joint, limit or motor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GroupRow {
    /// Local indices of the bodies.
    pub bodies: [u32; 2],
    /// The row.
    pub row: ConstraintRow,
    /// Multiplier of the last solve (N s or N m s): a start value.
    pub impulse: Real,
    /// The joint, or other link, it comes from.
    pub joint: u32,
    /// Its place among the joint's rows.
    pub place: u32,
}
