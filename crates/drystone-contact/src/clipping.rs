use crate::box_box::{EQUALLY_DEEP, FacePairs, alone};
use crate::candidate::Candidates;
use crate::closest_point::witness;
use crate::face_clip;
use crate::reduction::reduce;
use crate::reference::Reference;
use drystone_core::catalogue::Implementation;
use drystone_core::{
    ContactDetermination, ContactSeed, Manifold, PairBatch, PointHistory, PosedShape, Proximity, Relation,
    determine_edge, settings,
};
use drystone_geometry::Shape;
use drystone_math::{Real, Registers};
use pulp::{Simd, WithSimd};

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
        /// keep the deepest and the most widely spread points: as few as span the region to within 1 %
        reduce: bool = switch(true),
        /// the same for sample points, per normal direction
        reduce_samples: bool = switch(false),
    }
}

impl ClippingManifold {
    /// For catalogues.
    pub const DESCRIPTION: Implementation = Implementation {
        name: "clipping",
        summary: "clips the facing faces against each other; corners before edge crossings",
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
            self.take_over([a, b], proximity, seeds, envelope, manifold);
            return;
        }
        match (a.shape, b.shape) {
            (Shape::Sphere(_), _) | (_, Shape::Sphere(_)) => {
                // do not look for a face if only a point could lie over it
                if proximity.distance <= envelope {
                    manifold.points.push(witness(a, b, proximity));
                }
                return;
            }
            (Shape::Box(x), Shape::Box(y)) => {
                let mut pair = alone([x, y], [&a.pose, &b.pose], proximity.normal, envelope);
                self.place(&mut pair, 0, manifold);
                include_nearest(a, b, proximity, manifold);
            }
            _ => self.cut_features(a, b, proximity, envelope, manifold),
        }
        if manifold.points.is_empty() && proximity.distance <= envelope {
            self.meet_in_a_point(a, b, proximity, envelope, manifold);
        }
    }

    fn determine_batch(&self, batch: &mut PairBatch<'_>) {
        Registers::new().dispatch(Each { determination: self, batch });
    }
}

/// Features that meet may be shallower than the pair by this fraction of its depth; faces that meet lean by up to a tenth of a radian, which amounts to a
/// two-hundredth.
const SHALLOW: Real = 0.02;

/// Pairs of boxes whose faces are clipped side by side: as many as two of the widest registers hold.
const AT_ONCE: usize = 8;

/// A batch, compiled for whatever registers the processor has. Nothing is reordered or fused: the bits are the same on all of them.
struct Each<'a, 'b> {
    determination: &'a ClippingManifold,
    batch: &'a mut PairBatch<'b>,
}

impl WithSimd for Each<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { determination, batch } = self;
        // pairs of boxes go a few at a time, all others one by one; for a single pair, setting up room for more would be
        // wasted
        let together = batch.edges.len() > 1;
        let mut boxes: Option<FacePairs<AT_ONCE>> = None;
        let mut old = PointHistory::default();
        let (mut waiting, mut next) = ([0; AT_ONCE], 0);
        loop {
            let mut count = 0;
            while next < batch.edges.len() && count < AT_ONCE {
                let (at, edge) = (next, &mut batch.edges[next]);
                next += 1;
                if !edge.needs_points(batch.frames) {
                    continue;
                }
                let [a, b] = PosedShape::both(batch.configuration, batch.frames, edge.pair);
                if let (Shape::Box(x), Shape::Box(y), true) = (a.shape, b.shape, together && edge.seeds.is_empty()) {
                    waiting[count] = at;
                    count += 1;
                    // their room is set up only if there are any
                    let boxes = boxes.get_or_insert_with(FacePairs::new);
                    boxes.add([x, y], [&a.pose, &b.pose], edge.proximity.normal, batch.envelope + edge.reach);
                    continue;
                }
                determine_edge(determination, [a, b], batch.envelope, edge, &mut old);
            }
            let Some(boxes) = boxes.as_mut().filter(|_| count > 0) else { return };
            boxes.cut(simd);
            for (lane, &at) in waiting[..count].iter().enumerate() {
                let edge = &mut batch.edges[at];
                old.take(&edge.manifold);
                determination.place(boxes, lane, &mut edge.manifold);
                let envelope = batch.envelope + edge.reach;
                let [a, b] = PosedShape::both(batch.configuration, batch.frames, edge.pair);
                include_nearest(a, b, &edge.proximity, &mut edge.manifold);
                if edge.manifold.points.is_empty() && edge.proximity.distance <= envelope {
                    determination.meet_in_a_point(a, b, &edge.proximity, envelope, &mut edge.manifold);
                }
                edge.known = old.hand_on(&mut edge.manifold);
            }
        }
    }
}

