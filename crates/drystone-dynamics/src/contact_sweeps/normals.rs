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

/// Finds x >= 0 with w = A x + q >= 0 and x w = 0 for the first `k` unknowns; `x` is the start.
///
/// Principal pivoting by the least index: which unknowns are above zero is guessed from the start, and one wrong guess after the other is turned over. A
/// is symmetric, at least positive semi-definite, and made definite by a relative 1e-9.
///
/// # Source
/// K. G. Murty, "Note on a Bard-type scheme for solving the complementarity problem", 1974.
pub(super) fn solve_normals(k: usize, mut a: NormalRows, q: [Real; MOST], x: &mut [Real; MOST]) {
    for i in 0..k {
        a[i][i] *= 1.0 + REGULAR;
    }
    if k == 1 {
        x[0] = if a[0][0] > 0.0 { (-q[0] / a[0][0]).max(0.0) } else { x[0] };
        return;
    }
    if (0..k).any(|i| a[i][i] <= 0.0) {
        return;
    }
    let start = *x;
    let mut basic = [false; MOST];
    for i in 0..k {
        basic[i] = x[i] > 0.0;
    }
    let size = (0..k).fold(0.0, |m: Real, i| m.max(q[i].abs()));
    for _ in 0..PIVOTS {
        let y = solve_basic(k, &a, &q, basic);
        let wrong = (0..k).find(|&i| {
            if basic[i] { y[i] < 0.0 } else { q[i] + (0..k).map(|j| a[i][j] * y[j]).sum::<Real>() < -1e-14 * size }
        });
        let Some(wrong) = wrong else {
            *x = y;
            return;
        };
        basic[wrong] = !basic[wrong];
    }
    *x = start;
    for _ in 0..SWEEPS {
        for i in 0..k {
            let w = q[i] + (0..k).map(|j| a[i][j] * x[j]).sum::<Real>();
            x[i] = (x[i] - w / a[i][i]).max(0.0);
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

/// The solution of A x = -q in the basic unknowns, zero in the others.
pub(super) fn solve_basic(k: usize, a: &NormalRows, q: &[Real; MOST], basic: [bool; MOST]) -> [Real; MOST] {
    let mut place = [0; MOST];
    let mut n = 0;
    for i in 0..k {
        if basic[i] {
            place[n] = i;
            n += 1;
        }
    }
    // Cholesky's factor in the lower triangle, without roots
    let mut l = [[0.0; MOST]; MOST];
    let mut d = [0.0; MOST];
    let mut y = [0.0; MOST];
    for i in 0..n {
        for j in 0..i {
            let mut s = a[place[i]][place[j]];
            for p in 0..j {
                s -= l[i][p] * l[j][p] * d[p];
            }
            l[i][j] = s / d[j];
        }
        let diagonal = a[place[i]][place[i]];
        let mut s = diagonal;
        for p in 0..i {
            s -= l[i][p] * l[i][p] * d[p];
        }
        d[i] = s.max(REGULAR * diagonal);
        let mut s = -q[place[i]];
        for p in 0..i {
            s -= l[i][p] * y[p];
        }
        y[i] = s;
    }
    let mut x = [0.0; MOST];
    for i in (0..n).rev() {
        let mut s = y[i] / d[i];
        for p in i + 1..n {
            s -= l[p][i] * x[place[p]];
        }
        x[place[i]] = s;
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
            if k == 2 {
                solve_two(&a, &q, &mut x);
            } else {
                solve_normals(k, a, q, &mut x);
            }
            for i in 0..k {
                let w = q[i] + (0..k).map(|j| a[i][j] * x[j]).sum::<Real>();
                assert!(x[i] >= 0.0 && w > -1e-5 && (x[i] * w).abs() < 1e-5, "{round}: x {x:?} w[{i}] {w}");
            }
        }
    }
}
