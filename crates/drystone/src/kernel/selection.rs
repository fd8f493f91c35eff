//! Contents of a scope: bodies, groups, edges.

use super::data::WorldData;
use super::membership::Membership;
use super::task::Task;
use drystone_core::{BodyIndex, BodyPair, Scope, marked};

/// The lists of the present verb. They are not part of the engine, so that a verb can iterate over one while it changes the world.
#[derive(Default)]
pub(crate) struct Selection {
    /// The bodies that it acts on.
    pub(super) bodies: Vec<BodyIndex>,
    /// Those among them that nothing holds, or the bodies of a layer.
    pub(super) few: Vec<BodyIndex>,
    /// The tasks that it solves.
    pub(super) tasks: Vec<Task>,
    /// The tasks that it solves in one layer.
    pub(super) layer: Vec<Task>,
    /// The edges that it examines, by slot.
    pub(super) edges: Vec<u32>,
    /// By slot: whether the edge is among these.
    pub(super) marked: Vec<bool>,
}

/// Lists the bodies that a verb moves: awake bodies of the scope. All that may be awake are given.
pub(super) fn select_bodies(
    data: &WorldData,
    awake: &[BodyIndex],
    members: &mut Membership,
    scope: Scope,
    into: &mut Vec<BodyIndex>,
) {
    let WorldData { configuration, state, graph, .. } = data;
    let moves = |b: BodyIndex| configuration.body(b).is_dynamic() && !state.sleeping[b.at()];
    into.clear();
    match scope {
        Scope::All => {
            into.extend(awake.iter().filter(|b| !state.sleeping[b.at()]));
            let all = || (0..state.len()).map(BodyIndex::new).filter(|b| moves(*b));
            debug_assert!(all().eq(into.iter().copied()));
        }
        Scope::With(body) => match members.awake_group(data, body) {
            Some(g) => into.extend_from_slice(graph.groups.group_bodies(g as usize)),
            None => into.extend(Some(body).filter(|b| moves(*b) && members.is_free(data, *b))),
        },
        Scope::Body(body) => into.extend(Some(body).filter(|b| moves(*b))),
        Scope::Pair(pair) => into.extend([pair.a, pair.b].into_iter().filter(|b| moves(*b))),
        Scope::Free => into.extend(graph.groups.free.iter().filter(|b| !state.sleeping[b.at()])),
    }
}

/// Lists the groups that a scope covers, as tasks.
pub(super) fn select_groups(data: &WorldData, members: &mut Membership, scope: Scope, into: &mut Vec<Task>) {
    into.clear();
    match scope {
        Scope::With(body) => into.extend(members.awake_group(data, body).map(Task::Group)),
        Scope::Pair(pair) => {
            let held = |slot: &u32| !data.graph.edges[*slot as usize].manifold.points.is_empty();
            into.extend(data.slot(pair).filter(held).map(Task::Edge));
        }
        Scope::Free | Scope::Body(_) => {}
        Scope::All => {
            into.extend(marked(&data.graph.groups.awake).map(|g| Task::Group(g as u32)));
        }
    }
}

/// Lists the edges of a scope that must be examined again: those with a body that can move.
pub(super) fn select_edges(data: &WorldData, members: &mut Membership, scope: Scope, into: &mut Vec<u32>) {
    let WorldData { configuration, state, graph, .. } = data;
    let moves = |pair: BodyPair| {
        [pair.a, pair.b].iter().any(|b| configuration.body(*b).is_dynamic() && !state.sleeping[b.at()])
    };
    let near = |slot: u32| graph.edges[slot as usize].overlapping;
    into.clear();
    if let Scope::Pair(pair) = scope {
        into.extend(data.slot(pair).filter(|slot| near(*slot) && moves(pair)));
        return;
    }
    for entry in &graph.order {
        if near(entry.slot) && members.covers(data, scope, entry.pair) && moves(entry.pair) {
            into.push(entry.slot);
        }
    }
}
