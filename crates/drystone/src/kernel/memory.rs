use super::data::WorldData;
use drystone_core::{BodyPair, FailureKind, MOST_PAIRS, Module, StepFailure};

/// Number of pairs for which memory need not be checked.
const FEW: usize = 1 << 14;
/// Memory that a touching pair takes in a step (bytes): its edge, its contacts and their rows, each in the graph, in a group, and in what growing lists leave behind.
const BYTES_PER_PAIR: usize = 4096;

/// Returns true if this many bytes can be allocated at present.
pub(crate) fn fits(bytes: usize) -> bool {
    let mut probe: Vec<u8> = Vec::new();
    let outcome = probe.try_reserve_exact(bytes);
    // an allocation that is never read would be optimised away
    core::hint::black_box(&mut probe);
    outcome.is_ok()
}

/// Checks that there is memory for the pairs of a detection before anything is made of them, so that there is an error instead of an aborted process. The check is
/// made only if there are more pairs than ever before; `room` is their largest number so far.
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
