//! Collision detection: the pipeline from boxes to contacts and groups, and another look at what is known.

use super::data::WorldData;
use super::derived::Derived;
use super::engine::Engine;
use super::memory::check_room;
use super::motion::Motion;
use super::reach::{set_reach, set_reach_of, swept_box};
use super::records::{Rooms, bound_of, escaped};
use super::selection::{Selection, select_bodies, select_edges};
use super::touches::Touches;
use super::wiring::Wiring;
use crate::Stages;
use crate::profile::Stopwatch;
use drystone_core::{
    BodyIndex, BodyKind, BodyPair, BroadPhaseInput, ContactGraph, ContactPoint, ContactSet, DetectMode, DetectReport,
    Edge, EdgeAction, FailureKind, FrameView, Module, MotionBound, PairBatch, PairMaterial, PairRecord, Penetration,
    Relation, Scope, State, StepFailure, UnsupportedPair,
};
use drystone_math::{Pose, Real, Vec3};

/// Rounding of the distance of two balls, relative to it.
const BALL_ROUNDING: Real = 1e-9;

/// Pairs per body from which on it pays to look for such as are apart.
const CROWDED: usize = 3;

/// Edges a thread takes at a time.
#[cfg(feature = "rayon")]
const EDGES_PER_CHUNK: usize = 64;

/// A ball about the origin of a body's frame.
#[derive(Clone, Copy)]
struct Ball {
    center: Vec3,
    /// Infinite for what is not bounded, and for what is moved from outside.
    radius: Real,
}

/// What a detection works with.
#[derive(Default)]
pub(crate) struct Detection {
    /// How the points of each body can move, as of the last detection.
    pub(super) bounds: Vec<MotionBound>,
    /// The room that the last detection of all gave each body.
    pub(super) rooms: Rooms,
    /// What was asked of pairs last.
    pub(super) records: Vec<PairRecord>,
    /// Contact points that a detection shall not replace, with the slots of their edges.
    pub(super) aside: Vec<(u32, ContactPoint)>,
    pub(super) pairs: Vec<BodyPair>,
    /// Where slots of edges go that are put in order.
    pub(super) new_slots: Vec<u32>,
    /// By body: a ball that it does not leave in the time looked ahead, contact envelope and all.
    balls: Vec<Ball>,
    /// Pairs for which there is known to be memory.
    pub(super) room: usize,
}

/// The collision detection pipeline, with the coherence analysis between its stages.
pub(super) fn detect_all(
    engine: &mut Engine,
    stages: &mut Stages,
    mode: DetectMode,
) -> Result<DetectReport, StepFailure> {
    let Engine { data, derived, detection, members, touches, motion, layers, wiring, .. } = engine;
    let envelope = mode.envelope.unwrap_or(derived.envelope);

    wiring.trace(Module::TimeControl, Module::BroadPhase);
    let watch = Stopwatch::start();
    layers.loads.forget();
    place_boxes(data, derived, detection, motion, mode);
    find_pairs(data, derived, &mut detection.pairs, touches, stages);
    // pairs that were there stay there where contacts are kept, and where not all are looked at
    if mode.contacts != ContactSet::Union && !mode.short_circuit && !mode.proximity_only {
        drop_distant(data, derived, detection, envelope);
    }
    wiring.book(Module::BroadPhase, watch);
    check_room(data, &mut detection.pairs, &mut detection.room)?;

    wiring.trace(Module::BroadPhase, Module::CoherenceAnalysis);
    let watch = Stopwatch::start();
    let (seen, graph) = view(data, derived);
    stages.coherence.after_broad_phase(seen, &detection.pairs, graph);
    wiring.book(Module::CoherenceAnalysis, watch);

    wiring.trace(Module::BroadPhase, Module::NarrowPhase);
    let watch = Stopwatch::start();
    set_reach(data, &detection.bounds, &derived.frames, mode);
    let mut report = DetectReport { pairs: detection.pairs.len() as u32, ..DetectReport::default() };
    let outcome = if mode.short_circuit {
        test_until_penetration(data, &derived.frames, stages, envelope, &mut report)
    } else {
        report.tested = data.graph.iter().filter(|e| e.action == EdgeAction::Test).count() as u32;
        test_edges(data, &derived.frames, stages, envelope, wiring)
    };
    wiring.book(Module::NarrowPhase, watch);
    outcome.map_err(|e| data.failure(None, Module::NarrowPhase, FailureKind::Unsupported(e)))?;

    wiring.trace(Module::NarrowPhase, Module::CoherenceAnalysis);
    let watch = Stopwatch::start();
    let (seen, graph) = view(data, derived);
    stages.coherence.after_narrow_phase(seen, graph);
    wiring.book(Module::CoherenceAnalysis, watch);

    let cut_short = report.deepest.is_some();
    if mode.proximity_only || cut_short {
        if !cut_short {
            report.deepest = deepest(&data.graph, |e| e.proximity.distance);
        }
        forget_tests(&mut data.graph);
        return Ok(report);
    }

    wiring.trace(Module::NarrowPhase, Module::ContactDetermination);
    let watch = Stopwatch::start();
    if mode.contacts == ContactSet::Union {
        detection.aside.clear();
        let slots = data.graph.order.iter().map(|e| e.slot);
        set_aside(&data.graph, slots, &mut detection.aside);
    }
    determine_contacts(data, &derived.frames, stages, envelope, wiring);
    put_beside(&mut data.graph, &derived.frames, &mut detection.aside);
    wiring.book(Module::ContactDetermination, watch);

    wiring.trace(Module::ContactDetermination, Module::CoherenceAnalysis);
    let watch = Stopwatch::start();
    let (seen, graph) = view(data, derived);
    stages.coherence.after_contact_determination(seen, graph);
    members.note(&data.graph.groups);
    wake_groups(&data.graph, &mut data.state);
    wiring.book(Module::CoherenceAnalysis, watch);

    report.contacts = data.graph.iter().map(|e| e.manifold.points.len() as u32).sum();
    report.groups = data.graph.groups.len() as u32;
    report.deepest = deepest(&data.graph, |e| e.manifold.least_separation());
    Ok(report)
}

