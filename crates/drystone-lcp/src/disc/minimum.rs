/// Steps of Newton's method on the boundary, at most; four are rarely needed.
const STEPS: usize = 30;
/// A block whose determinant is below this, relative to the product of its diagonal, counts as singular.
const SINGULAR: f64 = 1e-14;
/// Tolerance of the search, as a distance from the circle relative to its radius.
const NEAR: f64 = 1e-9;
/// Beyond this multiple of the radius, the next guess is bounded from below.
const FAR: f64 = 4.0;
/// If the effect of A on the circle is below this, relative to the force, it is neglected.
const NOTHING: f64 = 1e-17;

/// The factor that brings a pair into the disc of the given radius.
#[inline(always)]
pub(crate) fn shrink(pair: [f64; 2], radius: f64) -> f64 {
    let square = pair[0] * pair[0] + pair[1] * pair[1];
    if square > radius * radius { radius / square.sqrt() } else { 1.0 }
}

/// The minimum of `y A y / 2 + g y` over the disc `|y| <= radius`, A symmetric positive semidefinite and given as
/// (a_11, a_12, a_22), g through the gradient `w = A x + g` at a point x, which also is the guess.
///
/// This is a contact's friction for a fixed normal multiplier: it sticks if `w = 0` is attainable within the disc,
/// otherwise it lies on the circle, opposing the slip.
///
/// # Cost
/// A 2x2 solve if it sticks. If it slides, in addition a root and one or two divisions per step, and a single step if x is already the
/// answer.
///
/// # Source
/// If it slides: the trust-region equation `|(A + lambda)^-1 g| = radius` by Newton's method on the inverse length,
/// More and Sorensen 1983.
#[inline(always)]
pub fn minimum_on_disc(a: [f64; 3], w: [f64; 2], x: [f64; 2], radius: f64) -> [f64; 2] {
    let determinant = a[0] * a[2] - a[1] * a[1];
    if determinant > SINGULAR * a[0] * a[2] {
        let inverse = 1.0 / determinant;
        let y = [x[0] - (a[2] * w[0] - a[1] * w[1]) * inverse, x[1] - (a[0] * w[1] - a[1] * w[0]) * inverse];
        if y[0] * y[0] + y[1] * y[1] <= radius * radius {
            return y;
        }
        return on_circle(a, w, x, radius);
    }
    singular(a, w, x, radius)
}

/// A gradient step if A has no inverse; if A is zero, x stays.
#[cold]
fn singular(a: [f64; 3], w: [f64; 2], x: [f64; 2], radius: f64) -> [f64; 2] {
    let trace = a[0] + a[2];
    let y = if trace > 0.0 { [x[0] - w[0] / trace, x[1] - w[1] / trace] } else { x };
    let s = shrink(y, radius);
    [y[0] * s, y[1] * s]
}

/// The minimum if it lies on the circle.
#[inline(always)]
fn on_circle(a: [f64; 3], w: [f64; 2], x: [f64; 2], radius: f64) -> [f64; 2] {
    let g = [w[0] - (a[0] * x[0] + a[1] * x[1]), w[1] - (a[1] * x[0] + a[2] * x[1])];
    let (force, circle, most) = (g[0] * g[0] + g[1] * g[1], radius * radius, a[0] + a[2]);
    // compared as squares; values too small or too large to square do not compare as greater
    let acts = circle * most * most > NOTHING * NOTHING * force && force > f64::MIN_POSITIVE;
    if !acts {
        return on_tiny_circle(a, g, radius);
    }
    // at the answer lambda is |w| / r
    let lambda = -(w[0] * x[0] + w[1] * x[1]) / circle;
    newton(a, g, radius, lambda.max(0.0))
}

/// The same if the circle may be so small that A has no visible effect on it and lambda might not be a number.
#[cold]
fn on_tiny_circle(a: [f64; 3], g: [f64; 2], radius: f64) -> [f64; 2] {
    let size = g[0].abs().max(g[1].abs());
    if radius <= 0.0 || size == 0.0 {
        return [0.0; 2];
    }
    let (first, second) = (g[0] / size, g[1] / size);
    let force = size * (first * first + second * second).sqrt();
    if radius * (a[0] + a[2]) <= NOTHING * force {
        return [-g[0] / force * radius, -g[1] / force * radius];
    }
    newton(a, g, radius, (force / radius - (a[0] + a[2])).max(0.0))
}

