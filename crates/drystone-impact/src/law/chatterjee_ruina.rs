use super::{Law, approach, impulse_for, split};
use drystone_core::catalogue::Implementation;
use drystone_core::{CollisionLaw, ImpactContact, settings};
use drystone_math::{Real, Vec3, bounded};

settings! {
    /// The algebraic law in impulse space: from the frictionless plastic impulse P1 and the sticking plastic one P2,
    /// `P = (1 + e) P1 + (1 + e_t) (P2 - P1)`, the second term scaled back to the friction cone.
    ///
    /// The normal velocity is `-e v-` whatever friction does, the impulse is in the cone, and energy never grows.
    ///
    /// # Source
    /// D-13; A. Chatterjee, A. Ruina, "A new algebraic rigid-body collision law based on impulse space considerations", 1998.
    ///
    /// The tangential restitution 0 stops the slip of a sticking impact, 1 reverses it (a superball), -1 is frictionless.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct ChatterjeeRuina {
        /// chatterjee-ruina: fraction of the slip that a sticking impact reverses; -1: no friction
        tangential_restitution: Real = real(0.0, -1.0, 1.0),
    }
}

impl ChatterjeeRuina {
    /// Name, parameters and source.
    pub const DESCRIPTION: Implementation = Implementation {
        name: Law::ChatterjeeRuina.name(),
        summary: "algebraic law in impulse space: exact normal restitution, friction scaled back to its cone, no energy added",
        source: "Chatterjee and Ruina 1998; Erleben 2005, section 6.4",
        parameters: Self::PARAMETERS,
    };
}

impl CollisionLaw for ChatterjeeRuina {
    fn name(&self) -> &'static str {
        Self::DESCRIPTION.name
    }

    fn impulse(&self, c: &ImpactContact) -> Vec3 {
        let Some((v, k_n)) = approach(c) else { return Vec3::ZERO };
        let plain = -v / k_n;
        let base = c.normal * ((1.0 + c.restitution) * plain);
        // a locked body has no sticking impulse: no friction then
        let Some(sticking) = impulse_for(&c.collision_matrix, -c.relative_velocity) else { return base };
        let more = sticking - c.normal * plain;
        let (more_n, more_t) = split(more, c.normal);
        let full = 1.0 + self.tangential_restitution;
        let (normal, tangent) = ((1.0 + c.restitution) * plain + full * more_n, full * more_t.length());
        let mu = c.friction.max(0.0);
        let scale = if tangent <= mu * normal {
            full
        } else {
            // |kappa t| = mu ((1 + e) p1 + kappa n): linear, with one root between 0 and `full`
            bounded(mu * (1.0 + c.restitution) * plain / (more_t.length() - mu * more_n), 0.0, full)
        };
        base + more * scale
    }
}
