use crate::budget::ENTRY;
use crate::buffers::{collect, refill};
use crate::operator::dense::dot;
use crate::{DenseOperator, LcpError, ProblemView, RankRevealingFactors};

/// Pivots below this, relative to the largest entry, count as zero when free rows are eliminated.
const RANK_TOLERANCE: f64 = 1e-12;

/// A boxed LCP with dependent bounds, rewritten as a standard LCP v = M z + q, v >= 0, z >= 0, v z = 0.
///
/// x = c + T p, p >= 0: x_i = lo_i + p_i, or hi_i - p_i if only hi is finite, or -mu_i x_j + p_i for a dependent row; fixed rows
/// (lo = hi) are constants; free rows are eliminated by w = 0. Two-sided rows get a second variable r, the multiplier of the upper
/// bound: v = w + r against p, and hi_i - lo_i - p_i (or 2 mu_i x_j - p_i) against r. z = (p, r).
///
/// It keeps its memory from one problem to the next.
#[derive(Debug, Default)]
pub(crate) struct Reduction {
    pub(crate) m: DenseOperator,
    pub(crate) q: Vec<f64>,
    rows: Coordinates,
    /// The row of each variable r.
    two_sided: Vec<usize>,
    /// A, if the operator itself is not dense.
    a: DenseOperator,
    free: FreeRows,
    made_of: MadeOf,
    /// w of an x, and the accumulator for it.
    product: Vec<f64>,
    accumulator: Vec<f64>,
}

/// Form of a row of the boxed problem in the LCP.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Fixed(f64),
    Free,
    FromLower { two_sided: bool },
    FromUpper,
    Dependent(usize),
}

