use super::answers::Answers;
use super::coordinate::Coordinate;
use super::frame::BoxPair;
use super::query::remembered_axis;
use super::separations::{Group, Separations};
use crate::gap::Gap;
use drystone_geometry::Cuboid;
use drystone_math::lanes::{
    Lanes, Vectors, axes, conjugate, cross, dot, product, put, quaternions, read, select, turn, vectors, widest, write,
};
use drystone_math::{Pose, Quat, Real, Vec3};
use pulp::{Scalar, Simd, WithSimd};

/// Up to `N` pairs of boxes whose relative poses and separations are worked out side by side: they are stored coordinate by coordinate, so that one instruction handles
/// several pairs. The result for a pair depends neither on the others nor on `N`.
pub(crate) struct SideBySide<const N: usize> {
    given: Given<N>,
    found: Found<N>,
    answers: Answers<N>,
    /// The cache of each pair.
    caches: [u32; N],
    count: usize,
}

/// Half extents (m) and placements of both boxes.
struct Given<const N: usize> {
    half: [[[Real; N]; 3]; 2],
    position: [[[Real; N]; 3]; 2],
    orientation: [[[Real; N]; 4]; 2],
    /// The axis of last time; negative if there was none.
    last: [Real; N],
}

/// Derived data: B's frame seen from A, the normals of A's faces and of B's, B's middle in its own axes, the
/// separations.
struct Found<const N: usize> {
    position: [[Real; N]; 3],
    orientation: [[Real; N]; 4],
    normals: [[[Real; N]; 3]; 6],
    tb: [[Real; N]; 3],
    separations: Separations<N>,
    /// The axis of last time as in [`BoxPair::axis`], and how far along it B's middle is (m).
    last: [[Real; N]; 3],
    along_last: [Real; N],
}

impl<const N: usize> SideBySide<N> {
    /// No pair yet.
    #[inline(always)]
    pub(crate) fn new() -> Self {
        let (none, one) = ([0.0; N], [1.0; N]);
        let [x, y, z] = [[one, none, none], [none, one, none], [none, none, one]];
        Self {
            given: Given { half: [[none; 3]; 2], position: [[none; 3]; 2], orientation: [[none; 4]; 2], last: none },
            found: Found {
                position: [none; 3],
                orientation: [none; 4],
                normals: [x, y, z, [none; 3], [none; 3], [none; 3]],
                tb: [none; 3],
                separations: Separations::UNKNOWN,
                last: [none; 3],
                along_last: none,
            },
            answers: Answers::NONE,
            caches: [0; N],
            count: 0,
        }
    }

    /// Adds a pair with its cache, if there are fewer than `N`.
    #[inline(always)]
    pub(crate) fn add(&mut self, shapes: [&Cuboid; 2], poses: [&Pose; 2], cache: u32) {
        let lane = self.count;
        self.caches[lane] = cache;
        let Given { half, position, orientation, last } = &mut self.given;
        last[lane] = remembered_axis(cache).map_or(-1.0, |axis| axis as Real);
        for side in 0..2 {
            let (h, p, q) = (shapes[side].half_extents(), poses[side].position, poses[side].orientation);
            write(&mut half[side], lane, h.to_array());
            write(&mut position[side], lane, p.to_array());
            write(&mut orientation[side], lane, q.to_array());
        }
        self.count += 1;
    }

