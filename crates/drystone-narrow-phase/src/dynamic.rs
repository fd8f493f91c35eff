//! Dynamic tests of features: when, in a linear motion from one placement to another, do they meet?

use drystone_math::{Real, Vec3};

/// Distance of a hit outside its face or edge that is still accepted (as a fraction of the feature's size): features
/// that share a border must not both miss a hit on it.
const GRAZING: Real = 1e-9;

/// When a vertex meets a triangle while both move linearly, as a fraction of the motion in [0, 1]; `None` if it comes
/// from behind, moves away, or passes beside.
///
/// `vertex` holds its start and end positions, `triangle` the corners at the start and at the end (m).
///
/// # Source
/// SiLVIA, section 2.3 (J-05): the distance from the plane is interpolated linearly, and the vertex is checked against
/// the prism over the triangle at the time found. Vertices that meet edges or vertices (J-07) are hits on the border.
pub fn vertex_face(vertex: [Vec3; 2], triangle: [[Vec3; 3]; 2]) -> Option<Real> {
    let height = |k: usize| {
        let [a, b, c] = triangle[k];
        let n = (b - a).cross(c - a).try_normalize()?;
        Some(n.dot(vertex[k] - a))
    };
    let (d0, d1) = (height(0)?, height(1)?);
    if d0 < 0.0 || d0 <= d1 {
        return None;
    }
    let t = d0 / (d0 - d1);
    if t > 1.0 {
        return None;
    }
    let v = vertex[0].lerp(vertex[1], t);
    let [a, b, c] = core::array::from_fn(|k| triangle[0][k].lerp(triangle[1][k], t));
    let n = (b - a).cross(c - a);
    let slack = -GRAZING * n.length_squared();
    let inside = [(a, b), (b, c), (c, a)].into_iter().all(|(p, q)| n.dot((q - p).cross(v - p)) >= slack);
    inside.then_some(t)
}

/// When two edges meet while all their ends move linearly, as a fraction of the motion in [0, 1].
///
/// `first` and `second` are the ends at the start and at the end of the motion (m); `face` is the third corner of a
/// face beside the second edge at either time.
///
/// # Source
/// SiLVIA, section 2.3 (J-06). The intervals in which the ends of the first edge lie on different sides of the face are
/// found; in each, the signed distance of the two lines is interpolated between its ends. Differs in: the time
/// found is relative to the interval, and is mapped back.
pub fn edge_edge(first: [[Vec3; 2]; 2], second: [[Vec3; 2]; 2], face: [Vec3; 2]) -> Option<Real> {
    let at = |e: [[Vec3; 2]; 2], t: Real| [e[0][0].lerp(e[1][0], t), e[0][1].lerp(e[1][1], t)];
    // heights of the first edge's ends over the face, at the start and at the end
    let height = |k: usize, end: usize| {
        let [p, q] = second[k];
        let n = (q - p).cross(face[k] - p).try_normalize()?;
        Some(n.dot(first[k][end] - p))
    };
    let ends = [[height(0, 0)?, height(1, 0)?], [height(0, 1)?, height(1, 1)?]];
    let mut cuts = [0.0, 1.0, 1.0, 1.0];
    let mut count = 1;
    for [h0, h1] in ends {
        let t = h0 / (h0 - h1);
        if t > 0.0 && t < 1.0 {
            cuts[count] = t;
            count += 1;
        }
    }
    cuts[..=count].sort_unstable_by(Real::total_cmp);
    for w in cuts[..=count].windows(2) {
        let (t1, t2) = (w[0], w[1]);
        let middle = 0.5 * (t1 + t2);
        let side = |h: [Real; 2]| h[0] + (h[1] - h[0]) * middle;
        if t2 <= t1 || side(ends[0]) * side(ends[1]) >= 0.0 {
            continue;
        }
        let (Some(d1), Some(d2)) =
            (lines_apart(at(first, t1), at(second, t1)), lines_apart(at(first, t2), at(second, t2)))
        else {
            continue;
        };
        if d1 * d2 > 0.0 || d1 == d2 {
            continue;
        }
        let t = t1 + (t2 - t1) * d1 / (d1 - d2);
        if on_both(at(first, t), at(second, t)) {
            return Some(t);
        }
    }
    None
}

/// Signed distance of the lines through two edges; `None` if they are parallel.
fn lines_apart([a1, b1]: [Vec3; 2], [a2, b2]: [Vec3; 2]) -> Option<Real> {
    let n = (b1 - a1).cross(b2 - a2);
    Some(n.try_normalize()?.dot(a1 - a2))
}

/// Returns true if the closest points of the lines lie on the edges.
fn on_both([p, p1]: [Vec3; 2], [q, q1]: [Vec3; 2]) -> bool {
    let (u, v, w) = (p1 - p, q1 - q, p - q);
    let (a, b, c, d, e) = (u.dot(u), u.dot(v), v.dot(v), u.dot(w), v.dot(w));
    let det = u.cross(v).length_squared();
    let (s, t) = ((b * e - c * d) / det, (a * e - b * d) / det);
    let on = |x: Real| (-GRAZING..=1.0 + GRAZING).contains(&x);
    on(s) && on(t)
}

/// The same if the first edge may lie in the second's face all the time: then the roles are exchanged, as in the
/// source. `faces` are the third corners of a face beside the first edge and of a face beside the second, each at the
/// start and at the end.
///
/// # Source
/// SiLVIA, section 2.3 (J-06).
pub fn edge_edge_either(first: [[Vec3; 2]; 2], second: [[Vec3; 2]; 2], faces: [[Vec3; 2]; 2]) -> Option<Real> {
    let level = |k: usize| {
        let [p, q] = second[k];
        let n = (q - p).cross(faces[1][k] - p);
        let u = first[k][1] - first[k][0];
        n.dot(u).abs() <= GRAZING * n.length() * u.length()
    };
    if level(0) && level(1) { edge_edge(second, first, faces[0]) } else { edge_edge(first, second, faces[1]) }
}

