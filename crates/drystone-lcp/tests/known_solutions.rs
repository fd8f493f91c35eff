//! Every solver of the registry on generated problems whose solution is known.
use drystone_lcp::{
    BoxedProblem, ConeProblem, LcpError, LcpSolver, LcpStatus, MatrixFamily, ProblemGenerator, ProblemKind,
    ResidualWorkspace, SOLVERS, SolverInfo, complementarity_gap, cone_problem, cone_residual, cone_solver_by_name,
    cone_violation, fischer_burmeister_residual, natural_residual, solver_by_name, stack_problem,
};

/// The residual that a solver must reach.
const TOLERANCE: f64 = 1e-9;
/// The distance from the known x that this residual allows at the condition numbers met here.
const NEAR: f64 = 1e-6;

fn boxed_solvers() -> impl Iterator<Item = &'static SolverInfo> {
    SOLVERS.iter().filter(|info| info.kinds.contains(&ProblemKind::Boxed))
}

/// The solver with this many iterations, set to stop at the tolerance.
fn solver(info: &SolverInfo, iterations: f64) -> Box<dyn LcpSolver> {
    let mut solver = solver_by_name(info.name).unwrap();
    for (name, value) in [("iterations", iterations), ("tolerance", 1e-10), ("measure", 2.0)] {
        if info.parameters.iter().any(|p| p.name == name) {
            solver.set(name, value).unwrap();
        }
    }
    solver
}

fn distance(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).fold(0.0, |m, (x, y)| m.max((x - y).abs()))
}

/// Solves from zero; `None` if the solver does not take the problem.
fn solve(info: &SolverInfo, problem: &BoxedProblem) -> Option<(Vec<f64>, f64)> {
    solve_within(info, problem, 30_000.0)
}

fn solve_within(info: &SolverInfo, problem: &BoxedProblem, iterations: f64) -> Option<(Vec<f64>, f64)> {
    let mut x = vec![0.0; problem.b.len()];
    match solver(info, iterations).solve(&problem.view(), &mut x) {
        Ok(report) => {
            let residual = natural_residual(&problem.view(), &x, &mut ResidualWorkspace::default());
            assert_eq!(report.residual, Some(residual), "{}", info.name);
            Some((x, residual))
        }
        Err(LcpError::Unsupported { .. }) => None,
        Err(error) => panic!("{}: {error}", info.name),
    }
}

// F-09
#[test]
fn every_solver_finds_the_solution_of_definite_problems() {
    for seed in 0..4 {
        for active in [0.2, 0.7] {
            let generator = ProblemGenerator { rows: 8, family: MatrixFamily::PositiveDefinite, active, seed };
            for (problem, known) in [generator.lcp(), generator.boxed()] {
                for info in boxed_solvers() {
                    let Some((x, residual)) = solve(info, &problem) else { continue };
                    assert!(residual < TOLERANCE, "{} seed {seed}: residual {residual:e}", info.name);
                    assert!(distance(&x, &known) < NEAR, "{} seed {seed}: {:e}", info.name, distance(&x, &known));
                }
            }
        }
    }
}

#[test]
fn unsymmetric_p_matrices() {
    // The methods that minimise a quadratic function need symmetry, and say so.
    let symmetric_only = ["mprgp", "projected-gradient", "accelerated-projected-gradient", "two-level-gauss-seidel"];
    let generator = ProblemGenerator { rows: 15, family: MatrixFamily::UnsymmetricP, active: 0.5, seed: 3 };
    let (problem, known) = generator.lcp();
    for info in boxed_solvers().filter(|info| !symmetric_only.contains(&info.name)) {
        let (x, residual) = solve(info, &problem).unwrap();
        assert!(residual < TOLERANCE && distance(&x, &known) < NEAR, "{}: residual {residual:e}", info.name);
    }
}

