use super::carriers::Carriers;
use super::data::{FEW_EDGES, WorldData};
use super::depth::Depth;
use super::derived::Derived;
use super::detect::{Detection, Scene, deepest_overlap};
use super::edge_order::sort_edges;
use super::flight::FreeFlight;
use super::forces::Forces;
use super::groups::{Reports, Solving, share_out};
use super::layer_plan::LayerPlan;
use super::linking_forces::LinkingForces;
use super::loads::Loads;
use super::membership::Membership;
use super::motion::Motion;
use super::moved::MovedBodies;
use super::output::Output;
use super::plane::Plane;
use super::saved::Instants;
use super::scatter::{Multipliers, add_turns, displace, set_contacts, set_joints, set_velocities};
use super::sleep::is_still;
use super::stillness::Stillness;
use super::task::{Operation, Task, Weight};
use super::touches::Touches;
use super::wiring::Wiring;
use super::worker::Shared;
use crate::stopwatch::Stopwatch;
use crate::{PhaseTimes, Snapshot, Stages, WorldError};
use drystone_contact_graph::EventLog;
use drystone_core::{
    BodyIndex, Configuration, ContactGraph, Executor, Gone, JointMemory, Level, Module, State, StepFailure,
    StepObserver,
};
use drystone_math::{Real, Twist};
use smallvec::SmallVec;
use std::any::Any;
use std::sync::{Arc, OnceLock};

/// Up to this many workers the list of their outputs needs no allocation.
const FEW_WORKERS: usize = 16;

/// The world's data, what is derived from it, the working memory of each stage, and what connects the stages; the modules are lent to it.
pub(crate) struct Engine {
    pub(super) data: WorldData,
    pub(super) derived: Derived,
    pub(super) members: Membership,
    pub(super) touches: Touches,
    pub(super) detection: Detection,
    /// Bound on the present overlap of pairs.
    pub(super) depth: Depth,
    pub(super) motion: Motion,
    pub(super) carriers: Carriers,
    pub(super) forces: Forces,
    pub(super) solving: Solving,
    pub(super) flight: FreeFlight,
    pub(super) stillness: Stillness,
    /// True if the last frame left the memories of the sleep policy unchanged.
    pub(super) sleep_settled: bool,
    pub(super) plan: LayerPlan,
    pub(super) loads: Loads,
    pub(super) instants: Instants,
    pub(super) wiring: Wiring,
    /// Counts the occasions on which the world may have been changed from outside.
    edits: u64,
    /// That count when the bodies that are awake were last listed.
    listed: Option<u64>,
    kept: Kept,
}

/// Data derived from everything that no step changes; empty after an edit.
#[derive(Default)]
pub(crate) struct Kept {
    /// A hash.
    pub(crate) fingerprint: OnceLock<u64>,
    /// A copy, of a type that the world knows; `None` if there can be none.
    pub(crate) whole: OnceLock<Option<Arc<dyn Any + Send + Sync>>>,
}

impl Engine {
    /// Does the work of a frame, with the world's other threads standing by.
    pub(crate) fn stand_by<T>(&mut self, frame: impl FnOnce(&mut Self) -> T) -> T {
        #[cfg(feature = "rayon")]
        if let Some(helpers) = self.wiring.helpers.clone() {
            return helpers.stand_by(|| frame(self));
        }
        frame(self)
    }

    pub(crate) fn new(
        configuration: Configuration,
        mut state: State,
        envelope: Option<Real>,
        threads: usize,
        plane: Option<Plane>,
    ) -> Result<Self, WorldError> {
        if state.joint_memory.is_empty() {
            state.joint_memory = JointMemory::of_joints(&configuration.joints);
        }
        let mut engine = Self {
            data: WorldData::new(configuration, state, plane),
            derived: Derived::new(envelope),
            members: Membership::default(),
            touches: Touches::default(),
            detection: Detection::default(),
            depth: Depth::default(),
            motion: Motion::default(),
            carriers: Carriers::default(),
            forces: Forces::default(),
            solving: Solving::default(),
            flight: FreeFlight::default(),
            stillness: Stillness::default(),
            sleep_settled: false,
            plan: LayerPlan::default(),
            loads: Loads::default(),
            instants: Instants::default(),
            wiring: Wiring::new(threads)?,
            edits: 0,
            listed: None,
            kept: Kept::default(),
        };
        // nobody has yet looked at what is on the way of the given bodies
        engine.motion.fast.disturbed = true;
        Ok(engine)
    }