/// When two triangles meet while their corners move linearly, as a fraction of the motion in [0, 1]: each vertex against
/// the other's face, from its front, and each edge against each edge.
///
/// `first` and `second` are the corners at the start and at the end (m).
///
/// # Source
/// SiLVIA, section 2.3: the elementary test of a pair of faces.
pub fn triangles_meet(first: [[Vec3; 3]; 2], second: [[Vec3; 3]; 2]) -> Option<Real> {
    let mut best: Option<Real> = None;
    let mut take = |t: Option<Real>| {
        if let Some(t) = t
            && best.is_none_or(|b| t < b)
        {
            best = Some(t);
        }
    };
    for i in 0..3 {
        take(vertex_face(first.map(|t| t[i]), second));
        take(vertex_face(second.map(|t| t[i]), first));
        for j in 0..3 {
            let edge = |t: [Vec3; 3], k: usize| [t[k], t[(k + 1) % 3]];
            let (e, f) = (first.map(|t| edge(t, i)), second.map(|t| edge(t, j)));
            let faces = [first.map(|t| t[(i + 2) % 3]), second.map(|t| t[(j + 2) % 3])];
            take(edge_edge_either(e, f, faces));
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRIANGLE: [Vec3; 3] = [Vec3::ZERO, Vec3::X, Vec3::Y];

    #[test]
    fn a_vertex_through_a_face_its_border_and_beside() {
        // J-05
        let fall = |x: Real, y: Real| vertex_face([Vec3::new(x, y, 1.0), Vec3::new(x, y, -3.0)], [TRIANGLE; 2]);
        assert_eq!(fall(0.2, 0.2), Some(0.25));
        // found on an edge and on a vertex, but not outside
        assert_eq!(fall(0.5, 0.5), Some(0.25));
        assert_eq!(fall(0.0, 0.0), Some(0.25));
        assert_eq!(fall(0.6, 0.6), None);
        // from behind
        assert_eq!(vertex_face([Vec3::new(0.2, 0.2, -1.0), Vec3::new(0.2, 0.2, 1.0)], [TRIANGLE; 2]), None);
        // the face comes to the vertex
        let up = TRIANGLE.map(|p| p + Vec3::Z * 2.0);
        assert_eq!(vertex_face([Vec3::new(0.2, 0.2, 1.0); 2], [TRIANGLE, up]), Some(0.5));
    }

    #[test]
    fn rods_that_cross() {
        // J-06
        let rod = |z: Real| [Vec3::new(-1.0, 0.1, z), Vec3::new(1.0, 0.1, z)];
        let still = [[Vec3::new(0.3, -1.0, 0.0), Vec3::new(0.3, 1.0, 0.0)]; 2];
        // a face beside the second rod, upright: the first rod's ends are on both sides of it all the time
        let face = [Vec3::new(0.3, 0.0, -1.0); 2];
        let t = edge_edge([rod(1.0), rod(-3.0)], still, face).unwrap();
        assert!((t - 0.25).abs() < 1e-15);
        // beside
        let short = [[Vec3::new(0.3, 0.5, 0.0), Vec3::new(0.3, 1.0, 0.0)]; 2];
        assert_eq!(edge_edge([rod(1.0), rod(-3.0)], short, face), None);
        // the ends change sides on the way: the time is that of the whole motion
        let sweep = [
            [Vec3::new(1.0, 0.1, 1.0), Vec3::new(3.0, 0.1, 1.0)],
            [Vec3::new(-2.0, 0.1, -0.5), Vec3::new(0.0, 0.1, -0.5)],
        ];
        let t = edge_edge(sweep, still, face).unwrap();
        assert!((t - 2.0 / 3.0).abs() < 1e-12, "{t}");
    }

    #[test]
    fn an_edge_in_the_others_face_changes_roles() {
        // J-06
        // the first rod moves within the plane of the second's face
        let rod = |x: Real| [Vec3::new(x, -1.0, 0.5), Vec3::new(x, 1.0, 0.5)];
        let still = [[Vec3::new(0.0, 0.1, 0.0), Vec3::new(0.0, 0.1, 1.0)]; 2];
        let faces = [[Vec3::new(2.0, 0.0, -1.0), Vec3::new(-2.0, 0.0, -1.0)], [Vec3::new(0.0, 3.0, 0.0); 2]];
        let t = edge_edge_either([rod(1.0), rod(-3.0)], still, faces).unwrap();
        assert!((t - 0.25).abs() < 1e-12, "{t}");
    }

    #[test]
    fn a_vertex_that_hits_an_edge_or_a_vertex_is_found_once_and_not_missed() {
        // J-07
        // J-07: two triangles that share the edge are each hit at the same time
        let left = [Vec3::ZERO, Vec3::Y, Vec3::NEG_X];
        let right = [Vec3::ZERO, Vec3::X, Vec3::Y];
        for at in [Vec3::new(0.0, 0.5, 0.0), Vec3::ZERO, Vec3::Y] {
            let vertex = [at + Vec3::Z, at - Vec3::Z];
            let hits = [left, right].map(|t| vertex_face(vertex, [t; 2]));
            assert_eq!(hits, [Some(0.5); 2], "{at}");
        }
    }
}
