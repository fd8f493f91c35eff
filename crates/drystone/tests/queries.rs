//! Rays, nearest points, overlaps and sweeps against a world, compared with a brute-force walk over all bodies.

use drystone::geometry::{MeshShape, Ray, TriangleMesh};
use drystone::prelude::*;
use drystone::{Query, QueryError};
use drystone_testkit::Random;

fn shapes() -> Vec<Shape> {
    let corners: Vec<Vec3> =
        (0..8).map(|i| Vec3::new([-0.4, 0.5][i & 1], [-0.3, 0.3][i >> 1 & 1], [-0.2, 0.6][i >> 2])).collect();
    let mesh = TriangleMesh::cuboid(Vec3::new(0.3, 0.5, 0.4), 2);
    let parts = vec![
        (Shape::sphere(0.3).unwrap(), Pose::from_position(Vec3::X * 0.4)),
        (Shape::cuboid(0.2, 0.4, 0.1).unwrap(), Pose::IDENTITY),
    ];
    vec![
        Shape::sphere(0.4).unwrap(),
        Shape::cuboid(0.3, 0.4, 0.5).unwrap(),
        Shape::capsule(0.2, 0.3).unwrap(),
        Shape::cylinder(0.3, 0.3).unwrap(),
        Shape::cone(0.4, 0.3).unwrap(),
        Shape::convex(&corners).unwrap(),
        Shape::mesh(MeshShape::new(mesh, None).unwrap()),
        Shape::compound(parts).unwrap(),
    ]
}

/// A floor, and bodies of every shape at random places above it.
fn scattered(seed: u64, count: usize) -> World {
    let mut random = Random::new(seed);
    let mut world = World::builder().build().unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, -6.0).unwrap()).layer(7)).unwrap();
    for k in 0..count {
        let shape = shapes()[k % 8].clone();
        let body = Body::dynamic(shape).at(random.vector(5.0)).oriented(random.rotation());
        world.add(body.layer((k % 2) as i64)).unwrap();
    }
    world
}

fn cast(world: &World, body: BodyId, ray: &Ray) -> Option<Real> {
    let column = world.body_index(body).unwrap();
    let shape = &world.configuration().body(column).shape;
    shape.cast_ray(&ray.seen_from(&world.pose(body).unwrap())).map(|hit| hit.t)
}

#[test]
fn the_tree_and_a_walk_over_all_bodies_agree() {
    let mut world = scattered(1, 120);
    let mut random = Random::new(2);
    for round in 0..60 {
        if round % 20 == 19 {
            for _ in 0..5 {
                world.advance(0.01).unwrap();
            }
        }
        let query = world.query();
        let origin = random.vector(6.0);
        let direction = random.direction() * random.range(0.1, 10.0);
        let length = if round % 2 == 0 { Real::INFINITY } else { random.range(0.0, 8.0) };
        let ray = Ray { origin, direction: direction.normalize(), length };

        let mut expected: Vec<(Real, BodyId)> =
            world.bodies().iter().filter_map(|b| Some((cast(&world, *b, &ray)?, *b))).collect();
        expected.sort_by(|a, b| a.0.total_cmp(&b.0));
        let all = query.ray_all(origin, direction, length).unwrap();
        assert_eq!(all.len(), expected.len());
        for (hit, (t, body)) in all.iter().zip(&expected) {
            assert!(hit.body == *body && (hit.distance - t).abs() < 1e-12, "{hit:?} {t}");
            assert!((hit.position - ray.at(*t)).length() < 1e-11 && (hit.normal.length() - 1.0).abs() < 1e-12);
        }
        let first = query.ray(origin, direction, length).unwrap();
        assert_eq!(first.map(|h| h.body), expected.first().map(|e| e.1));

        let point = random.vector(7.0);
        let nearest = query.nearest(point, Real::INFINITY).unwrap().unwrap();
        // a ball that just reaches the nearest surface overlaps its body; a slightly smaller one overlaps nothing
        if nearest.distance > 1e-3 {
            assert!((nearest.position.distance(point) - nearest.distance).abs() < 1e-9);
            let reach = Shape::sphere(nearest.distance * (1.0 + 1e-6)).unwrap();
            let found = query.overlapping(&reach, Pose::from_position(point)).unwrap();
            assert!(found.contains(&nearest.body), "{nearest:?} {found:?}");
            let short = Shape::sphere(nearest.distance * (1.0 - 1e-6)).unwrap();
            assert_eq!(query.overlapping(&short, Pose::from_position(point)).unwrap(), []);
            assert_eq!(query.nearest(point, nearest.distance).unwrap(), Some(nearest));
            assert_eq!(query.nearest(point, nearest.distance * (1.0 - 1e-9)).unwrap(), None);
        }
    }
}

