//! Motion bounds hold for tumbling bodies: no pair meets before the time that its record gives (B-10, B-11).

use drystone::prelude::*;
use drystone_core::{
    BodyIndex, BodyProperties, ClosingBound, Configuration, LinkageBound, MotionBound, MotionSolver, NarrowPhase,
    PosedShape, State,
};
use drystone_math::{Mat3, SymmetricMat3};
use drystone_narrow_phase::Combined;
use drystone_testkit::Random;

const GRAVITY: Vec3 = Vec3::new(0.0, -9.81, 0.0);

/// A random vector with components from `-size` to `size`.
fn vector(r: &mut Random, size: f64) -> Vec3 {
    let mut entry = || r.range(-size, size);
    Vec3::new(entry(), entry(), entry())
}

fn shape(r: &mut Random) -> Shape {
    let mut size = || r.range(0.05, 0.6);
    let (x, y, z) = (size(), size(), size());
    match (x * 1000.0) as u32 % 4 {
        0 => Shape::sphere(x).unwrap(),
        1 => Shape::capsule(x, y).unwrap(),
        _ => Shape::cuboid(x, y, z).unwrap(),
    }
}

/// Two bodies in flight, some of them with a frame that is not along the principal axes.
fn pair(r: &mut Random) -> (Configuration, State) {
    let mut c = Configuration { gravity: GRAVITY, ..Configuration::default() };
    let mut s = State::default();
    for k in 0..2 {
        let shape = shape(r);
        let mass = shape.mass_properties(1.0).unwrap();
        let mut body = BodyProperties::dynamic(shape, &mass).unwrap();
        let turned = Quat::from_scaled_axis(vector(r, 2.0));
        if r.range(0.0, 1.0) < 0.5 {
            let m = Mat3::from_quat(turned);
            let full = |i: &SymmetricMat3| SymmetricMat3::from_mat3(&(m * i.to_mat3() * m.transpose()));
            (body.inertia, body.inverse_inertia) = (full(&body.inertia), full(&body.inverse_inertia));
        }
        if k == 1 && r.range(0.0, 1.0) < 0.3 {
            body = BodyProperties::fixed(body.shape);
        }
        let fixed = !body.is_dynamic();
        c.bodies.push(body);
        let place = if k == 0 { Vec3::ZERO } else { vector(r, 1.5) };
        // half of them fly towards the other body
        let toward = if r.unit() < 0.5 { place * -2.0 } else { Vec3::ZERO };
        let velocity = Twist::new(toward + vector(r, 3.0), vector(r, 12.0));
        s.push(Pose::new(place, turned), if fixed { Twist::ZERO } else { velocity });
    }
    (c, s)
}

fn distance(c: &Configuration, s: &State) -> (f64, Vec3) {
    let [a, b] = [0, 1].map(|k| PosedShape { shape: &c.bodies[k].shape, pose: s.pose(BodyIndex::new(k)) });
    let p = Combined.query(a, b, f64::INFINITY, &mut Default::default(), &mut Vec::new()).unwrap();
    (p.distance, p.normal)
}

fn bounds(c: &Configuration, s: &State) -> [MotionBound; 2] {
    [0, 1].map(|k| {
        let body = &c.bodies[k];
        let g = if body.is_dynamic() { GRAVITY } else { Vec3::ZERO };
        MotionBound::of(body, s.orientation[k], s.velocity(BodyIndex::new(k)), g)
    })
}

/// The least distance (m) during `t` seconds of flight, sampled in small steps.
fn least(c: &Configuration, mut s: State, t: f64) -> f64 {
    const STEPS: u32 = 24;
    let solver = drystone_motion::LieMidpoint::default();
    let bodies: Vec<_> = (0..2).map(BodyIndex::new).filter(|b| c.body(*b).is_dynamic()).collect();
    let h = t / f64::from(STEPS);
    let mut least = f64::INFINITY;
    for _ in 0..STEPS {
        // half of gravity's change before the drift and half after it gives the exact parabola
        for half in 0..2 {
            for b in &bodies {
                s.linear_velocity[b.at()] += GRAVITY * (0.5 * h);
            }
            if half == 0 {
                solver.drift(c, &mut s, &bodies, h);
            }
        }
        least = least.min(distance(c, &s).0);
    }
    least
}

