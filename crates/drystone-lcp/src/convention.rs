//! The other sign of b.

/// Negates b, which takes a problem from one sign convention to the other: w = A x + b, used throughout this crate (and in chapter 4 of Erleben 2005),
/// and w = A x - b (its chapter 6). x and w are the same in both. The function is its own inverse.
///
/// # Source
/// Erleben 2005, (4.55)-(4.64) against (6.46). Differs in (6.59b), which keeps the sign of chapter 4 while (6.60) has A x - b, and beside it, where the
/// residual is once A x - b and once b - A x (F-03, R-14, R-20).
pub fn negate_b(b: &mut [f64]) {
    for b in b {
        *b = -*b;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BoxedProblem, DenseOperator, LcpOperator, ResidualWorkspace, natural_residual, solver_by_name};

    // F-03
    #[test]
    fn there_and_back_and_the_same_solution() {
        let a = DenseOperator::from_rows([[2.0, 1.0], [1.0, 3.0]]);
        let chapter_6 = [4.0, -5.0];
        let mut b = chapter_6;
        negate_b(&mut b);
        let problem = BoxedProblem::lcp(a.clone(), b.to_vec());
        let mut x = [0.0; 2];
        solver_by_name("lemke").unwrap().solve(&problem.view(), &mut x).unwrap();
        assert!(natural_residual(&problem.view(), &x, &mut ResidualWorkspace::default()) < 1e-14);
        // w = A x - b of chapter 6 with its own b: complementary without any change.
        let mut w = [0.0; 2];
        a.apply(&x, &mut [], &mut w);
        for i in 0..2 {
            w[i] -= chapter_6[i];
            assert!(w[i] >= -1e-14 && x[i] >= 0.0 && (w[i] * x[i]).abs() < 1e-14);
        }
        assert!(x[0] > 1.0 && w[1] > 1.0);
        negate_b(&mut b);
        assert_eq!(b, chapter_6);
    }
}
