mod advance;
mod block_start;
mod clamped;
mod driver;

use crate::budget::WORK;
use crate::buffers::{Kept, collect, refill};
use crate::parameters::parameters;
use crate::solver::{SolverMemory, affordable, check_dense, check_start, memory_methods};
use crate::{
    DenseOperator, LcpError, LcpReport, LcpSolver, LcpStatus, Measure, ProblemView, natural_residual,
    operator::dense::dot,
};
use advance::{BlockWorkspace, advance};
use block_start::{StartWorkspace, block_start, warm_start};
use driver::{Driver, DriverWorkspace};

const NAME: &str = "dantzig";
/// Rows that are first tried together.
const FIRST_BLOCK: usize = 16;
/// Rows driven alone before blocks are tried again: at first, and at most.
const FIRST_ALONE: usize = 4;
const MOST_ALONE: usize = 64;
/// Renewals of the dependent bounds.
const ROUNDS: usize = 150;

parameters! {
    /// Dantzig's incremental pivoting for boxed problems, as used by Baraff for contact with friction.
    ///
    /// Rows are added one at a time: x_d is driven until w_d = 0 or a bound is met, while the rows before it keep their conditions; a row
    /// that meets a bound or whose w meets zero changes its set on the way. The clamped block's Cholesky factor is bordered and rotated (its inverse
    /// where A is unsymmetric). Rows that depend on others come last, with their bounds held at the parents' values; rounds are repeated until the
    /// bounds agree with them. Rows that are linearly dependent on the clamped set stay where they are, as in E-12.
    ///
    /// If A is symmetric and no bound depends on a row, the sets that the start value points to are tried first: if
    /// they are those of a solution, that is the one nearest in mode to the start (E-12). Otherwise the start value is
    /// not used. Where A is symmetric a block start guesses the clamped set first, by a few exchanges of all rows that
    /// violate their conditions at once with one blocked Cholesky factorisation each. Rows whose conditions hold there
    /// need no driving; often that is all of them.
    ///
    /// Without it, too, rows are tried in blocks where A is symmetric: if all of a block can go to w = 0 or stay at their bound and no row before them changes its
    /// set by that, the state is the one that driving them one by one ends in (for a definite A the rows so far have one solution), and it costs one blocked
    /// bordering of the factor. Else some rows are driven alone, as published, before a smaller block is tried.
    ///
    /// # Cost
    /// With the block start a Cholesky factorisation or a few. Without: in blocks little more where few rows change their sets, and row by row k^2
    /// multiplications per pivot for k clamped rows, and n for each row that is not, about n^3 / 3 without setbacks. One iteration is one pivot or one block exchange.
    ///
    /// # When it fails
    /// A must be positive semidefinite for the normals; with friction the driving may find no bound (an unbounded ray), which is reported.
    ///
    /// # Source
    /// Baraff: Fast contact force computation for nonpenetrating rigid bodies, 1994; described in Baraff 1995, "Constraint forces", and in
    /// Erleben 2005, section 6.1.4 (E-13, F-31).
    #[derive(Debug, Clone)]
    pub struct Dantzig {
        /// largest number of pivots
        iterations: usize = count(100_000),
        /// residual at which rounds over dependent bounds stop
        tolerance: f64 = not_negative(1e-12),
        /// limit on multiplications per solve
        work: f64 = positive(WORK),
        /// first guess the clamped set by block exchanges (symmetric A only)
        block_start: bool = switch(true),
        /// most rows tried together; 1: one at a time, as published
        block: usize = count(64, 1),
        /// when the residual is measured; history also keeps its value at each iteration
        measure: Measure = choice(AtEnd),
        /// memory between solves
        memory: SolverMemory = given(SolverMemory::default()),
        /// matrix, factors and vectors
        workspace: Kept<DantzigWorkspace> = given(Kept::default()),
    }
}

/// Buffers of [`Dantzig`] between solves.
#[derive(Debug, Default)]
pub struct DantzigWorkspace {
    a: DenseOperator,
    order: Vec<usize>,
    parents: Vec<f64>,
    driver: DriverWorkspace,
    start: StartWorkspace,
    waiting: Waiting,
}

/// The rows waiting to be driven, and the memory of their blocks.
#[derive(Debug, Default)]
struct Waiting {
    rows: Vec<usize>,
    block: BlockWorkspace,
}

/// When a row gets its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Turn {
    /// It has no bounds.
    Free,
    /// Its bounds are constant.
    Bounded,
    /// Its bounds are given by another row.
    Dependent,
}

fn turn(problem: &ProblemView<'_>, i: usize) -> Turn {
    match problem.parent(i) {
        Some(_) => Turn::Dependent,
        None if problem.lo[i] == f64::NEG_INFINITY && problem.hi[i] == f64::INFINITY => Turn::Free,
        None => Turn::Bounded,
    }
}

/// Number of rows that are tried together next, and number driven alone before that.
struct Pace {
    most: usize,
    size: usize,
    alone: usize,
    /// Number of rows driven alone after the next block that fails.
    patience: usize,
}

impl Pace {
    fn new(most: usize) -> Self {
        Self { most, size: most.min(FIRST_BLOCK), alone: 0, patience: FIRST_ALONE }
    }

    fn after_success(&mut self) {
        self.size = (2 * self.size).min(self.most);
        self.patience = FIRST_ALONE;
    }