/// Another look at the known pairs of a scope. The coherence analysis is not asked, and groups keep their bodies.
pub(super) fn detect_scope(
    engine: &mut Engine,
    selection: &mut Selection,
    stages: &mut Stages,
    scope: Scope,
    mode: DetectMode,
) -> Result<DetectReport, StepFailure> {
    let Engine { data, derived, detection, members, wiring, .. } = engine;
    let Selection { bodies, edges: slots, .. } = selection;
    let envelope = mode.envelope.unwrap_or(derived.envelope);
    wiring.trace(Module::TimeControl, Module::BroadPhase);
    wiring.trace(Module::BroadPhase, Module::NarrowPhase);
    let watch = Stopwatch::start();
    let alone = matches!(scope, Scope::Pair(_));
    select_bodies(data, members, scope, bodies);
    let crossing = if alone { None } else { detection.rooms.crossing(data, derived, members, bodies) };
    select_edges(data, members, scope, slots);
    if mode.look_ahead > 0.0 {
        for &body in bodies.iter() {
            detection.bounds[body.at()] = bound_of(data, body);
        }
    }
    let mut report = DetectReport { pairs: slots.len() as u32, crossing, ..DetectReport::default() };
    let mut outcome = Ok(());
    for &slot in slots.iter() {
        data.graph.edges[slot as usize].action = EdgeAction::Test;
        set_reach_of(data, slot, &detection.bounds, &derived.frames, mode);
        outcome = stages.narrow_phase.query_batch(&mut batch(data, &derived.frames, slot, envelope));
        if outcome.is_err() {
            break;
        }
        let edge = &mut data.graph.edges[slot as usize];
        edge.touching = edge.proximity.relation != Relation::Separated;
        report.tested += 1;
    }
    wiring.book(Module::NarrowPhase, watch);
    outcome.map_err(|e| data.failure(None, Module::NarrowPhase, FailureKind::Unsupported(e)))?;

    if mode.proximity_only {
        for &slot in slots.iter() {
            let edge = &mut data.graph.edges[slot as usize];
            report.deepest = deeper(report.deepest, edge.pair, -edge.proximity.distance);
            edge.tested_at = None;
        }
    } else {
        wiring.trace(Module::NarrowPhase, Module::ContactDetermination);
        let watch = Stopwatch::start();
        if mode.contacts == ContactSet::Union {
            detection.aside.clear();
            set_aside(&data.graph, slots.iter().copied(), &mut detection.aside);
        }
        for &slot in slots.iter() {
            stages.contact_determination.determine_batch(&mut batch(data, &derived.frames, slot, envelope));
        }
        put_beside(&mut data.graph, &derived.frames, &mut detection.aside);
        for &slot in slots.iter() {
            let edge = &data.graph.edges[slot as usize];
            report.contacts += edge.manifold.points.len() as u32;
            report.deepest = deeper(report.deepest, edge.pair, -edge.manifold.least_separation());
        }
        wiring.book(Module::ContactDetermination, watch);
        if !alone {
            members.list_edges(data);
        }
    }
    report.escaped = escaped(data, derived, bodies, mode.look_ahead);
    Ok(report)
}

