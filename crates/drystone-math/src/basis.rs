use crate::Vec3;

/// Two unit vectors that complete the unit vector `n` to a right-handed orthonormal basis `(n, t1, t2)`.
///
/// The first tangent is orthogonal to x, or to z if `n` is within 52 degrees of the x axis. The basis changes continuously
/// with `n` except at that limit, which is far from the normals of level floors, upright walls and slopes that rise along an
/// axis at a round angle, so rounding noise does not turn the tangents there. No rule is continuous everywhere; anything that
/// must outlive a step is therefore stored as a vector.
#[inline]
pub fn tangent_basis(n: Vec3) -> (Vec3, Vec3) {
    // the length before normalizing is at least 0.61
    let t1 = if n.x.abs() < TURNS_AT { Vec3::new(0.0, n.z, -n.y) } else { Vec3::new(n.y, -n.x, 0.0) }.normalize();
    (t1, n.cross(t1))
}

/// From this |n.x| on, the first tangent is orthogonal to z. It is neither the cosine of a round angle nor a ratio of small
/// whole numbers.
const TURNS_AT: f64 = 0.6133;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orthonormal_and_right_handed() {
        let slanted = [Vec3::new(0.8, -0.6, 0.0), Vec3::new(2.0, 1.0, -2.0) / 3.0, Vec3::new(-2.0, 2.0, 1.0) / 3.0];
        let level = [Vec3::X, Vec3::Y, Vec3::NEG_Z, Vec3::new(1.0, 1.0, 1.0).normalize(), Vec3::new(1e-9, 1.0, 1e-9)];
        for n in level.into_iter().chain(slanted) {
            let (t1, t2) = tangent_basis(n);
            assert!(t1.dot(n).abs() < 1e-15 && t2.dot(n).abs() < 1e-15 && t1.dot(t2).abs() < 1e-15);
            assert!((t1.cross(t2) - n).length() < 1e-14);
        }
    }

    #[test]
    fn the_first_tangent_is_orthogonal_to_x_and_from_the_limit_on_to_z() {
        for (x, axis) in [(0.2, Vec3::X), (-0.6132, Vec3::X), (TURNS_AT, Vec3::Z), (-TURNS_AT, Vec3::Z), (0.9, Vec3::Z)]
        {
            let n = Vec3::new(x, 0.7 * (1.0 - x * x).sqrt(), (0.51 * (1.0 - x * x)).sqrt());
            assert_eq!(tangent_basis(n).0.dot(axis), 0.0, "{n}");
        }
    }

    #[test]
    fn rounding_noise_does_not_turn_the_tangents() {
        let noise = |k: u32| f64::from(k % 5) * 1e-17 - 2e-17;
        for n in [Vec3::X, Vec3::Y, Vec3::Z, Vec3::new(0.6, 0.8, 0.0), Vec3::new(1.0, 1.0, 1.0).normalize()] {
            for n in [n, -n] {
                let (t1, t2) = tangent_basis(n);
                for k in 0..125 {
                    let shaken = (n + Vec3::new(noise(k), noise(k / 5), noise(k / 25))).normalize();
                    let (s1, s2) = tangent_basis(shaken);
                    assert!((s1 - t1).length() < 1e-15 && (s2 - t2).length() < 1e-15, "{n} {shaken}: {t1} {s1}");
                }
            }
        }
    }
}
