use super::clock::VisitClock;
use super::links::Links;
use super::separation::Separation;
use crate::correction::{error_size, is_corrected, needs_correction};
use crate::moving::frames_after;
use crate::refinement::{ENOUGH, RATE, errors_at, larger};
use crate::row_solver::share_of;
use crate::{CorrectionParameters, Projection};
use drystone_core::{
    BodyFrame, ConstraintRow, GroupAnswer, GroupProblem, GroupRow, LcpSummary, PositionCorrector, SolveReport,
    make_room,
};
use drystone_math::Real;

/// Sweeps over contacts, each followed by a visit of joints.
const SWEEPS: usize = 4;

/// Joints have been led astray if they end further off than they began, and by more than this times the error that is left alone.
const ASTRAY: Real = 1e4;

/// Removes errors from a group of joints and many contacts: contacts by patches, joints exactly after each sweep.
#[derive(Debug)]
pub(super) struct LinkedCorrection {
    parameters: CorrectionParameters,
    links: Links,
    left: LeftOfJoints,
    /// For joints that cannot be factorised, or contradict each other.
    rows: Projection,
}

impl LinkedCorrection {
    /// `rows` takes over if this method leads joints astray.
    pub(super) fn new(parameters: CorrectionParameters, rows: Projection) -> Self {
        Self { parameters, links: Links::default(), left: LeftOfJoints::default(), rows }
    }

    /// Another one with the same settings.
    pub(super) fn again(&self) -> Self {
        Self::new(self.parameters, self.rows.again())
    }

    /// Displacements after which joints hold and less overlaps.
    pub(super) fn correct(
        &mut self,
        problem: &GroupProblem,
        patches: &mut Separation,
        answer: &mut GroupAnswer,
    ) -> SolveReport {
        let Self { parameters, links, left, rows } = self;
        left.make_room(problem);
        let band = CorrectionParameters { slop: super::BAND * parameters.slop, ..*parameters };
        if !needs_correction(problem, &band) {
            return SolveReport::default();
        }
        links.share(share_of(problem));
        let before = links.spent();
        if !links.take_errors(problem, parameters) {
            return rows.correct(problem, answer);
        }
        let mut clock = VisitClock::default();
        patches.begin(problem);
        for sweep in (1..=SWEEPS).rev() {
            patches.sweep(problem, parameters.slop, sweep);
            links.visit(&mut patches.bodies, &mut clock);
        }
        let first = largest_error(problem, parameters, corrected(problem, parameters).map(|r| r.row.error));
        let (mut largest, mut known) = (Real::INFINITY, true);
        links.settle(&mut patches.bodies, &mut clock);
        patches.write(answer);
        for _ in 0..parameters.refinements {
            let Some(now) = left.look(problem, parameters, answer) else {
                known = false;
                break;
            };
            let nearer = now <= RATE * largest;
            largest = now;
            if now <= ENOUGH || !nearer {
                break;
            }
            links.ask_again(&left.errors);
            links.settle(&mut patches.bodies, &mut clock);
            patches.write(answer);
        }
        if known && parameters.refinements > 0 && (largest.is_nan() || largest > first.max(ASTRAY)) {
            return rows.correct(problem, answer);
        }
        let lcp = LcpSummary { solves: 1, iterations: SWEEPS as u64, ..LcpSummary::default() };
        // contact errors are left to the next step; joints that have other rows by now are to be looked at again
        let finished = if known { lcp.solves } else { 0 };
        SolveReport { lcp, finished, work: links.spent() - before, ..SolveReport::default() }
    }
}

/// What is left of the errors of joints at the new placements of their bodies.
#[derive(Debug, Default)]
struct LeftOfJoints {
    frames: Vec<BodyFrame>,
    fresh: Vec<ConstraintRow>,
    errors: Vec<Real>,
}

impl LeftOfJoints {
    /// Memory for a group: the first correction after a long rest allocates nothing.
    fn make_room(&mut self, problem: &GroupProblem) {
        make_room(&mut self.frames, problem.bodies.len());
        make_room(&mut self.fresh, problem.rows.len());
        make_room(&mut self.errors, problem.rows.len());
    }

    /// The [`largest_error`] with the bodies displaced as in the answer; `None` if joints have other rows there.
    fn look(
        &mut self,
        problem: &GroupProblem,
        parameters: &CorrectionParameters,
        answer: &GroupAnswer,
    ) -> Option<Real> {
        let Self { frames, fresh, errors } = self;
        frames_after(problem, &answer.correction, frames);
        let known = errors_at(problem, parameters, frames, fresh, errors);
        known.then(|| largest_error(problem, parameters, errors.iter().copied()))
    }
}

/// The rows that are corrected.
fn corrected<'a>(
    problem: &'a GroupProblem,
    parameters: &'a CorrectionParameters,
) -> impl Iterator<Item = &'a GroupRow> {
    problem.rows.iter().filter(|r| is_corrected(r, parameters))
}

/// The largest of their errors, in units of the error that is left alone.
fn largest_error(
    problem: &GroupProblem,
    parameters: &CorrectionParameters,
    errors: impl Iterator<Item = Real>,
) -> Real {
    let rows = corrected(problem, parameters).zip(errors);
    rows.fold(0.0, |m, (r, error)| larger(m, error_size(problem, r, error)))
}
