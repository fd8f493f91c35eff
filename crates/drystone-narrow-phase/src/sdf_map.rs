use crate::edge_normals::EdgeNormals;
use crate::field::MeshField;
use crate::gap::Gap;
use crate::mesh_pairs::{plane_mesh, sampled};
use crate::mesh_samples::Lookup;
use crate::primitives::unsupported;
use drystone_core::catalogue::{Implementation, Settings};
use drystone_core::{ContactSeed, NarrowCache, NarrowPhase, PosedShape, Proximity, UnsupportedPair, settings};
use drystone_geometry::Shape;
use drystone_math::Real;

settings! {
    /// Meshes in signed distance maps: sample points of either shape looked up in the map of the other, contacts in depth and
    /// direction of the map's value and gradient. A plane is handled exactly.
    ///
    /// # Source
    /// Thesis 6.2 (J-16, J-18, J-19, K-06), after Guendelman et al. 2003. Differs in: a plane needs no map; shapes that
    /// do not touch are told their exact distance; without an end to the envelope the depth is a length that parts the shapes; beside
    /// edges of a map the sample's own surface tells of the direction as well (K-04, K-05).
    #[derive(Debug, Clone, Copy)]
    pub struct SdfMap {
        /// search the samples by a tree of spheres instead of trying each
        sphere_tree: bool = switch(true),
        /// normal of a sample near an edge or corner of a map: common to both surfaces, or the map's gradient
        edge_normals: EdgeNormals = choice(Common),
    }
}

/// The same with exact distances computed from the triangles instead of maps: slower, but needs no map and has no
/// cells.
#[derive(Debug, Clone, Copy, Default)]
pub struct ExactMesh;

impl SdfMap {
    /// For catalogues.
    pub const DESCRIPTION: Implementation = Implementation {
        name: "sdf-map",
        summary: "meshes by sample points in signed distance maps",
        source: "Erleben 2005, section 6.2; Guendelman et al. 2003",
        parameters: Self::PARAMETERS,
    };
}

impl ExactMesh {
    /// For catalogues.
    pub const DESCRIPTION: Implementation = Implementation {
        name: "mesh",
        summary: "meshes by their triangles: clipped against convex shapes; two meshes by sample points at exact signed distances, and crossings of convex edges",
        source: "Baerentzen and Aanaes 2005; SiLVIA 2.4",
        parameters: &[],
    };

    /// There is nothing to set.
    pub fn from_settings(_: &Settings) -> Self {
        Self
    }
}

/// The gap of a pair that includes a mesh.
pub(crate) fn mesh_gap(
    a: PosedShape<'_>,
    b: PosedShape<'_>,
    envelope: Real,
    lookup: Lookup,
    seeds: &mut Vec<ContactSeed>,
) -> Gap {
    match (a.shape, b.shape) {
        (Shape::Plane(p), Shape::Mesh(m)) => plane_mesh(p, &a.pose, m, &b.pose, envelope, seeds),
        (Shape::Mesh(m), Shape::Plane(p)) => {
            let gap = plane_mesh(p, &b.pose, m, &a.pose, envelope, seeds).flipped();
            for s in seeds.iter_mut() {
                s.normal = -s.normal;
            }
            gap
        }
        _ => sampled(a, b, envelope, lookup, seeds),
    }
}

/// Data that the two narrow phases of this file share: a name, and the lookup of pairs.
#[derive(Debug, Clone, Copy)]
struct MeshPairs {
    name: &'static str,
    lookup: Lookup,
}

impl MeshPairs {
    fn supports(self, a: &Shape, b: &Shape) -> bool {
        let is_field = |s: &Shape| match self.lookup.field {
            MeshField::Mapped => self.lookup.map(s).is_some(),
            MeshField::Exact => matches!(s, Shape::Mesh(_)),
        };
        let fits = |s: &Shape| is_field(s) || s.is_convex() || matches!(s, Shape::Plane(_));
        (is_field(a) || is_field(b)) && fits(a) && fits(b)
    }

    fn query(
        self,
        a: PosedShape<'_>,
        b: PosedShape<'_>,
        envelope: Real,
        seeds: &mut Vec<ContactSeed>,
    ) -> Result<Proximity, UnsupportedPair> {
        seeds.clear();
        if !self.supports(a.shape, b.shape) {
            return Err(unsupported(self.name, a.shape, b.shape));
        }
        Ok(mesh_gap(a, b, envelope, self.lookup, seeds).proximity(envelope))
    }
}

impl SdfMap {
    fn pairs(self) -> MeshPairs {
        let lookup = Lookup { field: MeshField::Mapped, tree: self.sphere_tree, edges: self.edge_normals };
        MeshPairs { name: Self::DESCRIPTION.name, lookup }
    }
}

impl ExactMesh {
    const PAIRS: MeshPairs = MeshPairs {
        name: Self::DESCRIPTION.name,
        lookup: Lookup { field: MeshField::Exact, tree: true, edges: EdgeNormals::Common },
    };
}

impl NarrowPhase for SdfMap {
    fn name(&self) -> &'static str {
        Self::DESCRIPTION.name
    }

    fn supports(&self, a: &Shape, b: &Shape) -> bool {
        self.pairs().supports(a, b)
    }

    fn query(
        &self,
        a: PosedShape<'_>,
        b: PosedShape<'_>,
        envelope: Real,
        _: &mut NarrowCache,
        seeds: &mut Vec<ContactSeed>,
    ) -> Result<Proximity, UnsupportedPair> {
        self.pairs().query(a, b, envelope, seeds)
    }
}

impl NarrowPhase for ExactMesh {
    fn name(&self) -> &'static str {
        Self::DESCRIPTION.name
    }

    fn supports(&self, a: &Shape, b: &Shape) -> bool {
        Self::PAIRS.supports(a, b)
    }

    fn query(
        &self,
        a: PosedShape<'_>,
        b: PosedShape<'_>,
        envelope: Real,
        _: &mut NarrowCache,
        seeds: &mut Vec<ContactSeed>,
    ) -> Result<Proximity, UnsupportedPair> {
        Self::PAIRS.query(a, b, envelope, seeds)
    }
}
