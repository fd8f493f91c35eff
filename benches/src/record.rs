//! What flows into each stage of a step, noted while a scene is stepped: wrappers around the modules that pass
//! everything on and keep a copy of the last few inputs.

use crate::EngineError;
use crate::drystone_engine::{Variant, build_world};
use crate::scenes::{DT, Scene};
use drystone::core::{
    BodyIndex, BodyPair, BodyProperties, BroadPhase, BroadPhaseInput, CoherenceAnalysis, Configuration,
    ConstraintSolver, ContactDetermination, ContactGraph, ContactSeed, Edge, Executor, FrameView, GroupAnswer,
    GroupProblem, Levels, Manifold, MotionSolver, NarrowCache, NarrowPhase, OneThread, PairBatch, PosedShape,
    Proximity, ProxyFilter, Resolves, SolveReport, State, Step, UnsupportedPair,
};
use drystone::geometry::{Aabb, Shape};
use drystone::math::{Pose, Quat, Real, Twist, Vec3, Wrench};
use drystone::{Modules, World};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Inputs kept of each stage: those of the last steps.
const KEPT: usize = 8;

/// The last few inputs of a stage, shared between the module that notes them and whoever reads them.
#[derive(Debug)]
pub struct Tape<T>(Arc<Mutex<VecDeque<T>>>);

impl<T> Clone for Tape<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Default for Tape<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T> Tape<T> {
    fn note(&self, input: T) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() == KEPT {
            kept.pop_front();
        }
        kept.push_back(input);
    }

    /// Adds an input to the last one where both are parts of the same.
    fn note_part(&self, part: T, join: impl FnOnce(&mut T, T) -> Option<T>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let new = match kept.back_mut() {
            Some(last) => join(last, part),
            None => Some(part),
        };
        drop(kept);
        if let Some(new) = new {
            self.note(new);
        }
    }

    /// What was noted, the oldest first; the tape is empty then.
    pub fn take(&self) -> Vec<T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).drain(..).collect()
    }
}

/// What a broad phase looks at.
#[derive(Debug, Clone)]
pub struct BroadPhaseFrame {
    /// One a body.
    pub boxes: Vec<Aabb>,
    /// One a body.
    pub filters: Vec<ProxyFilter>,
}

/// What narrow phase and contact determination look at.
#[derive(Debug, Clone)]
pub struct EdgesFrame {
    /// Which of the detections it is of: the kernel hands the edges of one over in pieces.
    detection: u64,
    /// Body frames in the world.
    pub frames: Vec<Pose>,
    /// Contact envelope (m).
    pub envelope: Real,
    /// Edges of the contact graph.
    pub edges: Vec<Edge>,
}

impl EdgesFrame {
    fn of(detection: u64, batch: &PairBatch<'_>) -> Self {
        Self { detection, frames: batch.frames.to_vec(), envelope: batch.envelope, edges: batch.edges.to_vec() }
    }

    /// Takes the edges of another piece of the same detection, or gives it back.
    fn join(&mut self, other: Self) -> Option<Self> {
        if self.detection != other.detection {
            return Some(other);
        }
        self.edges.extend(other.edges);
        None
    }

    /// The batch, to be handed to a stage.
    pub fn batch<'a>(&'a mut self, configuration: &'a Configuration) -> PairBatch<'a> {
        PairBatch { configuration, frames: &self.frames, envelope: self.envelope, edges: &mut self.edges }
    }
}

/// What the coherence analysis looks at.
#[derive(Debug, Clone)]
pub struct GraphFrame {
    /// State of the bodies.
    pub state: State,
    /// Body frames in the world.
    pub frames: Vec<Pose>,
    /// World boxes.
    pub boxes: Vec<Aabb>,
    /// Pairs of the broad phase; empty for the later hooks, which do not get them.
    pub pairs: Vec<BodyPair>,
    /// The graph before the hook.
    pub graph: ContactGraph,
}

impl GraphFrame {
    fn of(frame: FrameView<'_>, pairs: &[BodyPair], graph: &ContactGraph) -> Self {
        Self {
            state: frame.state.clone(),
            frames: frame.frames.to_vec(),
            boxes: frame.boxes.to_vec(),
            pairs: pairs.to_vec(),
            graph: graph.clone(),
        }
    }

    /// What the hook may look at, what it gets of the pairs, and the graph that it changes.
    pub fn parts<'a>(
        &'a mut self,
        configuration: &'a Configuration,
    ) -> (FrameView<'a>, &'a [BodyPair], &'a mut ContactGraph) {
        let view = FrameView {
            configuration,
            state: &self.state,
            frames: &self.frames,
            boxes: &self.boxes,
            moving: None,
            executor: &OneThread,
        };
        (view, &self.pairs, &mut self.graph)
    }
}

/// What a constraint solver looks at.
#[derive(Debug, Clone)]
pub struct SolveFrame {
    /// The group.
    pub problem: GroupProblem,
    /// The step.
    pub step: Step,
}

