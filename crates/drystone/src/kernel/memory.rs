use super::data::WorldData;
use drystone_core::{BodyPair, FailureKind, MOST_PAIRS, Module, StepFailure};

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

/// Asks for the memory that the pairs of a detection may take before anything is made of them: a failure in words instead of a
/// process that ends. Asks where there are more than ever before, which is how many `room` says.
pub(super) fn check_room(data: &WorldData, pairs: &mut Vec<BodyPair>, room: &mut usize) -> Result<(), StepFailure> {
    let count = pairs.len();
    if count <= (*room).max(FEW) {
        return Ok(());
    }
    if count > MOST_PAIRS || !fits(count.saturating_mul(BYTES_PER_PAIR)) {
        *pairs = Vec::new();
        let kind = FailureKind::TooManyPairs { pairs: count, most: MOST_PAIRS };
        return Err(data.failure(None, Module::BroadPhase, kind));
    }
    *room = count + count / 4;
    Ok(())
}
