//! What every solver of boxed problems must do, and what the splitting methods must do identically with every operator.
#![allow(clippy::needless_range_loop)]
use drystone_lcp::{
    BoxedProblem, DenseOperator, FactoredOperator, LcpError, LcpOperator, LcpSolver, LcpStatus, Lemke, Measure,
    NO_BODY, NO_DEPENDENCY, Operator, Permutation, PrincipalPivoting, ProjectedGaussSeidel, ProjectedJacobi,
    ResidualWorkspace, SparseOperator, SplitMix64, StepTest, Sweep, natural_residual, solver_by_name,
};

/// A = B^T B + I of n rows: symmetric positive definite, so a P-matrix.
fn random_matrix(n: usize, random: &mut SplitMix64) -> DenseOperator {
    let b: Vec<f64> = (0..n * n).map(|_| random.range(-1.0, 1.0)).collect();
    let mut a = DenseOperator::zeros(n);
    for i in 0..n {
        for j in 0..n {
            let sum: f64 = (0..n).map(|k| b[k * n + i] * b[k * n + j]).sum();
            a.set(i, j, sum + f64::from(u8::from(i == j)));
        }
    }
    a
}

fn sweeps(iterations: usize) -> ProjectedGaussSeidel {
    ProjectedGaussSeidel { iterations, tolerance: 1e-13, measure: Measure::EveryIteration, ..Default::default() }
}

fn residual(problem: &BoxedProblem, x: &[f64]) -> f64 {
    natural_residual(&problem.view(), x, &mut ResidualWorkspace::default())
}

fn distance(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).fold(0.0, |m, (x, y)| m.max((x - y).abs()))
}

/// A pile of `contacts` contacts (a normal and two friction rows each) between random bodies, as a factored operator.
fn pile(contacts: usize, bodies: u32, seed: u64) -> BoxedProblem {
    let mut random = SplitMix64::new(seed);
    let mut a = FactoredOperator::new();
    for _ in 0..bodies {
        a.push_body(random.range(0.5, 2.0), [1.0, 2.0, 3.0, 0.1, 0.0, -0.2]);
    }
    let (mut b, mut dependency, mut mu) = (Vec::new(), Vec::new(), Vec::new());
    for c in 0..contacts {
        let first = random.below(bodies as usize) as u32;
        let second = if random.unit() < 0.3 { NO_BODY } else { random.below(bodies as usize) as u32 };
        for r in 0..3 {
            let mut block = || std::array::from_fn(|_| random.range(-1.0, 1.0));
            a.push_row([first, second], block(), block(), 1e-3).unwrap();
            b.push(if r == 0 { random.range(-2.0, 0.5) } else { random.range(-1.0, 1.0) });
            dependency.push(if r == 0 { NO_DEPENDENCY } else { 3 * c as u32 });
            mu.push(0.3);
        }
    }
    let n = b.len();
    let (lo, hi) = (vec![0.0; n], vec![f64::INFINITY; n]);
    BoxedProblem { operator: a.into(), b, lo, hi, dependency, mu, partner: Vec::new() }
}

fn with_operator(problem: &BoxedProblem, operator: impl Into<Operator>) -> BoxedProblem {
    BoxedProblem {
        operator: operator.into(),
        b: problem.b.clone(),
        lo: problem.lo.clone(),
        hi: problem.hi.clone(),
        dependency: problem.dependency.clone(),
        mu: problem.mu.clone(),
        partner: Vec::new(),
    }
}

