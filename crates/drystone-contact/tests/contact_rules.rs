//! The rules of contact determination, one by one (A-10, K-01 to K-15).

use drystone_contact::{ClippingManifold, ClosestPoint, FeatureKind, PrincipalContact};
use drystone_core::{ContactDetermination, ContactSeed, Manifold, NarrowPhase, PosedShape, Proximity, Relation};
use drystone_geometry::{MapSettings, MeshShape, Shape, TriangleMesh};
use drystone_math::{Pose, Quat, Real, Vec3};
use drystone_narrow_phase::{Combined, EdgeNormals, GjkEpa, Primitives, SdfMap};
use drystone_testkit::Random;

const QUARTER: Real = core::f64::consts::FRAC_PI_4;

fn posed(shape: &Shape, pose: Pose) -> PosedShape<'_> {
    PosedShape { shape, pose }
}

fn ask(n: &dyn NarrowPhase, a: PosedShape<'_>, b: PosedShape<'_>, envelope: Real) -> (Proximity, Vec<ContactSeed>) {
    let mut seeds = Vec::new();
    let p = n.query(a, b, envelope, &mut [0; 4], &mut seeds).unwrap();
    (p, seeds)
}

fn manifold(
    c: &dyn ContactDetermination,
    a: PosedShape<'_>,
    b: PosedShape<'_>,
    envelope: Real,
) -> (Proximity, Manifold) {
    let (p, seeds) = ask(&Combined, a, b, envelope);
    let mut m = Manifold::default();
    c.determine(a, b, &p, &seeds, envelope, &mut m);
    (p, m)
}

/// A cube of edge 1 m, standing on a face, an edge or a corner.
fn cube_on(kind: FeatureKind, y: Real) -> Pose {
    match kind {
        FeatureKind::Edge => Pose::new(Vec3::Y * (y + Real::sqrt(0.5)), Quat::from_rotation_z(QUARTER)),
        FeatureKind::Vertex => {
            let corner = Vec3::ONE.normalize();
            Pose::new(Vec3::Y * (y + Real::sqrt(0.75)), Quat::from_rotation_arc(corner, Vec3::NEG_Y))
        }
        _ => Pose::from_position(Vec3::Y * (y + 0.5)),
    }
}

#[test]
fn the_principal_contact_is_told_by_its_features() {
    // K-01: a box on a plane is one face-face contact; if it stands on an edge or a corner, that is its feature
    let (plane, cube) = (Shape::plane(Vec3::Y, 0.0).unwrap(), Shape::cuboid(0.5, 0.5, 0.5).unwrap());
    for (kind, points) in [(FeatureKind::Face, 4), (FeatureKind::Edge, 2), (FeatureKind::Vertex, 1)] {
        let (a, b) = (posed(&plane, Pose::IDENTITY), posed(&cube, cube_on(kind, -1e-4)));
        let (p, m) = manifold(&ClippingManifold::default(), a, b, 1e-3);
        assert_eq!(PrincipalContact::of(a, b, &p), Some(PrincipalContact { a: FeatureKind::Face, b: kind }));
        // K-02, K-03: a contact region is represented by its end points or corners
        assert_eq!(m.points.len(), points, "{kind:?}");
    }
    let ball = Shape::sphere(0.5).unwrap();
    let (a, b) = (posed(&plane, Pose::IDENTITY), posed(&ball, Pose::from_position(Vec3::Y * 0.5)));
    let contact = PrincipalContact::of(a, b, &ask(&Primitives, a, b, 1e-3).0).unwrap();
    assert_eq!((contact.b, contact.is_degenerate()), (FeatureKind::Smooth, false));
}

