use crate::Vec3;

/// Two unit vectors that complete the unit vector `n` to a right-handed orthonormal basis `(n, t1, t2)`.
///
/// The first tangent is orthogonal to the coordinate axis that `n` is least aligned with, so the basis
/// changes continuously with `n` except where that axis changes, and is the same for the same bits.
pub fn tangent_basis(n: Vec3) -> (Vec3, Vec3) {
    let a = n.abs();
    // cross with the least aligned axis: its length is then at least sqrt(2/3)
    let t1 = if a.x <= a.y && a.x <= a.z {
        Vec3::new(0.0, n.z, -n.y)
    } else if a.y <= a.z {
        Vec3::new(-n.z, 0.0, n.x)
    } else {
        Vec3::new(n.y, -n.x, 0.0)
    }
    .normalize();
    (t1, n.cross(t1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orthonormal_and_right_handed() {
        for n in [Vec3::X, Vec3::Y, Vec3::NEG_Z, Vec3::new(1.0, 1.0, 1.0).normalize(), Vec3::new(1e-9, 1.0, 1e-9)] {
            let (t1, t2) = tangent_basis(n);
            assert!(t1.dot(n).abs() < 1e-15 && t2.dot(n).abs() < 1e-15 && t1.dot(t2).abs() < 1e-15);
            assert!((t1.cross(t2) - n).length() < 1e-14);
        }
    }
}
