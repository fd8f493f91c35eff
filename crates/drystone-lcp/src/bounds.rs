//! Projection on boxes and discs, some of whose bounds depend on x.
use crate::ProblemView;
use crate::splitting::permutation::Order;

/// Brings x within its bounds, parents before the rows that depend on them. `order` comes from [`parents_first`].
pub(crate) fn project(problem: &ProblemView<'_>, order: &Order, x: &mut [f64]) {
    for &i in order.rows() {
        let i = i as usize;
        if let Some((k, disc)) = problem.disc(i, x) {
            if i < k {
                [x[i], x[k]] = disc.project([x[i], x[k]]);
            }
            continue;
        }
        let (lo, hi) = problem.bounds(i, x);
        x[i] = x[i].max(lo).min(hi);
    }
}

/// An order of the rows with parents first.
pub(crate) fn parents_first(problem: &ProblemView<'_>, order: &mut Order) {
    order.reset(problem.len());
    order.parents_first(problem);
}

/// Writes the bounds at x.
pub(crate) fn freeze(problem: &ProblemView<'_>, x: &[f64], lo: &mut Vec<f64>, hi: &mut Vec<f64>) {
    lo.clear();
    hi.clear();
    for i in 0..x.len() {
        let (l, h) = problem.bounds(i, x);
        lo.push(l);
        hi.push(h);
    }
}
