//! What the force is complementary to: the acceleration (Baraff 1995, E-10) or the distance (Lennerz, Schömer and Warken 1999, E-31).
use drystone_lcp::{
    BoxedProblem, DenseOperator, LcpStatus, PolyhedralCone, SplitMix64, cone_problem, fischer_burmeister_residual,
    solver_by_name,
};

#[test]
fn distances_do_not_drift_where_accelerations_do() {
    // A particle rests on the ground and is disturbed a little: an error of up to 1e-6 in its velocity in each of 10^4 steps of 1/1000 s.
    const STEPS: usize = 10_000;
    let (step, mass, gravity) = (1e-3, 2.0, 9.81);
    let mut solver = solver_by_name("newton-fischer-burmeister").unwrap();
    let mut workspace = drystone_lcp::ResidualWorkspace::default();
    let mut worst = [0.0_f64; 2];
    for (level, worst) in worst.iter_mut().enumerate() {
        let mut random = SplitMix64::new(4);
        let (mut gap, mut velocity) = (0.0, 0.0);
        let mut force = [mass * gravity];
        for _ in 0..STEPS {
            velocity += random.range(-1e-6, 1e-6);
            // Distance: gap+ = gap + step (v + step (f / m - g)). Acceleration: f / m - g.
            let (a, b) = if level == 0 {
                (step * step / mass, gap + step * velocity - step * step * gravity)
            } else {
                (1.0 / mass, -gravity)
            };
            let problem = BoxedProblem::lcp(DenseOperator::from_rows([[a]]), vec![b]);
            let report = solver.solve(&problem.view(), &mut force).unwrap();
            assert_eq!(report.status, LcpStatus::Converged);
            assert!(fischer_burmeister_residual(&problem.view(), &force, &mut workspace) < 1e-10);
            velocity += step * (force[0] / mass - gravity);
            gap += step * velocity;
            *worst = worst.max(-gap);
        }
    }
    assert!(worst[0] < 1e-10 && worst[1] > 1e-7, "{worst:?}");
}

#[test]
fn the_pyramid_problem_has_its_size_and_its_conditions() {
    // E-22, E-24: (eta + 2) K variables; E-21 row by row at the solution.
    let (problem, _) = cone_problem(3, 0.4, 2);
    for directions in [4, 6, 8] {
        let cone = PolyhedralCone::new(&problem, directions).unwrap();
        let n = cone.lcp.b.len();
        assert_eq!(n, (directions + 2) * 3);
        let mut x = vec![0.0; n];
        let report = solver_by_name("lemke").unwrap().solve(&cone.lcp.view(), &mut x).unwrap();
        assert_eq!(report.status, LcpStatus::Converged);
        let mut w = vec![0.0; n];
        cone.lcp.operator.view().apply(&x, &mut [], &mut w);
        for (i, w) in w.iter_mut().enumerate() {
            *w += cone.lcp.b[i];
            assert!(*w > -1e-9 && x[i] > -1e-12 && (*w * x[i]).abs() < 1e-9, "{directions} {i}");
        }
        // The last row of a contact: mu f - e beta >= 0, complementary to lambda.
        for k in 0..3 {
            let (normal, lambda) = (x[directions * 3 + k], x[(directions + 1) * 3 + k]);
            let sum: f64 = x[directions * k..directions * (k + 1)].iter().sum();
            assert!((w[(directions + 1) * 3 + k] - (0.4 * normal - sum)).abs() < 1e-12 && lambda > -1e-12);
        }
    }
}
