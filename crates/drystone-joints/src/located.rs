use drystone_core::BodyFrame;
use drystone_math::{Mat3, Pose, Quat, Real, Twist, Vec3};

/// Frames of a joint in its two bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Seats {
    /// Anchor of A from its centre of mass, in its body axes (m).
    pub(crate) anchor_a: Vec3,
    /// The same for B.
    pub(crate) anchor_b: Vec3,
    /// Undoes the initial relative orientation: `(q_A* q_B)*`.
    pub(crate) undo: Quat,
    /// Orientation of the joint's frame against A; against B it is `undo` times this.
    pub(crate) frame_a: Quat,
}

impl Seats {
    /// From the anchors and the orientation of the joint's frame, both in the world, and the poses at the initial
    /// state.
    pub(crate) fn new(anchors: [Vec3; 2], frame: Quat, poses: [&Pose; 2]) -> Self {
        Self {
            anchor_a: poses[0].local_point(anchors[0]),
            anchor_b: poses[1].local_point(anchors[1]),
            undo: (poses[0].orientation.conjugate() * poses[1].orientation).conjugate(),
            frame_a: poses[0].orientation.conjugate() * frame,
        }
    }

    /// The joint's frame as carried by each body.
    pub(crate) fn frames(&self, [a, b]: [&BodyFrame; 2]) -> [Pose; 2] {
        [
            Pose::new(a.pose.point(self.anchor_a), a.pose.orientation * self.frame_a),
            Pose::new(b.pose.point(self.anchor_b), b.pose.orientation * self.undo * self.frame_a),
        ]
    }
}

/// Data that the scalar functions share at one instant, world frame.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Located {
    /// Axes of A.
    pub(crate) axes_a: Mat3,
    /// Axes of B.
    pub(crate) axes_b: Mat3,
    /// From A's centre of mass to its anchor (m).
    pub(crate) arm_a: Vec3,
    /// From B's centre of mass to its anchor (m).
    pub(crate) arm_b: Vec3,
    /// Centres of mass of A and B (m).
    pub(crate) centers: [Vec3; 2],
    /// From A's anchor to B's (m).
    pub(crate) gap: Vec3,
    /// Orientation of A.
    pub(crate) orientation_a: Quat,
    /// Orientation of B.
    pub(crate) orientation_b: Quat,
    /// Undoes the initial relative orientation.
    undo: Quat,
    /// Angular velocities of A and B (rad/s).
    pub(crate) spin: [Vec3; 2],
    /// Velocities of their centres of mass (m/s).
    pub(crate) speed: [Vec3; 2],
    /// Rate of the gap (m/s).
    pub(crate) gap_rate: Vec3,
    /// Second derivative of the gap under a steady motion (m/s^2).
    pub(crate) gap_bend: Vec3,
}

impl Located {
    #[inline(always)]
    pub(crate) fn new(seats: &Seats, frames: [&BodyFrame; 2]) -> Self {
        let [a, b] = [&frames[0].pose, &frames[1].pose];
        let (axes_a, axes_b) = (Mat3::from_quat(a.orientation), Mat3::from_quat(b.orientation));
        let (arm_a, arm_b) = (axes_a * seats.anchor_a, axes_b * seats.anchor_b);
        let [wa, wb] = [frames[0].velocity.angular, frames[1].velocity.angular];
        let (swing_a, swing_b) = (wa.cross(arm_a), wb.cross(arm_b));
        Self {
            axes_a,
            axes_b,
            arm_a,
            arm_b,
            centers: [a.position, b.position],
            gap: (b.position - a.position) + (arm_b - arm_a),
            orientation_a: a.orientation,
            orientation_b: b.orientation,
            undo: seats.undo,
            spin: [wa, wb],
            speed: [frames[0].velocity.linear, frames[1].velocity.linear],
            gap_rate: (frames[1].velocity.linear - frames[0].velocity.linear) + (swing_b - swing_a),
            gap_bend: wb.cross(swing_b) - wa.cross(swing_a),
        }
    }

    /// Axes of A (0) or B (1).
    pub(crate) fn axes(&self, side: usize) -> Mat3 {
        if side == 0 { self.axes_a } else { self.axes_b }
    }

    /// The gradient of `e . gap` with `e` carried along by A.
    #[inline(always)]
    pub(crate) fn gradient_along(&self, e: Vec3) -> [Twist; 2] {
        [Twist::new(-e, e.cross(self.arm_a + self.gap)), Twist::new(e, self.arm_b.cross(e))]
    }

    /// Its second derivative under steady velocities.
    #[inline(always)]
    pub(crate) fn curvature_along(&self, e: Vec3) -> Real {
        let w = self.spin[0];
        let turned = w.cross(e);
        w.cross(turned).dot(self.gap) + 2.0 * turned.dot(self.gap_rate) + e.dot(self.gap_bend)
    }

    /// Rotation of B relative to A since the initial state, in A's axes; its scalar part is not negative.
    pub(crate) fn turn(&self) -> Quat {
        let turn = self.orientation_a.conjugate() * self.orientation_b * self.undo;
        if turn.w < 0.0 { -turn } else { turn }
    }
}
