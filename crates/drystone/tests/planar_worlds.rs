//! Planar worlds (C-02): the planar equations of motion, contacts, and what the plane bears, under every preset.

use drystone::core::catalogue::Value;
use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind};
use drystone_math::Quat;

const DT: f64 = 0.01;

fn planar(paradigm: Paradigm, gravity: Vec3) -> World {
    World::builder().paradigm(paradigm).gravity(gravity).plane(Vec3::Z).build().unwrap()
}

fn run(world: &mut World, steps: usize) {
    for _ in 0..steps {
        world.advance(DT).unwrap();
    }
}

/// A block whose principal axes are tilted against the plane.
fn tilted() -> Body {
    let tilt = Quat::from_rotation_x(0.7) * Quat::from_rotation_y(0.4);
    Body::dynamic(Shape::cuboid(0.2, 0.5, 1.0).unwrap()).mass(2.0).oriented(tilt)
}

/// Inertia of that block about the plane's normal, n I n.
fn inertia_about_normal(world: &World, body: BodyId) -> f64 {
    let own = world.pose(body).unwrap().orientation.conjugate() * Vec3::Z;
    world.properties(body).unwrap().inertia.quadratic(own)
}

#[test]
fn a_body_has_the_derivative_of_the_planar_state() {
    // Y = (x, theta, m v, I omega), Y' = (v, omega, F, tau): a constant force and torque, with components that the plane bears
    let mut world = planar(Paradigm::VELOCITY_LCP, Vec3::ZERO);
    let id = world.add(tilted().at([0.0, 0.0, 0.3])).unwrap();
    let inertia = inertia_about_normal(&world, id);
    let start = world.pose(id).unwrap().orientation;
    for _ in 0..100 {
        let center = world.position(id).unwrap();
        world.apply_force(id, Vec3::new(3.0, -1.0, 7.0), center).unwrap();
        world.apply_torque(id, Vec3::new(0.5, -0.4, 0.25)).unwrap();
        world.advance(DT).unwrap();
    }
    let velocity = world.velocity(id).unwrap();
    assert!((velocity.linear - Vec3::new(1.5, -0.5, 0.0)).length() < 1e-12, "{velocity:?}");
    assert!((velocity.angular - Vec3::Z * (0.25 / inertia)).length() < 1e-12, "{velocity:?}");
    let place = world.position(id).unwrap();
    // semi-implicit Euler is ahead by half a step
    assert!((place - Vec3::new(0.75, -0.25, 0.3)).length() < 0.02 && place.z == 0.3, "{place}");
    let turned = world.pose(id).unwrap().orientation * start.conjugate();
    let angle = 2.0 * turned.z.atan2(turned.w);
    assert!((angle - 0.5 * 0.25 / inertia).abs() < 0.01 * angle && turned.x.hypot(turned.y) < 1e-12, "{turned}");
    // the control: the same block in space tumbles
    let mut space = World::builder().paradigm(Paradigm::VELOCITY_LCP).gravity(Vec3::ZERO).build().unwrap();
    let id = space.add(tilted()).unwrap();
    for _ in 0..100 {
        space.apply_torque(id, Vec3::Z * 0.25).unwrap();
        space.advance(DT).unwrap();
    }
    let spin = space.velocity(id).unwrap().angular;
    assert!(spin.x.hypot(spin.y) > 0.1 * spin.z.abs(), "{spin}");
}

#[test]
fn a_ball_rolls_down_and_a_spin_out_of_the_plane_is_none() {
    // a = g sin / (1 + 2/5) down a slope of 20 degrees
    let (sin, cos) = 20.0_f64.to_radians().sin_cos();
    let mut world = planar(Paradigm::VELOCITY_LCP, Vec3::new(9.81 * sin, -9.81 * cos, 2.0));
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
    let ball = Body::dynamic(Shape::sphere(0.5).unwrap()).at([0.0, 0.5, 1.0]);
    let id = world.add(ball.linear_velocity([0.0, 0.0, 3.0]).angular_velocity([4.0, 2.0, 0.0])).unwrap();
    run(&mut world, 100);
    let (speed, expected) = (world.velocity(id).unwrap().linear.x, 9.81 * sin / 1.4);
    assert!((speed - expected).abs() < 0.02 * expected, "{speed}, expected {expected}");
    let (place, spin) = (world.position(id).unwrap(), world.velocity(id).unwrap().angular);
    assert!(place.z == 1.0 && spin.x == 0.0 && spin.y == 0.0, "{place} {spin}");
    assert!((spin.z + speed / 0.5).abs() < 0.01 * speed, "{spin}");
}

