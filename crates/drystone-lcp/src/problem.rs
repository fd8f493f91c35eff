use crate::disc::Disc;
use crate::{LcpError, Operator, OperatorRef};

/// In [`ProblemView::dependency`]: the row's bounds are the constants in `lo` and `hi`.
pub const NO_DEPENDENCY: u32 = u32::MAX;

/// In [`ProblemView::partner`]: the row shares no disc.
pub const NO_PARTNER: u32 = u32::MAX;

/// A boxed LCP that owns its data: w = A x + b, lo <= x <= hi, see the crate's front page.
// F-01, F-02
#[derive(Debug)]
pub struct BoxedProblem {
    /// A, n x n.
    pub operator: Operator,
    /// b, length n.
    pub b: Vec<f64>,
    /// Lower bounds, length n, may be -infinity.
    pub lo: Vec<f64>,
    /// Upper bounds, length n, may be +infinity.
    pub hi: Vec<f64>,
    /// Per row the row that bounds it, or [`NO_DEPENDENCY`]; length n, or 0 if no row depends on another.
    pub dependency: Vec<u32>,
    /// Per row the coefficient of its dependent bounds, >= 0; length as `dependency`.
    pub mu: Vec<f64>,
    /// Per row the row that it shares a disc with, or [`NO_PARTNER`]; length n, or 0 if there are no discs.
    pub partner: Vec<u32>,
}

impl BoxedProblem {
    /// A standard LCP: lo = 0, hi = infinity.
    pub fn lcp(operator: impl Into<Operator>, b: Vec<f64>) -> Self {
        let n = b.len();
        let (lo, hi) = (vec![0.0; n], vec![f64::INFINITY; n]);
        Self { operator: operator.into(), b, lo, hi, dependency: Vec::new(), mu: Vec::new(), partner: Vec::new() }
    }

    /// A boxed LCP with constant bounds.
    pub fn boxed(operator: impl Into<Operator>, b: Vec<f64>, lo: Vec<f64>, hi: Vec<f64>) -> Self {
        Self { operator: operator.into(), b, lo, hi, dependency: Vec::new(), mu: Vec::new(), partner: Vec::new() }
    }

    /// Borrows the problem for a solver.
    pub fn view(&self) -> ProblemView<'_> {
        ProblemView {
            operator: self.operator.view(),
            b: &self.b,
            lo: &self.lo,
            hi: &self.hi,
            dependency: &self.dependency,
            mu: &self.mu,
            partner: &self.partner,
        }
    }
}

/// A borrowed boxed LCP: what solvers take, so that callers keep their buffers.
#[derive(Debug, Clone, Copy)]
pub struct ProblemView<'a> {
    /// A, n x n.
    pub operator: OperatorRef<'a>,
    /// b, length n.
    pub b: &'a [f64],
    /// Lower bounds, length n, may be -infinity.
    pub lo: &'a [f64],
    /// Upper bounds, length n, may be +infinity.
    pub hi: &'a [f64],
    /// Per row the row that bounds it, or [`NO_DEPENDENCY`]; length n or 0.
    pub dependency: &'a [u32],
    /// Per row the coefficient of its dependent bounds, >= 0; length as `dependency`.
    pub mu: &'a [f64],
    /// Per row the row that it shares a disc with, or [`NO_PARTNER`]; length n or 0. Two such rows depend on the same row j, and
    /// their multipliers lie in the disc (x_i / mu_i)^2 + (x_k / mu_k)^2 <= max(0, x_j)^2 instead of the box around it.
    pub partner: &'a [u32],
}

impl<'a> ProblemView<'a> {
    /// Number of rows n.
    pub fn len(&self) -> usize {
        self.b.len()
    }

