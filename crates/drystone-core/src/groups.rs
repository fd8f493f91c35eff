use crate::BodyIndex;
use core::ops::Range;

/// Contact groups: dynamic bodies connected by contacts or joints, fixed and scripted bodies being insulators.
///
/// Flattened lists; group `g` owns `bodies[body_range(g)]` and so on. Bodies, edges and joints of a group are in
/// ascending order, groups in the order of their first body.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Groups {
    /// Dynamic bodies, group by group.
    pub bodies: Vec<BodyIndex>,
    /// Slots of touching edges, group by group, by pair.
    pub edges: Vec<u32>,
    /// Joints, and forces that act by rows, group by group: numbers of links ([`crate::Configuration::link_bodies`]).
    pub joints: Vec<u32>,
    /// One entry per group and one more: where its bodies begin.
    pub body_starts: Vec<u32>,
    /// First index of each group's edges.
    pub edge_starts: Vec<u32>,
    /// First index of each group's joints.
    pub joint_starts: Vec<u32>,
    /// True for each group that is simulated.
    pub awake: Vec<bool>,
    /// Dynamic bodies that touch nothing and are linked to nothing.
    pub free: Vec<BodyIndex>,
    /// By body: whether it is treated as fixed and at rest in its group; empty if none is.
    pub fixated: Vec<bool>,
}

impl Clone for Groups {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.clone_from(self);
        copy
    }

    /// Copies into the existing lists: no allocation if they are long enough.
    fn clone_from(&mut self, source: &Self) {
        self.bodies.clone_from(&source.bodies);
        self.edges.clone_from(&source.edges);
        self.joints.clone_from(&source.joints);
        self.body_starts.clone_from(&source.body_starts);
        self.edge_starts.clone_from(&source.edge_starts);
        self.joint_starts.clone_from(&source.joint_starts);
        self.awake.clone_from(&source.awake);
        self.free.clone_from(&source.free);
        self.fixated.clone_from(&source.fixated);
    }
}

impl Groups {
    /// Number of groups.
    pub fn len(&self) -> usize {
        self.awake.len()
    }

    /// Returns true if there is no group.
    pub fn is_empty(&self) -> bool {
        self.awake.is_empty()
    }

    /// The bodies of a group.
    pub fn group_bodies(&self, group: usize) -> &[BodyIndex] {
        &self.bodies[Self::range(&self.body_starts, group)]
    }

    /// The edge slots of a group.
    pub fn group_edges(&self, group: usize) -> &[u32] {
        &self.edges[Self::range(&self.edge_starts, group)]
    }

    /// The joints of a group.
    pub fn group_joints(&self, group: usize) -> &[u32] {
        &self.joints[Self::range(&self.joint_starts, group)]
    }

    /// Returns true if a body is treated as fixed and at rest.
    #[inline]
    pub fn is_fixated(&self, body: BodyIndex) -> bool {
        self.fixated.get(body.at()).copied().unwrap_or(false)
    }

    fn range(starts: &[u32], group: usize) -> Range<usize> {
        starts[group] as usize..starts[group + 1] as usize
    }

    /// Empties all lists and keeps their memory.
    pub fn clear(&mut self) {
        self.bodies.clear();
        self.edges.clear();
        self.joints.clear();
        self.body_starts.clear();
        self.edge_starts.clear();
        self.joint_starts.clear();
        self.awake.clear();
        self.free.clear();
        self.fixated.clear();
    }
}
