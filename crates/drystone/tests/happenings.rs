//! Events as values, checked against closed forms, against a look at every pair, and with steps that are rolled back.

use drystone::core::JointStrength;
use drystone::core::catalogue::Value;
use drystone::prelude::*;
use drystone::{Event, ModuleChoice, ModuleKind, Touch};
use std::collections::BTreeMap;

fn ball(radius: f64) -> Body {
    Body::dynamic(Shape::sphere(radius).unwrap())
}

fn floor() -> Body {
    Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())
}

fn with_inertia() -> impl Iterator<Item = Paradigm> {
    Paradigm::ALL.iter().copied().filter(|p| p.name != "first-order")
}

#[test]
fn a_fall_is_told_with_place_speed_and_impulse_under_every_preset() {
    let (height, mass): (f64, f64) = (1.3, 2.0);
    let speed = (2.0 * 9.81 * (height - 0.1)).sqrt();
    // not at the level of accelerations, where the impact solver's impulse is not reported: forces of the step stand in its place
    let told = |p: &Paradigm| ![Paradigm::ACCELERATION_LCP.name, Paradigm::ACCELERATION_LP.name].contains(&p.name);
    for paradigm in with_inertia().filter(told) {
        let settings = vec![("sub_steps".to_owned(), Value::Integer(10))];
        let choice = ModuleChoice { kind: ModuleKind::TimeControl, name: None, settings };
        let builder = || World::builder().paradigm(paradigm);
        // some presets choose their own steps
        let mut world = builder().choose(choice).build().or_else(|_| builder().build()).unwrap();
        let dead = world.add_material(Material { restitution: 0.0, ..Material::default() }).unwrap();
        let ground = world.add(floor().material(dead)).unwrap();
        let body = world.add(ball(0.1).at([0.3, height, 0.2]).mass(mass).material(dead)).unwrap();
        let mut events = Vec::new();
        for _ in 0..40 {
            world.advance(0.02).unwrap();
            events.extend(world.drain_events());
        }
        let name = paradigm.name;
        let Some(Event::TouchBegan(touch)) = events.first() else { panic!("{name}: {events:?}") };
        assert_eq!((touch.bodies, touch.normal), ([ground, body], Vec3::Y), "{name}");
        // a preset that looks a whole frame ahead saw the contact where the frame began
        assert!((touch.point - Vec3::new(0.3, 0.0, 0.2)).length() < 0.06, "{name}: {touch:?}");
        assert!((touch.speed - speed).abs() < 9.81 * 0.02, "{name}: {touch:?}, {speed}");
        assert!((touch.time - speed / 9.81).abs() < 0.02, "{name}: {touch:?}");
        // to the impulse come the weight until the end of the frame and what removes overlap by velocities; springs take longer than a frame
        let (wanted, weight) = (mass * speed, mass * 9.81 * 0.02);
        let soft = [Paradigm::PENALTY.name, "convex-newton"].contains(&name);
        let (least, most) = (if soft { 0.0 } else { 0.98 * wanted }, 1.2 * wanted + weight);
        assert!(touch.impulse.y > least && touch.impulse.y < most, "{name}: {touch:?}, {wanted}");
        assert!(touch.impulse.x.abs() + touch.impulse.z.abs() < 1e-9 * wanted, "{name}: {touch:?}");
    }
}

/// A pile of balls in a box.
fn pile(paradigm: Paradigm, sub_steps: i64) -> World {
    let settings = vec![("sub_steps".to_owned(), Value::Integer(sub_steps))];
    let choice = ModuleChoice { kind: ModuleKind::TimeControl, name: None, settings };
    let builder = || World::builder().paradigm(paradigm).contact_envelope(0.005);
    // some presets choose their own steps
    let mut world = builder().choose(choice).build().or_else(|_| builder().build()).unwrap();
    let lively = world.add_material(Material { restitution: 0.6, friction: 0.2, ..Material::default() }).unwrap();
    world.add(floor().material(lively)).unwrap();
    for normal in WALLS {
        world.add(Body::fixed(Shape::plane(normal, -0.6).unwrap()).material(lively)).unwrap();
    }
    for i in 0..12 {
        let k = f64::from(i);
        let place = Vec3::new((k * 1.7).sin() * 0.3, 0.4 + 0.45 * k, (k * 2.9).cos() * 0.3);
        world.add(ball(0.15 + 0.01 * (k % 3.0)).at(place).material(lively)).unwrap();
    }
    world
}

