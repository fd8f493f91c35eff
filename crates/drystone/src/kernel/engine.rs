use super::data::WorldData;
use super::derived::Derived;
use super::detect::Detection;
use super::forces::Forces;
use super::groups::Solving;
use super::membership::Membership;
use super::motion::Motion;
use super::propagate::Layering;
use super::saved::Instants;
use super::touches::Touches;
use super::wiring::Wiring;
use super::worker::{Shared, Worker};
use crate::{PhaseTimes, Snapshot, Stages, WorldError};
use drystone_contact_graph::EventLog;
use drystone_core::{BodyIndex, Configuration, FailureKind, JointMemory, Module, State, StepFailure, StepObserver};
use drystone_math::{Real, Twist, Wrench};

/// What a world is computed on, what follows from it, what each stage works with, and what holds the stages together; the modules are lent to it.
pub(crate) struct Engine {
    pub(super) data: WorldData,
    pub(super) derived: Derived,
    pub(super) members: Membership,
    pub(super) touches: Touches,
    pub(super) detection: Detection,
    pub(super) motion: Motion,
    pub(super) forces: Forces,
    pub(super) solving: Solving,
    pub(super) layers: Layering,
    pub(super) instants: Instants,
    pub(super) wiring: Wiring,
    /// Counts what may have changed the world from outside.
    edits: u64,
}

impl Engine {
    pub(crate) fn new(
        configuration: Configuration,
        mut state: State,
        envelope: Option<Real>,
        threads: usize,
    ) -> Result<Self, WorldError> {
        if state.joint_memory.is_empty() {
            state.joint_memory = JointMemory::of_joints(&configuration.joints);
        }
        Ok(Self {
            data: WorldData::new(configuration, state),
            derived: Derived::new(envelope),
            members: Membership::default(),
            touches: Touches::default(),
            detection: Detection::default(),
            motion: Motion::default(),
            forces: Forces::default(),
            solving: Solving::default(),
            layers: Layering::default(),
            instants: Instants::default(),
            wiring: Wiring::new(threads)?,
            edits: 0,
        })
    }

    /// Configuration, state and contact graph.
    pub(crate) fn data(&self) -> &WorldData {
        &self.data
    }

    /// The same, to be changed from outside: whatever was known to stand still may move.
    pub(crate) fn edit(&mut self) -> &mut WorldData {
        self.edits += 1;
        &mut self.data
    }

    /// How often the world may have been changed from outside.
    pub(crate) fn edits(&self) -> u64 {
        self.edits
    }

    /// What touches: contacts, and what is within sensors.
    pub(crate) fn touches(&self) -> [&EventLog; 2] {
        [&self.touches.events, &self.touches.sensed]
    }

    /// Brings the derived columns up to date after edits, and one worker per thread.
    pub(crate) fn prepare(&mut self, stages: &Stages) {
        self.release_all();
        self.note_groups();
        self.layers.loads.forget();
        self.touches.strikes.clear();
        self.motion.tunnelled = 0;
        self.wiring.times = PhaseTimes::default();
        self.solving.solve_change.fill(Twist::ZERO);
        if self.solving.workers.is_empty() {
            for _ in 0..self.wiring.threads {
                self.solving.workers.push(Worker::new(stages));
            }
        }
        for worker in &mut self.solving.workers {
            worker.begin_frame();
        }
        if self.derived.surfaces_edited {
            self.derived.surfaces_edited = false;
            self.data.graph.take_materials(&self.data.configuration);
        }
        if !self.derived.edited {
            return;
        }
        let configuration = &self.data.configuration;
        self.derived.update(configuration, &self.data.state);
        self.motion.fast.has_continuous = configuration.bodies.iter().any(|b| b.continuous && !b.sensor);
        self.touches.sensors.any = configuration.bodies.iter().any(|b| b.sensor);
        self.motion.fast.measure(configuration.bodies.iter().map(|b| &b.shape));
        let n = configuration.bodies.len();
        self.forces.wrenches.resize(n, Wrench::ZERO);
        self.forces.change.resize(n, Twist::ZERO);
        self.forces.drift_acceleration.resize(n, drystone_math::Vec3::ZERO);
        self.solving.velocity_before.resize(n, Twist::ZERO);
        self.solving.solve_change.resize(n, Twist::ZERO);
        self.derived.edited = false;
    }

