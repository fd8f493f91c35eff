use super::engine::Engine;
use super::scatter::turn;
use crate::Stages;
use crate::profile::Stopwatch;
use drystone_core::{BodyIndex, FailureKind, Module, Scope, StepFailure};
use drystone_math::{Pose, Real, Twist};

impl Engine {
    /// The bodies that a verb moves, into `listed`: awake dynamic bodies of the scope, and with [`Scope::All`] those
    /// that move at a velocity they were given.
    pub(super) fn list_bodies(&mut self, scope: Scope) {
        let Self { listed, configuration, state, graph, .. } = self;
        listed.clear();
        match scope {
            Scope::All => {
                let dynamic = configuration.bodies.iter().enumerate().filter(|(_, b)| b.is_dynamic());
                listed.extend(dynamic.map(|(i, _)| BodyIndex::new(i)).filter(|b| !state.sleeping[b.at()]));
            }
            Scope::Group(g) if (g as usize) < graph.groups.len() => {
                listed.extend_from_slice(graph.groups.group_bodies(g as usize));
            }
            Scope::Group(_) => {}
            Scope::Free => listed.extend(graph.groups.free.iter().filter(|b| !state.sleeping[b.at()])),
        }
    }

    /// Moves the listed bodies by the motion solver.
    pub(super) fn drift_listed(&mut self, stages: &Stages, h: Real) -> Result<(), StepFailure> {
        if h == 0.0 {
            return Ok(());
        }
        let watch = Stopwatch::start();
        stages.motion_solver.drift(&self.configuration, &mut self.state, &self.listed, h);
        self.make_turns(h);
        let settled = self.settle_frames(Module::MotionSolver);
        self.book(Module::MotionSolver, watch);
        settled
    }

    /// Displaces the listed bodies that turn within the step.
    fn make_turns(&mut self, h: Real) {
        let Self { state, listed, .. } = self;
        if state.turns.is_empty() {
            return;
        }
        for &body in listed.iter() {
            if let Some(by) = state.take_turn(body, h) {
                let pose = state.pose(body);
                state.set_pose(body, Pose::new(pose.position + by.linear, turn(pose.orientation, by.angular)));
            }
        }
        state.turns.retain(|(_, turn)| !turn.is_none());
    }

    /// Puts scripted bodies where their scripts have them.
    pub(super) fn place_scripted(&mut self, t: Real) -> Result<(), StepFailure> {
        let watch = Stopwatch::start();
        self.listed.clear();
        self.scripted_at = t;
        let Self { configuration, state, listed, .. } = self;
        for script in &configuration.scripts {
            let s = script.motion.evaluate(t);
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

    /// The first dynamic or scripted body whose state is not finite, as a failure: after edits by the user.
    pub(crate) fn check_finite(&self) -> Result<(), StepFailure> {
        let bad = (0..self.state.len()).map(BodyIndex::new).find(|&b| !self.state.is_finite(b));
        bad.map_or(Ok(()), |b| Err(self.failure(Some(b), Module::User, FailureKind::NonFinite)))
    }
}
