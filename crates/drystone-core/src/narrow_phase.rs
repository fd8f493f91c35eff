use crate::{BodyIndex, BodyPair, Configuration, ContactSeed, Edge, EdgeAction, NarrowCache, Proximity};
use drystone_geometry::Shape;
use drystone_math::{Pose, Real};
use thiserror::Error;

/// A shape and where its body frame is.
#[derive(Debug, Clone, Copy)]
pub struct PosedShape<'a> {
    /// The shape.
    pub shape: &'a Shape,
    /// Body frame in the world.
    pub pose: Pose,
}

impl<'a> PosedShape<'a> {
    /// The posed shapes of a pair's bodies, given the body frames in column order.
    #[inline(always)]
    pub fn both(configuration: &'a Configuration, frames: &[Pose], pair: BodyPair) -> [Self; 2] {
        [Self::of(configuration, frames, pair.a), Self::of(configuration, frames, pair.b)]
    }

    /// A part of the shape as a shape of its own, with the frame of the part in that of the shape; a shape that is not a compound is its own part 0. `None` if there is no such part.
    pub fn part(&self, number: u32) -> Option<(PosedShape<'a>, Pose)> {
        match self.shape {
            Shape::Compound(compound) => {
                let (shape, place) = compound.parts().get(number as usize)?;
                Some((PosedShape { shape, pose: self.pose * *place }, *place))
            }
            _ => (number == 0).then_some((*self, Pose::IDENTITY)),
        }
    }

    /// The posed shape of a body, given the body frames in column order.
    #[inline(always)]
    pub(crate) fn of(configuration: &'a Configuration, frames: &[Pose], body: BodyIndex) -> Self {
        Self { shape: &configuration.body(body).shape, pose: frames[body.at()] }
    }
}

/// A narrow phase was asked about a pair of shapes it has no algorithm for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("narrow phase '{narrow_phase}' does not take the pair {shape_a} - {shape_b}")]
pub struct UnsupportedPair {
    /// Its name.
    pub narrow_phase: &'static str,
    /// Kind of shape A.
    pub shape_a: &'static str,
    /// Kind of shape B.
    pub shape_b: &'static str,
}

/// A part of the contact graph's edges, with what is needed to test them.
pub struct PairBatch<'a> {
    /// Shapes.
    pub configuration: &'a Configuration,
    /// Body frames in the world, in column order.
    pub frames: &'a [Pose],
    /// Pairs within this distance are touching (m); an edge's reach is added to it.
    pub envelope: Real,
    /// The edges; those whose action is [`EdgeAction::Test`] are to be tested.
    pub edges: &'a mut [Edge],
}

/// The exact test of a pair. It sees only shapes and poses, never masses.
///
/// # Contract
/// Finite input gives finite output. `normal` is a unit vector from A to B. If the shapes are apart, `distance` is the Euclidean distance; if they overlap,
/// `-distance` is a length by which moving B along the normal parts them. Swapping the bodies swaps the answer.
///
/// Up to the envelope each witness lies on the surface of its own shape (for a compound: of one of its parts), and the two are the signed distance apart along
/// the normal. They are opposite each other, `witness_a + distance * normal = witness_b`, if the shapes touch once B has moved by the depth: that point of both
/// is then the witness. Two kinds of algorithm may give a larger depth than that: a rule that takes a longer way out than necessary, along which the shapes are
/// apart before; and one that looks at samples, whose depth is that of the deepest sample. Their witnesses may be beside each other. Beyond the envelope
/// witnesses mean nothing.
pub trait NarrowPhase: Send + Sync {
    /// The name in scene files and in `drystone query`.
    fn name(&self) -> &'static str;

    /// Returns true if it has an algorithm for the pair.
    fn supports(&self, a: &Shape, b: &Shape) -> bool;

    /// Tests one pair. `envelope` (m) tells touching from separated; beyond it the distance may be a lower bound.
    /// `cache` is what it left for this pair in the last call, zeros at first. `seeds` is emptied, and filled only by
    /// algorithms that find contact points themselves.
    ///
    /// # Errors
    /// [`UnsupportedPair`].
    fn query(
        &self,
        a: PosedShape<'_>,
        b: PosedShape<'_>,
        envelope: Real,
        cache: &mut NarrowCache,
        seeds: &mut Vec<ContactSeed>,
    ) -> Result<Proximity, UnsupportedPair>;

    /// Tests all edges of a batch that ask for it, and stops at the first pair it does not take. An algorithm that handles all overlaps at once does so here (H-15);
    /// [`query_each`] goes pair by pair.
    ///
    /// # Errors
    /// [`UnsupportedPair`].
    fn query_batch(&self, batch: &mut PairBatch<'_>) -> Result<(), UnsupportedPair> {
        query_each(self, batch)
    }
}

/// Tests the edges of a batch one by one. Inlined, so that it is compiled for the same registers as its caller.
///
/// # Errors
/// [`UnsupportedPair`].
#[inline(always)]
pub fn query_each<N: NarrowPhase + ?Sized>(narrow_phase: &N, batch: &mut PairBatch<'_>) -> Result<(), UnsupportedPair> {
    for edge in batch.edges.iter_mut().filter(|e| e.action == EdgeAction::Test) {
        let shapes = PosedShape::both(batch.configuration, batch.frames, edge.pair);
        query_edge(narrow_phase, shapes, batch.envelope, edge)?;
    }
    Ok(())
}

/// Tests one edge whose shapes are at hand; `envelope` (m) is that of the batch. Inlined likewise.
///
/// # Errors
/// [`UnsupportedPair`].
#[inline(always)]
pub fn query_edge<N: NarrowPhase + ?Sized>(
    narrow_phase: &N,
    [a, b]: [PosedShape<'_>; 2],
    envelope: Real,
    edge: &mut Edge,
) -> Result<(), UnsupportedPair> {
    let (tested_at, searched) = (b.pose.relative_to(&a.pose), envelope + edge.reach);
    edge.proximity = narrow_phase.query(a, b, searched, &mut edge.cache, &mut edge.seeds)?;
    edge.note_test(tested_at, searched);
    Ok(())
}
