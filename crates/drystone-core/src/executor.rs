use smallvec::SmallVec;

/// Threads that a solver may use within one group.
///
/// Work that runs side by side must be independent by construction: the bits must not depend on the number of threads.
pub trait Executor: Sync {
    /// Number of pieces of work that run at the same time.
    fn threads(&self) -> usize;

    /// Runs all pieces, in any order, side by side if there are threads, and returns when they are done.
    fn run(&self, pieces: &mut [&mut (dyn FnMut() + Send)]);
}

/// One piece after the other on the calling thread.
#[derive(Debug, Clone, Copy, Default)]
pub struct OneThread;

impl Executor for OneThread {
    fn threads(&self) -> usize {
        1
    }

    fn run(&self, pieces: &mut [&mut (dyn FnMut() + Send)]) {
        for piece in pieces {
            piece();
        }
    }
}

/// Number of items handed to an executor at a time.
const AT_A_TIME: usize = 64;

/// Number of pieces that a large list is cut into: a thread that comes late still finds some.
const PIECES: usize = 16;

/// Does some work on each item, side by side if there are threads.
pub fn run_each<I: Send>(executor: &dyn Executor, mut items: impl Iterator<Item = I>, work: impl Fn(I) + Sync) {
    if executor.threads() == 1 {
        return items.for_each(work);
    }
    loop {
        let mut some: SmallVec<[Option<I>; AT_A_TIME]> = items.by_ref().take(AT_A_TIME).map(Some).collect();
        match some.as_mut_slice() {
            [] => return,
            // nobody is called for it
            [one] => {
                if let Some(item) = one.take() {
                    work(item);
                }
                continue;
            }
            _ => {}
        }
        let mut pieces: SmallVec<[_; AT_A_TIME]> =
            some.iter_mut().map(|item| || item.take().map_or((), &work)).collect();
        let mut pieces: SmallVec<[&mut (dyn FnMut() + Send); AT_A_TIME]> =
            pieces.iter_mut().map(|piece| piece as &mut (dyn FnMut() + Send)).collect();
        executor.run(&mut pieces);
    }
}

/// Number of entries per piece of a list of `count` entries: all of them if there is one thread or fewer than `few`
/// entries, which are not worth a second one; else so many that there are some pieces for each thread.
pub fn piece_length(executor: &dyn Executor, count: usize, few: usize) -> usize {
    if executor.threads() == 1 || count < few { count.max(1) } else { count.div_ceil(PIECES) }
}

/// Keeps the entries of a list for which `keep` is true, in their order. It is evaluated side by side if there are threads and the list has at least `few`
/// entries.
pub fn retain_each<T: Copy + Send>(
    executor: &dyn Executor,
    list: &mut Vec<T>,
    few: usize,
    keep: impl Fn(&T) -> bool + Sync,
) {
    let length = piece_length(executor, list.len(), few);
    if length >= list.len() {
        return list.retain(keep);
    }
    let mut kept = [0; PIECES];
    let kept = &mut kept[..list.len().div_ceil(length)];
    run_each(executor, list.chunks_mut(length).zip(&mut *kept), |(piece, kept)| {
        let mut to = 0;
        for i in 0..piece.len() {
            let entry = piece[i];
            piece[to] = entry;
            to += usize::from(keep(&entry));
        }
        *kept = to;
    });
    let mut to = 0;
    for (from, kept) in (0..).step_by(length).zip(&*kept) {
        list.copy_within(from..from + kept, to);
        to += kept;
    }
    list.truncate(to);
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::sync::atomic::{AtomicUsize, Ordering};

    /// Runs the last piece first.
    struct Backwards;

    impl Executor for Backwards {
        fn threads(&self) -> usize {
            2
        }

        fn run(&self, pieces: &mut [&mut (dyn FnMut() + Send)]) {
            for piece in pieces.iter_mut().rev() {
                piece();
            }
        }
    }

    #[test]
    fn what_is_kept_keeps_its_order() {
        for executor in [&OneThread as &dyn Executor, &Backwards] {
            for count in [0, 1, 63, 64, 65, 100, 1000] {
                let keep = |i: &usize| i * 7919 % 5 > 1;
                let mut list: Vec<usize> = (0..count).collect();
                retain_each(executor, &mut list, 64, keep);
                assert!(list.into_iter().eq((0..count).filter(keep)), "{count} entries");
            }
        }
    }

    #[test]
    fn each_item_is_worked_on_once() {
        for executor in [&OneThread as &dyn Executor, &Backwards] {
            for count in [0, 1, 31, 32, 33, 100] {
                let mut list = vec![0; count];
                let pieces = AtomicUsize::new(0);
                let length = piece_length(executor, count, 64);
                run_each(executor, list.chunks_mut(length), |piece| {
                    pieces.fetch_add(1, Ordering::Relaxed);
                    for i in piece {
                        *i += 1;
                    }
                });
                assert!(list.iter().all(|i| *i == 1));
                let expected = if executor.threads() == 2 && count == 100 { 15 } else { count.min(1) };
                assert_eq!(pieces.into_inner(), expected);
            }
        }
    }
}
