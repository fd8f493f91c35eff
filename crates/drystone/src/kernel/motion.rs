//! What moves bodies over a step.

use super::continuous::Stops;
use super::data::WorldData;
use super::derived::Derived;
use super::fast_bodies::{FastBodies, FastWays};
use super::scatter::turn;
use super::tunnelling::tunnelled;
use crate::Stages;
use drystone_core::{BodyIndex, Configuration, FailureKind, Module, MotionSolver, State, StepFailure, make_room};
use drystone_math::{Pose, Real, Twist, Vec3};

/// Largest departure of a script's quaternion from unit length: far above rounding, far below what would stretch a body.
const UNIT_LENGTH: Real = 1e-6;

/// What moving bodies works with.
#[derive(Default)]
pub(crate) struct Motion {
    /// Bodies of a drift that move by their velocities.
    drifting: Vec<BodyIndex>,
    approaching: Approaching,
    /// The ways of the last drift while another one is tried.
    drifted: FastWays,
    /// Velocities that a prediction leaves as they are.
    kept: Vec<Twist>,
    /// What moves by more than its thickness in a drift.
    pub(super) fast: FastBodies,
    pub(super) stops: Stops,
    /// Whether the last drift has left bodies where nobody looked ahead for what comes next: they were stopped on their way, or thrown.
    pub(super) unseen: bool,
    /// Pairs of which one went through the other in this frame.
    pub(super) tunnelled: u64,
    /// The time at which scripted bodies were last put in place (s).
    pub(super) scripted_at: Real,
    /// Where the bodies were at the start of the frame that move by a velocity which they were given.
    given: Vec<(BodyIndex, Pose)>,
    /// When that was (s).
    given_at: Real,
}

impl Motion {
    /// After an edit: room for the bodies, and what their shapes say.
    pub(super) fn measure(&mut self, configuration: &Configuration) {
        self.fast.measure(configuration.bodies.iter().map(|b| &b.shape));
        self.drifted.make_room(configuration.bodies.len());
        self.stops.make_room(configuration.bodies.len());
    }

    /// Moves bodies over `h` seconds, sweeps the ways of continuous and of thrown ones, lets joints remember where they are, and notes from where fast ones came. Whether one was stopped on its way.
    pub(super) fn drift(
        &mut self,
        data: &mut WorldData,
        derived: &mut Derived,
        stages: &Stages,
        bodies: &[BodyIndex],
        h: Real,
    ) -> Result<bool, StepFailure> {
        self.count_tunnelled(data, derived, stages);
        self.fast.note_starts(&data.state, bodies, h);
        self.advance(data, derived, stages, bodies, h)?;
        let stopped = self.stops.stop(&self.fast, data, derived);
        self.fast.note_stops(self.stops.bodies());
        self.fast.go_on(h);
        self.unseen = stopped || self.fast.any_leaves(data, derived);
        data.state.remember_joints(&data.configuration.joints);
        Ok(stopped)
    }

    /// Moves bodies over `h` seconds, sweeps the ways of continuous ones, and leaves all the velocities that they have, whatever a motion solver makes of a spin on the way.
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
        // a trial: what is counted are the ways of drifts
        self.drifted.copy(&self.fast.ways);
        self.fast.forget_starts();
        self.fast.note_starts(&data.state, bodies, h);
        let moved = self.advance(data, derived, stages, bodies, h);
        self.stops.stop(&self.fast, data, derived);
        self.fast.ways.copy(&self.drifted);
        for (body, velocity) in bodies.iter().zip(&self.kept) {
            data.state.set_velocity(*body, *velocity);
        }
        moved
    }

    /// Moves bodies by the motion solver, or by the ways that the solver found for them.
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
            for &body in bodies {
                match state.take_displacement(body, h) {
                    Some(by) => {
                        displace(state, body, by);
                        change_spin(stages.motion_solver.as_ref(), configuration, state, body, h);
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

    /// Counts the bodies that went through others since the last drift.
    ///
    /// That is known once the correction has been: what turns as it arrives may drift into a thin wall by more than its middle, and is brought back.
    pub(super) fn count_tunnelled(&mut self, data: &WorldData, derived: &Derived, stages: &Stages) {
        self.tunnelled += tunnelled(&self.fast, data, derived, stages);
        self.fast.forget_starts();
    }

    /// A frame begins: notes where bodies are that move by a velocity which they were given.
    pub(super) fn begin_frame(&mut self, state: &State, derived: &Derived) {
        let moves = |b: &&BodyIndex| state.velocity(**b) != Twist::ZERO;
        self.given.clear();
        self.given.extend(derived.unscripted.iter().filter(moves).map(|&b| (b, state.pose(b))));
        self.given_at = state.time;
        self.fast.begin_frame();
    }

    /// Puts scripted bodies where their scripts have them, and those that were given a velocity where it has brought them since the start of the frame: a time control that
    /// goes ahead, back, or group by group meets both where they are at its time.
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
            // the script speaks of the frame's origin, the state of the centre of mass
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

/// Bodies that have a turn still to come: angular momentum and energy (twice) of the spin before it.
#[derive(Default)]
struct Approaching(Vec<(BodyIndex, Vec3, Real)>);

impl Approaching {
    /// Notes how those among some bodies spin that have their turn still to come.
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

    /// What has not come to its turn yet has flown freely: about its angular momentum, with its energy.
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
/// The rotation among it is no part of the motion at the new velocity: it keeps the energy of the spin, the axis being that of the impact.
fn make_turns(data: &mut WorldData, bodies: &[BodyIndex], h: Real) {
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

/// Gives the angular velocity of a body what a drift of `h` seconds makes of it at its end.
pub(super) fn change_spin(
    motion_solver: &dyn MotionSolver,
    configuration: &Configuration,
    state: &mut State,
    body: BodyIndex,
    h: Real,
) {
    let (q, w) = (state.orientation[body.at()], state.angular_velocity[body.at()]);
    let change = motion_solver.spin_change(configuration.body(body), q, w, h);
    // nothing costs no bit
    if change != Vec3::ZERO {
        state.angular_velocity[body.at()] = w + change;
    }
}

/// Displaces a body: a way (m) and a rotation vector in world axes (rad).
fn displace(state: &mut State, body: BodyIndex, by: Twist) {
    let pose = state.pose(body);
    state.set_pose(body, Pose::new(pose.position + by.linear, turn(pose.orientation, by.angular)));
}
