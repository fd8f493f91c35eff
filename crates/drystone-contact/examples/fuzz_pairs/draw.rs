//! Random shapes of all kinds, and how they are placed.

use drystone_core::{NarrowPhase, PosedShape};
use drystone_geometry::{MeshShape, Shape, TriangleMesh};
use drystone_math::{Pose, Quat, Real, Vec3};
use drystone_narrow_phase::Combined;
use drystone_testkit::Random;

/// Number of kinds of shapes.
pub(crate) const KINDS: usize = 11;

/// Shapes that take long to make.
pub(crate) struct Scenery {
    stars: Vec<Shape>,
    terrains: Vec<Shape>,
    large_hulls: Vec<Shape>,
}

fn mesh(m: TriangleMesh) -> Shape {
    Shape::mesh(MeshShape::new(m, None).expect("a sound mesh"))
}

fn hull(random: &mut Random, count: usize, size: Real) -> Shape {
    let points: Vec<Vec3> = (0..count).map(|_| random.direction() * size * random.range(0.7, 1.0)).collect();
    Shape::convex(&points).expect("points all around")
}

impl Scenery {
    pub(crate) fn new() -> Self {
        let mut random = Random::new(1);
        let star = |k: u32| {
            // vertices pulled in and out
            let m = TriangleMesh::cuboid(Vec3::new(0.6, 0.5, 0.4), k + 1);
            let pulled = m.vertices().iter().enumerate().map(|(i, p)| *p * if i % 3 == 0 { 1.3 } else { 0.8 });
            mesh(TriangleMesh::new(pulled.collect(), m.triangles().to_vec()).expect("a sound mesh"))
        };
        let stars = (1..4).map(star).collect();
        let mut terrain = |_| {
            let n = 13;
            let rough = random.range(0.0, 0.15);
            let heights: Vec<Real> = (0..n * n).map(|_| random.range(0.0, rough)).collect();
            let field = TriangleMesh::height_field(n, &heights, 0.25, 1.0).expect("a grid");
            let moved = field.vertices().iter().map(|p| *p - Vec3::new(1.5, 0.0, 1.5)).collect();
            mesh(TriangleMesh::new(moved, field.triangles().to_vec()).expect("a sound mesh"))
        };
        let terrains = (0..4).map(&mut terrain).collect();
        let large_hulls = (0..4).map(|_| hull(&mut random, 200, 0.5)).collect();
        Self { stars, terrains, large_hulls }
    }

    /// A shape of the given kind.
    pub(crate) fn shape(&self, random: &mut Random, kind: usize) -> Shape {
        let [x, y, z] = [(); 3].map(|()| random.range(0.1, 0.6));
        let built = match kind {
            0 => Shape::sphere(x),
            1 => Shape::cuboid(x, y, z),
            2 => Shape::capsule(x, y),
            3 => Shape::cylinder(x, y),
            4 => Shape::cone(x, y),
            5 => Ok(hull(random, 12, x)),
            6 => Ok(self.large_hulls[random.below(self.large_hulls.len())].clone()),
            7 => Ok(mesh(TriangleMesh::cuboid(Vec3::new(x, y, z), 1 + random.below(3) as u32))),
            8 => {
                let all = [&self.stars[..], &self.terrains[..]].concat();
                Ok(all[random.below(all.len())].clone())
            }
            9 => {
                let part = |random: &mut Random| {
                    let kind = random.below(6);
                    (self.shape(random, kind), Pose::new(random.vector(0.5), random.rotation()))
                };
                Shape::compound((0..=random.below(5)).map(|_| part(random)).collect())
            }
            _ => Shape::plane(random.direction(), random.range(-0.5, 0.5)),
        };
        built.expect("sizes above zero")
    }
}

/// A turn: any, or by quarters with a slight lean, so that faces meet.
pub(crate) fn turn(random: &mut Random) -> Quat {
    if random.below(2) == 0 {
        return random.rotation();
    }
    let quarter = core::f64::consts::FRAC_PI_2;
    let lean = [0.0, 1e-9, 1e-6, 1e-3][random.below(4)];
    Quat::from_scaled_axis(random.vector(1.0) * lean)
        * Quat::from_rotation_y(random.range(0.0, 6.0))
        * Quat::from_rotation_x(quarter * random.below(4) as Real)
}

/// B brought to a random distance from A: most pairs nearly touch.
pub(crate) fn brought<'a>(random: &mut Random, a: PosedShape<'a>, mut b: PosedShape<'a>) -> PosedShape<'a> {
    let gap = match random.below(8) {
        0 => return b,
        1 => 0.0,
        2 => 1e-9,
        3 => -1e-9,
        4 => random.range(-0.05, 0.0),
        _ => random.range(-0.01, 0.02),
    };
    for _ in 0..30 {
        let Ok(p) = Combined.query(a, b, Real::INFINITY, &mut [0; 4], &mut Vec::new()) else { break };
        if (p.distance - gap).abs() < 1e-10 {
            break;
        }
        b.pose.position -= p.normal * (p.distance - gap);
    }
    b
}
