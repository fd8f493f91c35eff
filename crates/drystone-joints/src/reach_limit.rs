use crate::coordinate_joint::{LimitRole, Side};
use crate::located::{Located, Seats};
use crate::region::Region;
use crate::swing::{SwingFrame, swing_frame};
use crate::turn::Evaluated;
use drystone_core::{BodyFrame, ConstraintRow, ConstraintSource, JointError, Softness};
use drystone_math::{Pose, Quat, Real, Vec3};

/// Keeps the coordinates of a ball joint within a user-defined [`Region`]: a separate joint, added to the ball joint between the
/// same bodies.
///
/// It gives one row if the boundary is near or has been crossed, and constrains nothing else. It bounces by
/// `restitution`.
pub struct ReachLimit {
    frame: SwingFrame,
    seats: Seats,
    region: Box<dyn Region>,
    limit: LimitRole,
}

impl ReachLimit {
    /// From the two axes in the world (any length above zero; of the second only the component perpendicular to the first counts, or any direction if there is none), the
    /// poses of both bodies at the initial state, the region, and the coefficient of restitution at its boundary, in `[0, 1]`.
    pub fn new(axes: [Vec3; 2], poses: [&Pose; 2], region: Box<dyn Region>, restitution: Real) -> Self {
        let frame = swing_frame(axes[0].normalize_or(Vec3::X), Some(axes[1]), poses.map(|p| p.orientation));
        let restitution = restitution.clamp(0.0, 1.0);
        let limit = LimitRole { bound: 0.0, side: Side::Above, softness: Softness::RIGID, restitution };
        Self { frame, seats: Seats::new([Vec3::ZERO; 2], Quat::IDENTITY, poses), region, limit }
    }

    fn evaluate(&self, frames: [&BodyFrame; 2]) -> (Evaluated, Real) {
        self.frame.evaluate(&Located::new(&self.seats, frames), self.region.as_ref())
    }
}

impl ConstraintSource for ReachLimit {
    fn kind(&self) -> &'static str {
        "reach-limit"
    }

    fn rows(&self, frames: [&BodyFrame; 2], _memory: &[Real], rows: &mut Vec<ConstraintRow>) {
        let (at, curvature) = self.evaluate(frames);
        rows.extend(self.limit.row(&at, || curvature, frames.map(|f| f.velocity)));
    }

    fn error(&self, frames: [&BodyFrame; 2], _memory: &[Real]) -> JointError {
        JointError { linear: 0.0, angular: -self.evaluate(frames).0.value.min(0.0) }
    }
}
