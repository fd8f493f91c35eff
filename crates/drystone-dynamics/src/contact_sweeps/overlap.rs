//! Overlap that is seen coming, and how bodies are displaced after the step so that it does not stay.
//!
//! Where a group moves, contacts are seen anew in the next step, and what gaps of first order leave is taken out then. It needs no other look at the contacts: gaps at the end of the
//! step are those at its start and what the velocities do to them, and the normals of the solve are at hand with their matrices.
//!
//! # Source
//! Sweeps over displacements beside those over velocities: split impulses, as in Bullet.

use super::body::Body;
use drystone_core::GroupContact;
use drystone_math::Real;

/// What a parting is about: the step (s), how much overlap stays after it (m), and contacts and bodies where gaps or velocities are others than those of the last solve.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parting<'a> {
    pub(super) h: Real,
    pub(super) slop: Real,
    pub(super) renewed: Option<(&'a [GroupContact], &'a [Body])>,
}

/// How far a point is to part (m): what is deep by its depth but for the slop, and what is open may close.
#[inline(always)]
pub(super) fn wanted(gap: Real, slop: Real) -> Real {
    if gap > 0.0 { -gap } else { (-gap - slop).max(0.0) }
}
