//! Collision detection of all bodies: from boxes to contacts and groups.

use super::boxes::{Ball, drop_distant, find_pairs, place_boxes};
use super::contacts::{Aside, deepest, put_beside, set_aside};
use super::data::WorldData;
use super::derived::Derived;
use super::evaluated::EvaluatedAt;
use super::membership::Membership;
use super::memory::check_room;
use super::pieces::{Pieces, list_pieces};
use super::reach::Reach;
use super::records::Rooms;
use super::rest::Rest;
use super::seams::Seams;
use super::sensors::Sensors;
use super::survey::{Look, Survey};
use super::wiring::Wiring;
use crate::Stages;
use crate::stopwatch::Stopwatch;
use core::ops::Range;
use drystone_core::{
    BodyPair, ContactGraph, ContactSet, DetectMode, DetectReport, Edge, EdgeAction, Executor, FailureKind, FrameView,
    Module, MotionBound, Moving, PairBatch, PairMaterial, PairRecord, Penetration, State, StepFailure, UnsupportedPair,
    make_room, marked,
};
use drystone_math::{Pose, Real};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// The working memory of a detection.
#[derive(Default)]
pub(crate) struct Detection {
    /// Motion bounds for the points of each body, as of the last detection.
    pub(super) bounds: Vec<MotionBound>,
    /// The room that the last detection of all gave each body.
    pub(super) rooms: Rooms,
    /// The last answers about pairs.
    pub(super) records: Vec<PairRecord>,
    /// Contact points that a detection must not replace, with the slots of their edges.
    pub(super) aside: Vec<Aside>,
    pub(super) pairs: Vec<BodyPair>,
    /// The new slots of edges that are being put in order.
    pub(super) new_slots: Vec<u32>,
    /// The number of edges that had been made when their order was last checked.
    pub(super) made: u64,
    /// Which bodies rest, and are not examined.
    pub(super) rest: Rest,
    /// The slots of edges that are examined, and contiguous ranges of them.
    slots: Vec<u32>,
    pieces: Vec<Range<usize>>,
    /// By body: a ball that it does not leave in the time looked ahead, including the contact envelope.
    balls: Vec<Ball>,
    /// Number of pairs for which there is known to be enough memory.
    pub(super) room: usize,
    /// Number of pairs that the last detection tested.
    tested: u32,
    /// The state of the edges after it.
    pub(super) survey: Survey,
    seams: Seams,
    /// The contact envelope of the detection that found the present contacts (m).
    pub(super) envelope: Real,
}

/// The number of edges that can be examined in the time that testing one takes.
const LOOKS_PER_TEST: usize = 8;

/// Data of the world that a detection reads and writes, and the modules lent to it.
pub(super) struct Scene<'a> {
    pub(super) data: &'a mut WorldData,
    pub(super) derived: &'a mut Derived,
    pub(super) members: &'a mut Membership,
    pub(super) sensors: &'a mut Sensors,
    pub(super) wiring: &'a mut Wiring,
    pub(super) stages: &'a mut Stages,
}

/// The collision detection pipeline, with the coherence analysis between its stages. Scripted bodies stand where they are at `scripted_at`.
pub(super) fn detect_all(
    scene: &mut Scene<'_>,
    detection: &mut Detection,
    mode: DetectMode,
    scripted_at: Real,
) -> Result<DetectReport, StepFailure> {
    let envelope = mode.envelope.unwrap_or(scene.derived.envelope);
    detection.rest.begin(scene.data, scene.derived, mode, scene.stages);
    scene.pair_up(detection, mode, scripted_at)?;
    let pairs = detection.pairs.len() + detection.rest.pairs_left_out();
    let mut report = DetectReport { pairs: pairs as u32, ..DetectReport::default() };
    scene.measure(detection, mode, envelope, &mut report)?;
    let cut_short = report.deepest.is_some();
    if mode.proximity_only || cut_short {
        if !cut_short {
            report.deepest = deepest(&scene.data.graph, |e| e.proximity.distance);
        }
        forget_tests(&mut scene.data.graph);
        return Ok(report);
    }
    detection.envelope = envelope;
    let look = Look::new((mode.look_ahead > 0.0).then_some(envelope));
    // edges are examined while they are in cache, unless they are changed later
    let at_once = mode.contacts != ContactSet::Union && scene.stages.coherence.keeps_contacts();
    scene.find_contacts(detection, mode.contacts, envelope, at_once.then_some(&look));
    let dropped = detection.seams.drop_contacts(scene.data, &scene.derived.frames, envelope);
    scene.form_groups(&mut detection.rest);
    let graph = &scene.data.graph;
    report.groups = graph.groups.len() as u32;
    if !at_once {
        detection.survey.look(graph, &look, scene.wiring.executor());
    }
    (report.contacts, report.deepest) = detection.survey.end(look);
    report.contacts -= if at_once { dropped } else { 0 };
    Ok(report)
}

