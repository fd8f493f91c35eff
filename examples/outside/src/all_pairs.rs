use drystone_core::{BodyPair, BroadPhase, BroadPhaseInput};

/// Tries every pair of boxes.
#[derive(Debug, Clone, Copy)]
pub struct AllPairs;

impl BroadPhase for AllPairs {
    fn name(&self) -> &'static str {
        "all-pairs"
    }

    fn find_pairs(&mut self, input: BroadPhaseInput<'_>, pairs: &mut Vec<BodyPair>) {
        let BroadPhaseInput { boxes, filters, .. } = input;
        pairs.clear();
        for a in 0..boxes.len() {
            for b in a + 1..boxes.len() {
                if filters[a].admits(&filters[b]) && boxes[a].overlaps(&boxes[b]) {
                    pairs.push(BodyPair::ordered(a as u32, b as u32));
                }
            }
        }
    }
}
