//! Friction by discs: the same at any heading with any solver, and equal to the cone; joints are left to the chosen solver.

use drystone_dynamics::{FrictionModel, RowParameters, VelocityLevel};
use drystone_lcp::{LcpSolver, solver_by_name};
use drystone_math::{Real, Twist, Vec3};
use drystone_testkit::Random;
use drystone_testkit::problem::{Group, block_on_floor, jointed_pair};

const H: Real = 0.01;

fn solver(model: FrictionModel, name: &str, iterations: usize) -> VelocityLevel {
    let parameters = RowParameters { friction: model, ..RowParameters::default() };
    let mut lcp: Box<dyn LcpSolver> = solver_by_name(name).unwrap();
    lcp.set("iterations", iterations as f64).unwrap();
    match model {
        FrictionModel::Cone => VelocityLevel::cone(parameters, (5000, 1e-9), None, lcp),
        _ => VelocityLevel::boxed(parameters, lcp, None),
    }
}

/// A block thrown across the floor at this heading.
fn thrown(heading: Real) -> Group {
    let mut p = Group::from(block_on_floor(2.0, H));
    p.bodies[1].velocity.linear += Vec3::new(heading.cos(), 0.0, heading.sin()) * 2.0;
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
            let report = p.solve(&mut solver(FrictionModel::Disc, name, iterations), H, H);
            let v = p.answer.velocity[1].linear;
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
            // three points: four could share their load in more than one way
            start.contacts.truncate(3);
            for (c, (x, z)) in start.problem.contacts.iter_mut().zip([(0.5, 0.0), (-0.3, 0.5), (-0.3, -0.5)]) {
                c.position = Vec3::new(x, c.position.y, z);
            }
            let (mut disc, mut cone) = (start.clone(), start);
            disc.solve(&mut solver(FrictionModel::Disc, "projected-gauss-seidel", 5000), H, H);
            cone.solve(&mut solver(FrictionModel::Cone, "projected-gauss-seidel", 5000), H, H);
            let off: Twist = disc.answer.velocity[1] - cone.answer.velocity[1];
            assert!(off.linear.length() + off.angular.length() < 1e-6, "{heading} {spin}: {off:?}");
        }
    }
}

#[test]
fn joints_are_left_to_the_chosen_solver() {
    // two sweeps do not solve these rows, an exact solver does, whatever the friction model of the contacts
    let mut random = Random::new(9);
    for _ in 0..10 {
        let start = Group::from(jointed_pair(&mut random));
        let solved = |model, name: &str, iterations| {
            let mut p = start.clone();
            p.solve(&mut solver(model, name, iterations), H, H);
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
        p.solve(&mut solver(model, "projected-gauss-seidel", 300), H, H);
        let lost = 2.0 - p.answer.velocity[1].linear.length();
        assert!((lost / (mu * 9.81 * H) - 1.0).abs() < 1e-6, "{model:?}: {lost}");
    }
}
