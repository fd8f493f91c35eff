//! What the theory says about splitting methods (Erleben 2005, 6.1), on small matrices.
#![allow(clippy::needless_range_loop)]
use drystone_lcp::{
    BoxedProblem, DenseOperator, FactoredOperator, LcpOperator, LcpSolver, LcpStatus, MatrixFamily, Measure, NO_BODY,
    Operator, ProblemGenerator, ProjectedGaussSeidel, ProjectedJacobi, SplitMix64, Sweep, solver_by_name,
    stack_problem,
};

fn random_problem(n: usize, seed: u64) -> (BoxedProblem, DenseOperator) {
    let (problem, _) = ProblemGenerator { rows: n, family: MatrixFamily::PositiveDefinite, active: 0.5, seed }.boxed();
    let a = problem.operator.view().to_dense();
    (problem, a)
}

fn sweeps(iterations: usize) -> ProjectedGaussSeidel {
    ProjectedGaussSeidel { iterations, measure: Measure::Never, ..Default::default() }
}

fn solved(solver: &mut dyn LcpSolver, problem: &BoxedProblem) -> Vec<f64> {
    let mut x = vec![0.0; problem.b.len()];
    solver.solve(&problem.view(), &mut x).unwrap();
    x
}

/// One step of x+ = clamp(lambda (x - omega E (A x + b + K (x+ - x))) + (1 - lambda) x), row by row for K strictly lower or zero.
fn unified_step(
    problem: &BoxedProblem,
    a: &DenseOperator,
    x: &mut [f64],
    e: &[f64],
    lower: bool,
    omega: f64,
    lambda: f64,
) {
    let old = x.to_vec();
    for i in 0..x.len() {
        let mut w = problem.b[i] + a.row(i).iter().zip(&old).map(|(a, x)| a * x).sum::<f64>();
        if lower {
            w += (0..i).map(|j| a.get(i, j) * (x[j] - old[j])).sum::<f64>();
        }
        let clamped = (old[i] - omega * e[i] * w).max(problem.lo[i]).min(problem.hi[i]);
        x[i] = lambda * clamped + (1.0 - lambda) * old[i];
    }
}

// F-05
#[test]
fn jacobi_gauss_seidel_and_sor_are_one_scheme() {
    // F-07, F-08, F-12: E = D^-1; K = 0 or the strictly lower part.
    let (problem, a) = random_problem(7, 3);
    let e: Vec<f64> = (0..7).map(|i| 1.0 / a.get(i, i)).collect();
    for (omega, lambda) in [(1.0, 1.0), (1.4, 1.0), (0.8, 0.6)] {
        let mut x = vec![0.0; 7];
        for count in 1..6 {
            unified_step(&problem, &a, &mut x, &e, true, omega, lambda);
            let y = solved(&mut ProjectedGaussSeidel { omega, lambda, ..sweeps(count) }, &problem);
            assert!(x.iter().zip(&y).all(|(x, y)| (x - y).abs() < 1e-12), "{omega} {lambda} {count}");
            assert!((0..7).all(|i| y[i] >= problem.lo[i] && y[i] <= problem.hi[i]));
        }
    }
    let mut x = vec![0.0; 7];
    for count in 1..6 {
        unified_step(&problem, &a, &mut x, &e, false, 0.2, 1.0);
        let mut jacobi = ProjectedJacobi { iterations: count, omega: 0.2, ..Default::default() };
        let y = solved(&mut jacobi, &problem);
        assert!(x.iter().zip(&y).all(|(x, y)| (x - y).abs() < 1e-12));
    }
}

