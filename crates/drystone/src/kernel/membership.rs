//! Who belongs to which group: groups are named by their members.

use super::data::WorldData;
use super::engine::Engine;
use drystone_core::{BodyIndex, BodyPair, ContactGraph, EdgeEntry};

/// Belongs to no group.
const NO_GROUP: u32 = u32::MAX;

/// Who belongs where.
#[derive(Default)]
pub(crate) struct Membership {
    /// The first bodies of the groups that are awake.
    pub(super) firsts: Vec<BodyIndex>,
    /// The group of each body; empty where nobody has asked since groups were formed.
    pub(super) group_of: Vec<Option<u32>>,
    /// Scratch: new numbers of groups.
    pub(super) numbers: Vec<u32>,
}

impl Engine {
    /// After groups were formed: the first bodies of those that are awake. Who belongs where is found out when somebody asks.
    pub(super) fn note_groups(&mut self) {
        let Self { data: WorldData { graph, .. }, members: Membership { firsts, .. }, .. } = self;
        firsts.clear();
        let awake = (0..graph.groups.len()).filter(|g| graph.groups.awake[*g]);
        firsts.extend(awake.filter_map(|g| graph.groups.group_bodies(g).first().copied()));
        self.members.group_of.clear();
    }

    /// Brings the table of groups by body up to date.
    pub(super) fn know_groups(&mut self) {
        if self.members.group_of.len() == self.data.state.len() {
            return;
        }
        let Self { data: WorldData { graph, state, .. }, members: Membership { group_of, .. }, .. } = self;
        group_of.clear();
        group_of.resize(state.len(), None);
        for g in 0..graph.groups.len() {
            for &body in graph.groups.group_bodies(g) {
                group_of[body.at()] = Some(g as u32);
            }
        }
    }

    /// The number of a body's group, if it is awake.
    pub(super) fn awake_group(&mut self, body: BodyIndex) -> Option<u32> {
        self.know_groups();
        self.members.group_of.get(body.at()).copied().flatten().filter(|g| self.data.graph.groups.awake[*g as usize])
    }

    /// Makes one group of those of two bodies; all of it is awake then.
    pub(super) fn join(&mut self, one: BodyIndex, other: BodyIndex) {
        let dynamic = [one, other].iter().all(|b| self.data.configuration.body(*b).is_dynamic());
        self.know_groups();
        let labels = [one, other].map(|b| self.members.group_of[b.at()]);
        if !dynamic || one == other || (labels[0].is_some() && labels[0] == labels[1]) {
            return;
        }
        // a number that no group has, for two free bodies
        let fresh = self.data.graph.groups.len() as u32;
        let label = labels[0].or(labels[1]).unwrap_or(fresh);
        for i in 0..self.members.group_of.len() {
            let group = self.members.group_of[i];
            let joins = i == one.at() || i == other.at() || (group.is_some() && labels.contains(&group));
            if joins {
                self.members.group_of[i] = Some(label);
                self.data.state.sleeping[i] = false;
            }
        }
        self.form_groups(label);
    }

    /// Groups by the table of who belongs where; that of `awake` is awake.
    fn form_groups(&mut self, awake: u32) {
        let Self {
            data: WorldData { graph, configuration, state, .. },
            members: Membership { group_of, numbers, .. },
            ..
        } = self;
        let former = core::mem::take(&mut graph.groups.awake);
        // by first body, as ever
        numbers.clear();
        numbers.resize(former.len() + 1, NO_GROUP);
        graph.groups.free.clear();
        for (i, group) in group_of.iter_mut().enumerate() {
            let Some(old) = *group else {
                if configuration.bodies[i].is_dynamic() {
                    graph.groups.free.push(BodyIndex::new(i));
                }
                continue;
            };
            if numbers[old as usize] == NO_GROUP {
                numbers[old as usize] = graph.groups.awake.len() as u32;
                graph.groups.awake.push(old == awake || former.get(old as usize).copied().unwrap_or(false));
            }
            *group = Some(numbers[old as usize]);
        }
        let count = graph.groups.awake.len();
        let bodies = || group_of.iter().enumerate().filter_map(|(i, g)| g.map(|g| (g, BodyIndex::new(i))));
        by_group(bodies, count, &mut graph.groups.body_starts, &mut graph.groups.bodies);
        let joints = || {
            let whole = (0..configuration.link_count()).filter(|k| !state.is_broken(*k));
            whole.filter_map(|k| {
                let bodies = configuration.link_bodies(k)?;
                let group = bodies.iter().flatten().filter_map(|b| group_of[b.at()]).min();
                group.map(|g| (g, k as u32))
            })
        };
        by_group(joints, count, &mut graph.groups.joint_starts, &mut graph.groups.joints);
        self.list_edges_of_groups();
        self.note_groups();
    }

    /// Lists the edges with contacts of each group anew, between its bodies and between these and what is not dynamic.
    pub(super) fn list_edges_of_groups(&mut self) {
        self.know_groups();
        let Self { data: WorldData { graph, configuration, .. }, members: Membership { group_of, .. }, .. } = self;
        let ContactGraph { groups, order, edges, .. } = graph;
        let group = |pair: BodyPair| {
            let of = |b: BodyIndex| (configuration.body(b).is_dynamic(), group_of[b.at()]);
            match [of(pair.a), of(pair.b)] {
                [(true, a), (true, b)] => a.filter(|_| a == b),
                [(true, a), _] => a,
                [_, (_, b)] => b,
            }
        };
        let held = || {
            let held = order.iter().filter(|e| !edges[e.slot as usize].manifold.points.is_empty());
            held.filter_map(|e| group(e.pair).map(|g| (g, e.slot)))
        };
        by_group(held, groups.awake.len(), &mut groups.edge_starts, &mut groups.edges);
    }

    /// Makes an edge for a pair whose boxes came to overlap since the last detection of all; nothing where there is one.
    pub(super) fn ensure_edge(&mut self, pair: BodyPair) {
        let (a, b) = (self.data.configuration.body(pair.a).material, self.data.configuration.body(pair.b).material);
        let material = self.data.configuration.materials.pair(a, b);
        match self.data.graph.order.binary_search_by_key(&pair, |e| e.pair) {
            Ok(k) => self.data.graph.edges[self.data.graph.order[k].slot as usize].overlapping = true,
            Err(k) => {
                let slot = self.data.graph.allocate(pair, material);
                self.data.graph.order.insert(k, EdgeEntry { pair, slot });
            }
        }
    }
}

/// Sorts items into groups, each in the order given; `starts` gets where each begins, and the end.
fn by_group<T: Copy, I: Iterator<Item = (u32, T)>>(
    items: impl Fn() -> I,
    count: usize,
    starts: &mut Vec<u32>,
    into: &mut Vec<T>,
) {
    starts.clear();
    starts.resize(count + 2, 0);
    items().for_each(|(group, _)| starts[group as usize + 2] += 1);
    for g in 2..starts.len() {
        starts[g] += starts[g - 1];
    }
    into.clear();
    let Some((_, first)) = items().next() else {
        starts.pop();
        return;
    };
    into.resize(starts[count + 1] as usize, first);
    for (group, item) in items() {
        let at = &mut starts[group as usize + 1];
        into[*at as usize] = item;
        *at += 1;
    }
    starts.pop();
}
