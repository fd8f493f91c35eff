//! Small groups from the literature, and the quantities that tests measure.

use drystone_core::catalogue::{Settings, Value};
use drystone_core::{BodyIndex, CollisionSolver, ContactImpulse, GroupBody, GroupContact, GroupProblem, NormalOwner};
use drystone_impact::{IMPLEMENTATIONS, by_name, relative_velocity};
use drystone_math::{Pose, Real, SymmetricMat3, Twist, Vec3};
use drystone_testkit::problem::Group;

/// Rounding errors of some hundred operations on quantities near one.
pub(crate) const ROUNDING: Real = 1e-12;

/// Time until the next solve (s).
pub(crate) const H: Real = 0.01;

pub(crate) fn solver(name: &str, settings: &[(&str, Value)]) -> Box<dyn CollisionSolver> {
    let d = IMPLEMENTATIONS.iter().find(|d| d.name == name).unwrap();
    let mut s = Settings::defaults(d);
    for (key, value) in settings {
        s.set(key, value).unwrap();
    }
    by_name(name, &s).unwrap()
}

pub(crate) fn ball(place: Vec3, mass: Real, velocity: Vec3) -> GroupBody {
    let inverse_mass = if mass > 0.0 { 1.0 / mass } else { 0.0 };
    GroupBody {
        index: BodyIndex(0),
        inverse_mass,
        inverse_inertia: SymmetricMat3::from_diagonal(Vec3::splat(10.0 * inverse_mass)),
        pose: Pose::from_position(place),
        velocity: Twist::new(velocity, Vec3::ZERO),
        external: Twist::ZERO,
    }
}

pub(crate) fn contact(
    bodies: [u32; 2],
    position: Vec3,
    normal: Vec3,
    restitution: Real,
    friction: Real,
) -> GroupContact {
    let impulse = ContactImpulse::ZERO;
    GroupContact {
        bodies,
        position,
        normal,
        owner: NormalOwner::A,
        separation: 0.0,
        friction,
        restitution,
        impulse,
        edge: 0,
        point: 0,
        surface: GroupContact::PLAIN,
    }
}

/// Balls of radius 1/2 in a row along x, each touching the next one.
pub(crate) fn row_of_balls(velocities: &[Real], restitution: Real) -> Group {
    let mut p = GroupProblem { gravity: 0.0, ..GroupProblem::default() };
    for (i, v) in velocities.iter().enumerate() {
        p.bodies.push(ball(Vec3::X * i as Real, 1.0, Vec3::X * *v));
    }
    for i in 1..velocities.len() as u32 {
        p.contacts.push(contact([i - 1, i], Vec3::X * (Real::from(i) - 0.5), Vec3::X, restitution, 0.0));
    }
    p.into()
}

pub(crate) fn speeds(p: &Group) -> Vec<Real> {
    p.answer.velocity.iter().map(|u| u.linear.x).collect()
}

pub(crate) fn near(found: &[Real], expected: &[Real]) -> bool {
    found.iter().zip(expected).all(|(a, b)| (a - b).abs() < ROUNDING)
}

pub(crate) fn energy(p: &Group) -> Real {
    let body = |(b, u): (&GroupBody, &Twist)| {
        let turning = b.inverse_inertia.inverse().map_or(0.0, |i| i.quadratic(u.angular));
        if b.inverse_mass > 0.0 { 0.5 * (u.linear.length_squared() / b.inverse_mass + turning) } else { 0.0 }
    };
    p.bodies.iter().zip(&p.answer.velocity).map(body).sum()
}

/// A 3 x 3 x 3 block of balls on a floor, struck from above, all contacts with the same restitution and friction.
pub(crate) fn block(restitution: Real, friction: Real) -> Group {
    let mut p = GroupProblem { gravity: 0.0, ..GroupProblem::default() };
    let at = |i: u32| Vec3::new(Real::from(i % 3), Real::from(i / 9), Real::from(i / 3 % 3));
    for i in 0..27 {
        let v = if i >= 18 { Vec3::new(0.1, -2.0, 0.3) } else { Vec3::ZERO };
        p.bodies.push(ball(at(i), 1.0, v));
    }
    p.bodies.push(ball(Vec3::NEG_Y * 10.0, 0.0, Vec3::ZERO));
    for a in 0..27_u32 {
        for b in a + 1..27 {
            let n = at(b) - at(a);
            if (n.length() - 1.0).abs() < 1e-9 {
                p.contacts.push(contact([a, b], (at(a) + at(b)) * 0.5, n, restitution, friction));
            }
        }
        if a < 9 {
            p.contacts.push(contact([a, 27], at(a) - Vec3::Y * 0.5, Vec3::NEG_Y, restitution, friction));
        }
    }
    p.into()
}

pub(crate) fn fastest_approach(p: &Group) -> Real {
    let approach = |c: &GroupContact| -c.normal.dot(relative_velocity(&p.bodies, &p.answer.velocity, c));
    p.contacts.iter().map(approach).fold(0.0, Real::max)
}
