/// Bisections and doublings of the sliding search; 2^-60 of the bracket is below rounding.
const STEPS: usize = 100;

/// Solves one contact exactly: u = W r + q with Coulomb's law. W has W_nn > 0.
///
/// Three cases: separation (q_n >= 0: r = 0); sticking (r = -W^-1 q within the cone); else sliding, where u_n = 0 and
/// u_t = -lambda r_t, |r_t| = mu r_n: one equation in lambda >= 0, which changes its sign between sticking and lambda = infinity.
///
/// # Source
/// The cases of seed 004, 1583-1593; the one-parameter form after Bonnefon and Daviet 2011, whose quartic it brackets instead of expanding.
pub fn solve_contact(w: &[[f64; 3]; 3], q: [f64; 3], mu: f64) -> [f64; 3] {
    if q[0] >= 0.0 || w[0][0] <= 0.0 {
        return [0.0; 3];
    }
    // Eliminate r_n by u_n = 0: (S + lambda I) r_t = -s.
    let inverse = 1.0 / w[0][0];
    let mut s = [[0.0; 2]; 2];
    let mut right = [0.0; 2];
    for i in 0..2 {
        right[i] = q[i + 1] - w[i + 1][0] * q[0] * inverse;
        for j in 0..2 {
            s[i][j] = w[i + 1][j + 1] - w[i + 1][0] * w[0][j + 1] * inverse;
        }
    }
    let at = |lambda: f64| {
        let (a, d) = (s[0][0] + lambda, s[1][1] + lambda);
        let determinant = a * d - s[0][1] * s[1][0];
        let t =
            [-(d * right[0] - s[0][1] * right[1]) / determinant, -(a * right[1] - s[1][0] * right[0]) / determinant];
        let normal = -(q[0] + w[0][1] * t[0] + w[0][2] * t[1]) * inverse;
        [normal, t[0], t[1]]
    };
    let excess = |r: [f64; 3]| r[1].hypot(r[2]) - mu * r[0];
    let stick = at(0.0);
    if stick.iter().all(|v| v.is_finite()) && stick[0] >= 0.0 && excess(stick) <= 0.0 {
        return stick;
    }
    if mu == 0.0 {
        return [-q[0] * inverse, 0.0, 0.0];
    }
    // Bracket the first lambda at which the cone is met, then halve.
    let mut high = 1e-12 * (s[0][0].abs() + s[1][1].abs()).max(f64::MIN_POSITIVE);
    let mut low = 0.0;
    for _ in 0..STEPS {
        let r = at(high);
        if r.iter().all(|v| v.is_finite()) && excess(r) <= 0.0 {
            break;
        }
        low = high;
        high *= 4.0;
    }
    for _ in 0..STEPS {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        let r = at(middle);
        if r.iter().all(|v| v.is_finite()) && excess(r) <= 0.0 {
            high = middle;
        } else {
            low = middle;
        }
    }
    let r = at(high);
    if r.iter().all(|v| v.is_finite()) { r } else { [-q[0] * inverse, 0.0, 0.0] }
}

#[cfg(test)]
mod tests {
    use super::*;

    const W: [[f64; 3]; 3] = [[1.0, 0.1, -0.2], [0.1, 2.0, 0.3], [-0.2, 0.3, 1.5]];

    #[test]
    fn separates_sticks_and_slides() {
        assert_eq!(solve_contact(&W, [1.0, 5.0, 0.0], 0.5), [0.0; 3]);
        let velocity = |q: [f64; 3], r: [f64; 3]| -> [f64; 3] {
            std::array::from_fn(|i| q[i] + (0..3).map(|j| W[i][j] * r[j]).sum::<f64>())
        };
        let q = [-1.0, 0.1, 0.1];
        let u = velocity(q, solve_contact(&W, q, 0.7));
        assert!(u.iter().all(|u| u.abs() < 1e-14), "{u:?}");
        let q = [-1.0, 3.0, -2.0];
        let r = solve_contact(&W, q, 0.3);
        let u = velocity(q, r);
        assert!(u[0].abs() < 1e-12 && (r[1].hypot(r[2]) - 0.3 * r[0]).abs() < 1e-12);
        // Friction opposes sliding.
        assert!((u[1] * r[2] - u[2] * r[1]).abs() < 1e-12 && u[1] * r[1] + u[2] * r[2] < 0.0);
    }
}
