//! The threads of a world.

use drystone_core::Executor;
use rayon::{ThreadPool, Yield};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Number of checks by a waiting thread before it sleeps, some 0.1 ms: if the processors are busy with other things, it
/// must not hold them up. The second constant is how long it then waits for work that is practically done.
const LOOKS: u32 = 2000;
const MOMENT: u32 = 64;

thread_local! {
    /// True if this thread is standing by, or doing a piece of work.
    static BUSY: Cell<bool> = const { Cell::new(false) };
}

/// Marks this thread as busy until it is dropped.
struct Busy {
    before: bool,
}

impl Busy {
    fn begin() -> Self {
        Self { before: BUSY.replace(true) }
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        BUSY.set(self.before);
    }
}

/// All threads of a world except the caller's.
#[derive(Clone)]
pub(super) struct Helpers {
    pool: Arc<ThreadPool>,
    /// True if they have been called since the last frame began.
    called: Arc<AtomicBool>,
}

impl Helpers {
    /// Starts this many threads; `None` if they cannot be started.
    pub(super) fn start(count: usize) -> Option<Self> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build().ok()?;
        Some(Self { pool: Arc::new(pool), called: Arc::default() })
    }

    /// Does some work on each item. The calling thread takes items from the front, and up to `most` others take items from the back as soon as they arrive. So the
    /// data in a thread's caches stays there from one list of the same things to the next, and a thread that arrives late costs little. The job of each helper is
    /// allocated.
    pub(super) fn share<I: DoubleEndedIterator<Item: Send> + Send>(
        &self,
        most: usize,
        items: I,
        work: impl Fn(I::Item) + Sync,
    ) {
        self.called.store(true, Ordering::Relaxed);
        let items = Mutex::new(items);
        let items = || items.lock().unwrap_or_else(PoisonError::into_inner);
        let help = || {
            while let Some(item) = { items().next_back() } {
                work(item);
            }
        };
        let count = most.min(self.pool.current_num_threads());
        let left = AtomicUsize::new(count);
        self.pool.in_place_scope(|s| {
            for _ in 0..count {
                s.spawn(|_| {
                    // also if the work ends in a panic
                    let (_end, _busy) = (OneLess(&left), Busy::begin());
                    help();
                });
            }
            while let Some(item) = { items().next() } {
                work(item);
            }
            self.wait_for(&left);
        });
    }

    /// Waits until no helper is left, for a limited time, and meanwhile does work that waits for threads of the pool. The others are at their last pieces: being put
    /// to sleep and woken takes longer than most of these do.
    fn wait_for(&self, left: &AtomicUsize) {
        let mut looks = 0;
        while left.load(Ordering::Acquire) > 0 && looks < LOOKS {
            if self.pool.yield_now() != Some(Yield::Executed) {
                looks += 1;
                core::hint::spin_loop();
            }
        }
        if (1..LOOKS).contains(&looks) {
            (0..MOMENT).for_each(|_| core::hint::spin_loop());
        }
    }

    /// Does a frame's work on the calling thread. If the frame before called for help, the other threads stay awake meanwhile: a sleeping thread takes longer to
    /// arrive than many a piece of work takes.
    pub(super) fn stand_by<T>(&self, frame: impl FnOnce() -> T) -> T {
        if !self.called.swap(false, Ordering::Relaxed) {
            return frame();
        }
        let done = AtomicBool::new(false);
        self.pool.in_place_scope(|s| {
            for _ in 0..self.pool.current_num_threads() {
                s.spawn(|_| {
                    // one that waits within a piece of work would not return to it
                    if BUSY.get() {
                        return;
                    }
                    let _busy = Busy::begin();
                    while !done.load(Ordering::Relaxed) {
                        if rayon::yield_now() != Some(Yield::Executed) {
                            std::thread::yield_now();
                        }
                    }
                });
            }
            // also if the frame ends in a panic
            let _end = End(&done);
            frame()
        })
    }
}

/// Subtracts one when it is dropped.
struct OneLess<'a>(&'a AtomicUsize);

impl Drop for OneLess<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Release);
    }
}

/// Sets a flag when it is dropped.
struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Executor for Helpers {
    fn threads(&self) -> usize {
        self.pool.current_num_threads() + 1
    }

    fn run(&self, pieces: &mut [&mut (dyn FnMut() + Send)]) {
        self.share(pieces.len().saturating_sub(1), pieces.iter_mut(), |piece| piece());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_core::run_each;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    /// Each piece of work shares out some of its own, on fewer threads than the machine has, as many, and more: everything is done, once, and nobody waits for ever.
    #[test]
    fn what_is_shared_out_may_be_shared_out_again() {
        for count in 1..6 {
            let helpers = Helpers::start(count).unwrap();
            for _ in 0..200 {
                let mut sums = [0; 24];
                helpers.stand_by(|| {
                    run_each(&helpers, sums.iter_mut(), |sum| {
                        let mut parts = [0; 24];
                        run_each(&helpers, parts.iter_mut().zip(1..), |(part, i)| *part += i);
                        *sum += parts.iter().sum::<i32>();
                    });
                });
                assert_eq!(sums, [24 * 25 / 2; 24], "{count} helpers");
            }
        }
    }

    #[test]
    fn a_panic_is_passed_on_and_the_threads_go_on() {
        let helpers = Helpers::start(2).unwrap();
        for bad in 0..16 {
            let run = || run_each(&helpers, 0..16, |i| assert_ne!(i, bad, "as asked"));
            assert!(catch_unwind(AssertUnwindSafe(|| helpers.stand_by(run))).is_err());
        }
        let done = AtomicUsize::new(0);
        run_each(&helpers, 0..100, |_| {
            done.fetch_add(1, Ordering::Relaxed);
        });
        assert_eq!(done.into_inner(), 100);
    }
}
