//! Dense direct solution: products in tiles, Cholesky's factorisation, L U with partial pivoting.
//!
//! Every entry is the same sum in the same order, whatever vector registers the processor has, so its bits are the same on all of them.
pub(crate) mod cholesky;
pub(crate) mod lu;
pub(crate) mod product;

/// Columns of a block; everything to its left and right is updated by products.
const BLOCK: usize = 32;

#[cfg(test)]
mod tests {
    use super::cholesky::Lower;
    use super::lu::Lu;
    use super::product::Product;
    use crate::SplitMix64;
    use faer::linalg::solvers::Solve;

    /// Sizes around the boundaries of tiles, strips and blocks.
    const SIZES: [usize; 12] = [1, 2, 3, 8, 9, 31, 32, 33, 64, 65, 100, 161];

    fn square(n: usize, seed: u64) -> Vec<f64> {
        let mut random = SplitMix64::new(seed);
        (0..n * n).map(|_| random.range(-1.0, 1.0)).collect()
    }

    /// M M^T / n + I, in rows `stride` apart; the entries between them are NaN.
    fn positive(n: usize, stride: usize) -> Vec<f64> {
        let m = square(n, n as u64);
        let mut a = vec![f64::NAN; n * stride];
        for i in 0..n {
            for j in 0..=i {
                let sum: f64 = (0..n).map(|k| m[i * n + k] * m[j * n + k]).sum();
                a[i * stride + j] = sum / n as f64 + f64::from(u8::from(i == j));
            }
        }
        a
    }

    fn factored(n: usize, entries: &[f64]) -> Lu {
        let mut lu = Lu::default();
        lu.factor(n, |own| own.extend_from_slice(entries));
        lu
    }

    fn near(found: f64, expected: f64, what: &str) {
        assert!((found - expected).abs() < 1e-11 * (1.0 + expected.abs()), "{what}: {found} for {expected}");
    }

    #[test]
    fn the_lower_factor_is_a_librarys() {
        for n in SIZES {
            let stride = n + 3;
            let (a, mut l) = (positive(n, stride), positive(n, stride));
            let lower = Lower { stride, rows: n };
            assert!(lower.factor(&mut l, &mut Product::default()));
            let expected =
                faer::Mat::from_fn(n, n, |i, j| a[i.max(j) * stride + i.min(j)]).llt(faer::Side::Lower).unwrap();
            for i in 0..n {
                for j in 0..=i {
                    near(l[i * stride + j], expected.L()[(i, j)], &format!("{n}: L[{i}, {j}]"));
                }
            }
            // three systems at once, one by one, and back
            let right = square(n, 7)[..n].to_vec();
            let mut rows = [right.clone(), vec![0.0; n], right.iter().map(|v| -2.0 * v).collect()].concat();
            lower.solve_rows(&l, &mut rows, 3, &mut Product::default());
            let mut y = right.clone();
            lower.forward(&l, &mut y);
            for i in 0..n {
                near(rows[i], y[i], "side by side");
                assert_eq!(rows[n + i], 0.0);
                near(rows[2 * n + i], -2.0 * y[i], "side by side, scaled");
            }
            lower.backward(&l, &mut y);
            let x = expected.solve(faer::Mat::from_fn(n, 1, |i, _| right[i]));
            (0..n).for_each(|i| near(y[i], x[(i, 0)], "solution"));
        }
    }

    #[test]
    fn what_is_not_positive_definite_is_refused_wherever_it_breaks_down() {
        for (n, at) in [(1, 0), (40, 0), (40, 31), (40, 32), (40, 39)] {
            for bad in [-1e3, 0.0, f64::NAN, f64::INFINITY] {
                let mut a = positive(n, n);
                a[at * n + at] = bad;
                assert!(!Lower { stride: n, rows: n }.factor(&mut a, &mut Product::default()), "{bad} at {at} of {n}");
            }
        }
    }

    #[test]
    fn rows_are_exchanged_and_systems_solved_as_by_a_library() {
        for n in SIZES {
            let mut a = square(n, 3 * n as u64);
            if n > 1 {
                a[0] = 0.0; // without exchanges it would end here
            }
            let expected = faer::MatRef::from_row_major_slice(&a, n, n).partial_piv_lu();
            let right = square(n, 11)[..n].to_vec();
            let x = expected.solve(faer::Mat::from_fn(n, 1, |i, _| right[i]));
            let mut lu = factored(n, &a);
            let mut y = right.clone();
            lu.solve(&mut y);
            let size = (0..n).fold(1.0_f64, |m, i| m.max(x[(i, 0)].abs()));
            (0..n).for_each(|i| near(y[i] / size, x[(i, 0)] / size, "solution"));
            let mut inverse = Vec::new();
            lu.inverse(&mut inverse);
            for i in 0..n {
                let sum: f64 = (0..n).map(|j| inverse[i * n + j] * right[j]).sum();
                near(sum / size, y[i] / size, "inverse");
            }
            let u = expected.U();
            let (least, most) = lu.pivots();
            near(least, (0..n).fold(f64::INFINITY, |m, i| m.min(u[(i, i)].abs())), "least pivot");
            near(most, (0..n).fold(0.0, |m, i| m.max(u[(i, i)].abs())), "largest pivot");
        }
    }

    #[test]
    fn a_singular_matrix_shows_in_its_pivots() {
        for n in [2, 33, 70] {
            let mut a = square(n, 5);
            let row = a[..n].to_vec();
            a[(n - 1) * n..].copy_from_slice(&row);
            let (least, most) = factored(n, &a).pivots();
            assert!(least.is_nan() || least <= 1e-12 * most, "{least} of {most}");
        }
        let mut zero = factored(2, &[0.0; 4]);
        let mut x = [1.0, 1.0];
        zero.solve(&mut x);
        assert!(x.iter().any(|x| !x.is_finite()));
    }
}
