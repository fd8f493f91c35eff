//! Gears, racks and screws whose shafts are held by a body that moves: ratios against the carrier, and the balance of momentum.

use drystone::prelude::*;
use drystone_math::Twist;

const H: f64 = 1.0 / 240.0;

/// A small deterministic sequence in [-1, 1).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.next(), self.next(), self.next())
    }
    fn direction(&mut self) -> Vec3 {
        loop {
            let v = self.vector();
            if (0.2..1.0).contains(&v.length()) {
                return v.normalize();
            }
        }
    }
    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * 0.5 * (self.next() + 1.0)
    }
}

/// A block far from round, and its pose.
fn block(world: &mut World, at: Vec3, n: &mut Numbers) -> BodyId {
    let half = Vec3::new(n.between(0.1, 0.3), n.between(0.1, 0.3), n.between(0.1, 0.3));
    let turned = Quat::from_axis_angle(n.direction(), n.between(0.0, 3.0));
    let shape = Shape::cuboid(half.x, half.y, half.z).unwrap();
    world.add(Body::dynamic(shape).mass(n.between(0.5, 2.0)).at(at).oriented(turned)).unwrap()
}

/// Ways in which two wheels mesh.
#[derive(Clone, Copy)]
enum Wheels {
    SideBySide,
    Bevel,
}

/// A carrier with two wheels on hinges, and the coupling of these.
struct Train {
    world: World,
    wheels: [JointId; 2],
    ratio: f64,
}

/// A train that floats and tumbles in empty space, driven by an impulse on its first wheel.
fn floating(preset: Paradigm, wheels: Wheels, coupled: bool, seed: u64) -> Train {
    let mut n = Numbers(seed);
    let mut world = World::builder().paradigm(preset).gravity([0.0; 3]).build().unwrap();
    let carrier = block(&mut world, Vec3::ZERO, &mut n);
    let s = n.direction();
    let across = s.cross(n.direction()).normalize();
    let (t, places) = match wheels {
        Wheels::SideBySide => (s, [across * -0.6 + s * 0.1, across * 0.5]),
        // around an apex
        Wheels::Bevel => {
            let t = (s * n.between(-0.7, 0.7) + across).normalize();
            (t, [s * 0.5, t * 0.7])
        }
    };
    let ids = places.map(|p| block(&mut world, p, &mut n));
    let hinges = [(ids[0], s, places[0]), (ids[1], t, places[1])];
    let joints = hinges.map(|(b, axis, at)| world.join(Joint::hinge(carrier, b).anchor(at).axis(axis)).unwrap());
    let ratio = n.between(0.3, 2.5) * n.next().signum();
    if coupled {
        let gear = Joint::gear(ids[0], ids[1]).axis(s).second_axis(t).collide(false);
        world.join(gear.ratio(ratio)).unwrap();
    }
    let tumble = n.vector();
    for body in [carrier, ids[0], ids[1]] {
        let at = world.position(body).unwrap();
        world.set_velocity(body, Twist::new(tumble.cross(at) + Vec3::X * 0.2, tumble)).unwrap();
    }
    world.apply_impulse(ids[0], across.cross(s) * 0.1, places[0] + across * 0.3).unwrap();
    Train { world, wheels: joints, ratio }
}

fn momenta(world: &World) -> [Vec3; 2] {
    let m = world.momentum();
    [m.linear, m.angular]
}

/// How far the coupling is off (rad), the fraction of the energy gained or lost, and that of either momentum, after two seconds.
fn run(mut train: Train) -> [f64; 3] {
    let Train { world, wheels, ratio } = &mut train;
    let (energy, before) = (world.energy().kinetic, momenta(world));
    let mut off: f64 = 0.0;
    let mut turns = [0.0_f64; 2];
    for _ in 0..480 {
        world.advance(H).unwrap();
        for (turn, joint) in turns.iter_mut().zip(&*wheels) {
            let at = world.joint_coordinate(*joint).unwrap().value;
            *turn += (at - *turn + std::f64::consts::PI).rem_euclid(std::f64::consts::TAU) - std::f64::consts::PI;
        }
        off = off.max((*ratio * turns[0] + turns[1]).abs());
    }
    let after = momenta(world);
    let lost = |i: usize| (after[i] - before[i]).length() / before[i].length();
    [off, (world.energy().kinetic / energy - 1.0).abs(), lost(0).max(lost(1))]
}

/// Willis: wheels turn in their ratio against the carrier, whatever that does. Inner forces keep both momenta.
#[test]
fn floating_trains_keep_their_ratio_and_their_momenta() {
    for (preset, energy, momentum) in [(Paradigm::MECHANISM, 0.15, 1e-2), (Paradigm::REAL_TIME, 0.15, 0.05)] {
        for wheels in [Wheels::SideBySide, Wheels::Bevel] {
            for seed in 0..12 {
                let [off, gained, lost] = run(floating(preset, wheels, true, seed));
                assert!(off < 2e-3, "{} {seed}: off by {off}", preset.name);
                assert!(gained < energy, "{} {seed}: energy off by {gained}", preset.name);
                assert!(lost < momentum, "{} {seed}: momentum off by {lost}", preset.name);
            }
        }
    }
}

/// Negative control: without the coupling the wheels of the same trains turn as they like.
#[test]
fn uncoupled_wheels_are_found() {
    let found = (0..12).filter(|s| run(floating(Paradigm::MECHANISM, Wheels::SideBySide, false, *s))[0] > 0.1).count();
    assert_eq!(found, 12);
}

