//! Impacts through the whole engine: where bodies turn round, how high they rebound, and that a collision solver given by value is the same as by
//! name.

use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind, WorldBuilder};
use drystone_core::catalogue::Value;

/// A ball of radius 0.1 m at `height` over a floor.
fn over_a_floor(builder: WorldBuilder, height: f64, restitution: f64) -> (World, BodyId) {
    let mut world = builder.build().unwrap();
    let material = world.add_material(Material { restitution, ..Material::default() }).unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(material)).unwrap();
    let ball = Body::dynamic(Shape::sphere(0.1).unwrap()).at([0.0, 0.1 + height, 0.0]).material(material);
    let ball = world.add(ball).unwrap();
    (world, ball)
}

fn choice(kind: ModuleKind, name: &str) -> ModuleChoice {
    ModuleChoice { kind, name: Some(name.to_owned()), settings: Vec::<(String, Value)>::new() }
}

#[test]
fn rebounds_are_those_of_the_parabola() {
    for paradigm in [Paradigm::REAL_TIME, Paradigm::VELOCITY_LCP, Paradigm::MECHANISM] {
        for solver in ["none", "sequential", "simultaneous"] {
            let builder = World::builder().paradigm(paradigm).choose(choice(ModuleKind::CollisionSolver, solver));
            let (mut world, ball) = over_a_floor(builder, 1.0, 0.8);
            let (mut tops, mut rising) = (Vec::new(), false);
            let mut last = 1.0;
            for _ in 0..480 {
                world.advance(1.0 / 240.0).unwrap();
                let y = world.position(ball).unwrap().y - 0.1;
                if rising && y < last {
                    tops.push(last);
                }
                rising = y > last;
                last = y;
            }
            for (top, want) in tops.iter().zip([0.64, 0.4096]) {
                assert!((top / want - 1.0).abs() < 1e-3, "{} {solver}: {tops:?}", paradigm.name);
            }
            assert!(tops.len() >= 2);
        }
    }
}

#[test]
fn an_elastic_ball_turns_at_the_surface_at_any_step() {
    for time_control in ["fixed", "semi-implicit", "leapfrog"] {
        let builder = World::builder().gravity(Vec3::ZERO).choose(choice(ModuleKind::TimeControl, time_control));
        let (mut world, ball) = over_a_floor(builder, 1.05, 1.0);
        world.set_velocity(ball, Twist { linear: Vec3::NEG_Y * 10.0, angular: Vec3::ZERO }).unwrap();
        for _ in 0..15 {
            world.advance(0.02).unwrap();
        }
        // 1.05 m down and 1.95 m up in 0.3 s; a ball that turned round 99 mm above the floor would be ahead of this
        let y = world.position(ball).unwrap().y - 0.1;
        assert!((y - 1.95).abs() < 1e-9, "{time_control}: {y}");
    }
}