/// The deepest overlap (m) at the present poses, zero where there is none. Pair by pair: what the graph remembers stays as it
/// is, and is not copied.
pub(super) fn deepest_overlap(engine: &mut Engine, stages: &mut Stages) -> Result<Real, StepFailure> {
    let Engine { data, derived, detection, motion, touches, .. } = engine;
    place_boxes(data, derived, detection, motion, DetectMode::default());
    find_pairs(data, derived, &mut detection.pairs, touches, stages);
    let WorldData { configuration, graph, .. } = &*data;
    let (envelope, frames) = (derived.envelope, &derived.frames);
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
    let present = detection.pairs.iter().filter(|p| !configuration.ignores(**p));
    let least = present.map(separation).try_fold(0.0, |least: Real, s| Ok(least.min(s?)));
    least
        .map(|s| 0.0 - s)
        .map_err(|e: UnsupportedPair| data.failure(None, Module::NarrowPhase, FailureKind::Unsupported(e)))
}

/// What the coherence analysis sees, and the graph that it writes.
fn view<'a>(data: &'a mut WorldData, derived: &'a Derived) -> (FrameView<'a>, &'a mut ContactGraph) {
    let WorldData { configuration, state, graph, .. } = data;
    (FrameView { configuration, state, frames: &derived.frames, boxes: &derived.boxes }, graph)
}

/// One edge, for the narrow phase and contact determination.
fn batch<'a>(data: &'a mut WorldData, frames: &'a [Pose], slot: u32, envelope: Real) -> PairBatch<'a> {
    let edges = core::slice::from_mut(&mut data.graph.edges[slot as usize]);
    PairBatch { configuration: &data.configuration, frames, envelope, edges }
}

/// Boxes of the bodies that may have moved, with the room that is looked ahead.
fn place_boxes(
    data: &WorldData,
    derived: &mut Derived,
    detection: &mut Detection,
    motion: &mut Motion,
    mode: DetectMode,
) {
    motion.fast.looked_ahead = mode.look_ahead > 0.0;
    let keep = mode.contacts == ContactSet::Union;
    let WorldData { configuration, state, .. } = data;
    let margin = 0.5 * mode.envelope.unwrap_or(derived.envelope);
    let Derived { frames, boxes, .. } = derived;
    let Detection { bounds, rooms, .. } = detection;
    bounds.resize(boxes.len(), MotionBound::default());
    for (i, body) in configuration.bodies.iter().enumerate() {
        bounds[i] = MotionBound::default();
        if mode.look_ahead > 0.0 {
            bounds[i] = bound_of(data, BodyIndex::new(i));
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
            let swept = swept_box(shape, script.motion.as_ref(), motion.scripted_at, mode.look_ahead);
            boxes[script.body.at()] = swept.grown(margin);
        }
    }
    rooms.begin(state, bounds.iter().map(|b| b.way(mode.look_ahead)));
}

/// Drops pairs of bodies that are further apart than they can come: boxes of neighbours in a pile overlap at their corners, the balls around the bodies
/// do not. What has few neighbours is left as it is.
fn drop_distant(data: &WorldData, derived: &Derived, detection: &mut Detection, envelope: Real) {
    let Detection { pairs, balls, rooms, .. } = detection;
    let bodies = &data.configuration.bodies;
    balls.clear();
    // its memory comes with the bodies
    balls.reserve(bodies.len());
    if pairs.len() < CROWDED * bodies.len() {
        return;
    }
    balls.extend(bodies.iter().zip(&derived.frames).zip(rooms.ways()).map(|((body, frame), way)| {
        let bounded = body.kind != BodyKind::Scripted;
        let radius = if bounded { body.shape.bounding_radius() + 0.5 * envelope + way } else { Real::INFINITY };
        Ball { center: frame.position, radius }
    }));
    pairs.retain(|pair| {
        let (a, b) = (balls[pair.a.at()], balls[pair.b.at()]);
        let reach = (a.radius + b.radius) * (1.0 + BALL_ROUNDING);
        // what is not a number is kept
        let apart = a.center.distance_squared(b.center) > reach * reach;
        !apart
    });
}

