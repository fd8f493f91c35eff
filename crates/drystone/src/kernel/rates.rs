//! Rates of change as values: what a solve would do, and sums of it.

use super::data::WorldData;
use super::engine::Engine;
use super::forces::Forces;
use super::groups::Solving;
use super::motion::Motion;
use super::saved::Instants;
use super::saved::rotation_between;
use super::worker::Operation;
use crate::Stages;
use drystone_core::{BodyIndex, Instant, Module, Rate, RateOf, Restore, Scope, SolveReport, State, StepFailure};
use drystone_math::elementary::rotation_vector;
use drystone_math::{Quat, Real, Twist, Vec3};

impl Engine {
    /// What a solve would do, written down.
    pub(super) fn rate(
        &mut self,
        stages: &mut Stages,
        scope: Scope,
        of: RateOf,
        [h, horizon]: [Real; 2],
    ) -> Result<(Rate, SolveReport), StepFailure> {
        self.trace(Module::TimeControl, Module::MotionSolver);
        self.list_bodies(scope);
        self.gather_wrenches(stages);
        self.kick(stages, h)?;
        self.trace(Module::MotionSolver, Module::ConstraintSolver);
        let mut tasks = core::mem::take(&mut self.solving.tasks);
        self.list_groups(scope, &mut tasks);
        self.run_tasks(&tasks, Operation::Rate { h, horizon, of });
        self.solving.tasks = tasks;
        let report = self.merged_reports().0;
        self.list_bodies(scope);
        let moves_as_told = self.motion.listed.len();
        if scope == Scope::All {
            self.motion.listed.extend_from_slice(&self.derived.unscripted);
        }
        let Self {
            instants: Instants { rates, .. },
            motion: Motion { listed, .. },
            data: WorldData { state, .. },
            forces: Forces { change, .. },
            solving: Solving { workers, .. },
            ..
        } = self;
        let (rate, columns) = rates.begin(listed);
        for (k, &body) in listed.iter().enumerate() {
            let (before, change) = (state.velocity(body), change[body.at()]);
            let accelerates = k < moves_as_told && h > 0.0;
            let after = if k < moves_as_told { before + change } else { before };
            // in a world without inertia there is no other velocity
            let own = of == RateOf::Step || stages.motion_solver.is_first_order();
            let velocity = if own { after } else { before };
            columns.velocities.push(velocity);
            columns.turns.push(orientation_rate(state.orientation[body.at()], velocity.angular));
            columns.accelerations.push(if accelerates { change * (1.0 / h) } else { Twist::ZERO });
        }
        if of == RateOf::Step && h > 0.0 {
            // what turns at a surface within the step
            for worker in workers.iter() {
                for (body, turn) in &worker.output.turns {
                    if let Some(k) = columns.bodies.iter().position(|b| b.0 == *body) {
                        let way = turn.clone().take(h) * (1.0 / h);
                        columns.velocities[k] += way;
                        let q = state.orientation[*body as usize];
                        columns.turns[k] = orientation_rate(q, columns.velocities[k].angular);
                    }
                }
            }
        }
        Ok((rate, report))
    }

    /// Puts the bodies of an instant where a sum of rates moves them from there.
    pub(super) fn combine(&mut self, base: Instant, terms: &[(Rate, Real)]) -> Result<(), StepFailure> {
        self.restore(Scope::All, base, Restore::Motion);
        for &(rate, weight) in terms {
            self.instants.rates.add(rate, weight, &mut self.data.state);
        }
        if !terms.is_empty() {
            for &body in &self.motion.listed {
                let q = &mut self.data.state.orientation[body.at()];
                let length = q.length();
                // a fixed body keeps its bits
                if length != 1.0 {
                    *q /= length;
                }
            }
        }
        self.data.state.remember_joints(&self.data.configuration.joints);
        self.settle_frames(Module::MotionSolver)
    }

    /// Velocities that lead from an instant to where its bodies are.
    pub(super) fn velocities_from(&mut self, from: Instant, h: Real) {
        let at = from.0 as usize;
        if self.instant(from).is_none() || h == 0.0 {
            return;
        }
        for k in 0..self.instants.saved[at].bodies.len() {
            let (body, then) = (self.instants.saved[at].bodies[k], self.instants.saved[at].poses[k]);
            if self.data.configuration.body(body).is_dynamic() && !self.data.state.sleeping[body.at()] {
                let now = self.data.state.pose(body);
                let turned = rotation_vector(rotation_between(then.orientation, now.orientation));
                self.data.state.set_velocity(body, Twist::new((now.position - then.position) / h, turned / h));
            }
        }
    }
}

/// The rates of a frame.
#[derive(Default)]
pub(super) struct Rates {
    columns: Vec<RateColumns>,
    used: usize,
}

/// Rates of change of some bodies.
#[derive(Default)]
pub(super) struct RateColumns {
    pub(super) bodies: Vec<BodyIndex>,
    /// At which poses change.
    pub(super) velocities: Vec<Twist>,
    /// `dq/dt`.
    pub(super) turns: Vec<Quat>,
    /// At which velocities change.
    pub(super) accelerations: Vec<Twist>,
}

impl Rates {
    pub(super) fn clear(&mut self) {
        self.used = 0;
    }

    /// Room for the rates of the listed bodies.
    pub(super) fn begin(&mut self, listed: &[BodyIndex]) -> (Rate, &mut RateColumns) {
        if self.used == self.columns.len() {
            self.columns.push(RateColumns::default());
        }
        self.used += 1;
        let columns = &mut self.columns[self.used - 1];
        columns.bodies.clear();
        columns.bodies.extend_from_slice(listed);
        columns.velocities.clear();
        columns.turns.clear();
        columns.accelerations.clear();
        (Rate(self.used as u32 - 1), columns)
    }

    /// Adds a rate times a time to a state; orientations are no unit quaternions afterwards.
    fn add(&self, rate: Rate, weight: Real, state: &mut State) {
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

/// `dq/dt` of a body that turns at an angular velocity.
pub(super) fn orientation_rate(q: Quat, w: Vec3) -> Quat {
    Quat::from_xyzw(w.x, w.y, w.z, 0.0) * q * 0.5
}