/// The inward normals of the sides of the pile's box.
const WALLS: [Vec3; 4] = [Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z];

/// The gap between two bodies of the pile (m).
fn gap_in_pile(world: &World, [a, b]: [BodyId; 2]) -> f64 {
    let radius = |i: usize| 0.15 + 0.01 * ((i as f64 - 5.0) % 3.0);
    let [i, j] = [a, b].map(|b| world.body_index(b).unwrap().at());
    let [p, q] = [a, b].map(|b| world.position(b).unwrap());
    match i {
        0 => q.y - radius(j),
        1..5 => q.dot(WALLS[i - 1]) + 0.6 - radius(j),
        _ => p.distance(q) - radius(i) - radius(j),
    }
}

/// Runs the pile, checks each event of each step against its pair, and returns how many touches began and how many ended.
fn touches_of_pile(paradigm: Paradigm, sub_steps: i64) -> (usize, usize) {
    let mut world = pile(paradigm, sub_steps);
    let name = paradigm.name;
    let dt = 0.005;
    let mut touching: BTreeMap<[BodyId; 2], f64> = BTreeMap::new();
    let mut overlapping: Vec<[BodyId; 2]> = Vec::new();
    let (mut began, mut ended) = (0, 0);
    for step in 0..300 {
        let all: Vec<BodyId> = world.bodies().to_vec();
        let pairs: Vec<[BodyId; 2]> =
            (5..all.len()).flat_map(|j| (0..j).map(move |i| (i, j))).map(|(i, j)| [all[i], all[j]]).collect();
        let gaps: BTreeMap<_, _> = pairs.iter().map(|p| (*p, gap_in_pile(&world, *p))).collect();
        world.advance(dt).unwrap();
        let mut last = world.time() - dt;
        for event in world.events() {
            assert!(event.time() >= last - 1e-12 && event.time() <= world.time() + 1e-12, "{name}: {event:?}");
            last = event.time();
            match *event {
                Event::TouchBegan(Touch { bodies, normal, impulse, .. }) => {
                    assert!(touching.insert(bodies, event.time()).is_none(), "{name}, {step}: begun twice");
                    began += 1;
                    // no pair closes at more than 15 m/s
                    let near = gaps[&bodies].min(gap_in_pile(&world, bodies));
                    assert!(near < 0.005 + 15.0 * dt, "{name}, {step}: {bodies:?} are {near} apart");
                    assert!((normal.length() - 1.0).abs() < 1e-9 && impulse.dot(normal) >= -1e-9, "{name}: {event:?}");
                }
                Event::TouchEnded { bodies, .. } => {
                    assert!(touching.remove(&bodies).is_some(), "{name}, {step}: ended without a beginning");
                    ended += 1;
                }
                Event::FellAsleep { .. } | Event::Woke { .. } => {}
                _ => panic!("{name}: {event:?}"),
            }
        }
        assert!(world.touching().eq(touching.keys().copied()), "{name}, {step}");
        // a pair that overlaps at the end of one step is known to touch at the end of the next, unless
        // it parted in it; `impulse-split` looks only after a trial motion, in which it may part
        let looks_where_it_begins = paradigm != Paradigm::IMPULSE_SPLIT;
        for pair in overlapping.iter().filter(|_| looks_where_it_begins) {
            assert!(
                touching.contains_key(pair) || gap_in_pile(&world, *pair) > 0.0,
                "{name}, {step}: {pair:?} not told"
            );
        }
        overlapping = pairs.into_iter().filter(|p| gap_in_pile(&world, *p) < -1e-4).collect();
    }
    (began, ended)
}

