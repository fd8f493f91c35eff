use super::ConvexPolyhedron;

/// Which features of a polyhedron border on which.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Adjacency {
    /// A face that an edge's first vertex precedes its second in, and the other one.
    pub edge_faces: Vec<[u32; 2]>,
    /// Edges in step with the faces' corners: from each corner to the next.
    pub corner_edges: Vec<u32>,
    /// Edges in step with the vertices' neighbours.
    pub vertex_edges: Vec<u32>,
    /// Whether each edge has its two faces.
    pub closed: bool,
}

impl ConvexPolyhedron {
    /// Lists who borders on whom; the faces' loops, edges and neighbours are there.
    pub(super) fn list_adjacency(&mut self) {
        const NONE: u32 = u32::MAX;
        let edge = |a: u32, b: u32| self.edges().binary_search(&[a.min(b), a.max(b)]).map_or(0, |e| e as u32);
        let mut edge_faces = vec![[NONE; 2]; self.edges().len()];
        let mut corner_edges = Vec::new();
        let mut closed = true;
        for f in 0..self.face_count() {
            let corners = self.face_corners(f);
            for (i, &a) in corners.iter().enumerate() {
                let b = corners[(i + 1) % corners.len()];
                let e = edge(a, b);
                corner_edges.push(e);
                let side = &mut edge_faces[e as usize][usize::from(a > b)];
                closed &= *side == NONE;
                *side = f as u32;
            }
        }
        closed &= edge_faces.iter().all(|s| !s.contains(&NONE));
        closed &= self.vertices().len() + self.face_count() == self.edges().len() + 2;
        let mut vertex_edges = Vec::new();
        for v in 0..self.vertices().len() as u32 {
            vertex_edges.extend(self.neighbours(v).iter().map(|&w| edge(v, w)));
        }
        self.adjacency = Adjacency { edge_faces, corner_edges, vertex_edges, closed };
    }

    /// Whether each edge lies between two faces and Euler's formula holds, so that one may walk from feature to feature.
    pub fn is_closed(&self) -> bool {
        self.adjacency.closed
    }

    /// The two faces beside an edge: first the one that sees its first vertex before its second, counter-clockwise from
    /// outside. Of use where [`Self::is_closed`].
    pub fn edge_faces(&self, edge: u32) -> [u32; 2] {
        self.adjacency.edge_faces[edge as usize]
    }

    /// The edges of a face, in step with its corners: each from a corner to the next.
    pub fn face_edges(&self, face: usize) -> &[u32] {
        &self.adjacency.corner_edges[self.corner_range(face)]
    }

    /// The edges at a vertex, in step with [`Self::neighbours`].
    pub fn vertex_edges(&self, vertex: u32) -> &[u32] {
        &self.adjacency.vertex_edges[self.neighbour_range(vertex)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_math::Vec3;

    #[test]
    fn a_cube_has_every_adjacency() {
        let points: Vec<Vec3> =
            (0..8).map(|i| Vec3::new((i & 1).into(), (i >> 1 & 1).into(), (i >> 2).into())).collect();
        let c = ConvexPolyhedron::hull(&points).unwrap();
        assert!(c.is_closed());
        for v in 0..8 {
            assert_eq!((c.neighbours(v).len(), c.vertex_edges(v).len()), (3, 3));
            for (&w, &e) in c.neighbours(v).iter().zip(c.vertex_edges(v)) {
                assert_eq!(c.edges()[e as usize], [v.min(w), v.max(w)]);
            }
        }
        for e in 0..12 {
            let [p, q] = c.edges()[e as usize];
            let [f, g] = c.edge_faces(e);
            for (face, from, to) in [(f, p, q), (g, q, p)] {
                let corners = c.face_corners(face as usize);
                let k = c.face_edges(face as usize).iter().position(|&x| x == e).unwrap();
                assert_eq!((corners[k], corners[(k + 1) % 4]), (from, to));
            }
        }
    }
}
