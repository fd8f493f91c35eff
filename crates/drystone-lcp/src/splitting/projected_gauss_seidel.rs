use crate::buffers::{copy, refill};
use crate::disc::Disc;
use crate::operator::with_operator;
use crate::parameters::{Choice, Setting, parameters};
use crate::solver::{SolverMemory, Stop, check_start, memory_methods};
use crate::splitting::alternation::{alternate, pivot};
use crate::splitting::permutation::Order;
use crate::{
    LcpError, LcpOperator, LcpReport, LcpSolver, LcpStatus, Measure, Permutation, PlainSweeps, ProblemView, SplitMix64,
    StepTest,
};

/// Place of x two sweeps before the last among the memory's vectors.
const BEFORE: usize = 3;

/// The direction of a sweep through the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sweep {
    /// First to last.
    #[default]
    Forward,
    /// Last to first (K strictly upper); parents then come after their dependent rows, whose bounds lag one sweep.
    Backward,
    /// Forward, then backward; counts as one iteration, costs two.
    Symmetric,
}

impl Choice for Sweep {
    const ALL: &'static [Self] = &[Self::Forward, Self::Backward, Self::Symmetric];
    const NAMES: &'static [&'static str] = &["forward", "backward", "symmetric"];
}

parameters! {
    /// Projected Gauss-Seidel and successive over-relaxation.
    ///
    /// One iteration visits every row: x_i <- lambda clamp(x_i - omega (A x + b)_i / A_ii) + (1 - lambda) x_i, with the newest values,
    /// the bounds of dependent rows taken at the newest x. Two rows that share a disc go together, to the least energy on it. Rows with A_ii <= 0 are left where they are.
    /// The default is what Erleben 2005 recommends: plain Gauss-Seidel, ten sweeps, no tests.
    ///
    /// If friction takes back most of what the normal impulse that bounds it gives, sweeps alternate about the answer, or
    /// between two values for ever. If the last two sweeps together change less than the last one alone, block principal
    /// pivoting goes on from there. Sweeps that go one way are left alone.
    ///
    /// # Cost
    /// One row update per unknown; on a factored operator 24 multiplications. A warm solve allocates nothing.
    ///
    /// # When it fails
    /// Linear convergence at best, contraction near 1 for large mass ratios and tall stacks (F-36: 0.999875 at ratio 8000);
    /// needs A_ii > 0; may cycle on unsymmetric A, with a period of more than two.
    ///
    /// # Source
    /// Erleben 2005, Figures 6.5-6.8 (SOR-LCP-1 to 4) and 6.10, (6.54)-(6.57), (6.72)-(6.74).
    #[derive(Debug, Clone)]
    pub struct ProjectedGaussSeidel {
        /// largest number of sweeps
        iterations: usize = count(10),
        /// minimum number of sweeps
        min_iterations: usize = count(1),
        /// tests on the step; off by default
        step: StepTest = part(StepTest::default()),
        /// stops at this residual, if it is measured every iteration
        tolerance: f64 = not_negative(0.0),
        /// relaxation factor, > 0
        omega: f64 = positive(1.0),
        /// weight of the new value in its average with the old, (0, 1]
        lambda: f64 = fraction(1.0),
        /// order of the rows
        permutation: Permutation = part(Permutation::NONE),
        /// sweep direction; symmetric: forward, then backward
        sweep: Sweep = choice(Forward),
        /// divide by the diagonal without cfm, except in rows where that would diverge
        ode_diagonal: bool = switch(false),
        /// when the residual is measured; history also keeps its value at each iteration
        measure: Measure = choice(AtEnd),
        /// memory between solves
        memory: SolverMemory = given(SolverMemory::default()),
    }
}

// F-05, F-06, F-07, F-08, F-09, F-12, F-18, F-28
impl ProjectedGaussSeidel {
    /// Plain Gauss-Seidel with this many sweeps, residual not measured: the production setting of Erleben 2005, 6.1.7.
    pub fn with_iterations(iterations: usize) -> Self {
        Self { iterations, measure: Measure::Never, ..Self::default() }
    }

