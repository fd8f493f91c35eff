//! Rays, nearest points and sweeps of single shapes, against distances found by other code.

use drystone_core::{NarrowPhase, PosedShape};
use drystone_geometry::triangle::closest_between_triangles;
use drystone_geometry::{MeshShape, Ray, Shape, TriangleMesh};
use drystone_math::{Pose, Real, Vec3};
use drystone_narrow_phase::{Combined, Sweep, point_distance, sweep};
use drystone_testkit::Random;

/// One shape of every kind, with the name that failures mention.
fn all_shapes() -> Vec<(&'static str, Shape)> {
    let corners: Vec<Vec3> = (0..8)
        .map(|i| Vec3::new([-0.7, 0.9][i & 1], [-0.5, 0.6][i >> 1 & 1], [-0.3, 0.8][i >> 2]))
        .chain([Vec3::new(1.6, 0.1, 0.0)])
        .collect();
    let heights: Vec<Real> = (0..25).map(|k| 0.4 * (1.3 * Real::from(k)).sin()).collect();
    let mesh = |m: TriangleMesh| Shape::mesh(MeshShape::new(m, None).unwrap());
    let parts = vec![
        (Shape::sphere(0.5).unwrap(), Pose::from_position(Vec3::new(1.0, 0.0, 0.0))),
        (Shape::cuboid(0.3, 0.6, 0.2).unwrap(), Pose::from_position(Vec3::new(-0.8, 0.2, 0.0))),
        (Shape::cone(0.4, 0.5).unwrap(), Pose::from_position(Vec3::new(0.0, 0.0, 1.2))),
    ];
    vec![
        ("sphere", Shape::sphere(0.8).unwrap()),
        ("box", Shape::cuboid(0.5, 0.8, 1.1).unwrap()),
        ("capsule", Shape::capsule(0.4, 0.7).unwrap()),
        ("cylinder", Shape::cylinder(0.6, 0.5).unwrap()),
        ("cone", Shape::cone(0.9, 0.7).unwrap()),
        ("plane", Shape::plane(Vec3::new(0.2, 1.0, -0.1), 0.1).unwrap()),
        ("convex", Shape::convex(&corners).unwrap()),
        ("mesh", mesh(TriangleMesh::cuboid(Vec3::new(0.5, 0.9, 0.7), 4))),
        ("height field", mesh(TriangleMesh::height_field(5, &heights, 0.5, 0.6).unwrap())),
        ("compound", Shape::compound(parts).unwrap()),
    ]
}

/// The first zero of the signed distance along a ray, found by steps as long as the distance allows;
/// `None` beyond the ray's length, and an error if the ray only grazes.
fn traced(shape: &Shape, ray: &Ray) -> Result<Option<Real>, ()> {
    let mut t = 0.0;
    for _ in 0..20_000 {
        let d = point_distance(shape, &Pose::IDENTITY, ray.at(t)).unwrap().distance;
        if d <= 1e-12 {
            return Ok(Some(t));
        }
        t += d;
        if t > ray.length {
            return Ok(None);
        }
    }
    Err(())
}

