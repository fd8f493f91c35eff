use super::adjacency::Adjacency;
use super::hull::hull;
use crate::solid_integrals::SolidIntegrals;
use crate::{Aabb, MassProperties, ShapeError, SupportFeature};
use drystone_math::{Pose, Real, Vec3};

/// Triangles whose normals differ by less than this (squared sine) share a face.
const COPLANAR: Real = 1e-14;

/// Corners less than this much further in than the outermost one, as a fraction of the radius, count as outermost too.
const OUTERMOST: Real = 1e-6;

/// Up to this many vertices, a support query looks at all of them, four at a time.
const FEW: usize = 32;

/// A convex polyhedron: the hull of points, with polygonal faces.
#[derive(Debug, Clone, PartialEq)]
pub struct ConvexPolyhedron {
    vertices: Vec<Vec3>,
    corners: Vec<u32>,
    faces: Vec<Face>,
    edges: Vec<[u32; 2]>,
    neighbours: Vec<u32>,
    first_neighbour: Vec<u32>,
    blocks: Vec<Block>,
    adjacency: Adjacency,
    radius: Real,
}

/// A hull has no volume below this fraction of the cube of its size.
const VOLUME: Real = 1e-14;

/// Coordinates of four vertices; the last block repeats its last one.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(align(32))]
struct Block {
    x: [Real; 4],
    y: [Real; 4],
    z: [Real; 4],
}

/// A face: its unit normal outwards, its offset, and where its corners are listed.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Face {
    normal: Vec3,
    offset: Real,
    first: u32,
    count: u32,
}

impl ConvexPolyhedron {
    /// The convex hull of points (m); points inside are dropped, doubled ones merged.
    ///
    /// # Errors
    /// [`ShapeError::NotFinite`], or [`ShapeError::Flat`] if the points span no volume.
    pub fn hull(points: &[Vec3]) -> Result<Self, ShapeError> {
        if let Some(p) = points.iter().find(|p| !p.is_finite() || p.abs().max_element() > 1e100) {
            return Err(ShapeError::NotFinite { what: "points", found: p.x + p.y + p.z });
        }
        if points.len() < 4 {
            return Err(ShapeError::Flat { points: points.len() });
        }
        let (triangles, across) = hull(points)?;
        // only the vertices in use, in their original order
        let mut number = vec![u32::MAX; points.len()];
        for &v in triangles.iter().flatten() {
            number[v as usize] = 0;
        }
        let mut vertices = Vec::new();
        for (n, &p) in number.iter_mut().zip(points) {
            if *n == 0 {
                *n = vertices.len() as u32;
                vertices.push(p);
            }
        }
        let triangles: Vec<[u32; 3]> = triangles.iter().map(|t| t.map(|v| number[v as usize])).collect();
        let hull = Self::from_triangles(vertices, &triangles, &across);
        // what is left of a volume below rounding has no mass
        let size = hull.vertices.iter().fold(0.0, |size: Real, p| size.max((*p - hull.vertices[0]).length()));
        let volume = hull.mass_properties(1.0).mass;
        let is_solid = volume > VOLUME * size * size * size;
        if is_solid { Ok(hull) } else { Err(ShapeError::Flat { points: points.len() }) }
    }

