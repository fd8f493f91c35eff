use crate::budget::ENTRY;
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
        let variables = owners.len();

        // x = c + T p, parents before the rows that depend on them.
        let mut constant = vec![0.0; n];
        let mut map = vec![0.0; n * variables];
        for i in 0..n {
            match kinds[i] {
                Kind::Fixed(value) => constant[i] = value,
                Kind::FromLower { .. } => (constant[i], map[i * variables + column[i]]) = (problem.lo[i], 1.0),
                Kind::FromUpper => (constant[i], map[i * variables + column[i]]) = (problem.hi[i], -1.0),
                Kind::Free | Kind::Dependent(_) => {}
            }
        }
        for i in 0..n {
            if let Kind::Dependent(j) = kinds[i] {
                let parent_is_nonnegative = match kinds[j] {
                    Kind::Fixed(_) => true,
                    Kind::FromLower { .. } => problem.lo[j] >= 0.0,
                    _ => false,
                };
                if !parent_is_nonnegative {
                    return Err(LcpError::Unsupported {
                        solver,
                        what: "bounds that depend on a row that may be negative",
                    });
                }
                constant[i] = -problem.mu[i] * constant[j];
                for k in 0..variables {
                    map[i * variables + k] = -problem.mu[i] * map[j * variables + k];
                }
                map[i * variables + column[i]] += 1.0;
            }
        }
        let a = problem.operator.to_dense();
        let free: Vec<usize> = (0..n).filter(|&i| kinds[i] == Kind::Free).collect();
        eliminate_free(&a, problem.b, &free, variables, &mut constant, &mut map);

        // v = w (+ r), and the slack of the upper bounds.
        let two_sided: Vec<usize> = owners
            .iter()
            .copied()
            .filter(|&i| matches!(kinds[i], Kind::FromLower { two_sided: true } | Kind::Dependent(_)))
            .collect();
        let size = variables + two_sided.len();
        let mut m = DenseOperator::zeros(size);
        let mut q = vec![0.0; size];
        // what an x is made of, mostly one variable or two
        let made_of: Vec<Vec<(usize, f64)>> = (0..n)
            .map(|j| {
                let row = map[j * variables..(j + 1) * variables].iter().copied().enumerate();
                row.filter(|(_, t)| *t != 0.0).collect()
            })
            .collect();
        for (row, &i) in owners.iter().enumerate() {
            let sign = if kinds[i] == Kind::FromUpper { -1.0 } else { 1.0 };
            q[row] = sign * (problem.b[i] + crate::operator::dense::dot(a.row(i), &constant));
            let target = m.row_mut(row);
            for (j, &aij) in a.row(i).iter().enumerate() {
                if aij != 0.0 {
                    for &(k, t) in &made_of[j] {
                        target[k] += sign * aij * t;
                    }
                }
            }
        }
        for (slack, &i) in two_sided.iter().enumerate() {
            let row = variables + slack;
            m.set(column[i], row, 1.0);
            if let Kind::Dependent(j) = kinds[i] {
                q[row] = 2.0 * problem.mu[i] * constant[j];
                for k in 0..variables {
                    m.set(row, k, 2.0 * problem.mu[i] * map[j * variables + k]);
                }
            } else {
                q[row] = problem.hi[i] - problem.lo[i];
            }
            let own = m.get(row, column[i]);
            m.set(row, column[i], own - 1.0);
        }
        Ok(Self { m, q, constant, map, variables, owners, two_sided })
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

/// Solves w_F = 0 for the free rows as functions of p; redundant ones stay at zero.
fn eliminate_free(
    a: &DenseOperator,
    b: &[f64],
    free: &[usize],
    variables: usize,
    constant: &mut [f64],
    map: &mut [f64],
) {
    if free.is_empty() {
        return;
    }
    let n = b.len();
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
                (0..n).map(|j| row[j] * map[j * variables + k]).sum()
            } else {
                b[i] + crate::operator::dense::dot(row, constant)
            };
            right[r] = -sum;
        }
        solution.fill(0.0);
        factors.solve(&right, &mut solution);
        for (&i, &value) in free.iter().zip(&solution) {
            if k < variables {
                map[i * variables + k] = value;
            } else {
                constant[i] = value;
            }
        }
    }
}