    /// Configuration, state and contact graph.
    pub(crate) fn data(&self) -> &WorldData {
        &self.data
    }

    /// The same, to be changed from outside: whatever was known to be at rest may then move.
    pub(crate) fn edit(&mut self) -> &mut WorldData {
        self.detection.rest.forget();
        self.forget_kept();
        self.nudge()
    }

    /// The same, for callers that change only how bodies move or which of them sleep: what is known about pairs at rest stays valid.
    pub(crate) fn nudge(&mut self) -> &mut WorldData {
        self.edits += 1;
        &mut self.data
    }

    /// Data derived from everything that no step changes.
    pub(crate) fn kept(&self) -> &Kept {
        &self.kept
    }

    /// To be called when something that no step changes was edited.
    pub(crate) fn forget_kept(&mut self) {
        self.kept = Kept::default();
    }

    /// The number of times that the world may have been changed from outside.
    pub(crate) fn edits(&self) -> u64 {
        self.edits
    }

    /// The threads, for work that is independent by construction.
    pub(crate) fn executor(&self) -> &dyn Executor {
        self.wiring.executor()
    }

    /// The number of threads.
    pub(crate) fn threads(&self) -> usize {
        self.wiring.threads
    }

    /// Returns true if it is known, without examining pairs again, that none is deeper than a bound (m).
    pub(crate) fn is_within(&self, bound: Real) -> bool {
        self.depth.is_within(bound)
    }

    /// Starts other threads, each with its own worker.
    pub(crate) fn set_threads(&mut self, threads: usize) -> Result<(), WorldError> {
        self.wiring.set_threads(threads)?;
        self.forget_workers();
        Ok(())
    }

    /// The logs of what touches and of what is within sensors.
    pub(crate) fn touches(&self) -> [&EventLog; 2] {
        [&self.touches.events, &self.touches.sensed]
    }

    /// Updates the derived columns after edits, and makes one worker per thread.
    pub(super) fn prepare(&mut self, stages: &Stages) {
        self.instants.release_all();
        self.depth.forget();
        self.members.note(&self.data.graph.groups);
        self.loads.forget();
        self.touches.begin_frame();
        self.detection.rest.begin_frame();
        let Detection { new_slots, made, rest, .. } = &mut self.detection;
        if sort_edges(&mut self.data.graph, (new_slots, made)) {
            rest.forget();
        }
        self.motion.tunnelled.clear();
        self.forces.linking = LinkingForces::of(stages);
        self.wiring.times = PhaseTimes::default();
        if let Some(plane) = self.data.plane {
            plane.lay(&mut self.data.configuration, &mut self.data.state);
        }
        if self.derived.surfaces_edited {
            self.derived.surfaces_edited = false;
            self.data.graph.take_materials(&self.data.configuration);
        }
        if self.derived.edited {
            let bodies = &self.data.configuration.bodies;
            self.derived.update(&self.data.configuration, &self.data.state);
            self.detection.rest.forget();
            self.motion.measure(&self.data.configuration);
            self.carriers.measure(&self.data.configuration);
            self.touches.sensors.any = bodies.iter().any(|b| b.sensor);
            self.forces.resize(bodies.len());
            self.solving.resize(bodies.len());
        }
        if self.listed != Some(self.edits) {
            self.listed = Some(self.edits);
            self.derived.list_awake(&self.data.state);
        }
        self.solving.begin_frame(stages, self.wiring.threads, &self.derived.awake);
    }

