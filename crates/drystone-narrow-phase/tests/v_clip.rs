//! Closest features: GJK's distances, in a number of steps that does not grow with the shapes as long as the pair moves little.

use crate::common::{Random, ellipsoid, solid};
use drystone_core::{NarrowPhase, PosedShape, Relation};
use drystone_geometry::Shape;
use drystone_math::{Pose, Quat, Real, Vec3};
use drystone_narrow_phase::{GjkEpa, VClip};

#[test]
fn a_hundred_thousand_pairs_are_as_far_apart_as_gjk_says() {
    let mut random = Random(5);
    let shapes: Vec<Shape> = (0..40).map(|_| solid(&mut random)).collect();
    let mut apart = 0;
    for k in 0..100_000 {
        let (a, b) = (&shapes[random.pick(40)], &shapes[random.pick(40)]);
        let (a, b) = (PosedShape { shape: a, pose: random.pose() }, PosedShape { shape: b, pose: random.pose() });
        let ask = |n: &dyn NarrowPhase| n.query(a, b, Real::INFINITY, &mut [0; 4], &mut Vec::new()).unwrap();
        let (v, g) = (ask(&VClip), ask(&GjkEpa));
        assert!((v.distance - g.distance).abs() < 1e-9, "{k}: {v:?} {g:?} {a:?} {b:?}");
        assert_eq!(v.relation == Relation::Penetrating, g.relation == Relation::Penetrating, "{k}");
        apart += u32::from(v.distance > 0.0);
    }
    assert!((30_000..90_000).contains(&apart), "{apart} of the pairs are apart");
}

/// The mean number of steps per frame for two ellipsoids that turn by half a degree per frame, with and without memory.
fn steps(vertices: u32) -> (Real, Real) {
    let shape = ellipsoid(vertices);
    let (mut cache, mut warm, mut cold) = ([0; 4], 0, 0);
    let frames = 1000;
    for k in 0..frames {
        let w = 0.5_f64.to_radians() * Real::from(k);
        let pose = Pose::new(
            Vec3::new(2.5, 0.3 * w.sin(), 0.2),
            Quat::from_scaled_axis(Vec3::new(0.3, 0.5, 0.2)) * Quat::from_rotation_y(w),
        );
        let (a, b) = (PosedShape { shape: &shape, pose: Pose::IDENTITY }, PosedShape { shape: &shape, pose });
        let ask = |cache: &mut [u32; 4]| VClip.query(a, b, Real::INFINITY, cache, &mut Vec::new()).unwrap();
        let (p, q) = (ask(&mut cache), ask(&mut [0; 4]));
        assert!((p.distance - q.distance).abs() < 1e-12);
        if k > 0 {
            warm += p.iterations;
            cold += q.iterations;
        }
    }
    (Real::from(warm) / Real::from(frames), Real::from(cold) / Real::from(frames))
}

#[test]
fn steps_under_coherence_do_not_grow_with_the_number_of_vertices() {
    // J-12
    for n in [8, 64, 500, 4000] {
        let (warm, cold) = steps(n);
        println!("{n} vertices: {warm:.3} steps per frame, {cold:.3} without memory");
        assert!(warm < 1.5, "{n} vertices: {warm} steps per frame");
        assert!(cold > warm, "{n} vertices: {cold} steps without memory, {warm} with it");
    }
}

#[test]
fn features_are_named_as_they_lie() {
    use drystone_core::Feature;
    let cube = Shape::cuboid(0.5, 0.5, 0.5).unwrap();
    let tip =
        Shape::convex(&[Vec3::ZERO, Vec3::new(0.3, 1.0, 0.0), Vec3::new(-0.3, 1.0, 0.3), Vec3::new(0.0, 1.0, -0.3)]);
    let tip = tip.unwrap();
    let (a, b) = (
        PosedShape { shape: &cube, pose: Pose::IDENTITY },
        PosedShape { shape: &tip, pose: Pose::from_position(Vec3::new(0.1, 0.75, 0.1)) },
    );
    let p = VClip.query(a, b, 1.0, &mut [0; 4], &mut Vec::new()).unwrap();
    assert_eq!((p.feature_a, p.feature_b, p.distance), (Feature::Face(2), Feature::Vertex(0), 0.25));
    assert!(!VClip.supports(&cube, &Shape::sphere(1.0).unwrap()));
}
