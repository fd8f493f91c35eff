use super::{Pseudonormals, Topology, TriangleMesh};
use drystone_math::{Real, Vec3};

/// Squared sine of the angle up to which neighbouring triangles lie in one plane.
const FLAT: Real = 1e-12;

/// Which points of a mesh represent it when it is looked up in a signed distance map.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SampleRules {
    /// Sharp edges longer than this are sampled this far apart (m); infinite for none.
    pub edge_spacing: Real,
    /// The middles of flat regions with more area than this are added (m^2); infinite for none.
    pub face_area: Real,
}

impl SampleRules {
    /// Vertices only.
    pub const VERTICES: Self = Self { edge_spacing: Real::INFINITY, face_area: Real::INFINITY };

    /// The thesis' rules for a map with cells of edge length `cell` (m): flat regions of more than a cell's side, and edges
    /// sampled a cell's diagonal apart; or `spacing` (m) apart if that is positive, but no closer than a cell's edge.
    ///
    /// # Source
    /// Thesis 6.2.1. Differs in: the text samples edges no closer than a cell's diagonal and says that "many" faces of the
    /// cow are left out; Table 6.5 has every face, and 11 243 points on edges. The diagonal of a map of 128 cells gives 5
    /// 999, the edge 11 206.
    pub fn for_cells(cell: Real, spacing: Real) -> Self {
        let edge_spacing = if spacing > 0.0 { spacing.max(cell) } else { Real::sqrt(3.0) * cell };
        Self { edge_spacing, face_area: cell * cell }
    }
}

/// Returns true if the triangles at an edge lie in different planes.
fn is_sharp(edge: usize, topology: &Topology, normals: &Pseudonormals) -> bool {
    let mut sides = topology.sides(edge);
    match (sides.next(), sides.next()) {
        (Some(s), Some(t)) => {
            let (m, n) = (normals.face(s), normals.face(t));
            m.dot(n) <= 0.0 || m.cross(n).length_squared() > FLAT
        }
        _ => true,
    }
}

/// The length of the longest edge whose triangles lie in different planes (m).
pub(super) fn longest_sharp_edge(mesh: &TriangleMesh, topology: &Topology, normals: &Pseudonormals) -> Real {
    let p = mesh.vertices();
    let sharp = topology.edges().iter().enumerate().filter(|&(e, _)| is_sharp(e, topology, normals));
    sharp.fold(0.0, |m: Real, (_, ends)| m.max((p[ends[1] as usize] - p[ends[0] as usize]).length()))
}

/// The sample points of a mesh (m): vertices with a sharp edge, points along long sharp edges, the middle of large
/// flat regions.
///
/// # Source
/// Thesis 6.2.1 (K-07, K-08). The middle of a region is the mean of the corners of its triangles, as there.
pub fn sample_points(
    mesh: &TriangleMesh,
    topology: &Topology,
    normals: &Pseudonormals,
    rules: &SampleRules,
) -> Vec<Vec3> {
    let sharp: Vec<bool> = (0..topology.edges().len()).map(|e| is_sharp(e, topology, normals)).collect();
    let p = mesh.vertices();
    let mut cornered = vec![false; p.len()];
    for (_, ends) in topology.edges().iter().enumerate().filter(|&(e, _)| sharp[e]) {
        cornered[ends[0] as usize] = true;
        cornered[ends[1] as usize] = true;
    }
    let mut samples: Vec<Vec3> = p.iter().zip(&cornered).filter(|(_, c)| **c).map(|(p, _)| *p).collect();

    // sharp edges, uniformly
    for (_, ends) in topology.edges().iter().enumerate().filter(|&(e, _)| sharp[e]) {
        let (a, b) = (p[ends[0] as usize], p[ends[1] as usize]);
        let length = (b - a).length();
        if length > rules.edge_spacing {
            let parts = (length / rules.edge_spacing).ceil();
            samples.extend((1..parts as usize).map(|k| a.lerp(b, k as Real / parts)));
        }
    }

    samples.extend(flat_middles(mesh, topology, normals, rules.face_area).iter().map(|(p, _)| *p));
    samples
}

/// The middles of the flat regions with more than `face_area` (m^2), each with the outward unit normal of its region.
///
/// # Source
/// Thesis 6.2.1 (K-08). The middle of a region is the mean of the corners of its triangles, as there.
pub(super) fn flat_middles(
    mesh: &TriangleMesh,
    topology: &Topology,
    normals: &Pseudonormals,
    face_area: Real,
) -> Vec<(Vec3, Vec3)> {
    let mut middles = Vec::new();
    if face_area == Real::INFINITY {
        return middles;
    }
    let sharp: Vec<bool> = (0..topology.edges().len()).map(|e| is_sharp(e, topology, normals)).collect();
    let mut seen = vec![false; mesh.triangles().len()];
    for seed in 0..seen.len() {
        if seen[seed] {
            continue;
        }
        // breadth first
        seen[seed] = true;
        let (mut queue, mut k) = (vec![seed], 0);
        let (mut area, mut sum) = (0.0, Vec3::ZERO);
        while k < queue.len() {
            let t = queue[k];
            k += 1;
            let [a, b, c] = mesh.corners(t);
            area += 0.5 * (b - a).cross(c - a).length();
            sum += (a + b + c) / 3.0;
            for side in 0..3 {
                if let Some(u) = topology.across(t, side)
                    && !seen[u]
                    && !sharp[topology.edge_of(t, side)]
                {
                    seen[u] = true;
                    queue.push(u);
                }
            }
        }
        if area > face_area {
            middles.push((sum / queue.len() as Real, normals.face(seed)));
        }
    }
    middles
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_6_4_of_the_thesis() {
        // K-07
        let mesh = TriangleMesh::cuboid(Vec3::splat(0.5), 5);
        let topology = Topology::of(&mesh);
        let normals = Pseudonormals::of(&mesh, &topology);
        // eight points inside each of the 60 segments along the edges
        let spacing = 0.2 / 8.5;
        let count = |edge_spacing: Real, face_area: Real| {
            sample_points(&mesh, &topology, &normals, &SampleRules { edge_spacing, face_area }).len()
        };
        let none = Real::INFINITY;
        assert_eq!((count(none, none), count(spacing, none), count(spacing, 0.01)), (56, 536, 542));
        // and the nodes of the sphere tree over the vertices
        let rules = SampleRules::VERTICES;
        let tree = super::super::SphereTree::of(sample_points(&mesh, &topology, &normals, &rules));
        assert_eq!(tree.node_count(), 65);
    }
}