impl Reduction {
    /// The number of rows of M, and the multiplications needed to make it.
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
        // A and M, and the free rows, eliminated and substituted
        (rows, ENTRY * n * n + rows * rows + free * (free * free + 3.0 * n * variables))
    }

    /// Rewrites a problem.
    ///
    /// # Errors
    /// [`LcpError::Unsupported`] if a row depends on one that may become negative.
    pub(crate) fn make(&mut self, problem: &ProblemView<'_>, solver: &'static str) -> Result<(), LcpError> {
        let Self { m, q, rows, two_sided, a, free, made_of, .. } = self;
        rows.begin(problem, solver)?;
        let a = problem.operator.dense_in(a);
        free.eliminate(rows, a, problem.b);
        collect(two_sided, rows.two_sided());
        let size = rows.owners.len() + two_sided.len();
        m.reset(size);
        refill(q, size, 0.0);
        made_of.read(rows);
        rows.write_complements((a, problem.b), made_of, m, q);
        rows.write_slacks(problem, two_sided, m, q);
        Ok(())
    }

    /// z = (p, r) for an x, moved into its bounds, with r the part of w that the upper bounds counteract.
    pub(crate) fn variables_of(&mut self, problem: &ProblemView<'_>, x: &[f64], z: &mut Vec<f64>) {
        let Self { rows, two_sided, product: w, accumulator, .. } = self;
        refill(w, x.len(), 0.0);
        refill(accumulator, problem.operator.accumulator_len(), 0.0);
        problem.operator.apply(x, accumulator, w);
        let p = rows.owners.iter().map(|&i| {
            let (lo, hi) = problem.bounds(i, x);
            if lo.is_finite() { (x[i] - lo).max(0.0) } else { (hi - x[i]).max(0.0) }
        });
        let r = two_sided.iter().map(|&i| (-w[i] - problem.b[i]).max(0.0));
        collect(z, p.chain(r));
    }

    /// x = c + T p.
    pub(crate) fn recover(&self, z: &[f64], x: &mut [f64]) {
        for (i, x) in x.iter_mut().enumerate() {
            *x = self.rows.constant[i] + self.rows.row(i).iter().zip(z).map(|(t, p)| t * p).sum::<f64>();
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
#[derive(Debug, Default)]
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
    /// Begins with all rows except the free ones.
    fn begin(&mut self, problem: &ProblemView<'_>, solver: &'static str) -> Result<(), LcpError> {
        let Self { kinds, constant, map, owners, column } = self;
        let n = problem.len();
        collect(kinds, (0..n).map(|i| kind(problem, i)));
        refill(column, n, usize::MAX);
        owners.clear();
        for i in 0..n {
            if !matches!(kinds[i], Kind::Fixed(_) | Kind::Free) {
                column[i] = owners.len();
                owners.push(i);
            }
        }
        refill(map, n * owners.len(), 0.0);
        refill(constant, n, 0.0);
        self.write_bounded(problem);
        self.write_dependent(problem, solver)
    }

    /// Row i of T.
    fn row(&self, i: usize) -> &[f64] {
        let variables = self.owners.len();
        &self.map[i * variables..(i + 1) * variables]
    }

    /// Writes rows whose bounds are constant.
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

    /// Writes rows that depend on others, which have already been written.
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

    /// The rows that get a second variable.
    fn two_sided(&self) -> impl Iterator<Item = usize> {
        let bounded_twice =
            move |i: &usize| matches!(self.kinds[*i], Kind::FromLower { two_sided: true } | Kind::Dependent(_));
        self.owners.iter().copied().filter(bounded_twice)
    }

    /// v = w, or -w, for the variables p.
    fn write_complements(
        &self,
        (a, b): (&DenseOperator, &[f64]),
        made_of: &MadeOf,
        m: &mut DenseOperator,
        q: &mut [f64],
    ) {
        for (row, &i) in self.owners.iter().enumerate() {
            let sign = if self.kinds[i] == Kind::FromUpper { -1.0 } else { 1.0 };
            q[row] = sign * (b[i] + dot(a.row(i), &self.constant));
            let target = m.row_mut(row);
            for (j, &aij) in a.row(i).iter().enumerate() {
                if aij != 0.0 {
                    for &(k, t) in made_of.variables(j) {
                        target[k] += sign * aij * t;
                    }
                }
            }
        }
    }

    /// The slack of the upper bounds, for the variables r; these also enter the complements of p.
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

/// The variables that make up each x, mostly one or two.
#[derive(Debug, Default)]
struct MadeOf {
    /// First index of the variables of each x, and the end of the last.
    starts: Vec<usize>,
    /// The variables with their coefficients.
    parts: Vec<(usize, f64)>,
}

impl MadeOf {
    fn read(&mut self, rows: &Coordinates) {
        let Self { starts, parts } = self;
        parts.clear();
        collect(starts, [0]);
        for i in 0..rows.kinds.len() {
            parts.extend(rows.row(i).iter().copied().enumerate().filter(|(_, t)| *t != 0.0));
            starts.push(parts.len());
        }
    }

    fn variables(&self, i: usize) -> &[(usize, f64)] {
        &self.parts[self.starts[i]..self.starts[i + 1]]
    }
}

/// The equations of the free rows.
#[derive(Debug, Default)]
struct FreeRows {
    free: Vec<usize>,
    block: DenseOperator,
    factors: RankRevealingFactors,
    right: Vec<f64>,
    /// The intermediate right-hand side.
    permuted: Vec<f64>,
    solution: Vec<f64>,
}

impl FreeRows {
    /// Solves w_F = 0 for the free rows as functions of p; redundant ones stay at zero.
    fn eliminate(&mut self, rows: &mut Coordinates, a: &DenseOperator, b: &[f64]) {
        let Self { free, block, factors, right, permuted, solution } = self;
        let Coordinates { kinds, constant, map, owners, .. } = rows;
        let (n, variables) = (b.len(), owners.len());
        collect(free, (0..n).filter(|&i| kinds[i] == Kind::Free));
        if free.is_empty() {
            return;
        }
        block.refill(free.len(), |entries| {
            for &i in &*free {
                entries.extend(free.iter().map(|&j| a.get(i, j)));
            }
        });
        factors.factor(block, RANK_TOLERANCE);
        refill(right, free.len(), 0.0);
        // Column `variables` stands for the constant part.
        for k in 0..=variables {
            for (r, &i) in free.iter().enumerate() {
                let row = a.row(i);
                let sum: f64 = if k < variables {
                    (0..n).map(|j| row[j] * map[j * variables + k]).sum()
                } else {
                    b[i] + dot(row, constant)
                };
                right[r] = -sum;
            }
            refill(solution, free.len(), 0.0);
            factors.solve_with(right, solution, permuted);
            for (&i, &value) in free.iter().zip(&*solution) {
                if k < variables {
                    map[i * variables + k] = value;
                } else {
                    constant[i] = value;
                }
            }
        }
    }
}
