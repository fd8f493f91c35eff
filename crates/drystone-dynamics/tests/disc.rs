//! Friction by discs: alike at any heading whoever solves it, equal to the cone, and joints are left to the chosen solver.

use drystone_core::{ConstraintSolver, GroupProblem};
use drystone_dynamics::{FrictionModel, VelocityComplementarity, VelocityParameters};
use drystone_lcp::{LcpSolver, solver_by_name};
use drystone_math::{Real, Twist, Vec3};
use drystone_testkit::Random;
use drystone_testkit::problem::{block_on_floor, gather, jointed_pair};

const H: Real = 0.01;

fn solver(model: FrictionModel, name: &str, iterations: usize) -> VelocityComplementarity {
    let parameters = VelocityParameters { friction: model, cone_iterations: 5000, ..VelocityParameters::default() };
    let mut lcp: Box<dyn LcpSolver> = solver_by_name(name).unwrap();
    lcp.set("iterations", iterations as f64).unwrap();
    VelocityComplementarity::new(parameters, lcp)
}

/// A block thrown over the floor at a heading.
fn thrown(heading: Real) -> GroupProblem {
    let mut p = block_on_floor(2.0, H);
    p.bodies[1].velocity.linear += Vec3::new(heading.cos(), 0.0, heading.sin()) * 2.0;
    gather(&mut p);
    p
}

#[test]
fn a_thrown_block_is_braked_alike_at_any_heading() {
    for (name, iterations) in [
        ("projected-gauss-seidel", 300),
        ("blocked-gauss-seidel", 300),
        ("sparse-principal-pivoting", 100),
        ("dantzig", 100),
    ] {
        for k in 0..8 {
            let heading = Real::from(k) * 0.7 + 0.1;
            let mut p = thrown(heading);
            let mu = p.contacts[0].friction;
            let report = solver(FrictionModel::Disc, name, iterations).solve(&mut p, H, H);
            let v = p.bodies[1].solved.linear;
            let exact = Vec3::new(heading.cos(), 0.0, heading.sin()) * (2.0 - mu * 9.81 * H);
            assert!((v - exact).length() < 1e-7, "{name}, {heading}: {v} against {exact}");
            assert_eq!(report.fallbacks, 0, "{name}");
            assert!(report.lcp.residual_max < 1e-7, "{name}: {}", report.lcp.residual_max);
        }
    }
}

#[test]
fn it_ends_where_the_cone_does() {
    for heading in [0.1, 0.8, 2.3] {
        for spin in [0.0, 3.0] {
            let mut start = thrown(heading);
            start.bodies[1].velocity.angular.y = spin;
            // three points: four would share their load in more than one way
            start.contacts.truncate(3);
            for (c, (x, z)) in start.contacts.iter_mut().zip([(0.5, 0.0), (-0.3, 0.5), (-0.3, -0.5)]) {
                c.position = Vec3::new(x, c.position.y, z);
            }
            gather(&mut start);
            let (mut disc, mut cone) = (start.clone(), start);
            solver(FrictionModel::Disc, "projected-gauss-seidel", 5000).solve(&mut disc, H, H);
            solver(FrictionModel::Cone, "projected-gauss-seidel", 5000).solve(&mut cone, H, H);
            let off: Twist = disc.bodies[1].solved - cone.bodies[1].solved;
            assert!(off.linear.length() + off.angular.length() < 1e-6, "{heading} {spin}: {off:?}");
        }
    }
}

#[test]
fn joints_are_left_to_the_chosen_solver() {
    // two sweeps do not solve these rows, an exact solver does: whatever the friction of contacts
    let mut random = Random::new(9);
    for _ in 0..10 {
        let start = jointed_pair(&mut random);
        let solved = |model, name: &str, iterations| {
            let mut p = start.clone();
            solver(model, name, iterations).solve(&mut p, H, H);
            p
        };
        for (name, iterations) in [("sparse-principal-pivoting", 100), ("projected-gauss-seidel", 2)] {
            let box_ = solved(FrictionModel::ScaledBox, name, iterations);
            for model in [FrictionModel::Cone, FrictionModel::Disc] {
                assert_eq!(solved(model, name, iterations), box_, "{model:?} {name}");
            }
        }
    }
}

#[test]
fn tangents_of_boxes_follow_the_slip() {
    for model in [FrictionModel::ScaledBox, FrictionModel::Disc] {
        let heading = 0.785;
        let mut p = thrown(heading);
        let mu = p.contacts[0].friction;
        solver(model, "projected-gauss-seidel", 300).solve(&mut p, H, H);
        let lost = 2.0 - p.bodies[1].solved.linear.length();
        assert!((lost / (mu * 9.81 * H) - 1.0).abs() < 1e-6, "{model:?}: {lost}");
    }
}
