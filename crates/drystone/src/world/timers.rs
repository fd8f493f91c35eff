//! Timers: events that depend on time alone.

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

/// Fraction of a period by which the clock, a sum of steps, may miss a tick.
const ROUNDING: Real = 1e-9;

impl Timer {
    /// The number of ticks up to a time (s).
    fn ticks(&self, time: Real) -> u64 {
        let Some(period) = self.period else { return u64::from(time >= self.first) };
        let periods = (time - self.first) / period + ROUNDING;
        if periods < 0.0 { 0 } else { (periods as u64).saturating_add(1) }
    }

    /// The time of tick `k` (s), counted from zero.
    fn time(&self, k: u64) -> Real {
        self.first + self.period.map_or(0.0, |p| k as Real * p)
    }
}

impl World {
    /// Adds a timer that ticks at `first` (s, simulated time) and, with a period (s), again after each period. [`World::events`] has one [`Event::Tick`] for each
    /// step with ticks after its beginning and up to its end.
    ///
    /// Ticks depend on the clock alone: after going back in time they are reported again, and a tick at or before the present time is not reported. A timer does not
    /// affect the motion and is not part of snapshots.
    ///
    /// # Errors
    /// [`WorldError::OutOfRange`] for a time that is not finite, or a period that is not finite and above zero.
    ///
    /// # Source
    /// H-02, H-12, N-15; thesis section 5.1 and Table 5.3: the timer node and its tick event. Differs in: all ticks within a step are reported as one event, which counts them.
    pub fn add_timer(&mut self, first: Real, period: Option<Real>) -> Result<TimerId, WorldError> {
        if !first.is_finite() {
            return Err(WorldError::OutOfRange { what: "first", found: first, allowed: "a finite time" });
        }
        if let Some(found) = period.filter(|p| !(p.is_finite() && *p > 0.0)) {
            return Err(WorldError::OutOfRange { what: "period", found, allowed: "a time above zero" });
        }
        Ok(self.timers.insert(Timer { first, period }))
    }

    /// The timers, each with its first tick and its period (s), in the order in which they were added.
    pub fn timers(&self) -> impl Iterator<Item = (TimerId, Real, Option<Real>)> {
        self.timers.iter().map(|(id, t)| (id, t.first, t.period))
    }

    /// Removes a timer.
    ///
    /// # Errors
    /// [`WorldError::Missing`].
    pub fn remove_timer(&mut self, timer: TimerId) -> Result<(), WorldError> {
        self.timers.remove(timer).map(drop).ok_or(WorldError::Missing("timer"))
    }

    /// To be called when the clock has advanced from `before`: reports the ticks since then, in the order in which the timers were added.
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
