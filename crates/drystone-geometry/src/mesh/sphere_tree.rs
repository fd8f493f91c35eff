use super::PlacedMap;
use super::placed_map::{self, Ball};
use crate::bvh::{BoundingBall, BoundingVolume};
use drystone_math::{Real, Vec3};

/// Nodes deeper than this are not split.
const DEEPEST: usize = 64;

/// A tree of smallest balls around sample points, each split into octants at the mean of its points.
///
/// # Source
/// Thesis 6.2.2 (J-18), and 6.2.4 for what it gains (J-23).
#[derive(Debug, Clone, PartialEq)]
pub struct SphereTree {
    nodes: Vec<Node>,
    /// In the order of the tree: the points of a node are adjacent.
    points: Vec<Vec3>,
    /// The points in single precision, as balls that hold them.
    dots: Vec<Ball>,
    /// Largest distance of the points from the origin (m).
    extent: Real,
    /// Number of nodes, counting those of single points under a common ball.
    count: usize,
}

/// A ball with others below it, or a lowest one over adjacent points. The thesis' nodes of single points are not stored;
/// the points themselves are.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Node {
    ball: Ball,
    /// The first point of the node; if it has no nodes below it, its points end where the next node's begin.
    first: u32,
    /// The index of the next node that is not below this one.
    skip: u32,
    /// The point that is farthest from the mean of all points of the tree.
    outermost: u32,
}

impl SphereTree {
    /// The tree of points (m), which are reordered.
    pub fn of(points: Vec<Vec3>) -> Self {
        let mut tree = Self { nodes: Vec::new(), points, dots: Vec::new(), extent: 0.0, count: 0 };
        if !tree.points.is_empty() {
            tree.build(0, tree.points.len(), 0);
        }
        tree.note_outermost();
        tree.dots = tree.points.iter().map(|p| placed_map::ball(*p, 0.0)).collect();
        tree.extent = tree.points.iter().fold(0.0, |m: Real, p| m.max(p.length()));
        tree
    }

    fn build(&mut self, first: usize, end: usize, depth: usize) {
        let at = self.nodes.len();
        let set = &mut self.points[first..end];
        let ball = BoundingBall::around(set);
        self.nodes.push(Node {
            ball: placed_map::ball(ball.center, ball.radius),
            first: first as u32,
            skip: 0,
            outermost: 0,
        });
        self.count += 1;
        // points at the same place, or in a chain that does not end, stay together
        if set.len() > 1 && ball.radius > 0.0 && depth < DEEPEST {
            if set.len() <= 8 {
                self.count += set.len();
            } else {
                let mean = set.iter().fold(Vec3::ZERO, |s, p| s + *p) / set.len() as Real;
                let octant = |p: &Vec3| {
                    usize::from(p.x > mean.x) | usize::from(p.y > mean.y) << 1 | usize::from(p.z > mean.z) << 2
                };
                set.sort_by_key(octant);
                let ends: [usize; 8] = core::array::from_fn(|o| first + set.partition_point(|p| octant(p) <= o));
                let mut from = first;
                for e in ends {
                    if e > from {
                        self.build(from, e, depth + 1);
                        from = e;
                    }
                }
            }
        }
        self.nodes[at].skip = self.nodes.len() as u32;
    }

    /// Notes the outermost point of each node, the first of several.
    fn note_outermost(&mut self) {
        let mean = self.points.iter().fold(Vec3::ZERO, |s, p| s + *p) / self.points.len().max(1) as Real;
        let out: Vec<Real> = self.points.iter().map(|p| (*p - mean).length_squared()).collect();
        let farther = |i: usize, j: usize| if out[j] > out[i] { j } else { i };
        for n in 0..self.nodes.len() {
            self.nodes[n].outermost = self.range(n).reduce(farther).unwrap_or(0) as u32;
        }
    }

    /// The centre and radius (m) of a node's ball; node 0 is the root.
    pub fn ball(&self, node: usize) -> (Vec3, Real) {
        let [x, y, z, r] = self.nodes[node].ball.map(Real::from);
        (Vec3::new(x, y, z), r)
    }

    /// The nodes right below a node; none for a lowest one.
    pub fn children(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        let end = self.nodes[node].skip as usize;
        let within = move |n: usize| (n < end).then_some(n);
        core::iter::successors(within(node + 1), move |&n| within(self.nodes[n].skip as usize))
    }

    /// The numbers of the points of a node.
    pub fn range(&self, node: usize) -> core::ops::Range<usize> {
        let after = self.nodes.get(self.nodes[node].skip as usize);
        self.nodes[node].first as usize..after.map_or(self.points.len(), |next| next.first as usize)
    }

    /// The number of the point of a node that is farthest from the mean of all points of the tree: of a face it is a corner, of an edge an end.
    pub fn outermost(&self, node: usize) -> usize {
        self.nodes[node].outermost as usize
    }

    /// The points (m).
    pub fn points(&self) -> &[Vec3] {
        &self.points
    }

    /// Number of nodes.
    pub fn node_count(&self) -> usize {
        self.count
    }

    /// Largest distance of its points from the origin (m).
    pub fn extent(&self) -> Real {
        self.extent
    }

    /// Calls back with the numbers of the points of each lowest ball that the test lets through.
    #[inline]
    fn descend(&self, mut open: impl FnMut(Ball) -> bool, mut points: impl FnMut(core::ops::Range<usize>)) {
        let mut n = 0;
        while let Some(node) = self.nodes.get(n) {
            if !open(node.ball) {
                n = node.skip as usize;
                continue;
            }
            n += 1;
            if node.skip as usize == n {
                let end = self.nodes.get(n).map_or(self.points.len(), |next| next.first as usize);
                points(node.first as usize..end);
            }
        }
    }

    /// Calls back with each point whose balls all pass the test `open`, which is given the centre and radius (m) of a
    /// ball.
    pub fn visit(&self, mut open: impl FnMut(Vec3, Real) -> bool, mut point: impl FnMut(usize, Vec3)) {
        let wide = |b: Ball| {
            let [x, y, z, r] = b.map(Real::from);
            open(Vec3::new(x, y, z), r)
        };
        self.descend(wide, |range| range.for_each(|i| point(i, self.points[i])));
    }

    /// Calls back with the points whose value in a map may be at most its level, each with its number; the others are
    /// skipped, ball by ball and point by point.
    #[inline]
    pub fn visit_near(&self, map: &PlacedMap<'_>, mut point: impl FnMut(usize, Vec3)) {
        self.descend(
            |ball| map.may_reach(ball),
            |range| {
                for i in range {
                    if map.may_reach(self.dots[i]) {
                        point(i, self.points[i]);
                    }
                }
            },
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_is_visited_once_and_culling_is_safe() {
        let points: Vec<Vec3> = (0..300)
            .map(|i| {
                let w = Real::from(i);
                Vec3::new((1.7 * w).sin(), (0.9 * w).cos(), (0.31 * w).sin())
            })
            .collect();
        let tree = SphereTree::of(points);
        let mut seen = vec![0; tree.points().len()];
        tree.visit(|_, _| true, |i, _| seen[i] += 1);
        assert!(seen.iter().all(|&s| s == 1));
        assert!(tree.node_count() > 300 && tree.node_count() < 600);
        // the half space x > 0.7
        let mut found = Vec::new();
        tree.visit(
            |c, r| c.x + r >= 0.7,
            |i, p| {
                if p.x >= 0.7 {
                    found.push(i);
                }
            },
        );
        assert_eq!(found.len(), tree.points().iter().filter(|p| p.x >= 0.7).count());
    }
}
