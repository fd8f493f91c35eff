//! Mass properties of every shape: closed forms, and meshes by the divergence theorem, turned and shifted.

use drystone_geometry::{MassProperties, MeshShape, Shape, TriangleMesh};
use drystone_math::{Mat3, Pose, Quat, Real, Vec3};

const PI: Real = core::f64::consts::PI;

fn check(what: &str, found: &MassProperties, mass: Real, center: Vec3, diagonal: [Real; 3], tolerance: Real) {
    assert!((found.mass - mass).abs() <= tolerance * mass, "{what}: mass {} not {mass}", found.mass);
    assert!((found.center - center).length() <= tolerance, "{what}: centre {} not {center}", found.center);
    let wanted = Vec3::from_array(diagonal);
    let scale = wanted.max_element();
    assert!(
        (found.inertia.diagonal - wanted).length() <= tolerance * scale,
        "{what}: {:?} not {wanted}",
        found.inertia
    );
    assert!(found.inertia.off_diagonal.length() <= tolerance * scale, "{what}: {:?}", found.inertia);
}

#[test]
fn every_shape_has_its_closed_form() {
    let rho = 3.0;
    let of = |s: &Shape| s.mass_properties(rho).unwrap();
    let (r, h) = (0.7, 0.9);
    let m = rho * 4.0 / 3.0 * PI * r * r * r;
    check("sphere", &of(&Shape::sphere(r).unwrap()), m, Vec3::ZERO, [0.4 * m * r * r; 3], 1e-12);
    let (a, b, c) = (0.4, 0.5, 0.6);
    let m = rho * 8.0 * a * b * c;
    let cuboid = [m * (b * b + c * c) / 3.0, m * (a * a + c * c) / 3.0, m * (a * a + b * b) / 3.0];
    check("box", &of(&Shape::cuboid(a, b, c).unwrap()), m, Vec3::ZERO, cuboid, 1e-12);
    let m = rho * PI * r * r * 2.0 * h;
    let across = m * (3.0 * r * r + 4.0 * h * h) / 12.0;
    check("cylinder", &of(&Shape::cylinder(r, h).unwrap()), m, Vec3::ZERO, [across, 0.5 * m * r * r, across], 1e-12);
    let m = rho * PI * r * r * 2.0 * h / 3.0;
    // a cone of height H = 2 h: 3/80 (4 r^2 + H^2) m about an axis across its centre of mass, 3/10 m r^2 about its own axis
    let across = 3.0 / 80.0 * m * (4.0 * r * r + 4.0 * h * h);
    check(
        "cone",
        &of(&Shape::cone(r, h).unwrap()),
        m,
        Vec3::NEG_Y * (0.5 * h),
        [across, 0.3 * m * r * r, across],
        1e-12,
    );
    // a capsule: a cylinder and two half balls, whose centres of mass are 3/8 r outside its end faces
    let (mc, mb) = (rho * PI * r * r * 2.0 * h, rho * 4.0 / 3.0 * PI * r * r * r);
    let across =
        mc * (3.0 * r * r + 4.0 * h * h) / 12.0 + mb * (0.4 * r * r - (0.375 * r).powi(2) + (h + 0.375 * r).powi(2));
    let along = 0.5 * mc * r * r + 0.4 * mb * r * r;
    check("capsule", &of(&Shape::capsule(r, h).unwrap()), mc + mb, Vec3::ZERO, [across, along, across], 1e-12);
    assert!(Shape::plane(Vec3::Y, 0.0).unwrap().mass_properties(rho).is_none());
}

#[test]
fn polyhedra_and_meshes_have_the_same_turned_and_shifted() {
    let h = Vec3::new(0.4, 0.5, 0.6);
    let exact = Shape::cuboid(h.x, h.y, h.z).unwrap().mass_properties(2.0).unwrap();
    let base = TriangleMesh::cuboid(h, 4);
    for (k, far) in [0.0, 1.0, 1e3, 1e6].into_iter().enumerate() {
        let pose =
            Pose::new(Vec3::new(far, -0.5 * far, 0.3 * far), Quat::from_scaled_axis(Vec3::new(0.3, 1.1, k as Real)));
        let points: Vec<Vec3> = base.vertices().iter().map(|p| pose.point(*p)).collect();
        let mesh = TriangleMesh::new(points.clone(), base.triangles().to_vec()).unwrap();
        let shapes = [Shape::mesh(MeshShape::new(mesh, None).unwrap()), Shape::convex(&points).unwrap()];
        for shape in &shapes {
            let found = shape.mass_properties(2.0).unwrap();
            // far from the origin coordinates are rounded
            let noise = 1e-11 + 1e-13 * far;
            assert!((found.mass - exact.mass).abs() < noise, "{} at {far}: {}", shape.kind(), found.mass);
            assert!((found.center - pose.position).length() < noise, "{} at {far}: {}", shape.kind(), found.center);
            let turned = exact.inertia.rotated(pose.orientation).to_mat3();
            let off: Mat3 = found.inertia.to_mat3() - turned;
            let most = off.x_axis.length().max(off.y_axis.length()).max(off.z_axis.length());
            assert!(most < noise, "{} at {far}: off by {most}", shape.kind());
        }
    }
}