    fn from_triangles(vertices: Vec<Vec3>, triangles: &[[u32; 3]], across: &[[usize; 3]]) -> Self {
        let normals: Vec<Vec3> = triangles
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|v| vertices[v as usize]);
                (b - a).cross(c - a).normalize_or_zero()
            })
            .collect();
        let region = regions(triangles, across, &normals, &vertices);
        let (order, starts) = by_region(&region);
        let (mut corners, mut faces) = (Vec::new(), Vec::new());
        for (r, range) in starts.windows(2).map(|s| s[0]..s[1]).enumerate() {
            // the edges of the region's border, chained into a loop
            let mut border: Vec<(u32, u32)> = Vec::new();
            let mut normal = Vec3::ZERO;
            for &t in &order[range] {
                let corner = triangles[t];
                let [a, b, c] = corner.map(|v| vertices[v as usize]);
                normal += (b - a).cross(c - a);
                for e in 0..3 {
                    if region[across[t][e]] != r {
                        border.push((corner[e], corner[(e + 1) % 3]));
                    }
                }
            }
            let first = corners.len() as u32;
            if let Some(&(start, _)) = border.first() {
                let mut v = start;
                for _ in 0..border.len() {
                    corners.push(v);
                    v = border.iter().find(|e| e.0 == v).map_or(start, |e| e.1);
                    if v == start {
                        break;
                    }
                }
            }
            let count = corners.len() as u32 - first;
            let normal = normal.normalize_or_zero();
            let reach = corners[first as usize..].iter().map(|&v| normal.dot(vertices[v as usize]));
            let offset = reach.fold(Real::NEG_INFINITY, Real::max);
            faces.push(Face { normal, offset, first, count });
        }
        let radius = vertices.iter().fold(0.0, |m: Real, p| m.max(p.length()));
        let mut shape = Self {
            vertices,
            corners,
            faces,
            edges: Vec::new(),
            neighbours: Vec::new(),
            first_neighbour: Vec::new(),
            blocks: Vec::new(),
            adjacency: Adjacency::default(),
            radius,
        };
        shape.connect();
        let faces = (0..shape.face_count()).map(|f| shape.face_corners(f));
        let neighbours = (0..shape.vertices.len() as u32).map(|v| shape.neighbours(v));
        shape.adjacency = Adjacency::of(&shape.edges, faces, neighbours);
        shape
    }

    /// Lists the edges, and each vertex's neighbours.
    fn connect(&mut self) {
        let mut edges = Vec::new();
        for f in 0..self.faces.len() {
            let loop_ = self.face_corners(f);
            for (i, &a) in loop_.iter().enumerate() {
                let b = loop_[(i + 1) % loop_.len()];
                edges.push([a.min(b), a.max(b)]);
            }
        }
        edges.sort_unstable();
        edges.dedup();
        let mut both: Vec<[u32; 2]> = edges.iter().flat_map(|&[a, b]| [[a, b], [b, a]]).collect();
        both.sort_unstable();
        self.first_neighbour =
            (0..=self.vertices.len() as u32).map(|v| both.partition_point(|e| e[0] < v) as u32).collect();
        self.neighbours = both.iter().map(|e| e[1]).collect();
        self.edges = edges;
        if self.vertices.len() <= FEW {
            let lane = |c: &[Vec3], k: usize| core::array::from_fn(|i| c[i.min(c.len() - 1)][k]);
            let block = |c: &[Vec3]| Block { x: lane(c, 0), y: lane(c, 1), z: lane(c, 2) };
            self.blocks = self.vertices.chunks(4).map(block).collect();
        }
    }

    /// Vertices (m).
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// Edges, each as its two vertices, the smaller number first.
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.edges
    }

    /// Number of faces.
    pub fn face_count(&self) -> usize {
        self.faces.len()
    }

    /// The vertices of a face, counter-clockwise seen from outside.
    pub fn face_corners(&self, face: usize) -> &[u32] {
        &self.corners[self.corner_range(face)]
    }

    /// The vertices that share an edge with a vertex.
    pub fn neighbours(&self, vertex: u32) -> &[u32] {
        &self.neighbours[self.neighbour_range(vertex)]
    }

    fn neighbour_range(&self, vertex: u32) -> core::ops::Range<usize> {
        self.first_neighbour[vertex as usize] as usize..self.first_neighbour[vertex as usize + 1] as usize
    }

    fn corner_range(&self, face: usize) -> core::ops::Range<usize> {
        let f = &self.faces[face];
        f.first as usize..(f.first + f.count) as usize
    }

    /// Returns true if each edge lies between two faces and Euler's formula holds, so that one may walk from feature to
    /// feature.
    pub fn is_closed(&self) -> bool {
        self.adjacency.closed
    }

    /// The two faces beside an edge: first the one in which its first vertex precedes its second, counter-clockwise
    /// seen from outside. Meaningful only if [`Self::is_closed`].
    pub fn edge_faces(&self, edge: u32) -> [u32; 2] {
        self.adjacency.edge_faces[edge as usize]
    }

    /// The edges of a face, parallel to its corners: each from a corner to the next.
    pub fn face_edges(&self, face: usize) -> &[u32] {
        &self.adjacency.corner_edges[self.corner_range(face)]
    }

    /// The edges at a vertex, parallel to [`Self::neighbours`].
    pub fn vertex_edges(&self, vertex: u32) -> &[u32] {
        &self.adjacency.vertex_edges[self.neighbour_range(vertex)]
    }

    /// The plane of a face: unit normal outwards, and offset along it (m).
    pub fn face_plane(&self, face: usize) -> (Vec3, Real) {
        (self.faces[face].normal, self.faces[face].offset)
    }

    /// Radius of a ball about the origin that holds it (m).
    pub fn bounding_radius(&self) -> Real {
        self.radius
    }

    /// The number of the vertex farthest along `direction`, found by walking uphill from `start`.
    #[inline]
    pub fn support_vertex(&self, direction: Vec3, start: u32) -> u32 {
        if !self.blocks.is_empty() {
            return self.farthest_of_all(direction);
        }
        let height = |v: u32| direction.dot(self.vertices[v as usize]);
        let mut at = if (start as usize) < self.vertices.len() { start } else { 0 };
        let mut top = height(at);
        loop {
            let from = at;
            for &v in self.neighbours(from) {
                let h = height(v);
                if h > top {
                    (top, at) = (h, v);
                }
            }
            if at == from {
                return at;
            }
        }
    }

    /// The vertex farthest along a direction, by looking at all of them.
    #[inline]
    fn farthest_of_all(&self, d: Vec3) -> u32 {
        // the smallest polyhedra without a loop
        match self.blocks.as_slice() {
            [a] => highest_lane(a.heights(d), [0; 4]),
            [a, b] => farthest_of_two(a, b, d),
            _ => farthest_of(&self.blocks, d),
        }
    }

    pub(crate) fn support(&self, direction: Vec3) -> Vec3 {
        self.vertices[self.support_vertex(direction, 0) as usize]
    }

    /// The face turned most towards a direction among those with the outermost corner: no point of a face further in is met first.
    pub(crate) fn support_feature(&self, direction: Vec3) -> SupportFeature {
        let heights = |face: usize| self.face_corners(face).iter().map(|&v| direction.dot(self.vertices[v as usize]));
        let outermost = direction.dot(self.support(direction)) - OUTERMOST * self.radius;
        let mut best = (Real::NEG_INFINITY, 0);
        for (i, f) in self.faces.iter().enumerate() {
            let c = f.normal.dot(direction);
            if c > best.0 && heights(i).any(|height| height >= outermost) {
                best = (c, i);
            }
        }
        let points = self.face_corners(best.1).iter().map(|&v| self.vertices[v as usize]).collect();
        SupportFeature { points, radius: 0.0, id: best.1 as u32 }
    }

    pub(crate) fn aabb(&self, pose: &Pose) -> Aabb {
        let mut b = Aabb::EMPTY;
        for (k, &e) in Vec3::AXES.iter().enumerate() {
            let d = pose.local_direction(e);
            b.max[k] = pose.position[k] + d.dot(self.support(d));
            b.min[k] = pose.position[k] + d.dot(self.support(-d));
        }
        b
    }

    pub(crate) fn mass_properties(&self, density: Real) -> MassProperties {
        let mut sum = SolidIntegrals::default();
        for f in 0..self.faces.len() {
            let c = self.face_corners(f);
            for k in 1..c.len().saturating_sub(1) {
                let at = |i: usize| self.vertices[c[i] as usize];
                sum.add(at(0), at(k), at(k + 1));
            }
        }
        sum.mass_properties(density)
    }
}

