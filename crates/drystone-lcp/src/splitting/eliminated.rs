use crate::block_direct::{FreeRows, Redundancy};
use crate::buffers::{collect, copy, refill};
use crate::conjugate::extrapolate;
use crate::parameters::parameters;
use crate::pivoting::principal::Side;
use crate::solver::{SolverMemory, Stop, affordable, check_start, memory_methods};
use crate::splitting::complement::Complement;
use crate::splitting::handover::{Handover, PIVOTING_WORK};
use crate::splitting::projected_gauss_seidel::{Rows, couplings, steps};
use crate::vectors::{Work, vectorised};
use crate::{
    DenseOperator, FactoredOperator, LcpError, LcpOperator, LcpReport, LcpSolver, LcpStatus, Measure, NO_DEPENDENCY,
    NO_PARTNER, OperatorRef, ProblemView, ProjectedGaussSeidel, StepTest,
};

const NAME: &str = "eliminated-gauss-seidel";
/// Most rounds in which the free rows are solved down to rounding at the end, as long as each halves the error.
const REFINEMENTS: usize = 10;
/// Multiplications of a product with one row of A, and of an update.
const PRODUCT: f64 = 12.0;

parameters! {
    /// Gauss-Seidel on what is left of a problem when its free rows are eliminated: joints are solved exactly, contacts and limits by sweeps.
    ///
    /// Rows without bounds, on which no bound depends, are factorised by blocks of rows between the same two bodies. Up to 256 others are
    /// swept on their Schur complement, the matrix that says what an impulse at a contact does with all joints holding (without joints: the problem's own); where sweeps leave
    /// more than `far`, block principal pivoting goes on. Of more than 256, each sweep is followed by a solution for the free rows. Either way a sweep begins where the last ones
    /// point to (nonsmooth conjugate gradients), and the free rows' w is zero in the answer, however early the sweeps end.
    ///
    /// # Cost
    /// A sparse factorisation; a solution per bounded row, and sweeps over a dense matrix of them; or a solution per sweep. Pivoting is dense. Operators other than factored ones
    /// are swept as they are.
    ///
    /// # When it fails
    /// As Gauss-Seidel between contacts where pivoting cycles, or there are more than 256 bounded rows; then also between contacts and joints: a light link that something
    /// presses on between heavy ones takes many sweeps.
    ///
    /// # Source
    /// D. Baraff, "Linear-time dynamics using Lagrange multipliers", 1996, section 7 (joints eliminated, contacts on what is left); Silcowitz-Hansen, Niebles, Erleben, "A
    /// nonsmooth nonlinear conjugate gradient method for interactive contact force problems", 2010.
    #[derive(Debug, Clone)]
    pub struct EliminatedGaussSeidel {
        /// largest number of sweeps
        iterations: usize = count(100),
        /// limit on sweeps if more than 256 rows are bounded; each is followed by a solve for the free rows
        sweeps_in_turn: usize = count(1_000_000),
        /// tests on the step; off by default
        step: StepTest = part(StepTest::default()),
        /// stops at this residual, if it is measured every iteration
        tolerance: f64 = not_negative(0.0),
        /// rate error after sweeping the Schur complement, relative to the largest |b|, above which pivoting takes over (0: never)
        far: f64 = not_negative(0.02),
        /// pivots until the solves that share its budget have used this many multiplications
        pivoting_work: f64 = positive(PIVOTING_WORK),
        /// limit on multiplications per solve
        work: f64 = positive(crate::budget::WORK),
        /// when the residual is measured; history also keeps its value at each iteration
        measure: Measure = choice(AtEnd),
        /// memory between solves
        memory: SolverMemory = given(SolverMemory::default()),
        /// factors and the reduced problem
        workspace: EliminationWorkspace = given(EliminationWorkspace::default()),
    }
}

