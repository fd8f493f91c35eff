//! Friction does not depend on the tangents in which it was found: a stack at rest stays at rest when its normals change by rounding.

use drystone_core::{ContactImpulse, GroupProblem};
use drystone_dynamics::{RowParameters, VelocityLevel};
use drystone_lcp::{LcpSolver, ProjectedGaussSeidel};
use drystone_math::{Quat, Real, Twist, Vec3};
use drystone_testkit::Random;
use drystone_testkit::problem::{Group, contact, cube};

const H: Real = 1.0 / 60.0;
const STOREYS: u32 = 5;

/// A stack of unit cubes along z, each rotated and shifted by 1 to 4 cm, on a floor that slopes
/// by 6 degrees towards x, with normals that differ from z by rounding.
fn stack(random: &mut Random) -> Group {
    let mut p = GroupProblem { gravity: 9.81, ..GroupProblem::default() };
    p.bodies.push(cube(0, 0.0, Vec3::ZERO));
    for i in 1..=STOREYS {
        let heading = random.range(0.0, core::f64::consts::TAU);
        let aside = Vec3::new(heading.cos(), heading.sin(), 0.0) * random.range(0.01, 0.04);
        let mut body = cube(i, 10.0, Vec3::Z * (Real::from(i) - 0.5) + aside);
        body.external.linear = Vec3::new(0.1, 0.0, -1.0) * (9.81 * H);
        p.bodies.push(body);
        let turn = Quat::from_rotation_z(random.range(0.0, 0.8));
        for (k, corner) in [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)].into_iter().enumerate() {
            let place = aside + turn * Vec3::new(0.4 * corner.0, 0.4 * corner.1, 0.0);
            p.contacts.push(contact([i - 1, i], place + Vec3::Z * Real::from(i - 1), Vec3::Z, i, k as u32));
        }
    }
    let mut p = Group::from(p);
    shake(&mut p, random);
    p
}

fn shake(p: &mut Group, random: &mut Random) {
    for c in &mut p.contacts {
        c.normal = Vec3::Z + random.vector(1e-17);
    }
}

/// The speed of the fastest body. Afterwards the problem holds the multipliers of the answer.
fn solved(p: &mut Group, sweeps: usize, fused: bool) -> Real {
    let parameters = RowParameters { warm_start: true, ..RowParameters::default() };
    let solver = Box::new(ProjectedGaussSeidel::with_iterations(sweeps));
    let plain_sweeps = solver.plain_sweeps().filter(|_| fused);
    p.solve(&mut VelocityLevel::boxed(parameters, solver, plain_sweeps), H, H);
    p.problem.start_from(&p.answer);
    let speed = |t: Twist| t.linear.length() + t.angular.length();
    p.answer.velocity.iter().map(|u| speed(*u)).fold(0.0, Real::max)
}

/// The former basis: its first tangent is square to the axis with which the normal is least aligned.
fn least_aligned_basis(n: Vec3) -> [Vec3; 2] {
    let a = n.abs();
    let axis = if a.x <= a.y && a.x <= a.z {
        Vec3::X
    } else if a.y <= a.z {
        Vec3::Y
    } else {
        Vec3::Z
    };
    let t1 = axis.cross(n).normalize();
    [t1, n.cross(t1)]
}

#[test]
fn a_stack_at_rest_is_not_stirred_by_rounding() {
    let mut random = Random::new(23);
    for round in 0..10 {
        for fused in [false, true] {
            let mut p = stack(&mut random);
            let rest = solved(&mut p, 20_000, fused);
            assert!(rest < 1e-9, "round {round}: the stack does not rest, {rest} m/s");
            let friction: Real = p.contacts.iter().map(|c| c.impulse.friction.length()).sum();
            assert!(friction > 1.0, "without friction nothing is shown: {friction} N s");

            let mut shaken = p.clone();
            shake(&mut shaken, &mut random);
            let speed = solved(&mut shaken, 1, fused);
            assert!(speed < 1e-9, "round {round}, fused {fused}: one sweep from the answer moves it at {speed} m/s");

            // the control: multipliers along tangents that turn with the last bit of a normal
            for (was, c) in p.contacts.iter().zip(&mut shaken.problem.contacts) {
                let [first, second] = was.impulse.along(least_aligned_basis(was.normal));
                c.impulse =
                    ContactImpulse::of_multipliers([was.impulse.normal, first, second], least_aligned_basis(c.normal));
            }
            let stirred = solved(&mut shaken, 1, fused);
            assert!(stirred > 1e-3, "round {round}: the old rule moves it at {stirred} m/s only");
        }
    }
}
