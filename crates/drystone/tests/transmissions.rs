//! Screw, rack and pinion, pulley: accelerations in closed form, and the conservation of energy.

use drystone::prelude::*;

const G: f64 = 9.81;
const H: f64 = 0.002;

/// A preset that solves joints exactly and one that sweeps, each with its allowed change of energy, relative to what the fall releases.
const PRESETS: [(Paradigm, f64); 2] = [(Paradigm::MECHANISM, 1e-6), (Paradigm::VELOCITY_LCP, 1e-2)];

fn world(paradigm: Paradigm) -> World {
    World::builder().paradigm(paradigm).gravity([0.0, -G, 0.0]).build().unwrap()
}

fn cube(half: f64, mass: f64) -> Body {
    Body::dynamic(Shape::cuboid(half, half, half).unwrap()).mass(mass)
}

/// Inertia of such a cube about an axis through its middle (kg m^2).
fn inertia(half: f64, mass: f64) -> f64 {
    2.0 / 3.0 * mass * half * half
}

/// Steps for `seconds`. Checks the body's way down against `a t^2 / 2`, and the energy against that at the start.
fn falls_by(world: &mut World, body: BodyId, acceleration: f64, seconds: f64, energy: f64) {
    let (start, before) = (world.position(body).unwrap().y, world.energy().total());
    for _ in 0..(seconds / H).round() as usize {
        world.advance(H).unwrap();
    }
    let way = start - world.position(body).unwrap().y;
    let wanted = 0.5 * acceleration * seconds * seconds;
    // the semi-implicit steps of one preset are ahead by up to a step
    assert!((way / wanted - 1.0).abs() < 2.0 * H / seconds + 1e-6, "{}: {way} m, not {wanted}", world.paradigm().name);
    let off = (world.energy().total() - before).abs() / (world.energy().kinetic.max(1e-9));
    assert!(off < energy, "{}: energy off by {off}", world.paradigm().name);
}

#[test]
fn a_nut_falls_down_a_smooth_thread() {
    for (paradigm, energy) in PRESETS {
        for lead in [0.5, -0.5] {
            let mut world = world(paradigm);
            let nut = world.add(cube(0.1, 2.0)).unwrap();
            let screw =
                world.join(Joint::screw(Joint::WORLD, nut).anchor(Vec3::ZERO).axis(Vec3::Y).lead(lead)).unwrap();
            let per_turn = std::f64::consts::TAU / lead;
            let a = G * 2.0 / (2.0 + inertia(0.1, 2.0) * per_turn * per_turn);
            falls_by(&mut world, nut, a, 1.0, energy);
            let at = world.joint_coordinate(screw).unwrap();
            assert!((at.value - world.position(nut).unwrap().y).abs() < 1e-9);
            // several turns, left-handed or right-handed
            let spin = world.velocity(nut).unwrap().angular.y;
            assert!((spin - at.speed * per_turn).abs() < 1e-4 * spin.abs(), "{spin} {}", at.speed * per_turn);
            assert!(at.value.abs() > 2.0 * lead.abs());
        }
    }
}

#[test]
fn a_rack_falls_and_turns_its_pinion() {
    for (paradigm, energy) in PRESETS {
        for radius in [0.2, -0.2] {
            let mut world = world(paradigm);
            let pinion = world.add(cube(0.15, 5.0)).unwrap();
            let rack = world.add(cube(0.05, 1.0).at([0.5, 0.0, 0.0])).unwrap();
            world.join(Joint::hinge(Joint::WORLD, pinion).anchor(Vec3::ZERO).axis(Vec3::Z)).unwrap();
            world.join(Joint::slider(Joint::WORLD, rack).axis(Vec3::Y)).unwrap();
            let teeth = Joint::rack_and_pinion(pinion, rack).anchor(Vec3::ZERO).axis(Vec3::Z).second_axis(Vec3::Y);
            world.join(teeth.radius(radius)).unwrap();
            let a = G / (1.0 + inertia(0.15, 5.0) / (radius * radius));
            // the rack falls 1.7 m: more than one turn
            falls_by(&mut world, rack, a, 1.0, energy);
            let (spin, speed) = (world.velocity(pinion).unwrap().angular.z, world.velocity(rack).unwrap().linear.y);
            assert!((spin * radius - speed).abs() < 1e-4 * speed.abs(), "{spin} {speed}");
        }
    }
}

#[test]
fn two_weights_hang_over_pulleys() {
    let (first, second) = (3.0, 2.0);
    for (paradigm, energy) in PRESETS {
        for ratio in [1.0, 2.0] {
            let mut world = world(paradigm);
            let [a, b] =
                [(-1.0, first), (1.0, second)].map(|(x, m)| world.add(cube(0.1, m).at([x, 0.0, 0.0])).unwrap());
            let cord = Joint::pulley(a, b).anchor([-1.0, 0.1, 0.0]).second_anchor([1.0, 0.1, 0.0]);
            world.join(cord.pulleys([-1.0, 30.0, 0.0], [1.0, 30.0, 0.0]).ratio(ratio)).unwrap();
            // a pull T on the first weight is ratio T on the second, which moves 1 / ratio as far
            let wanted = G * (first - second / ratio) / (first + second / (ratio * ratio));
            falls_by(&mut world, a, wanted, 1.0, energy);
            let [u, v] = [a, b].map(|b| world.velocity(b).unwrap().linear.y);
            assert!((u + ratio * v).abs() < 1e-4 * u.abs(), "{u} {v}");
        }
    }
}

#[test]
fn a_cord_pulls_and_never_pushes() {
    let mut world = world(Paradigm::MECHANISM);
    let [a, b] = [-1.0, 1.0].map(|x| world.add(cube(0.1, 1.0).at([x, 0.0, 0.0])).unwrap());
    let cord = Joint::pulley(a, b).anchor([-1.0, 0.1, 0.0]).second_anchor([1.0, 0.1, 0.0]);
    world.join(cord.pulleys([-1.0, 5.0, 0.0], [1.0, 5.0, 0.0]).length(12.0)).unwrap();
    // slack by 2.2 m: both fall freely by 1.1 m until the cord is taut after 0.474 s; then they hang
    for _ in 0..(0.3 / H) as usize {
        world.advance(H).unwrap();
    }
    for body in [a, b] {
        assert!((world.velocity(body).unwrap().linear.y + 0.3 * G).abs() < 0.05);
    }
    for _ in 0..(0.7 / H) as usize {
        world.advance(H).unwrap();
    }
    for body in [a, b] {
        assert!(world.velocity(body).unwrap().linear.y.abs() < 1e-6);
        assert!((world.position(body).unwrap().y + 1.1).abs() < 1e-3, "{}", world.position(body).unwrap());
    }
}