impl Block {
    #[inline]
    fn heights(&self, d: Vec3) -> [Real; 4] {
        core::array::from_fn(|k| d.x * self.x[k] + d.y * self.y[k] + d.z * self.z[k])
    }
}

/// The vertex number of the highest of four lanes, whose values came from the blocks `place`; if equal, the first lane.
/// A vertex that a block repeats stands in a later lane than the vertex itself.
#[inline]
fn highest_lane(top: [Real; 4], place: [u64; 4]) -> u32 {
    let number = |k: usize| place[k] as u32 * 4 + k as u32;
    let higher = |x: (Real, u32), y: (Real, u32)| if y.0 > x.0 { y } else { x };
    let [a, b, c, d] = core::array::from_fn(|k| (top[k], number(k)));
    higher(higher(a, b), higher(c, d)).1
}

#[inline]
fn farthest_of_two(a: &Block, b: &Block, d: Vec3) -> u32 {
    let (g, h) = (a.heights(d), b.heights(d));
    // branch-free, so that all lanes run at once
    let place = core::array::from_fn(|k| u64::from(h[k] > g[k]));
    highest_lane(core::array::from_fn(|k| if h[k] > g[k] { h[k] } else { g[k] }), place)
}

/// Four running maxima side by side, then the largest of them.
fn farthest_of(blocks: &[Block], d: Vec3) -> u32 {
    let (mut top, mut place) = ([Real::NEG_INFINITY; 4], [0_u64; 4]);
    for (i, b) in blocks.iter().enumerate() {
        let h = b.heights(d);
        place = core::array::from_fn(|k| if h[k] > top[k] { i as u64 } else { place[k] });
        top = core::array::from_fn(|k| if h[k] > top[k] { h[k] } else { top[k] });
    }
    highest_lane(top, place)
}

