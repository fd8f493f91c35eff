mod floors;
mod storage;

use super::{Pseudonormals, TriangleMesh};
use crate::Aabb;
use crate::bvh::{AxisBox, BoundingTree};
use drystone_math::{Real, Vec3};
use floors::Floors;
use storage::{Bricks, Storage};

/// Cells of free space around the mesh on each side.
const MARGIN: Real = 2.0;

/// Most steps of a descent to the surface.
const STEPS: usize = 64;

/// Signed distances from a mesh at the nodes of a regular grid, with trilinear interpolation between them.
///
/// Either all nodes are stored, or only those of the bricks near the surface (a narrow band), with a grid four times
/// coarser for the rest. In the band both give the same bits.
///
/// # Source
/// Thesis 6.2 (J-16, K-06), after Guendelman et al. 2003. The node values are exact distances. Differs in: bricks instead
/// of an octree (J-17).
#[derive(Debug, Clone, PartialEq)]
pub struct SignedDistanceMap {
    origin: Vec3,
    cell: Real,
    nodes: [usize; 3],
    storage: Storage,
    floors: Floors,
}

/// Exact distances of nodes, each found with the help of the one before.
struct Nodes<'a> {
    mesh: &'a TriangleMesh,
    tree: &'a BoundingTree<AxisBox>,
    normals: &'a Pseudonormals,
    last: Option<(Vec3, Real)>,
}

impl Nodes<'_> {
    fn distance(&mut self, p: Vec3) -> f32 {
        // the distance changes by no more than the way from the last node
        let limit = self.last.map_or(Real::INFINITY, |(q, d)| d + 1.001 * (p - q).length());
        let ask = |limit| self.normals.distance(self.mesh, self.tree, p, limit);
        let d = ask(limit).or_else(|| ask(Real::INFINITY)).map_or(Real::MAX, |d| d.distance);
        self.last = Some((p, d.abs()));
        d as f32
    }
}

#[inline]
fn mix(a: Real, b: Real, t: Real) -> Real {
    a + (b - a) * t
}

impl SignedDistanceMap {
    /// The map of a watertight mesh, with `resolution` cells along its longest side. If `band` is finite, only nodes in
    /// bricks that come within `band` cells of the surface are stored.
    ///
    /// # Cost
    /// One nearest-point query per stored node, bounded by its neighbour's distance.
    pub fn of(
        mesh: &TriangleMesh,
        tree: &BoundingTree<AxisBox>,
        normals: &Pseudonormals,
        resolution: usize,
        band: Real,
    ) -> Self {
        let bounds = mesh.bounds();
        let cell = bounds.largest_edge() / resolution.max(2) as Real;
        let origin = bounds.min - Vec3::splat(MARGIN * cell);
        let span = (bounds.size() / cell + Vec3::splat(2.0 * MARGIN)).ceil();
        let mut nodes = span.to_array().map(|s| s as usize + 1);
        let mut exact = Nodes { mesh, tree, normals, last: None };
        let place = |[i, j, k]: [usize; 3]| origin + Vec3::new(i as Real, j as Real, k as Real) * cell;
        let mut value = |node: [usize; 3]| exact.distance(place(node));
        let storage = if band < Real::INFINITY {
            let bricks = Bricks::of(nodes, band, cell, &mut value);
            nodes = bricks.nodes();
            Storage::Band(bricks)
        } else {
            Storage::dense(nodes, &mut value)
        };
        let floors = Floors::of(&storage, nodes, cell);
        Self { origin, cell, nodes, storage, floors }
    }

    /// Edge length of a cell (m).
    pub fn cell(&self) -> Real {
        self.cell
    }

    /// Nodes along the axes.
    pub fn nodes(&self) -> [usize; 3] {
        self.nodes
    }

    /// Number of stored node values.
    pub fn stored(&self) -> usize {
        self.storage.len()
    }

    /// The lowest corner of the map (m), where point (0, 0, 0) in units of cells lies.
    pub fn origin(&self) -> Vec3 {
        self.origin
    }

    /// The farthest corner in units of cells.
    pub(super) fn last(&self) -> Vec3 {
        Vec3::new(self.nodes[0] as Real, self.nodes[1] as Real, self.nodes[2] as Real) - Vec3::ONE
    }

    /// The box the map covers.
    pub fn bounds(&self) -> Aabb {
        Aabb::new(self.origin, self.origin + self.last() * self.cell)
    }

