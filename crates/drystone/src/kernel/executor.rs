//! Threads of a world.

use drystone_core::Executor;
use rayon::{ThreadPool, Yield};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// How often a thread that waits looks before it is put to sleep, some 0.1 ms: where processors are busy with other things it would keep the others from theirs. And how long it
/// waits for what is as good as done.
const LOOKS: u32 = 2000;
const MOMENT: u32 = 64;

thread_local! {
    /// Whether this thread stands by, or is at a piece of work.
    static BUSY: Cell<bool> = const { Cell::new(false) };
}

/// Says that this thread is busy, until it goes.
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

/// All threads of a world but the caller's.
#[derive(Clone)]
pub(super) struct Helpers {
    pool: Arc<ThreadPool>,
    /// Whether they were called since the last frame began.
    called: Arc<AtomicBool>,
}

impl Helpers {
    /// So many threads; none where they cannot be had.
    pub(super) fn start(count: usize) -> Option<Self> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build().ok()?;
        Some(Self { pool: Arc::new(pool), called: Arc::default() })
    }

    /// Does some work on each item. The thread that calls takes one after the other from the front, and `most` others at most take theirs from the back, as soon as they are
    /// there: what is at hand in a thread's caches stays there from one list of the same things to the next, and a thread that comes late costs little. Each helper's job is
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
                    // also where the work ends by a panic
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

    /// Waits a while until nobody is left, and does what there is to do for threads of the pool meanwhile. The others are at their last pieces: to be put to sleep, and woken,
    /// takes longer than most of these do.
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

    /// Does a frame's work on the thread that calls. If the frame before called for help the others stay awake meanwhile: one that sleeps takes longer to come
    /// than many a piece of work.
    pub(super) fn stand_by<T>(&self, frame: impl FnOnce() -> T) -> T {
        if !self.called.swap(false, Ordering::Relaxed) {
            return frame();
        }
        let done = AtomicBool::new(false);
        self.pool.in_place_scope(|s| {
            for _ in 0..self.pool.current_num_threads() {
                s.spawn(|_| {
                    // one that waits within a piece of work would not come back to it
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
            // also where the frame ends by a panic
            let _end = End(&done);
            frame()
        })
    }
}

/// Takes one off when it goes.
struct OneLess<'a>(&'a AtomicUsize);

impl Drop for OneLess<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Release);
    }
}

/// Sets a mark when it goes.
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

    /// Each piece of work shares out some of its own, on fewer, as many and more threads than the machine has: all is done, once, and nobody waits for ever.
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
