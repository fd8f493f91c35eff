//! Two boxes: the face at which they meet, and the corners of its overlap with the face opposite it, for several pairs side by side.

mod axis;
mod corners;
mod face;
mod facing;

use crate::reference::Reference;
use corners::Corners;
use drystone_core::Manifold;
use drystone_geometry::Cuboid;
use drystone_math::lanes::{quaternions, read, vectors, write};
use drystone_math::{Mat3, Pose, Real, Vec3};
use face::{Face, Group};
use facing::Facing;
use pulp::{Scalar, Simd};

/// In units of the noise: points that are shallower than the deepest by no more than this count as equally deep when a
/// manifold is reduced. It is far above the differences that a solver leaves from step to step, so that the same points are
/// kept.
pub(crate) const EQUALLY_DEEP: Real = 100.0;

/// Up to `N` pairs of boxes whose faces are clipped side by side: they are stored coordinate by coordinate, so that one instruction handles several pairs. The result
/// for a pair depends neither on the others nor on `N`.
pub(crate) struct FacePairs<const N: usize> {
    given: Given<N>,
    faces: Faces<N>,
    corners: Corners<N>,
    count: usize,
}

/// Data of both boxes and the gap between them.
struct Given<const N: usize> {
    /// Half extents (m).
    half: [[[Real; N]; 3]; 2],
    position: [[[Real; N]; 3]; 2],
    orientation: [[[Real; N]; 4]; 2],
    /// From A to B in the world.
    normal: [[Real; N]; 3],
    /// Points further apart are left out (m).
    envelope: [Real; N],
}

/// The data of the reference box's face that are needed afterwards: see [`Face`].
struct Faces<const N: usize> {
    is_b: [u64; N],
    axis: [u64; N],
    sign: [Real; N],
    level: [Real; N],
    tolerance: [Real; N],
    noise: [Real; N],
    position: [[Real; N]; 3],
    axes: [[[Real; N]; 3]; 3],
}

impl<const N: usize> FacePairs<N> {
    /// No pair yet.
    #[inline(always)]
    pub(crate) fn new() -> Self {
        let none = [0.0; N];
        Self {
            given: Given {
                half: [[none; 3]; 2],
                position: [[none; 3]; 2],
                orientation: [[none; 4]; 2],
                normal: [none; 3],
                envelope: none,
            },
            faces: Faces {
                is_b: [0; N],
                axis: [0; N],
                sign: none,
                level: none,
                tolerance: none,
                noise: none,
                position: [none; 3],
                axes: [[none; 3]; 3],
            },
            corners: Corners::NONE,
            count: 0,
        }
    }

    /// Adds a pair with its normal, if there are fewer than `N`. Points further apart than `envelope` (m) are left out.
    #[inline(always)]
    pub(crate) fn add(&mut self, shapes: [&Cuboid; 2], poses: [&Pose; 2], normal: Vec3, envelope: Real) {
        let Self { given, count, .. } = self;
        for side in 0..2 {
            let (h, p, q) = (shapes[side].half_extents(), poses[side].position, poses[side].orientation);
            write(&mut given.half[side], *count, h.to_array());
            write(&mut given.position[side], *count, p.to_array());
            write(&mut given.orientation[side], *count, q.to_array());
        }
        write(&mut given.normal, *count, normal.to_array());
        given.envelope[*count] = envelope;
        *count += 1;
    }

    /// Clips the faces of all pairs. Afterwards `N` other pairs can be added, once nothing more is asked of these.
    #[inline(always)]
    pub(crate) fn cut<S: Simd>(&mut self, simd: S) {
        let Self { given: g, faces, corners, count } = self;
        for group in 0..count.div_ceil(S::F64_LANES) {
            let face = Face::of(
                simd,
                &Group {
                    half: [vectors(simd, &g.half[0], group), vectors(simd, &g.half[1], group)],
                    position: [vectors(simd, &g.position[0], group), vectors(simd, &g.position[1], group)],
                    orientation: [
                        quaternions(simd, &g.orientation[0], group),
                        quaternions(simd, &g.orientation[1], group),
                    ],
                    normal: vectors(simd, &g.normal, group),
                },
            );
            face.note(simd, faces, group);
            Facing::new(simd, &face).cut(&face, &g.envelope, (corners, group));
        }
        *count = 0;
    }

    /// Adds the crossings of a pair whose faces are clipped: with them all its corners are known.
    #[inline(always)]
    pub(crate) fn complete(&mut self, lane: usize) {
        self.corners.add_crossings(lane, self.faces.tolerance[lane], self.given.envelope[lane]);
    }

    /// Keeps the most important corners of a completed pair, if there are more than four.
    #[inline(always)]
    pub(crate) fn reduce(&mut self, lane: usize) {
        let Self { faces, corners, .. } = self;
        if corners.count(lane) > 4 {
            corners.reduce(lane, faces.sign[lane], EQUALLY_DEEP * faces.noise[lane]);
        }
    }

    /// Replaces the points of a manifold by the corners of a completed pair; there are none if no face meets the
    /// normal.
    #[inline(always)]
    pub(crate) fn fill(&self, lane: usize, manifold: &mut Manifold) {
        let Self { faces, corners, .. } = self;
        manifold.points.clear();
        let sign = faces.sign[lane];
        let axis = faces.axis[lane] as usize;
        let vector = |c: &[[Real; N]; 3]| Vec3::from_array(read(c, lane));
        let reference = Reference {
            is_b: faces.is_b[lane] != 0,
            normal: axis::placed([0.0, 0.0, sign], axis),
            on_edges: false,
            axes: Mat3::from_cols(vector(&faces.axes[0]), vector(&faces.axes[1]), vector(&faces.axes[2])),
            origin: vector(&faces.position),
            noise: faces.noise[lane],
        };
        reference.fill(corners.candidates(lane, axis, (sign, faces.level[lane])), manifold);
    }
}

/// Two boxes alone, with their faces clipped.
#[inline(always)]
pub(crate) fn alone(shapes: [&Cuboid; 2], poses: [&Pose; 2], normal: Vec3, envelope: Real) -> FacePairs<1> {
    let mut pair = FacePairs::new();
    pair.add(shapes, poses, normal, envelope);
    pair.cut(Scalar::new());
    pair
}
