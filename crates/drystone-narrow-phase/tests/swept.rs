//! Times of impact against closed forms, and against the dynamic feature tests (B-29).

use drystone_core::{NarrowPhase, PosedShape};
use drystone_geometry::{MeshShape, Shape, TriangleMesh};
use drystone_math::{Pose, Quat, Real, Vec3};
use drystone_narrow_phase::{Combined, Impact, Motion, time_of_impact, triangles_meet};

const TOLERANCE: Real = 1e-7;

fn mesh(m: TriangleMesh) -> Shape {
    Shape::mesh(MeshShape::new(m, None).unwrap())
}

fn still(position: Vec3) -> Motion {
    Motion { start: Pose::from_position(position), linear: Vec3::ZERO, angular: Vec3::ZERO }
}

fn toi(a: (&Shape, &Motion), b: (&Shape, &Motion), duration: Real) -> Impact {
    time_of_impact(&Combined, a, b, duration, TOLERANCE, 10_000).unwrap()
}

#[test]
fn a_spinning_rod_comes_down_on_the_floor_when_its_corner_does() {
    // a rod of half length l and half thickness h about a centre at height y: its corner is l sin + h cos below the centre
    let (l, h, y, w) = (1.0, 0.1, 0.6, 3.0);
    let reach = Real::hypot(l, h);
    let expected = ((y / reach).asin() - (h / reach).asin()) / w;
    let solid = Shape::cuboid(l, h, h).unwrap();
    let rods = [solid, mesh(TriangleMesh::cuboid(Vec3::new(l, h, h), 4))];
    let plane = Shape::plane(Vec3::Y, 0.0).unwrap();
    let slab = Shape::cuboid(3.0, 0.5, 3.0).unwrap();
    let ground = mesh(TriangleMesh::cuboid(Vec3::new(3.0, 0.5, 3.0), 6));
    for rod in &rods {
        let spin = Motion { angular: Vec3::Z * w, ..still(Vec3::Y * y) };
        for (floor, at) in [(&plane, 0.0), (&slab, -0.5), (&ground, -0.5)] {
            let rest = still(Vec3::Y * at);
            for hit in [toi((floor, &rest), (rod, &spin), 1.0), toi((rod, &spin), (floor, &rest), 1.0)] {
                let Impact::At(t) = hit else { panic!("{} on {}: {hit:?}", rod.kind(), floor.kind()) };
                // early by the tolerance at the floor, over the speed of the corner
                let early = expected - t;
                assert!((0.0..2.0 * TOLERANCE).contains(&early), "{} on {}: {early:e}", rod.kind(), floor.kind());
            }
            // with a shorter turn they do not meet
            assert_eq!(toi((floor, &rest), (rod, &spin), 0.9 * expected), Impact::Never);
        }
    }
}

#[test]
fn a_floor_that_turns_meets_what_stands_beside_it() {
    // an unbounded shape: a half space turning about the z axis reaches a ball at distance 2 from the axis
    let (plane, ball) = (Shape::plane(Vec3::Y, 0.0).unwrap(), Shape::sphere(0.5).unwrap());
    let turning = Motion { angular: Vec3::Z, ..still(Vec3::ZERO) };
    let at = Motion { linear: Vec3::ZERO, ..still(Vec3::new(2.0, 1.0, 0.0)) };
    let Impact::At(t) = toi((&plane, &turning), (&ball, &at), 3.0) else { panic!("it is hit") };
    // cos t - 2 sin t = 1/2
    let expected = (0.5 / Real::sqrt(5.0)).acos() - Real::atan2(2.0, 1.0);
    assert!((t - expected).abs() < 1e-6, "{t} {expected}");
}

#[test]
fn thin_plates_of_triangles_do_not_pass_through_each_other() {
    // J-08
    let plate = mesh(TriangleMesh::cuboid(Vec3::new(1.0, 1e-3, 1.0), 3));
    let ball = Shape::sphere(0.01).unwrap();
    let shot = |shape: &Shape, half: Real| {
        let fast = Motion { linear: Vec3::NEG_Y * 500.0, angular: Vec3::Y * 3.0, ..still(Vec3::new(0.3, 5.0, 0.2)) };
        let Impact::At(t) = toi((&plate, &still(Vec3::ZERO)), (shape, &fast), 0.1) else { panic!("it went through") };
        assert!((t - (5.0 - 1e-3 - half) / 500.0).abs() < 1e-9, "{t}");
        let beside = Motion { start: Pose::from_position(Vec3::new(3.0, 5.0, 0.0)), ..fast };
        assert_eq!(toi((&plate, &still(Vec3::ZERO)), (shape, &beside), 0.1), Impact::Never);
    };
    shot(&plate, 1e-3);
    shot(&ball, 0.01);
}

