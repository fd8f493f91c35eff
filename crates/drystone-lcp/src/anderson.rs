//! Acceleration of fixed-point iterations.
use crate::DenseOperator;
use crate::buffers::{collect, copy};
use crate::linear::DenseSystems;
use crate::operator::dense::dot;

/// Steps that are remembered.
const MEMORY: usize = 10;
/// Regularisation of the small least-squares problem, relative to the trace of its matrix.
const DAMPING: f64 = 1e-12;
/// An accelerated point whose fixed-point error has grown by more than this factor is discarded.
const GROWTH: f64 = 2.0;

/// Anderson's acceleration of u <- G(u), type II, with plain steps instead of accelerated ones that went wrong.
///
/// # Source
/// Anderson 1965; Walker, Ni 2011; for operator splitting with a safeguard Zhang, O'Donoghue, Boyd 2020.
#[derive(Debug, Default)]
pub(crate) struct Anderson {
    /// The changes from one iteration to the next, the oldest first.
    changes: Vec<Change>,
    /// Number of them in use; the rest is spare memory.
    remembered: usize,
    error: Vec<f64>,
    last_image: Vec<f64>,
    last_error: Vec<f64>,
    last_size: f64,
    /// Next iterate of the plain iteration.
    plain: Vec<f64>,
    accelerated: bool,
    gram: DenseOperator,
    right: Vec<f64>,
    weights: Vec<f64>,
    systems: DenseSystems,
}

/// Changes of G(u) and of G(u) - u.
#[derive(Debug, Default)]
struct Change {
    image: Vec<f64>,
    error: Vec<f64>,
}

impl Anderson {
    /// Forgets everything: the map has changed.
    pub(crate) fn reset(&mut self) {
        self.remembered = 0;
        self.last_image.clear();
        self.accelerated = false;
    }

    /// Replaces u by the next point, given `image` = G(u).
    pub(crate) fn next(&mut self, u: &mut [f64], image: &[f64]) {
        collect(&mut self.error, image.iter().zip(&*u).map(|(g, u)| g - u));
        let size = dot(&self.error, &self.error).sqrt();
        if self.accelerated && (size.is_nan() || size > GROWTH * self.last_size) {
            u.copy_from_slice(&self.plain);
            self.reset();
            return;
        }
        if !self.last_image.is_empty() {
            self.remember(image);
        }
        u.copy_from_slice(image);
        copy(&mut self.plain, image);
        // The combination of past changes that would have left the least error.
        let Self { changes, remembered, error, gram, right, weights, systems, .. } = self;
        let changes = &changes[..*remembered];
        let m = changes.len();
        gram.reset(m);
        let mut trace = 0.0;
        for i in 0..m {
            for j in 0..=i {
                let value = dot(&changes[i].error, &changes[j].error);
                gram.set(i, j, value);
                gram.set(j, i, value);
            }
            trace += gram.get(i, i);
        }
        for i in 0..m {
            gram.set(i, i, gram.get(i, i) + DAMPING * trace);
        }
        collect(right, changes.iter().map(|c| dot(&c.error, error)));
        if !systems.solve(gram, right, weights) {
            weights.clear();
        }
        for (weight, change) in weights.iter().zip(changes) {
            for (u, c) in u.iter_mut().zip(&change.image) {
                *u -= weight * c;
            }
        }
        self.accelerated = !weights.is_empty();
        copy(&mut self.last_image, image);
        std::mem::swap(&mut self.last_error, &mut self.error);
        self.last_size = size;
    }

    /// Keeps the last change in place of the oldest.
    fn remember(&mut self, image: &[f64]) {
        if self.remembered == MEMORY {
            self.changes[..MEMORY].rotate_left(1);
        } else {
            self.remembered += 1;
        }
        if self.changes.len() < self.remembered {
            self.changes.push(Change::default());
        }
        let newest = &mut self.changes[self.remembered - 1];
        collect(&mut newest.image, image.iter().zip(&self.last_image).map(|(a, b)| a - b));
        collect(&mut newest.error, self.error.iter().zip(&self.last_error).map(|(a, b)| a - b));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_linear_map_is_solved_in_as_many_steps_as_it_has_dimensions() {
        // Contraction by 0.999 at worst: plain steps would take tens of thousands.
        let map = |u: &[f64]| vec![0.999 * u[0] + 1.0, 0.9 * u[1] - 2.0, -0.5 * u[2] + 0.1 * u[0]];
        let mut u = vec![0.0; 3];
        let mut anderson = Anderson::default();
        for _ in 0..9 {
            let image = map(&u);
            anderson.next(&mut u, &image);
        }
        assert!((u[0] - 1000.0).abs() < 1e-3 && (u[1] + 20.0).abs() < 1e-5, "{u:?}");
    }
}
