//! The bodies, contacts and joints of a group as they move within a step: what sub-stepping and position-based solvers work on.

mod contact;
mod elimination;
mod held_rows;
mod joints;
mod patch;
mod positions;
mod rebound_bound;

pub(crate) use contact::{MovingContact, PairPoint};
pub(crate) use elimination::{Elimination, MOST};
pub(crate) use held_rows::{Beside, HeldRows, is_held};
pub(crate) use joints::{MovingJoints, MovingRow};
pub(crate) use patch::Patch;
pub(crate) use positions::{row_error, shift_row};
pub(crate) use rebound_bound::{ReboundBound, rebound_energy};

use drystone_core::{BodyFrame, GroupAnswer, GroupBody, GroupProblem};
use drystone_math::elementary::{rotation_by, rotation_vector};
use drystone_math::{Pose, Real, SymmetricMat3, Twist, Vec3};

/// Half an angle (rad) whose sine is itself to rounding.
const SMALL: Real = 1e-7;

/// A body of a group at its present pose.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MovingBody {
    /// 1 / mass (1/kg).
    pub(crate) inverse_mass: Real,
    /// Inverse inertia at the present pose, world axes (1/(kg m^2)).
    pub(crate) inverse_inertia: SymmetricMat3,
    /// Present pose.
    pub(crate) pose: Pose,
    /// Present velocity.
    pub(crate) velocity: Twist,
}

impl MovingBody {
    /// As at the start of the step.
    pub(crate) fn of(body: &GroupBody) -> Self {
        let GroupBody { inverse_mass, inverse_inertia, pose, velocity, .. } = *body;
        Self { inverse_mass, inverse_inertia, pose, velocity }
    }

    /// Returns true if impulses move the body.
    pub(crate) fn is_movable(&self) -> bool {
        self.inverse_mass > 0.0 || self.inverse_inertia != SymmetricMat3::ZERO
    }

    /// Velocity change caused by an impulsive wrench (m/s, rad/s).
    pub(crate) fn response(&self, wrench: Twist) -> Twist {
        Twist::new(wrench.linear * self.inverse_mass, self.inverse_inertia.mul_vec(wrench.angular))
    }

    /// Gives it an impulse at a point `arm` from its centre.
    pub(crate) fn push(&mut self, impulse: Vec3, arm: Vec3) {
        self.velocity += self.response(Twist::new(impulse, arm.cross(impulse)));
    }

    /// Displaces it, with the inertia left as it is.
    pub(crate) fn shift(&mut self, by: Twist) {
        self.pose = shifted(&self.pose, by);
    }

    /// The angular acceleration with which it turns freely, `I^-1 (I w x w)` (rad/s^2).
    pub(crate) fn free_turning(&self) -> Vec3 {
        let spin = self.velocity.angular;
        if spin == Vec3::ZERO || self.inverse_inertia.is_isotropic() {
            return Vec3::ZERO;
        }
        let torque = self.inverse_inertia.inverse().map(|inertia| inertia.mul_vec(spin).cross(spin));
        torque.map_or(Vec3::ZERO, |torque| self.inverse_inertia.mul_vec(torque))
    }

    /// State of the body as a joint sees it.
    pub(crate) fn frame(&self) -> BodyFrame {
        BodyFrame { pose: self.pose, velocity: self.velocity }
    }
}

/// The way from one pose to another: of the centre, and as a rotation vector in world axes, of the smallest rotations too.
pub(crate) fn way(from: &Pose, to: &Pose) -> Twist {
    let turned = to.orientation * from.orientation.conjugate();
    let half = turned.xyz();
    let small = half.length_squared() < SMALL * SMALL;
    let angular = if small { half * (2.0 * turned.w.signum()) } else { rotation_vector(turned) };
    Twist::new(to.position - from.position, angular)
}

/// A pose at the end of a way.
#[inline]
pub(crate) fn shifted(pose: &Pose, by: Twist) -> Pose {
    let orientation = (rotation_by(by.angular) * pose.orientation).normalize();
    Pose::new(pose.position + by.linear, orientation)
}

