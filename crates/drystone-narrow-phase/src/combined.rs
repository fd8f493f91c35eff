use crate::box_box::{self, SideBySide};
use crate::gap::Gap;
use crate::primitives::unsupported;
use crate::single_pair::simple;
use crate::{compounds, round_pairs};
use drystone_core::catalogue::{Implementation, Settings};
use drystone_core::{
    ContactSeed, Edge, EdgeAction, NarrowCache, NarrowPhase, PairBatch, PosedShape, Proximity, UnsupportedPair,
    query_edge,
};
use drystone_geometry::Shape;
use drystone_math::{Real, Registers};
use pulp::{Simd, WithSimd};

/// Any two shapes except two planes, each pair by the algorithm that suits it: closed forms, GJK with the expanding polytope
/// for other convex pairs, clipped triangles for a mesh and a convex shape (a mesh without a map that is its own hull counts as a
/// polyhedron), sample points for two meshes, in signed distance maps if they have them, as for a mapped mesh and any shape but a capsule, compounds part by part.
#[derive(Debug, Clone, Copy, Default)]
pub struct Combined;

impl Combined {
    /// For catalogues.
    pub const DESCRIPTION: Implementation = Implementation {
        name: "combined",
        summary: "every pair by the algorithm that suits it: primitives, gjk-epa, triangles of meshes clipped (samples if there are maps, or two meshes), compounds by parts; takes any two shapes except two planes",
        source: "",
        parameters: &[],
    };

    /// There is nothing to set.
    pub fn from_settings(_: &Settings) -> Self {
        Self
    }
}

impl NarrowPhase for Combined {
    fn name(&self) -> &'static str {
        Self::DESCRIPTION.name
    }

    fn supports(&self, a: &Shape, b: &Shape) -> bool {
        !(matches!(a, Shape::Plane(_)) && matches!(b, Shape::Plane(_)))
    }

    #[inline(always)]
    fn query(
        &self,
        a: PosedShape<'_>,
        b: PosedShape<'_>,
        envelope: Real,
        cache: &mut NarrowCache,
        seeds: &mut Vec<ContactSeed>,
    ) -> Result<Proximity, UnsupportedPair> {
        seeds.clear();
        // the most common pairs first, decided without looking further
        match (a.shape, b.shape) {
            (Shape::Box(x), Shape::Box(y)) => {
                return Ok(box_box::least_depth(x, &a.pose, y, &b.pose, envelope, &mut cache[0]).proximity(envelope));
            }
            (Shape::Sphere(x), Shape::Sphere(y)) => {
                return Ok(round_pairs::sphere_sphere(*x, &a.pose, *y, &b.pose).proximity(envelope));
            }
            _ => {}
        }
        let compound = |s: &Shape| matches!(s, Shape::Compound(_));
        let gap = if !self.supports(a.shape, b.shape) {
            None
        } else if compound(a.shape) || compound(b.shape) {
            compounds::nearest_parts(a, b, envelope, cache, seeds)
        } else {
            simple(a, b, envelope, cache, seeds)
        };
        Ok(gap.ok_or_else(|| unsupported(self.name(), a.shape, b.shape))?.proximity(envelope))
    }

    fn query_batch(&self, batch: &mut PairBatch<'_>) -> Result<(), UnsupportedPair> {
        Registers::new().dispatch(Each { narrow_phase: self, batch })
    }
}

/// Pairs of boxes that are measured side by side: as many as two of the widest registers hold.
const AT_ONCE: usize = 8;

/// A batch, compiled for whatever registers the processor has. Nothing is reordered or fused: the bits are the same on all of them.
struct Each<'a, 'b> {
    narrow_phase: &'a Combined,
    batch: &'a mut PairBatch<'b>,
}

