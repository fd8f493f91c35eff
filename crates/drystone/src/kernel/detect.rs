use super::engine::Engine;
use crate::Stages;
use crate::profile::Stopwatch;
use drystone_core::{
    BodyIndex, BodyKind, BroadPhaseInput, DetectMode, DetectReport, Edge, EdgeAction, FailureKind, FrameView, Module,
    PairBatch, Penetration, Relation, ScriptedMotion, StepFailure, UnsupportedPair,
};
use drystone_geometry::{Aabb, Shape};
use drystone_math::{Real, Vec3};

/// Edges a thread takes at a time.
const EDGES_PER_CHUNK: usize = 64;

/// Instants at which a scripted body's motion is looked at when its box is swept, the first not counted.
const SWEEP_SAMPLES: u32 = 8;

/// The box that a scripted body does not leave for `h` seconds: boxes at instants in between, grown by how far its points can come from
/// one to the next at the largest speeds and accelerations met there (I-07).
fn swept_box(shape: &Shape, motion: &dyn ScriptedMotion, t: Real, h: Real) -> Aabb {
    let part = h / Real::from(SWEEP_SAMPLES);
    let radius = shape.bounding_radius();
    let (mut swept, mut speed, mut bend): (Aabb, Real, Real) = (Aabb::EMPTY, 0.0, 0.0);
    for k in 0..=SWEEP_SAMPLES {
        let s = motion.evaluate(t + part * Real::from(k));
        swept = swept.union(&shape.aabb(&s.pose));
        let spin = s.velocity.angular.length();
        speed = speed.max(s.velocity.linear.length() + spin * radius);
        bend = bend.max(s.acceleration.linear.length() + (s.acceleration.angular.length() + spin * spin) * radius);
    }
    swept.grown(0.5 * part * (speed + 0.5 * part * bend))
}

/// Splits an engine into what the coherence analysis sees, the pairs, and the graph that it writes.
macro_rules! view {
    ($engine:expr) => {{
        let Engine { configuration, state, frames, boxes, pairs, graph, .. } = &mut *$engine;
        (FrameView { configuration, state, frames, boxes }, &*pairs, graph)
    }};
}

impl Engine {
    /// The collision detection pipeline, with the coherence analysis between its stages.
    pub(crate) fn detect_all(&mut self, stages: &mut Stages, mode: DetectMode) -> Result<DetectReport, StepFailure> {
        self.trace(Module::TimeControl, Module::BroadPhase);
        self.find_pairs(stages, mode);

        self.trace(Module::BroadPhase, Module::CoherenceAnalysis);
        let watch = Stopwatch::start();
        let (view, pairs, graph) = view!(self);
        stages.coherence.after_broad_phase(view, pairs, graph);
        self.book(Module::CoherenceAnalysis, watch);

        self.trace(Module::BroadPhase, Module::NarrowPhase);
        let watch = Stopwatch::start();
        self.set_reach(mode.look_ahead);
        let tested = self.graph.edges.iter().filter(|e| e.action == EdgeAction::Test).count() as u32;
        let outcome = self.test_edges(stages, mode.short_circuit);
        self.book(Module::NarrowPhase, watch);
        outcome.map_err(|e| self.failure(None, Module::NarrowPhase, FailureKind::Unsupported(e)))?;

        self.trace(Module::NarrowPhase, Module::CoherenceAnalysis);
        let watch = Stopwatch::start();
        let (view, _, graph) = view!(self);
        stages.coherence.after_narrow_phase(view, graph);
        self.book(Module::CoherenceAnalysis, watch);

        let mut report = DetectReport { pairs: self.pairs.len() as u32, tested, ..DetectReport::default() };
        if mode.proximity_only {
            report.deepest = self.deepest(|e| e.proximity.distance);
            return Ok(report);
        }

        self.trace(Module::NarrowPhase, Module::ContactDetermination);
        let watch = Stopwatch::start();
        self.determine_contacts(stages);
        self.book(Module::ContactDetermination, watch);

        self.trace(Module::ContactDetermination, Module::CoherenceAnalysis);
        let watch = Stopwatch::start();
        let (view, _, graph) = view!(self);
        stages.coherence.after_contact_determination(view, graph);
        self.wake_groups();
        self.book(Module::CoherenceAnalysis, watch);

        report.contacts = self.graph.iter().map(|e| e.manifold.points.len() as u32).sum();
        report.groups = self.graph.groups.len() as u32;
        report.deepest = self.deepest(|e| e.manifold.least_separation());
        Ok(report)
    }

