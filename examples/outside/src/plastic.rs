use drystone_core::{CollisionLaw, ImpactContact};
use drystone_math::Vec3;

/// Takes away what approaches, and nothing else.
#[derive(Debug, Clone, Copy)]
pub struct Plastic;

impl CollisionLaw for Plastic {
    fn name(&self) -> &'static str {
        "plastic"
    }

    fn impulse(&self, contact: &ImpactContact) -> Vec3 {
        let n = contact.normal;
        let approach = -contact.relative_velocity.dot(n);
        if approach <= 0.0 {
            return Vec3::ZERO;
        }
        // one over the mass that the contact feels along the normal
        let mobility = n.dot(contact.collision_matrix * n);
        n * (approach / mobility)
    }
}
