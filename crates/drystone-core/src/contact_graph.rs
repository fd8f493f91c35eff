use crate::{
    BodyIndex, BodyPair, BodyPath, BodyPaths, Configuration, ContactSeed, Groups, JointReaction, Manifold,
    PairMaterial, Proximity, StackLayers,
};
use drystone_math::{Pose, Real};
use smallvec::SmallVec;

/// Action that the coherence analysis chooses for an edge in this frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EdgeAction {
    /// Run the narrow phase and contact determination.
    #[default]
    Test,
    /// The bodies hardly moved relative to each other: keep the manifold, re-evaluate its separations.
    Reuse,
    /// Nothing to do: both bodies are fixed or asleep, or a rule keeps the pair apart.
    Skip,
}

/// Narrow-phase cache of a pair between frames: a separating axis, closest features.
pub type NarrowCache = [u32; 4];

/// Relative displacement of a pair's bodies when it was last computed. The paths of the bodies then bound how much
/// further they have moved since.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Measured {
    /// The bodies' paths at that time.
    pub at: BodyPath,
    /// An upper bound on how far a point of either body had moved relative to the other since the narrow phase ran (m).
    pub moved: Real,
    /// Displacement of the second body's frame relative to the first (m), and the chord of its rotation.
    pub apart: BodyPath,
    /// Distance between the origins plus the radius of the smaller body (m).
    pub lever: Real,
    /// The smaller body's radius (m) and one radian, or the fractions of them by which the coherence analysis measures the pair.
    pub scale: [Real; 2],
    /// Which of the bodies are dynamic.
    pub dynamic: [bool; 2],
}

impl Measured {
    /// By how much displacements of points (m) and chords of turns may have grown since, given the bodies' present paths; `None` if nothing is known.
    ///
    /// Seen from one body, the middle of the other moves by its own path, that of the first, and the turn of the first times the distance `d` between them.
    /// That distance grows meanwhile: by at most `(way + turn d) / (1 - turn)`, which is no more than twice the numerator if the bodies turn by less than a
    /// half. If they turn by more, nothing is known.
    #[inline]
    pub fn further(&self, now: BodyPath) -> Option<BodyPath> {
        let BodyPath { way, turn } = now.since(self.at);
        (turn < 0.5).then_some(BodyPath { way: 2.0 * (way + turn * self.lever), turn })
    }
}

/// All that is remembered of a pair of bodies whose boxes overlap: the one cache of the engine.
///
/// The fields that a pass over all edges reads come first: the bodies, the action, the contact points and the surface properties. Where the pair was tested,
/// and what was found there, comes after them. An edge is eight cache lines, and begins at the start of one. For a pair with a single contact point, its separation
/// and what a solve left there are in the first line, with the bodies and the action; where the pair was tested has a line of its own.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Edge {
    /// The bodies.
    pub pair: BodyPair,
    /// Action in this frame.
    pub action: EdgeAction,
    /// True if the boxes overlap in this frame; an edge outlives the overlap for a few frames (H-05).
    pub overlapping: bool,
    /// True if the bodies touched or penetrated after the last detection.
    pub touching: bool,
    /// The same as `touching`, one detection earlier.
    pub was_touching: bool,
    /// True if the deepest point of the last contact determination already existed before it.
    pub known: bool,
    /// True if the narrow phase has run since the pair was last forgotten.
    pub is_tested: bool,
    /// True if [`Self::moved`] was computed since the narrow phase last ran: [`ContactGraph::measured`] then has it.
    pub is_measured: bool,
    /// True if the separations of the contact points are those at the present poses, so that reuse has nothing to
    /// evaluate.
    pub fresh: bool,
    /// The contact points.
    pub manifold: Manifold,
    /// Combined material of the two surfaces.
    pub material: PairMaterial,
    /// Speculative margin (m): surfaces count as touching up to the contact envelope plus this; it is the distance that
    /// the bodies can close until the next detection.
    pub reach: Real,
    /// Largest distance (m) at which the last run of the narrow phase could find surfaces: envelope plus reach.
    pub searched: Real,
    /// The narrow phase's memory.
    pub cache: NarrowCache,
    /// An upper bound on how far a point of either body has moved relative to the other since then (m), if the coherence analysis has one in this
    /// frame; else infinite. The code that uses it resets it to infinity.
    pub moved: Real,
    /// Pose of B seen from A when the narrow phase last ran.
    pub tested_at: Pose,
    /// Result of the last narrow-phase run.
    pub proximity: Proximity,
    /// Contact points it found itself; empty for most pairs.
    pub seeds: Vec<ContactSeed>,
}

