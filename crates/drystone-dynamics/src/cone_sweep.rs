use crate::ConstraintRows;
use crate::contact_rows::ContactRows;
use drystone_lcp::{FactoredOperator, LcpOperator, project_on_cone, solve_contact};
use drystone_math::elementary::hypot;
use drystone_math::{Real, bounded};

/// Nonsmooth Gauss-Seidel over contacts with Coulomb's cone: each contact is solved exactly with all
/// else held, isotropic or elliptic.
///
/// With a grain the cone is an ellipse in the tangents. With impulses divided and velocities multiplied by the
/// coefficients it is the circle of coefficient one, and the law of greatest dissipation is unchanged.
///
/// # Cost
/// Three row products per contact and sweep, and a scalar search for each contact that slides. No allocation when warm.
///
/// # When it fails
/// As Gauss-Seidel: slow in tall stacks and at large mass ratios.
///
/// # Source
/// Jean 1999, The non-smooth contact dynamics method; Acary, Bremond, Huber 2018. Erleben 2005, 4.2.3, describes the cone and gives it
/// up for the pyramid.
#[derive(Debug, Default)]
pub(crate) struct ConeSweep {
    accumulator: Vec<Real>,
    blocks: Vec<[[Real; 3]; 3]>,
}

/// Number of sweeps between two evaluations of the residual.
const MEASURED_EVERY: usize = 4;

/// The data that a sweep reads.
struct Problem<'a> {
    operator: &'a FactoredOperator,
    b: &'a [Real],
    mu: &'a [Real],
    contacts: &'a [ContactRows],
}

impl ConeSweep {
    /// Solves the rows; `x` is first the start value and then the answer. Returns the number of sweeps and the residual.
    ///
    /// The residual is the natural map's, infinity norm: `r - P(r - (u + |u_t| n))` of the contacts (de Saxce's form, tangents
    /// scaled by their coefficients).
    pub(crate) fn solve(&mut self, rows: &mut ConstraintRows, iterations: usize, tolerance: Real) -> (usize, Real) {
        let ConstraintRows { operator, b, mu, contacts, x, .. } = rows;
        let problem = Problem { operator, b, mu, contacts };
        self.blocks.clear();
        self.blocks.extend(contacts.iter().map(|c| problem.block(*c)));
        self.accumulator.clear();
        self.accumulator.resize(operator.accumulator_len(), 0.0);
        operator.start(x, &mut self.accumulator);
        let mut sweeps = 0;
        let mut residual = problem.residual(x, &self.accumulator);
        while sweeps < iterations && residual > tolerance {
            problem.sweep(&self.blocks, x, &mut self.accumulator);
            sweeps += 1;
            // computing it costs half a sweep
            if sweeps == iterations || sweeps.is_multiple_of(MEASURED_EVERY) {
                residual = problem.residual(x, &self.accumulator);
            }
        }
        (sweeps, residual)
    }

    /// The velocity change of the answer, six numbers per body.
    pub(crate) fn accumulator(&self) -> &[Real] {
        &self.accumulator
    }
}

