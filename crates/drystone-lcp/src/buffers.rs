//! Memory that solvers keep between solves, so that a warm one allocates nothing.

/// Buffers that a solver keeps between solves: opaque, empty by default. A clone starts empty.
#[derive(Debug, Default)]
pub struct Kept<T>(pub(crate) T);

impl<T: Default> Clone for Kept<T> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// Makes a buffer equal to a slice.
pub(crate) fn copy<T: Clone>(to: &mut Vec<T>, from: &[T]) {
    to.clear();
    to.extend_from_slice(from);
}

/// Makes a buffer `n` times the same value.
pub(crate) fn refill<T: Clone>(buffer: &mut Vec<T>, n: usize, value: T) {
    buffer.clear();
    buffer.resize(n, value);
}

/// Fills a buffer with what an iterator yields.
pub(crate) fn collect<T>(buffer: &mut Vec<T>, from: impl IntoIterator<Item = T>) {
    buffer.clear();
    buffer.extend(from);
}
