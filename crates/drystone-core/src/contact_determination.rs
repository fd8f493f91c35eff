use crate::{ContactHistory, ContactSeed, EdgeAction, Manifold, PairBatch, PosedShape, Proximity, Relation};
use drystone_math::Real;
use smallvec::SmallVec;

/// From proximity to contact points.
///
/// # Contract
/// Points carry unit normals from A to B and finite numbers; their keys are distinct within a manifold and stay the
/// same while the same features meet. A separated pair gives no point. Multipliers are zero: the caller hands on the
/// old ones by key.
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

    /// Brings the manifolds of a batch up to date: new points for tested edges, refreshed separations for reused ones. [`determine_each`] does it edge by edge.
    fn determine_batch(&self, batch: &mut PairBatch<'_>) {
        determine_each(self, batch);
    }
}

/// Brings the manifolds of a batch up to date one by one; part of its caller, so that it is compiled for whatever registers that is compiled for.
#[inline(always)]
pub fn determine_each<D: ContactDetermination + ?Sized>(determination: &D, batch: &mut PairBatch<'_>) {
    // what the frame before left at the points: each edge keeps its own buffer
    let mut old = SmallVec::<[ContactHistory; 16]>::new();
    for edge in batch.edges.iter_mut().filter(|e| e.overlapping) {
        let (a, b) = (edge.pair.a, edge.pair.b);
        match edge.action {
            EdgeAction::Skip => {}
            EdgeAction::Reuse => {
                if !edge.fresh {
                    edge.manifold.refresh(&batch.frames[a.at()], &batch.frames[b.at()]);
                }
                edge.known = true;
            }
            EdgeAction::Test if edge.proximity.relation == Relation::Separated => {
                edge.manifold.points.clear();
                edge.known = false;
            }
            EdgeAction::Test => {
                let before = edge.manifold.points.len();
                if old.len() < before {
                    old.resize(before, ContactHistory::NONE);
                }
                // part by part: a history as a whole would be put together first and copied then
                for (old, p) in old.iter_mut().zip(&edge.manifold.points) {
                    old.take(p);
                }
                determination.determine(
                    PosedShape::of(batch.configuration, batch.frames, a),
                    PosedShape::of(batch.configuration, batch.frames, b),
                    &edge.proximity,
                    &edge.seeds,
                    batch.envelope + edge.reach,
                    &mut edge.manifold,
                );
                edge.known = edge.manifold.adopt_impulses(&old[..before]);
            }
        }
    }
}
