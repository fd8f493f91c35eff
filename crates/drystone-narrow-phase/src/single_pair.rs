//! Two shapes that are not compounds, by the algorithm that suits them.

use crate::box_box;
use crate::edge_normals::EdgeNormals;
use crate::field::MeshField;
use crate::gap::Gap;
use crate::gjk_epa;
use crate::mesh_samples::Lookup;
use crate::primitives::closed_form;
use crate::sdf_map::mesh_gap;
use drystone_core::{ContactSeed, NarrowCache, PosedShape};
use drystone_geometry::Shape;
use drystone_math::Real;

/// The gap of two shapes that are not compounds.
#[inline]
pub(crate) fn simple(
    a: PosedShape<'_>,
    b: PosedShape<'_>,
    envelope: Real,
    cache: &mut NarrowCache,
    seeds: &mut Vec<ContactSeed>,
) -> Option<Gap> {
    if let Some([a, b]) = as_polyhedra(a, b) {
        // for meshes the distance is exact beyond the envelope too
        return closed_form(a, b).or_else(|| gjk_epa::convex_gap(a, b, Real::INFINITY, cache));
    }
    match (a.shape, b.shape) {
        (Shape::Box(x), Shape::Box(y)) => Some(box_box::least_depth(x, &a.pose, y, &b.pose, envelope, &mut cache[0])),
        (Shape::Mesh(_), _) | (_, Shape::Mesh(_)) => {
            // the samples along an edge are teeth between which a capsule rolls to and fro
            let rolls = |s: &Shape| matches!(s, Shape::Capsule(_));
            let field = if rolls(a.shape) || rolls(b.shape) { MeshField::Exact } else { MeshField::Mapped };
            let lookup = Lookup { field, tree: true, edges: EdgeNormals::Common };
            Some(mesh_gap(a, b, envelope, lookup, seeds))
        }
        (Shape::Plane(p), s) if !primitive(s) => gjk_epa::plane_gap(p, &a.pose, b),
        (s, Shape::Plane(p)) if !primitive(s) => gjk_epa::plane_gap(p, &b.pose, a).map(Gap::flipped),
        _ => closed_form(a, b).or_else(|| gjk_epa::convex_gap(a, b, envelope, cache)),
    }
}

/// Two shapes, at least one a mesh, with polyhedra in place of convex meshes; `None` if a mesh would be left. Against a plane the mesh itself is used: that is exact.
pub(crate) fn as_polyhedra<'a>(a: PosedShape<'a>, b: PosedShape<'a>) -> Option<[PosedShape<'a>; 2]> {
    if !matches!((a.shape, b.shape), (Shape::Mesh(_), _) | (_, Shape::Mesh(_))) {
        return None;
    }
    let as_polyhedron = |s: PosedShape<'a>| match s.shape {
        Shape::Mesh(m) => m.as_polyhedron().map(|shape| PosedShape { shape, ..s }),
        _ => s.shape.is_convex().then_some(s),
    };
    Some([as_polyhedron(a)?, as_polyhedron(b)?])
}

fn primitive(s: &Shape) -> bool {
    matches!(s, Shape::Sphere(_) | Shape::Capsule(_) | Shape::Box(_))
}
