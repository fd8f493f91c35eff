//! Contacts on seams: where two bodies that do not move lie flush, what slides over them must not run into the side of the next one.

use super::data::WorldData;
use drystone_core::{BodyIndex, Configuration, Edge, NormalOwner, TOUCHING, make_room};
use drystone_math::{Pose, Real, Vec3};

/// The surface on which a body that moves rests, as a plane of the body below it.
#[derive(Debug, Clone, Copy)]
struct Support {
    body: BodyIndex,
    below: BodyIndex,
    /// Unit normal out of the body below.
    normal: Vec3,
    /// Height of its surface along the normal (m).
    height: Real,
    /// Distance of the body above it, negative if it has sunk in (m).
    gap: Real,
}

/// Working memory.
#[derive(Default)]
pub(super) struct Seams {
    supports: Vec<Support>,
}

impl Seams {
    /// To be called when contacts have been determined: drops those of bodies that a plane on which one of them rests already keeps apart. Returns their number.
    ///
    /// Bodies that lie on either side of a plane cannot run into each other across it. A contact along another normal is that of an edge which, together with the body below,
    /// is the inside of one surface. Only pairs of which one moves are looked at, each against what rests beside it on bodies that do not.
    ///
    /// # Source
    /// The internal edges of G. van den Bergen and D. Gregorius 2010, "Game Physics Pearls", for separate bodies in place of triangles.
    pub(super) fn drop_contacts(&mut self, data: &mut WorldData, frames: &[Pose], envelope: Real) -> u32 {
        let WorldData { configuration, graph, .. } = data;
        self.supports.clear();
        make_room(&mut self.supports, graph.moving_edges().len());
        for entry in graph.moving_edges() {
            let edge = &graph.edges[entry.slot as usize];
            if let Some(body) = moving_one(configuration, edge) {
                self.note(edge, body, frames, envelope);
            }
        }
        if self.supports.is_empty() {
            return 0;
        }
        self.supports.sort_unstable_by_key(|s| (s.body, s.below));
        let mut dropped = 0;
        for k in 0..graph.moving_edges().len() {
            let slot = graph.moving_edges()[k].slot as usize;
            let edge = &mut graph.edges[slot];
            if let Some(body) = moving_one(configuration, edge)
                && !edge.manifold.points.is_empty()
                && self.parts(configuration, frames, edge, body)
            {
                dropped += edge.manifold.points.len() as u32;
                edge.manifold.clear();
            }
        }
        dropped
    }

    /// Notes the plane on which a body rests, if the other body of the edge owns the normal.
    fn note(&mut self, edge: &Edge, body: BodyIndex, frames: &[Pose], envelope: Real) {
        let is_a = body == edge.pair.a;
        let owner = if is_a { NormalOwner::B } else { NormalOwner::A };
        let Some(p) = edge.manifold.deepest().filter(|p| p.owner == owner && p.separation <= envelope) else { return };
        let [a, b] = [edge.pair.a, edge.pair.b].map(|b| &frames[b.at()]);
        let (normal, ..) = p.world(a, b);
        let (normal, surface, below) =
            if is_a { (-normal, b.point(p.anchor_b), edge.pair.b) } else { (normal, a.point(p.anchor_a), edge.pair.a) };
        self.supports.push(Support { body, below, normal, height: normal.dot(surface), gap: p.separation });
    }

    /// Returns true if a plane on which the moving body rests keeps it from the other one.
    fn parts(&self, configuration: &Configuration, frames: &[Pose], edge: &Edge, body: BodyIndex) -> bool {
        let other = if body == edge.pair.a { edge.pair.b } else { edge.pair.a };
        let from = self.supports.partition_point(|s| s.body < body);
        let own = self.supports[from..].iter().take_while(|s| s.body == body).filter(|s| s.below != other);
        let [a, b] = [edge.pair.a, edge.pair.b].map(|b| &frames[b.at()]);
        let mut own = own.filter(|s| {
            let out = |n: Vec3| if body == edge.pair.a { -n } else { n };
            edge.manifold.points.iter().any(|p| out(p.world(a, b).0).dot(s.normal) < ALONG)
        });
        own.any(|s| {
            let highest = |b: BodyIndex, along: Vec3| {
                let frame = &frames[b.at()];
                let point = configuration.body(b).shape.support(frame.local_direction(along))?;
                Some(along.dot(frame.point(point)))
            };
            // most stick out above the plane
            s.normal.dot(frames[other.at()].position) <= s.height
                && highest(other, s.normal).is_some_and(|h| h <= s.height + TOUCHING)
                && highest(body, -s.normal).is_some_and(|h| -h >= s.height + s.gap - TOUCHING)
        })
    }
}

/// A normal this close to that of the plane, by the cosine between them, is along it.
const ALONG: Real = 1.0 - 1e-9;

/// The body of an edge that moves, if the other one does not.
fn moving_one(configuration: &Configuration, edge: &Edge) -> Option<BodyIndex> {
    let [a, b] = [edge.pair.a, edge.pair.b];
    match [a, b].map(|b| configuration.body(b).is_dynamic()) {
        [true, false] => Some(a),
        [false, true] => Some(b),
        _ => None,
    }
}
