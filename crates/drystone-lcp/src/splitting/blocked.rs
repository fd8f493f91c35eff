use crate::methods::sweep_methods;
use crate::parameters::parameters;
use crate::solver::{SolverMemory, Stop};
use crate::{LcpOperator, LcpReport, Measure, ProblemView, StepTest};

const NAME: &str = "blocked-gauss-seidel";
/// Inner sweeps over a block, at most.
const INNER_SWEEPS: usize = 30;
/// Inner sweeps end when no unknown changed by more than this, relative to the block's largest.
const INNER_TOLERANCE: f64 = 1e-14;

parameters! {
    /// Gauss-Seidel by blocks: a row and all rows whose bounds depend on it (a contact's normal and frictions) are solved together,
    /// by inner sweeps on their own small matrix, before the next block's turn. Rows alone are blocks of one.
    ///
    /// # Cost
    /// A product per row and block, inner sweeps on matrices of the block's size. The blocks' matrices are entries of A, formed once per solve.
    ///
    /// # When it fails
    /// As Gauss-Seidel; it converges in fewer sweeps where friction and normal are strongly coupled, not where contacts are.
    ///
    /// # Source
    /// Erleben 2005, section 4.16.2 (block forms; F-10).
    #[derive(Debug, Clone)]
    pub struct BlockedGaussSeidel {
        /// largest number of sweeps
        iterations: usize = count(10),
        /// tests on the step; off by default
        step: StepTest = part(StepTest::default()),
        /// stops at this residual, if it is measured every iteration
        tolerance: f64 = not_negative(0.0),
        /// when the residual is measured; history also keeps its value at each iteration
        measure: Measure = choice(AtEnd),
        /// memory between solves
        memory: SolverMemory = given(SolverMemory::default()),
        /// blocks of the current problem
        blocks: Blocks = given(Blocks::default()),
    }
}

/// The rows that depend on each other, parents first, and the memory for solving them, which is kept from solve to solve.
#[derive(Debug, Default)]
pub struct Blocks {
    /// The block of each row.
    of_row: Vec<u32>,
    /// The rows block by block; where each block begins, and the end.
    rows: Vec<usize>,
    begin: Vec<usize>,
    /// The matrices block by block, row by row; where each begins, and the end.
    entries: Vec<f64>,
    matrix: Vec<usize>,
    /// A x + b of a block's rows, and x before its turn.
    w: Vec<f64>,
    before: Vec<f64>,
}

impl Clone for Blocks {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Blocks {
    fn find<O: LcpOperator + ?Sized>(&mut self, op: &O, problem: &ProblemView<'_>) {
        self.group(problem);
        let Self { rows, begin, entries, matrix, w, before, .. } = self;
        entries.clear();
        matrix.clear();
        matrix.push(0);
        let mut largest = 0;
        for range in begin.windows(2) {
            let rows = &rows[range[0]..range[1]];
            entries.extend(rows.iter().flat_map(|&i| rows.iter().map(move |&j| op.entry(i, j))));
            matrix.push(entries.len());
            largest = largest.max(rows.len());
        }
        for column in [w, before] {
            column.clear();
            column.resize(largest, 0.0);
        }
    }