    fn run<O: LcpOperator + ?Sized>(&mut self, op: &O, problem: &ProblemView<'_>, x: &mut [f64]) -> LcpReport {
        let mut report = self.memory.begin(problem, x, self.measure);
        let SolverMemory { accumulator, order, vectors: [step, change, coupling, ..], .. } = &mut self.memory;
        op.start(x, accumulator);
        if self.ode_diagonal {
            steps_without_compliance(op, self.omega, step);
        } else {
            relaxed_steps(op, self.omega, step);
        }
        couplings(op, problem, self.omega, coupling);
        order.begin(self.permutation, op, problem);
        refill(change, if self.permutation.by_error { x.len() } else { 0 }, 0.0);
        let mut random = SplitMix64::new(self.permutation.seed);

        // only bounds that depend on other rows can make sweeps of a definite problem cycle
        let last_two = if problem.has_dependencies() { self.iterations.checked_sub(2) } else { None };
        while report.iterations < self.iterations {
            if last_two == Some(report.iterations) {
                copy(&mut self.memory.vectors[BEFORE], x);
            }
            let SolverMemory { accumulator, order, vectors: [step, change, coupling, ..], .. } = &mut self.memory;
            order.renew(self.permutation, report.iterations, &mut random, change, op, problem);
            let mut rows = Rows { op, problem, step, coupling, lambda: self.lambda };
            report.change = rows.sweep((self.permutation, self.sweep), order, x, accumulator, change);
            report.iterations += 1;

            let done = self.memory.iterated(problem, x, self.measure, self.tolerance, &mut report);
            if done && (report.iterations >= self.min_iterations || report.status != LcpStatus::Converged) {
                break;
            }
            report.status = LcpStatus::IterationLimit;
            let stop = Stop { step: self.step, measure: self.measure, tolerance: self.tolerance };
            if report.iterations >= self.min_iterations && self.memory.settled(problem, x, stop, &mut report) {
                break;
            }
        }
        let swept = report.status == LcpStatus::IterationLimit && report.iterations == self.iterations;
        let SolverMemory { accumulator, vectors, successor, .. } = &mut self.memory;
        let alternates = swept && last_two.is_some() && alternate(&vectors[BEFORE], x, report.change);
        if alternates && pivot(successor, problem, x) {
            op.start(x, accumulator);
        }
        report
    }
}

/// 1 / A_ii; 0 for rows with A_ii <= 0, which stay where they are.
pub(crate) fn steps<O: LcpOperator + ?Sized>(op: &O, step: &mut Vec<f64>) {
    relaxed_steps(op, 1.0, step);
}

/// omega / A_ii.
fn relaxed_steps<O: LcpOperator + ?Sized>(op: &O, omega: f64, step: &mut Vec<f64>) {
    divide(omega, (0..op.rows()).map(|i| op.diagonal(i)), step);
}

/// omega / (A_ii - cfm_i); omega / A_ii for rows that the first would relax by two or more, where no sweep converges (Ostrowski
/// 1954).
// F-26
fn steps_without_compliance<O: LcpOperator + ?Sized>(op: &O, omega: f64, step: &mut Vec<f64>) {
    let diagonal = |i| {
        let (whole, bare) = (op.diagonal(i), op.diagonal(i) - op.compliance(i));
        if bare > 0.0 && omega * whole >= 2.0 * bare { whole } else { bare }
    };
    divide(omega, (0..op.rows()).map(diagonal), step);
}

fn divide(omega: f64, diagonal: impl Iterator<Item = f64>, step: &mut Vec<f64>) {
    step.clear();
    step.extend(diagonal.map(|diagonal| if diagonal > 0.0 { omega / diagonal } else { 0.0 }));
}

/// Per row A_ik / omega for the row k that it shares a disc with; empty where there are no discs.
pub(crate) fn couplings<O: LcpOperator + ?Sized>(
    op: &O,
    problem: &ProblemView<'_>,
    omega: f64,
    coupling: &mut Vec<f64>,
) {
    coupling.clear();
    coupling.extend((0..problem.partner.len()).map(|i| problem.partner(i).map_or(0.0, |k| op.entry(i, k) / omega)));
}

/// The inner loop: everything a row update needs.
pub(crate) struct Rows<'a, 'b, O: ?Sized> {
    pub(crate) op: &'a O,
    pub(crate) problem: &'a ProblemView<'b>,
    /// omega / A_ii, see [`steps`].
    pub(crate) step: &'a [f64],
    /// See [`couplings`].
    pub(crate) coupling: &'a [f64],
    pub(crate) lambda: f64,
}

impl<O: LcpOperator + ?Sized> Rows<'_, '_, O> {
    /// Updates the rows in the given order and returns the largest |dx|.
    #[inline]
    pub(crate) fn visit(&mut self, rows: impl Iterator<Item = usize>, x: &mut [f64], acc: &mut [f64]) -> f64 {
        let mut largest = 0.0_f64;
        for i in rows {
            largest = largest.max(self.relax(i, x, acc).abs());
        }
        largest
    }

    /// Visits every row, forward or backward or both; returns the largest |dx|.
    fn sweep(
        &mut self,
        (permutation, direction): (Permutation, Sweep),
        order: &Order,
        x: &mut [f64],
        accumulator: &mut [f64],
        change: &mut [f64],
    ) -> f64 {
        let by_index = permutation.is_none();
        let n = x.len();
        let ordered = order.rows().iter().map(|&i| i as usize);
        let mut largest = 0.0_f64;
        if direction != Sweep::Backward {
            largest = if permutation.by_error {
                self.tracked(ordered.clone(), x, accumulator, change)
            } else if by_index {
                self.visit(0..n, x, accumulator)
            } else {
                self.visit(ordered.clone(), x, accumulator)
            };
        }
        if direction != Sweep::Forward {
            let back = if permutation.by_error {
                self.tracked(ordered.rev(), x, accumulator, change)
            } else if by_index {
                self.visit((0..n).rev(), x, accumulator)
            } else {
                self.visit(ordered.rev(), x, accumulator)
            };
            largest = largest.max(back);
        }
        largest
    }

