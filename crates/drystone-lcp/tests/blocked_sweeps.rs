//! The rows of a contact as a block: each block is solved completely at its turn, with both tangents of a disc at once.
#![allow(clippy::needless_range_loop)]
use drystone_lcp::{
    BlockedGaussSeidel, BoxedProblem, DenseOperator, LcpSolver, Measure, NO_DEPENDENCY, NO_PARTNER, SplitMix64,
};

/// A contact whose friction stays inside its disc, made to have the solution `x`.
fn sticking(a: [[f64; 3]; 3], x: [f64; 3]) -> BoxedProblem {
    let b = a.map(|row| -row.iter().zip(x).map(|(a, x)| a * x).sum::<f64>()).to_vec();
    BoxedProblem {
        operator: DenseOperator::from_rows(a).into(),
        b,
        lo: vec![0.0; 3],
        hi: vec![f64::INFINITY; 3],
        dependency: vec![NO_DEPENDENCY, 0, 0],
        mu: vec![0.0, 100.0, 100.0],
        partner: vec![NO_PARTNER, 2, 1],
    }
}

fn after(iterations: usize, problem: &BoxedProblem, mut x: Vec<f64>) -> (Vec<f64>, usize) {
    let mut solver = BlockedGaussSeidel { iterations, measure: Measure::Never, ..Default::default() };
    let report = solver.solve(&problem.view(), &mut x).unwrap();
    (x, report.iterations)
}

fn assert_near(found: &[f64], exact: [f64; 3]) {
    let scale = exact.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    assert!(found.iter().zip(exact).all(|(x, y)| (x - y).abs() < 1e-9 * scale), "{found:?} {exact:?}");
}

#[test]
fn both_tangents_are_solved_at_once() {
    // so strongly coupled that alternating between the tangents leaves 0.98 of the error each time; as a 2 x 2 system they are solved in one turn
    let exact = [1.0, 0.3, -0.2];
    let problem = sticking([[2.0, 0.0, 0.0], [0.0, 1.0, 9.9], [0.0, 9.9, 100.0]], exact);
    assert_near(&after(1, &problem, vec![0.0; 3]).0, exact);
}

#[test]
fn a_block_is_solved_to_the_end_whatever_its_scale() {
    for scale in [1e-6, 1.0, 1e6] {
        let exact = [scale, 0.3 * scale, -0.2 * scale];
        let problem = sticking([[2.0, 0.6, -0.5], [0.6, 1.0, 0.2], [-0.5, 0.2, 1.5]], exact);
        // a single block: nothing is left for a second sweep
        assert_near(&after(1, &problem, vec![0.0; 3]).0, exact);
    }
}

#[test]
fn as_many_sweeps_as_asked_for() {
    let problem = sticking([[2.0, 0.6, -0.5], [0.6, 1.0, 0.2], [-0.5, 0.2, 1.5]], [1.0, 0.3, -0.2]);
    for count in [0, 1, 5] {
        assert_eq!(after(count, &problem, vec![0.0; 3]).1, count);
    }
}

#[test]
fn a_row_of_zeros_stays_where_it_starts() {
    // w is zero whatever x is: each x in the box is a solution, and so is the first guess
    let a = DenseOperator::from_rows([[0.0, 0.0], [0.0, 2.0]]);
    let problem = BoxedProblem::boxed(a, vec![0.0, -1.0], vec![-1.0; 2], vec![1.0; 2]);
    let (x, _) = after(3, &problem, vec![0.25, 0.0]);
    assert!(x[0] == 0.25 && (x[1] - 0.5).abs() < 1e-15, "{x:?}");
}

#[test]
fn sweeps_over_three_blocks_are_those_of_a_dense_reference() {
    // three sticking contacts, coupled with one another: at its turn each gets the solution of its own three equations, by Cramer's rule
    let mut random = SplitMix64::new(12);
    let mut a = [[0.0; 9]; 9];
    for i in 0..9 {
        for j in 0..i {
            a[i][j] = random.range(-0.2, 0.2);
            a[j][i] = a[i][j];
        }
        a[i][i] = 2.0;
    }
    let exact = [1.0, 0.1, -0.2, 1.5, -0.3, 0.2, 0.7, 0.1, 0.1];
    let b = a.map(|row| -row.iter().zip(exact).map(|(a, x)| a * x).sum::<f64>()).to_vec();
    let problem = BoxedProblem {
        operator: DenseOperator::from_rows(a).into(),
        b: b.clone(),
        lo: vec![0.0; 9],
        hi: vec![f64::INFINITY; 9],
        dependency: (0..9).map(|i| if i % 3 == 0 { NO_DEPENDENCY } else { i / 3 * 3 }).collect(),
        mu: (0..9).map(|i| if i % 3 == 0 { 0.0 } else { 100.0 }).collect(),
        partner: (0..9).map(|i| [NO_PARTNER, i + 1, i.max(1) - 1][i as usize % 3]).collect(),
    };
    let determinant = |m: [[f64; 3]; 3]| {
        (0..3)
            .map(|k| m[0][k] * (m[1][(k + 1) % 3] * m[2][(k + 2) % 3] - m[1][(k + 2) % 3] * m[2][(k + 1) % 3]))
            .sum::<f64>()
    };
    let mut x = vec![0.0; 9];
    for count in 1..5 {
        for first in [0, 3, 6] {
            let others = |i: usize| (0..9).filter(|j| j / 3 != first / 3).map(|j| a[i][j] * x[j]).sum::<f64>();
            let right: [f64; 3] = std::array::from_fn(|i| -b[first + i] - others(first + i));
            let block: [[f64; 3]; 3] = std::array::from_fn(|i| std::array::from_fn(|j| a[first + i][first + j]));
            for k in 0..3 {
                let mut with = block;
                for i in 0..3 {
                    with[i][k] = right[i];
                }
                x[first + k] = determinant(with) / determinant(block);
            }
        }
        let (found, _) = after(count, &problem, vec![0.0; 9]);
        assert!(found.iter().zip(&x).all(|(x, y)| (x - y).abs() < 1e-9), "{count}: {found:?} {x:?}");
    }
}
