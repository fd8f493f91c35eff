use crate::ConstraintRows;
use drystone_core::{GroupProblem, LcpSummary, SolveReport};
use drystone_lcp::{
    DiscPasses, LcpError, LcpOperator, LcpReport, LcpSolver, LcpStatus, Matrix, Measure, ProjectedGaussSeidel,
    ResidualWorkspace, Share, natural_residual, rate_residual, rate_residual_at,
};
use drystone_math::{Real, Twist, Vec3};

/// Sweeps of the Gauss-Seidel method that takes over if the chosen solver finds no usable impulses. In the k-th such solve of a step it makes only a k-th of them, because
/// it continues from the result of the previous one.
const FALLBACK_SWEEPS: usize = 200;

/// An answer is thrown away if it is more than this many times worse than no impulses at all.
const HOPELESS: Real = 10.0;

/// A direct solver that ended early is not done if its error is above this fraction of what is hopeless.
const UNFINISHED: Real = 1e-7;

/// The share of a frame's work that a group may take.
pub(crate) fn share_of(problem: &GroupProblem) -> Share {
    Share::new(problem.spent, problem.others)
}

const NO_REPORT: LcpReport = LcpReport { status: LcpStatus::Failed, iterations: 0, residual: None, change: 0.0 };

/// A complementarity solver with projected Gauss-Seidel as its fallback.
///
/// If the solver fails (a ray, a breakdown, not finite, or a residual far above that of no impulses at all), sweeps
/// take over from zero; if a direct solver ran out of steps or work, they take over from the best answer so far. A group never goes
/// without contact forces. The report counts these cases.
///
/// All solves of a group within a frame share the solver's work ([`Self::begin`]): passes over discs, shares of the joints' chords, stiffened and plain
/// solutions, phases, and the steps of the time control. What is left unfinished in one is not tried again in the next, so that a step has bounded work.
#[derive(Debug)]
pub(crate) struct RowSolver {
    chosen: Box<dyn LcpSolver>,
    fallback: ProjectedGaussSeidel,
    discs: DiscPasses,
    /// True if the fallback's accumulator holds the last answer.
    by_fallback: bool,
    /// The number of sweeps that it was told to make.
    sweeps: Option<usize>,
    /// Solves since [`Self::begin`] in which the fallback took over.
    handed_over: usize,
    /// Origin of the last answer.
    origin: Origin,
    /// True if the chosen solver has solved other problems since the last rows.
    lent: bool,
    /// `W J^T x` for solvers that keep none, six numbers per body.
    changes: Vec<Real>,
    residual: ResidualWorkspace,
}

impl RowSolver {
    pub(crate) fn new(chosen: Box<dyn LcpSolver>) -> Self {
        let fallback =
            ProjectedGaussSeidel { iterations: FALLBACK_SWEEPS, measure: Measure::AtEnd, ..Default::default() };
        let discs = DiscPasses::default();
        let (changes, residual) = Default::default();
        Self {
            chosen,
            fallback,
            discs,
            by_fallback: false,
            sweeps: None,
            handed_over: 0,
            origin: Origin::Solver,
            lent: false,
            changes,
            residual,
        }
    }

    pub(crate) fn fork(&self) -> Self {
        Self::new(self.chosen_fork())
    }

    /// Another instance of the chosen solver.
    pub(crate) fn chosen_fork(&self) -> Box<dyn LcpSolver> {
        self.chosen.fork()
    }

    /// The chosen solver, without its fallback, for a problem of the caller's own.
    pub(crate) fn chosen(&mut self) -> &mut dyn LcpSolver {
        self.lent = true;
        self.chosen.as_mut()
    }

    /// True if the chosen solver aims at the exact answer.
    pub(crate) fn is_direct(&self) -> bool {
        self.chosen.is_direct()
    }

    /// True if rows without bounds hold in the chosen solver's answers, for any state of the other rows.
    pub(crate) fn holds_equations(&self) -> bool {
        self.chosen.holds_equations()
    }

    /// Returns true if the last answer is that of a direct solver that finished.
    pub(crate) fn is_exact(&self) -> bool {
        self.origin == Origin::Elimination
    }

    /// Begins the solve of a group: all solves from here on share what `share` leaves of the solver's work.
    pub(crate) fn begin(&mut self, share: Share) {
        self.chosen.budget().into_iter().for_each(|b| b.share(share));
        self.handed_over = 0;
    }