#[test]
fn the_normal_of_crossed_edges_is_square_to_both_and_leads_from_a_to_b() {
    // K-04
    let cube = Shape::cuboid(0.5, 0.5, 0.5).unwrap();
    for turn in [0.3, 0.9, 1.5] {
        let lower = Pose::new(Vec3::ZERO, Quat::from_rotation_z(QUARTER));
        let upper =
            Pose::new(Vec3::Y * (Real::sqrt(2.0) - 1e-3), Quat::from_rotation_y(turn) * Quat::from_rotation_z(QUARTER));
        for (a, b, way) in [(lower, upper, 1.0), (upper, lower, -1.0)] {
            for n in [&Primitives as &dyn NarrowPhase, &GjkEpa] {
                let (a, b) = (posed(&cube, a), posed(&cube, b));
                let (p, _) = ask(n, a, b, 1e-2);
                // the edges run along z, and along z rotated about y
                let edges = [Vec3::Z, Quat::from_rotation_y(turn) * Vec3::Z];
                assert!(edges.iter().all(|e| p.normal.dot(*e).abs() < 1e-6), "{} {p:?}", n.name());
                assert!((p.normal.y - way).abs() < 1e-6 && (p.distance + 1e-3).abs() < 1e-6, "{} {p:?}", n.name());
                let contact = PrincipalContact::of(a, b, &p).unwrap();
                assert_eq!(contact, PrincipalContact { a: FeatureKind::Edge, b: FeatureKind::Edge });
            }
        }
    }
}

#[test]
fn tips_of_boxes_have_a_normal_all_the_same() {
    // K-05: vertex on vertex and vertex on edge, apart, touching and overlapping: a unit normal, and always the same one
    let cube = Shape::cuboid(0.5, 0.5, 0.5).unwrap();
    let turned = Quat::from_rotation_arc(Vec3::ONE.normalize(), Vec3::Y);
    for gap in [1e-3, 1e-9, 0.0, -1e-9, -1e-3] {
        let below = |kind| {
            let p = cube_on(kind, 0.0);
            // upside down: the tip is at the origin
            Pose::new(-p.position, Quat::from_rotation_x(core::f64::consts::PI) * p.orientation)
        };
        let tip = posed(&cube, Pose::new(Vec3::NEG_Y * Real::sqrt(0.75), turned));
        for lower in [tip, posed(&cube, below(FeatureKind::Edge))] {
            let upper = posed(&cube, cube_on(FeatureKind::Vertex, gap));
            let (p, m) = manifold(&ClippingManifold::default(), lower, upper, 1e-2);
            assert!((p.normal.length() - 1.0).abs() < 1e-9 && p.normal.y > 0.5, "{gap}: {p:?}");
            assert!((p.distance - gap).abs() < 1e-3 + 0.5 * gap.abs(), "{gap}: {p:?}");
            assert!(!m.points.is_empty() && m.points.iter().all(|c| c.separation.is_finite()));
            assert_eq!(manifold(&ClippingManifold::default(), lower, upper, 1e-2), (p, m), "each time the same");
            if gap == 1e-3 {
                // along the closest points the features are a vertex, and a vertex or an edge
                let closest = ask(&GjkEpa, lower, upper, 1e-2).0;
                let contact = PrincipalContact::of(lower, upper, &closest).unwrap();
                assert!(contact.is_degenerate() && closest.normal.y > 0.999_999, "{contact:?} {closest:?}");
            }
        }
    }
}

#[test]
fn the_closest_point_alone_is_as_far_as_the_shapes() {
    // K-14, K-15: potential contacts within the envelope have the distance of the pair and a unit normal from A to B
    let mut r = Random::new(3);
    let shapes = [
        Shape::cuboid(0.5, 0.3, 0.4).unwrap(),
        Shape::sphere(0.4).unwrap(),
        Shape::capsule(0.2, 0.4).unwrap(),
        Shape::cylinder(0.4, 0.5).unwrap(),
        Shape::cone(0.5, 0.5).unwrap(),
    ];
    let mut potential = 0;
    for k in 0..2000 {
        let (x, y) = (&shapes[k % 5], &shapes[k / 5 % 5]);
        let (a, b) = (posed(x, Pose::new(Vec3::ZERO, r.rotation())), posed(y, Pose::new(r.vector(1.5), r.rotation())));
        let (p, m) = manifold(&ClosestPoint, a, b, 0.5);
        let exact = ask(&Combined, a, b, Real::INFINITY).0;
        assert_eq!(m.points.len(), usize::from(p.distance <= 0.5), "{p:?}");
        if let Some(c) = m.points.first() {
            let (n, _, separation) = c.world(&a.pose, &b.pose);
            assert!((separation - exact.distance).abs() < 1e-6, "{p:?} {exact:?}");
            assert!((n.length() - 1.0).abs() < 1e-9);
            if p.relation == Relation::Touching {
                potential += 1;
                let (on_a, on_b) = (a.pose.point(c.anchor_a), b.pose.point(c.anchor_b));
                assert!((on_b - on_a).dot(n) > 0.0 || separation < 1e-9, "{p:?}");
            }
        }
    }
    assert!(potential > 200, "{potential}");
}