impl Edge {
    /// An edge that was never tested.
    pub fn new(pair: BodyPair, material: PairMaterial) -> Self {
        Self {
            pair,
            action: EdgeAction::Test,
            overlapping: true,
            reach: 0.0,
            touching: false,
            was_touching: false,
            known: false,
            is_tested: false,
            tested_at: Pose::IDENTITY,
            searched: 0.0,
            moved: Real::INFINITY,
            is_measured: false,
            fresh: false,
            proximity: Proximity::default(),
            seeds: Vec::new(),
            manifold: Manifold::default(),
            cache: NarrowCache::default(),
            material,
        }
    }

    /// Becomes an edge that was never tested, reusing the existing lists.
    pub fn renew(&mut self, pair: BodyPair, material: PairMaterial) {
        let (mut seeds, mut manifold) = (core::mem::take(&mut self.seeds), core::mem::take(&mut self.manifold));
        seeds.clear();
        manifold.clear();
        *self = Self { manifold, seeds, ..Self::new(pair, material) };
    }

    /// Notes that the narrow phase ran: the pose of B's frame as seen from A, and how far apart surfaces could be and still be found (m).
    #[inline(always)]
    pub fn note_test(&mut self, tested_at: Pose, searched: Real) {
        (self.is_tested, self.tested_at, self.is_measured) = (true, tested_at, false);
        self.searched = searched;
    }
}

impl Clone for Edge {
    fn clone(&self) -> Self {
        let mut copy = Self::new(self.pair, self.material);
        copy.clone_from(self);
        copy
    }

    /// Copies into the existing lists: no allocation if they are long enough.
    fn clone_from(&mut self, source: &Self) {
        let (mut seeds, mut manifold) = (core::mem::take(&mut self.seeds), core::mem::take(&mut self.manifold));
        seeds.clone_from(&source.seeds);
        manifold.clear();
        manifold.points.extend_from_slice(&source.manifold.points);
        manifold.memory.extend_from_slice(&source.manifold.memory);
        *self = Self { manifold, seeds, ..*source };
    }
}

/// An edge's pair and its slot in [`ContactGraph::edges`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct EdgeEntry {
    /// The bodies.
    pub pair: BodyPair,
    /// Storage index of the edge.
    pub slot: u32,
}

/// Number of pairs that changed their relation in the last detection (H-12), by kind of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct EventCounts {
    /// Pairs whose boxes began to overlap.
    pub new_proximity: u64,
    /// Pairs whose boxes ceased to overlap.
    pub vanishing_proximity: u64,
    /// Pairs that began to touch.
    pub new_touching: u64,
    /// Pairs that ceased to touch.
    pub vanishing_touching: u64,
}

/// Bodies as nodes, pairs in proximity as edges, and the groups they form (thesis 5.1).
///
/// # Source
/// H-01. Differs in: edges are found by binary search in a sorted list instead of a hash table, so that every
/// walk over them has the same order on every machine.
#[derive(Debug, Default)]
pub struct ContactGraph {
    /// Edge storage; a slot is stable for the life of its edge. A free slot overlaps and touches nothing, is skipped, and names bodies that may be gone.
    pub edges: Vec<Edge>,
    /// Free slots.
    pub free: Vec<u32>,
    /// By slot: how far the pair had moved when that was last computed; valid for edges with [`Edge::is_measured`]. Kept beside the edges, so that code that
    /// does not need it does not read it.
    pub measured: Vec<Measured>,
    /// The paths of the bodies, for the same purpose.
    pub paths: BodyPaths,
    /// Number of edges ever made, including those that are gone: it only grows.
    pub made: u64,
    /// Live edges, sorted by pair.
    pub order: Vec<EdgeEntry>,
    /// The live edges that the last detection looked at, if it was told which bodies move: see [`Self::moving_edges`].
    pub moving: Vec<EdgeEntry>,
    /// True if the last detection was told which bodies move, and nothing has changed the other edges since; if not,
    /// [`Self::moving`] says nothing.
    pub knows_moving: bool,
    /// Connected bodies.
    pub groups: Groups,
    /// True if others than the coherence analysis have changed these since it formed them, except for which are awake.
    pub groups_edited: bool,
    /// Stack heights and layers, if the paradigm asked for them.
    pub layers: StackLayers,
    /// Multipliers of the rows of joints, followed by those of forces that act by rows, in the last solve: one list per link.
    pub joint_impulses: Vec<SmallVec<[Real; 6]>>,
    /// Stiffness of the same rows in the last solve (N/m or N m/rad), if the solver has such numbers: one list per link.
    pub joint_stiffness: Vec<SmallVec<[Real; 0]>>,
    /// Reactions of the joints in the last solve.
    pub joint_reactions: Vec<JointReaction>,
    /// Changes found by the last detection.
    pub events: EventCounts,
}