// F-01, F-30
#[test]
fn all_agree_with_lemke_on_random_boxes() {
    let mut random = SplitMix64::new(7);
    for case in 0..40 {
        let n = 1 + random.below(9);
        let a = random_matrix(n, &mut random);
        let b: Vec<f64> = (0..n).map(|_| random.range(-3.0, 3.0)).collect();
        let side = |low: f64, high: f64, random: &mut SplitMix64| {
            if random.unit() < 0.3 { f64::INFINITY } else { random.range(low, high) }
        };
        let lo: Vec<f64> = (0..n).map(|_| -side(0.0, 0.4, &mut random)).collect();
        let hi: Vec<f64> = (0..n).map(|_| side(0.0, 0.4, &mut random)).collect();
        let problem = BoxedProblem::boxed(a, b, lo, hi);
        problem.view().validate().unwrap();
        let mut reference = vec![0.0; n];
        let report = Lemke::default().solve(&problem.view(), &mut reference).unwrap();
        assert_eq!(report.status, LcpStatus::Converged, "case {case}");
        assert!(report.residual.unwrap() < 1e-10, "case {case}: {report:?}");
        let jacobi = ProjectedJacobi {
            iterations: 20_000,
            tolerance: 1e-12,
            measure: Measure::EveryIteration,
            ..Default::default()
        };
        let solvers: [Box<dyn LcpSolver>; 5] = [
            Box::new(sweeps(5000)),
            Box::new(ProjectedGaussSeidel { sweep: Sweep::Symmetric, ..sweeps(5000) }),
            Box::new(ProjectedGaussSeidel { permutation: Permutation::random(7, 3), ..sweeps(5000) }),
            Box::new(PrincipalPivoting::default()),
            Box::new(jacobi),
        ];
        for mut solver in solvers {
            let mut x = vec![0.0; n];
            let report = solver.solve(&problem.view(), &mut x).unwrap();
            assert!(report.residual.unwrap() < 1e-10, "case {case}, {}: {report:?}", solver.name());
            assert!(distance(&x, &reference) < 1e-8, "case {case}, {}: {x:?} {reference:?}", solver.name());
        }
    }
}

// F-23, F-24
#[test]
fn same_answer_on_every_operator() {
    let factored = pile(30, 12, 5);
    factored.view().validate().unwrap();
    let dense = factored.operator.view().to_dense();
    assert!(dense.asymmetry() < 1e-14);
    let problems =
        [with_operator(&factored, dense.clone()), with_operator(&factored, SparseOperator::from_dense(&dense))];
    for iterations in [1, 10] {
        let mut x = vec![0.0; factored.b.len()];
        ProjectedGaussSeidel::with_iterations(iterations).solve(&factored.view(), &mut x).unwrap();
        for problem in &problems {
            let mut y = vec![0.0; x.len()];
            ProjectedGaussSeidel::with_iterations(iterations).solve(&problem.view(), &mut y).unwrap();
            assert!(distance(&x, &y) < 1e-12 * iterations as f64, "{}", distance(&x, &y));
        }
    }
}

#[test]
fn accumulator_is_the_weighted_transpose_product() {
    let problem = pile(10, 4, 9);
    let mut solver = ProjectedGaussSeidel::with_iterations(50);
    let mut x = vec![0.0; 30];
    solver.solve(&problem.view(), &mut x).unwrap();
    let Operator::Factored(a) = &problem.operator else { panic!("a pile is factored") };
    let mut fresh = vec![0.0; a.accumulator_len()];
    a.start(&x, &mut fresh);
    assert!(distance(&fresh, solver.accumulator()) < 1e-12);
}

// F-16
#[test]
fn friction_stays_in_its_pyramid_and_agrees_with_lemke() {
    for seed in 0..10 {
        let problem = pile(4, 3, seed);
        let (mut x, mut reference) = (vec![0.0; 12], vec![0.0; 12]);
        let report = Lemke::default().solve(&problem.view(), &mut reference).unwrap();
        assert!(report.residual.unwrap() < 1e-9, "seed {seed}: {report:?}");
        let report = sweeps(20_000).solve(&problem.view(), &mut x).unwrap();
        assert!(report.residual.unwrap() < 1e-9, "seed {seed}: {report:?}");
        for c in 0..4 {
            assert!(x[3 * c + 1].abs() <= 0.3 * x[3 * c] + 1e-12);
        }
    }
}