#[test]
fn every_begin_has_an_end_and_what_overlaps_was_told_under_every_preset() {
    for paradigm in with_inertia() {
        for sub_steps in [1, 3] {
            let (began, ended) = touches_of_pile(paradigm, sub_steps);
            assert!(began > 30 && ended > 10 && began >= ended, "{}: {began}, {ended}", paradigm.name);
        }
    }
}

#[test]
fn what_lies_behind_a_wall_is_not_told_where_the_step_is_taken_back() {
    let shot = |wall: bool| {
        let mut world = World::builder().paradigm(Paradigm::RETROACTIVE).gravity(Vec3::ZERO).build().unwrap();
        let plate = Shape::cuboid(0.5, 5.0, 5.0).unwrap();
        let wall = wall.then(|| world.add(Body::fixed(plate)).unwrap());
        // behind the wall, where a step from x = -2 would end
        let target = world.add(Body::fixed(Shape::sphere(0.3).unwrap()).at([1.0, 0.0, 0.0])).unwrap();
        let body = ball(0.2).at([-2.0, 0.0, 0.0]).linear_velocity([30.0, 0.0, 0.0]);
        let body = world.add(body).unwrap();
        world.set_keep_events(true);
        for _ in 0..4 {
            world.advance(0.1).unwrap();
        }
        let begun = |e: Event| if let Event::TouchBegan(t) = e { Some(t.bodies) } else { None };
        (wall, target, body, world.drain_events().filter_map(begun).collect::<Vec<_>>())
    };
    let (wall, _, body, events) = shot(true);
    assert_eq!(events, [[wall.unwrap(), body]]);
    // the control: without the wall the touch is reported
    let (_, target, body, events) = shot(false);
    assert_eq!(events, [[target, body]]);
}

#[test]
fn a_sensor_feels_and_changes_nothing_under_every_preset() {
    // H-10
    for paradigm in with_inertia() {
        let run = |sensor: bool| {
            let mut world = World::builder().paradigm(paradigm).build().unwrap();
            world.add(floor()).unwrap();
            let body = world.add(ball(0.1).at([0.0, 2.0, 0.0])).unwrap();
            let still = world.add(ball(0.1).at([3.0, 0.1, 0.0])).unwrap();
            let gates = sensor.then(|| {
                let gate = Body::fixed(Shape::cuboid(0.5, 0.1, 0.5).unwrap()).at([0.0, 1.0, 0.0]).sensor(true);
                let room = Body::fixed(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).at([3.0, 0.2, 0.0]).sensor(true);
                [gate, room].map(|b| world.add(b).unwrap())
            });
            world.set_keep_events(true);
            for _ in 0..120 {
                world.advance(0.005).unwrap();
            }
            let events: Vec<_> = world.drain_events().collect();
            (gates, [body, still], events, [body, still].map(|b| (world.pose(b).unwrap(), world.velocity(b).unwrap())))
        };
        let name = paradigm.name;
        let (gates, [body, still], events, ends) = run(true);
        let [gate, room] = gates.unwrap();
        assert_eq!(ends, run(false).3, "{name}");
        let entered =
            |s, b| move |e: &&Event| matches!(e, Event::Entered { sensor, body, .. } if (*sensor, *body) == (s, b));
        let left = |s, b| move |e: &&Event| matches!(e, Event::Left { sensor, body, .. } if (*sensor, *body) == (s, b));
        assert_eq!(events.iter().filter(entered(room, still)).count(), 1, "{name}: {events:?}");
        assert_eq!(events.iter().filter(left(room, still)).count(), 0, "{name}: {events:?}");
        let [into, out] = [events.iter().find(entered(gate, body)), events.iter().find(left(gate, body))];
        assert_eq!(events.iter().filter(entered(gate, body)).count(), 1, "{name}: {events:?}");
        // it enters after a fall of 0.8 m, and leaves after 1.2 m
        let when = |fallen: f64| (2.0 * fallen / 9.81).sqrt();
        assert!((into.unwrap().time() - when(0.8)).abs() < 0.011, "{name}: {into:?}");
        assert!((out.unwrap().time() - when(1.2)).abs() < 0.011, "{name}: {out:?}");
    }
}

