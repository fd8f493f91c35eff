//! Dynamic tests: when, in a motion from one placement to another, do shapes meet?

use drystone_core::{NarrowPhase, PosedShape, UnsupportedPair};
use drystone_geometry::Shape;
use drystone_math::{Pose, Quat, Real, Vec3};

/// How far outside its face or edge a hit may lie (part of the feature's size): features that share a border must
/// not both miss a hit upon it.
const GRAZING: Real = 1e-9;

/// When a vertex meets a triangle while both move linearly, as a part of the motion in [0, 1]; none where it comes
/// from behind, moves away, or passes beside.
///
/// `vertex` is where it starts and ends, `triangle` the corners at the start and at the end (m).
///
/// # Source
/// SiLVIA, section 2.3 (J-05): the distance from the plane is interpolated linearly, and the vertex is checked
/// against the prism over the triangle at the time found. Vertices on edges and on vertices (J-07) are hits upon the
/// border.
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

/// When two edges meet while all their ends move linearly, as a part of the motion in [0, 1].
///
/// `first` and `second` are the ends at the start and at the end of the motion (m); `face` is the third corner of a
/// face beside the second edge at either time.
///
/// # Source
/// SiLVIA, section 2.3 (J-06). Intervals in which the ends of the first edge lie on different sides of the face; in
/// each, the signed distance of the two lines at its ends, interpolated. Differs in: the time found is relative to
/// the interval, and is mapped back.
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

/// Signed distance of the lines through two edges; none where they are parallel.
fn lines_apart([a1, b1]: [Vec3; 2], [a2, b2]: [Vec3; 2]) -> Option<Real> {
    let n = (b1 - a1).cross(b2 - a2);
    Some(n.try_normalize()?.dot(a1 - a2))
}

/// Whether the closest points of the lines lie on the edges.
fn on_both([p, p1]: [Vec3; 2], [q, q1]: [Vec3; 2]) -> bool {
    let (u, v, w) = (p1 - p, q1 - q, p - q);
    let (a, b, c, d, e) = (u.dot(u), u.dot(v), v.dot(v), u.dot(w), v.dot(w));
    let det = u.cross(v).length_squared();
    let (s, t) = ((b * e - c * d) / det, (a * e - b * d) / det);
    let on = |x: Real| (-GRAZING..=1.0 + GRAZING).contains(&x);
    on(s) && on(t)
}

/// A steady motion of a frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Motion {
    /// Where it starts.
    pub start: Pose,
    /// Velocity of its origin (m/s).
    pub linear: Vec3,
    /// Angular velocity (rad/s, world frame).
    pub angular: Vec3,
}

impl Motion {
    /// Where the frame is after a time (s).
    pub fn at(&self, time: Real) -> Pose {
        let turn = Quat::from_scaled_axis(self.angular * time);
        Pose::new(self.start.position + self.linear * time, (turn * self.start.orientation).normalize())
    }
}

/// How a search for the time of impact ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Impact {
    /// They come within the tolerance at this time (s), for the first time.
    At(Real),
    /// They stay apart.
    Never,
    /// They stay apart until this time (s) at least; the iterations were used up.
    NotBefore(Real),
}

/// The first time in `[0, duration]` (s) at which two moving shapes are within `tolerance` (m), by conservative
/// advancement: a step never exceeds the distance over a bound on the speed of approach, so nothing is tunnelled through.
///
/// # Errors
/// [`UnsupportedPair`] where the narrow phase does not take the pair.
///
/// # Source
/// Mirtich 1996; B-29, J-21.
pub fn time_of_impact(
    narrow_phase: &dyn NarrowPhase,
    (a, motion_a): (&Shape, &Motion),
    (b, motion_b): (&Shape, &Motion),
    duration: Real,
    tolerance: Real,
    iterations: u32,
) -> Result<Impact, UnsupportedPair> {
    let mut seeds = Vec::new();
    let mut cache = [0; 4];
    let reach = |s: &Shape, m: &Motion| {
        let r = s.bounding_radius();
        if r.is_finite() { m.angular.length() * r } else { 0.0 }
    };
    let spin = reach(a, motion_a) + reach(b, motion_b);
    let mut time = 0.0;
    for _ in 0..iterations {
        let posed_a = PosedShape { shape: a, pose: motion_a.at(time) };
        let posed_b = PosedShape { shape: b, pose: motion_b.at(time) };
        let p = narrow_phase.query(posed_a, posed_b, Real::INFINITY, &mut cache, &mut seeds)?;
        if p.distance <= tolerance {
            return Ok(Impact::At(time));
        }
        // no point of either comes nearer along the normal than this
        let approach = (motion_a.linear - motion_b.linear).dot(p.normal) + spin;
        if approach <= 0.0 {
            return Ok(Impact::Never);
        }
        // aim at half the tolerance: the last step then lands within it
        time += (p.distance - 0.5 * tolerance) / approach;
        if time > duration {
            return Ok(Impact::Never);
        }
    }
    Ok(Impact::NotBefore(time))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Primitives;

    const TRIANGLE: [Vec3; 3] = [Vec3::ZERO, Vec3::X, Vec3::Y];

    #[test]
    fn a_vertex_through_a_face_its_border_and_beside() {
        let fall = |x: Real, y: Real| vertex_face([Vec3::new(x, y, 1.0), Vec3::new(x, y, -3.0)], [TRIANGLE; 2]);
        assert_eq!(fall(0.2, 0.2), Some(0.25));
        // on an edge and on a vertex it is found, outside not
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
    fn a_bullet_does_not_tunnel_through_a_plate() {
        let (ball, plate) = (Shape::sphere(0.01).unwrap(), Shape::cuboid(1.0, 1.0, 0.001).unwrap());
        let shot = Motion {
            start: Pose::from_position(Vec3::new(0.0, 0.0, 5.0)),
            linear: Vec3::new(0.0, 0.0, -1000.0),
            angular: Vec3::ZERO,
        };
        let still = Motion { start: Pose::IDENTITY, linear: Vec3::ZERO, angular: Vec3::new(0.0, 0.0, 3.0) };
        let hit = time_of_impact(&Primitives, (&ball, &shot), (&plate, &still), 0.02, 1e-6, 1000).unwrap();
        let Impact::At(t) = hit else { panic!("{hit:?}") };
        assert!((t - 4.989e-3).abs() < 2e-8, "{t}");
        let miss = Motion { start: Pose::from_position(Vec3::new(3.0, 0.0, 5.0)), ..shot };
        let hit = time_of_impact(&Primitives, (&ball, &miss), (&plate, &still), 0.02, 1e-6, 1000).unwrap();
        assert_eq!(hit, Impact::Never);
    }
}
