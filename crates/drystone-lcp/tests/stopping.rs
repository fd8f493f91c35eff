//! Tests on the step in addition to the residual (F-19), and estimates of how fast sequences converge (F-21).
use drystone_lcp::{
    BoxedProblem, ConvergenceRate, DenseOperator, LcpError, LcpSolver, LcpStatus, Measure, ProblemKind,
    ProjectedGaussSeidel, ResidualWorkspace, SOLVERS, StepTest, cone_problem, cone_solver_by_name, natural_residual,
    power_law_exponent, slowest_first, solver_by_name, stack_problem,
};

/// Two balls, the upper 8000 times as heavy: Gauss-Seidel contracts by 0.999875 (O-57).
fn two_balls() -> BoxedProblem {
    let a = DenseOperator::from_rows([[1.0, -1.0], [-1.0, 1.0 + 1.0 / 8000.0]]);
    BoxedProblem::lcp(a, vec![9.81, -14.7])
}

#[test]
fn the_residual_flags_the_harmonic_series() {
    // Example 6.1.5, seen as iterates for w = x - 1000: the test on the step passes, the residual does not.
    let problem = BoxedProblem::lcp(DenseOperator::from_rows([[1.0]]), vec![-1000.0]);
    let test = StepTest { absolute: 1e-3, relative: 0.0 };
    let (mut x, mut k) = ([0.0], 0.0);
    loop {
        k += 1.0;
        let next = [x[0] + 1.0 / k];
        let passes = test.is_met_between(&x, &next);
        x = next;
        if passes {
            break;
        }
    }
    assert!(k < 1e4 && natural_residual(&problem.view(), &x, &mut ResidualWorkspace::default()) > 990.0);
}

#[test]
fn a_crawling_solver_passes_the_step_tests_and_its_residual_says_so() {
    let problem = two_balls();
    for step in [StepTest { absolute: 10.0, relative: 0.0 }, StepTest { absolute: 0.0, relative: 1e-3 }] {
        let run = |tolerance| {
            let mut solver = ProjectedGaussSeidel { iterations: 100_000, step, tolerance, ..Default::default() };
            let mut x = vec![0.0; 2];
            solver.solve(&problem.view(), &mut x).unwrap()
        };
        // By its own test alone it has converged; if a residual is required as well, it has not.
        let (own, asked) = (run(0.0), run(1e-6));
        assert_eq!((own.status, asked.status), (LcpStatus::Converged, LcpStatus::Stagnated), "{step:?}");
        assert!(own.iterations < 10_000 && own.residual.unwrap() > 1.0, "{step:?} {own:?}");
    }
}

// F-32
#[test]
fn every_iterative_solver_takes_the_step_tests_and_keeps_its_cap() {
    let problem = stack_problem(1, 3, 0.3, 2.0, 1e-3);
    let (cones, _) = cone_problem(4, 0.4, 1);
    let mut tested = 0;
    for info in SOLVERS {
        if !info.parameters.iter().any(|p| p.name == "relative_threshold") {
            continue;
        }
        tested += 1;
        let cone = info.kinds.contains(&ProblemKind::Friction);
        // Off, on, and with a threshold that every step satisfies.
        for (relative, cap) in [(0.0, 6.0), (1e-9, 6.0), (1e9, 1000.0)] {
            let settings = [("iterations", cap), ("tolerance", 0.0), ("relative_threshold", relative)];
            let report = if cone {
                let mut solver = cone_solver_by_name(info.name).unwrap();
                for (name, value) in settings {
                    solver.set(name, value).unwrap();
                }
                solver.solve(&cones, &mut vec![0.0; cones.rows()]).unwrap()
            } else {
                let mut solver = solver_by_name(info.name).unwrap();
                for (name, value) in settings {
                    solver.set(name, value).unwrap();
                }
                solver.solve(&problem.view(), &mut vec![0.0; problem.b.len()]).unwrap()
            };
            assert!(report.iterations <= cap as usize, "{}: {report:?}", info.name);
            if relative > 1.0 {
                assert!(report.iterations <= 2, "{}: {report:?}", info.name);
            }
        }
    }
    assert!(tested >= 24, "{tested}");
}

