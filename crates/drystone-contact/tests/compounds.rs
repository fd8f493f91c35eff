//! Compounds have the contacts of their parts, as few as bear what all of them bear.

use drystone_contact::ClippingManifold;
use drystone_core::{ContactDetermination, Manifold, NarrowPhase, PosedShape, Proximity};
use drystone_geometry::{MeshShape, Shape, TriangleMesh};
use drystone_math::{Pose, Quat, Real, Vec3};
use drystone_narrow_phase::Combined;
use drystone_testkit::Random;

const ENVELOPE: Real = 0.02;

fn ask(a: PosedShape<'_>, b: PosedShape<'_>) -> (Proximity, Manifold) {
    let (mut seeds, mut m) = (Vec::new(), Manifold::default());
    let p = Combined.query(a, b, ENVELOPE, &mut [0; 4], &mut seeds).unwrap();
    ClippingManifold::default().determine(a, b, &p, &seeds, ENVELOPE, &mut m);
    (p, m)
}

fn hull(random: &mut Random, count: u32, size: Real) -> Shape {
    let points: Vec<Vec3> = (0..count).map(|_| random.direction() * size * random.range(0.7, 1.0)).collect();
    Shape::convex(&points).unwrap()
}

fn part(random: &mut Random, size: Real) -> Shape {
    match random.below(7) {
        0 => Shape::cuboid(size, 0.6 * size, 0.8 * size).unwrap(),
        1 => Shape::sphere(size).unwrap(),
        2 => Shape::capsule(0.5 * size, size).unwrap(),
        3 => Shape::cylinder(0.6 * size, 0.8 * size).unwrap(),
        4 => Shape::cone(0.8 * size, 0.7 * size).unwrap(),
        5 => hull(random, 24, size),
        _ => Shape::mesh(MeshShape::new(TriangleMesh::cuboid(Vec3::new(0.7, 0.9, 0.5) * size, 2), None).unwrap()),
    }
}

/// Half of the turns are by quarters, so that faces meet.
fn turn(random: &mut Random) -> Quat {
    if random.below(2) == 0 {
        return random.rotation();
    }
    let quarter = core::f64::consts::FRAC_PI_2;
    Quat::from_rotation_y(random.range(0.0, 6.0)) * Quat::from_rotation_x(quarter * f64::from(random.below(4) as u32))
}

/// B moved along the way to A until the two are apart by `gap` (m).
fn brought<'a>(a: PosedShape<'a>, mut b: PosedShape<'a>, gap: Real) -> Option<PosedShape<'a>> {
    for _ in 0..40 {
        let p = Combined.query(a, b, Real::INFINITY, &mut [0; 4], &mut Vec::new()).unwrap();
        if (p.distance - gap).abs() < 1e-4 {
            return Some(b);
        }
        b.pose.position -= p.normal * (p.distance - gap);
    }
    None
}

#[test]
fn a_compound_of_one_part_has_the_contacts_of_that_part() {
    let mut random = Random::new(5);
    let (mut met, mut faces, mut others) = (0, 0, 0);
    for case in 0..3000 {
        let shapes = [part(&mut random, 0.5), part(&mut random, 0.5)];
        let [p, q] = [(); 2].map(|()| Pose::new(random.vector(0.3), random.rotation()));
        let a = PosedShape { shape: &shapes[0], pose: Pose::new(random.vector(1.0), turn(&mut random)) };
        let b = PosedShape { shape: &shapes[1], pose: Pose::new(random.direction() * 3.0, turn(&mut random)) };
        let gap = random.range(-0.02, 0.015);
        let Some(b) = brought(a, b, gap) else { continue };
        let wholes =
            [(&shapes[0], p), (&shapes[1], q)].map(|(s, place)| Shape::compound(vec![(s.clone(), place)]).unwrap());
        let inverse = |p: Pose| Pose::IDENTITY.relative_to(&p);
        let whole = |s: PosedShape<'_>, k: usize| PosedShape { shape: &wholes[k], pose: s.pose * inverse([p, q][k]) };
        let (bare, of_bare) = ask(a, b);
        let pairs = [(whole(a, 0), whole(b, 1)), (a, whole(b, 1)), (whole(a, 0), b)];
        for (x, y) in pairs {
            let (proximity, manifold) = ask(x, y);
            assert!((proximity.distance - bare.distance).abs() < 1e-9, "{case}: {proximity:?} {bare:?}");
            let same = manifold.points.iter().all(|point| {
                let (normal, at, separation) = point.world(&x.pose, &y.pose);
                of_bare.points.iter().any(|o| {
                    let (n, p, s) = o.world(&a.pose, &b.pose);
                    (n - normal).length() < 1e-5 && (p - at).length() < 1e-5 && (s - separation).abs() < 1e-6
                })
            });
            others += usize::from(!same || manifold.points.len() != of_bare.points.len());
            let mut keys: Vec<u64> = manifold.points.iter().map(|p| p.key.0).collect();
            keys.sort_unstable();
            keys.dedup();
            assert_eq!(keys.len(), manifold.points.len());
        }
        met += usize::from(!of_bare.points.is_empty());
        faces += usize::from(of_bare.points.len() > 2);
    }
    // rounding of the frames decides whether a corner on a rim counts, and where parallel edges meet
    assert!(met > 2000 && faces > 200 && others < 3 * met / 100, "{met} {faces} {others}");
}

