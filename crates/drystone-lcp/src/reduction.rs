use crate::budget::ENTRY;
use crate::operator::dense::dot;
use crate::{DenseOperator, LcpError, ProblemView, RankRevealingFactors};

/// Pivots below this, relative to the largest entry, count as zero when free rows are eliminated.
const RANK_TOLERANCE: f64 = 1e-12;

/// A boxed LCP with dependent bounds, rewritten as a standard LCP v = M z + q, v >= 0, z >= 0, v z = 0.
///
/// x = c + T p, p >= 0: x_i = lo_i + p_i, or hi_i - p_i where only hi is finite, or -mu_i x_j + p_i for a dependent row; fixed rows
/// (lo = hi) are constants; free rows are eliminated by w = 0. Two-sided rows get a second variable r, the multiplier of
/// the upper bound: v = w + r against p, and hi_i - lo_i - p_i (or 2 mu_i x_j - p_i) against r. z = (p, r).
#[derive(Debug)]
pub(crate) struct Reduction {
    pub(crate) m: DenseOperator,
    pub(crate) q: Vec<f64>,
    constant: Vec<f64>,
    map: Vec<f64>,
    variables: usize,
    /// The row of each variable p.
    owners: Vec<usize>,
    /// The row of each variable r.
    two_sided: Vec<usize>,
}

/// How a row of the boxed problem is written in the LCP.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Fixed(f64),
    Free,
    FromLower { two_sided: bool },
    FromUpper,
    Dependent(usize),
}

impl Reduction {
    /// The rows of M, and the multiplications that it takes to make it.
    pub(crate) fn cost(problem: &ProblemView<'_>) -> (f64, f64) {
        let (mut variables, mut two_sided, mut free) = (0.0, 0.0, 0.0);
        for i in 0..problem.len() {
            match kind(problem, i) {
                Kind::Fixed(_) => {}
                Kind::Free => free += 1.0,
                Kind::FromLower { two_sided: false } | Kind::FromUpper => variables += 1.0,
                Kind::FromLower { two_sided: true } | Kind::Dependent(_) => {
                    variables += 1.0;
                    two_sided += 1.0;
                }
            }
        }
        let (n, rows) = (problem.len() as f64, variables + two_sided);
        // A and M, and free rows eliminated and put in
        (rows, ENTRY * n * n + rows * rows + free * (free * free + 3.0 * n * variables))
    }

    /// # Errors
    /// [`LcpError::Unsupported`] where a row depends on one that may become negative.
    pub(crate) fn new(problem: &ProblemView<'_>, solver: &'static str) -> Result<Self, LcpError> {
        let mut rows = Coordinates::new(problem, solver)?;
        let a = problem.operator.to_dense();
        rows.eliminate_free(&a, problem.b);
        let two_sided = rows.two_sided();
        let size = rows.owners.len() + two_sided.len();
        let (mut m, mut q) = (DenseOperator::zeros(size), vec![0.0; size]);
        rows.write_complements(&a, problem.b, &mut m, &mut q);
        rows.write_slacks(problem, &two_sided, &mut m, &mut q);
        let Coordinates { constant, map, owners, .. } = rows;
        Ok(Self { m, q, constant, map, variables: owners.len(), owners, two_sided })
    }

    /// z = (p, r) for an x, moved into its bounds, with r the part of w that the upper bounds hold against.
    pub(crate) fn variables_of(&self, problem: &ProblemView<'_>, x: &[f64]) -> Vec<f64> {
        let mut w = vec![0.0; x.len()];
        problem.operator.apply(x, &mut vec![0.0; problem.operator.accumulator_len()], &mut w);
        let p = self.owners.iter().map(|&i| {
            let (lo, hi) = problem.bounds(i, x);
            if lo.is_finite() { (x[i] - lo).max(0.0) } else { (hi - x[i]).max(0.0) }
        });
        let r = self.two_sided.iter().map(|&i| (-w[i] - problem.b[i]).max(0.0));
        p.chain(r).collect()
    }