#[test]
fn known_rates_are_found() {
    // x_k = alpha + K / k^p (6.44).
    for p in [0.5, 1.0, 2.0, 3.0] {
        let errors: Vec<f64> = (1..200).map(|k| 7.0 / f64::from(k).powf(p)).collect();
        let rate = ConvergenceRate::of_errors(&errors).unwrap();
        assert!((rate.order - p).abs() < 1e-9, "{p}: {rate:?}");
        assert!(!rate.is_linear(), "{rate:?}");
    }
    // Linear convergence: x_k = alpha + K rho^k.
    for rho in [0.1, 0.5, 0.99] {
        let errors: Vec<f64> = (0..60).map(|k| 3.0 * f64::powi(rho, k)).collect();
        let rate = ConvergenceRate::of_errors(&errors).unwrap();
        assert!(rate.is_linear() && (rate.factor - rho).abs() < 1e-9, "{rho}: {rate:?}");
    }
    // Newton's iteration for the square root of 2: errors are squared, digits double.
    let mut x = 2.0_f64;
    let mut errors = Vec::new();
    for _ in 0..4 {
        errors.push((x - 2.0_f64.sqrt()).abs());
        x = 0.5 * (x + 2.0 / x);
    }
    let rate = ConvergenceRate::of_errors(&errors).unwrap();
    assert!((rate.digits - 2.0).abs() < 0.1, "{rate:?}");
    // The harmonic series does not converge: its distance to any bound does not fall as a power.
    let mut sum = 0.0;
    let far: Vec<f64> = (1..500)
        .map(|k| {
            sum += 1.0 / f64::from(k);
            1000.0 - sum
        })
        .collect();
    assert!(ConvergenceRate::of_errors(&far).unwrap().order < 0.01);
    assert!(ConvergenceRate::of_errors(&[1.0]).is_none() && ConvergenceRate::of_errors(&[1.0, f64::NAN]).is_none());
}

#[test]
fn iterates_against_their_limit_and_by_variable() {
    // Variable 0 converges as 1 / k, variable 1 as 0.5^k: the slower one determines the rate, and is first in the order by error (6.45).
    let limit = [3.0, -1.0];
    let iterates: Vec<Vec<f64>> =
        (1..40).map(|k| vec![limit[0] + 1.0 / f64::from(k), limit[1] + 0.5_f64.powi(k)]).collect();
    let rate = ConvergenceRate::of_iterates(&iterates, &limit).unwrap();
    assert!((rate.order - 1.0).abs() < 1e-6 && !rate.is_linear(), "{rate:?}");
    let mut order = Vec::new();
    slowest_first(&iterates[30], &iterates[31], &mut order);
    assert_eq!(order, [0, 1]);
    slowest_first(&iterates[0], &iterates[1], &mut order);
    assert_eq!(order, [0, 1]);
    // The history of a solver: Gauss-Seidel on two balls of mass ratio 8000.
    let problem = two_balls();
    let mut solver = ProjectedGaussSeidel { iterations: 300, measure: Measure::History, ..Default::default() };
    solver.solve(&problem.view(), &mut [0.0; 2]).unwrap();
    let rate = ConvergenceRate::of_errors(&solver.history()[100..]).unwrap();
    assert!(rate.is_linear() && (rate.factor - 0.999_875).abs() < 1e-6, "{rate:?}");
}

#[test]
fn costs_grow_by_a_power_of_the_size() {
    let cubes: Vec<(f64, f64)> = [10.0, 20.0, 50.0].map(|n| (n, 4.0 * f64::powi(n, 3))).to_vec();
    assert!((power_law_exponent(&cubes).unwrap() - 3.0).abs() < 1e-12);
    assert!(power_law_exponent(&cubes[..1]).is_none() && power_law_exponent(&[(1.0, 0.0), (2.0, 1.0)]).is_none());
}

#[test]
fn an_answer_within_the_tolerance_has_converged_whenever_it_is_measured() {
    // one row: the first sweep solves it, the second changes nothing
    let problem = BoxedProblem::lcp(DenseOperator::from_rows([[2.0]]), vec![-1.0]);
    for name in ["projected-gauss-seidel", "blocked-gauss-seidel", "nonsmooth-conjugate-gradient"] {
        for measure in [1.0, 2.0] {
            let mut solver = solver_by_name(name).unwrap();
            solver.set("measure", measure).unwrap();
            let mut x = [0.0];
            let report = solver.solve(&problem.view(), &mut x).unwrap();
            assert_eq!((report.residual, report.status), (Some(0.0), LcpStatus::Converged), "{name} {measure}");
        }
    }
    let mut solver = solver_by_name("projected-gauss-seidel").unwrap();
    solver.set("iterations", 0.0).unwrap();
    let report = solver.solve(&problem.view(), &mut [0.0]).unwrap();
    assert_eq!(report.status, LcpStatus::IterationLimit);
}

#[test]
fn a_listed_solver_is_made_or_says_who_makes_it() {
    for info in SOLVERS {
        let (boxed, cones) = (solver_by_name(info.name), cone_solver_by_name(info.name));
        assert!(boxed.is_ok() || cones.is_ok(), "{}", info.name);
        for error in [boxed.err(), cones.err()].into_iter().flatten() {
            assert!(matches!(error, LcpError::OtherKind { .. }), "{}: {error}", info.name);
            assert!(error.to_string().contains("solver_by_name"), "{error}");
        }
    }
    assert!(matches!(solver_by_name("nobody"), Err(LcpError::UnknownSolver { .. })));
}