/// A sun at rest, a driven carrier and a planet that meshes with both: `omega = (1 + rho) Omega` for outer teeth.
#[test]
fn planets_turn_faster_than_their_carrier() {
    let mut n = Numbers(3);
    for preset in [Paradigm::REAL_TIME, Paradigm::MECHANISM, Paradigm::VELOCITY_LCP, Paradigm::SUBSTEP_SOFT] {
        for _ in 0..6 {
            let (ratio, speed) = (n.between(0.3, 3.0), n.between(-2.0, 2.0));
            let mut world = World::builder().paradigm(preset).gravity([0.0; 3]).build().unwrap();
            let ball = |r: f64| Shape::sphere(r).unwrap();
            let sun = world.add(Body::fixed(ball(0.1))).unwrap();
            let carrier = world.add(Body::dynamic(ball(0.1)).at([0.0, 0.0, 0.5])).unwrap();
            let planet = world.add(Body::dynamic(ball(0.1)).at([0.7, 0.0, 0.0])).unwrap();
            let motor = Motor::Velocity { velocity: speed, max_force: 1e3 };
            world.join(Joint::hinge(Joint::WORLD, carrier).anchor(Vec3::ZERO).axis(Vec3::Z).motor(motor)).unwrap();
            world.join(Joint::hinge(carrier, planet).anchor([0.7, 0.0, 0.0]).axis(Vec3::Z)).unwrap();
            world.join(Joint::gear(sun, planet).axis(Vec3::Z).ratio(ratio)).unwrap();
            for _ in 0..240 {
                world.advance(H).unwrap();
            }
            let turns = world.velocity(planet).unwrap().angular.z / speed;
            assert!((turns / (1.0 + ratio) - 1.0).abs() < 2e-3, "{}: {turns}, ratio {ratio}", preset.name);
        }
    }
}

/// A carrier that tumbles freely, a pinion on it and a rack that slides on it.
#[test]
fn racks_follow_pinions_on_carriers_that_tumble() {
    for (preset, tolerance) in [(Paradigm::MECHANISM, 1e-4), (Paradigm::REAL_TIME, 1e-3)] {
        for seed in 20..32 {
            let mut n = Numbers(seed);
            let mut world = World::builder().paradigm(preset).gravity([0.0; 3]).build().unwrap();
            let carrier = block(&mut world, Vec3::ZERO, &mut n);
            let s = n.direction();
            let along = s.cross(n.direction()).normalize();
            let radius = n.between(0.1, 0.4) * n.next().signum();
            let place = along.cross(s) * radius;
            let pinion = block(&mut world, Vec3::ZERO, &mut n);
            let rack = block(&mut world, place, &mut n);
            let hinge = world.join(Joint::hinge(carrier, pinion).anchor(Vec3::ZERO).axis(s)).unwrap();
            let slide = world.join(Joint::slider(carrier, rack).axis(along)).unwrap();
            let teeth = Joint::rack_and_pinion(pinion, rack).anchor(Vec3::ZERO).axis(s).second_axis(along);
            world.join(teeth.radius(radius).collide(false)).unwrap();
            let tumble = n.vector();
            for body in [carrier, pinion, rack] {
                let at = world.position(body).unwrap();
                world.set_velocity(body, Twist::new(tumble.cross(at), tumble)).unwrap();
            }
            world.apply_impulse(pinion, along * 0.1, s.cross(along) * 0.5).unwrap();
            let before = momenta(&world);
            for _ in 0..240 {
                world.advance(H).unwrap();
            }
            let [turn, way] = [hinge, slide].map(|j| world.joint_coordinate(j).unwrap().value);
            let turns = (way / radius - turn) / std::f64::consts::TAU;
            assert!(
                way.abs() > 0.01 && (turns - turns.round()).abs() * radius.abs() < tolerance,
                "{seed}: {way} {turn}"
            );
            let lost = (momenta(&world)[1] - before[1]).length() / before[1].length();
            assert!(lost < 0.1, "{} {seed}: {lost}", preset.name);
        }
    }
}

/// A coupling with an offset takes it out; turns of any real ratio are counted.
#[test]
fn offsets_are_taken_out_over_any_number_of_turns() {
    let mut n = Numbers(7);
    for _ in 0..8 {
        let (ratio, offset) = (n.between(0.2, 5.0) * n.next().signum(), n.between(-0.5, 0.5));
        let mut world = World::builder().gravity([0.0; 3]).build().unwrap();
        let [a, b] = [0.0, 1.0]
            .map(|x| world.add(Body::dynamic(Shape::sphere(0.1).unwrap()).mass(1.0).at([x, 0.0, 0.0])).unwrap());
        // limits far away make a hinge count its turns
        let hinge =
            |body, x: f64| Joint::hinge(Joint::WORLD, body).anchor([x, 0.0, 0.0]).axis(Vec3::Z).limits(-1e6, 1e6);
        let motor = Motor::Velocity { velocity: 11.0 / ratio.abs().max(1.0), max_force: 100.0 };
        let hinges = [hinge(a, 0.0).motor(motor), hinge(b, 1.0)].map(|j| world.join(j).unwrap());
        let offset = offset * ratio.abs().min(1.0);
        world.join(Joint::gear(a, b).axis(Vec3::Z).ratio(ratio).offset(offset)).unwrap();
        for _ in 0..2400 {
            world.advance(1.0 / 60.0).unwrap();
        }
        let [alpha, beta] = hinges.map(|j| world.joint_coordinate(j).unwrap().value);
        let off = ratio * alpha + beta - offset;
        assert!(alpha.abs().max(beta.abs()) > 60.0 && off.abs() < 1e-3, "ratio {ratio}: {alpha} {beta} {off}");
    }
}
