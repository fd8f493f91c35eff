//! Pairs on which an earlier version failed, found by the campaign and made small.

use drystone_core::{NarrowPhase, PosedShape};
use drystone_geometry::{MeshShape, Shape, TriangleMesh};
use drystone_math::{Pose, Quat, Real, Vec3};
use drystone_narrow_phase::{ExactMesh, GjkEpa, Primitives};

/// The planes square to the normal are as far apart as the answer says, and swapping gives the same distance.
fn certified(n: &dyn NarrowPhase, a: (&Shape, Pose), b: (&Shape, Pose), tolerance: Real) -> Real {
    let ask = |a: (&Shape, Pose), b: (&Shape, Pose)| {
        let (a, b) = (PosedShape { shape: a.0, pose: a.1 }, PosedShape { shape: b.0, pose: b.1 });
        n.query(a, b, Real::INFINITY, &mut [0; 4], &mut Vec::new()).unwrap()
    };
    let (r, swapped) = (ask(a, b), ask(b, a));
    let reach = |(s, pose): (&Shape, Pose), n: Vec3| n.dot(pose.point(s.support(pose.local_direction(n)).unwrap()));
    let gap = -reach(b, -r.normal) - reach(a, r.normal);
    assert!((gap - r.distance).abs() <= tolerance, "{} is {gap} by its planes: {r:?}", r.distance);
    assert!((swapped.distance - r.distance).abs() <= tolerance, "swapped: {swapped:?}, not {r:?}");
    r.distance
}

fn turned(x: Real, y: Real, z: Real, w: Vec3) -> Pose {
    Pose::new(Vec3::new(x, y, z), Quat::from_scaled_axis(w))
}

#[test]
fn capsules_whose_cores_cross_at_a_ten_millionth_of_a_radian() {
    let (a, b) = (Shape::capsule(0.7, 1.5).unwrap(), Shape::capsule(0.4, 0.5).unwrap());
    for k in 0..100 {
        let w = Real::from(k);
        let pa = turned(0.5, 0.5, -1.0, Vec3::new(0.0, 0.785, 0.0));
        let pb = turned(0.5, -0.5, -1.0, Vec3::new(w.sin(), w.cos(), 0.3) * 1e-7);
        for n in [&Primitives as &dyn NarrowPhase, &GjkEpa] {
            let d = certified(n, (&a, pa), (&b, pb), 1e-7);
            assert!((d + 1.1).abs() < 1e-6, "{d}");
        }
    }
}

#[test]
fn boxes_that_all_but_touch_along_slightly_tilted_edges() {
    let (a, b) = (Shape::cuboid(0.39, 0.5, 1.37).unwrap(), Shape::cuboid(0.5, 0.5, 0.5).unwrap());
    for k in 0..100 {
        let w = Real::from(k);
        let pa = turned(0.5, 0.5, -0.5, Vec3::new(0.0, 0.785, 0.0));
        let pb = turned(0.5, -0.5, 0.5, Vec3::new(w.sin(), w.cos(), -0.6) * 1e-7);
        certified(&Primitives, (&a, pa), (&b, pb), 1e-9);
    }
}

#[test]
fn the_distance_of_level_boxes_settles_before_their_normal() {
    let (a, b) = (Shape::cuboid(0.5, 0.5, 0.77).unwrap(), Shape::cuboid(0.5, 0.5, 0.5).unwrap());
    for k in 0..100 {
        let w = Real::from(k);
        let pa = turned(-1.0, 2.0, 1.0, Vec3::ZERO);
        let pb = turned(-1.0, 2.0, -0.5, Vec3::new(w.cos(), w.sin(), 0.5) * 1e-7);
        certified(&GjkEpa, (&a, pa), (&b, pb), 1e-9);
    }
}

#[test]
fn a_capsule_whose_core_grazes_a_cylinder() {
    let (a, b) = (Shape::capsule(0.41, 0.5).unwrap(), Shape::cylinder(0.5, 1.48).unwrap());
    for k in 0..200 {
        let w = Real::from(k);
        // the core's lower end comes within a millionth of the side
        let out = 0.5 + 1e-6 * w.sin();
        let pa = turned(out * w.cos(), 0.9, out * w.sin(), Vec3::ZERO);
        certified(&GjkEpa, (&a, pa), (&b, turned(0.0, 0.0, 0.0, Vec3::new(0.01, w, 0.02))), 1e-7);
    }
}

#[test]
fn a_thin_box_deep_in_a_cylinder_leaves_it_the_shortest_way() {
    // the depth hardly changes with the direction, and its least is at a kink
    let (a, b) = (Shape::cuboid(0.0005, 0.5, 0.0005).unwrap(), Shape::cylinder(0.5, 0.5).unwrap());
    for k in 0..50 {
        let pa = turned(0.0, -0.4, 0.0, Vec3::new(0.0, 0.1 * Real::from(k), 0.0));
        let d = certified(&GjkEpa, (&a, pa), (&b, Pose::IDENTITY), 1e-9);
        assert!((d + 0.5005).abs() < 1e-9, "{d}");
    }
}

#[test]
fn deep_cylinders_and_cones_swap_to_a_millionth() {
    let shapes =
        [Shape::cylinder(0.5, 0.8).unwrap(), Shape::cone(0.7, 0.6).unwrap(), Shape::cylinder(1.2, 0.1).unwrap()];
    for a in &shapes {
        for b in &shapes {
            for k in 0..100 {
                let w = Real::from(k);
                let pb = turned(0.3 * w.sin(), 0.2 * w.cos(), 0.1, Vec3::new(w, 0.7 * w, 0.1));
                certified(&GjkEpa, (a, Pose::IDENTITY), (b, pb), 1e-6);
            }
        }
    }
}

