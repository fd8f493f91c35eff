use super::AxisBox;
use super::volume::{BoundingVolume, principal_axes};
use crate::mesh::TriangleMesh;
use crate::triangle::closest_on_triangle;
use drystone_math::{Pose, Real, Vec3};

/// A binary tree of bounding volumes over the triangles of a mesh.
///
/// # Source
/// Boxes of boxes: Baraff 1995, "Collision and contact determination" (I-02). SiLVIA, section 2.2 (J-03): a set is split by the plane through the mean of the triangles' centres,
/// normal to the principal axis that makes the children's volumes smallest, until one triangle is left.
#[derive(Debug, Clone, PartialEq)]
pub struct BoundingTree<V> {
    nodes: Vec<Node<V>>,
}

#[derive(Debug, Clone, PartialEq)]
struct Node<V> {
    volume: V,
    content: Content,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Content {
    Triangle(u32),
    /// The left child follows its parent; this is the number of the right one.
    Children(u32),
}

/// Contents of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Branch {
    /// One triangle.
    Leaf(usize),
    /// Two nodes.
    Split(usize, usize),
}

impl<V: BoundingVolume> BoundingTree<V> {
    /// The tree over all triangles of a mesh. If the mesh has none ([`TriangleMesh::mend`] may drop them all), the tree has no node and finds
    /// nothing.
    pub fn of(mesh: &TriangleMesh) -> Self {
        let mut triangles: Vec<u32> = (0..mesh.triangles().len() as u32).collect();
        if triangles.is_empty() {
            return Self { nodes: Vec::new() };
        }
        let mut nodes = Vec::with_capacity(2 * triangles.len());
        // ranges still to build, with the parent that waits for its right child's number
        let mut stack = vec![(0, triangles.len(), None::<usize>)];
        let mut points = Vec::new();
        let center = |t: usize| mesh.corners(t).into_iter().sum::<Vec3>() / 3.0;
        let mut room = Room { centers: (0..triangles.len()).map(center).collect(), ..Room::default() };
        while let Some((first, end, parent)) = stack.pop() {
            let at = nodes.len();
            if let Some(parent) = parent {
                let node: &mut Node<V> = &mut nodes[parent];
                node.content = Content::Children(at as u32);
            }
            points.clear();
            points.extend(triangles[first..end].iter().flat_map(|&t| mesh.corners(t as usize)));
            let volume = V::around(&points);
            if end - first == 1 {
                nodes.push(Node { volume, content: Content::Triangle(triangles[first]) });
                continue;
            }
            nodes.push(Node { volume, content: Content::Children(0) });
            let middle = first + split::<V>(mesh, &mut triangles[first..end], &points, &mut room);
            stack.push((middle, end, Some(at)));
            stack.push((first, middle, None));
        }
        Self { nodes }
    }

    /// Number of nodes.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// The volume around a node's triangles; node 0 is the root.
    pub fn volume(&self, node: usize) -> &V {
        &self.nodes[node].volume
    }

    /// Contents of a node.
    #[inline]
    pub fn branch(&self, node: usize) -> Branch {
        match self.nodes[node].content {
            Content::Triangle(t) => Branch::Leaf(t as usize),
            Content::Children(right) => Branch::Split(node + 1, right as usize),
        }
    }

    /// Calls back with every triangle whose node's volume is within `distance` (m) of a point.
    pub fn near(&self, point: Vec3, distance: Real, mut visit: impl FnMut(usize)) {
        let root: &[usize] = if self.nodes.is_empty() { &[] } else { &[0] };
        let mut stack = smallvec::SmallVec::<[usize; 64]>::from_slice(root);
        while let Some(n) = stack.pop() {
            if self.nodes[n].volume.distance_to(point) > distance {
                continue;
            }
            match self.branch(n) {
                Branch::Leaf(t) => visit(t),
                Branch::Split(l, r) => stack.extend([r, l]),
            }
        }
    }

    /// Calls back with the triangles whose `bound`, a lower bound on a distance (m), is at most the limit, the nearer child of each node first. `leaf` returns the limit from there on.
    pub fn nearest_first(&self, mut limit: Real, bound: impl Fn(&V) -> Real, mut leaf: impl FnMut(usize) -> Real) {
        let mut stack = smallvec::SmallVec::<[(Real, usize); 64]>::new();
        stack.extend(self.nodes.first().map(|root| (bound(&root.volume), 0)));
        while let Some((at_least, n)) = stack.pop() {
            if at_least > limit {
                continue;
            }
            match self.branch(n) {
                Branch::Leaf(t) => limit = leaf(t),
                Branch::Split(l, r) => {
                    let (dl, dr) = (bound(&self.nodes[l].volume), bound(&self.nodes[r].volume));
                    stack.extend(if dl <= dr { [(dr, r), (dl, l)] } else { [(dl, l), (dr, r)] });
                }
            }
        }
    }

