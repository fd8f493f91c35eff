//! Work of one test spread over all cores: cargo runs one test binary at a time, so a test that loops over scenes alone leaves the other cores idle.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The results of `work` on each item, in the order of the items. A panic is passed on.
pub(crate) fn each<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let one_core = || {
        let mut done = Vec::new();
        while let Some((i, item)) = Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|i| Some((i, items.get(i)?))) {
            done.push((i, work(item)));
        }
        done
    };
    let mut all: Vec<(usize, R)> = thread::scope(|s| {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let running: Vec<_> = (0..cores).map(|_| s.spawn(one_core)).collect();
        running.into_iter().flat_map(|r| r.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    });
    all.sort_by_key(|(i, _)| *i);
    all.into_iter().map(|(_, result)| result).collect()
}
