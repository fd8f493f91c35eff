//! Remaining errors of joints after a correction, evaluated at the corrected poses.

use crate::correction::{is_corrected, joint_slops};
use crate::moving::frames_after;
use crate::{ConstraintRows, CorrectionParameters};
use drystone_core::{BodyFrame, ConstraintRow, GroupAnswer, GroupProblem, RowLimits, make_room};
use drystone_math::{Real, Registers};
use pulp::{Simd, WithSimd};

/// An error up to this many times the slop is left until the next step corrects it with its own matrix: one more Newton step takes a tenth of a step's time, and errors are then
/// some 1e-9 m.
pub(crate) const ENOUGH: Real = 100.0;

/// Fraction of the previous error that a solve may leave. A correction turns bodies by an angle, and leaves about that fraction of the error; a hundredth is usual. If
/// joints nearly contradict each other, as in a bridge as long as its gap, half is left at best: more solves with the first matrix would only carry bodies far away.
pub(crate) const RATE: Real = 0.1;

/// Remaining error of a correction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Left {
    /// No error that is worth another solve.
    Nothing,
    /// Errors that another solve of the rows removes.
    Errors,
    /// Errors that another solve does not remove, or that cannot be known.
    Unknown,
}

/// Further Newton steps of a correction, with the matrix of the first one: bodies turn so little in it that this is as good.
#[derive(Debug, Default)]
pub(crate) struct Refinement {
    frames: Vec<BodyFrame>,
    rows: Vec<ConstraintRow>,
    errors: Vec<Real>,
    /// For each corrected row: the error that is left alone.
    slops: Vec<Real>,
    /// True if all corrected rows hold from both sides.
    bilateral: bool,
    /// The largest error that the last look found.
    largest: Real,
}

impl Refinement {
    /// Reserves memory for a group: the first correction that is refined after a long rest allocates nothing.
    pub(crate) fn make_room(&mut self, group: &GroupProblem) {
        make_room(&mut self.frames, group.bodies.len());
        make_room(&mut self.rows, group.rows.len());
    }

    /// Prepares for another correction.
    pub(crate) fn restart(&mut self, problem: &GroupProblem, parameters: &CorrectionParameters) {
        Registers::new().dispatch(Start { refinement: self, problem, parameters });
    }

    /// Evaluates the errors of a group's joints with the bodies displaced as in the answer. If any is worth another solve,
    /// the rows are changed to ask for the whole displacement that removes all errors, to be solved from their last answer.
    pub(crate) fn look(
        &mut self,
        problem: &GroupProblem,
        parameters: &CorrectionParameters,
        answer: &GroupAnswer,
        rows: &mut ConstraintRows,
    ) -> Left {
        if !problem.contacts.is_empty() || !self.bilateral {
            return Left::Unknown;
        }
        frames_after(problem, &answer.correction, &mut self.frames);
        let before = core::mem::replace(&mut self.largest, 0.0);
        if !self.ask(problem, parameters) || self.errors.len() != rows.b.len() {
            return Left::Unknown;
        }
        if self.largest <= ENOUGH {
            return Left::Nothing;
        }
        // not a number, or no nearer
        if self.largest.is_nan() || self.largest > RATE * before {
            return Left::Unknown;
        }
        // what the last answer removed, and what is left
        for (b, error) in rows.b.iter_mut().zip(&self.errors) {
            *b += error;
        }
        Left::Errors
    }

    /// Evaluates the errors of the corrected rows, and the largest one in units of its slop. False if the joints have other rows than before.
    fn ask(&mut self, problem: &GroupProblem, parameters: &CorrectionParameters) -> bool {
        let Self { frames, rows, errors, slops, largest, .. } = self;
        let known = errors_at(problem, parameters, frames, rows, errors);
        if errors.len() != slops.len() {
            return false;
        }
        *largest = Registers::new().dispatch(Largest { errors, slops });
        known
    }
}

/// The errors of the corrected rows, with the bodies in these frames; `rows` is a buffer. False if joints have other rows
/// there, or if there are rows without a joint: those of forces are no errors, and for others it is not known what they hold.
pub(crate) fn errors_at(
    problem: &GroupProblem,
    parameters: &CorrectionParameters,
    frames: &[BodyFrame],
    rows: &mut Vec<ConstraintRow>,
    errors: &mut Vec<Real>,
) -> bool {
    errors.clear();
    let mut asked = 0;
    for joint in &problem.joints {
        let own = &problem.rows[joint.rows.start as usize..joint.rows.end as usize];
        if !own.iter().any(|r| is_corrected(r, parameters)) {
            asked += own.len();
            continue;
        }
        let ends = joint.bodies.map(|i| &frames[i as usize]);
        let first = errors.len();
        if joint.source.errors(ends, errors) {
            // either all of them hold rigidly, or none does
            if errors.len() - first != own.len() {
                return false;
            }
        } else {
            rows.clear();
            problem.rows_at(joint, ends, rows);
            if rows.len() != own.len() {
                return false;
            }
            let corrected = rows.iter().zip(own).filter(|(_, r)| is_corrected(r, parameters));
            errors.extend(corrected.map(|(now, _)| now.error));
        }
        asked += own.len();
    }
    asked == problem.rows.len()
}

/// [`Refinement::restart`] with whatever registers the processor has. Nothing is reordered or fused: the bits are the same on all of them.
struct Start<'a> {
    refinement: &'a mut Refinement,
    problem: &'a GroupProblem,
    parameters: &'a CorrectionParameters,
}

impl WithSimd for Start<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        let Self { refinement: Refinement { slops, bilateral, largest, .. }, problem, parameters } = self;
        slops.clear();
        (*bilateral, *largest) = (true, 0.0);
        for own in problem.rows.chunk_by(|r, next| r.bodies == next.bodies) {
            for (r, slop) in joint_slops(problem, own).filter(|(r, _)| is_corrected(r, parameters)) {
                slops.push(slop);
                *bilateral &= r.row.limits == RowLimits::BILATERAL;
                *largest = largest.max(r.row.error.abs() / slop);
            }
        }
    }
}

/// The largest of some errors in units of the error that is left alone; what is not a number is larger than any.
struct Largest<'a> {
    errors: &'a [Real],
    slops: &'a [Real],
}

impl WithSimd for Largest<'_> {
    type Output = Real;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) -> Real {
        const LANES: usize = 4;
        let ((errors, rest), (slops, others)) = (self.errors.as_chunks::<LANES>(), self.slops.as_chunks::<LANES>());
        // four in parallel, none of which waits for the one before it
        let mut lanes = [0.0; LANES];
        for (errors, slops) in errors.iter().zip(slops) {
            for k in 0..LANES {
                lanes[k] = larger(lanes[k], errors[k].abs() / slops[k]);
            }
        }
        let rest = rest.iter().zip(others).map(|(error, slop)| error.abs() / slop);
        lanes.into_iter().chain(rest).fold(0.0, larger)
    }
}

/// The larger of two errors; what is not a number is larger than any.
#[inline(always)]
pub(crate) fn larger(a: Real, b: Real) -> Real {
    if a.is_nan() || b.is_nan() { Real::NAN } else { a.max(b) }
}

#[cfg(test)]
mod tests {
    use super::larger;

    #[test]
    fn an_error_that_is_no_number_is_not_forgotten() {
        assert!(larger(f64::NAN, 1.0).is_nan() && larger(1.0, f64::NAN).is_nan());
        assert_eq!((larger(1.0, 2.0), larger(2.0, 1.0)), (2.0, 2.0));
    }
}
