//! The flat faces of a shape about a point, and the direction in which two shapes touch there.

use crate::field::on_face;
use drystone_geometry::triangle::closest_on_triangle;
use drystone_geometry::{ConvexPolyhedron, Cuboid, MeshShape, Shape};
use drystone_math::{Real, Vec3};
use smallvec::SmallVec;

/// Up to this many faces about a point, a surface has edges there; with more it counts as curved.
const MOST: usize = 8;

/// Cosine of the angle up to which two normals belong to one face.
const ONE_FACE: Real = 1.0 - 1e-7;

/// Sine of the angle by which a direction may lean out of a wedge's normals.
const LEAN: Real = 1e-3;

/// Sine of the angle up to which edges count as parallel: then faces say more than the crossing.
const BESIDE: Real = 0.02;

/// A flat face of a surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Face {
    /// Outward, unit.
    pub normal: Vec3,
    /// Height of a point above its plane (m).
    pub height: Real,
}

/// The faces of a convex part of a surface that come near a point. The normals of that part are the positive combinations of
/// theirs.
#[derive(Debug, Clone, Default)]
pub(crate) struct Wedge {
    faces: SmallVec<[Face; MOST]>,
}

/// Contact of a corner, an edge or a face with a wedge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Touch {
    /// Unit vector out of the wedge; its opposite is a normal of the shape that touches it.
    pub normal: Vec3,
    /// Height of the point above the wedge along the normal (m).
    pub separation: Real,
}

impl Wedge {
    /// The wedge of a shape's faces that come within `reach` (m) of a point of its frame. `None` if the surface is curved there,
    /// or has an edge that is not convex.
    pub(crate) fn about(shape: &Shape, p: Vec3, reach: Real) -> Option<Self> {
        match shape {
            Shape::Mesh(s) => Self::of_mesh(s, p, reach),
            Shape::Box(s) => Some(Self::of_box(s, p, reach)),
            Shape::Convex(s) => Self::of_polyhedron(s, p, reach),
            _ => None,
        }
    }

    fn of_mesh(mesh: &MeshShape, p: Vec3, reach: Real) -> Option<Self> {
        let mut wedge = Self::default();
        let mut counts = true;
        mesh.tree().near(p, reach, |t| {
            let corners @ [a, b, c] = mesh.mesh().corners(t);
            if counts && (closest_on_triangle(p, a, b, c).0 - p).length() <= reach {
                let normal = mesh.normals().face(t);
                counts = wedge.add(Face { normal, height: normal.dot(p - a) })
                    && (0..3).all(|side| !is_hollow(mesh, t, side, corners, p, reach));
            }
        });
        counts.then_some(wedge)
    }

    fn of_box(solid: &Cuboid, p: Vec3, reach: Real) -> Self {
        let h = solid.half_extents();
        let mut wedge = Self::default();
        for (axis, way) in Vec3::AXES.into_iter().flat_map(|axis| [(axis, 1.0), (axis, -1.0)]) {
            let foot = p.clamp(-h, h) * (Vec3::ONE - axis) + h * axis * way;
            if (p - foot).length() <= reach {
                wedge.faces.push(Face { normal: axis * way, height: (axis * way).dot(p) - axis.dot(h) });
            }
        }
        wedge
    }

    fn of_polyhedron(solid: &ConvexPolyhedron, p: Vec3, reach: Real) -> Option<Self> {
        let mut wedge = Self::default();
        for f in 0..solid.face_count() {
            let (normal, d) = solid.face_plane(f);
            let height = normal.dot(p) - d;
            if height.abs() <= reach && (on_face(solid, f, normal, p - normal * height) - p).length() <= reach {
                wedge.add(Face { normal, height }).then_some(())?;
            }
        }
        Some(wedge)
    }

    /// Adds a face unless it lies in the plane of another; returns whether there was room for it.
    fn add(&mut self, face: Face) -> bool {
        if self.faces.iter().all(|f| f.normal.dot(face.normal) < ONE_FACE) {
            if self.faces.len() == MOST {
                return false;
            }
            self.faces.push(face);
        }
        true
    }

    /// Its normals in another frame.
    pub(crate) fn turned(mut self, turn: impl Fn(Vec3) -> Vec3) -> Self {
        for f in &mut self.faces {
            f.normal = turn(f.normal);
        }
        self
    }

    /// Returns true if it has a face whose normal deviates from a direction by more than the angle of this cosine.
    pub(crate) fn turns_from(&self, direction: Vec3, cosine: Real) -> bool {
        self.faces.iter().any(|f| f.normal.dot(direction) < cosine)
    }