/// A tetrahedron as a mesh, rotated in some way.
fn tetrahedron(k: u32) -> TriangleMesh {
    let q = Quat::from_scaled_axis(Vec3::new(Real::from(k).sin(), 0.7 * Real::from(k), 0.3));
    let corners =
        [Vec3::new(1.0, 1.0, 1.0), Vec3::new(1.0, -1.0, -1.0), Vec3::new(-1.0, 1.0, -1.0), Vec3::new(-1.0, -1.0, 1.0)];
    let vertices = corners.iter().map(|p| q * (*p * 0.5)).collect();
    TriangleMesh::new(vertices, vec![[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]]).unwrap()
}

#[test]
fn translations_agree_with_the_dynamic_tests_of_features() {
    // J-05, J-06, J-21
    let mut hits = 0;
    for k in 0..200 {
        let w = Real::from(k);
        let (x, y) = (tetrahedron(k), tetrahedron(2 * k + 1));
        let start = Vec3::new(3.0, 0.8 * (0.7 * w).sin(), 0.8 * (1.1 * w).cos());
        let way = Vec3::new(-6.0, 0.5 * w.cos(), 0.3 * w.sin());
        // every face of one with every face of the other
        let mut first: Option<Real> = None;
        for s in 0..4 {
            for t in 0..4 {
                let moved = |part: Real| y.corners(t).map(|p| p + start + way * part);
                if let Some(found) = triangles_meet([x.corners(s); 2], [moved(0.0), moved(1.0)]) {
                    first = Some(first.map_or(found, |f| f.min(found)));
                }
            }
        }
        let motion = Motion { linear: way, ..still(start) };
        let hulls = [&x, &y].map(|m| Shape::convex(m.vertices()).unwrap());
        let meshes = [x.clone(), y.clone()].map(mesh);
        for (a, b) in [(&meshes[0], &meshes[1]), (&hulls[0], &hulls[1]), (&hulls[0], &meshes[1])] {
            let found = toi((a, &still(Vec3::ZERO)), (b, &motion), 1.0);
            match (first, found) {
                (None, Impact::Never) => {}
                (Some(t), Impact::At(s)) => {
                    assert!((t - s).abs() < 1e-6, "{k}: {t} by features, {s} by advancement");
                    hits += 1;
                }
                other => panic!("{k}: {other:?}"),
            }
        }
    }
    assert!((300..600).contains(&hits), "{hits} of 600 hit");
}

/// Compounds that fly past each other and turn: at no time before the impact, or within the duration if there is none, do they overlap.
#[test]
fn compounds_do_not_pass_through_each_other() {
    let mut random = drystone_testkit::Random::new(12);
    let at = |p: Vec3| Pose::from_position(p);
    let arm = || Shape::cuboid(0.6, 0.08, 0.08).unwrap();
    let angle = Shape::compound(vec![
        (arm(), at(Vec3::new(0.5, 0.0, 0.0))),
        (Shape::capsule(0.08, 0.5).unwrap(), at(Vec3::new(0.0, 0.5, 0.0))),
        (Shape::sphere(0.15).unwrap(), at(Vec3::new(0.0, 0.0, 0.7))),
    ])
    .unwrap();
    let others = [angle.clone(), Shape::cuboid(0.3, 0.2, 0.1).unwrap(), Shape::plane(Vec3::Y, -0.8).unwrap()];
    let (mut met, mut never) = (0, 0);
    for k in 0..240 {
        let other = &others[k % 3];
        let still = matches!(other, Shape::Plane(_));
        let start = Pose::new(random.direction() * 2.0, random.rotation());
        let aim = random.vector(0.8) - start.position;
        // without rotation nothing hides that the nearest parts may recede while others approach
        let turning = [0.0, 4.0][k / 3 % 2];
        let first = Motion { start, linear: aim, angular: random.vector(turning) };
        let angular = if still { Vec3::ZERO } else { random.vector(turning) };
        let second = Motion { start: Pose::IDENTITY, linear: Vec3::ZERO, angular };
        let gap = |t: Real| {
            let (a, b) =
                (PosedShape { shape: &angle, pose: first.at(t) }, PosedShape { shape: other, pose: second.at(t) });
            Combined.query(a, b, Real::INFINITY, &mut [0; 4], &mut Vec::new()).unwrap().distance
        };
        if gap(0.0) <= 1e-3 {
            continue;
        }
        let impact = time_of_impact(&Combined, (&angle, &first), (other, &second), 1.5, 1e-3, 1000).unwrap();
        let until = match impact {
            Impact::At(t) => {
                met += 1;
                assert!(gap(t) <= 1.1e-3, "{k}: {impact:?}, {} apart", gap(t));
                t
            }
            Impact::Never => {
                never += 1;
                1.5
            }
            Impact::NotBefore(_) => panic!("{k}: {impact:?}"),
        };
        for i in 0..100 {
            let t = until * Real::from(i) / 100.0;
            assert!(gap(t) > 0.0, "{k}: {impact:?}, but they overlap at {t}");
        }
    }
    assert!(met > 60 && never > 30, "{met} {never}");
}
