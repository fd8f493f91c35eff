//! Circular faces over other faces: nothing depends on a turn about the axis of symmetry, and the contacts span what both faces cover.

use drystone_contact::ClippingManifold;
use drystone_core::{ContactDetermination, Manifold, NarrowPhase, PosedShape};
use drystone_geometry::Shape;
use drystone_math::{Pose, Quat, Real, Vec3};
use drystone_narrow_phase::Combined;
use drystone_testkit::Random;

const ENVELOPE: Real = 1e-3;

/// Where the contacts of two shapes lie (world, m).
fn contacts(a: (&Shape, Pose), b: (&Shape, Pose)) -> Vec<Vec3> {
    let [a, b] = [a, b].map(|(shape, pose)| PosedShape { shape, pose });
    let (mut seeds, mut m) = (Vec::new(), Manifold::default());
    let p = Combined.query(a, b, ENVELOPE, &mut [0; 4], &mut seeds).unwrap();
    ClippingManifold::default().determine(a, b, &p, &seeds, ENVELOPE, &mut m);
    m.points.iter().map(|c| (a.pose.point(c.anchor_a) + b.pose.point(c.anchor_b)) * 0.5).collect()
}

/// How far points reach along a horizontal direction (m).
fn reach(points: &[Vec3], w: Real) -> Real {
    points.iter().map(|p| p.x * w.cos() + p.z * w.sin()).fold(Real::NEG_INFINITY, Real::max)
}

#[test]
fn a_turn_about_the_axis_changes_nothing() {
    let mut random = Random::new(4);
    let grounds = [
        (Shape::plane(Vec3::Y, 0.0).unwrap(), 0.0),
        (Shape::cuboid(0.5, 0.2, 0.4).unwrap(), 0.2),
        (Shape::cylinder(0.5, 0.3).unwrap(), 0.3),
    ];
    let uprights = [(Shape::cylinder(0.3, 0.2).unwrap(), 0.2), (Shape::cone(0.4, 0.25).unwrap(), 0.25)];
    let mut asked = 0;
    for round in 0..200 {
        for (ground, top) in &grounds {
            for (body, half) in &uprights {
                let across = Vec3::new(random.range(-0.5, 0.5), 0.0, random.range(-0.4, 0.4));
                // flat, or leaning by a little
                let lean = [0.0, 0.0, 2e-3][round % 3];
                let tilt = Quat::from_scaled_axis(Vec3::new(random.range(-lean, lean), 0.0, random.range(-lean, lean)));
                let at = across + Vec3::Y * (top + half - 1e-4);
                let turned = |w: Real| Pose::new(at, tilt * Quat::from_rotation_y(w));
                let still = contacts((ground, Pose::IDENTITY), (body, turned(0.0)));
                let other = contacts((ground, Pose::IDENTITY), (body, turned(random.range(0.0, 6.0))));
                assert_eq!(still.len(), other.len(), "{} on {}", body.kind(), ground.kind());
                for p in &still {
                    assert!(
                        other.iter().any(|q| (*p - *q).length() < if lean > 0.0 { 2e-4 } else { 1e-7 }),
                        "{} on {}: {p}",
                        body.kind(),
                        ground.kind()
                    );
                }
                asked += usize::from(still.len() > 4);
            }
        }
    }
    assert!(asked > 300, "{asked}");
}

#[test]
fn contacts_span_what_both_faces_cover() {
    let mut random = Random::new(6);
    let (radius, other, half) = (0.3, 0.4, Vec3::new(0.5, 0.2, 0.25));
    let cup = Shape::cylinder(radius, 0.2).unwrap();
    let grounds = [Shape::cuboid(half.x, half.y, half.z).unwrap(), Shape::cylinder(other, half.y).unwrap()];
    let (mut worst, mut partly): (Real, u32) = (0.0, 0);
    for _ in 0..150 {
        let turn = random.range(0.0, 3.0);
        let center = Vec3::new(random.range(-0.45, 0.45), 0.0, random.range(-0.4, 0.4));
        for ground in &grounds {
            let covered = |p: Vec3| match ground {
                Shape::Box(_) => {
                    let q = Quat::from_rotation_y(-turn) * p;
                    q.x.abs() <= half.x && q.z.abs() <= half.z
                }
                _ => p.length() <= other,
            };
            // the region by its points, from the middle of the cup's face outwards
            let grid = (0..60).flat_map(|i| (0..200).map(move |k| (Real::from(i), Real::from(k))));
            let region: Vec<Vec3> = grid
                .map(|(i, k)| {
                    let (r, w) = (radius * (i + 1.0) / 60.0, core::f64::consts::TAU * k / 200.0);
                    center + Vec3::new(r * w.cos(), 0.0, r * w.sin())
                })
                .filter(|p| covered(*p))
                .collect();
            if region.len() < 2000 {
                continue;
            }
            partly += u32::from(region.len() < 11_900);
            let ground = (ground, Pose::new(Vec3::ZERO, Quat::from_rotation_y(turn)));
            let found = contacts(ground, (&cup, Pose::from_position(center + Vec3::Y * (0.4 - 1e-4))));
            for k in 0..90 {
                let w = core::f64::consts::TAU * Real::from(k) / 90.0;
                worst = worst.max((reach(&found, w) - reach(&region, w)).abs());
            }
        }
    }
    println!("{partly} partly covered, worst {worst:.4} m of a width of {}", 2.0 * radius);
    // 1 % of the width of the region for the polygon, and as much for leaving out corners, and the grid of the reference
    assert!(partly > 60 && worst < 0.02 * 2.0 * radius + 0.005, "{partly} {worst}");
}
