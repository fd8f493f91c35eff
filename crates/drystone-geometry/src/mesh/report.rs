use super::parts::{Misplaced, misplaced};
use super::{Topology, TriangleMesh};
use drystone_math::Real;

/// A summary of a mesh: whether it bounds a solid, and if not, why not.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct MeshReport {
    /// Vertices.
    pub vertices: usize,
    /// Edges.
    pub edges: usize,
    /// Triangles.
    pub triangles: usize,
    /// Edges with a triangle on one side only.
    pub open_edges: usize,
    /// Edges in which more than two triangles meet.
    pub crowded_edges: usize,
    /// Edges whose two triangles turn against each other.
    pub twisted_edges: usize,
    /// Vertices whose triangles do not form one fan.
    pub pinched_vertices: usize,
    /// Triangles without area.
    pub degenerate_triangles: usize,
    /// Vertices that no triangle uses.
    pub unused_vertices: usize,
    /// Connected parts.
    pub parts: usize,
    /// Parts of a watertight mesh that face inwards with no other part around them.
    pub inverted_parts: usize,
    /// Parts of a watertight mesh that face outwards within another one: their space counts twice.
    pub doubled_parts: usize,
    /// Used vertices minus edges plus triangles: two for each part without a hole.
    pub euler: i64,
    /// Signed volume (m^3); meaningful only if the mesh is watertight.
    pub volume: Real,
}

impl MeshReport {
    /// Returns true if every edge has two triangles that agree: the mesh bounds a volume.
    pub fn is_watertight(&self) -> bool {
        self.open_edges == 0 && self.crowded_edges == 0 && self.twisted_edges == 0 && self.degenerate_triangles == 0
    }

    /// Returns true if it is also a manifold at its vertices, and no part of it is inside out or counts twice.
    pub fn is_solid(&self) -> bool {
        self.has_volume() && self.pinched_vertices == 0
    }

    /// Returns true if its volume is that of a solid: it is watertight, and no part of it is inside out or counts
    /// twice.
    pub fn has_volume(&self) -> bool {
        self.is_watertight() && self.inverted_parts == 0 && self.doubled_parts == 0 && self.volume > 0.0
    }
}

impl Topology {
    /// The report on a mesh.
    pub fn report(&self, mesh: &TriangleMesh) -> MeshReport {
        let triangles = mesh.triangles();
        let (vertices, edges) = (mesh.vertices().len(), self.edges().len());
        let unused = (0..vertices).filter(|&v| self.around(v).is_empty()).count();
        let mut report = MeshReport {
            vertices,
            edges,
            triangles: triangles.len(),
            open_edges: (0..edges).filter(|&e| self.meeting(e) == 1).count(),
            crowded_edges: (0..edges).filter(|&e| self.meeting(e) > 2).count(),
            twisted_edges: (0..edges).filter(|&e| self.is_twisted(e, triangles)).count(),
            pinched_vertices: (0..vertices).filter(|&v| self.fans(v, triangles) > 1).count(),
            degenerate_triangles: (0..triangles.len()).filter(|&t| mesh.is_degenerate(t)).count(),
            unused_vertices: unused,
            parts: self.parts(),
            inverted_parts: 0,
            doubled_parts: 0,
            euler: (vertices - unused) as i64 - edges as i64 + triangles.len() as i64,
            volume: mesh.mass_properties(1.0).mass,
        };
        if report.is_watertight() && (report.parts > 1 || report.volume < 0.0) {
            for part in misplaced(mesh, self) {
                match part {
                    Misplaced::InsideOut(_) => report.inverted_parts += 1,
                    Misplaced::Doubled(_) => report.doubled_parts += 1,
                }
            }
        }
        report
    }
}
