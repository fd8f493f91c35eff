//! One block on a plane with a polyhedral cone: the three states of a contact, and the price of few directions.
use drystone_lcp::{
    ConeProblem, ConeSolver, ContactState, DenseOperator, LcpSolver, LcpStatus, Lemke, NonsmoothNewton, PolyhedralCone,
    friction_directions,
};

/// A point mass of 2 kg on a plane: u = r / m + q.
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

// E-23
#[test]
fn separates_slides_and_sticks() {
    assert_eq!(solve(&block([1.0, 2.0, 0.0], 0.5), 4).1, ContactState::Separating);
    // Sliding along a direction: the impulse stops the fall, friction is mu times that impulse, and lambda is the remaining speed.
    let (r, state, lambda) = solve(&block([-1.0, 2.0, 0.0], 0.5), 4);
    assert_eq!(state, ContactState::Sliding);
    assert!((r[0] - 2.0).abs() < 1e-12 && (r[1] + 1.0).abs() < 1e-12 && (lambda - 1.5).abs() < 1e-12, "{r:?} {lambda}");
    let (r, state, _) = solve(&block([-1.0, 0.2, 0.1], 0.5), 4);
    assert_eq!(state, ContactState::Sticking);
    assert!((r[1] + 0.4).abs() < 1e-12 && (r[2] + 0.2).abs() < 1e-12, "{r:?}");
}

// E-20
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
fn friction_falls_short_by_the_cosine_of_half_a_direction_at_worst() {
    // E-20: friction along the slip, relative to mu times the normal impulse: 1 along a direction, cos(pi / eta) half way between two
    for eta in [4, 6, 8] {
        let half = std::f64::consts::PI / f64::from(eta);
        let share = |angle: f64| {
            let (r, state, _) = solve(&block([-1.0, 200.0 * angle.cos(), 200.0 * angle.sin()], 0.5), eta as usize);
            assert_eq!(state, ContactState::Sliding);
            -(r[1] * angle.cos() + r[2] * angle.sin()) / (0.5 * r[0])
        };
        assert!((share(0.0) - 1.0).abs() < 1e-12 && (share(half) - half.cos()).abs() < 1e-12, "{eta}: {}", share(half));
        for k in 1..20 {
            let between = share(2.0 * half * f64::from(k) / 20.0);
            assert!(between > half.cos() - 1e-12 && between < 1.0, "{eta} {k}: {between}");
        }
    }
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

/// The distance that a block of 2 kg slides if it is thrown at 3 m/s at this angle to the first direction, with mu = 0.4 and steps of 1 ms.
fn stopping_distance(directions: usize, angle: f64) -> f64 {
    let (h, gravity, mu) = (1e-3, 9.81, 0.4);
    let mut velocity = [3.0 * angle.cos(), 3.0 * angle.sin()];
    let mut place = [0.0_f64; 2];
    for _ in 0..2000 {
        let (r, _, _) = solve(&block([-gravity * h, velocity[0], velocity[1]], mu), directions);
        for k in 0..2 {
            velocity[k] += 0.5 * r[k + 1];
            place[k] += h * velocity[k];
        }
        if velocity[0].hypot(velocity[1]) < 1e-9 {
            break;
        }
    }
    place[0].hypot(place[1])
}

#[test]
fn more_directions_cost_rows_and_bring_the_stopping_distance_closer() {
    // E-24. By Coulomb's law the distance is v^2 / (2 mu g); an inscribed cone brakes less, in the worst case by the factor cos(pi / eta).
    let exact = 9.0 / (2.0 * 0.4 * 9.81);
    let worst = |eta: usize| {
        (0..4)
            .map(|k| stopping_distance(eta, std::f64::consts::PI / eta as f64 * f64::from(k) / 3.0) / exact - 1.0)
            .fold(0.0_f64, |m, e| m.max(e.abs()))
    };
    let found = [4, 8, 16].map(worst);
    assert!(found[0] > 2.0 * found[1] && found[1] > 2.0 * found[2] && found[2] < 0.03, "{found:?}");
}

#[test]
fn friction_is_scaled_contact_by_contact() {
    // E-24: three separate blocks, thrown in the same way: one without friction, one with a coarse cone, one with a fine one
    let mut m = DenseOperator::zeros(9);
    for i in 0..9 {
        m.set(i, i, 0.5);
    }
    let thrown = [-1.0, 1.5, 2.0];
    let problem = ConeProblem { operator: m.into(), q: thrown.repeat(3), mu: vec![0.4; 3], dimension: 3 };
    let etas = [0, 4, 16];
    let cone = PolyhedralCone::scaled(&problem, &etas).unwrap();
    assert_eq!(cone.lcp.b.len(), 1 + (4 + 2) + (16 + 2));
    let mut x = vec![0.0; cone.lcp.b.len()];
    assert_eq!(Lemke::default().solve(&cone.lcp.view(), &mut x).unwrap().status, LcpStatus::Converged);
    let (r, states) = (cone.impulses(&x, 3), cone.states(&x));
    assert_eq!(states, [ContactState::Sliding; 3]);
    assert!((r[0] - 2.0).abs() < 1e-12 && r[1] == 0.0 && r[2] == 0.0, "{r:?}");
    // each is as it would be alone
    for (c, &eta) in etas.iter().enumerate().skip(1) {
        let (alone, ..) = solve(&block(thrown, 0.4), eta);
        assert!(alone.iter().zip(&r[3 * c..3 * c + 3]).all(|(a, b)| (a - b).abs() < 1e-12), "{alone:?} {r:?}");
    }
    let friction = |c: usize| r[3 * c + 1].hypot(r[3 * c + 2]);
    // both within the cone; the fine one is along the slip to within half the angle between its directions
    assert!(friction(1) <= 0.8 + 1e-12 && friction(2) <= 0.8 + 1e-12);
    let against = |c: usize| -(r[3 * c + 1] * 1.5 + r[3 * c + 2] * 2.0) / (2.5 * 0.8);
    assert!(
        against(2) > (std::f64::consts::PI / 16.0).cos() - 1e-12 && against(1) < against(2),
        "{} {}",
        against(1),
        against(2)
    );
    for bad in [vec![4, 4], vec![3, 4, 4], vec![2, 4, 4], vec![4; 4]] {
        assert!(PolyhedralCone::scaled(&problem, &bad).is_err(), "{bad:?}");
    }
    assert!(PolyhedralCone::new(&problem, 0).is_err());
}