/// Largest difference of the reach of all points and of the chosen ones, over directions of the ground (m).
fn lack(all: &[Vec3], chosen: &[Vec3]) -> Real {
    let reach = |points: &[Vec3], d: Vec3| points.iter().fold(Real::NEG_INFINITY, |m, p| m.max(d.dot(*p)));
    (0..360).fold(0.0, |worst: Real, k| {
        let w = f64::from(k).to_radians();
        let d = Vec3::new(w.cos(), 0.0, w.sin());
        worst.max(reach(all, d) - reach(chosen, d))
    })
}

#[test]
fn many_feet_on_one_face_stand_on_the_few_that_span_them() {
    let mut random = Random::new(11);
    let grounds = [
        (Shape::plane(Vec3::Y, 0.0).unwrap(), 0.0),
        (Shape::cuboid(9.0, 1.0, 9.0).unwrap(), -1.0),
        (Shape::mesh(MeshShape::new(TriangleMesh::cuboid(Vec3::new(9.0, 1.0, 9.0), 1), None).unwrap()), -1.0),
    ];
    let mut most = 0;
    for case in 0..300 {
        let (ground, level) = &grounds[case % 3];
        let parts: Vec<(Shape, Pose)> = (0..2 + random.below(if case % 10 == 0 { 300 } else { 30 }))
            .map(|_| {
                let (x, z) = (random.range(-3.0, 3.0), random.range(-2.0, 2.0));
                let h = random.range(0.05, 0.2);
                let shape = match random.below(3) {
                    0 => Shape::cuboid(0.1, h, 0.15).unwrap(),
                    1 => Shape::cylinder(0.1, h).unwrap(),
                    _ => Shape::sphere(h).unwrap(),
                };
                (shape, Pose::new(Vec3::new(x, h, z), Quat::from_rotation_y(random.range(0.0, 6.0))))
            })
            .collect();
        // each part by itself
        let floor = PosedShape { shape: ground, pose: Pose::from_position(Vec3::Y * *level) };
        let pose = Pose::new(Vec3::Y * -1e-3, Quat::from_rotation_y(random.range(0.0, 6.0)));
        let points = |m: &Manifold, b: &Pose| m.points.iter().map(|p| p.world(&floor.pose, b).1).collect::<Vec<_>>();
        let mut all = Vec::new();
        for (shape, place) in &parts {
            let part = PosedShape { shape, pose: pose * *place };
            all.extend(points(&ask(floor, part).1, &part.pose));
        }
        let whole = Shape::compound(parts).unwrap();
        let (proximity, m) = ask(floor, PosedShape { shape: &whole, pose });
        assert!((proximity.distance + 1e-3).abs() < 1e-9);
        assert!(m.points.iter().all(|p| (p.separation + 1e-3).abs() < 1e-9));
        let kept = points(&m, &pose);
        let size = all.iter().flat_map(|p| all.iter().map(move |q| (*p - *q).length())).fold(0.0, Real::max);
        assert!(lack(&all, &kept) < 0.011 * size, "{case}: {}", lack(&all, &kept) / size);
        most = most.max(kept.len());
        // the control: without the one of them that reaches farthest along x
        let foremost = kept.iter().copied().fold(kept[0], |m, p| if p.x > m.x { p } else { m });
        let fewer: Vec<Vec3> = kept.iter().copied().filter(|p| (*p - foremost).length() > 0.2 * size).collect();
        assert!(lack(&all, &fewer) > 0.011 * size);
    }
    assert!(most <= 16, "{most}");
}