/// Which face each triangle belongs to: coplanar neighbours share one.
fn regions(triangles: &[[u32; 3]], across: &[[usize; 3]], normals: &[Vec3], vertices: &[Vec3]) -> Vec<usize> {
    let size = vertices.iter().fold(0.0, |m: Real, p| m.max(p.abs().max_element()));
    // large triangles first: their normals are the most certain
    let area = |t: usize| {
        let [a, b, c] = triangles[t].map(|v| vertices[v as usize]);
        (b - a).cross(c - a).length_squared()
    };
    let mut order: Vec<usize> = (0..triangles.len()).collect();
    order.sort_by(|&x, &y| area(y).total_cmp(&area(x)).then(x.cmp(&y)));
    let mut region = vec![usize::MAX; triangles.len()];
    let mut count = 0;
    for &seed in &order {
        if region[seed] != usize::MAX {
            continue;
        }
        region[seed] = count;
        let mut queue = vec![seed];
        let n = normals[seed];
        let offset = n.dot(vertices[triangles[seed][0] as usize]);
        while let Some(t) = queue.pop() {
            for &u in &across[t] {
                let flat =
                    || triangles[u].iter().all(|&v| (n.dot(vertices[v as usize]) - offset).abs() <= 1e-10 * size);
                let aligned = n.cross(normals[u]).length_squared() <= COPLANAR && n.dot(normals[u]) >= 0.0;
                let sliver = area(u) <= 1e-20 * size.powi(4);
                if region[u] == usize::MAX && (aligned || sliver) && flat() {
                    region[u] = count;
                    queue.push(u);
                }
            }
        }
        count += 1;
    }
    region
}

/// The triangles in the order of their regions, and where those of each region begin, with the total count last.
fn by_region(region: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let count = region.iter().max().map_or(0, |&r| r + 1);
    let mut starts = vec![0; count + 1];
    for &r in region {
        starts[r + 1] += 1;
    }
    for r in 0..count {
        starts[r + 1] += starts[r];
    }
    let (mut order, mut next) = (vec![0; region.len()], starts.clone());
    for (t, &r) in region.iter().enumerate() {
        order[next[r]] = t;
        next[r] += 1;
    }
    (order, starts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit_cube() -> Vec<Vec3> {
        (0..8).map(|i| Vec3::new((i & 1).into(), (i >> 1 & 1).into(), (i >> 2).into())).collect()
    }

    #[test]
    fn the_hull_of_a_cube_with_points_upon_it() {
        let mut points = unit_cube();
        points.extend([Vec3::splat(0.5), Vec3::new(0.5, 0.5, 1.0), Vec3::ZERO, Vec3::new(0.5, 0.0, 0.0)]);
        let c = ConvexPolyhedron::hull(&points).unwrap();
        assert_eq!((c.vertices().len(), c.edges().len(), c.face_count()), (8, 12, 6));
        let m = c.mass_properties(12.0);
        assert!((m.mass - 12.0).abs() < 1e-12 && (m.center - Vec3::splat(0.5)).length() < 1e-14);
        assert!((m.inertia.diagonal - Vec3::splat(2.0)).length() < 1e-12 && m.inertia.off_diagonal.length() < 1e-12);
    }

    #[test]
    fn a_ball_of_points_is_its_own_hull() {
        let n = 400;
        let points: Vec<Vec3> = (0..n)
            .map(|i| {
                let y = 1.0 - 2.0 * (Real::from(i) + 0.5) / Real::from(n);
                let w = 2.399_963_229_728_653 * Real::from(i);
                let r = (1.0 - y * y).sqrt();
                Vec3::new(r * w.cos(), y, r * w.sin())
            })
            .collect();
        let c = ConvexPolyhedron::hull(&points).unwrap();
        assert_eq!(c.vertices().len(), 400);
        // Euler
        assert_eq!(c.vertices().len() + c.face_count(), c.edges().len() + 2);
        for &p in &points {
            for f in 0..c.face_count() {
                let (normal, offset) = c.face_plane(f);
                assert!(normal.dot(p) <= offset + 1e-12);
            }
            let walked = c.support(p);
            let best = points.iter().map(|q| q.dot(p)).fold(Real::NEG_INFINITY, Real::max);
            assert!((walked.dot(p) - best).abs() < 1e-14);
        }
    }

    #[test]
    fn flat_and_bad_points_are_refused() {
        let flat: Vec<Vec3> = (0..9).map(|i| Vec3::new((i % 3).into(), (i / 3).into(), 0.0)).collect();
        assert!(matches!(ConvexPolyhedron::hull(&flat), Err(ShapeError::Flat { points: 9 })));
        assert!(ConvexPolyhedron::hull(&[Vec3::ZERO; 12]).is_err());
        assert!(ConvexPolyhedron::hull(&[Vec3::NAN; 4]).is_err());
        assert!(ConvexPolyhedron::hull(&[]).is_err());
    }
}
