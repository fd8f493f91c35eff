//! Box against box (O-62): what the old method gets wrong and the improved one right.

use drystone_contact::{ClippingManifold, ClosestPoint};
use drystone_core::{ContactDetermination, Manifold, NarrowPhase, NormalOwner, PosedShape};
use drystone_geometry::Shape;
use drystone_math::{Pose, Quat, Real, Vec3};
use drystone_narrow_phase::{Primitives, PrimitivesOld};

fn contacts(n: &dyn NarrowPhase, a: (&Shape, Pose), b: (&Shape, Pose), envelope: Real) -> Manifold {
    let (a, b) = (PosedShape { shape: a.0, pose: a.1 }, PosedShape { shape: b.0, pose: b.1 });
    let mut seeds = Vec::new();
    let p = n.query(a, b, envelope, &mut [0; 4], &mut seeds).unwrap();
    let mut m = Manifold::default();
    ClippingManifold::default().determine(a, b, &p, &seeds, envelope, &mut m);
    for (i, p) in m.points.iter().enumerate() {
        assert!(p.anchor_a.is_finite() && p.anchor_b.is_finite() && (p.normal[0].length() - 1.0).abs() < 1e-9);
        assert!(m.points[..i].iter().all(|q| q.key != p.key), "doubled key in {m:?}");
    }
    m
}

fn cube() -> Shape {
    Shape::cuboid(0.5, 0.5, 0.5).unwrap()
}

fn tilted(position: Vec3, degrees: Real) -> Pose {
    let axis = Vec3::new(1.0, 0.0, 1.0).normalize();
    Pose::new(position, Quat::from_axis_angle(axis, degrees.to_radians()))
}

#[test]
fn four_corners_at_any_slight_tilt() {
    // K-11
    let cube = cube();
    for degrees in [0.0, 1e-7, 1e-6, 1e-5, 1e-4] {
        for (x, y, z) in
            [(0.1, 0.999, 0.05), (0.0, 0.999, 0.0), (0.0, 1.0, 0.0), (0.5, 0.9999, 0.0), (0.1, 1.0005, 0.05)]
        {
            let m = contacts(&Primitives, (&cube, Pose::IDENTITY), (&cube, tilted(Vec3::new(x, y, z), degrees)), 1e-3);
            assert_eq!(m.points.len(), 4, "{degrees} deg at {x} {y} {z}: {m:?}");
            for p in &m.points {
                assert!(p.normal[0].y > 0.999_999);
                // a corner of the common rectangle
                let (cx, cz) = (p.anchor_a.x, p.anchor_a.z);
                let on = |v: Real, shift: Real| (v - 0.5).abs() < 1e-4 || (v - (shift - 0.5)).abs() < 1e-4;
                assert!(on(cx, x) && on(cz, z), "{p:?}");
            }
        }
    }
}

#[test]
fn the_old_method_picks_an_edge_pair_for_a_slight_tilt() {
    // K-10, K-11
    // Figures 6.41(a), 6.42: overhanging boxes, tilted by a milliradian in all directions
    let cube = cube();
    let mut faulty = 0;
    for k in 0..32 {
        let w = core::f64::consts::PI / 16.0 * Real::from(k) + 0.1;
        let tilt = Quat::from_scaled_axis(Vec3::new(w.cos(), 0.3, w.sin()) * 1e-3);
        let pose = Pose::new(Vec3::new(0.4, 0.9995, 0.3), tilt);
        faulty += u32::from(contacts(&PrimitivesOld, (&cube, Pose::IDENTITY), (&cube, pose), 1e-2).points.len() == 1);
        let improved = contacts(&Primitives, (&cube, Pose::IDENTITY), (&cube, pose), 1e-2);
        assert_eq!(improved.points.len(), 4, "{improved:?}");
        assert!(improved.points.iter().all(|p| p.normal[0].y > 0.999), "{improved:?}");
    }
    assert!(faulty > 0);
}

