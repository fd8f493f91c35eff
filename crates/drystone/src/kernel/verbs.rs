//! The verbs of the kernel, each from the time control's request to the answer.

use super::data::WorldData;
use super::departure::Given;
use super::detect::{Scene, detect_all};
use super::detect_scope::{detect_scope, renew_contacts};
use super::engine::Engine;
use super::linking_forces::LinkingForces;
use super::membership::Extent;
use super::motion::{change_spin, make_turns};
use super::port::StepKernel;
use super::rates::Course;
use super::records::{has_gone_in, list_records};
use super::saved::{Present, velocities_from};
use super::solver_motion::SolverMotion;
use super::task::{Operation, Task};
use super::touches::Found;
use crate::stopwatch::Stopwatch;
use drystone_core::{
    BodyIndex, Departure, DetectMode, DetectReport, Displacement, Instant, Kernel, LayerStep, Module, PairRecord, Rate,
    RateOf, ResolveReport, Restore, Save, Scope, SolveReport, StepFailure,
};
use drystone_math::{DISTANCE_NOISE, Real};

impl Kernel for StepKernel<'_> {
    fn time(&self) -> Real {
        self.engine.data.state.time
    }

    fn has_joints(&self) -> bool {
        !self.engine.data.configuration.joints.is_empty()
    }

    fn resolves_impacts(&self) -> bool {
        self.stages.resolves_impacts()
    }

    fn set_time(&mut self, time: Real) {
        self.engine.data.state.time = time;
    }

    fn body_count(&self) -> usize {
        self.engine.data.state.len()
    }

    fn groups(&self) -> &[BodyIndex] {
        &self.engine.members.firsts
    }

    fn first_of(&mut self, body: BodyIndex) -> Option<BodyIndex> {
        self.engine.members.first_of(&self.engine.data, body)
    }

    fn join(&mut self, one: BodyIndex, other: BodyIndex) {
        self.engine.detection.rest.forget();
        let Engine { data, derived, members, .. } = &mut *self.engine;
        members.join((data, derived), one, other);
    }

    fn goes_far(&self, h: Real) -> bool {
        self.engine.motion.fast.any(&self.engine.data.state, &self.engine.derived, h)
    }

    fn is_unseen(&self, h: Real) -> bool {
        let fast = &self.engine.motion.fast;
        fast.disturbed && fast.any(&self.engine.data.state, &self.engine.derived, h)
    }

    fn went_in(&self, h: Real) -> bool {
        let Engine { data, derived, motion, .. } = &*self.engine;
        let slop = self.stages.position_corrector.slop().max(DISTANCE_NOISE);
        motion.fast.disturbed && has_gone_in(data, &derived.frames, h, slop)
    }

    fn script(&mut self, t: Real) -> Result<(), StepFailure> {
        let Engine { data, derived, motion, carriers, wiring, .. } = &mut *self.engine;
        wiring.trace(Module::TimeControl, Module::MotionSolver);
        let watch = Stopwatch::start();
        carriers.forget();
        let placed = motion.place_scripted(data, derived, t);
        wiring.book(Module::MotionSolver, watch);
        placed
    }

    fn script_end(&mut self, t: Real, h: Real) -> Result<(), StepFailure> {
        self.script(t)?;
        self.engine.carry_over(-h, 1);
        Ok(())
    }

    fn save(&mut self, scope: Scope, what: Save) -> Instant {
        if scope == Scope::All {
            self.selection.bodies.clear();
            self.selection.bodies.extend((0..self.body_count()).map(BodyIndex::new));
        } else {
            self.select(scope);
        }
        let extent = if scope == Scope::All { Extent::Whole } else { Extent::Part };
        let Engine { data, derived, members, motion, touches, flight, instants, .. } = &mut *self.engine;
        let mut present = Present { data, derived, members, motion, touches, flight };
        instants.save(&mut present, &self.selection.bodies, what, extent)
    }

    fn restore(&mut self, scope: Scope, saved: Instant, what: Restore) {
        self.select(scope);
        self.engine.depth.forget();
        self.engine.solving.foreseen.forget();
        self.engine.detection.rest.forget();
        let Engine { data, derived, members, motion, touches, flight, instants, .. } = &mut *self.engine;
        let Some(saved) = instants.get(saved) else { return };
        let present = Present { data, derived, members, motion, touches, flight };
        if scope == Scope::All {
            saved.restore(present, &saved.bodies, what, saved.extent);
        } else {
            self.selection.bodies.retain(|b| saved.has(*b));
            saved.restore(present, &self.selection.bodies, what, Extent::Part);
        }
    }

    fn release(&mut self, saved: Instant) {
        self.engine.instants.release(saved);
    }

    fn difference(&mut self, a: Instant, b: Instant) -> Displacement {
        self.engine.instants.difference(&self.engine.data.configuration, a, b)
    }

    fn rate(&mut self, scope: Scope, of: RateOf, h: Real, horizon: Real) -> Result<(Rate, SolveReport), StepFailure> {
        self.engine.wiring.trace(Module::TimeControl, Module::MotionSolver);
        self.select(scope);
        if of == RateOf::Step {
            self.engine.carry_over(h, self.stages.constraint_solver.sub_steps());
        }
        self.engine.forces.gather(&self.engine.data, self.stages, &self.selection.bodies);
        self.kick_of(of, h)?;
        if of == RateOf::Motion {
            let Engine { data, forces, .. } = &mut *self.engine;
            forces.add_spin_changes(data, self.stages.motion_solver.as_ref(), &self.selection.bodies, h);
        }
        self.engine.wiring.trace(Module::MotionSolver, Module::ConstraintSolver);
        self.select_groups(scope);
        let report = self.engine.run(&self.selection.tasks, Operation::Rate { h, horizon, of }).solve;
        let Engine { data, derived, forces, solving, instants, .. } = &mut *self.engine;
        let course = Course {
            state: &data.state,
            configuration: &data.configuration,
            motion_solver: self.stages.motion_solver.as_ref(),
            change: &forces.change,
            solving,
            at_end: of == RateOf::Step || self.stages.motion_solver.is_first_order(),
            h,
            plane: data.plane,
        };
        let given = if scope == Scope::All { derived.unscripted.as_slice() } else { &[] };
        let rate = instants.rates.note(&course, of, &self.selection.bodies, given);
        Ok((rate, report))
    }

    fn combine(&mut self, base: Instant, terms: &[(Rate, Real)]) -> Result<(), StepFailure> {
        self.engine.wiring.trace(Module::TimeControl, Module::MotionSolver);
        self.restore(Scope::All, base, Restore::Motion);
        let Engine { data, derived, motion, instants, .. } = &mut *self.engine;
        let saved = instants.get(base);
        let bodies = saved.map_or(&[][..], |saved| &saved.bodies);
        let h = terms.iter().map(|term| term.1).sum();
        motion.fast.forget_starts();
        motion.fast.note_starts(data, derived, bodies, h);
        for &(rate, weight) in terms {
            instants.rates.add(rate, weight, &mut data.state);
        }
        for (&body, then) in bodies.iter().zip(saved.map_or(&[][..], |saved| &saved.poses)) {
            let q = &mut data.state.orientation[body.at()];
            // the bits of a body that does not turn must not change
            if *q != then.orientation {
                *q /= q.length();
            }
        }
        // bodies that bounce within this time turn where they meet
        make_turns(data, bodies, h);
        data.state.remember_joints(&data.configuration.joints);
        derived.settle(data, bodies.iter().copied(), Module::MotionSolver)
    }

    fn release_rates(&mut self) {
        self.engine.instants.rates.clear();
    }

    fn velocities_from(&mut self, from: Instant, h: Real) {
        if let Some(from) = self.engine.instants.get(from) {
            velocities_from(&mut self.engine.data, from, h);
        }
    }

    fn turn_spins(&mut self, scope: Scope, h: Real) {
        self.select(scope);
        let WorldData { configuration, state, .. } = &mut self.engine.data;
        for &body in &self.selection.bodies {
            change_spin(self.stages.motion_solver.as_ref(), configuration, state, body, h);
        }
    }

    fn predict(&mut self, scope: Scope, h: Real) -> Result<(), StepFailure> {
        self.engine.wiring.trace(Module::TimeControl, Module::MotionSolver);
        self.select(scope);
        self.engine.solving.foreseen.forget();
        let Engine { data, derived, motion, wiring, .. } = &mut *self.engine;
        let watch = Stopwatch::start();
        let moved = motion.predict(data, derived, self.stages, &self.selection.bodies, h);
        wiring.book(Module::MotionSolver, watch);
        moved
    }

    fn apply_forces(&mut self, scope: Scope, h: Real) -> Result<(), StepFailure> {
        self.engine.wiring.trace(Module::TimeControl, Module::MotionSolver);
        self.select(scope);
        self.gather_forces();
        self.kick(h)?;
        self.engine.forces.take_change(&mut self.engine.data.state, &self.selection.bodies);
        Ok(())
    }

    fn detect(&mut self, scope: Scope, mode: DetectMode) -> Result<DetectReport, StepFailure> {
        let engine = &mut *self.engine;
        engine.depth.forget();
        engine.solving.foreseen.forget();
        // what was on the way is among the edges of the former detection
        engine.motion.count_tunnelled(&engine.data, &engine.derived);
        engine.flight.end_solve(&engine.data);
        let report = {
            let Engine { data, derived, detection, members, touches, motion, loads, wiring, .. } = &mut *engine;
            let sensors = &mut touches.sensors;
            let mut scene = Scene { data, derived, members, sensors, wiring, stages: self.stages };
            if scope == Scope::All || mode.provisional {
                motion.fast.look(if mode.provisional { 0.0 } else { mode.look_ahead });
            }
            if scope == Scope::All {
                loads.forget();
                let found = detect_all(&mut scene, detection, mode, motion.scripted_at);
                if found.is_err() {
                    // it did not examine everything that it would have to leave as it is
                    detection.rest.forget();
                }
                found?
            } else {
                detect_scope(&mut scene, detection, self.selection, scope, mode)?
            }
        };
        let Engine { data, derived, members, touches, detection, depth, wiring, .. } = engine;
        // one pair may be examined many times in a frame
        if !matches!(scope, Scope::Pair(_)) {
            let cut_short = mode.short_circuit && scope == Scope::All && report.deepest.is_some();
            let found = if mode.proximity_only || cut_short { Found::Proximities } else { Found::Contacts };
            let survey = (scope == Scope::All && found == Found::Contacts).then_some(&detection.survey);
            touches.observe((data, derived), members, scope, mode, (found, survey));
            if survey.is_some() {
                depth.of_all(report.deepest);
            }
        }
        if scope == Scope::All {
            let watch = Stopwatch::start();
            touches.sensors.sense(&mut touches.sensed, data, derived, self.stages)?;
            wiring.book(Module::NarrowPhase, watch);
        }
        Ok(report)
    }

    fn pairs(&mut self, scope: Scope) -> &[PairRecord] {
        let Engine { data, members, detection, motion, .. } = &mut *self.engine;
        let rooms = (&detection.rooms, motion.fast.half_thickness.as_slice());
        list_records(data, members, rooms, scope, &mut detection.records);
        &detection.records
    }

    fn refresh(&mut self, scope: Scope, gaps_at: Option<Instant>) {
        self.select_groups(scope);
        if scope == Scope::All && gaps_at.is_none() {
            return self.refresh_selected();
        }
        let watch = Stopwatch::start();
        self.select_edges();
        let Engine { data, derived, instants, depth, wiring, .. } = &mut *self.engine;
        let edges = &self.selection.edges;
        depth.forget();
        let present = |body: BodyIndex| derived.frames[body.at()];
        match gaps_at.map(|instant| instants.get(instant)) {
            None => {
                data.refresh_edges(edges, present, false);
            }
            Some(Some(saved)) => saved.refresh_edges(data, edges, present),
            Some(None) => {}
        }
        wiring.book(Module::ContactDetermination, watch);
    }

    fn renew(&mut self, scope: Scope) -> Result<(), StepFailure> {
        self.engine.depth.forget();
        let Engine { data, derived, detection, members, touches, wiring, .. } = &mut *self.engine;
        let sensors = &mut touches.sensors;
        let mut scene = Scene { data, derived, members, sensors, wiring, stages: self.stages };
        renew_contacts(&mut scene, detection, self.selection, scope)
    }

    fn rewind_gaps(&mut self, scope: Scope, h: Real) {
        let watch = Stopwatch::start();
        self.select_groups(scope);
        self.select_edges();
        let Engine { data, derived, motion, depth, wiring, .. } = &mut *self.engine;
        depth.forget();
        data.rewind_edges(&self.selection.edges, &derived.frames, h, |body| motion.stops.fraction(body));
        wiring.book(Module::ContactDetermination, watch);
    }

    fn resolve(&mut self, scope: Scope, horizon: Real) -> Result<ResolveReport, StepFailure> {
        if !self.stages.resolves_impacts() {
            return Ok(ResolveReport::default());
        }
        let engine = &mut *self.engine;
        engine.wiring.trace(Module::TimeControl, Module::CollisionSolver);
        engine.touches.observe_again(&engine.data, &engine.derived, scope);
        // where bodies meet within the step depends on the forces on them
        self.select(scope);
        self.gather_forces();
        self.kick(horizon)?;
        self.select_groups(scope);
        let report = self.engine.run(&self.selection.tasks, Operation::Resolve { horizon }).resolve;
        self.engine.wiring.trace(Module::CollisionSolver, Module::MotionSolver);
        self.engine.data.check_velocities(&self.selection.bodies, Module::CollisionSolver)?;
        Ok(report)
    }

    fn stagger(&mut self, h: Real) {
        if !self.stages.motion_solver.is_first_order() {
            let linking = LinkingForces::of(self.stages);
            let moves = SolverMotion::of(self.stages.constraint_solver.as_ref());
            let Engine { data, derived, flight, .. } = &mut *self.engine;
            flight.stagger((data, derived), linking, h, moves);
        }
    }

    fn synchronize(&mut self, _h: Real) {
        if !self.stages.motion_solver.is_first_order() {
            self.engine.flight.synchronize(&mut self.engine.data);
        }
    }

    fn solve(&mut self, scope: Scope, h: Real, horizon: Real) -> Result<SolveReport, StepFailure> {
        self.begin_solve(scope, h);
        self.release_free(scope, h)?;
        self.select_groups(scope);
        Ok(self.finish_solve(h, horizon))
    }

    fn departure(&mut self, scope: Scope, h: Real) -> Departure {
        self.select(scope);
        let Engine { data, derived, motion, solving, .. } = &mut *self.engine;
        let given = Given { unscripted: &derived.unscripted, scripted_at: motion.scripted_at };
        solving.departures.measure(data, self.stages, given, &self.selection.bodies, h)
    }

    fn mean_forces(&mut self, scope: Scope) -> bool {
        self.select(scope);
        let Engine { data, forces, solving, .. } = &mut *self.engine;
        forces.gather_at_mean(data, self.stages, &self.selection.bodies, &solving.solve_change)
    }

    fn solve_again(
        &mut self,
        scope: Scope,
        h: Real,
        horizon: Real,
        knowing: &[(Departure, Real)],
    ) -> Result<SolveReport, StepFailure> {
        // with the same forces there is nothing new for bodies without joints
        let joints_alone = scope == Scope::All && self.engine.forces.stand(h);
        if joints_alone {
            self.select_groups(scope);
            self.take_back_joints();
        } else {
            self.select(scope);
            self.take_back_solve();
        }
        self.engine.solving.departures.repeat();
        for &(departure, weight) in knowing {
            self.engine.solving.departures.correct(departure, weight);
        }
        self.note_velocities();
        if joints_alone {
            self.engine.touches.observe_again(&self.engine.data, &self.engine.derived, scope);
            self.engine.wiring.trace(Module::MotionSolver, Module::ConstraintSolver);
            return Ok(self.solve_selected(h, horizon));
        }
        self.release_free(scope, h)?;
        self.select_groups(scope);
        Ok(self.finish_solve(h, horizon))
    }

    fn solve_carried(&mut self, scope: Scope, h: Real, horizon: Real) -> Result<SolveReport, StepFailure> {
        self.begin_solve(scope, h);
        self.release_free(scope, h)?;
        self.select_groups(scope);
        let mut report = SolveReport::default();
        if h > 0.0 {
            report = self.carry_loads(h, horizon);
        }
        report.merge(&self.finish_solve(h, horizon));
        Ok(report)
    }

    fn repeat(&mut self, scope: Scope) -> Result<(), StepFailure> {
        self.engine.wiring.trace(Module::TimeControl, Module::MotionSolver);
        self.select(scope);
        let Engine { data, solving, .. } = &mut *self.engine;
        solving.foreseen.forget();
        for &body in &self.selection.bodies {
            let velocity = data.state.velocity(body) + solving.solve_change[body.at()];
            data.state.set_velocity(body, velocity);
        }
        data.check_velocities(&self.selection.bodies, Module::MotionSolver)
    }

    fn drift(&mut self, scope: Scope, h: Real) -> Result<(), StepFailure> {
        self.engine.wiring.trace(Module::TimeControl, Module::MotionSolver);
        self.select(scope);
        let Engine { data, derived, motion, solving, touches, wiring, .. } = &mut *self.engine;
        solving.foreseen.drift(scope, h);
        let bodies = &mut self.selection.bodies;
        match scope {
            Scope::All | Scope::Free => bodies.extend_from_slice(&derived.unscripted),
            Scope::Body(body) => bodies.extend(derived.unscripted.iter().filter(|b| **b == body)),
            Scope::With(_) | Scope::Pair(_) => {}
        }
        let watch = Stopwatch::start();
        let moved = motion.drift(data, derived, self.stages, bodies, h);
        touches.sensors.pass(&mut touches.sensed, (data, derived), &motion.fast.ways, [motion.scripted_at, h]);
        wiring.book(Module::MotionSolver, watch);
        if moved? {
            // it was predicted for the whole way
            solving.foreseen.forget();
        }
        Ok(())
    }

    fn correct(&mut self, scope: Scope) -> Result<SolveReport, StepFailure> {
        self.select_groups(scope);
        self.correct_selected()
    }

    fn correct_again(&mut self) -> Result<SolveReport, StepFailure> {
        let tasks = &mut self.selection.tasks;
        tasks.clear();
        let unfinished = self.engine.solving.outputs().flat_map(|o| &o.unfinished);
        tasks.extend(unfinished.map(|group| Task::Group(*group)));
        self.refresh_selected();
        self.correct_selected()
    }

    fn expect_projection(&mut self) {
        self.engine.solving.foreseen.expect();
    }

    fn project(&mut self, scope: Scope) -> Result<SolveReport, StepFailure> {
        let known = self.engine.solving.foreseen.use_up();
        if scope != Scope::All || !known {
            self.refresh(scope, None);
            return self.correct(scope);
        }
        self.project_foreseen()
    }

    fn propagate(&mut self, scope: Scope, steps: &[LayerStep]) -> Result<SolveReport, StepFailure> {
        self.engine.depth.forget();
        self.engine.solving.foreseen.forget();
        self.propagate_layers(scope, steps)
    }
}
