//! An operator of one's own: the second difference on a line, with no matrix at all. A string above an obstacle.
use drystone_lcp::{BoxedProblem, LcpError, LcpOperator, LcpSolver, Operator, ProjectedGaussSeidel};

/// (A x)_i = 2 x_i - x_(i-1) - x_(i+1).
#[derive(Debug)]
struct SecondDifference {
    rows: usize,
}

impl LcpOperator for SecondDifference {
    fn rows(&self) -> usize {
        self.rows
    }

    fn diagonal(&self, _i: usize) -> f64 {
        2.0
    }

    fn row_dot(&self, i: usize, x: &[f64], _acc: &[f64]) -> f64 {
        let at = |i: Option<usize>| i.and_then(|i| x.get(i)).copied().unwrap_or(0.0);
        2.0 * x[i] - at(i.checked_sub(1)) - at(Some(i + 1))
    }
}

fn main() -> Result<(), LcpError> {
    const N: usize = 31;
    // A bump in the middle that the string, pulled down, must stay above.
    let obstacle = |i: usize| 0.3 - (i as f64 - 15.0).powi(2) / 200.0;
    let problem = BoxedProblem::boxed(
        Operator::Custom(Box::new(SecondDifference { rows: N })),
        vec![0.002; N],
        (0..N).map(obstacle).collect(),
        vec![f64::INFINITY; N],
    );
    problem.view().validate()?;
    let mut x = vec![0.0; N];
    let report =
        ProjectedGaussSeidel { iterations: 2000, omega: 1.8, ..Default::default() }.solve(&problem.view(), &mut x)?;
    for (i, x) in x.iter().enumerate() {
        let touches = if *x <= obstacle(i) + 1e-9 { "  touches" } else { "" };
        println!("{i:3} {x:9.5} {}{touches}", " ".repeat((100.0 * x.max(0.0)) as usize) + "*");
    }
    println!("{report:?}");
    Ok(())
}

#[test]
fn it_runs() {
    main().unwrap();
}