#[test]
fn singular_problems_have_one_velocity() {
    let family = MatrixFamily::PositiveSemidefinite { rank: 6 };
    let (problem, known) = ProblemGenerator { rows: 14, family, active: 0.5, seed: 8 }.lcp();
    let product = |x: &[f64]| {
        let mut w = vec![0.0; x.len()];
        problem.operator.view().apply(x, &mut [], &mut w);
        w
    };
    let reference = product(&known);
    for info in boxed_solvers() {
        let Some((x, residual)) = solve(info, &problem) else { continue };
        assert!(residual < 1e-7, "{}: residual {residual:e}", info.name);
        assert!(distance(&product(&x), &reference) < 1e-4, "{}: {:e}", info.name, distance(&product(&x), &reference));
    }
}

#[test]
fn ill_conditioned_problems_by_direct_methods() {
    let family = MatrixFamily::IllConditioned { condition: 1e6 };
    let (problem, known) = ProblemGenerator { rows: 16, family, active: 0.6, seed: 1 }.lcp();
    for name in [
        "lemke",
        "dantzig",
        "block-principal-pivoting",
        "newton-minimum-map",
        "interior-point",
        "subspace-minimization",
    ] {
        let info = SOLVERS.iter().find(|s| s.name == name).unwrap();
        let (x, residual) = solve(info, &problem).unwrap();
        assert!(residual < 1e-7 && distance(&x, &known) < 1e-4, "{name}: residual {residual:e}");
    }
}

#[test]
fn stacks_with_friction() {
    // Ten boxes, 120 rows, redundant: four contacts per interface.
    let problem = stack_problem(1, 10, 0.5, 1.0, 0.0);
    problem.view().validate().unwrap();
    let mut solved = 0;
    // "Terrible convergence": only Jacobi is not expected to settle a stack.
    for info in boxed_solvers().filter(|info| info.name != "projected-jacobi") {
        let Some((_, residual)) = solve_within(info, &problem, 2000.0) else { continue };
        assert!(residual < 1e-3, "{}: residual {residual:e}", info.name);
        solved += 1;
    }
    assert!(solved >= 20);
}

// F-39
#[test]
fn two_level_beats_the_mass_ratio() {
    // F-36: eight boxes, each eight times as heavy as the one below. A thousand sweeps achieve nothing; thirty rounds of three solve the problem.
    let problem = stack_problem(1, 8, 0.0, 8.0, 0.0);
    let run = |name: &str, iterations: f64| {
        let mut solver = solver_by_name(name).unwrap();
        solver.set("iterations", iterations).unwrap();
        solver.set("tolerance", 1e-8).unwrap();
        let mut x = vec![0.0; problem.b.len()];
        solver.solve(&problem.view(), &mut x).unwrap().residual.unwrap()
    };
    let (sweeps, two_level) = (run("projected-gauss-seidel", 1000.0), run("two-level-gauss-seidel", 30.0));
    assert!(sweeps > 1e-3, "Gauss-Seidel {sweeps:e}");
    assert!(two_level < 1e-3 * sweeps, "two-level {two_level:e}, Gauss-Seidel {sweeps:e}");
}

#[test]
fn cones_with_known_solutions() {
    for seed in 0..3 {
        let (problem, known) = cone_problem(6, 0.4, seed);
        problem.validate().unwrap();
        assert!(cone_residual(&problem, &known) < 1e-12);
        for info in SOLVERS.iter().filter(|info| info.kinds.contains(&ProblemKind::Friction)) {
            let mut solver = cone_solver_by_name(info.name).unwrap();
            solver.set("iterations", 20_000.0).unwrap();
            let mut r = vec![0.0; 18];
            let report = solver.solve(&problem, &mut r).unwrap();
            assert_eq!(report.status, LcpStatus::Converged, "{} seed {seed}: {report:?}", info.name);
            assert!(cone_violation(&problem, &r) < 1e-9, "{}", info.name);
            assert!(distance(&r, &known) < NEAR, "{} seed {seed}: {:e}", info.name, distance(&r, &known));
        }
    }
}