    /// The values at the corners of the cell that holds a point given in units of cells, and the point's place in it from 0
    /// to 1; `None` outside the map.
    #[inline]
    fn corners(&self, u: Vec3) -> Option<([f32; 8], Vec3)> {
        let inside = |k: usize| u[k] >= 0.0 && u[k] <= (self.nodes[k] - 1) as Real;
        if !(inside(0) && inside(1) && inside(2)) {
            return None;
        }
        // truncation is right: inside, nothing is negative
        let at = core::array::from_fn(|k| (u[k] as u32 as usize).min(self.nodes[k] - 2));
        let (v, size, first) = self.storage.corners(at, self.nodes);
        let place = u - Vec3::new(first[0] as Real, first[1] as Real, first[2] as Real);
        Some((v, if size == 1 { place } else { place / Real::from(size) }))
    }

    /// A lower bound on the values in a cell, in units of cells; not negative.
    #[inline]
    pub(super) fn floor(&self, cell: [usize; 3]) -> f32 {
        self.floors.at(cell, &self.storage)
    }

    /// Interpolated distance (m) and its gradient, unit, at a point given in units of cells, if the distance is at most
    /// `level`; `None` if it is more, and outside the map.
    #[inline]
    pub fn sample_below(&self, u: Vec3, level: Real) -> Option<(Real, Vec3)> {
        let (v, f) = self.corners(u)?;
        let v = v.map(Real::from);
        let x = [mix(v[0], v[1], f.x), mix(v[2], v[3], f.x), mix(v[4], v[5], f.x), mix(v[6], v[7], f.x)];
        let y = [mix(x[0], x[1], f.y), mix(x[2], x[3], f.y)];
        let value = mix(y[0], y[1], f.z);
        if value > level {
            return None;
        }
        // the derivatives of the interpolant itself
        let dx = mix(mix(v[1] - v[0], v[3] - v[2], f.y), mix(v[5] - v[4], v[7] - v[6], f.y), f.z);
        let dy = mix(x[1] - x[0], x[3] - x[2], f.z);
        let slope = Vec3::new(dx, dy, y[1] - y[0]);
        let is_flat = slope.length_squared() < (0.05 * self.cell) * (0.05 * self.cell);
        Some((value, if is_flat { self.wide_gradient(u) } else { slope.normalize() }))
    }

    /// The gradient by differences over a cell, for places where the interpolant has none: behind a sharp edge of the
    /// surface that runs through nodes, the distances in the cell do not rise.
    #[cold]
    fn wide_gradient(&self, u: Vec3) -> Vec3 {
        let at = |p: Vec3| {
            self.corners(p.clamp(Vec3::ZERO, self.last())).map_or(0.0, |(v, f)| {
                let v = v.map(Real::from);
                let y = |o: usize| mix(mix(v[o], v[o + 1], f.x), mix(v[o + 2], v[o + 3], f.x), f.y);
                mix(y(0), y(4), f.z)
            })
        };
        let slope = |axis: Vec3| at(u + axis * 0.5) - at(u - axis * 0.5);
        Vec3::new(slope(Vec3::X), slope(Vec3::Y), slope(Vec3::Z)).normalize_or(Vec3::Y)
    }

    /// Interpolated distance (m) and its gradient, unit; `None` outside the map.
    pub fn sample(&self, point: Vec3) -> Option<(Real, Vec3)> {
        self.sample_below((point - self.origin) / self.cell, Real::INFINITY)
    }

    /// The point of the zero level nearest to a point (m), which may lie outside the map, and the unit gradient there;
    /// `None` if the descent leads to no surface. From afar the point is only locally the nearest.
    ///
    /// # Source
    /// Thesis 6.2.2 (J-19): what a ball about the point touches first.
    pub fn nearest_on_surface(&self, point: Vec3) -> Option<(Vec3, Vec3)> {
        let b = self.bounds();
        let (mut q, mut n) = self.onto_surface(point.clamp(b.min, b.max))?;
        let mut step = 1.0;
        for _ in 0..STEPS {
            // along the surface, as long as that leads nearer
            let away = point - q;
            let along = away - n * away.dot(n);
            if along.length() * step <= 1e-4 * self.cell {
                break;
            }
            let next = self.onto_surface((q + along * step).clamp(b.min, b.max));
            match next.filter(|(p, _)| (point - *p).length_squared() < away.length_squared()) {
                Some(nearer) => ((q, n), step) = (nearer, (2.0 * step).min(1.0)),
                None => step *= 0.5,
            }
        }
        Some((q, n))
    }

