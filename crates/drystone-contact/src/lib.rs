//! Contact determination: from proximity to manifolds.
//!
//! [`PrincipalContact`] tells which features meet. [`ClippingManifold`] cuts the faces that meet against each other; [`ClosestPoint`] keeps the witnesses alone.
//! [`ContactQuality`] measures contacts: how their normals scatter, and how many of them are too many.

mod candidate;
mod reduction;
mod reference;

mod box_box;
mod clipping;
mod closest_point;
mod face_clip;
mod formation;
mod quality;

pub use clipping::ClippingManifold;
pub use closest_point::ClosestPoint;
pub use formation::{FeatureKind, PrincipalContact};
pub use quality::{ANGLE_CLASSES, ContactQuality};

use drystone_core::ContactDetermination;
use drystone_core::catalogue::{Implementation, Settings};

/// All contact determinations, the default first.
pub const IMPLEMENTATIONS: &[Implementation] = &[ClippingManifold::DESCRIPTION, ClosestPoint::DESCRIPTION];

/// The contact determination of that name.
pub fn by_name(name: &str, settings: &Settings) -> Option<Box<dyn ContactDetermination>> {
    Some(match name {
        "clipping" => Box::new(ClippingManifold::from_settings(settings)),
        "closest-point" => Box::new(ClosestPoint::from_settings(settings)),
        _ => return None,
    })
}

/// The README's Rust blocks, compiled as they stand.
#[doc = include_str!("../README.md")]
#[cfg(doctest)]
pub struct ReadmeDoctests;