    /// Returns true if only the bodies can make this frame differ from the last: no force depends on time or on other
    /// bodies, nothing is moved from outside, and nobody observes.
    pub(super) fn is_alike(&self, stages: &Stages) -> bool {
        let Self { data, derived, wiring, .. } = self;
        let WorldData { configuration, state, pushes, .. } = data;
        let stands = |body: &BodyIndex| state.velocity(*body) == Twist::ZERO;
        wiring.observer.is_none()
            && !stages.motion_solver.is_first_order()
            && !stages.coherence.watches_sleep()
            && configuration.forces.is_empty()
            && configuration.scripts.is_empty()
            && pushes.is_empty()
            && derived.unscripted.iter().all(stands)
    }

    /// Gives scripted bodies the velocities of their chords, for a solve that is followed by a drift of `h` seconds, in which the
    /// solver moves bodies in `parts`; if `h` is below zero, for one over the drift
    /// that ends where they are. Solvers of accelerations need the velocities of the instant.
    pub(super) fn carry_over(&mut self, h: Real, parts: u32) {
        let Self { data, derived, motion, carriers, wiring, .. } = self;
        if h != 0.0 && wiring.level != Level::Acceleration {
            carriers.look_ahead(data, &derived.unscripted, motion.scripted_at, (h, parts));
        }
    }

    /// Runs an operation on each task: gathers groups from the world, and brings the results back into it.
    pub(super) fn run(&mut self, tasks: &[Task], operation: Operation) -> Reports {
        let Self { data, derived, forces, solving, carriers, plan, loads, wiring, .. } = &mut *self;
        let watch = Stopwatch::start();
        let module = match operation {
            Operation::Resolve { .. } => Module::CollisionSolver,
            Operation::Correct => Module::PositionCorrection,
            Operation::Solve { .. } | Operation::Bear { .. } | Operation::Rate { .. } => Module::ConstraintSolver,
        };
        let shared = Shared {
            configuration: &data.configuration,
            state: &data.state,
            graph: &data.graph,
            frames: &derived.frames,
            change: &forces.change,
            drift_acceleration: &forces.drift_acceleration,
            curvature_corrections: &solving.departures.corrections,
            beginnings: solving.departures.beginnings(),
            linking_forces: forces.linking,
            h: operation.h(),
            carriers,
            plan,
            loads,
            level: wiring.level,
            most_iterations: wiring.most_iterations,
            foresees: solving.foreseen.is_asked(),
            spent: solving.spent,
            weight: Weight::default(),
        }
        .weighed(tasks);
        share_out(shared, &mut solving.workers, tasks, operation, wiring);
        solving.spent += solving.outputs().map(|o| o.work).sum::<Real>();

        let scatter = Stopwatch::start();
        let layered = matches!(tasks.first(), Some(Task::Layer { .. }));
        self.take_back(operation, if layered { Multipliers::OfLayers } else { Multipliers::OfContacts });
        self.wiring.times.gather_scatter += scatter.seconds();
        self.wiring.book(module, watch);
        let mut reports = self.solving.reports();
        // only groups that do not rest are solved again
        if matches!(operation, Operation::Solve { .. }) && !self.solving.departures.are_repeated() {
            reports.solve.merge(&self.stillness.reports(&self.data));
        }
        reports
    }

