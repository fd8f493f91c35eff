//! A look at how plain sweeps go on from the answer of another method.
use super::alternation::{alternate, pivot};
use super::projected_gauss_seidel::{Rows, couplings, steps};
use crate::buffers::copy;
use crate::operator::with_operator;
use crate::solver::SolverMemory;
use crate::{LcpOperator, LcpReport, LcpStatus, ProblemView};

/// Goes on by pivoting from an answer that has not converged, if plain sweeps alternate about it.
///
/// # Cost
/// Three sweeps, if bounds depend on other rows and it has not converged; otherwise nothing.
pub(crate) fn leave_alternation(
    memory: &mut SolverMemory,
    problem: &ProblemView<'_>,
    x: &mut [f64],
    report: LcpReport,
) {
    if report.status == LcpStatus::Converged || !problem.has_dependencies() {
        return;
    }
    if with_operator!(problem.operator, op => sweeps_alternate(op, problem, x, memory)) {
        pivot(&mut memory.successor, problem, x);
    }
}

/// True if plain sweeps alternate that begin at x, after a first one that leads to where they do.
fn sweeps_alternate<O: LcpOperator + ?Sized>(
    op: &O,
    problem: &ProblemView<'_>,
    x: &[f64],
    memory: &mut SolverMemory,
) -> bool {
    let SolverMemory { accumulator, vectors: [step, coupling, before, after, ..], .. } = memory;
    steps(op, step);
    couplings(op, problem, 1.0, coupling);
    copy(after, x);
    op.start(after, accumulator);
    let mut rows = Rows { op, problem, step, coupling, lambda: 1.0 };
    rows.visit(0..x.len(), after, accumulator);
    copy(before, after);
    rows.visit(0..x.len(), after, accumulator);
    let last = rows.visit(0..x.len(), after, accumulator);
    alternate(before, after, last)
}
