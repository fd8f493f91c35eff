//! Numbers, vectors and rotations of four bodies side by side: one register each if the processor has wide ones.
//!
//! Each operation does to every body what the types of `drystone-math` do to one, in the same order: the bits are the same.

use core::ops::{Add, Mul, Neg, Sub};
use drystone_math::{Quat, Real, SymmetricMat3, Vec3};

/// Number of bodies.
pub(crate) const FOUR: usize = 4;

/// One number per body.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(align(32))]
pub(crate) struct Four(pub(crate) [Real; FOUR]);

/// One vector per body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Vectors([Four; 3]);

/// One rotation per body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rotations {
    axis: Vectors,
    w: Four,
}

/// One symmetric matrix per body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Symmetric {
    diagonal: Vectors,
    off_diagonal: Vectors,
}

impl Four {
    #[inline(always)]
    pub(crate) fn all(of: Real) -> Self {
        Self([of; FOUR])
    }

    #[inline(always)]
    fn each(self, f: impl Fn(Real) -> Real) -> Self {
        let [a, b, c, d] = self.0;
        Self([f(a), f(b), f(c), f(d)])
    }

    #[inline(always)]
    fn with(self, o: Self, f: impl Fn(Real, Real) -> Real) -> Self {
        Self([f(self.0[0], o.0[0]), f(self.0[1], o.0[1]), f(self.0[2], o.0[2]), f(self.0[3], o.0[3])])
    }
}

impl Add for Four {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        self.with(o, |a, b| a + b)
    }
}

impl Sub for Four {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        self.with(o, |a, b| a - b)
    }
}

impl Mul for Four {
    type Output = Self;
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        self.with(o, |a, b| a * b)
    }
}

impl Neg for Four {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.each(|a| -a)
    }
}

impl Vectors {
    #[inline(always)]
    pub(crate) fn of([a, b, c, d]: [Vec3; FOUR]) -> Self {
        Self([Four([a.x, b.x, c.x, d.x]), Four([a.y, b.y, c.y, d.y]), Four([a.z, b.z, c.z, d.z])])
    }

    /// The vector of one body.
    #[inline(always)]
    pub(crate) fn get(&self, k: usize) -> Vec3 {
        let [x, y, z] = &self.0;
        Vec3::new(x.0[k], y.0[k], z.0[k])
    }

    #[inline(always)]
    pub(crate) fn set(&mut self, k: usize, to: Vec3) {
        let [x, y, z] = &mut self.0;
        (x.0[k], y.0[k], z.0[k]) = (to.x, to.y, to.z);
    }

    #[inline(always)]
    pub(crate) fn scaled(self, by: Four) -> Self {
        let [x, y, z] = self.0;
        Self([x * by, y * by, z * by])
    }

    #[inline(always)]
    fn dot(self, o: Self) -> Four {
        self.0[0] * o.0[0] + self.0[1] * o.0[1] + self.0[2] * o.0[2]
    }

    #[inline(always)]
    pub(crate) fn length(self) -> Four {
        self.dot(self).each(Real::sqrt)
    }

    #[inline(always)]
    pub(crate) fn cross(self, o: Self) -> Self {
        let ([x, y, z], [p, q, r]) = (self.0, o.0);
        Self([y * r - q * z, z * p - r * x, x * q - p * y])
    }
}

impl Add for Vectors {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self([self.0[0] + o.0[0], self.0[1] + o.0[1], self.0[2] + o.0[2]])
    }
}

impl Symmetric {
    #[inline(always)]
    pub(crate) fn of([a, b, c, d]: [&SymmetricMat3; FOUR]) -> Self {
        Self {
            diagonal: Vectors::of([a.diagonal, b.diagonal, c.diagonal, d.diagonal]),
            off_diagonal: Vectors::of([a.off_diagonal, b.off_diagonal, c.off_diagonal, d.off_diagonal]),
        }
    }

    /// The matrices times vectors.
    #[inline(always)]
    pub(crate) fn through(&self, v: Vectors) -> Vectors {
        let (Vectors([a, b, c]), Vectors([p, q, r])) = (self.diagonal, self.off_diagonal);
        let Vectors([x, y, z]) = v;
        Vectors([a * x + r * y + q * z, r * x + b * y + p * z, q * x + p * y + c * z])
    }
}

