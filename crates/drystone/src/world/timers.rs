//! Timers: events that come with time alone.

use super::World;
use crate::{Event, WorldError};
use drystone_core::TimerId;
use drystone_math::Real;

/// When a timer ticks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Timer {
    first: Real,
    period: Option<Real>,
}

/// Part of a period by which the clock, a sum of steps, may be off a tick.
const ROUNDING: Real = 1e-9;

impl Timer {
    /// How many ticks there were up to a time (s).
    fn ticks(&self, time: Real) -> u64 {
        let Some(period) = self.period else { return u64::from(time >= self.first) };
        let periods = (time - self.first) / period + ROUNDING;
        if periods < 0.0 { 0 } else { (periods as u64).saturating_add(1) }
    }

    /// When tick `k` is (s), counted from zero.
    fn time(&self, k: u64) -> Real {
        self.first + self.period.map_or(0.0, |p| k as Real * p)
    }
}

impl World {
    /// A timer that ticks at `first` (s, simulated time) and, with a period (s), again after each. [`World::events`] has an [`Event::Tick`] for each step into which
    /// ticks fall: those later than its beginning, up to its end.
    ///
    /// Ticks go by the clock alone, so what goes back in time hears them again; one at or before the present is not told. A timer changes nothing about the motion and belongs to no snapshot.
    ///
    /// # Errors
    /// [`WorldError::OutOfRange`] for a time that is not finite, or a period that is not finite and above zero.
    ///
    /// # Source
    /// H-02, H-12, N-15; thesis section 5.1 and Table 5.3: the timer node and its tick event. Differs in: ticks within a step are told as one event, which counts them.
    pub fn add_timer(&mut self, first: Real, period: Option<Real>) -> Result<TimerId, WorldError> {
        if !first.is_finite() {
            return Err(WorldError::OutOfRange { what: "first", found: first, allowed: "a finite time" });
        }
        if let Some(found) = period.filter(|p| !(p.is_finite() && *p > 0.0)) {
            return Err(WorldError::OutOfRange { what: "period", found, allowed: "a time above zero" });
        }
        Ok(self.timers.insert(Timer { first, period }))
    }

    /// Removes a timer.
    ///
    /// # Errors
    /// [`WorldError::Missing`].
    pub fn remove_timer(&mut self, timer: TimerId) -> Result<(), WorldError> {
        self.timers.remove(timer).map(drop).ok_or(WorldError::Missing("timer"))
    }

    /// The clock has gone on from `before`: the ticks since, in the order in which timers were added.
    pub(super) fn tell_ticks(&mut self, before: Real) {
        let now = self.time();
        for (timer, t) in &self.timers {
            let (old, new) = (t.ticks(before), t.ticks(now));
            if new > old {
                self.happenings.push(Event::Tick { timer, time: t.time(new - 1), count: new - old });
            }
        }
    }
}
