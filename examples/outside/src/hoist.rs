use drystone_core::catalogue::{Implementation, Parameter, Settings};
use drystone_core::{BodyFrame, ConstraintRow, ConstraintSource, JointError, RowLimits, Softness};
use drystone_joints::{JointBuildError, JointDescription};
use drystone_math::{Pose, Real, Twist, Vec3};

/// A cord from a point of A up over two fixed wheels and down to a point of B: l_A + ratio l_B is at most what it is at the start.
#[derive(Debug, Clone, Copy)]
pub struct Hoist {
    /// Where the cord is tied, in the frames of the bodies (m).
    points: [Vec3; 2],
    /// The wheels, in the world (m).
    wheels: [Vec3; 2],
    /// What a metre on either side counts.
    weights: [Real; 2],
    length: Real,
    softness: Softness,
}

/// One side of the cord: its length, the velocity of that and the second derivative under a steady motion, and the gradient.
struct Strand {
    length: Real,
    acceleration: Real,
    gradient: Twist,
}

impl Hoist {
    /// How it is listed.
    pub const DESCRIPTION: Implementation = Implementation {
        name: "hoist",
        summary: "a cord from the one body over two fixed wheels to the other; a limit",
        source: "this example",
        parameters: &[
            Parameter::real("height", 1.0, 1e-3, 1e6, "of the wheels above the anchors (m)"),
            Parameter::real("ratio", 1.0, 1e-3, 1e3, "what a metre on B's side counts on A's"),
        ],
    };

    /// From a joint of a scene.
    ///
    /// # Errors
    /// [`JointBuildError::Missing`] without `anchor` and `anchor2`.
    pub fn new(d: &JointDescription<'_>, poses: [&Pose; 2], settings: &Settings) -> Result<Self, JointBuildError> {
        let missing = |what| JointBuildError::Missing { kind: Self::DESCRIPTION.name, what };
        let anchors = [d.anchor.ok_or_else(|| missing("anchor"))?, d.anchor2.ok_or_else(|| missing("anchor2"))?];
        let (height, ratio) = (settings.real("height"), settings.real("ratio"));
        Ok(Self {
            points: [0, 1].map(|k| poses[k].local_point(anchors[k])),
            wheels: anchors.map(|a| a + Vec3::Y * height),
            weights: [1.0, ratio],
            length: height * (1.0 + ratio),
            softness: Softness::Fixed { erp: d.erp, cfm: d.cfm },
        })
    }

    fn strand(&self, k: usize, frame: &BodyFrame) -> Strand {
        let arm = frame.pose.direction(self.points[k]);
        let way = frame.pose.position + arm - self.wheels[k];
        let length = way.length();
        let along = if length > 0.0 { way / length } else { Vec3::Y };
        let (velocity, turning) = (frame.velocity.at(arm), frame.velocity.angular);
        let across = velocity.length_squared() - along.dot(velocity).powi(2);
        let bend = along.dot(turning.cross(turning.cross(arm)));
        Strand {
            length,
            acceleration: if length > 0.0 { across / length + bend } else { 0.0 },
            gradient: Twist::new(along, arm.cross(along)),
        }
    }

    /// What is left of the cord (m): below zero it would have to be longer.
    fn slack(&self, strands: &[Strand; 2]) -> Real {
        self.length - strands[0].length * self.weights[0] - strands[1].length * self.weights[1]
    }
}

impl ConstraintSource for Hoist {
    fn kind(&self) -> &'static str {
        Self::DESCRIPTION.name
    }

    fn rows(&self, frames: [&BodyFrame; 2], _: &[Real], rows: &mut Vec<ConstraintRow>) {
        let strands = [0, 1].map(|k| self.strand(k, frames[k]));
        rows.push(ConstraintRow {
            jacobian: [0, 1].map(|k| strands[k].gradient * -self.weights[k]),
            target: 0.0,
            error: self.slack(&strands),
            curvature: -(0..2).map(|k| self.weights[k] * strands[k].acceleration).sum::<Real>(),
            limits: RowLimits::UNILATERAL,
            softness: self.softness,
            restitution: 0.0,
            correctable: true,
            line: None,
        });
    }

    fn error(&self, frames: [&BodyFrame; 2], _: &[Real]) -> JointError {
        let strands = [0, 1].map(|k| self.strand(k, frames[k]));
        JointError { linear: (-self.slack(&strands)).max(0.0), angular: 0.0 }
    }
}
