//! Rates of change as values: what a solve would do, and sums of that.

use super::groups::Solving;
use super::plane::Plane;
use super::scatter::turn;
use drystone_core::{BodyIndex, Configuration, MotionSolver, Rate, RateOf, State};
use drystone_math::{Quat, Real, Twist, Vec3};

/// The course of bodies over a step of a rate.
pub(super) struct Course<'a> {
    pub(super) state: &'a State,
    pub(super) configuration: &'a Configuration,
    /// The change that a drift makes to velocities is part of their rates.
    pub(super) motion_solver: &'a dyn MotionSolver,
    /// Velocity changes by external forces, in column order.
    pub(super) change: &'a [Twist],
    /// The results of the solve of their groups.
    pub(super) solving: &'a Solving,
    /// True if poses change at the velocities after the step instead of those before it: always so in a world without
    /// inertia.
    pub(super) at_end: bool,
    pub(super) h: Real,
    pub(super) plane: Option<Plane>,
}

/// The rates of a frame.
#[derive(Default)]
pub(super) struct Rates {
    columns: Vec<RateColumns>,
    used: usize,
    /// The changes that a solve makes to velocities, in column order.
    solved: Vec<Twist>,
}

/// Rates of change of some bodies.
#[derive(Default)]
pub(super) struct RateColumns {
    pub(super) bodies: Vec<BodyIndex>,
    /// The rates at which poses change.
    pub(super) velocities: Vec<Twist>,
    /// `dq/dt`.
    pub(super) turns: Vec<Quat>,
    /// The rates at which velocities change.
    pub(super) accelerations: Vec<Twist>,
}

impl Rates {
    pub(super) fn clear(&mut self) {
        self.used = 0;
    }

    /// Records the rates of the bodies that a solve was for, and of those that keep the velocity that they were given.
    pub(super) fn note(&mut self, course: &Course<'_>, of: RateOf, solved: &[BodyIndex], given: &[BodyIndex]) -> Rate {
        let Course { state, change, solving, h, .. } = *course;
        self.solved.clear();
        self.solved.extend_from_slice(change);
        for (body, velocity) in solving.outputs().flat_map(|o| &o.velocities) {
            self.solved[*body as usize] = *velocity - state.velocity(BodyIndex(*body));
        }
        let Self { columns, used, solved: changes } = self;
        let (rate, columns) = begin(columns, used, [solved, given]);
        columns.solve(course, of, changes, solved.len());
        if of == RateOf::Step && h > 0.0 {
            columns.follow(course, solved);
            columns.turn(state, solving, h);
        }
        rate
    }

    /// Adds a rate times a time to a state; orientations are not unit quaternions afterwards.
    pub(super) fn add(&self, rate: Rate, weight: Real, state: &mut State) {
        let Some(columns) = self.columns[..self.used].get(rate.0 as usize) else { return };
        for (k, &body) in columns.bodies.iter().enumerate() {
            let i = body.at();
            state.position[i] += columns.velocities[k].linear * weight;
            state.orientation[i] += columns.turns[k] * weight;
            let u = state.velocity(body) + columns.accelerations[k] * weight;
            state.set_velocity(body, u);
        }
    }
}

impl RateColumns {
    /// Computes the rates of bodies over a step; those from `solved` on keep the velocity that they were given.
    fn solve(&mut self, course: &Course<'_>, of: RateOf, changes: &[Twist], solved: usize) {
        let Course { state, configuration, motion_solver, h, at_end, plane, .. } = *course;
        for (k, &body) in self.bodies.iter().enumerate() {
            let kept = |t: Twist| plane.filter(|_| k < solved).map_or(t, |p| p.part(t));
            let (before, change) = (kept(state.velocity(body)), kept(changes[body.at()]));
            let accelerates = k < solved && h > 0.0;
            let after = if k < solved { before + change } else { before };
            let velocity = if at_end { after } else { before };
            let q = state.orientation[body.at()];
            // a spin that the drift turns: its present rate, or over a step half of it on the way
            let spin = motion_solver.drift_acceleration(configuration.body(body), q, velocity.angular);
            let bend = if accelerates { kept(Twist::new(Vec3::ZERO, spin)) } else { Twist::ZERO };
            // and a spin that the drift changes at its end
            let turned = if of == RateOf::Step && accelerates {
                let there = turn(q, velocity.angular * h);
                motion_solver.spin_change(configuration.body(body), there, velocity.angular, h) * (1.0 / h)
            } else {
                Vec3::ZERO
            };
            let midway = if of == RateOf::Step { bend.angular * (0.5 * h) } else { Vec3::ZERO };
            self.velocities.push(velocity);
            self.turns.push(orientation_rate(q, velocity.angular + midway));
            let spin = kept(Twist::new(Vec3::ZERO, turned));
            self.accelerations.push(if accelerates { change * (1.0 / h) + bend + spin } else { Twist::ZERO });
        }
    }

    /// Bodies that the solver moves itself follow their displacements.
    fn follow(&mut self, course: &Course<'_>, solved: &[BodyIndex]) {
        let Course { state, solving, h, plane, .. } = *course;
        for (body, way) in solving.outputs().flat_map(|o| &o.displacements) {
            if let Some(k) = solved.iter().position(|b| b.0 == *body) {
                let rate = plane.map_or(*way, |p| p.part(*way)) * (1.0 / h);
                self.velocities[k] = rate;
                self.turns[k] = orientation_rate(state.orientation[*body as usize], rate.angular);
            }
        }
    }

    /// Adds the turns of bodies that turn at a surface within the step.
    fn turn(&mut self, state: &State, solving: &Solving, h: Real) {
        for (body, turn) in solving.outputs().flat_map(|o| &o.turns) {
            if let Some(k) = self.bodies.iter().position(|b| b.0 == *body) {
                self.velocities[k] += turn.clone().take(h) * (1.0 / h);
                let q = state.orientation[*body as usize];
                self.turns[k] = orientation_rate(q, self.velocities[k].angular);
            }
        }
    }
}

/// Makes room for the rates of bodies, in columns that an earlier frame left.
fn begin<'a>(
    columns: &'a mut Vec<RateColumns>,
    used: &mut usize,
    bodies: [&[BodyIndex]; 2],
) -> (Rate, &'a mut RateColumns) {
    if *used == columns.len() {
        columns.push(RateColumns::default());
    }
    *used += 1;
    let columns = &mut columns[*used - 1];
    columns.bodies.clear();
    for some in bodies {
        columns.bodies.extend_from_slice(some);
    }
    columns.velocities.clear();
    columns.turns.clear();
    columns.accelerations.clear();
    (Rate(*used as u32 - 1), columns)
}

/// `dq/dt` of a body that turns at an angular velocity.
pub(super) fn orientation_rate(q: Quat, w: Vec3) -> Quat {
    Quat::from_xyzw(w.x, w.y, w.z, 0.0) * q * 0.5
}
