use drystone_core::{BodyFrame, ConstraintRow, ConstraintSource, JointError, RowLimits, Softness};
use drystone_math::{Twist, Vec3};

/// A row that holds the velocity it multiplies at zero, whatever force that takes.
pub fn rigid_row(jacobian: [Twist; 2]) -> ConstraintRow {
    ConstraintRow {
        jacobian,
        target: 0.0,
        error: 0.0,
        curvature: 0.0,
        limits: RowLimits::BILATERAL,
        softness: Softness::RIGID,
        restitution: 0.0,
        correctable: true,
        line: None,
    }
}

/// Holds a point of A and a point of B together: three rows along A's axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Pin {
    /// The points, in body axes from the centres of mass (m).
    pub(crate) anchors: [Vec3; 2],
}

impl Pin {
    /// From A's point to B's (m).
    fn gap(&self, frames: [&BodyFrame; 2]) -> Vec3 {
        frames[1].pose.point(self.anchors[1]) - frames[0].pose.point(self.anchors[0])
    }
}

impl ConstraintSource for Pin {
    fn kind(&self) -> &'static str {
        "pin"
    }

    fn rows(&self, frames: [&BodyFrame; 2], _memory: &[f64], rows: &mut Vec<ConstraintRow>) {
        let gap = self.gap(frames);
        let arms = [0, 1].map(|k: usize| frames[k].pose.direction(self.anchors[k]));
        rows.extend([Vec3::X, Vec3::Y, Vec3::Z].map(|axis| {
            let axis = frames[0].pose.direction(axis);
            let jacobian = [Twist::new(-axis, axis.cross(arms[0] + gap)), Twist::new(axis, arms[1].cross(axis))];
            ConstraintRow { error: axis.dot(gap), ..rigid_row(jacobian) }
        }));
    }

    fn error(&self, frames: [&BodyFrame; 2], _memory: &[f64]) -> JointError {
        JointError { linear: self.gap(frames).length(), angular: 0.0 }
    }
}
