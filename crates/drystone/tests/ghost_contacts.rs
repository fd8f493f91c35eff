//! Bodies that slide and roll over a flat floor of triangles move as on a plane: they do not
//! feel its inner edges. Nor do meshes feel the middles of the faces over which they slide.

use drystone::geometry::{MapSettings, MeshShape, TriangleMesh};
use drystone::prelude::*;

/// A flat floor of 20 x 20 squares, its surface at y = 0 and its middle at the origin.
fn floor(map: bool) -> Body {
    let (cells, edge) = (20_usize, 0.35);
    let heights = vec![0.0; (cells + 1) * (cells + 1)];
    let mesh = TriangleMesh::height_field(cells + 1, &heights, edge, 1.0).unwrap();
    let map = map.then(|| MapSettings::new(64));
    let half = 0.5 * edge * cells as f64;
    Body::fixed(Shape::mesh(MeshShape::new(mesh, map).unwrap())).at([-half, 0.0, -half])
}

/// Where the bodies start (x, z): one path leads past the middle of the floor, the other over it.
const STARTS: [[f64; 2]; 2] = [[-2.0, -1.0], [-1.2, -0.5]];

/// Positions and velocities of a body after each step, over 1.5 s, thrown along the floor at 3 m/s in a direction of no triangle's edge.
fn path(ground: Body, body: Body) -> Vec<(Vec3, Twist)> {
    let mut world = World::builder().build().unwrap();
    let rough = world.add_material(Material { friction: 0.2, restitution: 0.0, ..Material::default() }).unwrap();
    world.add(ground.material(rough)).unwrap();
    let body = world.add(body.material(rough).linear_velocity([2.8, 0.0, 1.1])).unwrap();
    (0..150)
        .map(|_| {
            world.advance(0.01).unwrap();
            (world.pose(body).unwrap().position, world.velocity(body).unwrap())
        })
        .collect()
}

/// Asserts that there is no bump, and that the path is that on a plane to within `aside` (m).
fn check_within(what: &str, found: &[(Vec3, Twist)], expected: &[(Vec3, Twist)], height: f64, aside: f64) {
    for (k, ((p, v), (q, w))) in found.iter().zip(expected).enumerate() {
        assert!((p.y - height).abs() < 2e-4, "{what}: step {k}: a bump of {:.1e} m", p.y - height);
        assert!(v.linear.y.abs() < 1e-3, "{what}: step {k}: {} m/s upwards", v.linear.y);
        assert!((*p - *q).length() < aside, "{what}: step {k}: at {p}, on a plane at {q}");
        assert!((v.linear - w.linear).length() < 4.0 * aside, "{what}: step {k}: {v:?}, on a plane {w:?}");
    }
}

fn check(what: &str, found: &[(Vec3, Twist)], expected: &[(Vec3, Twist)], height: f64) {
    check_within(what, found, expected, height, 5e-3);
}

#[test]
fn a_box_slides_without_a_bump() {
    let plane = || Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap());
    for (turn, [x, z]) in [(0.0, STARTS[0]), (0.4, STARTS[0]), (0.0, STARTS[1]), (0.4, STARTS[1])] {
        let cube = || {
            Body::dynamic(Shape::cuboid(0.25, 0.25, 0.25).unwrap())
                .at([x, 0.25, z])
                .oriented(Quat::from_rotation_y(turn))
        };
        let expected = path(plane(), cube());
        for map in [false, true] {
            check(&format!("box turned by {turn} from {x}, map: {map}"), &path(floor(map), cube()), &expected, 0.25);
        }
    }
}

#[test]
fn a_ball_rolls_without_a_bump() {
    let plane = || Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap());
    for [x, z] in STARTS {
        let ball = || Body::dynamic(Shape::sphere(0.25).unwrap()).at([x, 0.25, z]);
        let expected = path(plane(), ball());
        for map in [false, true] {
            check(&format!("ball from {x}, map: {map}"), &path(floor(map), ball()), &expected, 0.25);
        }
    }
}