#[test]
fn a_fine_ball_of_triangles_comes_near_the_ball() {
    let parts = 40;
    let cube = TriangleMesh::cuboid(Vec3::ONE, parts);
    let round = cube.vertices().iter().map(|p| p.normalize() * 0.8);
    let mesh = TriangleMesh::new(round.collect(), cube.triangles().to_vec()).unwrap();
    let found = Shape::mesh(MeshShape::new(mesh, None).unwrap()).mass_properties(1.0).unwrap();
    let exact = Shape::sphere(0.8).unwrap().mass_properties(1.0).unwrap();
    // the error of the chords is of second order in the angle of a mesh square
    assert!((found.mass / exact.mass - 1.0).abs() < 2e-3 && found.mass < exact.mass, "{}", found.mass / exact.mass);
    assert!((found.inertia.diagonal / exact.inertia.diagonal - Vec3::ONE).length() < 6e-3);
}

#[test]
fn parts_of_a_compound_that_overlap_count_twice() {
    // as documented: the overlap is not subtracted
    let cube = || Shape::cuboid(0.5, 0.5, 0.5).unwrap();
    let at = |x: Real| Pose::from_position(Vec3::X * x);
    let side = Shape::compound(vec![(cube(), at(-0.5)), (cube(), at(0.5))]).unwrap().mass_properties(1.0).unwrap();
    let bar = Shape::cuboid(1.0, 0.5, 0.5).unwrap().mass_properties(1.0).unwrap();
    check("two cubes side by side", &side, 2.0, Vec3::ZERO, bar.inertia.diagonal.to_array(), 1e-12);
    let both = Shape::compound(vec![(cube(), at(0.0)), (cube(), at(0.0))]).unwrap().mass_properties(1.0).unwrap();
    check("two cubes in one place", &both, 2.0, Vec3::ZERO, [1.0 / 3.0; 3], 1e-12);
    // rotated parts: two capsules across each other
    let rod = Shape::capsule(0.1, 0.5).unwrap();
    let quarter = Quat::from_rotation_z(core::f64::consts::FRAC_PI_2);
    let cross = Shape::compound(vec![(rod.clone(), Pose::IDENTITY), (rod.clone(), Pose::new(Vec3::ZERO, quarter))]);
    let (found, one) = (cross.unwrap().mass_properties(1.0).unwrap(), rod.mass_properties(1.0).unwrap());
    let d = one.inertia.diagonal;
    check("a cross", &found, 2.0 * one.mass, Vec3::ZERO, [d.x + d.y, d.x + d.y, 2.0 * d.x], 1e-12);
}

/// Points in ever thinner slabs span a solid with a mass, or are refused.
#[test]
fn a_hull_has_a_mass_or_is_refused_as_flat() {
    let (mut solid, mut flat) = (0, 0);
    for k in 0..2000 {
        let w = Real::from(k);
        let thickness = Real::powf(10.0, -0.01 * w);
        let turned = Quat::from_scaled_axis(Vec3::new(w.sin(), (0.7 * w).cos(), 0.3 * w));
        let point = |i: i32| {
            let x = w + 1.3 * Real::from(i);
            turned * Vec3::new((3.1 * x).sin(), thickness * (5.3 * x).sin(), (7.7 * x).cos()) + Vec3::splat(0.3)
        };
        match Shape::convex(&(0..12).map(point).collect::<Vec<_>>()) {
            Ok(hull) => {
                let mass = hull.mass_properties(1.0).unwrap();
                assert!(mass.mass > 0.0 && mass.inertia.diagonal.min_element() > 0.0, "{thickness}: {mass:?}");
                // thicker ones are what they seem
                assert!(thickness < 1e-9 || mass.mass > 0.1 * thickness, "{thickness}: {mass:?}");
                solid += 1;
            }
            Err(e) => {
                assert!(thickness < 1e-8, "{thickness}: {e}");
                flat += 1;
            }
        }
    }
    assert!(solid > 800 && flat > 200, "{solid} {flat}");
}