    /// The point of the mesh nearest to `point`, with its triangle; `None` if nothing is within `limit` (m).
    pub fn closest_point(&self, mesh: &TriangleMesh, point: Vec3, limit: Real) -> Option<(Vec3, usize)> {
        self.nearly_closest_point(mesh, point, limit, 0.0)
    }

    /// A point of the mesh whose distance from `point` exceeds the least one by at most the fraction `slack`, with its triangle; `None` if nothing is within `limit` (m).
    pub fn nearly_closest_point(
        &self,
        mesh: &TriangleMesh,
        point: Vec3,
        limit: Real,
        slack: Real,
    ) -> Option<(Vec3, usize)> {
        let mut best = (limit * limit, None);
        let stretch = (1.0 + slack) * (1.0 + slack);
        let mut stack = smallvec::SmallVec::<[(Real, usize); 64]>::new();
        stack.extend(self.nodes.first().map(|root| (root.volume.distance_to(point), 0)));
        while let Some((bound, n)) = stack.pop() {
            if bound * bound * stretch > best.0 {
                continue;
            }
            match self.branch(n) {
                Branch::Leaf(t) => {
                    let [a, b, c] = mesh.corners(t);
                    let (q, _) = closest_on_triangle(point, a, b, c);
                    let d = (q - point).length_squared();
                    if d < best.0 || (d <= best.0 && best.1.is_none()) {
                        best = (d, Some((q, t)));
                    }
                }
                Branch::Split(l, r) => {
                    let (dl, dr) = (self.nodes[l].volume.distance_to(point), self.nodes[r].volume.distance_to(point));
                    // the nearer one goes on top and is looked at first
                    if dl <= dr {
                        stack.extend([(dr, r), (dl, l)]);
                    } else {
                        stack.extend([(dl, l), (dr, r)]);
                    }
                }
            }
        }
        best.1
    }
}

impl BoundingTree<AxisBox> {
    /// The tree over boxes, which stand in for triangles: leaf *i* is box *i*. A set is halved along the axis along which the middles of its boxes spread most.
    ///
    /// # Cost
    /// O(n log^2 n).
    pub fn of_boxes(boxes: &[AxisBox]) -> Self {
        let mut order: Vec<u32> = (0..boxes.len() as u32).collect();
        let mut nodes = Vec::with_capacity(2 * boxes.len());
        let mut stack = if boxes.is_empty() { Vec::new() } else { vec![(0, boxes.len(), None::<usize>)] };
        let union = |of: &[u32], region: &dyn Fn(&AxisBox) -> AxisBox| {
            let first = region(&boxes[of[0] as usize]);
            of.iter()
                .map(|&i| region(&boxes[i as usize]))
                .fold(first, |b, o| AxisBox { min: b.min.min(o.min), max: b.max.max(o.max) })
        };
        let middle = |b: &AxisBox| (b.min + b.max) * 0.5;
        while let Some((first, end, parent)) = stack.pop() {
            let at = nodes.len();
            if let Some(parent) = parent {
                let node: &mut Node<AxisBox> = &mut nodes[parent];
                node.content = Content::Children(at as u32);
            }
            let of = &mut order[first..end];
            let volume = union(of, &|b| *b);
            if let [only] = of {
                nodes.push(Node { volume, content: Content::Triangle(*only) });
                continue;
            }
            nodes.push(Node { volume, content: Content::Children(0) });
            let middles = union(of, &|b| AxisBox { min: middle(b), max: middle(b) });
            let size = (middles.max - middles.min).to_array();
            let axis = (1..3).fold(0, |k, i| if size[i] > size[k] { i } else { k });
            let along = |i: &u32| middle(&boxes[*i as usize])[axis];
            of.sort_unstable_by(|i, j| along(i).total_cmp(&along(j)).then(i.cmp(j)));
            let half = first + of.len() / 2;
            stack.push((half, end, Some(at)));
            stack.push((first, half, None));
        }
        Self { nodes }
    }

