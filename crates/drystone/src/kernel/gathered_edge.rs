//! Edges that are being gathered into a problem.

use super::carriers::Carriers;
use super::output::SolvedEdge;
use drystone_core::{
    BodyIndex, Configuration, ContactGraph, ContactImpulse, ContactPoint, Edge, GroupContact, PairMaterial,
};
use drystone_math::{Placement, Vec3};
use pulp::{Simd, WithSimd};

/// Marks a body without a place in a problem.
pub(super) const NO_LOCAL: u32 = u32::MAX;

/// Calls a function with each contact of an edge between two bodies of a problem, whose frames are given, including the initial impulses.
#[inline(always)]
pub(super) fn each_contact(
    edge: &Edge,
    slot: u32,
    (bodies, places): ([u32; 2], [&Placement; 2]),
    impulse: impl Fn(&ContactPoint) -> ContactImpulse,
    mut take: impl FnMut(GroupContact),
) {
    let points = edge.manifold.points.as_slice();
    let [a, b] = places;
    // round shapes touch in one point: preparing the bodies' data for a loop would be wasted
    if let [only] = points {
        return take(contact(edge, (only, only.world_normal(a, b), impulse(only)), (bodies, places), (slot, 0)));
    }
    // the points of a face share their normal
    let (mut local, mut normal) = ([Vec3::ZERO; 2], Vec3::ZERO);
    for (p, point) in points.iter().zip(0..) {
        if !has_bits(p.normal, local) {
            (local, normal) = (p.normal, p.world_normal(a, b));
        }
        take(contact(edge, (p, normal, impulse(p)), (bodies, places), (slot, point)));
    }
}

/// A contact point of an edge as a contact of a problem, with its normal in the world and its initial impulse.
#[inline(always)]
fn contact(
    edge: &Edge,
    (p, normal, impulse): (&ContactPoint, Vec3, ContactImpulse),
    (bodies, [a, b]): ([u32; 2], [&Placement; 2]),
    (edge_slot, point): (u32, u32),
) -> GroupContact {
    let PairMaterial { friction, restitution, .. } = edge.material;
    GroupContact {
        bodies,
        position: p.middle(a, b),
        normal,
        owner: p.owner,
        separation: p.separation,
        friction,
        restitution,
        impulse,
        edge: edge_slot,
        point,
        surface: GroupContact::PLAIN,
    }
}

/// Returns true if two vectors have the same bits: one comparison of all of them, whereas numbers would be compared one
/// after the other.
#[inline(always)]
fn has_bits([a, b]: [Vec3; 2], [c, d]: [Vec3; 2]) -> bool {
    let differ = |x: f64, y: f64| x.to_bits() ^ y.to_bits();
    let of = |v: Vec3, w: Vec3| differ(v.x, w.x) | differ(v.y, w.y) | differ(v.z, w.z);
    of(a, c) | of(b, d) == 0
}

/// Some edges of a group, whose contacts are contiguous.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    pub(super) contacts: usize,
    /// Bodies that the problem does not have yet, in order of appearance.
    pub(super) new: Vec<BodyIndex>,
    /// True if a contact has data beyond its own columns.
    pub(super) special: bool,
}

impl Chunk {
    /// Determines what some edges will contribute.
    pub(super) fn look(
        &mut self,
        (graph, configuration, carriers): (&ContactGraph, &Configuration, &Carriers),
        slots: &[u32],
        local: &[u32],
    ) {
        (self.contacts, self.special) = (0, false);
        self.new.clear();
        for &slot in slots {
            let edge = &graph.edges[slot as usize];
            self.contacts += edge.manifold.points.len();
            self.special |= !edge.material.is_plain() || edge.material.facets != 0;
            self.special |= edge.manifold.is_stiff() || carriers.carry(configuration, edge.pair);
            for body in [edge.pair.a, edge.pair.b] {
                if local[body.at()] == NO_LOCAL && !self.new.contains(&body) {
                    self.new.push(body);
                }
            }
        }
    }
}

/// Writes the contacts of some edges, with whatever vector registers the processor has. Nothing is reordered or fused: the bits are the same on all processors.
pub(super) struct Fill<'a> {
    pub(super) graph: &'a ContactGraph,
    pub(super) slots: &'a [u32],
    pub(super) local: &'a [u32],
    pub(super) places: &'a [Placement],
    /// Data of these edges that are needed later.
    pub(super) edges: &'a mut [SolvedEdge],
    pub(super) into: &'a mut [GroupContact],
}

impl WithSimd for Fill<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        let mut into = self.into.iter_mut();
        for (&slot, noted) in self.slots.iter().zip(self.edges) {
            let edge = &self.graph.edges[slot as usize];
            *noted = SolvedEdge::of(edge, slot);
            let bodies = [edge.pair.a, edge.pair.b].map(|body| self.local[body.at()]);
            let places = bodies.map(|i| &self.places[i as usize]);
            each_contact(
                edge,
                slot,
                (bodies, places),
                |p| p.impulse,
                |contact| {
                    if let Some(place) = into.next() {
                        *place = contact;
                    }
                },
            );
        }
    }
}
