//! Convex polyhedra and the hull that makes them.

mod hull;
mod polyhedron;

pub use polyhedron::ConvexPolyhedron;
