//! The closed forms: known distances, and the cached axis.

use drystone_core::{NarrowPhase, PosedShape, Proximity, Relation};
use drystone_geometry::Shape;
use drystone_math::{Pose, Quat, Real, Vec3};
use drystone_narrow_phase::{GjkEpa, Primitives, PrimitivesOld};

/// Distances result from some hundred operations on numbers near one.
const EXACT: Real = 1e-12;

fn ask(n: &dyn NarrowPhase, a: (&Shape, Pose), b: (&Shape, Pose), envelope: Real) -> Proximity {
    let (a, b) = (PosedShape { shape: a.0, pose: a.1 }, PosedShape { shape: b.0, pose: b.1 });
    n.query(a, b, envelope, &mut [0; 4], &mut Vec::new()).unwrap()
}

fn at(x: Real, y: Real, z: Real) -> Pose {
    Pose::from_position(Vec3::new(x, y, z))
}

#[test]
fn known_distances() {
    let s = Shape::sphere(0.5).unwrap();
    let b = Shape::cuboid(1.0, 0.5, 0.25).unwrap();
    let c = Shape::capsule(0.25, 0.5).unwrap();
    let p = Shape::plane(Vec3::Y, 0.0).unwrap();
    let o = Pose::IDENTITY;
    let turned = Pose::new(Vec3::new(0.0, 0.0, 0.6), Quat::from_rotation_z(30.0_f64.to_radians()));
    let root2 = Real::sqrt(2.0);
    for (a, pose, d) in [
        ((&s, &s), at(0.0, 3.0, 4.0), 4.0),
        ((&s, &s), at(0.6, 0.0, 0.0), -0.4),
        ((&b, &s), at(2.0, 0.0, 0.0), 0.5),
        ((&b, &s), at(2.0, 1.5, 0.0), root2 - 0.5),
        ((&c, &c), at(1.0, 0.0, 0.0), 0.5),
        ((&p, &s), at(7.0, 2.0, 3.0), 1.5),
        ((&p, &b), at(0.0, 0.4, 0.0), -0.1),
        ((&b, &b), at(1.9, 0.0, 0.0), -0.1),
        ((&b, &b), at(3.0, 2.0, 0.0), root2),
        ((&b, &b), turned, 0.1),
        ((&b, &c), at(0.0, 1.0, 0.0), -0.25),
        ((&p, &c), at(0.0, 0.7, 0.0), -0.05),
    ] {
        let n: [&dyn NarrowPhase; 3] = [&Primitives, &PrimitivesOld, &GjkEpa];
        for n in n {
            let r = ask(n, (a.0, o), (a.1, pose), Real::INFINITY);
            assert!(
                (r.distance - d).abs() < EXACT,
                "{} {} {}: {} not {d}",
                n.name(),
                a.0.kind(),
                a.1.kind(),
                r.distance
            );
            let swapped = ask(n, (a.1, pose), (a.0, o), Real::INFINITY);
            assert!((swapped.distance - d).abs() < EXACT && (swapped.normal + r.normal).length() < EXACT);
        }
    }
    assert!(!Primitives.supports(&p, &p));
}

#[test]
fn the_cached_axis_gives_the_same_answer_far_and_near() {
    let b = Shape::cuboid(0.5, 0.5, 0.5).unwrap();
    let mut cache = [0; 4];
    let mut seeds = Vec::new();
    let posed = |x: Real| PosedShape { shape: &b, pose: Pose::new(Vec3::new(x, 0.1, 0.0), Quat::from_rotation_y(0.5)) };
    let still = PosedShape { shape: &b, pose: Pose::IDENTITY };
    let r = Primitives.query(still, posed(3.0), 0.01, &mut cache, &mut seeds).unwrap();
    assert!(r.relation == Relation::Separated && r.distance > 0.01 && cache[0] != 0);
    let again = Primitives.query(still, posed(3.0), 0.01, &mut cache, &mut seeds).unwrap();
    assert_eq!(r, again);
    let near = Primitives.query(still, posed(1.1), 0.01, &mut cache, &mut seeds).unwrap();
    assert_eq!(near.relation, Relation::Penetrating);
}

/// A ball with its centre on a capsule's axis leaves it across, whatever the sizes: the direction between two points that coincide is rounding noise.
#[test]
fn a_ball_on_the_axis_of_a_capsule_leaves_it_across() {
    for k in 0..4000 {
        let w = Real::from(k);
        let size = |x: Real| Real::powf(10.0, 3.0 * x.sin());
        let (half_height, radius) = (size(1.7 * w), size(2.9 * w));
        let capsule = Shape::capsule(radius, half_height).unwrap();
        let ball = Shape::sphere(size(0.7 * w)).unwrap();
        let pose = Pose::new(
            Vec3::new(w.sin(), (2.0 * w).cos(), (0.3 * w).sin()),
            Quat::from_scaled_axis(Vec3::new(w, 0.3 * w, 2.0)),
        );
        let axis = pose.direction(Vec3::Y);
        let on_axis = Pose::from_position(pose.position + axis * (half_height * (5.1 * w).sin()));
        let p = ask(&Primitives, (&capsule, pose), (&ball, on_axis), Real::INFINITY);
        assert!(p.normal.dot(axis).abs() < 1e-6, "{k}: {half_height} {radius} {p:?}");
    }
}
