//! Sensors, and which bodies are within them. Their pairs are removed from the pipeline, so that no solver and no time control sees them.

use super::data::WorldData;
use super::derived::Derived;
use super::fast_bodies::FastWays;
use crate::Stages;
use drystone_contact_graph::{EventLog, Meeting};
use drystone_core::{
    BodyIndex, BodyPair, Configuration, Edge, EdgeAction, FailureKind, Module, Moving, PairBatch, PairMaterial,
    PosedShape, StepFailure,
};
use drystone_math::{Pose, Real, Vec3};
use drystone_narrow_phase::{Sweep, sweep};

/// Pairs of a sensor and a body whose boxes overlap, as of the last broad phase.
#[derive(Default)]
pub(crate) struct Sensors {
    /// True if there is a sensor.
    pub(super) any: bool,
    pairs: Vec<BodyPair>,
    /// The edges that the narrow phase writes into: at least one per pair.
    edges: Vec<Edge>,
}

/// The part of its last way, in fractions, on which a body was in something that stands still; `None` if that includes an end of the way, or is nothing.
fn passage(moving: PosedShape<'_>, way: Vec3, still: PosedShape<'_>) -> Option<[Real; 2]> {
    let start = PosedShape { pose: Pose::new(moving.pose.position - way, moving.pose.orientation), ..moving };
    if !start.shape.aabb(&start.pose).swept(way).overlaps(&still.shape.aabb(&still.pose)) {
        return None;
    }
    let free = |from, way| match sweep(from, way, still) {
        Ok(Sweep::Touch(hit)) if hit.fraction > 0.0 => Some(hit.fraction),
        _ => None,
    };
    Some([free(start, way)?, 1.0 - free(moving, -way)?])
}

impl Sensors {
    /// Removes the pairs with a sensor from the list, which contains only pairs with a moving body if the moving bodies are known.
    pub(super) fn take_pairs(
        &mut self,
        configuration: &Configuration,
        pairs: &mut Vec<BodyPair>,
        moving: Option<Moving<'_>>,
    ) {
        self.pairs.retain(|pair| moving.is_some_and(|moving| !moving.has(*pair)));
        if !self.any {
            return;
        }
        let known = self.pairs.len();
        pairs.retain(|&pair| {
            let sensors = [pair.a, pair.b].map(|b| configuration.body(b).sensor);
            if sensors[0] != sensors[1] && !configuration.ignores(pair) {
                self.pairs.push(pair);
            }
            sensors == [false; 2]
        });
        if known > 0 {
            self.pairs.sort_unstable();
        }
    }

    /// To be called after a drift of `h` seconds from a time (s): notes the sensors that continuous bodies passed on their straight way, and when. What is in a sensor before or
    /// after the drift is found there.
    ///
    /// # Source
    /// Mirtich 1996 (conservative advancement), from either end of the way.
    pub(super) fn pass(
        &self,
        sensed: &mut EventLog,
        (data, derived): (&WorldData, &Derived),
        ways: &FastWays,
        [time, h]: [Real; 2],
    ) {
        if !self.any {
            return;
        }
        let WorldData { configuration, state, .. } = data;
        let continuous = |b: &&BodyIndex| configuration.body(**b).continuous && !configuration.body(**b).sensor;
        for &body in ways.bodies.iter().filter(continuous) {
            for sensor in (0..configuration.bodies.len()).map(BodyIndex::new) {
                let Some(pair) = BodyPair::new(body, sensor).filter(|pair| !configuration.ignores(*pair)) else {
                    continue;
                };
                let way = ways.of(state, body) - ways.of(state, sensor);
                let [moving, still] = [body, sensor]
                    .map(|b| PosedShape { shape: &configuration.body(b).shape, pose: derived.frames[b.at()] });
                if configuration.body(sensor).sensor
                    && let Some(part) = passage(moving, way, still)
                {
                    sensed.pass(part.map(|fraction| time + fraction * h), pair);
                }
            }
        }
    }

    /// Notes what is within sensors at the present poses. A pair that does not move stays as it was.
    pub(super) fn sense(
        &mut self,
        sensed: &mut EventLog,
        data: &WorldData,
        derived: &Derived,
        stages: &Stages,
    ) -> Result<(), StepFailure> {
        // even without pairs a body may have to leave: the last pair may have been removed
        if self.pairs.is_empty() && sensed.touching().next().is_none() {
            return Ok(());
        }
        let (WorldData { configuration, state, .. }, Derived { frames, .. }) = (data, derived);
        let Self { pairs, edges, .. } = self;
        if edges.len() < pairs.len() {
            edges.resize_with(pairs.len(), || Edge::new(pairs[0], PairMaterial::default()));
        }
        let still = |b: BodyIndex| {
            let body = configuration.body(b);
            (!body.is_dynamic() || state.sleeping[b.at()]) && body.kind != drystone_core::BodyKind::Scripted
        };
        for (&pair, edge) in pairs.iter().zip(edges.iter_mut()) {
            edge.renew(pair, PairMaterial::default());
            if still(pair.a) && still(pair.b) && sensed.touches(pair) {
                (edge.action, edge.touching) = (EdgeAction::Skip, true);
            }
        }
        let edges = &mut edges[..pairs.len()];
        let outcome = stages.narrow_phase.query_batch(&mut PairBatch { configuration, frames, envelope: 0.0, edges });
        let within = |e: &Edge| e.touching || e.proximity.distance <= 0.0;
        sensed.observe(state.time, edges.iter().map(|e| (e.pair, within(e))), |_| Meeting::default());
        outcome.map_err(|e| data.failure(None, Module::NarrowPhase, FailureKind::Unsupported(e)))
    }
}