    /// Heights of the point above the wedge along a direction (m), one for each set of one, two or three faces whose normals
    /// combine to the direction.
    fn heights_along(&self, direction: Vec3) -> impl Iterator<Item = Real> {
        let faces = || self.faces.iter().enumerate();
        let before = |i: usize| self.faces[..i].iter().enumerate();
        let one = faces().filter(move |(_, f)| (f.normal - direction).length() <= LEAN).map(|(_, f)| f.height);
        let two = faces().flat_map(move |(i, f)| {
            before(i).filter_map(move |(_, g)| {
                between(f.normal, g.normal, direction).map(|[s, t]| s * f.height + t * g.height)
            })
        });
        let three = faces().flat_map(move |(i, f)| {
            before(i).flat_map(move |(j, g)| {
                before(j).filter_map(move |(_, k)| {
                    let [s, t, u] = within(f.normal, g.normal, k.normal, direction)?;
                    Some(s * f.height + t * g.height + u * k.height)
                })
            })
        });
        one.chain(two).chain(three)
    }

    /// Returns true if a direction is one of its normals.
    fn has_normal(&self, direction: Vec3) -> bool {
        self.heights_along(direction).next().is_some()
    }

    /// Height of the point above the wedge along one of its normals: the greatest of these heights; `None` if the
    /// direction is not a normal.
    fn along(&self, normal: Vec3) -> Option<Touch> {
        self.heights_along(normal).reduce(Real::max).map(|separation| Touch { normal, separation })
    }

    /// The normal that the wedge shares with the shape touching it at the point, whose outward faces are those of `other`. Of all
    /// such normals it is the one with the greatest separation, so that the way along it to mere touch is the shortest.
    /// `preferred` is tried as well. `None` if they have no normal in common.
    ///
    /// # Source
    /// K-04 and K-05 (Baraff 1989): faces of the one, faces of the other, and directions perpendicular to an edge of each.
    /// Differs in: if several qualify, the least depth decides, as in the separating-axis test (J-20).
    pub(crate) fn touch(&self, other: &Self, preferred: Vec3) -> Option<Touch> {
        let mut best: Option<Touch> = None;
        let mut take = |touch: Touch| {
            if best.is_none_or(|b| touch.separation > b.separation) {
                best = Some(touch);
            }
        };
        for f in self.faces.iter().filter(|f| other.has_normal(-f.normal)) {
            take(Touch { normal: f.normal, separation: f.height });
        }
        other.faces.iter().filter_map(|f| self.along(-f.normal)).for_each(&mut take);
        let across = other.edges();
        for e in self.edges() {
            across.iter().filter_map(|c| e.crossing(c)).for_each(&mut take);
        }
        if let Some(touch) = self.along(preferred).filter(|_| other.has_normal(-preferred)) {
            take(touch);
        }
        best
    }

    /// The edges where two of its faces meet, or would meet if extended.
    fn edges(&self) -> SmallVec<[Edge; 6]> {
        let mut edges = SmallVec::new();
        for (i, f) in self.faces.iter().enumerate() {
            for g in &self.faces[..i] {
                if let Some(along) = f.normal.cross(g.normal).try_normalize() {
                    edges.push(Edge { faces: [*f, *g], along });
                }
            }
        }
        edges
    }

    /// Displacement along the surface that takes the foot of the point, `touch` below it, onto the wedge, if it is
    /// beside it (m).
    pub(crate) fn way_onto(&self, touch: &Touch) -> Vec3 {
        let mut way = Vec3::ZERO;
        for f in &self.faces {
            let beside = f.height - touch.separation * f.normal.dot(touch.normal) + f.normal.dot(way);
            let along = f.normal - touch.normal * f.normal.dot(touch.normal);
            if beside > 0.0 && along.length() > 0.1 {
                way -= along * (beside / along.length_squared());
            }
        }
        way
    }
}

/// Two faces and the direction in which they meet.
#[derive(Debug, Clone, Copy)]
struct Edge {
    faces: [Face; 2],
    along: Vec3,
}

impl Edge {
    /// The normal perpendicular to this edge and to another that crosses it, if both have that normal.
    fn crossing(&self, other: &Self) -> Option<Touch> {
        let across = self.along.cross(other.along);
        let square = across.length_squared();
        if square <= BESIDE * BESIDE {
            return None;
        }
        let [f, g] = self.faces;
        let way = if across.dot(f.normal + g.normal) < 0.0 { -1.0 } else { 1.0 };
        let normal = across * (way / square.sqrt());
        let [s, t] = between(f.normal, g.normal, normal)?;
        between(other.faces[0].normal, other.faces[1].normal, -normal)?;
        Some(Touch { normal, separation: s * f.height + t * g.height })
    }
}

/// Returns true if an edge of a triangle within reach of a point is concave, or has no triangle on the other side.
fn is_hollow(mesh: &MeshShape, triangle: usize, side: usize, corners: [Vec3; 3], p: Vec3, reach: Real) -> bool {
    let (a, b) = (corners[side], corners[(side + 1) % 3]);
    let along = b - a;
    let bends = mesh.topology().across(triangle, side).is_none_or(|other| {
        let (m, n) = (mesh.normals().face(triangle), mesh.normals().face(other));
        m.cross(n).dot(along) < -LEAN * along.length()
    });
    bends && {
        let t = ((p - a).dot(along) / along.length_squared().max(Real::MIN_POSITIVE)).clamp(0.0, 1.0);
        (p - a - along * t).length() <= reach
    }
}