#[test]
fn a_ray_hits_where_the_distance_is_zero_first() {
    for (name, shape) in all_shapes() {
        let mut random = Random::new(11);
        let (mut hits, mut misses) = (0, 0);
        for _ in 0..600 {
            let origin = random.vector(3.0);
            let aim = random.vector(1.2) - origin;
            let ray = Ray { origin, direction: aim.normalize(), length: 8.0 };
            let Ok(expected) = traced(&shape, &ray) else { continue };
            let found = shape.cast_ray(&ray);
            match (found, expected) {
                (Some(hit), Some(t)) => {
                    hits += 1;
                    // at grazing incidence these steps are accurate only to the square root of their tolerance
                    let slope = hit.normal.dot(ray.direction).abs().max(1e-3);
                    assert!((hit.t - t).abs() < 1e-9 / slope, "{name} {ray:?}: {hit:?}, traced {t}");
                    assert!((hit.normal.length() - 1.0).abs() < 1e-12, "{name} {hit:?}");
                    if hit.t > 1e-9 {
                        assert!(hit.normal.dot(ray.direction) <= 1e-9, "{name} {ray:?}: {hit:?} from behind");
                        let inside = point_distance(&shape, &Pose::IDENTITY, ray.at(hit.t) - hit.normal * 1e-6);
                        let outside = point_distance(&shape, &Pose::IDENTITY, ray.at(hit.t) + hit.normal * 1e-6);
                        let (inside, outside) = (inside.unwrap().distance, outside.unwrap().distance);
                        assert!(inside < 1e-9 && outside > -1e-9, "{name} {hit:?}: {inside} {outside}");
                    }
                }
                (None, None) => misses += 1,
                (found, expected) => {
                    // only a ray that barely touches may be judged differently
                    let near = (0..4000).map(|k| ray.at(Real::from(k) * 2e-3));
                    let least = near.map(|p| point_distance(&shape, &Pose::IDENTITY, p).unwrap().distance);
                    let least = least.fold(Real::INFINITY, Real::min);
                    assert!(least.abs() < 1e-4, "{name} {ray:?}: {found:?}, traced {expected:?}, {least}");
                }
            }
        }
        assert!(hits > 100 && (misses > 20 || name == "plane"), "{name}: {hits} hits, {misses} misses");
    }
}

/// t is measured in units of the direction's length, a shortened ray does not reach, and a far origin loses no digits.
#[test]
fn parameters_lengths_and_far_origins() {
    for (name, shape) in all_shapes().into_iter().filter(|(name, _)| *name != "plane") {
        let mut random = Random::new(3);
        for _ in 0..200 {
            let (target, direction) = (random.vector(0.8), random.direction());
            let near = Ray { origin: target - direction * 5.0, direction, length: Real::INFINITY };
            let Some(hit) = shape.cast_ray(&near) else { continue };
            let double = Ray { direction: direction * 2.0, ..near };
            assert!((shape.cast_ray(&double).unwrap().t - 0.5 * hit.t).abs() < 1e-12, "{name}");
            assert!(shape.cast_ray(&Ray { length: hit.t - 1e-9, ..near }).is_none(), "{name}");
            assert!(shape.cast_ray(&Ray { length: hit.t + 1e-9, ..near }).is_some(), "{name}");
            let slope = hit.normal.dot(direction).abs();
            if slope > 0.1 {
                let far = Ray { origin: near.origin - direction * 1e6, ..near };
                let t = shape.cast_ray(&far).map(|h| h.t - 1e6);
                assert!(t.is_some_and(|t| (t - hit.t).abs() < 1e-7), "{name} {near:?}: {hit:?} {t:?}");
            }
        }
    }
}

