mod bodies;
mod control;
mod events;
mod forces;
mod joining;
mod joints;
mod nodes;
mod tags;
mod timers;
mod whole;

pub use bodies::Removed;
pub use nodes::{GraphEdge, GraphNode};
pub use tags::{BodyView, JointView};
pub(crate) use whole::Whole;

use crate::convergence::{CONVERGED, relative_residual};
use crate::kernel::{Engine, Selection, run_frame};
use crate::limits::LimitCheck;
use crate::modules::LeftBy;
use crate::query::QueryIndex;
use crate::snapshot::Lineage;
use crate::stopwatch::Stopwatch;
use crate::{
    LeftOut, Limits, ModuleChoice, Modules, Paradigm, PhaseTimes, Registry, Replacement, StepReport, WorldBuilder,
    WorldError, registry,
};
use drystone_core::{
    BodyId, BodyIndex, Configuration, ContactGraph, ContactImpulse, Energy, ForceId, JointId, Module, Momentum, State,
    StepObserver, TimeReport, TimerId,
};
use drystone_math::{Real, Twist, Vec3};
use slotmap::SlotMap;
use std::sync::Arc;

/// Bodies, joints and forces, and the modules that move them.
pub struct World {
    pub(crate) engine: Engine,
    /// Lists that are reused by every step.
    selection: Selection,
    modules: Modules,
    paradigm: Paradigm,
    /// Implementations by name.
    pub(crate) registry: Arc<Registry>,
    pub(crate) bodies: SlotMap<BodyId, BodyIndex>,
    pub(crate) body_ids: Vec<BodyId>,
    joints: SlotMap<JointId, u32>,
    joint_ids: Vec<JointId>,
    forces: Vec<ForceId>,
    force_ids: SlotMap<ForceId, ()>,
    pub(crate) limits: LimitCheck,
    /// Which world this is and which set of bodies it has, so that a snapshot is never restored where it does not fit.
    pub(crate) lineage: Lineage,
    /// The index in which queries look up bodies.
    pub(crate) queries: QueryIndex,
    body_tags: tags::Tags<BodyId>,
    joint_tags: tags::Tags<JointId>,
    /// Events since the last step began.
    happenings: events::Happenings,
    timers: SlotMap<TimerId, timers::Timer>,
    /// The last step, if it changed nothing but the clock.
    still: Option<StillStep>,
}

/// A step that changed nothing but the clock: the next one will not either.
#[derive(Debug, Clone, Copy)]
struct StillStep {
    /// The number of edits at the time it was made.
    edits: u64,
    /// Its length (s), if that matters.
    dt: Option<Real>,
    report: StepReport,
}

/// A contact between two bodies as of the last step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactView {
    /// The bodies; the normal points from the first to the second.
    pub bodies: [BodyId; 2],
    /// Midpoint between the surfaces (m).
    pub position: Vec3,
    /// Unit normal.
    pub normal: Vec3,
    /// Signed distance (m).
    pub separation: Real,
    /// Impulse of the last solve on the second body.
    pub impulse: ContactImpulse,
}

impl World {
    /// Starts building a world.
    pub fn builder() -> WorldBuilder {
        WorldBuilder::default()
    }

    pub(crate) fn from_engine(engine: Engine, modules: Modules, paradigm: Paradigm) -> Self {
        let mut world = Self {
            engine,
            selection: Selection::default(),
            modules,
            paradigm,
            registry: registry::own().clone(),
            bodies: SlotMap::with_key(),
            body_ids: Vec::new(),
            joints: SlotMap::with_key(),
            joint_ids: Vec::new(),
            forces: Vec::new(),
            force_ids: SlotMap::with_key(),
            limits: LimitCheck::default(),
            lineage: Lineage::of_new_world(),
            queries: QueryIndex::default(),
            body_tags: tags::Tags::default(),
            joint_tags: tags::Tags::default(),
            happenings: events::Happenings::default(),
            timers: SlotMap::with_key(),
            still: None,
        };
        for i in 0..world.engine.data().state.len() {
            let id = world.bodies.insert(BodyIndex::new(i));
            world.body_ids.push(id);
        }
        for i in 0..world.engine.data().configuration.joints.len() {
            let id = world.joints.insert(i as u32);
            world.joint_ids.push(id);
        }
        for _ in 0..world.engine.data().configuration.forces.len() {
            let id = world.force_ids.insert(());
            world.forces.push(id);
        }
        world
    }

