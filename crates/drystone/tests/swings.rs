//! Balls on springs over random members: they gain no energy.

use drystone::prelude::*;
use drystone_motion::force::{Anchor, SpringDamper};
use drystone_testkit::Random;

const G: f64 = 9.81;

/// The fraction of the energy of its swing that a world loses in `seconds`, and the largest that it gains on the way.
fn lost(world: &mut World, lowest: f64, h: f64, seconds: f64) -> [f64; 2] {
    let start = world.energy().total() - lowest;
    let mut most = start;
    for _ in 0..(seconds / h).round() as usize {
        world.advance(h).unwrap();
        most = most.max(world.energy().total() - lowest);
    }
    [1.0 - (world.energy().total() - lowest) / start, most / start - 1.0]
}

/// Balls on springs of any stiffness, one below the other; the springs pull as forces.
#[test]
fn balls_on_springs_gain_no_energy() {
    let mut r = Random::new(12);
    for preset in [Paradigm::REAL_TIME, Paradigm::MECHANISM] {
        for k in 0..24 {
            let stiffness = 10.0_f64.powf(r.range(2.0, 4.3));
            let mut world = World::builder().paradigm(preset).build().unwrap();
            let (mut last, mut end, mut weight) = (Anchor::World(Vec3::ZERO), Vec3::ZERO, 0.0);
            let mut lowest = 0.0;
            for i in 0..=(k % 2) {
                let (length, angle, mass) = (r.range(0.3, 1.5), r.range(-1.2, 1.2), r.range(0.3, 5.0));
                end += Vec3::new(f64::sin(angle), -f64::cos(angle), 0.0) * length;
                world.add(Body::dynamic(Shape::sphere(0.05).unwrap()).mass(mass).at(end)).unwrap();
                let own = Anchor::Body { body: drystone::core::BodyIndex(i), point: Vec3::ZERO };
                let anchors = [last, own];
                let max_force = f64::INFINITY;
                world.add_force(SpringDamper { anchors, rest_length: length, stiffness, damping: 0.0, max_force });
                (last, weight) = (own, weight + mass);
                // hanging straight down on springs that do not yield
                lowest -= mass * G * 3.0;
            }
            let [_, gained] = lost(&mut world, lowest - weight, 1.0 / 60.0, 20.0);
            assert!(gained < 0.01, "{} {stiffness}: gained {gained}", preset.name);
        }
    }
}
