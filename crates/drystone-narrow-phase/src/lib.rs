//! Narrow phases: distance and penetration of pairs of shapes