#[test]
fn the_old_method_misses_the_corners_of_the_lower_face() {
    // K-10
    // a large box covers two corners of a small one: the old method misses those two, Figure 6.41(c)
    let (small, large) = (cube(), Shape::cuboid(1.0, 0.5, 1.0).unwrap());
    let pose = Pose::from_position(Vec3::new(0.6, 0.999, 0.1));
    let old = contacts(&PrimitivesOld, (&small, Pose::IDENTITY), (&large, pose), 1e-3);
    let improved = contacts(&Primitives, (&small, Pose::IDENTITY), (&large, pose), 1e-3);
    assert_eq!(old.points.len(), 2, "{old:?}");
    assert_eq!(improved.points.len(), 4);
}

#[test]
fn the_old_method_doubles_corners_by_crossings() {
    // K-10
    let cube = cube();
    let pose = Pose::from_position(Vec3::new(0.0, 0.999, 0.0));
    let old = contacts(&PrimitivesOld, (&cube, Pose::IDENTITY), (&cube, pose), 1e-3);
    assert!(old.points.len() > 4, "{old:?}");
}

#[test]
fn a_turned_box_gives_an_octagon_that_is_kept() {
    let cube = cube();
    let pose = Pose::new(Vec3::new(0.0, 0.999, 0.0), Quat::from_rotation_y(core::f64::consts::FRAC_PI_4));
    let (a, b) = (PosedShape { shape: &cube, pose: Pose::IDENTITY }, PosedShape { shape: &cube, pose });
    let p = Primitives.query(a, b, 1e-3, &mut [0; 4], &mut Vec::new()).unwrap();
    let mut m = Manifold::default();
    ClippingManifold { reduce: false, ..ClippingManifold::default() }.determine(a, b, &p, &[], 1e-3, &mut m);
    assert_eq!(m.points.len(), 8);
    // K-09: four of its corners would lack a fifth of its width
    ClippingManifold::default().determine(a, b, &p, &[], 1e-3, &mut m);
    assert_eq!(m.points.len(), 8);
    ClosestPoint.determine(a, b, &p, &[], 1e-3, &mut m);
    assert_eq!(m.points.len(), 1);
    assert!(m.points[0].anchor_a.x.abs() < 0.51 && m.points[0].anchor_a.z.abs() < 0.51);
}

#[test]
fn crossed_edges_give_one_point() {
    let cube = cube();
    let q = core::f64::consts::FRAC_PI_4;
    let lower = Pose::new(Vec3::ZERO, Quat::from_rotation_z(q));
    let upper = Pose::new(Vec3::new(0.0, Real::sqrt(2.0) - 0.01, 0.0), Quat::from_rotation_x(q));
    let m = contacts(&Primitives, (&cube, lower), (&cube, upper), 1e-3);
    assert_eq!(m.points.len(), 1);
    assert!((m.points[0].separation + 0.01).abs() < 1e-12);
    assert!(lower.direction(m.points[0].normal[0]).y > 0.999_999);
}

#[test]
fn keys_stay_and_points_move_little_while_a_box_slides() {
    // K-12: no flicker; the points of a sliding box move with it
    let cube = cube();
    let pose = |k: i32| tilted(Vec3::new(0.1 + 1e-4 * Real::from(k), 0.9995, 0.05), 1e-5);
    let mut last = contacts(&Primitives, (&cube, Pose::IDENTITY), (&cube, pose(0)), 1e-3);
    for k in 1..1000 {
        let m = contacts(&Primitives, (&cube, Pose::IDENTITY), (&cube, pose(k)), 1e-3);
        assert_eq!(m.points.len(), 4);
        for p in &m.points {
            let q = last.points.iter().find(|q| q.key == p.key).expect("a key vanished");
            assert!((p.anchor_a - q.anchor_a).length() < 2e-4 && (p.normal[0] - q.normal[0]).length() < 1e-6);
        }
        last = m;
    }
}