    /// x = c + T p.
    pub(crate) fn recover(&self, z: &[f64], x: &mut [f64]) {
        for (i, x) in x.iter_mut().enumerate() {
            let row = &self.map[i * self.variables..(i + 1) * self.variables];
            *x = self.constant[i] + row.iter().zip(z).map(|(t, p)| t * p).sum::<f64>();
        }
    }
}

fn kind(problem: &ProblemView<'_>, i: usize) -> Kind {
    let (lo, hi) = (problem.lo[i], problem.hi[i]);
    match problem.parent(i) {
        Some(_) if problem.mu[i] == 0.0 => Kind::Fixed(0.0),
        Some(j) if problem.parent(j).is_none() && problem.lo[j] == problem.hi[j] && problem.lo[j] <= 0.0 => {
            Kind::Fixed(0.0)
        }
        Some(j) => Kind::Dependent(j),
        None if lo == hi => Kind::Fixed(lo),
        None if lo == f64::NEG_INFINITY && hi == f64::INFINITY => Kind::Free,
        None if lo == f64::NEG_INFINITY => Kind::FromUpper,
        None => Kind::FromLower { two_sided: hi != f64::INFINITY },
    }
}

/// x = c + T p, row by row.
struct Coordinates {
    kinds: Vec<Kind>,
    constant: Vec<f64>,
    /// T, a row for each x.
    map: Vec<f64>,
    /// The row of each variable p.
    owners: Vec<usize>,
    /// The variable of each row that has one.
    column: Vec<usize>,
}

impl Coordinates {
    fn new(problem: &ProblemView<'_>, solver: &'static str) -> Result<Self, LcpError> {
        let n = problem.len();
        let kinds: Vec<Kind> = (0..n).map(|i| kind(problem, i)).collect();
        let mut column = vec![usize::MAX; n];
        let mut owners = Vec::new();
        for i in 0..n {
            if !matches!(kinds[i], Kind::Fixed(_) | Kind::Free) {
                column[i] = owners.len();
                owners.push(i);
            }
        }
        let map = vec![0.0; n * owners.len()];
        let mut rows = Self { kinds, constant: vec![0.0; n], map, owners, column };
        rows.write_bounded(problem);
        rows.write_dependent(problem, solver)?;
        Ok(rows)
    }

    /// Row i of T.
    fn row(&self, i: usize) -> &[f64] {
        let variables = self.owners.len();
        &self.map[i * variables..(i + 1) * variables]
    }

    /// Rows whose bounds are constant.
    fn write_bounded(&mut self, problem: &ProblemView<'_>) {
        let variables = self.owners.len();
        for (i, kind) in self.kinds.iter().enumerate() {
            let (value, slope) = match kind {
                Kind::Fixed(value) => (*value, None),
                Kind::FromLower { .. } => (problem.lo[i], Some(1.0)),
                Kind::FromUpper => (problem.hi[i], Some(-1.0)),
                Kind::Free | Kind::Dependent(_) => continue,
            };
            self.constant[i] = value;
            if let Some(slope) = slope {
                self.map[i * variables + self.column[i]] = slope;
            }
        }
    }

    /// Rows that depend on others, which are written already.
    fn write_dependent(&mut self, problem: &ProblemView<'_>, solver: &'static str) -> Result<(), LcpError> {
        let variables = self.owners.len();
        for i in 0..self.kinds.len() {
            let Kind::Dependent(j) = self.kinds[i] else { continue };
            let parent_is_nonnegative = match self.kinds[j] {
                Kind::Fixed(_) => true,
                Kind::FromLower { .. } => problem.lo[j] >= 0.0,
                Kind::Free | Kind::FromUpper | Kind::Dependent(_) => false,
            };
            if !parent_is_nonnegative {
                return Err(LcpError::Unsupported { solver, what: "bounds that depend on a row that may be negative" });
            }
            self.constant[i] = -problem.mu[i] * self.constant[j];
            for k in 0..variables {
                self.map[i * variables + k] = -problem.mu[i] * self.map[j * variables + k];
            }
            self.map[i * variables + self.column[i]] += 1.0;
        }
        Ok(())
    }

