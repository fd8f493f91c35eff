//! Gauss-Seidel with the free rows eliminated, compared with direct methods and with many plain sweeps.
use drystone_lcp::{
    BoxedProblem, EliminatedGaussSeidel, FactoredOperator, LcpOperator, LcpSolver, LcpStatus, Measure, NO_BODY,
    NO_DEPENDENCY, NO_PARTNER, NonsmoothConjugateGradient, Operator, ProjectedGaussSeidel, ResidualWorkspace,
    SparsePrincipalPivoting, SplitMix64, StepTest, natural_residual, rate_residual,
};

fn block(random: &mut SplitMix64) -> [f64; 6] {
    [0; 6].map(|_| random.range(-1.0, 1.0))
}

/// A chain of bodies with three rows per link and a heavy last body, which presses on the ground
/// with `contacts` points; with friction discs if `friction` is above zero.
fn chain_on_ground(random: &mut SplitMix64, links: u32, contacts: u32, friction: f64, heavy: f64) -> BoxedProblem {
    let mut a = FactoredOperator::new();
    for k in 0..links {
        let mass = if k + 1 == links { heavy } else { 1.0 };
        a.push_body(1.0 / mass, [3.0, 4.0, 5.0, 0.2, 0.0, 0.1].map(|i| i / mass));
    }
    let (mut b, mut lo, mut hi) = (Vec::new(), Vec::new(), Vec::new());
    let (mut dependency, mut mu, mut partner) = (Vec::new(), Vec::new(), Vec::new());
    for k in 0..links {
        for _ in 0..3 {
            a.push_row([if k == 0 { NO_BODY } else { k - 1 }, k], block(random), block(random), 0.0).unwrap();
            b.push(random.range(-1.0, 1.0));
            lo.push(f64::NEG_INFINITY);
            hi.push(f64::INFINITY);
            dependency.push(NO_DEPENDENCY);
            mu.push(0.0);
            partner.push(NO_PARTNER);
        }
    }
    for c in 0..contacts {
        let body = c % links;
        let normal = b.len() as u32;
        for row in 0..if friction > 0.0 { 3 } else { 1 } {
            a.push_row([NO_BODY, body], [0.0; 6], block(random), 0.0).unwrap();
            b.push(random.range(-1.5, 0.5));
            (if row == 0 { &mut lo } else { &mut hi }).push(0.0);
            (if row == 0 { &mut hi } else { &mut lo }).push(if row == 0 { f64::INFINITY } else { 0.0 });
            dependency.push(if row == 0 { NO_DEPENDENCY } else { normal });
            mu.push(if row == 0 { 0.0 } else { friction });
            partner.push([NO_PARTNER, normal + 2, normal + 1][row]);
        }
    }
    let mut problem = BoxedProblem::boxed(a, b, lo, hi);
    (problem.dependency, problem.mu, problem.partner) = (dependency, mu, partner);
    problem
}

fn factored(problem: &BoxedProblem) -> &FactoredOperator {
    let Operator::Factored(op) = &problem.operator else { panic!("a factored problem") };
    op
}

fn residual(problem: &BoxedProblem, x: &[f64]) -> f64 {
    natural_residual(&problem.view(), x, &mut ResidualWorkspace::default())
}

/// The largest |w| of the first rows.
fn free_error(problem: &BoxedProblem, x: &[f64], rows: usize) -> f64 {
    let op = factored(problem);
    let mut acc = vec![0.0; op.accumulator_len()];
    op.start(x, &mut acc);
    (0..rows).map(|i| (op.row_dot(i, x, &acc) + problem.b[i]).abs()).fold(0.0, f64::max)
}