    /// Forgets the workers: the modules they were forked from are about to be replaced.
    pub(crate) fn forget_workers(&mut self) {
        self.edits += 1;
        self.solving.workers.clear();
    }

    /// What workers read while they solve, and the workers.
    pub(super) fn split(&mut self) -> (Shared<'_>, &mut [Worker]) {
        let WorldData { configuration, state, graph, .. } = &self.data;
        let shared = Shared {
            configuration,
            state,
            graph,
            frames: &self.derived.frames,
            change: &self.forces.change,
            drift_acceleration: &self.forces.drift_acceleration,
            curvature_corrections: &self.solving.curvature_corrections,
            linking_forces: self.forces.linking,
            plan: &self.layers.plan,
            loads: &self.layers.loads,
            level: self.wiring.level,
        };
        (shared, &mut self.solving.workers)
    }

    /// Refreshes the frames of the listed bodies after their poses changed, and checks that they are finite.
    pub(super) fn settle_frames(&mut self, module: Module) -> Result<(), StepFailure> {
        for &body in &self.motion.listed {
            let pose = self.data.state.pose(body);
            self.derived.frames[body.at()] = self.data.configuration.body(body).frame(&pose);
            self.data.state.check_body(body).map_err(|kind| self.failure(Some(body), module, kind))?;
        }
        Ok(())
    }

    pub(super) fn failure(&self, body: Option<BodyIndex>, module: Module, kind: FailureKind) -> StepFailure {
        StepFailure { time: self.data.state.time, body, module, kind }
    }

    /// Notes that one module calls another.
    pub(super) fn trace(&mut self, from: Module, to: Module) {
        self.wiring.trace(from, to);
    }

    /// Books the time since `watch` started to a module.
    pub(super) fn book(&mut self, module: Module, watch: crate::profile::Stopwatch) {
        self.wiring.book(module, watch);
    }

    /// Takes a body's traces out of all columns; the bodies after it move up by one. Gives the places that forces had which no
    /// longer act and were dropped, ascending.
    pub(crate) fn forget_body(&mut self, body: BodyIndex) -> Vec<usize> {
        self.touches.events.remove_body(body);
        self.touches.sensed.remove_body(body);
        self.note_moved_bodies();
        self.edit().forget_body(body)
    }

    /// Shapes, poses or kinds of bodies were edited: what follows from them is stale.
    pub(crate) fn note_moved_bodies(&mut self) {
        self.edits += 1;
        self.derived.edited = true;
    }

    /// Surfaces were edited: what pairs of them do is stale.
    pub(crate) fn note_surfaces(&mut self) {
        self.edits += 1;
        self.derived.surfaces_edited = true;
    }

    /// Bodies were placed, or given velocities, from outside.
    pub(crate) fn note_disturbance(&mut self) {
        self.edits += 1;
        self.motion.fast.disturbed = true;
    }

    /// Whether what follows from the bodies is stale.
    pub(crate) fn is_edited(&self) -> bool {
        self.derived.edited
    }

    /// Watches the calls between modules.
    pub(crate) fn observe_calls(&mut self, observer: Option<Box<dyn StepObserver>>) {
        self.edits += 1;
        self.wiring.observer = observer;
    }

    /// Whether bodies were placed, or given velocities, since the last step.
    pub(crate) fn is_disturbed(&self) -> bool {
        self.motion.fast.disturbed
    }

    /// Nothing moves for `h` seconds.
    pub(crate) fn rest(&mut self, h: Real, times: PhaseTimes) {
        self.data.state.time += h;
        self.wiring.times = times;
    }

    /// The step over which bodies were pushed is done.
    pub(crate) fn forget_pushes(&mut self) {
        self.data.pushes.clear();
    }

    /// The frame is complete: its events can be read.
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

    /// Comes back to a snapshot.
    pub(crate) fn bring_back(&mut self, snapshot: &Snapshot) {
        let data = self.edit();
        // a joint whose source was replaced since may remember another number of values
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
        self.note_moved_bodies();
    }
}
