use crate::budget::WORK;
use crate::buffers::{Kept, collect, copy, refill};
use crate::linear::DenseSystems;
use crate::parameters::parameters;
use crate::reduction::Reduction;
use crate::solver::{SolverMemory, affordable, check_dense, check_start, memory_methods, quarantine};
use crate::{DenseOperator, LcpError, LcpReport, LcpSolver, LcpStatus, Measure, ProblemView, natural_residual};

const NAME: &str = "lemke";
/// Entries below this, relative to the pivot column's largest, cannot be pivots.
const PIVOT_TOLERANCE: f64 = 1e-10;
/// Ratios closer than this, relative to their size, are a tie, which the next lexicographic column decides.
const TIE_TOLERANCE: f64 = 1e-11;

parameters! {
    /// Lemke's method: complementary pivoting along v = M z + q + d z_0 from z_0 large to z_0 = 0, with lexicographic ties.
    ///
    /// Boxes, free rows and dependent bounds are first rewritten as a standard LCP, exactly. The start value is not used.
    ///
    /// # Cost
    /// A dense tableau of the LCP's size N (a two-sided row counts twice): 2 N^2 multiplications per pivot, about N pivots on
    /// contact problems, 2^N at worst. Memory 2 N^2.
    ///
    /// # When it fails
    /// It ends on a ray where M is not copositive-plus (or another class that it processes), although a solution may exist.
    /// The tableau is updated in floating point: badly scaled large problems lose digits, which one solve with the final basis mends in part.
    ///
    /// # Source
    /// Cottle, Pang, Stone: The Linear Complementarity Problem, 4.4.1-4.4.5, 4.9; named in Erleben 2005, 8.5 (F-30).
    #[derive(Debug, Clone)]
    pub struct Lemke {
        /// largest number of pivots
        iterations: usize = count(10_000),
        /// limit on multiplications per solve
        work: f64 = positive(WORK),
        /// solve once more with the final basis
        refine: bool = switch(true),
        /// when the residual is measured; history also keeps its value at each iteration
        measure: Measure = choice(AtEnd),
        /// memory between solves
        memory: SolverMemory = given(SolverMemory::default()),
        /// matrix, factors and vectors
        workspace: Kept<LemkeWorkspace> = given(Kept::default()),
    }
}

/// Buffers of [`Lemke`] between solves.
#[derive(Debug, Default)]
pub struct LemkeWorkspace {
    reduction: Reduction,
    tableau: Tableau,
    outcome: Outcome,
    refinement: Refinement,
    /// The x of the refined solution.
    refined: Vec<f64>,
}

/// Pivots that must be affordable before a tableau is made, as a fraction of its rows.
const FEW: f64 = 0.1;

/// The tableau: N rows over the columns v (which hold the basis inverse), z, z_0 and the right-hand side.
#[derive(Debug, Default)]
struct Tableau {
    n: usize,
    width: usize,
    cells: Vec<f64>,
    basis: Vec<usize>,
    /// Rows that may leave.
    candidates: Vec<usize>,
}

impl Tableau {
    fn begin(&mut self, m: &DenseOperator, q: &[f64]) {
        let n = q.len();
        let width = 2 * n + 2;
        let Self { cells, basis, .. } = self;
        refill(cells, n * width, 0.0);
        for (i, row) in cells.chunks_exact_mut(width).enumerate() {
            row[i] = 1.0;
            for (cell, m) in row[n..2 * n].iter_mut().zip(m.row(i)) {
                *cell = -m;
            }
            row[2 * n] = -1.0;
            row[2 * n + 1] = q[i];
        }
        collect(basis, 0..n);
        (self.n, self.width) = (n, width);
    }

    fn right(&self, i: usize) -> f64 {
        self.cells[i * self.width + self.width - 1]
    }

    fn pivot(&mut self, row: usize, column: usize) {
        eliminate(&mut self.cells, self.width, row, column);
        self.basis[row] = column;
    }

    /// The row that leaves for `column`: lexicographically least (right-hand side, basis inverse row) / pivot.
    fn leaving(&mut self, column: usize) -> Option<usize> {
        let Self { n, width, cells, basis, candidates } = self;
        let entry = |i: usize| cells[i * *width + column];
        let scale = (0..*n).fold(0.0_f64, |m, i| m.max(entry(i).abs()));
        collect(candidates, (0..*n).filter(|&i| entry(i) > PIVOT_TOLERANCE * scale.max(1.0)));
        // Columns in lexicographic order: the right-hand side, then the basis inverse.
        for k in std::iter::once(*width - 1).chain(0..*n) {
            if candidates.len() <= 1 {
                break;
            }
            let ratio = |i: usize| cells[i * *width + k] / entry(i);
            let least = candidates.iter().map(|&i| ratio(i)).fold(f64::INFINITY, f64::min);
            let limit = least + TIE_TOLERANCE * least.abs().max(1.0);
            candidates.retain(|&i| ratio(i) <= limit);
            // Once z_0 is among the first ties, letting it go ends the method with a solution.
            if k == *width - 1
                && let Some(&i) = candidates.iter().find(|&&i| basis[i] == 2 * *n)
            {
                return Some(i);
            }
        }
        candidates.first().copied()
    }
}

/// Gauss-Jordan elimination of a column from all rows but one, which is divided by its entry there.
pub(crate) fn eliminate(cells: &mut [f64], width: usize, row: usize, column: usize) {
    let (before, rest) = cells.split_at_mut(row * width);
    let (pivot_row, after) = rest.split_at_mut(width);
    let inverse = 1.0 / pivot_row[column];
    for cell in &mut *pivot_row {
        *cell *= inverse;
    }
    pivot_row[column] = 1.0;
    for other in before.chunks_exact_mut(width).chain(after.chunks_exact_mut(width)) {
        let factor = other[column];
        if factor != 0.0 {
            for (cell, p) in other.iter_mut().zip(&*pivot_row) {
                *cell -= factor * p;
            }
            other[column] = 0.0;
        }
    }
}

