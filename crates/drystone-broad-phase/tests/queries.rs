//! Queries on the tree against a brute-force walk over all boxes.

use drystone_broad_phase::{BoxTree, Ray, TreeUpdate};
use drystone_geometry::Aabb;
use drystone_math::Vec3;
use drystone_testkit::{BoxScene, Random};

fn distance(point: Vec3, b: &Aabb) -> f64 {
    (b.min - point).max(point - b.max).max(Vec3::ZERO).length()
}

/// Moves a scene and compares every query with brute force at each step.
#[test]
fn box_ray_and_nearest_queries_agree_with_a_walk_over_all_boxes() {
    let mut random = Random::new(1);
    for n in [0, 1, 2, 300] {
        let mut scene = BoxScene::new(n as u64, n);
        let mut tree = BoxTree::default();
        for step in 0..20 {
            match step {
                5 => scene.scatter(),
                9 => scene.remove(),
                12 => scene.insert(),
                15 => scene.align(),
                _ => scene.step(),
            }
            tree.update(&scene.boxes);
            let boxes = &scene.boxes;

            let query = Aabb::from_center(random.vector(8.0), Vec3::splat(random.range(0.0, 3.0)));
            let mut found = Vec::new();
            tree.overlapping(boxes, &query, |i| found.push(i));
            found.sort_unstable();
            let expected: Vec<_> = (0..boxes.len() as u32).filter(|i| boxes[*i as usize].overlaps(&query)).collect();
            assert_eq!(found, expected);

            // skip the boxes that fill all space: they are hit by every ray and contain every point
            let solid = |i: u32| boxes[i as usize] != Aabb::ALL;
            let direction = if step % 3 == 0 { Vec3::X } else { random.direction() * 2.0 };
            let ray = Ray { origin: random.vector(8.0), direction, length: random.range(0.0, 10.0) };
            let hit = tree.first_hit(boxes, &ray, |i| ray.entry(&boxes[i as usize]).filter(|_| solid(i)));
            let entries = (0..boxes.len() as u32).filter(|i| solid(*i)).filter_map(|i| ray.entry(&boxes[i as usize]));
            assert_eq!(hit.map(|h| h.1), entries.min_by(f64::total_cmp));

            let point = random.vector(10.0);
            let exact = |i: u32| if solid(i) { distance(point, &boxes[i as usize]) } else { f64::INFINITY };
            let nearest = tree.nearest(boxes, point, 4.0, exact);
            let least = (0..boxes.len() as u32).map(exact).fold(f64::INFINITY, f64::min);
            assert_eq!(nearest.map(|x| x.1), (least < 4.0).then_some(least));
        }
    }
}

#[test]
fn a_tree_is_refitted_where_little_moves_and_renewed_where_much_does() {
    let mut boxes: Vec<_> =
        (0..100).map(|i| Aabb::from_center(Vec3::X * f64::from(i) * 2.0, Vec3::splat(0.5))).collect();
    let mut tree = BoxTree::new(0.1);
    assert_eq!(tree.update(&boxes), TreeUpdate::Renewed);
    assert_eq!(tree.update(&boxes), TreeUpdate::Unchanged);
    boxes[7] = Aabb::from_center(Vec3::X * 14.05, Vec3::splat(0.5));
    assert_eq!(tree.update(&boxes), TreeUpdate::Unchanged, "within its margin");
    boxes[7] = Aabb::from_center(Vec3::X * 14.2, Vec3::splat(0.5));
    assert_eq!((tree.update(&boxes), tree.moved()), (TreeUpdate::Refitted, &[7][..]));
    boxes[7] = Aabb::from_center(Vec3::X * 14.4, Vec3::splat(0.5));
    assert_eq!(tree.update(&boxes), TreeUpdate::Unchanged, "its leaf was grown along the motion");
    for b in &mut boxes {
        *b = b.swept(Vec3::Y * 5.0);
    }
    assert_eq!(tree.update(&boxes), TreeUpdate::Renewed);
}

#[test]
fn a_ray_along_a_face_and_from_inside() {
    let b = Aabb::new(Vec3::ZERO, Vec3::ONE);
    let ray = |origin: [f64; 3], direction: [f64; 3]| {
        Ray { origin: origin.into(), direction: direction.into(), length: 10.0 }.entry(&b)
    };
    assert_eq!(ray([-1.0, 0.0, 0.5], [1.0, 0.0, 0.0]), Some(1.0));
    assert_eq!(ray([-1.0, -1e-9, 0.5], [1.0, 0.0, 0.0]), None);
    assert_eq!(ray([0.5; 3], [0.0, -3.0, 0.0]), Some(0.0));
    assert_eq!(ray([0.5, 9.0, 0.5], [0.0, 1.0, 0.0]), None);
    assert_eq!(ray([0.5; 3], [0.0; 3]), Some(0.0));
    assert_eq!(ray([0.5, -20.0, 0.5], [0.0, 1.0, 0.0]), None, "out of reach");
}
