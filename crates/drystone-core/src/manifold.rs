use crate::ContactImpulse;
use drystone_math::{Placement, Pose, Real, Vec3};
use smallvec::SmallVec;

/// Names the two features that meet in a contact point, so that the point is recognised in the next frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct FeatureKey(pub u64);

impl FeatureKey {
    /// The mark of a point that was found by looking up samples of a surface, or by a method whose points are to be seen as they are: such points are reduced only on request.
    pub const SAMPLE: u64 = 1 << 42;

    /// Returns true if the point has the mark [`Self::SAMPLE`].
    pub fn is_sample(self) -> bool {
        self.0 & Self::SAMPLE != 0
    }

    /// The name of the same features as parts of compounds, given the numbers of the parts. The mark of a sample stays.
    ///
    /// # Source
    /// The numbers are spread over all bits by the finalizer of splitmix64 (Steele, Lea and Flood 2014), so that names of different pairs of parts do not meet.
    #[must_use]
    pub fn of_parts(self, part_a: u32, part_b: u32) -> Self {
        let mut z = u64::from(part_a) << 32 | u64::from(part_b);
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        Self(self.0 ^ z & !Self::SAMPLE)
    }
}

/// Which body a contact's normal belongs to, and so turns with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NormalOwner {
    /// Body A's: the normal of one of its faces, or one that belongs to neither in particular.
    #[default]
    A,
    /// Body B's: the normal of one of its faces.
    B,
    /// Both: it stands across an edge of A and an edge of B, so that neither body's turn alone determines it. It is taken halfway between what it would be on A
    /// and on B: off by half the turn about one of the edges, which changes the gap only to second order.
    Edges,
}

impl NormalOwner {
    /// The normal at orientations other than those it is known for, from how it would have turned with A and with B.
    #[inline]
    pub fn turned(self, with_a: Vec3, with_b: Vec3) -> Vec3 {
        match self {
            Self::A => with_a,
            Self::B => with_b,
            Self::Edges => (with_a + with_b).normalize_or(with_a),
        }
    }
}

/// One contact point, anchored in both bodies so that it moves with them.
///
/// The fields that a solve or a pass over all points reads or writes come first.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct ContactPoint {
    /// Impulse of the last solve.
    pub impulse: ContactImpulse,
    /// Signed distance along the normal (m), negative is penetration; as of the last detection or refresh.
    pub separation: Real,
    /// Which features meet.
    pub key: FeatureKey,
    /// Which body's normal it is.
    pub owner: NormalOwner,
    /// The point of A's surface, in A's body frame (m).
    pub anchor_a: Vec3,
    /// The point of B's surface, in B's body frame (m).
    pub anchor_b: Vec3,
    /// Unit normal from A to B, in A's body frame and in B's.
    pub normal: [Vec3; 2],
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
        owner: NormalOwner,
    ) -> Self {
        let half = normal * (0.5 * separation);
        Self {
            anchor_a: pose_a.local_point(position - half),
            anchor_b: pose_b.local_point(position + half),
            normal: [pose_a, pose_b].map(|p| p.local_direction(normal)),
            owner,
            separation,
            key,
            impulse: ContactImpulse::ZERO,
        }
    }

    /// World normal, midpoint (m) and separation (m) at the given body poses.
    #[inline]
    pub fn world(&self, pose_a: &Pose, pose_b: &Pose) -> (Vec3, Vec3, Real) {
        let (a, b) = (pose_a.into(), pose_b.into());
        let (normal, [p, q]) = (self.world_normal(&a, &b), self.world_anchors(&a, &b));
        (normal, (p + q) * 0.5, normal.dot(q - p))
    }

    /// The world normal alone, for bodies placed like this.
    #[inline(always)]
    pub fn world_normal(&self, a: &Placement, b: &Placement) -> Vec3 {
        match self.owner {
            NormalOwner::A => a.direction(self.normal[0]),
            NormalOwner::B => b.direction(self.normal[1]),
            NormalOwner::Edges => self.owner.turned(a.direction(self.normal[0]), b.direction(self.normal[1])),
        }
    }

    /// The midpoint alone (m), likewise.
    #[inline(always)]
    pub fn middle(&self, a: &Placement, b: &Placement) -> Vec3 {
        let [p, q] = self.world_anchors(a, b);
        (p + q) * 0.5
    }

    #[inline(always)]
    fn world_anchors(&self, a: &Placement, b: &Placement) -> [Vec3; 2] {
        [a.point(self.anchor_a), b.point(self.anchor_b)]
    }
}

