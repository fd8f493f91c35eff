//! Augmented vertex block descent keeps the contract of a constraint solver, conserves momentum except for what its
//! iterations leave, and holds a load better with multipliers and growing stiffness than without.

use drystone_core::{ConstraintSolver, GroupProblem};
use drystone_dynamics::{Avbd, AvbdParameters};
use drystone_testkit::problem::{Group, block_on_floor, contact, cube};
use drystone_testkit::{ConstraintExpectations, check_constraint_solver};

fn check(parameters: &AvbdParameters) {
    let make = || -> Box<dyn ConstraintSolver> { Box::new(Avbd::new(parameters.clone())) };
    let expect = ConstraintExpectations { speed: 0.05, momentum: 1e-3, angular_momentum: 0.02, ..Default::default() };
    check_constraint_solver(&mut { make }, expect);
}

fn many() -> AvbdParameters {
    AvbdParameters { iterations: 60, ..AvbdParameters::default() }
}

#[test]
fn avbd_keeps_the_contract() {
    check(&many());
    check(&AvbdParameters { post_stabilization: true, ..many() });
    check(&AvbdParameters { warm_start: false, ..many() });
}

#[test]
fn two_sweeps_without_multipliers_do_not() {
    let lax = AvbdParameters { iterations: 1, dual_update: false, ..many() };
    assert!(std::panic::catch_unwind(|| check(&lax)).is_err());
}

/// A heavy cube on one of 1 kg, `ratio` times as heavy: how far it has sunk after 200 steps (m).
fn sinks(parameters: &AvbdParameters, ratio: f64) -> f64 {
    let h = 1.0 / 60.0;
    let mut p = GroupProblem { gravity: 9.81, ..GroupProblem::default() };
    p.bodies = (0..3).map(|i| cube(i, [0.0, 1.0, ratio][i as usize], [0.0, f64::from(i) - 0.5, 0.0].into())).collect();
    for b in &mut p.bodies[1..] {
        b.external.linear.y = -9.81 * h;
    }
    for (edge, place) in [(0, 0.0), (1, 1.0)] {
        for (point, [x, z]) in [[-0.5, -0.5], [0.5, -0.5], [-0.5, 0.5], [0.5, 0.5]].into_iter().enumerate() {
            p.contacts.push(contact(
                [edge, edge + 1],
                [x, place, z].into(),
                drystone_math::Vec3::Y,
                edge,
                point as u32,
            ));
        }
    }
    let mut solver = Avbd::new(parameters.clone());
    let mut group = Group::from(p);
    for _ in 0..200 {
        group.solve(&mut solver, h, h);
        group.displace();
        group.go_on();
    }
    1.5 - group.bodies[2].pose.position.y
}

#[test]
fn a_load_of_fifty_thousand_times_the_mass_is_held() {
    let held = sinks(&many(), 50_000.0);
    assert!(held.abs() < 1e-4, "sinks by {held} m");
    for (what, without) in [
        ("multipliers", AvbdParameters { dual_update: false, ..many() }),
        ("growing stiffness", AvbdParameters { stiffness_growth: 0.0, ..many() }),
    ] {
        let sunk = sinks(&without, 50_000.0);
        assert!(sunk > 5e-3, "without {what} it sinks by {sunk} m, with it by {held} m");
    }
}

#[test]
fn stiffness_is_kept_with_the_multipliers() {
    let mut group = Group::from(block_on_floor(10.0, 0.01));
    group.solve(&mut Avbd::new(AvbdParameters::default()), 0.01, 0.01);
    assert_eq!(group.answer.contact_stiffness.len(), group.problem.contacts.len());
    let mut next = group.problem.clone();
    next.start_from(&group.answer);
    assert_eq!(next.contact_stiffness, group.answer.contact_stiffness);
    let (mut cold, mut warm) = (Group::from(group.problem.clone()), Group::from(next));
    let mut solver = Avbd::new(AvbdParameters { iterations: 1, ..AvbdParameters::default() });
    for g in [&mut cold, &mut warm] {
        g.solve(&mut solver, 0.01, 0.01);
    }
    let speed = |g: &Group| g.answer.velocity[1].linear.length();
    assert!(speed(&warm) < 0.2 * speed(&cold), "warm {} cold {}", speed(&warm), speed(&cold));
}
