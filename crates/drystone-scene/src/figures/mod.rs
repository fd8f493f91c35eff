//! What a run reports: one object of figures, one line a recorded frame.
//!
//! [`FigureRecorder`] gathers the figures step by step.

mod frame;
mod hash;
mod model;
mod recorder;
mod spread;

pub use frame::FrameLine;
pub use hash::state_hash;
pub use model::{
    ContactFigures, EnergyFigures, EventFigures, Figures, FinalBody, FinalJoint, GroupFigures, GuessFigures,
    JointErrorFigures, LcpFigures, MomentumFigures, PenetrationFigures, PhaseTimes, RollbackFigures,
};
pub use recorder::{FigureRecorder, RunEnd, RunInfo, StepRecord};
pub use spread::Spread;