    /// Solves w_F = 0 for the free rows as functions of p; redundant ones stay at zero.
    fn eliminate_free(&mut self, a: &DenseOperator, b: &[f64]) {
        let (n, variables) = (b.len(), self.owners.len());
        let free: Vec<usize> = (0..n).filter(|&i| self.kinds[i] == Kind::Free).collect();
        if free.is_empty() {
            return;
        }
        let mut block = DenseOperator::zeros(free.len());
        for (r, &i) in free.iter().enumerate() {
            for (c, &j) in free.iter().enumerate() {
                block.set(r, c, a.get(i, j));
            }
        }
        let factors = RankRevealingFactors::new(&block, RANK_TOLERANCE);
        let mut right = vec![0.0; free.len()];
        let mut solution = vec![0.0; free.len()];
        // Column `variables` stands for the constant part.
        for k in 0..=variables {
            for (r, &i) in free.iter().enumerate() {
                let row = a.row(i);
                let sum: f64 = if k < variables {
                    (0..n).map(|j| row[j] * self.map[j * variables + k]).sum()
                } else {
                    b[i] + dot(row, &self.constant)
                };
                right[r] = -sum;
            }
            solution.fill(0.0);
            factors.solve(&right, &mut solution);
            for (&i, &value) in free.iter().zip(&solution) {
                if k < variables {
                    self.map[i * variables + k] = value;
                } else {
                    self.constant[i] = value;
                }
            }
        }
    }

    /// The rows that get a second variable.
    fn two_sided(&self) -> Vec<usize> {
        let bounded_twice =
            |i: &usize| matches!(self.kinds[*i], Kind::FromLower { two_sided: true } | Kind::Dependent(_));
        self.owners.iter().copied().filter(bounded_twice).collect()
    }

    /// v = w, or -w, for the variables p.
    fn write_complements(&self, a: &DenseOperator, b: &[f64], m: &mut DenseOperator, q: &mut [f64]) {
        // what an x is made of, mostly one variable or two
        let nonzero = |j: usize| self.row(j).iter().copied().enumerate().filter(|(_, t)| *t != 0.0).collect();
        let made_of: Vec<Vec<(usize, f64)>> = (0..b.len()).map(nonzero).collect();
        for (row, &i) in self.owners.iter().enumerate() {
            let sign = if self.kinds[i] == Kind::FromUpper { -1.0 } else { 1.0 };
            q[row] = sign * (b[i] + dot(a.row(i), &self.constant));
            let target = m.row_mut(row);
            for (made_of, &aij) in made_of.iter().zip(a.row(i)) {
                if aij != 0.0 {
                    for &(k, t) in made_of {
                        target[k] += sign * aij * t;
                    }
                }
            }
        }
    }

    /// The slack of the upper bounds, for the variables r, which the complements of p have too.
    fn write_slacks(&self, problem: &ProblemView<'_>, two_sided: &[usize], m: &mut DenseOperator, q: &mut [f64]) {
        let variables = self.owners.len();
        for (slack, &i) in two_sided.iter().enumerate() {
            let (row, column) = (variables + slack, self.column[i]);
            m.set(column, row, 1.0);
            if let Kind::Dependent(j) = self.kinds[i] {
                q[row] = 2.0 * problem.mu[i] * self.constant[j];
                for (k, t) in self.row(j).iter().enumerate() {
                    m.set(row, k, 2.0 * problem.mu[i] * t);
                }
            } else {
                q[row] = problem.hi[i] - problem.lo[i];
            }
            let own = m.get(row, column);
            m.set(row, column, own - 1.0);
        }
    }
}
