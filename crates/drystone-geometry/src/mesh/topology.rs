use super::TriangleMesh;

/// No triangle on that side.
const NONE: u32 = u32::MAX;

/// The edges of a mesh and which triangles meet in them: all adjacencies of vertices, edges and faces (A-31, J-01).
#[derive(Debug, Clone, PartialEq)]
pub struct Topology {
    edges: Vec<[u32; 2]>,
    /// The first two triangles at each edge.
    sides: Vec<[u32; 2]>,
    /// Number of triangles that meet in each edge.
    meeting: Vec<u32>,
    /// The edge on each triangle's side k: from corner k to the next.
    edge_of: Vec<[u32; 3]>,
    /// Triangles about each vertex.
    around: Vec<u32>,
    first_around: Vec<u32>,
}

impl Topology {
    /// The adjacencies of a mesh.
    ///
    /// # Cost
    /// O(n log n).
    pub fn of(mesh: &TriangleMesh) -> Self {
        let triangles = mesh.triangles();
        let mut halves: Vec<([u32; 2], u32)> = Vec::with_capacity(3 * triangles.len());
        for (t, c) in triangles.iter().enumerate() {
            for e in 0..3 {
                let (a, b) = (c[e], c[(e + 1) % 3]);
                halves.push(([a.min(b), a.max(b)], 3 * t as u32 + e as u32));
            }
        }
        halves.sort_unstable();
        let (mut edges, mut sides, mut meeting) = (Vec::new(), Vec::<[u32; 2]>::new(), Vec::<u32>::new());
        let mut edge_of = vec![[NONE; 3]; triangles.len()];
        for &(edge, half) in &halves {
            if edges.last() != Some(&edge) {
                edges.push(edge);
                sides.push([NONE; 2]);
                meeting.push(0);
            }
            let at = edges.len() - 1;
            let t = half / 3;
            if meeting[at] < 2 {
                sides[at][meeting[at] as usize] = t;
            }
            meeting[at] += 1;
            edge_of[t as usize][half as usize % 3] = at as u32;
        }
        let mut fans: Vec<(u32, u32)> =
            triangles.iter().enumerate().flat_map(|(t, c)| c.map(|v| (v, t as u32))).collect();
        fans.sort_unstable();
        fans.dedup();
        let count = mesh.vertices().len() as u32;
        let first_around = (0..=count).map(|v| fans.partition_point(|f| f.0 < v) as u32).collect();
        let around = fans.iter().map(|f| f.1).collect();
        Self { edges, sides, meeting, edge_of, around, first_around }
    }

