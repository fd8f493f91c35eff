use super::{Topology, TriangleMesh};
use crate::bvh::{AxisBox, BoundingTree};
use crate::triangle::{TrianglePart, closest_on_triangle};
use drystone_math::elementary::atan2;
use drystone_math::{Real, Vec3};

/// A way shorter than this fraction of the coordinates has no direction.
const ON_SURFACE: Real = 1e-13;

/// Normals of faces, edges and vertices that tell inside from outside at the nearest point of a watertight mesh.
///
/// # Source
/// Baerentzen and Aanaes 2005: the angle-weighted sum of the normals about a vertex.
#[derive(Debug, Clone, PartialEq)]
pub struct Pseudonormals {
    faces: Vec<Vec3>,
    edges: Vec<[Vec3; 3]>,
    vertices: Vec<Vec3>,
}

/// The nearest point of a mesh, and on which side of the surface the query point lies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeshDistance {
    /// Signed distance (m), negative inside.
    pub distance: Real,
    /// Unit vector along which the distance grows: out of the surface.
    pub gradient: Vec3,
    /// Nearest point of the surface (m).
    pub nearest: Vec3,
    /// Its triangle.
    pub triangle: usize,
}

impl Pseudonormals {
    /// The normals of a mesh.
    pub fn of(mesh: &TriangleMesh, topology: &Topology) -> Self {
        let triangles = mesh.triangles();
        let faces: Vec<Vec3> = (0..triangles.len())
            .map(|t| {
                let [a, b, c] = mesh.corners(t);
                (b - a).cross(c - a).normalize_or_zero()
            })
            .collect();
        let edges = (0..triangles.len())
            .map(|t| {
                core::array::from_fn(|k| {
                    let other = topology.across(t, k).map_or(Vec3::ZERO, |u| faces[u]);
                    (faces[t] + other).normalize_or(faces[t])
                })
            })
            .collect();
        let mut vertices = vec![Vec3::ZERO; mesh.vertices().len()];
        for (t, corners) in triangles.iter().enumerate() {
            let p = mesh.corners(t);
            for k in 0..3 {
                let (u, v) = (p[(k + 1) % 3] - p[k], p[(k + 2) % 3] - p[k]);
                let angle = atan2(u.cross(v).length(), u.dot(v));
                vertices[corners[k] as usize] += faces[t] * angle;
            }
        }
        for n in &mut vertices {
            *n = n.normalize_or_zero();
        }
        Self { faces, edges, vertices }
    }

    /// Unit normal of a triangle.
    pub fn face(&self, triangle: usize) -> Vec3 {
        self.faces[triangle]
    }

    /// Normal of the edge from corner `side` of a triangle to the next.
    pub fn edge(&self, triangle: usize, side: usize) -> Vec3 {
        self.edges[triangle][side]
    }

    /// Normal of a vertex.
    pub fn vertex(&self, vertex: usize) -> Vec3 {
        self.vertices[vertex]
    }

    /// Signed distance of a point from the mesh; `None` if the surface is farther away than `limit` (m).
    pub fn distance(
        &self,
        mesh: &TriangleMesh,
        tree: &BoundingTree<AxisBox>,
        point: Vec3,
        limit: Real,
    ) -> Option<MeshDistance> {
        let (_, triangle) = tree.closest_point(mesh, point, limit)?;
        let [a, b, c] = mesh.corners(triangle);
        let (nearest, part) = closest_on_triangle(point, a, b, c);
        let normal = match part {
            TrianglePart::Face => self.faces[triangle],
            TrianglePart::Edge(k) => self.edges[triangle][k],
            TrianglePart::Corner(k) => self.vertices[mesh.triangles()[triangle][k] as usize],
        };
        let away = point - nearest;
        let length = away.length();
        let sign = if away.dot(normal) < 0.0 { -1.0 } else { 1.0 };
        // on the surface, the direction of what is left is noise
        let noise = ON_SURFACE * (point.abs().max_element() + nearest.abs().max_element());
        let gradient = if length > noise { away * (sign / length) } else { normal };
        Some(MeshDistance { distance: sign * length, gradient, nearest, triangle })
    }
}
