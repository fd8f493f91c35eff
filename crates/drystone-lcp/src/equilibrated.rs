//! Solves problems with light bodies in a suitable unit of mass.
use crate::{
    Budget, DenseOperator, FactoredOperator, LcpError, LcpReport, LcpSolver, Matrix, OperatorRef, ProblemView,
    ResidualWorkspace, natural_residual,
};

/// A solver whose answers do not depend on how light bodies are: if the diagonal of A is above one, the problem is solved in a unit of x that brings it to about one. The
/// unit is a power of two, so that nothing is rounded.
///
/// Tolerances apply to x and w together (the natural map), and an impulse error of 1e-9 N s is nothing to a crate but a metre per second to a grain of sand. Heavy bodies are left
/// as they are: their impulses are held to their rates anyway. Sparse and custom operators are left as they are, too. Residuals in the report are those of the problem as given;
/// the history is in the unit of the solve.
///
/// # Cost
/// A copy of the operator per solve, if the mean of its diagonal is two or more and the solver has no unit-independent method ([`LcpSolver::solve_in_any_unit`]).
#[derive(Debug)]
pub struct Equilibrated {
    inner: Box<dyn LcpSolver>,
    scaled: Scaled,
}

/// The problem in another unit.
#[derive(Debug)]
struct Scaled {
    factored: FactoredOperator,
    dense: DenseOperator,
    lo: Vec<f64>,
    hi: Vec<f64>,
    x: Vec<f64>,
    residual: ResidualWorkspace,
}

impl Equilibrated {
    /// Wraps a solver.
    pub fn new(inner: Box<dyn LcpSolver>) -> Self {
        let (lo, hi, x, residual) = Default::default();
        Self {
            inner,
            scaled: Scaled { factored: FactoredOperator::new(), dense: DenseOperator::zeros(0), lo, hi, x, residual },
        }
    }
}

/// The power of two that brings the diagonal of A to about one; 1 if it is about one or below.
fn unit(problem: &ProblemView<'_>) -> f64 {
    let (mut sum, mut count) = (0, 0);
    let mut take = |diagonal: f64| {
        let exponent = ((diagonal.to_bits() >> 52) & 0x7ff) as i64;
        // the exponents of zeros and subnormal numbers say nothing
        if exponent > 0 && exponent < 0x7ff {
            sum += exponent - 1023;
            count += 1;
        }
    };
    match problem.operator {
        OperatorRef::Factored(a) => a.factored_rows().iter().for_each(|row| take(row.diagonal)),
        other => (0..problem.len()).for_each(|i| take(other.diagonal(i))),
    }
    let mean = if count > 0 { i64::div_euclid(sum, count) } else { 0 };
    // 2^-mean by its bits
    f64::from_bits(((1023 - mean.clamp(0, 1000)) as u64) << 52)
}

impl Scaled {
    /// The problem in a unit of x that is `by` times the given one.
    fn problem<'a>(&'a mut self, problem: &ProblemView<'a>, by: f64) -> (ProblemView<'a>, &'a mut [f64]) {
        let Self { factored, dense, lo, hi, x, .. } = self;
        let operator = match problem.operator {
            OperatorRef::Factored(a) => {
                factored.clone_from(a);
                factored.scale(by);
                OperatorRef::Factored(factored)
            }
            OperatorRef::Dense(a) => {
                dense.clone_from(a);
                dense.scale(by);
                OperatorRef::Dense(dense)
            }
            other => other,
        };
        for (to, from) in [(&mut *lo, problem.lo), (&mut *hi, problem.hi)] {
            to.clear();
            to.extend(from.iter().map(|v| v / by));
        }
        (ProblemView { operator, lo, hi, ..*problem }, x)
    }
}

impl LcpSolver for Equilibrated {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn solve(&mut self, problem: &ProblemView<'_>, x: &mut [f64]) -> Result<LcpReport, LcpError> {
        self.solve_with(problem, x, Matrix::Any)
    }

    fn solve_with(&mut self, problem: &ProblemView<'_>, x: &mut [f64], matrix: Matrix) -> Result<LcpReport, LcpError> {
        let Self { inner, scaled } = self;
        let known = matches!(problem.operator, OperatorRef::Factored(_) | OperatorRef::Dense(_));
        let by = if known { unit(problem) } else { 1.0 };
        if by == 1.0 || x.len() != problem.len() {
            return inner.solve_with(problem, x, matrix);
        }
        if let Some(report) = inner.solve_in_any_unit(problem, x, matrix) {
            return Ok(report);
        }
        // a problem that would become infinite keeps its unit
        let fits = |values: &[f64]| values.iter().all(|v| v.is_infinite() || (v / by).is_finite());
        if ![x, problem.lo, problem.hi].into_iter().all(fits) {
            return inner.solve_with(problem, x, matrix);
        }
        scaled.x.clear();
        scaled.x.extend(x.iter().map(|v| v / by));
        let (view, multipliers) = scaled.problem(problem, by);
        let outcome = inner.solve(&view, multipliers);
        for (to, from) in x.iter_mut().zip(multipliers) {
            *to = *from * by;
        }
        let mut report = outcome?;
        report.change *= by;
        if report.residual.is_some() {
            report.residual = Some(natural_residual(problem, x, &mut scaled.residual));
        }
        Ok(report)
    }

    fn takes_discs(&self) -> bool {
        self.inner.takes_discs()
    }

    fn is_direct(&self) -> bool {
        self.inner.is_direct()
    }

    fn holds_equations(&self) -> bool {
        self.inner.holds_equations()
    }

    fn budget(&mut self) -> Option<&mut Budget> {
        self.inner.budget()
    }

    fn accumulator(&self) -> &[f64] {
        self.inner.accumulator()
    }

    fn history(&self) -> &[f64] {
        self.inner.history()
    }

    fn set(&mut self, parameter: &str, value: f64) -> Result<(), LcpError> {
        self.inner.set(parameter, value)
    }

    fn check_parameters(&self) -> Result<(), LcpError> {
        self.inner.check_parameters()
    }

    fn fork(&self) -> Box<dyn LcpSolver> {
        Box::new(Self::new(self.inner.fork()))
    }
}