/// True if points that are `deepest` (m) at most leave out the place where the pair is nearest, with lengths below `noise` (m).
fn lacks_nearest(deepest: Real, proximity: &Proximity, noise: Real) -> bool {
    deepest - proximity.distance > SHALLOW * proximity.distance.abs() + 100.0 * noise
}

/// Adds the witnesses of two boxes to the points of their faces, if these are shallower: a corner that is nearest may lie beside the face that it leans to.
#[inline(always)]
fn include_nearest(a: PosedShape<'_>, b: PosedShape<'_>, proximity: &Proximity, manifold: &mut Manifold) {
    let deepest = manifold.least_separation();
    if deepest.is_finite() && lacks_nearest(deepest, proximity, 0.0) {
        let size = a.shape.bounding_radius().min(b.shape.bounding_radius());
        if lacks_nearest(deepest, proximity, 1e-6 * size) {
            manifold.points.push(witness(a, b, proximity));
        }
    }
}

impl ClippingManifold {
    /// Replaces the points of a manifold by those of a pair of boxes whose faces are clipped.
    #[inline(always)]
    fn place<const N: usize>(self, boxes: &mut FacePairs<N>, lane: usize, manifold: &mut Manifold) {
        boxes.complete(lane);
        if self.reduce {
            boxes.reduce(lane);
        }
        boxes.fill(lane, manifold);
    }

    /// The witnesses of two shapes that meet in a point, and the points where their faces could meet within the look-ahead when they
    /// turn.
    fn meet_in_a_point(
        self,
        a: PosedShape<'_>,
        b: PosedShape<'_>,
        proximity: &Proximity,
        envelope: Real,
        manifold: &mut Manifold,
    ) {
        manifold.points.push(witness(a, b, proximity));
        let mut candidates = Candidates::new();
        let Some(reference) = face_clip::leaning(a, b, proximity, envelope, &mut candidates) else { return };
        self.keep(candidates, &reference, manifold);
    }

    /// The points of any other two shapes, if features of theirs meet along the normal.
    fn cut_features(
        self,
        a: PosedShape<'_>,
        b: PosedShape<'_>,
        proximity: &Proximity,
        envelope: Real,
        manifold: &mut Manifold,
    ) {
        let mut candidates = Candidates::new();
        let Some(reference) = face_clip::candidates(a, b, proximity, &mut candidates) else { return };
        let deepest = candidates.iter().map(|c| c.separation).fold(Real::INFINITY, Real::min);
        if !candidates.is_empty() && lacks_nearest(deepest, proximity, reference.noise) {
            candidates.push(reference.closest(a, b, proximity));
        }
        candidates.retain(|c| c.separation <= envelope);
        self.keep(candidates, &reference, manifold);
    }

    /// Adds candidates to a manifold, or the most important ones if there are more than four.
    fn keep(self, mut candidates: Candidates, reference: &Reference, manifold: &mut Manifold) {
        if self.reduce {
            reduce(&mut candidates, reference.normal, EQUALLY_DEEP * reference.noise);
        }
        reference.fill(candidates.iter().copied(), manifold);
    }
}
