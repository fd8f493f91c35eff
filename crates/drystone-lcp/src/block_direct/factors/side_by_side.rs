//! Several right-hand sides at once: if the processor has wide registers, one register holds the same entry of four of
//! them.
use super::super::graph::{Block, BlockGraph};
use super::BlockFactors;

/// Number of right-hand sides.
pub(crate) const SIDE_BY_SIDE: usize = 8;

/// One number for each right-hand side.
pub(crate) type Numbers = [f64; SIDE_BY_SIDE];

impl BlockFactors {
    /// Replaces right-hand sides, in the order of elimination, by their solutions, bit for bit those of [`BlockFactors::solve`]. For code that is compiled for wide
    /// registers.
    #[inline(always)]
    pub(in super::super) fn solve_side_by_side(&self, graph: &BlockGraph, x: &mut [Numbers]) {
        for block in &graph.blocks {
            by_size!(block.len(), N => self.forwards_side_by_side::<N>(graph, block, x));
        }
        for block in graph.blocks.iter().rev() {
            by_size!(block.len(), N => self.backwards_side_by_side::<N>(graph, block, x));
        }
    }

    /// Forward elimination for a block of N rows: subtracts its contribution from the later ones and divides it by its
    /// pivot.
    #[inline(always)]
    fn forwards_side_by_side<const N: usize>(&self, graph: &BlockGraph, block: &Block, x: &mut [Numbers]) {
        let (before, later) = x.split_at_mut(block.rows.end);
        let Some(own) = before.last_chunk_mut::<N>() else { return };
        for below in &graph.below[block.below.clone()] {
            let factor = self.values[below.values..].as_chunks::<N>().0;
            for (to, row) in later[below.first - block.rows.end..][..below.len].iter_mut().zip(factor) {
                let mut sum = [0.0; SIDE_BY_SIDE];
                for k in 0..N {
                    add(&mut sum, row[k], &own[k]);
                }
                take(to, 1.0, &sum);
            }
        }
        if let Some(pivot) = self.values[block.diagonal..].as_chunks::<N>().0.first_chunk::<N>() {
            divide(pivot, own);
        }
    }

    /// Back substitution for a block of N rows: subtracts the later blocks' answers.
    #[inline(always)]
    fn backwards_side_by_side<const N: usize>(&self, graph: &BlockGraph, block: &Block, x: &mut [Numbers]) {
        let (before, later) = x.split_at_mut(block.rows.end);
        let Some(own) = before.last_chunk_mut::<N>() else { return };
        for below in &graph.below[block.below.clone()] {
            let factor = self.values[below.values..].as_chunks::<N>().0;
            for (from, row) in later[below.first - block.rows.end..][..below.len].iter().zip(factor) {
                for k in 0..N {
                    take(&mut own[k], row[k], from);
                }
            }
        }
    }
}

/// Replaces N numbers of each by the solution of the block's equations.
#[inline(always)]
fn divide<const N: usize>(block: &[[f64; N]; N], x: &mut [Numbers; N]) {
    for i in 1..N {
        for k in 0..i {
            let from = x[k];
            take(&mut x[i], block[i][k], &from);
        }
    }
    for i in (0..N).rev() {
        for x in &mut x[i] {
            *x *= block[i][i];
        }
        for k in i + 1..N {
            let from = x[k];
            take(&mut x[i], block[k][i], &from);
        }
    }
}

/// Adds a multiple of numbers to others.
#[inline(always)]
pub(crate) fn add(to: &mut Numbers, by: f64, numbers: &Numbers) {
    for k in 0..SIDE_BY_SIDE {
        to[k] += by * numbers[k];
    }
}

/// Subtracts a multiple of numbers from others.
#[inline(always)]
fn take(from: &mut Numbers, by: f64, numbers: &Numbers) {
    for k in 0..SIDE_BY_SIDE {
        from[k] -= by * numbers[k];
    }
}
