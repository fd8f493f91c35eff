//! One partition's equations, and rounds of exchanges between partitions.
use super::SparseWorkspace;
use crate::pivoting::principal::{Side, UNDECIDED, fingerprint};
use crate::solver::{SolverMemory, quarantine};
use crate::sparse_direct::factors::{DEPENDENT, Role};
use crate::sparse_direct::structure::Pattern;
use crate::{LcpReport, Measure, ProblemView, natural_residual, rate_residual};

/// A row contradicts its set beyond this, relative to the sum of the magnitudes of w_i's terms (or to the largest |x|).
pub(super) const VIOLATION: f64 = 1e-12;
/// Block exchanges that do not reduce the violations before single least-index exchanges take over.
const PATIENCE: usize = 10;
/// Solves with the same factors for one partition, as long as each halves the error.
const REFINEMENTS: usize = 10;
/// Residuals at most this, relative to the sum of magnitudes, are rounding.
const ROUNDING: f64 = 1e-15;
/// A redundant row's w above this, relative to its magnitude, shows that the equations contradict each other.
const CONTRADICTION: f64 = 1e-10;
/// A free row that keeps at most this fraction of its geometric diagonal entry counts as redundant: it would move bodies
/// only along directions in which all rows together move by less than a thousandth of their own size.
const REDUNDANT: f64 = 1e-6;
/// Added to the diagonal, relative to it, if rows are redundant; refinement removes its effect except along those
/// directions.
const PROXIMAL: f64 = 1e-7;
/// Rounds in which two-sided rows are reconciled, and refinements in each.
const RECONCILIATIONS: usize = 3;
const RECONCILIATION_REFINEMENTS: usize = 4;
/// Multiplications per row of a product with a factored A, and per entry of the geometric Gram matrix.
pub(super) const PRODUCT: f64 = 24.0;
const GEOMETRIC: f64 = 12.0;
/// Single exchanges in a round before it is given up.
const SINGLES: usize = 10;

/// The limits that end a solve, and whether it keeps a history.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    pub(super) iterations: usize,
    pub(super) tolerance: f64,
    /// Multiplications.
    pub(super) work: f64,
    pub(super) measure: Measure,
}

/// One solve's view of everything.
pub(super) struct Run<'a, 'b, P> {
    pub(super) op: &'a P,
    pub(super) problem: &'a ProblemView<'b>,
    pub(super) space: &'a mut SparseWorkspace,
    pub(super) memory: &'a mut SolverMemory,
    pub(super) partition: &'a mut Vec<Side>,
    /// Added to the diagonal, relative to it.
    pub(super) shift: f64,
    /// Limits that end the solve.
    pub(super) limits: Limits,
    pub(super) report: LcpReport,
    /// Residual of the best x so far.
    pub(super) best_residual: f64,
    /// Multiplications of products with A.
    pub(super) products: f64,
    /// True if the last partition had redundant rows, and its equations were solved with a small shift of the diagonal.
    pub(super) redundant: bool,
    /// True if two-sided rows have been reconciled.
    pub(super) reconciled: bool,
    /// Multiplications taken when the last iteration began.
    pub(super) begun: f64,
    /// True if an iteration was not begun because the remaining work did not allow it.
    pub(super) unpaid: bool,
}

impl<P: Pattern> Run<'_, '_, P> {
    /// Multiplications so far.
    pub(super) fn spent(&self) -> f64 {
        self.products + self.space.factors.work + self.space.geometry.work
    }

    /// Returns true if the solve must end.
    pub(super) fn is_spent(&self) -> bool {
        self.unpaid || self.spent() >= self.limits.work
    }

    /// Begins another iteration, if the limits allow one: at least as much work must be left as the last iteration took, if there was
    /// one.
    pub(super) fn begins(&mut self) -> bool {
        let last = self.spent() - self.begun;
        let pays = self.report.iterations == 0 || self.spent() + last <= self.limits.work;
        self.unpaid |= !pays;
        let allowed = self.report.iterations < self.limits.iterations && pays && !self.is_spent();
        self.report.iterations += usize::from(allowed);
        self.begun = self.spent();
        allowed
    }

    /// Keeps x if its residual is smaller than any before; returns whether it is.
    pub(super) fn offer(&mut self, residual: f64) -> bool {
        let better = residual < self.best_residual;
        if better {
            self.best_residual = residual;
            self.space.best.copy_from_slice(&self.space.x);
        }
        better
    }

