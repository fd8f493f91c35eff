//! Moving bodies over a step.

use super::continuous::Stops;
use super::data::WorldData;
use super::derived::Derived;
use super::fast_bodies::{FastBodies, FastWays};
use super::scatter::turn;
use super::tunnelling::{Crossings, list_tunnelled};
use crate::Stages;
use drystone_core::{
    BodyIndex, BodyPair, Configuration, FailureKind, Module, MotionSolver, State, StepFailure, make_room,
};
use drystone_math::{Pose, Real, Twist, Vec3};

/// Largest deviation of a script's quaternion from unit length: far above rounding, far below anything that would visibly stretch a body.
const UNIT_LENGTH: Real = 1e-6;

/// The working memory of moving bodies.
#[derive(Default)]
pub(crate) struct Motion {
    /// Bodies of a drift that move by their velocities.
    drifting: Vec<BodyIndex>,
    approaching: Approaching,
    /// The ways of the last drift, kept while another one is tried.
    drifted: FastWays,
    /// Velocities that a prediction leaves unchanged.
    kept: Vec<Twist>,
    /// Bodies that move by more than half their thickness in a drift.
    pub(super) fast: FastBodies,
    pub(super) stops: Stops,
    /// True if the last drift has left bodies where no detection has looked ahead: they were stopped on their way, or
    /// thrown.
    pub(super) unseen: bool,
    crossings: Crossings,
    /// The pairs of which one body passed through the other in this frame.
    pub(super) tunnelled: Vec<BodyPair>,
    /// The time at which scripted bodies were last put in place (s).
    pub(super) scripted_at: Real,
    /// The poses at the start of the frame of bodies that keep a velocity that they were given.
    given: Vec<(BodyIndex, Pose)>,
    /// The time of these poses (s).
    given_at: Real,
}

impl Motion {
    /// To be called after an edit: makes room for the bodies, and measures their shapes.
    pub(super) fn measure(&mut self, configuration: &Configuration) {
        self.fast.measure(configuration.bodies.iter().map(|b| &b.shape));
        self.drifted.make_room(configuration.bodies.len());
        self.stops.make_room(configuration.bodies.len());
        self.crossings.make_room(configuration.bodies.len());
    }

    /// Moves bodies over `h` seconds, sweeps the ways of continuous and of thrown ones, lets joints remember where they are, and notes where fast bodies came from.
    /// Returns whether a body was stopped on its way.
    pub(super) fn drift(
        &mut self,
        data: &mut WorldData,
        derived: &mut Derived,
        stages: &Stages,
        bodies: &[BodyIndex],
        h: Real,
    ) -> Result<bool, StepFailure> {
        self.count_tunnelled(data, derived);
        self.fast.note_starts(data, derived, bodies, h);
        self.advance(data, derived, stages, bodies, h)?;
        let stopped = self.stops.stop(&self.fast, data, derived);
        self.fast.note_stops(self.stops.bodies());
        self.fast.go_on(h);
        self.unseen = stopped || self.fast.any_leaves(data, derived);
        data.state.remember_joints(&data.configuration.joints);
        Ok(stopped)
    }

    /// Moves bodies over `h` seconds and sweeps the ways of continuous ones, leaving all velocities as they are, whatever a motion solver does to a spin on the way.
    pub(super) fn predict(
        &mut self,
        data: &mut WorldData,
        derived: &mut Derived,
        stages: &Stages,
        bodies: &[BodyIndex],
        h: Real,
    ) -> Result<(), StepFailure> {
        make_room(&mut self.kept, bodies.len());
        self.kept.extend(bodies.iter().map(|b| data.state.velocity(*b)));
        // only a trial: what counts are the ways of drifts
        self.drifted.copy(&self.fast.ways);
        self.fast.forget_starts();
        self.fast.note_starts(data, derived, bodies, h);
        let moved = self.advance(data, derived, stages, bodies, h);
        self.stops.stop(&self.fast, data, derived);
        self.fast.ways.copy(&self.drifted);
        for (body, velocity) in bodies.iter().zip(&self.kept) {
            data.state.set_velocity(*body, *velocity);
        }
        moved
    }

    /// Moves bodies by the motion solver, or by the displacements that the constraint solver found for them.
    fn advance(
        &mut self,
        data: &mut WorldData,
        derived: &mut Derived,
        stages: &Stages,
        bodies: &[BodyIndex],
        h: Real,
    ) -> Result<(), StepFailure> {
        if h == 0.0 {
            return Ok(());
        }
        self.approaching.note(data, bodies);
        let WorldData { configuration, state, plane, .. } = data;
        if let Some(plane) = plane {
            plane.hold(configuration, state, bodies);
        }
        if state.displacement.is_empty() {
            stages.motion_solver.drift(configuration, state, bodies, h);
        } else {
            make_room(&mut self.drifting, bodies.len());
            let spins = stages.constraint_solver.resolves().instants;
            for &body in bodies {
                match state.take_displacement(body, h) {
                    Some(by) => {
                        displace(state, body, by);
                        if !spins {
                            change_spin(stages.motion_solver.as_ref(), configuration, state, body, h);
                        }
                    }
                    None => self.drifting.push(body),
                }
            }
            stages.motion_solver.drift(configuration, state, &self.drifting, h);
        }
        make_turns(data, bodies, h);
        self.approaching.go_on(data);
        derived.settle(data, bodies.iter().copied(), Module::MotionSolver)
    }

    /// Counts the bodies that have passed through others since the last drift.
    ///
    /// This is known only after the correction: a body that turns as it arrives may drift into a thin wall by more than its middle, and is then brought back.
    pub(super) fn count_tunnelled(&mut self, data: &WorldData, derived: &Derived) {
        list_tunnelled(&mut self.crossings, &self.fast, data, derived, &mut self.tunnelled);
        self.fast.forget_starts();
    }

