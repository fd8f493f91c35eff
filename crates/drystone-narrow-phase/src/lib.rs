//! Narrow phases: distance and penetration of pairs of shapes.
//!
//! Every type here implements [`drystone_core::NarrowPhase`]. [`Primitives`] holds the closed forms, two boxes by their least depth; [`PrimitivesImproved`] uses the
//! box-box method of the thesis, [`PrimitivesOld`] the one that it criticises. [`GjkEpa`] handles any convex pair; [`VClip`] and [`SeparatingAxes`] handle boxes and
//! convex polyhedra, with a memory from frame to frame; [`ExactMesh`] and [`SdfMap`] meshes; [`Combined`] everything, each pair by the method that suits it. There are
//! also the dynamic tests [`vertex_face`], [`edge_edge`] and [`triangles_meet`], and [`time_of_impact`]; for queries, [`point_distance`] and [`sweep`].

mod field;
mod found;
mod gap;
mod minkowski;
mod parts;
mod polytope;
mod probes;
mod segment;
mod simplex;
mod solid;

mod box_box;
mod capsule_box;
mod combined;
mod compounds;
mod creases;
mod descend;
mod dynamic;
mod edge_normals;
mod epa;
mod gjk;
mod gjk_epa;
mod mesh_ball;
mod mesh_contacts;
mod mesh_crossing;
mod mesh_depth;
mod mesh_edges;
mod mesh_gap;
mod mesh_levels;
mod mesh_pairs;
mod mesh_samples;
mod mesh_triangle;
mod plane_pairs;
mod point_distance;
mod primitives;
mod round_pairs;
mod sat;
mod sdf_map;
mod single_pair;
mod sphere_box;
mod sweep;
mod swept;
mod v_clip;
mod wedge;

pub use combined::Combined;
pub use dynamic::{edge_edge, edge_edge_either, triangles_meet, vertex_face};
pub use edge_normals::EdgeNormals;
pub use gjk_epa::GjkEpa;
pub use point_distance::{PointDistance, point_distance};
pub use primitives::{Primitives, PrimitivesImproved, PrimitivesOld};
pub use sat::SeparatingAxes;
pub use sdf_map::{ExactMesh, SdfMap};
pub use sweep::{Sweep, SweepHit, sweep};
pub use swept::{Impact, Motion, time_of_impact};
pub use v_clip::VClip;

// whoever calls this crate needs no other of the workspace: the types of its calls are here
pub use drystone_core as core;
pub use drystone_geometry as geometry;
pub use drystone_math as math;

use drystone_core::NarrowPhase;

drystone_core::implementations! {
    /// All narrow phases, the default first.
    pub const IMPLEMENTATIONS;
    /// The narrow phase of that name; `None` if there is none.
    pub fn by_name -> dyn NarrowPhase;
    Combined::DESCRIPTION => Combined::from_settings,
    Primitives::DESCRIPTION => Primitives::from_settings,
    PrimitivesImproved::DESCRIPTION => PrimitivesImproved::from_settings,
    PrimitivesOld::DESCRIPTION => PrimitivesOld::from_settings,
    GjkEpa::DESCRIPTION => GjkEpa::from_settings,
    VClip::DESCRIPTION => VClip::from_settings,
    SeparatingAxes::DESCRIPTION => SeparatingAxes::from_settings,
    ExactMesh::DESCRIPTION => ExactMesh::from_settings,
    SdfMap::DESCRIPTION => SdfMap::from_settings,
}

/// The README's Rust blocks, compiled as they stand.
#[doc = include_str!("../README.md")]
#[cfg(doctest)]
pub struct ReadmeDoctests;
