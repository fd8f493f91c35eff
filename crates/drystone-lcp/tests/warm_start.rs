//! A solve that starts from the last answer (Erleben 2005, 6.1.3): fewer iterations if the contacts are as before, more if they are not.
use drystone_lcp::{BoxedProblem, LcpStatus, MatrixFamily, ProblemGenerator, solver_by_name, stack_problem};

/// Iterations from the start `x` to a residual of 1e-9; the answer is left in `x`.
fn iterations(name: &str, problem: &BoxedProblem, x: &mut [f64]) -> usize {
    let mut solver = solver_by_name(name).unwrap();
    for (name, value) in [("iterations", 100_000.0), ("tolerance", 1e-9), ("measure", 2.0)] {
        solver.set(name, value).unwrap();
    }
    let report = solver.solve(&problem.view(), x).unwrap();
    assert_eq!(report.status, LcpStatus::Converged, "{name}: {report:?}");
    report.iterations
}

// F-17
#[test]
fn a_stack_at_rest_takes_few_sweeps_from_its_last_answer() {
    let problem = stack_problem(1, 5, 0.3, 1.0, 1e-3);
    let mut x = vec![0.0; problem.b.len()];
    let cold = iterations("projected-gauss-seidel", &problem, &mut x);
    // nine tenths of the answer, as for motors that should not jerk; and all of it
    let mut scaled: Vec<f64> = x.iter().map(|x| 0.9 * x).collect();
    let nine_tenths = iterations("projected-gauss-seidel", &problem, &mut scaled);
    let warm = iterations("projected-gauss-seidel", &problem, &mut x);
    assert!(warm <= 1 && nine_tenths < cold && cold > 50, "{warm} {nine_tenths} {cold}");
}

#[test]
fn contacts_that_change_make_the_last_answer_worse_than_none() {
    let problem = stack_problem(1, 5, 0.0, 1.0, 1e-3);
    let mut x = vec![0.0; problem.b.len()];
    iterations("projected-gauss-seidel", &problem, &mut x);
    // all velocities reversed: the contacts part, and none bears
    let b = problem.b.iter().map(|b| -b).collect();
    let changed = BoxedProblem { b, ..problem };
    let mut zero = vec![0.0; x.len()];
    let (warm, cold) = (
        iterations("projected-gauss-seidel", &changed, &mut x),
        iterations("projected-gauss-seidel", &changed, &mut zero),
    );
    assert!(cold <= 1 && warm > 5 * cold.max(1), "{warm} {cold}");
}

// F-34
#[test]
fn newton_takes_few_steps_near_the_answer() {
    for seed in 0..5 {
        let generator = ProblemGenerator { rows: 40, family: MatrixFamily::PositiveDefinite, active: 0.5, seed };
        let (problem, known) = generator.lcp();
        for name in ["newton-fischer-burmeister", "newton-minimum-map"] {
            let cold = iterations(name, &problem, &mut vec![0.0; known.len()]);
            let mut near: Vec<f64> = known.iter().map(|x| 1.001 * x).collect();
            let warm = iterations(name, &problem, &mut near);
            assert!(warm <= 3 && warm < cold, "{name} {seed}: {warm} {cold}");
        }
    }
}
