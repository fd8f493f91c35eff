use crate::{AabbTree, Exhaustive, HashGrid, SweepAndPrune};
use drystone_core::BroadPhase;

drystone_core::implementations! {
    /// The broad phases of this crate: hash table and coordinate sorting, as in SiLVIA, and others (I-09).
    pub const IMPLEMENTATIONS;
    /// A broad phase by its name in scene files; `None` if there is none of that name.
    pub fn by_name -> dyn BroadPhase;
    Exhaustive::DESCRIPTION => Exhaustive::from_settings,
    SweepAndPrune::DESCRIPTION => SweepAndPrune::from_settings,
    HashGrid::DESCRIPTION => HashGrid::from_settings,
    AabbTree::DESCRIPTION => AabbTree::from_settings,
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_core::catalogue::Settings;

    #[test]
    fn every_description_has_an_implementation() {
        for d in IMPLEMENTATIONS {
            assert_eq!(by_name(d.name, &Settings::defaults(d)).map(|b| b.name()), Some(d.name));
        }
        assert!(by_name("none", &Settings::defaults(&Exhaustive::DESCRIPTION)).is_none());
    }
}
