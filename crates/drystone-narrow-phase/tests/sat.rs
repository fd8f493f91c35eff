//! Separating axes: overlap against GJK, and how long a witness of separation stays valid.

use crate::common::{Random, ellipsoid, solid};
use drystone_core::{NarrowPhase, PosedShape};
use drystone_geometry::Shape;
use drystone_math::{Pose, Quat, Real, Vec3};
use drystone_narrow_phase::{GjkEpa, SeparatingAxes};

#[test]
fn a_hundred_thousand_pairs_overlap_where_gjk_says_so() {
    // J-20, J-22
    let mut random = Random(3);
    let shapes: Vec<Shape> = (0..24)
        .map(|k| if k % 2 == 0 { Shape::cuboid(0.2 + random.unit(), 0.5, 0.3).unwrap() } else { solid(&mut random) })
        .collect();
    for k in 0..100_000 {
        // mostly boxes: the cost of two hulls is the product of their numbers of edges
        let mut one = || if random.pick(20) == 0 { 2 * random.pick(12) + 1 } else { 2 * random.pick(12) };
        let (a, b) = (&shapes[one()], &shapes[one()]);
        let (a, b) = (PosedShape { shape: a, pose: random.pose() }, PosedShape { shape: b, pose: random.pose() });
        let ask = |n: &dyn NarrowPhase| n.query(a, b, Real::INFINITY, &mut [0; 4], &mut Vec::new()).unwrap();
        let (s, g) = (ask(&SeparatingAxes), ask(&GjkEpa));
        if g.distance > 0.0 || s.distance > 0.0 {
            assert!((s.distance - g.distance).abs() < 1e-9, "{k}: {s:?} {g:?} {a:?} {b:?}");
        } else {
            assert!((s.distance - g.distance).abs() < 1e-7, "{k}: {s:?} {g:?} {a:?} {b:?}");
        }
    }
}

#[test]
fn the_witness_of_separation_holds_in_more_than_nine_frames_of_ten() {
    // J-13
    for shape in [Shape::cuboid(0.5, 0.4, 0.3).unwrap(), ellipsoid(64)] {
        let (mut cache, mut hits, mut asked) = ([0; 4], 0, 0);
        let mut cost = 0;
        for k in 0..2000 {
            // a body that turns by half a degree per frame while it drifts by
            let w = 0.5_f64.to_radians() * Real::from(k);
            let pose = Pose::new(
                Vec3::new(2.2 * (0.1 * w).cos(), 0.3 * w.sin(), 2.2 * (0.1 * w).sin()),
                Quat::from_scaled_axis(Vec3::new(0.2, 1.0, 0.4) * w),
            );
            let (a, b) = (PosedShape { shape: &shape, pose: Pose::IDENTITY }, PosedShape { shape: &shape, pose });
            let p = SeparatingAxes.query(a, b, 0.01, &mut cache, &mut Vec::new()).unwrap();
            assert!(p.distance > 0.01);
            if k > 0 {
                asked += 1;
                hits += u32::from(p.iterations == 1);
                cost += p.iterations;
            }
        }
        println!(
            "{}: witness holds in {hits} of {asked} frames, {:.2} axes a frame",
            shape.kind(),
            Real::from(cost) / Real::from(asked)
        );
        assert!(hits * 10 > asked * 9, "{hits} of {asked} frames");
    }
}