/// If all corners and crossings of a pair of parts lie beside its deepest place, that is a contact as well.
#[test]
fn contacts_of_compounds_are_as_deep_as_their_pair() {
    let mut random = Random::new(3);
    let mut overlaps = 0;
    for case in 0..1500 {
        let count = 1 + random.below(5);
        let parts = |random: &mut Random| {
            let parts = (0..count).map(|_| (part(random, 0.3), Pose::new(random.vector(0.6), random.rotation())));
            Shape::compound(parts.collect()).unwrap()
        };
        let (x, y) = (parts(&mut random), parts(&mut random));
        let a = PosedShape { shape: &x, pose: Pose::IDENTITY };
        let b = PosedShape { shape: &y, pose: Pose::new(random.direction() * 2.5, random.rotation()) };
        let Some(b) = brought(a, b, random.range(-0.02, 0.0)) else { continue };
        let (p, m) = ask(a, b);
        if p.distance < 0.0 {
            let deepest = m.least_separation();
            assert!(deepest <= 0.98 * p.distance + 1e-5, "{case}: {deepest} of {}", p.distance);
            overlaps += 1;
        }
    }
    assert!(overlaps > 800, "{overlaps}");
}

/// A bar across a rail meets it where neither has a corner: where their edges cross.
#[test]
fn a_bar_across_a_rail_lies_on_four_points() {
    let bar = Shape::cuboid(1.0, 0.05, 0.1).unwrap();
    let knob = Shape::cuboid(0.1, 0.05, 0.1).unwrap();
    let bar = Shape::compound(vec![(bar, Pose::IDENTITY), (knob, Pose::from_position(Vec3::Y * 0.1))]).unwrap();
    let rail = Shape::cuboid(0.1, 0.2, 1.0).unwrap();
    let rail = PosedShape { shape: &rail, pose: Pose::IDENTITY };
    let pose = Pose::from_position(Vec3::new(0.4, 0.25, 0.3));
    let (_, m) = ask(rail, PosedShape { shape: &bar, pose });
    assert_eq!(m.points.len(), 4);
    for (x, z) in [(-0.1, 0.2), (0.1, 0.2), (-0.1, 0.4), (0.1, 0.4)] {
        let there = |at: Vec3| (at - Vec3::new(x, 0.2, z)).length() < 1e-9;
        assert!(m.points.iter().any(|p| there(p.world(&rail.pose, &pose).1)), "{x} {z}: {m:?}");
    }
}

/// A compound of boxes at random places in a cube, anyhow turned.
fn crowd(random: &mut Random, count: usize) -> Shape {
    let part = |random: &mut Random| {
        let half = [(); 3].map(|()| random.range(0.02, 0.06));
        (Shape::cuboid(half[0], half[1], half[2]).unwrap(), Pose::new(random.vector(0.2), random.rotation()))
    };
    Shape::compound((0..count).map(|_| part(random)).collect()).unwrap()
}

/// Compounds that overlap on all sides have no more contacts than it takes to block every motion, however many of their parts meet. The control is pairs that touch from one side.
#[test]
fn parts_that_block_every_motion_have_few_contacts() {
    let mut random = Random::new(23);
    let (mut most, mut blocked, mut free) = ([0; 2], 0, 0);
    for _ in 0..60 {
        let shapes = [crowd(&mut random, 60), crowd(&mut random, 60)];
        let pose = |random: &mut Random, reach: Real| Pose::new(random.direction() * reach, random.rotation());
        let a = PosedShape { shape: &shapes[0], pose: pose(&mut random, 0.0) };
        let b = PosedShape { shape: &shapes[1], pose: pose(&mut random, 0.1) };
        let mut seeds = Vec::new();
        let found = Combined.query(a, b, ENVELOPE, &mut [0; 4], &mut seeds).unwrap();
        let mut manifold = Manifold::default();
        ClippingManifold::default().determine(a, b, &found, &seeds, ENVELOPE, &mut manifold);
        most = [most[0].max(seeds.len()), most[1].max(manifold.points.len())];
        assert!((manifold.least_separation() - found.distance).abs() < 1e-9, "the deepest is kept");
        blocked += usize::from(opposes_all(&manifold, [&a.pose, &b.pose], &mut random));
        // beside each other
        if let Some(b) = brought(a, PosedShape { pose: pose(&mut random, 2.0), ..b }, -0.005) {
            free += usize::from(!opposes_all(&ask(a, b).1, [&a.pose, &b.pose], &mut random));
        }
    }
    assert!(most[0] > 150 && most[1] < 40, "of {} pairs of parts, {} contacts", most[0], most[1]);
    assert!(
        blocked > 55 && free > 40,
        "{blocked} of 60 pairs are blocked, and {free} of those beside each other are not"
    );
}

/// Whether each of many random motions goes against a contact.
fn opposes_all(manifold: &Manifold, [a, b]: [&Pose; 2], random: &mut Random) -> bool {
    let points: Vec<_> = manifold.points.iter().map(|p| p.world(a, b)).collect();
    let opposes = |v: Vec3, w: Vec3| points.iter().any(|(n, p, _)| n.dot(v + w.cross(*p)) < 0.0);
    (0..300).all(|_| opposes(random.direction(), random.direction() * 10.0))
}
