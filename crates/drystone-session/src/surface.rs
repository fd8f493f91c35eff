use drystone_geometry::Shape;
use drystone_math::elementary::{cos, sin};
use drystone_math::{Pose, Vec3, tangent_basis};
use std::f64::consts::TAU;

/// Number of sectors of a round surface.
const SECTORS: u32 = 24;
/// Half the edge of the square that stands for a plane (m).
const PLANE_REACH: f64 = 50.0;

/// Triangles that show a body, in its frame.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Surface {
    /// Corners (m).
    pub positions: Vec<[f32; 3]>,
    /// Counterclockwise from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl Surface {
    /// The surface of a shape: round ones with 24 sectors, a plane as a square of 100 m around the point nearest to the origin.
    pub fn of(shape: &Shape) -> Self {
        let mut surface = Self::default();
        surface.add(shape, &Pose::IDENTITY);
        surface
    }

    fn add(&mut self, shape: &Shape, pose: &Pose) {
        match shape {
            Shape::Sphere(s) => self.turned(pose, &arc(s.radius(), 0.0, -1.0, 1.0)),
            Shape::Capsule(c) => {
                let (r, h) = (c.radius(), c.half_height());
                let mut profile = arc(r, -h, -1.0, 0.0);
                profile.extend(arc(r, h, 0.0, 1.0));
                self.turned(pose, &profile);
            }
            Shape::Cylinder(c) => {
                let (r, h) = (c.radius(), c.half_height());
                self.turned(pose, &[[0.0, -h], [r, -h], [r, h], [0.0, h]]);
            }
            Shape::Cone(c) => {
                let (r, h) = (c.radius(), c.half_height());
                self.turned(pose, &[[0.0, -h], [r, -h], [0.0, h]]);
            }
            Shape::Box(b) => {
                let e = b.half_extents();
                let corner = |i: u32| {
                    let side = |bit: u32| if i & bit == 0 { -1.0 } else { 1.0 };
                    e * Vec3::new(side(1), side(2), side(4))
                };
                let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
                let triangles = quads.iter().flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]);
                self.append(pose, (0..8).map(corner), triangles);
            }
            Shape::Plane(p) => {
                let (n, center) = (p.normal(), p.normal() * p.offset());
                let (t1, t2) = tangent_basis(n);
                let corner = |(a, b): (f64, f64)| center + (t1 * a + t2 * b) * PLANE_REACH;
                let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(corner);
                self.append(pose, corners, [[0, 1, 2], [0, 2, 3]]);
            }
            Shape::Convex(c) => {
                let fan = |face: usize| {
                    let corners = c.face_corners(face);
                    (1..corners.len().saturating_sub(1)).map(move |i| [corners[0], corners[i], corners[i + 1]])
                };
                self.append(pose, c.vertices().iter().copied(), (0..c.face_count()).flat_map(fan));
            }
            Shape::Mesh(m) => {
                self.append(pose, m.mesh().vertices().iter().copied(), m.mesh().triangles().iter().copied());
            }
            Shape::Compound(c) => {
                for (part, place) in c.parts() {
                    let at = Pose::new(pose.point(place.position), pose.orientation * place.orientation);
                    self.add(part, &at);
                }
            }
            // shapes that are new in the geometry crate have no picture yet
            _ => {}
        }
    }

    fn append(
        &mut self,
        pose: &Pose,
        corners: impl IntoIterator<Item = Vec3>,
        triangles: impl IntoIterator<Item = [u32; 3]>,
    ) {
        let first = self.positions.len() as u32;
        self.positions.extend(corners.into_iter().map(|c| pose.point(c).to_array().map(|v| v as f32)));
        self.triangles.extend(triangles.into_iter().map(|t| t.map(|i| first + i)));
    }

    /// The surface swept by a profile of (radius, height), listed from below, when turned about y.
    fn turned(&mut self, pose: &Pose, profile: &[[f64; 2]]) {
        let around = |i: u32| {
            let angle = TAU * f64::from(i) / f64::from(SECTORS);
            move |&[r, y]: &[f64; 2]| Vec3::new(r * cos(angle), y, r * sin(angle))
        };
        let n = profile.len() as u32;
        let corners = (0..SECTORS).flat_map(|i| profile.iter().map(around(i)).collect::<Vec<_>>());
        let quad = |i: u32, k: u32| {
            let (here, next) = (i * n + k, (i + 1) % SECTORS * n + k);
            [[here, here + 1, next + 1], [here, next + 1, next]]
        };
        let wide = |t: &[u32; 3]| t.iter().filter(|&&i| profile[(i % n) as usize][0] > 0.0).count() >= 2;
        let triangles = (0..SECTORS).flat_map(|i| (0..n - 1).flat_map(move |k| quad(i, k))).filter(wide);
        self.append(pose, corners, triangles);
    }
}

/// A profile's arc about (0, `center`), from the angle `from` to `to`, in quarter turns above the horizontal.
fn arc(radius: f64, center: f64, from: f64, to: f64) -> Vec<[f64; 2]> {
    const STEPS: u32 = 16;
    let point = |i: u32| {
        let quarter = from + (to - from) * f64::from(i) / f64::from(STEPS);
        // exactly on the axis at the poles, so that no sliver remains there
        let r = if quarter.abs() == 1.0 { 0.0 } else { radius * cos(quarter * TAU / 4.0) };
        [r, center + radius * sin(quarter * TAU / 4.0)]
    };
    (0..=STEPS).map(point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_geometry::TriangleMesh;

    /// Volumes by the divergence theorem: surfaces are closed, and face outwards everywhere.
    #[test]
    fn surfaces_are_closed_and_face_outwards() {
        let octahedron = [Vec3::X, Vec3::Y, Vec3::Z].map(|v| [v, -v]).concat();
        let shapes = [
            (Shape::sphere(1.0).unwrap(), 4.0 / 3.0 * TAU / 2.0),
            (Shape::cuboid(1.0, 2.0, 3.0).unwrap(), 48.0),
            (Shape::capsule(1.0, 2.0).unwrap(), (4.0 / 3.0 + 4.0) * TAU / 2.0),
            (Shape::cylinder(1.0, 1.0).unwrap(), TAU),
            (Shape::cone(1.0, 1.5).unwrap(), TAU / 2.0),
            (Shape::convex(&octahedron).unwrap(), 4.0 / 3.0),
        ];
        for (shape, volume) in shapes {
            let s = Surface::of(&shape);
            let corners = s.positions.iter().map(|p| Vec3::from_array(p.map(f64::from))).collect();
            let found = TriangleMesh::new(corners, s.triangles).unwrap().mass_properties(1.0).mass;
            assert!((found / volume - 1.0).abs() < 0.04, "{}: {found} against {volume}", shape.kind());
        }
    }
}