#[test]
fn of_bodies_that_hold_a_point_the_deepest_is_nearest() {
    let mut world = World::builder().build().unwrap();
    let ball = |r: Real, x: Real| Body::fixed(Shape::sphere(r).unwrap()).at([x, 0.0, 0.0]);
    let small = world.add(ball(1.0, 0.5)).unwrap();
    let large = world.add(ball(3.0, 0.0)).unwrap();
    let hit = world.query().nearest(Vec3::ZERO, 0.0).unwrap().unwrap();
    assert_eq!((hit.body, hit.distance), (large, -3.0));
    let hit = world.query().only(|b| b != large).nearest(Vec3::ZERO, 0.0).unwrap().unwrap();
    assert_eq!((hit.body, hit.distance, hit.normal), (small, -0.5, Vec3::NEG_X));
    assert_eq!(hit.position, Vec3::new(-0.5, 0.0, 0.0));
}

#[test]
fn predicates_and_layers_leave_bodies_out() {
    let world = scattered(4, 60);
    let (origin, down) = (Vec3::Y * 20.0, Vec3::NEG_Y);
    let floor = world.bodies()[0];
    let hit = world.query().on_layer(7).ray(origin, down, Real::INFINITY).unwrap().unwrap();
    assert_eq!((hit.body, hit.distance), (floor, 26.0));
    let both = world.query().on_layer(7).only(|b| b != floor);
    assert_eq!(both.ray(origin, down, Real::INFINITY).unwrap(), None);
    assert_eq!(both.nearest(Vec3::ZERO, Real::INFINITY).unwrap(), None);
    let big = Shape::sphere(50.0).unwrap();
    assert_eq!(world.query().overlapping(&big, Pose::IDENTITY).unwrap(), world.bodies());
    assert_eq!(world.query().on_layer(1).overlapping(&big, Pose::IDENTITY).unwrap().len(), 30);
}

#[test]
fn a_sweep_stops_at_the_first_body() {
    let mut world = World::builder().build().unwrap();
    for x in [9.0, 3.0, 6.0] {
        world.add(Body::fixed(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).at([x, 0.0, 0.0])).unwrap();
    }
    let ball = Shape::sphere(0.5).unwrap();
    let hit = world.query().sweep(&ball, Pose::IDENTITY, Vec3::X * 20.0).unwrap().unwrap();
    assert!(hit.body == world.bodies()[1] && (hit.distance - 2.0).abs() < 1e-12);
    assert!((hit.position - Vec3::X * 2.5).length() < 1e-12 && (hit.normal - Vec3::NEG_X).length() < 1e-12);
    assert_eq!(world.query().sweep(&ball, Pose::IDENTITY, Vec3::X * 1.9).unwrap(), None);
    let inside = world.query().sweep(&ball, Pose::from_position(Vec3::X * 9.2), Vec3::Y).unwrap().unwrap();
    assert_eq!((inside.body, inside.distance), (world.bodies()[0], 0.0));
}

