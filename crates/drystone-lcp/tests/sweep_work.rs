//! The cost of sweeps, counted and not timed: linear in their number (Erleben 2005, Figure 6.22).
use drystone_lcp::{BoxedProblem, LcpOperator, LcpSolver, Operator, ProjectedGaussSeidel, StepTest};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A stack of equal boxes with one contact between neighbours, which counts the rows requested from it.
#[derive(Debug)]
struct CountedStack {
    rows: usize,
    asked: Arc<AtomicU64>,
}

impl LcpOperator for CountedStack {
    fn rows(&self) -> usize {
        self.rows
    }

    fn diagonal(&self, i: usize) -> f64 {
        if i == 0 { 1.0 } else { 2.0 }
    }

    fn row_dot(&self, i: usize, x: &[f64], _acc: &[f64]) -> f64 {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let at = |i: Option<usize>| i.and_then(|i| x.get(i)).copied().unwrap_or(0.0);
        self.diagonal(i) * x[i] - at(i.checked_sub(1)) - at(Some(i + 1))
    }
}

/// The number of rows requested in a solve from zero.
fn work(iterations: usize, smallest_step: f64) -> u64 {
    const BOXES: usize = 25;
    let asked = Arc::new(AtomicU64::new(0));
    let stack = CountedStack { rows: BOXES, asked: Arc::clone(&asked) };
    // only the lowest contact sees the ground: all others start at rest against each other
    let mut b = vec![0.0; BOXES];
    b[0] = -9.81;
    let problem = BoxedProblem::lcp(Operator::Custom(Box::new(stack)), b);
    let mut x = vec![0.0; BOXES];
    let step = StepTest { absolute: smallest_step, relative: 0.0 };
    ProjectedGaussSeidel { iterations, step, ..Default::default() }.solve(&problem.view(), &mut x).unwrap();
    asked.load(Ordering::Relaxed)
}

#[test]
fn work_is_a_straight_line_in_the_number_of_sweeps() {
    let sweeps = [10, 100, 200, 400, 600, 800, 1000];
    let fixed = 2 * work(10, 0.0) - work(20, 0.0);
    let slope = (work(20, 0.0) - work(10, 0.0)) / 10;
    assert!(slope >= 25, "each row once per sweep at least: {slope}");
    for n in sweeps {
        assert_eq!(work(n, 0.0), fixed + slope * n as u64, "{n} sweeps");
    }
}

/// The negative control: with a test on the step the work is determined by the convergence.
#[test]
fn with_a_test_of_convergence_it_is_not() {
    assert_eq!(work(5000, 1e-6), work(10_000, 1e-6));
}
