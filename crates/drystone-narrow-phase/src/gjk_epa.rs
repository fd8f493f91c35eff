use crate::gap::Gap;
use crate::minkowski::Difference;
use crate::{epa, gjk, primitives::unsupported};
use drystone_core::catalogue::{Implementation, Settings};
use drystone_core::{ContactSeed, Feature, NarrowCache, NarrowPhase, PosedShape, Proximity, UnsupportedPair};
use drystone_geometry::{Plane, Shape};
use drystone_math::{Pose, Real, Vec3};

/// Any two convex shapes, and a convex one against a plane: distance by Gilbert, Johnson and Keerthi, depth by the
/// expanding polytope.
///
/// Round shapes are cores with a radius: as long as the cores are apart the answer is as exact as that of GJK.
///
/// # Source
/// Gilbert, Johnson and Keerthi 1988; van den Bergen 1999, 2001; named by thesis 5.4 (J-22).
#[derive(Debug, Clone, Copy, Default)]
pub struct GjkEpa;

impl GjkEpa {
    /// For catalogues.
    pub const DESCRIPTION: Implementation = Implementation {
        name: "gjk-epa",
        summary: "any convex shapes by support maps: GJK distance, expanding-polytope depth",
        source: "Gilbert, Johnson and Keerthi 1988; van den Bergen 2001",
        parameters: &[],
    };

    /// There is nothing to set.
    pub fn from_settings(_: &Settings) -> Self {
        Self
    }
}

/// The gap of two convex shapes; `None` where one has no support map. `cache` remembers the last direction.
pub(crate) fn convex_gap(a: PosedShape<'_>, b: PosedShape<'_>, envelope: Real, cache: &mut NarrowCache) -> Option<Gap> {
    let shape = Difference::new(a, b)?;
    let (ra, rb) = (a.shape.core_radius(), b.shape.core_radius());
    let remembered = Vec3::new(bits(cache[1]), bits(cache[2]), bits(cache[3]));
    let start = if cache[0] == 1 && remembered.is_finite() { remembered } else { shape.offset() };
    let answer = gjk::distance(&shape, start, envelope + shape.radius);
    let (normal, on_a, on_b, core_distance, iterations) = if answer.distance > 0.0 {
        (answer.normal, answer.on_a, answer.on_b, answer.distance, answer.iterations)
    } else {
        let mut d = epa::penetration(&shape, &answer.simplex);
        if d.length <= 1e-6 * shape.size {
            // they only touch: GJK knows where
            let half = d.normal * (0.5 * d.length);
            let middle = (answer.on_a + answer.on_b) * 0.5;
            (d.on_a, d.on_b) = (middle + half, middle - half);
        }
        (d.normal, d.on_a, d.on_b, -d.length, answer.iterations + d.iterations)
    };
    // overlapping, the offset is the better start
    let apart = u32::from(answer.distance > 0.0);
    *cache = [apart, (normal.x as f32).to_bits(), (normal.y as f32).to_bits(), (normal.z as f32).to_bits()];
    let n = a.pose.direction(normal);
    let gap = Gap::smooth(core_distance - ra - rb, n, a.pose.point(on_a) + n * ra, a.pose.point(on_b) - n * rb);
    Some(Gap { iterations, ..gap })
}

fn bits(b: u32) -> Real {
    Real::from(f32::from_bits(b))
}

/// A plane and a convex shape: its lowest point.
pub(crate) fn plane_gap(plane: &Plane, pose: &Pose, b: PosedShape<'_>) -> Option<Gap> {
    let (n, d) = plane.placed(pose);
    let lowest = b.pose.point(b.shape.support(b.pose.local_direction(-n))?);
    let distance = n.dot(lowest) - d;
    let gap = Gap::smooth(distance, n, lowest - n * distance, lowest);
    Some(Gap { feature_a: Feature::Face(0), ..gap })
}

impl NarrowPhase for GjkEpa {
    fn name(&self) -> &'static str {
        Self::DESCRIPTION.name
    }

    fn supports(&self, a: &Shape, b: &Shape) -> bool {
        let plane = |s: &Shape| matches!(s, Shape::Plane(_));
        (a.is_convex() || plane(a)) && (b.is_convex() || plane(b)) && !(plane(a) && plane(b))
    }

    fn query(
        &self,
        a: PosedShape<'_>,
        b: PosedShape<'_>,
        envelope: Real,
        cache: &mut NarrowCache,
        seeds: &mut Vec<ContactSeed>,
    ) -> Result<Proximity, UnsupportedPair> {
        seeds.clear();
        let gap = match (a.shape, b.shape) {
            (Shape::Plane(p), _) => plane_gap(p, &a.pose, b),
            (_, Shape::Plane(p)) => plane_gap(p, &b.pose, a).map(Gap::flipped),
            _ => convex_gap(a, b, envelope, cache),
        };
        Ok(gap.ok_or_else(|| unsupported(self.name(), a.shape, b.shape))?.proximity(envelope))
    }
}
