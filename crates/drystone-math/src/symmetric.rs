use crate::{Mat3, Quat, Real, Vec3};

/// A symmetric 3x3 matrix, six numbers: inertia tensors and their inverses.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SymmetricMat3 {
    /// Diagonal `(xx, yy, zz)`.
    pub diagonal: Vec3,
    /// Off-diagonal `(yz, xz, xy)`: entry k stands in the row and column other than k.
    pub off_diagonal: Vec3,
}

impl SymmetricMat3 {
    /// All entries zero: the inverse inertia of a body that does not turn.
    pub const ZERO: Self = Self { diagonal: Vec3::ZERO, off_diagonal: Vec3::ZERO };

    /// Returns true if it is a multiple of the identity. For an inertia: if all principal moments are equal, so that
    /// there is no gyroscopic torque.
    pub fn is_isotropic(&self) -> bool {
        let d = self.diagonal;
        self.off_diagonal == Vec3::ZERO && d.x == d.y && d.y == d.z
    }

    /// A diagonal matrix.
    #[inline]
    pub const fn from_diagonal(diagonal: Vec3) -> Self {
        Self { diagonal, off_diagonal: Vec3::ZERO }
    }

    /// The symmetric part of a full matrix.
    #[inline]
    pub fn from_mat3(m: &Mat3) -> Self {
        Self {
            diagonal: Vec3::new(m.x_axis.x, m.y_axis.y, m.z_axis.z),
            off_diagonal: Vec3::new(m.y_axis.z + m.z_axis.y, m.x_axis.z + m.z_axis.x, m.x_axis.y + m.y_axis.x) * 0.5,
        }
    }

    /// Converts to a full matrix.
    #[inline]
    pub fn to_mat3(&self) -> Mat3 {
        let (d, o) = (self.diagonal, self.off_diagonal);
        Mat3::from_cols(Vec3::new(d.x, o.z, o.y), Vec3::new(o.z, d.y, o.x), Vec3::new(o.y, o.x, d.z))
    }

    /// The matrix times a vector.
    #[inline]
    pub fn mul_vec(&self, v: Vec3) -> Vec3 {
        let (d, o) = (self.diagonal, self.off_diagonal);
        Vec3::new(
            d.x * v.x + o.z * v.y + o.y * v.z,
            o.z * v.x + d.y * v.y + o.x * v.z,
            o.y * v.x + o.x * v.y + d.z * v.z,
        )
    }

    /// `R S R^T`: the matrix expressed in the rotation's outer frame.
    #[must_use]
    #[inline(always)]
    pub fn rotated(&self, rotation: Quat) -> Self {
        if self.off_diagonal == Vec3::ZERO && self.diagonal.x == self.diagonal.y && self.diagonal.y == self.diagonal.z {
            return *self; // isotropic: a rotation changes nothing, not even by rounding
        }
        let r = Mat3::from_quat(rotation);
        Self::from_mat3(&(r * self.to_mat3() * r.transpose()))
    }

    /// The inverse, or `None` if the matrix is singular or not finite.
    #[inline]
    pub fn inverse(&self) -> Option<Self> {
        if self.off_diagonal == Vec3::ZERO {
            let d = self.diagonal;
            let regular = d.x != 0.0 && d.y != 0.0 && d.z != 0.0 && d.is_finite();
            return regular.then(|| Self::from_diagonal(d.recip()));
        }
        let m = self.to_mat3();
        let det = m.determinant();
        let scale = self.diagonal.abs().max_element();
        (det.is_finite() && det.abs() > 1e-14 * scale * scale * scale).then(|| Self::from_mat3(&m.inverse()))
    }

    /// The pseudoinverse (Moore and Penrose) of a matrix without negative eigenvalues: the inverse on its range, zero orthogonally to it, and
    /// zero for the zero matrix. For an inverse inertia it gives the inertia about the axes that a body can turn about.
    #[must_use]
    pub fn pseudo_inverse(&self) -> Self {
        if let Some(inverse) = self.inverse() {
            return inverse;
        }
        let trace = self.diagonal.element_sum();
        if trace <= 0.0 || !trace.is_finite() {
            return Self::ZERO;
        }
        // rank 2: the cofactors are u u^T, u along the null space; rank 1: they vanish
        let m = self.to_mat3() * trace.recip();
        let cofactors = [m.y_axis.cross(m.z_axis), m.z_axis.cross(m.x_axis), m.x_axis.cross(m.y_axis)];
        let longest = cofactors.into_iter().max_by(|a, b| a.length_squared().total_cmp(&b.length_squared()));
        let lost = longest.unwrap_or_default();
        if lost.length() <= 1e-12 {
            return Self {
                diagonal: self.diagonal / (trace * trace),
                off_diagonal: self.off_diagonal / (trace * trace),
            };
        }
        let u = lost.normalize();
        let along = Mat3::from_cols(u * u.x, u * u.y, u * u.z);
        Self::from_mat3(&(((m + along).inverse() - along) * trace.recip()))
    }

