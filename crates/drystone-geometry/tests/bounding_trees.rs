//! Bounding volumes and trees of them: what each contains, bounds and finds, against brute force.

use drystone_geometry::bvh::{
    AxisBox, BoundingBall, BoundingTree, BoundingVolume, Branch, DistanceOrder, KDop, OrientedBox, SweptRectangle,
    tree_distance, triangle_pairs,
};
use drystone_geometry::triangle::closest_between_triangles;
use drystone_geometry::{MeshError, MeshShape, TriangleMesh};
use drystone_math::{Mat3, Pose, Quat, Real, Vec3};

/// A box whose vertices are pulled in and out.
fn star(parts: u32) -> TriangleMesh {
    let m = TriangleMesh::cuboid(Vec3::new(1.0, 0.8, 0.6), parts);
    let pulled = m.vertices().iter().enumerate().map(|(i, p)| *p * if i % 3 == 0 { 1.4 } else { 0.8 });
    TriangleMesh::new(pulled.collect(), m.triangles().to_vec()).unwrap()
}

fn pose(k: u32, far: Real) -> Pose {
    let w = Real::from(k);
    Pose::new(
        Vec3::new(w.sin(), (0.7 * w).cos(), (1.3 * w).sin()) * far,
        Quat::from_scaled_axis(Vec3::new(w, 0.4, 0.2 * w)),
    )
}

/// The triangles below a node.
fn below<V: BoundingVolume>(tree: &BoundingTree<V>, node: usize) -> Vec<usize> {
    match tree.branch(node) {
        Branch::Leaf(t) => vec![t],
        Branch::Split(l, r) => [below(tree, l), below(tree, r)].concat(),
    }
}

fn depth<V: BoundingVolume>(tree: &BoundingTree<V>, node: usize) -> usize {
    match tree.branch(node) {
        Branch::Leaf(_) => 1,
        Branch::Split(l, r) => 1 + depth(tree, l).max(depth(tree, r)),
    }
}

fn check_volumes_and_partition<V: BoundingVolume>() {
    let mesh = star(3);
    let tree = BoundingTree::<V>::of(&mesh);
    // J-03: the leaves are the triangles, each once
    let mut leaves = below(&tree, 0);
    leaves.sort_unstable();
    assert!(leaves.iter().copied().eq(0..mesh.triangles().len()), "{}", V::NAME);
    // J-02: every node holds what is below it
    for node in 0..tree.node_count() {
        for t in below(&tree, node) {
            for p in mesh.corners(t) {
                let out = tree.volume(node).distance_to(p);
                assert!(out <= 1e-12, "{}: a corner is {out} outside", V::NAME);
            }
        }
    }
    // and bounds distances from below: to other volumes, and to points
    for k in 0..200 {
        let pose = pose(k, 2.5);
        let (m, n) = (k as usize * 7 % tree.node_count(), k as usize * 13 % tree.node_count());
        let bound = tree.volume(m).distance(tree.volume(n), &pose);
        let mut exact = Real::INFINITY;
        for s in below(&tree, m) {
            for t in below(&tree, n) {
                let (p, q) = closest_between_triangles(mesh.corners(s), mesh.corners(t).map(|p| pose.point(p)));
                exact = exact.min((q - p).length());
            }
        }
        assert!(bound <= exact + 1e-12, "{}: {bound} is no bound on {exact}", V::NAME);
    }
}

#[test]
fn volumes_hold_and_bound_what_is_in_them_and_leaves_part_the_faces() {
    check_volumes_and_partition::<BoundingBall>();
    check_volumes_and_partition::<AxisBox>();
    check_volumes_and_partition::<OrientedBox>();
    check_volumes_and_partition::<KDop>();
    check_volumes_and_partition::<SweptRectangle>();
}

#[test]
fn the_depth_of_a_tree_over_a_grid_grows_with_the_logarithm() {
    for parts in [4, 8, 16, 32] {
        let mesh = TriangleMesh::cuboid(Vec3::ONE, parts);
        let (n, d) = (mesh.triangles().len(), depth(&BoundingTree::<AxisBox>::of(&mesh), 0));
        let log = (n as Real).log2();
        assert!((d as Real) <= 1.5 * log + 4.0, "{n} triangles in {d} levels");
    }
}

#[test]
fn pair_traversal_finds_what_brute_force_finds() {
    // I-02
    // J-04, all features and first hit
    let (a, b) = (star(3), star(2));
    let (ta, tb) = (BoundingTree::<OrientedBox>::of(&a), BoundingTree::<OrientedBox>::of(&b));
    let mut hits = [0, 0];
    for k in 0..60 {
        let pose = pose(k, 1.9);
        let meets = |s: usize, t: usize| {
            let (p, q) = closest_between_triangles(a.corners(s), b.corners(t).map(|p| pose.point(p)));
            (q - p).length() <= 1e-9
        };
        let brute: Vec<(usize, usize)> = (0..a.triangles().len())
            .flat_map(|s| (0..b.triangles().len()).map(move |t| (s, t)))
            .filter(|&(s, t)| meets(s, t))
            .collect();
        let mut all = Vec::new();
        triangle_pairs(&ta, &tb, &pose, 1e-9, |s, t| {
            if meets(s, t) {
                all.push((s, t));
            }
            true
        });
        all.sort_unstable();
        assert_eq!(all, brute);
        let (mut first, mut asked) = (None, 0);
        triangle_pairs(&ta, &tb, &pose, 1e-9, |s, t| {
            asked += 1;
            first = meets(s, t).then_some((s, t));
            first.is_none()
        });
        assert_eq!(first.is_some(), !brute.is_empty());
        assert!(first.is_none_or(|f| brute.contains(&f)));
        hits[usize::from(brute.is_empty())] += 1;
    }
    assert!(hits[0] > 10 && hits[1] > 10, "{hits:?}");
}

