use crate::candidate::Candidate;
use crate::closest_point::feature_key;
use drystone_core::{ContactImpulse, ContactPoint, FeatureKey, Manifold, NormalOwner, PosedShape, Proximity};
use drystone_math::{Mat3, Pose, Real, Vec3};

/// Regions rarely have more corners than two rectangles have in common.
const USUAL: usize = 7;

/// The body from which the candidates are measured, and the direction to the other, in the reference body's frame.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reference {
    /// True if the reference body is B.
    pub is_b: bool,
    /// Unit normal from the reference body to the other.
    pub normal: Vec3,
    /// True if it is determined by edges of both bodies, not by a face of the reference body.
    pub on_edges: bool,
    /// Axes and origin (m) of the other body's frame, seen from the reference body's.
    pub axes: Mat3,
    pub origin: Vec3,
    /// Lengths below this are noise (m).
    pub noise: Real,
}

impl Reference {
    /// From the normal, whose it is, whether it is determined by edges, the other body's frame, and the noise (m).
    pub(crate) fn of(normal: Vec3, is_b: bool, on_edges: bool, other: &Pose, noise: Real) -> Self {
        Self { is_b, normal, on_edges, axes: Mat3::from_quat(other.orientation), origin: other.position, noise }
    }

    /// Point at which the two are closest, or overlap the deepest, measured along the normal: for places that the
    /// features leave out, such as the rim between the corners of the polygon that represents it.
    pub(crate) fn closest(&self, a: PosedShape<'_>, b: PosedShape<'_>, proximity: &Proximity) -> Candidate {
        let (frame, [own, other]) = if self.is_b {
            (b.pose, [proximity.witness_b, proximity.witness_a])
        } else {
            (a.pose, [proximity.witness_a, proximity.witness_b])
        };
        let [own, on_other] = [own, other].map(|p| frame.local_point(p));
        let separation = self.normal.dot(on_other - own);
        Candidate {
            on_reference: on_other - self.normal * separation,
            on_other,
            separation,
            key: feature_key(proximity),
        }
    }

    /// Turns candidates into the points of a manifold.
    #[inline(always)]
    pub(crate) fn fill(&self, candidates: impl Iterator<Item = Candidate>, manifold: &mut Manifold) {
        let toward_other = self.axes.transpose_mul_vec3(self.normal);
        let owner = match (self.on_edges, self.is_b) {
            (true, _) => NormalOwner::Edges,
            (false, true) => NormalOwner::B,
            (false, false) => NormalOwner::A,
        };
        let normal = if self.is_b { [-toward_other, -self.normal] } else { [self.normal, toward_other] };
        for c in candidates {
            if manifold.points.len() == 1 {
                // room for what a region may get in later steps
                manifold.points.reserve(USUAL);
            }
            let other = self.axes.transpose_mul_vec3(c.on_other - self.origin);
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
            });
        }
    }
}
