//! What came out of groups, on its way back to the world.

use drystone_core::{
    BodyIndex, BodyPair, ContactImpulse, Edge, JointReaction, ResolveReport, SolveReport, Turn, make_room,
};
use drystone_math::{Real, Twist, Wrench};

/// An edge whose multipliers were found: what there is to know of it without a look at the edge.
#[derive(Debug, Clone, Copy)]
pub(super) struct SolvedEdge {
    pub(super) slot: u32,
    /// How many points it has.
    pub(super) points: u32,
    pub(super) pair: BodyPair,
    /// Whether its bodies can bounce off each other.
    pub(super) bounces: bool,
}

impl SolvedEdge {
    /// What has no points.
    pub(super) const BLANK: Self =
        Self { slot: 0, points: 0, pair: BodyPair { a: BodyIndex(0), b: BodyIndex(1) }, bounces: false };

    /// What there is to know of the edge in a slot.
    #[inline(always)]
    pub(super) fn of(edge: &Edge, slot: u32) -> Self {
        let bounces = edge.material.restitution > 0.0;
        Self { slot, points: edge.manifold.points.len() as u32, pair: edge.pair, bounces }
    }
}

/// What came out of the problems of one worker, in the order of its tasks.
#[derive(Default)]
pub(super) struct Output {
    /// New velocities.
    pub(super) velocities: Vec<(u32, Twist)>,
    /// How a correction displaces bodies, or is to after the step where a solve says so beforehand.
    pub(super) corrections: Vec<(u32, Twist)>,
    /// New velocities beside these: where a correction pays, ends motion, or turns spins.
    pub(super) paid: Vec<(u32, Twist)>,
    /// Bodies that turn within the step.
    pub(super) turns: Vec<(u32, Turn)>,
    /// Ways over the step, of bodies that the solver moves itself.
    pub(super) displacements: Vec<(u32, Twist)>,
    /// Multipliers of the points of whole edges, one edge after the other.
    pub(super) contacts: Vec<ContactImpulse>,
    /// These edges.
    pub(super) edges: Vec<SolvedEdge>,
    /// How stiff the solver had contacts and rows, where it says.
    pub(super) contact_stiffness: Vec<(u32, u32, [Real; 2])>,
    pub(super) joint_stiffness: Vec<(u32, u32, Real)>,
    /// What contacts passed on where no time passes, likewise.
    pub(super) blows: Vec<(u32, u32, ContactImpulse)>,
    /// Multipliers by joint and place.
    pub(super) joints: Vec<(u32, u32, Real)>,
    /// Reactions by joint.
    pub(super) reactions: Vec<(u32, JointReaction)>,
    /// Joints of groups that are not to be solved again.
    pub(super) solved_once: Vec<u32>,
    /// Groups that a solve left at rest, and what it said.
    pub(super) resting: Vec<(u32, SolveReport)>,
    /// Groups of which a solve said beforehand how their overlap is taken out, and the largest overlap that it saw coming (m).
    pub(super) foreseen: Vec<u32>,
    pub(super) overlap: Real,
    /// Groups that a correction has not finished.
    pub(super) unfinished: Vec<u32>,
    /// Impulses of what stands on a body.
    pub(super) loads: Vec<(u32, Wrench)>,
    pub(super) solve: SolveReport,
    pub(super) resolve: ResolveReport,
    /// The most multiplications that one of the problems took.
    pub(super) work: Real,
}

impl Output {
    pub(super) fn clear(&mut self) {
        self.velocities.clear();
        // as long as what may come, so that the first turn or blow after a long rest finds room
        make_room(&mut self.turns, self.velocities.capacity());
        self.paid.clear();
        self.displacements.clear();
        self.contacts.clear();
        self.edges.clear();
        self.contact_stiffness.clear();
        self.joint_stiffness.clear();
        make_room(&mut self.blows, self.contacts.capacity());
        self.joints.clear();
        self.reactions.clear();
        // as long as what may come
        make_room(&mut self.solved_once, self.reactions.capacity());
        self.loads.clear();
        make_room(&mut self.resting, self.velocities.capacity());
        make_room(&mut self.foreseen, self.velocities.capacity());
        make_room(&mut self.unfinished, self.velocities.capacity());
        make_room(&mut self.corrections, self.velocities.capacity());
        self.overlap = 0.0;
        self.solve = SolveReport::default();
        self.resolve = ResolveReport::default();
        self.work = 0.0;
    }

    /// Multipliers edge by edge: the edge, and those of its points.
    pub(super) fn by_edge(&self) -> impl Iterator<Item = (&SolvedEdge, &[ContactImpulse])> {
        let mut rest = self.contacts.as_slice();
        self.edges.iter().map(move |edge| {
            let (own, others) = rest.split_at(edge.points as usize);
            rest = others;
            (edge, own)
        })
    }
}