    /// Drives some rows alone before a smaller block is tried.
    fn after_failure(&mut self) {
        self.alone = self.patience;
        self.patience = (2 * self.patience).min(MOST_ALONE);
        self.size = (self.size / 2).max(2);
    }
}

/// Multiplications of a pivot among n rows; with few rows, the part that does not grow with n^2 takes most of the time.
fn pivot_cost(n: usize) -> f64 {
    let n = n as f64;
    n * n + 40.0 * n + 300.0
}

impl Dantzig {
    fn run(&mut self, problem: &ProblemView<'_>, x: &mut [f64]) -> LcpReport {
        let n = x.len();
        let mut report = self.memory.begin(problem, x, self.measure);
        let DantzigWorkspace { a, order, parents, driver, start, waiting } = &mut self.workspace.0;
        let a = problem.operator.dense_in(a);
        let symmetric = a.is_symmetric();
        collect(order, 0..n);
        order.sort_unstable_by_key(|&i| (turn(problem, i), i));
        let bounded = order.partition_point(|&i| turn(problem, i) < Turn::Dependent);
        let dependent = problem.has_dependencies();
        let best = &mut self.memory.best;
        best.begin(x, f64::INFINITY);
        let mut driver = Driver::new(a, problem.b, symmetric, driver);
        let block = if symmetric { self.block } else { 1 };
        refill(parents, n, 0.0);
        let most = affordable(self.memory.budget.left(), pivot_cost(n), self.iterations);
        for round in 0..if dependent { ROUNDS } else { 1 } {
            // The first round takes the parents as driven without friction, the others as the last round left them.
            let known = if round == 0 { bounded } else { n };
            driver.restart(problem, &order[..known], parents);
            let factors = (known * known * known) as f64 / 3.0;
            let warm = self.block_start && symmetric && !dependent && x.iter().any(|x| *x != 0.0);
            if warm && driver.pivots < most && self.memory.budget.pays(factors) {
                if warm_start(&mut driver, start, problem, x) {
                    best.improve(driver.x, natural_residual(problem, driver.x, &mut self.memory.residual));
                    report.iterations = driver.pivots;
                    break;
                }
                driver.restart(problem, &order[..known], parents);
            }
            if self.block_start && symmetric && driver.pivots < most && self.memory.budget.pays(factors) {
                block_start(&mut driver, start, problem.b, &order[..known]);
            }
            let complete = drive_all(&mut driver, waiting, problem, order.split_at(known), block, most);
            report.iterations = driver.pivots;
            let value = natural_residual(problem, driver.x, &mut self.memory.residual);
            if self.measure == Measure::History {
                self.memory.history.push(value);
            }
            best.improve(driver.x, value);
            if best.residual <= self.tolerance {
                break;
            }
            if !complete && report.iterations < most {
                report.status = LcpStatus::Stagnated;
            }
            if report.iterations >= most {
                break;
            }
            parents.copy_from_slice(driver.x);
        }
        if !dependent && report.status == LcpStatus::IterationLimit && report.iterations < most {
            report.status = LcpStatus::Converged;
        }
        report.change = 0.0;
        x.copy_from_slice(&best.x);
        report
    }
}

/// Drives the waiting rows: those with known bounds in blocks of up to `block` if that leads to the same state, the others once their parents are done; false if
/// a row got nowhere.
fn drive_all(
    driver: &mut Driver<'_>,
    waiting: &mut Waiting,
    problem: &ProblemView<'_>,
    (known, others): (&[usize], &[usize]),
    block: usize,
    most: usize,
) -> bool {
    let Waiting { rows: waiting, block: workspace } = waiting;
    let waits = |&i: &usize| !driver.in_clamped[i] && !driver.placed[i];
    collect(waiting, known.iter().copied().filter(waits));
    let together = waiting.len();
    waiting.extend(others.iter().copied().filter(waits));
    let largest = problem.b.iter().fold(0.0_f64, |m, b| m.max(b.abs()));
    let mut pace = Pace::new(block);
    let (mut next, mut complete) = (0, true);
    while next < waiting.len() {
        let end = together.min(next + pace.size);
        if block > 1 && pace.alone == 0 && end > next + 1 && driver.pivots + pace.size < most {
            if advance(driver, workspace, problem.b, &waiting[next..end], largest) {
                next = end;
                pace.after_success();
                continue;
            }
            pace.after_failure();
        }
        pace.alone = pace.alone.saturating_sub(1);
        let d = waiting[next];
        if next >= together {
            (driver.lo[d], driver.hi[d]) = problem.bounds(d, driver.x);
        }
        next += 1;
        driver.x[d] = 0.0_f64.max(driver.lo[d]).min(driver.hi[d]);
        driver.w[d] = problem.b[d] + dot(driver.a.row(d), driver.x);
        complete &= driver.drive(d, most);
    }
    complete
}

impl LcpSolver for Dantzig {
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
        let pivot = pivot_cost(x.len());
        self.memory.budget.count(report.iterations as f64 * pivot);
        if report.status == LcpStatus::IterationLimit && report.iterations < self.iterations {
            self.memory.budget.allows(pivot);
        }
        if natural_residual(problem, x, &mut self.memory.residual) <= self.tolerance {
            report.status = LcpStatus::Converged;
        }
        Ok(self.memory.finish_claim(problem, x, self.measure, self.tolerance, report))
    }

    memory_methods!(NAME);
}
