use crate::{DenseOperator, LcpOperator, ProblemView, operator::dense::dot};

/// The equation whose roots are the solutions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Formulation {
    /// x - clamp(x - s w, lo, hi) = 0, s_i = 1 / A_ii.
    MinimumMap,
    /// phi(x - lo, phi(hi - x, -w)) = 0, phi(a, b) = sqrt(a^2 + b^2) - a - b.
    FischerBurmeister,
    /// weight phi(a, b) - (1 - weight) a^+ b^+ where the row has one bound; as Fischer-Burmeister where it has two.
    PenalizedFischerBurmeister {
        /// Weight of phi, within (0, 1].
        weight: f64,
    },
    /// A clamp(y) + b + (y - clamp(y)) / s = 0 in y, x = clamp(y).
    NormalMap,
}

impl Formulation {
    pub(crate) const fn solver_name(self) -> &'static str {
        match self {
            Self::MinimumMap => "newton-minimum-map",
            Self::FischerBurmeister => "newton-fischer-burmeister",
            Self::PenalizedFischerBurmeister { .. } => "newton-penalized-fischer-burmeister",
            Self::NormalMap => "newton-normal-map",
        }
    }
}

/// F and an element of its generalised Jacobian, A held dense.
pub(crate) struct System<'a> {
    problem: &'a ProblemView<'a>,
    formulation: Formulation,
    a: DenseOperator,
    scale: Vec<f64>,
    parents_first: Vec<usize>,
}

/// phi(a, b) and its two derivatives.
fn fischer_burmeister(a: f64, b: f64) -> (f64, f64, f64) {
    let r = a.hypot(b);
    if r == 0.0 {
        let d = std::f64::consts::FRAC_1_SQRT_2 - 1.0;
        return (0.0, d, d);
    }
    // sqrt(a^2 + b^2) - a - b without cancellation where both are positive.
    let value = if a > 0.0 && b > 0.0 { -2.0 * a * b / (r + a + b) } else { r - a - b };
    (value, a / r - 1.0, b / r - 1.0)
}

impl<'a> System<'a> {
    pub(crate) fn new(problem: &'a ProblemView<'a>, formulation: Formulation) -> Self {
        let a = problem.operator.to_dense();
        let scale = (0..a.rows()).map(|i| if a.get(i, i) > 0.0 { 1.0 / a.get(i, i) } else { 1.0 }).collect();
        // Rows by the length of their chain of parents.
        let depth = |mut i: usize| {
            let mut depth = 0;
            while let Some(j) = problem.parent(i) {
                i = j;
                depth += 1;
            }
            depth
        };
        let mut parents_first: Vec<usize> = (0..a.rows()).collect();
        parents_first.sort_by_key(|&i| depth(i));
        Self { problem, formulation, a, scale, parents_first }
    }

    /// The unknown of the equation that belongs to a start value: x itself, or y = x - s w for the normal map.
    pub(crate) fn unknown_of(&self, x: &[f64]) -> Vec<f64> {
        if self.formulation != Formulation::NormalMap {
            return x.to_vec();
        }
        (0..x.len()).map(|i| x[i] - self.scale[i] * (dot(self.a.row(i), x) + self.problem.b[i])).collect()
    }

    /// x for an unknown, within its bounds.
    pub(crate) fn solution_of(&self, unknown: &[f64], x: &mut [f64]) {
        x.copy_from_slice(unknown);
        for &i in &self.parents_first {
            let (lo, hi) = self.problem.bounds(i, x);
            x[i] = x[i].max(lo).min(hi);
        }
    }

    pub(crate) fn evaluate(&self, unknown: &[f64], f: &mut [f64], jacobian: Option<&mut DenseOperator>) {
        if self.formulation == Formulation::NormalMap {
            self.normal_map(unknown, f, jacobian);
        } else {
            self.row_wise(unknown, f, jacobian);
        }
    }

