//! Soft bodies of particles and springs through the seams made for rigid bodies (A-30, P-24): springs are rows of the same problem as contacts.

use drystone::prelude::*;
use drystone_core::BodyIndex;
use drystone_motion::force::{Anchor, SpringDamper};

const H: f64 = 1.0 / 60.0;
const G: f64 = 9.81;
/// Presets that solve springs and contacts as one problem, and are made for many bodies.
const PRESETS: [Paradigm; 3] = [Paradigm::REAL_TIME, Paradigm::VELOCITY_LCP, Paradigm::MECHANISM];

fn particle(radius: f64, mass: f64) -> Body {
    Body::dynamic(Shape::sphere(radius).unwrap()).mass(mass).locked(false, true)
}

fn on(body: u32) -> Anchor {
    Anchor::Body { body: BodyIndex(body), point: Vec3::ZERO }
}

fn spring(anchors: [Anchor; 2], rest_length: f64, stiffness: f64, damping: f64) -> SpringDamper {
    SpringDamper { anchors, rest_length, stiffness, damping, max_force: f64::INFINITY }
}

/// Ten particles on springs, one below the other, hang as low as Hooke's law says: each spring bears all particles below it.
#[test]
fn a_rope_of_particles_hangs_by_hookes_law() {
    let (count, mass, stiffness, rest) = (10_u32, 0.1, 200.0, 0.3);
    for paradigm in PRESETS {
        let name = paradigm.name;
        let mut world = World::builder().paradigm(paradigm).build().unwrap();
        let mut bodies = Vec::new();
        for k in 0..count {
            let at = [0.0, -rest * f64::from(k + 1), 0.0];
            bodies.push(world.add(particle(0.02, mass).at(at)).unwrap());
            let above = if k == 0 { Anchor::World(Vec3::ZERO) } else { on(k - 1) };
            world.add_force(spring([above, on(k)], rest, stiffness, 2.0));
        }
        for _ in 0..1800 {
            world.advance(H).unwrap();
        }
        let mut length = 0.0;
        for (k, body) in (0..count).zip(&bodies) {
            length += rest + f64::from(count - k) * mass * G / stiffness;
            let y = world.position(*body).unwrap().y;
            assert!((y + length).abs() < 1e-3 * length, "{name}: particle {k} at {y} m, expected {} m", -length);
        }
    }
}

/// Spacing and radius of the cloth's particles (m).
const MESH: f64 = 0.2;
const THICKNESS: f64 = 0.04;
const BALL: f64 = 0.5;

/// A cloth of 9 x 9 particles falls on a ball, with or without its springs. Returns the positions of the particles after 8 s, and their largest
/// speed.
fn draped(paradigm: Paradigm, springs: bool) -> (Vec<Vec3>, f64) {
    let count = 9_u32;
    let mut world = World::builder().paradigm(paradigm).build().unwrap();
    let material = world.add_material(Material { friction: 0.8, ..Material::default() }).unwrap();
    let mut bodies = Vec::new();
    let place = |i: u32| MESH * (f64::from(i) - 4.0);
    for (i, j) in (0..count).flat_map(|i| (0..count).map(move |j| (i, j))) {
        let body = particle(THICKNESS, 0.02).at([place(i), BALL + 0.1, place(j)]).material(material);
        bodies.push(world.add(body).unwrap());
    }
    world.add(Body::fixed(Shape::sphere(BALL).unwrap()).material(material)).unwrap();
    let number = |i: u32, j: u32| i * count + j;
    let mut tie = |from: (u32, u32), to: (u32, u32), stiffness: f64| {
        let inside = [from.0, from.1, to.0, to.1].iter().all(|k| *k < count);
        if springs && inside {
            let (x, z) = (place(to.0) - place(from.0), place(to.1) - place(from.1));
            let ends = [on(number(from.0, from.1)), on(number(to.0, to.1))];
            world.add_force(spring(ends, x.hypot(z), stiffness, 3.0));
        }
    };
    for (i, j) in (0..count).flat_map(|i| (0..count).map(move |j| (i, j))) {
        // along the threads, and diagonally
        tie((i, j), (i + 1, j), 300.0);
        tie((i, j), (i, j + 1), 300.0);
        tie((i, j), (i + 1, j + 1), 100.0);
        tie((i + 1, j), (i, j + 1), 100.0);
    }
    for _ in 0..480 {
        world.advance(H).unwrap();
    }
    let speed = bodies.iter().map(|b| world.velocity(*b).unwrap().linear.length()).fold(0.0, f64::max);
    (bodies.iter().map(|b| world.position(*b).unwrap()).collect(), speed)
}

#[test]
fn a_cloth_of_particles_drapes_over_a_ball() {
    for paradigm in PRESETS {
        let name = paradigm.name;
        let (cloth, speed) = draped(paradigm, true);
        let least = cloth.iter().map(|p| p.length()).fold(f64::INFINITY, f64::min);
        let lowest = cloth.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
        let upon = cloth.iter().filter(|p| p.length() < BALL + THICKNESS + 1e-3).count();
        println!("{name}: nearest {least}, lowest {lowest}, upon the ball {upon}, speed {speed}");
        assert!(least > BALL + THICKNESS - 1e-3, "{name}: a particle is {least} m from the middle of the ball");
        assert!(lowest > -1.0, "{name}: a corner hangs at {lowest} m");
        assert!(speed < 0.05, "{name}: it still moves at {speed} m/s");
        assert!(upon >= 9, "{name}: {upon} particles lie on the ball");
        // the control: without springs the outer particles fall
        let (dust, _) = draped(paradigm, false);
        let fallen = dust.iter().filter(|p| p.y < -10.0).count();
        assert!(fallen > 40, "{name}: without springs {fallen} of 81 particles fall");
    }
}
