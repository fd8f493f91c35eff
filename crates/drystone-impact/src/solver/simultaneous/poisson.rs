use super::{Physics, Scratch, Simultaneous, Thresholds};
use drystone_core::{GroupAnswer, GroupProblem};
use drystone_lcp::{LcpError, LcpOperator};
use drystone_math::Real;

impl Simultaneous {
    /// Finds the impulses of a round by Poisson's law, into the scratch; returns the iterations, and whether they are an answer.
    ///
    /// Compression is the problem without restitution. Restitution begins where it ends: each contact pushes with at least e times its impulse of compression, with more
    /// if bodies would otherwise approach, and with friction in the corresponding cone. If friction would make the whole gain energy, restitution is scaled back, as in
    /// the law of a single contact.
    ///
    /// # Source
    /// D-03; M. Anitescu and F. A. Potra, "Formulating dynamic multi-rigid-body contact problems with friction as solvable linear complementarity problems", 1997, section 4.
    pub(super) fn solve_poisson(
        &mut self,
        problem: &GroupProblem,
        answer: &GroupAnswer,
        limits: &Thresholds,
        fastest: Real,
    ) -> Result<(u64, bool), LcpError> {
        let with = Physics { restitution: false, friction: self.parameters.friction };
        self.scratch.assemble(problem, answer, with, limits)?;
        let (mut iterations, mut solved) = self.solve(fastest, limits)?;
        if solved {
            self.scratch.begin_restitution(problem);
            let (more, restored) = self.solve(fastest, limits)?;
            iterations += more;
            solved = restored;
            let part = self.scratch.largest_part();
            for (x, compression) in self.scratch.x.iter_mut().zip(&self.scratch.compression) {
                *x = compression + if restored { part * *x } else { 0.0 };
            }
        }
        Ok((iterations, solved))
    }
}

impl Scratch {
    /// Turns the solved problem of compression into that of restitution, with each contact's own restitution impulse as the start value.
    fn begin_restitution(&mut self, problem: &GroupProblem) {
        let Self { operator, b, lo, x, contact_rows, meetings, start, compression, changes: [changes, _], .. } = self;
        compression.clone_from(x);
        changes.clear();
        changes.resize(6 * operator.bodies(), 0.0);
        operator.start(compression, changes);
        for (i, b) in b.iter_mut().enumerate() {
            *b += operator.row_dot(i, compression, changes);
        }
        x.fill(0.0);
        for (&(contact, row), &(_, u)) in contact_rows.iter().zip(&*meetings) {
            let c = &problem.contacts[contact as usize];
            if -c.normal.dot(u) > *start {
                let row = row as usize;
                lo[row] = c.restitution * compression[row].max(0.0);
                x[row] = lo[row];
            }
        }
    }

    /// The largest fraction of restitution, at most one, with which the whole impact adds no energy.
    fn largest_part(&mut self) -> Real {
        let Self { operator, b, x: restitution, compression, changes: [first, second], .. } = self;
        let (mut plastic, mut linear, mut square) = (0.0, 0.0, 0.0);
        second.clear();
        second.resize(6 * operator.bodies(), 0.0);
        operator.start(restitution, second);
        for (i, (&c, &x)) in compression.iter().zip(&*restitution).enumerate() {
            // `b` now holds the rates after compression
            let compressed = operator.row_dot(i, compression, first);
            plastic += c * (b[i] - 0.5 * compressed);
            linear += x * b[i];
            square += 0.5 * x * operator.row_dot(i, restitution, second);
        }
        let plastic: Real = plastic.min(0.0);
        if plastic + linear + square <= 0.0 || square <= 0.0 {
            return 1.0;
        }
        let root = (linear * linear - 4.0 * square * plastic).max(0.0).sqrt();
        // the form without cancellation
        let part = if linear <= 0.0 { (root - linear) / (2.0 * square) } else { -2.0 * plastic / (root + linear) };
        part.clamp(0.0, 1.0)
    }
}
