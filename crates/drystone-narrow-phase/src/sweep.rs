use crate::parts::parts;
use crate::swept::tree::Advance;
use crate::{Combined, Impact, Motion, time_of_impact};
use drystone_core::{NarrowPhase, PosedShape, UnsupportedPair};
use drystone_math::{Real, Vec3};

/// First contact of a shape that moves without turning with another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SweepHit {
    /// The fraction of the way until they touch, in [0, 1]; zero if they touch at the start.
    pub fraction: Real,
    /// Contact point (m).
    pub position: Vec3,
    /// Unit normal there, out of the shape that stands still.
    pub normal: Vec3,
}

/// Result of a sweep.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Sweep {
    /// They touch.
    Touch(SweepHit),
    /// They do not touch on the way.
    Free,
    /// They do not touch before this fraction of the way; the iterations were used up.
    NotBefore(Real),
}

/// Shapes closer than this fraction of their size touch.
const TOUCH: Real = 1e-9;

/// Most steps of an advancement.
const MOST_STEPS: u32 = 1000;

/// Moves a shape along `translation` (m) until it touches another that stands still.
///
/// Along a straight way the distance of two convex shapes is a convex function, and an advancement by the distance over the speed
/// of approach is Newton's method on it: it never passes the touch. Compounds are handled part by part, meshes triangle by
/// triangle.
///
/// # Errors
/// [`UnsupportedPair`] for two planes.
///
/// # Source
/// Mirtich 1996 (conservative advancement); van den Bergen 2004 for casts of convex shapes.
pub fn sweep(moving: PosedShape<'_>, translation: Vec3, still: PosedShape<'_>) -> Result<Sweep, UnsupportedPair> {
    let mut best = Sweep::Free;
    for a in parts(moving) {
        for b in parts(still) {
            let one = sweep_part(a, translation, b)?;
            if until(&one) < until(&best) {
                best = one;
            }
        }
    }
    Ok(best)
}

/// The fraction of the way that is free.
fn until(s: &Sweep) -> Real {
    match s {
        Sweep::Touch(hit) => hit.fraction,
        Sweep::Free => Real::INFINITY,
        Sweep::NotBefore(fraction) => *fraction,
    }
}

fn sweep_part(moving: PosedShape<'_>, translation: Vec3, still: PosedShape<'_>) -> Result<Sweep, UnsupportedPair> {
    let radii = [moving, still].map(|s| s.shape.bounding_radius());
    let size = radii.into_iter().filter(|r| r.is_finite()).fold(0.0, Real::max);
    let motion = Motion { start: moving.pose, linear: translation, angular: Vec3::ZERO };
    let rest = Motion { start: still.pose, linear: Vec3::ZERO, angular: Vec3::ZERO };
    let (a, b) = ((moving.shape, &motion), (still.shape, &rest));
    Ok(match time_of_impact(&Combined, a, b, 1.0, TOUCH * size, MOST_STEPS)? {
        Impact::Never => Sweep::Free,
        Impact::NotBefore(fraction) => Sweep::NotBefore(fraction),
        Impact::At(fraction) => {
            // for meshes, the triangles that touch: the narrow phase only looks at samples
            let triangles = Advance::new(a, b, TOUCH * size).and_then(|advance| advance.touch(fraction));
            if let Some(near) = triangles {
                let fraction = last_step(fraction, near.gap, near.normal, translation).unwrap_or(fraction);
                return Ok(Sweep::Touch(SweepHit { fraction, position: near.point, normal: -near.normal }));
            }
            let ask = |fraction: Real| {
                let a = PosedShape { shape: moving.shape, pose: motion.at(fraction) };
                Combined.query(a, still, Real::INFINITY, &mut [0; 4], &mut Vec::new())
            };
            // the point is queried just before they touch: when shapes only touch, the nearest points are less certain
            let before = ask(fraction)?;
            let better = last_step(fraction, before.distance, before.normal, translation);
            let normal = better.map_or(Ok(before), ask)?.normal;
            let fraction = better.unwrap_or(fraction);
            Sweep::Touch(SweepHit { fraction, position: before.witness_b, normal: -normal })
        }
    })
}

/// The rest of the way between the tolerance and the touch: one more Newton step, over a distance (m) along a unit normal.
fn last_step(fraction: Real, distance: Real, normal: Vec3, translation: Vec3) -> Option<Real> {
    let approach = normal.dot(translation);
    let better = fraction + distance / approach;
    (fraction > 0.0 && approach > 0.0 && (fraction..=1.0).contains(&better)).then_some(better)
}