/// Branch and bound that always goes left first; returns the number of node pairs visited.
fn naive(a: &TriangleMesh, ta: &BoundingTree<BoundingBall>, tb: &BoundingTree<BoundingBall>, pose: &Pose) -> usize {
    let (mut upper, mut visited) = (Real::INFINITY, 0);
    let mut stack = vec![(0, 0)];
    while let Some((m, n)) = stack.pop() {
        if ta.volume(m).distance(tb.volume(n), pose) >= upper {
            continue;
        }
        visited += 1;
        match (ta.branch(m), tb.branch(n)) {
            (Branch::Leaf(s), Branch::Leaf(t)) => {
                let (p, q) = closest_between_triangles(a.corners(s), a.corners(t).map(|p| pose.point(p)));
                upper = upper.min((q - p).length());
            }
            (Branch::Split(l, r), other)
                if matches!(other, Branch::Leaf(_)) || ta.volume(m).volume() >= tb.volume(n).volume() =>
            {
                stack.extend([(r, n), (l, n)]);
            }
            (_, Branch::Split(l, r)) => stack.extend([(m, r), (m, l)]),
            (Branch::Split(l, r), Branch::Leaf(_)) => stack.extend([(r, n), (l, n)]),
        }
    }
    visited
}

#[test]
fn the_greedy_order_looks_at_fewer_nodes_than_none() {
    // J-10
    let mesh = star(6);
    let tree = BoundingTree::<BoundingBall>::of(&mesh);
    let (mut greedy, mut unordered) = (0, 0);
    for k in 0..30 {
        let pose = pose(k, 3.5);
        greedy += tree_distance((&mesh, &tree), (&mesh, &tree), &pose, DistanceOrder::Greedy, usize::MAX).visited;
        unordered += naive(&mesh, &tree, &tree, &pose);
    }
    assert!(greedy * 2 < unordered, "{greedy} nodes in greedy order, {unordered} without");
}

#[test]
fn swept_rectangles_are_as_far_apart_as_their_rectangles() {
    let flat = |k: u32| SweptRectangle {
        center: Vec3::new(0.1, -0.2, 0.05 * Real::from(k % 7)),
        axes: Mat3::from_quat(Quat::from_scaled_axis(Vec3::new(0.3 * Real::from(k), 1.0, -0.4))),
        half: [0.2 + 0.1 * Real::from(k % 5), if k.is_multiple_of(11) { 0.0 } else { 0.4 }],
        radius: 0.01 * Real::from(k % 3),
    };
    let triangles = |r: &SweptRectangle, pose: &Pose| {
        let (u, v) = (r.axes.x_axis * r.half[0], r.axes.y_axis * r.half[1]);
        let c = [r.center - u - v, r.center + u - v, r.center + u + v, r.center - u + v].map(|p| pose.point(p));
        [[c[0], c[1], c[2]], [c[0], c[2], c[3]]]
    };
    let mut apart = 0;
    for k in 0..2000 {
        let (a, b, pose) = (flat(k), flat(3 * k + 1), pose(k, 0.2 + 0.001 * Real::from(k)));
        let mut least = Real::INFINITY;
        for s in triangles(&a, &Pose::IDENTITY) {
            for t in triangles(&b, &pose) {
                let (p, q) = closest_between_triangles(s, t);
                least = least.min((q - p).length());
            }
        }
        let expected = (least - a.radius - b.radius).max(0.0);
        let found = a.distance(&b, &pose);
        assert!((found - expected).abs() < 1e-9, "{k}: {found}, not {expected}");
        apart += usize::from(expected > 0.0);
    }
    assert!((200..1900).contains(&apart), "{apart}");
}

#[test]
fn all_volumes_lead_to_the_same_distance() {
    fn least<V: BoundingVolume>(mesh: &TriangleMesh, pose: &Pose) -> Real {
        let tree = BoundingTree::<V>::of(mesh);
        tree_distance((mesh, &tree), (mesh, &tree), pose, DistanceOrder::BestFirst, usize::MAX).upper
    }
    let mesh = star(4);
    for k in 0..20 {
        let pose = pose(k, 3.0);
        let ball = least::<BoundingBall>(&mesh, &pose);
        for d in [
            least::<AxisBox>(&mesh, &pose),
            least::<OrientedBox>(&mesh, &pose),
            least::<KDop>(&mesh, &pose),
            least::<SweptRectangle>(&mesh, &pose),
        ] {
            assert!((d - ball).abs() < 1e-12, "{d}, not {ball}");
        }
    }
}

#[test]
fn a_mesh_that_mending_leaves_nothing_of_has_an_empty_tree_and_is_no_shape() {
    // so small that the squares of its lengths underflow to zero
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z].map(|p| p * 1e-200);
    let mut mesh = TriangleMesh::new(corners.to_vec(), vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]).unwrap();
    assert_eq!(mesh.mend(0.0).degenerate, 4);
    let tree = BoundingTree::<AxisBox>::of(&mesh);
    assert_eq!(tree.node_count(), 0);
    tree.near(Vec3::ZERO, Real::INFINITY, |t| panic!("triangle {t} of none"));
    assert_eq!(tree.closest_point(&mesh, Vec3::ZERO, Real::INFINITY), None);
    triangle_pairs(&tree, &tree, &Pose::IDENTITY, Real::INFINITY, |_, _| panic!("a pair of none"));
    assert_eq!(MeshShape::new(mesh, None).unwrap_err(), MeshError::Empty);
}
