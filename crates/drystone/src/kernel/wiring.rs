//! What holds the stages together: who watches, where time goes, and threads.

use crate::WorldError;
use crate::profile::{PhaseTimes, Stopwatch};
use drystone_core::{Level, Module, StepObserver};
use drystone_math::Real;

/// Most threads of a world: more than any machine that one world can keep busy has.
const MOST_THREADS: usize = 256;

/// Observer, times and threads.
pub(crate) struct Wiring {
    pub(super) times: PhaseTimes,
    pub(super) observer: Option<Box<dyn StepObserver>>,
    /// The level of solves over a step.
    pub(super) level: Level,
    /// Most iterations of a solve.
    pub(super) most_iterations: u32,
    pub(super) threads: usize,
    #[cfg(feature = "rayon")]
    pub(super) pool: Option<rayon::ThreadPool>,
}

impl Wiring {
    pub(super) fn new(threads: usize) -> Result<Self, WorldError> {
        let mut wiring = Self {
            times: PhaseTimes::default(),
            observer: None,
            level: Level::Velocity,
            most_iterations: u32::MAX,
            threads: 1,
            #[cfg(feature = "rayon")]
            pool: None,
        };
        wiring.set_threads(threads)?;
        Ok(wiring)
    }

    /// Starts other threads in place of the present ones; where they cannot be had, these stay.
    pub(super) fn set_threads(&mut self, threads: usize) -> Result<(), WorldError> {
        if !(1..=MOST_THREADS).contains(&threads) {
            let allowed = "a whole number from 1 to 256";
            return Err(WorldError::OutOfRange { what: "threads", found: threads as Real, allowed });
        }
        #[cfg(feature = "rayon")]
        {
            self.pool = if threads > 1 {
                let built = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
                Some(built.map_err(|_| WorldError::Threads(threads))?)
            } else {
                None
            };
            self.threads = threads;
        }
        Ok(())
    }

    /// Notes that one module calls another.
    pub(super) fn trace(&mut self, from: Module, to: Module) {
        if let Some(observer) = &mut self.observer {
            observer.call(from, to);
        }
    }

    /// Books the time since `watch` started to a module.
    pub(super) fn book(&mut self, module: Module, watch: Stopwatch) {
        *self.times.of(module) += watch.seconds();
    }
}