#[test]
fn relaxation_of_one_is_gauss_seidel_and_of_two_diverges() {
    // F-06, F-26: equal bit for bit; ODE's diagonal is the plain one without cfm.
    let (problem, a) = random_problem(6, 8);
    let plain = solved(&mut sweeps(9), &problem);
    assert_eq!(plain, solved(&mut ProjectedGaussSeidel { omega: 1.0, ..sweeps(9) }, &problem));
    assert_eq!(plain, solved(&mut ProjectedGaussSeidel { ode_diagonal: true, ..sweeps(9) }, &problem));
    let free = BoxedProblem::boxed(a, problem.b.clone(), vec![f64::NEG_INFINITY; 6], vec![f64::INFINITY; 6]);
    let size = |x: Vec<f64>| x.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    let near = size(solved(&mut ProjectedGaussSeidel { omega: 1.9, ..sweeps(2000) }, &free));
    let far = size(solved(&mut ProjectedGaussSeidel { omega: 2.1, ..sweeps(2000) }, &free));
    assert!(near < 1e3 && (far > 1e6 || far == 0.0), "{near:e} {far:e}");
}

#[test]
fn jacobi_knows_no_order_and_turned_sweeps_go_backward() {
    // F-04, F-10: with reversed rows, Jacobi gives its iterates reversed, backward sweeps give those
    // of forward sweeps, and symmetric sweeps match pairs of sweeps there and back.
    let (problem, a) = random_problem(6, 1);
    let mut turned = DenseOperator::zeros(6);
    for i in 0..6 {
        for j in 0..6 {
            turned.set(i, j, a.get(5 - i, 5 - j));
        }
    }
    let back = |v: &[f64]| v.iter().rev().copied().collect::<Vec<_>>();
    let turned = BoxedProblem::boxed(turned, back(&problem.b), back(&problem.lo), back(&problem.hi));
    let close = |x: &[f64], y: &[f64]| x.iter().zip(y).all(|(x, y)| (x - y).abs() < 1e-12);
    let mut jacobi = ProjectedJacobi { iterations: 4, omega: 0.3, ..Default::default() };
    assert!(close(&solved(&mut jacobi, &problem), &back(&solved(&mut jacobi, &turned))));
    let forward = solved(&mut sweeps(4), &problem);
    assert!(!close(&forward, &back(&solved(&mut sweeps(4), &turned))));
    let backward = solved(&mut ProjectedGaussSeidel { sweep: Sweep::Backward, ..sweeps(4) }, &turned);
    assert!(close(&forward, &back(&backward)));
    let (mut there, mut turned_there) = (vec![0.0; 6], vec![0.0; 6]);
    for _ in 0..4 {
        for (sweep, turned_sweep) in [(Sweep::Forward, Sweep::Backward), (Sweep::Backward, Sweep::Forward)] {
            for (problem, sweep, x) in [(&problem, sweep, &mut there), (&turned, turned_sweep, &mut turned_there)] {
                ProjectedGaussSeidel { sweep, ..sweeps(1) }.solve(&problem.view(), x).unwrap();
            }
        }
    }
    let symmetric = |problem| solved(&mut ProjectedGaussSeidel { sweep: Sweep::Symmetric, ..sweeps(4) }, problem);
    assert!(close(&there, &symmetric(&problem)) && close(&there, &back(&turned_there)));
    // a symmetric sweep has a direction all the same: on reversed rows it starts from the other end
    assert!(!close(&there, &back(&symmetric(&turned))));
}

#[test]
fn conjugate_gradients_end_after_n_steps_on_a_fixed_set() {
    // F-11: no bounds, so that the set never changes.
    let (problem, a) = random_problem(12, 5);
    let free = BoxedProblem::boxed(a, problem.b, vec![f64::NEG_INFINITY; 12], vec![f64::INFINITY; 12]);
    let mut solver = solver_by_name("mprgp").unwrap();
    solver.set("tolerance", 1e-9).unwrap();
    let mut x = vec![0.0; 12];
    let report = solver.solve(&free.view(), &mut x).unwrap();
    assert!(report.status == LcpStatus::Converged && report.iterations <= 14, "{report:?}");
}