    /// Brings the results of an operation into the columns that they belong to. A rate stays with the workers.
    fn take_back(&mut self, operation: Operation, column: Multipliers) {
        let Self { data, derived, forces, solving, flight, stillness, loads, touches, wiring, .. } = self;
        let is_finite = solving.outputs().all(Output::is_finite);
        solving.overflowed |= !is_finite;
        let Solving { workers, departures, starts, .. } = solving;
        let executor = wiring.executor();
        let shared_out = (starts, executor);
        let outputs = workers.iter().map(|w| &w.output);
        let WorldData { configuration, state, graph, plane, .. } = data;
        match operation {
            Operation::Rate { .. } => {}
            Operation::Correct => displace(state, outputs, *plane),
            Operation::Bear { .. } => {
                for output in outputs.clone() {
                    loads.take(output);
                }
                add_turns(state, outputs.clone());
                set_contacts(graph, outputs, Multipliers::OfContacts, shared_out);
            }
            Operation::Solve { .. } | Operation::Resolve { .. } => {
                set_velocities(state, outputs.clone(), operation.h());
                add_turns(state, outputs.clone());
                set_contacts(graph, outputs.clone(), column, shared_out);
                set_joints(configuration, state, graph, outputs.clone());
                if let Operation::Solve { .. } = operation {
                    // only groups that do not rest are solved again
                    if !departures.are_repeated() {
                        stillness.forget_solve();
                    }
                    stillness.note_solve(&graph.groups, outputs.clone().flat_map(|output| &output.resting));
                }
                let once = outputs.clone().flat_map(|output| output.solved_once.iter().copied());
                departures.note_solved_once(configuration.joints.len(), once);
                let (data, frames) = (&*data, derived.frames.as_slice());
                let outputs: SmallVec<[&Output; FEW_WORKERS]> = outputs.collect();
                let outputs = || outputs.iter().copied();
                let mut hold = || flight.note_holds(outputs(), data, frames, operation, &forces.change);
                let mut strike = || touches.note_strikes(outputs(), data, frames, operation);
                if data.graph.edges.len() < FEW_EDGES {
                    hold();
                    strike();
                } else {
                    executor.run(&mut [&mut hold, &mut strike]);
                }
            }
        }
    }

    /// The contact envelope that was asked for (m); `None` if it follows from the bodies.
    pub(crate) fn asked_envelope(&self) -> Option<Real> {
        self.derived.asked_envelope()
    }

    /// The deepest overlap at the present poses (m), zero if there is none.
    pub(crate) fn deepest_overlap(&mut self, stages: &mut Stages) -> Result<Real, StepFailure> {
        self.prepare(stages);
        let Self { data, derived, detection, members, motion, touches, wiring, .. } = self;
        // this detection says nothing about what is to come
        motion.fast.looked_ahead = false;
        let scene = Scene { data, derived, members, sensors: &mut touches.sensors, wiring, stages };
        deepest_overlap(scene, detection, motion.scripted_at)
    }

    /// Returns true if a step would change nothing but the clock; and the only step length (s) for which that is known,
    /// or `None` if it is known for all.
    pub(crate) fn is_still(&self) -> (bool, Option<Real>) {
        let stillness = &self.stillness;
        let rests = |body| self.sleep_settled && stillness.is_still(body);
        let is_listed = self.listed == Some(self.edits);
        let awake = if is_listed { &self.derived.awake } else { &self.derived.dynamic };
        (self.wiring.observer.is_none() && is_still(&self.data, &self.derived, awake, rests), stillness.step())
    }

    /// Forgets the workers, because the modules that they were forked from are about to be replaced.
    pub(crate) fn forget_workers(&mut self) {
        self.edits += 1;
        self.detection.rest.forget();
        self.solving.workers.clear();
    }

    /// In a planar world, projects the bodies onto the plane at their present poses.
    pub(crate) fn lay(&mut self) {
        let WorldData { configuration, state, plane, .. } = self.nudge();
        if let Some(plane) = *plane {
            plane.lay(configuration, state);
        }
    }

    /// Removes bodies from all columns; those after them move up. Returns the former places, ascending, of forces that no longer act and were dropped.
    pub(crate) fn forget_bodies(&mut self, gone: &Gone) -> Gone {
        self.touches.remove_bodies(gone);
        self.note_moved_bodies();
        self.edit().forget_bodies(gone)
    }

    /// The dynamic bodies and those of them that were awake in the last frame, both ascending, and how often the latter were listed.
    pub(crate) fn dynamic_bodies(&self) -> (&[BodyIndex], &[BodyIndex], u64) {
        (&self.derived.dynamic, &self.derived.awake, self.derived.lists)
    }