#[test]
fn joints_that_break_and_bodies_that_sleep_and_wake() {
    let mut world = World::builder().paradigm(Paradigm::LOAD_PROPAGATION).build().unwrap();
    world.add(floor()).unwrap();
    let lamp = world.add(ball(0.1).at([0.0, 3.0, 0.0]).mass(1.0)).unwrap();
    let pose = world.pose(lamp).unwrap();
    let hook = drystone_joints::JointDescription {
        anchor: Some(pose.position),
        ..drystone_joints::JointDescription::new("ball")
    };
    let source = drystone_joints::build(&hook, &Pose::IDENTITY, &pose).unwrap();
    let hook = world.add_joint([None, Some(lamp)], source).unwrap();
    world.set_strength(hook, JointStrength { force: 20.0, torque: f64::INFINITY }).unwrap();
    world.set_keep_events(true);
    for _ in 0..10 {
        world.advance(0.01).unwrap();
    }
    assert!(!world.events().iter().any(|e| matches!(e, Event::JointBroke { .. })), "it bears 9.8 N");
    world.set_gravity([0.0, -40.0, 0.0]).unwrap();
    for _ in 0..600 {
        world.advance(0.01).unwrap();
    }
    let events: Vec<Event> = world.drain_events().collect();
    let broke: Vec<_> = events.iter().filter(|e| matches!(e, Event::JointBroke { .. })).collect();
    let [Event::JointBroke { joint, reaction, time }] = broke[..] else { panic!("{broke:?}") };
    assert!(*joint == hook && (reaction.force.y - 40.0).abs() < 1e-6 && (time - 0.11).abs() < 1e-9, "{broke:?}");
    let sleeps = events.iter().filter(|e| matches!(e, Event::FellAsleep { body, .. } if *body == lamp)).count();
    let wakes = events.iter().filter(|e| matches!(e, Event::Woke { body, .. } if *body == lamp)).count();
    assert!(sleeps == wakes + 1 && world.state().sleeping[1], "{events:?}");
    world.apply_impulse(lamp, Vec3::X, Vec3::ZERO).unwrap();
    world.advance(0.01).unwrap();
    assert!(world.drain_events().any(|e| matches!(e, Event::Woke { body, .. } if body == lamp)));
}

#[test]
fn touches_end_with_their_body_and_a_restore_tells_the_same_again() {
    let mut world = World::builder().build().unwrap();
    let ground = world.add(floor()).unwrap();
    let balls: Vec<BodyId> = (0..3).map(|i| world.add(ball(0.1).at([f64::from(i), 0.15, 0.0])).unwrap()).collect();
    world.set_keep_events(true);
    for _ in 0..5 {
        world.advance(0.01).unwrap();
    }
    let before = world.snapshot();
    world.drain_events().for_each(drop);
    let go_on = |world: &mut World| {
        for _ in 0..100 {
            world.advance(0.01).unwrap();
        }
        world.drain_events().collect::<Vec<_>>()
    };
    let first = go_on(&mut world);
    assert!(first.iter().filter(|e| matches!(e, Event::TouchBegan(_))).count() >= 3, "{first:?}");
    world.restore(&before).unwrap();
    assert_eq!(go_on(&mut world), first);
    world.remove(balls[1]).unwrap();
    let ended: Vec<_> = world.drain_events().collect();
    assert!(matches!(ended[..], [Event::TouchEnded { bodies, .. }] if bodies == [ground, balls[1]]), "{ended:?}");
    assert!(world.touching().eq([[ground, balls[0]], [ground, balls[2]]]));
    // unless events are kept, only those of the last step are listed
    world.set_keep_events(false);
    world.advance(0.01).unwrap();
    assert!(world.events().is_empty());
}