    /// Boxes of the bodies that may have moved, then the broad phase.
    fn find_pairs(&mut self, stages: &mut Stages, mode: DetectMode) {
        let watch = Stopwatch::start();
        let Self { configuration, state, frames, boxes, filters, pairs, envelope, has_passive, scripted_at, .. } = self;
        for (i, body) in configuration.bodies.iter().enumerate() {
            if matches!(body.kind, BodyKind::Fixed | BodyKind::Passive) || state.sleeping[i] {
                continue;
            }
            let mut aabb = body.shape.aabb(&frames[i]).grown(0.5 * *envelope);
            if mode.look_ahead > 0.0 {
                let spin = state.angular_velocity[i].length() * body.shape.bounding_radius() * mode.look_ahead;
                let fall = if body.is_dynamic() { configuration.gravity * mode.look_ahead } else { Vec3::ZERO };
                aabb = aabb.swept((state.linear_velocity[i] + fall) * mode.look_ahead).grown(spin);
            }
            boxes[i] = aabb;
        }
        if mode.look_ahead > 0.0 {
            for script in &configuration.scripts {
                let shape = &configuration.body(script.body).shape;
                let swept = swept_box(shape, script.motion.as_ref(), *scripted_at, mode.look_ahead);
                boxes[script.body.at()] = swept.grown(0.5 * *envelope);
            }
        }
        stages.broad_phase.find_pairs(BroadPhaseInput { boxes, filters }, pairs);
        if *has_passive {
            let present = |b: BodyIndex| configuration.body(b).kind != BodyKind::Passive;
            pairs.retain(|p| present(p.a) && present(p.b));
        }
        self.book(Module::BroadPhase, watch);
    }

    /// How far each pair can close within `look_ahead` seconds: by its relative velocity, by turning, and by gravity
    /// where only one of the bodies falls.
    fn set_reach(&mut self, look_ahead: Real) {
        let Self { graph, state, configuration, .. } = self;
        for entry in &graph.order {
            let edge = &mut graph.edges[entry.slot as usize];
            edge.reach = 0.0;
            if look_ahead == 0.0 || edge.action != EdgeAction::Test {
                continue;
            }
            let (a, b) = (edge.pair.a, edge.pair.b);
            let (u, v) = (state.velocity(a), state.velocity(b));
            // a body whose frame is its centre may be a plane: what does not turn needs no radius
            let spin = |b: BodyIndex, w: Vec3| {
                if w == Vec3::ZERO { 0.0 } else { w.length() * configuration.body(b).shape.bounding_radius() }
            };
            let falls = configuration.body(a).is_dynamic() != configuration.body(b).is_dynamic();
            let fall = if falls { configuration.gravity.length() * look_ahead } else { 0.0 };
            let speed = (v.linear - u.linear).length() + spin(a, u.angular) + spin(b, v.angular) + fall;
            if speed.is_finite() {
                edge.reach = speed * look_ahead;
            }
        }
    }

    fn test_edges(&mut self, stages: &Stages, short_circuit: bool) -> Result<(), UnsupportedPair> {
        let narrow = stages.narrow_phase.as_ref();
        let Self { configuration, frames, graph, envelope, .. } = self;
        let envelope = *envelope;
        let test = |edges: &mut [Edge]| narrow.query_batch(&mut PairBatch { configuration, frames, envelope, edges });
        if short_circuit {
            // edge by edge, so that the first penetration ends it
            for edge in graph.edges.chunks_mut(1) {
                test(edge)?;
                if edge[0].overlapping && edge[0].proximity.relation == Relation::Penetrating {
                    break;
                }
            }
            return Ok(());
        }
        #[cfg(feature = "rayon")]
        if let Some(pool) = &self.pool {
            use rayon::prelude::*;
            return pool.install(|| graph.edges.par_chunks_mut(EDGES_PER_CHUNK).try_for_each(test));
        }
        test(&mut graph.edges)
    }

    fn determine_contacts(&mut self, stages: &Stages) {
        let contact = stages.contact_determination.as_ref();
        let Self { configuration, frames, graph, envelope, .. } = self;
        let envelope = *envelope;
        let determine =
            |edges: &mut [Edge]| contact.determine_batch(&mut PairBatch { configuration, frames, envelope, edges });
        #[cfg(feature = "rayon")]
        if let Some(pool) = &self.pool {
            use rayon::prelude::*;
            pool.install(|| graph.edges.par_chunks_mut(EDGES_PER_CHUNK).for_each(determine));
            return;
        }
        determine(&mut graph.edges);
    }

    /// The deepest overlap by a measure of separation (m), the first by pair among equals.
    fn deepest(&self, separation: impl Fn(&Edge) -> Real) -> Option<Penetration> {
        let mut deepest: Option<Penetration> = None;
        for edge in self.graph.iter().filter(|e| e.overlapping) {
            let depth = -separation(edge);
            if depth > deepest.map_or(0.0, |d| d.depth) {
                deepest = Some(Penetration { pair: edge.pair, depth });
            }
        }
        deepest
    }

    /// Re-evaluates the separations of edges from their anchors.
    pub(super) fn refresh_edges(&mut self, edges: &[u32]) {
        let Self { graph, frames, .. } = self;
        for &slot in edges {
            let edge = &mut graph.edges[slot as usize];
            edge.manifold.refresh(&frames[edge.pair.a.at()], &frames[edge.pair.b.at()]);
        }
    }

    /// Bodies whose group is awake are awake; those of a group that sleeps are not.
    fn wake_groups(&mut self) {
        let Self { graph, state, .. } = self;
        for g in 0..graph.groups.len() {
            if !graph.groups.awake[g] {
                continue;
            }
            for &body in graph.groups.group_bodies(g) {
                state.sleeping[body.at()] = false;
            }
        }
    }

    /// Takes away the velocities of a body that falls asleep.
    pub(super) fn stop(&mut self, body: BodyIndex) {
        self.state.linear_velocity[body.at()] = Vec3::ZERO;
        self.state.angular_velocity[body.at()] = Vec3::ZERO;
    }
}