/// Buffers of [`EliminatedGaussSeidel`] between solves: opaque, empty by default. A clone starts empty.
#[derive(Debug, Default)]
pub struct EliminationWorkspace {
    free: FreeRows,
    left: Left,
    handover: Handover,
    sweeps: ProjectedGaussSeidel,
}

impl Clone for EliminationWorkspace {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// The bounded rows, and the problem that is left on them.
#[derive(Debug)]
pub(super) struct Left {
    pub(super) sides: Vec<Side>,
    /// The problem's bounded rows, and the place of each row among them.
    pub(super) rows: Vec<usize>,
    place: Vec<u32>,
    pub(super) matrix: DenseOperator,
    complement: Complement,
    pub(super) b: Vec<f64>,
    pub(super) lo: Vec<f64>,
    pub(super) hi: Vec<f64>,
    pub(super) dependency: Vec<u32>,
    pub(super) mu: Vec<f64>,
    pub(super) partner: Vec<u32>,
    pub(super) x: Vec<f64>,
    /// Zeros, rates and a solution, each as long as the problem.
    zeros: Vec<f64>,
    w: Vec<f64>,
    right: Vec<f64>,
    pub(super) diagonal: Vec<f64>,
    pub(super) coupling: Vec<f64>,
    /// Start of a sweep, and the direction of the last ones.
    before: Vec<f64>,
    direction: Vec<f64>,
}

impl Default for Left {
    fn default() -> Self {
        let numbers = Vec::new;
        Self {
            sides: Vec::new(),
            rows: Vec::new(),
            place: Vec::new(),
            matrix: DenseOperator::zeros(0),
            complement: Complement::default(),
            b: numbers(),
            lo: numbers(),
            hi: numbers(),
            dependency: Vec::new(),
            mu: numbers(),
            partner: Vec::new(),
            x: numbers(),
            zeros: numbers(),
            w: numbers(),
            right: numbers(),
            diagonal: numbers(),
            coupling: numbers(),
            before: numbers(),
            direction: numbers(),
        }
    }
}

impl Left {
    /// Finds the bounded rows; rows that bounds depend on count as bounded.
    pub(super) fn take_rows(&mut self, problem: &ProblemView<'_>) {
        let n = problem.len();
        self.sides.clear();
        self.sides.extend((0..n).map(|i| {
            let unbounded = problem.lo[i] == f64::NEG_INFINITY && problem.hi[i] == f64::INFINITY;
            if unbounded && problem.parent(i).is_none() { Side::Free } else { Side::Lower }
        }));
        for j in (0..n).filter_map(|i| problem.parent(i)) {
            self.sides[j] = Side::Lower;
        }
        self.rows.clear();
        self.rows.extend((0..n).filter(|&i| self.sides[i] != Side::Free));
        self.place.clear();
        self.place.resize(n, NO_DEPENDENCY);
        for (place, &row) in self.rows.iter().enumerate() {
            self.place[row] = place as u32;
        }
        self.zeros.clear();
        self.zeros.resize(n, 0.0);
    }

    /// Takes the bounds of the bounded rows, numbered among themselves.
    pub(super) fn take_bounds(&mut self, problem: &ProblemView<'_>, x: &[f64]) {
        let Self { rows, place, lo, hi, dependency, mu, partner, .. } = self;
        let put = |to: &mut Vec<f64>, from: &[f64]| {
            to.clear();
            to.extend(rows.iter().map(|&i| from[i]));
        };
        put(lo, problem.lo);
        put(hi, problem.hi);
        put(&mut self.x, x);
        mu.clear();
        mu.extend(rows.iter().map(|&i| problem.mu.get(i).copied().unwrap_or(0.0)));
        dependency.clear();
        dependency.extend(rows.iter().map(|&i| problem.parent(i).map_or(NO_DEPENDENCY, |j| place[j])));
        partner.clear();
        partner.extend(rows.iter().map(|&i| problem.partner(i).map_or(NO_PARTNER, |k| place[k])));
    }

