//! No contact is deeper than the overlap of the two shapes along its normal, and one contact of a pair is as deep as the pair: at random
//! poses, for all pairs of shapes with a support function, up to 5 cm in each other, with any contact envelope.

use drystone_contact::ClippingManifold;
use drystone_core::{ContactDetermination, ContactPoint, Manifold, NarrowPhase, PosedShape, Proximity};
use drystone_geometry::Shape;
use drystone_math::{Pose, Real, Vec3};
use drystone_narrow_phase::Combined;
use drystone_testkit::Random;

const POSES: usize = 500;
const DEEPEST: Real = 0.05;

fn shapes() -> Vec<Shape> {
    let mut random = Random::new(5);
    let points: Vec<Vec3> = (0..14).map(|_| random.direction() * 0.45).collect();
    let corners = [[0.5, -0.3, 0.0], [-0.4, -0.3, 0.4], [-0.4, -0.3, -0.4], [0.0, 0.5, 0.0]].map(Vec3::from_array);
    vec![
        Shape::cuboid(0.5, 0.3, 0.4).unwrap(),
        Shape::cuboid(0.6, 0.05, 0.4).unwrap(),
        Shape::cone(0.5, 0.4).unwrap(),
        Shape::cone(0.15, 0.6).unwrap(),
        Shape::cylinder(0.4, 0.3).unwrap(),
        Shape::cylinder(0.5, 0.05).unwrap(),
        Shape::capsule(0.2, 0.4).unwrap(),
        Shape::sphere(0.4).unwrap(),
        Shape::convex(&points).unwrap(),
        Shape::convex(&corners).unwrap(),
    ]
}

fn highest(s: PosedShape<'_>, n: Vec3) -> Real {
    n.dot(s.pose.point(s.shape.support(s.pose.local_direction(n)).unwrap()))
}

/// The overlap of two shapes along a unit vector from A to B (m): the displacement along it that separates them.
fn overlap(a: PosedShape<'_>, b: PosedShape<'_>, n: Vec3) -> Real {
    highest(a, n) + highest(b, -n)
}

/// B placed at random, some depth inside A.
fn placed<'a>(random: &mut Random, x: &'a Shape, y: &'a Shape) -> [PosedShape<'a>; 2] {
    let turned = |random: &mut Random, shape| PosedShape { shape, pose: Pose::new(Vec3::ZERO, random.rotation()) };
    let (a, mut b) = (turned(random, x), turned(random, y));
    let n = random.direction();
    let aside = random.vector(0.15);
    b.pose.position = aside - n * n.dot(aside);
    b.pose.position += n * (overlap(a, b, n) - random.range(0.0, DEEPEST));
    [a, b]
}

/// Why the contacts do not fit the pair; `None` if they do.
fn fault(a: PosedShape<'_>, b: PosedShape<'_>, p: &Proximity, points: &[ContactPoint]) -> Option<String> {
    for c in points {
        let (n, _, separation) = c.world(&a.pose, &b.pose);
        if (separation - c.separation).abs() > 1e-9 {
            return Some(format!("{} m apart, its anchors {separation} m", c.separation));
        }
        let most = overlap(a, b, n);
        if -separation > 1.01 * most + 1e-6 {
            return Some(format!("{} m deep where the overlap is {most} m", -separation));
        }
    }
    let deepest = points.iter().map(|c| -c.separation).fold(Real::NEG_INFINITY, Real::max);
    (deepest < 0.97 * -p.distance - 1e-4).then(|| format!("{deepest} m deep, the pair {} m", -p.distance))
}

/// How many manifolds of all pairs at random poses are faulty after `spoilt` has changed them, the number of manifolds, and the first fault.
fn faults(envelope: Real, spoilt: impl Fn(&mut Vec<ContactPoint>)) -> (usize, usize, Option<String>) {
    let (mut random, shapes) = (Random::new(77), shapes());
    let (mut found, mut count, mut first) = (0, 0, None);
    for (i, x) in shapes.iter().enumerate() {
        for (j, y) in shapes.iter().enumerate().skip(i) {
            for k in 0..POSES {
                let [a, b] = placed(&mut random, x, y);
                let (mut seeds, mut manifold) = (Vec::new(), Manifold::default());
                let p = Combined.query(a, b, envelope, &mut [0; 4], &mut seeds).unwrap();
                if p.distance > 0.0 {
                    continue;
                }
                ClippingManifold::default().determine(a, b, &p, &seeds, envelope, &mut manifold);
                let mut points = manifold.points.to_vec();
                spoilt(&mut points);
                count += 1;
                if let Some(fault) = fault(a, b, &p, &points) {
                    found += 1;
                    first.get_or_insert(format!("{} {i} - {} {j}, pose {k}: {fault}", x.kind(), y.kind()));
                }
            }
        }
    }
    (found, count, first)
}

#[test]
fn contacts_are_as_deep_as_their_pair() {
    for envelope in [1e-4, 0.02, 0.2] {
        let (found, count, first) = faults(envelope, |_| {});
        println!("envelope {envelope} m: {found} of {count} manifolds");
        assert!(count > 3000 && found == 0, "{found} of {count}: {}", first.unwrap_or_default());
    }
}

/// The negative control: the checks find points that are a twentieth too deep, and manifolds without their deepest points.
#[test]
fn what_is_too_deep_and_what_is_left_out_is_seen() {
    let further_in = |points: &mut Vec<ContactPoint>| {
        for c in points {
            let more = 0.05 * -c.separation.min(0.0);
            c.anchor_a += c.normal[0] * more;
            c.separation -= more;
        }
    };
    let (deep, count, _) = faults(0.02, further_in);
    assert!(deep * 2 > count, "{deep} of {count} are seen to be too deep");
    let (shallow, ..) = faults(0.02, |points| points.retain(|c| c.separation > -1e-3));
    assert!(shallow * 2 > count, "{shallow} of {count} are seen to be too shallow");
}