#[test]
fn a_mesh_slides_without_a_bump() {
    for [x, z] in STARTS {
        let cube = || {
            let settings = Some(MapSettings { spacing: 1.0, ..MapSettings::new(32) });
            let mesh = MeshShape::new(TriangleMesh::cuboid(Vec3::splat(0.25), 2), settings).unwrap();
            Body::dynamic(Shape::mesh(mesh)).at([x, 0.25, z])
        };
        let expected = path(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()), cube());
        for map in [false, true] {
            check(&format!("mesh from {x}, map: {map}"), &path(floor(map), cube()), &expected, 0.25);
        }
    }
}

#[test]
fn a_capsule_and_a_cylinder_slide_without_a_bump() {
    let plane = || Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap());
    // the capsule lies along its direction of motion, so that it slides; the cylinder stands on its end
    let lying = Quat::from_rotation_arc(Vec3::Y, Vec3::new(2.8, 0.0, 1.1).normalize());
    for (what, shape, turn, height) in [
        ("capsule", Shape::capsule(0.2, 0.3).unwrap(), lying, 0.2),
        ("cylinder", Shape::cylinder(0.25, 0.15).unwrap(), Quat::IDENTITY, 0.15),
    ] {
        let body = || Body::dynamic(shape.clone()).at([-2.0, height, -1.0]).oriented(turn);
        let expected = path(plane(), body());
        for map in [false, true] {
            // a capsule that slides lengthwise may roll as well: a tiny deviation sends it another way
            check_within(&format!("{what}, map: {map}"), &path(floor(map), body()), &expected, height, 2e-2);
        }
    }
}

/// A cylinder is as round between the probes on its rims as at them. When it rolled
/// like a prism of sixteen sides, it came to 1.3 m where it should come to 2.
#[test]
fn a_cylinder_and_a_cone_roll_without_a_bump() {
    let plane = || Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap());
    let across = Quat::from_rotation_arc(Vec3::Y, Vec3::new(-1.1, 0.0, 2.8).normalize());
    for [x, z] in STARTS {
        let body = || Body::dynamic(Shape::cylinder(0.15, 0.2).unwrap()).at([x, 0.15, z]).oriented(across);
        let expected = path(plane(), body());
        check_within(&format!("cylinder from {x}"), &path(floor(false), body()), &expected, 0.15, 2e-2);
        // a map with cells of 0.1 m is flat to 1 mm
        for ((p, _), (q, _)) in path(floor(true), body()).iter().zip(&expected) {
            assert!(
                (p.y - 0.15).abs() < 1e-3 && (*p - *q).length() < 5e-2,
                "over a map, from {x}: at {p}, on a plane at {q}"
            );
        }
    }
    // a cone lies on its side and rolls round its tip, as on a plane
    let (radius, h) = (0.15, 0.2_f64);
    let lying = Quat::from_rotation_x(core::f64::consts::FRAC_PI_2 + (radius / (2.0 * h)).atan());
    let run = |ground: Body| {
        let mut world = World::builder().build().unwrap();
        let rough = world.add_material(Material { friction: 0.8, restitution: 0.0, ..Material::default() }).unwrap();
        world.add(ground.material(rough)).unwrap();
        let up = h * (radius / (2.0 * h)).atan().sin();
        let cone = Body::dynamic(Shape::cone(radius, h).unwrap()).at([0.3, up + 1e-4, 0.2]).oriented(lying);
        let cone = world.add(cone.material(rough).angular_velocity([0.0, 3.0, 0.0])).unwrap();
        let start = world.energy().total();
        for _ in 0..100 {
            world.advance(0.01).unwrap();
        }
        (world.pose(cone).unwrap().position, world.energy().total() / start)
    };
    let expected = run(plane());
    for map in [false, true] {
        let found = run(floor(map));
        assert!((found.0 - expected.0).length() < 3e-2, "map {map}: {found:?}, on a plane {expected:?}");
        assert!(found.1 < 1.0 && (found.1 - expected.1).abs() < 0.05, "map {map}: {found:?}, on a plane {expected:?}");
    }
}