// F-20
#[test]
fn merits_vanish_together() {
    let (problem, known) =
        ProblemGenerator { rows: 9, family: MatrixFamily::PositiveDefinite, active: 0.5, seed: 5 }.boxed();
    let mut workspace = ResidualWorkspace::default();
    let view = problem.view();
    for merit in [natural_residual, fischer_burmeister_residual, complementarity_gap] {
        assert!(merit(&view, &known, &mut workspace) < 1e-12);
        // and nowhere else: with this matrix the solution is unique
        assert!(merit(&view, &[0.0; 9], &mut workspace) > 1e-3);
        for row in 0..9 {
            for change in [-1e-3, 1e-3] {
                let mut other = known.clone();
                other[row] += change;
                assert!(merit(&view, &other, &mut workspace) > 1e-6, "{row} {change}");
            }
        }
    }
}

#[test]
fn listings_are_true() {
    for info in SOLVERS {
        let is_cone = info.kinds == [ProblemKind::Friction];
        for parameter in info.parameters {
            let set = if is_cone {
                cone_solver_by_name(info.name).unwrap().set(parameter.name, parameter.default)
            } else {
                solver_by_name(info.name).unwrap().set(parameter.name, parameter.default)
            };
            assert_eq!(set, Ok(()), "{} {}", info.name, parameter.name);
        }
        let name = if is_cone {
            cone_solver_by_name(info.name).unwrap().name()
        } else {
            solver_by_name(info.name).unwrap().name()
        };
        assert_eq!(name, info.name);
    }
    assert!(matches!(solver_by_name("magic"), Err(LcpError::UnknownSolver { .. })));
    let mut solver = solver_by_name("projected-sor").unwrap();
    assert!(matches!(solver.set("omega", -1.0), Err(LcpError::BadParameter { .. })));
    assert!(matches!(solver.set("colour", 1.0), Err(LcpError::UnknownParameter { .. })));
}

#[test]
fn partition_caching_solves_a_repeated_problem_in_one_step() {
    let (problem, _) =
        ProblemGenerator { rows: 40, family: MatrixFamily::PositiveDefinite, active: 0.5, seed: 2 }.lcp();
    let mut solver = solver_by_name("block-principal-pivoting").unwrap();
    solver.set("cache", 1.0).unwrap();
    let mut x = vec![0.0; 40];
    assert!(solver.solve(&problem.view(), &mut x).unwrap().iterations > 1);
    let first = x.clone();
    let again = solver.solve(&problem.view(), &mut x).unwrap();
    assert_eq!((again.iterations, again.status), (1, LcpStatus::Converged));
    assert!(distance(&first, &x) < 1e-12);
}

// F-34
#[test]
fn newton_by_krylov_steps_agrees_with_direct_ones() {
    let generated = |family| ProblemGenerator { rows: 60, family, active: 0.5, seed: 6 }.boxed().0;
    let problems = [
        generated(MatrixFamily::PositiveDefinite),
        generated(MatrixFamily::UnsymmetricP),
        stack_problem(2, 6, 0.0, 2.0, 1e-3),
        stack_problem(1, 4, 0.4, 1.0, 1e-3),
    ];
    for problem in &problems {
        for name in [
            "newton-minimum-map",
            "newton-fischer-burmeister",
            "newton-penalized-fischer-burmeister",
            "newton-normal-map",
        ] {
            let mut answers = Vec::new();
            for inner in [0.0, 1.0] {
                let mut solver = solver_by_name(name).unwrap();
                solver.set("inner", inner).unwrap();
                let mut x = vec![0.0; problem.b.len()];
                let report = solver.solve(&problem.view(), &mut x).unwrap();
                assert!(report.residual.unwrap() < 1e-8, "{name} {inner}: {report:?}");
                answers.push(x);
            }
            assert!(distance(&answers[0], &answers[1]) < 1e-5, "{name}: {:e}", distance(&answers[0], &answers[1]));
        }
    }
}

