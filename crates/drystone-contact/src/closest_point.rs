use drystone_core::catalogue::{Implementation, Settings};
use drystone_core::{
    ContactDetermination, ContactImpulse, ContactPoint, ContactSeed, Feature, FeatureKey, Manifold, NormalOwner,
    PosedShape, Proximity,
};
use drystone_geometry::Shape;
use drystone_math::Real;

/// One point per pair, the closest or deepest: enough for impulse-based simulation and for time-of-impact bounds.
///
/// # Source
/// Thesis 5.2 (K-14).
#[derive(Debug, Clone, Copy, Default)]
pub struct ClosestPoint;

impl ClosestPoint {
    /// For catalogues.
    pub const DESCRIPTION: Implementation = Implementation {
        name: "closest-point",
        summary: "one contact per pair: the closest or deepest points",
        source: "Erleben 2005, section 5.2; Mirtich and Canny 1995",
        parameters: &[],
    };

    /// There is nothing to set.
    pub fn from_settings(_: &Settings) -> Self {
        Self
    }
}

/// A number for the pair of features that carry the witnesses.
#[inline(always)]
pub(crate) fn feature_key(proximity: &Proximity) -> u64 {
    let code = |f: Feature| match f {
        Feature::Surface => 0,
        Feature::Vertex(i) => 1 << 28 | u64::from(i & 0x0fff_ffff),
        Feature::Edge(i) => 2 << 28 | u64::from(i & 0x0fff_ffff),
        Feature::Face(i) => 3 << 28 | u64::from(i & 0x0fff_ffff),
    };
    1 << 62 | code(proximity.feature_a) << 31 | code(proximity.feature_b)
}

/// Which shape determines the normal of a pair that meets in a single point: the one with the face, the one that is not
/// round, or both for two edges.
#[inline(always)]
pub(crate) fn owner_of(a: &Shape, b: &Shape, proximity: &Proximity) -> NormalOwner {
    match (proximity.feature_a, proximity.feature_b) {
        (Feature::Face(_), _) => NormalOwner::A,
        (_, Feature::Face(_)) => NormalOwner::B,
        (Feature::Edge(_), Feature::Edge(_)) => NormalOwner::Edges,
        _ => match (a, b) {
            (Shape::Sphere(_), Shape::Sphere(_)) => NormalOwner::A,
            (Shape::Sphere(_), _) => NormalOwner::B,
            _ => NormalOwner::A,
        },
    }
}

/// The witnesses as a contact point.
#[inline(always)]
pub(crate) fn witness(a: PosedShape<'_>, b: PosedShape<'_>, proximity: &Proximity) -> ContactPoint {
    ContactPoint {
        anchor_a: a.pose.local_point(proximity.witness_a),
        anchor_b: b.pose.local_point(proximity.witness_b),
        normal: [a.pose.local_direction(proximity.normal), b.pose.local_direction(proximity.normal)],
        owner: owner_of(a.shape, b.shape, proximity),
        separation: proximity.distance,
        key: FeatureKey(feature_key(proximity)),
        impulse: ContactImpulse::ZERO,
    }
}

impl ContactDetermination for ClosestPoint {
    fn name(&self) -> &'static str {
        Self::DESCRIPTION.name
    }

    fn leaves_out(&self, shape: &Shape) -> Option<&'static str> {
        (!matches!(shape, Shape::Sphere(_))).then_some("contact along edges and over faces")
    }

    fn determine(
        &self,
        a: PosedShape<'_>,
        b: PosedShape<'_>,
        proximity: &Proximity,
        seeds: &[ContactSeed],
        envelope: Real,
        manifold: &mut Manifold,
    ) {
        manifold.points.clear();
        let deepest = seeds.iter().reduce(|d, s| if s.separation < d.separation { s } else { d });
        if let Some(s) = deepest {
            if s.separation <= envelope {
                let p = ContactPoint::from_world(
                    &a.pose,
                    &b.pose,
                    s.position,
                    s.normal,
                    s.separation,
                    s.key,
                    owner_of(a.shape, b.shape, proximity),
                );
                manifold.points.push(p);
            }
        } else if proximity.distance <= envelope {
            manifold.points.push(witness(a, b, proximity));
        }
    }
}
