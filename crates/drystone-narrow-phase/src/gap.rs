use drystone_core::{Feature, Proximity};
use drystone_math::{Real, Vec3};

/// Result of an algorithm for a pair, before it is classified against the envelope.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Gap {
    /// Signed distance (m).
    pub distance: Real,
    /// Unit normal from A to B, world frame.
    pub normal: Vec3,
    /// Closest or deepest point of A, world frame (m).
    pub on_a: Vec3,
    /// Closest or deepest point of B, world frame (m).
    pub on_b: Vec3,
    /// The part of A that carries its point.
    pub feature_a: Feature,
    /// The part of B that carries its point.
    pub feature_b: Feature,
    /// Iterations taken.
    pub iterations: u32,
}

impl Gap {
    /// A gap between smooth surfaces.
    #[inline]
    pub(crate) fn smooth(distance: Real, normal: Vec3, on_a: Vec3, on_b: Vec3) -> Self {
        Self { distance, normal, on_a, on_b, feature_a: Feature::Surface, feature_b: Feature::Surface, iterations: 0 }
    }

    /// Two balls, given a point on the core of each and their radii. `fallback` is the normal if the points coincide.
    #[inline]
    pub(crate) fn of_balls(center_a: Vec3, radius_a: Real, center_b: Vec3, radius_b: Real, fallback: Vec3) -> Self {
        let d = center_b - center_a;
        let length = d.length();
        // if the centres coincide in all digits, the direction of their difference is noise
        let noise = 1e-14 * (1.0 + center_a.abs().max_element().max(center_b.abs().max_element()));
        let normal = if length > noise { d / length } else { fallback };
        let on_a = center_a + normal * radius_a;
        Self::smooth(length - radius_a - radius_b, normal, on_a, center_b - normal * radius_b)
    }

    /// The same gap with the bodies swapped.
    #[inline]
    pub(crate) fn flipped(self) -> Self {
        Self {
            normal: -self.normal,
            on_a: self.on_b,
            on_b: self.on_a,
            feature_a: self.feature_b,
            feature_b: self.feature_a,
            ..self
        }
    }

    /// Classified against the contact envelope (m).
    #[inline]
    pub(crate) fn proximity(self, envelope: Real) -> Proximity {
        Proximity {
            relation: Proximity::relation_of(self.distance, envelope),
            distance: self.distance,
            normal: self.normal,
            witness_a: self.on_a,
            witness_b: self.on_b,
            feature_a: self.feature_a,
            feature_b: self.feature_b,
            iterations: self.iterations,
        }
    }
}