impl Problem<'_> {
    /// The coefficients of a contact's tangents.
    fn mu(&self, t: usize) -> [Real; 2] {
        [self.mu[t], self.mu[t + 1]]
    }

    /// A contact's block of A, tangents scaled.
    fn block(&self, c: ContactRows) -> [[Real; 3]; 3] {
        let n = c.normal as usize;
        let mu = self.mu(n + 1);
        let scale = [1.0, mu[0], mu[1]];
        core::array::from_fn(|i| core::array::from_fn(|j| scale[i] * scale[j] * self.operator.entry(n + i, n + j)))
    }

    fn rate(&self, row: usize, x: &[Real], acc: &[Real]) -> Real {
        self.operator.row_dot(row, x, acc) + self.b[row]
    }

    fn update(&self, row: usize, to: Real, x: &mut [Real], acc: &mut [Real]) {
        if to != x[row] {
            self.operator.bump(row, to - x[row], acc);
            x[row] = to;
        }
    }

    /// One row alone, between bounds.
    fn relax(&self, row: usize, bounds: [Real; 2], x: &mut [Real], acc: &mut [Real]) {
        let diagonal = self.operator.diagonal(row);
        if diagonal > 0.0 {
            let to = x[row] - self.rate(row, x, acc) / diagonal;
            self.update(row, bounded(to, bounds[0], bounds[1]), x, acc);
        }
    }

    fn sweep(&self, blocks: &[[[Real; 3]; 3]], x: &mut [Real], acc: &mut [Real]) {
        for (c, w) in self.contacts.iter().zip(blocks) {
            let n = c.normal as usize;
            let mu = self.mu(n + 1);
            let r = scaled(x, n, mu);
            let u = [self.rate(n, x, acc), mu[0] * self.rate(n + 1, x, acc), mu[1] * self.rate(n + 2, x, acc)];
            // the velocity that all other impulses leave here
            let q = core::array::from_fn(|i| u[i] - (0..3).map(|j| w[i][j] * r[j]).sum::<Real>());
            let r = solve_cone(w, q, mu);
            self.update(n, r[0], x, acc);
            self.update(n + 1, mu[0] * r[1], x, acc);
            self.update(n + 2, mu[1] * r[2], x, acc);
            if let Some(s) = c.spin() {
                let limit = self.mu[s] * x[n];
                self.relax(s, [-limit, limit], x, acc);
            }
            if let Some(i) = c.roll() {
                self.relax_disc(i, self.mu[i] * x[n], x, acc);
            }
        }
    }

    /// Two rows whose multipliers lie in a disc: a projected-gradient step.
    fn relax_disc(&self, i: usize, radius: Real, x: &mut [Real], acc: &mut [Real]) {
        let o = self.operator;
        // not less than the largest eigenvalue of the block
        let bound = o.diagonal(i).max(o.diagonal(i + 1)) + o.entry(i, i + 1).abs();
        if bound <= 0.0 {
            return;
        }
        let to = [0, 1].map(|k| x[i + k] - self.rate(i + k, x, acc) / bound);
        let shrink = shrink_to(to, radius);
        self.update(i, to[0] * shrink, x, acc);
        self.update(i + 1, to[1] * shrink, x, acc);
    }

    fn residual(&self, x: &[Real], acc: &[Real]) -> Real {
        let mut worst: Real = 0.0;
        for c in self.contacts {
            let n = c.normal as usize;
            let mu = self.mu(n + 1);
            let r = scaled(x, n, mu);
            let u = [self.rate(n, x, acc), mu[0] * self.rate(n + 1, x, acc), mu[1] * self.rate(n + 2, x, acc)];
            let opening = if mu == [0.0; 2] { 0.0 } else { hypot(u[1], u[2]) };
            let p = project_on_cone([r[0] - u[0] - opening, r[1] - u[1], r[2] - u[2]], f64::from(mu != [0.0; 2]));
            worst = (0..3).map(|i| (r[i] - p[i]).abs()).fold(worst, Real::max);
            if let Some(s) = c.spin() {
                let limit = self.mu[s] * x[n];
                worst = worst.max((x[s] - bounded(x[s] - self.rate(s, x, acc), -limit, limit)).abs());
            }
            if let Some(i) = c.roll() {
                let to = [0, 1].map(|k| x[i + k] - self.rate(i + k, x, acc));
                let shrink = shrink_to(to, self.mu[i] * x[n]);
                worst = worst.max(hypot(x[i] - to[0] * shrink, x[i + 1] - to[1] * shrink));
            }
        }
        worst
    }
}

/// The factor that brings a pair of multipliers into the disc.
fn shrink_to(pair: [Real; 2], radius: Real) -> Real {
    let size = hypot(pair[0], pair[1]);
    if size > radius { radius / size } else { 1.0 }
}

/// A contact's impulses, tangents divided by their coefficients; zero if the coefficient is.
fn scaled(x: &[Real], n: usize, mu: [Real; 2]) -> [Real; 3] {
    let over = |x: Real, mu: Real| if mu > 0.0 { x / mu } else { 0.0 };
    [x[n], over(x[n + 1], mu[0]), over(x[n + 2], mu[1])]
}

/// One contact in scaled tangents; a coefficient of zero makes the cone flat, or a ray.
fn solve_cone(w: &[[Real; 3]; 3], q: [Real; 3], mu: [Real; 2]) -> [Real; 3] {
    if mu[0] > 0.0 && mu[1] > 0.0 {
        return solve_contact(w, q, 1.0);
    }
    if mu == [0.0; 2] {
        return [if w[0][0] > 0.0 { (-q[0] / w[0][0]).max(0.0) } else { 0.0 }, 0.0, 0.0];
    }
    // friction along one tangent only: a planar contact, the other tangent an idle unit
    let t = if mu[0] > 0.0 { 1 } else { 2 };
    let planar = [[w[0][0], w[0][t], 0.0], [w[t][0], w[t][t], 0.0], [0.0, 0.0, 1.0]];
    let r = solve_contact(&planar, [q[0], q[t], 0.0], 1.0);
    let mut answer = [r[0], 0.0, 0.0];
    answer[t] = r[1];
    answer
}