/// The weights of two directions that combine to a third one lying between them.
fn between(a: Vec3, b: Vec3, direction: Vec3) -> Option<[Real; 2]> {
    let c = a.dot(b);
    let square = 1.0 - c * c;
    if square < LEAN * LEAN {
        return None;
    }
    let (x, y) = (a.dot(direction), b.dot(direction));
    let (s, t) = ((x - c * y) / square, (y - c * x) / square);
    (s.min(t) >= -LEAN && (a * s + b * t - direction).length() <= LEAN).then_some([s, t])
}

/// The same of three directions.
fn within(a: Vec3, b: Vec3, c: Vec3, direction: Vec3) -> Option<[Real; 3]> {
    let volume = a.dot(b.cross(c));
    if volume.abs() < LEAN {
        return None;
    }
    let parts = [direction.dot(b.cross(c)), direction.dot(c.cross(a)), direction.dot(a.cross(b))].map(|x| x / volume);
    (parts.into_iter().fold(Real::INFINITY, Real::min) >= -LEAN).then_some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wedge(faces: &[(Vec3, Real)]) -> Wedge {
        let faces = faces.iter().map(|&(n, height)| Face { normal: n.normalize(), height }).collect();
        Wedge { faces }
    }

    fn faces(normals: [Vec3; 3]) -> Wedge {
        wedge(&normals.map(|n| (n, 0.0)))
    }

    #[test]
    fn corners_touch_along_what_both_have() {
        // the upper corner of a box, and the lower corner of another on top of it, a hundredth deep
        let upper = wedge(&[(Vec3::X, 0.0), (Vec3::Y, -0.01), (Vec3::Z, 0.0)]);
        let on_it = faces([Vec3::X, Vec3::NEG_Y, Vec3::Z]);
        let touch = upper.touch(&on_it, Vec3::X).unwrap();
        assert_eq!(touch, Touch { normal: Vec3::Y, separation: -0.01 });
        // one beside it instead, on two sides: the way out is through the nearer face
        let beside = faces([Vec3::NEG_X, Vec3::NEG_Y, Vec3::Z]);
        assert_eq!(upper.touch(&beside, Vec3::Y).unwrap().normal, Vec3::X);
        // and one that faces the same way has nothing in common with it
        assert_eq!(upper.touch(&faces([Vec3::X, Vec3::Y, Vec3::Z]), Vec3::Z), None);
    }

    #[test]
    fn apart_the_way_to_the_corner_is_the_longest_gap() {
        // the opposite corners of two boxes, (3, 4, 12) apart
        let lower = wedge(&[(Vec3::X, 3.0), (Vec3::Y, 4.0), (Vec3::Z, 12.0)]);
        let upper = faces([Vec3::NEG_X, Vec3::NEG_Y, Vec3::NEG_Z]);
        let way = Vec3::new(3.0, 4.0, 12.0) / 13.0;
        let touch = lower.touch(&upper, way).unwrap();
        assert!((touch.separation - 13.0).abs() < 1e-12 && touch.normal == way, "{touch:?}");
        assert!(lower.way_onto(&touch).length() < 1e-12);
    }

    #[test]
    fn edges_touch_square_to_both() {
        let (left, right) = (Vec3::new(-1.0, 1.0, 0.0), Vec3::new(1.0, 1.0, 0.0));
        for turn in [0.3, 1.0, 1.5] {
            let across = Vec3::new(Real::cos(turn), 0.0, Real::sin(turn));
            let ridge = wedge(&[(left, -0.1), (right, -0.1)]);
            let other = wedge(&[(across - Vec3::Y, 0.0), (-across - Vec3::Y, 0.0)]);
            let touch = ridge.touch(&other, right.normalize()).unwrap();
            assert!((touch.normal - Vec3::Y).length() < 1e-12, "{turn}: {touch:?}");
            // a tenth below either face is a tenth times the root of two below the ridge
            assert!((touch.separation + 0.1 * Real::sqrt(2.0)).abs() < 1e-12, "{turn}: {touch:?}");
        }
    }

    #[test]
    fn a_point_beside_a_face_is_moved_onto_it() {
        let rim = wedge(&[(Vec3::Y, -0.01), (Vec3::X, 0.002)]);
        let touch = rim.touch(&faces([Vec3::X, Vec3::NEG_Y, Vec3::Z]), Vec3::X).unwrap();
        assert_eq!(touch, Touch { normal: Vec3::Y, separation: -0.01 });
        assert!((rim.way_onto(&touch) + Vec3::X * 0.002).length() < 1e-15);
    }
}