#[test]
fn ten_thousand_pairs_do_not_meet_before_they_may() {
    let mut r = Random::new(20);
    let (mut tried, mut still, mut sharp, mut blind) = (0, 0, 0, 0);
    while tried < 10_000 {
        let (c, s) = pair(&mut r);
        let (gap, normal) = distance(&c, &s);
        if gap <= 1e-3 {
            continue;
        }
        tried += 1;
        let [a, b] = bounds(&c, &s);
        let t = ClosingBound::of(&a, &b, Some(normal)).not_before(gap);
        let any = ClosingBound::of(&a, &b, None).not_before(gap);
        assert!(any <= t * (1.0 + 1e-12), "a normal makes a bound sharper: {any} {t}");
        if !t.is_finite() {
            still += 1;
            continue;
        }
        assert!(least(&c, s.clone(), t.min(2.0)) > -1e-9 * (1.0 + t), "pair {tried}: met before {t} s, gap {gap}");
        // negative control: a bound that ignores rotation; also counts how often the bound is sharp
        let dull = |m: MotionBound| MotionBound { spin: 0.0, growth: 0.0, ..m };
        let late = ClosingBound::of(&dull(a), &dull(b), Some(normal)).not_before(gap).min(2.0);
        if tried <= 1000 {
            blind += u32::from(least(&c, s.clone(), late) < -1e-6);
            sharp += u32::from(least(&c, s, (3.0 * t).min(2.0)) < 0.0);
        }
    }
    assert!(still < 100, "{still} pairs never meet");
    assert!(blind > 50, "without turning the bound fails in {blind} of 1000");
    assert!(sharp > 5, "{sharp} of 1000 meet within three times the bound");
}

/// A moving chain of two to five boxes on ball joints. Returns its links, and whether the first is joined to the world.
fn chain(r: &mut Random) -> (World, Vec<BodyId>, bool) {
    let mut world = World::builder().paradigm(Paradigm::MECHANISM).gravity(GRAVITY).build().unwrap();
    let held = r.unit() < 0.5;
    let spin = vector(r, 6.0);
    let mut links = Vec::new();
    let mut anchor = Vec3::ZERO;
    for k in 0..2 + (r.unit() * 4.0) as usize {
        let half = Vec3::new(r.range(0.05, 0.3), r.range(0.05, 0.3), r.range(0.05, 0.3));
        let turned = Quat::from_scaled_axis(vector(r, 2.0));
        let at = anchor + turned * Vec3::X * half.x;
        // all start by rotating as one body about the first anchor
        let body = Body::dynamic(Shape::cuboid(half.x, half.y, half.z).unwrap()).mass(r.range(0.1, 10.0)).at(at);
        let body = body.oriented(turned).linear_velocity(spin.cross(at)).angular_velocity(spin);
        let link = world.add(body).unwrap();
        let before = links.last().copied();
        if let Some(before) = before {
            world.join(Joint::ball(before, link).anchor(anchor)).unwrap();
        } else if held {
            world.join(Joint::ball(Joint::WORLD, link).anchor(anchor)).unwrap();
        }
        links.push(link);
        anchor += turned * Vec3::X * (2.0 * half.x);
        assert!(k < 5);
    }
    for _ in 0..200 {
        world.advance(1e-3).unwrap();
    }
    (world, links, held)
}

/// How far (m) any corner departs from the motion by the bound's own velocity and acceleration, beyond what the bound allows.
fn beyond(bound: &MotionBound, half: Vec3, from: Pose, now: Pose, t: f64) -> f64 {
    let carried = bound.velocity * t + bound.acceleration * (0.5 * t * t);
    let allowed = bound.spin * t + 0.5 * bound.growth * t * t;
    (0..8)
        .map(|k| {
            let sign = |bit: u32| if k >> bit & 1 == 0 { -1.0 } else { 1.0 };
            let corner = half * Vec3::new(sign(0), sign(1), sign(2));
            (now.point(corner) - from.point(corner) - carried).length() - allowed
        })
        .fold(f64::NEG_INFINITY, f64::max)
}