#[test]
fn boxes_and_capsules_on_a_plane() {
    let floor = Shape::plane(Vec3::Y, 0.0).unwrap();
    let cube = cube();
    let rod = Shape::capsule(0.25, 1.0).unwrap();
    let n = |b: &Shape, pose: Pose| contacts(&Primitives, (&floor, Pose::IDENTITY), (b, pose), 1e-3).points.len();
    assert_eq!(n(&cube, Pose::from_position(Vec3::new(0.0, 0.4999, 0.0))), 4);
    let edge = Quat::from_rotation_z(core::f64::consts::FRAC_PI_4);
    assert_eq!(n(&cube, Pose::new(Vec3::new(0.0, Real::sqrt(0.5), 0.0), edge)), 2);
    let lying = Quat::from_rotation_z(core::f64::consts::FRAC_PI_2);
    assert_eq!(n(&rod, Pose::new(Vec3::new(0.0, 0.25, 0.0), lying)), 2);
    assert_eq!(n(&rod, Pose::from_position(Vec3::new(0.0, 1.25, 0.0))), 1);
    // a capsule lying along a box, and one upright on it
    let along = |pose: Pose| contacts(&Primitives, (&cube, Pose::IDENTITY), (&rod, pose), 1e-3);
    let m = along(Pose::new(Vec3::new(0.0, 0.7499, 0.0), lying));
    assert_eq!(m.points.len(), 2);
    assert!(m.points.iter().all(|p| (p.anchor_a.x.abs() - 0.5).abs() < 1e-4), "{m:?}");
    assert_eq!(along(Pose::from_position(Vec3::new(0.0, 1.7499, 0.0))).points.len(), 1);
}

/// All four corners of the smaller face, whichever of the two bodies comes first.
#[test]
fn a_small_box_on_a_large_one_has_its_four_corners() {
    let (small, large) = (Shape::cuboid(0.5, 0.5, 0.25).unwrap(), Shape::cuboid(2.0, 0.5, 3.0).unwrap());
    let on = Pose::from_position(Vec3::new(0.3, 1.0, -0.2));
    for [a, b] in [[(&small, on), (&large, Pose::IDENTITY)], [(&large, Pose::IDENTITY), (&small, on)]] {
        let m = contacts(&Primitives, a, b, 1e-3);
        assert_eq!(m.points.len(), 4, "{m:?}");
        for [x, z] in [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]] {
            let corner = Vec3::new(0.3 + 0.5 * x, 0.5, -0.2 + 0.25 * z);
            let near = m.points.iter().filter(|p| (a.1.point(p.anchor_a) - corner).length() < 1e-9).count();
            assert_eq!(near, 1, "{corner}: {m:?}");
        }
    }
}

#[test]
fn every_listed_name_is_built() {
    for d in drystone_contact::IMPLEMENTATIONS {
        let built = drystone_contact::by_name(d.name, &drystone_core::catalogue::Settings::defaults(d)).unwrap();
        assert_eq!(built.name(), d.name);
    }
}

/// If a face of each body would serve equally well, the normal is taken from the first body, whatever rounding prefers.
#[test]
fn of_two_faces_that_are_as_good_the_first_has_the_normal() {
    let box_shape = cube();
    let owners = |lower: Pose, upper: Pose| -> Vec<NormalOwner> {
        let found = contacts(&Primitives, (&box_shape, lower), (&box_shape, upper), 0.01);
        found.points.iter().map(|p| p.owner).collect()
    };
    for degrees in [0.0, 1e-9, -1e-9] {
        for (lower, upper) in [(0.0, degrees), (degrees, 0.0)] {
            let found = owners(tilted(Vec3::ZERO, lower), tilted(Vec3::Y, upper));
            assert_eq!(found, vec![NormalOwner::A; 4], "{lower} {upper}");
        }
    }
}