/// The outcome of pivoting: the status, the number of pivots, and z.
#[derive(Debug)]
struct Outcome {
    status: LcpStatus,
    pivots: usize,
    z: Vec<f64>,
    basic: Vec<bool>,
}

impl Default for Outcome {
    fn default() -> Self {
        Self { status: LcpStatus::Converged, pivots: 0, z: Vec::new(), basic: Vec::new() }
    }
}

fn complementary_pivoting(m: &DenseOperator, q: &[f64], limit: usize, tableau: &mut Tableau, outcome: &mut Outcome) {
    let n = q.len();
    (outcome.status, outcome.pivots) = (LcpStatus::Converged, 0);
    refill(&mut outcome.z, n, 0.0);
    refill(&mut outcome.basic, n, false);
    // The first row out is the most negative q_i; among ties the last, which is the lexicographic choice.
    let mut first = None;
    for (i, &q) in q.iter().enumerate() {
        if q < 0.0 && first.is_none_or(|(_, least)| q <= least) {
            first = Some((i, q));
        }
    }
    let Some((first, _)) = first else {
        return;
    };
    tableau.begin(m, q);
    tableau.pivot(first, 2 * n);
    let mut entering = first + n;
    outcome.pivots = 1;
    outcome.status = LcpStatus::IterationLimit;
    while outcome.pivots < limit {
        let Some(row) = tableau.leaving(entering) else {
            outcome.status = LcpStatus::Ray;
            break;
        };
        let leaving = tableau.basis[row];
        tableau.pivot(row, entering);
        outcome.pivots += 1;
        if leaving == 2 * n {
            outcome.status = LcpStatus::Converged;
            break;
        }
        entering = if leaving < n { leaving + n } else { leaving - n };
    }
    for (row, &variable) in tableau.basis.iter().enumerate() {
        if (n..2 * n).contains(&variable) {
            outcome.z[variable - n] = tableau.right(row).max(0.0);
            outcome.basic[variable - n] = true;
        }
    }
}

/// Solves the final basis anew.
#[derive(Debug, Default)]
struct Refinement {
    basic: Vec<usize>,
    block: DenseOperator,
    right: Vec<f64>,
    values: Vec<f64>,
    systems: DenseSystems,
    z: Vec<f64>,
}

impl Refinement {
    /// Solves M_BB z_B = -q_B for the final basis, into z.
    fn solve(&mut self, m: &DenseOperator, q: &[f64], outcome: &Outcome) {
        let Self { basic, block, right, values, systems, z } = self;
        collect(basic, (0..q.len()).filter(|&i| outcome.basic[i]));
        block.refill(basic.len(), |entries| {
            for &i in &*basic {
                entries.extend(basic.iter().map(|&j| m.get(i, j)));
            }
        });
        collect(right, basic.iter().map(|&i| -q[i]));
        collect(values, basic.iter().map(|&i| outcome.z[i]));
        systems.solve_ranked(block, f64::EPSILON, right, values);
        refill(z, q.len(), 0.0);
        for (&i, value) in basic.iter().zip(values) {
            z[i] = value.max(0.0);
        }
    }
}

impl LcpSolver for Lemke {
    fn is_direct(&self) -> bool {
        true
    }

    fn solve(&mut self, problem: &ProblemView<'_>, x: &mut [f64]) -> Result<LcpReport, LcpError> {
        check_start(problem, x)?;
        check_dense(&problem.operator)?;
        let budget = &mut self.memory.budget;
        budget.begin(self.work);
        let (rows, set_up) = Reduction::cost(problem);
        let pivot = 2.0 * rows * rows;
        // no tableau is made if too few pivots are affordable to get anywhere
        if !budget.allows(set_up + FEW * rows * pivot) {
            let report = LcpReport { status: LcpStatus::IterationLimit, iterations: 0, residual: None, change: 0.0 };
            return Ok(self.memory.finish(problem, x, self.measure, false, report));
        }
        budget.count(set_up);
        let LemkeWorkspace { reduction, tableau, outcome, refinement, refined } = &mut self.workspace.0;
        reduction.make(problem, NAME)?;
        let most = affordable(self.memory.budget.left(), pivot, self.iterations);
        complementary_pivoting(&reduction.m, &reduction.q, most, tableau, outcome);
        self.memory.budget.count(outcome.pivots as f64 * pivot);
        if outcome.status == LcpStatus::IterationLimit && outcome.pivots < self.iterations {
            self.memory.budget.allows(pivot);
        }
        reduction.recover(&outcome.z, x);
        let mut status = outcome.status;
        if quarantine(problem, x) {
            status = LcpStatus::Failed;
        }
        let mut residual = natural_residual(problem, x, &mut self.memory.residual);
        if self.refine && status == LcpStatus::Converged {
            refinement.solve(&reduction.m, &reduction.q, outcome);
            copy(refined, x);
            reduction.recover(&refinement.z, refined);
            let better = natural_residual(problem, refined, &mut self.memory.residual);
            if better < residual {
                x.copy_from_slice(refined);
                residual = better;
            }
        }
        self.memory.history.clear();
        if self.measure == Measure::History {
            self.memory.history.push(residual);
        }
        let report = LcpReport { status, iterations: outcome.pivots, residual: None, change: 0.0 };
        Ok(self.memory.finish_claim(problem, x, self.measure, 0.0, report))
    }

    memory_methods!(NAME);
}
