//! One block on a plane under a polyhedral cone: the three states of a contact, and the cost of few directions.
use drystone_lcp::{
    ConeProblem, ConeSolver, ContactState, DenseOperator, LcpSolver, LcpStatus, Lemke, NonsmoothNewton, PolyhedralCone,
    friction_directions,
};

/// A point mass 2 kg on a plane: u = r / m + q.
fn block(q: [f64; 3], mu: f64) -> ConeProblem {
    let mut m = DenseOperator::zeros(3);
    for i in 0..3 {
        m.set(i, i, 0.5);
    }
    ConeProblem { operator: m.into(), q: q.to_vec(), mu: vec![mu], dimension: 3 }
}

fn solve(problem: &ConeProblem, directions: usize) -> (Vec<f64>, ContactState, f64) {
    let cone = PolyhedralCone::new(problem, directions).unwrap();
    let mut x = vec![0.0; cone.lcp.b.len()];
    let report = Lemke::default().solve(&cone.lcp.view(), &mut x).unwrap();
    assert_eq!(report.status, LcpStatus::Converged);
    (cone.impulses(&x, 3), cone.states(&x)[0], x[x.len() - 1])
}

#[test]
fn separates_slides_and_sticks() {
    assert_eq!(solve(&block([1.0, 2.0, 0.0], 0.5), 4).1, ContactState::Separating);
    // Sliding along a direction: the impulse stops the fall, friction takes mu of it, lambda is the speed left.
    let (r, state, lambda) = solve(&block([-1.0, 2.0, 0.0], 0.5), 4);
    assert_eq!(state, ContactState::Sliding);
    assert!((r[0] - 2.0).abs() < 1e-12 && (r[1] + 1.0).abs() < 1e-12 && (lambda - 1.5).abs() < 1e-12, "{r:?} {lambda}");
    let (r, state, _) = solve(&block([-1.0, 0.2, 0.1], 0.5), 4);
    assert_eq!(state, ContactState::Sticking);
    assert!((r[1] + 0.4).abs() < 1e-12 && (r[2] + 0.2).abs() < 1e-12, "{r:?}");
}

#[test]
fn directions_sum_to_zero_and_come_in_pairs() {
    for count in [4, 6, 8] {
        let d = friction_directions(count);
        assert!(d.iter().fold([0.0_f64; 2], |s, d| [s[0] + d[0], s[1] + d[1]]).iter().all(|s| s.abs() < 1e-14));
        for h in 0..count / 2 {
            assert!((d[h][0] + d[h + count / 2][0]).abs() < 1e-14);
        }
    }
    assert!(PolyhedralCone::new(&block([0.0; 3], 0.1), 5).is_err());
}

#[test]
fn more_directions_come_closer_to_the_cone() {
    // Sliding half way between two directions of the coarsest cone.
    let problem = block([-1.0, 2.0, 2.0], 0.5);
    let mut exact = vec![0.0; 3];
    NonsmoothNewton::default().solve(&problem, &mut exact).unwrap();
    let error = |directions| {
        let r = solve(&problem, directions).0;
        r.iter().zip(&exact).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()))
    };
    let (four, sixteen) = (error(4), error(16));
    assert!(sixteen < 0.3 * four + 1e-9 && sixteen < 0.2, "{four} {sixteen}");
}
