//! The kernel that a time control drives, and what its verbs have in common: their bodies, the forces on these, a solve.

use super::data::WorldData;
use super::engine::Engine;
use super::groups::Solving;
use super::selection::{Selection, select_bodies, select_groups};
use super::solver_motion::SolverMotion;
use super::task::{Operation, Task};
use crate::Stages;
use crate::stopwatch::Stopwatch;
use drystone_core::{Level, Module, RateOf, Scope, SolveReport, StepFailure, Turn};
use drystone_math::Real;

/// The kernel that a time control drives: the engine, the lists of the present verb, and the modules lent to it for the step.
pub(crate) struct StepKernel<'a> {
    pub(super) engine: &'a mut Engine,
    pub(super) selection: &'a mut Selection,
    pub(super) stages: &'a mut Stages,
}

impl StepKernel<'_> {
    /// Selects the bodies of a scope.
    pub(super) fn select(&mut self, scope: Scope) {
        let Engine { data, derived, members, .. } = &mut *self.engine;
        select_bodies(data, &derived.awake, members, scope, &mut self.selection.bodies);
    }

    /// Selects the groups of a scope.
    pub(super) fn select_groups(&mut self, scope: Scope) {
        select_groups(&self.engine.data, &mut self.engine.members, scope, &mut self.selection.tasks);
    }

    /// Selects the contacts of the selected groups, by edge.
    pub(super) fn select_edges(&mut self) {
        let data = &self.engine.data;
        let Selection { tasks, edges, .. } = &mut *self.selection;
        edges.clear();
        for task in tasks.iter() {
            match *task {
                Task::Edge(slot) => edges.push(slot),
                Task::Group(g) => edges.extend_from_slice(data.graph.groups.group_edges(g as usize)),
                Task::Layer { .. } => {}
            }
        }
    }

    /// Gathers the external forces on the selected bodies.
    pub(super) fn gather_forces(&mut self) {
        self.engine.forces.gather_for(&self.engine.data, self.stages, &self.selection.bodies);
    }

    /// Computes the velocity changes of the selected bodies over `h` seconds.
    pub(super) fn kick(&mut self, h: Real) -> Result<(), StepFailure> {
        self.kick_of(RateOf::Step, h)
    }

    /// Computes those over a step of `h` seconds, or from the accelerations of this instant.
    pub(super) fn kick_of(&mut self, of: RateOf, h: Real) -> Result<(), StepFailure> {
        let watch = Stopwatch::start();
        let solver = self.stages.motion_solver.as_ref();
        let Engine { data, forces, motion, wiring, .. } = &mut *self.engine;
        let mut kicked = forces.kick(data, solver, &self.selection.bodies, (h, of));
        if kicked.is_ok() {
            let speeds_up = of == RateOf::Motion || wiring.level == Level::Acceleration;
            kicked = forces.take_scripts(data, motion.scripted_at, if speeds_up { h } else { 0.0 });
        }
        wiring.book(Module::MotionSolver, watch);
        kicked
    }

    /// To be called before a solve: determines its bodies, the forces on them, and their velocities.
    pub(super) fn begin_solve(&mut self, scope: Scope, h: Real) {
        self.engine.wiring.trace(Module::TimeControl, Module::MotionSolver);
        let Engine { data, solving, .. } = &mut *self.engine;
        solving.departures.begin(if scope == Scope::All { &data.graph.joint_impulses } else { &[] });
        let moves = SolverMotion::of(self.stages.constraint_solver.as_ref());
        self.engine.carry_over(h, self.stages.constraint_solver.sub_steps());
        let Engine { data, derived, flight, .. } = &mut *self.engine;
        flight.begin_solve((data, derived), h, moves);
        self.select(scope);
        if scope == Scope::All {
            self.engine.forces.gather(&self.engine.data, self.stages, &self.selection.bodies);
        } else {
            self.gather_forces();
        }
        self.note_velocities();
    }

    /// Takes back the last solve of the selected bodies: velocities are those before it, no body turns or is displaced, and none was struck.
    pub(super) fn take_back_solve(&mut self) {
        let Engine { data, solving, touches, .. } = &mut *self.engine;
        data.state.turns.clear();
        data.state.displacement.clear();
        for &body in &self.selection.bodies {
            data.state.set_velocity(body, solving.velocity_before[body.at()]);
        }
        touches.take_back_last(|_| true);
    }

    /// Takes back the last solve for those selected groups whose joints have learnt something, and leaves the others as they are. These groups and their bodies stay
    /// selected. Groups that are to be solved only once are not among them.
    pub(super) fn take_back_joints(&mut self) {
        let Engine { data, members, solving, touches, .. } = &mut *self.engine;
        let Selection { bodies, tasks, .. } = &mut *self.selection;
        let groups = &data.graph.groups;
        let group_of = |task: &Task| if let Task::Group(g) = *task { g } else { u32::MAX };
        tasks.retain(|task| {
            let Task::Group(g) = *task else { return false };
            groups.group_joints(g as usize).iter().any(|joint| !solving.departures.is_solved_once(*joint))
        });
        bodies.clear();
        for group in tasks.iter().map(group_of) {
            bodies.extend(groups.group_bodies(group as usize).iter().filter(|b| !data.state.sleeping[b.at()]));
        }
        for &body in &*bodies {
            data.state.set_velocity(body, solving.velocity_before[body.at()]);
            if let Some(way) = data.state.displacement.get_mut(body.at()) {
                *way = Turn::default();
            }
        }
        let mut is_among = |data: &WorldData, body| {
            let group = members.awake_group(data, body);
            // they are in ascending order
            group.is_some_and(|g| tasks.binary_search_by_key(&g, group_of).is_ok())
        };
        let mut turns = core::mem::take(&mut data.state.turns);
        turns.retain(|(body, _)| !is_among(data, *body));
        data.state.turns = turns;
        touches.take_back_last(|pair| is_among(data, pair.a) || is_among(data, pair.b));
    }

    /// Notes the velocities of the selected bodies as those before a solve.
    pub(super) fn note_velocities(&mut self) {
        let Engine { data, solving, .. } = &mut *self.engine;
        for &body in &self.selection.bodies {
            solving.velocity_before[body.at()] = data.state.velocity(body);
        }
    }

    /// Computes the velocity changes by external forces, and applies them to bodies that nothing holds. The changes of the others are left to the constraint solver.
    pub(super) fn release_free(&mut self, scope: Scope, h: Real) -> Result<(), StepFailure> {
        let engine = &mut *self.engine;
        engine.touches.observe_again(&engine.data, &engine.derived, scope);
        self.kick(h)?;
        if scope == Scope::All {
            self.engine.forces.note_kick(h);
        }
        self.share_changes(scope);
        Ok(())
    }

    /// Applies their velocity changes to bodies that nothing holds.
    pub(super) fn share_changes(&mut self, scope: Scope) {
        self.select_groups(scope);
        let Engine { data, derived, members, forces, .. } = &mut *self.engine;
        let Selection { bodies, few, tasks, .. } = &mut *self.selection;
        if scope == Scope::All {
            select_bodies(data, &derived.awake, members, Scope::Free, few);
            forces.take_change(&mut data.state, few);
        } else if tasks.is_empty() {
            forces.take_change(&mut data.state, bodies);
        }
        self.engine.wiring.trace(Module::MotionSolver, Module::ConstraintSolver);
    }

    /// Solves the selected groups, and notes how that changed the velocities of the selected bodies compared with `velocity_before`.
    pub(super) fn finish_solve(&mut self, h: Real, horizon: Real) -> SolveReport {
        if self.stages.motion_solver.is_first_order() {
            self.engine.solving.foreseen.forget();
        }
        let report = self.solve_selected(h, horizon);
        let Solving { foreseen, workers, .. } = &mut self.engine.solving;
        foreseen.take(workers.iter().map(|w| &w.output), h);
        report
    }

    /// The same, without a prediction for the correction.
    pub(super) fn solve_selected(&mut self, h: Real, horizon: Real) -> SolveReport {
        let report = self.engine.run(&self.selection.tasks, Operation::Solve { h, horizon }).solve;
        let Engine { data, forces, solving, flight, .. } = &mut *self.engine;
        for &body in &self.selection.bodies {
            solving.solve_change[body.at()] = data.state.velocity(body) - solving.velocity_before[body.at()];
        }
        if h > 0.0 {
            flight.note_impulses(data, &self.selection.bodies, &solving.velocity_before, &forces.change);
        }
        report
    }
}