#[test]
fn a_collision_solver_by_value_is_the_one_by_name() {
    let by_name = World::builder().choose(choice(ModuleKind::CollisionSolver, "sequential"));
    let by_value = World::builder().collision_solver(drystone_impact::Sequential::default());
    let run = |builder: WorldBuilder| {
        let (mut world, ball) = over_a_floor(builder, 0.5, 0.7);
        (0..300)
            .map(|_| {
                world.advance(0.005).unwrap();
                world.position(ball).unwrap().y
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(run(by_name), run(by_value));
}

#[test]
fn a_plastic_box_lands_in_time_under_every_collision_solver() {
    for solver in ["none", "sequential", "simultaneous"] {
        let mut world = World::builder().choose(choice(ModuleKind::CollisionSolver, solver)).build().unwrap();
        world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
        let cube = world.add(Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).at([0.0, 0.51, 0.0])).unwrap();
        let h = 1.0 / 960.0;
        let landed = (1..960).find(|_| {
            world.advance(h).unwrap();
            world.position(cube).unwrap().y < 0.5 + 2e-4
        });
        // sqrt(2 x 0.01 / 9.81) = 45.2 ms
        let time = f64::from(landed.unwrap()) * h;
        assert!((time - 0.0452).abs() < 2.5 * h, "{solver}: {time}");
    }
}

#[test]
fn a_rocking_block_keeps_its_angular_momentum_about_the_new_corner() {
    // Housner 1963: half width 0.1 m, half height 0.4 m, released at half the angle of its diagonal
    let (b, height) = (0.1_f64, 0.4_f64);
    let radius = b.hypot(height);
    let alpha = (b / height).atan();
    let rise = |tilt: f64| 9.81 * radius * ((alpha - tilt).cos() - alpha.cos());
    let after = (1.0 - 1.5 * alpha.sin().powi(2)).powi(2) * rise(0.5 * alpha);
    let (mut low, mut high) = (0.0, 0.5 * alpha);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if rise(middle) < after { low = middle } else { high = middle }
    }
    for paradigm in [Paradigm::REAL_TIME, Paradigm::VELOCITY_LCP, Paradigm::MECHANISM] {
        let mut world = World::builder().paradigm(paradigm).build().unwrap();
        let rough = world.add_material(Material { friction: 1.0, restitution: 0.0, ..Material::default() }).unwrap();
        world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(rough)).unwrap();
        let tilt = -0.5 * alpha;
        let center = [b - b * tilt.cos() - height * tilt.sin(), -b * tilt.sin() + height * tilt.cos(), 0.0];
        let block = Body::dynamic(Shape::cuboid(b, height, 0.3).unwrap()).at(center).material(rough);
        let block = world.add(block).unwrap();
        world.set_pose(block, center.into(), Quat::from_rotation_z(tilt)).unwrap();
        let mut peak = 0.0_f64;
        for _ in 0..(0.9 * 240.0) as u32 {
            world.advance(1.0 / 240.0).unwrap();
            let turned = world.pose(block).unwrap().orientation;
            peak = peak.max(2.0 * turned.z.atan2(turned.w));
        }
        assert!((peak / low - 1.0).abs() < 0.01, "{}: {peak} {low}", paradigm.name);
    }
}

/// Two spinning cubes with friction collide off-centre: no outside force acts, so neither momentum changes.
#[test]
fn bodies_that_meet_aside_keep_both_momenta() {
    for paradigm in [Paradigm::REAL_TIME, Paradigm::VELOCITY_LCP, Paradigm::LOAD_PROPAGATION, Paradigm::MECHANISM] {
        let (coarse, fine) = (1.0 / 60.0, 1.0 / 240.0);
        for (solver, h) in [("none", coarse), ("none", fine), ("simultaneous", coarse), ("sequential", coarse)] {
            let builder = World::builder().paradigm(paradigm).gravity(Vec3::ZERO);
            let mut world = builder.choose(choice(ModuleKind::CollisionSolver, solver)).build().unwrap();
            let material = Material { restitution: 0.5, friction: 0.6, ..Material::default() };
            let material = world.add_material(material).unwrap();
            let cube = |half: f64, at: [f64; 3], v: [f64; 3], spin: [f64; 3]| {
                let shape = Shape::cuboid(half, half, half).unwrap();
                Body::dynamic(shape).at(at).linear_velocity(v).angular_velocity(spin).material(material)
            };
            world.add(cube(0.5, [-1.0, 0.2, 0.0], [3.0, 0.0, 0.5], [1.0, 2.0, -3.0])).unwrap();
            world.add(cube(0.4, [1.0, -0.1, 0.1], [-2.0, 0.1, 0.0], [0.0; 3])).unwrap();
            let before = world.momentum();
            let mut met = false;
            for _ in 0..(1.0 / h) as usize {
                met |= world.advance(h).unwrap().contacts > 0;
            }
            let after = world.momentum();
            let off = (after.angular - before.angular).length() / before.angular.length();
            assert!(met && off < 1e-10, "{} {solver} {h}: angular momentum off by {off}", paradigm.name);
            assert!((after.linear - before.linear).length() < 1e-10 * before.linear.length());
        }
    }
}
