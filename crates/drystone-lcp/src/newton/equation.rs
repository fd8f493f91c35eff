use crate::buffers::{collect, copy, refill};
use crate::{DenseOperator, ProblemView};

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

/// F and an element H of its generalised Jacobian. H is kept as weights: a row of a formulation in x is alpha e_i + beta A_i + gamma e_parent; of the
/// normal map, s A_i S + (1 - S)_i, (S y)_i = alpha y_root.
pub(crate) struct System<'a> {
    problem: &'a ProblemView<'a>,
    formulation: Formulation,
    scale: &'a mut Vec<f64>,
    parents_first: &'a mut Vec<usize>,
    alpha: &'a mut Vec<f64>,
    beta: &'a mut Vec<f64>,
    gamma: &'a mut Vec<f64>,
    root: &'a mut Vec<usize>,
    accumulator: &'a mut Vec<f64>,
    product: &'a mut Vec<f64>,
    x: &'a mut Vec<f64>,
}

/// Buffers of the equations between solves.
#[derive(Debug, Default)]
pub(crate) struct SystemWorkspace {
    scale: Vec<f64>,
    parents_first: Vec<usize>,
    /// alpha, beta, gamma, a product and x.
    columns: [Vec<f64>; 5],
    root: Vec<usize>,
    accumulator: Vec<f64>,
}

/// phi(a, b) and its two derivatives.
fn fischer_burmeister(a: f64, b: f64) -> (f64, f64, f64) {
    let r = libm::hypot(a, b);
    if r == 0.0 {
        let d = std::f64::consts::FRAC_1_SQRT_2 - 1.0;
        return (0.0, d, d);
    }
    // sqrt(a^2 + b^2) - a - b without cancellation where both are positive.
    let value = if a > 0.0 && b > 0.0 { -2.0 * a * b / (r + a + b) } else { r - a - b };
    (value, a / r - 1.0, b / r - 1.0)
}

/// The x within its bounds nearest to y.
fn within_bounds(problem: &ProblemView<'_>, parents_first: &[usize], y: &[f64], x: &mut [f64]) {
    x.copy_from_slice(y);
    for &i in parents_first {
        let (lo, hi) = problem.bounds(i, x);
        x[i] = x[i].max(lo).min(hi);
    }
}

impl<'a> System<'a> {
    pub(crate) fn new(
        problem: &'a ProblemView<'a>,
        formulation: Formulation,
        workspace: &'a mut SystemWorkspace,
    ) -> Self {
        let SystemWorkspace { scale, parents_first, columns, root, accumulator } = workspace;
        let n = problem.len();
        let inverse = |d: f64| if d > 0.0 { 1.0 / d } else { 1.0 };
        collect(scale, (0..n).map(|i| inverse(problem.operator.diagonal(i))));
        // Rows by the length of their chain of parents.
        let depth = |mut i: usize| {
            let mut depth = 0;
            while let Some(j) = problem.parent(i) {
                i = j;
                depth += 1;
            }
            depth
        };
        collect(parents_first, 0..n);
        parents_first.sort_unstable_by_key(|&i| (depth(i), i));
        collect(root, 0..n);
        refill(accumulator, problem.operator.accumulator_len(), 0.0);
        for column in &mut *columns {
            refill(column, n, 0.0);
        }
        let [alpha, beta, gamma, product, x] = columns;
        Self { problem, formulation, scale, parents_first, alpha, beta, gamma, root, accumulator, product, x }
    }

    /// The unknown of the equation that belongs to a start value: x itself, or y = x - s w for the normal map.
    pub(crate) fn unknown_of(&mut self, x: &[f64], unknown: &mut Vec<f64>) {
        if self.formulation != Formulation::NormalMap {
            copy(unknown, x);
            return;
        }
        self.problem.operator.apply(x, self.accumulator, self.product);
        collect(unknown, (0..x.len()).map(|i| x[i] - self.scale[i] * (self.product[i] + self.problem.b[i])));
    }

    /// x for an unknown, within its bounds.
    pub(crate) fn solution_of(&self, unknown: &[f64], x: &mut [f64]) {
        within_bounds(self.problem, self.parents_first, unknown, x);
    }