    /// Sets the number of sweeps of the chosen solver, if it is one that sweeps.
    pub(crate) fn sweep_at_most(&mut self, sweeps: usize) {
        if self.sweeps.replace(sweeps) != Some(sweeps) {
            // a solver without such a parameter is left as it is
            let _ = self.chosen.set("iterations", sweeps as f64);
        }
    }

    /// Multiplications that its solves have taken, including those before [`Self::begin`].
    pub(crate) fn spent(&mut self) -> Real {
        self.chosen.budget().map_or(0.0, |b| b.spent())
    }

    /// Returns true if their work is spent.
    pub(crate) fn is_spent(&mut self) -> bool {
        self.chosen.budget().is_some_and(|b| b.is_spent())
    }

    /// Takes the start value as the answer, without a solve, if its residual is at most `most`; else `None`.
    pub(crate) fn take_start(&mut self, rows: &mut ConstraintRows, most: Real) -> Option<SolveReport> {
        let variables = rows.len() as u64;
        let (view, x) = rows.split();
        let residual = natural_residual(&view, x, &mut self.residual);
        if residual.is_nan() || residual > most {
            return None;
        }
        self.origin = Origin::Start;
        let report = LcpReport { status: LcpStatus::Converged, iterations: 0, residual: Some(residual), change: 0.0 };
        Some(summary(&report, variables, 0))
    }

    /// Solves the rows from their start value.
    pub(crate) fn solve(&mut self, rows: &mut ConstraintRows) -> SolveReport {
        self.origin = Origin::Solver;
        let before = self.spent();
        let report = self.solve_from_start(rows);
        SolveReport { work: self.spent() - before, exhausted: u64::from(self.is_spent()), ..report }
    }

    fn solve_from_start(&mut self, rows: &mut ConstraintRows) -> SolveReport {
        let variables = rows.len() as u64;
        let spent = self.is_spent();
        let lent = core::mem::take(&mut self.lent);
        let known = !spent && rows.note_solve() == Matrix::OfLastSolve && !lent;
        let matrix = if known { Matrix::OfLastSolve } else { Matrix::Any };
        let (own_accumulator, unbounded) = (6 * rows.operator.bodies(), rows.unbounded);
        let (view, x) = rows.split();
        let (outcome, verdict) = if spent {
            (Ok(NO_REPORT), Verdict::Unfinished)
        } else {
            let outcome = self.discs.solve_with(self.chosen.as_mut(), &view, x, matrix);
            let exact = self.chosen.is_direct() || self.is_spent();
            let method = if exact { Method::Direct } else { Method::Sweeps };
            let measured = outcome.as_ref().ok().and_then(|report| report.residual);
            let off = measured.map(|residual| {
                // without bounds the residual is a rate
                if unbounded {
                    return residual;
                }
                let passes = !self.chosen.takes_discs() && view.has_discs();
                match self.chosen.accumulator() {
                    known if known.len() == own_accumulator && !passes => rate_residual_at(&view, x, known),
                    _ => rate_residual(&view, x, &mut self.residual),
                }
            });
            let verdict = judge(&outcome, off, (x, view.b), method);
            (outcome, verdict)
        };
        self.by_fallback = verdict != Verdict::Taken;
        let converged = outcome.as_ref().is_ok_and(|report| report.status == LcpStatus::Converged);
        if !self.by_fallback && converged && self.chosen.is_direct() {
            self.origin = Origin::Elimination;
        }
        if verdict == Verdict::Taken {
            return summary(&outcome.unwrap_or(NO_REPORT), variables, 0);
        }
        if verdict == Verdict::Useless {
            x.fill(0.0);
        }
        self.handed_over += 1;
        self.fallback.iterations = FALLBACK_SWEEPS.div_ceil(self.handed_over);
        let outcome = self.fallback.solve(&view, x).unwrap_or(NO_REPORT);
        summary(&outcome, variables, 1)
    }

    /// The velocity change `W J^T x` of the answer, one twist per body.
    pub(crate) fn with_changes(&mut self, rows: &ConstraintRows, mut apply: impl FnMut(usize, Twist)) {
        for (i, c) in self.changes(rows).as_chunks::<6>().0.iter().enumerate() {
            apply(i, twist(c));
        }
    }

