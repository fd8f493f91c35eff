use super::simplex::Simplex;
use super::standard_form::StandardForm;
use super::{LinearProgram, ProgramReport, ProgramStatus, Relation};
use crate::dense_direct::cholesky::Lower;
use crate::dense_direct::product::Product;
use crate::operator::dense::dot;
use crate::step_test::largest_magnitude;
use crate::{BoxedProblem, DenseOperator, LcpError, LcpSolver, LcpStatus, Lemke, PathSearchNewton};

const NAME: &str = "quadratic-program";
/// Eigenvalues of Q above minus this, relative to its largest row sum (which no eigenvalue exceeds), count as zero up to
/// rounding.
const CONVEX: f64 = 1e-10;
/// The objective must fall by this along a ray of largest entry 1, relative to the size of c, for the program to be unbounded.
const FALLING: f64 = 1e-9;
/// Residual of the KKT system, relative to its largest number, up to which it counts as solved.
const SOLVED: f64 = 1e-8;

/// A convex quadratic program: minimise x Q x / 2 + c x over the bounds and constraints of a [`LinearProgram`] with cost c.
#[derive(Debug, Clone, PartialEq)]
pub struct QuadraticProgram {
    /// Q, n x n, positive semidefinite; only its symmetric part counts.
    pub quadratic: DenseOperator,
    /// c, bounds and constraints.
    pub linear: LinearProgram,
}

impl QuadraticProgram {
    /// The objective at x.
    ///
    /// # Panics
    /// If x is shorter than n.
    pub fn objective(&self, x: &[f64]) -> f64 {
        let quadratic: f64 = x.iter().enumerate().map(|(i, xi)| xi * dot(self.quadratic.row(i), x)).sum();
        0.5 * quadratic + dot(&self.linear.cost, x)
    }

    /// Solves the program through its KKT conditions, an LCP: w = [Q -G^T; G 0] z + [c; -h] over the shifted variables and one multiplier per inequality,
    /// by Lemke's method, which can process it because it is positive semidefinite, or if rounding stops that by [`PathSearchNewton`]. If neither solves
    /// it, the program is infeasible (phase one of [`Simplex`] proves it) or unbounded (a ray with Q d = 0, c d < 0, found by a linear program).
    ///
    /// # Errors
    /// Those of [`LinearProgram::validate`], [`LcpError::Size`] and [`LcpError::NonFinite`] for Q, [`LcpError::Unsupported`] if it is not convex.
    ///
    /// # Cost
    /// That of Lemke's method on n + m rows; equations count twice, as do free variables.
    ///
    /// # Source
    /// Cottle, Dantzig 1968; Cottle, Pang, Stone 4.4.13 (what a ray means); stands in for QPSOL of Baraff 1995 (F-33, E-04).
    pub fn solve(&self) -> Result<ProgramReport, LcpError> {
        let linear = &self.linear;
        linear.validate()?;
        let n = linear.cost.len();
        self.check(n)?;
        let mut form = StandardForm::default();
        form.make(linear);
        let (problem, inequalities) = self.conditions(&form);
        let size = largest_magnitude(&problem.b).max(f64::MIN_POSITIVE);
        let p = form.columns.len();
        let mut pivots = 0;
        let solvers: [Box<dyn LcpSolver>; 2] = [Box::new(Lemke::default()), Box::new(PathSearchNewton::default())];
        for mut solver in solvers {
            let mut z = vec![0.0; problem.b.len()];
            let report = solver.solve(&problem.view(), &mut z)?;
            pivots += report.iterations;
            let accurate = report.residual.is_some_and(|r| r <= SOLVED * size.max(largest_magnitude(&z)));
            if accurate {
                let mut multipliers = vec![0.0; linear.rows.len()];
                for (&(row, sign), y) in inequalities.iter().zip(&z[p..]) {
                    if let Some(target) = multipliers.get_mut(row) {
                        *target += sign * y * form.scale[row];
                    }
                }
                let mut x = Vec::new();
                form.point(linear, &z[..p], &mut x);
                return Ok(self.report(ProgramStatus::Optimal, pivots, x, multipliers, Vec::new()));
            }
            if report.status == LcpStatus::Ray {
                break;
            }
        }
        self.classify(pivots)
    }

