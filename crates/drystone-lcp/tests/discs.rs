//! Rows that share a disc: against cones, against brute force, and with every solver.
use drystone_lcp::{
    BoxedProblem, ConeProblem, ConeSolver, DenseOperator, DiscPasses, FactoredOperator, LcpError, LcpReport, LcpStatus,
    NO_BODY, NO_DEPENDENCY, NO_PARTNER, NonsmoothGaussSeidel, Operator, ProblemKind, ResidualWorkspace, SOLVERS,
    SolverInfo, SplitMix64, complementarity_gap, cone_problem, cone_residual, fischer_burmeister_residual,
    natural_residual, rate_residual, solver_by_name,
};

/// The contacts of a cone problem as rows with discs.
fn with_discs(operator: impl Into<Operator>, b: Vec<f64>, mu: [f64; 2]) -> BoxedProblem {
    let n = b.len();
    let of = |f: fn(u32) -> [u32; 3]| (0..n as u32 / 3).flat_map(|c| f(3 * c)).collect();
    BoxedProblem {
        operator: operator.into(),
        b,
        lo: vec![0.0; n],
        hi: vec![f64::INFINITY; n],
        dependency: of(|n| [NO_DEPENDENCY, n, n]),
        mu: (0..n).map(|i| [0.0, mu[0], mu[1]][i % 3]).collect(),
        partner: of(|n| [NO_PARTNER, n + 2, n + 1]),
    }
}

fn residual(problem: &BoxedProblem, x: &[f64]) -> f64 {
    natural_residual(&problem.view(), x, &mut ResidualWorkspace::default())
}

/// Solves by a solver of boxed problems, with iterations and tolerance set if it has these parameters.
fn solve(info: &SolverInfo, problem: &BoxedProblem, iterations: f64, x: &mut [f64]) -> Result<LcpReport, LcpError> {
    let mut solver = solver_by_name(info.name).unwrap();
    for (name, value) in [("iterations", iterations), ("tolerance", 1e-11), ("measure", 2.0)] {
        if info.parameters.iter().any(|p| p.name == name) {
            solver.set(name, value).unwrap();
        }
    }
    DiscPasses::default().solve(solver.as_mut(), &problem.view(), x)
}

fn boxed_solvers() -> impl Iterator<Item = &'static SolverInfo> {
    SOLVERS.iter().filter(|s| s.kinds.contains(&ProblemKind::Boxed))
}

/// The contacts of a body that is thrown at a heading, with a spin, and pushed down; factored, with tangents rotated by an angle.
fn thrown(heading: f64, turned: f64, cfm: f64) -> BoxedProblem {
    let mut a = FactoredOperator::new();
    let body = a.push_body(1.0, [6.0, 3.0, 6.0, 0.1, 0.0, -0.2]);
    let mut b = Vec::new();
    let velocity = [heading.cos(), -0.1, heading.sin()];
    let (s, c) = turned.sin_cos();
    for corner in [[-0.5, -0.5, -0.5], [0.5, -0.5, -0.5], [0.5, -0.5, 0.5], [-0.5, -0.5, 0.5]] {
        for d in [[0.0, 1.0, 0.0], [c, 0.0, s], [-s, 0.0, c]] {
            let [x, y, z] = corner;
            let block = [d[0], d[1], d[2], y * d[2] - z * d[1], z * d[0] - x * d[2], x * d[1] - y * d[0]];
            a.push_row([NO_BODY, body], [0.0; 6], block, cfm).unwrap();
            b.push((0..3).map(|l| block[l] * velocity[l]).sum::<f64>() + block[4] * 0.7);
        }
    }
    with_discs(a, b, [0.4, 0.4])
}

/// The change of the body's velocity, which is unique even if the multipliers are not.
fn change(problem: &BoxedProblem, x: &[f64]) -> Vec<f64> {
    let operator = problem.operator.view();
    let mut acc = vec![0.0; operator.accumulator_len()];
    operator.start(x, &mut acc);
    acc
}

#[test]
fn every_solver_finds_the_cone() {
    // separating, sticking and sliding contacts, coupled with each other; sweeps over single rows need some hundred iterations
    for seed in 0..4 {
        let (cones, exact) = cone_problem(6, 0.5, seed);
        let problem = with_discs(cones.operator.view().to_dense(), cones.q.clone(), [0.5, 0.5]);
        problem.view().validate().unwrap();
        assert!(cone_residual(&cones, &exact) < 1e-12 && residual(&problem, &exact) < 1e-12);
        for info in boxed_solvers().filter(|s| !["enumeration", "interior-point"].contains(&s.name)) {
            let mut x = vec![0.0; exact.len()];
            let report = solve(info, &problem, 20_000.0, &mut x).unwrap();
            assert!(report.residual.unwrap() < 1e-8, "{} {seed}: {report:?}", info.name);
            let off = x.iter().zip(&exact).fold(0.0_f64, |m, (x, e)| m.max((x - e).abs()));
            assert!(off < 1e-6, "{} {seed}: off by {off}", info.name);
        }
    }
}

