use drystone_math::Real;

/// Normals of a patch: at most four.
pub(super) const MOST: usize = 4;

/// A symmetric matrix of normals, of which the first rows and columns count.
pub(super) type NormalRows = [[Real; MOST]; MOST];

/// What is added to the diagonal, relative to it: four points of a face have one combination that nothing moves.
pub(super) const REGULAR: Real = 1e-9;
/// Pivots after which sweeps take over; rounding may make them go in circles.
const PIVOTS: usize = 24;
const SWEEPS: usize = 60;

/// Finds x >= 0 with w = A x + q >= 0 and x w = 0 for the first K unknowns; `x` is the start.
///
/// Principal pivoting by the least index: which unknowns are above zero is guessed from the start, and one wrong guess after the other is turned over. A
/// is symmetric, at least positive semi-definite, and made definite by a relative 1e-9.
///
/// # Source
/// K. G. Murty, "Note on a Bard-type scheme for solving the complementarity problem", 1974.
#[inline(always)]
pub(super) fn solve_normals<const K: usize>(mut a: NormalRows, q: [Real; MOST], x: &mut [Real; MOST]) {
    for i in 0..K {
        a[i][i] *= 1.0 + REGULAR;
    }
    if (0..K).any(|i| a[i][i] <= 0.0) {
        return;
    }
    let mut basic = [false; MOST];
    for i in 0..K {
        basic[i] = x[i] > 0.0;
    }
    let size = (0..K).fold(0.0, |m: Real, i| m.max(q[i].abs()));
    for _ in 0..PIVOTS {
        let y = solve_basic::<K>(&a, &q, basic);
        let mut wrong = K;
        for i in (0..K).rev() {
            let off = if basic[i] { y[i] < 0.0 } else { rate::<K>(&a, &q, &y, i) < -1e-14 * size };
            wrong = if off { i } else { wrong };
        }
        if wrong == K {
            *x = y;
            return;
        }
        basic[wrong] = !basic[wrong];
    }
    sweep::<K>(&a, &q, x);
}

/// w of an unknown.
#[inline(always)]
fn rate<const K: usize>(a: &NormalRows, q: &[Real; MOST], x: &[Real; MOST], i: usize) -> Real {
    let mut sum = a[i][0] * x[0];
    for j in 1..K {
        sum += a[i][j] * x[j];
    }
    q[i] + sum
}

/// Where pivots have gone in circles.
#[cold]
fn sweep<const K: usize>(a: &NormalRows, q: &[Real; MOST], x: &mut [Real; MOST]) {
    for _ in 0..SWEEPS {
        for i in 0..K {
            x[i] = (x[i] - rate::<K>(a, q, x, i) / a[i][i]).max(0.0);
        }
    }
}

/// The same for two unknowns: both above zero, one, the other or none.
#[inline(always)]
pub(super) fn solve_two(a: &NormalRows, q: &[Real; MOST], x: &mut [Real; MOST]) {
    let (first, coupled, second) = (a[0][0] * (1.0 + REGULAR), a[0][1], a[1][1] * (1.0 + REGULAR));
    if first <= 0.0 || second <= 0.0 {
        return;
    }
    let ratio = coupled / first;
    let y = (ratio * q[0] - q[1]) / (second - ratio * coupled).max(REGULAR * second);
    let both = -q[0] / first - ratio * y;
    if both >= 0.0 && y >= 0.0 {
        (x[0], x[1]) = (both, y);
        return;
    }
    // the first alone bears where the second then parts or stays
    let alone = (-q[0] / first).max(0.0);
    let noise = 1e-14 * q[0].abs().max(q[1].abs());
    (x[0], x[1]) = if q[1] + coupled * alone >= -noise { (alone, 0.0) } else { (0.0, (-q[1] / second).max(0.0)) };
}

/// The solution of A x = -q in the basic unknowns, zero in the others: these have a row of their own that says so.
#[inline(always)]
pub(super) fn solve_basic<const K: usize>(a: &NormalRows, q: &[Real; MOST], basic: [bool; MOST]) -> [Real; MOST] {
    // Cholesky's factor in the lower triangle, without roots
    let mut l = [[0.0; MOST]; MOST];
    let mut d = [1.0; MOST];
    let mut y = [0.0; MOST];
    for i in 0..K {
        for j in 0..i {
            let mut s = if basic[i] && basic[j] { a[i][j] } else { 0.0 };
            for p in 0..j {
                s -= l[i][p] * l[j][p] * d[p];
            }
            l[i][j] = s / d[j];
        }
        let diagonal = if basic[i] { a[i][i] } else { 1.0 };
        let mut s = diagonal;
        for p in 0..i {
            s -= l[i][p] * l[i][p] * d[p];
        }
        d[i] = s.max(REGULAR * diagonal);
        let mut s = if basic[i] { -q[i] } else { 0.0 };
        for p in 0..i {
            s -= l[i][p] * y[p];
        }
        y[i] = s;
    }
    let mut x = [0.0; MOST];
    for i in (0..K).rev() {
        let mut s = y[i] / d[i];
        for p in i + 1..K {
            s -= l[p][i] * x[p];
        }
        x[i] = if basic[i] { s } else { 0.0 };
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_testkit::Random;

    #[test]
    fn complementary_on_random_faces() {
        let mut random = Random::new(5);
        for round in 0..2000 {
            let k = 2 + round % 3;
            // normals of one body: rank three at most
            let rows: Vec<[Real; 3]> =
                (0..k).map(|_| [1.0, random.range(-1.0, 1.0), random.range(-1.0, 1.0)]).collect();
            let mut a = [[0.0; MOST]; MOST];
            for i in 0..k {
                for j in 0..k {
                    a[i][j] = (0..3).map(|p| rows[i][p] * rows[j][p]).sum();
                }
            }
            // as of a motion, so that a solution exists whatever the rank
            let motion = [random.range(-1.0, 1.0), random.range(-1.0, 1.0), random.range(-1.0, 1.0)];
            let mut q = [0.0; MOST];
            let mut x = [0.0; MOST];
            for i in 0..k {
                q[i] = (0..3).map(|p| rows[i][p] * motion[p]).sum();
                x[i] = random.range(-1.0, 1.0).max(0.0);
            }
            match k {
                2 => solve_two(&a, &q, &mut x),
                3 => solve_normals::<3>(a, q, &mut x),
                _ => solve_normals::<MOST>(a, q, &mut x),
            }
            for i in 0..k {
                let w = q[i] + (0..k).map(|j| a[i][j] * x[j]).sum::<Real>();
                assert!(x[i] >= 0.0 && w > -1e-5 && (x[i] * w).abs() < 1e-5, "{round}: x {x:?} w[{i}] {w}");
            }
        }
    }
}
