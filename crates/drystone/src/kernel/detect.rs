use super::data::WorldData;
use super::derived::Derived;
use super::engine::Engine;
use super::reach::swept_box;
use super::records::Rooms;
use super::records::bound_of;
use super::touches::Touches;
use crate::Stages;
use crate::profile::Stopwatch;
use drystone_core::{
    BodyIndex, BodyKind, BodyPair, BroadPhaseInput, ContactPoint, ContactSet, DetectMode, DetectReport, Edge,
    EdgeAction, FailureKind, FrameView, Module, MotionBound, PairBatch, PairMaterial, PairRecord, Penetration,
    Relation, Scope, StepFailure, UnsupportedPair,
};
use drystone_math::Real;

/// Edges a thread takes at a time.
#[cfg(feature = "rayon")]
const EDGES_PER_CHUNK: usize = 64;

/// What a detection works with.
#[derive(Default)]
pub(crate) struct Detection {
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
    pub(super) pairs: Vec<BodyPair>,
    /// Pairs for which there is known to be memory.
    pub(super) room: usize,
}

/// Splits an engine into what the coherence analysis sees, the pairs, and the graph that it writes.
macro_rules! view {
    ($engine:expr) => {{
        let Engine { data: WorldData { configuration, state, graph, .. }, derived, detection, .. } = &mut *$engine;
        let (Derived { frames, boxes, .. }, pairs) = (&*derived, &detection.pairs);
        (FrameView { configuration, state, frames, boxes }, &*pairs, graph)
    }};
}

