//! The sparse direct solver: chains, loops, redundant rows, friction.
use drystone_lcp::{
    BoxedProblem, FactoredOperator, LcpError, LcpOperator, LcpSolver, LcpStatus, NO_BODY, Operator, PrincipalPivoting,
    ResidualWorkspace, SparseOperator, SparsePrincipalPivoting, SplitMix64, chain_problem, natural_residual,
    stack_problem,
};

/// The residual, relative to the largest |b| or A_ii |x_i|.
fn relative(problem: &BoxedProblem, x: &[f64]) -> f64 {
    let view = problem.view();
    let scale =
        (0..x.len()).fold(0.0_f64, |m, i| m.max(problem.b[i].abs()).max(view.operator.diagonal(i) * x[i].abs()));
    natural_residual(&view, x, &mut ResidualWorkspace::default()) / scale
}

fn solve(problem: &BoxedProblem) -> (SparsePrincipalPivoting, Vec<f64>, LcpStatus) {
    let mut solver = SparsePrincipalPivoting::default();
    let mut x = vec![0.0; problem.b.len()];
    let report = solver.solve(&problem.view(), &mut x).unwrap();
    (solver, x, report.status)
}

#[test]
fn chains_cost_what_they_are_long_and_stand_mass_ratios() {
    for end_mass in [1.0, 100.0, 1e6] {
        let mut entries = Vec::new();
        for links in [100, 1000] {
            let problem = chain_problem(links, end_mass);
            let (solver, x, status) = solve(&problem);
            assert_eq!(status, LcpStatus::Converged);
            assert!(relative(&problem, &x) < 1e-13, "{end_mass} {links}: {:e}", relative(&problem, &x));
            entries.push(solver.workspace.factor_entries());
        }
        assert!(entries[1] <= 11 * entries[0], "{entries:?}");
    }
}

/// A closed loop in the plane, with all three rows of each hinge point and of the hinge axes: more equations than the mechanism has freedoms.
fn four_bars(rows_a_joint: usize) -> BoxedProblem {
    let mut a = FactoredOperator::new();
    let corners: [[f64; 2]; 4] = [[0.0, 0.0], [0.2, 1.0], [1.3, 1.1], [1.0, 0.0]];
    let centres: Vec<[f64; 2]> = (0..3)
        .map(|k| [0.5 * (corners[k][0] + corners[k + 1][0]), 0.5 * (corners[k][1] + corners[k + 1][1])])
        .collect();
    let bodies: Vec<u32> = (0..3).map(|_| a.push_body(1.0, [5.0, 5.0, 5.0, 0.0, 0.0, 0.0])).collect();
    let velocity = [0.1, -0.3, 0.0, 0.0, 0.0, 0.2];
    let mut b = Vec::new();
    for k in 0..4 {
        let side = |body: usize, sign: f64, row: usize| {
            let arm = [corners[k][0] - centres[body][0], corners[k][1] - centres[body][1], 0.0];
            let mut j = [0.0; 6];
            if row < 3 {
                j[row] = sign;
                let (next, last) = ((row + 1) % 3, (row + 2) % 3);
                j[3 + next] = sign * arm[last];
                j[3 + last] = -sign * arm[next];
            } else {
                j[row] = sign;
            }
            j
        };
        for row in 0..rows_a_joint {
            let (mut pair, mut blocks) = ([NO_BODY; 2], [[0.0; 6]; 2]);
            if k > 0 {
                (pair[0], blocks[0]) = (bodies[k - 1], side(k - 1, -1.0, row));
            }
            if k < 3 {
                (pair[1], blocks[1]) = (bodies[k], side(k, 1.0, row));
            }
            // A planar motion, which is consistent with every row.
            let speed = |used: bool, j: &[f64; 6]| {
                if used { j.iter().zip(&velocity).map(|(j, v)| j * v).sum::<f64>() } else { 0.0 }
            };
            b.push(speed(k > 0, &blocks[0]) + speed(k < 3, &blocks[1]));
            a.push_row(pair, blocks[0], blocks[1], 0.0).unwrap();
        }
    }
    let n = b.len();
    BoxedProblem::boxed(a, b, vec![f64::NEG_INFINITY; n], vec![f64::INFINITY; n])
}

#[test]
fn redundant_rows_of_loops_are_left_out_and_satisfied() {
    let problem = four_bars(5);
    let (solver, x, status) = solve(&problem);
    assert!(solver.workspace.redundant_rows() >= 3, "{}", solver.workspace.redundant_rows());
    assert_eq!(status, LcpStatus::Converged);
    assert!(relative(&problem, &x) < 1e-12, "{:e}", relative(&problem, &x));
}