    /// Follows the gradient down or up to the zero level.
    fn onto_surface(&self, from: Vec3) -> Option<(Vec3, Vec3)> {
        let mut q = from;
        for _ in 0..STEPS {
            let (d, n) = self.sample(q)?;
            if d.abs() <= 1e-6 * self.cell {
                return Some((q, n));
            }
            q -= n * d;
        }
        let (d, n) = self.sample(q)?;
        (d.abs() <= 1e-2 * self.cell).then_some((q, n))
    }
}

#[cfg(test)]
mod tests {
    use crate::{MapSettings, MeshShape, TriangleMesh};
    use drystone_math::{Real, Vec3};

    const HALF: Vec3 = Vec3::new(1.0, 0.5, 0.25);

    fn points() -> impl Iterator<Item = Vec3> {
        (0..400).map(|k| {
            let w = Real::from(k);
            Vec3::new((1.7 * w).sin() * 1.1, (0.9 * w).cos() * 0.6, (0.31 * w).sin() * 0.35)
        })
    }

    fn exact(p: Vec3) -> Real {
        let q = p.abs() - HALF;
        q.max(Vec3::ZERO).length() + q.max_element().min(0.0)
    }

    #[test]
    fn a_box_is_mapped_to_within_a_cell() {
        let shape = MeshShape::new(TriangleMesh::cuboid(HALF, 3), Some(MapSettings::new(24))).unwrap();
        let map = shape.map().unwrap();
        for p in points() {
            let (d, n) = map.sample(p).unwrap();
            assert!((d - exact(p)).abs() < 0.6 * map.cell(), "{p} {d}");
            assert!((n.length() - 1.0).abs() < 1e-12);
            let mesh = shape.distance(p, 10.0).unwrap();
            assert!((mesh.distance - exact(p)).abs() < 1e-12, "{p} {mesh:?}");
        }
        assert!(map.sample(Vec3::splat(9.0)).is_none());
        // the nodes themselves are exact up to single precision
        let [nx, ny, nz] = map.nodes();
        for (i, j, k) in [(0, 0, 0), (5, 7, 3), (nx - 1, ny - 1, nz - 1), (nx / 2, ny / 2, nz / 2)] {
            let p = map.origin() + Vec3::new(i as Real, j as Real, k as Real) * map.cell();
            assert!((map.sample(p).unwrap().0 - exact(p)).abs() < 1e-6);
        }
    }

    #[test]
    fn a_narrow_band_is_the_same_near_the_surface_and_close_elsewhere() {
        // J-17
        let mesh = || TriangleMesh::cuboid(HALF, 3);
        let full = MeshShape::new(mesh(), Some(MapSettings::new(128))).unwrap();
        let band = MeshShape::new(mesh(), Some(MapSettings { band: 1.0, ..MapSettings::new(128) })).unwrap();
        let (full, band) = (full.map().unwrap(), band.map().unwrap());
        assert!(band.stored() * 4 < full.stored() * 3, "{} {}", band.stored(), full.stored());
        let mut near = 0;
        for p in points() {
            let Some(f) = full.sample(p) else { continue };
            let b = band.sample(p).unwrap();
            if exact(p).abs() < 0.5 * full.cell() {
                near += 1;
                assert_eq!(f, b, "{p}");
            }
            assert!((b.0 - exact(p)).abs() < 5.0 * band.cell() && b.0.signum() == f.0.signum(), "{p} {b:?}");
        }
        assert!(near > 5);
    }

    #[test]
    fn the_nearest_point_of_the_surface_is_found_from_near_and_far() {
        let shape = MeshShape::new(TriangleMesh::cuboid(HALF, 3), Some(MapSettings::new(64))).unwrap();
        let map = shape.map().unwrap();
        for p in points().chain(points().map(|p| 3.0 * p)) {
            if (p.abs() - HALF).max_element() < 0.0 {
                continue;
            }
            let (q, n) = map.nearest_on_surface(p).unwrap();
            assert!(((p - q).length() - exact(p)).abs() < 1.5 * map.cell(), "{p} {q} {}", exact(p));
            assert!(exact(q).abs() < map.cell() && n.is_finite());
        }
    }
}
