//! Shapes, support maps, bounding volumes, meshes and mass properties
