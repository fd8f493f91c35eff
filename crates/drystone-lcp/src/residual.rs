//! Merit functions: how far x is from a solution, computed from x alone.
use crate::disc::Disc;
use crate::{LcpOperator, OperatorRef, ProblemView, operator::with_operator};

/// Memory for [`natural_residual`] and its companions, reusable without allocating.
#[derive(Debug, Clone, Default)]
pub struct ResidualWorkspace {
    accumulator: Vec<f64>,
}

impl ResidualWorkspace {
    /// Calls `each` for every row and every disc, with w = A x + b recomputed and dependent bounds taken at x.
    fn for_rows(&mut self, problem: &ProblemView<'_>, x: &[f64], each: impl FnMut(Bounded)) {
        self.accumulator.resize(problem.operator.accumulator_len(), 0.0);
        let acc = &mut self.accumulator[..];
        with_operator!(problem.operator, op => {
            op.start(x, acc);
            rows_of(op, problem, x, acc, each);
        });
    }

    /// W J^T x of the last evaluation, if the operator keeps an accumulator.
    pub fn accumulator(&self) -> &[f64] {
        &self.accumulator
    }
}

fn rows_of<O: LcpOperator + ?Sized>(
    op: &O,
    problem: &ProblemView<'_>,
    x: &[f64],
    acc: &[f64],
    mut each: impl FnMut(Bounded),
) {
    let rate = |i: usize| op.row_dot(i, x, acc) + problem.b[i];
    for i in 0..x.len() {
        if let Some((k, disc)) = problem.disc(i, x) {
            if i < k {
                // in the units of the first row
                let diagonal = op.diagonal(i).max(disc.scale * disc.scale * op.diagonal(k));
                each(Bounded::Pair { x: [x[i], x[k]], w: [rate(i), rate(k)], disc, diagonal });
            }
            continue;
        }
        let (lo, hi) = problem.bounds(i, x);
        each(Bounded::Row { x: x[i], w: rate(i), lo, hi, diagonal: op.diagonal(i) });
    }
}

/// A bounded unit: a row, or two rows that share a disc.
enum Bounded {
    Row { x: f64, w: f64, lo: f64, hi: f64, diagonal: f64 },
    Pair { x: [f64; 2], w: [f64; 2], disc: Disc, diagonal: f64 },
}

impl Bounded {
    fn is_finite(&self) -> bool {
        match self {
            Self::Row { w, .. } => w.is_finite(),
            Self::Pair { w, .. } => w.iter().all(|w| w.is_finite()),
        }
    }
}

/// max(a, |b|) that keeps a NaN.
fn worse(a: f64, b: f64) -> f64 {
    if b.is_nan() || a.is_nan() { f64::NAN } else { a.max(b.abs()) }
}

/// x - clamp(x - w, lo, hi), written so that a large x does not swallow w.
fn natural(x: f64, w: f64, lo: f64, hi: f64) -> f64 {
    w.min(x - lo).max(x - hi)
}

/// Rounding errors of w from this fraction of the largest |b| on leave nothing of b in it.
const SWALLOWED: f64 = 1e-3;

/// Returns true if x is so large that w = A x + b is rounding: a small residual there says nothing. It happens if a
/// problem has no solution, and a solver follows x to infinity.
///
/// # Cost
/// A product with A; for an operator that is not dense or sparse, a few multiplications per row, by Cauchy's inequality, since it is then semidefinite.
pub fn is_rounding(problem: &ProblemView<'_>, x: &[f64]) -> bool {
    let largest = problem.b.iter().fold(0.0_f64, |m, b| m.max(b.abs()));
    let terms = match problem.operator {
        OperatorRef::Dense(a) => largest_terms(x.len(), |i| a.row(i).iter().zip(x).map(|(a, x)| (a * x).abs()).sum()),
        OperatorRef::Sparse(a) => largest_terms(x.len(), |i| {
            let (columns, entries) = a.row(i);
            columns.iter().zip(entries).map(|(&j, a)| (a * x[j as usize]).abs()).sum()
        }),
        other => {
            let root = |i: usize| other.diagonal(i).max(0.0).sqrt();
            let all: f64 = x.iter().enumerate().map(|(j, x)| root(j) * x.abs()).sum();
            largest_terms(x.len(), |i| root(i) * all)
        }
    };
    largest > 0.0 && f64::EPSILON * terms > SWALLOWED * largest
}

fn largest_terms(rows: usize, sum: impl Fn(usize) -> f64) -> f64 {
    (0..rows).map(sum).fold(0.0, f64::max)
}

/// The natural-map residual: max_i |x_i - clamp(x_i - w_i, lo_i, hi_i)|, with w = A x + b recomputed and dependent bounds taken at x. Two
/// rows that share a disc count together, by the length of x - P(x - w) with the projection P on the disc. Zero exactly at the solutions;
/// absolute; NaN if x or w is not finite. It is the crate's only yardstick: every report's residual is this.
///
/// # Cost
/// One product with A.
// F-20
pub fn natural_residual(problem: &ProblemView<'_>, x: &[f64], workspace: &mut ResidualWorkspace) -> f64 {
    let mut worst = 0.0;
    workspace.for_rows(problem, x, |bounded| {
        let finite = bounded.is_finite();
        let value = match bounded {
            Bounded::Row { x, w, lo, hi, .. } => natural(x, w, lo, hi),
            Bounded::Pair { x, w, disc, .. } => disc.natural(x, w, 1.0),
        };
        worst = if finite { worse(worst, value) } else { f64::NAN };
    });
    worst
}

