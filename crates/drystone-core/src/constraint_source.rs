use crate::{ConstraintRow, GroupRow};
use drystone_math::{Pose, Real, Twist, Vec3};
use std::any::Any;

/// State of one body as a constraint sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyFrame {
    /// Pose of the centre of mass and axes.
    pub pose: Pose,
    /// Velocity.
    pub velocity: Twist,
}

impl BodyFrame {
    /// The fixed world frame.
    pub const WORLD: Self = Self { pose: Pose::IDENTITY, velocity: Twist::ZERO };
}

/// Position error of a joint.
// G-27
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct JointError {
    /// Gap (m).
    pub linear: Real,
    /// Misalignment (rad).
    pub angular: Real,
}

/// A free coordinate of a joint: a displacement (m) or an angle (rad), zero where the joint was made, that grows with the motion of B relative to A.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct JointCoordinate {
    /// Its value; an angle lies between -pi and pi, unless its turns are counted.
    pub value: Real,
    /// Its rate of change (m/s or rad/s).
    pub speed: Real,
}

/// The unified constraint interface: joints, limits and motors give rows.
///
/// Of the operations that Erleben 2005, section 4.13, asks of a constraint object, *evaluate*, *active*, the number of Jacobian rows, the four Jacobian blocks, the error term and the limits are one
/// call here, [`Self::rows`]: an inactive constraint gives no row, and each [`ConstraintRow`] holds its blocks, error, target and limits. The text's *Jacobian
/// index*, and its auxiliary rows and columns, are the place of a row in a group and the dependence of friction on its normal: the code that assembles a group
/// numbers its rows ([`crate::GroupProblem`]), so that a source need not know of the others.
///
/// # Source
/// G-23; Erleben 2005, section 4.13.
///
/// # Contract
/// `J u` of each row is the rate of its `error` under any motion; a row's place among the rows means the same in every
/// step, as long as the same limits are active. Without error and target, the rows do no work on an allowed motion.
///
/// A source is a pure function of frames and memory: evaluating it at other poses, or often, changes nothing. What it remembers from step to step (an angle
/// with its full turns) is a column of the state ([`crate::State::joint_memory`]), which only [`Self::remember`] writes.
pub trait ConstraintSource: Send + Sync {
    /// The kind, as scene files spell it.
    fn kind(&self) -> &'static str;

    /// The source itself, for whoever knows its type and writes it to a file; `None`, the default, if it cannot be written.
    fn as_any(&self) -> Option<&dyn Any> {
        None
    }

    /// Number of values that it remembers; always the same.
    fn memory_len(&self) -> usize {
        0
    }

    /// Appends its active rows at the given frames (A, B); the world frame is the identity at rest.
    fn rows(&self, frames: [&BodyFrame; 2], memory: &[Real], rows: &mut Vec<ConstraintRow>);

    /// True if [`Self::rows`] gives the same number of rows with the same limits at all frames, so that no row comes or
    /// goes.
    fn has_steady_rows(&self) -> bool {
        false
    }

    /// Updates the rows that it gave at other frames to these: whatever depends on frames is written in place, bit for bit as by [`Self::rows`], and the rest
    /// is left as it was. Returns `false`, with nothing written, if [`Self::rows`] is needed instead.
    fn renew_rows(&self, _frames: [&BodyFrame; 2], _rows: &mut [GroupRow]) -> bool {
        false
    }

    /// Appends the errors of its rows, as [`Self::rows`] gives them but without the rest of each row. This works only if all rows hold rigidly, both ways, and
    /// are in the same places at all frames; otherwise it returns `false`, with nothing appended, and the rows are needed.
    fn errors(&self, _frames: [&BodyFrame; 2], _errors: &mut Vec<Real>) -> bool {
        false
    }

    /// Appends the rates at which the errors change at the bodies' velocities, under the same conditions.
    fn rates(&self, _frames: [&BodyFrame; 2], _rates: &mut Vec<Real>) -> bool {
        false
    }

    /// Position error at the given frames.
    fn error(&self, frames: [&BodyFrame; 2], memory: &[Real]) -> JointError;

    /// Writes what is to be remembered of these frames. It is called once after each drift of its bodies; `memory` holds what it has remembered so far, zeros
    /// at the initial state.
    fn remember(&self, _frames: [&BodyFrame; 2], _memory: &mut [Real]) {}

    /// Value and rate of its first or second free coordinate (`which` is 1 or 2); `None` if it has no such coordinate.
    fn coordinate(&self, _which: u8, _frames: [&BodyFrame; 2], _memory: &[Real]) -> Option<JointCoordinate> {
        None
    }

    /// The point of the world (m) about which its reaction torque is given; `None` stands for B's centre of mass.
    fn anchor(&self, _frames: [&BodyFrame; 2]) -> Option<Vec3> {
        None
    }

    /// The joint's own frame as A and as B carry it, in the world: origins at the anchors, axes that coincide at the initial state, x along the first axis of
    /// the joint. For pictures; `None` if it has none.
    fn joint_frames(&self, _frames: [&BodyFrame; 2]) -> Option<[Pose; 2]> {
        None
    }
}
