//! Problems without a solution: none is claimed as solved.

use drystone_lcp::{BoxedProblem, DenseOperator, LcpStatus, ProblemKind, SOLVERS, SplitMix64, solver_by_name};

/// A problem without a solution: w of one row is negative whatever x is, or two rows contradict each other.
fn hopeless(random: &mut SplitMix64) -> BoxedProblem {
    let n = 2 + random.below(6);
    let mut a = DenseOperator::zeros(n);
    let mut b: Vec<f64> = (0..n).map(|_| random.range(-1.0, 1.0)).collect();
    for i in 0..n {
        for j in 0..n {
            a.set(i, j, random.range(-1.0, 1.0));
        }
    }
    let row = random.below(n);
    b[row] = -random.range(0.1, 1.0);
    let sign = random.below(3);
    for j in 0..n {
        // nothing, nothing but pulls, or the opposite of another row
        let other = a.get((row + 1) % n, j);
        a.set(
            row,
            j,
            match sign {
                0 => 0.0,
                1 => -a.get(row, j).abs(),
                _ => -other,
            },
        );
    }
    if sign == 2 {
        b[(row + 1) % n] = -random.range(0.1, 1.0);
    }
    BoxedProblem::lcp(a, b)
}

#[test]
fn nobody_claims_a_problem_without_a_solution() {
    let mut far = 0;
    for info in SOLVERS.iter().filter(|s| s.kinds.contains(&ProblemKind::Lcp)) {
        let mut random = SplitMix64::new(78);
        for k in 0..300 {
            let problem = hopeless(&mut random);
            let mut x = vec![0.0; problem.b.len()];
            let mut solver = solver_by_name(info.name).unwrap();
            if let Ok(report) = solver.solve(&problem.view(), &mut x) {
                assert_ne!(report.status, LcpStatus::Converged, "{}: problem {k}: {x:?}", info.name);
                far += usize::from(x.iter().any(|x| x.abs() > 1e12));
            }
        }
    }
    // the control: some do follow x to where w is rounding
    assert!(far > 5, "{far}");
}
