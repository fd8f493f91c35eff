use crate::{ContactHistory, ContactSeed, Edge, EdgeAction, Manifold, PairBatch, PosedShape, Proximity, Relation};
use drystone_geometry::Shape;
use drystone_math::{Pose, Real};
use smallvec::SmallVec;

/// From proximity to contact points.
///
/// # Contract
/// Points carry unit normals from A to B and finite numbers; their keys are distinct within a manifold and stay the
/// same while the same features meet. A separated pair gives no point. Multipliers are zero: the caller carries the old ones over by key.
pub trait ContactDetermination: Send + Sync {
    /// The name in scene files.
    fn name(&self) -> &'static str;

    /// Replaces the manifold's points by those of the pair; points further apart than `envelope` (m) are left out.
    fn determine(
        &self,
        a: PosedShape<'_>,
        b: PosedShape<'_>,
        proximity: &Proximity,
        seeds: &[ContactSeed],
        envelope: Real,
        manifold: &mut Manifold,
    );

    /// Contacts of a shape that it does not cover, in a word or two: a run goes on as if it were not there, and whoever shows the run should say so.
    fn leaves_out(&self, _shape: &Shape) -> Option<&'static str> {
        None
    }

    /// Brings the manifolds of a batch up to date: new points for tested edges, refreshed separations for reused ones. [`determine_each`] does it edge by edge.
    fn determine_batch(&self, batch: &mut PairBatch<'_>) {
        determine_each(self, batch);
    }
}

/// Brings the manifolds of a batch up to date one by one. Inlined, so that it is compiled for the same registers as its caller.
#[inline(always)]
pub fn determine_each<D: ContactDetermination + ?Sized>(determination: &D, batch: &mut PairBatch<'_>) {
    let mut old = PointHistory::default();
    for edge in &mut *batch.edges {
        if edge.needs_points(batch.frames) {
            let shapes = PosedShape::both(batch.configuration, batch.frames, edge.pair);
            determine_edge(determination, shapes, batch.envelope, edge, &mut old);
        }
    }
}

/// Makes the points of one edge of a batch that needs them, given its bodies and the batch's envelope (m). They adopt the multipliers of the old points.
#[inline(always)]
pub fn determine_edge<D: ContactDetermination + ?Sized>(
    determination: &D,
    [a, b]: [PosedShape<'_>; 2],
    envelope: Real,
    edge: &mut Edge,
    old: &mut PointHistory,
) {
    old.take(&edge.manifold);
    determination.determine(a, b, &edge.proximity, &edge.seeds, envelope + edge.reach, &mut edge.manifold);
    edge.known = old.hand_on(&mut edge.manifold);
}

impl Edge {
    /// Returns true if a batch must compute points for this edge, given the body frames in column order. If not, this
    /// call has brought its points up to date, or there are none.
    #[inline(always)]
    pub fn needs_points(&mut self, frames: &[Pose]) -> bool {
        if !self.overlapping {
            return false;
        }
        match self.action {
            EdgeAction::Skip => {}
            EdgeAction::Reuse => {
                if !self.fresh {
                    self.manifold.refresh(&frames[self.pair.a.at()], &frames[self.pair.b.at()]);
                }
                self.known = true;
            }
            EdgeAction::Test if self.proximity.relation == Relation::Separated => {
                self.manifold.points.clear();
                self.known = false;
            }
            EdgeAction::Test => return true,
        }
        false
    }
}

/// Contact data of the previous frame at the points of an edge. Each edge keeps its own buffer of points; one history
/// serves the edges of a batch one after the other.
#[derive(Debug, Default)]
pub struct PointHistory {
    /// As many as any edge had.
    old: SmallVec<[ContactHistory; 16]>,
    count: usize,
}

impl PointHistory {
    /// Takes the history of the points of a manifold.
    #[inline(always)]
    pub fn take(&mut self, manifold: &Manifold) {
        self.count = manifold.points.len();
        if self.old.len() < self.count {
            self.old.resize(self.count, ContactHistory::NONE);
        }
        // part by part: a history as a whole would be put together first and copied then
        for (old, p) in self.old.iter_mut().zip(&manifold.points) {
            old.take(p);
        }
    }

    /// Gives the new points of the manifold the multipliers of the old points with the same key. Returns whether the deepest one was there before.
    #[inline(always)]
    pub fn hand_on(&self, manifold: &mut Manifold) -> bool {
        manifold.adopt_impulses(&self.old[..self.count])
    }
}