// F-32
#[test]
fn path_search_crosses_singular_cells() {
    // Cottle, Pang, Stone: zeros on the diagonal make the cells of single rows singular; a straight line search stagnates there.
    let a = drystone_lcp::DenseOperator::from_rows([[0.0, 0.0, 1.0], [0.0, 0.0, 1.0], [-1.0, -1.0, 0.0]]);
    let problem = BoxedProblem::lcp(a, vec![-1.0, 2.0, 3.0]);
    let mut x = vec![0.0; 3];
    let report = solver_by_name("path-search-newton").unwrap().solve(&problem.view(), &mut x).unwrap();
    assert!(report.status == LcpStatus::Converged && report.residual.unwrap() < 1e-12, "{report:?}");
    for (height, mu) in [(4, 0.0), (3, 0.4)] {
        let problem = stack_problem(1, height, mu, 1.0, 0.0);
        let mut x = vec![0.0; problem.b.len()];
        let report = solver_by_name("path-search-newton").unwrap().solve(&problem.view(), &mut x).unwrap();
        assert!(report.residual.unwrap() < 1e-10, "{height} {mu}: {report:?}");
    }
}

#[test]
fn a_path_cut_short_leaves_no_less_than_it_was_given() {
    // F-32: PATH's limit was reduced to fifteen steps in Erleben 2005, 5.2. Fifteen pieces are enough for one box, but hardly a beginning
    // for ten: then the residual is no worse than at the start. A single piece is not enough even for one box.
    let capped = |height, pieces, x: &mut Vec<f64>| {
        let problem = stack_problem(1, height, 0.4, 1.0, 0.0);
        x.resize(problem.b.len(), 0.0);
        let before = natural_residual(&problem.view(), x, &mut ResidualWorkspace::default());
        let mut solver = solver_by_name("path-search-newton").unwrap();
        solver.set("iterations", f64::from(pieces)).unwrap();
        let report = solver.solve(&problem.view(), x).unwrap();
        assert!(x.iter().all(|x| x.is_finite()) && report.iterations <= pieces as usize, "{report:?}");
        assert!(report.residual.unwrap() <= before, "{report:?}, {before} before");
        report.residual.unwrap() / before
    };
    assert!(capped(1, 15, &mut Vec::new()) < 1e-7);
    assert!(capped(1, 1, &mut Vec::new()) > 0.9);
    let mut x = Vec::new();
    assert!(capped(10, 10_000, &mut x) < 1e-9);
    x = x.iter().map(|x| 0.99 * x).collect();
    capped(10, 15, &mut x);
    capped(10, 15, &mut Vec::new());
}

/// A stack with friction as a problem of round cones: rows are a normal and two tangents; four contacts per interface, one more than needed.
fn redundant_cones(height: usize) -> ConeProblem {
    let BoxedProblem { operator, b, .. } = stack_problem(1, height, 0.5, 1.0, 0.0);
    ConeProblem { operator, mu: vec![0.5; b.len() / 3], q: b, dimension: 3 }
}

#[test]
fn redundant_cones_are_solved_by_newton_and_admm() {
    let problem = redundant_cones(5);
    problem.validate().unwrap();
    for (name, iterations) in
        [("nonsmooth-newton", 60.0), ("proximal-nonsmooth-newton", 100.0), ("cone-admm", 400.0), ("staggering", 3000.0)]
    {
        let mut solver = cone_solver_by_name(name).unwrap();
        solver.set("iterations", iterations).unwrap();
        let mut r = vec![0.0; problem.rows()];
        let report = solver.solve(&problem, &mut r).unwrap();
        assert!(report.residual.unwrap() < 1e-8, "{name}: {report:?}");
    }
}

#[test]
fn two_level_moves_sliding_frictions_along() {
    // The frictions of the ground row are driven beyond their bounds: in the coarse correction they follow their normals.
    let mut problem = stack_problem(1, 6, 0.1, 1.0, 0.0);
    for c in 0..4 {
        problem.b[3 * c + 1] = 0.05;
    }
    let run = |name: &str, iterations: f64| {
        let mut solver = solver_by_name(name).unwrap();
        solver.set("iterations", iterations).unwrap();
        let mut x = vec![0.0; problem.b.len()];
        solver.solve(&problem.view(), &mut x).unwrap()
    };
    // The same number of sweeps for both.
    let (sweeps, two_level) = (run("projected-gauss-seidel", 600.0), run("two-level-gauss-seidel", 200.0));
    assert!(sweeps.residual.unwrap() > 1e-5, "{sweeps:?}");
    assert!(two_level.status == LcpStatus::Converged && two_level.iterations < 150, "{two_level:?}");
}
