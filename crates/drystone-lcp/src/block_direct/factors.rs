//! L D L^T of a symmetric matrix of small blocks.
use super::graph::{Block, BlockGraph, Source};
use crate::operator::factored_row::six_dot;
use crate::vectors::{Work, vectorised};
use crate::{FactoredOperator, LcpOperator};
use core::slice::ChunksExact;

/// Runs code that is compiled for each number of rows that a block may have.
macro_rules! by_size {
    ($size:expr, $n:ident => $run:expr) => {
        match $size {
            1 => by_size!(@ $n, 1, $run),
            2 => by_size!(@ $n, 2, $run),
            3 => by_size!(@ $n, 3, $run),
            4 => by_size!(@ $n, 4, $run),
            5 => by_size!(@ $n, 5, $run),
            _ => by_size!(@ $n, 6, $run),
        }
    };
    (@ $n:ident, $size:literal, $run:expr) => {{
        const $n: usize = $size;
        $run
    }};
}

pub(crate) mod side_by_side;

/// Which matrix is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weighing {
    /// A.
    Inertia,
    /// The matrix of the same rows between bodies of equal mass, which distinguishes redundant rows from light bodies
    /// beside heavy ones.
    EqualMasses,
}

/// The numbers of the factors: for each block first the factor of its pivot (unit lower triangle below, the inverse of D on the diagonal), then its
/// column.
#[derive(Debug, Default)]
pub(super) struct BlockFactors {
    values: Vec<f64>,
    /// The column of a block before it is divided by the pivot.
    column: Vec<f64>,
    own: Vec<f64>,
    /// Blocks with a pivot that is small beside its diagonal entry.
    pub(super) suspects: Vec<usize>,
}

/// A pivot of at most this, relative to the diagonal entry it came from, may belong to a row that depends on others, or to a heavy body among light
/// ones.
const SUSPECT: f64 = 1e-4;

impl BlockFactors {
    /// Reads the numbers of A.
    pub(super) fn read(&mut self, op: &FactoredOperator, graph: &BlockGraph, weighing: Weighing) {
        vectorised(Read { factors: self, op, graph, weighing });
    }

    #[inline(always)]
    fn read_numbers(&mut self, op: &FactoredOperator, graph: &BlockGraph, weighing: Weighing) {
        self.values.clear();
        self.values.resize(graph.values, 0.0);
        self.own.clear();
        match weighing {
            Weighing::Inertia => self.add_sources(op, graph, |_| 1.0),
            Weighing::EqualMasses => self.add_sources(op, graph, |body| 1.0 / op.weight_scale(body)),
        }
        for block in &graph.blocks {
            for (k, &row) in graph.rows[block.rows.clone()].iter().enumerate() {
                let diagonal = &mut self.values[block.diagonal + k * (block.len() + 1)];
                let (whole, cfm) = (op.diagonal(row), op.compliance(row));
                match weighing {
                    Weighing::Inertia => *diagonal += cfm,
                    // a row that yields is not redundant: its share of the diagonal is kept
                    Weighing::EqualMasses if cfm > 0.0 && whole > cfm => *diagonal *= whole / (whole - cfm),
                    Weighing::EqualMasses => {}
                }
                self.own.push(*diagonal);
            }
        }
    }

    /// Enlarges the diagonal entries by this fraction of themselves.
    pub(super) fn yields(&mut self, graph: &BlockGraph, fraction: f64) {
        for block in &graph.blocks {
            for (k, own) in self.own[block.rows.clone()].iter().enumerate() {
                self.values[block.diagonal + k * (block.len() + 1)] += fraction * own;
            }
        }
    }

    /// Adds the coupling of blocks through common bodies, each times a number for its body.
    #[inline(always)]
    fn add_sources(&mut self, op: &FactoredOperator, graph: &BlockGraph, scale: impl Fn(u32) -> f64) {
        // a loop, since closures called by a fold would not be compiled for wide registers
        for source in &graph.sources {
            self.add(op, graph, source, scale(source.body));
        }
    }

    /// Adds the coupling of two blocks through a common body.
    #[inline(always)]
    fn add(&mut self, op: &FactoredOperator, graph: &BlockGraph, source: &Source, scale: f64) {
        let [i, k] = source.blocks.map(|block| &graph.blocks[block]);
        // most are between joints with equally many rows, which are consecutive
        if let ([Some(first), Some(other)], true) = ([i.first, k.first], i.len() == k.len()) {
            by_size!(k.len(), N => self.add_square::<N>(op, [first, other], source, scale));
        } else {
            by_size!(k.len(), N => self.add_columns::<N>(op, graph, source, scale));
        }
    }

