use super::linkage::JointEnds;
use crate::World;
use drystone_broad_phase::BoxTree;
use drystone_core::{BodyIndex, BodyKind};
use drystone_geometry::Aabb;
use drystone_math::{Pose, Real};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Boxes are grown by this fraction of their coordinates, so that the exact test decides and not the rounding of the box.
const ROUNDING: Real = 1e-13;

/// Frames and boxes of all bodies at one moment, and the tree over the boxes.
#[derive(Debug, Clone, Default)]
pub(super) struct PlacedBodies {
    /// The count of changes at which it was made; `None` before the first time.
    made_at: Option<u64>,
    /// Body frames in the world, in column order.
    pub(super) frames: Vec<Pose>,
    /// The bodies' boxes; empty for passive bodies and sensors.
    pub(super) boxes: Vec<Aabb>,
    pub(super) tree: BoxTree,
    /// The joints of each body, listed by the first query that asks for them.
    pub(super) ends: OnceLock<JointEnds>,
}

/// The index in which queries look up bodies, rebuilt on the first query after a change.
#[derive(Debug, Default)]
pub(crate) struct QueryIndex {
    changes: u64,
    placed: Mutex<Arc<PlacedBodies>>,
}

impl QueryIndex {
    /// Notes that bodies are, or may be, somewhere else now.
    pub(crate) fn changed(&mut self) {
        self.changes += 1;
    }

    /// The bodies as they stand now.
    pub(super) fn placed(&self, world: &World) -> Arc<PlacedBodies> {
        // what a panic elsewhere left behind is either rebuilt or complete
        let mut placed = self.placed.lock().unwrap_or_else(PoisonError::into_inner);
        if placed.made_at != Some(self.changes) {
            // a query that is still alive keeps the index that it was made with
            let placed = Arc::make_mut(&mut placed);
            placed.made_at = None;
            placed.update(world);
            placed.made_at = Some(self.changes);
        }
        placed.clone()
    }
}

impl PlacedBodies {
    fn update(&mut self, world: &World) {
        let (bodies, state) = (&world.engine.data().configuration.bodies, &world.engine.data().state);
        self.ends = OnceLock::new();
        self.frames.clear();
        self.frames.extend(bodies.iter().enumerate().map(|(i, b)| b.frame(&state.pose(BodyIndex::new(i)))));
        self.boxes.clear();
        self.boxes.extend(bodies.iter().zip(&self.frames).map(|(body, frame)| {
            if body.kind == BodyKind::Passive || body.sensor {
                return Aabb::EMPTY;
            }
            let exact = body.shape.aabb(frame);
            let size = exact.min.abs().max(exact.max.abs()).max_element();
            if size.is_finite() { exact.grown(ROUNDING * size) } else { exact }
        }));
        self.tree.update(&self.boxes);
    }
}
