use crate::PhaseTimes;
use drystone_core::{EventCounts, LcpSummary, TimeReport};

/// What one frame did.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct StepReport {
    /// Contact points of the last detection.
    pub contacts: u64,
    /// Contact groups of the last detection.
    pub groups: u64,
    /// Deepest overlap that a detection of the frame found (m).
    pub penetration: f64,
    /// The complementarity problems of the constraint solver.
    pub lcp: LcpSummary,
    /// The largest residual of the constraint solver relative to `g h`, the speed that gravity gives in a step (or to the largest speed,
    /// where there is no gravity): 0.01 leaves a hundredth of a weight unsupported. `None` where no residual was measured: there was
    /// nothing to solve, or measuring is turned off.
    pub residual: Option<f64>,
    /// Whether that residual is at most 0.01; a fallback that stood in for the solver counts by its own. Not, whatever the residual, where a sub-step took a guess that
    /// had not settled ([`TimeReport::unsettled`]). `None` where none was measured.
    pub converged: Option<bool>,
    /// Sleepy bodies.
    pub sleeping: u64,
    /// Pairs that changed their relation in this frame, each time that they did; see [`crate::World::events`].
    pub events: EventCounts,
    /// Calls, impacts, corrections.
    pub calls: TimeReport,
    /// Time spent, module by module.
    pub times: PhaseTimes,
}