    /// The same for two blocks of N rows, given their first rows.
    #[inline(always)]
    fn add_square<const N: usize>(&mut self, op: &FactoredOperator, firsts: [usize; 2], source: &Source, scale: f64) {
        let [Some(i), Some(k)] = firsts.map(|first| op.factored_rows()[first..].first_chunk::<N>()) else { return };
        let Some(to) = self.values[source.values..].as_chunks_mut::<N>().0.first_chunk_mut::<N>() else { return };
        let [left, right] = source.sides;
        // everything is read before anything is written: the compiler cannot know that rows and factors do not overlap
        let mut products = [[0.0; N]; N];
        if source.blocks[0] == source.blocks[1] {
            // only the lower triangle of a pivot is read
            for r in 0..N {
                for c in 0..=r {
                    products[r][c] = six_dot(&i[r].jacobian[left], &k[c].weighted[right]) * scale;
                }
            }
            for r in 0..N {
                for c in 0..=r {
                    to[r][c] += products[r][c];
                }
            }
        } else {
            for r in 0..N {
                for c in 0..N {
                    products[r][c] = six_dot(&i[r].jacobian[left], &k[c].weighted[right]) * scale;
                }
            }
            for r in 0..N {
                for c in 0..N {
                    to[r][c] += products[r][c];
                }
            }
        }
    }

    /// The same for a block of N columns.
    fn add_columns<const N: usize>(&mut self, op: &FactoredOperator, graph: &BlockGraph, source: &Source, scale: f64) {
        let rows = op.factored_rows();
        let rows_of = |block: usize| &graph.rows[graph.blocks[block].rows.clone()];
        let (i, k) = (rows_of(source.blocks[0]), rows_of(source.blocks[1]));
        let [left, right] = source.sides;
        let to = self.values[source.values..][..i.len() * N].as_chunks_mut::<N>().0;
        let is_pivot = source.blocks[0] == source.blocks[1];
        for (c, &column) in k.iter().enumerate().take(N) {
            let weighted = &rows[column].weighted[right];
            let first = if is_pivot { c } else { 0 };
            for (&row, to) in i.iter().zip(to.iter_mut()).skip(first) {
                to[c] += six_dot(&rows[row].jacobian[left], weighted) * scale;
            }
        }
    }

    /// Factorises; returns the least pivot as a fraction of the diagonal entry it came from, NaN if one is.
    pub(super) fn factorise(&mut self, graph: &BlockGraph) -> f64 {
        vectorised(Factorisation { factors: self, graph })
    }

    #[inline(always)]
    fn factorise_blocks(&mut self, graph: &BlockGraph) -> f64 {
        let mut least = 1.0;
        self.suspects.clear();
        for (k, block) in graph.blocks.iter().enumerate() {
            let of_block = by_size!(block.len(), N => self.eliminate::<N>(graph, block));
            if of_block <= SUSPECT {
                self.suspects.push(k);
            }
            least = worse(least, of_block);
        }
        least
    }

    /// The least pivot of the suspect blocks, each taken alone and between bodies of equal mass, as a fraction of the diagonal entry it came from.
    pub(super) fn least_alone(&self, op: &FactoredOperator, graph: &BlockGraph) -> f64 {
        let alone = |&k: &usize| by_size!(graph.blocks[k].len(), N => least_of_block::<N>(op, graph, &graph.blocks[k]));
        self.suspects.iter().map(alone).fold(1.0, worse)
    }