/// The broad phase; pairs with a sensor go to the sensors.
fn find_pairs(
    data: &WorldData,
    derived: &Derived,
    pairs: &mut Vec<BodyPair>,
    touches: &mut Touches,
    stages: &mut Stages,
) {
    let Derived { boxes, filters, .. } = derived;
    stages.broad_phase.find_pairs(BroadPhaseInput { boxes, filters }, pairs);
    if derived.has_passive {
        let present = |b: BodyIndex| data.configuration.body(b).kind != BodyKind::Passive;
        pairs.retain(|p| present(p.a) && present(p.b));
    }
    touches.sensors.take_pairs(&data.configuration, pairs);
}

/// Tests pair by pair, until one penetrates: it is the report's. The pairs after it are left as they were.
fn test_until_penetration(
    data: &mut WorldData,
    frames: &[Pose],
    stages: &Stages,
    envelope: Real,
    report: &mut DetectReport,
) -> Result<(), UnsupportedPair> {
    let WorldData { configuration, graph: ContactGraph { order, edges, .. }, .. } = data;
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
fn forget_tests(graph: &mut ContactGraph) {
    for edge in graph.edges.iter_mut().filter(|e| e.action == EdgeAction::Test) {
        edge.tested_at = None;
    }
}

/// The narrow phase on all edges, side by side where there are threads.
fn test_edges(
    data: &mut WorldData,
    frames: &[Pose],
    stages: &Stages,
    envelope: Real,
    wiring: &Wiring,
) -> Result<(), UnsupportedPair> {
    let narrow = stages.narrow_phase.as_ref();
    let WorldData { configuration, graph, .. } = data;
    let test = |edges: &mut [Edge]| narrow.query_batch(&mut PairBatch { configuration, frames, envelope, edges });
    #[cfg(feature = "rayon")]
    if let Some(pool) = &wiring.pool {
        use rayon::prelude::*;
        return pool.install(|| graph.edges.par_chunks_mut(EDGES_PER_CHUNK).try_for_each(test));
    }
    let _ = wiring;
    test(&mut graph.edges)
}

/// Contact determination on all edges, likewise.
fn determine_contacts(data: &mut WorldData, frames: &[Pose], stages: &Stages, envelope: Real, wiring: &Wiring) {
    let contact = stages.contact_determination.as_ref();
    let WorldData { configuration, graph, .. } = data;
    let determine =
        |edges: &mut [Edge]| contact.determine_batch(&mut PairBatch { configuration, frames, envelope, edges });
    #[cfg(feature = "rayon")]
    if let Some(pool) = &wiring.pool {
        use rayon::prelude::*;
        pool.install(|| graph.edges.par_chunks_mut(EDGES_PER_CHUNK).for_each(determine));
        return;
    }
    let _ = wiring;
    determine(&mut graph.edges);
}

/// Copies the points of edges that are about to be determined anew.
fn set_aside(graph: &ContactGraph, slots: impl Iterator<Item = u32>, aside: &mut Vec<(u32, ContactPoint)>) {
    for slot in slots {
        let edge = &graph.edges[slot as usize];
        if edge.action == EdgeAction::Test && edge.overlapping {
            aside.extend(edge.manifold.points.iter().map(|p| (slot, *p)));
        }
    }
}

/// Puts the points that were set aside beside those that were found, where they are not among them.
fn put_beside(graph: &mut ContactGraph, frames: &[Pose], aside: &mut Vec<(u32, ContactPoint)>) {
    for (slot, old) in aside.drain(..) {
        let edge = &mut graph.edges[slot as usize];
        if edge.manifold.points.iter().all(|p| p.key != old.key) {
            let separation = old.world(&frames[edge.pair.a.at()], &frames[edge.pair.b.at()]).2;
            edge.manifold.points.push(ContactPoint { separation, ..old });
        }
    }
}

/// The deepest overlap by a measure of separation (m), the first by pair among equals.
fn deepest(graph: &ContactGraph, separation: impl Fn(&Edge) -> Real) -> Option<Penetration> {
    let near = graph.iter().filter(|e| e.overlapping);
    near.fold(None, |deepest, edge| deeper(deepest, edge.pair, -separation(edge)))
}

/// The deeper of two overlaps, the first where they are equal.
fn deeper(deepest: Option<Penetration>, pair: BodyPair, depth: Real) -> Option<Penetration> {
    if depth > deepest.map_or(0.0, |d| d.depth) { Some(Penetration { pair, depth }) } else { deepest }
}

/// Bodies whose group is awake are awake; those of a group that sleeps are not.
fn wake_groups(graph: &ContactGraph, state: &mut State) {
    for g in (0..graph.groups.len()).filter(|g| graph.groups.awake[*g]) {
        for &body in graph.groups.group_bodies(g) {
            state.sleeping[body.at()] = false;
        }
    }
}
