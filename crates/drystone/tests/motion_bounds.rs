//! Bounds of motion are true for bodies that tumble: no pair meets before the time that its record gives.

use drystone::prelude::*;
use drystone_core::{
    BodyIndex, BodyProperties, ClosingBound, Configuration, MotionBound, MotionSolver, NarrowPhase, PosedShape, State,
};
use drystone_math::{Mat3, SymmetricMat3};
use drystone_narrow_phase::Combined;
use drystone_testkit::Random;

const GRAVITY: Vec3 = Vec3::new(0.0, -9.81, 0.0);

/// A vector in a cube of a half edge.
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

/// Two bodies in flight, one of them at times with axes that are not principal ones.
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
        // half of them come for the other
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

/// The least distance over `t` seconds of flight, looked at in small steps.
fn least(c: &Configuration, mut s: State, t: f64) -> f64 {
    const STEPS: u32 = 24;
    let solver = drystone_motion::LieMidpoint::default();
    let bodies: Vec<_> = (0..2).map(BodyIndex::new).filter(|b| c.body(*b).is_dynamic()).collect();
    let h = t / f64::from(STEPS);
    let mut least = f64::INFINITY;
    for _ in 0..STEPS {
        // a parabola: half of gravity's change before the drift, half of it after
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
        // negative control: a bound that forgets that bodies turn, and how much of the time is given away
        let dull = |m: MotionBound| MotionBound { spin: 0.0, ..m };
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