/// What the kick of a motion solver looks at; its drift looks at the state and the bodies.
#[derive(Debug, Clone)]
pub struct MotionFrame {
    /// State of the bodies.
    pub state: State,
    /// The bodies to be moved.
    pub bodies: Vec<BodyIndex>,
    /// External wrenches.
    pub wrenches: Vec<Wrench>,
    /// Length of the step (s).
    pub h: Real,
}

/// The tapes of all stages.
#[derive(Debug, Clone, Default)]
pub struct Recording {
    /// Detections so far.
    detections: Arc<AtomicU64>,
    /// Inputs of the broad phase.
    pub broad_phase: Tape<BroadPhaseFrame>,
    /// Inputs of the narrow phase.
    pub narrow_phase: Tape<EdgesFrame>,
    /// Inputs of contact determination.
    pub contact_determination: Tape<EdgesFrame>,
    /// Inputs of the coherence analysis after the broad phase, the narrow phase and contact determination.
    pub coherence: [Tape<GraphFrame>; 3],
    /// Inputs of the constraint solver's solve.
    pub solve: Tape<SolveFrame>,
    /// Inputs of the motion solver's kick.
    pub motion: Tape<MotionFrame>,
}

impl Recording {
    fn edges(&self, batch: &PairBatch<'_>) -> EdgesFrame {
        EdgesFrame::of(self.detections.load(Ordering::Relaxed), batch)
    }
}

/// Steps a scene and notes what its stages see; gives the tapes, and the world with the modules that wrote them.
///
/// # Errors
/// For choices that do not fit, and where a step fails.
pub fn record(scene: &Scene, variant: &Variant, steps: usize) -> Result<(Recording, World), EngineError> {
    let stages = Modules::assemble(&variant.paradigm, &variant.choices)?.stages;
    let tapes = Recording::default();
    let builder = variant
        .builder()
        .broad_phase(Recorder { module: stages.broad_phase, tapes: tapes.clone() })
        .narrow_phase(Recorder { module: stages.narrow_phase, tapes: tapes.clone() })
        .contact_determination(Recorder { module: stages.contact_determination, tapes: tapes.clone() })
        .coherence(Recorder { module: stages.coherence, tapes: tapes.clone() })
        .constraint_solver(Recorder { module: stages.constraint_solver, tapes: tapes.clone() })
        .motion_solver(Recorder { module: stages.motion_solver, tapes: tapes.clone() });
    let (mut world, _) = build_world(scene, builder)?;
    for _ in 0..steps {
        world.advance(DT)?;
    }
    Ok((tapes, world))
}

/// A module that passes everything on to another and notes what it is given.
struct Recorder<M> {
    module: M,
    tapes: Recording,
}

impl BroadPhase for Recorder<Box<dyn BroadPhase>> {
    fn name(&self) -> &'static str {
        self.module.name()
    }

    fn find_pairs(&mut self, input: BroadPhaseInput<'_>, pairs: &mut Vec<BodyPair>) {
        let frame = BroadPhaseFrame { boxes: input.boxes.to_vec(), filters: input.filters.to_vec() };
        self.tapes.broad_phase.note(frame);
        self.tapes.detections.fetch_add(1, Ordering::Relaxed);
        self.module.find_pairs(input, pairs);
    }
}

impl NarrowPhase for Recorder<Box<dyn NarrowPhase>> {
    fn name(&self) -> &'static str {
        self.module.name()
    }

    fn supports(&self, a: &Shape, b: &Shape) -> bool {
        self.module.supports(a, b)
    }

    fn query(
        &self,
        a: PosedShape<'_>,
        b: PosedShape<'_>,
        envelope: Real,
        cache: &mut NarrowCache,
        seeds: &mut Vec<ContactSeed>,
    ) -> Result<Proximity, UnsupportedPair> {
        self.module.query(a, b, envelope, cache, seeds)
    }

    fn query_batch(&self, batch: &mut PairBatch<'_>) -> Result<(), UnsupportedPair> {
        self.tapes.narrow_phase.note_part(self.tapes.edges(batch), EdgesFrame::join);
        self.module.query_batch(batch)
    }
}

impl ContactDetermination for Recorder<Box<dyn ContactDetermination>> {
    fn name(&self) -> &'static str {
        self.module.name()
    }

    fn determine(
        &self,
        a: PosedShape<'_>,
        b: PosedShape<'_>,
        proximity: &Proximity,
        seeds: &[ContactSeed],
        envelope: Real,
        manifold: &mut Manifold,
    ) {
        self.module.determine(a, b, proximity, seeds, envelope, manifold);
    }

    fn determine_batch(&self, batch: &mut PairBatch<'_>) {
        self.tapes.contact_determination.note_part(self.tapes.edges(batch), EdgesFrame::join);
        self.module.determine_batch(batch);
    }
}

