use drystone_core::catalogue::{Implementation, Settings};
use drystone_core::{BodyPair, BroadPhase, BroadPhaseInput, MOST_PAIRS};

/// Tests every pair: the reference for all other broad phases.
///
/// # Cost
/// n (n - 1) / 2 box tests.
///
/// # Source
/// I-01; Erleben 2005, section 2.3.1.
#[derive(Debug, Clone, Copy, Default)]
pub struct Exhaustive;

impl Exhaustive {
    /// Its entry in the catalogue.
    pub const DESCRIPTION: Implementation = Implementation {
        name: "exhaustive",
        summary: "tests the boxes of every pair of bodies; the reference",
        source: "Erleben 2005, section 2.3.1",
        parameters: &[],
    };

    /// With the given settings; there are none.
    pub fn from_settings(_settings: &Settings) -> Self {
        Self
    }
}

impl BroadPhase for Exhaustive {
    fn name(&self) -> &'static str {
        Self::DESCRIPTION.name
    }

    fn find_pairs(&mut self, input: BroadPhaseInput<'_>, pairs: &mut Vec<BodyPair>) {
        pairs.clear();
        for (i, (box_a, filter_a)) in input.boxes.iter().zip(input.filters).enumerate() {
            for (j, (box_b, filter_b)) in input.boxes.iter().zip(input.filters).enumerate().skip(i + 1) {
                if box_a.overlaps(box_b) && filter_a.admits(filter_b) {
                    pairs.push(BodyPair::ordered(i as u32, j as u32));
                    if pairs.len() > MOST_PAIRS {
                        return;
                    }
                }
            }
        }
    }
}