    /// Rates of the free rows at x.
    pub(super) fn take_rates(&mut self, op: &FactoredOperator, problem: &ProblemView<'_>, x: &[f64], acc: &[f64]) {
        rates_of_free(op, problem, x, acc, &self.rows, &mut self.w);
    }

    /// Lets the free rows respond to the contents of the accumulator; their effect is added to it, and their multipliers to x if given.
    pub(super) fn answer(&mut self, op: &FactoredOperator, free: &FreeRows, acc: &mut [f64], x: Option<&mut [f64]>) {
        let changes = free.changes(&self.w, &mut self.right);
        vectorised(Answer { op, changes, acc, x });
    }

    /// Adds the change of velocity by which the free rows take out these rates, the others' multipliers being kept.
    pub(super) fn close(
        &mut self,
        op: &FactoredOperator,
        free: &FreeRows,
        rates: &[f64],
        acc: &mut [f64],
        x: &mut [f64],
    ) {
        copy(&mut self.w, rates);
        for &i in &self.rows {
            self.w[i] = 0.0;
        }
        self.answer(op, free, acc, Some(x));
    }

    /// The Schur complement of the free rows.
    pub(super) fn form_matrix(&mut self, op: &FactoredOperator, free: &FreeRows) {
        self.complement.form(op, free, &self.rows, &mut self.matrix);
        self.leave_out_held(op, free.left_of_held());
    }

    /// The same with its right-hand side.
    fn form(&mut self, op: &FactoredOperator, problem: &ProblemView<'_>, free: &FreeRows, acc: &mut [f64]) {
        self.form_matrix(op, free);
        acc.fill(0.0);
        rates_of_free(op, problem, &self.zeros, acc, &self.rows, &mut self.w);
        self.answer(op, free, acc, None);
        collect(&mut self.b, self.rows.iter().map(|&i| problem.b[i] + op.row_dot(i, &self.zeros, acc)));
    }

    /// Leaves out rows that the free ones hold completely: no impulse changes their rate, and their remaining response is rounding. They get no impulse,
    /// since rounding would yield one of arbitrary size.
    fn leave_out_held(&mut self, op: &FactoredOperator, left: f64) {
        let m = self.rows.len();
        for place in 0..m {
            if self.matrix.get(place, place) <= left * op.diagonal(self.rows[place]) {
                self.x[place] = 0.0;
                for other in 0..m {
                    self.matrix.set(place, other, 0.0);
                    self.matrix.set(other, place, 0.0);
                }
            }
        }
    }

    /// The largest w of the free rows at x.
    fn free_error(&mut self, op: &FactoredOperator, problem: &ProblemView<'_>, x: &[f64], acc: &[f64]) -> f64 {
        self.take_rates(op, problem, x, acc);
        self.w.iter().fold(0.0, |m: f64, w| if w.is_nan() { f64::NAN } else { m.max(w.abs()) })
    }

    /// Solves the free rows down to rounding, the others held fixed.
    pub(super) fn settle(
        &mut self,
        op: &FactoredOperator,
        problem: &ProblemView<'_>,
        free: &FreeRows,
        x: &mut [f64],
        acc: &mut [f64],
    ) {
        let mut last = f64::INFINITY;
        for _ in 0..REFINEMENTS {
            let error = self.free_error(op, problem, x, acc);
            if error.is_nan() || error > 0.5 * last || error == 0.0 {
                return;
            }
            last = error;
            self.answer(op, free, acc, Some(x));
        }
    }
}

/// Rates at x, zero for the bounded rows.
fn rates_of_free(
    op: &FactoredOperator,
    problem: &ProblemView<'_>,
    x: &[f64],
    acc: &[f64],
    bounded: &[usize],
    w: &mut Vec<f64>,
) {
    op.rates(x, problem.b, acc, w);
    for &i in bounded {
        w[i] = 0.0;
    }
}

/// [`Left::answer`], given the changes of rows.
struct Answer<'a, C> {
    op: &'a FactoredOperator,
    changes: C,
    acc: &'a mut [f64],
    x: Option<&'a mut [f64]>,
}

