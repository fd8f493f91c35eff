use crate::{LcpError, LcpSolver, LcpStatus, MatrixFamily, ProblemGenerator, ResidualWorkspace, natural_residual};

/// Largest difference between the residual that a solver reports and the recomputed one, relative to the larger of that and one.
const RESIDUAL_NOISE: f64 = 1e-6;

/// Checks the contract of [`LcpSolver`] for any implementation; panics with the violated clause.
///
/// `make` gives a solver with default parameters, set so that positive definite problems of up to 24 rows are solved to a natural residual of
/// `residual`. It checks those answers; that a reported residual is that of the answer; that an answer depends on problem and start value
/// alone, not on earlier solves, and is the same from a fork; that starts of the wrong length or with values that are not finite are refused;
/// that x ends finite whatever happens; problems without rows; and that an unknown parameter is refused.
///
/// # Panics
/// If the contract does not hold.
pub fn check_lcp_solver(make: impl Fn() -> Box<dyn LcpSolver>, residual: f64) {
    let name = make().name();
    assert!(!name.is_empty(), "a solver without a name");
    answers(name, &make, residual);
    refusals(name, &make);
    hostile(name, &make);
}

fn answers(name: &str, make: &impl Fn() -> Box<dyn LcpSolver>, wanted: f64) {
    let mut used = make();
    for seed in 0..12 {
        let rows = 1 + 2 * seed as usize;
        let generator = ProblemGenerator { rows, family: MatrixFamily::PositiveDefinite, active: 0.5, seed };
        for (problem, expected) in [generator.lcp(), generator.boxed()] {
            let view = problem.view();
            let mut x = vec![0.0; rows];
            let report = used.solve(&view, &mut x).unwrap_or_else(|e| panic!("{name}, seed {seed}: {e}"));
            let found = natural_residual(&view, &x, &mut ResidualWorkspace::default());
            assert!(found <= wanted, "{name}, seed {seed}: residual {found:e}, {report:?}");
            let far = x.iter().zip(&expected).fold(0.0_f64, |m, (x, y)| m.max((x - y).abs()));
            // the matrix is B^T B + I: the error is at most a few times the residual
            assert!(far <= 1e-9 + 1e3 * wanted, "{name}, seed {seed}: {far:e} from the solution");
            if let Some(said) = report.residual {
                let noise = RESIDUAL_NOISE * said.abs().max(1.0);
                assert!((said - found).abs() <= noise, "{name}, seed {seed}: says {said:e}, has {found:e}");
            }
            assert_ne!(report.status, LcpStatus::Failed, "{name}, seed {seed}: {report:?}");
            // neither earlier solves nor the instance that solves it matter
            for mut other in [make(), used.fork(), make().fork()] {
                assert_eq!(other.name(), name);
                let mut y = vec![0.0; rows];
                other.solve(&view, &mut y).unwrap_or_else(|e| panic!("{name}, seed {seed}: {e}"));
                assert!(x.iter().zip(&y).all(|(a, b)| a.to_bits() == b.to_bits()), "{name}, seed {seed}: {x:?} {y:?}");
            }
        }
    }
}

fn refusals(name: &str, make: &impl Fn() -> Box<dyn LcpSolver>) {
    let generator = ProblemGenerator { rows: 4, family: MatrixFamily::PositiveDefinite, active: 0.5, seed: 1 };
    let (problem, _) = generator.lcp();
    let mut solver = make();
    for wrong in [vec![0.0; 3], vec![0.0; 5], vec![]] {
        let mut x = wrong;
        let said = solver.solve(&problem.view(), &mut x);
        assert!(matches!(said, Err(LcpError::Size { .. })), "{name}: a start of {} rows for 4: {said:?}", x.len());
    }
    for bad in [f64::NAN, f64::INFINITY] {
        let mut x = vec![0.0, bad, 0.0, 0.0];
        let said = solver.solve(&problem.view(), &mut x);
        assert!(matches!(said, Err(LcpError::NonFinite { .. })), "{name}: a start with {bad}: {said:?}");
    }
    let said = solver.set("no-such-parameter", 1.0);
    assert!(matches!(said, Err(LcpError::UnknownParameter { .. })), "{name}: {said:?}");
    let empty = crate::BoxedProblem::lcp(crate::DenseOperator::zeros(0), Vec::new());
    let report = solver.solve(&empty.view(), &mut []).unwrap_or_else(|e| panic!("{name}, no rows: {e}"));
    assert!(report.residual.is_none_or(|r| r == 0.0), "{name}, no rows: {report:?}");
}

/// Problems without a solution, and with numbers at the limits of the representable range.
fn hostile(name: &str, make: &impl Fn() -> Box<dyn LcpSolver>) {
    let mut solver = make();
    for scale in [1e-200, 1e-30, 1.0, 1e30, 1e150] {
        for diagonal in [1.0, 1e-12, 0.0, -1.0] {
            let mut a = crate::DenseOperator::zeros(3);
            for i in 0..3 {
                a.set(i, i, diagonal * scale);
                a.set(i, (i + 1) % 3, 0.5 * diagonal * scale);
            }
            let problem = crate::BoxedProblem::lcp(a, vec![-scale, scale, -1.0]);
            let mut x = vec![0.0; 3];
            // it may refuse the problem with an error
            if solver.solve(&problem.view(), &mut x).is_ok() {
                assert!(x.iter().all(|x| x.is_finite()), "{name}, scale {scale:e}, diagonal {diagonal}: {x:?}");
            }
        }
    }
}
