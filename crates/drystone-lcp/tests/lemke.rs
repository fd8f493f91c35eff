//! Lemke's method on copositive-plus matrices: a solution if there is one, a ray if there is none (Cottle, Pang and Stone 1992, 4.4.12).
use drystone_lcp::{BoxedProblem, DenseOperator, LcpReport, LcpSolver, LcpStatus, Lemke};

fn solve<const N: usize>(a: [[f64; N]; N], b: [f64; N]) -> (Vec<f64>, LcpReport) {
    let mut x = vec![0.0; N];
    let problem = BoxedProblem::lcp(DenseOperator::from_rows(a), b.to_vec());
    let report = Lemke::default().solve(&problem.view(), &mut x).unwrap();
    (x, report)
}

// F-30
#[test]
fn feasible_problems_are_solved() {
    // indefinite, but strictly copositive
    let (x, report) = solve([[1.0, 2.0], [2.0, 1.0]], [-1.0, -1.5]);
    assert!(report.status == LcpStatus::Converged && report.residual.unwrap() < 1e-12, "{report:?}");
    assert!(x.iter().any(|x| *x > 0.1), "{x:?}");
    // min 2 u + 3 v with u + v >= 4, u >= 1 as an LCP, whose matrix is skew: u = 4
    let program = [[0.0, 0.0, -1.0, -1.0], [0.0, 0.0, -1.0, 0.0], [1.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]];
    let (x, report) = solve(program, [2.0, 3.0, -4.0, -1.0]);
    assert_eq!(report.status, LcpStatus::Converged);
    assert!(x.iter().zip([4.0, 0.0, 2.0, 0.0]).all(|(x, y)| (x - y).abs() < 1e-12), "{x:?}");
}

#[test]
fn infeasible_problems_end_in_a_ray() {
    // two walls that press on a body from both sides: no impulse keeps it out of both
    let (_, report) = solve([[1.0, -1.0], [-1.0, 1.0]], [-1.0, -1.0]);
    assert_eq!(report.status, LcpStatus::Ray);
    // u >= 4 and u <= 3
    let (_, report) = solve([[0.0, -1.0, 1.0], [1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]], [1.0, -4.0, 3.0]);
    assert_eq!(report.status, LcpStatus::Ray);
    // the control: with enough room both problems are solved
    assert_eq!(solve([[1.0, -1.0], [-1.0, 1.0]], [-1.0, 1.0]).1.status, LcpStatus::Converged);
    let (x, report) = solve([[0.0, -1.0, 1.0], [1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]], [1.0, -4.0, 5.0]);
    assert!(report.status == LcpStatus::Converged && (x[0] - 4.0).abs() < 1e-12, "{x:?} {report:?}");
}
