/// Stands for a body that cannot be moved, in [`FactoredRow::bodies`].
pub const NO_BODY: u32 = u32::MAX;

/// One row of J and what the inner loop needs of W J^T.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FactoredRow {
    /// The bodies a and b that the row touches; [`NO_BODY`] if there is none or it cannot be moved.
    pub bodies: [u32; 2],
    /// The row's blocks of J for a and b: three linear, then three angular entries; zero for [`NO_BODY`].
    pub jacobian: [[f64; 6]; 2],
    /// The row's blocks of J W.
    pub weighted: [[f64; 6]; 2],
    /// A_ii, `cfm` included.
    pub diagonal: f64,
    /// Regularisation added to A_ii (constraint force mixing), >= 0.
    pub cfm: f64,
}

impl FactoredRow {
    /// (A x)_i of its own x_i, from the accumulator.
    #[inline(always)]
    pub(super) fn dot(&self, x: f64, acc: &[f64]) -> f64 {
        Self::dots(core::array::from_ref(self), &[x], acc)[0]
    }

    /// The same for rows that touch the same bodies: each body is read once.
    #[inline(always)]
    pub(super) fn dots<const N: usize>(rows: &[Self; N], x: &[f64; N], acc: &[f64]) -> [f64; N] {
        let velocities = acc.as_chunks::<6>().0;
        let mut sums: [f64; N] = core::array::from_fn(|k| rows[k].cfm * x[k]);
        for (side, body) in rows[0].bodies.into_iter().enumerate() {
            if let Some(v) = velocities.get(body as usize) {
                for (sum, row) in sums.iter_mut().zip(rows) {
                    *sum += six_dot(&row.jacobian[side], v);
                }
            }
        }
        sums
    }

    /// Tells the accumulator that x_i has grown by dx.
    #[inline(always)]
    pub(super) fn bump(&self, dx: f64, acc: &mut [f64]) {
        Self::bump_together(core::array::from_ref(self), &[dx], acc);
    }

    /// The same for rows that touch the same bodies, in their order: each body is read and written once, and no row waits for the previous row's write.
    #[inline(always)]
    pub(super) fn bump_together<const N: usize>(rows: &[Self; N], dx: &[f64; N], acc: &mut [f64]) {
        let velocities = acc.as_chunks_mut::<6>().0;
        for (side, body) in rows[0].bodies.into_iter().enumerate() {
            if let Some(v) = velocities.get_mut(body as usize) {
                // all are read before any is written: the compiler cannot know that rows and accumulator do not overlap
                let mut changed = *v;
                for (row, dx) in rows.iter().zip(dx) {
                    for k in 0..6 {
                        changed[k] += row.weighted[side][k] * dx;
                    }
                }
                *v = changed;
            }
        }
    }
}

/// The first three rows, if they touch the same bodies, as in a ball joint or a contact.
#[inline(always)]
fn first_three(rows: &[FactoredRow]) -> Option<&[FactoredRow; 3]> {
    rows.first_chunk().filter(|[a, b, c]| a.bodies == b.bodies && b.bodies == c.bodies)
}

/// Tells the accumulator of all rows' x, in their order.
#[inline(always)]
pub(super) fn bump_all(rows: &[FactoredRow], x: &[f64], acc: &mut [f64]) {
    let count = rows.len().min(x.len());
    let (rows, x) = (&rows[..count], &x[..count]);
    let mut k = 0;
    while k < count {
        if let (Some(three), Some(x)) = (first_three(&rows[k..]), x[k..].first_chunk()) {
            if *x != [0.0; 3] {
                FactoredRow::bump_together(three, x, acc);
            }
            k += 3;
        } else {
            if x[k] != 0.0 {
                rows[k].bump(x[k], acc);
            }
            k += 1;
        }
    }
}

/// Writes w = A x + b of all rows, from the accumulator of x.
#[inline(always)]
pub(super) fn write_rates(rows: &[FactoredRow], x: &[f64], b: &[f64], (acc, w): (&[f64], &mut [f64])) {
    let count = rows.len().min(x.len()).min(b.len()).min(w.len());
    let (rows, x, b, w) = (&rows[..count], &x[..count], &b[..count], &mut w[..count]);
    let mut k = 0;
    while k < count {
        if let (Some(three), Some(x), Some(b), Some(w)) =
            (first_three(&rows[k..]), x[k..].first_chunk(), b[k..].first_chunk::<3>(), w[k..].first_chunk_mut::<3>())
        {
            let sums = FactoredRow::dots(three, x, acc);
            *w = core::array::from_fn(|i| sums[i] + b[i]);
            k += 3;
        } else {
            w[k] = rows[k].dot(x[k], acc) + b[k];
            k += 1;
        }
    }
}

/// Three pairs of products, added pairwise: short chains, and two lanes at a time on any x86-64.
#[inline(always)]
pub(crate) fn six_dot(a: &[f64; 6], b: &[f64; 6]) -> f64 {
    let even = (a[0] * b[0] + a[2] * b[2]) + a[4] * b[4];
    let odd = (a[1] * b[1] + a[3] * b[3]) + a[5] * b[5];
    even + odd
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SplitMix64;

    /// One to seven rows on each pair in a chain of bodies whose first link hangs from nothing: taken
    /// three at a time or one at a time, all bits equal those of row after row.
    #[test]
    fn rows_taken_together_have_the_bits_of_rows_one_by_one() {
        let mut random = SplitMix64::new(3);
        let mut block = || [0; 6].map(|_| random.range(-1.0, 1.0));
        let mut rows = Vec::new();
        for k in 0..7 {
            let bodies = if k == 0 { [NO_BODY, 0] } else { [k - 1, k] };
            for _ in 0..=k {
                let (jacobian, weighted) = ([block(), block()], [block(), block()]);
                rows.push(FactoredRow { bodies, jacobian, weighted, diagonal: 2.0, cfm: 0.1 });
            }
        }
        // some multipliers are zero, and so are three in a row for the last pair
        let x: Vec<f64> = (0..rows.len()).map(|k| if k % 4 == 1 || k > 24 { 0.0 } else { block()[0] }).collect();
        let b: Vec<f64> = x.iter().map(|_| block()[1]).collect();
        let (mut together, mut one_by_one) = ([0.0; 42], [0.0; 42]);
        bump_all(&rows, &x, &mut together);
        rows.iter().zip(&x).for_each(|(row, x)| row.bump(*x, &mut one_by_one));
        assert_eq!(together.map(f64::to_bits), one_by_one.map(f64::to_bits));
        let mut w = vec![0.0; rows.len()];
        write_rates(&rows, &x, &b, (&together, &mut w));
        for (k, w) in w.iter().enumerate() {
            let sides = rows[k].bodies.into_iter().zip(&rows[k].jacobian).filter(|(body, _)| *body != NO_BODY);
            let parts = sides.map(|(body, j)| six_dot(j, &one_by_one.as_chunks::<6>().0[body as usize]));
            let alone = parts.fold(rows[k].cfm * x[k], |sum, part| sum + part) + b[k];
            assert_eq!(w.to_bits(), alone.to_bits(), "{k}");
        }
    }
}
