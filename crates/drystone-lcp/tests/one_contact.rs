//! Problems of a single contact, whose friction at its bound changes the normal velocity by more than the normal impulse does.

use drystone_lcp::{
    BoxedProblem, DenseOperator, DiscPasses, LcpSolver, LcpStatus, Measure, NO_DEPENDENCY, ProblemKind,
    ProjectedGaussSeidel, ResidualWorkspace, SOLVERS, SplitMix64, natural_residual, solver_by_name,
};

/// Rows n, t1, t2 of a rod of 1 m and `mass` kg that touches a floor with its tip, leans by `lean` (rad) along the direction `heading` (rad), and comes with a velocity of
/// its tip. Inertia across the rod: m / 12.
fn rod(lean: f64, heading: f64, mass: f64, friction: f64, velocity: [f64; 3]) -> (BoxedProblem, f64) {
    // from the centre to the tip
    let arm = [-0.5 * lean.cos(), 0.5 * lean.sin() * heading.cos(), 0.5 * lean.sin() * heading.sin()];
    let square: f64 = arm.iter().map(|r| r * r).sum();
    let mut a = DenseOperator::zeros(3);
    for i in 0..3 {
        for j in 0..3 {
            let unit = f64::from(u8::from(i == j));
            a.set(i, j, (unit + 12.0 * (square * unit - arm[i] * arm[j])) / mass);
        }
    }
    let slope = friction * a.get(0, 1).hypot(a.get(0, 2)) / a.get(0, 0);
    let mut problem = BoxedProblem::boxed(
        a,
        velocity.to_vec(),
        vec![0.0, f64::NEG_INFINITY, f64::NEG_INFINITY],
        vec![f64::INFINITY; 3],
    );
    problem.dependency = vec![NO_DEPENDENCY, 0, 0];
    problem.mu = vec![0.0, friction, friction];
    problem.partner = vec![drystone_lcp::NO_PARTNER, 2, 1];
    (problem, slope)
}

/// A rod that slides towards the side to which it leans: friction lifts it, and there is one answer.
fn sliding_rod(random: &mut SplitMix64) -> (BoxedProblem, f64) {
    let (lean, heading) = (random.range(0.2, 1.1), random.range(0.0, 6.28));
    // the tip lies behind the centre along the heading of the arm: it slides against it
    let speed = -random.range(3.0, 8.0);
    let velocity = [-random.range(0.1, 2.0), speed * heading.cos(), speed * heading.sin()];
    rod(lean, heading, random.range(0.1, 10.0), random.range(0.5, 3.0), velocity)
}

/// The largest residual of some random rods after this many sweeps, in units of the largest multiplier, and how many have a slope of one or more.
fn worst(sweeps: usize) -> (f64, usize) {
    let mut random = SplitMix64::new(12);
    let (mut worst, mut steep) = (0.0_f64, 0);
    for _ in 0..200 {
        let (problem, slope) = sliding_rod(&mut random);
        let mut x = vec![0.0; 3];
        let mut solver = ProjectedGaussSeidel { iterations: sweeps, measure: Measure::AtEnd, ..Default::default() };
        let report = solver.solve(&problem.view(), &mut x).unwrap();
        worst = worst.max(report.residual.unwrap());
        steep += usize::from(slope >= 1.0);
    }
    (worst, steep)
}

#[test]
fn sweeps_leave_the_cycle_of_a_rod_that_slides_on_its_tip() {
    for (sweeps, most) in [(10, 5e-3), (11, 5e-3), (20, 1e-5), (21, 1e-5), (50, 1e-10)] {
        let (worst, steep) = worst(sweeps);
        assert!(worst <= most, "{sweeps} sweeps leave {worst}");
        assert!(steep > 100, "{steep} of 200 rods are of the kind that this is about");
    }
}

/// Solvers that take A and the bounds for those of a convex problem, and need not converge where friction couples normals. Symmetric sweeps visit the normal twice with
/// the same friction, which undoes what damps the cycle.
const CONVEX: [&str; 6] = [
    "projected-sor",
    "symmetric-gauss-seidel",
    "projected-jacobi",
    "nonsmooth-conjugate-gradient",
    "mprgp",
    "projected-gradient",
];

#[test]
fn every_other_solver_solves_a_contact() {
    for info in SOLVERS.iter().filter(|s| s.kinds.contains(&ProblemKind::Boxed) && !CONVEX.contains(&s.name)) {
        let mut random = SplitMix64::new(12);
        for k in 0..200 {
            let (problem, _) = sliding_rod(&mut random);
            let mut solver = solver_by_name(info.name).unwrap();
            if info.parameters.iter().any(|p| p.name == "iterations") {
                solver.set("iterations", 1000.0).unwrap();
            }
            let mut x = vec![0.0; 3];
            DiscPasses::default().solve(&mut *solver, &problem.view(), &mut x).unwrap();
            let residual = natural_residual(&problem.view(), &x, &mut ResidualWorkspace::default());
            assert!(residual <= 1e-9, "{}: rod {k}: {residual:e}", info.name);
        }
    }
}

/// A problem without a solution: w of one row is negative whatever x is, or two rows contradict each other.
fn hopeless(random: &mut SplitMix64) -> BoxedProblem {
    let n = 2 + random.below(6);
    let mut a = DenseOperator::zeros(n);
    let mut b: Vec<f64> = (0..n).map(|_| random.range(-1.0, 1.0)).collect();
    for i in 0..n {
        for j in 0..n {
            a.set(i, j, random.range(-1.0, 1.0));
        }
    }
    let row = random.below(n);
    b[row] = -random.range(0.1, 1.0);
    let sign = random.below(3);
    for j in 0..n {
        // nothing, nothing but pulls, or the opposite of another row
        let other = a.get((row + 1) % n, j);
        a.set(
            row,
            j,
            match sign {
                0 => 0.0,
                1 => -a.get(row, j).abs(),
                _ => -other,
            },
        );
    }
    if sign == 2 {
        b[(row + 1) % n] = -random.range(0.1, 1.0);
    }
    BoxedProblem::lcp(a, b)
}

#[test]
fn nobody_claims_a_problem_without_a_solution() {
    let mut far = 0;
    for info in SOLVERS.iter().filter(|s| s.kinds.contains(&ProblemKind::Lcp)) {
        let mut random = SplitMix64::new(78);
        for k in 0..300 {
            let problem = hopeless(&mut random);
            let mut x = vec![0.0; problem.b.len()];
            let mut solver = solver_by_name(info.name).unwrap();
            if let Ok(report) = solver.solve(&problem.view(), &mut x) {
                assert_ne!(report.status, LcpStatus::Converged, "{}: problem {k}: {x:?}", info.name);
                far += usize::from(x.iter().any(|x| x.abs() > 1e12));
            }
        }
    }
    // the control: some do follow x to where w is rounding
    assert!(far > 5, "{far}");
}
