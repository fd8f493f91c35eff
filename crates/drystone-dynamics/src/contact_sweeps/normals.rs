use drystone_math::Real;

/// Largest number of normals of a patch.
pub(super) const MOST: usize = 4;

/// A symmetric matrix of normals, of which only the leading rows and columns are used.
pub(super) type NormalRows = [[Real; MOST]; MOST];

/// A matrix of normals, and its factor for the unknowns that were above zero last time: mostly they still are.
#[derive(Debug, Clone, Copy)]
pub(super) struct NormalBlock {
    /// True if there is a matrix.
    pub(super) made: bool,
    /// The unknowns that the factor is for, one bit each; `None` if there is no factor yet.
    basic: Option<u8>,
    pub(super) a: NormalRows,
    /// Cholesky's factor without roots, row by row below the diagonal, and its diagonal. Unknowns that are not in it have a row of their own that says so.
    below: [Real; MOST * (MOST - 1) / 2],
    diagonal: [Real; MOST],
}

/// Regularization of the diagonal, relative to it: four points of a face have one combination that nothing moves.
pub(super) const REGULAR: Real = 1e-9;
/// Pivots after which sweeps take over; rounding may make them go in circles.
const PIVOTS: usize = 24;
const SWEEPS: usize = 60;

impl NormalBlock {
    /// Nothing yet.
    pub(super) const BLANK: Self = Self {
        made: false,
        basic: None,
        a: [[0.0; MOST]; MOST],
        below: [0.0; MOST * (MOST - 1) / 2],
        diagonal: [1.0; MOST],
    };

    /// Takes another matrix.
    #[inline(always)]
    pub(super) fn set(&mut self, a: NormalRows) {
        (self.made, self.basic, self.a) = (true, None, a);
    }

    /// Index of the first entry of a row of the factor.
    #[inline(always)]
    const fn row(i: usize) -> usize {
        i * i.saturating_sub(1) / 2
    }

    /// Computes the factor for those of the first K unknowns that are marked.
    #[inline(always)]
    pub(super) fn factor<const K: usize>(&mut self, basic: u8) {
        if self.basic == Some(basic) {
            return;
        }
        let is = |i: usize| basic >> i & 1 == 1;
        let (a, mut l, mut d) = (&self.a, [0.0; MOST * (MOST - 1) / 2], [1.0; MOST]);
        for i in 0..K {
            let row = Self::row(i);
            for j in 0..i {
                let mut s = if is(i) && is(j) { a[i][j] } else { 0.0 };
                for p in 0..j {
                    s -= l[row + p] * l[Self::row(j) + p] * d[p];
                }
                l[row + j] = s / d[j];
            }
            let diagonal = if is(i) { a[i][i] * (1.0 + REGULAR) } else { 1.0 };
            let mut s = diagonal;
            for p in 0..i {
                s -= l[row + p] * l[row + p] * d[p];
            }
            d[i] = s.max(REGULAR * diagonal);
        }
        (self.basic, self.below, self.diagonal) = (Some(basic), l, d);
    }

    /// The solution of A x = -q in the unknowns that the factor is for, zero in the others.
    #[inline(always)]
    pub(super) fn solve<const K: usize>(&self, q: &[Real; MOST], basic: u8) -> [Real; MOST] {
        let is = |i: usize| basic >> i & 1 == 1;
        let (l, d) = (&self.below, &self.diagonal);
        let mut y = [0.0; MOST];
        for i in 0..K {
            let mut s = if is(i) { -q[i] } else { 0.0 };
            for p in 0..i {
                s -= l[Self::row(i) + p] * y[p];
            }
            y[i] = s;
        }
        let mut x = [0.0; MOST];
        for i in (0..K).rev() {
            let mut s = y[i] / d[i];
            for p in i + 1..K {
                s -= l[Self::row(p) + i] * x[p];
            }
            x[i] = if is(i) { s } else { 0.0 };
        }
        x
    }
}

