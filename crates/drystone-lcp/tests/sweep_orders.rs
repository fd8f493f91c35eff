//! The order and direction in which sweeps visit the rows, and what they divide by: each compared with sweeps written out here.
use drystone_lcp::{
    BoxedProblem, DenseOperator, FactoredOperator, LcpSolver, MatrixFamily, Measure, NO_BODY, NO_DEPENDENCY,
    Permutation, PlainSweeps, ProblemGenerator, ProjectedGaussSeidel, StepTest, Sweep,
};

const ROWS: usize = 9;
/// Rows and their parents: two of the rows come before the row that bounds them.
const PARENTS: [(usize, usize); 4] = [(0, 4), (1, 4), (7, 2), (8, 2)];

fn sweeps(iterations: usize, permutation: Permutation, sweep: Sweep) -> ProjectedGaussSeidel {
    ProjectedGaussSeidel { iterations, permutation, sweep, measure: Measure::Never, ..Default::default() }
}

fn solved(mut solver: ProjectedGaussSeidel, problem: &BoxedProblem) -> Vec<f64> {
    let mut x = vec![0.0; problem.b.len()];
    solver.solve(&problem.view(), &mut x).unwrap();
    x
}

/// A problem in which some rows are bounded by rows that come after them.
fn dependent_problem() -> (BoxedProblem, DenseOperator) {
    let (mut problem, _) =
        ProblemGenerator { rows: ROWS, family: MatrixFamily::PositiveDefinite, active: 0.5, seed: 12 }.boxed();
    problem.lo = vec![0.0; ROWS];
    problem.hi = vec![f64::INFINITY; ROWS];
    problem.dependency = vec![NO_DEPENDENCY; ROWS];
    problem.mu = vec![0.0; ROWS];
    for (i, b) in problem.b.iter_mut().enumerate() {
        // the parents push, the other rows have different signs
        *b = if PARENTS.iter().any(|p| p.1 == i) { -3.0 } else { 2.0 - i as f64 * 0.5 };
    }
    for (child, parent) in PARENTS {
        problem.dependency[child] = parent as u32;
        problem.mu[child] = 0.3;
    }
    let a = problem.operator.view().to_dense();
    (problem, a)
}

/// Relaxes one row with the latest values of all others; returns its change.
fn relax(a: &DenseOperator, problem: &BoxedProblem, i: usize, x: &mut [f64]) -> f64 {
    let w = problem.b[i] + a.row(i).iter().zip(&*x).map(|(a, x)| a * x).sum::<f64>();
    let (lo, hi) = match problem.dependency[i] {
        NO_DEPENDENCY => (problem.lo[i], problem.hi[i]),
        parent => {
            let limit = problem.mu[i] * x[parent as usize].max(0.0);
            (-limit, limit)
        }
    };
    let old = x[i];
    x[i] = (old - w / a.get(i, i)).max(lo).min(hi);
    (x[i] - old).abs()
}

/// The order with each parent moved to just before the first of its rows.
fn parents_first(order: &[usize]) -> Vec<usize> {
    let mut placed = Vec::new();
    for &i in order {
        let parent = PARENTS.iter().find(|p| p.0 == i).map(|p| p.1);
        for row in parent.into_iter().chain([i]) {
            if !placed.contains(&row) {
                placed.push(row);
            }
        }
    }
    placed
}

fn near(x: &[f64], y: &[f64]) -> bool {
    x.iter().zip(y).all(|(x, y)| (x - y).abs() < 1e-12)
}

