use super::{approach, impulse_for, split};
use drystone_core::catalogue::Implementation;
use drystone_core::{CollisionLaw, ImpactContact};
use drystone_math::Vec3;

/// Newton's law with friction: the impulse that stops all slip where the friction cone holds it, else one that slides
/// against the first slip, both with `v+ = -e v-` along the normal.
///
/// Kinetic energy may grow where K couples normal and tangent strongly, as for any law of this form (Kane's puzzle).
///
/// # Source
/// D-02; the algebraic law of A-23 (Guendelman, Bridson, Fedkiw, "Nonconvex rigid bodies with stacking", 2003).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NewtonFriction;

impl NewtonFriction {
    /// Name and source.
    pub const DESCRIPTION: Implementation = Implementation {
        name: "newton-friction",
        summary: "reverses and scales the normal velocity; sticks inside the friction cone, else slides against the first slip",
        source: "Guendelman et al. 2003",
        parameters: &[],
    };
}

impl CollisionLaw for NewtonFriction {
    fn name(&self) -> &'static str {
        Self::DESCRIPTION.name
    }

    fn impulse(&self, c: &ImpactContact) -> Vec3 {
        let Some((v, _)) = approach(c) else { return Vec3::ZERO };
        to_normal_velocity(c, c.relative_velocity, -c.restitution * v)
    }
}

/// The impulse from the relative velocity u to the normal velocity `goal`: sticking if the cone holds it, else sliding.
pub(super) fn to_normal_velocity(c: &ImpactContact, u: Vec3, goal: f64) -> Vec3 {
    let (n, k, mu) = (c.normal, &c.collision_matrix, c.friction);
    let (v, slip) = split(u, n);
    let k_n = *k * n;
    let plain = n * ((goal - v) / n.dot(k_n));
    if mu <= 0.0 {
        return plain;
    }

    // stick: no slip afterwards
    if let Some(p) = impulse_for(k, n * goal - u) {
        let (p_n, p_t) = split(p, n);
        if p_t.length() <= mu * p_n {
            return p;
        }
    }

    // slide against the slip; where friction would take the normal impulse away (jamming) there is none
    let direction = n - slip.normalize_or_zero() * mu;
    let per_unit = k_n.dot(direction);
    if per_unit > 1e-3 * n.dot(k_n) { direction * ((goal - v) / per_unit) } else { plain }
}
