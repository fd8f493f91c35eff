//! What slides without friction over the seams of flush boxes keeps its speed and its height.

use drystone::prelude::*;
use drystone_testkit::Random;

const SPEED: f64 = 1.0;

/// A row of flush boxes of random widths along a random direction of a plane, higher by `raised` (m) from the third one on, and a body that slides over them at random angles.
fn row(preset: Paradigm, round: bool, raised: f64, seed: u64) -> (World, BodyId, Vec3) {
    let mut r = Random::new(seed);
    let mut world = World::builder().paradigm(preset).build().unwrap();
    let smooth = world.add_material(Material { friction: 0.0, restitution: 0.0, ..Material::default() }).unwrap();
    let turned = Quat::from_rotation_y(r.range(-3.0, 3.0));
    let mut x = -1.0;
    for k in 0..6 {
        let (half, depth) = (r.range(0.2, 0.6), r.range(0.05, 0.3));
        let up = if k >= 2 { raised } else { 0.0 };
        let shape = Shape::cuboid(half, depth, 2.0).unwrap();
        let place = turned * Vec3::new(x + half, up - depth, 0.0);
        world.add(Body::fixed(shape).at(place).oriented(turned).material(smooth)).unwrap();
        x += 2.0 * half;
    }
    let (height, shape) = if round {
        let radius = r.range(0.1, 0.3);
        (radius, Shape::sphere(radius).unwrap())
    } else {
        let half = r.range(0.08, 0.3);
        (half, Shape::cuboid(r.range(0.1, 0.3), half, r.range(0.1, 0.3)).unwrap())
    };
    let along = turned * Vec3::X;
    let body = Body::dynamic(shape).mass(r.range(0.5, 5.0)).material(smooth);
    let spun = turned * Quat::from_rotation_y(r.range(-3.0, 3.0));
    let start = turned * Vec3::new(-0.6, height, r.range(-0.3, 0.3));
    let body = world.add(body.at(start).oriented(spun).linear_velocity(along * SPEED)).unwrap();
    (world, body, along)
}

/// The least speed along the row in some seconds, relative to the first one, and how far the body rises (m).
fn slide((mut world, body, along): (World, BodyId, Vec3), h: f64, seconds: f64) -> [f64; 2] {
    let start = world.position(body).unwrap().y;
    let (mut slowest, mut highest) = (f64::INFINITY, 0.0_f64);
    for _ in 0..(seconds / h) as usize {
        world.advance(h).unwrap();
        slowest = slowest.min(world.velocity(body).unwrap().linear.dot(along) / SPEED);
        highest = highest.max(world.position(body).unwrap().y - start);
    }
    [slowest, highest]
}

#[test]
fn sliders_keep_speed_and_height_over_seams() {
    let presets = [
        Paradigm::REAL_TIME,
        Paradigm::VELOCITY_LCP,
        Paradigm::MECHANISM,
        Paradigm::LOAD_PROPAGATION,
        Paradigm::AVBD,
        Paradigm::XPBD,
        Paradigm::SUBSTEP_SOFT,
    ];
    for preset in presets {
        for h in [1.0 / 60.0, 1.0 / 144.0] {
            for seed in 0..10 {
                let [slowest, highest] = slide(row(preset, seed % 3 == 2, 0.0, seed), h, 1.2);
                assert!(slowest > 0.98, "{} {h} {seed}: slowed to {slowest}", preset.name);
                assert!(highest < 1e-3, "{} {h} {seed}: rose by {highest}", preset.name);
            }
        }
    }
}

/// Negative control: a box that stands 5 mm above the others is run into.
#[test]
fn sliders_run_into_a_step() {
    let stopped = (0..10).filter(|seed| slide(row(Paradigm::REAL_TIME, false, 5e-3, *seed), 1.0 / 60.0, 2.4)[0] < 0.5);
    assert!(stopped.count() >= 8);
}
