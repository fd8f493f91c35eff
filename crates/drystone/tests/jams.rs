//! Balls jammed between a wall and a scripted piston: what a script asks for is bounded, and the report says so.

use drystone::prelude::*;
use drystone_testkit::Random;

const H: f64 = 1.0 / 60.0;

/// A row of balls nearly in a line along x between a wall and a piston that comes at `speed`; the piston starts `gap` from the first ball.
fn row(paradigm: Paradigm, random: &mut Random, speed: f64) -> (World, Vec<BodyId>) {
    let mut world = World::builder().paradigm(paradigm).gravity([0.0, -9.81, 0.0]).build().unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
    let (count, radius) = (2 + random.below(3), random.range(0.1, 0.3));
    let mut x = 0.0;
    let mut balls = Vec::new();
    for _ in 0..count {
        let aside = random.range(-0.02, 0.02) * radius;
        let ball = Body::dynamic(Shape::sphere(radius).unwrap()).mass(random.range(1.0, 20.0));
        balls.push(world.add(ball.at([x + radius, radius, aside])).unwrap());
        x += 2.001 * radius;
    }
    let slab = Shape::cuboid(0.1, 1.0, 1.0).unwrap();
    world.add(Body::fixed(slab.clone()).at([x + 0.1, 1.0, 0.0])).unwrap();
    let piston = Body::scripted(slab).linear_velocity([speed, 0.0, 0.0]);
    world.add(piston.at([-0.1 - 0.02 * random.range(0.0, 1.0), 1.0, 0.0])).unwrap();
    (world, balls)
}

/// No ball leaves faster than twice the piston, but for what it may fall. The exact answer of the default was up to 19 600 m/s. The control is a ball that is free to go: its
/// script does not yield.
#[test]
fn no_ball_leaves_a_jam_faster_than_twice_the_piston() {
    let mut yielded = 0;
    for paradigm in [Paradigm::REAL_TIME, Paradigm::VELOCITY_LCP, Paradigm::SHOCK_PROPAGATION, Paradigm::AVBD] {
        let mut random = Random::new(5);
        for member in 0..12 {
            let speed = random.range(0.2, 1.5);
            let (mut world, balls) = row(paradigm, &mut random, speed);
            let (mut fastest, mut jammed) = (0.0_f64, 0);
            for _ in 0..20 {
                jammed += world.advance(H).unwrap().calls.solve.jammed;
                let speeds = balls.iter().map(|b| world.velocity(*b).unwrap().linear.length());
                fastest = fastest.max(speeds.fold(0.0, f64::max));
            }
            println!(
                "{} {member}: piston {speed:.2} m/s, balls up to {fastest:.2} m/s, {jammed} jammed",
                paradigm.name
            );
            assert!(fastest < 2.0 * speed + 9.81 * 20.0 * H, "{} {member}: {fastest} m/s", paradigm.name);
            yielded += jammed;
        }
    }
    assert!(yielded > 0, "nothing was jammed");
    let mut world = World::builder().gravity([0.0; 3]).build().unwrap();
    let ball = world.add(Body::dynamic(Shape::sphere(0.2).unwrap()).mass(1.0)).unwrap();
    let slab = Shape::cuboid(0.1, 1.0, 1.0).unwrap();
    world.add(Body::scripted(slab).linear_velocity([3.0, 0.0, 0.0]).at([-0.4, 0.0, 0.0])).unwrap();
    for _ in 0..20 {
        assert_eq!(world.advance(H).unwrap().calls.solve.jammed, 0);
    }
    let speed = world.velocity(ball).unwrap().linear.x;
    assert!(speed > 3.0 - 1e-6, "a free ball takes the piston's speed: {speed} m/s");
}
