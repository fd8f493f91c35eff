//! Sweeps start from what a patch bore in the last step, limited to what friction bears now, in the same way for any direction.

use drystone_core::ContactImpulse;
use drystone_dynamics::{ContactSweeps, SweepParameters};
use drystone_lcp::ProjectedGaussSeidel;
use drystone_math::elementary::rotation_by;
use drystone_math::{Real, Twist, Vec3};
use drystone_testkit::problem::{Group, block_on_floor, contact, cube};

const H: Real = 0.01;

/// Two cubes on each other and on a fixed one, sliding: their velocities after one sweep
/// that starts from `times` the friction that can be borne now.
fn after_one_sweep(times: Real, angle: Real) -> Vec<Twist> {
    let mut p = block_on_floor(2.0, H);
    let push = rotation_by(Vec3::Y * angle) * Vec3::Z;
    let mut upper = cube(2, 1.0, p.bodies[1].pose.position + Vec3::Y);
    upper.external.linear = p.bodies[1].external.linear;
    upper.velocity.linear = Vec3::new(0.1, 0.0, 0.2);
    p.bodies.push(upper);
    for point in 0..4 {
        let lower = p.contacts[point];
        p.contacts.push(contact([1, 2], lower.position + Vec3::Y, Vec3::Y, 1, point as u32));
    }
    for (k, c) in p.contacts.iter_mut().enumerate() {
        let normal = if k < 4 { 3.0 } else { 1.0 } * 9.81 * H / 4.0;
        c.friction = 0.3;
        c.impulse = ContactImpulse { normal, friction: push * (times * 0.3 * normal) };
    }
    let parameters = SweepParameters { sweeps: 1, moving_sweeps: 1, ..SweepParameters::default() };
    let mut solver = ContactSweeps::new(parameters, Box::new(ProjectedGaussSeidel::with_iterations(1)));
    let mut group = Group::from(p);
    group.solve(&mut solver, H, H);
    group.answer.velocity.clone()
}

/// A start beyond the limit of a patch's friction is cut to the limit, in the same direction:
/// how far beyond does not matter. A smaller one is used as it is.
#[test]
fn what_friction_does_not_bear_any_more_starts_at_its_limit() {
    let differ = |a: &[Twist], b: &[Twist]| {
        a.iter().zip(b).map(|(a, b)| (a.linear - b.linear).length() + (a.angular - b.angular).length()).sum::<Real>()
    };
    for angle in [0.0, 0.4, 0.785, 1.57, 2.5, 3.2, 4.8] {
        let limit = after_one_sweep(1.0, angle);
        for times in [1.5, 4.0, 40.0] {
            let off = differ(&after_one_sweep(times, angle), &limit);
            assert!(off < 1e-11, "{times} times the limit at {angle} rad: {off:e}");
        }
        assert!(differ(&after_one_sweep(0.5, angle), &limit) > 1e-4, "one sweep does not forget where it began");
    }
}
