use crate::PhaseTimes;
use drystone_core::{EventCounts, LcpSummary, TimeReport};

/// What one frame did.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StepReport {
    /// Contact points of the last detection.
    pub contacts: u64,
    /// Contact groups of the last detection.
    pub groups: u64,
    /// Deepest overlap that a detection of the frame found (m).
    pub penetration: f64,
    /// The complementarity problems of the constraint solver.
    pub lcp: LcpSummary,
    /// Sleepy bodies.
    pub sleeping: u64,
    /// Pairs that changed their relation against the end of the last frame; what came and went within this one counts as both.
    pub events: EventCounts,
    /// Calls, impacts, corrections.
    pub calls: TimeReport,
    /// Time spent, module by module.
    pub times: PhaseTimes,
}