/// The same in the units of w: each row takes the step against w that would make it zero on its own, w_i / A_ii, and the resulting change of x counts as a rate, A_ii times that
/// change; a row without a diagonal counts as in [`natural_residual`]. If x is an impulse, the result is a velocity: it does not depend on the unit of mass, and the effect of a
/// wrong impulse counts as much on a light body as on a heavy one.
///
/// # Cost
/// One product with A.
pub fn rate_residual(problem: &ProblemView<'_>, x: &[f64], workspace: &mut ResidualWorkspace) -> f64 {
    let mut worst = 0.0;
    workspace.for_rows(problem, x, |bounded| worst = worst_rate(worst, &bounded));
    worst
}

/// The same, given the operator's `accumulator` at x ([`crate::LcpSolver::accumulator`]).
///
/// # Cost
/// Half a product with A.
pub fn rate_residual_at(problem: &ProblemView<'_>, x: &[f64], accumulator: &[f64]) -> f64 {
    let mut worst = 0.0;
    let each = |bounded: Bounded| worst = worst_rate(worst, &bounded);
    with_operator!(problem.operator, op => rows_of(op, problem, x, accumulator, each));
    worst
}

/// The larger of `worst` and the rate by which a row, or a pair of rows, is off.
fn worst_rate(worst: f64, bounded: &Bounded) -> f64 {
    let unit = |diagonal: f64| if diagonal > 0.0 { diagonal } else { 1.0 };
    let value = match *bounded {
        Bounded::Row { x, w, lo, hi, diagonal } => {
            let a = unit(diagonal);
            a * natural(x, w / a, lo, hi)
        }
        Bounded::Pair { x, w, disc, diagonal } => unit(diagonal) * disc.natural(x, w, 1.0 / unit(diagonal)),
    };
    if bounded.is_finite() { worse(worst, value) } else { f64::NAN }
}

/// The Fischer-Burmeister residual, infinity norm: per row phi(x - lo, phi(hi - x, -w)), phi(a, b) = sqrt(a^2 + b^2) - a - b,
/// reduced if a bound is infinite; discs by the natural map. Zero exactly at the solutions.
///
/// # Source
/// Lennerz, Schömer and Warken 1999, (6)-(7); boxes after Billups' composition.
pub fn fischer_burmeister_residual(problem: &ProblemView<'_>, x: &[f64], workspace: &mut ResidualWorkspace) -> f64 {
    let phi = |a: f64, b: f64| libm::hypot(a, b) - a - b;
    let mut worst = 0.0;
    workspace.for_rows(problem, x, |bounded| {
        let value = match bounded {
            Bounded::Row { x, w, lo, hi, .. } => match (lo.is_finite(), hi.is_finite()) {
                (true, true) => phi(x - lo, phi(hi - x, -w)),
                (true, false) => phi(x - lo, w),
                (false, true) => phi(hi - x, -w),
                (false, false) => w,
            },
            Bounded::Pair { x, w, disc, .. } => disc.natural(x, w, 1.0),
        };
        worst = worse(worst, value);
    });
    worst
}

/// The complementarity gap: sum_i of w_i^+ (x_i - lo_i) + w_i^- (hi_i - x_i), for x within its bounds; infinite if a finite gap is
/// impossible (w_i < 0 at hi_i = infinity beyond rounding is reported through the products with the violated sign as |w_i|).
pub fn complementarity_gap(problem: &ProblemView<'_>, x: &[f64], workspace: &mut ResidualWorkspace) -> f64 {
    let mut gap = 0.0;
    workspace.for_rows(problem, x, |bounded| {
        gap += match bounded {
            Bounded::Row { x, w, lo, hi, .. } => {
                let room = if w > 0.0 { x - lo } else { hi - x };
                if room.is_finite() { w.abs() * room.abs() } else { w.abs() }
            }
            Bounded::Pair { x, w, disc, .. } => disc.gap(x, w),
        };
    });
    gap
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BoxedProblem, DenseOperator};

    #[test]
    fn a_large_x_does_not_swallow_w() {
        // w = -1 whatever x is
        let problem = BoxedProblem::lcp(DenseOperator::zeros(1), vec![-1.0]);
        for x in [0.0, 1.0, 1e16, 1e300] {
            assert_eq!(natural_residual(&problem.view(), &[x], &mut ResidualWorkspace::default()), 1.0, "{x}");
        }
    }

    #[test]
    fn a_difference_of_large_numbers_is_rounding() {
        let mut a = DenseOperator::zeros(2);
        for (i, j) in [(0, 0), (1, 1)] {
            a.set(i, j, 1.0);
            a.set(1 - i, j, -1.0);
        }
        let problem = BoxedProblem::lcp(a, vec![-1.0, -1.0]);
        assert!(is_rounding(&problem.view(), &[1e16, 1e16]));
        assert!(!is_rounding(&problem.view(), &[1e6, 1e6]) && !is_rounding(&problem.view(), &[0.0, 0.0]));
    }
}