impl<C: Iterator<Item = (usize, f64)>> Work for Answer<'_, C> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { op, changes, acc, mut x } = self;
        for (row, change) in changes {
            op.bump(row, change, acc);
            if let Some(x) = x.as_deref_mut() {
                x[row] += change;
            }
        }
    }
}

/// Returns true if sweeps end after this one; also if it changed nothing, since then no other would.
fn ends(memory: &mut SolverMemory, problem: &ProblemView<'_>, x: &[f64], stop: Stop, report: &mut LcpReport) -> bool {
    let ended = memory.ends(problem, x, stop, report);
    if !ended && report.change == 0.0 {
        report.status = LcpStatus::Converged;
    }
    ended || report.change == 0.0
}

impl EliminatedGaussSeidel {
    /// The most bounded rows for which the remaining matrix is formed, and pivoted if sweeps leave a large error: it has the square of that many entries, and each column costs a
    /// solution.
    pub const MOST_DENSE: usize = 256;

    /// `None` if the free rows are not eliminated: there are none beside many bounded ones, or their factors fill in too much.
    fn run(&mut self, op: &FactoredOperator, problem: &ProblemView<'_>, x: &mut [f64]) -> Option<LcpReport> {
        let mut report = self.memory.begin(problem, x, self.measure);
        self.memory.budget.begin(self.work);
        let EliminationWorkspace { free, left, .. } = &mut self.workspace;
        left.take_rows(problem);
        if left.rows.len() == problem.len() && problem.len() > Self::MOST_DENSE
            || !free.factorise(op, &left.sides, Redundancy::Yielding, &mut self.memory.budget)
        {
            return None;
        }
        if left.rows.len() <= Self::MOST_DENSE {
            self.solve_what_is_left(op, problem, x, &mut report);
        } else {
            self.sweep_in_turn(op, problem, x, &mut report);
        }
        let Self { memory, workspace: EliminationWorkspace { free, left, .. }, .. } = self;
        op.start(x, &mut memory.accumulator);
        left.settle(op, problem, free, x, &mut memory.accumulator);
        Some(report)
    }

    /// Sweeps over the Schur complement, then pivoting if they leave a large error.
    fn solve_what_is_left(
        &mut self,
        op: &FactoredOperator,
        problem: &ProblemView<'_>,
        x: &mut [f64],
        report: &mut LcpReport,
    ) {
        let stop = Stop { step: self.step, measure: self.measure, tolerance: self.tolerance };
        let Self { memory, workspace: EliminationWorkspace { free, left, handover, .. }, .. } = self;
        let m = left.rows.len() as f64;
        memory.budget.count(m * (free.solution_cost() + PRODUCT * problem.len() as f64));
        left.take_bounds(problem, x);
        left.form(op, problem, free, &mut memory.accumulator);
        let Left { matrix, b, lo, hi, dependency, mu, partner, x: inner, diagonal, coupling, rows, .. } = left;
        let view = ProblemView { operator: OperatorRef::Dense(matrix), b, lo, hi, dependency, mu, partner };
        steps(&*matrix, diagonal);
        couplings(&*matrix, &view, 1.0, coupling);
        let mut sweep = Rows { op: &*matrix, problem: &view, step: diagonal, coupling, lambda: 1.0 };
        let (before, direction, mut last_square) = (&mut left.before, &mut left.direction, f64::INFINITY);
        refill(direction, rows.len(), 0.0);
        let mut ended = false;
        let mut goes_on = self.iterations > 0 && memory.budget.pays(m * m);
        while goes_on {
            copy(before, inner);
            report.change = sweep.visit(0..rows.len(), inner, &mut []);
            report.iterations += 1;
            // the free rows' w is zero: the residual is that of what is left
            ended = ends(memory, &view, inner, stop, report);
            goes_on = !ended && report.iterations < self.iterations && memory.budget.pays(m * m);
            if goes_on {
                extrapolate(inner, before, direction, &mut last_square);
            }
        }
        if !ended && self.far > 0.0 {
            let work = (self.pivoting_work - memory.budget.spent()).min(memory.budget.left());
            memory.budget.count(handover.run(&view, inner, self.far, work));
        }
        for (&row, value) in rows.iter().zip(inner.iter()) {
            x[row] = *value;
        }
    }

