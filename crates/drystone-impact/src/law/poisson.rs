use super::newton_friction::{held, plain, slid};
use super::{Law, approach, split};
use drystone_core::catalogue::Implementation;
use drystone_core::{CollisionLaw, ImpactContact};
use drystone_math::Vec3;

/// Poisson's law in two algebraic phases: compression takes the normal velocity to zero, restitution gives back e times its normal impulse; in each, friction sticks inside its
/// cone and slides against the slip otherwise. If the slip ends on the way, or there is none at first, friction on the rest opposes the slip that the normal impulse causes; in the
/// plane this is Coulomb's law throughout a phase.
///
/// # Source
/// D-03; Routh 1905 for slip that ends. Differs in: if friction would add energy, the restitution phase (and then the whole impulse) is scaled back to
/// the largest that adds none; `routh-mirtich` follows the slip instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Poisson;

impl Poisson {
    /// Name and source.
    pub const DESCRIPTION: Implementation = Implementation {
        name: Law::Poisson.name(),
        summary: "compression and restitution as two algebraic phases; e applies to the impulse; adds no energy",
        source: "Erleben 2005, section 2.2.4 after Poisson",
        parameters: &[],
    };
}

impl CollisionLaw for Poisson {
    fn name(&self) -> &'static str {
        Self::DESCRIPTION.name
    }

    fn impulse(&self, c: &ImpactContact) -> Vec3 {
        if approach(c).is_none() {
            return Vec3::ZERO;
        }
        let (k, n) = (&c.collision_matrix, c.normal);

        // compression
        let mut compression = phase(c, c.relative_velocity, 0.0);
        compression *= largest_part(c, Vec3::ZERO, compression);
        if c.restitution <= 0.0 {
            return compression;
        }

        // restitution: the same phase with the normal velocity that e times the normal impulse leads to
        let u = c.relative_velocity + *k * compression;
        let wanted = c.restitution * n.dot(compression);
        let mut second = phase(c, u, n.dot(u) + wanted * n.dot(*k * n));
        let (along, _) = split(second, n);
        if along > 0.0 {
            second *= wanted / along;
        }
        compression + second * largest_part(c, compression, second)
    }
}

/// The impulse of a phase that takes the relative velocity u to the normal velocity `goal`.
fn phase(c: &ImpactContact, u: Vec3, goal: f64) -> Vec3 {
    let (n, k) = (c.normal, &c.collision_matrix);
    if c.friction <= 0.0 {
        return plain(c, u, goal);
    }
    let (_, slip) = split(u, n);
    let s = slip.normalize_or_zero();
    let Some(whole) = slid(c, u, goal, s) else {
        return held(c, u, goal).unwrap_or_else(|| plain(c, u, goal));
    };

    // the slip ends when this much normal impulse has been transmitted
    let sliding = n - s * c.friction;
    let ends = if s == Vec3::ZERO { 0.0 } else { -slip.length() / s.dot(*k * sliding) };
    if !(0.0..n.dot(whole)).contains(&ends) {
        return whole;
    }
    let first = sliding * ends;
    let u = u + *k * first;
    let rest = held(c, u, goal).or_else(|| {
        let (_, begun) = split(u + *k * plain(c, u, goal), n);
        slid(c, u, goal, begun.normalize_or_zero())
    });
    first + rest.unwrap_or_else(|| plain(c, u, goal))
}

/// The largest s in [0, 1] for which `base + s extra` adds no kinetic energy, `base` adding none.
fn largest_part(c: &ImpactContact, base: Vec3, extra: Vec3) -> f64 {
    // gain(s) = g + s b + s^2 a, with g <= 0 and a >= 0: one root at s >= 0
    let k = &c.collision_matrix;
    let u = c.relative_velocity + *k * base;
    let a = 0.5 * extra.dot(*k * extra);
    let b = extra.dot(u);
    let g = (base.dot(c.relative_velocity) + 0.5 * base.dot(*k * base)).min(0.0);
    if g + b + a <= 0.0 || a <= 0.0 {
        return 1.0;
    }
    let root = (b * b - 4.0 * a * g).max(0.0).sqrt();
    // the form without cancellation
    let s = if b <= 0.0 { (root - b) / (2.0 * a) } else { -2.0 * g / (root + b) };
    s.clamp(0.0, 1.0)
}
