//! More rows than freedoms, as in closed loops of hinges: the sparse direct solver against a dense pseudo-inverse.
use drystone_lcp::{
    BoxedProblem, FactoredOperator, LcpOperator, LcpSolver, LcpStatus, NO_BODY, Operator, SparsePrincipalPivoting,
    SplitMix64,
};

/// In the reference, eigenvalues of the scaled matrix below this belong to redundant directions.
const RANK: f64 = 1e-7;

fn random_block(random: &mut SplitMix64) -> [f64; 6] {
    [0; 6].map(|_| random.range(-1.0, 1.0))
}

/// A chain of bodies whose links have more rows than needed: `extra` rows of each link are combinations of its first three.
/// `off` is the size of the random errors in their Jacobians; the velocities without impulses are random.
fn redundant_chain(random: &mut SplitMix64, links: usize, extra: usize, off: f64) -> (BoxedProblem, usize) {
    let mut a = FactoredOperator::new();
    let bodies: Vec<u32> = (0..links)
        .map(|_| {
            a.push_body(random.range(0.5, 2.0), [random.range(2.0, 5.0), 3.0, random.range(2.0, 5.0), 0.1, 0.0, 0.2])
        })
        .collect();
    let velocity: Vec<[f64; 6]> = bodies.iter().map(|_| random_block(random)).collect();
    let mut b = Vec::new();
    for k in 0..links {
        let pair = [if k == 0 { NO_BODY } else { bodies[k - 1] }, bodies[k]];
        let own: Vec<[[f64; 6]; 2]> = (0..3).map(|_| [random_block(random), random_block(random)]).collect();
        let mut rows = own.clone();
        for _ in 0..extra {
            let weights = [0; 3].map(|_| random.range(-1.0, 1.0));
            rows.push([0, 1].map(|side| {
                let noise = random_block(random);
                core::array::from_fn(|c| (0..3).map(|r| weights[r] * own[r][side][c]).sum::<f64>() + off * noise[c])
            }));
        }
        for [ja, jb] in rows {
            let dot = |j: &[f64; 6], v: &[f64; 6]| j.iter().zip(v).map(|(j, v)| j * v).sum::<f64>();
            b.push(dot(&jb, &velocity[k]) + if k == 0 { 0.0 } else { dot(&ja, &velocity[k - 1]) });
            a.push_row(pair, ja, jb, 0.0).unwrap();
        }
    }
    let n = b.len();
    (BoxedProblem::boxed(a, b, vec![f64::NEG_INFINITY; n], vec![f64::INFINITY; n]), 3 * links)
}

fn factored(problem: &BoxedProblem) -> &FactoredOperator {
    let Operator::Factored(op) = &problem.operator else { panic!("a factored problem") };
    op
}

/// Among the x with the least residual, the one of least norm, with row i weighted by A_ii; by cyclic Jacobi rotations.
fn least_norm(problem: &BoxedProblem) -> Vec<f64> {
    let op = factored(problem);
    let n = problem.b.len();
    let scale: Vec<f64> = (0..n).map(|i| op.diagonal(i).sqrt().recip()).collect();
    let mut m: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| op.entry(i, j) * scale[i] * scale[j]).collect()).collect();
    let mut v: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    for _ in 0..30 {
        for p in 0..n {
            for q in p + 1..n {
                if m[p][q].abs() < 1e-300 {
                    continue;
                }
                let theta = 0.5 * (2.0 * m[p][q]).atan2(m[q][q] - m[p][p]);
                let (s, c) = theta.sin_cos();
                for row in &mut m {
                    (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
                }
                let (low, high) = m.split_at_mut(q);
                for (x, y) in low[p].iter_mut().zip(&mut high[0]) {
                    (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
                }
                for row in &mut v {
                    (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
                }
            }
        }
    }
    let mut x = vec![0.0; n];
    for k in (0..n).filter(|&k| m[k][k] > RANK) {
        let along: f64 = (0..n).map(|i| v[i][k] * scale[i] * problem.b[i]).sum();
        for i in 0..n {
            x[i] -= scale[i] * v[i][k] * along / m[k][k];
        }
    }
    x
}

/// The change of velocity caused by the multipliers.
fn change(problem: &BoxedProblem, x: &[f64]) -> Vec<f64> {
    let op = factored(problem);
    let mut acc = vec![0.0; op.accumulator_len()];
    op.start(x, &mut acc);
    acc
}

fn largest(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(0.0, |m: f64, v| m.max(v.abs()))
}

#[test]
fn multipliers_are_those_of_least_norm_and_rows_are_met_to_rounding() {
    let mut random = SplitMix64::new(7);
    for round in 0..30 {
        let (problem, rank) = redundant_chain(&mut random, 1 + round % 5, 1 + round % 3, 0.0);
        let n = problem.b.len();
        let mut solver = SparsePrincipalPivoting::default();
        // a nonzero start must not remain in the redundant directions
        let mut x: Vec<f64> = (0..n).map(|_| random.range(-5.0, 5.0)).collect();
        let report = solver.solve(&problem.view(), &mut x).unwrap();
        assert_eq!(report.status, LcpStatus::Converged, "{round}: {report:?}");
        assert!(solver.workspace.redundant_rows() >= n - rank, "{round}");
        let exact = least_norm(&problem);
        let off = largest(x.iter().zip(&exact).map(|(a, b)| a - b)) / largest(exact.iter().copied());
        assert!(off < 1e-7, "{round}: {off:e}");
        // J v = 0
        let op = factored(&problem);
        let acc = change(&problem, &x);
        let rates = (0..n).map(|i| problem.b[i] + op.row_dot(i, &x, &acc));
        assert!(largest(rates) < 1e-12 * largest(problem.b.iter().copied()), "{round}");
    }
}

#[test]
fn rows_that_nearly_depend_and_do_not_agree_give_no_large_multipliers() {
    // Loops off their constraint by 1e-5 with target rates that differ by 1e-3: an exact solution would give a hundred metres per second.
    let mut random = SplitMix64::new(11);
    for round in 0..30 {
        let (mut problem, _) = redundant_chain(&mut random, 1 + round % 5, 1 + round % 2, 1e-5);
        for b in &mut problem.b {
            *b += random.range(-1e-3, 1e-3);
        }
        let exact = least_norm(&problem);
        let mut x = vec![0.0; problem.b.len()];
        SparsePrincipalPivoting::default().solve(&problem.view(), &mut x).unwrap();
        let (found, wanted) = (change(&problem, &x), change(&problem, &exact));
        let off = largest(found.iter().zip(&wanted).map(|(a, b)| a - b));
        assert!(off < 2e-2 * largest(wanted.iter().copied()).max(1.0), "{round}: {off:e}");
        assert!(largest(x.iter().copied()) < 10.0 * largest(exact.iter().copied()), "{round}");
    }
}

#[test]
fn a_heavy_body_among_light_ones_is_not_redundant() {
    // Pivots of 1e-6 of the diagonal, which near dependence also produces; but here every row counts.
    let problem = drystone_lcp::chain_problem(40, 1e6);
    let mut solver = SparsePrincipalPivoting::default();
    let mut x = vec![0.0; problem.b.len()];
    let report = solver.solve(&problem.view(), &mut x).unwrap();
    assert_eq!((report.status, solver.workspace.redundant_rows()), (LcpStatus::Converged, 0));
}
