//! Merit functions: how far x is from a solution, computed from x alone.
use crate::{LcpOperator, ProblemView, operator::with_operator};

/// Memory for [`natural_residual`] and its companions, reusable without allocating.
#[derive(Debug, Clone, Default)]
pub struct ResidualWorkspace {
    accumulator: Vec<f64>,
}

impl ResidualWorkspace {
    /// Calls `each(i, w_i, lo_i, hi_i)` for every row, w = A x + b anew, dependent bounds taken at x.
    fn for_rows(&mut self, problem: &ProblemView<'_>, x: &[f64], each: impl FnMut(usize, f64, f64, f64)) {
        self.accumulator.resize(problem.operator.accumulator_len(), 0.0);
        let acc = &mut self.accumulator[..];
        with_operator!(problem.operator, op => rows_of(op, problem, x, acc, each));
    }

    /// W J^T x of the last evaluation, where the operator keeps an accumulator.
    pub fn accumulator(&self) -> &[f64] {
        &self.accumulator
    }
}

fn rows_of<O: LcpOperator + ?Sized>(
    op: &O,
    problem: &ProblemView<'_>,
    x: &[f64],
    acc: &mut [f64],
    mut each: impl FnMut(usize, f64, f64, f64),
) {
    op.start(x, acc);
    for i in 0..x.len() {
        let w = op.row_dot(i, x, acc) + problem.b[i];
        let (lo, hi) = problem.bounds(i, x);
        each(i, w, lo, hi);
    }
}

/// max(a, |b|) that keeps a NaN.
fn worse(a: f64, b: f64) -> f64 {
    if b.is_nan() || a.is_nan() { f64::NAN } else { a.max(b.abs()) }
}

/// The natural-map residual: max_i |x_i - clamp(x_i - w_i, lo_i, hi_i)|, w = A x + b anew, dependent bounds taken at x.
/// Zero exactly at the solutions; absolute; NaN where x or w is not finite. The one yardstick of the crate: every report's residual is this.
///
/// # Cost
/// One product with A.
pub fn natural_residual(problem: &ProblemView<'_>, x: &[f64], workspace: &mut ResidualWorkspace) -> f64 {
    let mut worst = 0.0;
    workspace.for_rows(problem, x, |i, w, lo, hi| {
        worst = worse(worst, x[i] - (x[i] - w).max(lo).min(hi));
        if !w.is_finite() {
            worst = f64::NAN;
        }
    });
    worst
}

/// The Fischer-Burmeister residual, infinity norm: per row phi(x - lo, phi(hi - x, -w)), phi(a, b) = sqrt(a^2 + b^2) - a - b,
/// reduced where a bound is infinite. Zero exactly at the solutions.
///
/// # Source
/// Seed 002, (6)-(7); boxes after Billups' composition.
pub fn fischer_burmeister_residual(problem: &ProblemView<'_>, x: &[f64], workspace: &mut ResidualWorkspace) -> f64 {
    let phi = |a: f64, b: f64| a.hypot(b) - a - b;
    let mut worst = 0.0;
    workspace.for_rows(problem, x, |i, w, lo, hi| {
        let value = match (lo.is_finite(), hi.is_finite()) {
            (true, true) => phi(x[i] - lo, phi(hi - x[i], -w)),
            (true, false) => phi(x[i] - lo, w),
            (false, true) => phi(hi - x[i], -w),
            (false, false) => w,
        };
        worst = worse(worst, value);
    });
    worst
}

/// The complementarity gap: sum_i of w_i^+ (x_i - lo_i) + w_i^- (hi_i - x_i), for x within its bounds; infinite where a finite
/// gap is impossible (w_i < 0 at hi_i = infinity beyond rounding is reported through the products with the violated sign as |w_i|).
pub fn complementarity_gap(problem: &ProblemView<'_>, x: &[f64], workspace: &mut ResidualWorkspace) -> f64 {
    let mut gap = 0.0;
    workspace.for_rows(problem, x, |i, w, lo, hi| {
        let room = if w > 0.0 { x[i] - lo } else { hi - x[i] };
        gap += if room.is_finite() { w.abs() * room.abs() } else { w.abs() };
    });
    gap
}
