//! Constraint solvers: from a contact group's bodies, contacts and joints to new velocities and displacements.
//!
//! [`VelocityComplementarity`] is the velocity-based formulation that the thesis recommends: a boxed
//! complementarity problem in the impulses, solved by any solver of `drystone-lcp`, with errors taken out by
//! projection or by stabilization. The way of one group through it:
//!
//! 1. [`assemble`] turns the problem into rows `J u >= target` ([`ConstraintRows`]); with the full friction pyramid
//!    [`assemble_pyramid`] builds the unsymmetric problem with auxiliary variables instead;
//! 2. an [`drystone_lcp::LcpSolver`] finds the impulses, and with them the velocity change of each body;
//! 3. [`assemble_correction`] does the same for displacements, in a first-order world, where projection is what takes out errors.

mod assemble;
mod bounce;
mod chord_limit;
mod cone_sweep;
mod contact_rows;
mod contact_sweeps;
mod correction;
mod fused;
mod geometric_stiffness;
mod joint_basis;
mod lanes;
mod parameters;
mod pyramid;
mod registry;
mod rows;
mod spring_rule;
mod support_change;
mod velocity_complementarity;

pub use assemble::assemble;
pub use contact_sweeps::{ContactSweeps, SWEEPS_DESCRIPTION, SweepParameters};
pub use correction::{assemble_correction, needs_correction};
pub use geometric_stiffness::stiffen;
pub use parameters::{FrictionModel, RestitutionLaw, SpringRule, Stabilization, VelocityParameters};
pub use pyramid::{PyramidProblem, assemble_pyramid};
pub use registry::{Complementarity, IMPLEMENTATIONS, by_name};
pub use rows::ConstraintRows;
pub use velocity_complementarity::VelocityComplementarity;

/// The README's Rust blocks, compiled as they stand.
#[doc = include_str!("../README.md")]
#[cfg(doctest)]
pub struct ReadmeDoctests;
