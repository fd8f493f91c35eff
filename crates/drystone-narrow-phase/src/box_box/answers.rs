use super::FEATURES;
use super::crossing::Crossing;
use super::deepest::{Deepest, Faces};
use super::distance::{LEVEL as LEVEL_APART, Pairing};
use super::pairings::Pairings;
use super::query::{CLOSE, LEVEL};
use super::separations::Group;
use crate::gap::Gap;
use drystone_math::lanes::{Lanes, Quaternions, Vectors, any, dot, put, read, select, turn, vectors, write};
use drystone_math::{Real, Vec3};
use pulp::Simd;

/// The axis from which a pair's gap follows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Choice {
    /// Unit vector from A to B in A's frame.
    normal: Vec3,
    /// Separation along it (m).
    separation: Real,
    /// Its number: see [`super::frame::BoxPair`].
    axis: usize,
    /// Largest offset of points from each other along it, as a fraction of the size.
    beside: Real,
    kind: Kind,
    /// The features that were closest last time.
    pairing: Option<Pairing>,
}

/// The state of a pair of boxes, and its code in the lanes.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Overlapping = 0,
    Apart = 1,
    Far = 2,
}

impl Choice {
    /// An axis along which the boxes are further apart than the envelope.
    #[inline(always)]
    pub(super) fn far(normal: Vec3, separation: Real) -> Self {
        Self { normal, separation, axis: 0, beside: 0.0, kind: Kind::Far, pairing: None }
    }

    /// An axis along which they are apart, with the features that were closest last time.
    #[inline(always)]
    pub(super) fn apart(axis: usize, normal: Vec3, separation: Real, pairing: Option<Pairing>) -> Self {
        Self { normal, separation, axis, beside: Real::INFINITY, kind: Kind::Apart, pairing }
    }

    /// An axis along which they overlap, with how far beside each other points along it may be, as a fraction of the
    /// size.
    #[inline(always)]
    pub(super) fn overlapping(axis: usize, normal: Vec3, separation: Real, beside: Real) -> Self {
        Self { normal, separation, axis, beside, kind: Kind::Overlapping, pairing: None }
    }
}

/// The gaps of up to `N` pairs of boxes, worked out side by side once an axis has been chosen for each pair.
pub(super) struct Answers<const N: usize> {
    normal: [[Real; N]; 3],
    separation: [Real; N],
    axis: [Real; N],
    level: [Real; N],
    beside: [Real; N],
    kind: [Real; N],
    /// The features that were closest last time, for pairs that are apart.
    pairings: Pairings<N>,
    /// The cache of each pair.
    caches: [u32; N],
    gaps: Gaps<N>,
}

/// See [`Gap`].
struct Gaps<const N: usize> {
    distance: [Real; N],
    normal: [[Real; N]; 3],
    points: [[[Real; N]; 3]; 2],
    /// Features, by the bits of [`FEATURES`].
    features: [[u64; N]; 2],
    /// Non-zero if the rest is the answer.
    settled: [u64; N],
}

impl<const N: usize> Answers<N> {
    /// None yet.
    pub(super) const NONE: Self = {
        let none = [0.0; N];
        Self {
            normal: [[0.0; N]; 3],
            separation: none,
            axis: none,
            level: none,
            beside: [-1.0; N],
            kind: none,
            pairings: Pairings::NONE,
            caches: [0; N],
            gaps: Gaps {
                distance: none,
                normal: [none; 3],
                points: [[none; 3]; 2],
                features: [[0; N]; 2],
                settled: [0; N],
            },
        }
    };

    /// Notes the axis chosen for a pair, and what to remember of it afterwards.
    #[inline(always)]
    pub(super) fn choose(&mut self, lane: usize, choice: &Choice, cache: u32) {
        write(&mut self.normal, lane, choice.normal.to_array());
        self.separation[lane] = choice.separation;
        self.axis[lane] = choice.axis as Real;
        self.level[lane] = LEVEL;
        if let Kind::Apart = choice.kind {
            self.level[lane] = LEVEL_APART;
            self.pairings.note(lane, choice.pairing);
        }
        self.beside[lane] = choice.beside;
        self.kind[lane] = Real::from(choice.kind as u8);
        self.caches[lane] = cache;
    }

    /// Works out the gaps of a group of pairs, given the boxes, their positions in the world, and A's rotation.
    #[inline(always)]
    pub(super) fn work_out<S: Simd>(
        &mut self,
        simd: S,
        group: usize,
        p: &Group<S>,
        (positions, orientation): ([Vectors<S>; 2], Quaternions<S>),
    ) {
        let normal = vectors(simd, &self.normal, group);
        let separation = Lanes::of(simd, &self.separation, group);
        let kind = Lanes::of(simd, &self.kind, group);
        let (overlapping, far) = (kind.less(Lanes::splat(simd, 0.5)), Lanes::splat(simd, 1.5).less(kind));
        let apart = simd.not_m64s(simd.or_m64s(overlapping, far));
        let found = self.points(simd, group, (p, apart), (normal, separation));
        let [on_a, on_b] = found.points;

        // for boxes that are apart, the difference of the points gives it better, unless they are very close
        let d = [on_b[0] - on_a[0], on_b[1] - on_a[1], on_b[2] - on_a[2]];
        let length = dot(d, d).sqrt();
        let distance = length.where_else(apart, separation);
        let normal = select(apart, [d[0] / length, d[1] / length, d[2] / length], normal);
        let away = (Lanes::splat(simd, CLOSE) * p.size()).less(length);
        let near = found.off.at_most(Lanes::of(simd, &self.beside, group) * p.size());
        let known =
            simd.and_m64s(found.known, simd.or_m64s(simd.and_m64s(apart, away), simd.and_m64s(overlapping, near)));

        let gaps = &mut self.gaps;
        let none = simd.splat_u64s(0);
        let settled = simd.select_u64s(simd.or_m64s(far, known), simd.splat_u64s(1), none);
        S::as_mut_simd_u64s(&mut gaps.settled).0[group] = settled;
        distance.put(&mut gaps.distance, group);
        put(turn(orientation, normal), &mut gaps.normal, group);
        let features = carriers(simd, p, &found, overlapping);
        let placed = [placed(positions[0], orientation, on_a), placed(positions[0], orientation, on_b)];
        for k in 0..2 {
            S::as_mut_simd_u64s(&mut gaps.features[k]).0[group] = simd.select_u64s(far, none, features[k]);
            put(select(far, positions[k], placed[k]), &mut gaps.points[k], group);
        }
    }

