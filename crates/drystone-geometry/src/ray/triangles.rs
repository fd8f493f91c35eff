use super::{Ray, RayHit};
use crate::Aabb;
use crate::bvh::Branch;
use crate::mesh::MeshShape;
use drystone_math::{Real, Vec3};
use smallvec::SmallVec;

/// The first triangle that a ray meets; t = 0 inside a watertight mesh.
pub(super) fn cast(mesh: &MeshShape, ray: &Ray) -> Option<RayHit> {
    let bounds = |node: usize| {
        let b = mesh.tree().volume(node);
        Aabb::new(b.min, b.max)
    };
    let speed = ray.direction.length();
    let solid = mesh.report().is_watertight();
    let root = bounds(0);
    if solid && root.contains(&Aabb::new(ray.origin, ray.origin)) {
        let inside = mesh.distance(ray.origin, Real::INFINITY).is_some_and(|d| d.distance <= 0.0);
        if inside {
            return (ray.length >= 0.0).then_some(RayHit { t: 0.0, normal: -ray.direction / speed });
        }
    }
    let lines = Sheared::new(ray)?;
    let mut best: Option<(Real, usize)> = None;
    let mut stack = SmallVec::<[(Real, usize); 64]>::new();
    stack.extend(ray.entry(&grown(&root)).map(|t| (t, 0)));
    while let Some((entry, node)) = stack.pop() {
        if best.is_some_and(|(t, _)| entry > t) {
            continue;
        }
        match mesh.tree().branch(node) {
            Branch::Leaf(triangle) => {
                if let Some(t) = lines.meets(mesh.mesh().corners(triangle))
                    && t <= ray.length
                    && best.is_none_or(|b| (t, triangle) < b)
                {
                    best = Some((t, triangle));
                }
            }
            Branch::Split(l, r) => {
                let at = |n: usize| ray.entry(&grown(&bounds(n))).map(|t| (t, n));
                let mut children = [at(l), at(r)];
                // the nearer one on top
                if let [Some((x, _)), Some((y, _))] = children
                    && x < y
                {
                    children.swap(0, 1);
                }
                stack.extend(children.into_iter().flatten());
            }
        }
    }
    let (t, triangle) = best?;
    let normal = mesh.normals().face(triangle);
    let facing = if !solid && normal.dot(ray.direction) > 0.0 { -normal } else { normal };
    Some(RayHit { t, normal: facing })
}

/// A box enlarged to allow for the rounding of its test; the exact test is the triangle's.
fn grown(b: &Aabb) -> Aabb {
    b.grown(1e-13 * b.min.abs().max(b.max.abs()).max_element())
}

/// A ray in a sheared frame in which it runs along the last axis. Signs of areas alone decide what it meets; two triangles with a
/// common edge compute them identically, so no ray slips through between them.
///
/// # Source
/// Woop, Benthin and Wald 2013, Watertight ray/triangle intersection.
struct Sheared {
    origin: Vec3,
    /// Which axis becomes the last one, and the others.
    axes: [usize; 3],
    shear: [Real; 2],
    inverse: Real,
}

impl Sheared {
    fn new(ray: &Ray) -> Option<Self> {
        let d = ray.direction;
        let a = d.abs();
        let z = if a.x >= a.y && a.x >= a.z { 0 } else { 1 + usize::from(a.z > a.y) };
        let (x, y) = ((z + 1) % 3, (z + 2) % 3);
        (d[z] != 0.0).then(|| Self {
            origin: ray.origin,
            axes: [x, y, z],
            shear: [d[x] / d[z], d[y] / d[z]],
            inverse: 1.0 / d[z],
        })
    }

    /// The t at which the ray meets a triangle, from either side; `None` if it misses the triangle or lies in its
    /// plane.
    fn meets(&self, corners: [Vec3; 3]) -> Option<Real> {
        let [kx, ky, kz] = self.axes;
        let p = corners.map(|c| c - self.origin);
        let x = p.map(|q| q[kx] - self.shear[0] * q[kz]);
        let y = p.map(|q| q[ky] - self.shear[1] * q[kz]);
        let area = |i: usize, j: usize| x[i] * y[j] - y[i] * x[j];
        let [u, v, w] = [area(2, 1), area(0, 2), area(1, 0)];
        let (below, above) = (u < 0.0 || v < 0.0 || w < 0.0, u > 0.0 || v > 0.0 || w > 0.0);
        let sum = u + v + w;
        if (below && above) || sum == 0.0 {
            return None;
        }
        let t = (u * p[0][kz] + v * p[1][kz] + w * p[2][kz]) / sum * self.inverse;
        (t >= 0.0).then_some(t)
    }
}
