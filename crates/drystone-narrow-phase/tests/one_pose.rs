//! Two equal shapes in one pose, or nearly so: their Minkowski difference is symmetric, and many ways out are equally short.

use drystone_core::{NarrowCache, NarrowPhase, PosedShape};
use drystone_geometry::Shape;
use drystone_math::{Pose, Quat, Real, Vec3};
use drystone_narrow_phase::{Combined, GjkEpa};
use drystone_testkit::Random;

fn shape(random: &mut Random, kind: usize) -> Shape {
    let [a, b, c] = [0, 1, 2].map(|_| random.range(0.1, 0.6));
    let hull = |random: &mut Random| (0..12).map(|_| random.vector(0.5)).collect::<Vec<_>>();
    let made = match kind {
        0 => Shape::cone(a, b),
        1 => Shape::cylinder(a, b),
        2 => Shape::capsule(a, b),
        3 => Shape::cuboid(a, b, c),
        _ => Shape::convex(&hull(random)),
    };
    made.unwrap()
}

/// How far a placed shape reaches along a direction (m).
fn reach(s: PosedShape<'_>, n: Vec3) -> Real {
    n.dot(s.pose.point(s.shape.support(s.pose.local_direction(n)).unwrap()))
}

/// The distance is that of the support planes across the normal, and the witnesses lie that far apart along it, the first on its shape's plane.
#[test]
fn witnesses_of_equal_shapes_in_one_pose_are_as_far_apart_as_the_distance() {
    let mut random = Random::new(54);
    let modules: [&dyn NarrowPhase; 2] = [&GjkEpa, &Combined];
    for round in 0..1500 {
        let x = shape(&mut random, round % 5);
        let at = random.vector(2.0);
        let pose = Pose::new(at, if round % 3 == 0 { Quat::IDENTITY } else { random.rotation() });
        // in one pose, off by rounding, or turned about the axis
        let other = match round % 4 {
            0 | 1 => pose,
            2 => Pose::new(at + random.vector(1e-12), pose.orientation),
            _ => Pose::new(at, pose.orientation * Quat::from_rotation_y(random.range(-1.0, 1.0))),
        };
        let [a, b] = [pose, other].map(|pose| PosedShape { shape: &x, pose });
        for module in modules {
            let found = module.query(a, b, 0.01, &mut NarrowCache::default(), &mut Vec::new()).unwrap();
            let n = found.normal;
            let case = format!("{} round {round}: {x:?} {found:?}", module.name());
            let planes = -reach(a, n) - reach(b, -n);
            assert!((found.distance - planes).abs() < 1e-9, "{case}: planes {planes}");
            let apart = n.dot(found.witness_b - found.witness_a);
            assert!((found.distance - apart).abs() < 1e-9, "{case}: apart {apart}");
            assert!((n.dot(found.witness_a) - reach(a, n)).abs() < 1e-9, "{case}");
        }
    }
}
