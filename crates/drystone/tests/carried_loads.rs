//! What rides on a body with prescribed motion stays on it as long as friction can hold it: turntables, rockers and shaken plates, drawn at random.

use drystone::prelude::*;
use drystone_math::elementary::rotation_by;
use drystone_motion::script::Sinusoid;
use drystone_testkit::Random;
use std::f64::consts::TAU;

const G: f64 = 9.81;

const H: f64 = 1.0 / 60.0;

/// How far a rider may slip (m) beyond what friction of the preset lets creep on a slope.
const SLIP: f64 = 5e-4;

/// Presets whose bodies have inertia, and whose friction holds still.
fn presets() -> impl Iterator<Item = Paradigm> {
    // in the second, friction grows with the slip; the third bounces in free flight; the last has no law of friction that holds
    let others = [Paradigm::FIRST_ORDER, Paradigm::PENALTY, Paradigm::IMPULSE, Paradigm::ACCELERATION_LP];
    Paradigm::ALL.iter().copied().filter(move |p| others.iter().all(|other| other.name != p.name))
}

/// A world with one scripted plate of 4 m, whose upper surface is at height zero, and a box on it. All have this friction.
fn plate(paradigm: Paradigm, friction: f64, at: [f64; 2]) -> (World, BodyId, BodyId) {
    let mut world = World::builder().paradigm(paradigm).build().unwrap();
    let m = world.add_material(Material { friction, restitution: 0.0, ..Material::default() }).unwrap();
    let plate = Body::scripted(Shape::cuboid(2.0, 0.1, 2.0).unwrap()).at([0.0, -0.1, 0.0]).material(m);
    let plate = world.add(plate).unwrap();
    let rider = Body::dynamic(Shape::cuboid(0.1, 0.02, 0.1).unwrap()).at([at[0], 0.02, at[1]]).material(m);
    let rider = world.add(rider).unwrap();
    (world, plate, rider)
}

/// Where a body is on a plate.
fn place(world: &World, plate: BodyId, rider: BodyId) -> Vec3 {
    world.pose(plate).unwrap().local_point(world.position(rider).unwrap())
}

/// How far a rider slips (m) within some seconds of steps of `h`, after others in which it may settle.
fn slip(world: &mut World, [plate, rider]: [BodyId; 2], h: f64, [settle, seconds]: [f64; 2]) -> f64 {
    for _ in 0..(settle / h).round() as usize {
        world.advance(h).unwrap();
    }
    let start = place(world, plate, rider);
    (0..(seconds / h).round() as usize).fold(0.0_f64, |most, _| {
        world.advance(h).unwrap();
        most.max((place(world, plate, rider) - start).length())
    })
}

/// How far a box creeps (m) within some seconds on a slope that needs this share of the friction.
fn creep(paradigm: Paradigm, friction: f64, share: f64, times: [f64; 2]) -> f64 {
    let (mut world, plate, rider) = plate(paradigm, friction, [0.0, 0.0]);
    let angle = (share * friction).atan();
    world.set_gravity([G * angle.sin(), -G * angle.cos(), 0.0]).unwrap();
    slip(&mut world, [plate, rider], H, times)
}

/// How far a turntable that needs this share of the friction lets a rider slip, beyond creep: the rider moves with it from the start. And how far one would creep
/// that is carried along the tangent.
fn turntable(paradigm: Paradigm, random: &mut Random) -> [f64; 2] {
    let (friction, radius, angle) = (random.range(0.3, 0.9), random.range(0.3, 1.5), random.range(0.0, TAU));
    let (share, times) = (random.range(0.5, 0.95), [0.1, 0.5]);
    let (mut world, plate, rider) = plate(paradigm, friction, [radius * angle.cos(), radius * angle.sin()]);
    let spin = (share * friction * G / radius).sqrt() * if random.unit() < 0.5 { -1.0 } else { 1.0 };
    let turn = Vec3::Y * spin;
    let arm = world.position(rider).unwrap();
    world.set_velocity(plate, Twist::new(Vec3::ZERO, turn)).unwrap();
    world.set_velocity(rider, Twist::new(turn.cross(arm), turn)).unwrap();
    let off = slip(&mut world, [plate, rider], H, times) - creep(paradigm, friction, share, times);
    [off, 0.5 * spin * spin * H * radius * times[1]]
}

