//! The effect of external forces on velocities.

use super::data::WorldData;
use super::linking_forces::LinkingForces;
use super::resistance::Resistance;
use crate::modules::Stages;
use drystone_core::{
    BodyIndex, BodyProperties, FailureKind, ForceField, Module, MotionSolver, RateOf, State, StepFailure,
};
use drystone_math::elementary::expm1;
use drystone_math::{Real, Twist, Vec3, Wrench};

/// The external forces and their effect.
#[derive(Default)]
pub(crate) struct Forces {
    /// External wrenches, in column order.
    pub(super) wrenches: Vec<Wrench>,
    /// Path by which forces that link bodies reach the solver.
    pub(super) linking: LinkingForces,
    /// The velocity changes that the wrenches make, in column order.
    pub(super) change: Vec<Twist>,
    /// Angular accelerations that result from the drift, in column order; updated only if there are joints.
    pub(super) drift_acceleration: Vec<Vec3>,
    /// The step (s) for which `change` holds the effect of these wrenches on all bodies, at the velocities at the beginning of the last solve.
    kicked: Option<Real>,
    /// The wrenches and velocities as they were before others were computed.
    before: Vec<Wrench>,
    after: Vec<Twist>,
    /// The state that forces are evaluated at in a world without inertia.
    at_rest: State,
    resistance: Resistance,
}

impl Forces {
    /// Makes room for this many bodies.
    pub(super) fn resize(&mut self, bodies: usize) {
        // nothing of before the edit stays: a body that has ceased to be dynamic is no longer accelerated, and its column may be another one's
        self.wrenches.clear();
        self.change.clear();
        self.drift_acceleration.clear();
        self.wrenches.resize(bodies, Wrench::ZERO);
        self.change.resize(bodies, Twist::ZERO);
        self.drift_acceleration.resize(bodies, Vec3::ZERO);
    }

    /// External wrenches at the present state: gravity on `bodies`, and on all if there are force fields or pushes, which may act on any.
    ///
    /// In a world without inertia forces are evaluated with bodies at rest: there is no velocity to be damped (C-18). Springs are rows there too.
    pub(super) fn gather(&mut self, data: &WorldData, stages: &Stages, bodies: &[BodyIndex]) {
        let WorldData { configuration, state, pushes, .. } = data;
        self.kicked = None;
        // a body with locked translation has a mass and is pulled like any other; its zero inverse mass holds it
        if configuration.forces.is_empty() && pushes.is_empty() {
            for &body in bodies {
                self.wrenches[body.at()] = weight(configuration.gravity, configuration.body(body));
            }
        } else {
            for (wrench, body) in self.wrenches.iter_mut().zip(&configuration.bodies) {
                *wrench = weight(configuration.gravity, body);
            }
        }
        for (wrench, push) in self.wrenches.iter_mut().zip(pushes) {
            *wrench += *push;
        }
        let first_order = stages.motion_solver.is_first_order();
        let seen = if first_order { rest_of(data, &mut self.at_rest) } else { state };
        let by_wrenches = self.linking == LinkingForces::ByWrenches;
        for force in configuration.forces.iter().filter(|f| by_wrenches || f.linked_bodies().is_none()) {
            force.accumulate(configuration, seen, &mut self.wrenches);
        }
        self.resistance.gather(configuration, self.linking, seen);
        if let Some(plane) = data.plane {
            for wrench in self.wrenches.iter_mut().chain(&mut self.resistance.gathered) {
                *wrench = plane.bear(*wrench);
            }
        }
    }