    fn check(&self, n: usize) -> Result<(), LcpError> {
        let q = &self.quadratic;
        if q.entries().len() != n * n {
            return Err(LcpError::Size { what: "Q", expected: n * n, found: q.entries().len() });
        }
        super::finite("Q", q.entries())?;
        let mut symmetric: Vec<f64> =
            (0..n * n).map(|k| 0.5 * q.get(k / n, k % n) + 0.5 * q.get(k % n, k / n)).collect();
        let size = symmetric.chunks_exact(n.max(1)).map(|row| row.iter().map(|v| v.abs()).sum()).fold(0.0, f64::max);
        for entry in symmetric.iter_mut().step_by(n + 1) {
            *entry += CONVEX * size;
        }
        if size > 0.0 && !(Lower { stride: n, rows: n }).factor(&mut symmetric, &mut Product::default()) {
            return Err(LcpError::Unsupported { solver: NAME, what: "objectives that are not convex" });
        }
        Ok(())
    }

    /// The KKT conditions over p and one multiplier per inequality, and for each inequality its row and sign.
    fn conditions(&self, form: &StandardForm) -> (BoxedProblem, Vec<(usize, f64)>) {
        let n = self.linear.cost.len();
        let p = form.columns.len();
        let mut inequalities = Vec::new();
        for (i, relation) in form.relations.iter().enumerate() {
            if *relation != Relation::AtMost {
                inequalities.push((i, 1.0));
            }
            if *relation != Relation::AtLeast {
                inequalities.push((i, -1.0));
            }
        }
        let size = p + inequalities.len();
        let mut m = DenseOperator::zeros(size);
        let mut q = Vec::with_capacity(size);
        let half = |i: usize, j: usize| 0.5 * self.quadratic.get(i, j) + 0.5 * self.quadratic.get(j, i);
        for (k, &(i, left)) in form.columns.iter().enumerate() {
            for (l, &(j, right)) in form.columns.iter().enumerate() {
                m.set(k, l, left * right * half(i, j));
            }
        }
        let gradient: Vec<f64> =
            (0..n).map(|i| self.linear.cost[i] + (0..n).map(|j| half(i, j) * form.constant[j]).sum::<f64>()).collect();
        q.extend(form.reduce(&gradient));
        for (r, &(row, sign)) in inequalities.iter().enumerate() {
            for (k, a) in form.row(row).iter().enumerate() {
                m.set(p + r, k, sign * a);
                m.set(k, p + r, -sign * a);
            }
            q.push(-sign * form.right[row]);
        }
        (BoxedProblem::lcp(m, q), inequalities)
    }

    /// Why there is no optimum.
    fn classify(&self, pivots: usize) -> Result<ProgramReport, LcpError> {
        let n = self.linear.cost.len();
        let feasible = Simplex::default().solve(&LinearProgram { cost: vec![0.0; n], ..self.linear.clone() })?;
        let pivots = pivots + feasible.iterations;
        if feasible.status != ProgramStatus::Optimal {
            return Ok(self.report(feasible.status, pivots, feasible.x, feasible.multipliers, Vec::new()));
        }
        // A direction of recession along which there is no curvature and c falls.
        let open = |bound: f64, unit: f64| if bound.is_finite() { 0.0 } else { unit };
        let mut recession = LinearProgram {
            lo: self.linear.lo.iter().map(|lo| open(*lo, -1.0)).collect(),
            hi: self.linear.hi.iter().map(|hi| open(*hi, 1.0)).collect(),
            right: vec![0.0; self.linear.right.len()],
            ..self.linear.clone()
        };
        for i in 0..n {
            let row: Vec<f64> = (0..n).map(|j| self.quadratic.get(i, j) + self.quadratic.get(j, i)).collect();
            recession = recession.with(row, Relation::Equal, 0.0);
        }
        let ray = Simplex::default().solve(&recession)?;
        let falls = ray.status == ProgramStatus::Optimal
            && ray.objective < -FALLING * largest_magnitude(&self.linear.cost).max(f64::MIN_POSITIVE);
        let (status, ray) = if falls { (ProgramStatus::Unbounded, ray.x) } else { (ProgramStatus::Failed, Vec::new()) };
        let zero = vec![0.0; self.linear.rows.len()];
        Ok(self.report(status, pivots, feasible.x, zero, ray))
    }

    fn report(
        &self,
        status: ProgramStatus,
        iterations: usize,
        x: Vec<f64>,
        multipliers: Vec<f64>,
        ray: Vec<f64>,
    ) -> ProgramReport {
        let (objective, violation) = (self.objective(&x), self.linear.violation(&x));
        ProgramReport { status, iterations, x, objective, violation, multipliers, ray }
    }
}
