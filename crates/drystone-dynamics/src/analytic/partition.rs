use drystone_lcp::{DenseOperator, NO_DEPENDENCY, ProblemView, RankRevealingFactors};
use drystone_math::Real;

/// What is added to the diagonal, as a part of the largest entry, so that rows may depend on each other.
const PROXIMITY: Real = 1e-7;
/// Most corrections of the solution.
const ROUNDS: usize = 8;

/// The multipliers by the partition of the last step: those that were inside their bounds still are, and their rows keep to zero. Where nothing is known of
/// the last step all rows are. `None` where friction was at its bound: then bounds are unknowns too.
///
/// Where rows depend on each other there are many solutions: the one next to the multipliers of the last step is found, so that forces are continuous
/// in time, and the smallest at the start. Whether this is a solution at all the caller checks.
///
/// # Source
/// E-11, E-12; Baraff 1995, equations (8) to (10). Differs in: the paper keeps those multipliers of the last step that elimination finds to be free; here all
/// change by as little as they can (proximal point iterations). A contact that comes to bear nothing, or opens, is not taken out here: the answer is then none, the
/// solver begins anew, and where forces are not unique they jump there.
pub(crate) fn by_last_partition(problem: &ProblemView<'_>, a: &DenseOperator, last: &[Real]) -> Option<Vec<Real>> {
    let known = last.iter().any(|x| *x != 0.0);
    let mut inside = Vec::with_capacity(last.len());
    for (i, &x) in last.iter().enumerate() {
        let (lo, hi) = problem.bounds(i, last);
        if !known || (x > lo && x < hi) {
            inside.push(i);
        } else if problem.dependency.get(i).is_some_and(|j| *j != NO_DEPENDENCY) && hi > lo {
            return None;
        }
    }
    let mut sub = DenseOperator::zeros(inside.len());
    let mut largest = 0.0_f64;
    for (p, &i) in inside.iter().enumerate() {
        for (q, &j) in inside.iter().enumerate() {
            sub.set(p, q, a.get(i, j));
            largest = largest.max(a.get(i, j).abs());
        }
    }
    let mut near = sub.clone();
    for p in 0..inside.len() {
        near.set(p, p, near.get(p, p) + PROXIMITY * largest);
    }
    let factors = RankRevealingFactors::new(&near, 0.0);
    let mut x = vec![0.0; last.len()];
    let mut found: Vec<Real> = inside.iter().map(|&i| last[i]).collect();
    let (mut off, mut step) = (vec![0.0; inside.len()], vec![0.0; inside.len()]);
    for _ in 0..ROUNDS {
        for (p, &i) in inside.iter().enumerate() {
            off[p] = -problem.b[i] - sub.row(p).iter().zip(&found).map(|(a, x)| a * x).sum::<Real>();
        }
        factors.solve(&off, &mut step);
        let (mut moved, mut size) = (0.0_f64, 0.0_f64);
        for (x, s) in found.iter_mut().zip(&step) {
            *x += s;
            (moved, size) = (moved.max(s.abs()), size.max(x.abs()));
        }
        if moved <= 1e-13 * size {
            break;
        }
    }
    for (&i, value) in inside.iter().zip(found) {
        x[i] = value;
    }
    Some(x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_lcp::{BoxedProblem, ResidualWorkspace, natural_residual};

    /// Baraff's singular example: what the last step had in the free unknown decides which of the solutions comes out.
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
            let x = by_last_partition(&problem.view(), &a, &last).unwrap();
            assert!(x.iter().zip(last).all(|(x, l)| (x - l).abs() < 1e-12), "{x:?}");
            let mut workspace = ResidualWorkspace::default();
            assert!(natural_residual(&problem.view(), &x, &mut workspace) < 1e-12);
        }
        // nothing is known: none vanishes, which is wrong here
        let x = by_last_partition(&problem.view(), &a, &[0.0; 4]).unwrap();
        assert!((x[3] + 1.0).abs() < 1e-9, "{x:?}");
    }
}