    /// The same at the mean of some bodies' velocities before and after a solve, which changed them by `changes`. Returns whether the wrenches differ from the former ones.
    pub(super) fn gather_at_mean(
        &mut self,
        data: &mut WorldData,
        stages: &Stages,
        bodies: &[BodyIndex],
        changes: &[Twist],
    ) -> bool {
        if data.configuration.forces.is_empty() {
            return false;
        }
        self.after.clear();
        for &body in bodies {
            let after = data.state.velocity(body);
            self.after.push(after);
            data.state.set_velocity(body, after - changes[body.at()] * 0.5);
        }
        self.before.clone_from(&self.wrenches);
        self.gather(data, stages, bodies);
        for (&body, after) in bodies.iter().zip(&self.after) {
            data.state.set_velocity(body, *after);
        }
        self.before != self.wrenches
    }

    /// The same for some bodies only, if gravity is all there is and no force looks at other bodies.
    pub(super) fn gather_for(&mut self, data: &WorldData, stages: &Stages, bodies: &[BodyIndex]) {
        if !data.configuration.forces.is_empty() {
            return self.gather(data, stages, bodies);
        }
        self.kicked = None;
        // there may have been forces before, on other bodies
        self.resistance.gathered.clear();
        for &body in bodies {
            let push = data.pushes.get(body.at()).copied().unwrap_or(Wrench::ZERO);
            let all = weight(data.configuration.gravity, data.configuration.body(body)) + push;
            self.wrenches[body.at()] = data.plane.map_or(all, |p| p.bear(all));
        }
    }

    /// Writes the velocity changes of some bodies into `change`: those over a step of `h` seconds, or those that the accelerations of this instant produce in `h` seconds.
    pub(super) fn kick(
        &mut self,
        data: &WorldData,
        motion_solver: &dyn MotionSolver,
        bodies: &[BodyIndex],
        (h, of): (Real, RateOf),
    ) -> Result<(), StepFailure> {
        let WorldData { configuration, state, .. } = data;
        self.kicked = None;
        if h == 0.0 {
            for &body in bodies {
                self.change[body.at()] = Twist::ZERO;
            }
        } else {
            motion_solver.kick(configuration, state, bodies, &self.wrenches, h, &mut self.change);
        }
        if h > 0.0 && !motion_solver.is_first_order() {
            let Self { resistance, change, linking, .. } = self;
            resistance.bound(data, *linking, bodies, h, change);
            self.damp(data, bodies, (h, of));
        }
        if configuration.link_count() > 0 {
            for &body in bodies {
                let (q, w) = (state.orientation[body.at()], state.angular_velocity[body.at()]);
                self.drift_acceleration[body.at()] = motion_solver.drift_acceleration(configuration.body(body), q, w);
            }
        }
        match bodies.iter().find(|b| !self.change[b.at()].is_finite()) {
            Some(body) => {
                let kind = wild_force(data, *body).map_or(FailureKind::NonFinite, FailureKind::Force);
                Err(data.failure(Some(*body), Module::MotionSolver, kind))
            }
            None => Ok(()),
        }
    }

    /// Adds to the velocity changes of some bodies what a drift of `h` seconds would do to their spins at its end, since the rate of an instant is not followed by a drift.
    pub(super) fn add_spin_changes(
        &mut self,
        data: &WorldData,
        motion_solver: &dyn MotionSolver,
        bodies: &[BodyIndex],
        h: Real,
    ) {
        let WorldData { configuration, state, .. } = data;
        for &body in bodies {
            let (q, w) = (state.orientation[body.at()], state.angular_velocity[body.at()]);
            self.change[body.at()].angular += motion_solver.spin_change(configuration.body(body), q, w, h);
        }
    }