/// Three balls and a block at different places along the normal fall on one another. Returns the largest displacement (m) or spin (rad/s) out of
/// the plane.
fn heap(mut world: World, steps: usize) -> Result<f64, String> {
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).map_err(|e| e.to_string())?;
    let ball = || Body::dynamic(Shape::sphere(0.3).unwrap());
    let bodies = [
        ball().at([0.0, 0.3, 0.1]),
        ball().at([0.5, 0.35, -0.1]),
        ball().at([0.2, 0.95, 0.15]),
        Body::dynamic(Shape::cuboid(0.4, 0.2, 0.4).unwrap()).at([0.1, 1.6, 0.0]),
    ];
    let ids = bodies.map(|b| world.add(b).unwrap());
    let before = ids.map(|id| world.position(id).unwrap().z);
    for _ in 0..steps {
        world.advance(DT).map_err(|e| e.to_string())?;
    }
    let off = ids.iter().zip(before).map(|(id, z)| {
        let spin = world.velocity(*id).unwrap().angular;
        (world.position(*id).unwrap().z - z).abs().max(spin.x.hypot(spin.y))
    });
    Ok(off.fold(0.0, f64::max))
}

#[test]
fn nothing_leaves_the_plane_under_any_preset() {
    for paradigm in Paradigm::ALL {
        let found = heap(planar(*paradigm, Vec3::new(0.0, -9.81, 0.0)), 60);
        assert!(found.as_ref().is_ok_and(|off| *off < 1e-12), "{}: {found:?}", paradigm.name);
    }
    let space = World::builder().paradigm(Paradigm::VELOCITY_LCP).build().unwrap();
    assert!(heap(space, 60).unwrap() > 0.05);
}

#[test]
fn a_plane_needs_a_normal() {
    let world = World::builder().plane([0.0, 3.0, 0.0]).build().unwrap();
    assert!(world.plane() == Some(Vec3::Y) && World::builder().build().unwrap().plane().is_none());
    for bad in [Vec3::ZERO, Vec3::new(f64::NAN, 0.0, 0.0)] {
        let refused = World::builder().plane(bad).build().err().unwrap();
        assert!(refused.to_string().contains("normal"), "{refused}");
    }
}

/// Boxes without losses of their own fall into a planar world with friction: as in space, none gains energy. By Newton's law, the control, some do.
#[test]
fn blows_with_friction_give_back_no_more_than_they_took() {
    let mut random = drystone_lcp::SplitMix64::new(7);
    let mut most = [0.0_f64; 2];
    for case in 0..40 {
        let half = Vec3::new(random.range(0.1, 0.5), random.range(0.1, 0.5), 0.2);
        let turn = Quat::from_rotation_z(random.range(0.0, 3.0));
        let velocity = Vec3::new(random.range(-5.0, 5.0), random.range(-6.0, 0.0), 0.0);
        let spin = Vec3::Z * random.range(-8.0, 8.0);
        for (law, most) in ["energetic", "newton"].into_iter().zip(&mut most) {
            let settings = vec![("restitution_law".to_owned(), Value::Text(law.to_owned()))];
            let choice = ModuleChoice { kind: ModuleKind::ConstraintSolver, name: None, settings };
            let mut world =
                World::builder().paradigm(Paradigm::REAL_TIME).plane(Vec3::Z).choose(choice).build().unwrap();
            let surface = Material { friction: 0.2, restitution: 1.0, ..Material::default() };
            let surface = world.add_material(surface).unwrap();
            world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(surface)).unwrap();
            let body = Body::dynamic(Shape::cuboid(half.x, half.y, half.z).unwrap()).at([0.0, 1.0, 0.0]).oriented(turn);
            let body = world.add(body.linear_velocity(velocity).angular_velocity(spin).material(surface)).unwrap();
            let (mass, about) = (world.properties(body).unwrap().mass, inertia_about_normal(&world, body));
            let energy = |world: &World| {
                let v = world.velocity(body).unwrap();
                let moving = mass * v.linear.length_squared() + about * v.angular.z * v.angular.z;
                0.5 * moving + 9.81 * mass * world.position(body).unwrap().y
            };
            let start = energy(&world);
            for _ in 0..60 {
                world.advance(1.0 / 120.0).unwrap();
                *most = most.max(energy(&world) / start);
            }
            assert!(law == "newton" || *most < 1.001, "case {case}: {most:?}");
        }
    }
    assert!(most[1] > 1.02, "{most:?}");
}

/// Contacts of a removed body leave free slots behind, which still name it.
#[test]
fn bodies_are_removed_in_any_order() {
    for removed in 0..24_usize {
        let mut world = World::builder().plane(Vec3::Z).build().unwrap();
        world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
        let mut left: Vec<BodyId> = (0..4)
            .map(|i| {
                let at = [0.3 * f64::from(i % 2), 0.5 + 0.99 * f64::from(i), 0.0];
                world.add(Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).at(at)).unwrap()
            })
            .collect();
        let mut order = removed;
        while !left.is_empty() {
            for _ in 0..3 {
                world.advance(0.01).unwrap();
            }
            let next = order % left.len();
            order /= left.len();
            world.remove(left.remove(next)).unwrap();
        }
        world.advance(0.01).unwrap();
        assert_eq!(world.bodies().len(), 1);
    }
}
