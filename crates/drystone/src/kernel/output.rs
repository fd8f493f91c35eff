//! Results of groups, on their way back to the world.

use drystone_core::{
    BodyIndex, BodyPair, ContactImpulse, Edge, JointReaction, ResolveReport, SolveReport, Turn, make_room,
};
use drystone_math::{Real, Twist, Wrench};

/// An edge whose multipliers were found, with what must be known about it without reading the edge.
#[derive(Debug, Clone, Copy)]
pub(super) struct SolvedEdge {
    pub(super) slot: u32,
    /// Number of its points.
    pub(super) points: u32,
    pub(super) pair: BodyPair,
    /// True if its bodies can bounce off each other.
    pub(super) bounces: bool,
}

impl SolvedEdge {
    /// An edge without points.
    pub(super) const BLANK: Self =
        Self { slot: 0, points: 0, pair: BodyPair { a: BodyIndex(0), b: BodyIndex(1) }, bounces: false };

    /// Describes the edge in a slot.
    #[inline(always)]
    pub(super) fn of(edge: &Edge, slot: u32) -> Self {
        let bounces = edge.material.restitution > 0.0;
        Self { slot, points: edge.manifold.points.len() as u32, pair: edge.pair, bounces }
    }
}

/// The results of one worker's problems, in the order of its tasks.
#[derive(Default)]
pub(super) struct Output {
    /// New velocities.
    pub(super) velocities: Vec<(u32, Twist)>,
    /// The displacements of a correction, either made now or predicted by a solve for after the step.
    pub(super) corrections: Vec<(u32, Twist)>,
    /// New velocities in addition to these, if a correction pays for energy, ends motion, or turns spins.
    pub(super) paid: Vec<(u32, Twist)>,
    /// Bodies that turn within the step.
    pub(super) turns: Vec<(u32, Turn)>,
    /// Displacements over the step, of bodies that the solver moves itself.
    pub(super) displacements: Vec<(u32, Twist)>,
    /// Multipliers of all points of the solved edges, one edge after the other.
    pub(super) contacts: Vec<ContactImpulse>,
    /// The solved edges.
    pub(super) edges: Vec<SolvedEdge>,
    /// The stiffness that the solver used for contacts and rows, if it tells.
    pub(super) contact_stiffness: Vec<(u32, u32, [Real; 2])>,
    pub(super) joint_stiffness: Vec<(u32, u32, Real)>,
    /// The impulses of contacts if no time passes, by edge and point.
    pub(super) blows: Vec<(u32, u32, ContactImpulse)>,
    /// Multipliers by joint and place.
    pub(super) joints: Vec<(u32, u32, Real)>,
    /// Reactions by joint.
    pub(super) reactions: Vec<(u32, JointReaction)>,
    /// Joints of groups that are not to be solved again.
    pub(super) solved_once: Vec<u32>,
    /// Groups that a solve left at rest, and the solve's reports.
    pub(super) resting: Vec<(u32, SolveReport)>,
    /// Groups for which a solve predicted how their overlap will be removed, and the largest overlap that it predicted (m).
    pub(super) foreseen: Vec<u32>,
    pub(super) overlap: Real,
    /// Groups that a correction has not finished.
    pub(super) unfinished: Vec<u32>,
    /// The loads on bodies, as impulses of what stands on them.
    pub(super) loads: Vec<(u32, Wrench)>,
    pub(super) solve: SolveReport,
    pub(super) resolve: ResolveReport,
    /// The most multiplications that any of the problems took.
    pub(super) work: Real,
}

impl Output {
    pub(super) fn clear(&mut self) {
        self.velocities.clear();
        // room for all that may come, so that the first turn or blow after a long rest allocates nothing
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
        // room for all that may come
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

    /// Returns true if all multipliers are finite.
    pub(super) fn is_finite(&self) -> bool {
        self.contacts.iter().all(ContactImpulse::is_finite) && self.joints.iter().all(|(.., m)| m.is_finite())
    }

    /// The multipliers edge by edge: each edge with those of its points.
    pub(super) fn by_edge(&self) -> impl Iterator<Item = (&SolvedEdge, &[ContactImpulse])> {
        let mut rest = self.contacts.as_slice();
        self.edges.iter().map(move |edge| {
            let (own, others) = rest.split_at(edge.points as usize);
            rest = others;
            (edge, own)
        })
    }
}