#[test]
fn closed_forms_of_rays() {
    let from = |x: Real, y: Real, direction: Vec3| Ray { origin: Vec3::new(x, y, 0.0), direction, length: 100.0 };
    let cast = |s: &Shape, r: Ray| s.cast_ray(&r).map(|h| (h.t, h.normal));
    let cone = Shape::cone(1.0, 1.0).unwrap();
    // half way up the side, where the radius is one half
    let (t, n) = cast(&cone, from(5.0, 0.0, Vec3::NEG_X)).unwrap();
    assert!((t - 4.5).abs() < 1e-15 && (n - Vec3::new(2.0, 1.0, 0.0).normalize()).length() < 1e-15);
    // down the axis onto the tip, and up into the base
    assert_eq!(cast(&cone, from(0.0, 4.0, Vec3::NEG_Y)).unwrap().0, 3.0);
    assert_eq!(cast(&cone, from(0.5, -4.0, Vec3::Y)), Some((3.0, Vec3::NEG_Y)));
    // along the slope of the side but outside, and above the tip: there is no second half of a double cone
    assert_eq!(cast(&cone, from(0.0, 1.5, Vec3::X)), None);
    assert_eq!(cast(&cone, from(-5.0, 2.0, Vec3::X)), None);
    assert!(
        cast(&cone, Ray { origin: Vec3::new(1.5, 0.0, 0.0), direction: Vec3::new(-1.0, 2.0, 0.0), length: 9.0 })
            .is_none()
    );
    let cylinder = Shape::cylinder(1.0, 2.0).unwrap();
    assert_eq!(cast(&cylinder, from(0.5, 9.0, Vec3::NEG_Y)), Some((7.0, Vec3::Y)));
    assert_eq!(cast(&cylinder, from(1.5, 9.0, Vec3::NEG_Y)), None);
    let capsule = Shape::capsule(1.0, 2.0).unwrap();
    assert_eq!(cast(&capsule, from(0.0, 9.0, Vec3::NEG_Y)), Some((6.0, Vec3::Y)));
    assert_eq!(cast(&capsule, from(4.0, 1.0, Vec3::NEG_X)), Some((3.0, Vec3::X)));
    let plane = Shape::plane(Vec3::Y, 1.0).unwrap();
    assert_eq!(cast(&plane, from(0.0, 3.0, Vec3::NEG_Y)), Some((2.0, Vec3::Y)));
    assert_eq!(cast(&plane, from(0.0, 3.0, Vec3::X)), None);
    // from inside, every solid is hit at once, against the ray
    for (name, shape) in all_shapes() {
        let inside = match name {
            "compound" => Vec3::X,
            "plane" => Vec3::NEG_Y,
            "height field" => Vec3::new(1.0, -0.7, 1.0),
            _ => Vec3::new(0.0, 0.1, 0.1),
        };
        let ray = Ray { origin: inside, direction: Vec3::Z, length: 1.0 };
        assert_eq!(cast(&shape, ray), Some((0.0, Vec3::NEG_Z)), "{name}");
    }
}

/// No ray slips between two triangles of a closed surface: rays from all sides, aimed at its vertices and at the middles of its edges.
#[test]
fn a_closed_mesh_has_no_gaps() {
    let mesh = TriangleMesh::cuboid(Vec3::new(0.5, 0.9, 0.7), 3);
    let shape = Shape::mesh(MeshShape::new(mesh.clone(), None).unwrap());
    let mut random = Random::new(5);
    for t in mesh.triangles() {
        let p = t.map(|v| mesh.vertices()[v as usize]);
        for target in [p[0], (p[0] + p[1]) * 0.5, (p[1] + p[2]) * 0.5] {
            for _ in 0..8 {
                // through an inner point, so that the line passes well inside the body
                let inner = target * random.range(0.2, 0.8);
                let direction = (inner - target).normalize();
                let ray = Ray { origin: target - direction * 3.0, direction, length: Real::INFINITY };
                let hit = shape.cast_ray(&ray).expect("the surface is closed");
                assert!((hit.t - 3.0).abs() < 1e-12, "{ray:?} {hit:?}");
            }
        }
    }
}

