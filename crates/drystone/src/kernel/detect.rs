use super::engine::Engine;
use super::reach::{spin_speed, swept_box};
use crate::Stages;
use crate::profile::Stopwatch;
use drystone_core::{
    BodyIndex, BodyKind, BodyPair, BroadPhaseInput, DetectMode, DetectReport, Edge, EdgeAction, FailureKind, FrameView,
    Module, PairBatch, PairMaterial, Penetration, StepFailure, UnsupportedPair,
};
use drystone_math::{Real, Vec3};

/// Edges a thread takes at a time.
const EDGES_PER_CHUNK: usize = 64;

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
        self.loads.forget();
        self.find_pairs(stages, mode);
        self.check_room()?;

        self.trace(Module::BroadPhase, Module::CoherenceAnalysis);
        let watch = Stopwatch::start();
        let (view, pairs, graph) = view!(self);
        stages.coherence.after_broad_phase(view, pairs, graph);
        self.book(Module::CoherenceAnalysis, watch);

        self.trace(Module::BroadPhase, Module::NarrowPhase);
        let watch = Stopwatch::start();
        self.set_reach(mode);
        let mut report = DetectReport { pairs: self.pairs.len() as u32, ..DetectReport::default() };
        let outcome = if mode.short_circuit {
            self.test_until_penetration(stages, &mut report)
        } else {
            report.tested = self.graph.iter().filter(|e| e.action == EdgeAction::Test).count() as u32;
            self.test_edges(stages)
        };
        self.book(Module::NarrowPhase, watch);
        outcome.map_err(|e| self.failure(None, Module::NarrowPhase, FailureKind::Unsupported(e)))?;

        self.trace(Module::NarrowPhase, Module::CoherenceAnalysis);
        let watch = Stopwatch::start();
        let (view, _, graph) = view!(self);
        stages.coherence.after_narrow_phase(view, graph);
        self.book(Module::CoherenceAnalysis, watch);

        let cut_short = report.deepest.is_some();
        if mode.proximity_only || cut_short {
            if !cut_short {
                report.deepest = self.deepest(|e| e.proximity.distance);
            }
            self.forget_tests();
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

    /// The deepest overlap (m) at the present poses, zero where there is none. Pair by pair: what the graph remembers stays as it
    /// is, and is not copied.
    pub(crate) fn deepest_overlap(&mut self, stages: &mut Stages) -> Result<Real, StepFailure> {
        self.find_pairs(stages, DetectMode::default());
        let Self { configuration, frames, graph, pairs, envelope, .. } = &*self;
        let envelope = *envelope;
        let separation = |&pair: &BodyPair| {
            let known = graph.edge(pair.a, pair.b).cloned();
            let edge = known.unwrap_or_else(|| Edge::new(pair, PairMaterial::default()));
            let mut edge = Edge { action: EdgeAction::Test, overlapping: true, reach: 0.0, ..edge };
            let edges = core::slice::from_mut(&mut edge);
            let mut batch = PairBatch { configuration, frames, envelope, edges };
            stages.narrow_phase.query_batch(&mut batch)?;
            stages.contact_determination.determine_batch(&mut batch);
            Ok::<Real, UnsupportedPair>(edge.manifold.least_separation())
        };
        let present = pairs.iter().filter(|p| !configuration.ignores(**p));
        let least = present.map(separation).try_fold(0.0, |least: Real, s| Ok(least.min(s?)));
        least
            .map(|s| 0.0 - s)
            .map_err(|e: UnsupportedPair| self.failure(None, Module::NarrowPhase, FailureKind::Unsupported(e)))
    }

    /// Boxes of the bodies that may have moved, then the broad phase.
    fn find_pairs(&mut self, stages: &mut Stages, mode: DetectMode) {
        let watch = Stopwatch::start();
        self.fast.looked_ahead = mode.look_ahead > 0.0;
        let Self { configuration, state, frames, boxes, spin_speeds, filters, pairs, envelope, .. } = self;
        let (has_passive, scripted_at) = (self.has_passive, self.scripted_at);
        spin_speeds.resize(boxes.len(), 0.0);
        for (i, body) in configuration.bodies.iter().enumerate() {
            spin_speeds[i] = 0.0;
            if matches!(body.kind, BodyKind::Fixed | BodyKind::Passive) || state.sleeping[i] {
                continue;
            }
            let mut aabb = body.shape.aabb(&frames[i]).grown(0.5 * *envelope);
            if mode.look_ahead > 0.0 {
                spin_speeds[i] = spin_speed(body, state.angular_velocity[i]);
                let fall = if body.is_dynamic() { configuration.gravity * mode.look_ahead } else { Vec3::ZERO };
                let way = (state.linear_velocity[i] + fall) * mode.look_ahead;
                aabb = aabb.swept(way).grown(spin_speeds[i] * mode.look_ahead);
            }
            boxes[i] = aabb;
        }
        if mode.look_ahead > 0.0 {
            for script in &configuration.scripts {
                let shape = &configuration.body(script.body).shape;
                let swept = swept_box(shape, script.motion.as_ref(), scripted_at, mode.look_ahead);
                spin_speeds[script.body.at()] =
                    spin_speed(configuration.body(script.body), state.angular_velocity[script.body.at()]);
                boxes[script.body.at()] = swept.grown(0.5 * *envelope);
            }
        }
        stages.broad_phase.find_pairs(BroadPhaseInput { boxes, filters }, pairs);
        if has_passive {
            let present = |b: BodyIndex| configuration.body(b).kind != BodyKind::Passive;
            pairs.retain(|p| present(p.a) && present(p.b));
        }
        self.book(Module::BroadPhase, watch);
    }

    /// Tests pair by pair, until one penetrates: it is the report's. The pairs after it are left as they were.
    fn test_until_penetration(&mut self, stages: &Stages, report: &mut DetectReport) -> Result<(), UnsupportedPair> {
        let Self { configuration, frames, graph, envelope, .. } = self;
        let drystone_core::ContactGraph { order, edges, .. } = graph;
        for entry in order.iter() {
            let slot = entry.slot as usize;
            let edges = &mut edges[slot..=slot];
            if edges[0].action != EdgeAction::Test {
                continue;
            }
            if report.deepest.is_some() {
                edges[0].action = EdgeAction::Skip;
                continue;
            }
            stages.narrow_phase.query_batch(&mut PairBatch { configuration, frames, envelope: *envelope, edges })?;
            report.tested += 1;
            let depth = -edges[0].proximity.distance;
            if depth > 0.0 {
                report.deepest = Some(Penetration { pair: entry.pair, depth });
            }
        }
        Ok(())
    }

    /// After a detection without contact determination: proximities are newer than manifolds, which the next one must not reuse.
    fn forget_tests(&mut self) {
        for edge in self.graph.edges.iter_mut().filter(|e| e.action == EdgeAction::Test) {
            edge.tested_at = None;
        }
    }

    fn test_edges(&mut self, stages: &Stages) -> Result<(), UnsupportedPair> {
        let narrow = stages.narrow_phase.as_ref();
        let Self { configuration, frames, graph, envelope, .. } = self;
        let envelope = *envelope;
        let test = |edges: &mut [Edge]| narrow.query_batch(&mut PairBatch { configuration, frames, envelope, edges });
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
        self.state.forget_turn(body);
        self.state.linear_velocity[body.at()] = Vec3::ZERO;
        self.state.angular_velocity[body.at()] = Vec3::ZERO;
    }
}
