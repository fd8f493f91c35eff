use super::local::solve_contact;
use super::solver::{Best, ConeSettings, ConeSolver, settings_methods};
use crate::buffers::{Kept, collect};
use crate::operator::with_operator;
use crate::{ConeProblem, LcpError, LcpOperator, LcpReport};

const NAME: &str = "nonsmooth-gauss-seidel";

/// Nonsmooth Gauss-Seidel: contact by contact, each solved exactly for Coulomb's cone with all others held fixed.
///
/// # Cost
/// Three row products per contact and sweep, and a scalar search for each sliding contact.
///
/// # When it fails
/// Linear convergence, slow for stacks and large mass ratios (as F-36); may cycle for ever on single bodies with many contacts.
///
/// # Source
/// Jean, Moreau 1992 (contact dynamics); Acary, Bremond, Huber: On solving contact problems with Coulomb friction, 2018.
#[derive(Debug, Clone, Default)]
pub struct NonsmoothGaussSeidel {
    /// Iterations (sweeps), tolerance and measuring.
    pub settings: ConeSettings,
    /// Memory between solves.
    pub workspace: Kept<SweepWorkspace>,
}

/// Buffers of [`NonsmoothGaussSeidel`] between solves.
#[derive(Debug, Default)]
pub struct SweepWorkspace {
    best: Best,
    /// The diagonal block of each contact.
    blocks: Vec<[[f64; 3]; 3]>,
    accumulator: Vec<f64>,
}

/// One sweep over all contacts; `acc` goes along with r.
fn sweep<O: LcpOperator + ?Sized>(
    op: &O,
    problem: &ConeProblem,
    blocks: &[[[f64; 3]; 3]],
    r: &mut [f64],
    acc: &mut [f64],
) {
    let d = problem.dimension;
    for (c, w) in blocks.iter().enumerate() {
        // The velocity at this contact due to the others: u - W r.
        let old = problem.triple(r, c);
        let mut q = [0.0; 3];
        for (k, q) in q.iter_mut().enumerate().take(d) {
            let row = c * d + k;
            *q = op.row_dot(row, r, acc) + problem.q[row] - (0..3).map(|j| w[k][j] * old[j]).sum::<f64>();
        }
        let new = solve_contact(w, q, problem.mu[c]);
        problem.set_triple(r, c, new);
        for k in 0..d {
            if new[k] != old[k] {
                op.bump(c * d + k, new[k] - old[k], acc);
            }
        }
    }
}

impl ConeSolver for NonsmoothGaussSeidel {
    fn solve(&mut self, problem: &ConeProblem, r: &mut [f64]) -> Result<LcpReport, LcpError> {
        let SweepWorkspace { best, blocks, accumulator: acc } = &mut self.workspace.0;
        collect(blocks, (0..problem.contacts()).map(|c| problem.block(c)));
        self.settings.repeat(problem, r, best, acc, |operator, r, acc| {
            with_operator!(operator, op => sweep(op, problem, blocks, r, acc));
        })
    }

    settings_methods!(NAME);
}