// F-15
#[test]
fn order_by_error_visits_what_changed_most_first_and_parents_before_their_rows() {
    let (problem, a) = dependent_problem();
    let mut x = vec![0.0; ROWS];
    let mut change = [0.0; ROWS];
    let mut orders = Vec::new();
    for count in 1..8 {
        let mut order: Vec<usize> = (0..ROWS).collect();
        // the first sweep has no errors to go by: the given order of rows
        if count > 1 {
            order.sort_by(|&i, &j| f64::total_cmp(&change[j], &change[i]).then(i.cmp(&j)));
            order = parents_first(&order);
        }
        for &i in &order {
            change[i] = relax(&a, &problem, i, &mut x);
        }
        orders.push(order);
        let found = solved(sweeps(count, Permutation::BY_ERROR, Sweep::Forward), &problem);
        assert!(near(&x, &found), "after {count} sweeps: {x:?} {found:?}");
    }
    // the control: the order matters here: it differs from the given one, and so do the iterates
    assert!(orders[1..].iter().any(|o| *o != orders[0]));
    let plain = solved(sweeps(3, Permutation::NONE, Sweep::Forward), &problem);
    let by_error = solved(sweeps(3, Permutation::BY_ERROR, Sweep::Forward), &problem);
    assert!(!near(&plain, &by_error));
}

// F-13, F-16
#[test]
fn random_orders_keep_parents_before_their_rows() {
    // one sweep from zero: a row that is visited before its parent has bounds of zero width and stays zero
    let (problem, _) = dependent_problem();
    for seed in 0..20 {
        let x = solved(sweeps(1, Permutation::random(1, seed), Sweep::Forward), &problem);
        for (child, parent) in PARENTS {
            assert!(x[parent] > 0.0 && x[child] != 0.0, "seed {seed}: {x:?}");
        }
    }
    // in the given order two rows come before their parent
    let plain = solved(sweeps(1, Permutation::NONE, Sweep::Forward), &problem);
    assert!(plain[0] == 0.0 && plain[1] == 0.0);
}

// F-14
#[test]
fn a_new_random_order_comes_every_seventh_sweep() {
    let (problem, _) = dependent_problem();
    let run = |count, every| solved(sweeps(count, Permutation::random(every, 5), Sweep::Forward), &problem);
    for count in 1..=7 {
        assert_eq!(run(count, 7), run(count, 1000), "after {count} sweeps the order is still the first");
    }
    assert_ne!(run(8, 7), run(8, 1000), "the eighth sweep has a new order");
    assert_eq!(run(14, 7), run(14, 7));
    assert_ne!(run(2, 1), run(2, 7), "an order per sweep");
}

#[test]
fn a_symmetric_sweep_goes_there_and_back() {
    let (problem, a) = dependent_problem();
    let mut x = vec![0.0; ROWS];
    for count in 1..6 {
        for i in (0..ROWS).chain((0..ROWS).rev()) {
            relax(&a, &problem, i, &mut x);
        }
        assert!(near(&x, &solved(sweeps(count, Permutation::NONE, Sweep::Symmetric), &problem)), "{count}");
        // the control: neither direction alone, twice, gives the same
        assert!(!near(&x, &solved(sweeps(2 * count, Permutation::NONE, Sweep::Forward), &problem)));
        assert!(!near(&x, &solved(sweeps(2 * count, Permutation::NONE, Sweep::Backward), &problem)));
    }
}

/// Whether sweeps count as plain depends on what the parameters do, not on whether they are set.
#[test]
fn plain_sweeps_are_those_with_nothing_in_effect() {
    let plain = || sweeps(12, Permutation::NONE, Sweep::Forward);
    let twelve = |measured| Some(PlainSweeps { iterations: 12, measured });
    assert_eq!(plain().plain_sweeps(), twelve(false));
    for measure in [Measure::Never, Measure::AtEnd] {
        // without a test after each sweep these two parameters have no effect
        let solver = ProjectedGaussSeidel { tolerance: 1.0, min_iterations: 9, measure, ..plain() };
        assert_eq!(solver.plain_sweeps(), twelve(measure == Measure::AtEnd));
    }
    let others = [
        ProjectedGaussSeidel { omega: 1.1, ..plain() },
        ProjectedGaussSeidel { lambda: 0.9, ..plain() },
        ProjectedGaussSeidel { ode_diagonal: true, ..plain() },
        ProjectedGaussSeidel { measure: Measure::EveryIteration, ..plain() },
        ProjectedGaussSeidel { step: StepTest { absolute: 1e-3, relative: 0.0 }, ..plain() },
        sweeps(12, Permutation::RANDOM, Sweep::Forward),
        sweeps(12, Permutation::NONE, Sweep::Backward),
    ];
    for solver in others {
        assert_eq!(solver.plain_sweeps(), None, "{solver:?}");
    }
}

