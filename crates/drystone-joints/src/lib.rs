//! Joints, limits and motors behind the unified constraint interface.
//!
//! A [`JointDescription`] says what a joint is, in world terms at the initial state; [`build`] turns it into a
//! [`drystone_core::ConstraintSource`] that gives rows. All rows come from a small set of scalar functions of the two bodies'
//! poses, each with its exact gradient (so that `J u` is the rate of the row's error under any motion, on the constraint or off
//! it), and from the role that a joint gives to such a function: a lock, a limit, a motor, a servo, friction or a spring.
//!
//! | kind | rows | freedoms left | first coordinate | second |
//! |---|---|---|---|---|
//! | `ball` | 3 | 3 | | |
//! | `hinge` | 5 | 1 | turn about the axis | |
//! | `slider` | 5 | 1 | way along the axis | |
//! | `cylindrical` | 4 | 2 | way along the axis | turn about it |
//! | `universal` | 4 | 2 | turn about A's axis | turn about B's |
//! | `hinge2`, `wheel` | 4 | 2 | steering, about A's axis | spin, about B's |
//! | `fixed` | 6 | 0 | | |
//! | `planar` | 3 | 3 | | |
//! | `point-on-plane` | 1 | 5 | | |
//! | `point-on-line` | 2 | 4 | way along the axis | |
//! | `distance` | 1, or limits | 5 | the distance | |
//! | `revolute-spherical` | 2 | 4 | | |
//! | `rope` | a limit | 6 | | |
//! | `gear` | 1 | 5 | | |
//! | `six-dof` | up to 6 | as locked | | |
//!
//! A coordinate is zero at the initial state (a distance is measured from zero) and grows with the motion of B relative to A. The world frame serves as body A or B at the
//! identity. A limited angle counts full turns if its limits leave less than a quarter turn free, one that is sprung or driven to a place always; the remembered turns are a column of the state, saved and
//! restored with it. Where the thesis' printed formulas are wrong (R-01 ... R-10) the rows here follow their derivation instead.

// G-26: any graph of bodies and joints, loops included
mod azimuth;
mod build;
mod builder;
mod composition;
mod coordinate;
mod coordinate_joint;
mod description;
mod error;
mod gear;
mod kind;
mod located;
mod locks;
mod maker;
mod particulars;
mod reach_limit;
mod recipe;
mod region;
mod swing;
mod turn;

pub use build::build;
pub use description::{AxisFreedom, JointDescription, Motor, Spring};
pub use error::JointBuildError;
pub use kind::{ALIASES, JointKind, KINDS};
pub use maker::{JointMaker, MakeJoint};
pub use reach_limit::ReachLimit;
pub use recipe::JointRecipe;
pub use region::{EllipticCone, Region, RegionValue};

// whoever calls this crate needs no other of the workspace: the types of its calls are here
pub use drystone_core as core;
pub use drystone_math as math;

/// The README's Rust blocks, compiled as they stand.
#[doc = include_str!("../README.md")]
#[cfg(doctest)]
pub struct ReadmeDoctests;