#[test]
fn rows_may_be_permuted_and_scaled() {
    let mut random = SplitMix64::new(2);
    let n = 8;
    let a = random_matrix(n, &mut random);
    let b: Vec<f64> = (0..n).map(|_| random.range(-3.0, 3.0)).collect();
    let mut x = vec![0.0; n];
    sweeps(5000).solve(&BoxedProblem::lcp(a.clone(), b.clone()).view(), &mut x).unwrap();
    // Rows reversed and scaled by d: A' = D P A P^T D, x' = D^-1 P x.
    let d: Vec<f64> = (0..n).map(|_| random.range(0.5, 2.0)).collect();
    let mut turned = DenseOperator::zeros(n);
    for i in 0..n {
        for j in 0..n {
            turned.set(i, j, d[i] * d[j] * a.get(n - 1 - i, n - 1 - j));
        }
    }
    let problem = BoxedProblem::lcp(turned, (0..n).map(|i| d[i] * b[n - 1 - i]).collect());
    let mut y = vec![0.0; n];
    sweeps(5000).solve(&problem.view(), &mut y).unwrap();
    let back: Vec<f64> = (0..n).map(|i| y[n - 1 - i] * d[n - 1 - i]).collect();
    assert!(distance(&x, &back) < 1e-10);
}

#[test]
fn mass_ratio_8000_contracts_as_the_seed_says() {
    // O-57: lower ball of mass m, upper of 8000 m: A = [1 -1; -1 1 + 1/8000] / m in units of the lower's inverse mass.
    let light = 1.0;
    let heavy = 1.0 / 8000.0;
    let problem =
        BoxedProblem::lcp(DenseOperator::from_rows([[light, -light], [-light, light + heavy]]), vec![9.81, -14.7]);
    let mut solver = ProjectedGaussSeidel { iterations: 200, measure: Measure::History, ..Default::default() };
    let mut x = vec![0.0; 2];
    solver.solve(&problem.view(), &mut x).unwrap();
    let h = solver.history();
    let contraction = h[200] / h[199];
    assert!((contraction - 0.999_875).abs() < 1e-6, "{contraction}");
    let mut exact = vec![0.0; 2];
    let report = Lemke::default().solve(&problem.view(), &mut exact).unwrap();
    assert!(report.residual.unwrap() < 1e-9, "{report:?}");
}

// E-12, F-35
#[test]
fn singular_system_of_baraff_1995_keeps_its_mode() {
    // O-06: three solutions, all with a = (0, 0, 0, 1); the pivoting solver stays at the one from which it starts.
    let a = DenseOperator::from_rows([
        [2.0, 1.0, 0.0, 0.0],
        [1.0, 1.0, 1.0, 0.0],
        [0.0, 1.0, 2.0, 0.0],
        [0.0, 0.0, 0.0, 1.0],
    ]);
    let problem = BoxedProblem::lcp(a, vec![-1.0, -1.0, -1.0, 1.0]);
    for last in [[1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0, 0.0], [0.5, 0.0, 0.5, 0.0]] {
        let mut x = last;
        let mut solver = PrincipalPivoting::default();
        let report = solver.solve(&problem.view(), &mut x).unwrap();
        assert_eq!(report.status, LcpStatus::Converged);
        assert!(residual(&problem, &x) < 1e-12);
        assert!(distance(&x, &last) < 1e-12, "{x:?}");
    }
}

#[test]
fn the_spurious_solution_is_left() {
    // O-06: (2, -3, 2, 0) solves the equations with the same a, but it is not a solution of the problem
    let a = DenseOperator::from_rows([
        [2.0, 1.0, 0.0, 0.0],
        [1.0, 1.0, 1.0, 0.0],
        [0.0, 1.0, 2.0, 0.0],
        [0.0, 0.0, 0.0, 1.0],
    ]);
    let problem = BoxedProblem::lcp(a, vec![-1.0, -1.0, -1.0, 1.0]);
    let mut x = [2.0, -3.0, 2.0, 0.0];
    assert!((residual(&problem, &x) - 3.0).abs() < 1e-12);
    let report = PrincipalPivoting::default().solve(&problem.view(), &mut x).unwrap();
    assert!(report.status == LcpStatus::Converged && x.iter().all(|f| *f >= 0.0), "{x:?}");
    assert!(residual(&problem, &x) < 1e-12);
}