#[test]
fn an_answer_does_not_depend_on_the_tangents() {
    for name in ["projected-gauss-seidel", "blocked-gauss-seidel", "sparse-principal-pivoting", "dantzig"] {
        let info = SOLVERS.iter().find(|s| s.name == name).unwrap();
        for heading in [0.1, 0.9, 2.0, 4.4] {
            let mut reference: Option<Vec<f64>> = None;
            for turned in [0.0, 0.4, 0.785] {
                let problem = thrown(heading, turned, 0.0);
                let mut x = vec![0.0; 12];
                let report = solve(info, &problem, 5000.0, &mut x).unwrap();
                assert!(report.residual.unwrap() < 1e-9, "{name} {heading} {turned}: {report:?}");
                let change = change(&problem, &x);
                let first = reference.get_or_insert_with(|| change.clone());
                let off = change.iter().zip(&*first).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
                assert!(off < 1e-7, "{name} {heading} {turned}: {off}");
            }
        }
    }
}

#[test]
fn passes_converge_fast_and_are_bounded() {
    for heading in [0.1, 0.9, 2.0, 4.4] {
        for cfm in [0.0, 1e-3] {
            let problem = thrown(heading, 0.3, cfm);
            let mut residuals = Vec::new();
            for passes in 1..=7 {
                let mut solver = solver_by_name("sparse-principal-pivoting").unwrap();
                let mut x = vec![0.0; 12];
                let mut discs = DiscPasses::default();
                discs.passes = passes;
                let report = discs.solve(solver.as_mut(), &problem.view(), &mut x).unwrap();
                // the residual is that of the disc, whatever the solver of the boxes reports
                assert_eq!(report.residual.unwrap(), residual(&problem, &x));
                let largest = problem.b.iter().fold(0.0_f64, |m, b| m.max(b.abs()));
                assert_eq!(report.status == LcpStatus::Converged, report.residual.unwrap() <= 1e-10 * largest);
                residuals.push(report.residual.unwrap());
            }
            assert!(residuals.windows(2).all(|r| r[1] <= r[0]), "the best pass is kept: {residuals:?}");
            let mut solver = solver_by_name("sparse-principal-pivoting").unwrap();
            let (mut x, mut told) = (vec![0.0; 12], DiscPasses::default().with_history());
            told.solve(solver.as_mut(), &problem.view(), &mut x).unwrap();
            let [start, .., last] = told.history() else { panic!("no passes") };
            let mut workspace = ResidualWorkspace::default();
            assert_eq!(*start, rate_residual(&problem.view(), &[0.0; 12], &mut workspace));
            assert_eq!(*last, rate_residual(&problem.view(), &x, &mut workspace));
            assert!(told.history().len() > 2 && *last < 1e-6 * start, "{:?}", told.history());
            // what the passes take is counted, and kept within a limit on all of them
            for limit in [1, 7, 50] {
                let mut boxes = solver_by_name("projected-gradient").unwrap();
                let (mut x, mut passes) = (vec![0.0; 12], DiscPasses::default().within(limit).with_history());
                let report = passes.solve(boxes.as_mut(), &problem.view(), &mut x).unwrap();
                assert!(report.iterations <= limit, "{} of {limit}", report.iterations);
                assert_eq!(passes.history().len(), report.iterations + 1, "a residual for each iteration");
            }
            assert!(residuals[6] < 1e-10, "{heading} {cfm}: {residuals:?}");
            // the control: one pass over boxes along the given tangents does not solve the disc
            let mut x = vec![0.0; 12];
            solver_by_name("sparse-principal-pivoting")
                .unwrap()
                .solve(&problem.view().without_discs(), &mut x)
                .unwrap();
            assert!(residual(&problem, &x) > 1e-3, "{heading}");
        }
    }
}

