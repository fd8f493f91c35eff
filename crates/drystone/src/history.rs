use crate::{Snapshot, World, WorldError};
use drystone_math::Real;
use std::collections::VecDeque;

/// The last intermediate states of a run, to return to.
///
/// Rewinding restores a recorded instant with the same bits. What was recorded after it is forgotten, since a run that continues from there may take another course.
#[derive(Debug, Clone)]
pub struct History {
    snapshots: VecDeque<(Real, Snapshot)>,
    capacity: usize,
}

impl History {
    /// A history of at most `capacity` instants; zero counts as one.
    pub fn new(capacity: usize) -> Self {
        Self { snapshots: VecDeque::new(), capacity: capacity.max(1) }
    }

    /// Records the world as it is, dropping the oldest instant if there is no room left. Instants later than the world's time are forgotten: the world must have
    /// been set back by other means.
    pub fn record(&mut self, world: &World) {
        let past = self.snapshots.partition_point(|(t, _)| *t <= world.time());
        self.snapshots.truncate(past);
        if self.snapshots.len() == self.capacity {
            self.snapshots.pop_front();
        }
        self.snapshots.push_back((world.time(), world.snapshot()));
    }

    /// The recorded times, ascending (s).
    pub fn times(&self) -> impl Iterator<Item = Real> {
        self.snapshots.iter().map(|(t, _)| *t)
    }

    /// Takes the world back to the last recorded instant at or before `time` (s), and returns the time of that instant.
    ///
    /// # Errors
    /// [`WorldError::OutOfRange`] if nothing that old is recorded; [`WorldError::Missing`] if that instant belongs to another world, or bodies, joints or scripts
    /// were added or removed since. The world is then unchanged.
    pub fn rewind(&mut self, world: &mut World, time: Real) -> Result<Real, WorldError> {
        let after = self.snapshots.partition_point(|(t, _)| *t <= time);
        let Some((at, snapshot)) = after.checked_sub(1).and_then(|i| self.snapshots.get(i)) else {
            let allowed = "a time at or after the first recorded one";
            return Err(WorldError::OutOfRange { what: "time", found: time, allowed });
        };
        world.restore(snapshot)?;
        let at = *at;
        self.snapshots.truncate(after);
        Ok(at)
    }
}
