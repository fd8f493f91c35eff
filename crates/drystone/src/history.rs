use crate::world::Whole;
use crate::{Snapshot, StepReport, World, WorldError};
use drystone_math::Real;
use std::collections::VecDeque;
use std::sync::Arc;

/// The last frames of a run, to return to (A-16): for rollback, as of a game between peers, and for a look back.
///
/// Rewinding restores a recorded instant with the same bits, as a whole: bodies, joints, forces, scripts, surfaces and names are those of the instant too, with
/// their keys, also if they were added or removed since. What was recorded after it is forgotten, since a run that continues from there may take another course.
/// Modules and timers stay as they are.
///
/// ```
/// use drystone::{History, prelude::*};
///
/// # fn main() -> Result<(), WorldError> {
/// let mut world = World::builder().build()?;
/// let ball = world.add(Body::dynamic(Shape::sphere(0.5)?))?;
/// let mut history = History::new(60);
/// // frame by frame, with what the players did as far as it is known
/// for _ in 0..10 {
///     history.advance(&mut world, 0.01, |_, _| Ok(()))?;
/// }
/// // a late input for frame 4: that frame and all later ones are made anew
/// history.replay(&mut world, 4, 0.01, |world, frame| match frame {
///     4 => world.apply_impulse(ball, Vec3::X * 100.0, Vec3::ZERO),
///     _ => Ok(()),
/// })?;
/// assert_eq!(history.frame(), 10);
/// assert!(world.velocity(ball).is_some_and(|u| u.linear.x > 0.1));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct History {
    frames: VecDeque<Frame>,
    capacity: usize,
    /// The number of the frame that is recorded next.
    next: u64,
}

/// The world before a frame.
#[derive(Clone)]
struct Frame {
    number: u64,
    snapshot: Snapshot,
    /// `None` if it cannot be copied.
    whole: Option<Arc<Whole>>,
}

impl std::fmt::Debug for Frame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Frame")
            .field("number", &self.number)
            .field("time", &self.snapshot.time())
            .finish_non_exhaustive()
    }
}

impl History {
    /// A history of at most `capacity` instants; zero counts as one.
    pub fn new(capacity: usize) -> Self {
        Self { frames: VecDeque::new(), capacity: capacity.max(1), next: 0 }
    }

    /// Records the world as it is, as the beginning of frame [`Self::frame`], dropping the oldest instant if there is no room left. Instants later than the world's
    /// time are forgotten: the world must have been set back by other means.
    pub fn record(&mut self, world: &World) {
        let past = self.frames.partition_point(|f| f.snapshot.time() <= world.time() && f.number < self.next);
        if past < self.frames.len() {
            self.frames.truncate(past);
            self.next = self.frames.back().map_or(self.next, |f| f.number + 1);
        }
        if self.frames.len() == self.capacity {
            self.frames.pop_front();
        }
        self.frames.push_back(Frame { number: self.next, snapshot: world.snapshot(), whole: world.whole() });
        self.next += 1;
    }

    /// The number of the frame that is recorded next: that of frames recorded so far, counted from zero, less those that were rewound.
    pub fn frame(&self) -> u64 {
        self.next
    }

    /// The recorded times, ascending (s).
    pub fn times(&self) -> impl Iterator<Item = Real> {
        self.frames.iter().map(|f| f.snapshot.time())
    }

    /// The numbers of the recorded frames, ascending.
    pub fn frames(&self) -> impl Iterator<Item = u64> {
        self.frames.iter().map(|f| f.number)
    }

    /// Takes the world back to the last recorded instant at or before `time` (s), and returns the time of that instant.
    ///
    /// # Errors
    /// [`WorldError::OutOfRange`] if nothing that old is recorded; [`WorldError::Missing`] if that instant belongs to another world, or if bodies, joints or scripts
    /// were added or removed since and there is a force that cannot be copied ([`drystone_core::ForceField::copied`]). The world is then unchanged.
    pub fn rewind(&mut self, world: &mut World, time: Real) -> Result<Real, WorldError> {
        let after = self.frames.partition_point(|f| f.snapshot.time() <= time);
        let allowed = "a time at or after the first recorded one";
        let place = after.checked_sub(1).ok_or(WorldError::OutOfRange { what: "time", found: time, allowed })?;
        self.go_back(world, place)
    }

    /// Takes the world back to the beginning of a frame, and returns its time (s).
    ///
    /// # Errors
    /// [`WorldError::OutOfRange`] if that frame is not recorded; otherwise as [`Self::rewind`].
    pub fn rewind_to(&mut self, world: &mut World, frame: u64) -> Result<Real, WorldError> {
        let allowed = "a recorded frame";
        let place = self.frames.binary_search_by_key(&frame, |f| f.number);
        let place = place.map_err(|_| WorldError::OutOfRange { what: "frame", found: frame as f64, allowed })?;
        self.go_back(world, place)
    }

    /// Makes a frame of `dt` seconds: records the world, calls `inputs` with it and the frame's number, and advances it.
    ///
    /// # Errors
    /// That of `inputs`, in which case no step is made; those of [`World::advance`].
    pub fn advance(
        &mut self,
        world: &mut World,
        dt: Real,
        inputs: impl FnOnce(&mut World, u64) -> Result<(), WorldError>,
    ) -> Result<StepReport, WorldError> {
        self.record(world);
        inputs(world, self.next - 1)?;
        world.advance(dt)
    }

    /// Makes all frames from `frame` on anew, up to the present one, because inputs were not what they had been taken for: goes back to the beginning of that frame
    /// and makes each frame as [`Self::advance`] does.
    ///
    /// # Errors
    /// Those of [`Self::rewind_to`], in which case the world is unchanged, and those of [`Self::advance`]: the world is then where that frame left it.
    pub fn replay(
        &mut self,
        world: &mut World,
        frame: u64,
        dt: Real,
        mut inputs: impl FnMut(&mut World, u64) -> Result<(), WorldError>,
    ) -> Result<(), WorldError> {
        let end = self.next;
        if frame == end {
            return Ok(());
        }
        self.rewind_to(world, frame)?;
        while self.next < end {
            self.advance(world, dt, &mut inputs)?;
        }
        Ok(())
    }

    fn go_back(&mut self, world: &mut World, place: usize) -> Result<Real, WorldError> {
        let Some(Frame { number, snapshot, whole }) = self.frames.get(place) else {
            return Err(WorldError::Missing("recorded frame"));
        };
        match whole {
            Some(whole) if snapshot.is_of(world) => {
                if !world.bring_back(whole, snapshot) {
                    return Err(WorldError::Missing("copy of a force"));
                }
            }
            _ => world.restore(snapshot)?,
        }
        let time = snapshot.time();
        self.next = *number;
        self.frames.truncate(place + 1);
        Ok(time)
    }
}