    /// The points of a group of pairs, of which some are apart, given unit vectors along their axes in A's frame and the separations (m).
    #[inline(always)]
    fn points<S: Simd>(
        &self,
        simd: S,
        group: usize,
        (p, apart): (&Group<S>, S::m64s),
        (normal, separation): (Vectors<S>, Lanes<S>),
    ) -> Deepest<S> {
        let number = Lanes::of(simd, &self.axis, group);
        let level = Lanes::of(simd, &self.level, group);
        let mut found = Deepest::of(simd, p, &Faces { normal, separation, number, level });
        let is_face = number.less(Lanes::splat(simd, 5.5));
        // apart along a face's axis: the points attain the separation, otherwise others are closer
        let attained = simd.and_m64s(is_face, found.attained);
        let overlapping = simd.and_m64s(found.known, simd.not_m64s(apart));
        found.known = simd.or_m64s(simd.and_m64s(attained, apart), overlapping);
        let crossing = simd.and_m64s(simd.not_m64s(is_face), simd.not_m64s(apart));
        if any(simd, crossing) {
            let edges = Crossing::of(simd, p, (normal, separation), number);
            found = found.but_for(simd, crossing, (edges.points, edges.off, edges.known));
        }
        let closest = simd.and_m64s(apart, simd.not_m64s(attained));
        if any(simd, closest) {
            let (points, proven) = self.pairings.points(simd, group, p);
            let off = found.off;
            found = found.but_for(simd, closest, (points, off, proven));
        }
        found
    }

    /// Returns true if a pair's answer has been worked out.
    #[inline(always)]
    pub(super) fn is_settled(&self, lane: usize) -> bool {
        self.gaps.settled[lane] != 0
    }

    /// The answer of a pair, if it has been worked out, and what to remember of it.
    #[inline(always)]
    pub(super) fn gap(&self, lane: usize) -> (Gap, u32) {
        let Gaps { distance, normal, points, features, .. } = &self.gaps;
        let vector = |c: &[[Real; N]; 3]| Vec3::from_array(read(c, lane));
        let gap = Gap {
            feature_a: FEATURES[features[0][lane] as usize % FEATURES.len()],
            feature_b: FEATURES[features[1][lane] as usize % FEATURES.len()],
            ..Gap::smooth(distance[lane], vector(normal), vector(&points[0]), vector(&points[1]))
        };
        (gap, self.caches[lane])
    }
}

/// Points of A's frame in the world, given A's position and rotation.
#[inline(always)]
fn placed<S: Simd>(origin: Vectors<S>, orientation: Quaternions<S>, q: Vectors<S>) -> Vectors<S> {
    let way = turn(orientation, q);
    [origin[0] + way[0], origin[1] + way[1], origin[2] + way[2]]
}

/// The features that carry the points, by the bits of [`FEATURES`]: if the boxes overlap along a face's normal, that box's feature is the face.
#[inline(always)]
fn carriers<S: Simd>(simd: S, p: &Group<S>, found: &Deepest<S>, overlapping: S::m64s) -> [S::u64s; 2] {
    let [on_a, on_b] = found.points;
    let in_b = p.direction_in_b([on_b[0] - p.t[0], on_b[1] - p.t[1], on_b[2] - p.t[2]]);
    let (of_a, of_b) = (simd.and_m64s(overlapping, found.of_a), simd.and_m64s(overlapping, found.of_b));
    [
        simd.select_u64s(of_a, found.feature, feature(simd, on_a, p.ha)),
        simd.select_u64s(of_b, found.feature, feature(simd, in_b, p.hb)),
    ]
}

/// The feature of the box with half extents `h` that carries the surface point `q`, up to rounding.
#[inline(always)]
fn feature<S: Simd>(simd: S, q: Vectors<S>, h: Vectors<S>) -> S::u64s {
    let (zero, none) = (Lanes::splat(simd, 0.0), simd.splat_u64s(0));
    let grown = Lanes::splat(simd, 1.0 + 1e-12);
    let mut bits = none;
    for k in 0..3 {
        let q = q[k] * grown;
        let on = simd.select_u64s(h[k].at_most(q.abs()), simd.splat_u64s(1 << k), none);
        let minus = simd.select_u64s(q.less(zero), simd.splat_u64s(8 << k), none);
        bits = simd.or_u64s(bits, simd.or_u64s(on, minus));
    }
    bits
}
