//! Contact determination: from proximity to manifolds.
//!
//! [`PrincipalContact`] tells which features meet. [`ClippingManifold`] clips the faces that meet against each other; [`ClosestPoint`] keeps only the witnesses.
//! [`ContactQuality`] measures contacts: how their normals scatter, and how many of them are redundant.

mod blocked;
mod candidate;
mod reduction;
mod reference;

mod box_box;
mod clipping;
mod closest_point;
mod face_clip;
mod formation;
mod parts;
mod quality;
mod round_clip;

pub use clipping::ClippingManifold;
pub use closest_point::ClosestPoint;
pub use formation::{FeatureKind, PrincipalContact};
pub use quality::{ANGLE_CLASSES, ContactQuality};

// whoever calls this crate needs no other of the workspace: the types of its calls are here
pub use drystone_core as core;
pub use drystone_geometry as geometry;
pub use drystone_math as math;

use drystone_core::ContactDetermination;

drystone_core::implementations! {
    /// All contact determinations, the default first.
    pub const IMPLEMENTATIONS;
    /// The contact determination of that name; `None` if there is none.
    pub fn by_name -> dyn ContactDetermination;
    ClippingManifold::DESCRIPTION => ClippingManifold::from_settings,
    ClosestPoint::DESCRIPTION => ClosestPoint::from_settings,
}

/// The README's Rust blocks, compiled as they stand.
#[doc = include_str!("../README.md")]
#[cfg(doctest)]
pub struct ReadmeDoctests;