// F-13
#[test]
fn permutations_keep_parents_first_and_repeat() {
    let problem = pile(20, 6, 4);
    let solve = |permutation| {
        let mut x = vec![0.0; 60];
        let mut solver = ProjectedGaussSeidel { permutation, ..sweeps(3000) };
        let report = solver.solve(&problem.view(), &mut x).unwrap();
        assert!(report.residual.unwrap() < 1e-9, "{permutation:?}: {report:?}");
        x
    };
    let random = Permutation::random(7, 11);
    assert_eq!(solve(random), solve(random));
    solve(Permutation::BY_ERROR);
}

// F-18
#[test]
fn early_exit_respects_the_least_number_of_sweeps() {
    let problem = BoxedProblem::lcp(DenseOperator::from_rows([[2.0]]), vec![-1.0]);
    let mut solver = ProjectedGaussSeidel {
        min_iterations: 4,
        step: StepTest { absolute: 1e-9, relative: 0.0 },
        ..Default::default()
    };
    let report = solver.solve(&problem.view(), &mut [0.5]).unwrap();
    assert_eq!((report.status, report.iterations), (LcpStatus::Converged, 4));
}

#[test]
fn malformed_problems_are_named() {
    let a = || DenseOperator::from_rows([[1.0, 0.0], [0.0, 1.0]]);
    let fault = |change: fn(&mut BoxedProblem)| {
        let mut problem = BoxedProblem::lcp(a(), vec![-1.0, -1.0]);
        problem.dependency = vec![NO_DEPENDENCY; 2];
        problem.mu = vec![0.5; 2];
        change(&mut problem);
        problem.view().validate().unwrap_err()
    };
    assert!(matches!(fault(|p| p.lo.truncate(1)), LcpError::Size { what: "lo", expected: 2, found: 1 }));
    assert!(matches!(fault(|p| p.b[1] = f64::NAN), LcpError::NonFinite { what: "b", index: 1, .. }));
    assert!(matches!(fault(|p| p.lo[0] = f64::INFINITY), LcpError::NonFinite { what: "lo", .. }));
    assert!(matches!(fault(|p| (p.lo[0], p.hi[0]) = (2.0, 1.0)), LcpError::EmptyBox { row: 0, .. }));
    assert!(matches!(
        fault(|p| p.dependency[0] = 9),
        LcpError::DependencyOutOfRange { row: 0, dependency: 9, rows: 2 }
    ));
    assert!(matches!(fault(|p| p.dependency = vec![1, 0]), LcpError::DependencyCycle { .. }));
    assert!(matches!(fault(|p| p.dependency = vec![0, 0]), LcpError::DependencyCycle { row: 0 }));
    assert!(matches!(fault(|p| (p.dependency[1], p.mu[1]) = (0, -1.0)), LcpError::NegativeFriction { row: 1, .. }));
    let problem = BoxedProblem::lcp(a(), vec![1.0, 1.0]);
    let wrong = ProjectedGaussSeidel::default().solve(&problem.view(), &mut [0.0]);
    assert!(matches!(wrong, Err(LcpError::Size { what: "x", .. })));
}

#[test]
fn divergence_is_reported_and_nothing_non_finite_returned() {
    let a = DenseOperator::from_rows([[1.0, 1e200], [-1e200, 1.0]]);
    let problem = BoxedProblem::boxed(a, vec![1.0, -1.0], vec![f64::NEG_INFINITY; 2], vec![f64::INFINITY; 2]);
    let mut x = [0.0; 2];
    let report = ProjectedGaussSeidel::default().solve(&problem.view(), &mut x).unwrap();
    assert_eq!(report.status, LcpStatus::Failed);
    assert!(x.iter().all(|x| x.is_finite()));
}

