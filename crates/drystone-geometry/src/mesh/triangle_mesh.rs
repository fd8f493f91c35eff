use crate::solid_integrals::SolidIntegrals;
use crate::{Aabb, MassProperties};
use drystone_math::{Real, Vec3};
use thiserror::Error;

/// Why a mesh cannot be built.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum MeshError {
    /// There is no triangle.
    #[error("the mesh has no triangle")]
    Empty,
    /// A triangle names a vertex that is not there.
    #[error("triangle {triangle} names vertex {vertex}, but there are {vertices}")]
    Index {
        /// The triangle.
        triangle: usize,
        /// Vertex that it names.
        vertex: u32,
        /// Number of vertices.
        vertices: usize,
    },
    /// A coordinate is not finite, or too large to be squared.
    #[error("vertex {vertex} is at ({x}, {y}, {z})")]
    Vertex {
        /// Its number.
        vertex: usize,
        /// x (m).
        x: Real,
        /// y (m).
        y: Real,
        /// z (m).
        z: Real,
    },
    /// More vertices or triangles than can be numbered.
    #[error("{count} is more than a mesh can have")]
    TooMany {
        /// Number of items.
        count: usize,
    },
    /// The surface encloses no volume, so that it has no mass.
    #[error("the mesh encloses a volume of {volume} m^3; {open_edges} edges have a triangle on one side only")]
    NoVolume {
        /// Signed volume (m^3).
        volume: Real,
        /// Border edges.
        open_edges: usize,
    },
    /// A file cannot be read.
    #[error("{0}")]
    File(String),
}

/// Vertices, and triangles that turn counter-clockwise seen from outside.
#[derive(Debug, Clone, PartialEq)]
pub struct TriangleMesh {
    pub(super) vertices: Vec<Vec3>,
    pub(super) triangles: Vec<[u32; 3]>,
}

impl TriangleMesh {
    /// A mesh of vertices (m) and triangles, taken as they are: see [`Self::mend`].
    ///
    /// # Errors
    /// [`MeshError`] if there is no triangle, an index is out of range, or a coordinate is not finite or beyond 1e30.
    pub fn new(vertices: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Result<Self, MeshError> {
        if triangles.is_empty() {
            return Err(MeshError::Empty);
        }
        let count = vertices.len().max(triangles.len());
        if count > u32::MAX as usize / 4 {
            return Err(MeshError::TooMany { count });
        }
        if let Some((i, p)) = vertices.iter().enumerate().find(|(_, p)| !p.is_finite() || p.abs().max_element() > 1e30)
        {
            return Err(MeshError::Vertex { vertex: i, x: p.x, y: p.y, z: p.z });
        }
        for (t, triangle) in triangles.iter().enumerate() {
            if let Some(&v) = triangle.iter().find(|&&v| v as usize >= vertices.len()) {
                return Err(MeshError::Index { triangle: t, vertex: v, vertices: vertices.len() });
            }
        }
        Ok(Self { vertices, triangles })
    }

    /// Vertices (m).
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// Triangles.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The corners of a triangle (m).
    #[inline]
    pub fn corners(&self, triangle: usize) -> [Vec3; 3] {
        self.triangles[triangle].map(|v| self.vertices[v as usize])
    }

    /// Returns true if a triangle has no area.
    pub(super) fn is_degenerate(&self, triangle: usize) -> bool {
        let [a, b, c] = self.corners(triangle);
        (b - a).cross(c - a).length_squared() == 0.0
    }

    /// The smallest box around it, in its own frame.
    pub fn bounds(&self) -> Aabb {
        self.vertices.iter().fold(Aabb::EMPTY, |b, &p| b.union(&Aabb::new(p, p)))
    }

    /// Largest edge of the box around it (m).
    pub fn size(&self) -> Real {
        self.bounds().largest_edge()
    }

    /// The same mesh scaled, or in other units.
    #[must_use]
    pub fn scaled(mut self, scale: Vec3) -> Self {
        for p in &mut self.vertices {
            *p *= scale;
        }
        if scale.x * scale.y * scale.z < 0.0 {
            for t in &mut self.triangles {
                t.swap(1, 2);
            }
        }
        self
    }

    /// Mass properties of the enclosed solid at a density (kg/m^3), by the divergence theorem. Only a watertight mesh
    /// has an inside: see [`super::Topology::report`]. A negative mass means that the mesh is inside out.
    pub fn mass_properties(&self, density: Real) -> MassProperties {
        let mut sum = SolidIntegrals::default();
        for t in 0..self.triangles.len() {
            let [a, b, c] = self.corners(t);
            sum.add(a, b, c);
        }
        sum.mass_properties(density)
    }

    /// A box with `parts` squares along each edge, as the thesis' box mesh (152 vertices and 300 triangles at 5 parts).
    pub fn cuboid(half_extents: Vec3, parts: u32) -> Self {
        let n = parts.max(1);
        let mut vertices = Vec::new();
        let mut triangles = Vec::new();
        for axis in 0..3 {
            for side in [1.0, -1.0] {
                let base = vertices.len() as u32;
                for i in 0..=n {
                    for j in 0..=n {
                        let mut p = Vec3::ZERO;
                        let at = |k: u32| 2.0 * Real::from(k) / Real::from(n) - 1.0;
                        p[axis] = side;
                        p[(axis + 1) % 3] = at(i);
                        p[(axis + 2) % 3] = at(j);
                        vertices.push(p * half_extents);
                    }
                }
                for i in 0..n {
                    for j in 0..n {
                        let v = |i: u32, j: u32| base + i * (n + 1) + j;
                        let quad = [v(i, j), v(i + 1, j), v(i + 1, j + 1), v(i, j + 1)];
                        let quad = if side > 0.0 { quad } else { [quad[0], quad[3], quad[2], quad[1]] };
                        triangles.push([quad[0], quad[1], quad[2]]);
                        triangles.push([quad[0], quad[2], quad[3]]);
                    }
                }
            }
        }
        let mut mesh = Self { vertices, triangles };
        mesh.mend(0.0);
        mesh
    }
}
