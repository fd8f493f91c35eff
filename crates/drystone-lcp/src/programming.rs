//! Linear and convex quadratic programs: the problems for which Baraff 1989 (sections 5 and 9) and Baraff 1995 ("Constraint forces")
//! used packages.
pub(crate) mod quadratic;
pub(crate) mod simplex;
mod standard_form;
mod tableau;

use crate::LcpError;
use crate::operator::dense::dot;

/// The relation of a constraint's left side to its right side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// a x <= b.
    AtMost,
    /// a x = b.
    Equal,
    /// a x >= b.
    AtLeast,
}

/// A linear program: minimise c x over lo <= x <= hi and constraints a x <= b, a x = b, a x >= b. Dense rows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LinearProgram {
    /// c, length n.
    pub cost: Vec<f64>,
    /// Lower bounds, length n, may be -infinity.
    pub lo: Vec<f64>,
    /// Upper bounds, length n, may be +infinity.
    pub hi: Vec<f64>,
    /// The constraints' left sides, n entries each.
    pub rows: Vec<Vec<f64>>,
    /// The relation of each constraint.
    pub relations: Vec<Relation>,
    /// The right side of each constraint.
    pub right: Vec<f64>,
}

impl LinearProgram {
    /// Minimises c x over x >= 0, with no constraints yet.
    pub fn new(cost: Vec<f64>) -> Self {
        let n = cost.len();
        Self {
            cost,
            lo: vec![0.0; n],
            hi: vec![f64::INFINITY; n],
            rows: Vec::new(),
            relations: Vec::new(),
            right: Vec::new(),
        }
    }

    /// The same program with one more constraint.
    #[must_use]
    pub fn with(mut self, row: impl Into<Vec<f64>>, relation: Relation, right: f64) -> Self {
        self.rows.push(row.into());
        self.relations.push(relation);
        self.right.push(right);
        self
    }

    /// Checks lengths, numbers and boxes.
    ///
    /// # Errors
    /// [`LcpError::Size`], [`LcpError::NonFinite`], [`LcpError::EmptyBox`].
    pub fn validate(&self) -> Result<(), LcpError> {
        let (n, m) = (self.cost.len(), self.rows.len());
        let size = |what, found, expected| {
            if found == expected { Ok(()) } else { Err(LcpError::Size { what, expected, found }) }
        };
        size("lo", self.lo.len(), n)?;
        size("hi", self.hi.len(), n)?;
        size("relations", self.relations.len(), m)?;
        size("right", self.right.len(), m)?;
        finite("cost", &self.cost)?;
        finite("right", &self.right)?;
        for row in &self.rows {
            size("a constraint", row.len(), n)?;
            finite("a constraint", row)?;
        }
        for (row, (&lo, &hi)) in self.lo.iter().zip(&self.hi).enumerate() {
            if lo.is_nan() || lo == f64::INFINITY {
                return Err(LcpError::NonFinite { what: "lo", index: row, value: lo });
            }
            if hi.is_nan() || hi == f64::NEG_INFINITY {
                return Err(LcpError::NonFinite { what: "hi", index: row, value: hi });
            }
            if lo > hi {
                return Err(LcpError::EmptyBox { row, lo, hi });
            }
        }
        Ok(())
    }

    /// The largest violation of a constraint or a bound at x; 0 if x is feasible. Absolute.
    ///
    /// # Panics
    /// If x is shorter than the rows.
    pub fn violation(&self, x: &[f64]) -> f64 {
        let mut worst = 0.0_f64;
        for ((row, relation), right) in self.rows.iter().zip(&self.relations).zip(&self.right) {
            let excess = dot(row, x) - right;
            worst = worst.max(match relation {
                Relation::AtMost => excess,
                Relation::Equal => excess.abs(),
                Relation::AtLeast => -excess,
            });
        }
        for (x, (lo, hi)) in x.iter().zip(self.lo.iter().zip(&self.hi)) {
            worst = worst.max(lo - x).max(x - hi);
        }
        worst
    }
}

fn finite(what: &'static str, values: &[f64]) -> Result<(), LcpError> {
    match values.iter().position(|v| !v.is_finite()) {
        Some(index) => Err(LcpError::NonFinite { what, index, value: values[index] }),
        None => Ok(()),
    }
}

/// The outcome for a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ProgramStatus {
    /// Feasible and bounded: x is an optimum.
    Optimal,
    /// No x satisfies all constraints.
    Infeasible,
    /// Feasible, but the objective has no lower bound.
    Unbounded,
    /// The iteration limit was reached first.
    IterationLimit,
    /// Defeated by rounding: nothing is claimed.
    #[default]
    Failed,
}

/// Result of a program. The default claims nothing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ProgramReport {
    /// The outcome.
    pub status: ProgramStatus,
    /// Pivots made.
    pub iterations: usize,
    /// The optimum, or the last point; always finite, length n.
    pub x: Vec<f64>,
    /// The objective at x.
    pub objective: f64,
    /// [`LinearProgram::violation`] at x, computed anew.
    pub violation: f64,
    /// One y per constraint, >= 0 for "at least", <= 0 for "at most". At an optimum these are the multipliers: the gradient minus A^T y is >= 0 where x is
    /// at lo, <= 0 at hi and 0 in between. For an infeasible program they are a proof: y A x < y b for every x within the bounds. Zero otherwise.
    pub multipliers: Vec<f64>,
    /// For an unbounded program a direction along which all constraints stay satisfied and the objective falls for ever; otherwise
    /// empty.
    pub ray: Vec<f64>,
}