/// The contacts of a wall of bricks, every second row shifted by half a brick, over a step of
/// gravity: with the wall at rest, all those of its lowest rows are redundant.
fn wall(columns: usize, layers: usize, mu: f64) -> BoxedProblem {
    let mut a = FactoredOperator::new();
    let mut places: Vec<[f64; 2]> = Vec::new();
    for layer in 0..layers {
        for column in 0..columns {
            a.push_body(0.1, [0.6, 0.6, 0.6, 0.0, 0.0, 0.0]);
            places.push([column as f64 + 0.5 * (layer % 2) as f64, layer as f64 + 0.5]);
        }
    }
    let (mut b, h_g) = (Vec::new(), 0.0981);
    let mut touch = |below: Option<usize>, above: usize, at: [f64; 3], normal: [f64; 3]| {
        let [x, y, z] = normal;
        for d in [normal, [0.0, 0.0, 1.0], [y, x, z]] {
            let block = |body: usize, sign: f64| {
                let r = [at[0] - places[body][0], at[1] - places[body][1], at[2]];
                let arm = [r[1] * d[2] - r[2] * d[1], r[2] * d[0] - r[0] * d[2], r[0] * d[1] - r[1] * d[0]];
                [d[0], d[1], d[2], arm[0], arm[1], arm[2]].map(|v| sign * v)
            };
            let first = below.map_or([0.0; 6], |body| block(body, -1.0));
            a.push_row([below.map_or(NO_BODY, |n| n as u32), above as u32], first, block(above, 1.0), 0.0).unwrap();
            b.push(if below.is_none() { -h_g * d[1] } else { 0.0 });
        }
    };
    for layer in 0..layers {
        for column in 0..columns {
            let this = layer * columns + column;
            let [x, y] = [column as f64 + 0.5 * (layer % 2) as f64, layer as f64];
            let onto: Vec<(Option<usize>, f64, f64)> = if layer == 0 {
                vec![(None, x - 0.5, x + 0.5)]
            } else {
                let halves = [(x - 0.5, x), (x, x + 0.5)];
                let under = |from: f64| {
                    let middle = from + 0.25;
                    (0..columns).find(|c| (*c as f64 + 0.5 * ((layer - 1) % 2) as f64 - middle).abs() < 0.5)
                };
                let found = halves.into_iter().filter_map(|(from, to)| Some((under(from)?, from, to)));
                found.map(|(c, from, to)| (Some((layer - 1) * columns + c), from, to)).collect()
            };
            for (below, from, to) in onto {
                for at in [[from, y, -0.5], [to, y, -0.5], [to, y, 0.5], [from, y, 0.5]] {
                    touch(below, this, at, [0.0, 1.0, 0.0]);
                }
            }
            if column + 1 < columns {
                for at in [[x + 0.5, y, -0.5], [x + 0.5, y + 1.0, -0.5], [x + 0.5, y + 1.0, 0.5], [x + 0.5, y, 0.5]] {
                    touch(Some(this), this + 1, at, [1.0, 0.0, 0.0]);
                }
            }
        }
    }
    with_discs(a, b, [mu, mu])
}

/// Redundant contacts: nothing moves, and the multipliers at the ground carry the whole weight, each within its disc.
#[test]
fn a_wall_rests_on_discs() {
    for (columns, layers) in [(2, 2), (3, 3), (4, 4)] {
        let problem = wall(columns, layers, 0.25);
        problem.view().validate().unwrap();
        let passes = |pull: f64| {
            let mut solver = solver_by_name("sparse-principal-pivoting").unwrap();
            let mut x = vec![0.0; problem.b.len()];
            let mut discs = DiscPasses::default();
            discs.pull = pull;
            let report = discs.solve(solver.as_mut(), &problem.view(), &mut x).unwrap();
            (report, x)
        };
        let (report, x) = passes(DiscPasses::default().pull);
        assert_eq!(report.status, LcpStatus::Converged, "{columns} {layers}: {report:?}");
        assert!(residual(&problem, &x) < 1e-11, "{report:?}");
        // each body is stopped exactly
        let change = change(&problem, &x);
        for (body, c) in change.chunks(6).enumerate() {
            let still = [0.0, 0.0981, 0.0, 0.0, 0.0, 0.0];
            let off = c.iter().zip(still).fold(0.0_f64, |m, (c, s)| m.max((c - s).abs()));
            assert!(off < 1e-9, "{columns} {layers}, body {body}: {c:?}");
        }
        // the control: without the pull, the passes jump from corner to corner
        let (free, x) = passes(0.0);
        if layers > 2 {
            assert!(free.status != LcpStatus::Converged && residual(&problem, &x) > 1e-8, "{free:?}");
        }
    }
}