/// A bit for each unknown that is above zero.
#[inline(always)]
pub(super) fn above_zero(x: &[Real; MOST]) -> u8 {
    let mut bits = 0;
    for i in 0..MOST {
        bits |= u8::from(x[i] > 0.0) << i;
    }
    bits
}

/// Finds y >= 0 with w + A (y - x) >= 0, complementary to y, for the first K unknowns; `x` is the start, zero beyond K, `w` belongs to it, and y replaces it.
///
/// Principal pivoting by the least index: the start suggests which unknowns are above zero, and wrong guesses are flipped one by one. A
/// is symmetric, at least positive semi-definite, and made definite by a relative 1e-9. That holds back the change alone, so that a start that
/// solves the problem stays; and as the change is solved for, rounding is relative to it.
///
/// # Source
/// K. G. Murty, "Note on a Bard-type scheme for solving the complementarity problem", 1974.
#[inline(always)]
pub(super) fn solve_normals<const K: usize>(block: &mut NormalBlock, w: [Real; MOST], x: &mut [Real; MOST]) {
    let mut is_definite = true;
    for i in 0..K {
        is_definite &= block.a[i][i] > 0.0;
    }
    if !is_definite {
        return;
    }
    let mut basic = above_zero(x);
    let mut size: Real = 0.0;
    for i in 0..K {
        size = size.max(w[i].abs() + block.a[i][i] * x[i]);
    }
    for _ in 0..PIVOTS {
        block.factor::<K>(basic);
        let change = change_of::<K>(block, &w, x, basic);
        let mut wrong = K;
        for i in (0..K).rev() {
            let is_basic = basic >> i & 1 == 1;
            let off =
                if is_basic { x[i] + change[i] < 0.0 } else { rate::<K>(&block.a, &w, &change, i) < -1e-14 * size };
            wrong = if off { i } else { wrong };
        }
        if wrong == K {
            for i in 0..K {
                x[i] += change[i];
            }
            return;
        }
        basic ^= 1 << wrong;
    }
    sweep::<K>(&block.a, &w, x);
}

/// The change by which the unknowns that the factor is for have no w, and the others become zero.
#[inline(always)]
fn change_of<const K: usize>(block: &NormalBlock, w: &[Real; MOST], x: &[Real; MOST], basic: u8) -> [Real; MOST] {
    let mut ceases = [0.0; MOST];
    for i in 0..K {
        ceases[i] = if basic >> i & 1 == 1 { 0.0 } else { -x[i] };
    }
    let mut left = *w;
    if above_zero(x) & !basic != 0 {
        for i in 0..K {
            left[i] = rate::<K>(&block.a, w, &ceases, i);
        }
    }
    let mut change = block.solve::<K>(&left, basic);
    for i in 0..K {
        change[i] += ceases[i];
    }
    change
}

/// w of an unknown after a change of all.
#[inline(always)]
fn rate<const K: usize>(a: &NormalRows, w: &[Real; MOST], change: &[Real; MOST], i: usize) -> Real {
    let mut sum = a[i][0] * change[0];
    for j in 1..K {
        sum += a[i][j] * change[j];
    }
    w[i] + sum
}

/// Takes over if pivots have gone in circles.
#[cold]
fn sweep<const K: usize>(a: &NormalRows, w: &[Real; MOST], x: &mut [Real; MOST]) {
    let mut change = [0.0; MOST];
    for _ in 0..SWEEPS {
        for i in 0..K {
            let step = rate::<K>(a, w, &change, i) / (a[i][i] * (1.0 + REGULAR));
            change[i] = (change[i] - step).max(-x[i]);
        }
    }
    for i in 0..K {
        x[i] += change[i];
    }
}