impl WithSimd for Each<'_, '_> {
    type Output = Result<(), UnsupportedPair>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Self::Output {
        // pairs of boxes go a few at a time, all others one by one; for a single pair, setting up room for more would be
        // wasted
        let Self { narrow_phase, batch } = self;
        let together = batch.edges.len() > 1;
        let mut boxes: Option<SideBySide<AT_ONCE>> = None;
        let (mut waiting, mut count) = ([0; AT_ONCE], 0);
        let (mut outcome, mut next) = (Ok(()), 0);
        loop {
            while next < batch.edges.len() && count < AT_ONCE {
                let (at, edge) = (next, &mut batch.edges[next]);
                next += 1;
                if edge.action != EdgeAction::Test {
                    continue;
                }
                let [a, b] = PosedShape::both(batch.configuration, batch.frames, edge.pair);
                if let (Shape::Box(x), Shape::Box(y), true) = (a.shape, b.shape, together) {
                    waiting[count] = at;
                    count += 1;
                    // their room is set up only if there are any
                    let boxes = boxes.get_or_insert_with(SideBySide::new);
                    boxes.add([x, y], [&a.pose, &b.pose], edge.cache[0]);
                    continue;
                }
                outcome = query_edge(narrow_phase, [a, b], batch.envelope, edge);
                if outcome.is_err() {
                    next = batch.edges.len();
                }
            }
            let Some(boxes) = boxes.as_mut().filter(|_| count > 0) else { return outcome };
            boxes.measure();
            judge(boxes, &waiting[..count], batch);
            count = 0;
        }
    }
}

/// Tests the measured pairs of boxes, given the places of their edges. Which pairs are far apart is unpredictable for a branch, so it is determined for all of them before
/// it is used; the same goes for which answers could not be found side by side.
#[inline(always)]
fn judge(boxes: &mut SideBySide<AT_ONCE>, waiting: &[usize], batch: &mut PairBatch<'_>) {
    let PairBatch { frames, envelope, edges, .. } = batch;
    let (mut far, mut near) = (0_u32, 0_u32);
    for (lane, &at) in waiting.iter().enumerate() {
        let is_far = boxes.is_far(lane, *envelope + edges[at].reach);
        far |= u32::from(is_far) << lane;
        near |= u32::from(!is_far) << lane;
    }
    while let Some(lane) = next(&mut far) {
        boxes.choose_far(lane, edges[waiting[lane]].cache[0]);
    }
    while let Some(lane) = next(&mut near) {
        let edge = &edges[waiting[lane]];
        boxes.choose_near(lane, *envelope + edge.reach, edge.cache[0]);
    }
    boxes.answer(waiting.len());
    let (mut answered, mut alone) = (0_u32, 0_u32);
    for lane in 0..waiting.len() {
        let is_answered = boxes.is_answered(lane);
        answered |= u32::from(is_answered) << lane;
        alone |= u32::from(!is_answered) << lane;
    }
    while let Some(lane) = next(&mut answered) {
        let edge = &mut edges[waiting[lane]];
        let (gap, cache) = boxes.answer_of(lane);
        edge.cache[0] = cache;
        note(boxes, lane, gap, *envelope, edge);
    }
    while let Some(lane) = next(&mut alone) {
        let edge = &mut edges[waiting[lane]];
        let poses = (&frames[edge.pair.a.at()], &frames[edge.pair.b.at()]);
        let gap = boxes.near(lane, poses, *envelope + edge.reach, &mut edge.cache[0]);
        note(boxes, lane, gap, *envelope, edge);
    }
}

/// Takes the lowest bit that is set.
#[inline(always)]
fn next(bits: &mut u32) -> Option<usize> {
    let lowest = bits.trailing_zeros() as usize;
    let any = *bits != 0;
    *bits &= bits.wrapping_sub(1);
    any.then_some(lowest)
}

/// Notes the result for a pair of boxes.
#[inline(always)]
fn note(boxes: &SideBySide<AT_ONCE>, lane: usize, gap: Gap, envelope: Real, edge: &mut Edge) {
    let searched = envelope + edge.reach;
    edge.seeds.clear();
    edge.proximity = gap.proximity(searched);
    edge.note_test(boxes.seen(lane), searched);
}