    /// Sets the velocity changes of scripted bodies to those that their scripts' accelerations at a time produce in `h` seconds, so that what stands on an
    /// accelerating body is pushed accordingly at this instant. Solvers of velocities, which know the bodies' speeds, get no changes: `h` is then zero.
    pub(super) fn take_scripts(&mut self, data: &WorldData, at: Real, h: Real) -> Result<(), StepFailure> {
        for script in &data.configuration.scripts {
            if h == 0.0 {
                // what is not asked for need not be a number
                self.change[script.body.at()] = Twist::ZERO;
                continue;
            }
            let s = script.motion.evaluate(at);
            let (spin, turn) = (s.velocity.angular, s.acceleration.angular);
            // the script refers to the frame's origin, the state to the centre of mass
            let centre = s.pose.direction(data.configuration.body(script.body).center);
            let linear = s.acceleration.linear + turn.cross(centre) + spin.cross(spin.cross(centre));
            let change = Twist::new(linear, turn) * h;
            if !change.is_finite() {
                return Err(data.failure(Some(script.body), Module::MotionSolver, FailureKind::NonFinite));
            }
            self.change[script.body.at()] = change;
        }
        Ok(())
    }

    /// Returns true if the velocity changes over a step of `h` seconds are known: a solve was taken back, and no other
    /// forces have been computed.
    pub(super) fn stand(&self, h: Real) -> bool {
        self.kicked == Some(h)
    }

    /// Notes that the velocity changes are those of all bodies over a step of `h` seconds.
    pub(super) fn note_kick(&mut self, h: Real) {
        self.kicked = Some(h);
    }

    /// Lets the velocities of some bodies decay while the force acts: v' = a - c v, solved exactly over a step for a constant a. For the rate of an instant this is
    /// h (a - c v) as long as an explicit method is stable with it; beyond that, the mean over the step, which is stable for any c.
    fn damp(&mut self, data: &WorldData, bodies: &[BodyIndex], (h, of): (Real, RateOf)) {
        let WorldData { configuration, state, .. } = data;
        // a scripted body keeps the velocity that it was given: forces do not act on it
        for &body in bodies.iter().filter(|b| configuration.body(**b).is_dynamic()) {
            let [linear, angular] = configuration.body(body).damping;
            let change = &mut self.change[body.at()];
            for (v, dv, rate) in [
                (state.linear_velocity[body.at()], &mut change.linear, linear),
                (state.angular_velocity[body.at()], &mut change.angular, angular),
            ] {
                if rate > 0.0 && of == RateOf::Motion && rate * h <= 1.0 {
                    *dv -= v * (rate * h);
                } else if rate > 0.0 {
                    // 1 - exp(-c h)
                    let lost = -expm1(-rate * h);
                    *dv = *dv * (lost / (rate * h)) - v * lost;
                }
            }
        }
    }

    /// Adds the velocity changes of some bodies to their velocities.
    pub(super) fn take_change(&self, state: &mut State, bodies: &[BodyIndex]) {
        for &body in bodies {
            let velocity = state.velocity(body) + self.change[body.at()];
            state.set_velocity(body, velocity);
        }
    }
}

/// The first force that is not finite on a body, by its number.
fn wild_force(data: &WorldData, body: BodyIndex) -> Option<u32> {
    let WorldData { configuration, state, .. } = data;
    let is_wild = |force: &dyn ForceField| {
        let mut wrenches = vec![Wrench::ZERO; configuration.bodies.len()];
        force.accumulate(configuration, state, &mut wrenches);
        !wrenches[body.at()].is_finite()
    };
    let wild = configuration.forces.iter().position(|f| is_wild(f.as_ref()));
    wild.map(|k| k as u32)
}

/// The present state with the velocities of dynamic bodies set to zero, written to `into`.
fn rest_of<'a>(data: &WorldData, into: &'a mut State) -> &'a State {
    into.clone_from(&data.state);
    for (i, _) in data.configuration.bodies.iter().enumerate().filter(|(_, b)| b.is_dynamic()) {
        into.linear_velocity[i] = Vec3::ZERO;
        into.angular_velocity[i] = Vec3::ZERO;
    }
    into
}

/// The weight of a body.
fn weight(gravity: Vec3, body: &BodyProperties) -> Wrench {
    // a factor of one is left out, so that it does not change a bit
    let mass = if body.gravity_scale == 1.0 { body.mass } else { body.mass * body.gravity_scale };
    Wrench::new(gravity * mass, Vec3::ZERO)
}