    /// w = A x + b + shift D (x - centre).
    pub(super) fn residual(&mut self) {
        let SparseWorkspace { x, w, centre, b, .. } = &mut *self.space;
        self.products += PRODUCT * x.len() as f64;
        self.op.apply(x, &mut self.memory.accumulator, w);
        for (i, (w, b)) in w.iter_mut().zip(&*b).enumerate() {
            *w += b;
            if self.shift > 0.0 {
                *w += self.shift * self.op.diagonal(i) * (x[i] - centre[i]);
            }
        }
    }

    /// The sets that x - w / A_ii points to.
    pub(super) fn partition_at_x(&mut self) {
        self.residual();
        let small = UNDECIDED * self.space.w.iter().fold(0.0_f64, |m, w| m.max(w.abs()));
        self.partition.clear();
        for (i, (&x, &w)) in self.space.x.iter().zip(&self.space.w).enumerate() {
            let (lo, hi) = self.problem.bounds(i, &self.space.x);
            let d = self.op.diagonal(i);
            let d = if d > 0.0 { d } else { 1.0 };
            let (target, slack) = (x - w / d, small / d);
            let shut = self.problem.parent(i).is_some() && lo == hi;
            self.partition.push(if shut || (lo - slack..=hi + slack).contains(&target) {
                Side::Free
            } else if target < lo {
                Side::Lower
            } else {
                Side::Upper
            });
        }
    }

    /// Puts rows at their bounds, and sets the role of each row in the linear system; parents first.
    pub(super) fn set_roles(&mut self) {
        let SparseWorkspace { structure, factors, x, .. } = &mut *self.space;
        for &i in self.memory.order.rows() {
            let i = i as usize;
            let side = self.partition[i];
            let sign = if side == Side::Lower { -1.0 } else { 1.0 };
            let bound = if side == Side::Lower { self.problem.lo[i] } else { self.problem.hi[i] };
            let place = structure.place_of[i] as usize;
            factors.roles[place] = match (side, self.problem.parent(i)) {
                (Side::Free, _) => Role::Free,
                (_, None) if !bound.is_finite() => {
                    self.partition[i] = Side::Free;
                    Role::Free
                }
                (_, None) => {
                    x[i] = bound;
                    Role::Held
                }
                (_, Some(j)) => {
                    let factor = sign * self.problem.mu[i];
                    x[i] = factor * x[j];
                    match factors.roles[structure.place_of[j] as usize] {
                        Role::Free => Role::Follows { root: structure.place_of[j], slope: factor },
                        Role::Follows { root, slope } => Role::Follows { root, slope: factor * slope },
                        Role::Held => Role::Held,
                    }
                }
            };
        }
    }

    /// Solves the partition's equations from x on, refined while that helps; w is left at the answer.
    ///
    /// If free rows are redundant, the equations have many solutions, or none. Then those of A + s D are solved from zero and
    /// refined against A, which converges to the solution of least norm (in the metric of D) and leaves the redundant
    /// directions alone.
    pub(super) fn solve_partition(&mut self) {
        self.set_roles();
        self.factorise(self.shift);
        self.redundant = self.shift == 0.0 && self.is_redundant();
        if self.redundant {
            self.release_free_rows();
            self.factorise(PROXIMAL);
        }
        let mut last = f64::INFINITY;
        for _ in 0..REFINEMENTS {
            self.residual();
            let error = self.gather_residual();
            if error > last {
                let SparseWorkspace { x, previous, .. } = &mut *self.space;
                x.copy_from_slice(previous);
                self.residual();
                return;
            }
            if error == 0.0 || error > 0.5 * last || error.is_nan() {
                return;
            }
            last = error;
            self.refine();
        }
        self.residual();
    }

    fn factorise(&mut self, shift: f64) {
        let SparseWorkspace { structure, factors, .. } = &mut *self.space;
        factors.factorise(structure, shift, DEPENDENT);
    }

