//! Constraint solvers: from a contact group's bodies, contacts and joints to new velocities and displacements.
//!
//! [`VelocityLevel`] is the velocity-based formulation that the thesis recommends: a
//! complementarity problem in the impulses, solved by any solver of `drystone-lcp`. A group passes through it in two steps:
//!
//! 1. [`assemble`] turns the problem into rows `J u >= target` ([`ConstraintRows`]); with the full friction pyramid
//!    [`assemble_pyramid`] builds the unsymmetric problem with auxiliary variables instead;
//! 2. an [`drystone_lcp::LcpSolver`] finds the impulses, and with them the velocity change of each body.
//!
//! [`AccelerationComplementarity`] and [`AccelerationProgram`] find forces that keep accelerations admissible instead, at one instant.
//!
//! Position errors are removed afterwards by a position corrector, [`Projection`]: [`assemble_correction`] builds the same problem
//! for displacements, in a first-order world. Alternatively they are fed back into the velocity problem ([`Stabilization`]).

mod analytic;
mod assemble;
mod avbd;
mod bounce;
mod boxed;
mod chord_limit;
mod cone_solver;
mod cone_sweep;
mod contact_rows;
mod contact_sweeps;
mod convex;
mod correction;
mod corrector;
mod descriptions;
mod energy_keeping;
mod far_projection;
mod formulation;
mod fused;
mod geometric_stiffness;
mod joint_basis;
mod joint_pull;
mod joint_start;
mod kinetic_energy;
mod lanes;
mod limit_bounce;
mod line_stiffness;
mod moving;
mod none;
mod nonlinear;
mod parameters;
mod passive;
mod penalty;
mod posed;
mod position;
mod pyramid;
mod pyramid_solver;
mod refinement;
mod registry;
mod row;
mod row_solver;
mod rows;
mod sequence;
mod soft_step;
mod spring_rule;
mod started_solver;
mod step_phases;
mod stiffness_weight;
mod support_change;
mod velocity_level;
mod xpbd;

pub use analytic::{AccelerationComplementarity, AccelerationProgram, AnalyticParameters};
pub use assemble::assemble;
pub use avbd::{AVBD_DESCRIPTION, Avbd, AvbdParameters};
pub use contact_sweeps::{ContactSweeps, PatchCorrection, PatchFriction, SWEEPS_DESCRIPTION, SweepParameters};
pub use convex::ConvexParameters;
pub use correction::{CorrectionParameters, WARNING, assemble_correction, needs_correction};
pub use corrector::{CorrectionSolver, NoCorrection, Projection, ProjectionSettings};
pub use descriptions::poses_boxed_problem;
pub use energy_keeping::EnergyKeeping;
pub use geometric_stiffness::{GeometricStiffness, stiffen};
pub use none::NoConstraints;
pub use nonlinear::{NonlinearCorrection, NonlinearParameters};
pub use parameters::{FrictionModel, LoadStart, RestitutionLaw, RowParameters, SpringRule, Stabilization};
pub use penalty::{Penalty, PenaltyParameters};
pub use posed::PosedRows;
pub use position::{PositionMethod, PositionNcp, PositionParameters};
pub use pyramid::{PyramidProblem, assemble_pyramid};
pub use registry::{Complementarity, IMPLEMENTATIONS, by_name, by_name_over, corrector_by_name};
pub use rows::ConstraintRows;
pub use soft_step::{ErrorRule, SOFT_STEP_DESCRIPTION, SoftStep, SoftStepParameters, Spring};
pub use velocity_level::VelocityLevel;
pub use xpbd::{XPBD_DESCRIPTION, Xpbd, XpbdParameters};

// whoever calls this crate needs no other of the workspace: the types of its calls are here
pub use drystone_core as core;
pub use drystone_lcp as lcp;
pub use drystone_math as math;

/// The README's Rust blocks, compiled as they stand.
#[doc = include_str!("../README.md")]
#[cfg(doctest)]
pub struct ReadmeDoctests;
