use crate::solver::{Setting, SolverMemory, check_start, memory_methods};
use crate::{
    DenseOperator, LcpError, LcpReport, LcpSolver, LcpStatus, Measure, ProblemView, natural_residual,
    operator::dense::dot,
};

const NAME: &str = "dantzig";
/// A Schur complement below this, relative to the diagonal, marks a row that depends on the clamped ones.
const DEPENDENT: f64 = 1e-11;
/// Renewals of the dependent bounds.
const ROUNDS: usize = 60;

/// Dantzig's incremental pivoting for boxed problems, as used by Baraff for contact with friction.
///
/// Rows are added one at a time: x_d is driven until w_d = 0 or a bound is met, while the rows before it keep their conditions; a row
/// that meets a bound or whose w meets zero changes its set on the way. The inverse of the clamped block is kept by bordering. Rows that
/// depend on others come last, with their bounds held at the parents' values; rounds are repeated until the bounds agree with them.
/// Rows that are linearly dependent on the clamped set stay where they are, as in E-12.
///
/// # Cost
/// 2 k^2 multiplications a pivot for k clamped rows, and n^2 for w: about 2/3 n^3 without setbacks. One iteration is one pivot.
///
/// # When it fails
/// A must be positive semidefinite for the normals; with friction the driving may find no bound (an unbounded ray), which is reported.
/// The start value is not used.
///
/// # Source
/// Baraff: Fast contact force computation for nonpenetrating rigid bodies, 1994 (named in seeds 000, 412 and 004, 5446; catalogue E-13, F-31).
#[derive(Debug, Clone)]
pub struct Dantzig {
    /// Largest number of pivots.
    pub iterations: usize,
    /// Rounds of dependent bounds end at this residual.
    pub tolerance: f64,
    /// When the residual is measured; the history has one value a round.
    pub measure: Measure,
    /// Memory between solves.
    pub memory: SolverMemory,
}

impl Default for Dantzig {
    fn default() -> Self {
        Self { iterations: 100_000, tolerance: 1e-12, measure: Measure::AtEnd, memory: SolverMemory::default() }
    }
}

/// The clamped rows and the inverse of their block, grown and shrunk by bordering.
struct Clamped {
    rows: Vec<usize>,
    capacity: usize,
    inverse: Vec<f64>,
}

impl Clamped {
    fn new(capacity: usize) -> Self {
        Self { rows: Vec::new(), capacity, inverse: vec![0.0; capacity * capacity] }
    }

    fn inverse_row(&self, i: usize) -> &[f64] {
        &self.inverse[i * self.capacity..i * self.capacity + self.rows.len()]
    }

    /// The change of the clamped x for a unit change of x_d: -A_CC^-1 A_Cd.
    fn response(&self, a: &DenseOperator, d: usize) -> Vec<f64> {
        let column: Vec<f64> = self.rows.iter().map(|&i| -a.get(i, d)).collect();
        (0..self.rows.len()).map(|i| dot(self.inverse_row(i), &column)).collect()
    }

    /// Adds a row; false where it depends on those that are there.
    fn push(&mut self, a: &DenseOperator, d: usize) -> bool {
        let k = self.rows.len();
        let u = self.response(a, d);
        let mut v = vec![0.0; k];
        for (i, &row) in self.rows.iter().enumerate() {
            let left = -a.get(d, row);
            for (v, b) in v.iter_mut().zip(self.inverse_row(i)) {
                *v += left * b;
            }
        }
        let schur = a.get(d, d) + self.rows.iter().zip(&u).map(|(&row, u)| a.get(d, row) * u).sum::<f64>();
        if schur.abs() <= DEPENDENT * a.get(d, d).abs() || !schur.is_finite() {
            return false;
        }
        // [A_CC A_Cd; A_dC A_dd]^-1 by bordering; u and v carry their minus signs.
        for i in 0..k {
            let scaled = u[i] / schur;
            for (j, v) in v.iter().enumerate() {
                self.inverse[i * self.capacity + j] += scaled * v;
            }
            self.inverse[i * self.capacity + k] = scaled;
        }
        for (j, v) in v.iter().enumerate() {
            self.inverse[k * self.capacity + j] = v / schur;
        }
        self.inverse[k * self.capacity + k] = 1.0 / schur;
        self.rows.push(d);
        true
    }