#[test]
fn frictionless_contacts_end_where_a_direct_method_does() {
    let mut random = SplitMix64::new(21);
    for (links, contacts) in [(4, 3), (10, 10), (30, 20), (100, 300)] {
        let problem = chain_on_ground(&mut random, links, contacts, 0.0, 50.0);
        let mut exact = vec![0.0; problem.b.len()];
        SparsePrincipalPivoting::default().solve(&problem.view(), &mut exact).unwrap();
        let step = StepTest { absolute: 0.0, relative: 1e-13 };
        let mut solver = EliminatedGaussSeidel { iterations: 200_000, step, ..Default::default() };
        let mut x = vec![0.0; problem.b.len()];
        let report = solver.solve(&problem.view(), &mut x).unwrap();
        assert_eq!(report.status, LcpStatus::Converged, "{links} {contacts}: {report:?}");
        assert!(residual(&problem, &x) < 1e-8, "{links} {contacts}: {:e}", residual(&problem, &x));
        // velocities agree; the multipliers of more contacts than freedoms are not unique
        let op = factored(&problem);
        let mut change = [&x, &exact].map(|x| {
            let mut acc = vec![0.0; op.accumulator_len()];
            op.start(x, &mut acc);
            acc
        });
        let [found, wanted] = &mut change;
        let off = found.iter().zip(wanted.iter()).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
        assert!(off < 1e-6, "{links} {contacts}: {off:e}");
    }
}

#[test]
fn friction_on_discs_converges_in_a_fraction_of_the_sweeps_of_all_rows() {
    let mut random = SplitMix64::new(4);
    let problem = chain_on_ground(&mut random, 20, 8, 0.5, 100.0);
    let mut x = vec![0.0; problem.b.len()];
    let step = StepTest { absolute: 0.0, relative: 1e-9 };
    let mut solver = EliminatedGaussSeidel { iterations: 200, step, ..Default::default() };
    let report = solver.solve(&problem.view(), &mut x).unwrap();
    assert!(residual(&problem, &x) < 1e-6, "{report:?}");
    // the control: the same number of sweeps over joints and contacts alike
    let mut plain = ProjectedGaussSeidel { iterations: report.iterations, ..Default::default() };
    let mut other = vec![0.0; problem.b.len()];
    plain.solve(&problem.view(), &mut other).unwrap();
    assert!(residual(&problem, &other) > 1e-3, "{:e}", residual(&problem, &other));
}

#[test]
fn joints_hold_however_few_sweeps_there_are() {
    let mut random = SplitMix64::new(8);
    // few contacts: on the Schur complement; many: joints and contacts in turn
    for contacts in [5, 100] {
        let problem = chain_on_ground(&mut random, 12, contacts, 0.8, 10.0);
        let mut x = vec![0.0; problem.b.len()];
        let mut solver = EliminatedGaussSeidel { iterations: 1, measure: Measure::Never, ..Default::default() };
        solver.solve(&problem.view(), &mut x).unwrap();
        assert!(free_error(&problem, &x, 36) < 1e-10, "{:e}", free_error(&problem, &x, 36));
        let mut plain = ProjectedGaussSeidel { iterations: 1, ..Default::default() };
        let mut other = vec![0.0; problem.b.len()];
        plain.solve(&problem.view(), &mut other).unwrap();
        assert!(free_error(&problem, &other, 36) > 1e-3);
    }
}

#[test]
fn redundant_joints_hold_too() {
    let mut random = SplitMix64::new(15);
    let mut a = FactoredOperator::new();
    a.push_body(1.0, [3.0, 4.0, 5.0, 0.2, 0.0, 0.1]);
    a.push_body(0.5, [3.0, 4.0, 5.0, 0.2, 0.0, 0.1]);
    let mut b = Vec::new();
    let velocity = [block(&mut random), block(&mut random)];
    for bodies in [[NO_BODY, 0], [0, 1], [NO_BODY, 1], [NO_BODY, 1]] {
        for _ in 0..4 {
            let [ja, jb] = [block(&mut random), block(&mut random)];
            a.push_row(bodies, ja, jb, 0.0).unwrap();
            // rates of one common motion: there are more rows than freedoms, but they agree
            let rate = |body: u32, j: [f64; 6]| match velocity.get(body as usize) {
                Some(u) => u.iter().zip(j).map(|(u, j)| u * j).sum::<f64>(),
                None => 0.0,
            };
            b.push(rate(bodies[0], ja) + rate(bodies[1], jb));
        }
    }
    a.push_row([NO_BODY, 1], [0.0; 6], block(&mut random), 0.0).unwrap();
    b.push(-1.0);
    let n = b.len();
    let (mut lo, hi) = (vec![f64::NEG_INFINITY; n], vec![f64::INFINITY; n]);
    lo[n - 1] = 0.0;
    let problem = BoxedProblem::boxed(a, b, lo, hi);
    let mut x = vec![0.0; n];
    EliminatedGaussSeidel::default().solve(&problem.view(), &mut x).unwrap();
    assert!(free_error(&problem, &x, n - 1) < 1e-6, "{:e}", free_error(&problem, &x, n - 1));
    assert!(x.iter().all(|x| x.is_finite()));
}