    /// To be called when a frame begins: notes the poses of bodies that keep a velocity that they were given.
    pub(super) fn begin_frame(&mut self, state: &State, derived: &Derived) {
        let moves = |b: &&BodyIndex| state.velocity(**b) != Twist::ZERO;
        self.given.clear();
        self.given.extend(derived.unscripted.iter().filter(moves).map(|&b| (b, state.pose(b))));
        self.given_at = state.time;
        self.fast.begin_frame();
        // a frame without a drift leaves bodies as unseen as they are
        self.unseen = self.fast.disturbed;
    }

    /// Puts scripted bodies where their scripts have them at `t`, and bodies that were given a velocity where it has brought them since the start of the frame: a
    /// time control that goes forwards, backwards, or group by group finds both where they are at its time.
    pub(super) fn place_scripted(
        &mut self,
        data: &mut WorldData,
        derived: &mut Derived,
        t: Real,
    ) -> Result<(), StepFailure> {
        self.scripted_at = t;
        let WorldData { configuration, state, .. } = &mut *data;
        for script in &configuration.scripts {
            let s = script.motion.evaluate(t);
            let length = s.pose.orientation.length();
            if !length.is_finite() || (length - 1.0).abs() > UNIT_LENGTH {
                let (time, module) = (state.time, Module::MotionSolver);
                return Err(StepFailure { time, body: Some(script.body), module, kind: FailureKind::Orientation });
            }
            let center = configuration.body(script.body).center;
            let pose = Pose::new(s.pose.point(center), s.pose.orientation);
            // the script refers to the frame's origin, the state to the centre of mass
            let velocity = Twist::new(s.velocity.at(s.pose.direction(center)), s.velocity.angular);
            state.set_pose(script.body, pose);
            state.set_velocity(script.body, velocity);
        }
        for &(body, pose) in &self.given {
            let velocity = state.velocity(body);
            state.set_pose(body, pose);
            displace(state, body, velocity * (t - self.given_at));
        }
        let placed = self.given.iter().map(|g| g.0);
        derived.settle(data, data.configuration.scripts.iter().map(|s| s.body).chain(placed), Module::MotionSolver)
    }
}

/// Bodies that have yet to turn within the step: angular momentum and energy (twice) of the spin before the turn.
#[derive(Default)]
struct Approaching(Vec<(BodyIndex, Vec3, Real)>);

impl Approaching {
    /// Notes the spins of those among some bodies that have yet to turn.
    fn note(&mut self, data: &WorldData, bodies: &[BodyIndex]) {
        let WorldData { configuration, state, .. } = data;
        make_room(&mut self.0, bodies.len());
        if state.turns.is_empty() {
            return;
        }
        for &body in bodies {
            if let Some(spin) = state.approach_spin(body) {
                let (q, inertia) = (state.orientation[body.at()], &configuration.body(body).inertia);
                let own = q.conjugate() * spin;
                self.0.push((body, q * inertia.mul_vec(own), inertia.quadratic(own)));
            }
        }
    }

    /// Bodies that have still not turned have flown freely: they keep the angular momentum and the energy of their spins.
    fn go_on(&self, data: &mut WorldData) {
        let WorldData { configuration, state, .. } = data;
        for &(body, momentum, energy) in &self.0 {
            let (q, p) = (state.orientation[body.at()], configuration.body(body));
            let own = p.inverse_inertia.mul_vec(q.conjugate() * momentum);
            let kept = (energy / p.inertia.quadratic(own)).sqrt();
            if kept.is_finite() && state.turns_later(body) {
                state.set_approach_spin(body, q * own * kept);
            }
        }
    }
}

/// Displaces bodies that turn within the step.
///
/// The rotation in this displacement is not part of the motion at the new velocity: it conserves the energy of the spin, about the axis at the time of the impact.
pub(super) fn make_turns(data: &mut WorldData, bodies: &[BodyIndex], h: Real) {
    let WorldData { configuration, state, .. } = data;
    if state.turns.is_empty() {
        return;
    }
    for &body in bodies {
        if let Some(by) = state.take_turn(body, h) {
            let (spin, inertia) = (state.angular_velocity[body.at()], &configuration.body(body).inertia);
            let energy = |pose: Pose| inertia.quadratic(pose.orientation.conjugate() * spin);
            let before = energy(state.pose(body));
            displace(state, body, by);
            let kept = (before / energy(state.pose(body))).sqrt();
            if by.angular != Vec3::ZERO && kept.is_finite() {
                state.change_spin_after_turn(body, spin * (kept - 1.0));
            }
        }
    }
    state.turns.retain(|(_, turn)| !turn.is_none());
}

/// Gives the angular velocity of a body the change that a drift of `h` seconds makes at its end.
pub(super) fn change_spin(
    motion_solver: &dyn MotionSolver,
    configuration: &Configuration,
    state: &mut State,
    body: BodyIndex,
    h: Real,
) {
    let (q, w) = (state.orientation[body.at()], state.angular_velocity[body.at()]);
    let change = motion_solver.spin_change(configuration.body(body), q, w, h);
    // a change of zero must not alter a bit
    if change != Vec3::ZERO {
        state.angular_velocity[body.at()] = w + change;
    }
}

/// Displaces a body by a translation (m) and a rotation vector in world axes (rad).
fn displace(state: &mut State, body: BodyIndex, by: Twist) {
    let pose = state.pose(body);
    state.set_pose(body, Pose::new(pose.position + by.linear, turn(pose.orientation, by.angular)));
}