    /// The same as six numbers per body.
    pub(crate) fn changes(&mut self, rows: &ConstraintRows) -> &[Real] {
        let bodies = rows.operator.bodies();
        let solver: &dyn LcpSolver = if self.by_fallback { &self.fallback } else { self.chosen.as_ref() };
        // an accumulator of the wrong length: the solver works on a copy of A and has none of its own;
        // after passes it is that of the last pass, which need not be the best
        let passes = !solver.takes_discs() && rows.has_discs();
        let own = solver.accumulator();
        if own.len() == 6 * bodies && !passes && self.origin != Origin::Start {
            return own;
        }
        self.changes.clear();
        self.changes.resize(6 * bodies, 0.0);
        rows.operator.start(&rows.x, &mut self.changes);
        &self.changes
    }
}

/// Origin of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// The start that was given.
    Start,
    /// A direct solver that finished.
    Elimination,
    /// Any other solver.
    Solver,
}

/// Kind of solver: direct or iterative.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Method {
    /// Step by step: an answer handed over at its limit of steps or work is unfinished.
    Direct,
    /// By sweeps, whose answer counts wherever they end.
    Sweeps,
}

/// Treatment of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Taken,
    /// To be improved by the fallback.
    Unfinished,
    Useless,
}

/// Judges an answer x of a problem with the right-hand side b. `off` is its error as a rate, if measured: the reported residual, of impulses and velocities, would accept
/// any impulse that acts on a sufficiently light body.
fn judge(
    outcome: &Result<LcpReport, LcpError>,
    off: Option<Real>,
    (x, b): (&[Real], &[Real]),
    method: Method,
) -> Verdict {
    // far worse than no impulses at all, which are off by at most the largest b; a few sweeps may well leave more than that b
    let hopeless = HOPELESS * b.iter().fold(0.0_f64, |m, b| m.max(b.abs()));
    let Ok(report) = outcome else { return Verdict::Useless };
    let usable = !matches!(report.status, LcpStatus::Failed | LcpStatus::Ray)
        && x.iter().all(|v| v.is_finite())
        && off.is_none_or(|off| off <= hopeless);
    // a direct solver that ran out of steps or work hands over what it has
    let late = method == Method::Direct
        && report.status == LcpStatus::IterationLimit
        && off.is_some_and(|off| off > UNFINISHED * hopeless);
    match (usable, late) {
        (false, _) => Verdict::Useless,
        (true, true) => Verdict::Unfinished,
        (true, false) => Verdict::Taken,
    }
}

pub(crate) fn twist(c: &[Real; 6]) -> Twist {
    Twist::new(Vec3::new(c[0], c[1], c[2]), Vec3::new(c[3], c[4], c[5]))
}

pub(crate) fn summary(r: &LcpReport, variables: u64, fallbacks: u64) -> SolveReport {
    SolveReport {
        lcp: LcpSummary {
            solves: 1,
            iterations: r.iterations as u64,
            residual_sum: r.residual.unwrap_or(0.0),
            residuals: u64::from(r.residual.is_some()),
            residual_max: r.residual.unwrap_or(0.0),
            variables_max: variables,
        },
        fallbacks,
        ..SolveReport::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_judged_by_their_report_and_their_numbers() {
        let b = [-2.0, 1.0];
        let report = |status, off| (Ok(LcpReport { status, iterations: 3, residual: off, change: 0.0 }), off);
        let of = |(outcome, off), x: [Real; 2], method| judge(&outcome, off, (&x, &b), method);
        let x = [1.0, 0.0];
        assert_eq!(of(report(LcpStatus::Converged, Some(1e-12)), x, Method::Direct), Verdict::Taken);
        assert_eq!(of(report(LcpStatus::IterationLimit, None), x, Method::Sweeps), Verdict::Taken);
        // useless answers: far worse than none at all, not finite, a ray, a breakdown
        assert_eq!(of(report(LcpStatus::IterationLimit, Some(20.1)), x, Method::Sweeps), Verdict::Useless);
        assert_eq!(of(report(LcpStatus::Converged, None), [Real::NAN, 0.0], Method::Sweeps), Verdict::Useless);
        assert_eq!(of(report(LcpStatus::Ray, Some(0.0)), x, Method::Direct), Verdict::Useless);
        assert_eq!(of(report(LcpStatus::Failed, None), x, Method::Direct), Verdict::Useless);
        // an answer of sweeps counts wherever they stop, that of a direct method that stopped early does not
        assert_eq!(of(report(LcpStatus::IterationLimit, Some(1e-3)), x, Method::Sweeps), Verdict::Taken);
        assert_eq!(of(report(LcpStatus::IterationLimit, Some(1e-3)), x, Method::Direct), Verdict::Unfinished);
        assert_eq!(of(report(LcpStatus::IterationLimit, Some(1e-6)), x, Method::Direct), Verdict::Taken);
    }
}
