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
    /// By triangle and side, and by vertex, whether the surface ends there.
    rims: Vec<[bool; 3]>,
    rim_vertices: Vec<bool>,
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
        let (rims, rim_vertices) = rims(mesh, topology);
        Self { faces, edges, vertices, rims, rim_vertices }
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
        let vertex = |k: usize| mesh.triangles()[triangle][k] as usize;
        let (normal, beside) = match part {
            TrianglePart::Face => (self.faces[triangle], false),
            TrianglePart::Edge(k) => (self.edges[triangle][k], self.rims[triangle][k]),
            TrianglePart::Corner(k) => (self.vertices[vertex(k)], self.rim_vertices[vertex(k)]),
        };
        let away = point - nearest;
        let length = away.length();
        // where the surface ends nothing is behind it: a point that is nearest to its rim is beside it
        let sign = if away.dot(normal) < 0.0 && !beside { -1.0 } else { 1.0 };
        // on the surface, the direction of what is left is noise
        let noise = ON_SURFACE * (point.abs().max_element() + nearest.abs().max_element());
        let gradient = if length > noise { away * (sign / length) } else { normal };
        Some(MeshDistance { distance: sign * length, gradient, nearest, triangle })
    }
}

/// By triangle and side, and by vertex, where a surface ends: at edges of one triangle, unless another triangle has such an edge in the same place, as in a mesh whose triangles
/// share no vertices.
fn rims(mesh: &TriangleMesh, topology: &Topology) -> (Vec<[bool; 3]>, Vec<bool>) {
    let place = |v: u32| mesh.vertices()[v as usize].to_array().map(|x| (x + 0.0).to_bits());
    let ends = |t: usize, k: usize| {
        let corners = mesh.triangles()[t];
        [corners[k], corners[(k + 1) % 3]]
    };
    let places = |t: usize, k: usize| {
        let mut places = ends(t, k).map(place);
        places.sort_unstable();
        places
    };
    let is_open = |t: usize, k: usize| topology.meeting(topology.edge_of(t, k)) == 1;
    let all = || (0..mesh.triangles().len()).flat_map(|t| (0..3).map(move |k| (t, k)));
    let mut open: Vec<_> = all().filter(|&(t, k)| is_open(t, k)).map(|(t, k)| (places(t, k), t, k)).collect();
    open.sort_unstable();
    let mut rims = vec![[false; 3]; mesh.triangles().len()];
    let mut vertices = vec![false; mesh.vertices().len()];
    for alone in open.chunk_by(|a, b| a.0 == b.0).filter(|same| same.len() == 1) {
        let (_, t, k) = alone[0];
        rims[t][k] = true;
        for v in ends(t, k) {
            vertices[v as usize] = true;
        }
    }
    (rims, vertices)
}