    /// [`Self::visit`], which also records the |dx| of each row.
    fn tracked(
        &mut self,
        rows: impl Iterator<Item = usize>,
        x: &mut [f64],
        acc: &mut [f64],
        change: &mut [f64],
    ) -> f64 {
        let mut largest = 0.0_f64;
        for i in rows {
            let dx = self.relax(i, x, acc).abs();
            change[i] = dx;
            largest = largest.max(dx);
        }
        largest
    }

    #[inline(always)]
    fn relax(&self, i: usize, x: &mut [f64], acc: &mut [f64]) -> f64 {
        match self.problem.disc(i, x) {
            Some((k, disc)) if i < k => self.relax_disc([i, k], disc, x, acc),
            Some(_) => 0.0,
            None => self.relax_row(i, x, acc),
        }
    }

    /// Two rows that share a disc, at the turn of the one that comes first: moves them to the least energy on the disc with all else
    /// held fixed. Returns the larger of the two changes.
    fn relax_disc(&self, [i, k]: [usize; 2], disc: Disc, x: &mut [f64], acc: &mut [f64]) -> f64 {
        let old = [x[i], x[k]];
        if disc.radius == 0.0 && old == [0.0; 2] {
            return 0.0;
        }
        let w = [i, k].map(|r| self.op.row_dot(r, x, acc) + self.problem.b[r]);
        let [first, second] = [i, k].map(|r| if self.step[r] > 0.0 { 1.0 / self.step[r] } else { 0.0 });
        let to = disc.minimum([first, self.coupling[i], second], w, old);
        let mut largest = 0.0_f64;
        for (row, target) in [(i, to[0]), (k, to[1])] {
            let new = if self.lambda == 1.0 { target } else { self.lambda * target + (1.0 - self.lambda) * x[row] };
            let dx = new - x[row];
            if dx != 0.0 {
                x[row] = new;
                self.op.bump(row, dx, acc);
                largest = largest.max(dx.abs());
            }
        }
        largest
    }

    #[inline(always)]
    fn relax_row(&self, i: usize, x: &mut [f64], acc: &mut [f64]) -> f64 {
        let (lo, hi) = self.problem.bounds(i, x);
        let old = x[i];
        // A row with both bounds zero that is already zero stays zero whatever w is.
        if hi == 0.0 && lo == 0.0 && old == 0.0 {
            return 0.0;
        }
        let w = self.op.row_dot(i, x, acc) + self.problem.b[i];
        let clamped = (old - self.step[i] * w).max(lo).min(hi);
        let new = if self.lambda == 1.0 { clamped } else { self.lambda * clamped + (1.0 - self.lambda) * old };
        let dx = new - old;
        if dx != 0.0 {
            x[i] = new;
            self.op.bump(i, dx, acc);
        }
        dx
    }
}

impl LcpSolver for ProjectedGaussSeidel {
    fn name(&self) -> &'static str {
        match (self.permutation, self.sweep) {
            (Permutation { by_colour: true, .. }, _) => "coloured-gauss-seidel",
            (Permutation { by_error: true, .. }, _) => "error-order-gauss-seidel",
            (Permutation { every: 1.., .. }, _) => "random-order-gauss-seidel",
            (_, Sweep::Backward) => "backward-gauss-seidel",
            (_, Sweep::Symmetric) => "symmetric-gauss-seidel",
            (_, Sweep::Forward) if self.omega == 1.0 => "projected-gauss-seidel",
            (_, Sweep::Forward) => "projected-sor",
        }
    }

    fn solve(&mut self, problem: &ProblemView<'_>, x: &mut [f64]) -> Result<LcpReport, LcpError> {
        check_start(problem, x)?;
        self.check_parameters()?;
        let report = with_operator!(problem.operator, op => self.run(op, problem, x));
        Ok(self.memory.finish_sweeps(problem, x, self.measure, self.tolerance, report))
    }

    fn set(&mut self, parameter: &str, value: f64) -> Result<(), LcpError> {
        self.set_parameter(&Setting { solver: self.name(), parameter, value })
    }

    fn check_parameters(&self) -> Result<(), LcpError> {
        self.permutation.check(self.name())
    }

    fn takes_discs(&self) -> bool {
        true
    }

    fn plain_sweeps(&self) -> Option<PlainSweeps> {
        // nothing ends the sweeps early; the tolerance and the least number of sweeps only matter for tests after each sweep, the seed only for random
        // orders
        let fixed = !self.measure.each_iteration() && !self.step.is_on();
        let as_they_stand = self.permutation.is_none() && self.sweep == Sweep::Forward;
        let unrelaxed = self.omega == 1.0 && self.lambda == 1.0 && !self.ode_diagonal;
        let sweeps = PlainSweeps { iterations: self.iterations, measured: self.measure == Measure::AtEnd };
        (fixed && as_they_stand && unrelaxed).then_some(sweeps)
    }

    memory_methods!();
}
