mod advance;
mod block_start;
mod clamped;

use crate::budget::WORK;
use crate::solver::{Setting, SolverMemory, affordable, check_dense, check_start, memory_methods};
use crate::{
    DenseOperator, LcpError, LcpReport, LcpSolver, LcpStatus, Measure, OperatorRef, ProblemView, natural_residual,
    operator::dense::dot,
};
use advance::advance;
use block_start::block_start;
use clamped::{Clamped, DEPENDENT};
use std::borrow::Cow;

const NAME: &str = "dantzig";
/// Rows that are first tried together.
const FIRST_BLOCK: usize = 16;
/// Rows driven alone at most before blocks are tried again.
const MOST_ALONE: usize = 64;
/// Renewals of the dependent bounds.
const ROUNDS: usize = 150;

/// Dantzig's incremental pivoting for boxed problems, as used by Baraff for contact with friction.
///
/// Rows are added one at a time: x_d is driven until w_d = 0 or a bound is met, while the rows before it keep their conditions; a row
/// that meets a bound or whose w meets zero changes its set on the way. The clamped block's Cholesky factor is bordered and rotated (its inverse
/// where A is unsymmetric). Rows that depend on others come last, with their bounds held at the parents' values; rounds are repeated until the
/// bounds agree with them. Rows that are linearly dependent on the clamped set stay where they are, as in E-12.
///
/// Where A is symmetric a block start guesses the clamped set first, by a few exchanges of all rows that violate their conditions at once with one
/// blocked Cholesky factorisation each. Rows whose conditions hold there need no driving; often that is all of them.
///
/// Without it, too, rows are tried in blocks where A is symmetric: if all of a block can go to w = 0 or stay at their bound and no row before them changes its
/// set by that, the state is the one that driving them one by one ends in (for a definite A the rows so far have one solution), and it costs one blocked
/// bordering of the factor. Else some rows are driven alone, as published, before a smaller block is tried.
///
/// # Cost
/// With the block start a Cholesky factorisation or a few. Without: in blocks little more where few rows change their sets, and row by row k^2
/// multiplications a pivot for k clamped rows, and n for each row that is not, about n^3 / 3 without setbacks. One iteration is one pivot or one block exchange.
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
    /// Multiplications that a solve may take: it then ends with its best x and says so.
    pub work: f64,
    /// Rounds of dependent bounds end at this residual.
    pub tolerance: f64,
    /// Guess the clamped set by block exchanges first.
    pub block_start: bool,
    /// Largest number of rows that are tried together, see above; 1 drives each alone, as published.
    pub block: usize,
    /// When the residual is measured; the history has one value a round.
    pub measure: Measure,
    /// Memory between solves.
    pub memory: SolverMemory,
}

impl Default for Dantzig {
    fn default() -> Self {
        Self {
            iterations: 100_000,
            work: WORK,
            tolerance: 1e-12,
            block_start: true,
            block: 64,
            measure: Measure::AtEnd,
            memory: SolverMemory::default(),
        }
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
    clamped: Clamped<'a>,
    in_clamped: Vec<bool>,
    done: Vec<usize>,
    /// Rows that the block start has settled at a bound.
    placed: Vec<bool>,
    pivots: usize,
    change: Vec<f64>,
    direction: Vec<f64>,
    outside: Vec<(usize, f64)>,
}

impl Driver<'_> {
    /// Everything to the start, with the bounds of these rows at `parents`: nothing is clamped.
    fn restart(&mut self, problem: &ProblemView<'_>, rows: &[usize], parents: &[f64]) {
        for &i in rows {
            (self.lo[i], self.hi[i]) = problem.bounds(i, parents);
        }
        self.clamped.clear();
        self.in_clamped.fill(false);
        self.placed.fill(false);
        self.x.fill(0.0);
        self.w.fill(0.0);
        self.done.clear();
    }

