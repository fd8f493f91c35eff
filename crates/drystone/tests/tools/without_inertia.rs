//! A world without inertia as a tool (L-01): a constant force gives a constant velocity, the same force moves and turns lighter bodies more, and
//! under weight alone all move alike.

use drystone::prelude::*;
use drystone_core::BodyIndex;

fn world(gravity: Vec3, paradigm: Paradigm) -> World {
    World::builder().paradigm(paradigm).gravity(gravity).build().unwrap()
}

fn cube(x: f64, mass: f64) -> Body {
    Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).mass(mass).at([x, 0.0, 0.0])
}

/// How far (m) a force of 2 N moves bodies of 1 and 4 kg in a second, or in half a second.
fn pulled(paradigm: Paradigm, half_time: bool) -> [f64; 2] {
    let mut world = world(Vec3::ZERO, paradigm);
    let bodies = [(0.0, 1.0), (5.0, 4.0)].map(|(x, mass)| world.add(cube(x, mass)).unwrap());
    for body in bodies {
        world.add_force(Pull { body: world.body_index(body).unwrap(), force: Vec3::Y * 2.0 });
    }
    for _ in 0..if half_time { 50 } else { 100 } {
        world.advance(0.01).unwrap();
    }
    bodies.map(|b| world.position(b).unwrap().y)
}

/// A constant force on one body.
struct Pull {
    body: drystone_core::BodyIndex,
    force: Vec3,
}

impl drystone_core::ForceField for Pull {
    fn accumulate(
        &self,
        _: &drystone_core::Configuration,
        _: &drystone_core::State,
        wrenches: &mut [drystone_math::Wrench],
    ) {
        wrenches[self.body.at()].force += self.force;
    }
}

#[test]
fn a_constant_force_is_a_constant_velocity() {
    let (whole, half) = (pulled(Paradigm::FIRST_ORDER, false), pulled(Paradigm::FIRST_ORDER, true));
    // v = F / m: 2 and 0.5 m/s, and half the distance in half the time
    for (body, way) in [2.0, 0.5].into_iter().enumerate() {
        assert!((whole[body] - way).abs() < 1e-12 && (half[body] - 0.5 * way).abs() < 1e-12, "{whole:?} {half:?}");
    }
    // negative control: with inertia, a quarter of the distance in half the time
    let (whole, half) = (pulled(Paradigm::VELOCITY_LCP, false), pulled(Paradigm::VELOCITY_LCP, true));
    assert!((whole[0] - 1.0).abs() < 0.02 && (half[0] - 0.25).abs() < 0.01, "{whole:?} {half:?}");
}

#[test]
fn weight_alone_moves_all_alike() {
    // thesis 4.16 has Aristotle say that heavier bodies fall faster; but by its own F = m v all fall at g, since weight is proportional to mass
    let mut world = world(Vec3::NEG_Y * 9.81, Paradigm::FIRST_ORDER);
    let bodies = [(0.0, 1.0), (5.0, 4.0)].map(|(x, mass)| world.add(cube(x, mass)).unwrap());
    for _ in 0..50 {
        world.advance(0.01).unwrap();
    }
    for body in bodies {
        let fallen = -world.position(body).unwrap().y;
        assert!((fallen - 9.81 * 0.5).abs() < 1e-9, "{fallen} m in half a second");
    }
}

/// Two boxes, turned by 10 degrees to opposite sides, are drawn together by a spring between their centres. Returns how far each has turned when
/// their faces lie on each other (rad).
fn aligned(masses: [f64; 2]) -> [f64; 2] {
    let mut world = world(Vec3::ZERO, Paradigm::FIRST_ORDER);
    let tilt = 10_f64.to_radians();
    let left = world.add(cube(-1.2, masses[0]).oriented(Quat::from_rotation_z(tilt))).unwrap();
    let right = world.add(cube(0.0, masses[1]).oriented(Quat::from_rotation_z(-tilt))).unwrap();
    let ends = [left, right].map(|b| world.body_index(b).unwrap());
    world.add_force(Draw { bodies: ends, stiffness: 2.0 });
    for _ in 0..1200 {
        world.advance(0.005).unwrap();
    }
    let [a, b] = [left, right].map(|b| {
        let q = world.pose(b).unwrap().orientation;
        2.0 * q.z.atan2(q.w)
    });
    assert!((a - b).abs() < 5e-3, "they lie on each other: {a} and {b}");
    [tilt - a, tilt + b]
}

/// A spring between two centres.
struct Draw {
    bodies: [drystone_core::BodyIndex; 2],
    stiffness: f64,
}

impl drystone_core::ForceField for Draw {
    fn accumulate(
        &self,
        _: &drystone_core::Configuration,
        state: &drystone_core::State,
        wrenches: &mut [drystone_math::Wrench],
    ) {
        let [a, b] = self.bodies.map(BodyIndex::at);
        let pull = (state.position[b] - state.position[a]) * self.stiffness;
        wrenches[a].force += pull;
        wrenches[b].force -= pull;
    }
}

#[test]
fn boxes_align_and_the_lighter_turns_more() {
    let [one, other] = aligned([1.0, 1.0]);
    // up to the angle that remains between the two
    assert!((one - other).abs() < 5e-3, "identical boxes turn alike: {one} and {other}");
    let [light, heavy] = aligned([1.0, 8.0]);
    assert!(light > 1.4 * heavy && heavy > 0.0, "{light} and {heavy}");
    // mirrored: it is the mass that matters, and not the side
    let mirrored = aligned([8.0, 1.0]);
    assert!((mirrored[0] - heavy).abs() < 1e-2 && (mirrored[1] - light).abs() < 1e-2, "{mirrored:?}");
}
