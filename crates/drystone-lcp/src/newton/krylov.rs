//! Restarted GMRES on a system that is known by its products alone.
use crate::buffers::{collect, copy, refill};
use crate::operator::dense::dot;

/// Directions between restarts.
const DIRECTIONS: usize = 50;
/// Restarts.
const RESTARTS: usize = 20;

/// Memory of GMRES.
#[derive(Debug, Default)]
pub(crate) struct Gmres {
    basis: Vec<Vec<f64>>,
    /// Number of its vectors that belong to the last residual.
    directions: usize,
    residual: Vec<f64>,
    /// A vector of the basis divided by the diagonal.
    scaled: Vec<f64>,
    product: Vec<f64>,
    /// Columns of the rotated Hessenberg matrix.
    hessenberg: Vec<[f64; DIRECTIONS + 1]>,
    rotations: Vec<(f64, f64)>,
}

impl Gmres {
    /// Solves H x = c from x = 0, whatever x holds, with diagonal preconditioning from the right, to `tolerance` times |c|; x is the best
    /// found in any case. `multiply(v, out)` is out = H v.
    ///
    /// # Source
    /// Saad, Schultz 1986; Saad: Iterative Methods for Sparse Linear Systems, 2003, Algorithm 6.9 and 9.5.
    pub(crate) fn solve(
        &mut self,
        diagonal: &[f64],
        c: &[f64],
        tolerance: f64,
        x: &mut Vec<f64>,
        mut multiply: impl FnMut(&[f64], &mut [f64]),
    ) {
        let n = c.len();
        refill(x, n, 0.0);
        copy(&mut self.residual, c);
        let target = tolerance * dot(c, c).sqrt();
        self.product.resize(n, 0.0);
        for _ in 0..RESTARTS {
            let size = dot(&self.residual, &self.residual).sqrt();
            if size <= target || !size.is_finite() {
                break;
            }
            let right = self.expand(size, target, diagonal, &mut multiply);
            let (weights, m) = (self.back_substitute(right), self.hessenberg.len());
            for (weight, v) in weights[..m].iter().zip(&self.basis) {
                for i in 0..n {
                    x[i] += weight * over(v[i], diagonal[i]);
                }
            }
            multiply(x, &mut self.product);
            let before = size;
            let Self { residual, product, .. } = self;
            for i in 0..n {
                residual[i] = c[i] - product[i];
            }
            if dot(residual, residual).sqrt() > 0.99 * before {
                break;
            }
        }
    }

    /// Adds a vector to the basis, divided by `over`.
    fn push(basis: &mut Vec<Vec<f64>>, directions: &mut usize, v: &[f64], over: f64) {
        if basis.len() == *directions {
            basis.push(Vec::with_capacity(v.len()));
        }
        collect(&mut basis[*directions], v.iter().map(|v| v / over));
        *directions += 1;
    }

    /// The basis of the Krylov space of the residual, of length `size`, with its Hessenberg matrix made triangular by rotations; returns the right side of
    /// the small system after these. It ends once the residual is at most `target`.
    fn expand(
        &mut self,
        size: f64,
        target: f64,
        diagonal: &[f64],
        multiply: &mut impl FnMut(&[f64], &mut [f64]),
    ) -> [f64; DIRECTIONS + 1] {
        let Self { basis, directions, residual, scaled, product, hessenberg, rotations } = self;
        hessenberg.clear();
        rotations.clear();
        *directions = 0;
        Self::push(basis, directions, residual, size);
        let mut right = [0.0; DIRECTIONS + 1];
        right[0] = size;
        for k in 0..DIRECTIONS {
            collect(scaled, basis[k].iter().zip(diagonal).map(|(v, d)| over(*v, *d)));
            multiply(scaled, product);
            // Orthogonalised by modified Gram-Schmidt.
            let mut column = [0.0; DIRECTIONS + 1];
            for (j, v) in basis[..*directions].iter().enumerate() {
                column[j] = dot(product, v);
                for (p, v) in product.iter_mut().zip(v) {
                    *p -= column[j] * v;
                }
            }
            let length = dot(product, product).sqrt();
            column[k + 1] = length;
            for (j, (c, s)) in rotations.iter().enumerate() {
                (column[j], column[j + 1]) = (c * column[j] + s * column[j + 1], c * column[j + 1] - s * column[j]);
            }
            let r = libm::hypot(column[k], column[k + 1]);
            let (c, s) = if r > 0.0 { (column[k] / r, column[k + 1] / r) } else { (1.0, 0.0) };
            rotations.push((c, s));
            (column[k], column[k + 1]) = (r, 0.0);
            (right[k], right[k + 1]) = (c * right[k], -s * right[k]);
            hessenberg.push(column);
            if length <= 1e-14 * size || right[k + 1].abs() <= target || !length.is_finite() {
                break;
            }
            Self::push(basis, directions, product, length);
        }
        right
    }

    /// Solves the triangular system.
    fn back_substitute(&self, mut weights: [f64; DIRECTIONS + 1]) -> [f64; DIRECTIONS + 1] {
        let m = self.hessenberg.len();
        for i in (0..m).rev() {
            let mut sum = weights[i];
            for j in i + 1..m {
                sum -= self.hessenberg[j][i] * weights[j];
            }
            let pivot = self.hessenberg[i][i];
            weights[i] = if pivot == 0.0 { 0.0 } else { sum / pivot };
        }
        weights
    }
}

/// An entry divided by one of the diagonal, unless that is zero.
fn over(v: f64, d: f64) -> f64 {
    if d == 0.0 { v } else { v / d }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unsymmetric_tridiagonal_system() {
        let n = 200;
        let multiply = |v: &[f64], out: &mut [f64]| {
            for i in 0..n {
                let (left, right) = (if i > 0 { v[i - 1] } else { 0.0 }, v.get(i + 1).copied().unwrap_or(0.0));
                out[i] = 3.0 * v[i] - left - 0.5 * right;
            }
        };
        let known: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
        let mut c = vec![0.0; n];
        multiply(&known, &mut c);
        let mut x = Vec::new();
        Gmres::default().solve(&vec![3.0; n], &c, 1e-12, &mut x, multiply);
        assert!(x.iter().zip(&known).all(|(a, b)| (a - b).abs() < 1e-10));
    }
}
