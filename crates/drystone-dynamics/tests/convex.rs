//! The convex problem against known answers: Coulomb's law if forces are hardly regularised, and unique forces.

use drystone_dynamics::{ConvexParameters, FrictionModel, RowParameters, VelocityLevel};
use drystone_lcp::ProjectedGaussSeidel;
use drystone_math::{Real, Twist, Vec3};
use drystone_testkit::Random;
use drystone_testkit::problem::{Group, block_on_floor};

const H: Real = 0.01;

fn convex(impedance: Real, sliding_iterations: usize) -> VelocityLevel {
    let parameters = ConvexParameters {
        impedance,
        impedance_deep: impedance,
        sliding_iterations,
        tolerance: 0.0,
        ..ConvexParameters::default()
    };
    VelocityLevel::convex(parameters, true, Box::new(ProjectedGaussSeidel::default()))
}

fn cone() -> VelocityLevel {
    let parameters = RowParameters { friction: FrictionModel::Cone, ..RowParameters::default() };
    VelocityLevel::cone(parameters, (20_000, 1e-12), None, Box::new(ProjectedGaussSeidel::default()))
}

/// The largest difference between the velocities of two answers.
fn apart(a: &Group, b: &Group) -> Real {
    let pairs = a.answer.velocity.iter().zip(&b.answer.velocity);
    pairs.fold(0.0, |m: Real, (u, v)| m.max((u.linear - v.linear).length()).max((u.angular - v.angular).length()))
}

/// Bodies that touch the floor with one corner while they slide, tip and spin, and blocks that slide on four corners.
fn problems() -> Vec<Group> {
    let mut random = Random::new(17);
    (0..20)
        .flat_map(|_| {
            let mut corner = block_on_floor(random.range(0.5, 20.0), H);
            corner.contacts.truncate(1);
            corner.bodies[1].velocity = Twist::new(random.vector(1.0), random.vector(1.0));
            let mut block = block_on_floor(random.range(0.5, 20.0), H);
            block.bodies[1].velocity.linear = Vec3::new(random.range(-1.0, 1.0), 0.0, random.range(-1.0, 1.0));
            for c in corner.contacts.iter_mut().chain(&mut block.contacts) {
                c.friction = 0.3;
            }
            [Group::from(corner), Group::from(block)]
        })
        .collect()
}

#[test]
fn comes_to_coulombs_law_as_the_impedance_comes_to_one() {
    let (mut differences, mut associated) = ([0.0; 2], 0.0);
    for before in problems() {
        let mut exact = before.clone();
        exact.solve(&mut cone(), H, H);
        for (d, softness) in differences.iter_mut().zip([1e-3, 1e-5]) {
            let mut soft = before.clone();
            soft.solve(&mut convex(1.0 - softness, 200), H, H);
            *d = Real::max(*d, apart(&soft, &exact));
        }
        let mut plain = before.clone();
        plain.solve(&mut convex(1.0 - 1e-5, 0), H, H);
        associated = Real::max(associated, apart(&plain, &exact));
    }
    println!("{differences:?}, without the iteration {associated}");
    assert!(differences[0] < 0.02 && differences[1] < 0.1 * differences[0], "{differences:?}");
    // the control: without the iteration the convex problem is another law for sliding bodies
    assert!(associated > 0.1, "{associated}");
}

#[test]
fn loads_are_shared_alike_by_contacts_that_are_alike() {
    // the same four corners twice: infinitely many sets of forces hold the block, and one of them is the least
    let mut problem = block_on_floor(8.0, H);
    let again = problem.contacts.clone();
    problem.contacts.extend(again);
    let mut block = Group::from(problem);
    block.solve(&mut convex(0.9999, 4), H, H);
    for c in &block.answer.contacts {
        assert!((c.normal - 9.81 * H).abs() < 1e-4 * 9.81 * H, "{c:?}");
        assert!((c.normal - block.answer.contacts[0].normal).abs() < 1e-12, "{c:?}");
    }
}

#[test]
fn a_sliding_block_opens_by_mu_times_its_speed_unless_that_is_taken_out() {
    let after = |sliding_iterations| {
        let mut block = block_on_floor(2.0, H);
        block.bodies[1].velocity.linear = Vec3::X * 3.0;
        block.bodies[1].inverse_inertia = drystone_math::SymmetricMat3::ZERO;
        let mut block = Group::from(block);
        block.solve(&mut convex(1.0 - 1e-7, sliding_iterations), H, H);
        block.answer.velocity[1].linear
    };
    // Coulomb: 3 - mu g h along the floor, nothing upwards
    let found = after(50);
    assert!((found - Vec3::X * (3.0 - 0.5 * 9.81 * H)).length() < 1e-3 * 9.81 * H, "{found}");
    // the convex problem: an impulse P with up = P - g h, along = 3 - mu P and up = mu along
    let impulse = (9.81 * H + 0.5 * 3.0) / 1.25;
    let expected = Vec3::new(3.0 - 0.5 * impulse, impulse - 9.81 * H, 0.0);
    let found = after(0);
    assert!((found - expected).length() < 1e-5, "{found}, expected {expected}");
}
