use super::forces::LinkingForces;
use super::loads::Loads;
use super::midpoint::CurvatureCorrections;
use super::propagate::LayerPlan;
use super::rates::Rates;
use super::records::Rooms;
use super::saved::Saved;
use super::sensors::Sensors;
use super::touches::Strikes;
use super::tunnelling::FastBodies;
use super::worker::{Shared, Task, Worker};
use crate::profile::{PhaseTimes, Stopwatch};
use crate::{Stages, WorldError};
use drystone_contact_graph::EventLog;
use drystone_core::{
    BodyIndex, BodyKind, BodyPair, Configuration, ConstraintRow, ContactGraph, ContactPoint, FailureKind, JointMemory,
    Level, Module, MotionBound, PairRecord, ProxyFilter, State, StepFailure, StepObserver,
};
use drystone_geometry::Aabb;
use drystone_math::{Pose, Real, Twist, Vec3, Wrench};

/// Largest contact envelope that is chosen without being asked for (m).
const LARGEST_ENVELOPE: Real = 0.01;
/// The envelope as a part of the smallest dynamic body's diameter.
const RELATIVE_ENVELOPE: Real = 0.02;

/// Most threads of a world: more than any machine that one world can keep busy has.
const MOST_THREADS: usize = 256;

/// Configuration, state and contact graph, with the buffers that a step needs; the modules are lent to it.
pub(crate) struct Engine {
    pub(crate) configuration: Configuration,
    pub(crate) state: State,
    pub(crate) graph: ContactGraph,
    /// What began and ceased to touch since the end of the last frame.
    pub(crate) events: EventLog,
    /// The same of pairs with a sensor.
    pub(crate) sensed: EventLog,
    /// Pairs with a sensor.
    pub(super) sensors: Sensors,
    /// What pairs that began to touch exchange.
    pub(super) strikes: Strikes,
    /// Body frames in the world; always those of `state`.
    pub(super) frames: Vec<Pose>,
    /// Boxes of the last detection, grown by half the envelope.
    pub(super) boxes: Vec<Aabb>,
    /// How the points of each body can move, as of the last detection.
    pub(super) bounds: Vec<MotionBound>,
    /// The room that the last detection of all gave each body.
    pub(super) rooms: Rooms,
    /// What was asked of pairs last.
    pub(super) records: Vec<PairRecord>,
    /// Edges of a scope that are looked at again.
    pub(super) scope_edges: Vec<u32>,
    /// Contact points that a detection shall not replace, with the slots of their edges.
    pub(super) aside: Vec<(u32, ContactPoint)>,
    /// The first bodies of the groups that are awake.
    pub(super) firsts: Vec<BodyIndex>,
    /// The group of each body; empty where nobody has asked since groups were formed.
    pub(super) group_of: Vec<Option<u32>>,
    /// Scratch: new numbers of groups.
    pub(super) numbers: Vec<u32>,
    /// What moves by more than its thickness in a drift.
    pub(crate) fast: FastBodies,
    /// Pairs of which one went through the other in this frame.
    pub(crate) tunnelled: u64,
    pub(super) filters: Vec<ProxyFilter>,
    pub(super) pairs: Vec<BodyPair>,
    /// Pairs for which there is known to be memory.
    pub(super) room: usize,
    /// External wrenches, in column order.
    pub(super) wrenches: Vec<Wrench>,
    /// Forces and torques of the user's that act over the next step alone, in column order; empty where there are none.
    pub(crate) pushes: Vec<Wrench>,
    /// The wrenches of a first solve, where a second one asks whether they changed.
    pub(super) last_wrenches: Vec<Wrench>,
    /// What a first solve at a midpoint says about the rows of joints.
    pub(super) curvature_corrections: CurvatureCorrections,
    /// How forces that link bodies act.
    pub(super) linking_forces: LinkingForces,
    /// Scratch rows of a joint that is asked for its motors.
    pub(super) motor_rows: Vec<ConstraintRow>,
    /// The velocity changes that the wrenches make, in column order.
    pub(super) change: Vec<Twist>,
    /// Velocities before the last solve, in column order.
    pub(super) velocity_before: Vec<Twist>,
    /// What it changed in them.
    pub(super) solve_change: Vec<Twist>,
    /// Angular accelerations that the drift gives, in column order; kept up where there are joints.
    pub(super) drift_acceleration: Vec<Vec3>,
    /// Scratch list of bodies that a verb acts on.
    pub(super) listed: Vec<BodyIndex>,
    /// Those of them that move by their velocities.
    pub(super) drifting: Vec<BodyIndex>,
    pub(super) layer_bodies: Vec<BodyIndex>,
    pub(super) tasks: Vec<Task>,
    pub(super) plan: LayerPlan,
    pub(super) loads: Loads,
    pub(super) workers: Vec<Worker>,
    pub(super) saved: Vec<Saved>,
    pub(super) rates: Rates,
    /// Bodies whose shape, pose or kind was edited: boxes and frames are stale.
    pub(crate) edited: bool,
    /// Surfaces were edited: what pairs of them do is stale.
    pub(crate) surfaces_edited: bool,
    /// The time at which scripted bodies were last put in place (s).
    pub(super) scripted_at: Real,
    /// Whether a body is passive, as of the last edit.
    pub(super) has_passive: bool,
    pub(super) asked_envelope: Option<Real>,
    pub(super) envelope: Real,
    /// Bodies that move at the velocity they were given, without a script.
    pub(super) unscripted: Vec<BodyIndex>,
    /// Velocities that forces see in a world without inertia: linear and angular.
    pub(super) at_rest: [Vec<Vec3>; 2],
    pub(crate) times: PhaseTimes,
    pub(crate) observer: Option<Box<dyn StepObserver>>,
    /// The level of solves over a step.
    pub(crate) level: Level,
    pub(super) threads: usize,
    #[cfg(feature = "rayon")]
    pub(super) pool: Option<rayon::ThreadPool>,
}

