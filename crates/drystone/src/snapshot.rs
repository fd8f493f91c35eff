mod archive;
mod error;
mod fingerprint;
mod format;
mod parts;

pub use error::SnapshotError;

use crate::limits::Reference;
use crate::{World, WorldError};
use drystone_contact_graph::EventLog;
use drystone_core::{ContactGraph, State};
use drystone_math::{Real, Wrench};
use std::sync::atomic::{AtomicU64, Ordering};

/// Everything that a world needs to continue from an instant with the same bits: state and contact graph.
///
/// Bodies, joints and forces themselves are not part of it. A snapshot fits only the world that it was taken of, as long as no body, joint or script has been added
/// or removed, and no shape or centre of mass changed. [`Self::to_bytes`] transfers it to another process; [`crate::History`] also brings back bodies and joints.
#[derive(Debug, Clone)]
pub struct Snapshot {
    pub(crate) state: State,
    pub(crate) graph: ContactGraph,
    /// Which pairs touch, and which bodies are within sensors.
    pub(crate) events: [EventLog; 2],
    /// The names of the modules that read what they left in state and graph.
    readers: [&'static str; 2],
    lineage: Lineage,
    /// A hash of all that no step changes, by which another process recognises the world.
    world_print: u64,
    /// The forces and torques that push bodies in the next step.
    pub(crate) pushes: Vec<Wrench>,
    /// True if bodies were placed or given velocities since the last step.
    pub(crate) disturbed: bool,
    /// Reference of the bounds of the next steps.
    limits: Option<Reference>,
}

/// Identifies a world, and the set of bodies, joints and scripts in it: no two worlds have the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lineage {
    world: u64,
    /// The number of the set.
    edits: u64,
    /// The largest number of any set of this world.
    newest: u64,
}

impl Lineage {
    /// The lineage of a world that is being built.
    pub(crate) fn of_new_world() -> Self {
        static WORLDS: AtomicU64 = AtomicU64::new(0);
        Self { world: WORLDS.fetch_add(1, Ordering::Relaxed), edits: 0, newest: 0 }
    }

    /// Notes that the set of bodies, joints and scripts has changed: earlier snapshots no longer fit.
    pub(crate) fn edited(&mut self) {
        self.newest += 1;
        self.edits = self.newest;
    }

    /// Notes that the set of bodies, joints and scripts is that of a snapshot again.
    pub(crate) fn go_back(&mut self, to: &Snapshot) {
        self.edits = to.lineage.edits;
    }
}

impl Snapshot {
    /// Simulated time of the instant (s).
    pub fn time(&self) -> Real {
        self.state.time
    }

    /// Returns true if it was taken of this world, which may have had another set of bodies.
    pub(crate) fn is_of(&self, world: &World) -> bool {
        self.lineage.world == world.lineage.world
    }
}

impl World {
    /// Saves everything that is needed to return to this instant.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            state: self.engine.data().state.clone(),
            graph: self.engine.saved_graph(),
            events: self.engine.touches().map(Clone::clone),
            readers: self.modules().readers(),
            lineage: self.lineage,
            world_print: self.fingerprint(),
            pushes: self.engine.data().pushes.clone(),
            disturbed: self.engine.is_disturbed(),
            limits: self.limits.reference,
        }
    }

    /// Returns to a snapshot: the run from here has the same bits as the first time. If the source of a joint has been replaced since by one that remembers another
    /// number of values, the joint keeps what it remembers; under a sleep policy other than the snapshot's everything wakes.
    ///
    /// # Errors
    /// [`WorldError::Missing`] for a snapshot of another world, or one from before a body, joint or script was added or removed, or a shape or a centre of mass changed.
    /// The world is then unchanged.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), WorldError> {
        if !snapshot.is_of(self) {
            return Err(WorldError::Missing("instant in the past of this world: the snapshot is another one's"));
        }
        if snapshot.lineage.edits != self.lineage.edits {
            return Err(WorldError::Missing("snapshot of this set of bodies, joints and scripts"));
        }
        self.go_on_from(snapshot);
        Ok(())
    }

    /// Takes over a snapshot of the present set of bodies, joints and scripts.
    pub(crate) fn go_on_from(&mut self, snapshot: &Snapshot) {
        self.engine.bring_back(snapshot);
        self.limits.reference = snapshot.limits;
        self.forget_events();
        self.queries.changed();
        self.forget_readers(snapshot.readers);
    }
}