    /// Returns true if free rows depend on each other, or nearly so, as judged by the factors of the geometric Gram
    /// matrix: small pivots of A may belong to a heavy body among light ones.
    fn is_redundant(&mut self) -> bool {
        let SparseWorkspace { structure, factors, geometry, .. } = &mut *self.space;
        if factors.suspects == 0 || !geometry.read_geometry(self.op, structure) {
            return factors.redundant > 0;
        }
        // an entry is a dot product of two rows
        geometry.work += GEOMETRIC * structure.columns.len() as f64;
        for (geometric, role) in geometry.roles.iter_mut().zip(&factors.roles) {
            *geometric = if *role == Role::Free { Role::Free } else { Role::Held };
        }
        geometry.factorise(structure, 0.0, REDUNDANT);
        geometry.redundant > 0
    }

    /// Resets the start of the free rows, and of the rows that follow them.
    fn release_free_rows(&mut self) {
        let SparseWorkspace { structure, factors, x, .. } = &mut *self.space;
        for (place, &row) in structure.row_at.iter().enumerate() {
            if factors.roles[place] != Role::Held {
                x[row as usize] = 0.0;
            }
        }
    }

    /// The negative residual of the free rows by places, into `right`; the largest of them.
    fn gather_residual(&mut self) -> f64 {
        let SparseWorkspace { structure, factors, w, right, .. } = &mut *self.space;
        let mut error = 0.0_f64;
        right.clear();
        for (place, &row) in structure.row_at.iter().enumerate() {
            let free = factors.roles[place] == Role::Free && !factors.dropped[place];
            let value = if free { -w[row as usize] } else { 0.0 };
            error = if value.is_nan() { value } else { error.max(value.abs()) };
            right.push(value);
        }
        error
    }

    /// One solve with the factors for the residual in `right`, added to x; `previous` keeps the old one.
    fn refine(&mut self) {
        let SparseWorkspace { structure, factors, x, previous, right, .. } = &mut *self.space;
        previous.copy_from_slice(x);
        factors.solve(structure, right);
        for (place, &row) in structure.row_at.iter().enumerate() {
            let change = match factors.roles[place] {
                Role::Free => right[place],
                Role::Follows { root, slope } => slope * right[root as usize],
                Role::Held => 0.0,
            };
            x[row as usize] += change;
        }
    }

    /// Makes the right-hand sides of the rows without bounds agree with each other if redundant ones contradict: b is changed by the least
    /// that a solution needs, so that no row is driven by ever-growing multipliers. Returns whether something was changed.
    ///
    /// Each round solves these rows alone, as in [`Self::solve_partition`], and subtracts the remainder from b.
    fn reconcile(&mut self) -> bool {
        self.reconciled = true;
        let mut changed = false;
        let SparseWorkspace { structure, factors, x, centre, .. } = &mut *self.space;
        for (place, &row) in structure.row_at.iter().enumerate() {
            let i = row as usize;
            let bilateral = self.problem.lo[i] == f64::NEG_INFINITY && self.problem.hi[i] == f64::INFINITY;
            let alone = bilateral && self.problem.parent(i).is_none();
            factors.roles[place] = if alone { Role::Free } else { Role::Held };
        }
        centre.copy_from_slice(x);
        self.factorise(PROXIMAL);
        for _ in 0..RECONCILIATIONS {
            self.space.x.fill(0.0);
            for _ in 0..RECONCILIATION_REFINEMENTS {
                self.residual();
                self.gather_residual();
                self.refine();
            }
            self.residual();
            self.magnitudes();
            let SparseWorkspace { structure, factors, w, b, magnitude, .. } = &mut *self.space;
            let mut agree = true;
            for (place, &row) in structure.row_at.iter().enumerate() {
                let i = row as usize;
                if factors.roles[place] == Role::Free && w[i].abs() > CONTRADICTION * magnitude[i] {
                    agree = false;
                    b[i] -= w[i];
                }
            }
            if agree {
                break;
            }
            changed = true;
        }
        let SparseWorkspace { x, centre, .. } = &mut *self.space;
        x.copy_from_slice(centre);
        changed
    }

    /// The magnitudes of the terms of w_i; returns the largest.
    pub(super) fn magnitudes(&mut self) -> f64 {
        let SparseWorkspace { structure, factors, x, b, magnitude, .. } = &mut *self.space;
        let mut largest = 0.0_f64;
        self.products += structure.columns.len() as f64;
        for (k, &row) in structure.row_at.iter().enumerate() {
            let mut sum = b[row as usize].abs();
            for p in structure.starts[k]..structure.starts[k + 1] {
                let j = structure.row_at[structure.columns[p] as usize] as usize;
                sum += (factors.values()[p] * x[j]).abs();
            }
            magnitude[row as usize] = sum;
            largest = largest.max(sum);
        }
        largest
    }