#[test]
fn a_start_beyond_all_measure_is_left() {
    let problem = pile(4, 3, 2);
    for name in ["sparse-principal-pivoting", "mprgp", "projected-gradient", "accelerated-projected-gradient"] {
        let mut solver = drystone_lcp::solver_by_name(name).unwrap();
        let mut x = vec![1e308; 12];
        let report = solver.solve(&problem.view(), &mut x).unwrap();
        assert!(x.iter().all(|x| x.is_finite()), "{name}: {report:?}");
    }
}

#[test]
fn a_problem_too_large_for_a_dense_matrix_is_solved_or_refused() {
    let n = 20_000;
    let diagonal: Vec<(usize, usize, f64)> = (0..n).map(|i| (i, i, 2.0)).collect();
    let b: Vec<f64> = (0..n).map(|i| if i % 2 == 0 { -1.0 } else { 1.0 }).collect();
    let problem = BoxedProblem::lcp(SparseOperator::from_triplets(n, &diagonal).unwrap(), b);
    let (mut solved, mut refused) = (0, 0);
    let boxed = |s: &&drystone_lcp::SolverInfo| s.kinds.contains(&drystone_lcp::ProblemKind::Boxed);
    for info in drystone_lcp::SOLVERS.iter().filter(boxed) {
        let mut x = vec![0.0; n];
        match drystone_lcp::solver_by_name(info.name).unwrap().solve(&problem.view(), &mut x) {
            Ok(_) => {
                assert!(residual(&problem, &x) < 1e-4, "{}", info.name);
                solved += 1;
            }
            Err(LcpError::TooManyRows { rows, .. }) => {
                assert_eq!(rows, n);
                refused += 1;
            }
            Err(e) => panic!("{}: {e}", info.name),
        }
    }
    assert!(solved > 10 && refused > 5, "{solved} solved, {refused} refused");
}

/// A box on four points, with ever lighter bodies: the partition stays the same, the multipliers
/// fall with the mass, and the reported residual is that of the unscaled problem.
#[test]
fn light_bodies_are_solved_as_heavy_ones_are() {
    let problem = |inverse_mass: f64| {
        let mut a = FactoredOperator::new();
        let body = a.push_body(inverse_mass, [6.0, 6.0, 6.0, 0.0, 0.0, 0.0].map(|i| i * inverse_mass));
        for [x, z] in [[0.5, 0.5], [0.5, -0.5], [-0.5, 0.5], [-0.5, -0.5]] {
            a.push_row([body, NO_BODY], [0.0, 1.0, 0.0, -z, 0.0, x], [0.0; 6], 0.0).unwrap();
        }
        BoxedProblem::lcp(a, vec![-1.0, -1.0, 0.5, 0.25])
    };
    for name in ["dantzig", "lemke", "block-principal-pivoting", "sparse-principal-pivoting", "murty-least-index"] {
        let solve = |inverse_mass: f64| {
            let (problem, mut x) = (problem(inverse_mass), vec![0.0; 4]);
            let report = solver_by_name(name).unwrap().solve(&problem.view(), &mut x).unwrap();
            let residual = natural_residual(&problem.view(), &x, &mut ResidualWorkspace::default());
            assert_eq!((report.status, report.residual), (LcpStatus::Converged, Some(residual)), "{name}");
            x
        };
        let usual = solve(1.0);
        assert!(usual[0] > 0.1 && usual.contains(&0.0), "{name}: {usual:?}");
        for exponent in [10, 30, 60, 300] {
            let light = solve(2.0_f64.powi(exponent)).iter().map(|x| x * 2.0_f64.powi(exponent)).collect::<Vec<_>>();
            assert_eq!(light, usual, "{name}, 2^-{exponent} kg");
        }
    }
}
