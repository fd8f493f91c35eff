use crate::candidate::Candidates;
use crate::closest_point::{owner_of, witness};
use crate::reduction::{reduce_samples, reduce_to_four};
use crate::{box_box, face_clip};
use drystone_core::catalogue::{Implementation, Parameter, Settings};
use drystone_core::{
    ContactDetermination, ContactImpulse, ContactPoint, ContactSeed, FeatureKey, Manifold, NormalOwner, PosedShape,
    Proximity, Relation,
};
use drystone_geometry::Shape;
use drystone_math::{Mat3, Pose, Real, Vec3};

/// In units of the noise: points less deep than the deepest by no more count as equally deep when a manifold is reduced. Far
/// above what a solver leaves between them from step to step, so that the same ones are kept.
const EQUALLY_DEEP: Real = 100.0;

/// Cuts the faces of the two shapes that meet against each other, and keeps the corners of what both cover.
///
/// Two boxes go by the improved method of thesis 6.3: corners first, then crossings of edges whose ends are not
/// contacts already. Any other convex pair, whatever narrow phase found its normal, by the support features along the
/// normal. Points that the narrow phase found itself are taken over.
///
/// # Source
/// K-03, K-04 (Baraff), K-05, K-09, K-11, K-15; thesis 6.3.
#[derive(Debug, Clone, Copy)]
pub struct ClippingManifold {
    /// Whether more than four points are reduced to four.
    pub reduce: bool,
    /// Whether of points that samples of a mesh found no more than four a direction are kept.
    pub reduce_samples: bool,
}

impl Default for ClippingManifold {
    fn default() -> Self {
        Self { reduce: true, reduce_samples: false }
    }
}

impl ClippingManifold {
    /// For catalogues.
    pub const DESCRIPTION: Implementation = Implementation {
        name: "clipping",
        summary: "cuts the faces that meet against each other; corners before crossings",
        source: "Erleben 2005, section 6.3; Baraff 1989",
        parameters: &[
            Parameter::switch("reduce", true, "keep at most four points: the deepest and the widest"),
            Parameter::switch("reduce_samples", false, "of points found by samples, keep at most four a direction"),
        ],
    };

    /// With checked settings.
    pub fn from_settings(settings: &Settings) -> Self {
        Self { reduce: settings.switch("reduce"), reduce_samples: settings.switch("reduce_samples") }
    }
}

/// Which body the candidates are measured from, and the way to the other, in the reference body's frame.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reference {
    /// Whether it is B.
    pub is_b: bool,
    /// Unit normal from the reference body to the other.
    pub normal: Vec3,
    /// Whether it stands on edges of both, not on a face of the reference body.
    pub on_edges: bool,
    /// The other body's frame seen from the reference body's.
    pub other: Pose,
    /// Lengths below this are noise (m).
    pub noise: Real,
}

impl Reference {
    fn fill(&self, candidates: &Candidates, manifold: &mut Manifold) {
        let r = Mat3::from_quat(self.other.orientation);
        let toward_other = r.transpose_mul_vec3(self.normal);
        let owner = match (self.on_edges, self.is_b) {
            (true, _) => NormalOwner::Edges,
            (false, true) => NormalOwner::B,
            (false, false) => NormalOwner::A,
        };
        let normal = if self.is_b { [-toward_other, -self.normal] } else { [self.normal, toward_other] };
        for c in candidates {
            let other = r.transpose_mul_vec3(c.on_other - self.other.position);
            let (anchor_a, anchor_b) = if self.is_b { (other, c.on_reference) } else { (c.on_reference, other) };
            let (separation, key) = (c.separation, FeatureKey(c.key));
            manifold.points.push(ContactPoint {
                anchor_a,
                anchor_b,
                normal,
                owner,
                separation,
                key,
                impulse: ContactImpulse::ZERO,
                layer_impulse: ContactImpulse::ZERO,
                stiffness: [0.0; 2],
            });
        }
    }
}

impl ContactDetermination for ClippingManifold {
    fn name(&self) -> &'static str {
        Self::DESCRIPTION.name
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
        if proximity.relation == Relation::Separated {
            return;
        }
        if !seeds.is_empty() {
            let owner = owner_of(a.shape, b.shape, proximity);
            let keep = |s: &ContactSeed| {
                if s.separation <= envelope {
                    let p =
                        ContactPoint::from_world(&a.pose, &b.pose, s.position, s.normal, s.separation, s.key, owner);
                    manifold.points.push(p);
                }
            };
            if self.reduce_samples {
                let size = a.shape.bounding_radius().min(b.shape.bounding_radius());
                reduce_samples(seeds, 1e-6 * size, keep);
            } else {
                seeds.iter().for_each(keep);
            }
            return;
        }
        let mut candidates = Candidates::new();
        let reference = match (a.shape, b.shape) {
            (Shape::Sphere(_), _) | (_, Shape::Sphere(_)) => None,
            (Shape::Box(x), Shape::Box(y)) => box_box::candidates(x, y, a.pose, b.pose, proximity, &mut candidates),
            _ => face_clip::candidates(a, b, proximity, &mut candidates),
        };
        candidates.retain(|c| c.separation <= envelope);
        match reference {
            Some(reference) if !candidates.is_empty() => {
                if self.reduce {
                    reduce_to_four(&mut candidates, reference.normal, EQUALLY_DEEP * reference.noise);
                }
                reference.fill(&candidates, manifold);
            }
            _ if proximity.distance <= envelope => manifold.points.push(witness(a, b, proximity)),
            _ => {}
        }
    }
}