/// Two wheels on axles along y, 1.5 m apart, that touch: only their axles could press them
/// together, and these hold them apart, so that the force is undetermined.
fn wheels_that_touch(gap_rate: f64, rows: usize, random: &mut SplitMix64) -> BoxedProblem {
    let mut a = FactoredOperator::new();
    a.push_body(0.5, [0.3, 4.0, 0.3, 0.0, 0.0, 0.0]);
    a.push_body(0.3, [0.2, 1.5, 0.2, 0.0, 0.0, 0.0]);
    let mut b = vec![0.0; 2 * rows];
    for body in 0..2 {
        for _ in 0..rows {
            let mut j = block(random);
            j[4] = 0.0;
            a.push_row([NO_BODY, body], [0.0; 6], j, 0.0).unwrap();
        }
    }
    let held = b.len();
    // the normal along x, the slip along z, with arms of 0.5 and 1 m
    a.push_row([0, 1], [-1.0, 0.0, 0.0, 0.0, 0.0, 0.1], [1.0, 0.0, 0.0, 0.1, 0.0, 0.2], 0.0).unwrap();
    a.push_row([0, 1], [0.0, 0.0, -1.0, 0.0, 0.5, 0.0], [0.0, 0.0, 1.0, 0.0, 1.0, 0.0], 0.0).unwrap();
    b.extend([gap_rate, 0.4]);
    let n = b.len();
    let (mut lo, mut hi) = (vec![f64::NEG_INFINITY; n], vec![f64::INFINITY; n]);
    (lo[held], lo[held + 1], hi[held + 1]) = (0.0, 0.0, 0.0);
    let mut problem = BoxedProblem::boxed(a, b, lo, hi);
    problem.dependency = vec![NO_DEPENDENCY; n];
    problem.dependency[held + 1] = held as u32;
    problem.mu = vec![0.0; n];
    problem.mu[held + 1] = 0.5;
    problem
}

#[test]
fn what_joints_hold_apart_is_not_pressed_together() {
    let mut random = SplitMix64::new(2);
    // just enough rows to hold an axle; and one more than that, for which all rows yield a little
    for (rows, most) in [(5, 1e-9), (6, 2e-4)] {
        for gap_rate in [-1e-12, -1e-15, 0.0, 1e-15].repeat(20) {
            let problem = wheels_that_touch(gap_rate, rows, &mut random);
            let mut x = vec![0.0; problem.b.len()];
            EliminatedGaussSeidel::default().solve(&problem.view(), &mut x).unwrap();
            let [normal, friction] = [x[2 * rows], x[2 * rows + 1]];
            assert!(normal.abs() < most && friction.abs() < most, "{gap_rate:e}: {normal:e} and {friction:e} N s");
        }
    }
}