    /// Removes a row, the last takes its place.
    fn remove(&mut self, d: usize) {
        let Some(place) = self.rows.iter().position(|&row| row == d) else { return };
        let last = self.rows.len() - 1;
        let width = self.capacity;
        if place != last {
            for i in 0..=last {
                self.inverse.swap(i * width + place, i * width + last);
            }
            for j in 0..=last {
                self.inverse.swap(place * width + j, last * width + j);
            }
            self.rows.swap(place, last);
        }
        let pivot = self.inverse[last * width + last];
        for i in 0..last {
            let factor = self.inverse[i * width + last] / pivot;
            for j in 0..last {
                self.inverse[i * width + j] -= factor * self.inverse[last * width + j];
            }
        }
        self.rows.pop();
    }
}

/// What stopped the driving of a row.
enum Event {
    Zero,
    Bound(f64),
    Release(usize, f64),
    Clamp(usize),
}

struct Driver<'a> {
    a: &'a DenseOperator,
    lo: Vec<f64>,
    hi: Vec<f64>,
    x: Vec<f64>,
    w: Vec<f64>,
    clamped: Clamped,
    in_clamped: Vec<bool>,
    done: Vec<usize>,
    pivots: usize,
}

impl Driver<'_> {
    /// Drives row d to w_d = 0 or a bound; false where neither can be reached or the limit is.
    fn drive(&mut self, d: usize, limit: usize) -> bool {
        let scale = self.w[d].abs().max(1e-300);
        loop {
            let satisfied = self.w[d].abs() <= 1e-15 * scale
                || (self.x[d] <= self.lo[d] && self.w[d] >= 0.0)
                || (self.x[d] >= self.hi[d] && self.w[d] <= 0.0);
            if satisfied || self.lo[d] == self.hi[d] {
                if self.x[d] > self.lo[d] && self.x[d] < self.hi[d] && self.clamped.push(self.a, d) {
                    self.in_clamped[d] = true;
                }
                self.done.push(d);
                return true;
            }
            if self.pivots >= limit {
                return false;
            }
            self.pivots += 1;
            let sign = if self.w[d] < 0.0 { 1.0 } else { -1.0 };
            let mut dx = self.clamped.response(self.a, d);
            for v in &mut dx {
                *v *= sign;
            }
            // The change of w for the driven row and the rows at a bound.
            let slope = |i: usize| {
                sign * self.a.get(i, d)
                    + self.clamped.rows.iter().zip(&dx).map(|(&j, v)| self.a.get(i, j) * v).sum::<f64>()
            };
            let own = slope(d);
            let outside: Vec<(usize, f64)> =
                self.done.iter().copied().filter(|&i| !self.in_clamped[i]).map(|i| (i, slope(i))).collect();

            // The first event on the way.
            let bound = if sign > 0.0 { self.hi[d] } else { self.lo[d] };
            let (mut step, mut event) = ((bound - self.x[d]).abs(), Event::Bound(bound));
            let own_is_zero = own.abs() <= DEPENDENT * self.a.get(d, d).abs();
            if own * sign > 0.0 && !own_is_zero && -self.w[d] / own < step {
                (step, event) = (-self.w[d] / own, Event::Zero);
            }
            for (&i, &v) in self.clamped.rows.iter().zip(&dx) {
                let target = if v > 0.0 { self.hi[i] } else { self.lo[i] };
                if v != 0.0 && target.is_finite() {
                    let reach = ((target - self.x[i]) / v).max(0.0);
                    if reach < step {
                        (step, event) = (reach, Event::Release(i, target));
                    }
                }
            }
            for &(i, v) in &outside {
                let leaves = (self.x[i] <= self.lo[i] && v < 0.0) || (self.x[i] >= self.hi[i] && v > 0.0);
                if leaves && self.lo[i] < self.hi[i] && v.abs() > DEPENDENT * self.a.get(i, i).abs() {
                    let reach = (-self.w[i] / v).max(0.0);
                    if reach < step {
                        (step, event) = (reach, Event::Clamp(i));
                    }
                }
            }
            if !step.is_finite() {
                self.done.push(d);
                return false;
            }
            // Go there.
            self.x[d] += sign * step;
            self.w[d] += own * step;
            for (&i, v) in self.clamped.rows.iter().zip(&dx) {
                self.x[i] += v * step;
            }
            for (i, v) in outside {
                self.w[i] += v * step;
            }
            match event {
                Event::Zero => self.w[d] = 0.0,
                Event::Bound(bound) => self.x[d] = bound,
                Event::Release(i, target) => {
                    self.x[i] = target;
                    self.w[i] = 0.0;
                    self.clamped.remove(i);
                    self.in_clamped[i] = false;
                }
                Event::Clamp(i) => {
                    self.w[i] = 0.0;
                    self.in_clamped[i] = self.clamped.push(self.a, i);
                    if !self.in_clamped[i] {
                        self.done.push(d);
                        return false;
                    }
                }
            }
            // At its own bound or at zero the next turn of the loop ends it.
            if matches!(event, Event::Bound(_)) {
                self.done.push(d);
                return true;
            }
        }
    }
}