#[test]
fn the_diagonal_of_ode_leaves_the_softness_out() {
    // a body of 2 kg under two soft rows in one direction (Erleben 2005, (6.57))
    let (inverse_mass, cfm) = (0.5, 0.25);
    let mut a = FactoredOperator::new();
    let body = a.push_body(inverse_mass, [0.0; 6]);
    let up = [0.0, 1.0, 0.0, 0.0, 0.0, 0.0];
    for _ in 0..2 {
        a.push_row([NO_BODY, body], [0.0; 6], up, cfm).unwrap();
    }
    let problem = BoxedProblem::lcp(a, vec![-1.0, -0.5]);
    let run = |ode_diagonal, count| {
        solved(ProjectedGaussSeidel { ode_diagonal, ..sweeps(count, Permutation::NONE, Sweep::Forward) }, &problem)
    };
    // the first row by hand: -b over the diagonal, with and without softness
    assert!((run(false, 1)[0] - 1.0 / (inverse_mass + cfm)).abs() < 1e-15);
    assert!((run(true, 1)[0] - 1.0 / inverse_mass).abs() < 1e-15);
    // both end at the soft solution: (1/m + cfm) x1 + x2 / m = 1, x1 / m + (1/m + cfm) x2 = 1/2
    let x = run(true, 400);
    let residual = [0.75 * x[0] + 0.5 * x[1] - 1.0, 0.5 * x[0] + 0.75 * x[1] - 0.5];
    assert!(residual[0].abs() < 1e-12 && x[1] * residual[1] < 1e-12 && residual[1] > -1e-12, "{x:?}");
    assert!(near(&x, &run(false, 400)));
}

#[test]
fn the_diagonal_of_ode_takes_the_softness_in_where_it_would_diverge() {
    // a body of 2 kg on one soft row: without the softness each sweep multiplies the error by -cfm m
    let solve = |cfm: f64, omega: f64| {
        let mut a = FactoredOperator::new();
        let body = a.push_body(0.5, [0.0; 6]);
        a.push_row([NO_BODY, body], [0.0; 6], [0.0, 1.0, 0.0, 0.0, 0.0, 0.0], cfm).unwrap();
        let problem = BoxedProblem::lcp(a, vec![-1.0]);
        let sweeps = |count, ode_diagonal| {
            solved(
                ProjectedGaussSeidel { ode_diagonal, omega, ..sweeps(count, Permutation::NONE, Sweep::Forward) },
                &problem,
            )[0]
        };
        (sweeps(1, true), sweeps(1, false), sweeps(400, true) * (0.5 + cfm))
    };
    // as long as the whole diagonal is below twice the bare one over the relaxation factor, the bare one is used
    for (cfm, omega) in [(0.25, 1.0), (0.49, 1.0), (0.2, 1.3)] {
        let (first, _, last) = solve(cfm, omega);
        assert!((first - 2.0 * omega).abs() < 1e-12 && (last - 1.0).abs() < 1e-3, "{cfm} {omega}: {first} {last}");
    }
    // from there on the whole one is used
    for (cfm, omega) in [(0.5, 1.0), (0.51, 1.0), (4.0, 1.0), (1e6, 1.0), (0.3, 1.3)] {
        let (first, plain, last) = solve(cfm, omega);
        assert!(first.to_bits() == plain.to_bits() && (last - 1.0).abs() < 1e-12, "{cfm} {omega}: {first} {last}");
    }
}