/// The loop of the documentation: a step, then its events.
#[test]
fn what_a_removal_ends_is_told_after_the_next_step() {
    let mut world = World::builder().build().unwrap();
    let ground = world.add(floor()).unwrap();
    let room = Body::fixed(Shape::cuboid(1.0, 1.0, 1.0).unwrap()).at([0.0, 0.5, 0.0]).sensor(true);
    let room = world.add(room).unwrap();
    let balls: Vec<BodyId> =
        (0..4).map(|i| world.add(ball(0.1).at([0.3 * f64::from(i) - 0.5, 0.1, 0.0])).unwrap()).collect();
    let mut seen = Vec::new();
    for k in 0..20 {
        if k == 10 {
            world.remove(balls[2]).unwrap();
            // not yet: what the last step told has not changed
            assert!(world.events().iter().all(|e| !matches!(e, Event::Left { .. })));
        }
        world.advance(0.01).unwrap();
        seen.extend(world.events().to_vec());
    }
    let ended = |e: &&Event| match e {
        Event::TouchEnded { bodies, .. } => *bodies == [ground, balls[2]],
        Event::Left { sensor, body, .. } => (*sensor, *body) == (room, balls[2]),
        _ => false,
    };
    let ends = seen.iter().filter(|e| matches!(e, Event::TouchEnded { .. } | Event::Left { .. })).count();
    assert_eq!((seen.iter().filter(ended).count(), ends), (2, 2), "{seen:?}");
    // sorted by time, each at the time of the removal
    assert!(seen.is_sorted_by(|a, b| a.time() <= b.time()));
    assert!(seen.iter().filter(ended).all(|e| (e.time() - 0.1).abs() < 1e-12));
}

/// Balls that fly through a sensor within a step, at random places in it, enter and leave it when their surfaces say so.
#[test]
fn continuous_bodies_enter_and_leave_what_they_pass_within_a_step() {
    let mut random = drystone_testkit::Random::new(15);
    let h = 1.0 / 60.0;
    let run = |paradigm: Paradigm, continuous: bool, [radius, half, speed, start]: [f64; 4]| {
        let mut world = World::builder().paradigm(paradigm).gravity([0.0; 3]).build().unwrap();
        let gate = Body::fixed(Shape::cuboid(half, 5.0, 5.0).unwrap()).sensor(true);
        world.add(gate).unwrap();
        let shot = Body::dynamic(Shape::sphere(radius).unwrap()).at([start, 0.0, 0.0]);
        world.add(shot.linear_velocity([-speed, 0.0, 0.0]).continuous(continuous)).unwrap();
        let mut seen = Vec::new();
        for _ in 0..30 {
            world.advance(h).unwrap();
            seen.extend(world.events().iter().filter_map(|e| match e {
                Event::Entered { time, .. } => Some((true, *time)),
                Event::Left { time, .. } => Some((false, *time)),
                _ => None,
            }));
        }
        seen
    };
    // with the part of a step that a drift takes
    let presets = [(Paradigm::REAL_TIME, 1.0), (Paradigm::VELOCITY_LCP, 1.0), (Paradigm::MECHANISM, 0.5)];
    for i in 0..40 {
        let radius = random.range(0.05, 0.2);
        let half = random.range(0.05, 0.5);
        let speed = random.range(200.0, 400.0);
        let start = half + radius + random.range(0.1, 20.0);
        let (preset, part) = presets[i % 3];
        let found = run(preset, true, [radius, half, speed, start]);
        let right = [(start - half - radius) / speed, (start + half + radius) / speed];
        let whole = |t: f64| (t / (part * h)).floor();
        let within = whole(right[0]) == whole(right[1]);
        let [(true, entered), (false, left)] = found[..] else { panic!("{}: {found:?}", preset.name) };
        // a shot that is inside at the end of a drift is found there
        let tolerance = if within { 1e-6 } else { h };
        assert!((entered - right[0]).abs() < tolerance && (left - right[1]).abs() < tolerance, "{found:?} {right:?}");
    }
    // negative control: bodies that are not continuous miss what they pass
    assert!(run(Paradigm::REAL_TIME, false, [0.1, 0.2, 400.0, 10.0]).is_empty());
}