/// Data of the last solve at a contact point, for a new point of the same features.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactHistory {
    /// Which features meet.
    pub key: FeatureKey,
    /// As [`ContactPoint::impulse`].
    pub impulse: ContactImpulse,
}

impl ContactHistory {
    /// The history of no point.
    pub const NONE: Self = Self { key: FeatureKey(0), impulse: ContactImpulse::ZERO };

    /// Takes the history of a point.
    #[inline(always)]
    pub fn take(&mut self, p: &ContactPoint) {
        self.key = p.key;
        self.impulse = p.impulse;
    }
}

/// Data that only a few solvers store at a contact point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PointMemory {
    /// The point.
    pub key: FeatureKey,
    /// As [`ContactPoint::impulse`], for the last solve of the contact's stack layer.
    pub layer_impulse: ContactImpulse,
    /// Its stiffness in the last solve, along and across the normal (N/m); zero if the solver has no such numbers.
    pub stiffness: [Real; 2],
}

impl PointMemory {
    /// Nothing remembered.
    pub const fn none(key: FeatureKey) -> Self {
        Self { key, layer_impulse: ContactImpulse::ZERO, stiffness: [0.0; 2] }
    }
}

/// The contact points of one pair of bodies.
#[derive(Debug, Clone, PartialEq, Default)]
#[repr(C)]
pub struct Manifold {
    /// The points. The first is stored in place, because round shapes touch in one point and passes over all manifolds then read memory from front to back.
    /// Further points are in a buffer of their own that is as large as needed, and is kept for as long as the manifold.
    pub points: SmallVec<[ContactPoint; 1]>,
    /// Data of those solvers by point key; empty if no such solver was at work, so that passes over the points do not
    /// read it.
    pub memory: Vec<PointMemory>,
}

impl Manifold {
    /// No points, and nothing remembered of any; the buffers stay.
    pub fn clear(&mut self) {
        self.points.clear();
        self.memory.clear();
    }

    /// Stored data of a point.
    pub fn memory(&self, key: FeatureKey) -> PointMemory {
        self.memory.iter().find(|m| m.key == key).copied().unwrap_or(PointMemory::none(key))
    }

    /// Returns true if a solver gave one of the points a stiffness.
    #[inline]
    pub fn is_stiff(&self) -> bool {
        self.memory.iter().any(|m| m.stiffness != [0.0; 2])
    }

    /// Stored data of a point, mutable.
    pub fn memory_mut(&mut self, key: FeatureKey) -> &mut PointMemory {
        let known = self.memory.iter().position(|m| m.key == key);
        let place = known.unwrap_or_else(|| {
            // as much as there are points, at once
            self.memory.reserve(self.points.len());
            self.memory.push(PointMemory::none(key));
            self.memory.len() - 1
        });
        &mut self.memory[place]
    }

    /// Gives the points of this manifold the multipliers of the points in `old` with the same key; anything else remembered of other points is dropped. Returns
    /// whether the deepest point, the first of equals, is one of those.
    #[inline(always)]
    pub fn adopt_impulses(&mut self, old: &[ContactHistory]) -> bool {
        let (mut least, mut known) = (Real::NAN, false);
        for (i, p) in self.points.iter_mut().enumerate() {
            // mostly the same features meet as before, in the same order
            let same = old.get(i).filter(|q| q.key == p.key);
            let found = same.or_else(|| old.iter().find(|q| q.key == p.key));
            if let Some(q) = found {
                p.impulse = q.impulse;
            }
            if i == 0 || p.separation.total_cmp(&least).is_lt() {
                (least, known) = (p.separation, found.is_some());
            }
        }
        if !self.memory.is_empty() {
            self.forget_others(old);
        }
        known
    }

