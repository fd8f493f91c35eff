use super::{
    MeshDistance, MeshError, MeshReport, Pseudonormals, SampleRules, SignedDistanceMap, SphereTree, Topology,
    TriangleMesh, sample_points,
};
use crate::bvh::{AxisBox, BoundingBall, BoundingTree};
use crate::{Aabb, ConvexPolyhedron, MassProperties};
use drystone_math::{Pose, Real, Vec3};

/// How to map a mesh's signed distances and sample its surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MapSettings {
    /// Cells along the longest side.
    pub resolution: usize,
    /// Sharp edges are sampled this far apart (m), but never closer than a cell's edge; zero: at a cell's diagonal.
    pub spacing: Real,
    /// Only nodes that come within this many cells of the surface are stored; infinite: all of them.
    pub band: Real,
}

impl MapSettings {
    /// A resolution with the spacing of a cell's diagonal and all nodes stored.
    pub fn new(resolution: usize) -> Self {
        Self { resolution, spacing: 0.0, band: Real::INFINITY }
    }
}

/// A triangle mesh as a shape, with all that collision detection wants to know of it beforehand.
#[derive(Debug, Clone, PartialEq)]
pub struct MeshShape {
    mesh: TriangleMesh,
    topology: Topology,
    report: MeshReport,
    normals: Pseudonormals,
    tree: BoundingTree<AxisBox>,
    balls: BoundingTree<BoundingBall>,
    hull: Option<ConvexPolyhedron>,
    samples: SphereTree,
    map: Option<SignedDistanceMap>,
    radius: Real,
}

impl MeshShape {
    /// A shape from a mesh, which is taken as it is: see [`TriangleMesh::mend`]. Only a watertight mesh can have a map.
    ///
    /// # Errors
    /// [`MeshError::NoVolume`] where a map is asked for and the mesh is open.
    pub fn new(mesh: TriangleMesh, map: Option<MapSettings>) -> Result<Self, MeshError> {
        let topology = Topology::of(&mesh);
        let report = topology.report(&mesh);
        if map.is_some() && !report.is_watertight() {
            let open_edges = report.open_edges + report.crowded_edges;
            return Err(MeshError::NoVolume { volume: report.volume, open_edges });
        }
        let normals = Pseudonormals::of(&mesh, &topology);
        let tree = BoundingTree::of(&mesh);
        let balls = BoundingTree::of(&mesh);
        let hull = ConvexPolyhedron::hull(mesh.vertices()).ok();
        let grid = map.map(|m| SignedDistanceMap::of(&mesh, &tree, &normals, m.resolution, m.band));
        let rules = match (&grid, map) {
            (Some(g), Some(m)) => SampleRules::for_cells(g.cell(), m.spacing),
            _ => SampleRules::VERTICES,
        };
        let samples = SphereTree::of(sample_points(&mesh, &topology, &normals, &rules));
        let radius = mesh.vertices().iter().fold(0.0, |r: Real, p| r.max(p.length()));
        Ok(Self { mesh, topology, report, normals, tree, balls, hull, samples, map: grid, radius })
    }

    /// The mesh.
    pub fn mesh(&self) -> &TriangleMesh {
        &self.mesh
    }

    /// Its adjacencies.
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// Whether it bounds a solid, and what is wrong if not.
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

    /// The balls over its triangles: the quickest bounds between two meshes.
    pub fn balls(&self) -> &BoundingTree<BoundingBall> {
        &self.balls
    }

    /// Its convex hull; none for a flat mesh.
    pub fn hull(&self) -> Option<&ConvexPolyhedron> {
        self.hull.as_ref()
    }

    /// The points that stand for its surface.
    pub fn samples(&self) -> &SphereTree {
        &self.samples
    }

    /// Its signed distance map, where one was asked for.
    pub fn map(&self) -> Option<&SignedDistanceMap> {
        self.map.as_ref()
    }

    /// Exact signed distance of a point; `None` beyond `limit` (m).
    pub fn distance(&self, point: Vec3, limit: Real) -> Option<MeshDistance> {
        self.normals.distance(&self.mesh, &self.tree, point, limit)
    }

    /// Radius of a ball about the origin that holds it (m).
    pub fn bounding_radius(&self) -> Real {
        self.radius
    }

    pub(crate) fn aabb(&self, pose: &Pose) -> Aabb {
        if let Some(hull) = &self.hull {
            return hull.aabb(pose);
        }
        self.mesh.vertices().iter().fold(Aabb::EMPTY, |b, &p| {
            let p = pose.point(p);
            b.union(&Aabb::new(p, p))
        })
    }

    pub(crate) fn mass_properties(&self, density: Real) -> Option<MassProperties> {
        (self.report.is_watertight() && self.report.volume > 0.0).then(|| self.mesh.mass_properties(density))
    }
}
