use drystone_math::{Quat, Real, Twist, Vec3};

/// Q of a quaternion: `dq/dt = Q w` for an angular velocity w in the world frame, rows in the text's order s, x, y, z.
///
/// # Source
/// C-08; thesis (4.13): `Q = 1/2 [[-x, -y, -z], [s, z, -y], [-z, s, x], [y, -x, s]]`.
#[must_use]
pub fn quaternion_rate_matrix(q: Quat) -> [[Real; 3]; 4] {
    let (s, x, y, z) = (0.5 * q.w, 0.5 * q.x, 0.5 * q.y, 0.5 * q.z);
    [[-x, -y, -z], [s, z, -y], [-z, s, x], [y, -x, s]]
}

/// `dq/dt` of a quaternion by its matrix Q.
#[must_use]
pub fn quaternion_rate(q: Quat, w: Vec3) -> Quat {
    let [s, x, y, z] = quaternion_rate_matrix(q).map(|row| Vec3::from_array(row).dot(w));
    Quat::from_xyzw(x, y, z, s)
}

/// S of a configuration, `ds/dt = S u`: a 7n x 6n matrix by rows, with blocks 1 and Q for each body. Per body, s holds a position (m) and a quaternion s, x, y,
/// z, and u a linear and an angular velocity.
///
/// For books and tests: the engine moves poses body by body.
///
/// # Source
/// C-08; thesis (4.14).
#[must_use]
pub fn configuration_rate_matrix(orientations: &[Quat]) -> Vec<Vec<Real>> {
    let n = orientations.len();
    let mut rows = vec![vec![0.0; 6 * n]; 7 * n];
    for (b, q) in orientations.iter().enumerate() {
        for k in 0..3 {
            rows[7 * b + k][6 * b + k] = 1.0;
        }
        for (k, row) in quaternion_rate_matrix(*q).iter().enumerate() {
            rows[7 * b + 3 + k][6 * b + 3..6 * b + 6].copy_from_slice(row);
        }
    }
    rows
}

/// `S u` without S: the rates of positions and quaternions.
pub fn configuration_rate(orientations: &[Quat], velocities: &[Twist], mut each: impl FnMut(usize, Vec3, Quat)) {
    for (b, (q, u)) in orientations.iter().zip(velocities).enumerate() {
        each(b, u.linear, quaternion_rate(*q, u.angular));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rotate_finite;

    /// Some numbers in [-1, 1).
    fn number(i: u32) -> Real {
        2.0 * (Real::from(i) * 0.618_033_988_749_895).fract() - 1.0
    }

    fn body(i: u32) -> (Quat, Twist) {
        let v = |k: u32| Vec3::new(number(k), number(k + 1), number(k + 2));
        let q = Quat::from_xyzw(number(i), number(i + 1), number(i + 2), number(i + 3)).normalize();
        (q, Twist::new(v(i + 4) * 3.0, v(i + 7) * 5.0))
    }

    /// C-08.
    #[test]
    fn the_matrix_is_the_quaternion_product() {
        for i in 0..1000 {
            let (q, u) = body(11 * i);
            let w = u.angular;
            let product = Quat::from_xyzw(w.x, w.y, w.z, 0.0) * q * 0.5;
            assert!((quaternion_rate(q, w) - product).length() < 1e-15);
            // and the derivative of the rotation
            let h = 1e-5;
            let difference = (rotate_finite(q, w, h) - rotate_finite(q, w, -h)) * (0.5 / h);
            assert!((difference - product).length() < 1e-8);
            // turning keeps the length
            assert!(q.dot(product).abs() < 1e-15);
        }
    }

    #[test]
    fn the_matrix_of_a_configuration_holds_one_block_a_body() {
        let bodies: Vec<(Quat, Twist)> = (0..5).map(|i| body(17 * i + 3)).collect();
        let (orientations, velocities): (Vec<Quat>, Vec<Twist>) = bodies.into_iter().unzip();
        let s = configuration_rate_matrix(&orientations);
        assert!(s.len() == 35 && s.iter().all(|row| row.len() == 30));
        let u: Vec<Real> =
            velocities.iter().flat_map(|u| [u.linear.to_array(), u.angular.to_array()].concat()).collect();
        let rates: Vec<Real> = s.iter().map(|row| row.iter().zip(&u).map(|(a, b)| a * b).sum()).collect();
        configuration_rate(&orientations, &velocities, |b, v, dq| {
            let expected = [v.x, v.y, v.z, dq.w, dq.x, dq.y, dq.z];
            for (found, expected) in rates[7 * b..7 * b + 7].iter().zip(expected) {
                assert!((found - expected).abs() < 1e-14);
            }
        });
        let off_block = |i: usize, j: usize| i / 7 != j / 6;
        assert!((0..35).all(|i| (0..30).all(|j| !off_block(i, j) || s[i][j] == 0.0)));
    }
}
