//! Shapes that meet in a point, with contacts sought ahead: places where their faces could meet
//! after turning are contacts too, with the separation of the surfaces there.

use drystone_contact::ClippingManifold;
use drystone_core::{ContactDetermination, Manifold, NarrowPhase, PosedShape};
use drystone_geometry::Shape;
use drystone_math::{Pose, Quat, Real, Vec3};
use drystone_narrow_phase::Combined;

const GAP: Real = 0.01;

fn cube(as_hull: bool) -> Shape {
    if !as_hull {
        return Shape::cuboid(0.5, 0.5, 0.5).unwrap();
    }
    let corners: Vec<Vec3> = (0..8)
        .map(|i| Vec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)) - Vec3::splat(0.5))
        .collect();
    Shape::convex(&corners).unwrap()
}

/// The separations of the contacts found up to `reach` apart, ascending; all lie along the normal of the pair and on both surfaces.
fn separations(a: PosedShape<'_>, b: PosedShape<'_>, reach: Real) -> Vec<Real> {
    let (mut seeds, mut manifold) = (Vec::new(), Manifold::default());
    let found = Combined.query(a, b, reach, &mut [0; 4], &mut seeds).unwrap();
    ClippingManifold::default().determine(a, b, &found, &seeds, reach, &mut manifold);
    let dot = Shape::sphere(1e-6).unwrap();
    for point in &manifold.points {
        let (normal, _, separation) = point.world(&a.pose, &b.pose);
        assert!((normal - found.normal).length() < 1e-9, "{normal}, {}", found.normal);
        assert!((separation - point.separation).abs() < 1e-9, "{separation}, {}", point.separation);
        for (body, anchor) in [(a, point.anchor_a), (b, point.anchor_b)] {
            let at = PosedShape { shape: &dot, pose: Pose::from_position(body.pose.point(anchor)) };
            let off = Combined.query(body, at, Real::INFINITY, &mut [0; 4], &mut Vec::new()).unwrap().distance;
            assert!(off.abs() < 1e-5, "{off} off its surface");
        }
    }
    let mut found: Vec<Real> = manifold.points.iter().map(|point| point.separation).collect();
    found.sort_by(Real::total_cmp);
    found
}

/// Two cubes on edge, one across the other: the faces beside the edges fall away by 45 degrees, so the separation
/// grows by half a metre where the edges end, and by a metre at the corner of the common region.
#[test]
fn cubes_on_edge_across_each_other() {
    let turned = |axis: Vec3| Quat::from_axis_angle(axis, core::f64::consts::FRAC_PI_4);
    let high = core::f64::consts::SQRT_2 + GAP;
    for [first, second] in [[false; 2], [false, true], [true, false], [true; 2]] {
        let (x, y) = (cube(first), cube(second));
        let a = PosedShape { shape: &x, pose: Pose::new(Vec3::ZERO, turned(Vec3::Z)) };
        let b = PosedShape { shape: &y, pose: Pose::new(Vec3::Y * high, turned(Vec3::X)) };
        let expected = [GAP, GAP + 0.5, GAP + 0.5, GAP + 1.0];
        for (reach, count) in [(GAP + 0.1, 1), (GAP + 0.4, 1), (GAP + 0.6, 3), (GAP + 1.1, 4)] {
            let found = separations(a, b, reach);
            assert_eq!(found.len(), count, "{first} {second} {reach}: {found:?}");
            for (found, expected) in found.iter().zip(expected) {
                assert!((found - expected).abs() < 1e-6, "{first} {second} {reach}: {found}, {expected}");
            }
        }
    }
}

/// A capsule lying above an edge of a cube, horizontal but turned against it: its ends
/// are higher above the faces by as much as the faces are lower there.
#[test]
fn a_capsule_across_an_edge() {
    let (x, y) = (cube(false), Shape::capsule(0.1, 0.4).unwrap());
    let edge = Quat::from_axis_angle(Vec3::Z, core::f64::consts::FRAC_PI_4);
    let a = PosedShape { shape: &x, pose: Pose::new(Vec3::ZERO, edge) };
    let lying = Quat::from_axis_angle(Vec3::Z, core::f64::consts::FRAC_PI_2);
    let high = core::f64::consts::FRAC_1_SQRT_2 + 0.1 + GAP;
    let b = PosedShape { shape: &y, pose: Pose::new(Vec3::Y * high, lying) };
    assert_eq!(separations(a, b, GAP + 0.1).len(), 1);
    let found = separations(a, b, 2.0);
    // along the normal of the pair, the face is 0.4 m lower under the end of the core
    assert!(found.len() >= 2 && found.iter().any(|s| (s - GAP - 0.4).abs() < 1e-6), "{found:?}");
}
