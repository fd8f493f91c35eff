use crate::ContactImpulse;
use drystone_math::{Pose, Real, Vec3};
use smallvec::SmallVec;

/// Names the two features that meet in a contact point, so that the point is recognised in the next frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct FeatureKey(pub u64);

/// One contact point, anchored in both bodies so that it moves with them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactPoint {
    /// The point of A's surface, in A's body frame (m).
    pub anchor_a: Vec3,
    /// The point of B's surface, in B's body frame (m).
    pub anchor_b: Vec3,
    /// Unit normal from A to B, in A's body frame.
    pub normal: Vec3,
    /// Signed distance along the normal (m), negative is penetration; as of the last detection or refresh.
    pub separation: Real,
    /// Which features meet.
    pub key: FeatureKey,
    /// What the last solve found.
    pub impulse: ContactImpulse,
    /// The same for the last solve of the contact's stack layer, where the paradigm has such.
    pub layer_impulse: ContactImpulse,
}

impl ContactPoint {
    /// A new point without history, from world quantities.
    ///
    /// `position` lies midway between the surfaces; the anchors are half the separation away from it.
    pub fn from_world(
        pose_a: &Pose,
        pose_b: &Pose,
        position: Vec3,
        normal: Vec3,
        separation: Real,
        key: FeatureKey,
    ) -> Self {
        let half = normal * (0.5 * separation);
        Self {
            anchor_a: pose_a.local_point(position - half),
            anchor_b: pose_b.local_point(position + half),
            normal: pose_a.local_direction(normal),
            separation,
            key,
            impulse: ContactImpulse::ZERO,
            layer_impulse: ContactImpulse::ZERO,
        }
    }

    /// World normal, midpoint (m) and separation (m) at the given body poses.
    #[inline]
    pub fn world(&self, pose_a: &Pose, pose_b: &Pose) -> (Vec3, Vec3, Real) {
        self.with_normal(pose_a.direction(self.normal), pose_a, pose_b)
    }

    /// The same where the world normal is known.
    #[inline]
    fn with_normal(&self, n: Vec3, pose_a: &Pose, pose_b: &Pose) -> (Vec3, Vec3, Real) {
        let (a, b) = (pose_a.point(self.anchor_a), pose_b.point(self.anchor_b));
        (n, (a + b) * 0.5, n.dot(b - a))
    }
}

/// The contact points of one pair of bodies.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Manifold {
    /// The points, in a buffer of their own that is as large as needed: most pairs whose boxes overlap never touch, and round ones
    /// touch in one point. It stays for as long as the manifold does.
    pub points: SmallVec<[ContactPoint; 0]>,
}

impl Manifold {
    /// Gives the points of this manifold the multipliers of the points in `old` with the same key.
    pub fn adopt_impulses(&mut self, old: &[ContactPoint]) {
        for p in &mut self.points {
            if let Some(q) = old.iter().find(|q| q.key == p.key) {
                (p.impulse, p.layer_impulse) = (q.impulse, q.layer_impulse);
            }
        }
    }

    /// Re-evaluates the separations at new poses of the bodies, from the anchors alone.
    ///
    /// # Cost
    /// Some 50 operations a point: no shape is looked at. Right to first order in the relative motion.
    pub fn refresh(&mut self, pose_a: &Pose, pose_b: &Pose) {
        // the points of a face share their normal
        let (mut local, mut normal) = (Vec3::ZERO, Vec3::ZERO);
        for p in &mut self.points {
            if p.normal != local {
                (local, normal) = (p.normal, pose_a.direction(p.normal));
            }
            p.separation = p.with_normal(normal, pose_a, pose_b).2;
        }
    }

    /// The deepest point, the first of equals; `None` where there is no point.
    pub fn deepest(&self) -> Option<&ContactPoint> {
        self.points.iter().min_by(|p, q| p.separation.total_cmp(&q.separation))
    }

    /// Each point with its world normal and midpoint (m) at the given body poses.
    #[inline]
    pub fn world(&self, pose_a: Pose, pose_b: Pose) -> impl Iterator<Item = (&ContactPoint, Vec3, Vec3)> {
        let (mut local, mut normal) = (Vec3::ZERO, Vec3::ZERO);
        self.points.iter().map(move |p| {
            if p.normal != local {
                (local, normal) = (p.normal, pose_a.direction(p.normal));
            }
            let (normal, position, _) = p.with_normal(normal, &pose_a, &pose_b);
            (p, normal, position)
        })
    }

    /// The smallest separation (m); infinite where there is no point.
    pub fn least_separation(&self) -> Real {
        self.points.iter().fold(Real::INFINITY, |m, p| m.min(p.separation))
    }
}