impl Engine {
    pub(crate) fn new(
        configuration: Configuration,
        mut state: State,
        envelope: Option<Real>,
        threads: usize,
    ) -> Result<Self, WorldError> {
        if !(1..=MOST_THREADS).contains(&threads) {
            let allowed = "a whole number from 1 to 256";
            return Err(WorldError::OutOfRange { what: "threads", found: threads as Real, allowed });
        }
        if state.joint_memory.is_empty() {
            state.joint_memory = JointMemory::of_joints(&configuration.joints);
        }
        #[cfg(feature = "rayon")]
        let pool = if threads > 1 {
            let built = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            Some(built.map_err(|_| WorldError::Threads(threads))?)
        } else {
            None
        };
        Ok(Self {
            configuration,
            state,
            graph: ContactGraph::default(),
            events: EventLog::default(),
            sensed: EventLog::default(),
            sensors: Sensors::default(),
            strikes: Strikes::default(),
            frames: Vec::new(),
            boxes: Vec::new(),
            bounds: Vec::new(),
            rooms: Rooms::default(),
            records: Vec::new(),
            scope_edges: Vec::new(),
            aside: Vec::new(),
            firsts: Vec::new(),
            group_of: Vec::new(),
            numbers: Vec::new(),
            fast: FastBodies { disturbed: true, ..FastBodies::default() },
            tunnelled: 0,
            filters: Vec::new(),
            pairs: Vec::new(),
            room: 0,
            wrenches: Vec::new(),
            pushes: Vec::new(),
            last_wrenches: Vec::new(),
            curvature_corrections: CurvatureCorrections::default(),
            linking_forces: LinkingForces::default(),
            motor_rows: Vec::new(),
            change: Vec::new(),
            velocity_before: Vec::new(),
            solve_change: Vec::new(),
            drift_acceleration: Vec::new(),
            listed: Vec::new(),
            drifting: Vec::new(),
            layer_bodies: Vec::new(),
            tasks: Vec::new(),
            plan: LayerPlan::default(),
            loads: Loads::default(),
            workers: Vec::new(),
            saved: Vec::new(),
            rates: Rates::default(),
            edited: true,
            surfaces_edited: false,
            scripted_at: 0.0,
            has_passive: false,
            asked_envelope: envelope,
            envelope: 0.0,
            unscripted: Vec::new(),
            at_rest: [Vec::new(), Vec::new()],
            times: PhaseTimes::default(),
            observer: None,
            level: Level::Velocity,
            threads: if cfg!(feature = "rayon") { threads } else { 1 },
            #[cfg(feature = "rayon")]
            pool,
        })
    }

    /// Brings the derived columns up to date after edits, and one worker a thread.
    pub(crate) fn prepare(&mut self, stages: &Stages) {
        self.release_all();
        self.note_groups();
        self.loads.forget();
        self.strikes.clear();
        self.tunnelled = 0;
        self.times = PhaseTimes::default();
        self.solve_change.fill(Twist::ZERO);
        if self.workers.is_empty() {
            for _ in 0..self.threads {
                self.workers.push(Worker::new(stages));
            }
        }
        for worker in &mut self.workers {
            worker.begin_frame();
        }
        if core::mem::take(&mut self.surfaces_edited) {
            self.graph.take_materials(&self.configuration);
        }
        if !self.edited {
            return;
        }
        let (configuration, state) = (&self.configuration, &self.state);
        self.frames.clear();
        self.filters.clear();
        self.unscripted.clear();
        let mut smallest = Real::INFINITY;
        self.has_passive = configuration.bodies.iter().any(|b| b.kind == BodyKind::Passive);
        self.fast.has_continuous = configuration.bodies.iter().any(|b| b.continuous && !b.sensor);
        self.sensors.any = configuration.bodies.iter().any(|b| b.sensor);
        for (i, body) in configuration.bodies.iter().enumerate() {
            self.frames.push(body.frame(&state.pose(BodyIndex::new(i))));
            self.filters.push(ProxyFilter { groups: body.groups, ..ProxyFilter::new(body.is_dynamic(), body.layer) });
            if body.is_dynamic() {
                smallest = smallest.min(body.shape.bounding_radius());
            }
            if body.kind == BodyKind::Scripted && !configuration.scripts.iter().any(|s| s.body.at() == i) {
                self.unscripted.push(BodyIndex::new(i));
            }
        }
        self.fast.measure(configuration.bodies.iter().map(|b| &b.shape));
        let chosen = (RELATIVE_ENVELOPE * 2.0 * smallest).min(LARGEST_ENVELOPE);
        self.envelope = self.asked_envelope.unwrap_or(chosen);
        self.boxes.clear();
        self.boxes.extend(
            configuration.bodies.iter().zip(&self.frames).map(|(b, f)| b.shape.aabb(f).grown(0.5 * self.envelope)),
        );
        self.wrenches.resize(configuration.bodies.len(), Wrench::ZERO);
        self.change.resize(configuration.bodies.len(), Twist::ZERO);
        self.drift_acceleration.resize(configuration.bodies.len(), Vec3::ZERO);
        self.velocity_before.resize(configuration.bodies.len(), Twist::ZERO);
        self.solve_change.resize(configuration.bodies.len(), Twist::ZERO);
        self.edited = false;
    }