#[test]
fn a_plank_that_cuts_an_edge_of_a_mesh_while_a_corner_hovers_beside_it() {
    let mesh = Shape::mesh(MeshShape::new(TriangleMesh::cuboid(Vec3::ONE, 1), None).unwrap());
    let plank = Shape::cuboid(3.0, 0.05, 0.05).unwrap();
    let along = Vec3::new(1.0, -1.0, 0.0).normalize();
    let center = Vec3::new(0.97, 0.97, 0.93) + along * 1.4;
    let pose = Pose::new(center, Quat::from_rotation_z(-core::f64::consts::FRAC_PI_4));
    let (a, b) = (PosedShape { shape: &mesh, pose: Pose::IDENTITY }, PosedShape { shape: &plank, pose });
    for envelope in [0.05, Real::INFINITY] {
        let mut seeds = Vec::new();
        let p = ExactMesh.query(a, b, envelope, &mut [0; 4], &mut seeds).unwrap();
        assert!(p.distance < -0.05 && p.distance > -0.2, "{p:?}");
    }
}

#[test]
fn meshes_that_cut_each_other_between_their_vertices_overlap() {
    let mesh = |h: Vec3| Shape::mesh(MeshShape::new(TriangleMesh::cuboid(h, 1), None).unwrap());
    let (cube, plate) = (mesh(Vec3::ONE), mesh(Vec3::new(5.0, 0.01, 5.0)));
    let eighth = core::f64::consts::FRAC_PI_4;
    let root2 = Real::sqrt(2.0);
    for (shape, pa, pb, depth, normal) in [
        // edge across edge
        (&cube, Quat::from_rotation_z(eighth), turned(2.7, 0.0, 0.0, Vec3::Y * eighth), 2.0 * root2 - 2.7, Vec3::X),
        // an edge into a face
        (&cube, Quat::IDENTITY, turned(2.3, 0.0, 0.0, Vec3::Z * eighth), 1.0 + root2 - 2.3, Vec3::X),
        // a plate across a plate
        (&plate, Quat::IDENTITY, turned(0.0, 0.015, 0.0, Vec3::Y * 0.5), 0.005, Vec3::Y),
    ] {
        let (a, b) = (PosedShape { shape, pose: Pose::new(Vec3::ZERO, pa) }, PosedShape { shape, pose: pb });
        for envelope in [0.01, Real::INFINITY] {
            let mut seeds = Vec::new();
            let p = ExactMesh.query(a, b, envelope, &mut [0; 4], &mut seeds).unwrap();
            assert!((p.distance + depth).abs() < 1e-9 && p.normal.dot(normal) > 0.999, "{depth} {normal} {p:?}");
            let q = ExactMesh.query(b, a, envelope, &mut [0; 4], &mut seeds).unwrap();
            assert!((p.distance - q.distance).abs() < 1e-9, "{p:?} {q:?}");
        }
    }
}

#[test]
fn a_capsule_all_but_level_whose_core_hovers_a_hair_above_a_face() {
    let (a, b) = (Shape::capsule(0.5, 1.0).unwrap(), Shape::cuboid(1.0, 1.5, 0.5).unwrap());
    for height in [5e-9, 5e-12, 1e-14] {
        let pa = turned(1.0 + 1e-7 + height, 0.0, 0.0, Vec3::Z * 1e-7);
        for n in [&Primitives as &dyn NarrowPhase, &GjkEpa] {
            let d = certified(n, (&a, pa), (&b, Pose::IDENTITY), 2e-10);
            assert!((d + 0.5 - height).abs() < 2e-10, "{d}");
        }
    }
}

#[test]
fn deep_points_of_hulls_and_capsules_lie_on_them() {
    // the foot of the origin was in another facet of the same plane; the core's point beside the box's edge
    let cloud: Vec<Vec3> = (0..24)
        .map(|i| Vec3::new((f64::from(i) * 1.7).sin(), (f64::from(i) * 2.9).cos(), (f64::from(i) * 0.9).sin()) * 0.7)
        .collect();
    let (hull, slab) = (Shape::convex(&cloud).unwrap(), Shape::cuboid(0.5, 0.4, 0.3).unwrap());
    let rod = Shape::capsule(0.3, 0.4).unwrap();
    let turn = turned(0.0, 0.0, 0.0, Vec3::new(0.9, 1.7, -0.4));
    for (n, a) in [(&GjkEpa as &dyn NarrowPhase, &hull), (&Primitives, &rod)] {
        let (x, y) = (PosedShape { shape: a, pose: Pose::IDENTITY }, PosedShape { shape: &slab, pose: turn });
        let p = n.query(x, y, Real::INFINITY, &mut [0; 4], &mut Vec::new()).unwrap();
        for (s, w) in [(x, p.witness_a), (y, p.witness_b)] {
            let point = Shape::sphere(1e-9).unwrap();
            let at = PosedShape { shape: &point, pose: Pose::from_position(w) };
            let off = GjkEpa.query(s, at, Real::INFINITY, &mut [0; 4], &mut Vec::new()).unwrap().distance;
            assert!(off < 1e-8, "{}: {off} outside", n.name());
        }
    }
}