impl Dantzig {
    fn run(&mut self, problem: &ProblemView<'_>, x: &mut [f64]) -> LcpReport {
        let n = x.len();
        let mut report = self.memory.begin(problem, x, self.measure);
        let a = problem.operator.to_dense();
        // Free rows first, dependent rows last.
        let class = |i: usize| match problem.parent(i) {
            Some(_) => 2,
            None if problem.lo[i] == f64::NEG_INFINITY && problem.hi[i] == f64::INFINITY => 0,
            None => 1,
        };
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by_key(|&i| class(i));
        let dependent = problem.has_dependencies();
        let mut best = x.to_vec();
        let mut best_residual = f64::INFINITY;
        let mut parents = vec![0.0; n];
        for round in 0..if dependent { ROUNDS } else { 1 } {
            let mut driver = Driver {
                a: &a,
                lo: vec![0.0; n],
                hi: vec![0.0; n],
                x: vec![0.0; n],
                w: vec![0.0; n],
                clamped: Clamped::new(n),
                in_clamped: vec![false; n],
                done: Vec::new(),
                pivots: report.iterations,
            };
            let mut complete = true;
            for &d in &order {
                // The first round takes the parents as driven without friction, the others as the last round left them.
                let from = if round == 0 { &driver.x } else { &parents };
                let (lo, hi) = problem.bounds(d, from);
                (driver.lo[d], driver.hi[d]) = (lo, hi);
                driver.x[d] = 0.0_f64.max(lo).min(hi);
                driver.w[d] = problem.b[d] + dot(a.row(d), &driver.x);
                complete &= driver.drive(d, self.iterations);
            }
            report.iterations = driver.pivots;
            let value = natural_residual(problem, &driver.x, &mut self.memory.residual);
            if self.measure == Measure::History {
                self.memory.history.push(value);
            }
            if value < best_residual {
                best_residual = value;
                best.copy_from_slice(&driver.x);
            }
            if best_residual <= self.tolerance {
                break;
            }
            if !complete && report.iterations < self.iterations {
                report.status = LcpStatus::Stagnated;
            }
            if report.iterations >= self.iterations {
                break;
            }
            parents.copy_from_slice(&driver.x);
        }
        if !dependent && report.status == LcpStatus::IterationLimit && report.iterations < self.iterations {
            report.status = LcpStatus::Converged;
        }
        report.change = 0.0;
        x.copy_from_slice(&best);
        report
    }
}

impl LcpSolver for Dantzig {
    fn name(&self) -> &'static str {
        NAME
    }

    fn solve(&mut self, problem: &ProblemView<'_>, x: &mut [f64]) -> Result<LcpReport, LcpError> {
        check_start(problem, x)?;
        let away = |i: usize| problem.parent(i).is_none() && (problem.lo[i] > 0.0 || problem.hi[i] < 0.0);
        if (0..x.len()).any(away) {
            return Err(LcpError::Unsupported { solver: NAME, what: "boxes that do not hold zero" });
        }
        let report = self.run(problem, x);
        Ok(self.memory.finish_best(problem, x, self.measure, self.tolerance, report))
    }

    fn set(&mut self, parameter: &str, value: f64) -> Result<(), LcpError> {
        let set = Setting { solver: NAME, parameter, value };
        match parameter {
            "iterations" => set.count(&mut self.iterations),
            "tolerance" => set.not_negative(&mut self.tolerance),
            "measure" => set.measure(&mut self.measure),
            _ => set.unknown(),
        }
    }

    memory_methods!();
}