    /// Works out what all pairs need. Afterwards `N` other pairs can be added, once nothing more is asked of these. B's face must beat A's by `face_margin`, as a fraction of
    /// the size.
    #[inline(always)]
    pub(crate) fn work_out<S: Simd>(&mut self, simd: S, face_margin: Real) {
        let Self { given, found, caches, count, .. } = self;
        for group in 0..count.div_ceil(S::F64_LANES) {
            let [pa, pb] = [vectors(simd, &given.position[0], group), vectors(simd, &given.position[1], group)];
            let [qa, qb] =
                [quaternions(simd, &given.orientation[0], group), quaternions(simd, &given.orientation[1], group)];
            // B's frame seen from A, as in `Pose::relative_to`
            let back = conjugate(qa);
            let t = turn(back, [pb[0] - pa[0], pb[1] - pa[1], pb[2] - pa[2]]);
            let q = product(back, qb);
            let r = axes(q);
            let tb = [dot(r[0], t), dot(r[1], t), dot(r[2], t)];
            put(t, &mut found.position, group);
            put(q, &mut found.orientation, group);
            put(r[0], &mut found.normals[3], group);
            put(r[1], &mut found.normals[4], group);
            put(r[2], &mut found.normals[5], group);
            put(tb, &mut found.tb, group);
            let (ha, hb) = (vectors(simd, &given.half[0], group), vectors(simd, &given.half[1], group));
            let pairs = Group { ha, hb, r, t, tb };
            found.separations.set(simd, group, &pairs, face_margin);
            let last = axis(simd, &pairs, Lanes::of(simd, &given.last, group));
            put(last, &mut found.last, group);
            dot(last, t).put(&mut found.along_last, group);
        }
        for (lane, &cache) in caches.iter().enumerate() {
            found.separations.set_last(lane, remembered_axis(cache));
        }
        *count = 0;
    }

    /// B's frame seen from A in a pair that is worked out.
    #[inline(always)]
    pub(crate) fn seen(&self, lane: usize) -> Pose {
        let [x, y, z, w] = read(&self.found.orientation, lane);
        Pose::new(vector(&self.found.position, lane), Quat::from_xyzw(x, y, z, w))
    }

    /// A pair that is worked out.
    #[inline(always)]
    pub(super) fn pair(&self, lane: usize) -> BoxPair {
        let Self { given, found, .. } = self;
        BoxPair {
            ha: vector(&given.half[0], lane),
            hb: vector(&given.half[1], lane),
            r: [vector(&found.normals[3], lane), vector(&found.normals[4], lane), vector(&found.normals[5], lane)],
            t: vector(&found.position, lane),
            tb: vector(&found.tb, lane),
        }
    }

    /// The axis of last time of a pair that had one, as in [`BoxPair::axis`], and how far along it B's middle is (m).
    #[inline(always)]
    pub(super) fn last_axis(&self, lane: usize) -> (Vec3, Real) {
        (vector(&self.found.last, lane), self.found.along_last[lane])
    }

    /// An axis of a pair that is worked out, as in [`BoxPair::axis`]; a face's is read by its number, since a branch on it would be mispredicted.
    #[inline(always)]
    pub(super) fn axis(&self, lane: usize, axis: usize) -> Vec3 {
        if axis < 6 { vector(&self.found.normals[axis], lane) } else { self.pair(lane).axis(axis) }
    }

    /// The same from A to B, as in [`BoxPair::direction`].
    #[inline(always)]
    pub(super) fn direction(&self, lane: usize, axis: usize) -> Vec3 {
        let n = self.axis(lane, axis);
        if n.dot(vector(&self.found.position, lane)) < 0.0 { -n } else { n }
    }

    /// Works out the gaps of this many pairs, for each of which an axis was chosen.
    #[inline(always)]
    pub(crate) fn answer(&mut self, count: usize) {
        widest(Answered { boxes: self, count });
    }

    /// Returns true if a pair's answer has been worked out; if not, the pair must be queried alone.
    #[inline(always)]
    pub(crate) fn is_answered(&self, lane: usize) -> bool {
        self.answers.is_settled(lane)
    }

    /// The answer of such a pair, and what to remember of it.
    #[inline(always)]
    pub(crate) fn answer_of(&self, lane: usize) -> (Gap, u32) {
        self.answers.gap(lane)
    }

    /// Storage of the chosen axes.
    #[inline(always)]
    pub(super) fn answers_mut(&mut self) -> &mut Answers<N> {
        &mut self.answers
    }

    /// The separations of all pairs that are worked out.
    #[inline(always)]
    pub(super) fn separations(&self) -> &Separations<N> {
        &self.found.separations
    }
}