    /// Simulates one frame of `dt` seconds.
    ///
    /// # Errors
    /// [`WorldError::OutOfRange`] for a `dt` that is not finite and above zero; [`WorldError::Refused`] for a joint under a paradigm without joints;
    /// [`WorldError::Step`] if the step fails, or if a figure exceeds the world's [`Limits`] after it. The state is then the one at the moment of failure. A state
    /// that is not finite fails every step until it is mended or another one is restored.
    pub fn advance(&mut self, dt: Real) -> Result<StepReport, WorldError> {
        if !(dt.is_finite() && dt > 0.0) {
            return Err(WorldError::OutOfRange { what: "dt", found: dt, allowed: "a time above zero" });
        }
        self.happenings.begin();
        let start = self.time();
        if let Some(StillStep { edits, dt: known, report }) = self.still
            && edits == self.engine.edits()
            && known.is_none_or(|known| known == dt)
        {
            self.engine.rest(dt, report.times);
            self.tell_ticks(start);
            return Ok(report);
        }
        let (still, _) = self.engine.is_still();
        if self.queries.begin_step() {
            self.engine.forget_moved_bodies();
        }
        let watch = Stopwatch::start();
        self.modules.check(&self.paradigm, &self.engine.data().configuration)?;
        let Modules { time_control, stages, .. } = &mut self.modules;
        let engine = &mut self.engine;
        if engine.is_edited() {
            engine.data().check_state(Module::User)?;
        }
        let pushed = !engine.data().pushes.is_empty();
        self.limits.begin(engine, !stages.motion_solver.is_first_order() && !pushed);
        let Self { selection, limits, .. } = self;
        let outcome = engine.stand_by(|engine| {
            let calls = run_frame(engine, selection, stages, time_control.as_mut(), dt)?;
            let held = limits.end(engine, &calls);
            Ok::<_, drystone_core::StepFailure>((calls, held))
        });
        if outcome.is_err() {
            self.limits.forget();
        }
        let (calls, held) = outcome?;
        engine.forget_pushes();
        if pushed {
            // what the pushes did must not count as a gain of energy in the next step
            self.limits.forget();
        }
        self.tell(start);
        held?;
        let mut times = self.engine.times();
        times.time_control += watch.seconds() - times.total();
        let report = self.report(&calls, times, dt);
        // what sleeps or rests through one step does so through the next, whose report is then this one without its times
        let (stays, dt) = self.engine.is_still();
        let report_of_rest = StepReport { times: PhaseTimes::default(), ..report };
        let unguessed = calls.solve.guesses.energy == 0.0;
        self.still =
            (still && stays && unguessed).then(|| StillStep { edits: self.engine.edits(), dt, report: report_of_rest });
        Ok(report)
    }

    /// The report of a step of `dt` seconds.
    fn report(&self, calls: &TimeReport, times: PhaseTimes, dt: Real) -> StepReport {
        let (state, configuration) = (self.state(), self.configuration());
        let residual = relative_residual(configuration, state, calls, dt);
        StepReport {
            residual,
            converged: if calls.unsettled > 0 { Some(false) } else { residual.map(|r| r <= CONVERGED) },
            contacts: calls.contacts,
            groups: calls.groups,
            penetration: calls.penetration,
            lcp: calls.solve.lcp,
            // in bytes, which no block can overflow
            sleeping: state
                .sleepy
                .chunks(64)
                .map(|some| u64::from(some.iter().map(|s| u8::from(*s)).sum::<u8>()))
                .sum(),
            events: self.engine.touches()[0].counts(),
            calls: *calls,
            times,
        }
    }

    /// Runs one more collision detection at the present state, without a step, and returns the deepest overlap (m), or zero if there is none.
    ///
    /// # Errors
    /// [`WorldError::Step`] if the state is not finite, or the narrow phase does not take a pair.
    pub fn penetration(&mut self) -> Result<Real, WorldError> {
        let stages = &mut self.modules.stages;
        if self.engine.is_edited() {
            self.engine.data().check_state(Module::User)?;
        }
        Ok(self.engine.deepest_overlap(stages)?)
    }