    /// Returns true if redundant rows are satisfied as well as the others.
    fn redundant_rows_agree(&self) -> bool {
        let SparseWorkspace { structure, factors, w, magnitude, .. } = &*self.space;
        !self.redundant
            || structure.row_at.iter().zip(&factors.roles).all(|(&row, role)| {
                let row = row as usize;
                *role != Role::Free || w[row].abs() <= CONTRADICTION * magnitude[row]
            })
    }

    /// The largest rate by which x is off, with right-hand sides reconciled.
    pub(super) fn rate_residual(&mut self) -> f64 {
        self.products += PRODUCT * self.problem.len() as f64;
        let problem = ProblemView { b: &self.space.b, ..*self.problem };
        rate_residual(&problem, &self.space.x, &mut self.memory.residual)
    }

    /// Records the residual in the history, if one is kept.
    fn note_history(&mut self) {
        if self.limits.measure == Measure::History {
            let problem = ProblemView { b: &self.space.b, ..*self.problem };
            let value = natural_residual(&problem, &self.space.x, &mut self.memory.residual);
            self.memory.history.push(value);
        }
    }

    /// Collects the rows that contradict their set.
    pub(super) fn find_violations(&mut self) {
        let SparseWorkspace { x, w, magnitude, violated, .. } = &mut *self.space;
        let x_small = VIOLATION * x.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        violated.clear();
        for (i, &side) in self.partition.iter().enumerate() {
            let (lo, hi) = self.problem.bounds(i, x);
            let w_small = VIOLATION * magnitude[i];
            let next = match side {
                Side::Free if x[i] < lo - x_small => Side::Lower,
                Side::Free if x[i] > hi + x_small => Side::Upper,
                Side::Lower if w[i] < -w_small && lo < hi => Side::Free,
                Side::Upper if w[i] > w_small && lo < hi => Side::Free,
                same => same,
            };
            if next != side {
                violated.push((i as u32, next));
            }
        }
    }
}

/// End of one round of exchanges.
#[derive(PartialEq)]
pub(super) enum End {
    /// The residual is within the tolerance.
    Accurate,
    /// No row contradicts its set, and redundant rows have w = 0 like the others.
    Agreement,
    /// No row contradicts its set, but it is a proximal problem, or redundant rows have a non-zero w.
    Consistent,
    /// A partition was met twice.
    Cycle,
    /// The iteration limit.
    Limit,
    /// Not finite.
    Broken,
}

/// Exchanges rows until a partition agrees with its solution, or no progress is possible. Keeps the best x.
pub(super) fn exchange<P: Pattern>(run: &mut Run<'_, '_, P>) -> End {
    let (mut fewest, mut patience) = (usize::MAX, PATIENCE);
    run.space.seen.clear();
    while run.begins() {
        run.solve_partition();
        if run.redundant && !run.reconciled {
            // for this x, not for what was solved before
            run.magnitudes();
            if !run.redundant_rows_agree() && run.reconcile() {
                // the best so far belonged to other right-hand sides
                run.best_residual = f64::INFINITY;
                run.solve_partition();
            }
        }
        if quarantine(run.problem, &mut run.space.x) {
            return End::Broken;
        }
        run.note_history();
        let value = run.rate_residual();
        let scale = run.magnitudes();
        if run.offer(value) && value <= run.limits.tolerance.max(ROUNDING * scale) {
            return End::Accurate;
        }
        run.find_violations();
        let SparseWorkspace { violated, seen, .. } = &mut *run.space;
        if violated.is_empty() {
            return if run.shift == 0.0 && run.redundant_rows_agree() { End::Agreement } else { End::Consistent };
        }
        // All at once while their number falls, otherwise, in a definite problem, only the first; a partition met twice then is a
        // cycle.
        let single = patience == 0;
        if single {
            let number = fingerprint(run.partition);
            if run.shift == 0.0 || seen.len() >= SINGLES || seen.contains(&number) {
                return End::Cycle;
            }
            seen.push(number);
        }
        if violated.len() < fewest {
            fewest = violated.len();
            patience = PATIENCE;
        } else {
            patience = patience.saturating_sub(1);
        }
        let count = if single { 1 } else { violated.len() };
        for &(i, next) in &violated[..count] {
            run.partition[i as usize] = next;
        }
    }
    End::Limit
}