impl Clone for ContactGraph {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.clone_from(self);
        copy
    }

    /// Copies into the existing lists: no allocation if they are long enough.
    fn clone_from(&mut self, source: &Self) {
        self.edges.clone_from(&source.edges);
        self.free.clone_from(&source.free);
        self.measured.clone_from(&source.measured);
        self.paths.clone_from(&source.paths);
        self.made = source.made;
        self.order.clone_from(&source.order);
        self.moving.clone_from(&source.moving);
        self.knows_moving = source.knows_moving;
        self.groups.clone_from(&source.groups);
        self.groups_edited = true;
        self.layers.clone_from(&source.layers);
        self.joint_impulses.clone_from(&source.joint_impulses);
        self.joint_stiffness.clone_from(&source.joint_stiffness);
        self.joint_reactions.clone_from(&source.joint_reactions);
        self.events = source.events;
    }
}

impl ContactGraph {
    /// The edge between two bodies, in either order.
    pub fn edge(&self, one: BodyIndex, other: BodyIndex) -> Option<&Edge> {
        let pair = BodyPair::new(one, other)?;
        let i = self.order.binary_search_by_key(&pair, |e| e.pair).ok()?;
        Some(&self.edges[self.order[i].slot as usize])
    }

    /// The live edges that may differ from those at the previous detection, sorted by pair: all of them, unless it is known which bodies move.
    pub fn moving_edges(&self) -> &[EdgeEntry] {
        if self.knows_moving { &self.moving } else { &self.order }
    }

    /// The live edges, by pair.
    pub fn iter(&self) -> impl Iterator<Item = &Edge> {
        self.order.iter().map(|e| &self.edges[e.slot as usize])
    }

    /// Brings the surface properties of every pair up to date after the materials were edited.
    pub fn take_materials(&mut self, configuration: &Configuration) {
        for entry in &self.order {
            let (a, b) = (configuration.body(entry.pair.a), configuration.body(entry.pair.b));
            self.edges[entry.slot as usize].material = configuration.materials.pair(a.material, b.material);
        }
    }

    /// Stores a new edge and returns its slot; the caller enters it into [`Self::order`].
    pub fn allocate(&mut self, pair: BodyPair, material: PairMaterial) -> u32 {
        self.made += 1;
        if let Some(slot) = self.free.pop() {
            self.edges[slot as usize].renew(pair, material);
            return slot;
        }
        self.edges.push(Edge::new(pair, material));
        self.edges.len() as u32 - 1
    }

    /// Frees the slot of an edge that the caller takes out of [`Self::order`].
    pub fn release(&mut self, slot: u32) {
        let edge = &mut self.edges[slot as usize];
        // passes over all slots look up the bodies of what is not skipped or is fresh
        (edge.action, edge.overlapping, edge.touching, edge.fresh) = (EdgeAction::Skip, false, false, false);
        self.free.push(slot);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ContactPoint, FeatureKey, NormalOwner};
    use core::mem::offset_of;
    use drystone_math::Vec3;

    /// Size of a cache line in bytes.
    const LINE: usize = 64;

    #[test]
    #[cfg(target_pointer_width = "64")]
    fn what_most_passes_read_is_in_the_first_line_of_an_edge() {
        let mut edge = Edge::new(BodyPair::ordered(0, 1), PairMaterial::default());
        let pose = Pose::IDENTITY;
        let point = ContactPoint::from_world(&pose, &pose, Vec3::ZERO, Vec3::Y, 0.0, FeatureKey(1), NormalOwner::A);
        edge.manifold.points.push(point);
        assert_eq!(size_of::<Edge>(), 8 * LINE);
        let start = core::ptr::from_ref(&edge).addr();
        assert_eq!(start % LINE, 0);
        let [only] = edge.manifold.points.as_slice() else { unreachable!("one was pushed") };
        assert!(core::ptr::from_ref(&only.impulse).addr() - start < LINE);
        assert_eq!(core::ptr::from_ref(&only.separation).addr() - start, LINE - size_of::<Real>());
        // gathering reads four lines, and the poses of the last test are in one
        let grain = offset_of!(Edge, material) + offset_of!(PairMaterial, grain);
        assert!(grain < 4 * LINE);
        assert_eq!((offset_of!(Edge, tested_at) % LINE, size_of::<Pose>()), (0, LINE));
    }
}