/// Work to run on the widest registers.
struct Answered<'a, const N: usize> {
    boxes: &'a mut SideBySide<N>,
    count: usize,
}

impl<const N: usize> WithSimd for Answered<'_, N> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { boxes: SideBySide { given, found, answers, .. }, count } = self;
        for group in 0..count.div_ceil(S::F64_LANES) {
            let [.., r0, r1, r2] = &found.normals;
            let p = Group {
                ha: vectors(simd, &given.half[0], group),
                hb: vectors(simd, &given.half[1], group),
                r: [vectors(simd, r0, group), vectors(simd, r1, group), vectors(simd, r2, group)],
                t: vectors(simd, &found.position, group),
                tb: vectors(simd, &found.tb, group),
            };
            let positions = [vectors(simd, &given.position[0], group), vectors(simd, &given.position[1], group)];
            let orientation = quaternions(simd, &given.orientation[0], group);
            answers.work_out(simd, group, &p, (positions, orientation));
        }
    }
}

/// Two boxes alone, worked out.
#[inline(always)]
pub(super) fn alone(shapes: [&Cuboid; 2], poses: [&Pose; 2], cache: u32, face_margin: Real) -> SideBySide<1> {
    let mut pair = SideBySide::new();
    pair.add(shapes, poses, cache);
    pair.work_out(Scalar::new(), face_margin);
    pair
}

/// Axes with these numbers for a group of pairs, as in [`BoxPair::axis`].
#[inline(always)]
fn axis<S: Simd>(simd: S, p: &Group<S>, number: Lanes<S>) -> Vectors<S> {
    let (one, zero) = (Lanes::splat(simd, 1.0), Lanes::splat(simd, 0.0));
    let is_face = number.less(Lanes::splat(simd, 5.5));
    let (i, j) = Coordinate::of_axis(simd, number);
    let of_a = i.with([zero; 3], [one; 3]);
    let of_b = j.choose(p.r);
    let across = cross(of_a, of_b);
    let part = one / dot(across, across).sqrt();
    let face = select(number.less(Lanes::splat(simd, 2.5)), of_a, of_b);
    select(is_face, face, [across[0] * part, across[1] * part, across[2] * part])
}

#[inline(always)]
fn vector<const N: usize>(lanes: &[[Real; N]; 3], lane: usize) -> Vec3 {
    Vec3::from_array(read(lanes, lane))
}

#[cfg(test)]
mod tests {
    use super::super::least_depth;
    use super::*;
    use drystone_math::{Mat3, Registers};
    use drystone_testkit::Random;
    use pulp::Arch;

