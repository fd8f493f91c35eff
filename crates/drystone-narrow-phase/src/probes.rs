use drystone_geometry::Shape;
use drystone_math::elementary::{cos, sin};
use drystone_math::{Real, Vec3};
use smallvec::{SmallVec, smallvec};

/// Probes per circle; a probe's number divided by this is the number of its circle.
const AROUND: u32 = 16;

/// Number of the point that the first circle rolls on, after those of all probes of a round shape; its other corners, and those of the next circle, come after it.
pub(crate) const ROLLING: u32 = 6 * AROUND;

/// Corners of a circle that leans, the point that it rolls on among them: as many as for a cap on a plane.
pub(crate) const CORNERS: u32 = 8;

/// Points that represent a shape's surface when it is looked up in another's field, each in the shape's frame, with the
/// radius of the ball about it (m) and a number. Meshes have their own, see [`drystone_geometry::mesh::SphereTree`].
pub(crate) fn visit_probes(shape: &Shape, mut visit: impl FnMut(Vec3, Real, u32)) {
    match shape {
        Shape::Sphere(s) => visit(Vec3::ZERO, s.radius(), 0),
        Shape::Capsule(s) => {
            for (i, t) in [-1.0, -0.5, 0.0, 0.5, 1.0].into_iter().enumerate() {
                visit(Vec3::Y * (t * s.half_height()), s.radius(), i as u32);
            }
        }
        Shape::Box(s) => {
            // corners, and the middles of edges and faces
            let h = s.half_extents();
            let mut number = 0;
            for x in [-1.0, 0.0, 1.0] {
                for y in [-1.0, 0.0, 1.0] {
                    for z in [-1.0, 0.0, 1.0] {
                        let at = Vec3::new(x, y, z);
                        if at != Vec3::ZERO {
                            visit(at * h, 0.0, number);
                        }
                        number += 1;
                    }
                }
            }
        }
        Shape::Cylinder(s) => {
            let (r, h) = (s.radius(), s.half_height());
            rims(&[(r, -h), (0.0, -h), (r, 0.0), (r, h), (0.0, h)], &mut visit);
        }
        Shape::Cone(s) => {
            let (r, h) = (s.radius(), s.half_height());
            rims(&[(r, -h), (0.0, -h), (0.5 * r, 0.0), (0.0, h)], &mut visit);
        }
        Shape::Convex(s) => {
            let vertices = s.vertices();
            for (i, v) in vertices.iter().enumerate() {
                visit(*v, 0.0, i as u32);
            }
            for f in 0..s.face_count() {
                let corners = s.face_corners(f);
                let sum = corners.iter().fold(Vec3::ZERO, |s, &v| s + vertices[v as usize]);
                visit(sum / corners.len() as Real, 0.0, (vertices.len() + f) as u32);
            }
        }
        _ => {}
    }
}

/// The circles that a shape rolls on, in its frame: heights on its axis y, and radii. It is as round between the probes of a circle as at them.
pub(crate) fn rolling_circles(shape: &Shape) -> SmallVec<[(Real, Real); 2]> {
    match shape {
        Shape::Cylinder(s) => smallvec![(-s.half_height(), s.radius()), (s.half_height(), s.radius())],
        Shape::Cone(s) => smallvec![(-s.half_height(), s.radius())],
        _ => SmallVec::new(),
    }
}

/// The corners of a circle about y, as arms from its middle, beginning with `first`.
pub(crate) fn corners(first: Vec3) -> impl Iterator<Item = Vec3> {
    let next = Vec3::Y.cross(first);
    (0..CORNERS).map(move |i| {
        let w = core::f64::consts::TAU * Real::from(i) / Real::from(CORNERS);
        first * cos(w) + next * sin(w)
    })
}

/// Returns true if a probe represents a place on a circle, or on the flank between two.
pub(crate) fn is_round_about(shape: &Shape, number: u32) -> bool {
    match shape {
        Shape::Cylinder(_) => matches!(number / AROUND, 0 | 2 | 3),
        Shape::Cone(_) => matches!(number / AROUND, 0 | 2),
        _ => false,
    }
}

/// Sine, and below its cosine, of the angle up to which a way counts as normal to a surface.
const LEAN: Real = 0.045;
const UPRIGHT: Real = 0.999;

/// Returns true if a probe in the middle of a flat region, or of an edge, looks along it in a direction of the shape's
/// frame, rather than out of it: there the other shape comes nearer beside the probe.
pub(crate) fn looks_along(shape: &Shape, number: u32, direction: Vec3) -> bool {
    let leans_from = |n: Vec3| n.dot(direction) < UPRIGHT;
    match shape {
        Shape::Mesh(mesh) => mesh.flat_sample(number as usize).is_some_and(leans_from),
        Shape::Box(_) => {
            let at = [number / 9, number / 3 % 3, number % 3].map(|i| Real::from(i) - 1.0);
            let middle = at.contains(&0.0);
            let leaves = |(s, d): (Real, Real)| if s == 0.0 { d.abs() > LEAN } else { s * d < -LEAN };
            middle && at.into_iter().zip(direction.to_array()).any(leaves)
        }
        Shape::Cylinder(_) => match number / AROUND {
            1 => leans_from(-Vec3::Y),
            2 => direction.y.abs() > LEAN,
            4 => leans_from(Vec3::Y),
            _ => false,
        },
        Shape::Cone(_) => number / AROUND == 1 && leans_from(-Vec3::Y),
        Shape::Convex(s) => {
            let face = (number as usize).checked_sub(s.vertices().len());
            face.is_some_and(|f| leans_from(s.face_plane(f).0))
        }
        _ => false,
    }
}

/// Points on each circle about y, a single one if its radius is zero.
fn rims(circles: &[(Real, Real)], visit: &mut impl FnMut(Vec3, Real, u32)) {
    for (c, &(r, y)) in circles.iter().enumerate() {
        let count = if r > 0.0 { AROUND } else { 1 };
        for i in 0..count {
            let w = core::f64::consts::TAU * Real::from(i) / Real::from(AROUND);
            visit(Vec3::new(r * cos(w), y, r * sin(w)), 0.0, AROUND * c as u32 + i);
        }
    }
}