/// The same for two unknowns, case by case: both above zero, one, the other or none.
#[inline(always)]
pub(super) fn solve_two(a: &NormalRows, w: &[Real; MOST], x: &mut [Real; MOST]) {
    let (first, coupled, second) = (a[0][0] * (1.0 + REGULAR), a[0][1], a[1][1] * (1.0 + REGULAR));
    if first <= 0.0 || second <= 0.0 {
        return;
    }
    let ratio = coupled / first;
    let change = (ratio * w[0] - w[1]) / (second - ratio * coupled).max(REGULAR * second);
    let both = [x[0] - w[0] / first - ratio * change, x[1] + change];
    if both[0] >= 0.0 && both[1] >= 0.0 {
        (x[0], x[1]) = (both[0], both[1]);
        return;
    }
    // the first alone bears if the second then parts or stays
    let alone = (x[0] - (w[0] - coupled * x[1]) / first).max(0.0);
    let noise = 1e-14 * (w[0].abs() + first * x[0]).max(w[1].abs() + second * x[1]);
    let parts = w[1] + coupled * (alone - x[0]) - a[1][1] * x[1];
    (x[0], x[1]) =
        if parts >= -noise { (alone, 0.0) } else { (0.0, (x[1] - (w[1] - coupled * x[0]) / second).max(0.0)) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_testkit::Random;

    fn block(a: NormalRows) -> NormalBlock {
        let mut block = NormalBlock::BLANK;
        block.set(a);
        block
    }

    #[test]
    fn complementary_on_random_faces() {
        let mut random = Random::new(5);
        for round in 0..2000 {
            let k = 2 + round % 3;
            // normals of one body: the rank is at most three
            let rows: Vec<[Real; 3]> =
                (0..k).map(|_| [1.0, random.range(-1.0, 1.0), random.range(-1.0, 1.0)]).collect();
            let mut a = [[0.0; MOST]; MOST];
            for i in 0..k {
                for j in 0..k {
                    a[i][j] = (0..3).map(|p| rows[i][p] * rows[j][p]).sum();
                }
            }
            // rates of a common motion, so that a solution exists whatever the rank
            let motion = [random.range(-1.0, 1.0), random.range(-1.0, 1.0), random.range(-1.0, 1.0)];
            let mut q = [0.0; MOST];
            let mut x = [0.0; MOST];
            for i in 0..k {
                q[i] = (0..3).map(|p| rows[i][p] * motion[p]).sum();
                x[i] = random.range(-1.0, 1.0).max(0.0);
            }
            let w = core::array::from_fn(|i| q[i] + (0..k).map(|j| a[i][j] * x[j]).sum::<Real>());
            match k {
                2 => solve_two(&a, &w, &mut x),
                3 => solve_normals::<3>(&mut block(a), w, &mut x),
                _ => solve_normals::<MOST>(&mut block(a), w, &mut x),
            }
            for i in 0..k {
                let w = q[i] + (0..k).map(|j| a[i][j] * x[j]).sum::<Real>();
                assert!(x[i] >= 0.0 && w > -1e-7 && (x[i] * w).abs() < 1e-7, "{round}: x {x:?} w[{i}] {w}");
            }
        }
    }

    /// A block is solved again and again, from other starts and for other velocities, and knows to which of its unknowns its factor belongs.
    #[test]
    fn a_kept_factor_gives_what_a_new_one_does() {
        let mut random = Random::new(6);
        for _ in 0..200 {
            let rows: [[Real; 3]; MOST] =
                core::array::from_fn(|_| [1.0, random.range(-1.0, 1.0), random.range(-1.0, 1.0)]);
            let a = core::array::from_fn(|i| core::array::from_fn(|j| (0..3).map(|p| rows[i][p] * rows[j][p]).sum()));
            let mut kept = block(a);
            for _ in 0..20 {
                let q = core::array::from_fn(|_| random.range(-1.0, 1.0));
                let start = core::array::from_fn(|_| random.range(-1.0, 1.0).max(0.0));
                let (mut x, mut y) = (start, start);
                solve_normals::<MOST>(&mut kept, q, &mut x);
                solve_normals::<MOST>(&mut block(a), q, &mut y);
                assert_eq!(x, y);
            }
        }
    }
}