/// States of the bodies of a group, as joints see them, after displacements from their start.
pub(crate) fn frames_after(problem: &GroupProblem, ways: &[Twist], frames: &mut Vec<BodyFrame>) {
    frames.clear();
    frames.extend(problem.bodies.iter().zip(ways).map(|(body, way)| {
        let pose = if body.is_movable() { shifted(&body.pose, *way) } else { body.pose };
        BodyFrame { pose, velocity: body.velocity }
    }));
}

/// Puts the bodies of a group where they start.
pub(crate) fn start(problem: &GroupProblem, bodies: &mut Vec<MovingBody>) {
    bodies.clear();
    bodies.extend(problem.bodies.iter().map(MovingBody::of));
}

/// Puts the bodies of a group where ways from their start lead.
pub(crate) fn start_after(problem: &GroupProblem, ways: &[Twist], bodies: &mut Vec<MovingBody>) {
    start(problem, bodies);
    for (body, way) in bodies.iter_mut().zip(ways).filter(|(b, _)| b.is_movable()) {
        body.shift(*way);
    }
}

/// Adds a part of the external velocity change of the step.
pub(crate) fn apply_forces(problem: &GroupProblem, bodies: &mut [MovingBody], part: Real) {
    for (body, own) in bodies.iter_mut().zip(&problem.bodies) {
        body.velocity += own.external * part;
    }
}

/// Moves the bodies at their velocities for `h` seconds.
pub(crate) fn drift(problem: &GroupProblem, bodies: &mut [MovingBody], h: Real) {
    for body in bodies.iter_mut() {
        body.shift(body.velocity * h);
    }
    settle(problem, bodies);
}

/// Moves the bodies for `h` seconds as if nothing acted on them: a body that turns keeps its angular momentum.
///
/// The spin of the middle of the drift turns it, `w = I^-1(q_mid) L`: of order two and reversible.
pub(crate) fn drift_freely(problem: &GroupProblem, bodies: &mut [MovingBody], h: Real) {
    for body in bodies.iter_mut() {
        let SymmetricMat3 { diagonal: d, off_diagonal } = body.inverse_inertia;
        let spherical = off_diagonal == Vec3::ZERO && d.x == d.y && d.y == d.z;
        let spin = body.velocity.angular;
        let momentum = (spin != Vec3::ZERO && !spherical).then(|| body.inverse_inertia.inverse()).flatten();
        let Some(momentum) = momentum.map(|inertia| inertia.mul_vec(spin)) else {
            body.shift(body.velocity * h);
            continue;
        };
        let spin_at = |by: Vec3| {
            let turned = rotation_by(by);
            turned * body.inverse_inertia.mul_vec(turned.conjugate() * momentum)
        };
        let mut mean = spin;
        for _ in 0..SPIN_ITERATIONS {
            let before = mean;
            mean = spin_at(mean * (0.5 * h));
            if (mean - before).length_squared() <= SPIN_TOLERANCE * SPIN_TOLERANCE * mean.length_squared() {
                break;
            }
        }
        let end = spin_at(mean * h);
        body.shift(Twist::new(body.velocity.linear, mean) * h);
        body.velocity.angular = end;
    }
    settle(problem, bodies);
}

/// Most fixed-point iterations for the spin of a drift: each divides the error by some 10 at 1 rad per drift.
const SPIN_ITERATIONS: usize = 4;
/// The iterations end once the spin changes by less than this fraction of it.
const SPIN_TOLERANCE: Real = 1e-8;

/// Brings the inertia of the bodies to their present poses.
pub(crate) fn settle(problem: &GroupProblem, bodies: &mut [MovingBody]) {
    for (body, own) in bodies.iter_mut().zip(&problem.bodies) {
        if own.inverse_inertia != SymmetricMat3::ZERO {
            let turned = body.pose.orientation * own.pose.orientation.conjugate();
            body.inverse_inertia = own.inverse_inertia.rotated(turned);
        }
    }
}

/// Writes where the bodies have come and how they move.
pub(crate) fn write_motion(problem: &GroupProblem, bodies: &[MovingBody], answer: &mut GroupAnswer) {
    answer.displacement.clear();
    for (i, (body, own)) in bodies.iter().zip(&problem.bodies).enumerate() {
        let moves = body.is_movable();
        answer.displacement.push(if moves { way(&own.pose, &body.pose) } else { Twist::ZERO });
        answer.velocity[i] = if moves { body.velocity } else { own.velocity };
    }
}
