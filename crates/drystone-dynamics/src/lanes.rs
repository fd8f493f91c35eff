use core::ops::{Add, AddAssign, Neg, Sub};
use drystone_math::{Real, Vec3};

/// A vector of three reals in four lanes, the last of which is zero: one register if the processor has wide ones.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(align(32))]
pub(crate) struct Lanes([Real; 4]);

impl Lanes {
    pub(crate) const ZERO: Self = Self([0.0; 4]);

    #[inline(always)]
    pub(crate) fn to_vec3(self) -> Vec3 {
        Vec3::new(self.0[0], self.0[1], self.0[2])
    }

    #[inline(always)]
    pub(crate) fn scaled(self, s: Real) -> Self {
        Self([self.0[0] * s, self.0[1] * s, self.0[2] * s, self.0[3] * s])
    }

    #[inline(always)]
    pub(crate) fn dot(self, o: Self) -> Real {
        let p = [self.0[0] * o.0[0], self.0[1] * o.0[1], self.0[2] * o.0[2], self.0[3] * o.0[3]];
        (p[0] + p[2]) + (p[1] + p[3])
    }

    #[inline(always)]
    pub(crate) fn cross(self, o: Self) -> Self {
        // (a x b) = rot(a * rot(b) - rot(a) * b) with rot(x, y, z) = (y, z, x)
        let rot = |v: [Real; 4]| [v[1], v[2], v[0], v[3]];
        let (ra, rb) = (rot(self.0), rot(o.0));
        let mut m = [0.0; 4];
        for k in 0..4 {
            m[k] = self.0[k] * rb[k] - ra[k] * o.0[k];
        }
        Self(rot(m))
    }

    /// The matrix of the given columns times this vector.
    #[inline(always)]
    pub(crate) fn through(self, columns: &[Self; 3]) -> Self {
        (columns[0].scaled(self.0[0]) + columns[1].scaled(self.0[1])) + columns[2].scaled(self.0[2])
    }
}

impl From<Vec3> for Lanes {
    #[inline(always)]
    fn from(v: Vec3) -> Self {
        Self([v.x, v.y, v.z, 0.0])
    }
}

impl Add for Lanes {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self([self.0[0] + o.0[0], self.0[1] + o.0[1], self.0[2] + o.0[2], self.0[3] + o.0[3]])
    }
}

impl AddAssign for Lanes {
    #[inline(always)]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}

impl Sub for Lanes {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self([self.0[0] - o.0[0], self.0[1] - o.0[1], self.0[2] - o.0[2], self.0[3] - o.0[3]])
    }
}

impl Neg for Lanes {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self([-self.0[0], -self.0[1], -self.0[2], -self.0[3]])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_math::SymmetricMat3;

    #[test]
    fn agrees_with_vectors_of_three() {
        let (a, b) = (Vec3::new(1.0, -2.0, 3.0), Vec3::new(0.5, 4.0, -1.0));
        let (la, lb) = (Lanes::from(a), Lanes::from(b));
        assert_eq!(la.cross(lb).to_vec3(), a.cross(b));
        assert_eq!(la.dot(lb), a.dot(b));
        assert_eq!((la + lb.scaled(2.0) - -la).to_vec3(), a + b * 2.0 + a);
        let m = SymmetricMat3 { diagonal: Vec3::new(2.0, 3.0, 4.0), off_diagonal: Vec3::new(0.5, -0.25, 0.125) };
        let columns = m.to_mat3();
        let columns = [columns.x_axis, columns.y_axis, columns.z_axis].map(Lanes::from);
        assert_eq!(la.through(&columns).to_vec3(), m.mul_vec(a));
    }
}
