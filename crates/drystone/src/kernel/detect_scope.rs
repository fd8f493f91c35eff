//! Examining the known pairs of a scope again. The coherence analysis is not called, and groups keep their bodies.

use super::contacts::{deeper, put_beside, set_aside};
use super::data::WorldData;
use super::detect::{Detection, Scene};
use super::reach::Reach;
use super::records::{bound_of, escaped};
use super::selection::{Selection, select_bodies, select_edges};
use crate::stopwatch::Stopwatch;
use drystone_core::{
    ContactSet, DetectMode, DetectReport, Edge, EdgeAction, FailureKind, Module, PairBatch, Relation, Scope,
    StepFailure,
};
use drystone_math::{Pose, Real};

/// Examines the pairs of a scope again.
pub(super) fn detect_scope(
    scene: &mut Scene<'_>,
    detection: &mut Detection,
    selection: &mut Selection,
    scope: Scope,
    mode: DetectMode,
) -> Result<DetectReport, StepFailure> {
    let Selection { bodies, edges: slots, .. } = selection;
    let envelope = mode.envelope.unwrap_or(scene.derived.envelope);
    scene.wiring.trace(Module::TimeControl, Module::BroadPhase);
    scene.wiring.trace(Module::BroadPhase, Module::NarrowPhase);
    let watch = Stopwatch::start();
    let alone = matches!(scope, Scope::Pair(_));
    let Scene { data, derived, members, .. } = &mut *scene;
    select_bodies(data, &derived.awake, members, scope, bodies);
    let crossing =
        if alone { None } else { detection.rooms.crossing(data, derived, members, (bodies, mode.look_ahead)) };
    select_edges(data, members, scope, slots);
    if mode.look_ahead > 0.0 {
        for &body in bodies.iter() {
            detection.bounds[body.at()] = bound_of(data, body);
        }
    }
    let mut report = DetectReport { pairs: slots.len() as u32, crossing, ..DetectReport::default() };
    let outcome = scene.measure_again(detection, slots, mode, envelope, &mut report, |_, _| 0.0);
    scene.wiring.book(Module::NarrowPhase, watch);
    outcome?;
    if mode.proximity_only {
        for &slot in slots.iter() {
            let edge = &mut scene.data.graph.edges[slot as usize];
            report.deepest = deeper(report.deepest, edge.pair, -edge.proximity.distance);
            edge.is_tested = false;
        }
    } else {
        scene.find_contacts_again(detection, slots, mode.contacts, envelope, &mut report);
        detection.envelope = envelope;
        if !alone {
            scene.members.list_edges(scene.data);
        }
    }
    report.escaped = escaped(scene.data, scene.derived, bodies, mode.look_ahead);
    Ok(report)
}

/// Examines those pairs of a scope again that have contacts. Pairs that are now apart are searched as far as their former points are apart: a body that turns
/// touches at another point, while its former point has turned away with it. What counts as near is what did in the detection that found the contacts.
pub(super) fn renew_contacts(
    scene: &mut Scene<'_>,
    detection: &mut Detection,
    selection: &mut Selection,
    scope: Scope,
) -> Result<(), StepFailure> {
    let slots = &mut selection.edges;
    select_edges(scene.data, scene.members, scope, slots);
    slots.retain(|slot| !scene.data.graph.edges[*slot as usize].manifold.points.is_empty());
    let envelope = detection.envelope;
    let mut report = DetectReport::default();
    scene.wiring.trace(Module::TimeControl, Module::BroadPhase);
    scene.wiring.trace(Module::BroadPhase, Module::NarrowPhase);
    let watch = Stopwatch::start();
    let beyond = |edge: &Edge, [a, b]: [&Pose; 2]| {
        let farthest = edge.manifold.points.iter().map(|p| p.world(a, b).2).fold(0.0, Real::max);
        (farthest - envelope).max(0.0)
    };
    let outcome = scene.measure_again(detection, slots, DetectMode::default(), envelope, &mut report, beyond);
    scene.wiring.book(Module::NarrowPhase, watch);
    outcome?;
    scene.find_contacts_again(detection, slots, ContactSet::Union, envelope, &mut report);
    Ok(())
}

impl Scene<'_> {
    /// Recomputes the proximities of some edges, searching at least `further` beyond the envelope (m).
    fn measure_again(
        &mut self,
        detection: &Detection,
        slots: &[u32],
        mode: DetectMode,
        envelope: Real,
        report: &mut DetectReport,
        further: impl Fn(&Edge, [&Pose; 2]) -> Real,
    ) -> Result<(), StepFailure> {
        let Self { data, derived, stages, .. } = self;
        for &slot in slots {
            let (bounds, frames) = (detection.bounds.as_slice(), derived.frames.as_slice());
            let reach = Reach { configuration: &data.configuration, bounds, frames, mode };
            let edge = &mut data.graph.edges[slot as usize];
            edge.action = EdgeAction::Test;
            reach.set(edge);
            let looked_ahead = edge.reach;
            edge.reach = looked_ahead.max(further(edge, [edge.pair.a, edge.pair.b].map(|body| &frames[body.at()])));
            let outcome = stages.narrow_phase.query_batch(&mut batch(data, &derived.frames, slot, envelope));
            outcome.map_err(|e| data.failure(None, Module::NarrowPhase, FailureKind::Unsupported(e)))?;
            let edge = &mut data.graph.edges[slot as usize];
            edge.touching = edge.proximity.relation != Relation::Separated
                && (edge.reach == looked_ahead || edge.proximity.distance <= envelope + looked_ahead);
            report.tested += 1;
        }
        Ok(())
    }

    /// Determines their contacts anew; these replace the former ones or are added to them.
    fn find_contacts_again(
        &mut self,
        detection: &mut Detection,
        slots: &[u32],
        contacts: ContactSet,
        envelope: Real,
        report: &mut DetectReport,
    ) {
        let Self { data, derived, wiring, stages, .. } = self;
        wiring.trace(Module::NarrowPhase, Module::ContactDetermination);
        let watch = Stopwatch::start();
        if contacts == ContactSet::Union {
            detection.aside.clear();
            set_aside(&data.graph, slots.iter().copied(), &mut detection.aside);
        }
        for &slot in slots {
            stages.contact_determination.determine_batch(&mut batch(data, &derived.frames, slot, envelope));
            if let Some(plane) = data.plane {
                plane.flatten(core::slice::from_mut(&mut data.graph.edges[slot as usize]), &derived.frames);
            }
        }
        put_beside(&mut data.graph, &derived.frames, &mut detection.aside);
        for &slot in slots {
            let edge = &data.graph.edges[slot as usize];
            report.contacts += edge.manifold.points.len() as u32;
            report.deepest = deeper(report.deepest, edge.pair, -edge.manifold.least_separation());
        }
        wiring.book(Module::ContactDetermination, watch);
    }
}

/// One edge, as a batch for the narrow phase and contact determination.
fn batch<'a>(data: &'a mut WorldData, frames: &'a [Pose], slot: u32, envelope: Real) -> PairBatch<'a> {
    let edges = core::slice::from_mut(&mut data.graph.edges[slot as usize]);
    PairBatch { configuration: &data.configuration, frames, envelope, edges }
}