#[test]
fn any_poses_give_contacts_that_are_numbers() {
    // K-13
    let mut r = Random::new(9);
    let mesh = MeshShape::new(TriangleMesh::cuboid(Vec3::new(0.5, 0.4, 0.3), 2), Some(MapSettings::new(16))).unwrap();
    let cube = Shape::cuboid(0.5, 0.4, 0.3).unwrap();
    let shapes = [
        cube.clone(),
        Shape::sphere(0.4).unwrap(),
        Shape::capsule(0.2, 0.4).unwrap(),
        Shape::cylinder(0.4, 0.5).unwrap(),
        Shape::mesh(mesh),
        Shape::compound(vec![(cube.clone(), Pose::IDENTITY), (cube, Pose::from_position(Vec3::X))]).unwrap(),
        Shape::plane(Vec3::Y, 0.0).unwrap(),
    ];
    for k in 0..3000 {
        let (x, y) = (&shapes[k % 6], &shapes[k / 6 % 7]);
        let spread = [2.0, 0.3, 1e-6, 0.0][k % 4];
        let (a, b) =
            (posed(x, Pose::new(r.vector(spread), r.rotation())), posed(y, Pose::new(r.vector(spread), r.rotation())));
        for reduce_samples in [false, true] {
            let c = ClippingManifold { reduce_samples, ..ClippingManifold::default() };
            let (p, m) = manifold(&c, a, b, 0.01);
            for c in &m.points {
                assert!(c.anchor_a.is_finite() && c.anchor_b.is_finite() && c.separation <= 0.01, "{p:?} {c:?}");
                assert!((c.normal[0].length() - 1.0).abs() < 1e-6, "{p:?} {c:?}");
            }
        }
    }
}

#[test]
fn only_a_face_sample_lifts_a_box_out_of_another() {
    // K-08, O-59, Figure 6.24: aligned boxes, deep in each other; and the distribution of normals
    let settings = MapSettings { spacing: 10.0, ..MapSettings::new(32) };
    let cube = Shape::mesh(MeshShape::new(TriangleMesh::cuboid(Vec3::splat(0.5), 5), Some(settings)).unwrap());
    let (lower, upper) = (posed(&cube, Pose::IDENTITY), posed(&cube, Pose::from_position(Vec3::Y * 0.8)));
    let by_gradient = SdfMap { edge_normals: EdgeNormals::Gradient, ..SdfMap::default() };
    let (_, seeds) = ask(&by_gradient, lower, upper, 1e-3);
    // samples that only touch the rim do not push the box out
    let deep = || seeds.iter().filter(|s| s.separation < -1e-3);
    let upward: Vec<_> = deep().filter(|s| s.normal.y > 0.9).collect();
    let sideways = seeds.iter().filter(|s| s.normal.y.abs() < 0.1).count();
    // only the centres of the two faces push it up; all other samples, vertices on edges, push sideways
    assert_eq!(upward.len(), 2, "{upward:?}");
    assert!(upward.iter().all(|s| s.position.x.abs() < 1e-6 && s.position.z.abs() < 1e-6), "{upward:?}");
    assert!(
        sideways > 10 && deep().all(|s| s.normal.y > 0.9 || s.normal.y.abs() < 0.1),
        "{sideways} of {}",
        seeds.len()
    );
    // with the default, edges of the map also use the surface that the sample belongs to: there all samples push up
    let (_, seeds) = ask(&SdfMap::default(), lower, upper, 1e-3);
    assert!(seeds.len() > 10 && seeds.iter().all(|s| s.normal.y > 0.999 && (s.separation + 0.2).abs() < 1e-6));
}
