use super::{
    MeshDistance, MeshError, MeshReport, Pseudonormals, SampleRules, SignedDistanceMap, SphereTree, Topology,
    TriangleMesh, flat_middles, inner_balls, longest_sharp_edge, sample_points,
};
use crate::bvh::{AxisBox, BoundingBall, BoundingTree};
use crate::{Aabb, ConvexPolyhedron, MassProperties};
use drystone_math::{Pose, Real, Vec3};
use std::sync::Arc;

/// A solid whose volume equals that of its hull up to this fraction is its hull.
const CONVEX: Real = 1e-9;

/// Settings of a mesh's signed distance map and surface samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MapSettings {
    /// Cells along the longest side.
    pub resolution: usize,
    /// Sharp edges are sampled this far apart (m), but never closer than a cell's edge; zero means a cell's diagonal
    /// apart.
    pub spacing: Real,
    /// Only nodes within this many cells of the surface are stored; infinite stores all of them.
    pub band: Real,
}

impl MapSettings {
    /// The given resolution, with samples a cell's diagonal apart and all nodes stored.
    pub fn new(resolution: usize) -> Self {
        Self { resolution, spacing: 0.0, band: Real::INFINITY }
    }
}

/// A triangle mesh as a shape, with everything that collision detection precomputes for it.
#[derive(Debug, Clone, PartialEq)]
pub struct MeshShape {
    mesh: TriangleMesh,
    topology: Topology,
    report: MeshReport,
    normals: Pseudonormals,
    tree: BoundingTree<AxisBox>,
    balls: BoundingTree<BoundingBall>,
    hull: Option<Arc<ConvexPolyhedron>>,
    is_convex: bool,
    edge_gap: Real,
    samples: SphereTree,
    /// The numbers of the samples in the middle of a flat region, each with the region's normal.
    middles: Vec<(u32, Vec3)>,
    /// Balls inside the solid, each with its centre and radius (m), the largest first.
    inner_balls: Vec<(Vec3, Real)>,
    map: Option<SignedDistanceMap>,
    /// Settings that the map was made with.
    map_settings: Option<MapSettings>,
    radius: Real,
}

impl MeshShape {
    /// A shape from a mesh, which is taken as it is except that unused vertices are dropped: see [`TriangleMesh::mend`]. Only a
    /// watertight mesh can have a map.
    ///
    /// # Errors
    /// [`MeshError::Empty`] if mending has left no triangle; [`MeshError::NoVolume`] if a map is requested and the mesh is open.
    pub fn new(mut mesh: TriangleMesh, map: Option<MapSettings>) -> Result<Self, MeshError> {
        if mesh.triangles().is_empty() {
            return Err(MeshError::Empty);
        }
        let mut topology = Topology::of(&mesh);
        let report = topology.report(&mesh);
        if report.unused_vertices > 0 {
            // unused vertices are not part of the surface
            mesh.drop_unused();
            topology = Topology::of(&mesh);
        }
        if map.is_some() && !report.is_watertight() {
            let open_edges = report.open_edges + report.crowded_edges;
            return Err(MeshError::NoVolume { volume: report.volume, open_edges });
        }
        let normals = Pseudonormals::of(&mesh, &topology);
        let tree = BoundingTree::of(&mesh);
        let balls = BoundingTree::of(&mesh);
        let hull = ConvexPolyhedron::hull(mesh.vertices()).ok().map(Arc::new);
        let hull_volume = hull.as_ref().map_or(Real::INFINITY, |h| h.mass_properties(1.0).mass);
        let is_convex =
            report.is_solid() && report.parts == 1 && (hull_volume - report.volume).abs() <= CONVEX * hull_volume;
        let grid = map.map(|m| SignedDistanceMap::of(&mesh, &tree, &normals, m.resolution, m.band));
        let rules = match (&grid, map) {
            (Some(g), Some(m)) => SampleRules::for_cells(g.cell(), m.spacing),
            _ => SampleRules::VERTICES,
        };
        let edge_gap = longest_sharp_edge(&mesh, &topology, &normals).min(rules.edge_spacing);
        let samples = SphereTree::of(sample_points(&mesh, &topology, &normals, &rules));
        let middles = numbered(&samples, &flat_middles(&mesh, &topology, &normals, rules.face_area));
        let inner_balls = if report.is_solid() { inner_balls(&mesh, &normals, &tree) } else { Vec::new() };
        let radius = mesh.vertices().iter().fold(0.0, |r: Real, p| r.max(p.length()));
        Ok(Self {
            mesh,
            topology,
            report,
            normals,
            tree,
            balls,
            hull,
            is_convex,
            edge_gap,
            samples,
            middles,
            inner_balls,
            map: grid,
            map_settings: map,
            radius,
        })
    }

