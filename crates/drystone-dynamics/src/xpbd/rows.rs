use crate::moving::{HeldRows, MovingBody, MovingJoints, MovingRow, is_held, row_error, way};
use drystone_core::{GroupAnswer, GroupProblem, Softness};
use drystone_math::{Pose, Real, Twist, bounded};

/// The rows of a group's joints, as constraints on positions.
#[derive(Debug, Default)]
pub(super) struct PositionRows {
    moving: MovingJoints,
    /// Displacements of the bodies since the rows were evaluated.
    shifts: Vec<Twist>,
}

impl Clone for PositionRows {
    /// Buffers are each their own.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PositionRows {
    pub(super) fn start(&mut self, problem: &GroupProblem) {
        self.moving.start(problem, 0.0);
    }

    /// Before the motion of a sub-step of `h` seconds: no multipliers, and the rates at which limits are to be left.
    pub(super) fn begin(&mut self, problem: &GroupProblem, bodies: &[MovingBody], h: Real) {
        self.moving.follow(problem, bodies);
        for r in &mut self.moving.rows {
            r.x = 0.0;
        }
        self.moving.note_rebounds(bodies, h);
    }

    /// One pass over the positions. Rows are evaluated at its start, their errors follow the bodies as the rows say.
    pub(super) fn project(
        &mut self,
        problem: &GroupProblem,
        bodies: &mut [MovingBody],
        from: &[Pose],
        [h, whole]: [Real; 2],
    ) {
        self.moving.follow(problem, bodies);
        self.shifts.clear();
        self.shifts.resize(bodies.len(), Twist::ZERO);
        let Self { moving, shifts } = self;
        let MovingJoints { rows, joints, .. } = moving;
        for joint in joints.iter() {
            let blocks = HeldRows::of_joint(rows, joint, bodies);
            let Some(last) = blocks.last() else { continue };
            // first, so that they are right while the others act beside them: a step along a limit and what comes with it leaves nothing of both then. The other way
            // round the limits of two joints drive each other on, pass by pass
            blocks.iter().for_each(|held| held.hold(rows, bodies, shifts, Real::INFINITY));
            for i in joint.clone() {
                let r = &rows[i as usize];
                if is_held(&r.row) {
                    continue;
                }
                let beside = last.beside(rows, i, bodies);
                let change = if is_driven(r) {
                    driven((r, beside.response), bodies, from, h)
                } else {
                    yielding((r, beside.response), bodies, from, shifts, [h, whole])
                };
                last.shift(rows, i, (bodies, shifts), &beside, change);
            }
        }
    }

    /// Motors and friction of joints, and limits that pushed, after a sub-step of `h` seconds.
    pub(super) fn change_velocities(&mut self, problem: &GroupProblem, bodies: &mut [MovingBody], h: Real) {
        self.moving.follow(problem, bodies);
        // the velocity that came of being pushed out goes, what bounces gets its own
        let is_pushed_out = |r: &MovingRow| r.is_limit() && r.x > 0.0 && !r.row.softness.is_soft();
        let wanted = |r: &MovingRow| match r {
            r if is_pushed_out(r) => Some(r.rebound),
            r => is_driven(r).then_some(r.row.target),
        };
        HeldRows::give_rates(&mut self.moving, bodies, [h, h], wanted);
    }

    /// Adds the impulses of a sub-step of `h` seconds to the answer.
    pub(super) fn add_to(&self, answer: &mut GroupAnswer, h: Real) {
        self.moving.add_to(answer, 1.0 / h);
    }
}

/// Returns true if a row constrains its velocity alone: a motor, or friction.
fn is_driven(r: &MovingRow) -> bool {
    !r.row.correctable && !r.row.softness.is_soft()
}

/// The change of the multiplier of a limit, spring or other soft row over a sub-step of `h` seconds of a step of `whole`.
///
/// With `x = h^2 F` and `F = -k C - c dC/dt` of the end of the sub-step: `dx (1 + h^2 k w + h c w) = -h^2 k C - h c J dq - x`, w the response.
fn yielding(
    (r, response): (&MovingRow, Real),
    bodies: &[MovingBody],
    from: &[Pose],
    shifts: &[Twist],
    [h, whole]: [Real; 2],
) -> Real {
    if response <= 0.0 {
        return 0.0;
    }
    let off = row_error(r, shifts);
    let step = if let Some(Softness::Spring { stiffness, damping }) = r.row.softness.as_spring(whole) {
        if r.is_limit() && off > 0.0 {
            -r.x
        } else {
            let (k, c) = (h * h * stiffness, h * damping);
            (-k * off - c * gone(r, bodies, from) - r.x) / (1.0 + (k + c) * response)
        }
    } else {
        -off / response
    };
    within(r, step, h)
}

/// The change of the multiplier of a motor, or of friction: over the sub-step the joint goes as far as its target rate takes it, if the force does.
///
/// As friction at contacts, what sticks is held in place; a force on velocities alone would let it creep by what the weight adds in a sub-step.
fn driven((r, response): (&MovingRow, Real), bodies: &[MovingBody], from: &[Pose], h: Real) -> Real {
    if response <= 0.0 {
        return 0.0;
    }
    within(r, (h * r.row.target - gone(r, bodies, from)) / response, h)
}

/// Displacement of the joint along a row since the start of the sub-step.
fn gone(r: &MovingRow, bodies: &[MovingBody], from: &[Pose]) -> Real {
    r.row.rate(r.bodies.map(|i| way(&from[i as usize], &bodies[i as usize].pose)))
}

/// A change of a multiplier over a sub-step of `h` seconds, kept within the bounds of its row.
fn within(r: &MovingRow, change: Real, h: Real) -> Real {
    let [lo, hi] = [r.row.limits.lo, r.row.limits.hi].map(|f| if f == 0.0 { 0.0 } else { f * h * h });
    bounded(r.x + change, lo, hi) - r.x
}
