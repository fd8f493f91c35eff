//! The contacts of a large group, gathered by several threads.

use super::gathered_edge::{Chunk, Fill};
use super::output::SolvedEdge;
use super::worker::{Shared, Worker};
use drystone_core::{ContactImpulse, Executor, GroupContact, Level, NormalOwner, run_each};
use drystone_math::{Registers, Vec3};

/// Number of edges in a group from which on more than one thread is worth while, and number of edges that a thread takes at a time.
const MANY: usize = 1024;
const CHUNK: usize = 256;

/// The value of a contact before it is written.
const BLANK: GroupContact = GroupContact {
    bodies: [0; 2],
    position: Vec3::ZERO,
    normal: Vec3::ZERO,
    owner: NormalOwner::A,
    separation: 0.0,
    friction: 0.0,
    restitution: 0.0,
    impulse: ContactImpulse::ZERO,
    edge: 0,
    point: 0,
    surface: GroupContact::PLAIN,
};

impl Worker {
    /// Gathers the contacts of a group's edges in parallel. Returns false, with nothing done, if there are few edges, only one thread, or contacts with data beyond
    /// their own columns.
    ///
    /// Bodies and contacts are in the same order as if one thread had gathered them.
    pub(super) fn gather_side_by_side(&mut self, shared: Shared<'_>, slots: &[u32], executor: &dyn Executor) -> bool {
        if slots.len() < MANY || executor.threads() == 1 || shared.level == Level::Acceleration {
            return false;
        }
        let Self { chunks, local, .. } = self;
        chunks.resize_with(slots.len().div_ceil(CHUNK), Chunk::default);
        run_each(executor, chunks.iter_mut().zip(slots.chunks(CHUNK)), |(chunk, slots)| {
            chunk.look((shared.graph, shared.configuration, shared.carriers), slots, local);
        });
        if self.chunks.iter().any(|chunk| chunk.special) {
            return false;
        }
        for k in 0..self.chunks.len() {
            for i in 0..self.chunks[k].new.len() {
                self.take_body(shared, self.chunks[k].new[i], None);
            }
        }
        self.fill(shared, slots, executor);
        true
    }

    fn fill(&mut self, shared: Shared<'_>, slots: &[u32], executor: &dyn Executor) {
        let Self { problem, local, places, edges, chunks, .. } = self;
        edges.resize(slots.len(), SolvedEdge::BLANK);
        problem.contacts.resize(chunks.iter().map(|chunk| chunk.contacts).sum(), BLANK);
        let mut rest = problem.contacts.as_mut_slice();
        let pieces = slots.chunks(CHUNK).zip(edges.chunks_mut(CHUNK));
        let parts = chunks.iter().zip(pieces).map(|(chunk, (slots, edges))| {
            let (into, others) = core::mem::take(&mut rest).split_at_mut(chunk.contacts);
            rest = others;
            (slots, edges, into)
        });
        run_each(executor, parts, |(slots, edges, into)| {
            Registers::new().dispatch(Fill { graph: shared.graph, slots, local, places, edges, into });
        });
    }
}
