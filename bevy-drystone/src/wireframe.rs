use drystone::geometry::{Aabb, Shape};
use drystone::math::{Pose, Vec3, tangent_basis};
use std::f64::consts::TAU;

/// Sides of the polygon that stands for a circle.
const SIDES: u32 = 24;
/// Half the edge of the square that stands for a plane (m).
const PLANE_REACH: f64 = 10.0;

/// A shape as lines (m), in its frame: edges of what has some, circles and outlines of what is round, a grid for a plane.
pub fn wireframe(shape: &Shape) -> Vec<[Vec3; 2]> {
    let mut lines = Lines { pose: Pose::IDENTITY, lines: Vec::new() };
    lines.add(shape);
    lines.lines
}

struct Lines {
    pose: Pose,
    lines: Vec<[Vec3; 2]>,
}

impl Lines {
    fn add(&mut self, shape: &Shape) {
        match shape {
            Shape::Sphere(s) => self.sphere(s.radius()),
            Shape::Capsule(c) => self.capsule(c.radius(), Vec3::Y * c.half_height()),
            Shape::Cylinder(c) => self.cylinder(c.radius(), Vec3::Y * c.half_height()),
            Shape::Cone(c) => self.cone(c.radius(), Vec3::Y * c.half_height()),
            Shape::Box(b) => self.cuboid(&Aabb { min: -b.half_extents(), max: b.half_extents() }),
            Shape::Plane(p) => self.grid(p.normal() * p.offset(), p.normal()),
            Shape::Convex(hull) => self.edges(hull.vertices(), hull.edges()),
            Shape::Mesh(mesh) => self.edges(mesh.mesh().vertices(), mesh.topology().edges()),
            Shape::Compound(compound) => {
                let outer = self.pose;
                for (part, pose) in compound.parts() {
                    self.pose = outer * *pose;
                    self.add(part);
                }
                self.pose = outer;
            }
            // a shape that came later: the box around it
            _ => self.cuboid(&shape.aabb(&Pose::IDENTITY)),
        }
    }

    fn sphere(&mut self, r: f64) {
        for [a, b] in [[Vec3::X, Vec3::Y], [Vec3::Y, Vec3::Z], [Vec3::Z, Vec3::X]] {
            self.arc(Vec3::ZERO, a * r, b * r, TAU);
        }
    }

    /// About y, its balls' centres at `h` and `-h`.
    fn capsule(&mut self, r: f64, h: Vec3) {
        self.ring(r, h);
        self.ring(r, -h);
        for side in [Vec3::X, Vec3::Z] {
            self.arc(h, side * r, Vec3::Y * r, TAU / 2.0);
            self.arc(-h, side * r, Vec3::Y * -r, TAU / 2.0);
            self.line(side * r - h, side * r + h);
            self.line(side * -r - h, side * -r + h);
        }
    }

    /// About y, its faces' centres at `h` and `-h`.
    fn cylinder(&mut self, r: f64, h: Vec3) {
        self.ring(r, h);
        self.ring(r, -h);
        for side in [Vec3::X, Vec3::Z, -Vec3::X, -Vec3::Z] {
            self.line(side * r - h, side * r + h);
        }
    }

    /// About y, its apex at `h`.
    fn cone(&mut self, r: f64, h: Vec3) {
        self.ring(r, -h);
        for side in [Vec3::X, Vec3::Z, -Vec3::X, -Vec3::Z] {
            self.line(side * r - h, h);
        }
    }

    /// A grid that stands for a plane.
    fn grid(&mut self, center: Vec3, normal: Vec3) {
        let (a, b) = tangent_basis(normal);
        for i in -5..=5 {
            let at = f64::from(i) / 5.0 * PLANE_REACH;
            for [along, across] in [[a, b], [b, a]] {
                let middle = center + across * at;
                self.line(middle - along * PLANE_REACH, middle + along * PLANE_REACH);
            }
        }
    }

    fn edges(&mut self, corners: &[Vec3], edges: &[[u32; 2]]) {
        for &[a, b] in edges {
            self.line(corners[a as usize], corners[b as usize]);
        }
    }

    fn cuboid(&mut self, bounds: &Aabb) {
        let ends = [bounds.min, bounds.max];
        let corner = |i: usize| Vec3::new(ends[i & 1].x, ends[i >> 1 & 1].y, ends[i >> 2 & 1].z);
        for i in 0..8 {
            for bit in [1, 2, 4] {
                if i & bit == 0 {
                    self.line(corner(i), corner(i | bit));
                }
            }
        }
    }

    fn line(&mut self, from: Vec3, to: Vec3) {
        self.lines.push([self.pose.point(from), self.pose.point(to)]);
    }

    /// A circle about y at a height.
    fn ring(&mut self, radius: f64, height: Vec3) {
        self.arc(height, Vec3::X * radius, Vec3::Z * radius, TAU);
    }

    fn arc(&mut self, center: Vec3, a: Vec3, b: Vec3, angle: f64) {
        let at = |i: u32| {
            let (sin, cos) = (angle * f64::from(i) / f64::from(SIDES)).sin_cos();
            center + a * cos + b * sin
        };
        for i in 0..SIDES {
            self.line(at(i), at(i + 1));
        }
    }
}
