use super::tree::{BoundingTree, Branch};
use super::volume::BoundingVolume;
use crate::mesh::TriangleMesh;
use crate::triangle::closest_between_triangles;
use drystone_math::{Pose, Real, Vec3};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// The order in which pairs of nodes are opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DistanceOrder {
    /// Depth first, the nearer child first at each node: a little faster in practice (J-10).
    #[default]
    Greedy,
    /// The nearest of all open pairs first: fewer nodes, and a lower bound that only grows (J-11).
    BestFirst,
}

/// Bounds on the distance between two meshes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DistanceInterval {
    /// The meshes are at least this far apart (m).
    pub lower: Real,
    /// Distance of the nearest pair of triangles found (m); equal to `lower` once the search is done.
    pub upper: Real,
    /// Nearest point of A (A's frame, m).
    pub on_a: Vec3,
    /// Nearest point of B (A's frame, m).
    pub on_b: Vec3,
    /// Triangle of A.
    pub triangle_a: usize,
    /// Triangle of B.
    pub triangle_b: usize,
    /// Pairs of nodes looked at.
    pub visited: usize,
}

/// A waiting pair of nodes, ordered with the nearest on top.
struct Open {
    bound: Real,
    pair: (usize, usize),
}

impl PartialEq for Open {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Open {}
impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Open {
    fn cmp(&self, other: &Self) -> Ordering {
        other.bound.total_cmp(&self.bound).then(other.pair.cmp(&self.pair))
    }
}

/// Waiting pairs of nodes.
enum Waiting {
    Stack(Vec<Open>),
    Heap(BinaryHeap<Open>),
}

impl Waiting {
    fn new(order: DistanceOrder, first: Open) -> Self {
        match order {
            DistanceOrder::Greedy => Self::Stack(vec![first]),
            DistanceOrder::BestFirst => Self::Heap(BinaryHeap::from([first])),
        }
    }

    /// The pair that is opened next.
    fn pop(&mut self) -> Option<Open> {
        match self {
            Self::Stack(stack) => stack.pop(),
            Self::Heap(heap) => heap.pop(),
        }
    }

    fn extend(&mut self, mut open: [Open; 2]) {
        match self {
            Self::Stack(stack) => {
                // the nearer one goes on top
                if open[0].bound <= open[1].bound {
                    open.swap(0, 1);
                }
                stack.extend(open);
            }
            Self::Heap(heap) => heap.extend(open),
        }
    }

