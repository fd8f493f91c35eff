use super::{Law, approach, impulse_for, split};
use drystone_core::catalogue::Implementation;
use drystone_core::{CollisionLaw, ImpactContact};
use drystone_math::Vec3;

/// Newton's law with friction: the impulse that stops all slip if the friction cone holds it, otherwise one that slides
/// against the initial slip, both with `v+ = -e v-` along the normal.
///
/// Kinetic energy may grow if K couples normal and tangent strongly, as for any law of this form (Kane's puzzle).
///
/// # Source
/// D-02; the algebraic law of A-23 (Guendelman, Bridson, Fedkiw, "Nonconvex rigid bodies with stacking", 2003).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NewtonFriction;

impl NewtonFriction {
    /// Name and source.
    pub const DESCRIPTION: Implementation = Implementation {
        name: Law::NewtonFriction.name(),
        summary: "reverses and scales the normal velocity; sticks inside the friction cone, else friction opposes the initial slip",
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

/// The impulse that takes the relative velocity u to the normal velocity `goal`: sticking if the cone holds it,
/// otherwise sliding.
pub(super) fn to_normal_velocity(c: &ImpactContact, u: Vec3, goal: f64) -> Vec3 {
    let (_, slip) = split(u, c.normal);
    held(c, u, goal).unwrap_or_else(|| slid(c, u, goal, slip.normalize_or_zero()).unwrap_or_else(|| plain(c, u, goal)))
}

/// The impulse to that normal velocity and to no slip, if the cone holds it.
pub(super) fn held(c: &ImpactContact, u: Vec3, goal: f64) -> Option<Vec3> {
    if c.friction <= 0.0 {
        return None;
    }
    let p = impulse_for(&c.collision_matrix, c.normal * goal - u)?;
    let (p_n, p_t) = split(p, c.normal);
    (p_t.length() <= c.friction * p_n).then_some(p)
}

/// The impulse to that normal velocity with friction against a slip along the unit vector `s`; `None` if friction takes the normal impulse away (jamming).
pub(super) fn slid(c: &ImpactContact, u: Vec3, goal: f64, s: Vec3) -> Option<Vec3> {
    let k_n = c.collision_matrix * c.normal;
    let direction = c.normal - s * c.friction.max(0.0);
    let per_unit = k_n.dot(direction);
    (per_unit > 1e-3 * c.normal.dot(k_n)).then(|| direction * ((goal - c.normal.dot(u)) / per_unit))
}

/// The impulse to that normal velocity without friction.
pub(super) fn plain(c: &ImpactContact, u: Vec3, goal: f64) -> Vec3 {
    c.normal * ((goal - c.normal.dot(u)) / c.normal.dot(c.collision_matrix * c.normal))
}
