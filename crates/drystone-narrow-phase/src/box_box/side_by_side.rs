use super::frame::BoxPair;
use super::query::remembered_axis;
use super::separations::{Group, Separations};
use drystone_geometry::Cuboid;
use drystone_math::lanes::{axes, conjugate, dot, product, put, quaternions, read, turn, vectors, write};
use drystone_math::{Pose, Quat, Real, Vec3};
use pulp::{Scalar, Simd};

/// Up to `N` pairs of boxes whose poses seen from each other and separations are worked out side by side: they stand coordinate by coordinate, so that one instruction does
/// the same for several of them. What is found of a pair does not depend on the others, nor on `N`.
pub(crate) struct SideBySide<const N: usize> {
    given: Given<N>,
    found: Found<N>,
    /// What each pair has in its cache.
    caches: [u32; N],
    count: usize,
}

/// Half extents (m) and placements of both boxes.
struct Given<const N: usize> {
    half: [[[Real; N]; 3]; 2],
    position: [[[Real; N]; 3]; 2],
    orientation: [[[Real; N]; 4]; 2],
}

/// What follows from them: B's frame seen from A, B's axes and its middle in these, the separations.
struct Found<const N: usize> {
    position: [[Real; N]; 3],
    orientation: [[Real; N]; 4],
    r: [[[Real; N]; 3]; 3],
    tb: [[Real; N]; 3],
    separations: Separations<N>,
}

impl<const N: usize> SideBySide<N> {
    /// No pair yet.
    #[inline(always)]
    pub(crate) fn new() -> Self {
        let none = [0.0; N];
        Self {
            given: Given { half: [[none; 3]; 2], position: [[none; 3]; 2], orientation: [[none; 4]; 2] },
            found: Found {
                position: [none; 3],
                orientation: [none; 4],
                r: [[none; 3]; 3],
                tb: [none; 3],
                separations: Separations::UNKNOWN,
            },
            caches: [0; N],
            count: 0,
        }
    }

    /// Adds a pair with its cache, where there are fewer than `N`.
    #[inline(always)]
    pub(crate) fn add(&mut self, shapes: [&Cuboid; 2], poses: [&Pose; 2], cache: u32) {
        let lane = self.count;
        self.caches[lane] = cache;
        let Given { half, position, orientation } = &mut self.given;
        for side in 0..2 {
            let (h, p, q) = (shapes[side].half_extents(), poses[side].position, poses[side].orientation);
            write(&mut half[side], lane, h.to_array());
            write(&mut position[side], lane, p.to_array());
            write(&mut orientation[side], lane, q.to_array());
        }
        self.count += 1;
    }

    /// Works out what is asked of all pairs; then there is room for `N` others, as soon as nothing is asked of these any more. By `face_margin`, as a part of the size, B's face
    /// must beat A's.
    #[inline(always)]
    pub(crate) fn work_out<S: Simd>(&mut self, simd: S, face_margin: Real) {
        let Self { given, found, caches, count } = self;
        for group in 0..count.div_ceil(S::F64_LANES) {
            let [pa, pb] = [vectors(simd, &given.position[0], group), vectors(simd, &given.position[1], group)];
            let [qa, qb] =
                [quaternions(simd, &given.orientation[0], group), quaternions(simd, &given.orientation[1], group)];
            // B's frame seen from A, as `Pose::relative_to` has it
            let back = conjugate(qa);
            let t = turn(back, [pb[0] - pa[0], pb[1] - pa[1], pb[2] - pa[2]]);
            let q = product(back, qb);
            let r = axes(q);
            let tb = [dot(r[0], t), dot(r[1], t), dot(r[2], t)];
            put(t, &mut found.position, group);
            put(q, &mut found.orientation, group);
            put(r[0], &mut found.r[0], group);
            put(r[1], &mut found.r[1], group);
            put(r[2], &mut found.r[2], group);
            put(tb, &mut found.tb, group);
            let (ha, hb) = (vectors(simd, &given.half[0], group), vectors(simd, &given.half[1], group));
            found.separations.set(simd, group, &Group { ha, hb, r, t, tb }, face_margin);
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
            r: [vector(&found.r[0], lane), vector(&found.r[1], lane), vector(&found.r[2], lane)],
            t: vector(&found.position, lane),
            tb: vector(&found.tb, lane),
        }
    }

    /// The separations of all pairs that are worked out.
    #[inline(always)]
    pub(super) fn separations(&self) -> &Separations<N> {
        &self.found.separations
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

#[inline(always)]
fn vector<const N: usize>(lanes: &[[Real; N]; 3], lane: usize) -> Vec3 {
    Vec3::from_array(read(lanes, lane))
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_math::Mat3;
    use drystone_testkit::Random;
    use pulp::{Arch, WithSimd};

    struct WorkOut<'a, const N: usize>(&'a mut SideBySide<N>);

    impl<const N: usize> WithSimd for WorkOut<'_, N> {
        type Output = ();

        fn with_simd<S: Simd>(self, simd: S) {
            self.0.work_out(simd, 1e-14);
        }
    }

    #[test]
    fn a_pair_among_others_has_the_bits_that_it_has_alone() {
        let mut random = Random::new(7);
        let mut boxes = SideBySide::<8>::new();
        let mut given = Vec::new();
        for _ in 0..8 {
            let cube = |random: &mut Random| {
                Cuboid::new(Vec3::new(random.range(0.2, 0.6), random.range(0.2, 0.6), random.range(0.2, 0.6))).unwrap()
            };
            let pose = |random: &mut Random| Pose::new(random.direction() * random.range(0.1, 1.0), random.rotation());
            let (x, y, a, b) = (cube(&mut random), cube(&mut random), pose(&mut random), pose(&mut random));
            let cache = given.len() as u32 * 2;
            boxes.add([&x, &y], [&a, &b], cache);
            given.push((x, y, a, b, cache));
        }
        Arch::new().dispatch(WorkOut(&mut boxes));
        for (lane, (x, y, a, b, cache)) in given.iter().enumerate() {
            let (p, pair) = (boxes.pair(lane), alone([x, y], [a, b], *cache, 1e-14));
            let (seen, m) = (b.relative_to(a), Mat3::from_quat(b.relative_to(a).orientation));
            assert_eq!((boxes.seen(lane), pair.seen(0)), (seen, seen));
            assert_eq!(p.r, [m.x_axis, m.y_axis, m.z_axis]);
            assert_eq!((p.t, p.tb), (seen.position, m.transpose() * seen.position));
            let (of_all, own) = (boxes.separations(), pair.separations());
            for axis in 0..15 {
                assert_eq!(of_all.along(lane, axis).to_bits(), own.along(0, axis).to_bits());
            }
            assert_eq!(of_all.last(lane).to_bits(), own.last(0).to_bits());
            assert_eq!(of_all.best_face(lane), own.best_face(0));
            assert_eq!(of_all.best_edges(lane), own.best_edges(0));
        }
    }
}
