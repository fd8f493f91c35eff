use drystone_lcp::{DenseOperator, NO_DEPENDENCY, ProblemView, RankRevealingFactors};
use drystone_math::Real;

/// Added to the diagonal, as a fraction of the largest entry, so that rows may depend on each other.
const PROXIMITY: Real = 1e-7;
/// Most corrections of the solution.
const ROUNDS: usize = 8;

/// Workspace for starting from the partition of the last step, kept from one problem to the next.
#[derive(Debug, Default)]
pub(crate) struct LastPartition {
    /// The rows strictly within their bounds.
    inside: Vec<usize>,
    sub: DenseOperator,
    /// The matrix of these rows with a little added to the diagonal.
    near: DenseOperator,
    factors: RankRevealingFactors,
    found: Vec<Real>,
    off: Vec<Real>,
    step: Vec<Real>,
    /// Buffer for a right-hand side during the solve.
    permuted: Vec<Real>,
    x: Vec<Real>,
}

fn refill(column: &mut Vec<Real>, n: usize) {
    column.clear();
    column.resize(n, 0.0);
}

impl LastPartition {
    /// The multipliers by the partition of the last step: those that were within their bounds still are, and the rates of their rows are zero. If nothing is known of
    /// the last step, all rows are taken to be so. `None` if friction was at its bound: then the bounds are unknowns too.
    ///
    /// If rows depend on each other there are many solutions: the one nearest to the multipliers of the last step is found, so that forces are continuous
    /// in time, and at the start the smallest one. The caller has to check whether it is a solution at all.
    ///
    /// # Source
    /// E-11, E-12; Baraff 1995, equations (8) to (10). Differs in: the paper keeps those multipliers of the last step that elimination finds to be free; here all
    /// change as little as possible (proximal point iterations). A contact that no longer bears anything, or opens, is not taken out here: the result is then no solution, the
    /// solver starts anew, and forces that are not unique jump there.
    pub(crate) fn find(&mut self, problem: &ProblemView<'_>, a: &DenseOperator, last: &[Real]) -> Option<&[Real]> {
        let Self { inside, sub, near, factors, found, off, step, permuted, x } = self;
        let known = last.iter().any(|x| *x != 0.0);
        inside.clear();
        for (i, &x) in last.iter().enumerate() {
            let (lo, hi) = problem.bounds(i, last);
            if !known || (x > lo && x < hi) {
                inside.push(i);
            } else if problem.dependency.get(i).is_some_and(|j| *j != NO_DEPENDENCY) && hi > lo {
                return None;
            }
        }
        sub.reset(inside.len());
        let mut largest = 0.0_f64;
        for (p, &i) in inside.iter().enumerate() {
            let (target, row) = (sub.row_mut(p), a.row(i));
            for (target, &j) in target.iter_mut().zip(&*inside) {
                *target = row[j];
                largest = largest.max(row[j].abs());
            }
        }
        near.clone_from(sub);
        for p in 0..inside.len() {
            near.set(p, p, near.get(p, p) + PROXIMITY * largest);
        }
        factors.factor(near, 0.0);
        refill(x, last.len());
        refill(off, inside.len());
        refill(step, inside.len());
        found.clear();
        found.extend(inside.iter().map(|&i| last[i]));
        for _ in 0..ROUNDS {
            for (p, &i) in inside.iter().enumerate() {
                off[p] = -problem.b[i] - sub.row(p).iter().zip(&*found).map(|(a, x)| a * x).sum::<Real>();
            }
            factors.solve_with(off, step, permuted);
            let (mut moved, mut size) = (0.0_f64, 0.0_f64);
            for (x, s) in found.iter_mut().zip(&*step) {
                *x += s;
                (moved, size) = (moved.max(s.abs()), size.max(x.abs()));
            }
            if moved <= 1e-13 * size {
                break;
            }
        }
        for (&i, value) in inside.iter().zip(found) {
            x[i] = *value;
        }
        Some(x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_lcp::{BoxedProblem, ResidualWorkspace, natural_residual};

    /// Baraff's singular example: the last step's value of the free unknown decides which of the solutions is found.
    #[test]
    fn a_singular_system_goes_on_from_the_last_step() {
        let a = DenseOperator::from_rows([
            [2.0, 1.0, 0.0, 0.0],
            [1.0, 1.0, 1.0, 0.0],
            [0.0, 1.0, 2.0, 0.0],
            [0.0, 0.0, 0.0, 1.0],
        ]);
        let problem = BoxedProblem::lcp(a.clone(), vec![-1.0, -1.0, -1.0, 1.0]);
        let third = 1.0 / 3.0;
        for last in [[third, third, third, 0.0], [0.45, 0.1, 0.45, 0.0]] {
            let x = LastPartition::default().find(&problem.view(), &a, &last).unwrap().to_vec();
            assert!(x.iter().zip(last).all(|(x, l)| (x - l).abs() < 1e-12), "{x:?}");
            let mut workspace = ResidualWorkspace::default();
            assert!(natural_residual(&problem.view(), &x, &mut workspace) < 1e-12);
        }
        // without a last step none is taken to vanish, which is wrong here
        let x = LastPartition::default().find(&problem.view(), &a, &[0.0; 4]).unwrap().to_vec();
        assert!((x[3] + 1.0).abs() < 1e-9, "{x:?}");
    }
}