impl Scene<'_> {
    /// From boxes to pairs, and from pairs to edges that are to be tested, reused or skipped.
    fn pair_up(&mut self, detection: &mut Detection, mode: DetectMode, scripted_at: Real) -> Result<(), StepFailure> {
        let Self { data, derived, sensors, wiring, stages, .. } = self;
        wiring.trace(Module::TimeControl, Module::BroadPhase);
        let watch = Stopwatch::start();
        let Detection { bounds, rooms, balls, pairs, rest, .. } = &mut *detection;
        place_boxes(data, derived, (bounds, rooms), mode, scripted_at, (rest.moving(), wiring.executor()));
        find_pairs(data, derived, pairs, sensors, (rest.moving(), stages, wiring.executor()));
        // pairs that existed remain if contacts are kept, and if not all pairs are examined
        if mode.contacts != ContactSet::Union && !mode.short_circuit && !mode.proximity_only {
            let envelope = mode.envelope.unwrap_or(derived.envelope);
            let crowded = rest.are_crowded(pairs.len()).unwrap_or_else(|| {
                rest.forget();
                find_pairs(data, derived, pairs, sensors, (None, stages, wiring.executor()));
                rest.are_crowded(pairs.len()).unwrap_or(true)
            });
            rest.count_found(pairs);
            // grows with the number of bodies
            make_room(balls, data.configuration.bodies.len());
            // bodies with few neighbours are left as they are
            if crowded {
                let how = (envelope, rest.moving(), wiring.executor());
                drop_distant(data, derived, (pairs, balls, rooms), how);
            }
            rest.count_kept(pairs);
        }
        wiring.book(Module::BroadPhase, watch);
        check_room(data, &mut detection.pairs, &mut detection.room)?;

        wiring.trace(Module::BroadPhase, Module::CoherenceAnalysis);
        let watch = Stopwatch::start();
        let (seen, graph) = view(data, derived, detection.rest.moving(), wiring.executor());
        // an analysis that does not use this information must leave what another one noted
        graph.knows_moving &= seen.moving.is_some();
        stages.coherence.after_broad_phase(seen, &detection.pairs, graph);
        list_pieces(graph, &mut detection.slots, &mut detection.pieces);
        wiring.book(Module::CoherenceAnalysis, watch);
        Ok(())
    }

    /// From edges to proximities; only until the first penetration, if nothing more is asked for.
    fn measure(
        &mut self,
        detection: &mut Detection,
        mode: DetectMode,
        envelope: Real,
        report: &mut DetectReport,
    ) -> Result<(), StepFailure> {
        let Self { data, derived, wiring, stages, .. } = self;
        wiring.trace(Module::BroadPhase, Module::NarrowPhase);
        let watch = Stopwatch::start();
        let Derived { frames, evaluated, .. } = &mut **derived;
        let moving = detection.rest.moving();
        evaluated.compare(frames, moving);
        let (frames, evaluated) = (frames.as_slice(), &*evaluated);
        let bounds = detection.bounds.as_slice();
        let outcome = if mode.short_circuit {
            let WorldData { configuration, graph, .. } = &mut **data;
            let reach = Reach { configuration, bounds, frames, mode };
            detection.tested = reach.set_all(&mut graph.edges, evaluated);
            test_until_penetration(data, frames, stages, envelope, report)
        } else {
            let guess = detection.tested;
            (detection.tested, report.tested) = (0, 0);
            let pieces = detection.pieces.as_slice();
            test_edges(data, (frames, bounds, evaluated), stages, (envelope, mode, guess), (pieces, wiring)).map(
                |tested| {
                    (detection.tested, report.tested) = (tested, tested);
                },
            )
        };
        wiring.book(Module::NarrowPhase, watch);
        outcome.map_err(|e| data.failure(None, Module::NarrowPhase, FailureKind::Unsupported(e)))?;

        wiring.trace(Module::NarrowPhase, Module::CoherenceAnalysis);
        let watch = Stopwatch::start();
        let (seen, graph) = view(data, derived, detection.rest.moving(), wiring.executor());
        stages.coherence.after_narrow_phase(seen, graph);
        wiring.book(Module::CoherenceAnalysis, watch);
        Ok(())
    }

    /// From proximities to contacts, which replace those that were known or are added to them.
    fn find_contacts(&mut self, detection: &mut Detection, contacts: ContactSet, envelope: Real, look: Option<&Look>) {
        let Self { data, derived, wiring, stages, .. } = self;
        wiring.trace(Module::NarrowPhase, Module::ContactDetermination);
        let watch = Stopwatch::start();
        if contacts == ContactSet::Union {
            detection.aside.clear();
            let slots = data.graph.order.iter().map(|e| e.slot);
            set_aside(&data.graph, slots, &mut detection.aside);
        }
        let Detection { survey, tested, rest, pieces, .. } = detection;
        match rest.moving() {
            Some(moving) => survey.leave_rest_out(&data.graph, moving),
            None => survey.take_rest_up(),
        }
        survey.begin(&data.graph);
        determine_contacts(data, &derived.frames, stages, (envelope, *tested), (survey, look), (pieces, wiring));
        put_beside(&mut data.graph, &derived.frames, &mut detection.aside);
        wiring.book(Module::ContactDetermination, watch);
    }

    /// From contacts to groups; the bodies of awake groups are woken.
    fn form_groups(&mut self, rest: &mut Rest) {
        let Self { data, derived, members, wiring, stages, .. } = self;
        wiring.trace(Module::ContactDetermination, Module::CoherenceAnalysis);
        let watch = Stopwatch::start();
        let (seen, graph) = view(data, derived, rest.moving(), wiring.executor());
        stages.coherence.after_contact_determination(seen, graph);
        members.note(&data.graph.groups);
        if wake_groups(&data.graph, &mut data.state, derived) {
            // what was left out is solved, moved and examined from here on
            rest.forget();
            data.graph.knows_moving = false;
        }
        wiring.book(Module::CoherenceAnalysis, watch);
    }
}

