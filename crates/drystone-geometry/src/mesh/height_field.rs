use super::{MeshError, TriangleMesh};
use drystone_math::{Real, Vec3};

impl TriangleMesh {
    /// Ground from heights over a grid in the plane y = 0, closed below: `heights[i + j columns]` (m) is the height at
    /// `(i step, j step)`; the solid reaches `depth` (m) below the lowest height.
    ///
    /// # Errors
    /// [`MeshError::Empty`] if there are fewer than two rows or columns or the list does not fit; [`MeshError::Vertex`]
    /// for a height that is not finite.
    pub fn height_field(columns: usize, heights: &[Real], step: Real, depth: Real) -> Result<Self, MeshError> {
        if columns < 2 || !heights.len().is_multiple_of(columns) || heights.len() / columns < 2 {
            return Err(MeshError::Empty);
        }
        let rows = heights.len() / columns;
        let floor = heights.iter().fold(Real::INFINITY, |m, h| m.min(*h)) - depth.abs().max(step.abs() * 1e-3);
        let place = |i: usize, j: usize, y: Real| Vec3::new(i as Real * step, y, j as Real * step);
        let mut vertices = Vec::with_capacity(2 * heights.len());
        for j in 0..rows {
            for i in 0..columns {
                vertices.push(place(i, j, heights[i + j * columns]));
            }
        }
        let base = vertices.len() as u32;
        for j in 0..rows {
            for i in 0..columns {
                vertices.push(place(i, j, floor));
            }
        }
        let at = |i: usize, j: usize| (i + j * columns) as u32;
        let mut triangles = Vec::new();
        let mut quad = |a: u32, b: u32, c: u32, d: u32| triangles.extend([[a, b, c], [a, c, d]]);
        for j in 0..rows - 1 {
            for i in 0..columns - 1 {
                quad(at(i, j), at(i, j + 1), at(i + 1, j + 1), at(i + 1, j));
                quad(base + at(i, j), base + at(i + 1, j), base + at(i + 1, j + 1), base + at(i, j + 1));
            }
        }
        for i in 0..columns - 1 {
            let last = rows - 1;
            quad(at(i, 0), at(i + 1, 0), base + at(i + 1, 0), base + at(i, 0));
            quad(at(i + 1, last), at(i, last), base + at(i, last), base + at(i + 1, last));
        }
        for j in 0..rows - 1 {
            let last = columns - 1;
            quad(at(0, j + 1), at(0, j), base + at(0, j), base + at(0, j + 1));
            quad(at(last, j), at(last, j + 1), base + at(last, j + 1), base + at(last, j));
        }
        Self::new(vertices, triangles)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Topology;
    use super::*;

    #[test]
    fn a_slope_is_a_solid_of_the_right_volume() {
        let heights = [0.0, 1.0, 2.0, 0.0, 1.0, 2.0];
        let m = TriangleMesh::height_field(3, &heights, 2.0, 1.0).unwrap();
        let r = Topology::of(&m).report(&m);
        // 4 x 2 on the ground, from one below zero to one above on average
        assert!(r.is_solid() && (r.volume - 16.0).abs() < 1e-12, "{r:?}");
        assert!(TriangleMesh::height_field(3, &heights[..5], 2.0, 1.0).is_err());
        assert!(TriangleMesh::height_field(3, &[Real::NAN; 6], 2.0, 1.0).is_err());
    }
}
