//! A solve that starts from the last answer (Erleben 2005, 6.1.3): fewer iterations if the contacts are as before, more if they are not.
use drystone_lcp::{
    BoxedProblem, DenseOperator, LcpOperator, LcpStatus, MatrixFamily, Operator, ProblemGenerator, SparseOperator,
    SplitMix64, solver_by_name, stack_problem,
};

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

/// The matrix of more contacts around a body than it has degrees of freedom, forces with which all bear a load, and a load (as b) that differs from it by a ten-thousandth.
fn redundant_contacts(random: &mut SplitMix64) -> (DenseOperator, Vec<f64>, Vec<f64>) {
    let (rank, rows) = (3, 5 + random.below(4));
    let mut arm = |i: usize| {
        let angle = (i as f64 + random.range(-0.2, 0.2)) * std::f64::consts::TAU / rows as f64;
        [1.0, angle.cos(), angle.sin()]
    };
    let arms: Vec<[f64; 3]> = (0..rows).map(&mut arm).collect();
    let mut a = DenseOperator::zeros(rows);
    for i in 0..rows {
        for j in 0..rows {
            a.set(i, j, (0..rank).map(|k| arms[i][k] * arms[j][k]).sum());
        }
    }
    let bearing: Vec<f64> = (0..rows).map(|_| random.range(0.5, 1.5)).collect();
    let other: Vec<f64> = bearing.iter().map(|x| x + 1e-4 * random.range(-1.0, 1.0)).collect();
    let load = (0..rows).map(|i| -(0..rows).map(|j| a.get(i, j) * other[j]).sum::<f64>()).collect();
    (a, bearing, load)
}

/// O-06, E-11, E-12: what solves a partition begins with that of its start, and stays near the start where the partition leaves a choice. Unlike the unchanged problem,
/// which any solver may hand back, a changed one must be solved.
#[test]
fn a_load_that_changes_a_little_changes_the_answer_a_little() {
    let pivoting = ["block-principal-pivoting", "murty-least-index", "sparse-principal-pivoting", "dantzig"];
    let mut random = SplitMix64::new(14);
    let mut elsewhere = 0;
    for k in 0..100 {
        let (a, bearing, load) = redundant_contacts(&mut random);
        let mut sparse = BoxedProblem::lcp(DenseOperator::zeros(a.rows()), load.clone());
        sparse.operator = Operator::Sparse(SparseOperator::from_dense(&a));
        let dense = BoxedProblem::lcp(a, load);
        let far = |x: &[f64]| x.iter().zip(&bearing).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
        for name in pivoting {
            for problem in [&dense, &sparse] {
                let mut x = bearing.clone();
                let report = solver_by_name(name).unwrap().solve(&problem.view(), &mut x).unwrap();
                assert_eq!(report.status, LcpStatus::Converged, "{name} {k}: {report:?}");
                // on a sparse matrix the sparse method takes the least of all answers of the set
                let least = name == "sparse-principal-pivoting" && matches!(problem.operator, Operator::Sparse(_));
                assert!(x.iter().all(|x| *x > 0.0), "{name} {k}: {x:?} are not all bearing");
                assert!(least || far(&x) < 0.1, "{name} {k}: from {bearing:?} to {x:?}");
                let mut cold = vec![0.0; x.len()];
                solver_by_name(name).unwrap().solve(&problem.view(), &mut cold).unwrap();
                elsewhere += usize::from(far(&cold) > 0.4);
            }
        }
    }
    // the control: from zero most answers are of another mode
    assert!(elsewhere > 600, "{elsewhere} of 800");
}