    /// F, and the weights of H there.
    pub(crate) fn evaluate(&mut self, unknown: &[f64], f: &mut [f64]) {
        if self.formulation == Formulation::NormalMap {
            self.normal_map(unknown, f);
            return;
        }
        self.problem.operator.apply(unknown, self.accumulator, self.product);
        for i in 0..unknown.len() {
            let s = self.scale[i];
            let w = s * (self.product[i] + self.problem.b[i]);
            let (lo, hi) = self.problem.bounds(i, unknown);
            // Weights of the gradients of x_i, w_i, lo_i and hi_i in that of F_i.
            let (value, dx, dw, dlo, dhi) = self.row(unknown[i], w, lo, hi);
            f[i] = value;
            (self.alpha[i], self.beta[i]) = (dx, dw * s);
            self.gamma[i] = match self.problem.parent(i) {
                Some(j) if unknown[j] > 0.0 => self.problem.mu[i] * (dhi - dlo),
                _ => 0.0,
            };
        }
    }

    /// H of the last evaluation, entry by entry.
    pub(crate) fn fill(&self, a: &DenseOperator, jacobian: &mut DenseOperator) {
        let (root, alpha) = (&**self.root, &**self.alpha);
        for i in 0..self.scale.len() {
            let row = jacobian.row_mut(i);
            if self.formulation == Formulation::NormalMap {
                row.fill(0.0);
                let scale = self.scale[i];
                for (&a, (&root, alpha)) in a.row(i).iter().zip(root.iter().zip(alpha)) {
                    row[root] += scale * a * alpha;
                }
                row[i] += 1.0;
                row[self.root[i]] -= self.alpha[i];
            } else {
                let beta = self.beta[i];
                for (target, a) in row.iter_mut().zip(a.row(i)) {
                    *target = beta * a;
                }
                row[i] += self.alpha[i];
                if let Some(j) = self.problem.parent(i) {
                    row[j] += self.gamma[i];
                }
            }
        }
    }

    /// out = H v for H of the last evaluation: one product with A.
    pub(crate) fn multiply(&mut self, v: &[f64], out: &mut [f64]) {
        if self.formulation == Formulation::NormalMap {
            for (i, x) in self.x.iter_mut().enumerate() {
                *x = self.alpha[i] * v[self.root[i]];
            }
            self.problem.operator.apply(self.x, self.accumulator, out);
            for i in 0..v.len() {
                out[i] = self.scale[i] * out[i] + v[i] - self.x[i];
            }
            return;
        }
        self.problem.operator.apply(v, self.accumulator, out);
        for i in 0..v.len() {
            out[i] = self.alpha[i] * v[i] + self.beta[i] * out[i];
            if let Some(j) = self.problem.parent(i) {
                out[i] += self.gamma[i] * v[j];
            }
        }
    }

    /// The diagonal of H of the last evaluation, without the coupling of a row to its parent.
    pub(crate) fn diagonal(&self, out: &mut Vec<f64>) {
        out.clear();
        for i in 0..self.scale.len() {
            let a = self.problem.operator.diagonal(i);
            out.push(if self.formulation == Formulation::NormalMap {
                if self.root[i] == i { 1.0 + (self.scale[i] * a - 1.0) * self.alpha[i] } else { 1.0 }
            } else {
                self.alpha[i] + self.beta[i] * a
            });
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

    fn normal_map(&mut self, y: &[f64], f: &mut [f64]) {
        let n = y.len();
        within_bounds(self.problem, self.parents_first, y, self.x);
        let x = &*self.x;
        self.problem.operator.apply(x, self.accumulator, self.product);
        for i in 0..n {
            f[i] = self.scale[i] * (self.product[i] + self.problem.b[i]) + y[i] - x[i];
            (self.root[i], self.alpha[i]) = (i, 1.0);
        }
        // dx_i / dy = alpha e_root.
        for &i in &*self.parents_first {
            let (lo, hi) = self.problem.bounds(i, x);
            if y[i] >= lo && y[i] <= hi {
                continue;
            }
            self.alpha[i] = 0.0;
            if let Some(j) = self.problem.parent(i)
                && x[j] > 0.0
            {
                let side = if y[i] > hi { self.problem.mu[i] } else { -self.problem.mu[i] };
                (self.root[i], self.alpha[i]) = (self.root[j], side * self.alpha[j]);
            }
        }
    }
}