    /// Eliminates a block of N rows.
    #[inline(always)]
    fn eliminate<const N: usize>(&mut self, graph: &BlockGraph, block: &Block) -> f64 {
        let Self { values, column, own, .. } = self;
        let mut pivot = [[0.0; N]; N];
        let stored = values[block.diagonal..][..N * N].as_chunks_mut::<N>().0;
        pivot.copy_from_slice(stored);
        let least = invert(&mut pivot, &own[block.rows.clone()]);
        stored.copy_from_slice(&pivot);
        let below = &graph.below[block.below.clone()];
        let Some(first) = below.first() else { return least };
        // the column is stored behind its pivot
        let length: usize = below.iter().map(|b| N * b.len).sum();
        let divided = &mut values[first.values..][..length];
        column.clear();
        column.extend_from_slice(divided);
        divided.as_chunks_mut::<N>().0.iter_mut().for_each(|row| divide(&pivot, row));
        let mut targets = graph.targets[block.targets.clone()].iter();
        for (j, right) in below.iter().enumerate() {
            let raw = &column[right.values - first.values..].as_chunks::<N>().0[..right.len];
            for left in &below[j..] {
                let Some(&target) = targets.next() else { break };
                // blocks eliminated later are stored behind
                let (head, tail) = values.split_at_mut(target);
                let from = &head[left.values..].as_chunks::<N>().0[..left.len];
                // most are between blocks of the same size
                if let (Ok(from), Ok(raw)) = (<&[_; N]>::try_from(from), <&[_; N]>::try_from(raw)) {
                    let to = tail.as_chunks_mut::<N>().0;
                    from.iter().zip(to).for_each(|(row, to)| subtract(row, raw, to));
                    continue;
                }
                for (row, to) in from.iter().zip(tail.chunks_exact_mut(right.len)) {
                    subtract(row, raw, to);
                }
            }
        }
        least
    }

    /// Solves for the negative of w; the answer is in the order of elimination.
    pub(super) fn solve(&self, graph: &BlockGraph, w: &[f64], x: &mut Vec<f64>) {
        x.clear();
        x.extend(graph.rows.iter().map(|&row| -w[row]));
        vectorised(Solution { factors: self, graph, x });
    }

    #[inline(always)]
    fn solve_blocks(&self, graph: &BlockGraph, x: &mut [f64]) {
        for run in &graph.runs {
            let blocks = &graph.blocks[run.clone()];
            by_size!(blocks[0].len(), N => self.forwards::<N>(graph, blocks, x));
        }
        for run in graph.runs.iter().rev() {
            let blocks = &graph.blocks[run.clone()];
            by_size!(blocks[0].len(), N => self.backwards::<N>(graph, blocks, x));
        }
    }

    /// Forward elimination for a run of blocks of N rows: subtracts each block's contribution from the later ones and
    /// divides it by its pivot.
    ///
    /// A block passes its numbers on to the next one directly: written to memory and read back in wider loads, each would have to
    /// wait.
    #[inline(always)]
    fn forwards<const N: usize>(&self, graph: &BlockGraph, run: &[Block], x: &mut [f64]) {
        let [links @ .., last] = run else { return };
        if let Some(first) = links.first() {
            let own = x[first.rows.start..last.rows.end].as_chunks_mut::<N>().0;
            let numbers = self.numbers::<N>(first, links.len());
            let mut known = own[0];
            for (link, to) in numbers.zip(&mut own[1..]) {
                known = core::array::from_fn(|r| to[r] - dot(&link[N + r], &known));
                *to = known;
            }
            for (link, own) in self.numbers::<N>(first, links.len()).zip(own) {
                link.first_chunk().into_iter().for_each(|pivot| divide(pivot, own));
            }
        }
        let (before, later) = x.split_at_mut(last.rows.end);
        let Some(own) = before.last_chunk_mut::<N>() else { return };
        for below in &graph.below[last.below.clone()] {
            let factor = self.values[below.values..].as_chunks::<N>().0;
            for (to, row) in later[below.first - last.rows.end..][..below.len].iter_mut().zip(factor) {
                *to -= dot(row, own);
            }
        }
        if let Some(pivot) = self.values[last.diagonal..].as_chunks::<N>().0.first_chunk::<N>() {
            divide(pivot, own);
        }
    }

    /// Back substitution for a run of blocks: subtracts the later blocks' answers.
    #[inline(always)]
    fn backwards<const N: usize>(&self, graph: &BlockGraph, run: &[Block], x: &mut [f64]) {
        let [links @ .., last] = run else { return };
        let (before, later) = x.split_at_mut(last.rows.end);
        let Some((before, known)) = before.split_last_chunk_mut::<N>() else { return };
        let mut known = {
            for below in &graph.below[last.below.clone()] {
                let factor = self.values[below.values..].as_chunks::<N>().0;
                for (from, row) in later[below.first - last.rows.end..][..below.len].iter().zip(factor) {
                    take(known, row, *from);
                }
            }
            *known
        };
        let Some(first) = links.first() else { return };
        let own = before[first.rows.start..].as_chunks_mut::<N>().0;
        for (link, own) in self.numbers::<N>(first, links.len()).zip(own).rev() {
            for (from, row) in known.iter().zip(&link[N..]) {
                take(own, row, *from);
            }
            known = *own;
        }
    }

