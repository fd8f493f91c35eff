//! Signed distance fields of shapes, in which sample points are looked up.

use drystone_geometry::{ConvexPolyhedron, Shape};
use drystone_math::{Real, Vec3};

/// The source of a mesh's signed distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MeshField {
    /// Its map, if it has one.
    Mapped,
    /// Its triangles.
    Exact,
}

/// Signed distance of a shape at a point of its frame, and the unit gradient there. `None` if the surface is certainly
/// farther away than `limit` (m), or the shape has no field.
pub(crate) fn field(shape: &Shape, p: Vec3, limit: Real, of_meshes: MeshField) -> Option<(Real, Vec3)> {
    let found = match shape {
        Shape::Sphere(s) => ball(p, s.radius()),
        Shape::Capsule(s) => {
            let core = Vec3::Y * p.y.clamp(-s.half_height(), s.half_height());
            ball(p - core, s.radius())
        }
        Shape::Box(s) => cuboid(p, s.half_extents()),
        Shape::Plane(s) => (s.normal().dot(p) - s.offset(), s.normal()),
        Shape::Cylinder(s) => {
            // a rectangle of revolution about y
            let side = Vec3::new(p.x, 0.0, p.z);
            let out = side.normalize_or(Vec3::X);
            let (d, n) = cuboid(Vec3::new(side.length(), p.y, 0.0), Vec3::new(s.radius(), s.half_height(), Real::MAX));
            (d, out * n.x + Vec3::Y * n.y)
        }
        Shape::Cone(s) => cone(p, s.radius(), s.half_height()),
        Shape::Convex(s) => polyhedron(s, p, limit),
        Shape::Mesh(s) => match s.map() {
            Some(map) if of_meshes == MeshField::Mapped => map.sample(p)?,
            _ => {
                let d = s.distance(p, if s.report().is_watertight() { Real::INFINITY } else { limit })?;
                (d.distance, d.gradient)
            }
        },
        _ => return None,
    };
    (found.0 <= limit).then_some(found)
}

fn ball(p: Vec3, radius: Real) -> (Real, Vec3) {
    (p.length() - radius, p.normalize_or(Vec3::Y))
}

fn cuboid(p: Vec3, h: Vec3) -> (Real, Vec3) {
    let q = p.abs() - h;
    let out = q.max(Vec3::ZERO);
    let sign = Vec3::new(1.0_f64.copysign(p.x), 1.0_f64.copysign(p.y), 1.0_f64.copysign(p.z));
    let length = out.length();
    if length > 0.0 {
        return (length, out * sign / length);
    }
    let k = if q.x >= q.y && q.x >= q.z { 0 } else { 1 + usize::from(q.z > q.y) };
    (q[k], Vec3::AXES[k] * sign[k])
}

/// A triangle of revolution about y, its right side free.
fn cone(p: Vec3, radius: Real, half_height: Real) -> (Real, Vec3) {
    let side = Vec3::new(p.x, 0.0, p.z);
    let out = side.normalize_or(Vec3::X);
    let (x, y) = (side.length(), p.y);
    let slant = Vec3::new(2.0 * half_height, radius, 0.0).normalize();
    let flank = slant.x * x + slant.y * (y - half_height);
    let base = -half_height - y;
    if flank <= 0.0 && base <= 0.0 {
        return if flank > base { (flank, out * slant.x + Vec3::Y * slant.y) } else { (base, Vec3::NEG_Y) };
    }
    // nearest point of the base's radius or of the flank
    let q = Vec3::new(x, y, 0.0);
    let on_base = Vec3::new(x.min(radius), -half_height, 0.0);
    let (tip, rim) = (Vec3::new(0.0, half_height, 0.0), Vec3::new(radius, -half_height, 0.0));
    let along = rim - tip;
    let on_flank = tip + along * ((q - tip).dot(along) / along.length_squared()).clamp(0.0, 1.0);
    let near = if (q - on_base).length_squared() < (q - on_flank).length_squared() { on_base } else { on_flank };
    let d = q - near;
    let length = d.length();
    let n = d.normalize_or(slant);
    (length, out * n.x + Vec3::Y * n.y)
}