    /// Drives row d to w_d = 0 or a bound; false where neither can be reached or the limit is.
    fn drive(&mut self, d: usize, limit: usize) -> bool {
        let scale = self.w[d].abs().max(1e-300);
        loop {
            let satisfied = self.w[d].abs() <= 1e-15 * scale
                || (self.x[d] <= self.lo[d] && self.w[d] >= 0.0)
                || (self.x[d] >= self.hi[d] && self.w[d] <= 0.0);
            if satisfied || self.lo[d] == self.hi[d] {
                if self.x[d] > self.lo[d] && self.x[d] < self.hi[d] && self.clamped.push(d) {
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
            let Self { a, clamped, change, direction, outside, done, in_clamped, .. } = self;
            clamped.response(d, change);
            // The direction of x, and the change of w for the driven row and the rows at a bound.
            direction.fill(0.0);
            for (&i, v) in clamped.rows.iter().zip(&mut *change) {
                *v *= sign;
                direction[i] = *v;
            }
            direction[d] = sign;
            let own = dot(a.row(d), direction);
            outside.clear();
            outside.extend(done.iter().filter(|&&i| !in_clamped[i]).map(|&i| (i, dot(a.row(i), direction))));

            // The first event on the way.
            let bound = if sign > 0.0 { self.hi[d] } else { self.lo[d] };
            let (mut step, mut event) = ((bound - self.x[d]).abs(), Event::Bound(bound));
            let own_is_zero = own.abs() <= DEPENDENT * self.a.get(d, d).abs();
            if own * sign > 0.0 && !own_is_zero && -self.w[d] / own < step {
                (step, event) = (-self.w[d] / own, Event::Zero);
            }
            for (&i, &v) in self.clamped.rows.iter().zip(&self.change) {
                let target = if v > 0.0 { self.hi[i] } else { self.lo[i] };
                if v != 0.0 && target.is_finite() {
                    let reach = ((target - self.x[i]) / v).max(0.0);
                    if reach < step {
                        (step, event) = (reach, Event::Release(i, target));
                    }
                }
            }
            for &(i, v) in &self.outside {
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
            for (&i, v) in self.clamped.rows.iter().zip(&self.change) {
                self.x[i] += v * step;
            }
            for &(i, v) in &self.outside {
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
                    self.in_clamped[i] = self.clamped.push(i);
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
        let a = match problem.operator {
            OperatorRef::Dense(a) => Cow::Borrowed(a),
            other => Cow::Owned(other.to_dense()),
        };
        let symmetric = a.is_symmetric();
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
        let mut driver = Driver {
            a: &a,
            lo: vec![0.0; n],
            hi: vec![0.0; n],
            x: vec![0.0; n],
            w: vec![0.0; n],
            clamped: Clamped::new(&a, symmetric, n),
            in_clamped: vec![false; n],
            done: Vec::new(),
            placed: vec![false; n],
            pivots: 0,
            change: Vec::new(),
            direction: vec![0.0; n],
            outside: Vec::new(),
        };
        let mut parents = vec![0.0; n];
        let most = affordable(self.memory.budget.left(), (n * n) as f64, self.iterations);
        let largest = problem.b.iter().fold(0.0_f64, |m, b| m.max(b.abs()));
        for round in 0..if dependent { ROUNDS } else { 1 } {
            // The first round takes the parents as driven without friction, the others as the last round left them.
            let first = order.partition_point(|&i| round > 0 || class(i) < 2);
            driver.restart(problem, &order[..first], &parents);
            let factors = (first * first * first) as f64 / 3.0;
            if self.block_start && symmetric && driver.pivots < most && self.memory.budget.pays(factors) {
                block_start(&mut driver, problem.b, &order[..first]);
            }
            let mut complete = true;
            let waiting: Vec<usize> =
                order.iter().copied().filter(|&d| !driver.in_clamped[d] && !driver.placed[d]).collect();
            // Rows whose bounds are known before their turn may be taken together.
            let known = waiting.partition_point(|&i| round > 0 || class(i) < 2);
            let (mut next, mut size) = (0, self.block.min(FIRST_BLOCK));
            // Rows still to be driven alone, and how many after the next block that fails.
            let (mut alone, mut patience) = (0, 4);
            while next < waiting.len() {
                let end = known.min(next + size);
                if symmetric && self.block > 1 && alone == 0 && end > next + 1 && driver.pivots + size < most {
                    if advance(&mut driver, problem.b, &waiting[next..end], largest) {
                        next = end;
                        size = (2 * size).min(self.block);
                        patience = 4;
                        continue;
                    }
                    // Some alone before a smaller block is tried.
                    (alone, patience, size) = (patience, (2 * patience).min(MOST_ALONE), (size / 2).max(2));
                }
                alone = usize::saturating_sub(alone, 1);
                let d = waiting[next];
                next += 1;
                if class(d) == 2 && round == 0 {
                    (driver.lo[d], driver.hi[d]) = problem.bounds(d, &driver.x);
                }
                driver.x[d] = 0.0_f64.max(driver.lo[d]).min(driver.hi[d]);
                driver.w[d] = problem.b[d] + dot(a.row(d), &driver.x);
                complete &= driver.drive(d, most);
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
            if !complete && report.iterations < most {
                report.status = LcpStatus::Stagnated;
            }
            if report.iterations >= most {
                break;
            }
            parents.copy_from_slice(&driver.x);
        }
        if !dependent && report.status == LcpStatus::IterationLimit && report.iterations < most {
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

    fn is_direct(&self) -> bool {
        true
    }

    fn solve(&mut self, problem: &ProblemView<'_>, x: &mut [f64]) -> Result<LcpReport, LcpError> {
        check_start(problem, x)?;
        check_dense(&problem.operator)?;
        let away = |i: usize| problem.parent(i).is_none() && (problem.lo[i] > 0.0 || problem.hi[i] < 0.0);
        if (0..x.len()).any(away) {
            return Err(LcpError::Unsupported { solver: NAME, what: "boxes that do not hold zero" });
        }
        self.memory.budget.begin(self.work);
        let mut report = if self.memory.budget.pays_for_dense(&problem.operator) {
            self.run(problem, x)
        } else {
            self.memory.begin(problem, x, self.measure)
        };
        let pivot = (x.len() * x.len()) as f64;
        self.memory.budget.count(report.iterations as f64 * pivot);
        if report.status == LcpStatus::IterationLimit && report.iterations < self.iterations {
            self.memory.budget.allows(pivot);
        }
        if natural_residual(problem, x, &mut self.memory.residual) <= self.tolerance {
            report.status = LcpStatus::Converged;
        }
        Ok(self.memory.finish_claim(problem, x, self.measure, self.tolerance, report))
    }

    fn set(&mut self, parameter: &str, value: f64) -> Result<(), LcpError> {
        let set = Setting { solver: NAME, parameter, value };
        match parameter {
            "work" => set.positive(&mut self.work),
            "block-start" => set.switch(&mut self.block_start),
            "block" if value < 1.0 => set.bad("a whole number >= 1"),
            "block" => set.count(&mut self.block),
            _ => set.common(&mut self.iterations, &mut self.tolerance, &mut self.measure),
        }
    }

    memory_methods!();
}
