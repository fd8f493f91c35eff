use super::{Pseudonormals, TriangleMesh};
use crate::Aabb;
use crate::bvh::{AxisBox, BoundingTree};
use drystone_math::{Real, Vec3};

/// Cells of free space around the mesh on each side.
const MARGIN: Real = 2.0;

/// Signed distances from a mesh at the nodes of a regular grid, with trilinear interpolation between.
///
/// # Source
/// Thesis 6.2 (J-16), after Guendelman et al. 2003. The node values are exact distances.
#[derive(Debug, Clone, PartialEq)]
pub struct SignedDistanceMap {
    origin: Vec3,
    cell: Real,
    nodes: [usize; 3],
    values: Vec<f32>,
}

impl SignedDistanceMap {
    /// The map of a watertight mesh, with `resolution` cells along its longest side.
    ///
    /// # Cost
    /// One nearest-point query for each node, bounded by its neighbour's distance.
    pub fn of(mesh: &TriangleMesh, tree: &BoundingTree<AxisBox>, normals: &Pseudonormals, resolution: usize) -> Self {
        let bounds = mesh.bounds();
        let cell = bounds.largest_edge() / resolution.max(2) as Real;
        let origin = bounds.min - Vec3::splat(MARGIN * cell);
        let span = (bounds.size() / cell + Vec3::splat(2.0 * MARGIN)).ceil();
        let nodes = span.to_array().map(|s| s as usize + 1);
        let mut map = Self { origin, cell, nodes, values: Vec::with_capacity(nodes[0] * nodes[1] * nodes[2]) };
        let mut last = Real::INFINITY;
        for k in 0..nodes[2] {
            for j in 0..nodes[1] {
                for i in 0..nodes[0] {
                    let p = map.node(i, j, k);
                    // the distance changes by no more than the way gone
                    let limit = if i == 0 { Real::INFINITY } else { last + 1.001 * cell };
                    let d = normals
                        .distance(mesh, tree, p, limit)
                        .or_else(|| normals.distance(mesh, tree, p, Real::INFINITY))
                        .map_or(Real::MAX, |d| d.distance);
                    last = d.abs();
                    map.values.push(d as f32);
                }
            }
        }
        map
    }

    /// Place of a node (m).
    fn node(&self, i: usize, j: usize, k: usize) -> Vec3 {
        self.origin + Vec3::new(i as Real, j as Real, k as Real) * self.cell
    }

    /// Edge length of a cell (m).
    pub fn cell(&self) -> Real {
        self.cell
    }

    /// Nodes along the axes.
    pub fn nodes(&self) -> [usize; 3] {
        self.nodes
    }

    /// The box the map covers.
    pub fn bounds(&self) -> Aabb {
        Aabb::new(self.origin, self.node(self.nodes[0] - 1, self.nodes[1] - 1, self.nodes[2] - 1))
    }

    /// The values at the corners of the cell that holds a point, and the point's place in it from 0 to 1; `None`
    /// outside the map.
    fn corners(&self, point: Vec3) -> Option<([Real; 8], Vec3)> {
        let u = (point - self.origin) / self.cell;
        let last = Vec3::new(self.nodes[0] as Real, self.nodes[1] as Real, self.nodes[2] as Real) - Vec3::ONE;
        if !(u.cmpge(Vec3::ZERO).all() && u.cmple(last).all()) {
            return None;
        }
        let at = u.floor().min(last - Vec3::ONE);
        let [i, j, k] = at.to_array().map(|x| x as usize);
        let (row, layer) = (self.nodes[0], self.nodes[0] * self.nodes[1]);
        let first = i + j * row + k * layer;
        let v = |o: usize| Real::from(self.values[first + o]);
        Some(([v(0), v(1), v(row), v(row + 1), v(layer), v(layer + 1), v(layer + row), v(layer + row + 1)], u - at))
    }

    /// The least of the eight values around a point (m), a bound for culling (J-18); `None` outside the map.
    pub fn least_around(&self, point: Vec3) -> Option<Real> {
        self.corners(point).map(|(v, _)| v.into_iter().fold(Real::INFINITY, Real::min))
    }

    /// Interpolated distance (m) and its gradient, unit; `None` outside the map.
    pub fn sample(&self, point: Vec3) -> Option<(Real, Vec3)> {
        let (v, f) = self.corners(point)?;
        let mix = |a: Real, b: Real, t: Real| a + (b - a) * t;
        let x = [mix(v[0], v[1], f.x), mix(v[2], v[3], f.x), mix(v[4], v[5], f.x), mix(v[6], v[7], f.x)];
        let y = [mix(x[0], x[1], f.y), mix(x[2], x[3], f.y)];
        let value = mix(y[0], y[1], f.z);
        // the derivatives of the interpolant itself
        let dx = mix(mix(v[1] - v[0], v[3] - v[2], f.y), mix(v[5] - v[4], v[7] - v[6], f.y), f.z);
        let dy = mix(x[1] - x[0], x[3] - x[2], f.z);
        let dz = y[1] - y[0];
        Some((value, Vec3::new(dx, dy, dz).normalize_or(Vec3::Y)))
    }
}

#[cfg(test)]
mod tests {
    use crate::{MapSettings, MeshShape, TriangleMesh};
    use drystone_math::{Real, Vec3};

    #[test]
    fn a_box_is_mapped_to_within_a_cell() {
        let h = Vec3::new(1.0, 0.5, 0.25);
        let shape = MeshShape::new(TriangleMesh::cuboid(h, 3), Some(MapSettings::new(24))).unwrap();
        let map = shape.map().unwrap();
        for k in 0..400 {
            let w = Real::from(k);
            let p = Vec3::new((1.7 * w).sin() * 1.1, (0.9 * w).cos() * 0.6, (0.31 * w).sin() * 0.35);
            let q = p.abs() - h;
            let exact = q.max(Vec3::ZERO).length() + q.max_element().min(0.0);
            let (d, n) = map.sample(p).unwrap();
            assert!((d - exact).abs() < 0.6 * map.cell(), "{p} {d} {exact}");
            assert!((n.length() - 1.0).abs() < 1e-12);
            let mesh = shape.distance(p, 10.0).unwrap();
            assert!((mesh.distance - exact).abs() < 1e-12, "{p} {mesh:?} {exact}");
        }
        assert!(map.sample(Vec3::splat(9.0)).is_none());
    }
}