    /// The mesh.
    pub fn mesh(&self) -> &TriangleMesh {
        &self.mesh
    }

    /// Settings that its map was made with; `None` without a map.
    pub fn map_settings(&self) -> Option<MapSettings> {
        self.map_settings
    }

    /// Its adjacencies.
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// Report of its faults: it bounds a solid if there are none.
    pub fn report(&self) -> &MeshReport {
        &self.report
    }

    /// Its normals.
    pub fn normals(&self) -> &Pseudonormals {
        &self.normals
    }

    /// The boxes over its triangles.
    pub fn tree(&self) -> &BoundingTree<AxisBox> {
        &self.tree
    }

    /// The balls over its triangles: the quickest bounds on the distance between two meshes.
    pub fn balls(&self) -> &BoundingTree<BoundingBall> {
        &self.balls
    }

    /// Its convex hull; `None` for a flat mesh.
    pub fn hull(&self) -> Option<&ConvexPolyhedron> {
        self.hull.as_deref()
    }

    /// The same, shared.
    pub(crate) fn shared_hull(&self) -> Option<Arc<ConvexPolyhedron>> {
        self.hull.clone()
    }

    /// Returns true if it bounds a solid that is its own hull.
    pub fn is_convex(&self) -> bool {
        self.is_convex
    }

    /// Longest stretch of a sharp edge between two samples (m).
    pub fn edge_gap(&self) -> Real {
        self.edge_gap
    }

    /// The points that represent its surface.
    pub fn samples(&self) -> &SphereTree {
        &self.samples
    }

    /// The outward unit normal of the flat region that the sample of this number is the middle of; `None` for samples on
    /// vertices and edges.
    pub fn flat_sample(&self, number: usize) -> Option<Vec3> {
        let at = self.middles.binary_search_by_key(&number, |m| m.0 as usize).ok()?;
        Some(self.middles[at].1)
    }

    /// Large balls inside the solid, each with its centre and radius (m), the largest first; none if the mesh bounds no solid. They show how deep a solid is in
    /// another one where its surface does not: two copies of a mesh on one spot have no sample inside each other.
    pub fn inner_balls(&self) -> &[(Vec3, Real)] {
        &self.inner_balls
    }

    /// Its signed distance map, if one was requested.
    pub fn map(&self) -> Option<&SignedDistanceMap> {
        self.map.as_ref()
    }

    /// Exact signed distance of a point; `None` beyond `limit` (m).
    pub fn distance(&self, point: Vec3, limit: Real) -> Option<MeshDistance> {
        self.normals.distance(&self.mesh, &self.tree, point, limit)
    }

    /// Signed distance of a point that is known to be inside a watertight mesh; its depth may be greater than the true one by the fraction `slack`, and the nearest point and the
    /// gradient are those of the depth found. `None` on the surface.
    ///
    /// # Source
    /// Arya and others 1998, approximate nearest neighbours: what cannot be nearer by more than the tolerance is not looked into.
    pub fn depth(&self, point: Vec3, slack: Real) -> Option<MeshDistance> {
        let (nearest, triangle) = self.tree.nearly_closest_point(&self.mesh, point, Real::INFINITY, slack)?;
        let away = nearest - point;
        let gradient = away.try_normalize()?;
        Some(MeshDistance { distance: -away.length(), gradient, nearest, triangle })
    }

    /// Radius of a ball about the origin that holds it (m).
    pub fn bounding_radius(&self) -> Real {
        self.radius
    }

    pub(crate) fn aabb(&self, pose: &Pose) -> Aabb {
        if let Some(hull) = self.hull() {
            return hull.aabb(pose);
        }
        self.mesh.vertices().iter().fold(Aabb::EMPTY, |b, &p| {
            let p = pose.point(p);
            b.union(&Aabb::new(p, p))
        })
    }

    pub(crate) fn mass_properties(&self, density: Real) -> Option<MassProperties> {
        self.report.has_volume().then(|| self.mesh.mass_properties(density))
    }
}

/// The numbers of the samples that are the middles of flat regions, ascending, each with the normal of its region.
fn numbered(samples: &SphereTree, middles: &[(Vec3, Vec3)]) -> Vec<(u32, Vec3)> {
    let bits = |p: Vec3| p.to_array().map(Real::to_bits);
    let mut normals: Vec<([u64; 3], Vec3)> = middles.iter().map(|(p, n)| (bits(*p), *n)).collect();
    normals.sort_by_key(|(p, _)| *p);
    let of = |(i, p): (usize, &Vec3)| {
        let at = normals.binary_search_by_key(&bits(*p), |m| m.0).ok()?;
        Some((i as u32, normals[at].1))
    };
    samples.points().iter().enumerate().filter_map(of).collect()
}
