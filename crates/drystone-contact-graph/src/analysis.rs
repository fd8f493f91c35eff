use crate::CoherenceTest;
use crate::coherence_test::Tested;
use crate::edge_update::{EdgeUpdate, FEW, Fate, persist};
use crate::group_finder::GroupFinder;
use crate::reduction::keep_deepest;
use crate::stack_height::{LayerFinder, StackHeight};
use drystone_core::catalogue::{Implementation, Settings};
use drystone_core::{
    BodyIndex, BodyPair, BodyPaths, CoherenceAnalysis, ContactGraph, Edge, EdgeAction, FrameView, JointReaction,
    Measured, Relation, piece_length, run_each, settings,
};
use drystone_math::Real;
use std::sync::atomic::{AtomicU64, Ordering};

settings! {
    /// Settings of the analysis: pairs to leave out, keep and drop.
    #[derive(Debug, Clone, Copy, PartialEq)]
    #[allow(clippy::struct_excessive_bools, reason = "each is a key of its own in scene files")]
    pub struct GraphSettings {
        /// keep the contacts of pairs that hardly moved relative to each other; changes the motion within that tolerance
        reuse: bool = switch(false),
        /// relative motion below which contacts are reused, as a fraction of the smaller body's radius; a hundredth of this for round surfaces
        reuse_distance: Real = real(2e-4, 0.0, 1.0) if reuse is ["true"],
        /// relative rotation below which contacts are reused; a hundredth of this for round surfaces (rad)
        reuse_angle: Real = real(2e-4, 0.0, 1.0) if reuse is ["true"],
        /// gap at which a pair is forgotten, as a multiple of its boxes' largest edge
        obsolete_factor: Real = real(2.0, 0.0, 1e6),
        /// bfs: fewest contacts to a fixed body, bodies on joints counting as one; gravity: one more than the highest body that carries it
        stack_height: StackHeight = choice(Shortest),
        /// keep only the deepest contact of deeply penetrating pairs
        reduce: bool = switch(false),
        /// penetration above which 'reduce' acts (m)
        reduce_depth: Real = real(0.01, 0.0, 1e6) if reduce is ["true"],
        /// leave contacts between two sleepy bodies out of the groups
        subgroup: bool = switch(false),
        /// treat sleepy bodies as fixed; useful with 'subgroup'
        fixate: bool = switch(false),
        /// solve all touching or linked bodies as one group, to measure what grouping saves
        one_group: bool = switch(false),
        /// use zero restitution if either body is sleepy
        zero: bool = switch(false),
    }
}

/// Spatial-temporal coherence analysis by a contact graph.
///
/// Two of its speed-ups leave the motion as it is: groups and sleeping groups. The others change it and are off unless asked for: `reuse`, `reduce`,
/// `subgroup`, `fixate`, `zero`. `one_group` takes the first of them away, to show what it is worth.
///
/// # Cost
/// Linear in bodies, edges and joints, except for a binary search where a pair is ruled out; nothing is allocated when warm.
///
/// # Source
/// Erleben 2005, Figures 5.3-5.9 and section 5.6 (H-22, H-28, H-29).
#[derive(Debug, Clone)]
pub struct GraphAnalysis {
    test: CoherenceTest,
    obsolete_factor: Real,
    zero: bool,
    reduce: Option<Real>,
    edges: EdgeUpdate,
    /// Data of each body in this frame for the coherence test.
    bodies: Vec<Tested>,
    groups: GroupFinder,
    layers: LayerFinder,
}

impl GraphAnalysis {
    /// Its entry in the catalogue.
    pub const DESCRIPTION: Implementation = Implementation {
        name: "contact-graph",
        summary: "contact graph: reuses contacts of pairs that hardly moved, finds contact groups and stack layers",
        source: "Erleben 2005, Chapter 5 and section 6.4.2",
        parameters: GraphSettings::PARAMETERS,
    };

    /// With the given settings.
    pub fn from_settings(settings: &Settings) -> Self {
        Self::new(&GraphSettings::from_settings(settings))
    }

    /// With the given settings.
    pub fn new(settings: &GraphSettings) -> Self {
        Self {
            test: CoherenceTest {
                reuse: settings.reuse,
                distance: settings.reuse_distance,
                angle: settings.reuse_angle,
            },
            obsolete_factor: settings.obsolete_factor,
            zero: settings.zero,
            reduce: settings.reduce.then_some(settings.reduce_depth),
            edges: EdgeUpdate::default(),
            bodies: Vec::new(),
            groups: GroupFinder::new(settings.subgroup, settings.fixate, settings.one_group),
            layers: LayerFinder::new(settings.stack_height),
        }
    }
}

/// Notes which of the tested edges touch. Returns how many began to touch and how many ceased to.
fn note_touching(edges: &mut [Edge]) -> [u64; 2] {
    let mut counts = [0, 0];
    for edge in edges.iter_mut().filter(|edge| edge.action == EdgeAction::Test) {
        edge.touching = edge.proximity.relation != Relation::Separated;
        counts[0] += u64::from(edge.touching && !edge.was_touching);
        counts[1] += u64::from(!edge.touching && edge.was_touching);
    }
    counts
}

impl GraphAnalysis {
    /// Brings the list of edges, the paths of bodies and what the coherence test needs to know of them up to date.
    fn look_up(&mut self, frame: FrameView<'_>, pairs: &[BodyPair], graph: &mut ContactGraph) {
        if let Some(moving) = frame.moving {
            self.edges.run_moving(frame, (moving, pairs), self.obsolete_factor, graph);
            graph.paths.go_on_some(frame.frames, moving.bodies);
        } else {
            self.edges.run(frame, pairs, self.obsolete_factor, graph);
            graph.paths.go_on(frame.frames);
        }
        let count = frame.configuration.bodies.len();
        if let Some(moving) = frame.moving.filter(|_| self.bodies.len() == count) {
            for &body in moving.bodies {
                self.bodies[body.at()] = Tested::of(frame, body);
            }
        } else {
            self.bodies.clear();
            self.bodies.extend((0..count).map(|i| Tested::of(frame, BodyIndex::new(i))));
        }
    }