#[test]
fn rows_that_contradict_each_other_are_reported() {
    let mut problem = four_bars(5);
    problem.b[2] += 1.0;
    let mut x = vec![0.0; problem.b.len()];
    let report = SparsePrincipalPivoting::default().solve(&problem.view(), &mut x).unwrap();
    assert_eq!(report.status, LcpStatus::Stagnated);
    assert!(report.residual.unwrap() > 0.1 && report.residual.unwrap() < 10.0, "{report:?}");
    assert!(report.iterations < 100 && x.iter().all(|x| x.is_finite()));
}

#[test]
fn stacks_with_friction_as_by_the_dense_method() {
    for (columns, height, mu, cfm) in [(1, 10, 0.0, 0.0), (1, 10, 0.5, 1e-4), (2, 5, 0.3, 1e-6), (1, 10, 0.5, 0.0)] {
        let problem = stack_problem(columns, height, mu, 1.0, cfm);
        let (_, x, _) = solve(&problem);
        assert!(relative(&problem, &x) < 1e-11, "{columns} {height} {mu} {cfm}: {:e}", relative(&problem, &x));
        if cfm > 0.0 {
            let mut dense = vec![0.0; x.len()];
            PrincipalPivoting::default().solve(&problem.view(), &mut dense).unwrap();
            let distance = x.iter().zip(&dense).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
            assert!(distance < 1e-8, "{distance:e}");
        }
    }
}

#[test]
fn sparse_and_factored_operators_agree() {
    let mut factored = chain_problem(30, 10.0);
    for i in 0..factored.b.len() {
        factored.lo[i] = -0.2;
        factored.hi[i] = 0.3;
    }
    let Operator::Factored(op) = &factored.operator else { panic!("a chain is factored") };
    let sparse = SparseOperator::from_dense(&op.to_dense());
    let sparse = BoxedProblem::boxed(sparse, factored.b.clone(), factored.lo.clone(), factored.hi.clone());
    let ((_, x, _), (_, y, _)) = (solve(&factored), solve(&sparse));
    assert!(relative(&factored, &x) < 1e-13);
    assert!(x.iter().zip(&y).all(|(a, b)| (a - b).abs() < 1e-9));
}

#[test]
fn redundant_contacts_that_contradict_each_other_are_solved() {
    // Four contacts per face and no friction, each with a small velocity of its own: some must part, and plain exchanges would cycle.
    let mut random = SplitMix64::new(3);
    for (columns, height, size) in [(1, 5, 1e-3), (2, 8, 1e-5), (1, 20, 1e-4), (1, 20, 1e-7), (1, 12, 1e-2)] {
        let mut problem = stack_problem(columns, height, 0.0, 1.0, 0.0);
        for b in &mut problem.b {
            *b += random.range(-size, size);
        }
        let (_, x, _) = solve(&problem);
        assert!(relative(&problem, &x) < 1e-11, "{columns} {height} {size}: {:e}", relative(&problem, &x));
    }
}

#[test]
fn patterns_met_before_are_not_analysed_again() {
    // The groups of a scene take turns: with four of them no pattern has been dropped when its turn comes again.
    let problems: Vec<_> = (2..6).map(|height| stack_problem(1, height, 0.3, 1.0, 1e-6)).collect();
    let mut solver = SparsePrincipalPivoting::default();
    let mut x = vec![0.0; 500];
    let mut round = |solver: &mut SparsePrincipalPivoting| {
        for problem in &problems {
            let x = &mut x[..problem.b.len()];
            x.fill(0.0);
            assert!(solver.solve(&problem.view(), x).unwrap().residual.unwrap() < 1e-12);
        }
    };
    // the control: a pattern that is met for the first time is analysed, which takes memory
    let first = allocation_counter::measure(|| round(&mut solver));
    assert!(first.count_total > 0);
    let again = allocation_counter::measure(|| round(&mut solver));
    assert_eq!(again.count_total, 0);
}

#[test]
fn too_much_work_is_refused_or_ended() {
    // Redundant contacts with friction that contradict each other: more than a hundred steps.
    let mut random = SplitMix64::new(3);
    let mut problem = stack_problem(1, 20, 0.3, 1.0, 0.0);
    for b in &mut problem.b {
        *b += random.range(-1e-2, 1e-2);
    }
    let run = |work: f64| {
        let mut x = vec![0.0; problem.b.len()];
        SparsePrincipalPivoting { work, ..Default::default() }.solve(&problem.view(), &mut x)
    };
    assert!(matches!(run(100.0), Err(LcpError::Unsupported { .. })));
    // The smallest limit with which work is begun at all is soon used up.
    let cut = (7..30).find_map(|k| run(f64::powi(2.0, k)).ok()).unwrap();
    let whole = run(1e10).unwrap();
    assert_eq!(cut.status, LcpStatus::IterationLimit);
    assert!(whole.status != LcpStatus::IterationLimit && cut.iterations < whole.iterations, "{cut:?} {whole:?}");
}
