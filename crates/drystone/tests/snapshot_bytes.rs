//! Snapshots as bytes and JSON: another world goes on from them with the same bits, and forged ones break nothing.

use drystone::prelude::*;
use drystone::{Event, SnapshotError};
use drystone_joints::{JointDescription, Motor, build};
use drystone_motion::script::Sinusoid;
use drystone_testkit::Random;

/// Stacks, bodies in the air, a sensor and a scripted tray; with a motor and a pendulum if the paradigm takes joints.
fn scene(paradigm: Paradigm) -> World {
    let mut world = World::builder().paradigm(paradigm).build().unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
    for i in 0..3 {
        let k = f64::from(i);
        let cube = Body::dynamic(Shape::cuboid(0.3, 0.3, 0.3).unwrap());
        let place = [(k % 2.0) * 0.7, 0.31 + 0.65 * (k / 2.0).floor(), 0.05 * k];
        world.add(cube.at(place).angular_velocity([0.1 * k, 0.0, 0.2])).unwrap();
        let ball = Body::dynamic(Shape::capsule(0.1, 0.15).unwrap()).at([k * 0.3, 3.0, 0.2]);
        world.add(ball.linear_velocity([0.0, -k, 0.3])).unwrap();
    }
    world.add(Body::fixed(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).at([1.0, 2.0, 0.0]).sensor(true)).unwrap();
    // a tray that swings to and fro, and carries a box
    let tray = world.add(Body::scripted(Shape::cuboid(0.5, 0.1, 0.5).unwrap()).at([-6.0, 1.0, 0.0])).unwrap();
    let middle = Pose::from_position(Vec3::new(-6.0, 1.0, 0.0));
    let travel = Vec3::new(0.2, 0.1, 0.0);
    world.add_script(tray, Sinusoid { middle, travel, turn: Vec3::ZERO, frequency: 0.5, phase: 0.0 }).unwrap();
    world.add(Body::dynamic(Shape::cuboid(0.2, 0.2, 0.2).unwrap()).at([-6.0, 1.31, 0.0])).unwrap();
    if takes_joints(paradigm) {
        let wheel = world.add(Body::dynamic(Shape::cuboid(0.4, 0.1, 0.1).unwrap()).at([-3.0, 2.0, 0.0])).unwrap();
        let pose = world.pose(wheel).unwrap();
        let motor = Some(Motor::Velocity { velocity: 9.0, max_force: 50.0 });
        let hinge = JointDescription {
            anchor: Some(pose.position),
            axis: Some(Vec3::Z),
            motor,
            limits: Some([-20.0, 20.0]),
            ..JointDescription::new("hinge")
        };
        world.add_joint([None, Some(wheel)], build(&hinge, &Pose::IDENTITY, &pose).unwrap()).unwrap();
        // a pendulum of two rods
        let mut above = None;
        for k in 0..2 {
            let rod = Body::dynamic(Shape::cuboid(0.25, 0.05, 0.05).unwrap());
            let rod = world.add(rod.at([4.25 + 0.5 * f64::from(k), 3.0, 0.0])).unwrap();
            let anchor = [4.0 + 0.5 * f64::from(k), 3.0, 0.0];
            world.join(Joint::ball(above, rod).anchor(anchor)).unwrap();
            above = Some(rod);
        }
    }
    world
}

/// Whether a paradigm simulates joints, by trying one.
fn takes_joints(paradigm: Paradigm) -> bool {
    let mut world = World::builder().paradigm(paradigm).build().unwrap();
    let rod = world.add(Body::dynamic(Shape::cuboid(0.25, 0.05, 0.05).unwrap())).unwrap();
    world.join(Joint::ball(Joint::WORLD, rod).anchor([0.25, 0.0, 0.0])).unwrap();
    let tried = world.advance(0.001);
    assert!(matches!(tried, Ok(_) | Err(WorldError::Refused { .. })), "{}: {tried:?}", paradigm.name);
    tried.is_ok()
}

fn steps(world: &mut World, n: usize) {
    for _ in 0..n {
        world.advance(0.005).unwrap();
    }
}

#[test]
fn the_same_bits_in_another_world_under_every_preset() {
    for paradigm in Paradigm::ALL {
        for before in [1, 50] {
            let mut first = scene(*paradigm);
            steps(&mut first, before);
            let snapshot = first.snapshot();
            let bytes = snapshot.to_bytes();
            let mut second = scene(*paradigm);
            let read = second.read_snapshot(&bytes).unwrap();
            assert_eq!(read.to_bytes(), bytes, "{}", paradigm.name);
            second.restore(&read).unwrap();
            assert!(second.touching().eq(first.touching()), "{}", paradigm.name);
            // the first world goes back to the same instant by the snapshot in memory
            first.restore(&snapshot).unwrap();
            let go_on = |world: &mut World| {
                world.set_keep_events(true);
                steps(world, 25);
                world.drain_events().collect::<Vec<Event>>()
            };
            assert_eq!(go_on(&mut first), go_on(&mut second), "{} after {before}", paradigm.name);
            assert_eq!(first.state(), second.state(), "{} after {before}", paradigm.name);
        }
    }
}