    /// Calls back with every triangle whose box is within `distance` (m) of a box along each axis, and with a lower bound on their distance (m).
    pub fn near_box(&self, around: &AxisBox, distance: Real, mut visit: impl FnMut(usize, Real)) {
        let root: &[usize] = if self.nodes.is_empty() { &[] } else { &[0] };
        let mut stack = smallvec::SmallVec::<[usize; 64]>::from_slice(root);
        while let Some(n) = stack.pop() {
            let apart = self.nodes[n].volume.apart(around);
            if apart.max_element() > distance {
                continue;
            }
            match self.branch(n) {
                Branch::Leaf(t) => visit(t, apart.max(Vec3::ZERO).length()),
                Branch::Split(l, r) => stack.extend([r, l]),
            }
        }
    }
}

/// Scratch memory that the splits of a tree share.
#[derive(Default)]
struct Room {
    /// Centres of the triangles of the mesh (m).
    centers: Vec<Vec3>,
    /// Corners of the triangles on either side (m).
    corners: [Vec<Vec3>; 2],
    /// The triangles of the right child.
    right: Vec<u32>,
}

/// Returns true if a centre is on the left. A centre that is NaN, from corners too far out, counts as left, so that
/// each triangle is always on the same side.
fn is_left(axis: Vec3, from_mean: Vec3) -> bool {
    let along = axis.dot(from_mean);
    along.is_nan() || along < 0.0
}

/// Puts the triangles of the left child first and returns how many there are.
fn split<V: BoundingVolume>(mesh: &TriangleMesh, triangles: &mut [u32], points: &[Vec3], room: &mut Room) -> usize {
    let Room { centers, corners, right } = room;
    let mean = triangles.iter().fold(Vec3::ZERO, |s, &t| s + centers[t as usize]) / triangles.len() as Real;
    let axes = principal_axes(points);
    let mut best = (Real::INFINITY, None);
    for k in 0..3 {
        let axis = axes.col(k);
        corners.iter_mut().for_each(Vec::clear);
        for &t in &*triangles {
            let side = usize::from(!is_left(axis, centers[t as usize] - mean));
            corners[side].extend(mesh.corners(t as usize));
        }
        if corners.iter().any(Vec::is_empty) {
            continue;
        }
        if triangles.len() == 2 {
            // any axis that parts them gives the same two children
            best.1 = Some(axis);
            break;
        }
        // for large sets, axis-aligned boxes stand in for the volumes: they are cheap
        let volume = |p: &Vec<Vec3>| {
            if triangles.len() > 256 { AxisBox::around(p).volume() } else { V::around(p).volume() }
        };
        let volumes = volume(&corners[0]) + volume(&corners[1]);
        if volumes < best.0 {
            best = (volumes, Some(axis));
        }
    }
    let Some(axis) = best.1 else {
        // all centres in one place: halve the list
        return triangles.len() / 2;
    };
    // sort by side; each side stays in the order of the mesh
    right.clear();
    let mut count = 0;
    for i in 0..triangles.len() {
        let t = triangles[i];
        if is_left(axis, centers[t as usize] - mean) {
            triangles[count] = t;
            count += 1;
        } else {
            right.push(t);
        }
    }
    triangles[count..].copy_from_slice(right);
    count
}

/// Calls back with every pair of triangles whose volumes are within `distance` (m) of each other, until the callback
/// returns `false` (J-04). `pose_b` is the frame of B seen from A's.
pub fn triangle_pairs<V: BoundingVolume>(
    a: &BoundingTree<V>,
    b: &BoundingTree<V>,
    pose_b: &Pose,
    distance: Real,
    mut visit: impl FnMut(usize, usize) -> bool,
) {
    let roots: &[(usize, usize)] = if a.node_count() == 0 || b.node_count() == 0 { &[] } else { &[(0, 0)] };
    let mut stack = smallvec::SmallVec::<[(usize, usize); 64]>::from_slice(roots);
    while let Some((m, n)) = stack.pop() {
        if a.volume(m).distance(b.volume(n), pose_b) > distance {
            continue;
        }
        match (a.branch(m), b.branch(n)) {
            (Branch::Leaf(s), Branch::Leaf(t)) => {
                if !visit(s, t) {
                    return;
                }
            }
            // open the larger one
            (Branch::Split(l, r), second)
                if matches!(second, Branch::Leaf(_)) || a.volume(m).volume() >= b.volume(n).volume() =>
            {
                stack.extend([(r, n), (l, n)]);
            }
            (_, Branch::Split(l, r)) => stack.extend([(m, r), (m, l)]),
            (Branch::Split(l, r), Branch::Leaf(_)) => stack.extend([(r, n), (l, n)]),
        }
    }
}
