//! Overlap that is foreseen, and how bodies are displaced after the step so that it does not stay.
//!
//! If a group moves, its contacts are found anew in the next step, and what first-order gaps have missed is removed then. No second look at the contacts is needed:
//! the gaps at the end of the step are those at its start plus what the velocities do to them, and the normals of the solve are at hand with their matrices.
//!
//! # Source
//! Sweeps over displacements beside those over velocities: split impulses, as in Bullet.

use super::body::Body;
use drystone_core::GroupContact;
use drystone_math::Real;

/// Input of an overlap removal: the step (s), the overlap that stays after it (m), and contacts and bodies if gaps or
/// velocities differ from those of the last solve.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parting<'a> {
    pub(super) h: Real,
    pub(super) slop: Real,
    pub(super) renewed: Option<(&'a [GroupContact], &'a [Body])>,
}

/// Distance by which a point is to separate (m): a deep point by its depth less the slop, while an open one may close.
#[inline(always)]
pub(super) fn wanted(gap: Real, slop: Real) -> Real {
    if gap > 0.0 { -gap } else { (-gap - slop).max(0.0) }
}
