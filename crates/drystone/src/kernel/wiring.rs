//! Context of the stages: observer, times, and threads.

#[cfg(feature = "rayon")]
use super::executor::Helpers;
use crate::stopwatch::Stopwatch;
use crate::{PhaseTimes, WorldError};
use drystone_core::{Executor, Level, Module, OneThread, StepObserver};
use drystone_math::Real;

/// Largest number of threads of a world: more than any machine has that one world can keep busy.
const MOST_THREADS: usize = 256;

/// Number of pairs to be tested below which a second thread costs more than it gains, and number of edges that a thread takes at a time.
#[cfg(feature = "rayon")]
const PAIRS_PER_THREAD: u32 = 256;
pub(super) const EDGES_PER_CHUNK: usize = 64;

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
    pub(super) helpers: Option<Helpers>,
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
            helpers: None,
        };
        wiring.set_threads(threads)?;
        Ok(wiring)
    }

    /// Starts other threads in place of the present ones; if they cannot be started, the present ones stay.
    pub(super) fn set_threads(&mut self, threads: usize) -> Result<(), WorldError> {
        if !(1..=MOST_THREADS).contains(&threads) {
            let allowed = "a whole number from 1 to 256";
            return Err(WorldError::OutOfRange { what: "threads", found: threads as Real, allowed });
        }
        #[cfg(feature = "rayon")]
        {
            self.helpers = match threads {
                1 => None,
                _ => Some(Helpers::start(threads - 1).ok_or(WorldError::Threads(threads))?),
            };
            self.threads = threads;
        }
        Ok(())
    }

    /// The world's threads, for work that is independent by construction.
    pub(super) fn executor(&self) -> &dyn Executor {
        #[cfg(feature = "rayon")]
        if let Some(helpers) = &self.helpers {
            return helpers;
        }
        &OneThread
    }

    /// Works on chunks of edges, of which this many pairs must be tested, on as many threads as there is work for.
    pub(super) fn for_chunks<I: DoubleEndedIterator<Item: Send> + Send>(
        &self,
        chunks: I,
        tested: u32,
        work: impl Fn(I::Item) + Sync,
    ) {
        #[cfg(feature = "rayon")]
        if let Some(helpers) = &self.helpers
            && tested >= 2 * PAIRS_PER_THREAD
        {
            let most = (tested / PAIRS_PER_THREAD) as usize - 1;
            return helpers.share(most, chunks, work);
        }
        let _ = tested;
        // successive operations on an edge find it in the nearest cache
        chunks.for_each(work);
    }

    /// Records that one module calls another.
    pub(super) fn trace(&mut self, from: Module, to: Module) {
        if let Some(observer) = &mut self.observer {
            observer.call(from, to);
        }
    }

    /// Attributes the time since `watch` started to a module.
    pub(super) fn book(&mut self, module: Module, watch: Stopwatch) {
        *self.times.of_mut(module) += watch.seconds();
    }
}