    /// The bodies that were moved since the list was last emptied.
    pub(crate) fn moved_bodies(&self) -> &MovedBodies {
        &self.derived.moved
    }

    /// Empties the list of moved bodies.
    pub(crate) fn forget_moved_bodies(&mut self) {
        self.derived.moved.forget();
    }

    /// Notes that shapes, poses or kinds of bodies were edited: derived data is stale.
    pub(crate) fn note_moved_bodies(&mut self) {
        self.edits += 1;
        self.derived.edited = true;
        self.derived.evaluated.forget();
    }

    /// Notes that surfaces were edited: the properties of their pairs are stale.
    pub(crate) fn note_surfaces(&mut self) {
        self.edits += 1;
        self.derived.surfaces_edited = true;
    }

    /// Notes that bodies were placed, or given velocities, from outside.
    pub(crate) fn note_disturbance(&mut self) {
        self.edits += 1;
        self.motion.fast.disturbed = true;
    }

    /// Returns true if the data derived from the bodies is stale.
    pub(crate) fn is_edited(&self) -> bool {
        self.derived.edited
    }

    /// Lets no solve make more iterations than this.
    pub(crate) fn limit_iterations(&mut self, most: u32) {
        self.wiring.most_iterations = most;
    }

    /// Observes the calls between modules.
    pub(crate) fn observe_calls(&mut self, observer: Option<Box<dyn StepObserver>>) {
        self.edits += 1;
        self.wiring.observer = observer;
    }

    /// Returns true if bodies were placed, or given velocities, since the last step.
    pub(crate) fn is_disturbed(&self) -> bool {
        self.motion.fast.disturbed
    }

    /// Lets `h` seconds pass in which nothing moves.
    pub(crate) fn rest(&mut self, h: Real, times: PhaseTimes) {
        self.data.state.time += h;
        self.wiring.times = times;
    }

    /// To be called when the step over which bodies were pushed is complete.
    pub(crate) fn forget_pushes(&mut self) {
        self.data.pushes.clear();
    }

    /// To be called when the frame is complete: its events can then be read.
    pub(crate) fn finish_events(&mut self) {
        self.touches.events.finish();
        self.touches.sensed.finish();
    }

    /// Time spent in the last step.
    pub(crate) fn times(&self) -> PhaseTimes {
        let seams: f64 = self.solving.workers.iter().map(|w| w.seam_seconds).sum();
        let times = self.wiring.times;
        PhaseTimes { gather_scatter: times.gather_scatter + seams, ..times }
    }

    /// Returns to a snapshot.
    pub(crate) fn bring_back(&mut self, snapshot: &Snapshot) {
        self.detection.rest.forget();
        let data = self.nudge();
        // the source of a joint may have been replaced by one that remembers another number of values
        let joints = data.state.joint_memory.clone();
        data.state.clone_from(&snapshot.state);
        data.state.joint_memory = joints;
        for joint in 0..data.state.joint_memory.len() {
            data.state.joint_memory.restore(joint, &snapshot.state.joint_memory);
        }
        data.graph.clone_from(&snapshot.graph);
        data.pushes.clone_from(&snapshot.pushes);
        self.touches.events.reset(snapshot.events[0].near());
        self.touches.sensed.reset(snapshot.events[1].near());
        self.motion.fast.disturbed = snapshot.disturbed;
        self.note_surfaces();
        self.note_moved_bodies();
        self.derived.evaluated.restored = true;
    }

    /// The contact graph for a snapshot: contacts count as fresh if their separations are those of the present poses.
    pub(crate) fn saved_graph(&self) -> ContactGraph {
        let mut graph = self.data.graph.clone();
        for edge in graph.edges.iter_mut().filter(|e| e.fresh) {
            edge.fresh = self.derived.are_separations_of_now(edge.pair);
        }
        graph
    }
}
