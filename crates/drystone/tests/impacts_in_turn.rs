//! Impacts that follow one another within a step: what is foreseen acts from the time at which it is reached, and at no time if that does not come.

use drystone::prelude::*;
use drystone_testkit::Random;

const H: f64 = 1.0 / 60.0;

/// Presets that look ahead for impacts, by solvers of velocities.
const PRESETS: [Paradigm; 5] = [
    Paradigm::REAL_TIME,
    Paradigm::VELOCITY_LCP,
    Paradigm::LOAD_PROPAGATION,
    Paradigm::MECHANISM,
    Paradigm::NONLINEAR_GAUSS_SEIDEL,
];

fn world(paradigm: Paradigm, restitution: f64) -> (World, drystone_core::MaterialIndex) {
    let mut world = World::builder().paradigm(paradigm).gravity([0.0; 3]).build().unwrap();
    let m = world.add_material(Material { friction: 0.0, restitution, ..Material::default() }).unwrap();
    (world, m)
}

/// A crate between a ball that comes and a wall: the ball pushes the crate, and momentum goes into the wall only by what the crate gives it.
#[test]
fn what_stands_before_a_wall_is_pushed() {
    for paradigm in PRESETS {
        let mut random = Random::new(1);
        for _ in 0..10 {
            let (restitution, speed) = (random.range(0.1, 1.0), random.range(15.0, 30.0));
            let (mass, gap) = (random.range(0.3, 3.0), random.range(0.02, 0.1));
            let (mut world, m) = world(paradigm, restitution);
            world.add(Body::fixed(Shape::cuboid(0.1, 1.0, 1.0).unwrap()).at([0.1, 0.0, 0.0]).material(m)).unwrap();
            let body = Body::dynamic(Shape::cuboid(0.05, 0.1, 0.1).unwrap()).mass(mass).at([-0.05 - gap, 0.0, 0.0]);
            let body = world.add(body.material(m)).unwrap();
            // without the crate the ball would reach the wall within the step
            let ahead = random.range(0.01, 1.0) * (speed * H - 0.1 - gap);
            let ball = Body::dynamic(Shape::sphere(0.05).unwrap()).mass(1.0).at([-0.15 - gap - ahead, 0.0, 0.0]);
            let ball = world.add(ball.material(m).linear_velocity([speed, 0.0, 0.0])).unwrap();
            world.advance(H).unwrap();
            let [x, v] = [body, ball].map(|b| world.velocity(b).unwrap().linear.x);
            let right = [1.0 + restitution, 1.0 - mass * restitution].map(|part| part / (1.0 + mass) * speed);
            let name = paradigm.name;
            assert!((x - right[0]).abs() < 1e-3 * speed, "{name}: the crate at {x} m/s, right {}", right[0]);
            assert!((v - right[1]).abs() < 1e-3 * speed, "{name}: the ball at {v} m/s, right {}", right[1]);
            // the control: a ball that bounces off the wall leaves at another velocity
            assert!((right[1] + restitution * speed).abs() > 0.1 * speed);
        }
    }
}

/// Elastic balls in a box: a ball may meet a wall and another ball in one step.
#[test]
fn elastic_balls_keep_their_energy() {
    for paradigm in PRESETS {
        let mut random = Random::new(2);
        for count in [3, 12] {
            let (mut world, m) = world(paradigm, 1.0);
            for side in [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y] {
                let wall = Shape::plane(side, -1.0).unwrap();
                world.add(Body::fixed(wall).material(m)).unwrap();
            }
            for k in 0..count {
                let at = [-0.75 + 0.5 * f64::from(k % 4), -0.6 + 0.6 * f64::from(k / 4), 0.0];
                let velocity = [random.range(-3.0, 3.0), random.range(-3.0, 3.0), 0.0];
                let ball = Body::dynamic(Shape::sphere(0.1).unwrap()).mass(random.range(0.5, 5.0)).at(at).material(m);
                world.add(ball.linear_velocity(velocity)).unwrap();
            }
            let start = world.energy().kinetic;
            for _ in 0..600 {
                world.advance(H).unwrap();
            }
            let kept = world.energy().kinetic / start;
            // at once, twelve balls keep 59 to 75 %
            assert!((kept - 1.0).abs() < 0.03, "{}: {count} balls keep {kept}", paradigm.name);
        }
    }
}
