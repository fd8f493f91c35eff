//! Which body belongs to which group: groups are identified by their members.

use super::data::WorldData;
use super::derived::Derived;
use drystone_core::{BodyIndex, BodyPair, ContactGraph, Groups, Scope, marked};

/// Extent of an operation: some bodies or all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Extent {
    /// Some bodies.
    #[default]
    Part,
    /// All bodies.
    Whole,
}

/// The number of bodies without a group.
const NO_GROUP: u32 = u32::MAX;

/// Which body belongs where.
#[derive(Default)]
pub(crate) struct Membership {
    /// The first bodies of the groups that are awake.
    pub(super) firsts: Vec<BodyIndex>,
    /// The group of each body; empty if it has not been needed since groups were formed.
    group_of: Vec<Option<u32>>,
    /// New numbers of groups, and which were awake under their old numbers, while groups are being joined.
    numbers: Vec<u32>,
    were_awake: Vec<bool>,
}

/// The unit with which a body moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Domain {
    /// A contact group, by its number.
    Group(u32),
    /// The body alone.
    Free(BodyIndex),
    /// Outside all of them: the body is not dynamic.
    Outside,
}

impl Membership {
    /// To be called after groups were formed: notes the first bodies of the awake ones. Which body belongs where is determined when it is needed.
    pub(super) fn note(&mut self, groups: &Groups) {
        self.firsts.clear();
        self.firsts.extend(marked(&groups.awake).filter_map(|g| groups.group_bodies(g).first().copied()));
        self.group_of.clear();
    }

    /// The table of groups by body, brought up to date.
    fn table(&mut self, data: &WorldData) -> &mut [Option<u32>] {
        let (groups, count) = (&data.graph.groups, data.state.len());
        if self.group_of.len() != count {
            self.group_of.clear();
            self.group_of.resize(count, None);
            for g in 0..groups.len() {
                for &body in groups.group_bodies(g) {
                    self.group_of[body.at()] = Some(g as u32);
                }
            }
        }
        &mut self.group_of
    }

    /// The number of a body's group, awake or not.
    fn group(&mut self, data: &WorldData, body: BodyIndex) -> Option<u32> {
        self.table(data).get(body.at()).copied().flatten()
    }

    /// The number of a body's group, if it is awake.
    pub(super) fn awake_group(&mut self, data: &WorldData, body: BodyIndex) -> Option<u32> {
        self.group(data, body).filter(|g| data.graph.groups.awake[*g as usize])
    }

    /// Returns true if a body belongs to no group.
    pub(super) fn is_free(&mut self, data: &WorldData, body: BodyIndex) -> bool {
        self.group(data, body).is_none()
    }

    /// The first body of a body's group, if it is awake.
    pub(super) fn first_of(&mut self, data: &WorldData, body: BodyIndex) -> Option<BodyIndex> {
        let group = self.awake_group(data, body)?;
        data.graph.groups.group_bodies(group as usize).first().copied()
    }

    /// The domain of a body: its group, the body itself if it is free, outside if it is not dynamic.
    pub(super) fn domain(&mut self, data: &WorldData, body: BodyIndex) -> Domain {
        if !data.configuration.body(body).is_dynamic() {
            return Domain::Outside;
        }
        self.group(data, body).map_or(Domain::Free(body), Domain::Group)
    }

    /// Returns true if the edge between two bodies belongs to a scope: it lies within the scope, or between it and
    /// something that is not dynamic.
    pub(super) fn covers(&mut self, data: &WorldData, scope: Scope, pair: BodyPair) -> bool {
        let domains = [self.domain(data, pair.a), self.domain(data, pair.b)];
        match scope {
            Scope::All => true,
            Scope::Pair(p) => p == pair,
            Scope::Body(body) => pair.a == body || pair.b == body,
            Scope::Free => domains.iter().all(|d| !matches!(d, Domain::Group(_))),
            Scope::With(body) => {
                let own = self.domain(data, body);
                own != Domain::Outside
                    && domains.contains(&own)
                    && domains.iter().all(|d| *d == own || *d == Domain::Outside)
            }
        }
    }

    /// Joins the groups of two bodies into one, which is then awake. A free body that joins one that is not dynamic is a group by itself.
    pub(super) fn join(&mut self, (data, derived): (&mut WorldData, &mut Derived), one: BodyIndex, other: BodyIndex) {
        let dynamic = [one, other].iter().filter(|b| data.configuration.body(**b).is_dynamic()).count();
        let labels = [one, other].map(|b| self.group(data, b));
        let is_joined = match dynamic {
            2 => labels[0].is_some() && labels[0] == labels[1],
            1 => labels.iter().any(Option::is_some),
            _ => true,
        };
        if is_joined || one == other {
            return;
        }
        // a number that no group has, in case both bodies are free
        let fresh = data.graph.groups.len() as u32;
        let label = labels[0].or(labels[1]).unwrap_or(fresh);
        let Self { group_of, numbers, .. } = self;
        numbers.clear();
        for (i, group) in group_of.iter_mut().enumerate() {
            let named = i == one.at() || i == other.at();
            let joins = named || group.is_some() && labels.contains(group);
            if joins && data.configuration.bodies[i].is_dynamic() {
                *group = Some(label);
                data.state.sleeping[i] = false;
                numbers.push(i as u32);
            }
        }
        derived.list_woken(numbers.iter().map(|i| BodyIndex(*i)));
        self.form_groups(data, label);
    }

    /// Forms groups from the table of which body belongs where; the group `awake` is awake.
    fn form_groups(&mut self, data: &mut WorldData, awake: u32) {
        let Self { group_of, numbers, were_awake, .. } = self;
        let WorldData { graph, configuration, state, .. } = data;
        were_awake.clone_from(&graph.groups.awake);
        graph.groups.awake.clear();
        // ordered by first body, as always
        numbers.clear();
        numbers.resize(were_awake.len() + 1, NO_GROUP);
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
                graph.groups.awake.push(old == awake || were_awake.get(old as usize).copied().unwrap_or(false));
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
        self.list_edges(data);
        self.note(&data.graph.groups);
    }

    /// Lists the edges with contacts of each group anew: those between its bodies, and those between these and bodies that are not dynamic.
    pub(super) fn list_edges(&mut self, data: &mut WorldData) {
        let group_of = self.table(data);
        let WorldData { graph, configuration, .. } = data;
        let ContactGraph { groups, order, edges, groups_edited, .. } = graph;
        *groups_edited = true;
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
}

/// Sorts items into groups, keeping their order within each; `starts` receives the beginning of each group, and the end.
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