#[test]
fn a_hundred_chains_keep_to_the_bound_of_linkages() {
    const STEP: f64 = 5e-4;
    let mut r = Random::new(7);
    let (mut blind, mut sharp) = (0, 0.0_f64);
    for number in 0..100 {
        let (mut world, links, held) = chain(&mut r);
        let bodies: Vec<BodyIndex> = (0..links.len()).map(BodyIndex::new).collect();
        let linkage = LinkageBound::of(world.configuration(), world.state(), &bodies, held);
        let start = world.state().clone();
        let of = |c: &Configuration, b: BodyIndex| {
            let Shape::Box(shape) = &c.body(b).shape else { panic!("a box") };
            let alone = MotionBound::of(c.body(b), start.orientation[b.at()], start.velocity(b), GRAVITY);
            (shape.half_extents(), linkage.body(c.body(b)), alone)
        };
        let bounds: Vec<_> = bodies.iter().map(|b| of(world.configuration(), *b)).collect();
        let mut broken = false;
        for step in 1..=400 {
            world.advance(STEP).unwrap();
            let t = STEP * f64::from(step);
            for (body, (half, bound, alone)) in bodies.iter().zip(&bounds) {
                let [from, now] = [start.pose(*body), world.state().pose(*body)];
                let over = beyond(bound, *half, from, now, t);
                let way = bound.spin * t + 0.5 * bound.growth * t * t;
                assert!(over < 1e-3 * way, "chain {number}, body {body:?}: {over} m too far after {t} s");
                sharp = sharp.max(1.0 + over / way);
                broken |= beyond(alone, *half, from, now, t) > 1e-3;
            }
        }
        blind += u32::from(broken);
    }
    // the control: bounds for each link as if it flew alone
    assert!(blind > 40, "the bound of bodies in flight is broken by {blind} of 100 chains");
    assert!(sharp > 0.5, "no chain takes more than {sharp} of what it is given");
    println!("{blind} of 100 break the bound of single bodies; the most that is taken of the linkage's: {sharp}");
}

/// A moving chain of two to four boxes, hung at the origin by ball joints, or by hinges with motors or springs in them. The wall beside it lets the
/// chain pass, so that the time at which they meet can be observed.
fn chain_beside_wall(r: &mut Random, number: usize) -> (World, Vec<BodyId>, BodyId) {
    let mut world = World::builder().paradigm(Paradigm::MECHANISM).gravity(GRAVITY).build().unwrap();
    // two of three chains start at rest
    let spin = if r.unit() < 0.67 { Vec3::ZERO } else { Vec3::Z * r.range(-6.0, 6.0) };
    let (mut links, mut anchor) = (Vec::new(), Vec3::ZERO);
    for _ in 0..2 + (r.unit() * 3.0) as usize {
        let half = Vec3::new(r.range(0.1, 0.3), r.range(0.03, 0.1), r.range(0.03, 0.1));
        let turned = Quat::from_rotation_z(r.range(-3.0, 0.0));
        let at = anchor + turned * Vec3::X * half.x;
        let body = Body::dynamic(Shape::cuboid(half.x, half.y, half.z).unwrap()).mass(r.range(0.1, 10.0)).at(at);
        let link = world.add(body.oriented(turned).linear_velocity(spin.cross(at)).angular_velocity(spin)).unwrap();
        let before: Option<BodyId> = links.last().copied();
        let joint = match number % 3 {
            0 => Joint::ball(before, link).anchor(anchor),
            1 => {
                let velocity = if r.unit() < 0.5 { 8.0 } else { -8.0 };
                let motor = Motor::Velocity { velocity, max_force: r.range(0.1, 5.0) };
                Joint::hinge(before, link).anchor(anchor).axis(Vec3::Z).motor(motor)
            }
            _ => {
                let spring =
                    drystone::Spring { stiffness: r.range(1.0, 30.0), damping: 0.01, rest: r.range(-2.0, 2.0) };
                Joint::hinge(before, link).anchor(anchor).axis(Vec3::Z).spring(spring)
            }
        };
        world.join(joint).unwrap();
        links.push(link);
        anchor += turned * Vec3::X * (2.0 * half.x);
    }
    // the wall stands to the right or to the left
    let side = if r.unit() < 0.5 { 0.0 } else { core::f64::consts::PI };
    let toward = Quat::from_rotation_z(side);
    let wall = Body::fixed(Shape::cuboid(0.2, 3.0, 3.0).unwrap());
    let wall = world.add(wall.at(toward * Vec3::X * r.range(0.9, 1.8)).oriented(toward)).unwrap();
    for link in &links {
        world.ignore_pair(*link, wall).unwrap();
    }
    (world, links, wall)
}

