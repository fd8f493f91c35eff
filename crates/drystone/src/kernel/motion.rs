use super::data::WorldData;
use super::engine::Engine;
use super::membership::Membership;
use super::scatter::turn;
use super::tunnelling::FastBodies;
use crate::Stages;
use crate::profile::Stopwatch;
use drystone_core::{BodyIndex, FailureKind, Module, Scope, State, StepFailure, TimeReport};
use drystone_math::{Pose, Real, Twist, Vec3};

/// Largest departure of a script's quaternion from unit length: far above rounding, far below what would stretch a body.
const UNIT_LENGTH: Real = 1e-6;

/// What moving bodies works with.
#[derive(Default)]
pub(crate) struct Motion {
    /// Scratch list of bodies that a verb acts on.
    pub(super) listed: Vec<BodyIndex>,
    /// Those of them that move by their velocities.
    pub(super) drifting: Vec<BodyIndex>,
    /// Those that have a turn still to come: angular momentum and energy (twice) of the spin before it.
    approaching: Vec<(BodyIndex, Vec3, Real)>,
    /// What moves by more than its thickness in a drift.
    pub(super) fast: FastBodies,
    /// Pairs of which one went through the other in this frame.
    pub(super) tunnelled: u64,
    /// The time at which scripted bodies were last put in place (s).
    pub(super) scripted_at: Real,
}

impl Engine {
    /// The bodies that a verb moves, into `listed`: awake dynamic bodies of the scope, and with [`Scope::All`] those
    /// that move at a velocity they were given.
    pub(super) fn list_bodies(&mut self, scope: Scope) {
        let group = if let Scope::With(body) = scope { self.awake_group(body) } else { None };
        let Self {
            motion: Motion { listed, .. },
            data: WorldData { configuration, state, graph, .. },
            members: Membership { group_of, .. },
            ..
        } = self;
        let moves = |b: BodyIndex| configuration.body(b).is_dynamic() && !state.sleeping[b.at()];
        let alone = |b: BodyIndex| moves(b) && group_of[b.at()].is_none();
        listed.clear();
        match scope {
            Scope::All => {
                let dynamic = configuration.bodies.iter().enumerate().filter(|(_, b)| b.is_dynamic());
                listed.extend(dynamic.map(|(i, _)| BodyIndex::new(i)).filter(|b| !state.sleeping[b.at()]));
            }
            Scope::With(body) => match group {
                Some(g) => listed.extend_from_slice(graph.groups.group_bodies(g as usize)),
                None => listed.extend(Some(body).filter(|b| alone(*b))),
            },
            Scope::Body(body) => listed.extend(Some(body).filter(|b| moves(*b))),
            Scope::Pair(pair) => listed.extend([pair.a, pair.b].into_iter().filter(|b| moves(*b))),
            Scope::Free => listed.extend(graph.groups.free.iter().filter(|b| !state.sleeping[b.at()])),
        }
    }

    /// Moves the listed bodies by the motion solver.
    pub(super) fn drift_listed(&mut self, stages: &Stages, h: Real) -> Result<(), StepFailure> {
        if h == 0.0 {
            return Ok(());
        }
        let watch = Stopwatch::start();
        self.note_approaches();
        self.move_listed(stages, h);
        self.make_turns(h);
        let settled = self.settle_frames(Module::MotionSolver);
        self.book(Module::MotionSolver, watch);
        settled
    }

    /// Moves the listed bodies by the ways that the solver found for them, the others by the motion solver.
    fn move_listed(&mut self, stages: &Stages, h: Real) {
        let Self { data: WorldData { configuration, state, .. }, motion: Motion { listed, drifting, .. }, .. } = self;
        if state.displacement.is_empty() {
            stages.motion_solver.drift(configuration, state, listed, h);
            return;
        }
        drifting.clear();
        for &body in listed.iter() {
            match state.take_displacement(body, h) {
                Some(by) => displace(state, body, by),
                None => drifting.push(body),
            }
        }
        stages.motion_solver.drift(configuration, state, drifting, h);
    }

    /// Notes how the listed bodies spin that have their turn still to come.
    fn note_approaches(&mut self) {
        let Self { data: WorldData { configuration, state, .. }, motion: Motion { listed, approaching, .. }, .. } =
            self;
        approaching.clear();
        if state.turns.is_empty() {
            return;
        }
        for &body in listed.iter() {
            if let Some(spin) = state.approach_spin(body) {
                let (q, inertia) = (state.orientation[body.at()], &configuration.body(body).inertia);
                let own = q.conjugate() * spin;
                approaching.push((body, q * inertia.mul_vec(own), inertia.quadratic(own)));
            }
        }
    }

    /// What has not come to its turn yet has flown freely: about its angular momentum, with its energy.
    fn go_on_approaching(&mut self) {
        let Self { data: WorldData { configuration, state, .. }, motion: Motion { approaching, .. }, .. } = self;
        for &(body, momentum, energy) in approaching.iter() {
            let (q, p) = (state.orientation[body.at()], configuration.body(body));
            let own = p.inverse_inertia.mul_vec(q.conjugate() * momentum);
            let kept = (energy / p.inertia.quadratic(own)).sqrt();
            if kept.is_finite() && state.approach_spin(body).is_some() {
                state.set_approach_spin(body, q * own * kept);
            }
        }
    }

    /// Displaces the listed bodies that turn within the step.
    ///
    /// The rotation among it is no part of the motion at the new velocity: it keeps the energy of the spin, the axis being that of the impact.
    fn make_turns(&mut self, h: Real) {
        let Self { data: WorldData { configuration, state, .. }, motion: Motion { listed, .. }, .. } = self;
        if state.turns.is_empty() {
            return;
        }
        for &body in listed.iter() {
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
        self.go_on_approaching();
    }

    /// Puts scripted bodies where their scripts have them.
    pub(super) fn place_scripted(&mut self, t: Real) -> Result<(), StepFailure> {
        let watch = Stopwatch::start();
        self.motion.listed.clear();
        self.motion.scripted_at = t;
        let Self { data: WorldData { configuration, state, .. }, motion: Motion { listed, .. }, .. } = self;
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
            listed.push(script.body);
        }
        let settled = self.settle_frames(Module::MotionSolver);
        self.book(Module::MotionSolver, watch);
        settled
    }

    /// The first body from whose state no step can go on, as a failure: after edits by the user, or of the module at work.
    pub(crate) fn check_state(&self, module: Module) -> Result<(), StepFailure> {
        for body in (0..self.data.state.len()).map(BodyIndex::new) {
            self.data.state.check_body(body).map_err(|kind| self.failure(Some(body), module, kind))?;
        }
        Ok(())
    }

    /// Whether what a frame did counts: the state after it is one that the next can go on from and the depths that it found are numbers: velocities
    /// that the last solve made are in nobody's hands before.
    pub(crate) fn check_outcome(&self, calls: &TimeReport) -> Result<(), StepFailure> {
        if !calls.penetration.is_finite() {
            return Err(self.failure(None, Module::NarrowPhase, FailureKind::NonFinite));
        }
        self.check_state(Module::ConstraintSolver)
    }
}

/// Displaces a body: a way (m) and a rotation vector in world axes (rad).
fn displace(state: &mut State, body: BodyIndex, by: Twist) {
    let pose = state.pose(body);
    state.set_pose(body, Pose::new(pose.position + by.linear, turn(pose.orientation, by.angular)));
}