/// A falling column of balls on the ground, each with `lighter` times the inverse mass of
/// the one below it; if `joint`, two bodies on a ball joint beside it.
fn column(random: &mut SplitMix64, (balls, lighter): (u32, f64), joint: bool) -> BoxedProblem {
    let mut a = FactoredOperator::new();
    for k in 0..balls + 2 {
        a.push_body(lighter.powi(k as i32), [2.5, 2.5, 2.5, 0.0, 0.0, 0.0]);
    }
    let (mut b, mut lo) = (Vec::new(), Vec::new());
    if joint {
        for _ in 0..3 {
            a.push_row([balls, balls + 1], block(random), block(random), 0.0).unwrap();
            b.push(random.range(-1.0, 1.0));
            lo.push(f64::NEG_INFINITY);
        }
    }
    let up = |sign: f64| [0.0, sign, 0.0, 0.0, 0.0, 0.0];
    for k in 0..balls {
        a.push_row([if k == 0 { NO_BODY } else { k - 1 }, k], up(-1.0), up(1.0), 0.0).unwrap();
        b.push(if k == 0 { -10.0 } else { 0.0 });
        lo.push(0.0);
    }
    let hi = vec![f64::INFINITY; b.len()];
    BoxedProblem::boxed(a, b, lo, hi)
}

#[test]
fn sweeps_over_what_is_left_go_where_the_last_ones_point_to() {
    let mut random = SplitMix64::new(33);
    // few balls: on the Schur complement; many: joints and contacts in turn
    for (balls, lighter) in [(8, 0.5), (300, 1.0)] {
        let [jointed, alone] = [true, false].map(|joint| column(&mut random, (balls, lighter), joint));
        let iterations = 20;
        let mut x = vec![0.0; jointed.b.len()];
        let mut solver = EliminatedGaussSeidel { iterations, far: 0.0, ..Default::default() };
        solver.solve(&jointed.view(), &mut x).unwrap();
        // the joint is not connected with the column, so what remains is the column's own problem
        let (mut conjugate, mut plain) = (vec![0.0; balls as usize], vec![0.0; balls as usize]);
        NonsmoothConjugateGradient { iterations, ..Default::default() }.solve(&alone.view(), &mut conjugate).unwrap();
        ProjectedGaussSeidel { iterations, ..Default::default() }.solve(&alone.view(), &mut plain).unwrap();
        let size = conjugate.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let apart = |y: &[f64]| x[3..].iter().zip(y).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs() / size));
        assert!(apart(&conjugate) < 1e-9, "{balls}: {:e}", apart(&conjugate));
        assert!(apart(&plain) > 1e-2, "{balls}: {:e}", apart(&plain));
    }
}

#[test]
fn what_sweeps_leave_far_off_is_pivoted() {
    let mut random = SplitMix64::new(5);
    for joint in [true, false] {
        let problem = column(&mut random, (30, 0.5), joint);
        let rate = |far: f64| {
            let mut x = vec![0.0; problem.b.len()];
            let mut solver = EliminatedGaussSeidel { iterations: 10, far, ..Default::default() };
            solver.solve(&problem.view(), &mut x).unwrap();
            let apart = if joint { free_error(&problem, &x, 3) } else { 0.0 };
            assert!(apart < 1e-9, "the joint holds: {apart:e}");
            rate_residual(&problem.view(), &x, &mut ResidualWorkspace::default())
        };
        assert!(rate(0.02) < 1e-6, "{joint}: {:e}", rate(0.02));
        assert!(rate(0.0) > 1.0, "{joint}: {:e}", rate(0.0));
        // a result that is not far off is left as it is
        assert_eq!(rate(10.0).to_bits(), rate(0.0).to_bits());
    }
}

#[test]
fn sweeps_that_change_nothing_end() {
    let mut random = SplitMix64::new(6);
    let mut problem = column(&mut random, (8, 0.5), true);
    problem.b[3..].fill(1.0);
    let step = StepTest { absolute: 0.0, relative: 1e-5 };
    let mut solver = EliminatedGaussSeidel { iterations: 30, step, ..Default::default() };
    let mut x = vec![0.0; problem.b.len()];
    let report = solver.solve(&problem.view(), &mut x).unwrap();
    assert_eq!((report.iterations, report.status), (1, LcpStatus::Converged));
    assert!(x[3..].iter().all(|v| *v == 0.0));
}