/// Inside, the highest face plane; outside, up to `limit`, the nearest point of the faces that the point is in front of, and
/// beyond that a lower bound.
fn polyhedron(s: &ConvexPolyhedron, p: Vec3, limit: Real) -> (Real, Vec3) {
    let mut best = (Real::NEG_INFINITY, Vec3::Y);
    for f in 0..s.face_count() {
        let (n, d) = s.face_plane(f);
        let h = n.dot(p) - d;
        if h > best.0 {
            best = (h, n);
        }
    }
    if best.0 <= 0.0 || best.0 > limit {
        return best;
    }
    let mut nearest = (Real::INFINITY, p);
    for f in 0..s.face_count() {
        let (n, d) = s.face_plane(f);
        let h = n.dot(p) - d;
        if h > 0.0 && h < nearest.0 {
            let q = on_face(s, f, n, p - n * h);
            let distance = (p - q).length();
            if distance < nearest.0 {
                nearest = (distance, q);
            }
        }
    }
    // right on the surface, the face gives the direction
    let away = p - nearest.1;
    let n = if nearest.0 > 1e-13 * (1.0 + p.abs().max_element()) { away / nearest.0 } else { best.1 };
    (nearest.0, n)
}

/// The point of a face nearest to a point of its plane.
pub(crate) fn on_face(s: &ConvexPolyhedron, face: usize, n: Vec3, q: Vec3) -> Vec3 {
    let corners = s.face_corners(face);
    let at = |k: usize| s.vertices()[corners[k % corners.len()] as usize];
    let mut nearest = (Real::INFINITY, q);
    let mut inside = true;
    for k in 0..corners.len() {
        let (a, edge) = (at(k), at(k + 1) - at(k));
        if n.cross(edge).dot(q - a) < 0.0 {
            inside = false;
            let on = a + edge * ((q - a).dot(edge) / edge.length_squared().max(Real::MIN_POSITIVE)).clamp(0.0, 1.0);
            let distance = (q - on).length_squared();
            if distance < nearest.0 {
                nearest = (distance, on);
            }
        }
    }
    if inside { q } else { nearest.1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_match_the_solids() {
        let at =
            |s: &Shape, x: Real, y: Real| field(s, Vec3::new(x, y, 0.0), Real::INFINITY, MeshField::Mapped).unwrap().0;
        let c = Shape::cylinder(1.0, 2.0).unwrap();
        assert!((at(&c, 4.0, 6.0) - 5.0).abs() < 1e-15 && (at(&c, 0.5, 0.0) + 0.5).abs() < 1e-15);
        let k = Shape::cone(1.0, 1.0).unwrap();
        assert!((at(&k, 0.0, 2.0) - 1.0).abs() < 1e-15 && (at(&k, 4.0, -5.0) - 5.0).abs() < 1e-15);
        assert!(at(&k, 0.0, -0.9) < 0.0 && (at(&k, 0.0, -0.9) + 0.1).abs() < 1e-15);
        // a box as a polyhedron agrees with the box, in front of faces, edges and corners
        let corners: Vec<Vec3> =
            (0..8).map(|i| Vec3::new([-1.0, 1.0][i & 1], [-0.5, 0.5][i >> 1 & 1], [-0.3, 0.3][i >> 2])).collect();
        let (hull, solid) = (Shape::convex(&corners).unwrap(), Shape::cuboid(1.0, 0.5, 0.3).unwrap());
        for k in 0..500 {
            let w = Real::from(k);
            let p = Vec3::new(1.4 * (1.7 * w).sin(), 0.9 * (0.9 * w).cos(), 0.6 * (0.31 * w).sin());
            let (x, y) = [&hull, &solid].map(|s| field(s, p, 9.0, MeshField::Mapped).unwrap()).into();
            assert!((x.0 - y.0).abs() < 1e-12 && (x.1 - y.1).length() < 1e-9, "{p} {x:?} {y:?}");
        }
        let b = Shape::cuboid(1.0, 1.0, 1.0).unwrap();
        assert!((at(&b, 0.9, 0.0) + 0.1).abs() < 1e-15 && at(&b, 4.0, 5.0) == 5.0);
    }
}