    /// Returns true if all three eigenvalues are positive (Sylvester's criterion).
    #[inline]
    pub fn is_positive_definite(&self) -> bool {
        let (d, o) = (self.diagonal, self.off_diagonal);
        if o == Vec3::ZERO {
            return d.cmpgt(Vec3::ZERO).all();
        }
        d.x > 0.0 && d.x * d.y - o.z * o.z > 0.0 && self.to_mat3().determinant() > 0.0
    }

    /// The quadratic form `v^T S v`.
    #[inline]
    pub fn quadratic(&self, v: Vec3) -> Real {
        v.dot(self.mul_vec(v))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pseudo_inverse_turns_back_what_is_not_lost() {
        let axes = Quat::from_rotation_z(0.3) * Quat::from_rotation_x(1.1);
        for [a, b, c] in [[2.0, 3.0, 5.0], [2.0, 3.0, 0.0], [0.0, 0.0, 7e-3], [0.0; 3]] {
            for axes in [axes, Quat::IDENTITY] {
                let inverse = |d: Real| if d == 0.0 { 0.0 } else { 1.0 / d };
                let of = |d: [Real; 3]| SymmetricMat3::from_diagonal(Vec3::from(d)).rotated(axes);
                let (found, expected) = (of([a, b, c]).pseudo_inverse(), of([a, b, c].map(inverse)));
                let off = found.to_mat3() - expected.to_mat3();
                let size = expected.to_mat3().to_cols_array().into_iter().fold(0.0_f64, |m, v| m.max(v.abs()));
                assert!(off.to_cols_array().into_iter().all(|v| v.abs() <= 1e-13 * size), "{a} {b} {c}: {off}");
            }
        }
    }

    #[test]
    fn agrees_with_the_full_matrix() {
        let s = SymmetricMat3 { diagonal: Vec3::new(2.0, 3.0, 4.0), off_diagonal: Vec3::new(0.1, -0.2, 0.3) };
        let v = Vec3::new(1.0, -2.0, 0.5);
        assert_eq!(s.mul_vec(v), s.to_mat3() * v);
        let i = s.inverse().unwrap();
        assert!((i.mul_vec(s.mul_vec(v)) - v).length() < 1e-14);
        let q = Quat::from_rotation_y(0.4) * Quat::from_rotation_x(1.2);
        let r = s.rotated(q);
        assert!((r.mul_vec(v) - q * s.mul_vec(q.conjugate() * v)).length() < 1e-14);
        assert!(s.is_positive_definite() && r.is_positive_definite());
    }

    #[test]
    fn singular_has_no_inverse() {
        assert!(SymmetricMat3::from_diagonal(Vec3::new(1.0, 0.0, 1.0)).inverse().is_none());
    }

    /// A quarter turn exchanges the other two axes, also if two of the three coincide.
    #[test]
    fn a_quarter_turn_exchanges_two_axes() {
        for [x, y, z] in [[1.0, 2.0, 3.0], [1.0, 2.0, 2.0], [1.0, 2.0, 1.0], [1.0, 1.0, 2.0]] {
            for (k, turn) in [Quat::from_rotation_x, Quat::from_rotation_y, Quat::from_rotation_z].iter().enumerate() {
                let turned =
                    SymmetricMat3::from_diagonal(Vec3::new(x, y, z)).rotated(turn(core::f64::consts::FRAC_PI_2));
                let known = [Vec3::new(x, z, y), Vec3::new(z, y, x), Vec3::new(y, x, z)][k];
                assert!((turned.diagonal - known).length() < 1e-14, "{turned:?}");
                assert!(turned.off_diagonal.length() < 1e-14, "{turned:?}");
            }
        }
    }

    /// Positive definite exactly if all three eigenvalues are positive, whatever their axes: all signs, each matrix also in a
    /// turned frame.
    #[test]
    fn positive_definite_is_what_has_positive_eigenvalues() {
        let turn = Quat::from_rotation_y(0.4) * Quat::from_rotation_x(1.2);
        for signs in 0..8 {
            let sign = |k: u32| if signs >> k & 1 == 0 { 1.0 } else { -1.0 };
            let s = SymmetricMat3::from_diagonal(Vec3::new(sign(0), 2.0 * sign(1), 3.0 * sign(2)));
            for seen in [s, s.rotated(turn)] {
                assert_eq!(seen.is_positive_definite(), signs == 0, "{seen:?}");
            }
        }
        assert!(!SymmetricMat3::ZERO.is_positive_definite());
    }
}