    /// Finds the rows of each block: blocks in the order of their first rows, in each block its root, then the others in
    /// order.
    fn group(&mut self, problem: &ProblemView<'_>) {
        let Self { of_row, rows, begin, .. } = self;
        let n = problem.len();
        let root_of = |i: usize| {
            let mut root = i;
            while let Some(parent) = problem.parent(root) {
                root = parent;
            }
            root
        };
        of_row.clear();
        of_row.resize(n, u32::MAX);
        begin.clear();
        begin.push(0);
        for i in 0..n {
            let root = root_of(i);
            if of_row[root] == u32::MAX {
                of_row[root] = begin.len() as u32 - 1;
                begin.push(0);
            }
            of_row[i] = of_row[root];
            begin[of_row[root] as usize + 1] += 1;
        }
        for k in 1..begin.len() {
            begin[k] += begin[k - 1];
        }
        rows.clear();
        rows.resize(n, 0);
        // a root goes to the front of its block; the others fill it from there, which moves its beginning to that of the
        // next
        for i in (0..n).filter(|&i| problem.parent(i).is_none()) {
            let at = &mut begin[of_row[i] as usize];
            rows[*at] = i;
            *at += 1;
        }
        for i in (0..n).filter(|&i| problem.parent(i).is_some()) {
            let at = &mut begin[of_row[i] as usize];
            rows[*at] = i;
            *at += 1;
        }
        begin.rotate_right(1);
        begin[0] = 0;
    }
}

/// Inner sweeps over the rows of a block; `w` is A x + b of them.
fn solve_block(problem: &ProblemView<'_>, rows: &[usize], matrix: &[f64], x: &mut [f64], w: &mut [f64]) {
    let size = rows.len();
    for _ in 0..INNER_SWEEPS {
        let (mut change, mut scale) = (0.0_f64, 0.0_f64);
        for (k, &i) in rows.iter().enumerate() {
            let diagonal = matrix[k * size + k];
            let mut set = |c: usize, row: usize, new: f64, x: &mut [f64], w: &mut [f64]| {
                let dx = new - x[row];
                x[row] = new;
                for (l, w) in w.iter_mut().enumerate().take(size) {
                    *w += matrix[l * size + c] * dx;
                }
                change = change.max(dx.abs());
                scale = scale.max(new.abs());
            };
            if let Some((partner, disc)) = problem.disc(i, x) {
                // both are updated at the turn of the first
                if let Some(l) = rows[k..].iter().position(|&r| r == partner).map(|l| k + l) {
                    let entries = [diagonal, matrix[k * size + l], matrix[l * size + l]];
                    let [first, second] = disc.minimum(entries, [w[k], w[l]], [x[i], x[partner]]);
                    set(k, i, first, x, w);
                    set(l, partner, second, x, w);
                }
                continue;
            }
            let (lo, hi) = problem.bounds(i, x);
            let step = if diagonal > 0.0 { w[k] / diagonal } else { 0.0 };
            set(k, i, (x[i] - step).max(lo).min(hi), x, w);
        }
        if size == 1 || change <= INNER_TOLERANCE * scale || !change.is_finite() {
            break;
        }
    }
}

impl BlockedGaussSeidel {
    fn run<O: LcpOperator + ?Sized>(&mut self, op: &O, problem: &ProblemView<'_>, x: &mut [f64]) -> LcpReport {
        let Self { memory, blocks, .. } = self;
        let mut report = memory.begin(problem, x, self.measure);
        blocks.find(op, problem);
        let Blocks { rows: all, begin, entries, matrix, w, before, .. } = blocks;
        op.start(x, &mut memory.accumulator);
        while report.iterations < self.iterations {
            let acc = &mut memory.accumulator;
            report.change = 0.0;
            for (range, place) in begin.windows(2).zip(matrix.windows(2)) {
                let (rows, matrix) = (&all[range[0]..range[1]], &entries[place[0]..place[1]]);
                let size = rows.len();
                for (k, &i) in rows.iter().enumerate() {
                    w[k] = op.row_dot(i, x, acc) + problem.b[i];
                    before[k] = x[i];
                }
                solve_block(problem, rows, matrix, x, &mut w[..size]);
                for (k, &i) in rows.iter().enumerate() {
                    let dx = x[i] - before[k];
                    if dx != 0.0 {
                        op.bump(i, dx, acc);
                        report.change = report.change.max(dx.abs());
                    }
                }
            }
            report.iterations += 1;
            let stop = Stop { step: self.step, measure: self.measure, tolerance: self.tolerance };
            if memory.ends(problem, x, stop, &mut report) {
                break;
            }
        }
        report
    }
}

sweep_methods!(BlockedGaussSeidel);
