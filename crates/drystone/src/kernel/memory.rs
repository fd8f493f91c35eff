use super::engine::Engine;
use drystone_core::{FailureKind, MOST_PAIRS, Module, StepFailure};

/// Pairs of which nobody need ask whether there is room for them.
const FEW: usize = 1 << 14;
/// What a pair that touches takes in a step (bytes): its edge, its contacts, their rows, each in the graph, in a group and in what a
/// growing list leaves behind.
const BYTES_PER_PAIR: usize = 4096;

/// Whether so many bytes can be had at present.
pub(crate) fn fits(bytes: usize) -> bool {
    let mut probe: Vec<u8> = Vec::new();
    let outcome = probe.try_reserve_exact(bytes);
    // an allocation that nobody looks at would be left out
    core::hint::black_box(&mut probe);
    outcome.is_ok()
}

impl Engine {
    /// Asks for the memory that the pairs of a detection may take before anything is made of them: a failure in words instead of a
    /// process that ends. Asks where there are more than ever before.
    pub(super) fn check_room(&mut self) -> Result<(), StepFailure> {
        let pairs = self.detection.pairs.len();
        if pairs <= self.detection.room.max(FEW) {
            return Ok(());
        }
        if pairs > MOST_PAIRS || !fits(pairs.saturating_mul(BYTES_PER_PAIR)) {
            self.detection.pairs = Vec::new();
            return Err(self.failure(None, Module::BroadPhase, FailureKind::TooManyPairs { pairs, most: MOST_PAIRS }));
        }
        self.detection.room = pairs + pairs / 4;
        Ok(())
    }
}
