/// Most steps of the sliding search, and of the search for its bracket.
const STEPS: usize = 100;
/// Steps of the search from one halving step to the next.
const HALVED_EVERY: usize = 8;
/// Distance of an accepted answer from the cone, relative to its radius there.
const CLOSE: f64 = 1e-14;

/// Solves one contact exactly: u = W r + q with Coulomb's law. W has W_nn > 0.
///
/// Three cases: separation (q_n >= 0: r = 0); sticking (r = -W^-1 q within the cone); otherwise sliding, with u_n = 0 and u_t =
/// -lambda r_t, |r_t| = mu r_n: one equation in lambda >= 0, which changes its sign between sticking and lambda = infinity.
///
/// # Cost
/// A 3x3 solve; if the contact slides, also some ten evaluations of a rational function.
///
/// # Source
/// The cases of Erleben 2005, chapter 4; the one-parameter form after Bonnefon and Daviet 2011, whose quartic it brackets instead of expanding.
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
    let stick = at(0.0);
    if stick.iter().all(|v| v.is_finite()) && stick[0] >= 0.0 && libm::hypot(stick[1], stick[2]) <= mu * stick[0] {
        return stick;
    }
    if mu == 0.0 {
        return [-q[0] * inverse, 0.0, 0.0];
    }
    // Above zero outside the cone, and nearly linear in lambda, like the secular equation of trust regions.
    let outside = |r: [f64; 3]| match (mu * r[0], libm::hypot(r[1], r[2])) {
        (radius, size) if !(radius > 0.0 && size.is_finite()) => f64::INFINITY,
        (_, 0.0) => f64::NEG_INFINITY,
        (radius, size) => radius.recip() - size.recip(),
    };
    let mut low = (0.0, outside(stick));
    let first = (s[0][0].abs() + s[1][1].abs()).max(f64::MIN_POSITIVE);
    let mut high = (first, outside(at(first)));
    for _ in 0..STEPS {
        if high.1 <= 0.0 {
            break;
        }
        low = high;
        high = (4.0 * low.0, outside(at(4.0 * low.0)));
    }
    let met = crossing(|lambda| outside(at(lambda)), low, high, CLOSE / (mu * at(high.0)[0].abs()));
    let r = at(met);
    if r.iter().all(|v| v.is_finite()) { r } else { [-q[0] * inverse, 0.0, 0.0] }
}

/// Finds where a function crosses zero between a point where it is positive and one where it is not, each given with its value: regula falsi with the
/// weights of Anderson and Bjorck 1973, and a halving now and then, whatever the function. Values up to `close` count as zero.
fn crossing(f: impl Fn(f64) -> f64, low: (f64, f64), high: (f64, f64), close: f64) -> f64 {
    let ([mut low, mut above], [mut high, mut below]) = (<[f64; 2]>::from(low), <[f64; 2]>::from(high));
    // which end moved last; this decides the weight of an end that stays a second time
    let mut last = None;
    let weight = |value: f64, former: f64| {
        let share = 1.0 - value / former;
        if share > 0.0 && share < 1.0 { share } else { 0.5 }
    };
    for k in 1..=STEPS {
        let secant = low + (high - low) * above / (above - below);
        let halves = k % HALVED_EVERY == 0 || !(secant > low && secant < high);
        let middle = if halves { 0.5 * (low + high) } else { secant };
        if middle <= low || middle >= high || high - low <= f64::EPSILON * high {
            break;
        }
        let value = f(middle);
        if value.abs() <= close {
            return middle;
        }
        if value <= 0.0 {
            if last == Some(true) {
                above *= weight(value, below);
            }
            (high, below, last) = (middle, value, Some(true));
        } else {
            if last == Some(false) {
                below *= weight(value, above);
            }
            (low, above, last) = (middle, value, Some(false));
        }
    }
    high
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
        assert!(u[0].abs() < 1e-12 && (libm::hypot(r[1], r[2]) - 0.3 * r[0]).abs() < 1e-12);
        // Friction opposes sliding.
        assert!((u[1] * r[2] - u[2] * r[1]).abs() < 1e-12 && u[1] * r[1] + u[2] * r[2] < 0.0);
    }

    #[test]
    fn slides_on_the_cone_at_any_scale() {
        let mut random = crate::SplitMix64::new(7);
        let mut slid = 0;
        for _ in 0..2000 {
            let size = 10.0_f64.powf(random.range(-6.0, 6.0));
            let mut l = [[0.0; 3]; 3];
            for (i, row) in l.iter_mut().enumerate() {
                row.iter_mut().take(i + 1).for_each(|v| *v = random.range(-1.0, 1.0));
                row[i] += 1.5;
            }
            let w: [[f64; 3]; 3] =
                std::array::from_fn(|i| std::array::from_fn(|j| size * (0..3).map(|k| l[i][k] * l[j][k]).sum::<f64>()));
            let q = [-1.0, random.range(-4.0, 4.0), random.range(-4.0, 4.0)];
            let mu = random.range(0.05, 0.5);
            let r = solve_contact(&w, q, mu);
            let u: [f64; 3] = std::array::from_fn(|i| q[i] + (0..3).map(|j| w[i][j] * r[j]).sum::<f64>());
            let radius = mu * r[0];
            assert!(r[1].hypot(r[2]) <= radius * (1.0 + 1e-12) && u[0].abs() < 1e-10, "{w:?} {q:?} {mu}: {r:?} {u:?}");
            if u[1].hypot(u[2]) > 1e-9 {
                slid += 1;
                assert!(r[1].hypot(r[2]) > radius * (1.0 - 1e-12), "{w:?} {q:?} {mu}: {r:?}");
                assert!(u[1] * r[1] + u[2] * r[2] < 0.0);
                assert!((u[1] * r[2] - u[2] * r[1]).abs() < 1e-10 * radius * u[1].hypot(u[2]).max(1.0), "{r:?} {u:?}");
            }
        }
        assert!(slid > 500, "{slid}");
    }
}
