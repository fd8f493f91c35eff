use super::principal::{Factorisation, PartitionSystems, Side};
use crate::buffers::{Kept, collect, copy, refill};
use crate::parameters::parameters;
use crate::solver::{SolverMemory, check_dense, check_start, memory_methods, quarantine};
use crate::{DenseOperator, LcpError, LcpReport, LcpSolver, LcpStatus, Measure, ProblemView, natural_residual};

const NAME: &str = "enumeration";
/// More rows than this are not tried.
const LARGEST: usize = 16;

parameters! {
    /// Tries every partition of the rows into free, at lo and at hi until one solves the problem: the oracle for small problems.
    ///
    /// # Cost
    /// Up to 2^n linear systems (3^n with two-sided rows); n at most 16. One iteration is one partition.
    ///
    /// # When it fails
    /// Only where every solution needs a singular partition that the free unknowns' values of x do not fit, or at the limit.
    ///
    /// # Source
    /// Baraff 1989, section 6 ("guessing V"; F-41); exact by the definition of the problem, Erleben 2005, sections 4.4 and 6.1.3 (F-02).
    #[derive(Debug, Clone)]
    pub struct Enumeration {
        /// largest number of partitions
        iterations: usize = count(100_000),
        /// residual at which any partition counts as a solution
        tolerance: f64 = not_negative(1e-10),
        /// when the residual is measured; history also keeps its value at each iteration
        measure: Measure = choice(AtEnd),
        /// memory between solves
        memory: SolverMemory = given(SolverMemory::default()),
        /// matrix, factors and vectors
        workspace: Kept<EnumerationWorkspace> = given(Kept::default()),
    }
}

/// Buffers of [`Enumeration`] between solves.
#[derive(Debug, Default)]
pub struct EnumerationWorkspace {
    a: DenseOperator,
    sides: Vec<Sides>,
    digits: Vec<usize>,
    partition: Vec<Side>,
    start: Vec<f64>,
    trial: Vec<f64>,
    systems: PartitionSystems,
}

/// The sides that a row can take.
#[derive(Debug, Clone, Copy)]
struct Sides {
    all: [Side; 3],
    count: usize,
}

impl Sides {
    fn of(problem: &ProblemView<'_>, i: usize) -> Self {
        let dependent = problem.parent(i).is_some();
        let mut sides = Self { all: [Side::Free; 3], count: 0 };
        if dependent || problem.lo[i].is_finite() {
            sides.push(Side::Lower);
        }
        if dependent || problem.lo[i] < problem.hi[i] {
            sides.push(Side::Free);
        }
        if dependent || (problem.hi[i].is_finite() && problem.lo[i] < problem.hi[i]) {
            sides.push(Side::Upper);
        }
        sides
    }

    fn push(&mut self, side: Side) {
        self.all[self.count] = side;
        self.count += 1;
    }
}

impl LcpSolver for Enumeration {
    fn solve(&mut self, problem: &ProblemView<'_>, x: &mut [f64]) -> Result<LcpReport, LcpError> {
        check_start(problem, x)?;
        check_dense(&problem.operator)?;
        let n = x.len();
        if n > LARGEST {
            return Err(LcpError::Unsupported { solver: NAME, what: "more than 16 rows" });
        }
        let EnumerationWorkspace { a, sides, digits, partition, start, trial, systems } = &mut self.workspace.0;
        let a = problem.operator.dense_in(a);
        // The sides that each row can take, enumerated like the digits of a number.
        collect(sides, (0..n).map(|i| Sides::of(problem, i)));
        refill(digits, n, 0);
        let mut report = self.memory.begin(problem, x, self.measure);
        copy(start, x);
        copy(trial, x);
        let mut best_residual = natural_residual(problem, x, &mut self.memory.residual);
        report.change = 0.0;
        while report.iterations < self.iterations && best_residual > self.tolerance {
            report.iterations += 1;
            collect(partition, digits.iter().zip(&*sides).map(|(&d, s)| s.all[d]));
            trial.copy_from_slice(start);
            systems.solve(a, Factorisation::Lu, problem, partition, trial);
            if !quarantine(problem, trial) {
                let value = natural_residual(problem, trial, &mut self.memory.residual);
                if value < best_residual {
                    best_residual = value;
                    x.copy_from_slice(trial);
                }
            }
            if self.measure == Measure::History {
                self.memory.history.push(best_residual);
            }
            // The next number; after the last, no partition is left.
            let Some(k) = (0..n).find(|&k| digits[k] + 1 < sides[k].count) else {
                report.status = LcpStatus::Stagnated;
                break;
            };
            digits[k] += 1;
            digits[..k].fill(0);
        }
        if best_residual <= self.tolerance {
            report.status = LcpStatus::Converged;
        }
        Ok(self.memory.finish(problem, x, self.measure, false, report))
    }

    memory_methods!(NAME);
}
