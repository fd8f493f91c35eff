use crate::GraphAnalysis;
use crate::sleep::{KineticEnergy, KineticEnergyRelative, Never, Positions, Velocities};
use drystone_core::{CoherenceAnalysis, SleepPolicy};

drystone_core::implementations! {
    /// The coherence analyses of this crate.
    pub const IMPLEMENTATIONS;
    /// A coherence analysis by its name in scene files; `None` if there is none of that name.
    pub fn by_name -> dyn CoherenceAnalysis;
    GraphAnalysis::DESCRIPTION => GraphAnalysis::from_settings,
}

drystone_core::implementations! {
    /// The sleep policies of this crate.
    pub const SLEEP_POLICIES;
    /// A sleep policy by its name in scene files; `None` if there is none of that name.
    pub fn sleep_policy_by_name -> dyn SleepPolicy;
    Never::DESCRIPTION => Never::from_settings,
    Positions::DESCRIPTION => Positions::from_settings,
    Velocities::DESCRIPTION => Velocities::from_settings,
    KineticEnergy::DESCRIPTION => KineticEnergy::from_settings,
    KineticEnergyRelative::DESCRIPTION => KineticEnergyRelative::from_settings,
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_core::catalogue::Settings;

    #[test]
    fn every_description_has_an_implementation() {
        for d in IMPLEMENTATIONS {
            assert_eq!(by_name(d.name, &Settings::defaults(d)).map(|m| m.name()), Some(d.name));
        }
        for d in SLEEP_POLICIES {
            assert_eq!(sleep_policy_by_name(d.name, &Settings::defaults(d)).map(|m| m.name()), Some(d.name));
        }
    }
}
