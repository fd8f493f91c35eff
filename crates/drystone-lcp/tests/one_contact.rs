//! Problems of a single contact, whose friction at its bound changes the normal velocity by more than the normal impulse does.

use drystone_lcp::{
    BoxedProblem, DenseOperator, DiscPasses, LcpSolver, Measure, NO_DEPENDENCY, ProblemKind, ProjectedGaussSeidel,
    ResidualWorkspace, SOLVERS, SplitMix64, natural_residual, solver_by_name,
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
    let (lean, heading) = (random.range(0.2, 1.1), random.range(0.0, std::f64::consts::TAU));
    // the tip lies behind the centre along the heading of the arm: it slides against it
    let speed = -random.range(3.0, 8.0);
    let velocity = [-random.range(0.1, 2.0), speed * heading.cos(), speed * heading.sin()];
    rod(lean, heading, random.range(0.1, 10.0), random.range(0.5, 3.0), velocity)
}

/// The largest residual, in units of the largest |b|, after this many sweeps, of those of 200 random rods whose slope is more than `least`.
fn worst(sweeps: usize, least: f64) -> f64 {
    let mut random = SplitMix64::new(12);
    let (mut worst, mut rods) = (0.0_f64, 0);
    for _ in 0..200 {
        let (problem, slope) = sliding_rod(&mut random);
        if slope <= least {
            continue;
        }
        let mut x = vec![0.0; 3];
        let mut solver = ProjectedGaussSeidel { iterations: sweeps, measure: Measure::AtEnd, ..Default::default() };
        let report = solver.solve(&problem.view(), &mut x).unwrap();
        let largest = problem.b.iter().fold(0.0_f64, |m, b| m.max(b.abs()));
        worst = worst.max(report.residual.unwrap() / largest);
        rods += 1;
    }
    assert!(rods > 50, "{rods} of 200 rods are of the kind that this is about");
    worst
}

/// From a slope of one on sweeps alternate for ever, once they have found how the rod slides.
#[test]
fn sweeps_leave_the_cycle_of_a_rod_that_slides_on_its_tip() {
    for sweeps in [100, 101] {
        let worst = worst(sweeps, 1.0);
        assert!(worst <= 1e-11, "{sweeps} sweeps leave {worst}");
    }
}

/// Sweeps alternate where friction takes back most of what the normal impulse gives; those that halve their error by each sweep are left alone.
#[test]
fn sweeps_that_alternate_about_a_sliding_rod_are_left() {
    // an even number and an odd one, since sweeps that alternate end on either side of the answer
    for sweeps in [10, 11, 100, 101] {
        let worst = worst(sweeps, 0.0);
        let halved = 0.5_f64.powi(sweeps as i32 - 1);
        // pivoting goes on from errors of a billionth
        assert!(worst <= halved.max(1e-9), "{sweeps} sweeps leave {worst}");
    }
}

/// Whatever its method, within its usual number of iterations. Dantzig's method holds bounds in rounds, and leaves some.
#[test]
fn every_solver_but_one_comes_near() {
    for info in SOLVERS.iter().filter(|s| s.kinds.contains(&ProblemKind::Boxed) && s.name != "dantzig") {
        let mut random = SplitMix64::new(12);
        for rod in 0..200 {
            let (problem, slope) = sliding_rod(&mut random);
            let mut solver = solver_by_name(info.name).unwrap();
            let mut x = vec![0.0; 3];
            DiscPasses::default().solve(&mut *solver, &problem.view(), &mut x).unwrap();
            let left = natural_residual(&problem.view(), &x, &mut ResidualWorkspace::default());
            // ten sweeps that halve the error each leave a thousandth of a velocity of a few metres per second
            assert!(left <= 0.01, "{} leaves {left:e} of rod {rod}, of slope {slope}", info.name);
        }
    }
}

/// Solvers that end up to 0.7 m/s off with many iterations, and at the error from which pivoting goes on; and the one that holds bounds in rounds.
const LEAVE_SOME: [&str; 3] = ["nonsmooth-conjugate-gradient", "projected-jacobi", "dantzig"];

#[test]
fn every_other_solver_solves_a_contact_to_rounding() {
    for info in SOLVERS.iter().filter(|s| s.kinds.contains(&ProblemKind::Boxed)) {
        let mut random = SplitMix64::new(12);
        let mut worst = 0.0_f64;
        for _ in 0..60 {
            let (problem, _) = sliding_rod(&mut random);
            let mut solver = solver_by_name(info.name).unwrap();
            if info.parameters.iter().any(|p| p.name == "iterations") {
                solver.set("iterations", 2000.0).unwrap();
            }
            let mut x = vec![0.0; 3];
            DiscPasses::default().solve(&mut *solver, &problem.view(), &mut x).unwrap();
            worst = worst.max(natural_residual(&problem.view(), &x, &mut ResidualWorkspace::default()));
        }
        assert_eq!(worst > 1e-9, LEAVE_SOME.contains(&info.name), "{}: {worst:e}", info.name);
    }
}