#[test]
fn turntables_keep_what_friction_holds() {
    let mut random = Random::new(8);
    for paradigm in presets() {
        for _ in 0..3 {
            let [off, tangent] = turntable(paradigm, &mut random);
            assert!(off < SLIP, "{}: {off} m", paradigm.name);
            // the control: what is carried along the tangent creeps outwards
            assert!(tangent > 10.0 * SLIP, "{tangent} m");
        }
    }
}

/// How far a plate that swings along itself, and needs this share of the friction at most, lets a rider slip beyond creep.
fn shaken(paradigm: Paradigm, random: &mut Random) -> f64 {
    let (friction, frequency, angle) = (random.range(0.2, 0.8), random.range(0.7, 2.0), random.range(0.0, TAU));
    let (share, times) = (random.range(0.5, 0.9), [0.1, 1.0]);
    let (mut world, plate, rider) = plate(paradigm, friction, [0.0, 0.0]);
    let rate = TAU * frequency;
    let travel = Vec3::new(angle.cos(), 0.0, angle.sin()) * (share * friction * G / (rate * rate));
    let middle = Pose::new(Vec3::Y * -0.1, Quat::IDENTITY);
    world.add_script(plate, Sinusoid { middle, travel, turn: Vec3::ZERO, frequency, phase: 0.0 }).unwrap();
    world.set_velocity(rider, Twist::new(travel * rate, Vec3::ZERO)).unwrap();
    slip(&mut world, [plate, rider], H, times) - creep(paradigm, friction, share, times)
}

#[test]
fn shaken_plates_keep_what_friction_holds() {
    let mut random = Random::new(9);
    for paradigm in presets() {
        for _ in 0..3 {
            let off = shaken(paradigm, &mut random);
            // a body that drifts for half a step at its old velocity is ahead of the plate by a h^2 / 8
            assert!(off < SLIP + G * H * H / 4.0, "{}: {off} m", paradigm.name);
        }
    }
}

/// A see-saw lifts what rests on it and lets it down again: along the normal, too, nothing is lost.
#[test]
fn see_saws_lift_what_rests_on_them() {
    let mut random = Random::new(10);
    for paradigm in presets() {
        let at = random.range(0.5, 1.5);
        let (mut world, plate, rider) = plate(paradigm, 2.0, [at, 0.0]);
        let middle = Pose::new(Vec3::Y * -0.1, Quat::IDENTITY);
        let (frequency, turn) = (random.range(0.2, 0.4), Vec3::Z * random.range(0.2, 0.35));
        world.add_script(plate, Sinusoid { middle, travel: Vec3::ZERO, turn, frequency, phase: -0.25 * TAU }).unwrap();
        let tilt = rotation_by(-turn);
        world.set_pose(rider, middle.position + tilt * Vec3::new(at, 0.12, 0.0), tilt).unwrap();
        let off = slip(&mut world, [plate, rider], H, [0.1, 2.0]);
        assert!(off < SLIP, "{}: {off} m", paradigm.name);
    }
}

/// A ball that rolls on a turntable goes round in circles of its own, at 2/7 of the table's rate, wherever their middle is.
#[test]
fn balls_on_turntables_keep_their_circles() {
    let mut random = Random::new(11);
    for paradigm in presets() {
        let (radius, spin) = (random.range(0.05, 0.15), random.range(1.0, 3.0));
        let (middle, off) = (Vec3::new(random.range(-0.4, 0.4), radius, 0.1), Vec3::X * random.range(0.3, 0.6));
        let (mut world, plate, _) = plate(paradigm, 0.8, [-1.8, -1.8]);
        let turn = Vec3::Y * spin;
        world.set_velocity(plate, Twist::new(Vec3::ZERO, turn)).unwrap();
        let ball =
            Body::dynamic(Shape::sphere(radius).unwrap()).at(middle + off).material(drystone_core::MaterialIndex(1));
        let ball = world.add(ball).unwrap();
        let velocity = turn.cross(off) * (2.0 / 7.0);
        // it rolls: the point that touches has the velocity of the table there
        let slip = turn.cross(middle + off) - velocity;
        world.set_velocity(ball, Twist::new(velocity, Vec3::Y.cross(slip) * (-1.0 / radius))).unwrap();
        let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
        for _ in 0..(2.0 / H) as usize {
            world.advance(H).unwrap();
            let r = (world.position(ball).unwrap() - middle).length();
            (least, most) = (least.min(r), most.max(r));
        }
        let off = off.length();
        assert!(off - least < 0.02 * off && most - off < 0.02 * off, "{}: {least} to {most} of {off} m", paradigm.name);
    }
}