/// A flat disc rolls on its rim like a coin about to come to rest, its axis tilted from the vertical
/// by an angle: its pose after 0.2 s in steps of 1/240 s, and the energy that it has lost (J).
fn wobbled(ground: Body, shape: Shape, tilt: f64) -> (Pose, f64) {
    let (radius, half) = (0.5, 0.05);
    let mut world = World::builder().build().unwrap();
    let rough = world.add_material(Material { friction: 0.8, restitution: 0.0, ..Material::default() }).unwrap();
    world.add(ground.material(rough)).unwrap();
    let lowest = Quat::from_rotation_x(tilt) * Vec3::new(0.0, -half, radius);
    let disc = Body::dynamic(shape).at(Vec3::new(0.13, -lowest.y, 0.07)).oriented(Quat::from_rotation_x(tilt));
    let disc = world.add(disc.material(rough)).unwrap();
    // about the diameter through the lowest point, as fast as a thin disc whose centre stays in place
    let spin = Quat::from_rotation_x(tilt) * Vec3::Z * (4.0 * 9.81 * tilt.sin() / radius).sqrt();
    world.set_velocity(disc, Twist::new(spin.cross(-lowest), spin)).unwrap();
    let start = world.energy().total();
    for _ in 0..48 {
        world.advance(1.0 / 240.0).unwrap();
    }
    (world.pose(disc).unwrap(), start - world.energy().total())
}

/// The corners of the disc's contact go round with the point on which it rolls.
/// When they stayed in place they held it back, and it lost 2.6 times the energy.
#[test]
fn a_disc_wobbles_on_its_rim_as_on_a_plane() {
    let plane = || Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap());
    let disc = || Shape::cylinder(0.5, 0.05).unwrap();
    for tilt in [0.1, 0.3] {
        let (expected, lost) = wobbled(plane(), disc(), tilt);
        for map in [false, true] {
            let (found, lost_here) = wobbled(floor(map), disc(), tilt);
            let off = (found.position - expected.position).length();
            let turned = (found.orientation * expected.orientation.conjugate()).to_axis_angle().1;
            assert!(off < 1e-3 && turned < 1e-2, "tilted by {tilt}, map: {map}: {off} m and {turned} rad off");
            assert!((lost_here - lost).abs() < 0.02 * lost, "tilted by {tilt}, map: {map}: {lost_here} J, {lost} J");
        }
        // the control: a prism of sixteen sides falls from corner to corner
        let corner = |k: u32| Quat::from_rotation_y(core::f64::consts::TAU / 16.0 * f64::from(k)) * Vec3::Z * 0.5;
        let corners = (0..16).flat_map(|k| [-0.05, 0.05].map(|y| corner(k) + Vec3::Y * y)).collect::<Vec<_>>();
        let (_, lost_by_prism) = wobbled(plane(), Shape::convex(&corners).unwrap(), tilt);
        assert!(lost_by_prism > 1.5 * lost, "tilted by {tilt}: a prism loses {lost_by_prism} J, a disc {lost} J");
    }
}

/// A mesh that slides over a solid does not feel its probes, even though the one in the middle
/// of the solid's top lies ahead of the mesh's side, at the height of the mesh's lower edges.
#[test]
fn a_mesh_slides_over_the_middle_of_a_solid_without_a_bump() {
    let corners =
        |x: f64, y: f64| [-1.0, 1.0].into_iter().flat_map(move |s| [-1.0, 1.0].map(|t| Vec3::new(x * s, y, x * t)));
    let points: Vec<Vec3> = corners(4.0, 0.5).chain(corners(4.0, -0.5)).collect();
    for (what, shape) in [
        ("box", Shape::cuboid(4.0, 0.5, 4.0).unwrap()),
        ("hull", Shape::convex(&points).unwrap()),
        ("cylinder", Shape::cylinder(4.0, 0.5).unwrap()),
    ] {
        for [x, z] in STARTS {
            let cube = || {
                let mesh = MeshShape::new(TriangleMesh::cuboid(Vec3::splat(0.25), 1), None).unwrap();
                Body::dynamic(Shape::mesh(mesh)).at([x, 0.25, z])
            };
            let expected = path(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()), cube());
            let ground = Body::fixed(shape.clone()).at([0.0, -0.5, 0.0]);
            check(&format!("over a {what} from {x}"), &path(ground, cube()), &expected, 0.25);
        }
    }
}
