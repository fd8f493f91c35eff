/// Which features of a polyhedron border on which.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Adjacency {
    /// For each edge, the face in which its first vertex precedes its second, then the other face.
    pub edge_faces: Vec<[u32; 2]>,
    /// Edges, parallel to the list of the faces' corners: from each corner to the next.
    pub corner_edges: Vec<u32>,
    /// Edges, parallel to the list of the vertices' neighbours.
    pub vertex_edges: Vec<u32>,
    /// True if every edge has two faces.
    pub closed: bool,
}

impl Adjacency {
    /// Works out which features border on which, from the sorted edges, the loops of the faces and the neighbours of
    /// each vertex.
    pub(super) fn of<'a>(
        edges: &[[u32; 2]],
        faces: impl Iterator<Item = &'a [u32]>,
        neighbours: impl Iterator<Item = &'a [u32]>,
    ) -> Self {
        const NONE: u32 = u32::MAX;
        let edge = |a: u32, b: u32| edges.binary_search(&[a.min(b), a.max(b)]).map_or(0, |e| e as u32);
        let mut edge_faces = vec![[NONE; 2]; edges.len()];
        let mut corner_edges = Vec::new();
        let mut closed = true;
        let mut face = 0;
        for corners in faces {
            for (i, &a) in corners.iter().enumerate() {
                let b = corners[(i + 1) % corners.len()];
                let e = edge(a, b);
                corner_edges.push(e);
                let side = &mut edge_faces[e as usize][usize::from(a > b)];
                closed &= *side == NONE;
                *side = face;
            }
            face += 1;
        }
        let mut vertex = 0;
        let mut vertex_edges = Vec::new();
        for neighbours in neighbours {
            vertex_edges.extend(neighbours.iter().map(|&other| edge(vertex, other)));
            vertex += 1;
        }
        closed &= edge_faces.iter().all(|s| !s.contains(&NONE));
        closed &= (vertex + face) as usize == edges.len() + 2;
        Self { edge_faces, corner_edges, vertex_edges, closed }
    }
}

#[cfg(test)]
mod tests {
    use crate::ConvexPolyhedron;
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
