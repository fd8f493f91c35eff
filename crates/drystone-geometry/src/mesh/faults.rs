use super::parts::{Misplaced, misplaced};
use super::{Topology, TriangleMesh};
use crate::bvh::{AxisBox, BoundingTree, triangle_pairs};
use crate::triangle::cut;
use drystone_math::Pose;
use thiserror::Error;

/// Fault that keeps a mesh from being a solid, and its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MeshFault {
    /// An edge with a triangle on one side only: the border of a hole.
    #[error("edge {}-{} has triangle {triangle} on one side and none on the other", edge[0], edge[1])]
    OpenEdge {
        /// Its vertices.
        edge: [u32; 2],
        /// The one triangle.
        triangle: usize,
    },
    /// An edge in which more than two triangles meet.
    #[error("{triangles} triangles meet in edge {}-{}", edge[0], edge[1])]
    CrowdedEdge {
        /// Its vertices.
        edge: [u32; 2],
        /// Number of triangles.
        triangles: u32,
    },
    /// An edge whose two triangles turn against each other.
    #[error("triangles {} and {} turn against each other at edge {}-{}", triangles[0], triangles[1], edge[0], edge[1])]
    TwistedEdge {
        /// Its vertices.
        edge: [u32; 2],
        /// The two.
        triangles: [usize; 2],
    },
    /// A vertex whose triangles do not form one fan.
    #[error("{fans} fans of triangles meet in vertex {vertex}")]
    PinchedVertex {
        /// Its number.
        vertex: usize,
        /// Number of fans.
        fans: usize,
    },
    /// A triangle without area.
    #[error("triangle {triangle} has no area")]
    DegenerateTriangle {
        /// Its number.
        triangle: usize,
    },
    /// A part of a watertight mesh that faces inwards and has no other part around it.
    #[error("the part of triangle {triangle} is inside out")]
    InvertedPart {
        /// Its first triangle.
        triangle: usize,
    },
    /// A part of a watertight mesh that faces outwards within another part.
    #[error("the part of triangle {triangle} lies within another part: its space counts twice")]
    DoubledPart {
        /// Its first triangle.
        triangle: usize,
    },
}

impl Topology {
    /// All faults of a mesh, by kind and in the order of its parts; empty if it bounds a solid and its vertices are sound.
    /// [`TriangleMesh::crossings`] tells whether it passes through itself.
    pub fn faults(&self, mesh: &TriangleMesh) -> Vec<MeshFault> {
        let mut faults = Vec::new();
        for (i, &edge) in self.edges().iter().enumerate() {
            let mut sides = self.sides(i);
            match (self.meeting(i), sides.next(), sides.next()) {
                (1, Some(triangle), _) => faults.push(MeshFault::OpenEdge { edge, triangle }),
                (2, Some(s), Some(t)) if self.is_twisted(i, mesh.triangles()) => {
                    faults.push(MeshFault::TwistedEdge { edge, triangles: [s, t] });
                }
                (2, ..) => {}
                (triangles, ..) => faults.push(MeshFault::CrowdedEdge { edge, triangles }),
            }
        }
        for vertex in 0..mesh.vertices().len() {
            let fans = self.fans(vertex, mesh.triangles());
            if fans > 1 {
                faults.push(MeshFault::PinchedVertex { vertex, fans });
            }
        }
        let degenerate = (0..mesh.triangles().len()).filter(|&t| mesh.is_degenerate(t));
        faults.extend(degenerate.map(|triangle| MeshFault::DegenerateTriangle { triangle }));
        let pinched = |f: &MeshFault| matches!(f, MeshFault::PinchedVertex { .. });
        if faults.iter().all(pinched) {
            faults.extend(misplaced(mesh, self).into_iter().map(|part| match part {
                Misplaced::InsideOut(triangle) => MeshFault::InvertedPart { triangle },
                Misplaced::Doubled(triangle) => MeshFault::DoubledPart { triangle },
            }));
        }
        faults
    }
}