#[test]
fn iterative_methods_pick_the_mean_of_many_solutions() {
    // F-28: four legs under one box, where two or three would do. From zero, Jacobi stays in the range of A and finds the mean,
    // and Gauss-Seidel loads all legs; a pivoting method ends at a vertex, with a leg that bears nothing.
    let problem = stack_problem(1, 1, 0.0, 1.0, 0.0);
    let weight = 0.01 * 9.81;
    let mut jacobi = ProjectedJacobi { iterations: 2000, omega: 0.3, ..Default::default() };
    let mean = solved(&mut jacobi, &problem);
    assert!(mean.iter().all(|v| (v - weight / 4.0).abs() < 1e-9), "{mean:?}");
    let swept = solved(&mut sweeps(2000), &problem);
    assert!(swept.iter().all(|v| (v - weight / 4.0).abs() < 0.35 * weight / 4.0), "{swept:?}");
    let vertex = solved(solver_by_name("lemke").unwrap().as_mut(), &problem);
    assert!(vertex.contains(&0.0), "{vertex:?}");
    for x in [mean, swept, vertex] {
        assert!((x.iter().sum::<f64>() - weight).abs() < 1e-9, "{x:?}");
    }
}

#[test]
fn soft_rows_rest_at_their_compliance() {
    // F-25: at rest J v = -cfm x, with J v from the operator of the same stack without softness; A is symmetric and positive semidefinite (F-38).
    let (soft, hard) = (stack_problem(1, 3, 0.0, 1.0, 1e-2), stack_problem(1, 3, 0.0, 1.0, 0.0));
    let x = solved(&mut sweeps(5000), &soft);
    assert!(x.iter().all(|x| *x > 1e-3), "all bear: {x:?}");
    let Operator::Factored(op) = &hard.operator else { panic!("a stack is factored") };
    let mut acc = vec![0.0; op.accumulator_len()];
    op.start(&x, &mut acc);
    let a = op.to_dense();
    assert!(a.asymmetry() < 1e-14);
    let mut random = SplitMix64::new(4);
    for i in 0..x.len() {
        let velocity = op.row_dot(i, &x, &acc) + hard.b[i];
        assert!((velocity + 1e-2 * x[i]).abs() < 1e-8, "{i}: {velocity}");
        let v: Vec<f64> = x.iter().map(|_| random.range(-1.0, 1.0)).collect();
        let energy: f64 = (0..v.len()).map(|i| v[i] * (0..v.len()).map(|j| a.get(i, j) * v[j]).sum::<f64>()).sum();
        assert!(energy > -1e-12);
    }
}

#[test]
fn the_solution_changes_velocities_least() {
    // E-43: of all velocities that no contact forbids, the LCP's has the least kinetic distance from the free ones.
    // E-04: impulses that keep the bodies apart but push separating ones are no solution.
    let mut a = FactoredOperator::new();
    let (light, heavy) = (a.push_body(1.0, [0.0; 6]), a.push_body(0.25, [0.0; 6]));
    let y = |s: f64| [0.0, s, 0.0, 0.0, 0.0, 0.0];
    a.push_row([NO_BODY, light], [0.0; 6], y(1.0), 0.0).unwrap();
    a.push_row([light, heavy], y(-1.0), y(1.0), 0.0).unwrap();
    let free = [-1.0, 0.5];
    let problem = BoxedProblem::lcp(a, vec![free[0], free[1] - free[0]]);
    let x = solved(&mut sweeps(200), &problem);
    let velocity = [free[0] + x[0] - x[1], free[1] + 0.25 * x[1]];
    let distance = |v: [f64; 2]| (v[0] - free[0]).powi(2) + 4.0 * (v[1] - free[1]).powi(2);
    let mut random = SplitMix64::new(9);
    for _ in 0..2000 {
        let lower = random.range(0.0, 2.0);
        let other = [lower, lower + random.range(0.0, 2.0)];
        assert!(distance(other) >= distance(velocity) - 1e-12, "{other:?} {velocity:?}");
    }
    let mut workspace = drystone_lcp::ResidualWorkspace::default();
    let pushing = [3.0, 1.0];
    assert!(drystone_lcp::complementarity_gap(&problem.view(), &x, &mut workspace) < 1e-12);
    assert!(drystone_lcp::complementarity_gap(&problem.view(), &pushing, &mut workspace) > 0.1);
}