    fn row_wise(&self, x: &[f64], f: &mut [f64], mut jacobian: Option<&mut DenseOperator>) {
        for i in 0..x.len() {
            let s = self.scale[i];
            let w = s * (dot(self.a.row(i), x) + self.problem.b[i]);
            let (lo, hi) = self.problem.bounds(i, x);
            // Weights of the gradients of x_i, w_i, lo_i and hi_i in that of F_i.
            let (value, dx, dw, dlo, dhi) = self.row(x[i], w, lo, hi);
            f[i] = value;
            if let Some(jacobian) = jacobian.as_deref_mut() {
                let row = jacobian.row_mut(i);
                for (target, a) in row.iter_mut().zip(self.a.row(i)) {
                    *target = dw * s * a;
                }
                row[i] += dx;
                if let Some(j) = self.problem.parent(i)
                    && x[j] > 0.0
                {
                    row[j] += self.problem.mu[i] * (dhi - dlo);
                }
            }
        }
    }

    fn row(&self, x: f64, w: f64, lo: f64, hi: f64) -> (f64, f64, f64, f64, f64) {
        if self.formulation == Formulation::MinimumMap {
            return if x - w < lo {
                (x - lo, 1.0, 0.0, -1.0, 0.0)
            } else if x - w > hi {
                (x - hi, 1.0, 0.0, 0.0, -1.0)
            } else {
                (w, 0.0, 1.0, 0.0, 0.0)
            };
        }
        match (lo.is_finite(), hi.is_finite()) {
            (true, false) => {
                let (value, da, db) = self.one_sided(x - lo, w);
                (value, da, db, -da, 0.0)
            }
            (false, true) => {
                let (value, da, db) = self.one_sided(hi - x, -w);
                (value, -da, -db, 0.0, da)
            }
            (false, false) => (w, 0.0, 1.0, 0.0, 0.0),
            (true, true) => {
                let (inner, ia, ib) = fischer_burmeister(hi - x, -w);
                let (value, da, db) = fischer_burmeister(x - lo, inner);
                (value, da - db * ia, -db * ib, -da, db * ia)
            }
        }
    }

    fn one_sided(&self, a: f64, b: f64) -> (f64, f64, f64) {
        let (value, da, db) = fischer_burmeister(a, b);
        let Formulation::PenalizedFischerBurmeister { weight } = self.formulation else {
            return (value, da, db);
        };
        let (pa, pb, rest) = (a.max(0.0), b.max(0.0), 1.0 - weight);
        let on = |v: f64| if v > 0.0 { 1.0 } else { 0.0 };
        (weight * value - rest * pa * pb, weight * da - rest * on(a) * pb, weight * db - rest * on(b) * pa)
    }

    fn normal_map(&self, y: &[f64], f: &mut [f64], jacobian: Option<&mut DenseOperator>) {
        let n = y.len();
        let mut x = vec![0.0; n];
        self.solution_of(y, &mut x);
        for i in 0..n {
            f[i] = self.scale[i] * (dot(self.a.row(i), &x) + self.problem.b[i]) + y[i] - x[i];
        }
        let Some(jacobian) = jacobian else { return };
        // dx_i / dy = slope e_root.
        let mut root: Vec<usize> = (0..n).collect();
        let mut slope = vec![1.0; n];
        for &i in &self.parents_first {
            let (lo, hi) = self.problem.bounds(i, &x);
            if y[i] >= lo && y[i] <= hi {
                continue;
            }
            slope[i] = 0.0;
            if let Some(j) = self.problem.parent(i)
                && x[j] > 0.0
            {
                let side = if y[i] > hi { self.problem.mu[i] } else { -self.problem.mu[i] };
                (root[i], slope[i]) = (root[j], side * slope[j]);
            }
        }
        for i in 0..n {
            let row = jacobian.row_mut(i);
            row.fill(0.0);
            for (j, &a) in self.a.row(i).iter().enumerate() {
                row[root[j]] += self.scale[i] * a * slope[j];
            }
            row[i] += 1.0;
            row[root[i]] -= slope[i];
        }
    }
}
