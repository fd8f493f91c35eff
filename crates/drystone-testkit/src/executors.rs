use drystone_core::Executor;
use std::sync::{Mutex, PoisonError};

/// Runs pieces on this many threads, each of which takes the next piece that is left.
#[derive(Debug, Clone, Copy)]
pub struct Threads(pub usize);

impl Executor for Threads {
    fn threads(&self) -> usize {
        self.0
    }

    fn run(&self, pieces: &mut [&mut (dyn FnMut() + Send)]) {
        let rest = Mutex::new(pieces.iter_mut());
        let take = || rest.lock().unwrap_or_else(PoisonError::into_inner).next();
        let work = || {
            while let Some(piece) = take() {
                piece();
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..self.0 {
                scope.spawn(work);
            }
            work();
        });
    }
}

/// Counts as two threads, and runs the last piece first: whatever depends on the order of pieces gives a different result.
#[derive(Debug, Clone, Copy)]
pub struct Backwards;

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

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_core::run_each;

    /// The numbers of the pieces in the order in which they are run.
    fn order(executor: &dyn Executor) -> Vec<usize> {
        let order = Mutex::new(Vec::new());
        run_each(executor, 0..32, |i| order.lock().unwrap().push(i));
        order.into_inner().unwrap()
    }

    #[test]
    fn each_piece_is_run_once() {
        for threads in 1..4 {
            let mut order = order(&Threads(threads));
            order.sort_unstable();
            assert!(order.into_iter().eq(0..32), "{threads} threads");
        }
        assert!(order(&Backwards).into_iter().eq((0..32).rev()));
    }
}