impl TriangleMesh {
    /// Pairs of triangles that cut through each other, up to `limit` of them: a mesh that passes through itself counts the
    /// space within it twice, even if it has no other fault. Triangles that lie flat on each other are not found.
    ///
    /// # Cost
    /// Building a tree, then about O(n log n) for a sound mesh.
    pub fn crossings(&self, limit: usize) -> Vec<[usize; 2]> {
        let mut found = Vec::new();
        if limit == 0 {
            return found;
        }
        let tree = BoundingTree::<AxisBox>::of(self);
        triangle_pairs(&tree, &tree, &Pose::IDENTITY, 0.0, |s, t| {
            if s < t && self.cross(s, t) {
                found.push([s, t]);
            }
            found.len() < limit
        });
        found.sort_unstable();
        found
    }

    /// Returns true if an edge of either triangle goes through the other, ignoring edges at common vertices.
    fn cross(&self, s: usize, t: usize) -> bool {
        let (a, b) = (self.triangles()[s], self.triangles()[t]);
        let through = |from: [u32; 3], to: [u32; 3], triangle: usize| {
            (0..3).map(|k| (from[k], from[(k + 1) % 3])).any(|(u, v)| {
                let at = |v: u32| self.vertices()[v as usize];
                !to.contains(&u) && !to.contains(&v) && cut(at(u), at(v), self.corners(triangle)).is_some()
            })
        };
        through(a, b, t) || through(b, a, s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_math::{Real, Vec3};

    #[test]
    fn each_fault_is_told_with_its_place() {
        let sound = TriangleMesh::cuboid(Vec3::ONE, 1);
        assert!(Topology::of(&sound).faults(&sound).is_empty());
        let of = |change: &dyn Fn(&mut Vec<[u32; 3]>)| {
            let mut triangles = sound.triangles().to_vec();
            change(&mut triangles);
            let mesh = TriangleMesh::new(sound.vertices().to_vec(), triangles).unwrap();
            let topology = Topology::of(&mesh);
            (topology.faults(&mesh), topology.report(&mesh))
        };
        let (open, r) = of(&|t| t.truncate(11));
        assert!(open.len() == 3 && r.open_edges == 3);
        assert!(open.iter().all(|f| matches!(f, MeshFault::OpenEdge { triangle, .. } if *triangle < 11)));
        let (twisted, r) = of(&|t| t[4].swap(0, 1));
        assert!(twisted.len() == 3 && r.twisted_edges == 3);
        assert!(
            twisted.iter().all(|f| matches!(f, MeshFault::TwistedEdge { triangles, .. } if triangles.contains(&4)))
        );
        let (crowded, r) = of(&|t| t.push(t[2]));
        assert!(r.crowded_edges == 3 && crowded.iter().any(|f| f.to_string().starts_with("3 triangles meet in edge")));
        let (flat, _) = of(&|t| t.push([t[0][0], t[0][1], t[0][1]]));
        assert!(flat.contains(&MeshFault::DegenerateTriangle { triangle: 12 }));
    }

    #[test]
    fn two_tetrahedra_on_one_vertex_and_two_through_each_other() {
        let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
        let faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];
        let both = |place: &dyn Fn(Vec3) -> Vec3, number: &dyn Fn(u32) -> u32| {
            let mut vertices = corners.to_vec();
            vertices.extend(corners.iter().map(|p| place(*p)));
            let mut triangles = faces.to_vec();
            triangles.extend(faces.iter().map(|f| f.map(number)));
            let mut mesh = TriangleMesh::new(vertices, triangles).unwrap();
            let _ = mesh.mend(0.0);
            mesh
        };
        let pinched = both(&|p| Vec3::new(-p.x, -p.y, p.z), &|v| if v == 0 { 0 } else { v + 4 });
        let topology = Topology::of(&pinched);
        let faults = topology.faults(&pinched);
        assert!(faults.iter().any(|f| matches!(f, MeshFault::PinchedVertex { fans: 2, .. })), "{faults:?}");
        let through = both(&|p| p + Vec3::splat(0.2), &|v| v + 4);
        let report = Topology::of(&through).report(&through);
        assert!(report.is_watertight() && (report.volume - 2.0 / 6.0).abs() < 1e-12, "counted twice");
        assert!(report.doubled_parts == 1 && !report.is_solid(), "and said so: {report:?}");
        assert!(!through.crossings(100).is_empty());
        assert_eq!(through.crossings(1).len(), 1);
        let apart = both(&|p| p + Vec3::splat(2.0), &|v| v + 4);
        assert!(apart.crossings(100).is_empty());
        assert!(TriangleMesh::cuboid(Vec3::new(1.0, 2.0, Real::from(3)), 5).crossings(9).is_empty());
    }
}