/// The bytes with a valid checksum at their end, as a forger would make it.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let body = bytes.len() - 8;
    let hash = |h: u64, b: &u8| (h ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3);
    let sum = bytes[..body].iter().fold(0xcbf2_9ce4_8422_2325, hash);
    bytes[body..].copy_from_slice(&sum.to_le_bytes());
    bytes
}

/// Leaning bricks without friction: their contacts depend on each other, and a solver's buffers used to keep what it had solved before.
#[test]
fn a_stack_of_dependent_contacts_goes_on_with_the_same_bits() {
    let stack = || {
        let mut world = World::builder().paradigm(Paradigm::MECHANISM).build().unwrap();
        let ice = world.add_material(Material { friction: 0.0, ..Material::default() }).unwrap();
        let smooth = |body: Body| body.material(ice).density(100.0);
        world.add(smooth(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()))).unwrap();
        for k in 0..5 {
            let place = [0.3 * f64::from(k), 0.25 + 0.5 * f64::from(k), 0.0];
            world.add(smooth(Body::dynamic(Shape::cuboid(0.5, 0.25, 0.25).unwrap()).at(place))).unwrap();
        }
        world
    };
    let mut first = stack();
    for _ in 0..60 {
        let mut second = stack();
        let read = second.read_snapshot(&first.snapshot().to_bytes()).unwrap();
        second.restore(&read).unwrap();
        steps(&mut first, 1);
        steps(&mut second, 1);
        assert_eq!(first.state(), second.state(), "at {}", first.time());
    }
}

/// A force waiting for the next step is stored for the bodies that existed when it was applied: a body added later has none.
#[test]
fn a_push_and_then_a_new_body_go_into_bytes_and_come_back() {
    let ball = || Body::dynamic(Shape::sphere(0.5).unwrap());
    let build = || {
        let mut world = World::builder().build().unwrap();
        let first = world.add(ball().at([0.0, 5.0, 0.0])).unwrap();
        world.apply_force(first, Vec3::X * 100.0, Vec3::Y * 5.0).unwrap();
        world.add(ball().at([3.0, 5.0, 0.0])).unwrap();
        world
    };
    let (mut first, mut second) = (build(), build());
    let bytes = first.snapshot().to_bytes();
    let read = second.read_snapshot(&bytes).unwrap();
    second.restore(&read).unwrap();
    steps(&mut first, 3);
    steps(&mut second, 3);
    assert_eq!(first.snapshot().to_bytes(), second.snapshot().to_bytes());
    let [pushed, other] = [0, 1].map(|k| second.bodies()[k]);
    assert!(second.velocity(pushed).unwrap().linear.x > 1e-4 && second.velocity(other).unwrap().linear.x == 0.0);
}

#[test]
fn other_bytes_are_refused_in_words() {
    let mut world = scene(Paradigm::VELOCITY_LCP);
    steps(&mut world, 60);
    let bytes = world.snapshot().to_bytes();
    let read = |b: &[u8]| world.read_snapshot(b).map(drop);
    assert_eq!(read(b""), Err(SnapshotError::NotOne));
    assert_eq!(read(b"some other file, not one of these"), Err(SnapshotError::NotOne));
    let with = |at: usize, by: u8| {
        let mut copy = bytes.clone();
        copy[at] ^= by;
        copy
    };
    assert_eq!(read(&with(8, 1)), Err(SnapshotError::Version { found: 6, allowed: 7 }));
    assert_eq!(read(&with(100, 1)), Err(SnapshotError::Damaged));
    assert_eq!(read(&bytes[..bytes.len() - 1]), Err(SnapshotError::Damaged));
    assert_eq!(read(&bytes[..12]), Err(SnapshotError::Cut));
    assert_eq!(read(&sealed(with(16, 1))), Err(SnapshotError::OtherWorld));
    assert_eq!(read(&sealed(bytes[..bytes.len() / 2].to_vec())), Err(SnapshotError::Cut));
    // a world with another set of bodies
    let other = World::builder().build().unwrap();
    assert_eq!(other.read_snapshot(&bytes).map(drop), Err(SnapshotError::OtherWorld));
}

/// Restores whatever was accepted as a snapshot, and steps: the steps may fail, but must not panic. Counts refusals and acceptances.
fn try_steps(world: &mut World, found: Result<drystone::Snapshot, SnapshotError>, counts: &mut [u32; 2]) {
    match found {
        Ok(snapshot) => {
            counts[1] += 1;
            world.restore(&snapshot).unwrap();
            for _ in 0..2 {
                let _ = world.advance(0.005);
            }
        }
        Err(error) => {
            counts[0] += 1;
            assert!(!error.to_string().is_empty());
        }
    }
}