    /// Forgets what is remembered of points that were not there before, or are no longer.
    #[cold]
    fn forget_others(&mut self, old: &[ContactHistory]) {
        let Self { points, memory } = self;
        memory.retain(|m| old.iter().any(|p| p.key == m.key) && points.iter().any(|p| p.key == m.key));
    }

    /// Re-evaluates the separations at new poses of the bodies, from the anchors alone.
    ///
    /// # Cost
    /// Some 50 operations per pair and 10 per point: no shape is looked at. Correct to first order in the relative motion.
    pub fn refresh(&mut self, pose_a: &Pose, pose_b: &Pose) {
        if let [only] = self.points.as_mut_slice() {
            only.separation = only.world(pose_a, pose_b).2;
            return;
        }
        let Some(first) = self.points.first() else { return };
        let relative = pose_b.relative_to(pose_a);
        // the points of a face share their normal and its owner
        let mut seen = (first.normal, first.owner);
        let mut slab = Slab::of(seen, &relative);
        for p in &mut self.points {
            if (p.normal, p.owner) != seen {
                seen = (p.normal, p.owner);
                slab = Slab::of(seen, &relative);
            }
            p.separation = slab.on_b.dot(p.anchor_b) - slab.on_a.dot(p.anchor_a) + slab.offset;
        }
    }

    /// The deepest point, the first of equals; `None` if there is no point.
    pub fn deepest(&self) -> Option<&ContactPoint> {
        self.points.iter().min_by(|p, q| p.separation.total_cmp(&q.separation))
    }

    /// The smallest separation (m); infinite if there is no point.
    #[inline]
    pub fn least_separation(&self) -> Real {
        // NaN is not less
        self.points.iter().fold(Real::INFINITY, |m, p| if p.separation < m { p.separation } else { m })
    }
}

/// A normal in the axes of both bodies, and how far apart their origins are along it (m): all that the separations of its points need of the poses.
struct Slab {
    on_a: Vec3,
    on_b: Vec3,
    offset: Real,
}

