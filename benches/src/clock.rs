use std::time::Instant;

/// What a step's time is taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// Time on the wall.
    Wall,
    /// Time that this thread spent on a processor: what other programs do meanwhile counts less. The engines run on
    /// the one thread that asks, so nothing of theirs is missed. The wall's time where the system has no such clock.
    Processor,
}

/// A running measurement.
#[derive(Debug, Clone, Copy)]
pub struct Watch {
    wall: Instant,
    processor: Option<f64>,
}

impl Watch {
    /// Starts to measure.
    pub fn start(clock: Clock) -> Self {
        let processor = match clock {
            Clock::Wall => None,
            Clock::Processor => processor_seconds(),
        };
        Self { wall: Instant::now(), processor }
    }

    /// Seconds since the start.
    pub fn seconds(self) -> f64 {
        // a wall clock asks nothing of the processor's: under valgrind there is none
        match self.processor.zip(self.processor.and_then(|_| processor_seconds())) {
            Some((start, now)) => now - start,
            None => self.wall.elapsed().as_secs_f64(),
        }
    }
}

#[cfg(unix)]
#[allow(clippy::unnecessary_wraps, reason = "other systems have no such clock")]
fn processor_seconds() -> Option<f64> {
    let t = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Some(t.tv_sec as f64 + t.tv_nsec as f64 * 1e-9)
}

#[cfg(not(unix))]
fn processor_seconds() -> Option<f64> {
    None
}
