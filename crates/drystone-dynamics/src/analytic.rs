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