    /// The paradigm.
    pub fn paradigm(&self) -> Paradigm {
        self.paradigm
    }

    /// The modules in use.
    pub fn modules(&self) -> &Modules {
        &self.modules
    }

    /// Swaps all modules for those of another paradigm, some of them overridden by `choices`. Bodies and contacts stay, and everything wakes. Modules given by value
    /// stay too, unless a choice names another for their place. Between a world with inertia and one without, velocities are reset to zero, since they do not mean
    /// the same (N-04).
    ///
    /// # Errors
    /// [`WorldError::UnknownName`], [`WorldError::Setting`]; [`WorldError::GivenByValue`] for a choice that has settings but no name, for a module that was given by
    /// value. The world is then unchanged.
    pub fn set_paradigm(&mut self, paradigm: Paradigm, choices: &[ModuleChoice]) -> Result<(), WorldError> {
        let mut modules = Modules::assemble_from(&self.registry, &paradigm, choices)?;
        let stays = |c: &&ModuleChoice| c.name.is_none() && self.modules.by_value.contains(&c.kind);
        if let Some(choice) = choices.iter().filter(|c| !c.settings.is_empty()).find(stays) {
            return Err(WorldError::GivenByValue(choice.kind.table()));
        }
        modules.check_succession(&self.modules, choices)?;
        let former = self.modules.left_by();
        modules.succeed(&mut self.modules, choices);
        self.paradigm = paradigm;
        self.take_up(former);
        Ok(())
    }

    /// Replaces a module by one given by value, while the world runs. Bodies, contacts and the other modules stay, and everything wakes. From here on the world
    /// behaves like one that was built with this module and restored to this instant. The module stays when another paradigm is set, as [`Self::set_paradigm`] says.
    ///
    /// ```
    /// use drystone::{ModuleKind, Replacement, prelude::*};
    /// use drystone_broad_phase::Exhaustive;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut world = World::builder().build()?;
    /// world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0)?))?;
    /// world.add(Body::dynamic(Shape::sphere(0.5)?).at([0.0, 0.5, 0.0]))?;
    /// world.advance(0.01)?;
    /// world.replace(Replacement::broad_phase(Exhaustive))?;
    /// world.advance(0.01)?;
    /// assert_eq!(world.modules().name(ModuleKind::BroadPhase), "exhaustive");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`WorldError::Levels`] or [`WorldError::Mismatch`] if time control and the other modules would then not fit together. The world is unchanged.
    pub fn replace(&mut self, module: Replacement) -> Result<(), WorldError> {
        self.modules.check_replacement(&module)?;
        let former = self.modules.left_by();
        self.modules.put(module);
        self.take_up(former);
        Ok(())
    }

    /// Continues with the present modules from what the former ones left behind.
    fn take_up(&mut self, former: LeftBy) {
        self.limits.forget();
        self.engine.forget_workers();
        if former.first_order != self.modules.stages.motion_solver.is_first_order() {
            for i in (0..self.engine.data().state.len()).map(BodyIndex::new) {
                if self.engine.data().configuration.body(i).is_dynamic() {
                    self.engine.edit().state.set_velocity(i, Twist::ZERO);
                }
            }
        }
        self.forget_readers(former.readers);
        self.wake_all();
    }

