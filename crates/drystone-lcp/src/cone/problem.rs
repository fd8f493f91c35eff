use super::projection::project_on_cone;
use crate::buffers::refill;
use crate::{LcpError, Operator};

/// Frictional contact with Coulomb's cone, de Saxce form: u = M r + q, and per contact
/// `K* contains u + mu |u_t| n, orthogonal to r in K`, K = { |r_t| <= mu r_n }.
///
/// Rows come per contact: the normal first, then the `dimension - 1` tangents. M need not be symmetric.
#[derive(Debug)]
pub struct ConeProblem {
    /// M, (dimension x contacts) square.
    pub operator: Operator,
    /// q, one entry per row: the velocities without any contact impulse.
    pub q: Vec<f64>,
    /// Friction coefficient per contact, >= 0.
    pub mu: Vec<f64>,
    /// Rows per contact: 3, or 2 for planar contact.
    pub dimension: usize,
}

impl ConeProblem {
    /// Number of contacts.
    pub fn contacts(&self) -> usize {
        self.mu.len()
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.q.len()
    }

    /// Checks sizes and numbers.
    ///
    /// # Errors
    /// The first fault found, as [`LcpError`].
    pub fn validate(&self) -> Result<(), LcpError> {
        if self.dimension != 2 && self.dimension != 3 {
            return Err(LcpError::Size { what: "a contact", expected: 3, found: self.dimension });
        }
        let rows = self.dimension * self.mu.len();
        if self.q.len() != rows {
            return Err(LcpError::Size { what: "q", expected: rows, found: self.q.len() });
        }
        if self.operator.view().rows() != rows {
            return Err(LcpError::Size { what: "M", expected: rows, found: self.operator.view().rows() });
        }
        for (index, &value) in self.q.iter().enumerate() {
            if !value.is_finite() {
                return Err(LcpError::NonFinite { what: "q", index, value });
            }
        }
        for (row, &value) in self.mu.iter().enumerate() {
            if !value.is_finite() {
                return Err(LcpError::NonFinite { what: "mu", index: row, value });
            }
            if value < 0.0 {
                return Err(LcpError::NegativeFriction { row, value });
            }
        }
        let mut u = vec![0.0; rows];
        self.velocities(&vec![1.0; rows], &mut u);
        for (index, &value) in u.iter().enumerate() {
            if !value.is_finite() {
                return Err(LcpError::NonFinite { what: "M 1 + q", index, value });
            }
        }
        Ok(())
    }

    /// u = M r + q.
    pub fn velocities(&self, r: &[f64], u: &mut [f64]) {
        self.velocities_with(r, &mut Vec::new(), u);
    }

    /// The same, with memory for the accumulator.
    pub(crate) fn velocities_with(&self, r: &[f64], accumulator: &mut Vec<f64>, u: &mut [f64]) {
        let operator = self.operator.view();
        refill(accumulator, operator.accumulator_len(), 0.0);
        operator.apply(r, accumulator, u);
        for (u, q) in u.iter_mut().zip(&self.q) {
            *u += q;
        }
    }

    /// The rows of contact c as three numbers; a planar contact's third is 0.
    pub(crate) fn triple(&self, values: &[f64], c: usize) -> [f64; 3] {
        let d = self.dimension;
        let at = &values[c * d..c * d + d];
        [at[0], at[1], if d == 3 { at[2] } else { 0.0 }]
    }

    /// Writes contact c's rows.
    pub(crate) fn set_triple(&self, values: &mut [f64], c: usize, triple: [f64; 3]) {
        let d = self.dimension;
        values[c * d..c * d + d].copy_from_slice(&triple[..d]);
    }

    /// The diagonal block of contact c, 3 x 3; a planar contact's third row is that of the identity.
    pub(crate) fn block(&self, c: usize) -> [[f64; 3]; 3] {
        let d = self.dimension;
        let mut block = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
        for (i, row) in block.iter_mut().enumerate().take(d) {
            for (j, entry) in row.iter_mut().enumerate().take(d) {
                *entry = self.operator.view().entry(c * d + i, c * d + j);
            }
        }
        block
    }
}

/// The natural-map residual of cone problems, infinity norm: max over contacts of |r - P(r - (u + mu |u_t| n))|, P the projection on
/// |r_t| <= mu r_n, with u = M r + q recomputed. Zero exactly at the solutions; absolute; NaN if r or u is not finite.
pub fn cone_residual(problem: &ConeProblem, r: &[f64]) -> f64 {
    ConeResidual::default().of(problem, r)
}

/// Memory for [`cone_residual`].
#[derive(Debug, Default)]
pub(crate) struct ConeResidual {
    /// M r + q of the last evaluation.
    pub(crate) u: Vec<f64>,
    accumulator: Vec<f64>,
}

impl ConeResidual {
    pub(crate) fn of(&mut self, problem: &ConeProblem, r: &[f64]) -> f64 {
        refill(&mut self.u, r.len(), 0.0);
        problem.velocities_with(r, &mut self.accumulator, &mut self.u);
        cone_residual_at(problem, r, &self.u)
    }
}

/// [`cone_residual`] for known u.
pub(crate) fn cone_residual_at(problem: &ConeProblem, r: &[f64], u: &[f64]) -> f64 {
    let mut worst = 0.0_f64;
    for (c, &mu) in problem.mu.iter().enumerate() {
        let (r, u) = (problem.triple(r, c), problem.triple(u, c));
        let target = [r[0] - (u[0] + mu * libm::hypot(u[1], u[2])), r[1] - u[1], r[2] - u[2]];
        let p = project_on_cone(target, mu);
        for k in 0..3 {
            let gap = (r[k] - p[k]).abs();
            if gap.is_nan() || u[k].is_nan() {
                return f64::NAN;
            }
            worst = worst.max(gap);
        }
    }
    worst
}

/// The largest violation of |r_t| <= mu r_n over the contacts, 0 if all lie in their cones.
pub fn cone_violation(problem: &ConeProblem, r: &[f64]) -> f64 {
    let mut worst = 0.0_f64;
    for (c, &mu) in problem.mu.iter().enumerate() {
        let r = problem.triple(r, c);
        worst = worst.max(libm::hypot(r[1], r[2]) - mu * r[0].max(0.0)).max(-r[0]);
    }
    worst
}
