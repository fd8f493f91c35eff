//! Small group problems with known answers, and the mechanics to judge what a solver made of them.

use crate::Random;
use drystone_core::{
    BodyIndex, ConstraintRow, ContactImpulse, GroupBody, GroupContact, GroupProblem, GroupRow, RowLimits, Softness,
};
use drystone_math::{Pose, Real, SymmetricMat3, Twist, Vec3};

/// A body of the given mass (kg) with the inertia of a unit cube, or an immovable one of mass zero, at rest.
pub fn cube(index: u32, mass: Real, position: Vec3) -> GroupBody {
    let (inverse_mass, inverse_inertia) = if mass > 0.0 {
        let i = 6.0 / mass;
        (1.0 / mass, SymmetricMat3 { diagonal: Vec3::splat(i), ..SymmetricMat3::ZERO })
    } else {
        (0.0, SymmetricMat3::ZERO)
    };
    GroupBody {
        index: BodyIndex(index),
        inverse_mass,
        inverse_inertia,
        pose: Pose::from_position(position),
        velocity: Twist::ZERO,
        external: Twist::ZERO,
        solved: Twist::ZERO,
        shift: Twist::ZERO,
        turn: drystone_core::Turn::default(),
    }
}

/// A contact point between two local bodies, without history.
pub fn contact(bodies: [u32; 2], position: Vec3, normal: Vec3, edge: u32, point: u32) -> GroupContact {
    GroupContact {
        bodies,
        position,
        normal,
        separation: 0.0,
        friction: 0.5,
        restitution: 0.0,
        impulse: ContactImpulse::ZERO,
        edge,
        point,
        surface: GroupContact::PLAIN,
    }
}

/// Sets `solved` as the gather does, and clears `shift`.
pub fn gather(problem: &mut GroupProblem) {
    for b in &mut problem.bodies {
        b.solved = b.velocity + b.external;
        b.shift = Twist::ZERO;
        b.turn = drystone_core::Turn::default();
    }
}

/// A block of `mass` (kg) at rest on an immovable floor, four contacts at its corners, pulled by gravity for `h` (s).
pub fn block_on_floor(mass: Real, h: Real) -> GroupProblem {
    let mut p = GroupProblem { gravity: 9.81, up: Vec3::Y, ..GroupProblem::default() };
    p.bodies = vec![cube(0, 0.0, Vec3::NEG_Y), cube(1, mass, Vec3::Y * 0.5)];
    p.bodies[1].external.linear = Vec3::NEG_Y * (9.81 * h);
    for (k, (x, z)) in [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)].into_iter().enumerate() {
        p.contacts.push(contact([0, 1], Vec3::new(x, 0.0, z), Vec3::Y, 0, k as u32));
    }
    gather(&mut p);
    p
}

/// Two cubes in space that meet face to face, moving and turning at random.
pub fn floating_pair(random: &mut Random) -> GroupProblem {
    let mut p = GroupProblem { gravity: 9.81, ..GroupProblem::default() };
    for (i, x) in [-0.5, 0.5].into_iter().enumerate() {
        let mut body = cube(i as u32, random.range(0.5, 20.0), Vec3::X * x);
        body.velocity = Twist::new(Vec3::X * (-2.0 * x) + random.vector(0.5), random.vector(0.5));
        p.bodies.push(body);
    }
    for (k, (y, z)) in [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)].into_iter().enumerate() {
        let mut c = contact([0, 1], Vec3::new(0.0, y, z), Vec3::X, 0, k as u32);
        c.restitution = 0.5;
        p.contacts.push(c);
    }
    gather(&mut p);
    p
}

/// Two floating cubes held together at the point between them: three rows of a ball joint.
pub fn jointed_pair(random: &mut Random) -> GroupProblem {
    let mut p = floating_pair(random);
    p.contacts.clear();
    for (k, axis) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().enumerate() {
        let arm = |i: usize| -p.bodies[i].pose.position;
        let jacobian = [Twist::new(-axis, -arm(0).cross(axis)), Twist::new(axis, arm(1).cross(axis))];
        let row = ConstraintRow {
            jacobian,
            target: 0.0,
            error: 0.0,
            curvature: 0.0,
            limits: RowLimits::BILATERAL,
            softness: Softness::RIGID,
            restitution: 0.0,
            correctable: true,
        };
        p.rows.push(GroupRow { bodies: [0, 1], row, impulse: 0.0, joint: 0, place: k as u32 });
    }
    p
}

/// Velocity of B against A at a contact after the solve (m/s), world frame.
pub fn relative_velocity(problem: &GroupProblem, contact: &GroupContact) -> Vec3 {
    let at = |i: u32| {
        let b = &problem.bodies[i as usize];
        b.solved.linear + b.solved.angular.cross(contact.position - b.pose.position)
    };
    at(contact.bodies[1]) - at(contact.bodies[0])
}

/// Linear and angular momentum about the origin (N s, N m s) of the movable bodies, whose inertia must be isotropic, at the
/// given velocities.
pub fn momentum(problem: &GroupProblem, velocity: impl Fn(&GroupBody) -> Twist) -> (Vec3, Vec3) {
    let (mut linear, mut angular) = (Vec3::ZERO, Vec3::ZERO);
    for b in problem.bodies.iter().filter(|b| b.inverse_mass > 0.0) {
        let v = velocity(b);
        let p = v.linear / b.inverse_mass;
        linear += p;
        angular += b.pose.position.cross(p) + v.angular / b.inverse_inertia.diagonal.x;
    }
    (linear, angular)
}

/// Kinetic energy (J) of the movable bodies at the given velocities.
pub fn energy(problem: &GroupProblem, velocity: impl Fn(&GroupBody) -> Twist) -> Real {
    let movable = problem.bodies.iter().filter(|b| b.inverse_mass > 0.0);
    movable.fold(0.0, |sum, b| {
        let v = velocity(b);
        let turning = v.angular.length_squared() / b.inverse_inertia.diagonal.x;
        sum + 0.5 * (v.linear.length_squared() / b.inverse_mass + turning)
    })
}