    struct WorkOut<'a, const N: usize>(&'a mut SideBySide<N>);

    impl<const N: usize> WithSimd for WorkOut<'_, N> {
        type Output = ();

        fn with_simd<S: Simd>(self, simd: S) {
            self.0.work_out(simd, 1e-14);
        }
    }

    /// The numbers of lanes that registers have here: one, those of 256 bits, and those of the widest available.
    #[derive(Debug, Clone, Copy)]
    enum Width {
        One,
        Some,
        Most,
    }

    impl Width {
        const ALL: [Self; 3] = [Self::One, Self::Some, Self::Most];

        fn run<W: WithSimd>(self, work: W) -> W::Output {
            match self {
                Self::One => Scalar::new().vectorize(work),
                Self::Some => Registers::new().dispatch(work),
                Self::Most => Arch::new().dispatch(work),
            }
        }
    }

    /// Two boxes with their poses and their cache.
    type Given = (Cuboid, Cuboid, Pose, Pose, u32);

    /// Boxes at random within a reach (m).
    fn eight(random: &mut Random, reach: Real) -> [Given; 8] {
        core::array::from_fn(|k| {
            let cube = |random: &mut Random| {
                Cuboid::new(Vec3::new(random.range(0.2, 0.6), random.range(0.2, 0.6), random.range(0.2, 0.6))).unwrap()
            };
            let pose =
                |random: &mut Random| Pose::new(random.direction() * random.range(0.1, reach), random.rotation());
            let (x, y, a, b) = (cube(random), cube(random), pose(random), pose(random));
            (x, y, a, b, k as u32 * 2)
        })
    }

    fn side_by_side(given: &[Given; 8], width: Width) -> SideBySide<8> {
        let mut boxes = SideBySide::new();
        for (x, y, a, b, cache) in given {
            boxes.add([x, y], [a, b], *cache);
        }
        width.run(WorkOut(&mut boxes));
        boxes
    }

    #[test]
    fn a_pair_among_others_has_the_bits_that_it_has_alone() {
        let given = eight(&mut Random::new(7), 1.0);
        for width in Width::ALL {
            let boxes = side_by_side(&given, width);
            for (lane, (x, y, a, b, cache)) in given.iter().enumerate() {
                let (p, pair) = (boxes.pair(lane), alone([x, y], [a, b], *cache, 1e-14));
                let (seen, m) = (b.relative_to(a), Mat3::from_quat(b.relative_to(a).orientation));
                assert_eq!((boxes.seen(lane), pair.seen(0)), (seen, seen));
                assert_eq!(p.r, [m.x_axis, m.y_axis, m.z_axis]);
                assert_eq!((p.t, p.tb), (seen.position, m.transpose() * seen.position));
                let (of_all, own) = (boxes.separations(), pair.separations());
                for axis in 0..15 {
                    assert_eq!(of_all.along(lane, axis).to_bits(), own.along(0, axis).to_bits());
                    assert_eq!(boxes.axis(lane, axis), p.axis(axis));
                    assert_eq!(boxes.direction(lane, axis), p.direction(axis));
                }
                assert_eq!(of_all.last(lane).to_bits(), own.last(0).to_bits());
                if let Some(last) = remembered_axis(*cache) {
                    assert_eq!(boxes.last_axis(lane), (p.axis(last), p.axis(last).dot(p.t)), "{width:?}");
                }
                assert_eq!(of_all.best_face(lane), own.best_face(0));
                assert_eq!(of_all.best_edges(lane), own.best_edges(0));
            }
        }
    }

    #[test]
    fn answers_have_the_bits_of_a_pair_alone_and_few_are_to_be_asked_alone() {
        let mut random = Random::new(11);
        let envelope = 0.1;
        let (mut answered, mut kinds) = ([0; 3], [0; 3]);
        for _ in 0..300 {
            let mut given = eight(&mut random, 1.2);
            // the cache from where they were a little earlier
            for (x, y, a, b, cache) in &mut given {
                *cache = 0;
                let earlier = Pose::new(a.position + random.vector(0.02), a.orientation);
                let _ = least_depth(x, &earlier, y, b, envelope, cache);
            }
            for (nth, width) in Width::ALL.into_iter().enumerate() {
                let mut boxes = side_by_side(&given, width);
                for (lane, (.., cache)) in given.iter().enumerate() {
                    if boxes.is_far(lane, envelope) {
                        boxes.choose_far(lane, *cache);
                    } else {
                        boxes.choose_near(lane, envelope, *cache);
                    }
                }
                width.run(Answered { boxes: &mut boxes, count: 8 });
                for (lane, (x, y, a, b, cache)) in given.iter().enumerate() {
                    let mut cache = *cache;
                    let gap = least_depth(x, a, y, b, envelope, &mut cache);
                    kinds[usize::from(gap.distance > 0.0) + usize::from(gap.distance > envelope)] += 1;
                    if boxes.is_answered(lane) {
                        answered[nth] += 1;
                        let (found, remembered) = boxes.answer_of(lane);
                        assert_eq!((format!("{found:?}"), remembered), (format!("{gap:?}"), cache), "{width:?}");
                    }
                }
            }
        }
        assert!(answered == [answered[0]; 3] && answered[0] > 2000, "{answered:?} of 2400");
        assert!(kinds.iter().all(|&n| n > 500), "{kinds:?}");
    }
}
