//! Linear and quadratic programs with known results, and random ones whose certificates are checked (F-33, E-04).
#![allow(clippy::needless_range_loop)]
use Relation::{AtLeast, AtMost, Equal};
use drystone_lcp::{
    BoxedProblem, DenseOperator, LcpError, LinearProgram, ProgramReport, ProgramStatus, QuadraticProgram, Relation,
    ResidualWorkspace, Simplex, SplitMix64, complementarity_gap, natural_residual, solver_by_name,
};

fn solve(program: &LinearProgram) -> ProgramReport {
    Simplex::default().solve(program).unwrap()
}

/// A^T y.
fn transposed(program: &LinearProgram, y: &[f64]) -> Vec<f64> {
    (0..program.cost.len()).map(|j| program.rows.iter().zip(y).map(|(row, y)| row[j] * y).sum()).collect()
}

/// Checks that the report proves its claim with its own data, up to `slack`.
fn check(program: &LinearProgram, gradient: &[f64], report: &ProgramReport, slack: f64) {
    for (relation, y) in program.relations.iter().zip(&report.multipliers) {
        assert!(*relation != AtLeast || *y >= -slack, "{report:?}");
        assert!(*relation != AtMost || *y <= slack, "{report:?}");
    }
    let combined = transposed(program, &report.multipliers);
    match report.status {
        ProgramStatus::Optimal => {
            assert!(report.violation <= slack, "{report:?}");
            for (j, x) in report.x.iter().enumerate() {
                let reduced = gradient[j] - combined[j];
                assert!(reduced >= -slack || *x >= program.hi[j] - slack, "{j} {reduced:e} {report:?}");
                assert!(reduced <= slack || *x <= program.lo[j] + slack, "{j} {reduced:e} {report:?}");
            }
            for ((row, y), b) in program.rows.iter().zip(&report.multipliers).zip(&program.right) {
                let room: f64 = row.iter().zip(&report.x).map(|(a, x)| a * x).sum::<f64>() - b;
                assert!((y * room).abs() <= slack * (1.0 + y.abs()), "{report:?}");
            }
        }
        ProgramStatus::Infeasible => {
            // The largest y A x within the bounds is below y b.
            let most: f64 = combined
                .iter()
                .zip(program.lo.iter().zip(&program.hi))
                .map(|(c, (lo, hi))| {
                    if c.abs() <= slack {
                        0.0
                    } else if *c > 0.0 {
                        c * hi
                    } else {
                        c * lo
                    }
                })
                .sum();
            let right: f64 = report.multipliers.iter().zip(&program.right).map(|(y, b)| y * b).sum();
            assert!(most < right, "{most} {right} {report:?}");
        }
        ProgramStatus::Unbounded => {
            let along: f64 = program.cost.iter().zip(&report.ray).map(|(c, d)| c * d).sum();
            assert!(along < 0.0 && program.violation(&report.x) <= slack, "{along} {report:?}");
            let far: Vec<f64> = report.x.iter().zip(&report.ray).map(|(x, d)| x + 1e3 * d).collect();
            assert!(program.violation(&far) <= 1e3 * slack, "{report:?}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn textbook_programs_end_as_they_should() {
    // Chvatal, chapter 1: maximise 5 x + 4 y + 3 z, optimum 13 at (2, 0, 1).
    let chvatal = LinearProgram::new(vec![-5.0, -4.0, -3.0])
        .with([2.0, 3.0, 1.0], AtMost, 5.0)
        .with([4.0, 1.0, 2.0], AtMost, 11.0)
        .with([3.0, 4.0, 2.0], AtMost, 8.0);
    let report = solve(&chvatal);
    assert!((report.objective + 13.0).abs() < 1e-12 && (report.x[0] - 2.0).abs() < 1e-12, "{report:?}");
    check(&chvatal, &chvatal.cost, &report, 1e-10);
    // Beale 1955: the largest-coefficient rule with ties resolved by index cycles after six pivots. Optimum -1/20 at (1/25, 0, 1, 0).
    let beale = LinearProgram::new(vec![-0.75, 150.0, -0.02, 6.0])
        .with([0.25, -60.0, -0.04, 9.0], AtMost, 0.0)
        .with([0.5, -90.0, -0.02, 3.0], AtMost, 0.0)
        .with([0.0, 0.0, 1.0, 0.0], AtMost, 1.0);
    let report = solve(&beale);
    assert!((report.objective + 0.05).abs() < 1e-12 && (report.x[0] - 0.04).abs() < 1e-12, "{report:?}");
    check(&beale, &beale.cost, &report, 1e-10);
    // Klee, Minty in three dimensions: 2^3 - 1 pivots at worst.
    let klee = LinearProgram::new(vec![-100.0, -10.0, -1.0])
        .with([1.0, 0.0, 0.0], AtMost, 1.0)
        .with([20.0, 1.0, 0.0], AtMost, 100.0)
        .with([200.0, 20.0, 1.0], AtMost, 10_000.0);
    let report = solve(&klee);
    assert!((report.objective + 10_000.0).abs() < 1e-8, "{report:?}");
    // Degenerate and redundant: an equation twice, and a vertex with four edges.
    let twice = LinearProgram::new(vec![1.0, 2.0, 0.0])
        .with([1.0, 1.0, 1.0], Equal, 2.0)
        .with([1.0, 1.0, 1.0], Equal, 2.0)
        .with([1.0, -1.0, 0.0], Equal, 0.0)
        .with([0.0, 0.0, 1.0], AtMost, 2.0);
    let report = solve(&twice);
    assert!((report.x[2] - 2.0).abs() < 1e-12 && report.objective.abs() < 1e-12, "{report:?}");
    check(&twice, &twice.cost, &report, 1e-10);
}

#[test]
fn infeasible_and_unbounded_programs_are_told_apart_with_proofs() {
    let infeasible = LinearProgram::new(vec![1.0, 1.0])
        .with([1.0, 1.0], AtLeast, 3.0)
        .with([1.0, 0.0], AtMost, 1.0)
        .with([0.0, 1.0], AtMost, 1.0);
    let report = solve(&infeasible);
    assert_eq!(report.status, ProgramStatus::Infeasible);
    check(&infeasible, &infeasible.cost, &report, 1e-10);
    // Infeasible by its bounds alone.
    let mut boxed = LinearProgram::new(vec![0.0]).with([2.0], Equal, 5.0);
    boxed.hi = vec![1.0];
    check(&boxed, &[0.0], &solve(&boxed), 1e-10);
    assert_eq!(solve(&boxed).status, ProgramStatus::Infeasible);
    let unbounded = LinearProgram::new(vec![-1.0, 0.5]).with([1.0, -1.0], AtMost, 1.0);
    let report = solve(&unbounded);
    assert_eq!(report.status, ProgramStatus::Unbounded);
    check(&unbounded, &unbounded.cost, &report, 1e-10);
    // A free variable and no constraints at all.
    let mut free = LinearProgram::new(vec![1.0]);
    free.lo = vec![f64::NEG_INFINITY];
    assert_eq!(solve(&free).status, ProgramStatus::Unbounded);
    assert_eq!(solve(&LinearProgram::new(Vec::new())).status, ProgramStatus::Optimal);
    let nothing = LinearProgram::new(vec![0.0]).with([0.0], Equal, 1.0);
    assert_eq!(solve(&nothing).status, ProgramStatus::Infeasible);
}

#[test]
fn malformed_programs_are_named() {
    let program = || LinearProgram::new(vec![1.0, 1.0]).with([1.0, 1.0], AtMost, 1.0);
    let fault = |change: fn(&mut LinearProgram)| {
        let mut p = program();
        change(&mut p);
        Simplex::default().solve(&p).unwrap_err()
    };
    assert!(matches!(fault(|p| p.rows[0].truncate(1)), LcpError::Size { .. }));
    assert!(matches!(fault(|p| p.right.truncate(0)), LcpError::Size { .. }));
    assert!(matches!(fault(|p| p.lo.push(0.0)), LcpError::Size { what: "lo", .. }));
    assert!(matches!(fault(|p| p.cost[0] = f64::NAN), LcpError::NonFinite { what: "cost", .. }));
    assert!(matches!(fault(|p| p.rows[0][1] = f64::INFINITY), LcpError::NonFinite { .. }));
    assert!(matches!(fault(|p| p.hi[0] = -1.0), LcpError::EmptyBox { row: 0, .. }));
    assert!(matches!(fault(|p| p.lo[0] = f64::INFINITY), LcpError::NonFinite { what: "lo", .. }));
    let improvable = LinearProgram { cost: vec![-1.0, 0.0], ..program() };
    for cut in [Simplex { iterations: 0, ..Simplex::default() }, Simplex { work: 1.0, ..Simplex::default() }] {
        assert_eq!(cut.solve(&improvable).unwrap().status, ProgramStatus::IterationLimit);
    }
    assert_eq!(Simplex::default().solve(&improvable).unwrap().status, ProgramStatus::Optimal);
    let quadratic = |q| QuadraticProgram { quadratic: q, linear: program() }.solve().unwrap_err();
    assert!(matches!(quadratic(DenseOperator::zeros(3)), LcpError::Size { .. }));
    assert!(matches!(quadratic(DenseOperator::from_rows([[-1.0, 0.0], [0.0, 1.0]])), LcpError::Unsupported { .. }));
    assert!(matches!(
        quadratic(DenseOperator::from_rows([[f64::NAN, 0.0], [0.0, 1.0]])),
        LcpError::NonFinite { what: "Q", .. }
    ));
}

/// A random program with small integers, so that it is often degenerate, and with all kinds of bounds.
fn random_program(random: &mut SplitMix64) -> LinearProgram {
    let (n, m) = (1 + random.below(6), random.below(7));
    let small = |random: &mut SplitMix64| random.below(7) as f64 - 3.0;
    let mut program = LinearProgram::new((0..n).map(|_| small(random)).collect());
    for j in 0..n {
        (program.lo[j], program.hi[j]) = match random.below(6) {
            0 => (f64::NEG_INFINITY, f64::INFINITY),
            1 => (f64::NEG_INFINITY, small(random)),
            2 => (-1.0, 2.0),
            3 => (1.0, 1.0),
            _ => (0.0, f64::INFINITY),
        };
    }
    for _ in 0..m {
        let row: Vec<f64> = (0..n).map(|_| small(random)).collect();
        let relation = [AtMost, Equal, AtLeast][random.below(3)];
        program = program.with(row, relation, small(random));
    }
    program
}

#[test]
fn random_programs_prove_what_they_claim() {
    let mut random = SplitMix64::new(5);
    let mut ends = [0; 3];
    for _ in 0..600 {
        let program = random_program(&mut random);
        let report = solve(&program);
        check(&program, &program.cost, &report, 1e-7);
        ends[match report.status {
            ProgramStatus::Optimal => 0,
            ProgramStatus::Infeasible => 1,
            _ => 2,
        }] += 1;
    }
    assert!(ends.iter().all(|e| *e > 60), "{ends:?}");
}

#[test]
fn random_convex_quadratic_programs_prove_what_they_claim() {
    let mut random = SplitMix64::new(9);
    let mut ends = [0; 3];
    for case in 0..300 {
        let linear = random_program(&mut random);
        let n = linear.cost.len();
        let rank = random.below(n + 1);
        let b: Vec<Vec<f64>> = (0..rank).map(|_| (0..n).map(|_| random.below(5) as f64 - 2.0).collect()).collect();
        let mut quadratic = DenseOperator::zeros(n);
        for i in 0..n {
            for j in 0..n {
                quadratic.set(i, j, b.iter().map(|row| row[i] * row[j]).sum());
            }
        }
        let program = QuadraticProgram { quadratic, linear };
        let report = program.solve().unwrap();
        let gradient = |x: &[f64]| -> Vec<f64> {
            (0..n)
                .map(|i| program.linear.cost[i] + (0..n).map(|j| program.quadratic.get(i, j) * x[j]).sum::<f64>())
                .collect()
        };
        check(&program.linear, &gradient(&report.x), &report, 1e-6);
        let end = match report.status {
            ProgramStatus::Optimal => 0,
            ProgramStatus::Infeasible => 1,
            _ => {
                // The objective has no curvature along the ray.
                let still = gradient(&report.ray);
                assert!((0..n).all(|i| (still[i] - program.linear.cost[i]).abs() < 1e-7), "{case} {report:?}");
                2
            }
        };
        ends[end] += 1;
    }
    assert!(ends.iter().all(|e| *e > 20), "{ends:?}");
}

#[test]
fn quadratic_programs_with_known_optima() {
    // The point with x + y >= 2 nearest to (0, 0), and the one nearest to (3, 0) with x <= 1: (1, 1) and (1, 1).
    let identity = || DenseOperator::from_rows([[1.0, 0.0], [0.0, 1.0]]);
    let linear = LinearProgram::new(vec![0.0, 0.0]).with([1.0, 1.0], AtLeast, 2.0);
    let report = QuadraticProgram { quadratic: identity(), linear }.solve().unwrap();
    assert!(report.x.iter().all(|x| (x - 1.0).abs() < 1e-12) && (report.objective - 1.0).abs() < 1e-12, "{report:?}");
    assert!((report.multipliers[0] - 1.0).abs() < 1e-12);
    let mut linear = LinearProgram::new(vec![-3.0, 0.0]).with([1.0, 1.0], Equal, 2.0);
    (linear.lo, linear.hi) = (vec![f64::NEG_INFINITY; 2], vec![1.0, f64::INFINITY]);
    let report = QuadraticProgram { quadratic: identity(), linear }.solve().unwrap();
    assert!((report.x[0] - 1.0).abs() < 1e-12 && (report.x[1] - 1.0).abs() < 1e-12, "{report:?}");
    // x^2 - y has no least value over x, y >= 0.
    let curved = DenseOperator::from_rows([[2.0, 0.0], [0.0, 0.0]]);
    let report = QuadraticProgram { quadratic: curved, linear: LinearProgram::new(vec![0.0, -1.0]) }.solve().unwrap();
    assert!(report.status == ProgramStatus::Unbounded && report.ray[1] > 0.0 && report.ray[0] == 0.0, "{report:?}");
}

#[test]
fn contact_forces_as_a_quadratic_program() {
    // Baraff 1989, Figure 7 and (12)-(16): a block of mass m on a slope. The linear program A f >= b, f >= 0 admits
    // forces that are too large; the quadratic one, f (A f - b) = 0, has only m g cos(theta).
    let (m, g, theta) = (2.0, 9.81, 0.3_f64);
    let right = m * g * theta.cos();
    let linear = LinearProgram::new(vec![1.0]).with([1.0 / m], AtLeast, right / m);
    assert!(linear.violation(&[right]) < 1e-12 && linear.violation(&[2.0 * right]) < 1e-12);
    assert!((solve(&linear).x[0] - right).abs() < 1e-12);
    let problem = BoxedProblem::lcp(DenseOperator::from_rows([[1.0 / m]]), vec![-right / m]);
    let mut workspace = ResidualWorkspace::default();
    assert!(complementarity_gap(&problem.view(), &[right], &mut workspace) < 1e-12);
    assert!(complementarity_gap(&problem.view(), &[2.0 * right], &mut workspace) > 1.0);
    // Frictionless A is positive semidefinite: min f (A f + b) over A f + b >= 0, f >= 0 is zero, at the solution of the LCP.
    let mut random = SplitMix64::new(2);
    for _ in 0..10 {
        let b: Vec<Vec<f64>> = (0..3).map(|_| (0..5).map(|_| random.range(-1.0, 1.0)).collect()).collect();
        let mut a = DenseOperator::zeros(5);
        let mut linear = LinearProgram::new((0..5).map(|_| random.range(-1.0, 1.0)).collect());
        // b in the range of A, so that a solution exists.
        let f: Vec<f64> = (0..5).map(|_| random.unit()).collect();
        for i in 0..5 {
            for j in 0..5 {
                a.set(i, j, b.iter().map(|row| row[i] * row[j]).sum());
            }
            linear.cost[i] = -(0..5).map(|j| a.get(i, j) * f[j]).sum::<f64>();
        }
        let shift = linear.cost.clone();
        for i in 0..5 {
            linear = linear.with(a.row(i), AtLeast, -shift[i]);
        }
        let mut twice = a.clone();
        for i in 0..5 {
            for j in 0..5 {
                twice.set(i, j, 2.0 * a.get(i, j));
            }
        }
        let report = QuadraticProgram { quadratic: twice, linear }.solve().unwrap();
        assert!(report.status == ProgramStatus::Optimal && report.objective.abs() < 1e-10, "{report:?}");
        let problem = BoxedProblem::lcp(a, shift);
        assert!(natural_residual(&problem.view(), &report.x, &mut workspace) < 1e-7);
        let mut x = vec![0.0; 5];
        assert!(solver_by_name("lemke").unwrap().solve(&problem.view(), &mut x).unwrap().residual.unwrap() < 1e-9);
    }
}
