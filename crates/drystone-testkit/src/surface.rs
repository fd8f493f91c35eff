use drystone_geometry::Shape;
use drystone_math::{Real, Vec3};

/// How far a point of a shape's own frame is from its surface (m), zero upon it: closed forms, of hulls by the planes of their
/// faces, of meshes by the nearest triangle, of compounds from the nearest surface of a part, inside of another or not.
///
/// Exact but for polyhedra from which the point is farther away than from its planes, before their edges and corners: there it is a
/// lower bound that is zero upon the surface alone.
pub fn from_surface(shape: &Shape, p: Vec3) -> Real {
    // distance from the outline of a solid of revolution about y, as pieces of line in the half plane
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
        // kinds to come are not known here
        _ => Real::INFINITY,
    }
}