#[test]
fn forged_bytes_break_nothing() {
    const NUMBERS: [f64; 10] = [0.0, -0.0, -1.0, 1e-310, 1e30, -1e30, 1e99, -1e99, f64::INFINITY, f64::NAN];
    for paradigm in Paradigm::ALL {
        let mut world = scene(*paradigm);
        steps(&mut world, 60);
        let bytes = world.snapshot().to_bytes();
        let mut random = Random::new(7);
        let mut counts = [0; 2];
        for _ in 0..40 {
            let mut copy = bytes.clone();
            for _ in 0..=random.below(4) {
                let at = 24 + random.below(copy.len() - 40);
                match random.below(5) {
                    0 => copy[at] ^= 1 << random.below(8),
                    1 => copy[at] = random.below(256) as u8,
                    2 => drop(copy.remove(at)),
                    3 => copy.insert(at, random.below(256) as u8),
                    _ => copy[at..at + 8].copy_from_slice(&NUMBERS[random.below(NUMBERS.len())].to_le_bytes()),
                }
            }
            let found = world.read_snapshot(&sealed(copy));
            try_steps(&mut world, found, &mut counts);
        }
        assert!(counts[0] > 1 && counts[1] > 1, "{}: {counts:?}", paradigm.name);
    }
}

#[cfg(feature = "json")]
mod json {
    use super::*;
    use serde_json::Value;

    #[test]
    fn the_text_is_the_bytes() {
        for paradigm in [Paradigm::VELOCITY_LCP, Paradigm::REAL_TIME, Paradigm::MECHANISM] {
            let mut world = scene(paradigm);
            steps(&mut world, 70);
            let snapshot = world.snapshot();
            let text = snapshot.to_json();
            let read = world.read_snapshot(text.as_bytes()).unwrap();
            assert_eq!(read.to_bytes(), snapshot.to_bytes(), "{}", paradigm.name);
            assert_eq!(read.to_json(), text);
        }
    }

    #[test]
    fn other_texts_are_refused_in_words() {
        let world = scene(Paradigm::VELOCITY_LCP);
        let value: Value = serde_json::from_str(&world.snapshot().to_json()).unwrap();
        let said = |edit: &dyn Fn(&mut Value)| {
            let mut value = value.clone();
            edit(&mut value);
            world.read_snapshot(value.to_string().as_bytes()).map(drop).unwrap_err().to_string()
        };
        assert_eq!(said(&|v| v["format"] = "toml".into()), "this is no snapshot of drystone's");
        assert!(said(&|v| v["version"] = 2.into()).contains("version 2 of the format; allowed: 7"));
        assert!(said(&|v| v["world"] = "00".into()).contains("other bodies, joints or forces"));
        assert!(said(&|v| drop(v["state"].as_object_mut().unwrap().remove("time"))).contains("part 'time'"));
        assert!(said(&|v| v["state"]["tiem"] = 1.into()).contains("more in it"));
        assert!(said(&|v| v["state"]["time"] = "now".into()).contains("number"));
        assert!(said(&|v| v["state"]["position"][1] = serde_json::json!([0.0, 1.0])).contains("another length"));
        assert!(said(&|v| v["state"]["position"][1][0] = "inf".into()).contains("not finite"));
        assert_eq!(world.read_snapshot(b"{").map(drop), Err(SnapshotError::NotOne));
    }

    /// The paths of all values that are neither lists nor objects.
    fn leaves(value: &Value, path: String, found: &mut Vec<String>) {
        match value {
            Value::Array(list) => list.iter().enumerate().for_each(|(k, v)| leaves(v, format!("{path}/{k}"), found)),
            Value::Object(parts) => parts.iter().for_each(|(k, v)| leaves(v, format!("{path}/{k}"), found)),
            _ => found.push(path),
        }
    }

    #[test]
    fn forged_fields_break_nothing() {
        let values: [Value; 10] = [
            Value::Null,
            true.into(),
            (-1).into(),
            0.into(),
            u64::MAX.into(),
            (-1e99).into(),
            1e99.into(),
            1e308.into(),
            "inf".into(),
            "reuse".into(),
        ];
        for paradigm in [Paradigm::VELOCITY_LCP, Paradigm::REAL_TIME, Paradigm::LOAD_PROPAGATION, Paradigm::MECHANISM] {
            let mut world = scene(paradigm);
            steps(&mut world, 60);
            let text = world.snapshot().to_json();
            let value: Value = serde_json::from_str(&text).unwrap();
            let mut paths = Vec::new();
            leaves(&value, String::new(), &mut paths);
            let (mut random, mut counts) = (Random::new(3), [0; 2]);
            for _ in 0..100 {
                let mut copy = value.clone();
                for _ in 0..=random.below(3) {
                    let path = &paths[random.below(paths.len())];
                    *copy.pointer_mut(path).unwrap() = values[random.below(values.len())].clone();
                }
                let found = world.read_snapshot(copy.to_string().as_bytes());
                try_steps(&mut world, found, &mut counts);
            }
            assert!(counts[0] > 10 && counts[1] > 10, "{}: {counts:?}", paradigm.name);
        }
    }
}
