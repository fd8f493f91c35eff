//! The front of a triangle of a mesh, and what surrounds it.

use super::{LEAN, Name};
use drystone_geometry::MeshShape;
use drystone_math::{Real, Vec3};

/// Cosine of the angle up to which faces count as one: 1 mrad.
const FLAT: Real = 1.0 - 5e-7;

/// The front of a triangle.
pub(super) struct Side {
    pub number: usize,
    /// Counter-clockwise seen from the front (m).
    pub corners: [Vec3; 3],
    /// Outward unit normal.
    pub normal: Vec3,
}

impl Side {
    pub(super) fn of(mesh: &MeshShape, number: usize) -> Self {
        Self { number, corners: mesh.mesh().corners(number), normal: mesh.normals().face(number) }
    }

    /// The number of the mesh's vertex at corner `k`.
    pub(super) fn vertex(&self, mesh: &MeshShape, k: usize) -> u64 {
        u64::from(mesh.mesh().triangles()[self.number][k])
    }

    /// The number of the mesh's edge from corner `k` to the next.
    pub(super) fn edge_number(&self, mesh: &MeshShape, k: usize) -> u64 {
        mesh.topology().edge_of(self.number, k) as u64
    }

    /// The start of edge `k`, and the vector along it (m).
    pub(super) fn edge(&self, k: usize) -> (Vec3, Vec3) {
        (self.corners[k], self.corners[(k + 1) % 3] - self.corners[k])
    }

    /// Returns true if the surface goes on flat across edge `k`.
    pub(super) fn is_flat_edge(&self, mesh: &MeshShape, k: usize) -> bool {
        let own = self.normal;
        let other = mesh.topology().across(self.number, k);
        other.is_some_and(|o| mesh.normals().face(o).dot(own) > FLAT)
    }

    /// Returns true if the surface is flat all about corner `k`.
    pub(super) fn is_flat_corner(&self, mesh: &MeshShape, k: usize) -> bool {
        let own = self.normal;
        let around = mesh.topology().around(self.vertex(mesh, k) as usize);
        around.iter().all(|&t| mesh.normals().face(t as usize).dot(own) > FLAT)
            && (0..3).all(|e| mesh.topology().across(self.number, e).is_some())
    }

    /// The corner farthest along a direction (m).
    pub(super) fn foremost(&self, m: Vec3) -> Vec3 {
        self.corners[self.top(m)]
    }

    fn top(&self, m: Vec3) -> usize {
        let h = self.corners.map(|p| m.dot(p));
        if h[0] >= h[1] && h[0] >= h[2] { 0 } else { 1 + usize::from(h[2] > h[1]) }
    }

    /// Returns true if corner `k` is as far along a direction as the farthest.
    fn is_level(&self, m: Vec3, top: usize, k: usize) -> bool {
        let down = self.corners[top] - self.corners[k];
        m.dot(down) <= LEAN * down.length()
    }

    /// The edge that is level along a direction, farther than the third corner, with its start and vector (m).
    pub(super) fn foremost_edge(&self, m: Vec3) -> Option<(usize, Vec3, Vec3)> {
        let top = self.top(m);
        let level = |k: usize| self.is_level(m, top, k);
        let k = (0..3).find(|&k| level(k) && level((k + 1) % 3) && !level((k + 2) % 3))?;
        let (p, u) = self.edge(k);
        Some((k, p, u))
    }

    /// Returns true if the mesh about the triangle's foremost feature along the unit vector `m` lies behind the plane
    /// through it: then the feature is where the mesh meets something that comes against `m`.
    pub(super) fn supports(&self, mesh: &MeshShape, m: Vec3) -> bool {
        let top = self.top(m);
        let level: [bool; 3] = core::array::from_fn(|k| self.is_level(m, top, k));
        let behind = |from: Vec3, p: Vec3| m.dot(p - from) <= LEAN * (p - from).length();
        match level {
            [true, true, true] => true,
            _ if level.iter().filter(|l| **l).count() == 2 => {
                let k = (0..3).find(|&k| level[k] && level[(k + 1) % 3]).unwrap_or(0);
                let Some(other) = mesh.topology().across(self.number, k) else { return true };
                let from = self.corners[top];
                mesh.mesh().corners(other).iter().all(|p| behind(from, *p))
            }
            _ => {
                let from = self.corners[top];
                let around = mesh.topology().around(self.vertex(mesh, top) as usize);
                around.iter().all(|&t| mesh.mesh().corners(t as usize).iter().all(|p| behind(from, *p)))
            }
        }
    }

    /// A name for the feature foremost along a direction.
    pub(super) fn name(&self, mesh: &MeshShape, m: Vec3) -> u64 {
        match self.foremost_edge(m) {
            Some((k, ..)) => Name::Nearest.key(1 << 40 | self.edge_number(mesh, k)),
            None => Name::Nearest.key(2 << 40 | self.vertex(mesh, self.top(m))),
        }
    }
}
