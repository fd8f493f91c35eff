//! Convex polyhedra, the hull that makes them, and polygons.

mod adjacency;
mod hull;
pub mod polygon;
mod polyhedron;

pub use polyhedron::ConvexPolyhedron;