/// The deepest overlap (m) at the present poses, zero if there is none. Works pair by pair, so that what the graph remembers is neither changed nor copied.
pub(super) fn deepest_overlap(
    scene: Scene<'_>,
    detection: &mut Detection,
    scripted_at: Real,
) -> Result<Real, StepFailure> {
    let Scene { data, derived, sensors, stages, wiring, .. } = scene;
    // the boxes have changed afterwards
    detection.rest.forget();
    let Detection { bounds, rooms, .. } = &mut *detection;
    place_boxes(data, derived, (bounds, rooms), DetectMode::default(), scripted_at, (None, wiring.executor()));
    find_pairs(data, derived, &mut detection.pairs, sensors, (None, stages, wiring.executor()));
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
        if let Some(plane) = data.plane {
            plane.flatten(core::slice::from_mut(&mut edge), frames);
        }
        Ok::<Real, UnsupportedPair>(edge.manifold.least_separation())
    };
    let present = detection.pairs.iter().filter(|p| !configuration.ignores(**p));
    let least = present.map(separation).try_fold(0.0, |least: Real, s| Ok(least.min(s?)));
    least
        .map(|s| 0.0 - s)
        .map_err(|e: UnsupportedPair| data.failure(None, Module::NarrowPhase, FailureKind::Unsupported(e)))
}