    /// Forgets the workers: the modules they were forked from are about to be replaced.
    pub(crate) fn forget_workers(&mut self) {
        self.workers.clear();
    }

    /// What workers read while they solve, and the workers.
    pub(super) fn split(&mut self) -> (Shared<'_>, &mut [Worker]) {
        let shared = Shared {
            configuration: &self.configuration,
            state: &self.state,
            graph: &self.graph,
            frames: &self.frames,
            change: &self.change,
            drift_acceleration: &self.drift_acceleration,
            curvature_corrections: &self.curvature_corrections,
            linking_forces: self.linking_forces,
            plan: &self.plan,
            loads: &self.loads,
            level: self.level,
        };
        (shared, &mut self.workers)
    }

    /// Refreshes the frames of the listed bodies after their poses changed, and checks that they are finite.
    pub(super) fn settle_frames(&mut self, module: Module) -> Result<(), StepFailure> {
        for &body in &self.listed {
            let pose = self.state.pose(body);
            self.frames[body.at()] = self.configuration.body(body).frame(&pose);
            self.state.check_body(body).map_err(|kind| self.failure(Some(body), module, kind))?;
        }
        Ok(())
    }

    pub(super) fn failure(&self, body: Option<BodyIndex>, module: Module, kind: FailureKind) -> StepFailure {
        StepFailure { time: self.state.time, body, module, kind }
    }

    /// Notes that one module calls another.
    pub(super) fn trace(&mut self, from: Module, to: Module) {
        if let Some(observer) = &mut self.observer {
            observer.call(from, to);
        }
    }

    /// Books the time since `watch` started to a module.
    pub(super) fn book(&mut self, module: Module, watch: Stopwatch) {
        *self.times.of(module) += watch.seconds();
    }

    /// Wakes what touches a body, or comes near it, and what hangs on it by a joint: with each its group. To be called before the body is
    /// moved, taken away or made to move, so that nothing sleeps in the air.
    pub(crate) fn wake_neighbours(&mut self, body: BodyIndex) {
        for link in 0..self.configuration.link_count() {
            let bodies = self.configuration.link_bodies(link).unwrap_or_default();
            if bodies.contains(&Some(body)) {
                for other in bodies.into_iter().flatten() {
                    self.wake(other);
                }
            }
        }
        for k in 0..self.graph.order.len() {
            let pair = self.graph.order[k].pair;
            if pair.a == body {
                self.wake(pair.b);
            } else if pair.b == body {
                self.wake(pair.a);
            }
        }
    }

    /// Forgets the multipliers of forces: to be called before the numbers of the links change, while there are as many joints as before.
    pub(crate) fn forget_forces(&mut self) {
        self.graph.joint_impulses.truncate(self.configuration.joints.len());
    }

    /// Takes a body's traces out of graph and columns; the bodies after it move up by one. Gives the places that forces had which no
    /// longer act and were dropped, ascending.
    pub(crate) fn forget_body(&mut self, body: BodyIndex) -> Vec<usize> {
        self.wake_neighbours(body);
        drystone_contact_graph::remove_body(&mut self.graph, body);
        self.events.remove_body(body);
        self.sensed.remove_body(body);
        if body.at() < self.pushes.len() {
            self.pushes.remove(body.at());
        }
        let configuration = &mut self.configuration;
        configuration.ignored_pairs.remove_body(body);
        configuration.scripts.retain_mut(|s| s.body.without(body).inspect(|b| s.body = *b).is_some());
        for joint in &mut configuration.joints {
            for b in &mut joint.bodies {
                *b = b.and_then(|b| b.without(body));
            }
        }
        self.forget_forces();
        let configuration = &mut self.configuration;
        let (mut place, mut dropped) = (0, Vec::new());
        configuration.forces.retain_mut(|force| {
            let acts = force.remove_body(body);
            if !acts {
                dropped.push(place);
            }
            place += 1;
            acts
        });
        configuration.bodies.remove(body.at());
        self.state.remove(body);
        self.edited = true;
        dropped
    }
}
