use crate::{Snapshot, World, WorldError};
use drystone_math::Real;
use std::collections::VecDeque;

/// Intermediate states of a run, to come back to: the last so many of them.
///
/// Rewinding brings back a recorded instant with the same bits; what was recorded after it is forgotten, since a run that
/// goes on from there may go another way.
#[derive(Debug, Clone)]
pub struct History {
    snapshots: VecDeque<(Real, Snapshot)>,
    capacity: usize,
}

impl History {
    /// For at most `capacity` instants, at least one.
    pub fn new(capacity: usize) -> Self {
        Self { snapshots: VecDeque::new(), capacity: capacity.max(1) }
    }

    /// Records the world as it is; the oldest instant goes where there is no more room. Instants after the world's time, which was
    /// set back by other means then, are forgotten.
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

    /// Takes the world back to the last recorded instant at or before `time` (s), and says which.
    ///
    /// # Errors
    /// [`WorldError::OutOfRange`] where nothing that old is recorded; [`WorldError::Missing`] where that instant is
    /// one of another world, or bodies, joints or scripts were added or removed since. The world is unchanged then.
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
