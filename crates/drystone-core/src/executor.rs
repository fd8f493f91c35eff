/// Threads that a solver may use within one group.
///
/// What is run side by side must be independent by construction: the bits must not depend on the number of threads.
pub trait Executor: Sync {
    /// How many pieces of work go on at the same time.
    fn threads(&self) -> usize;

    /// Runs all pieces and returns when they are done, in any order, side by side where there are threads.
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
