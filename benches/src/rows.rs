//! Rows that projected Gauss-Seidel updates in a second, on the factored operator of `drystone-lcp`, by processor time:
//! on a machine that is busy with other things the wall shows a half of it.

use crate::{Clock, EngineError, Watch, median};
use drystone::lcp::{LcpSolver, ProjectedGaussSeidel, stack_problem};
use std::hint::black_box;

/// Sweeps of a solve.
const SWEEPS: usize = 10;

/// Rounds of the measurement.
const ROUNDS: usize = 60;

/// Row updates of a round at least, so that the clock is not what is measured.
const UPDATES: usize = 200_000;

/// What was measured on a problem.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    /// Rows of the problem.
    pub rows: usize,
    /// Row updates per second of a processor, the median over the rounds.
    pub typical: f64,
    /// The same in the best round.
    pub best: f64,
}

/// Solves columns of 25 boxes with friction 0.5, twelve rows at each interface, by ten sweeps from nothing. Four columns
/// (1200 rows of 216 bytes) fit a second cache of 1 MiB, forty do not.
///
/// # Errors
/// Where the solver takes no such problem.
pub fn measure(columns: usize) -> Result<Row, EngineError> {
    let problem = stack_problem(columns, 25, 0.5, 1.0, 1e-6);
    let rows = problem.b.len();
    let mut solver = ProjectedGaussSeidel::with_iterations(SWEEPS);
    let mut x = vec![0.0; rows];
    let solves = UPDATES.div_ceil(rows * SWEEPS);
    let mut speeds = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let watch = Watch::start(Clock::Processor);
        for _ in 0..solves {
            x.fill(0.0);
            black_box(solver.solve(&problem.view(), &mut x)?);
        }
        speeds.push((solves * SWEEPS * rows) as f64 / watch.seconds());
    }
    let best = speeds.iter().copied().fold(0.0, f64::max);
    Ok(Row { rows, typical: median(&speeds).unwrap_or(f64::NAN), best })
}

/// The head of a table of rows.
pub const HEAD: &str = "| rows | row updates, million per second | in the best round |\n|---|---|---|";

impl core::fmt::Display for Row {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "| {} | {:.1} | {:.1} |", self.rows, 1e-6 * self.typical, 1e-6 * self.best)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_counted_and_timed() {
        let row = measure(1).unwrap();
        assert!(row.rows == 300 && row.typical > 0.0 && row.best >= row.typical, "{row}");
        assert_eq!(format!("{row}").matches('|').count(), HEAD.lines().next().unwrap().matches('|').count());
    }
}
