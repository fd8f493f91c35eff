//! Threads of a world.

use drystone_core::Executor;
use rayon::{ThreadPool, Yield};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

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

    /// Does some work on each item. The thread that calls takes one after the other, and so do `most` others at most, as soon as they are there: what is at hand
    /// in the caller's caches stays there, and a thread that comes late costs little. Each helper's job is allocated.
    pub(super) fn share<I: Iterator<Item: Send> + Send>(&self, most: usize, items: I, work: impl Fn(I::Item) + Sync) {
        self.called.store(true, Ordering::Relaxed);
        let items = Mutex::new(items);
        let take = || items.lock().unwrap_or_else(PoisonError::into_inner).next();
        let help = || {
            while let Some(item) = take() {
                work(item);
            }
        };
        self.pool.in_place_scope(|s| {
            for _ in 0..most.min(self.pool.current_num_threads()) {
                s.spawn(|_| help());
            }
            help();
        });
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