    /// Edges, each as its two vertices, the smaller number first.
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.edges
    }

    /// The one or two triangles beside an edge; of a crowded edge, the first two.
    pub fn sides(&self, edge: usize) -> impl Iterator<Item = usize> + '_ {
        self.sides[edge].iter().filter(|&&t| t != NONE).map(|&t| t as usize)
    }

    /// The edge from corner `side` of a triangle to the next.
    pub fn edge_of(&self, triangle: usize, side: usize) -> usize {
        self.edge_of[triangle][side] as usize
    }

    /// The triangle across the edge from corner `side` to the next.
    pub fn across(&self, triangle: usize, side: usize) -> Option<usize> {
        let e = self.edge_of(triangle, side);
        if self.meeting[e] != 2 {
            return None;
        }
        let [a, b] = self.sides[e];
        let other = if a as usize == triangle { b } else { a };
        (other as usize != triangle).then_some(other as usize)
    }

    /// The triangles about a vertex.
    pub fn around(&self, vertex: usize) -> &[u32] {
        &self.around[self.first_around[vertex] as usize..self.first_around[vertex + 1] as usize]
    }

    /// Number of triangles that meet in an edge.
    pub fn meeting(&self, edge: usize) -> u32 {
        self.meeting[edge]
    }

    /// Returns true if every edge has two triangles.
    pub(super) fn is_closed(&self) -> bool {
        self.meeting.iter().all(|&m| m == 2)
    }

    /// Returns true if the two triangles of an edge run along it in the same direction.
    pub(super) fn is_twisted(&self, edge: usize, triangles: &[[u32; 3]]) -> bool {
        let [p, q] = self.edges[edge];
        let forward = |t: u32| {
            let c = triangles[t as usize];
            (0..3).any(|k| c[k] == p && c[(k + 1) % 3] == q)
        };
        let [s, t] = self.sides[edge];
        self.meeting[edge] == 2 && forward(s) == forward(t)
    }

    /// Number of connected fans of triangles about a vertex.
    pub(super) fn fans(&self, vertex: usize, triangles: &[[u32; 3]]) -> usize {
        let around = self.around(vertex);
        let mut seen = vec![false; around.len()];
        let mut fans = 0;
        for start in 0..around.len() {
            if seen[start] {
                continue;
            }
            fans += 1;
            seen[start] = true;
            let mut queue = vec![start];
            while let Some(i) = queue.pop() {
                let t = around[i] as usize;
                for e in 0..3 {
                    let c = triangles[t];
                    if c[e] as usize != vertex && c[(e + 1) % 3] as usize != vertex {
                        continue;
                    }
                    if let Some(j) = self.across(t, e).and_then(|u| around.binary_search(&(u as u32)).ok())
                        && !seen[j]
                    {
                        seen[j] = true;
                        queue.push(j);
                    }
                }
            }
        }
        fans
    }

    /// Number of parts that are connected over edges.
    pub(super) fn parts(&self) -> usize {
        let mut seen = vec![false; self.edge_of.len()];
        let mut parts = 0;
        for start in 0..seen.len() {
            if seen[start] {
                continue;
            }
            parts += 1;
            seen[start] = true;
            let mut queue = vec![start];
            while let Some(t) = queue.pop() {
                for e in 0..3 {
                    for u in self.sides(self.edge_of(t, e)) {
                        if !seen[u] {
                            seen[u] = true;
                            queue.push(u);
                        }
                    }
                }
            }
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MeshError;
    use drystone_math::Vec3;

    #[test]
    fn the_thesis_box_mesh() {
        let m = TriangleMesh::cuboid(Vec3::new(1.0, 2.0, 3.0), 5);
        let r = Topology::of(&m).report(&m);
        assert_eq!((r.vertices, r.edges, r.triangles, r.euler, r.parts), (152, 450, 300, 2, 1));
        assert!(r.is_solid() && (r.volume - 48.0).abs() < 1e-12);
        let p = m.mass_properties(2.0);
        let exact = crate::Shape::cuboid(1.0, 2.0, 3.0).unwrap().mass_properties(2.0).unwrap();
        assert!((p.mass - exact.mass).abs() < 1e-11 && p.center.length() < 1e-13);
        assert!((p.inertia.diagonal - exact.inertia.diagonal).length() < 1e-10);
        assert!(p.inertia.off_diagonal.length() < 1e-10);
    }

    #[test]
    fn faults_are_counted_and_mended() {
        // a tetrahedron with every corner split, one face turned, one duplicated, one degenerate, one vertex unused
        let p = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
        let faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 2, 3]];
        let mut vertices: Vec<Vec3> = faces.iter().flatten().map(|&v| p[v]).collect();
        let mut triangles: Vec<[u32; 3]> = (0..4).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        triangles.push([0, 1, 2]);
        triangles.push([0, 0, 1]);
        vertices.push(Vec3::splat(9.0));
        let mut m = TriangleMesh::new(vertices, triangles).unwrap();
        assert!(!Topology::of(&m).report(&m).is_watertight());
        let done = m.mend(1e-12);
        assert_eq!((done.welded, done.degenerate, done.doubled, done.unused, done.flipped), (8, 1, 1, 9, 1));
        assert_eq!(done.hollow, 0);
        let r = Topology::of(&m).report(&m);
        assert!(r.is_solid() && (r.volume - 1.0 / 6.0).abs() < 1e-15, "{r:?}");
    }

    #[test]
    fn an_open_mesh_is_told_as_such_and_bad_ones_are_refused() {
        let mut m = TriangleMesh::cuboid(Vec3::ONE, 2);
        m.triangles.pop();
        let r = Topology::of(&m).report(&m);
        assert_eq!(r.open_edges, 3);
        assert!(!r.is_watertight());
        assert_eq!(TriangleMesh::new(vec![], vec![]), Err(MeshError::Empty));
        assert!(matches!(
            TriangleMesh::new(vec![Vec3::ZERO], vec![[0, 0, 3]]),
            Err(MeshError::Index { vertex: 3, .. })
        ));
        assert!(matches!(TriangleMesh::new(vec![Vec3::NAN], vec![[0, 0, 0]]), Err(MeshError::Vertex { .. })));
    }
}