    /// Forgets what modules other than the present ones left in graph and state. A narrow phase can only read its own cache, and what one sleep policy remembers
    /// means nothing to another; a policy without sleep would never wake anything.
    pub(crate) fn forget_readers(&mut self, left_by: [&'static str; 2]) {
        let present = self.modules.readers();
        if present[0] != left_by[0] {
            for edge in &mut self.engine.edit().graph.edges {
                edge.is_tested = false;
                edge.cache = Default::default();
            }
        }
        if present[1] != left_by[1] {
            self.wake_all();
        }
    }

    /// Features of this world that the modules leave out: friction, for instance, if the method has none, or
    /// restitution, if nothing makes bodies bounce. The run continues as if it were not there.
    pub fn left_out(&self) -> Vec<LeftOut> {
        self.modules.left_out(self.configuration())
    }

    /// Caps the iterations of each solve of a group at `most`, for solvers that improve their answer with every iteration: what a frame has time for (H-23). Without
    /// a cap (`None`, the initial value) each solve has the iterations of its own settings. Iterative methods obey it (`boxed` with projected Gauss-Seidel, `cone`,
    /// `contact-sweeps`); a direct method, which has no answer before its end, does not.
    pub fn limit_iterations(&mut self, most: Option<u32>) {
        self.engine.limit_iterations(most.unwrap_or(u32::MAX));
    }

    /// Observes the calls between modules; `None` removes the observer. An observed world computes each step in full, including groups that stand still: its motion
    /// is the same to the bit, but its steps take longer.
    pub fn observe(&mut self, observer: Option<Box<dyn StepObserver>>) {
        self.engine.observe_calls(observer);
    }

    /// The distance (m) within which surfaces count as touching that [`WorldBuilder::contact_envelope`] set; `None` if it follows from the bodies.
    pub fn contact_envelope(&self) -> Option<Real> {
        self.engine.asked_envelope()
    }

    /// Implementations by name.
    pub fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }

    /// Simulated time (s).
    pub fn time(&self) -> Real {
        self.engine.data().state.time
    }

    /// The bodies, in the order in which they were added.
    pub fn bodies(&self) -> &[BodyId] {
        &self.body_ids
    }

    /// Everything that does not change in a step.
    pub fn configuration(&self) -> &Configuration {
        &self.engine.data().configuration
    }

    /// The state, in columns.
    pub fn state(&self) -> &State {
        &self.engine.data().state
    }

    /// The contact graph as of the last detection.
    pub fn graph(&self) -> &ContactGraph {
        &self.engine.data().graph
    }

    /// Contacts as of the last step.
    pub fn contacts(&self) -> impl Iterator<Item = ContactView> {
        self.engine.data().graph.iter().filter(|e| e.touching).flat_map(move |e| {
            let frame =
                |b: BodyIndex| self.engine.data().configuration.body(b).frame(&self.engine.data().state.pose(b));
            let (a, b) = (frame(e.pair.a), frame(e.pair.b));
            e.manifold.points.iter().map(move |p| {
                let (normal, position, separation) = p.world(&a, &b);
                let bodies = [self.body_ids[e.pair.a.at()], self.body_ids[e.pair.b.at()]];
                ContactView { bodies, position, normal, separation, impulse: p.impulse }
            })
        })
    }

    /// Mechanical energy.
    pub fn energy(&self) -> Energy {
        Energy::of(&self.engine.data().configuration, &self.engine.data().state)
    }

    /// Momentum of the dynamic bodies.
    pub fn momentum(&self) -> Momentum {
        Momentum::of(&self.engine.data().configuration, &self.engine.data().state)
    }

    /// The number of threads.
    pub fn threads(&self) -> usize {
        self.engine.threads()
    }

    /// Starts this many threads in place of the present ones, as [`crate::WorldBuilder::threads`] does; the motion has the same bits with any number of them.
    ///
    /// A forked process has none of its parent's threads: it must call this before its first step.
    ///
    /// # Errors
    /// [`WorldError::OutOfRange`] unless it is 1 to 256; [`WorldError::Threads`] if the system cannot start that many. The present ones then stay.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), WorldError> {
        self.engine.set_threads(threads)
    }

    /// Time spent in the last step.
    pub fn times(&self) -> PhaseTimes {
        self.engine.times()
    }

    /// The bounds beyond which a step counts as failed.
    pub fn limits(&self) -> Limits {
        self.limits.limits
    }

    /// Sets the bounds; the reference that they are measured against is taken anew.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = LimitCheck::new(limits);
    }

    fn wake_all(&mut self) {
        self.limits.forget();
        for i in 0..self.engine.data().state.len() {
            self.engine.edit().wake(BodyIndex::new(i));
        }
    }

    fn edited(&mut self) {
        self.limits.forget();
        self.queries.changed();
        self.engine.note_disturbance();
        self.engine.note_moved_bodies();
        self.lineage.edited();
    }
}
