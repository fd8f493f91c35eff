use super::data::WorldData;
use super::engine::Engine;
use super::motion::Motion;
use crate::Stages;
use crate::profile::Stopwatch;
use drystone_core::{BodyIndex, BodyProperties, FailureKind, Module, StepFailure};
use drystone_math::elementary::expm1;
use drystone_math::{Real, Twist, Vec3, Wrench};

/// How forces that link bodies act.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum LinkingForces {
    /// In a world with inertia: they are solved with contacts and joints.
    #[default]
    ByRows,
    /// In one without, where a velocity is no impulse over a mass.
    ByWrenches,
}

/// What external forces do.
#[derive(Default)]
pub(crate) struct Forces {
    /// External wrenches, in column order.
    pub(super) wrenches: Vec<Wrench>,
    /// The wrenches of a first solve, where a second one asks whether they changed.
    pub(super) last_wrenches: Vec<Wrench>,
    /// How forces that link bodies act.
    pub(super) linking: LinkingForces,
    /// The velocity changes that the wrenches make, in column order.
    pub(super) change: Vec<Twist>,
    /// Angular accelerations that the drift gives, in column order; kept up where there are joints.
    pub(super) drift_acceleration: Vec<Vec3>,
    /// Velocities that forces see in a world without inertia: linear and angular.
    pub(super) at_rest: [Vec<Vec3>; 2],
}

impl Engine {
    /// External wrenches on all bodies at the present state: gravity and force fields.
    ///
    /// In a world without inertia forces see bodies at rest: what a velocity would damp is not there (C-18).
    pub(super) fn gather_wrenches(&mut self, stages: &Stages) {
        let gravity = self.data.configuration.gravity;
        for (wrench, body) in self.forces.wrenches.iter_mut().zip(&self.data.configuration.bodies) {
            // a body with locked translation has a mass and is pulled all the same; its zero inverse mass holds it
            *wrench = weight(gravity, body);
        }
        for (wrench, push) in self.forces.wrenches.iter_mut().zip(&self.data.pushes) {
            *wrench += *push;
        }
        let first_order = stages.motion_solver.is_first_order();
        if first_order {
            self.swap_velocities_for_rest();
        }
        self.forces.linking = if first_order { LinkingForces::ByWrenches } else { LinkingForces::ByRows };
        for force in self.data.configuration.forces.iter().filter(|f| first_order || f.linked_bodies().is_none()) {
            force.accumulate(&self.data.configuration, &self.data.state, &mut self.forces.wrenches);
        }
        if first_order {
            core::mem::swap(&mut self.data.state.linear_velocity, &mut self.forces.at_rest[0]);
            core::mem::swap(&mut self.data.state.angular_velocity, &mut self.forces.at_rest[1]);
        }
    }

    /// Puts the velocities aside, into `at_rest`, and zeros in their place for what is not scripted.
    fn swap_velocities_for_rest(&mut self) {
        let Self { data: WorldData { state, configuration, .. }, forces: Forces { at_rest, .. }, .. } = self;
        for (column, rest) in [&mut state.linear_velocity, &mut state.angular_velocity].into_iter().zip(at_rest) {
            rest.clear();
            let kept = |(body, v): (&BodyProperties, &Vec3)| if body.is_dynamic() { Vec3::ZERO } else { *v };
            rest.extend(configuration.bodies.iter().zip(column.iter()).map(kept));
            core::mem::swap(column, rest);
        }
    }

    /// The same for the listed bodies alone where that is all there is to know: gravity and no force that looks at others.
    pub(super) fn gather_listed_wrenches(&mut self, stages: &Stages) {
        if !self.data.configuration.forces.is_empty() {
            return self.gather_wrenches(stages);
        }
        let gravity = self.data.configuration.gravity;
        for &body in &self.motion.listed {
            let push = self.data.pushes.get(body.at()).copied().unwrap_or(Wrench::ZERO);
            self.forces.wrenches[body.at()] = weight(gravity, self.data.configuration.body(body)) + push;
        }
    }

    /// Velocity changes of the listed bodies over `h` seconds, into `change`.
    pub(super) fn kick(&mut self, stages: &Stages, h: Real) -> Result<(), StepFailure> {
        let watch = Stopwatch::start();
        if h == 0.0 {
            for &body in &self.motion.listed {
                self.forces.change[body.at()] = Twist::ZERO;
            }
        } else {
            stages.motion_solver.kick(
                &self.data.configuration,
                &self.data.state,
                &self.motion.listed,
                &self.forces.wrenches,
                h,
                &mut self.forces.change,
            );
        }
        if h > 0.0 && !stages.motion_solver.is_first_order() {
            self.damp_listed(h);
        }
        if self.data.configuration.link_count() > 0 {
            for &body in &self.motion.listed {
                let (properties, state) = (self.data.configuration.body(body), &self.data.state);
                let (q, w) = (state.orientation[body.at()], state.angular_velocity[body.at()]);
                self.forces.drift_acceleration[body.at()] = stages.motion_solver.drift_acceleration(properties, q, w);
            }
        }
        let bad = self.motion.listed.iter().find(|b| !self.forces.change[b.at()].is_finite()).copied();
        self.book(Module::MotionSolver, watch);
        match bad {
            Some(body) => Err(self.failure(Some(body), Module::MotionSolver, FailureKind::NonFinite)),
            None => Ok(()),
        }
    }

    /// Lets the velocities of the listed bodies decay over `h` seconds, while the force acts: v' = a - c v, solved exactly for a constant a.
    fn damp_listed(&mut self, h: Real) {
        let Self {
            motion: Motion { listed, .. },
            data: WorldData { configuration, state, .. },
            forces: Forces { change, .. },
            ..
        } = self;
        for &body in listed.iter() {
            let [linear, angular] = configuration.body(body).damping;
            let change = &mut change[body.at()];
            for (v, dv, rate) in [
                (state.linear_velocity[body.at()], &mut change.linear, linear),
                (state.angular_velocity[body.at()], &mut change.angular, angular),
            ] {
                if rate > 0.0 {
                    // 1 - exp(-c h)
                    let lost = -expm1(-rate * h);
                    *dv = *dv * (lost / (rate * h)) - v * lost;
                }
            }
        }
    }

    /// Adds the velocity changes of the listed bodies to their velocities.
    pub(super) fn take_change(&mut self, bodies: &[BodyIndex]) {
        for &body in bodies {
            let velocity = self.data.state.velocity(body) + self.forces.change[body.at()];
            self.data.state.set_velocity(body, velocity);
        }
    }
}

/// What gravity does to a body.
fn weight(gravity: Vec3, body: &BodyProperties) -> Wrench {
    // one is left out, so that it costs no bit
    let mass = if body.gravity_scale == 1.0 { body.mass } else { body.mass * body.gravity_scale };
    Wrench::new(gravity * mass, Vec3::ZERO)
}
