//! Convex polyhedra and the hull that makes them.

mod adjacency;
mod hull;
mod polyhedron;

pub use polyhedron::ConvexPolyhedron;
