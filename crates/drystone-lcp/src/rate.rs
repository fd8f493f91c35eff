//! Convergence rate of a sequence.

/// The rate at which the errors e_1, e_2, ... of a sequence fall, by three models fitted with least squares.
///
/// # Source
/// Erleben 2005, Definition 6.1.8, (6.42)-(6.44): x^k = alpha + O(1 / k^p), the largest such p (F-21). The other two are the textbooks' linear factor
/// and order of convergence (Ortega, Rheinboldt 1970, ch. 9), which say more about methods that converge faster than any 1 / k^p.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConvergenceRate {
    /// p of e_k = K / k^p, k counted from 1; negative if errors grow.
    pub order: f64,
    /// rho of e_k = K rho^k, by which an iteration multiplies the error; above 1 if errors grow.
    pub factor: f64,
    /// q of e_(k+1) = C e_k^q: 1 for linear convergence, 2 for Newton's method; 1 if there are fewer than three errors.
    pub digits: f64,
    /// Residual sums of squares, in ln e, of the models with p and with rho.
    misfit: [f64; 2],
}

impl ConvergenceRate {
    /// From errors, e_k at index k - 1. An error of zero ends the sequence: later ones are ignored.
    ///
    /// `None` if fewer than two errors are left, or one of them is negative or not finite.
    pub fn of_errors(errors: &[f64]) -> Option<Self> {
        let end = errors.iter().position(|e| *e == 0.0).unwrap_or(errors.len());
        let errors = &errors[..end];
        if errors.len() < 2 || errors.iter().any(|e| !e.is_finite() || *e < 0.0) {
            return None;
        }
        let count = || (1..=errors.len()).map(|k| k as f64);
        let logs: Vec<f64> = errors.iter().map(|e| libm::log(*e)).collect();
        let (power, first) = slope(count().map(libm::log).zip(logs.iter().copied()))?;
        let (linear, second) = slope(count().zip(logs.iter().copied()))?;
        let digits = slope(logs.iter().copied().zip(logs[1..].iter().copied())).map_or(1.0, |(q, _)| q);
        let digits = if errors.len() > 2 { digits } else { 1.0 };
        Some(Self { order: -power, factor: libm::exp(linear), digits, misfit: [first, second] })
    }

    /// From iterates and their limit, with e_k the largest |x_i^k - alpha_i|: the slowest variable decides.
    ///
    /// `None` as in [`Self::of_errors`], and if the length of an iterate differs from that of the limit.
    pub fn of_iterates<X: AsRef<[f64]>>(iterates: &[X], limit: &[f64]) -> Option<Self> {
        if iterates.iter().any(|x| x.as_ref().len() != limit.len()) {
            return None;
        }
        let errors: Vec<f64> = iterates.iter().map(|x| crate::step_test::largest_change(x.as_ref(), limit)).collect();
        Self::of_errors(&errors)
    }

    /// Returns true if a constant factor describes the errors better than a power of k.
    pub fn is_linear(&self) -> bool {
        self.misfit[1] < self.misfit[0]
    }
}

/// Slope of the least-squares line, and its residual sum of squares; `None` if x does not vary.
fn slope(points: impl Iterator<Item = (f64, f64)> + Clone) -> Option<(f64, f64)> {
    let n = points.clone().count() as f64;
    let (sx, sy) = points.clone().fold((0.0, 0.0), |(sx, sy), (x, y)| (sx + x, sy + y));
    let (mx, my) = (sx / n, sy / n);
    let (mut sxx, mut sxy) = (0.0, 0.0);
    for (x, y) in points.clone() {
        sxx += (x - mx) * (x - mx);
        sxy += (x - mx) * (y - my);
    }
    let slope = sxy / sxx;
    let misfit = points.map(|(x, y)| (y - my - slope * (x - mx)).powi(2)).sum();
    slope.is_finite().then_some((slope, misfit))
}

/// p of cost = K n^p through points (n, cost), by least squares of logarithms: how a method's work grows with the size of its problem.
///
/// `None` for fewer than two sizes, or if a number is not positive.
// F-29
pub fn power_law_exponent(points: &[(f64, f64)]) -> Option<f64> {
    let positive = |v: f64| v > 0.0 && v.is_finite();
    if points.len() < 2 || points.iter().any(|&(n, cost)| !positive(n) || !positive(cost)) {
        return None;
    }
    slope(points.iter().map(|&(n, cost)| (libm::log(n), libm::log(cost)))).map(|(p, _)| p)
}

/// Writes the variables in the order in which they converge, the slowest first: by decreasing |x_i^(k+1) - x_i^k|, ties by index. NaN comes first.
///
/// # Source
/// Erleben 2005, (6.45): the absolute error of single variables as a measure of their rate; used by `error-order-gauss-seidel`.
pub fn slowest_first(before: &[f64], after: &[f64], order: &mut Vec<u32>) {
    order.clear();
    order.extend(0..before.len().min(after.len()) as u32);
    let change = |i: u32| (after[i as usize] - before[i as usize]).abs();
    order.sort_by(|&i, &j| change(j).total_cmp(&change(i)).then(i.cmp(&j)));
}
