use crate::{AabbTree, Exhaustive, HashGrid, SweepAndPrune};
use drystone_core::BroadPhase;
use drystone_core::catalogue::{Implementation, Settings};

/// The broad phases of this crate; hash table or coordinate sorting, as SiLVIA has them, and others (I-09).
pub const IMPLEMENTATIONS: &[Implementation] =
    &[Exhaustive::DESCRIPTION, SweepAndPrune::DESCRIPTION, HashGrid::DESCRIPTION, AabbTree::DESCRIPTION];

/// A broad phase by its name in scene files; `None` where there is none of that name.
pub fn by_name(name: &str, settings: &Settings) -> Option<Box<dyn BroadPhase>> {
    match name {
        "exhaustive" => Some(Box::new(Exhaustive::from_settings(settings))),
        "sweep-and-prune" => Some(Box::new(SweepAndPrune::from_settings(settings))),
        "hash-grid" => Some(Box::new(HashGrid::from_settings(settings))),
        "aabb-tree" => Some(Box::new(AabbTree::from_settings(settings))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_description_has_an_implementation() {
        for d in IMPLEMENTATIONS {
            assert_eq!(by_name(d.name, &Settings::defaults(d)).map(|b| b.name()), Some(d.name));
        }
        assert!(by_name("none", &Settings::defaults(&Exhaustive::DESCRIPTION)).is_none());
    }
}