    /// Returns true if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.b.is_empty()
    }

    /// The row that bounds row i, if any.
    #[inline(always)]
    pub fn parent(&self, i: usize) -> Option<usize> {
        match self.dependency.get(i) {
            Some(&j) if j != NO_DEPENDENCY => Some(j as usize),
            _ => None,
        }
    }

    /// The row that row i shares a disc with, if any.
    #[inline(always)]
    pub fn partner(&self, i: usize) -> Option<usize> {
        match self.partner.get(i) {
            Some(&k) if k != NO_PARTNER => Some(k as usize),
            _ => None,
        }
    }

    /// The disc of row i and its partner k at x; `None` if it has none, or if a coefficient is zero and the disc is a box.
    #[inline(always)]
    pub(crate) fn disc(&self, i: usize, x: &[f64]) -> Option<(usize, Disc)> {
        let k = self.partner(i)?;
        let (first, second) = (self.mu[i], self.mu[k]);
        let parent = self.parent(i)?;
        let scale = if first == second { 1.0 } else { second / first };
        (first > 0.0 && second > 0.0).then(|| (k, Disc { scale, radius: first * x[parent].max(0.0) }))
    }

    /// Returns true if any two rows share a disc.
    pub fn has_discs(&self) -> bool {
        !all(self.partner, |k| k == NO_PARTNER)
    }

    /// Returns true if no row has a bound: then it is a system of linear equations, and its natural residual is the
    /// largest
    /// |w|.
    pub fn is_unbounded(&self) -> bool {
        all(self.lo, |lo| lo == f64::NEG_INFINITY) && all(self.hi, |hi| hi == f64::INFINITY) && !self.has_dependencies()
    }

    /// The same problem with each disc replaced by the box around it.
    #[must_use]
    pub fn without_discs(&self) -> ProblemView<'a> {
        ProblemView { partner: &[], ..*self }
    }

    /// The bounds of row i at x: the constants, or -+ mu_i max(0, x_j) for a dependent row; for a row that shares a disc, those
    /// of the box around it.
    ///
    /// # Panics
    /// If i is not below n, or the problem is malformed (see [`Self::validate`]).
    // F-16
    #[inline(always)]
    pub fn bounds(&self, i: usize, x: &[f64]) -> (f64, f64) {
        match self.parent(i) {
            Some(j) => {
                let limit = self.mu[i] * x[j].max(0.0);
                (-limit, limit)
            }
            None => (self.lo[i], self.hi[i]),
        }
    }

    /// Returns true if any row has dependent bounds.
    pub fn has_dependencies(&self) -> bool {
        !all(self.dependency, |j| j == NO_DEPENDENCY)
    }

    /// Returns true if it is a standard LCP: lo = 0 and hi = infinity in every row.
    pub fn is_standard(&self) -> bool {
        !self.has_dependencies() && self.lo.iter().all(|&lo| lo == 0.0) && self.hi.iter().all(|&hi| hi == f64::INFINITY)
    }

    /// Checks the lengths only; every solver does so on entry. Constant cost.
    ///
    /// # Errors
    /// [`LcpError::Size`].
    pub fn check_sizes(&self, x: &[f64]) -> Result<(), LcpError> {
        let n = self.b.len();
        let size = |what, found, expected| {
            if found == expected { Ok(()) } else { Err(LcpError::Size { what, expected, found }) }
        };
        size("A", self.operator.rows(), n)?;
        size("lo", self.lo.len(), n)?;
        size("hi", self.hi.len(), n)?;
        size("x", x.len(), n)?;
        if !self.dependency.is_empty() {
            size("dependency", self.dependency.len(), n)?;
        }
        if !self.partner.is_empty() {
            size("partner", self.partner.len(), n)?;
            size("dependency", self.dependency.len(), n)?;
        }
        size("mu", self.mu.len(), self.dependency.len())
    }

    /// Checks everything that can be wrong with a problem, once, before it is given to solvers: lengths, non-finite numbers,
    /// empty boxes, negative mu, dependencies that are out of range or cyclic. The entries of A are checked through its diagonal and one product.
    ///
    /// # Errors
    /// The first fault found, as [`LcpError`].
    ///
    /// # Cost
    /// One product with A, and memory for it.
    pub fn validate(&self) -> Result<(), LcpError> {
        let n = self.b.len();
        let ones = vec![1.0; n];
        self.check_sizes(&ones)?;
        for i in 0..n {
            if !self.b[i].is_finite() {
                return Err(LcpError::NonFinite { what: "b", index: i, value: self.b[i] });
            }
            if let Some(j) = self.parent(i) {
                if j >= n {
                    return Err(LcpError::DependencyOutOfRange { row: i, dependency: j as u32, rows: n });
                }
                if !self.mu[i].is_finite() {
                    return Err(LcpError::NonFinite { what: "mu", index: i, value: self.mu[i] });
                }
                if self.mu[i] < 0.0 {
                    return Err(LcpError::NegativeFriction { row: i, value: self.mu[i] });
                }
                continue;
            }
            let (lo, hi) = (self.lo[i], self.hi[i]);
            if lo.is_nan() || lo == f64::INFINITY {
                return Err(LcpError::NonFinite { what: "lo", index: i, value: lo });
            }
            if hi.is_nan() || hi == f64::NEG_INFINITY {
                return Err(LcpError::NonFinite { what: "hi", index: i, value: hi });
            }
            if lo > hi {
                return Err(LcpError::EmptyBox { row: i, lo, hi });
            }
        }
        self.check_cycles()?;
        self.check_discs()?;
        let (mut product, mut acc) = (vec![0.0; n], vec![0.0; self.operator.accumulator_len()]);
        self.operator.apply(&ones, &mut acc, &mut product);
        for (i, &value) in product.iter().enumerate() {
            if !value.is_finite() {
                return Err(LcpError::NonFinite { what: "A 1", index: i, value });
            }
        }
        Ok(())
    }

    /// Checks that two rows of a disc name each other and depend on the same row.
    fn check_discs(&self) -> Result<(), LcpError> {
        for i in 0..self.partner.len() {
            let Some(k) = self.partner(i) else { continue };
            let paired = k != i && k < self.len() && self.partner(k) == Some(i);
            if !paired || self.parent(i).is_none() || self.parent(i) != self.parent(k) {
                return Err(LcpError::BadDisc { row: i, partner: k as u32 });
            }
        }
        Ok(())
    }

    /// Follows every chain of dependencies, each row once.
    fn check_cycles(&self) -> Result<(), LcpError> {
        const UNSEEN: u32 = u32::MAX;
        let mut seen_from = vec![UNSEEN; self.dependency.len()];
        for start in 0..self.dependency.len() {
            let mut row = start;
            while seen_from[row] == UNSEEN {
                seen_from[row] = start as u32;
                match self.parent(row) {
                    Some(parent) => row = parent,
                    None => break,
                }
            }
            if self.parent(row).is_some() && seen_from[row] == start as u32 {
                return Err(LcpError::DependencyCycle { row });
            }
        }
        Ok(())
    }
}

/// Returns true if a condition holds for all values; they are tested independently of each other, so that several can
/// be tested at once.
fn all<T: Copy>(values: &[T], holds: impl Fn(T) -> bool) -> bool {
    values.iter().fold(true, |all, value| all & holds(*value))
}