    /// For this many blocks of a run, from this one on: the N rows of the pivot, and those of the block below it.
    #[inline(always)]
    fn numbers<const N: usize>(&self, first: &Block, blocks: usize) -> ChunksExact<'_, [f64; N]> {
        self.values[first.diagonal..].as_chunks::<N>().0[..2 * N * blocks].chunks_exact(2 * N)
    }
}

/// [`BlockFactors::read`].
struct Read<'a> {
    factors: &'a mut BlockFactors,
    op: &'a FactoredOperator,
    graph: &'a BlockGraph,
    weighing: Weighing,
}

impl Work for Read<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.factors.read_numbers(self.op, self.graph, self.weighing);
    }
}

/// [`BlockFactors::factorise`].
struct Factorisation<'a> {
    factors: &'a mut BlockFactors,
    graph: &'a BlockGraph,
}

impl Work for Factorisation<'_> {
    type Output = f64;

    #[inline(always)]
    fn run(self) -> f64 {
        self.factors.factorise_blocks(self.graph)
    }
}

/// [`BlockFactors::solve`], from the right-hand side.
struct Solution<'a> {
    factors: &'a BlockFactors,
    graph: &'a BlockGraph,
    x: &'a mut [f64],
}

impl Work for Solution<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.factors.solve_blocks(self.graph, self.x);
    }
}

/// Subtracts the products of a row with others from numbers.
#[inline(always)]
fn subtract<const N: usize>(row: &[f64; N], others: &[[f64; N]], to: &mut [f64]) {
    for (to, other) in to.iter_mut().zip(others) {
        *to -= dot(row, other);
    }
}

/// Subtracts a multiple of a row from numbers.
#[inline(always)]
fn take<const N: usize>(from: &mut [f64; N], row: &[f64; N], by: f64) {
    for (from, l) in from.iter_mut().zip(row) {
        *from -= l * by;
    }
}

/// The least pivot of a block alone between bodies of equal mass.
fn least_of_block<const N: usize>(op: &FactoredOperator, graph: &BlockGraph, block: &Block) -> f64 {
    let rows = &graph.rows[block.rows.clone()];
    let mut matrix = [[0.0; N]; N];
    for (to, &i) in matrix.iter_mut().zip(rows) {
        for (to, &j) in to.iter_mut().zip(rows) {
            *to = op.equal_mass_entry(i, j);
        }
    }
    let own: [f64; N] = core::array::from_fn(|k| matrix[k][k]);
    invert(&mut matrix, &own)
}

/// min(a, b) that keeps a NaN.
fn worse(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.min(b) }
}

#[inline(always)]
fn dot<const N: usize>(a: &[f64; N], b: &[f64; N]) -> f64 {
    let mut sum = 0.0;
    for k in 0..N {
        sum += a[k] * b[k];
    }
    sum
}

/// Replaces a symmetric block by its factors; returns the least pivot as a fraction of the entry in `own`. A row without a pivot, such as a repeated one, takes no part in a
/// solution.
#[inline(always)]
fn invert<const N: usize>(block: &mut [[f64; N]; N], own: &[f64]) -> f64 {
    let mut least = 1.0;
    for j in 0..N {
        let pivot = block[j][j];
        least = worse(least, if own[j] > 0.0 { pivot / own[j] } else { 0.0 });
        let inverse = if pivot == 0.0 { 0.0 } else { 1.0 / pivot };
        block[j][j] = inverse;
        // the column before it is divided by the pivot
        let raw: [f64; N] = core::array::from_fn(|i| block[i][j]);
        for i in j + 1..N {
            block[i][j] *= inverse;
            for k in j + 1..=i {
                block[i][k] -= block[i][j] * raw[k];
            }
        }
    }
    least
}

/// Replaces a vector by the solution of the block's equations.
#[inline(always)]
fn divide<const N: usize>(block: &[[f64; N]; N], x: &mut [f64; N]) {
    for i in 1..N {
        for k in 0..i {
            x[i] -= block[i][k] * x[k];
        }
    }
    for i in (0..N).rev() {
        x[i] *= block[i][i];
        for k in i + 1..N {
            x[i] -= block[k][i] * x[k];
        }
    }
}
