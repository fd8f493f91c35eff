use crate::PhaseTimes;
use drystone_core::{EventCounts, LcpSummary, TimeReport};

/// Report of one frame.
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
    /// The largest residual of the constraint solver relative to `g h`, the speed that gravity produces in one step (or relative to the largest speed, if there is
    /// no gravity): 0.01 leaves a hundredth of a weight unsupported. `None` if no residual was measured, because there was nothing to solve or measuring is turned
    /// off.
    pub residual: Option<f64>,
    /// True if that residual is at most 0.01; if a fallback stood in for the solver, the fallback's residual counts.
    /// False, whatever the residual, if a sub-step used a guess that had not settled ([`TimeReport::unsettled`]).
    /// `None` if none was measured.
    pub converged: Option<bool>,
    /// Sleepy bodies.
    pub sleeping: u64,
    /// Pairs that changed their relation in this frame, counted each time that they did; see [`crate::World::events`].
    pub events: EventCounts,
    /// Calls, impacts, corrections.
    pub calls: TimeReport,
    /// Time spent, module by module.
    pub times: PhaseTimes,
}
