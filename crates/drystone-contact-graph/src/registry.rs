use crate::GraphAnalysis;
use crate::sleep::{KineticEnergy, KineticEnergyRelative, Never, Positions, Velocities};
use drystone_core::catalogue::{Implementation, Settings};
use drystone_core::{CoherenceAnalysis, SleepPolicy};

/// The coherence analyses of this crate.
pub const IMPLEMENTATIONS: &[Implementation] = &[GraphAnalysis::DESCRIPTION];

/// The sleep policies of this crate.
pub const SLEEP_POLICIES: &[Implementation] = &[
    Never::DESCRIPTION,
    Positions::DESCRIPTION,
    Velocities::DESCRIPTION,
    KineticEnergy::DESCRIPTION,
    KineticEnergyRelative::DESCRIPTION,
];

/// A coherence analysis by its name in scene files; `None` where there is none of that name.
pub fn by_name(name: &str, settings: &Settings) -> Option<Box<dyn CoherenceAnalysis>> {
    (name == GraphAnalysis::DESCRIPTION.name)
        .then(|| Box::new(GraphAnalysis::from_settings(settings)) as Box<dyn CoherenceAnalysis>)
}

/// A sleep policy by its name in scene files; `None` where there is none of that name.
pub fn sleep_policy_by_name(name: &str, settings: &Settings) -> Option<Box<dyn SleepPolicy>> {
    match name {
        "never" => Some(Box::new(Never)),
        "positions" => Some(Box::new(Positions::from_settings(settings))),
        "velocities" => Some(Box::new(Velocities::from_settings(settings))),
        "kinetic-energy" => Some(Box::new(KineticEnergy::from_settings(settings))),
        "kinetic-energy-relative" => Some(Box::new(KineticEnergyRelative::from_settings(settings))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