#[test]
fn where_normals_are_decoupled_it_is_the_least_energy() {
    // a block-diagonal A: first the normals by themselves, then friction in discs of fixed radius, compared with a grid on each disc
    let mut random = SplitMix64::new(11);
    for round in 0..20 {
        let mut a = DenseOperator::zeros(3);
        let (t1, t2) = (random.range(0.5, 2.0), random.range(0.5, 2.0));
        let cross = random.range(-0.4, 0.4);
        for (i, j, v) in [(0, 0, 2.0), (1, 1, t1), (2, 2, t2), (1, 2, cross), (2, 1, cross)] {
            a.set(i, j, v);
        }
        let b = vec![-random.range(0.5, 2.0), random.range(-1.0, 1.0), random.range(-1.0, 1.0)];
        let mu = if round % 2 == 0 { [0.5, 0.5] } else { [0.6, 0.2] };
        let normal = -b[0] / 2.0;
        let energy = |x: f64, y: f64| 0.5 * (t1 * x * x + 2.0 * cross * x * y + t2 * y * y) + b[1] * x + b[2] * y;
        let mut least = 0.0_f64;
        for k in 0..2000 {
            let (s, c) = (f64::from(k) * std::f64::consts::TAU / 2000.0).sin_cos();
            for ring in 1..=100 {
                let r = normal * f64::from(ring) / 100.0;
                least = least.min(energy(mu[0] * r * c, mu[1] * r * s));
            }
        }
        let problem = with_discs(a.clone(), b.clone(), mu);
        for name in ["projected-gauss-seidel", "projected-jacobi", "blocked-gauss-seidel", "dantzig"] {
            let info = SOLVERS.iter().find(|s| s.name == name).unwrap();
            let mut x = vec![0.0; 3];
            let report = solve(info, &problem, 3000.0, &mut x).unwrap();
            assert!(report.residual.unwrap() < 1e-9, "{name} {round}: {report:?}");
            assert!((x[0] - normal).abs() < 1e-9);
            let outside = (x[1] / mu[0]).hypot(x[2] / mu[1]) - normal;
            assert!(outside < 1e-9, "{name} {round}: {outside}");
            assert!(energy(x[1], x[2]) < least + 1e-9, "{name} {round}: {} {least}", energy(x[1], x[2]));
            // and not far below it, as the grid is fine
            assert!(energy(x[1], x[2]) > least - 2e-4, "{name} {round}");
            if mu[0] == mu[1] {
                let cones = ConeProblem { operator: a.clone().into(), q: b.clone(), mu: vec![mu[0]], dimension: 3 };
                let mut r = vec![0.0; 3];
                NonsmoothGaussSeidel::default().solve(&cones, &mut r).unwrap();
                assert!(x.iter().zip(&r).all(|(x, r)| (x - r).abs() < 1e-8), "{name} {round}: {x:?} {r:?}");
            }
        }
    }
}

#[test]
fn merit_functions_vanish_at_solutions_only() {
    let problem = thrown(0.7, 0.2, 1e-4);
    let mut x = vec![0.0; 12];
    solve(SOLVERS.iter().find(|s| s.name == "projected-gauss-seidel").unwrap(), &problem, 20_000.0, &mut x).unwrap();
    for merit in [natural_residual, fischer_burmeister_residual, complementarity_gap] {
        let value = |x: &[f64]| merit(&problem.view(), x, &mut ResidualWorkspace::default()).abs();
        assert!(value(&x) < 1e-6, "{}", value(&x));
        let mut turned = x.clone();
        // friction of the same size, ten degrees off
        let (s, c) = 0.17_f64.sin_cos();
        (turned[1], turned[2]) = (c * x[1] - s * x[2], s * x[1] + c * x[2]);
        assert!(value(&turned) > 1e-3, "{}", value(&turned));
    }
}

#[test]
fn discs_that_cannot_be_are_refused() {
    let fault = |change: fn(&mut BoxedProblem)| {
        let mut problem = thrown(0.0, 0.0, 0.0);
        change(&mut problem);
        problem.view().validate()
    };
    assert_eq!(fault(|_| ()), Ok(()));
    let bad = |row, partner| Err(LcpError::BadDisc { row, partner });
    assert_eq!(fault(|p| p.partner[2] = NO_PARTNER), bad(1, 2));
    assert_eq!(fault(|p| p.partner[1] = 1), bad(1, 1));
    assert_eq!(fault(|p| p.partner[0] = 99), bad(0, 99));
    assert_eq!(fault(|p| p.dependency[2] = 3), bad(1, 2));
    assert!(matches!(
        fault(|p| p.partner.truncate(5)),
        Err(LcpError::Size { what: "partner", expected: 12, found: 5 })
    ));
}