    /// Sweeps over the bounded rows, each followed by the free rows' response.
    fn sweep_in_turn(
        &mut self,
        op: &FactoredOperator,
        problem: &ProblemView<'_>,
        x: &mut [f64],
        report: &mut LcpReport,
    ) {
        let Self { memory, workspace: EliminationWorkspace { free, left, .. }, .. } = self;
        let stop = Stop { step: self.step, measure: self.measure, tolerance: self.tolerance };
        op.start(x, &mut memory.accumulator);
        steps(op, &mut left.diagonal);
        couplings(op, problem, 1.0, &mut left.coupling);
        refill(&mut left.direction, left.rows.len(), 0.0);
        let mut last_square = f64::INFINITY;
        let cost = free.solution_cost() + PRODUCT * 3.5 * problem.len() as f64;
        let most = self.iterations.min(self.sweeps_in_turn);
        let mut goes_on = most > 0 && memory.budget.pays(cost);
        while goes_on {
            let acc = &mut memory.accumulator;
            left.take_rates(op, problem, x, acc);
            left.answer(op, free, acc, Some(x));
            collect(&mut left.before, left.rows.iter().map(|&i| x[i]));
            let mut sweep = Rows { op, problem, step: &left.diagonal, coupling: &left.coupling, lambda: 1.0 };
            report.change = sweep.visit(left.rows.iter().copied(), x, acc);
            report.iterations += 1;
            let ended = ends(memory, problem, x, stop, report);
            goes_on = !ended && report.iterations < most && memory.budget.pays(cost);
            if goes_on {
                collect(&mut left.x, left.rows.iter().map(|&i| x[i]));
                if extrapolate(&mut left.x, &left.before, &mut left.direction, &mut last_square) {
                    left.rows.iter().zip(&left.x).for_each(|(&i, value)| x[i] = *value);
                    op.start(x, &mut memory.accumulator);
                }
            }
        }
    }

    /// All rows by sweeps.
    fn sweep_all(&mut self, problem: &ProblemView<'_>, x: &mut [f64]) -> Result<LcpReport, LcpError> {
        let Self { iterations, tolerance, step, work, measure, memory, workspace, .. } = self;
        let sweeps = &mut workspace.sweeps;
        memory.budget.begin(*work);
        let cost = PRODUCT * problem.len() as f64;
        let most = affordable(memory.budget.left(), cost, *iterations);
        (sweeps.iterations, sweeps.tolerance, sweeps.step, sweeps.measure) = (most, *tolerance, *step, *measure);
        let report = sweeps.solve(problem, x)?;
        memory.budget.count(cost * report.iterations as f64);
        if most < *iterations && report.iterations == most {
            memory.budget.allows(f64::INFINITY);
        }
        memory.history.clear();
        memory.history.extend_from_slice(sweeps.history());
        Ok(report)
    }
}

impl LcpSolver for EliminatedGaussSeidel {
    fn takes_discs(&self) -> bool {
        true
    }

    fn holds_equations(&self) -> bool {
        true
    }

    fn solve(&mut self, problem: &ProblemView<'_>, x: &mut [f64]) -> Result<LcpReport, LcpError> {
        check_start(problem, x)?;
        let eliminated = match problem.operator {
            OperatorRef::Factored(op) => self.run(op, problem, x),
            _ => None,
        };
        let report = match eliminated {
            Some(report) => report,
            None => self.sweep_all(problem, x)?,
        };
        Ok(self.memory.finish_claim(problem, x, self.measure, self.tolerance, report))
    }

    memory_methods!(NAME);
}
