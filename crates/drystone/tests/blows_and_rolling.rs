//! Every preset with inertia against the first three closed forms that anyone would try: a blow, a bounce, a ball that slides until it rolls.

use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind, WorldBuilder};

const G: f64 = 9.81;
const H: f64 = 0.01;

/// Presets with inertia.
fn presets(without: &[Paradigm]) -> impl Iterator<Item = Paradigm> {
    Paradigm::ALL.iter().copied().filter(move |p| *p != Paradigm::FIRST_ORDER && !without.contains(p))
}

/// A world with a floor, and a ball of radius 0.5 m per place; all surfaces alike.
fn balls(builder: WorldBuilder, friction: f64, restitution: f64, places: &[Vec3]) -> (World, Vec<BodyId>) {
    let mut world = builder.build().unwrap();
    let surface = world.add_material(Material { friction, restitution, ..Material::default() }).unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(surface)).unwrap();
    let ball = Body::dynamic(Shape::sphere(0.5).unwrap()).mass(2.0).material(surface);
    let balls = places.iter().map(|at| world.add(ball.clone().at(*at)).unwrap()).collect();
    (world, balls)
}

/// Of two balls the one that comes at 4 m/s keeps (1 - e) / 2 of its speed, and the other one has the rest.
#[test]
fn a_blow_is_shared_by_newtons_law() {
    // springs and soft contacts have a restitution of their own
    for paradigm in presets(&[Paradigm::PENALTY, Paradigm::POSITION_NCP]) {
        for e in [0.0, 0.5, 1.0] {
            let places = [Vec3::new(-2.0, 0.5, 0.0), Vec3::new(0.0, 0.5, 0.0)];
            let (mut world, balls) = balls(World::builder().paradigm(paradigm), 0.0, e, &places);
            world.set_velocity(balls[0], Twist::new(Vec3::X * 4.0, Vec3::ZERO)).unwrap();
            for _ in 0..60 {
                world.advance(H).unwrap();
            }
            let [a, b] = [0, 1].map(|i| world.velocity(balls[i]).unwrap().linear.x);
            let off = (a - 2.0 * (1.0 - e)).abs().max((b - 2.0 * (1.0 + e)).abs());
            assert!(off < 0.02, "{} at e = {e}: {a} and {b} m/s", paradigm.name);
            assert!((a + b - 4.0).abs() < 1e-9, "{}: momentum {}", paradigm.name, a + b);
        }
    }
}

/// How far off a rolling ball's velocities are of 5 v / 7 after sliding, or of v where it rolls from the start.
fn off_rolling(builder: WorldBuilder, speed: f64, rolls: bool) -> f64 {
    let (mut world, balls) = balls(builder, 0.4, 0.0, &[Vec3::Y * 0.5]);
    let spin = if rolls { -2.0 * speed } else { 0.0 };
    world.set_velocity(balls[0], Twist::new(Vec3::X * speed, Vec3::Z * spin)).unwrap();
    for _ in 0..200 {
        world.advance(H).unwrap();
    }
    let Twist { linear, angular } = world.velocity(balls[0]).unwrap();
    let expected = if rolls { speed } else { speed * 5.0 / 7.0 };
    (linear.x / expected - 1.0).abs().max((angular.z * 0.5 / expected + 1.0).abs())
}

/// A ball that slides at v without turning rolls at 5 v / 7 in the end, whatever friction is; one that rolls goes on.
#[test]
fn a_ball_that_slides_ends_up_rolling() {
    for paradigm in presets(&[Paradigm::ACCELERATION_LP, Paradigm::POSITION_NCP]) {
        // by small hops
        let bound = if paradigm == Paradigm::IMPULSE { 0.03 } else { 0.002 };
        for speed in [1.0, 2.5, 3.5, 6.0] {
            for rolls in [false, true] {
                let off = off_rolling(World::builder().paradigm(paradigm), speed, rolls);
                assert!(off < bound, "{} at {speed} m/s, rolls {rolls}: off by {off}", paradigm.name);
            }
        }
    }
    for control in ["fixed", "semi-implicit", "leapfrog", "retroactive", "impulse-split", "runge-kutta", "timewarp"] {
        let choice =
            ModuleChoice { kind: ModuleKind::TimeControl, name: Some(control.to_owned()), settings: Vec::new() };
        for rolls in [false, true] {
            let builder = World::builder().paradigm(Paradigm::VELOCITY_LCP).choose(choice.clone());
            let off = off_rolling(builder, 2.5, rolls);
            assert!(off < 0.002, "{control}, rolls {rolls}: off by {off}");
        }
    }
}

/// The first two heights after a fall of 1 m go with e squared.
#[test]
fn a_ball_bounces_as_high_as_it_should() {
    for paradigm in presets(&[Paradigm::POSITION_NCP]) {
        let (mut world, balls) = balls(World::builder().paradigm(paradigm), 0.0, 0.8, &[Vec3::Y * 1.5]);
        let mut heights = Vec::new();
        let (mut rising, mut last) = (false, 1.5);
        for _ in 0..220 {
            world.advance(H).unwrap();
            let y = world.position(balls[0]).unwrap().y;
            if rising && y <= last {
                heights.push(last - 0.5);
            }
            (rising, last) = (y > last, y);
        }
        // what is found once it overlaps, or at the end of a step, is late by up to a step of the fall
        let late = 2.0 * H * (2.0 * G).sqrt();
        for (i, wanted) in [0.64, 0.4096].into_iter().enumerate() {
            let found = heights.get(i).copied().unwrap_or(0.0);
            assert!((found - wanted).abs() < late, "{}: {found} m for {wanted} m", paradigm.name);
        }
    }
}