    /// The least bound of the waiting pairs, or `least`: for a heap, the pair just taken had it.
    fn least(&self, least: Real) -> Option<Real> {
        match self {
            Self::Stack(stack) => Some(stack.iter().fold(least, |l, o| l.min(o.bound))),
            Self::Heap(_) => None,
        }
    }
}

/// The distance between two meshes of any shape by branch and bound. It stops after `budget` pairs of nodes with what
/// is known by then; with [`DistanceOrder::BestFirst`] the lower bound is useful whenever it stops.
///
/// `pose_b` is the frame of B seen from A's.
///
/// # Source
/// SiLVIA, section 2.4 (J-09, J-10, J-11).
pub fn tree_distance<V: BoundingVolume>(
    (mesh_a, a): (&TriangleMesh, &BoundingTree<V>),
    (mesh_b, b): (&TriangleMesh, &BoundingTree<V>),
    pose_b: &Pose,
    order: DistanceOrder,
    budget: usize,
) -> DistanceInterval {
    let mut best = DistanceInterval {
        lower: 0.0,
        upper: Real::INFINITY,
        on_a: Vec3::ZERO,
        on_b: Vec3::ZERO,
        triangle_a: 0,
        triangle_b: 0,
        visited: 0,
    };
    if a.node_count() == 0 || b.node_count() == 0 {
        return best;
    }
    let bound = |m: usize, n: usize| a.volume(m).distance(b.volume(n), pose_b);
    let mut waiting = Waiting::new(order, Open { bound: bound(0, 0), pair: (0, 0) });
    while let Some(Open { bound: at_least, pair: (m, n) }) = waiting.pop() {
        if order == DistanceOrder::BestFirst {
            // nothing that waits is nearer than this
            best.lower = best.lower.max(at_least.min(best.upper));
        }
        if at_least >= best.upper {
            if order == DistanceOrder::BestFirst {
                break;
            }
            continue;
        }
        if best.visited >= budget {
            best.lower = waiting.least(at_least.min(best.upper)).unwrap_or(best.lower);
            return best;
        }
        best.visited += 1;
        let children = match (a.branch(m), b.branch(n)) {
            (Branch::Leaf(s), Branch::Leaf(t)) => {
                let q = mesh_b.corners(t).map(|p| pose_b.point(p));
                let (on_a, on_b) = closest_between_triangles(mesh_a.corners(s), q);
                let d = (on_b - on_a).length();
                if d < best.upper {
                    best = DistanceInterval { upper: d, on_a, on_b, triangle_a: s, triangle_b: t, ..best };
                }
                continue;
            }
            (Branch::Split(l, r), second)
                if matches!(second, Branch::Leaf(_)) || a.volume(m).volume() >= b.volume(n).volume() =>
            {
                [(l, n), (r, n)]
            }
            (_, Branch::Split(l, r)) => [(m, l), (m, r)],
            (Branch::Split(l, r), Branch::Leaf(_)) => [(l, n), (r, n)],
        };
        waiting.extend(children.map(|pair| Open { bound: bound(pair.0, pair.1), pair }));
    }
    best.lower = best.upper;
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::{AxisBox, BoundingBall, KDop, OrientedBox, triangle_pairs};
    use drystone_math::Quat;

    fn star(spikes: u32) -> TriangleMesh {
        // a box whose vertices are pulled in and out: not convex
        let m = TriangleMesh::cuboid(Vec3::new(1.0, 0.8, 0.6), spikes);
        let vertices = m.vertices().iter().enumerate().map(|(i, p)| *p * if i % 3 == 0 { 1.4 } else { 0.8 }).collect();
        TriangleMesh::new(vertices, m.triangles().to_vec()).unwrap()
    }

    fn same_as_brute_force<V: BoundingVolume>() {
        // J-09, J-11
        let (a, b) = (star(3), star(2));
        let (ta, tb) = (BoundingTree::<V>::of(&a), BoundingTree::<V>::of(&b));
        assert_eq!(ta.node_count(), 2 * a.triangles().len() - 1);
        let mut visits = [0, 0];
        for k in 0..12 {
            let w = f64::from(k);
            let pose = Pose::new(
                Vec3::new(2.4 + 0.2 * w, 0.3 * w - 1.0, w.sin()),
                Quat::from_scaled_axis(Vec3::new(w, 1.0, 0.5 * w)),
            );
            let mut brute = Real::INFINITY;
            for s in 0..a.triangles().len() {
                for t in 0..b.triangles().len() {
                    let (p, q) = closest_between_triangles(a.corners(s), b.corners(t).map(|p| pose.point(p)));
                    brute = brute.min((q - p).length());
                }
            }
            for (i, order) in [DistanceOrder::Greedy, DistanceOrder::BestFirst].into_iter().enumerate() {
                let d = tree_distance((&a, &ta), (&b, &tb), &pose, order, usize::MAX);
                assert!((d.upper - brute).abs() < 1e-12 && d.lower == d.upper, "{} {brute} {d:?}", V::NAME);
                visits[i] += d.visited;
                // the bound grows with the budget and never passes the distance
                let mut last = 0.0;
                for budget in [1, 5, 25, 125] {
                    let d = tree_distance((&a, &ta), (&b, &tb), &pose, DistanceOrder::BestFirst, budget);
                    assert!(d.lower >= last && d.lower <= brute + 1e-12);
                    last = d.lower;
                }
            }
            let mut within = 0;
            triangle_pairs(&ta, &tb, &pose, brute, |s, t| {
                let (p, q) = closest_between_triangles(a.corners(s), b.corners(t).map(|p| pose.point(p)));
                within += usize::from((q - p).length() <= brute + 1e-12);
                true
            });
            assert!(within >= 1, "the nearest pair is among the candidates");
        }
        // J-11: the global order looks at fewer nodes
        assert!(visits[1] <= visits[0], "{} {visits:?}", V::NAME);
    }

    #[test]
    fn every_kind_of_volume_finds_the_distance_of_brute_force() {
        same_as_brute_force::<BoundingBall>();
        same_as_brute_force::<AxisBox>();
        same_as_brute_force::<OrientedBox>();
        same_as_brute_force::<KDop>();
    }

    #[test]
    fn the_nearest_point_of_a_mesh() {
        let m = star(4);
        let tree = BoundingTree::<AxisBox>::of(&m);
        for k in 0..50 {
            let w = f64::from(k);
            let p = Vec3::new((1.3 * w).sin(), (0.7 * w).cos(), (2.1 * w).sin()) * 1.5;
            let (q, _) = tree.closest_point(&m, p, Real::INFINITY).unwrap();
            let brute = (0..m.triangles().len()).map(|t| {
                let [a, b, c] = m.corners(t);
                (crate::triangle::closest_on_triangle(p, a, b, c).0 - p).length()
            });
            assert!(((q - p).length() - brute.fold(Real::INFINITY, Real::min)).abs() < 1e-14);
        }
    }
}
