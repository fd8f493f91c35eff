use crate::box_box::Face;
use crate::candidate::Candidates;
use crate::closest_point::{owner_of, witness};
use crate::corners::places;
use crate::face_clip;
use crate::facing::Facing;
use crate::reduction::{reduce_samples, reduce_to_four};
use drystone_core::catalogue::Implementation;
use drystone_core::{
    ContactDetermination, ContactPoint, ContactSeed, Manifold, PairBatch, PosedShape, Proximity, Relation,
    determine_each, settings,
};
use drystone_geometry::{Cuboid, Shape};
use drystone_math::{Pose, Real};
use pulp::{Arch, Simd, WithSimd};

/// In units of the noise: points less deep than the deepest by no more count as equally deep when a manifold is reduced. Far
/// above what a solver leaves between them from step to step, so that the same ones are kept.
const EQUALLY_DEEP: Real = 100.0;

settings! {
    /// Cuts the faces of the two shapes that meet against each other, and keeps the corners of what both cover.
    ///
    /// Two boxes go by the improved method of thesis 6.3: corners first, then crossings of edges whose ends are not
    /// contacts already. Any other convex pair, whatever narrow phase found its normal, by the support features along the
    /// normal. Points that the narrow phase found itself are taken over.
    ///
    /// # Source
    /// K-03, K-04 (Baraff), K-05, K-09, K-11, K-13, K-15; thesis 6.3.
    #[derive(Debug, Clone, Copy)]
    pub struct ClippingManifold {
        /// keep at most four points: the deepest and the widest
        reduce: bool = switch(true),
        /// of points found by samples, keep at most four a direction
        reduce_samples: bool = switch(false),
    }
}

impl ClippingManifold {
    /// For catalogues.
    pub const DESCRIPTION: Implementation = Implementation {
        name: "clipping",
        summary: "cuts the faces that meet against each other; corners before crossings",
        source: "Erleben 2005, section 6.3; Baraff 1989",
        parameters: Self::PARAMETERS,
    };
}

impl ContactDetermination for ClippingManifold {
    fn name(&self) -> &'static str {
        Self::DESCRIPTION.name
    }

    #[inline(always)]
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
        let found = match (a.shape, b.shape) {
            (Shape::Sphere(_), _) | (_, Shape::Sphere(_)) => false,
            (Shape::Box(x), Shape::Box(y)) => self.cut_boxes([x, y], [a.pose, b.pose], proximity, envelope, manifold),
            _ => self.cut_features(a, b, proximity, envelope, manifold),
        };
        if !found && proximity.distance <= envelope {
            manifold.points.push(witness(a, b, proximity));
        }
    }

    fn determine_batch(&self, batch: &mut PairBatch<'_>) {
        Arch::new().dispatch(Each { determination: self, batch });
    }
}

/// A batch, to be compiled for whatever registers the processor has. Nothing is reordered or fused: the bits are the same on all of them.
struct Each<'a, 'b> {
    determination: &'a ClippingManifold,
    batch: &'a mut PairBatch<'b>,
}

impl WithSimd for Each<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        determine_each(self.determination, self.batch);
    }
}

impl ClippingManifold {
    /// The points of two boxes, if a face meets the normal.
    #[inline(always)]
    fn cut_boxes(
        self,
        shapes: [&Cuboid; 2],
        poses: [Pose; 2],
        proximity: &Proximity,
        envelope: Real,
        manifold: &mut Manifold,
    ) -> bool {
        let Some(face) = Face::of(shapes, poses, proximity) else { return false };
        let facing = Facing::new(&face);
        let (half, tolerance) = (face.half, face.tolerance);
        // two calls: what one gave back after it had written on it would be copied
        let mut corners = facing.over(half, tolerance, envelope);
        facing.complete(half, tolerance, envelope, &mut corners);
        if self.reduce && corners.kept.count_ones() > 4 {
            corners.reduce_to_four(face.normal(), EQUALLY_DEEP * face.reference.noise);
        }
        face.reference.fill(places(corners.kept).map(|place| face.placed(&corners, place)), manifold);
        corners.kept != 0
    }

    /// The points of any other two shapes, if features of theirs meet along the normal.
    fn cut_features(
        self,
        a: PosedShape<'_>,
        b: PosedShape<'_>,
        proximity: &Proximity,
        envelope: Real,
        manifold: &mut Manifold,
    ) -> bool {
        let mut candidates = Candidates::new();
        let Some(reference) = face_clip::candidates(a, b, proximity, &mut candidates) else { return false };
        candidates.retain(|c| c.separation <= envelope);
        if self.reduce {
            reduce_to_four(&mut candidates, reference.normal, EQUALLY_DEEP * reference.noise);
        }
        reference.fill(candidates.iter().copied(), manifold);
        !candidates.is_empty()
    }
}
