//! Forces that keep accelerations admissible: the analytic methods of Baraff.
//!
//! `rows.rs` makes the rows of a group at one instant, of accelerations or of an impact; [`AccelerationComplementarity`] solves them as a
//! complementarity problem with friction, [`AccelerationProgram`] without friction by linear programs.

mod complementarity;
mod partition;
mod program;
mod rows;

pub use complementarity::AccelerationComplementarity;
pub(crate) use complementarity::DESCRIPTION as COMPLEMENTARITY;
pub use program::AccelerationProgram;
pub(crate) use program::DESCRIPTION as PROGRAM;
pub use rows::AnalyticParameters;

use crate::ProjectionSettings;
use drystone_core::catalogue::{Parameter, chosen};

/// Settings of the tolerance correction in analytic methods (L-06; Baraff 1995, "Tolerance correction").
const TOLERANCE_CORRECTION: &[Parameter] = &chosen(ProjectionSettings::PARAMETERS, ["slop", "bilateral"]);