impl Slab {
    /// The slab of a normal, in both bodies' axes and with its owner, B being seen from A.
    #[inline]
    fn of(([in_a, in_b], owner): ([Vec3; 2], NormalOwner), relative: &Pose) -> Self {
        let on_a = owner.turned(in_a, relative.direction(in_b));
        Self { on_a, on_b: relative.local_direction(on_a), offset: on_a.dot(relative.position) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_math::Quat;

    /// A point of A that has slid by 1 cm over a surface with its normal along y since it was found.
    fn slid(owner: NormalOwner) -> ContactPoint {
        let point = |x: Real| Pose::from_position(Vec3::X * x);
        let made = ContactPoint::from_world(&point(0.0), &point(0.0), Vec3::ZERO, Vec3::Y, 0.0, FeatureKey(1), owner);
        ContactPoint { anchor_a: Vec3::X * 0.01, ..made }
    }

    #[test]
    fn what_few_solvers_leave_stays_with_its_features_and_goes_with_them() {
        let point = |key| ContactPoint { key: FeatureKey(key), ..slid(NormalOwner::A) };
        let history = |key| ContactHistory { key: FeatureKey(key), impulse: ContactImpulse::ZERO };
        let mut manifold = Manifold { points: [1, 2].map(point).into_iter().collect(), memory: Vec::new() };
        assert!(!manifold.is_stiff() && manifold.memory(FeatureKey(2)) == PointMemory::none(FeatureKey(2)));
        manifold.memory_mut(FeatureKey(2)).stiffness = [3.0, 0.0];
        manifold.memory_mut(FeatureKey(1)).layer_impulse.normal = 5.0;
        manifold.memory_mut(FeatureKey(2)).layer_impulse.normal = 4.0;
        assert!(manifold.is_stiff() && manifold.memory.len() == 2);
        // one of the features in another place of the list, and a new one
        manifold.points = [3, 2].map(point).into_iter().collect();
        assert!(!manifold.adopt_impulses(&[1, 2].map(history)), "the deepest is new");
        assert_eq!(manifold.memory(FeatureKey(2)).stiffness, [3.0, 0.0]);
        assert_eq!(manifold.memory(FeatureKey(2)).layer_impulse.normal, 4.0);
        assert_eq!(manifold.memory.len(), 1, "what has no point is forgotten");
        // a feature that was absent in between has no memory
        manifold.adopt_impulses(&[history(3)]);
        assert!(manifold.memory.is_empty());
    }

    #[test]
    fn refreshed_separations_are_those_of_points_in_the_world() {
        let turned = |x: Real| Quat::from_scaled_axis(Vec3::new(0.3 + x, -0.7 * x, 1.1));
        let (a, b) =
            (Pose::new(Vec3::new(5.0, -2.0, 1.0), turned(0.2)), Pose::new(Vec3::new(5.5, -1.0, 1.5), turned(0.9)));
        let (to_a, to_b) = (Pose::new(a.position, turned(0.21)), Pose::new(b.position + Vec3::X * 0.01, turned(0.88)));
        for owner in [NormalOwner::A, NormalOwner::B, NormalOwner::Edges] {
            for count in 1..=4 {
                let mut manifold = Manifold::default();
                for k in 0..count {
                    let at = Vec3::new(5.2, -1.5, 1.2) + Vec3::new(0.1, -0.2, 0.3) * Real::from(k);
                    // the last point has a normal of its own
                    let normal = Vec3::new(0.2, 0.9, if k == 3 { -0.5 } else { 0.1 }).normalize();
                    let key = FeatureKey(u64::from(k as u32));
                    manifold.points.push(ContactPoint::from_world(
                        &a,
                        &b,
                        at,
                        normal,
                        0.02 * Real::from(k + 1),
                        key,
                        owner,
                    ));
                }
                manifold.refresh(&to_a, &to_b);
                for p in &manifold.points {
                    let off = p.separation - p.world(&to_a, &to_b).2;
                    assert!(off.abs() < 1e-13, "{owner:?}, {count} points: {off}");
                }
                assert!(manifold.points.iter().any(|p| p.separation.abs() > 1e-3));
            }
        }
    }

    #[test]
    fn normals_turn_with_their_owner() {
        let angle = 0.02;
        let tilted = Pose::new(Vec3::ZERO, Quat::from_rotation_z(angle));
        let gap = |owner, a: &Pose, b: &Pose| slid(owner).world(a, b).2;
        for (a, b) in [(tilted, Pose::IDENTITY), (Pose::IDENTITY, tilted)] {
            // the distance of A's point from the plane of A's face, from that of B's, and from the plane in between
            let [own, other] = [gap(NormalOwner::A, &a, &b), gap(NormalOwner::B, &a, &b)];
            let exact = |pose: &Pose| {
                let n = pose.direction(Vec3::Y);
                n.dot(b.point(Vec3::ZERO) - a.point(Vec3::X * 0.01))
            };
            assert!((own - exact(&a)).abs() < 1e-15 && (other - exact(&b)).abs() < 1e-15);
            // if the points have slid, the owner of the normal makes a difference of first order
            assert!(((own - other).abs() - 0.01 * angle).abs() < 1e-6, "{own} {other}");
            let edges = gap(NormalOwner::Edges, &a, &b);
            assert!((edges - 0.5 * (own + other)).abs() < 1e-7, "{edges} between {own} and {other}");
        }
        // if both move together nothing changes
        for owner in [NormalOwner::A, NormalOwner::B, NormalOwner::Edges] {
            assert!(gap(owner, &tilted, &tilted).abs() < 1e-15);
        }
    }
}
