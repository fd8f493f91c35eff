//! Report of a run: one object of figures, and one line per recorded frame.
//!
//! [`FigureRecorder`] gathers the figures step by step.

mod frame;
mod hash;
mod model;
mod open_joints;
mod phases;
mod recorder;
mod run_end;
mod spread;

pub use drystone_core::PhaseTimes;
pub use frame::{ContactLine, FrameLine};
pub use hash::state_hash;
pub use model::{
    BudgetFigures, ContactFigures, EnergyFigures, EventFigures, Figures, FinalBody, FinalJoint, GroupFigures,
    GuessFigures, JointErrorFigures, LcpFigures, MomentumFigures, PenetrationFigures, RollbackFigures,
};
pub use recorder::{FigureRecorder, RunInfo, StepRecord};
pub use run_end::RunEnd;
pub use spread::Spread;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

/// The JSON schema (draft 2020-12) of what a type writes, from its declaration: [`Figures`], [`FrameLine`], and those of front ends.
pub fn written_schema<T: JsonSchema>() -> Value {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>().into()
}