/// The time before which the bound for free flight excludes a meeting of the two bodies (s).
fn in_flight(world: &World, link: BodyId, wall: BodyId) -> f64 {
    let [a, b] = [link, wall].map(|x| world.body_index(x).unwrap());
    let (c, s) = (world.configuration(), world.state());
    let posed = |x: BodyIndex| PosedShape { shape: &c.body(x).shape, pose: s.pose(x) };
    let p = Combined.query(posed(a), posed(b), f64::INFINITY, &mut Default::default(), &mut Vec::new()).unwrap();
    let bound = MotionBound::of(c.body(a), s.orientation[a.at()], s.velocity(a), GRAVITY);
    ClosingBound::of(&bound, &MotionBound::default(), Some(p.normal)).not_before(p.distance)
}

#[test]
fn linked_bodies_do_not_meet_before_they_may() {
    const STEP: f64 = 2e-3;
    let mut r = Random::new(12);
    let (mut met, mut blind, mut sharpest) = ([0; 3], [0; 3], 0.0_f64);
    let mut number = 0;
    while met.iter().sum::<usize>() < 45 {
        number += 1;
        let (mut world, links, wall) = chain_beside_wall(&mut r, number);
        // for each link, the predictions made until it meets the wall
        let mut said: Vec<Vec<[f64; 3]>> = vec![Vec::new(); links.len()];
        let mut impact = None;
        for step in 0..300 {
            let t = STEP * f64::from(step);
            for (link, said) in links.iter().zip(&mut said).filter(|_| step % 3 == 0) {
                let bound = world.query().impact_not_before(*link, wall).unwrap();
                said.push([t, bound, in_flight(&world, *link, wall)]);
            }
            impact = said.iter().position(|s| s.last().is_some_and(|l| l[1] == 0.0));
            if impact.is_some() {
                break;
            }
            world.advance(STEP).unwrap();
        }
        let Some(first) = impact.filter(|_| said[0].len() > 1) else { continue };
        met[number % 3] += 1;
        let when = said[first].last().unwrap()[0];
        let mut broken = false;
        for [t, bound, flight] in &said[first][..said[first].len() - 1] {
            assert!(
                t + bound <= when + 1e-9,
                "chain {number}: said at {t} s not before {}, met at {when} s",
                t + bound
            );
            sharpest = sharpest.max(bound / (when - t));
            broken |= t + flight > when + 3.0 * STEP;
        }
        blind[number % 3] += usize::from(broken);
    }
    println!(
        "{met:?} chains meet the wall; bounds of flight are broken by {blind:?}; the sharpest is {sharpest} of the time left"
    );
    // the control: bounds as if the links were in free flight
    assert!(met.iter().all(|m| *m >= 8) && blind.iter().all(|b| *b > 0), "{blind:?} of {met:?}");
    assert!(4 * blind.iter().sum::<usize>() > met.iter().sum(), "{blind:?} of {met:?}");
    assert!(sharpest > 0.2, "{sharpest}");
}

#[test]
fn what_is_not_known_gives_no_promise() {
    let world = |motor: Option<Motor>, kind: BodyKind, push: bool| {
        let mut world = World::builder().paradigm(Paradigm::MECHANISM).gravity(GRAVITY).build().unwrap();
        let wall = world.add(Body::fixed(Shape::cuboid(0.1, 1.0, 1.0).unwrap()).at([2.0, 0.0, 0.0])).unwrap();
        let arm = world.add(Body::dynamic(Shape::cuboid(0.5, 0.1, 0.1).unwrap()).at([0.5, 0.0, 0.0])).unwrap();
        let base = match kind {
            BodyKind::Scripted => Body::scripted(Shape::sphere(0.1).unwrap()),
            _ => Body::fixed(Shape::sphere(0.1).unwrap()),
        };
        let base = world.add(base).unwrap();
        let joint = Joint::hinge(base, arm).anchor(Vec3::ZERO).axis(Vec3::Z);
        world.join(if let Some(m) = motor { joint.motor(m) } else { joint }).unwrap();
        if push {
            world.add_force(drystone_motion::force::Damping { linear: 0.1, ..Default::default() });
        }
        world.query().impact_not_before(arm, wall).unwrap()
    };
    let free = world(None, BodyKind::Fixed, false);
    let weak = world(Some(Motor::Velocity { velocity: 9.0, max_force: 1.0 }), BodyKind::Fixed, false);
    assert!(free > weak && weak > 0.0, "{free} {weak}");
    let servo = Motor::Position { target: 1.0, max_force: f64::INFINITY };
    assert!(world(Some(servo), BodyKind::Fixed, false) < 1e-4);
    assert_eq!(world(None, BodyKind::Scripted, false), 0.0);
    assert_eq!(world(None, BodyKind::Fixed, true), 0.0);
}
