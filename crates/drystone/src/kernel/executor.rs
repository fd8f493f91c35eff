use drystone_core::Executor;

/// The threads of a world, lent to a solver.
pub(super) struct PoolExecutor<'a>(pub(super) &'a rayon::ThreadPool);

impl Executor for PoolExecutor<'_> {
    fn threads(&self) -> usize {
        self.0.current_num_threads()
    }

    fn run(&self, pieces: &mut [&mut (dyn FnMut() + Send)]) {
        self.0.scope(|s| {
            for piece in pieces {
                s.spawn(move |_| piece());
            }
        });
    }
}