/// Every change of the world is seen by the next query.
#[test]
fn queries_see_the_world_as_it_stands() {
    let mut world = World::builder().build().unwrap();
    let ball = world.add(Body::dynamic(Shape::sphere(0.5).unwrap()).at([0.0, 5.0, 0.0])).unwrap();
    let height = |w: &World| {
        let hit = w.query().ray(Vec3::Y * 100.0, Vec3::NEG_Y, Real::INFINITY).unwrap();
        hit.map(|h| h.position.y)
    };
    assert_eq!(height(&world), Some(5.5));
    let before = world.snapshot();
    world.advance(0.5).unwrap();
    let fallen = world.position(ball).unwrap().y + 0.5;
    assert!(fallen < 5.0 && (height(&world).unwrap() - fallen).abs() < 1e-12);
    world.restore(&before).unwrap();
    assert_eq!(height(&world), Some(5.5));
    world.set_pose(ball, Vec3::Y * 9.0, Quat::IDENTITY).unwrap();
    assert_eq!(height(&world), Some(9.5));
    world.set_passive(ball, true).unwrap();
    assert_eq!(height(&world), None);
    world.set_passive(ball, false).unwrap();
    let second = world.add(Body::fixed(Shape::sphere(0.5).unwrap()).at([0.0, 20.0, 0.0])).unwrap();
    assert_eq!(height(&world), Some(20.5));
    world.remove(second).unwrap();
    assert_eq!(height(&world), Some(9.5));
}

#[test]
fn hostile_questions_are_answered_in_words() {
    let world = scattered(9, 16);
    let query = world.query();
    let ball = Shape::sphere(0.5).unwrap();
    let plane = Shape::plane(Vec3::Y, 0.0).unwrap();
    let nan = Vec3::splat(Real::NAN);
    let flat = |q: &Query<'_>, o: Vec3, d: Vec3, l: Real| q.ray(o, d, l).unwrap_err();
    assert_eq!(flat(&query, nan, Vec3::X, 1.0), QueryError::NotFinite { what: "origin" });
    assert_eq!(flat(&query, Vec3::ZERO, nan, 1.0), QueryError::NotFinite { what: "direction" });
    assert_eq!(flat(&query, Vec3::ZERO, Vec3::ZERO, 1.0), QueryError::ZeroDirection);
    assert!(matches!(flat(&query, Vec3::splat(1e300), Vec3::X, 1.0), QueryError::TooFar { what: "origin", .. }));
    for length in [-1.0, Real::NAN] {
        assert!(matches!(flat(&query, Vec3::ZERO, Vec3::X, length), QueryError::Negative { .. }));
        assert!(matches!(query.nearest(Vec3::ZERO, length), Err(QueryError::Negative { .. })));
    }
    assert_eq!(query.overlapping(&plane, Pose::IDENTITY), Err(QueryError::Unbounded("plane")));
    let unturned = Pose::new(Vec3::ZERO, Quat::from_xyzw(0.0, 0.0, 0.0, 0.0));
    assert_eq!(query.overlapping(&ball, unturned), Err(QueryError::Orientation));
    assert!(query.sweep(&ball, Pose::IDENTITY, nan).is_err());

    // whatever numbers go in, the answer is finite
    let hostile = [0.0, -0.0, 1e-308, 1e-150, 1.0, -1e12, 1e74, Real::MAX, Real::INFINITY, Real::NAN];
    let mut random = Random::new(77);
    let mut any = |scale: bool| {
        let mut pick = || if scale { hostile[random.below(hostile.len())] } else { random.range(-3.0, 3.0) };
        Vec3::new(pick(), pick(), pick())
    };
    for k in 0..3000 {
        let (a, b) = (any(k % 3 != 0), any(k % 2 == 0));
        if let Ok(Some(hit)) = query.ray(a, b, Real::INFINITY) {
            assert!(hit.distance >= 0.0 && hit.position.is_finite() && hit.normal.is_finite(), "{a} {b}: {hit:?}");
        }
        if let Ok(Some(hit)) = query.nearest(a, Real::INFINITY) {
            assert!(hit.distance.is_finite() && hit.position.is_finite() && hit.normal.is_finite(), "{a}: {hit:?}");
        }
        if let Ok(Some(hit)) = query.sweep(&ball, Pose::from_position(a), b) {
            assert!(hit.distance >= 0.0 && hit.position.is_finite(), "{a} {b}: {hit:?}");
        }
    }
}