    /// Decides what to do with an edge, and updates what its surfaces do to each other.
    #[inline]
    fn judge(&self, frame: FrameView<'_>, paths: &BodyPaths, (edge, measured): (&mut Edge, &mut Measured)) {
        if edge.is_measured
            && !self.zero
            && let Some(moved) = self.test.surely_moved(frame, (edge, measured), paths)
        {
            (edge.action, edge.moved) = (EdgeAction::Reuse, moved);
            return;
        }
        let (action, found) = if edge.overlapping {
            // not copied: what was just written in parts is waited for
            let bodies = [edge.pair.a, edge.pair.b].map(|body| &self.bodies[body.at()]);
            self.test.measure(frame, (edge, bodies), paths)
        } else {
            (EdgeAction::Skip, None)
        };
        (edge.action, edge.is_measured) = (action, found.is_some());
        edge.moved = Real::INFINITY;
        if let Some(found) = found {
            *measured = found;
            edge.moved = found.moved;
        }
        // surfaces may have been edited if a pair is to be tested for the first time
        if !edge.is_tested || self.zero {
            let c = frame.configuration;
            edge.material = c.materials.pair(c.body(edge.pair.a).material, c.body(edge.pair.b).material);
        }
        // D-18
        if self.zero && (frame.state.sleepy[edge.pair.a.at()] || frame.state.sleepy[edge.pair.b.at()]) {
            edge.material.restitution = 0.0;
        }
    }
}

impl Default for GraphAnalysis {
    fn default() -> Self {
        Self::new(&GraphSettings::default())
    }
}

impl CoherenceAnalysis for GraphAnalysis {
    fn name(&self) -> &'static str {
        Self::DESCRIPTION.name
    }

    fn watches_sleep(&self) -> bool {
        self.zero || self.groups.watches_sleep()
    }

    fn keeps_contacts(&self) -> bool {
        self.reduce.is_none()
    }

    fn leaves_rest(&self) -> bool {
        !self.watches_sleep() && self.keeps_contacts()
    }

    fn after_broad_phase(&mut self, frame: FrameView<'_>, pairs: &[BodyPair], graph: &mut ContactGraph) {
        self.look_up(frame, pairs, graph);
        let ContactGraph { edges, measured, paths, moving, knows_moving, .. } = graph;
        let paths = &*paths;
        // its memory grows with that of the edges
        measured.reserve(edges.capacity().saturating_sub(measured.len()));
        measured.resize(edges.len(), Measured::default());
        if *knows_moving && moving.len() < FEW {
            for slot in moving.iter().map(|entry| entry.slot as usize) {
                let edge = &mut edges[slot];
                graph.events.new_proximity += u64::from(self.edges.fates[slot] == Fate::Persists && persist(edge));
                self.judge(frame, paths, (edge, &mut measured[slot]));
            }
            return;
        }
        let length = piece_length(frame.executor, edges.len(), FEW);
        let pieces = edges.chunks_mut(length).zip(measured.chunks_mut(length)).zip(self.edges.fates.chunks(length));
        let new_proximity = AtomicU64::new(0);
        run_each(frame.executor, pieces, |((edges, measured), fates)| {
            let mut new = 0;
            let edges = edges.iter_mut().zip(measured).zip(fates);
            for ((edge, measured), fate) in edges.filter(|(_, fate)| **fate != Fate::Free) {
                new += u64::from(*fate == Fate::Persists && persist(edge));
                self.judge(frame, paths, (edge, measured));
            }
            new_proximity.fetch_add(new, Ordering::Relaxed);
        });
        graph.events.new_proximity += new_proximity.into_inner();
    }

    fn after_narrow_phase(&mut self, frame: FrameView<'_>, graph: &mut ContactGraph) {
        if graph.knows_moving && graph.moving.len() < FEW {
            for entry in &graph.moving {
                let edge = &mut graph.edges[entry.slot as usize];
                let [new, vanishing] = note_touching(core::slice::from_mut(edge));
                graph.events.new_touching += new;
                graph.events.vanishing_touching += vanishing;
            }
            return;
        }
        let length = piece_length(frame.executor, graph.edges.len(), FEW);
        let [new, vanishing] = [AtomicU64::new(0), AtomicU64::new(0)];
        run_each(frame.executor, graph.edges.chunks_mut(length), |edges| {
            let counts = note_touching(edges);
            new.fetch_add(counts[0], Ordering::Relaxed);
            vanishing.fetch_add(counts[1], Ordering::Relaxed);
        });
        graph.events.new_touching += new.into_inner();
        graph.events.vanishing_touching += vanishing.into_inner();
    }

    fn after_contact_determination(&mut self, frame: FrameView<'_>, graph: &mut ContactGraph) {
        if let Some(depth) = self.reduce {
            for entry in &graph.order {
                keep_deepest(&mut graph.edges[entry.slot as usize].manifold, depth);
            }
        }
        graph.joint_impulses.resize_with(frame.configuration.link_count(), Default::default);
        graph.joint_stiffness.resize_with(frame.configuration.link_count(), Default::default);
        graph.joint_reactions.resize(frame.configuration.joints.len(), JointReaction::default());
        self.groups.run(frame, graph);
    }

    fn stack_layers(&mut self, frame: FrameView<'_>, graph: &mut ContactGraph) {
        self.layers.run(frame, graph);
    }
}
