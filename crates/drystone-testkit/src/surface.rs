use drystone_geometry::Shape;
use drystone_math::{Real, Vec3};

/// The distance of a point, in a shape's own frame, from the shape's surface (m), zero on it. Closed forms are used: for hulls the planes of their faces, for meshes
/// the nearest triangle, for compounds the nearest surface of a part, whether it is inside another part or not.
///
/// Exact, except for points outside a hull that are nearest to an edge or corner: for these it is a lower bound, which is zero only on the surface.
pub fn from_surface(shape: &Shape, p: Vec3) -> Real {
    // distance from the outline of a solid of revolution about y, given as line segments in the half plane
    let outline = |corners: &[(Real, Real)]| {
        let x = (p.x * p.x + p.z * p.z).sqrt();
        let piece = |w: &[(Real, Real)]| {
            let (start, q) = (Vec3::new(w[0].0, w[0].1, 0.0), Vec3::new(x, p.y, 0.0));
            let along = Vec3::new(w[1].0, w[1].1, 0.0) - start;
            let part = ((q - start).dot(along) / along.length_squared()).clamp(0.0, 1.0);
            (start + along * part - q).length()
        };
        corners.windows(2).map(piece).fold(Real::INFINITY, Real::min)
    };
    match shape {
        Shape::Sphere(s) => (p.length() - s.radius()).abs(),
        Shape::Capsule(s) => {
            let core = Vec3::Y * p.y.clamp(-s.half_height(), s.half_height());
            ((p - core).length() - s.radius()).abs()
        }
        Shape::Box(s) => {
            let beyond = p.abs() - s.half_extents();
            let out = beyond.max(Vec3::ZERO).length();
            if out > 0.0 { out } else { beyond.max_element().abs() }
        }
        Shape::Cylinder(s) => {
            let (r, h) = (s.radius(), s.half_height());
            outline(&[(0.0, -h), (r, -h), (r, h), (0.0, h)])
        }
        Shape::Cone(s) => {
            let h = s.half_height();
            outline(&[(0.0, -h), (s.radius(), -h), (0.0, h)])
        }
        Shape::Convex(c) => {
            let above = |f: usize| {
                let (n, d) = c.face_plane(f);
                n.dot(p) - d
            };
            (0..c.face_count()).map(above).fold(Real::NEG_INFINITY, Real::max).abs()
        }
        Shape::Plane(s) => (s.normal().dot(p) - s.offset()).abs(),
        Shape::Mesh(m) => m.distance(p, Real::INFINITY).map_or(Real::INFINITY, |d| d.distance.abs()),
        Shape::Compound(c) => {
            c.parts().iter().map(|(s, pose)| from_surface(s, pose.local_point(p))).fold(Real::INFINITY, Real::min)
        }
        // kinds added later are not known here
        _ => Real::INFINITY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points three and four units beyond a rim, beside a side, above a cap, and inside, where the nearer of the two surfaces counts; the slope of a cone by Hesse's normal form.
    #[test]
    fn solids_of_revolution_are_as_far_as_their_outlines() {
        let is = |shape: &Shape, p: Vec3, wanted: Real| {
            // the same all round the axis
            for turn in [0.0, 0.7, 2.0] {
                let q = drystone_math::Quat::from_rotation_y(turn) * p;
                let found = from_surface(shape, q);
                assert!((found - wanted).abs() < 1e-12, "{shape:?} at {q}: {found}, not {wanted}");
            }
        };
        let cylinder = Shape::cylinder(1.0, 2.0).unwrap();
        for (p, wanted) in
            [([4.0, 6.0], 5.0), ([3.0, 0.5], 2.0), ([0.3, -2.5], 0.5), ([0.6, 0.1], 0.4), ([0.1, 1.8], 0.2)]
        {
            is(&cylinder, Vec3::new(p[0], p[1], 0.0), wanted);
        }
        // a base of radius 3 at y = -2, its tip at y = 2: 4 x + 3 y = 6 along the slope
        let cone = Shape::cone(3.0, 2.0).unwrap();
        for (p, wanted) in
            [([3.0, 4.0], 3.6), ([0.0, -2.75], 0.75), ([0.0, 0.0], 1.2), ([0.0, 5.0], 3.0), ([6.0, -6.0], 5.0)]
        {
            is(&cone, Vec3::new(p[0], p[1], 0.0), wanted);
        }
    }
}