/// `-(A + lambda)^-1 g` on the circle, by Newton's method from a guess of lambda.
///
/// The inverse length is concave in lambda: from the second step on lambda grows up to the answer, which is above zero.
#[inline(always)]
fn newton(a: [f64; 3], g: [f64; 2], radius: f64, mut lambda: f64) -> [f64; 2] {
    let mut y = [0.0; 2];
    for _ in 0..STEPS {
        let (p, q) = (a[0] + lambda, a[2] + lambda);
        let inverse = 1.0 / (p * q - a[1] * a[1]);
        y = [(a[1] * g[1] - q * g[0]) * inverse, (a[1] * g[0] - p * g[1]) * inverse];
        let square = y[0] * y[0] + y[1] * y[1];
        let size = square.sqrt();
        if (size - radius).abs() <= NEAR * radius {
            break;
        }
        // |y| falls at the rate y (A + lambda)^-1 y / |y|
        let fall = (q * y[0] * y[0] - 2.0 * a[1] * y[0] * y[1] + p * y[1] * y[1]) * inverse;
        let mut next = (lambda + square / (fall * radius) * (size - radius)).max(0.0);
        if size > FAR * radius {
            // lambda is above |g| / r - a_max
            next = next.max((g[0] * g[0] + g[1] * g[1]).sqrt() / radius - (a[0] + a[2]));
        }
        if next == lambda || !next.is_finite() {
            break;
        }
        lambda = next;
    }
    let square = y[0] * y[0] + y[1] * y[1];
    let s = if square > 0.0 { radius / square.sqrt() } else { 0.0 };
    [y[0] * s, y[1] * s]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SplitMix64;

    fn energy(a: [f64; 3], g: [f64; 2], y: [f64; 2]) -> f64 {
        0.5 * (a[0] * y[0] * y[0] + 2.0 * a[1] * y[0] * y[1] + a[2] * y[1] * y[1]) + g[0] * y[0] + g[1] * y[1]
    }

    /// Minimum over a grid on the disc and over its circle.
    fn brute_force(a: [f64; 3], g: [f64; 2], radius: f64) -> f64 {
        let mut least = 0.0_f64;
        for ring in 0..=60 {
            let r = radius * f64::from(ring) / 60.0;
            for k in 0..720 {
                let (s, c) = (f64::from(k) * core::f64::consts::TAU / 720.0).sin_cos();
                least = least.min(energy(a, g, [r * c, r * s]));
            }
        }
        least
    }

    #[test]
    fn nowhere_on_the_disc_is_it_less() {
        let mut random = SplitMix64::new(3);
        let (mut stuck, mut slid) = (0, 0);
        for round in 0..300 {
            let l = [random.range(0.2, 2.0), random.range(-1.0, 1.0), random.range(0.05, 2.0)];
            let a = [l[0] * l[0], l[0] * l[1], l[1] * l[1] + l[2] * l[2]];
            let g = [random.range(-3.0, 3.0), random.range(-3.0, 3.0)];
            let radius = random.range(0.01, 3.0);
            let x = [random.range(-1.0, 1.0), random.range(-1.0, 1.0)];
            let w = [a[0] * x[0] + a[1] * x[1] + g[0], a[1] * x[0] + a[2] * x[1] + g[1]];
            let y = minimum_on_disc(a, w, x, radius);
            let size = y[0].hypot(y[1]);
            assert!(size <= radius * (1.0 + 1e-15), "round {round}: {size} of {radius}");
            assert!(energy(a, g, y) <= brute_force(a, g, radius) + 1e-13, "round {round}");
            // it opposes the remaining slip
            let left = [a[0] * y[0] + a[1] * y[1] + g[0], a[1] * y[0] + a[2] * y[1] + g[1]];
            let (across, along) = (left[0] * y[1] - left[1] * y[0], left[0] * y[0] + left[1] * y[1]);
            let scale = radius * (g[0].hypot(g[1]) + 1.0);
            assert!(across.abs() <= 1e-8 * scale && along <= 1e-10 * scale, "round {round}: {across} {along}");
            // and starting from the answer it does not move
            let again = minimum_on_disc(a, left, y, radius);
            assert!((again[0] - y[0]).abs() + (again[1] - y[1]).abs() <= 1e-9 * scale, "round {round}");
            if size < 0.999 * radius { stuck += 1 } else { slid += 1 }
        }
        assert!(stuck > 30 && slid > 30, "{stuck} {slid}");
    }

    /// A second contact at the same place may be left with a multiplier as small as the rounding error of a rounding
    /// error.
    #[test]
    fn circles_of_any_size_have_a_minimum() {
        let mut random = SplitMix64::new(8);
        for round in 0..200_000 {
            let mut size = |low: f64, high: f64| 10.0_f64.powf(random.range(low, high));
            let (diagonal, radius, stale, slip) =
                (size(-3.0, 3.0), size(-324.0, 6.0), size(-324.0, 6.0), size(-30.0, 6.0));
            let mut pair = |scale: f64| [scale * random.range(-1.0, 1.0), scale * random.range(-1.0, 1.0)];
            let (x, w) = (pair(stale), pair(slip));
            let y = minimum_on_disc([diagonal, 0.1 * diagonal, 2.0 * diagonal], w, x, radius);
            let size = y[0].hypot(y[1]);
            assert!(size <= radius * (1.0 + 1e-15) + f64::MIN_POSITIVE, "round {round}: {y:?} of {radius:e}");
        }
    }

    #[test]
    fn without_an_inverse_it_stays_or_creeps_down() {
        assert_eq!(minimum_on_disc([0.0; 3], [1.0, 1.0], [0.3, 0.4], 1.0), [0.3, 0.4]);
        let [x, y] = minimum_on_disc([0.0; 3], [1.0, 1.0], [3.0, 4.0], 1.0);
        assert!((x - 0.6).abs() + (y - 0.8).abs() < 1e-15);
        assert_eq!(minimum_on_disc([1.0, 0.0, 1.0], [5.0, 0.0], [0.0; 2], 0.0), [0.0; 2]);
        let mut x = [0.0; 2];
        for _ in 0..200 {
            x = minimum_on_disc([1.0, 1.0, 1.0], [x[0] + x[1] - 1.0, x[0] + x[1] - 1.0], x, 5.0);
        }
        assert!((x[0] + x[1] - 1.0).abs() < 1e-12, "{x:?}");
    }
}