/// View of the coherence analysis, and the graph that it writes.
fn view<'a>(
    data: &'a mut WorldData,
    derived: &'a Derived,
    moving: Option<Moving<'a>>,
    executor: &'a dyn Executor,
) -> (FrameView<'a>, &'a mut ContactGraph) {
    let WorldData { configuration, state, graph, .. } = data;
    (FrameView { configuration, state, frames: &derived.frames, boxes: &derived.boxes, moving, executor }, graph)
}

/// Tests pair by pair until one penetrates, which is then reported. The pairs after it are left as they were.
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

/// To be called after a detection without contact determination: proximities are newer than manifolds, so the next detection must not reuse them.
fn forget_tests(graph: &mut ContactGraph) {
    for edge in graph.edges.iter_mut().filter(|e| e.action == EdgeAction::Test) {
        edge.is_tested = false;
    }
}

/// Runs the narrow phase on pieces of the edges, in parallel if there are threads for it, after setting how far each pair can close. Returns how many pairs were to
/// be tested; `guess` is the number in the detection before.
fn test_edges(
    data: &mut WorldData,
    (frames, bounds, evaluated): (&[Pose], &[MotionBound], &EvaluatedAt),
    stages: &Stages,
    (envelope, mode, guess): (Real, DetectMode, u32),
    (pieces, wiring): (&[Range<usize>], &Wiring),
) -> Result<u32, UnsupportedPair> {
    let narrow = stages.narrow_phase.as_ref();
    let WorldData { configuration, graph, .. } = data;
    let configuration = &*configuration;
    let reach = Reach { configuration, bounds, frames, mode };
    let test = |edges: &mut [Edge]| narrow.query_batch(&mut PairBatch { configuration, frames, envelope, edges });
    let (failed, tested) = (AtomicBool::new(false), AtomicU32::new(0));
    let looks: usize = pieces.iter().map(ExactSizeIterator::len).sum();
    let worth = guess.max((looks / LOOKS_PER_TEST) as u32);
    wiring.for_chunks(Pieces::of(&mut graph.edges, pieces), worth, |edges: &mut [Edge]| {
        tested.fetch_add(reach.set_all(edges, evaluated), Ordering::Relaxed);
        if test(edges).is_err() {
            failed.store(true, Ordering::Relaxed);
        }
    });
    // the serial pass makes the pair that is named independent of threads
    if failed.into_inner() {
        test(&mut graph.edges)?;
    }
    Ok(tested.into_inner())
}

/// Determines the contacts of the same edges, likewise, and surveys their state if `look` is given.
fn determine_contacts(
    data: &mut WorldData,
    frames: &[Pose],
    stages: &Stages,
    (envelope, tested): (Real, u32),
    (survey, look): (&mut Survey, Option<&Look>),
    (pieces, wiring): (&[Range<usize>], &Wiring),
) {
    let contact = stages.contact_determination.as_ref();
    let WorldData { configuration, graph, plane, .. } = data;
    let plane = *plane;
    let chunks = Pieces::of(&mut graph.edges, pieces).zip(Pieces::of(survey.marks(), pieces));
    wiring.for_chunks(chunks, tested, |(edges, marks)| {
        contact.determine_batch(&mut PairBatch { configuration, frames, envelope, edges });
        if let Some(plane) = plane {
            plane.flatten(edges, frames);
        }
        if let Some(look) = look {
            look.at(edges, marks);
        }
    });
}

/// Wakes the bodies of awake groups. Returns whether any was asleep before.
fn wake_groups(graph: &ContactGraph, state: &mut State, derived: &mut Derived) -> bool {
    let bodies = || marked(&graph.groups.awake).flat_map(|g| graph.groups.group_bodies(g));
    let woken = bodies().any(|body| state.sleeping[body.at()]);
    if woken {
        derived.list_woken(bodies().copied().filter(|body| state.sleeping[body.at()]));
        bodies().for_each(|body| state.sleeping[body.at()] = false);
    }
    woken
}