impl CoherenceAnalysis for Recorder<Box<dyn CoherenceAnalysis>> {
    fn name(&self) -> &'static str {
        self.module.name()
    }

    fn watches_sleep(&self) -> bool {
        self.module.watches_sleep()
    }

    fn keeps_contacts(&self) -> bool {
        self.module.keeps_contacts()
    }

    // what rests is not left out: each stage is noted with all that it may have to look at
    fn leaves_rest(&self) -> bool {
        false
    }

    fn after_broad_phase(&mut self, frame: FrameView<'_>, pairs: &[BodyPair], graph: &mut ContactGraph) {
        self.tapes.coherence[0].note(GraphFrame::of(frame, pairs, graph));
        self.module.after_broad_phase(frame, pairs, graph);
    }

    fn after_narrow_phase(&mut self, frame: FrameView<'_>, graph: &mut ContactGraph) {
        self.tapes.coherence[1].note(GraphFrame::of(frame, &[], graph));
        self.module.after_narrow_phase(frame, graph);
    }

    fn after_contact_determination(&mut self, frame: FrameView<'_>, graph: &mut ContactGraph) {
        self.tapes.coherence[2].note(GraphFrame::of(frame, &[], graph));
        self.module.after_contact_determination(frame, graph);
    }

    fn stack_layers(&mut self, frame: FrameView<'_>, graph: &mut ContactGraph) {
        self.module.stack_layers(frame, graph);
    }
}

impl ConstraintSolver for Recorder<Box<dyn ConstraintSolver>> {
    fn name(&self) -> &'static str {
        self.module.name()
    }

    fn levels(&self) -> Levels {
        self.module.levels()
    }

    fn resolves(&self) -> Resolves {
        self.module.resolves()
    }

    fn solve(
        &mut self,
        problem: &GroupProblem,
        step: Step,
        executor: &dyn Executor,
        answer: &mut GroupAnswer,
    ) -> SolveReport {
        self.tapes.solve.note(SolveFrame { problem: problem.clone(), step });
        self.module.solve(problem, step, executor, answer)
    }

    fn sub_steps(&self) -> u32 {
        self.module.sub_steps()
    }

    fn cannot(&self, configuration: &Configuration) -> Option<&'static str> {
        self.module.cannot(configuration)
    }

    fn leaves_out(&self, configuration: &Configuration) -> Option<&'static str> {
        self.module.leaves_out(configuration)
    }

    fn takes_rows(&self) -> bool {
        self.module.takes_rows()
    }

    fn fork(&self) -> Box<dyn ConstraintSolver> {
        Box::new(Self { module: self.module.fork(), tapes: self.tapes.clone() })
    }
}

impl MotionSolver for Recorder<Box<dyn MotionSolver>> {
    fn name(&self) -> &'static str {
        self.module.name()
    }

    fn kick(
        &self,
        configuration: &Configuration,
        state: &State,
        bodies: &[BodyIndex],
        wrenches: &[Wrench],
        h: Real,
        change: &mut [Twist],
    ) {
        let frame = MotionFrame { state: state.clone(), bodies: bodies.to_vec(), wrenches: wrenches.to_vec(), h };
        self.tapes.motion.note(frame);
        self.module.kick(configuration, state, bodies, wrenches, h, change);
    }

    fn drift(&self, configuration: &Configuration, state: &mut State, bodies: &[BodyIndex], h: Real) {
        self.module.drift(configuration, state, bodies, h);
    }

    fn spin_change(&self, body: &BodyProperties, orientation: Quat, angular_velocity: Vec3, h: Real) -> Vec3 {
        self.module.spin_change(body, orientation, angular_velocity, h)
    }

    fn time_scale(&self) -> Option<Real> {
        self.module.time_scale()
    }

    fn is_first_order(&self) -> bool {
        self.module.is_first_order()
    }

    fn drift_acceleration(&self, body: &BodyProperties, orientation: Quat, angular_velocity: Vec3) -> Vec3 {
        self.module.drift_acceleration(body, orientation, angular_velocity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorded_steps_have_the_bits_of_plain_ones() {
        let scene = Scene::by_name("column-30").unwrap();
        let (recording, recorded) = record(&scene, &Variant::default(), 12).unwrap();
        let (mut plain, _) = build_world(&scene, Variant::default().builder()).unwrap();
        for _ in 0..12 {
            plain.advance(DT).unwrap();
        }
        let places = |w: &World| -> Vec<Vec3> { w.state().position.clone() };
        assert_eq!(places(&plain), places(&recorded));
        assert_eq!(recording.broad_phase.take().len(), KEPT);
        assert_eq!(recording.solve.take().len(), KEPT);
        assert!(recording.contact_determination.take().iter().all(|f| f.edges.len() >= 30));
        assert!(recording.broad_phase.take().is_empty());
    }
}