impl Engine {
    /// The collision detection pipeline, with the coherence analysis between its stages.
    pub(crate) fn detect_all(&mut self, stages: &mut Stages, mode: DetectMode) -> Result<DetectReport, StepFailure> {
        self.trace(Module::TimeControl, Module::BroadPhase);
        self.layers.loads.forget();
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
        let mut report = DetectReport { pairs: self.detection.pairs.len() as u32, ..DetectReport::default() };
        let outcome = if mode.short_circuit {
            self.test_until_penetration(stages, mode, &mut report)
        } else {
            report.tested = self.data.graph.iter().filter(|e| e.action == EdgeAction::Test).count() as u32;
            self.test_edges(stages, mode)
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
        self.determine_contacts(stages, mode);
        self.book(Module::ContactDetermination, watch);

        self.trace(Module::ContactDetermination, Module::CoherenceAnalysis);
        let watch = Stopwatch::start();
        let (view, _, graph) = view!(self);
        stages.coherence.after_contact_determination(view, graph);
        self.note_groups();
        self.wake_groups();
        self.book(Module::CoherenceAnalysis, watch);

        report.contacts = self.data.graph.iter().map(|e| e.manifold.points.len() as u32).sum();
        report.groups = self.data.graph.groups.len() as u32;
        report.deepest = self.deepest(|e| e.manifold.least_separation());
        Ok(report)
    }

    /// Another look at the known pairs of a scope. The coherence analysis is not asked, and groups keep their bodies.
    pub(crate) fn detect_scope(
        &mut self,
        stages: &mut Stages,
        scope: Scope,
        mode: DetectMode,
    ) -> Result<DetectReport, StepFailure> {
        self.trace(Module::TimeControl, Module::BroadPhase);
        self.trace(Module::BroadPhase, Module::NarrowPhase);
        let watch = Stopwatch::start();
        self.list_bodies(scope);
        let crossing = if matches!(scope, Scope::Pair(_)) { None } else { self.crossing() };
        self.list_scope_edges(scope);
        if mode.look_ahead > 0.0 {
            for k in 0..self.motion.listed.len() {
                let body = self.motion.listed[k];
                self.detection.bounds[body.at()] = self.motion_bound(body);
            }
        }
        let envelope = self.envelope_of(mode);
        let mut report = DetectReport { pairs: self.detection.scope_edges.len() as u32, ..DetectReport::default() };
        let slots = core::mem::take(&mut self.detection.scope_edges);
        let mut outcome = Ok(());
        for &slot in &slots {
            self.data.graph.edges[slot as usize].action = EdgeAction::Test;
            self.set_reach_of(slot, mode);
            let Self { data: WorldData { configuration, graph, .. }, derived: Derived { frames, .. }, .. } = self;
            let edges = &mut graph.edges[slot as usize..=slot as usize];
            outcome = stages.narrow_phase.query_batch(&mut PairBatch { configuration, frames, envelope, edges });
            if outcome.is_err() {
                break;
            }
            edges[0].touching = edges[0].proximity.relation != Relation::Separated;
            report.tested += 1;
        }
        self.book(Module::NarrowPhase, watch);
        if outcome.is_ok() {
            self.finish_scope(stages, scope, mode, &slots, &mut report);
        }
        self.detection.scope_edges = slots;
        outcome.map_err(|e| self.failure(None, Module::NarrowPhase, FailureKind::Unsupported(e)))?;
        report.escaped = self.escaped(mode.look_ahead);
        report.crossing = crossing;
        Ok(report)
    }

    /// Contacts of the pairs that were looked at.
    fn finish_scope(
        &mut self,
        stages: &Stages,
        scope: Scope,
        mode: DetectMode,
        slots: &[u32],
        report: &mut DetectReport,
    ) {
        let deeper = |deepest: Option<Penetration>, pair: BodyPair, depth: Real| match deepest {
            Some(d) if d.depth >= depth => Some(d),
            _ if depth > 0.0 => Some(Penetration { pair, depth }),
            d => d,
        };
        if mode.proximity_only {
            for &slot in slots {
                let edge = &mut self.data.graph.edges[slot as usize];
                report.deepest = deeper(report.deepest, edge.pair, -edge.proximity.distance);
                edge.tested_at = None;
            }
            return;
        }
        self.trace(Module::NarrowPhase, Module::ContactDetermination);
        let watch = Stopwatch::start();
        let envelope = self.envelope_of(mode);
        if mode.contacts == ContactSet::Union {
            self.detection.aside.clear();
            for &slot in slots {
                self.set_aside(slot);
            }
        }
        for &slot in slots {
            let Self { data: WorldData { configuration, graph, .. }, derived: Derived { frames, .. }, .. } = self;
            let edges = &mut graph.edges[slot as usize..=slot as usize];
            stages.contact_determination.determine_batch(&mut PairBatch { configuration, frames, envelope, edges });
        }
        if mode.contacts == ContactSet::Union {
            self.put_contacts_beside();
        }
        for &slot in slots {
            let edge = &self.data.graph.edges[slot as usize];
            report.contacts += edge.manifold.points.len() as u32;
            report.deepest = deeper(report.deepest, edge.pair, -edge.manifold.least_separation());
        }
        self.book(Module::ContactDetermination, watch);
        if !matches!(scope, Scope::Pair(_)) {
            self.list_edges_of_groups();
        }
    }

    /// The edges of a scope that are to be looked at again, into `scope_edges`.
    fn list_scope_edges(&mut self, scope: Scope) {
        let mut slots = core::mem::take(&mut self.detection.scope_edges);
        slots.clear();
        let moves = |e: &Self, pair: BodyPair| {
            [pair.a, pair.b]
                .iter()
                .any(|b| e.data.configuration.body(*b).is_dynamic() && !e.data.state.sleeping[b.at()])
        };
        if let Scope::Pair(pair) = scope {
            if let Ok(k) = self.data.graph.order.binary_search_by_key(&pair, |e| e.pair)
                && self.data.graph.edges[self.data.graph.order[k].slot as usize].overlapping
                && moves(self, pair)
            {
                slots.push(self.data.graph.order[k].slot);
            }
        } else {
            for k in 0..self.data.graph.order.len() {
                let entry = self.data.graph.order[k];
                let near = self.data.graph.edges[entry.slot as usize].overlapping;
                if near && self.covers(scope, entry.pair) && moves(self, entry.pair) {
                    slots.push(entry.slot);
                }
            }
        }
        self.detection.scope_edges = slots;
    }

    /// Copies the points of edges that are about to be tested.
    fn set_contacts_aside(&mut self, places: core::ops::Range<usize>) {
        self.detection.aside.clear();
        for k in places {
            self.set_aside(self.data.graph.order[k].slot);
        }
    }

    fn set_aside(&mut self, slot: u32) {
        let edge = &self.data.graph.edges[slot as usize];
        if edge.action == EdgeAction::Test && edge.overlapping {
            self.detection.aside.extend(edge.manifold.points.iter().map(|p| (slot, *p)));
        }
    }

    /// Puts the points that were set aside beside those that were found, where they are not among them.
    fn put_contacts_beside(&mut self) {
        let Self {
            data: WorldData { graph, .. },
            derived: Derived { frames, .. },
            detection: Detection { aside, .. },
            ..
        } = self;
        for (slot, old) in aside.drain(..) {
            let edge = &mut graph.edges[slot as usize];
            if edge.manifold.points.iter().all(|p| p.key != old.key) {
                let separation = old.world(&frames[edge.pair.a.at()], &frames[edge.pair.b.at()]).2;
                edge.manifold.points.push(ContactPoint { separation, ..old });
            }
        }
    }

    /// The deepest overlap (m) at the present poses, zero where there is none. Pair by pair: what the graph remembers stays as it
    /// is, and is not copied.
    pub(crate) fn deepest_overlap(&mut self, stages: &mut Stages) -> Result<Real, StepFailure> {
        self.find_pairs(stages, DetectMode::default());
        let Self {
            data: WorldData { configuration, graph, .. },
            derived: Derived { frames, envelope, .. },
            detection: Detection { pairs, .. },
            ..
        } = &*self;
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
        self.motion.fast.looked_ahead = mode.look_ahead > 0.0;
        let keep = mode.contacts == ContactSet::Union;
        let Self {
            data: WorldData { configuration, state, .. },
            derived: Derived { frames, boxes, filters, .. },
            detection: Detection { bounds, rooms, pairs, .. },
            touches: Touches { sensors, .. },
            ..
        } = self;
        let (has_passive, scripted_at) = (self.derived.has_passive, self.motion.scripted_at);
        let margin = 0.5 * mode.envelope.unwrap_or(self.derived.envelope);
        bounds.resize(boxes.len(), MotionBound::default());
        for (i, body) in configuration.bodies.iter().enumerate() {
            bounds[i] = MotionBound::default();
            if mode.look_ahead > 0.0 {
                bounds[i] = bound_of(configuration, state, BodyIndex::new(i));
            }
            if matches!(body.kind, BodyKind::Fixed | BodyKind::Passive) || state.sleeping[i] {
                bounds[i].spin = 0.0;
                continue;
            }
            let mut aabb = body.shape.aabb(&frames[i]).grown(margin);
            if mode.look_ahead > 0.0 {
                let bound = &bounds[i];
                let way = (bound.velocity + bound.acceleration * mode.look_ahead) * mode.look_ahead;
                aabb = aabb.swept(way).grown(bound.spin * mode.look_ahead);
            }
            // pairs that were there stay there
            boxes[i] = if keep { boxes[i].union(&aabb) } else { aabb };
        }
        if mode.look_ahead > 0.0 {
            for script in &configuration.scripts {
                let shape = &configuration.body(script.body).shape;
                let swept = swept_box(shape, script.motion.as_ref(), scripted_at, mode.look_ahead);
                boxes[script.body.at()] = swept.grown(margin);
            }
        }
        rooms.begin(state);
        rooms.ways.clear();
        rooms.ways.extend(bounds.iter().map(|b| b.way(mode.look_ahead)));
        stages.broad_phase.find_pairs(BroadPhaseInput { boxes, filters }, pairs);
        if has_passive {
            let present = |b: BodyIndex| configuration.body(b).kind != BodyKind::Passive;
            pairs.retain(|p| present(p.a) && present(p.b));
        }
        sensors.take_pairs(configuration, pairs);
        self.book(Module::BroadPhase, watch);
    }

    /// Tests pair by pair, until one penetrates: it is the report's. The pairs after it are left as they were.
    fn test_until_penetration(
        &mut self,
        stages: &Stages,
        mode: DetectMode,
        report: &mut DetectReport,
    ) -> Result<(), UnsupportedPair> {
        let envelope = self.envelope_of(mode);
        let Self { data: WorldData { configuration, graph, .. }, derived: Derived { frames, .. }, .. } = self;
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
            stages.narrow_phase.query_batch(&mut PairBatch { configuration, frames, envelope, edges })?;
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
        for edge in self.data.graph.edges.iter_mut().filter(|e| e.action == EdgeAction::Test) {
            edge.tested_at = None;
        }
    }

    /// How close surfaces are that count as in contact (m).
    fn envelope_of(&self, mode: DetectMode) -> Real {
        mode.envelope.unwrap_or(self.derived.envelope)
    }

    fn test_edges(&mut self, stages: &Stages, mode: DetectMode) -> Result<(), UnsupportedPair> {
        let narrow = stages.narrow_phase.as_ref();
        let envelope = self.envelope_of(mode);
        let Self { data: WorldData { configuration, graph, .. }, derived: Derived { frames, .. }, .. } = self;
        let test = |edges: &mut [Edge]| narrow.query_batch(&mut PairBatch { configuration, frames, envelope, edges });
        #[cfg(feature = "rayon")]
        if let Some(pool) = &self.wiring.pool {
            use rayon::prelude::*;
            return pool.install(|| graph.edges.par_chunks_mut(EDGES_PER_CHUNK).try_for_each(test));
        }
        test(&mut graph.edges)
    }

    fn determine_contacts(&mut self, stages: &Stages, mode: DetectMode) {
        if mode.contacts == ContactSet::Union {
            self.set_contacts_aside(0..self.data.graph.order.len());
        }
        self.determine_all(stages, mode);
        if mode.contacts == ContactSet::Union {
            self.put_contacts_beside();
        }
    }

    fn determine_all(&mut self, stages: &Stages, mode: DetectMode) {
        let contact = stages.contact_determination.as_ref();
        let envelope = self.envelope_of(mode);
        let Self { data: WorldData { configuration, graph, .. }, derived: Derived { frames, .. }, .. } = self;
        let determine =
            |edges: &mut [Edge]| contact.determine_batch(&mut PairBatch { configuration, frames, envelope, edges });
        #[cfg(feature = "rayon")]
        if let Some(pool) = &self.wiring.pool {
            use rayon::prelude::*;
            pool.install(|| graph.edges.par_chunks_mut(EDGES_PER_CHUNK).for_each(determine));
            return;
        }
        determine(&mut graph.edges);
    }

    /// The deepest overlap by a measure of separation (m), the first by pair among equals.
    fn deepest(&self, separation: impl Fn(&Edge) -> Real) -> Option<Penetration> {
        let mut deepest: Option<Penetration> = None;
        for edge in self.data.graph.iter().filter(|e| e.overlapping) {
            let depth = -separation(edge);
            if depth > deepest.map_or(0.0, |d| d.depth) {
                deepest = Some(Penetration { pair: edge.pair, depth });
            }
        }
        deepest
    }

    /// Re-evaluates the separations of edges from their anchors.
    pub(super) fn refresh_edges(&mut self, edges: &[u32]) {
        let Self { data: WorldData { graph, .. }, derived: Derived { frames, .. }, .. } = self;
        for &slot in edges {
            let edge = &mut graph.edges[slot as usize];
            edge.manifold.refresh(&frames[edge.pair.a.at()], &frames[edge.pair.b.at()]);
        }
    }

    /// Bodies whose group is awake are awake; those of a group that sleeps are not.
    fn wake_groups(&mut self) {
        let Self { data: WorldData { graph, state, .. }, .. } = self;
        for g in 0..graph.groups.len() {
            if !graph.groups.awake[g] {
                continue;
            }
            for &body in graph.groups.group_bodies(g) {
                state.sleeping[body.at()] = false;
            }
        }
    }
}