impl Rotations {
    #[inline(always)]
    pub(crate) fn of([a, b, c, d]: [Quat; FOUR]) -> Self {
        Self { axis: Vectors::of([a.xyz(), b.xyz(), c.xyz(), d.xyz()]), w: Four([a.w, b.w, c.w, d.w]) }
    }

    /// The rotation of one body.
    #[inline(always)]
    pub(crate) fn get(&self, k: usize) -> Quat {
        let v = self.axis.get(k);
        Quat::from_xyzw(v.x, v.y, v.z, self.w.0[k])
    }

    #[inline(always)]
    pub(crate) fn set(&mut self, k: usize, to: Quat) {
        self.axis.set(k, to.xyz());
        self.w.0[k] = to.w;
    }

    /// Vectors in world axes, from those in body axes.
    #[inline(always)]
    pub(crate) fn to_world(self, v: Vectors) -> Vectors {
        let (b, w, two) = (self.axis, self.w, Four::all(2.0));
        v.scaled(w * w - b.dot(b)) + b.scaled(v.dot(b) * two) + b.cross(v).scaled(w * two)
    }

    /// Vectors in body axes, from those in world axes.
    #[inline(always)]
    pub(crate) fn to_body(self, v: Vectors) -> Vectors {
        let Vectors([x, y, z]) = self.axis;
        Self { axis: Vectors([-x, -y, -z]), w: self.w }.to_world(v)
    }

    /// The rotations followed, in body axes, by those of the quaternions `(v, 1)`; of unit length.
    #[inline(always)]
    pub(crate) fn followed_by(self, v: Vectors) -> Self {
        let (Vectors([x, y, z]), w) = (self.axis, self.w);
        let (Vectors([p, q, r]), one) = (v, Four::all(1.0));
        let turned = [
            w * p + x * one + y * r - z * q,
            w * q - x * r + y * one + z * p,
            w * r + x * q - y * p + z * one,
            w * one - x * p - y * q - z * r,
        ];
        let [x, y, z, w] = turned;
        let inverse = (x * x + y * y + z * z + w * w).each(|square| square.sqrt().recip());
        Self { axis: Vectors([x, y, z]).scaled(inverse), w: w * inverse }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_body_has_the_bits_that_it_has_alone() {
        let angle = |k: usize| 0.3 + k as Real;
        let q: [Quat; FOUR] =
            core::array::from_fn(|k| Quat::from_rotation_y(angle(k)) * Quat::from_rotation_x(2.0 * angle(k)));
        let v: [Vec3; FOUR] = core::array::from_fn(|k| Vec3::new(1.0 / angle(k), -2.0, angle(k)));
        let m: [SymmetricMat3; FOUR] = core::array::from_fn(|k| SymmetricMat3::from_diagonal(v[k].abs()).rotated(q[k]));
        let (rotations, vectors, matrices) = (Rotations::of(q), Vectors::of(v), Symmetric::of(m.each_ref()));
        let unit = Quat::from_xyzw(v[0].x, v[0].y, v[0].z, 1.0);
        let mut changed = rotations;
        changed.set(2, unit);
        for k in 0..FOUR {
            assert_eq!(rotations.to_world(vectors).get(k), q[k] * v[k]);
            assert_eq!(rotations.to_body(vectors).get(k), q[k].conjugate() * v[k]);
            assert_eq!(matrices.through(vectors).get(k), m[k].mul_vec(v[k]));
            assert_eq!(matrices.through(vectors).cross(vectors).get(k), m[k].mul_vec(v[k]).cross(v[k]));
            let sum = vectors + matrices.through(vectors);
            assert_eq!(sum.get(k), v[k] + m[k].mul_vec(v[k]));
            assert_eq!(sum.length().0[k], sum.get(k).length());
            let next = (q[k] * Quat::from_xyzw(v[k].x, v[k].y, v[k].z, 1.0)).normalize();
            assert_eq!(rotations.followed_by(vectors).get(k), next);
            assert_eq!(changed.get(k), if k == 2 { unit } else { q[k] });
        }
    }
}
