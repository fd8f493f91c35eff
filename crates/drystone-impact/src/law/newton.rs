use super::{Law, approach};
use drystone_core::catalogue::Implementation;
use drystone_core::{CollisionLaw, ImpactContact};
use drystone_math::Vec3;

/// Newton's law without friction: the normal velocity is reversed and scaled, `v+ = -e v-`.
///
/// # Source
/// D-02, and with restitution zero D-16; Baraff 1989 (27).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Newton;

impl Newton {
    /// Name and source.
    pub const DESCRIPTION: Implementation = Implementation {
        name: Law::Newton.name(),
        summary: "frictionless: reverses and scales the normal velocity",
        source: "Baraff 1989, equation (27); Erleben 2005, section 2.2.4",
        parameters: &[],
    };
}

impl CollisionLaw for Newton {
    fn name(&self) -> &'static str {
        Self::DESCRIPTION.name
    }

    fn impulse(&self, c: &ImpactContact) -> Vec3 {
        approach(c).map_or(Vec3::ZERO, |(v, k)| c.normal * (-(1.0 + c.restitution) * v / k))
    }
}