/// A sheet has no inside: it is hit from both sides, and its distances are positive.
#[test]
fn an_open_mesh_is_met_from_either_side() {
    let corners = vec![Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::Y];
    let sheet = TriangleMesh::new(corners, vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    let sheet = Shape::mesh(MeshShape::new(sheet, None).unwrap());
    for side in [1.0, -1.0] {
        let origin = Vec3::new(0.3, 0.2, 2.0 * side);
        let hit = sheet.cast_ray(&Ray { origin, direction: Vec3::NEG_Z * side, length: 9.0 }).unwrap();
        assert_eq!((hit.t, hit.normal), (2.0, Vec3::Z * side));
        let d = point_distance(&sheet, &Pose::IDENTITY, origin).unwrap();
        assert_eq!((d.distance, d.normal, d.nearest), (2.0, Vec3::Z * side, Vec3::new(0.3, 0.2, 0.0)));
    }
}

#[test]
fn a_sweep_ends_where_the_shapes_first_touch() {
    // without meshes and height fields: there the narrow phase uses samples, so that its distance does not tell a touch; they are in the next test
    let mut shapes = all_shapes();
    shapes.retain(|(name, _)| *name != "mesh" && *name != "height field");
    let mut touched = 0;
    for (i, (moving_name, moving)) in shapes.iter().enumerate().filter(|(_, (name, _))| *name != "plane") {
        for (j, (still_name, still)) in shapes.iter().enumerate() {
            let mut random = Random::new((i * 100 + j) as u64);
            for _ in 0..12 {
                let pose = Pose::new(random.direction() * 5.0 + Vec3::Y * 3.0, random.rotation());
                let turned = Pose::new(random.vector(0.5), random.rotation());
                let translation = (random.vector(1.5) - pose.position) * 1.5;
                let (a, b) = (PosedShape { shape: moving, pose }, PosedShape { shape: still, pose: turned });
                let distance = |fraction: Real| {
                    let pose = Pose::new(pose.position + translation * fraction, pose.orientation);
                    let a = PosedShape { shape: moving, pose };
                    Combined.query(a, b, Real::INFINITY, &mut [0; 4], &mut Vec::new()).unwrap().distance
                };
                if distance(0.0) <= 0.0 {
                    continue;
                }
                let what = format!("{moving_name} upon {still_name}, {pose:?}, {translation}");
                let end = match sweep(a, translation, b).unwrap() {
                    Sweep::Touch(hit) => {
                        touched += 1;
                        let gap = distance(hit.fraction);
                        assert!(gap.abs() < 1e-8, "{what}: {hit:?}, {gap}");
                        assert!(hit.normal.dot(translation) < 1e-9, "{what}: {hit:?}");
                        let on = point_distance(still, &turned, hit.position).unwrap().distance;
                        // nearest points of curved cores are known to the square root of the error of the distance
                        assert!(on.abs() < 1e-6, "{what}: {hit:?} is {on} from the surface");
                        hit.fraction
                    }
                    Sweep::Free => 1.0,
                    Sweep::NotBefore(f) => panic!("{what}: not settled at {f}"),
                };
                for k in 0..40 {
                    let fraction = end * Real::from(k) / 40.0;
                    assert!(distance(fraction) > -1e-9, "{what}: overlaps at {fraction}, end {end}");
                }
            }
        }
    }
    assert!(touched > 400, "{touched}");
}

/// A shape as triangles with a radius around them, and by how much (m) its surface may differ from them.
struct Shell {
    triangles: Vec<[Vec3; 3]>,
    radius: Real,
    slack: Real,
}

/// A body of revolution about y as a fan of many triangles: `(radius, height)` from the lower end to the upper.
fn lathe(profile: &[(Real, Real)]) -> Vec<[Vec3; 3]> {
    const SIDES: i32 = 256;
    let ring = |(radius, height): (Real, Real), k: i32| {
        let (sin, cos) = (Real::from(k) * core::f64::consts::TAU / Real::from(SIDES)).sin_cos();
        Vec3::new(radius * cos, height, radius * sin)
    };
    let sides = profile.windows(2).flat_map(|w| {
        (0..SIDES).flat_map(move |k| {
            let [p, q, r, s] = [ring(w[0], k), ring(w[0], k + 1), ring(w[1], k), ring(w[1], k + 1)];
            [[p, q, r], [q, r, s]]
        })
    });
    sides.collect()
}

fn shells(shape: &Shape, pose: &Pose) -> Vec<Shell> {
    let of_mesh = |m: &TriangleMesh| m.triangles().iter().map(|t| t.map(|v| m.vertices()[v as usize])).collect();
    let (triangles, radius, slack) = match shape {
        Shape::Sphere(s) => (vec![[Vec3::ZERO; 3]], s.radius(), 0.0),
        Shape::Capsule(c) => {
            let end = Vec3::Y * c.half_height();
            (vec![[-end, end, end]], c.radius(), 0.0)
        }
        Shape::Box(b) => (of_mesh(&TriangleMesh::cuboid(b.half_extents(), 1)), 0.0, 0.0),
        Shape::Convex(hull) => {
            let face = |f: usize| {
                let corners = hull.face_corners(f).iter().map(|v| hull.vertices()[*v as usize]).collect::<Vec<_>>();
                (2..corners.len()).map(move |k| [corners[0], corners[k - 1], corners[k]])
            };
            ((0..hull.face_count()).flat_map(face).collect(), 0.0, 0.0)
        }
        Shape::Mesh(m) => (of_mesh(m.mesh()), 0.0, 0.0),
        // the height of an arc above its chord
        Shape::Cylinder(c) => {
            let (r, h) = (c.radius(), c.half_height());
            (lathe(&[(0.0, -h), (r, -h), (r, h), (0.0, h)]), 0.0, 1e-4 * r)
        }
        Shape::Cone(c) => {
            let (r, h) = (c.radius(), c.half_height());
            (lathe(&[(0.0, -h), (r, -h), (0.0, h)]), 0.0, 1e-4 * r)
        }
        Shape::Compound(c) => {
            let parts = c.parts().iter();
            return parts.flat_map(|(part, place)| shells(part, &(*pose * *place))).collect();
        }
        other => panic!("no shell of a {}", other.kind()),
    };
    let triangles = triangles.into_iter().map(|t: [Vec3; 3]| t.map(|v| pose.point(v))).collect();
    vec![Shell { triangles, radius, slack }]
}

/// A ball around a triangle: its centre and radius.
fn ball(t: [Vec3; 3]) -> (Vec3, Real) {
    let centre = (t[0] + t[1] + t[2]) / 3.0;
    (centre, t.iter().map(|v| (*v - centre).length()).fold(0.0, Real::max))
}

/// The least distance (m) of two surfaces over all pairs of triangles, and its possible error.
fn surface_distance(a: &[Shell], shift: Vec3, b: &[Shell]) -> (Real, Real) {
    let mut best = (Real::INFINITY, 0.0);
    for (x, y) in a.iter().flat_map(|x| b.iter().map(move |y| (x, y))) {
        for p in &x.triangles {
            let p = p.map(|v| v + shift);
            let (centre, reach) = ball(p);
            for q in &y.triangles {
                let (other, other_reach) = ball(*q);
                if (centre - other).length() - reach - other_reach - x.radius - y.radius > best.0 {
                    continue;
                }
                let (on_p, on_q) = closest_between_triangles(p, *q);
                let distance = (on_p - on_q).length() - x.radius - y.radius;
                if distance < best.0 {
                    best = (distance, x.slack + y.slack);
                }
            }
        }
    }
    best
}

/// Sweeps that involve triangles, against all pairs of triangles.
#[test]
fn a_sweep_of_triangles_ends_where_the_first_two_touch() {
    let shapes = all_shapes();
    let (mut touched, mut free) = (0, 0);
    for (i, (moving_name, moving)) in shapes.iter().enumerate() {
        for (j, (still_name, still)) in shapes.iter().enumerate() {
            let meshes = [moving, still].iter().any(|s| matches!(s, Shape::Mesh(_)));
            if !meshes || [*moving_name, *still_name].contains(&"plane") {
                continue;
            }
            let mut random = Random::new((i * 100 + j) as u64);
            for _ in 0..6 {
                let pose = Pose::new(random.direction() * 7.0, random.rotation());
                let turned = Pose::new(random.vector(0.5), random.rotation());
                let translation = (random.vector(1.5) - pose.position) * 1.5;
                let (a, b) = (PosedShape { shape: moving, pose }, PosedShape { shape: still, pose: turned });
                let (x, y) = (shells(moving, &pose), shells(still, &turned));
                let distance = |fraction: Real| surface_distance(&x, translation * fraction, &y);
                let what = format!("{moving_name} upon {still_name}, {pose:?}, {translation}");
                let end = match sweep(a, translation, b).unwrap() {
                    Sweep::Touch(hit) => {
                        touched += 1;
                        let (gap, slack) = distance(hit.fraction);
                        assert!(gap.abs() < 1e-8 + slack, "{what}: {hit:?}, {gap}");
                        assert!(hit.normal.dot(translation) < 1e-9, "{what}: {hit:?}");
                        let point = [Shell { triangles: vec![[hit.position; 3]], radius: 0.0, slack: 0.0 }];
                        let (on, slack) = surface_distance(&point, Vec3::ZERO, &y);
                        assert!(on.abs() < 1e-6 + slack, "{what}: {hit:?} is {on} from the surface");
                        // negative control: a hundredth of the way farther the shapes overlap more
                        let deeper = hit.fraction + 0.01;
                        assert!(distance(deeper).0 < distance(hit.fraction - 0.01).0, "{what}: {hit:?}");
                        hit.fraction
                    }
                    Sweep::Free => {
                        free += 1;
                        1.0
                    }
                    Sweep::NotBefore(f) => panic!("{what}: not settled at {f}"),
                };
                for k in 0..10 {
                    let (gap, slack) = distance(end * Real::from(k) / 10.0);
                    assert!(
                        gap > -slack.max(1e-9) && (gap > 0.0 || slack > 0.0),
                        "{what}: overlaps at {k} / 10, end {end}"
                    );
                }
            }
        }
    }
    assert!(touched > 60 && free > 20, "{touched} touched, {free} free");
}

#[test]
fn closed_forms_of_sweeps() {
    let at = |x: Real, y: Real| Pose::from_position(Vec3::new(x, y, 0.0));
    let ball = Shape::sphere(0.5).unwrap();
    let (wall, plane) = (Shape::cuboid(1.0, 4.0, 4.0).unwrap(), Shape::plane(Vec3::Y, 0.0).unwrap());
    let go = |way: Vec3, still: &Shape, pose: Pose| {
        let moving = PosedShape { shape: &ball, pose: at(-5.0, 3.0) };
        sweep(moving, way, PosedShape { shape: still, pose }).unwrap()
    };
    let Sweep::Touch(hit) = go(Vec3::X * 10.0, &wall, Pose::IDENTITY) else { panic!() };
    assert!((hit.fraction - 0.35).abs() < 1e-14 && (hit.normal - Vec3::NEG_X).length() < 1e-14);
    assert!((hit.position - Vec3::new(-1.0, 3.0, 0.0)).length() < 1e-13);
    let Sweep::Touch(hit) = go(Vec3::new(1.0, -5.0, 0.0), &plane, Pose::IDENTITY) else { panic!() };
    assert!((hit.fraction - 0.5).abs() < 1e-14 && hit.normal == Vec3::Y);
    // two balls: the root of |p + v t| = 1
    let Sweep::Touch(hit) = go(Vec3::X * 10.0, &ball, at(0.0, 2.4)) else { panic!() };
    assert!((hit.fraction - 0.42).abs() < 1e-12 && (hit.normal - Vec3::new(-0.8, 0.6, 0.0)).length() < 1e-11);
    assert_eq!(go(Vec3::X * 10.0, &ball, at(0.0, 1.9)), Sweep::Free);
    assert_eq!(go(Vec3::NEG_X, &wall, Pose::IDENTITY), Sweep::Free);
    assert_eq!(go(Vec3::ZERO, &wall, Pose::IDENTITY), Sweep::Free);
    let Sweep::Touch(hit) = go(Vec3::X, &wall, at(-5.0, 3.0)) else { panic!() };
    assert_eq!(hit.fraction, 0.0);
}
