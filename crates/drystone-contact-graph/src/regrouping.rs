//! Contact groups after some bodies have moved: the groups of the others stay as they are.

use crate::buckets::{LEFT_OUT, fill};
use crate::union_find::UnionFind;
use drystone_core::{BodyIndex, Configuration, ContactGraph, EdgeEntry, Groups, Moving, make_room};

/// Regrouping of moving bodies.
///
/// # Cost
/// O(m log m) for the m bodies, edges and links of these groups, with a search among all groups for each body that moves. Lists of the other groups are copied as a
/// whole.
#[derive(Debug, Clone, Default)]
pub(crate) struct Regrouping {
    /// True if it has formed groups since all were formed.
    pub(crate) has_run: bool,
    /// True if it knows the present groups.
    is_current: bool,
    /// By body: the first body of its group; [`LEFT_OUT`] if it has none.
    first_of: Vec<u32>,
    /// By body: whether its group is being formed anew.
    is_taken: Vec<bool>,
    /// The groups that are formed anew, by their former numbers, and their bodies with the free ones that move, all ascending.
    taken: Vec<u32>,
    bodies: Vec<BodyIndex>,
    /// Their edges and links, ascending.
    edges: Vec<EdgeEntry>,
    links: Vec<u32>,
    sets: UnionFind,
    /// By body: whether it touches something or is linked, and the number of its group among the new ones.
    is_member: Vec<bool>,
    number: Vec<u32>,
    /// The first bodies of groups that are awake: scratch.
    firsts: Vec<u32>,
    /// The group of each item: scratch.
    keyed: Vec<(u32, u32)>,
    /// The new groups, and the list of all groups that is being made.
    new: Groups,
    all: Groups,
}

/// The number of the group that begins with a body, or else of the first one that begins behind it.
fn place(groups: &Groups, first: u32) -> Result<usize, usize> {
    let begins = |g: &u32| groups.bodies[*g as usize].0;
    groups.body_starts[..groups.len()].binary_search_by_key(&first, begins)
}

impl Regrouping {
    /// To be called when all groups were formed.
    pub(crate) fn forget(&mut self) {
        (self.has_run, self.is_current) = (false, false);
    }

    /// To be called before it is used: takes the groups of all bodies, if others have formed them.
    pub(crate) fn take(&mut self, groups: &Groups, count: usize) {
        if core::mem::replace(&mut self.is_current, true) {
            return;
        }
        self.first_of.clear();
        self.first_of.resize(count, LEFT_OUT);
        for g in 0..groups.len() {
            let bodies = groups.group_bodies(g);
            for body in bodies {
                self.first_of[body.at()] = bodies[0].0;
            }
        }
        self.is_taken.resize(count, false);
        self.is_member.resize(count, false);
        self.number.resize(count, LEFT_OUT);
        self.sets.reset(count);
        make_room(&mut self.taken, groups.len());
        make_room(&mut self.bodies, count);
    }

    /// Marks the groups of some bodies as awake.
    pub(crate) fn wake(&mut self, groups: &mut Groups, bodies: impl Iterator<Item = BodyIndex>) {
        let Self { first_of, is_taken, firsts, .. } = self;
        firsts.clear();
        for first in bodies.map(|body| first_of[body.at()]).filter(|first| *first != LEFT_OUT) {
            if !core::mem::replace(&mut is_taken[first as usize], true) {
                firsts.push(first);
            }
        }
        for first in firsts.iter().copied() {
            is_taken[first as usize] = false;
            if let Ok(g) = place(groups, first) {
                groups.awake[g] = true;
            }
        }
    }

    /// Forms the groups of the bodies that move anew, and of those that one of them touches or has touched, from the edges with contacts and such a body that there were
    /// and that there are.
    pub(crate) fn run(
        &mut self,
        configuration: &Configuration,
        moving: Moving<'_>,
        [touched, touching]: [&[EdgeEntry]; 2],
        graph: &mut ContactGraph,
    ) {
        self.has_run = true;
        let dynamic = |body: BodyIndex| configuration.body(body).is_dynamic();
        let ends = touched.iter().chain(touching).flat_map(|entry| [entry.pair.a, entry.pair.b]);
        self.take_bodies(moving.bodies.iter().copied().chain(ends).filter(|body| dynamic(*body)), &graph.groups);
        self.take_edges(&dynamic, (moving, touching), graph);
        self.connect(configuration, &dynamic);
        self.form(configuration, &dynamic, &graph.groups);
        self.merge(&graph.groups);
        core::mem::swap(&mut graph.groups, &mut self.all);
        for body in &self.bodies {
            let group = self.number[body.at()];
            self.is_taken[body.at()] = false;
            self.first_of[body.at()] =
                if group == LEFT_OUT { LEFT_OUT } else { self.new.group_bodies(group as usize)[0].0 };
        }
    }

    /// Lists the groups of some dynamic bodies, which are formed anew, all bodies of these, and those of the given ones that have none.
    fn take_bodies(&mut self, given: impl Iterator<Item = BodyIndex>, groups: &Groups) {
        let Self { first_of, is_taken, taken, bodies, .. } = self;
        taken.clear();
        bodies.clear();
        for body in given {
            let group = Some(first_of[body.at()]).filter(|first| *first != LEFT_OUT);
            let own = group.and_then(|first| place(groups, first).ok());
            let own = own.map_or(core::slice::from_ref(&body), |g| {
                if !is_taken[body.at()] {
                    taken.push(g as u32);
                }
                groups.group_bodies(g)
            });
            if !is_taken[body.at()] {
                for body in own {
                    is_taken[body.at()] = true;
                }
                bodies.extend_from_slice(own);
            }
        }
        taken.sort_unstable();
        bodies.sort_unstable();
    }

    /// Lists the edges and links of the bodies that are grouped anew.
    fn take_edges(
        &mut self,
        dynamic: &impl Fn(BodyIndex) -> bool,
        (moving, touching): (Moving<'_>, &[EdgeEntry]),
        graph: &ContactGraph,
    ) {
        let Self { taken, edges, links, .. } = self;
        edges.clear();
        links.clear();
        edges.extend(touching.iter().filter(|entry| dynamic(entry.pair.a) || dynamic(entry.pair.b)));
        for g in taken.iter().map(|g| *g as usize) {
            links.extend_from_slice(graph.groups.group_joints(g));
            // edges with a moving body were looked at, and their slots may belong to others by now
            let own = graph.groups.group_edges(g).iter();
            let own = own.map(|&slot| EdgeEntry { pair: graph.edges[slot as usize].pair, slot });
            edges.extend(own.filter(|entry| !moving.has(entry.pair)));
        }
        edges.sort_unstable();
        links.sort_unstable();
    }

    /// Joins the bodies of each edge and each link.
    fn connect(&mut self, configuration: &Configuration, dynamic: &impl Fn(BodyIndex) -> bool) {
        let Self { bodies, edges, links, sets, is_member, .. } = self;
        for body in bodies {
            sets.part(body.0);
            is_member[body.at()] = false;
        }
        let links = links.iter().filter_map(|link| configuration.link_bodies(*link as usize));
        let edges = edges.iter().map(|entry| [Some(entry.pair.a), Some(entry.pair.b)]);
        for ends in edges.chain(links) {
            let ends = ends.map(|end| end.filter(|body| dynamic(*body)));
            ends.iter().flatten().for_each(|body| is_member[body.at()] = true);
            if let [Some(a), Some(b)] = ends {
                sets.union(a.0, b.0);
            }
        }
    }

    /// Numbers the new groups by their first bodies, and fills in what belongs to them.
    fn form(&mut self, configuration: &Configuration, dynamic: &impl Fn(BodyIndex) -> bool, old: &Groups) {
        let Self { bodies, edges, links, sets, is_member, is_taken, number, keyed, new, all, .. } = self;
        let mut count = 0;
        new.free.clear();
        keyed.clear();
        for body in &*bodies {
            number[body.at()] = LEFT_OUT;
            if !is_member[body.at()] {
                new.free.push(*body);
                continue;
            }
            // the root is the smallest member, so it comes first
            let root = sets.find(body.0);
            if root == body.0 {
                number[body.at()] = count;
                count += 1;
            }
            number[body.at()] = number[root as usize];
            keyed.push((number[body.at()], body.0));
        }
        let (number, count) = (&*number, count as usize);
        let of_bodies = keyed.iter().map(|(group, body)| (*group, BodyIndex(*body)));
        fill(of_bodies, count, BodyIndex(0), &mut new.body_starts, &mut new.bodies);
        let group = |ends: [Option<BodyIndex>; 2]| {
            let own = ends.into_iter().flatten().filter(|body| dynamic(*body)).map(|body| number[body.at()]);
            own.min().unwrap_or(LEFT_OUT)
        };
        let of_edges = edges.iter().map(|entry| (group([Some(entry.pair.a), Some(entry.pair.b)]), entry.slot));
        fill(of_edges, count, 0, &mut new.edge_starts, &mut new.edges);
        let of_links =
            links.iter().map(|link| (group(configuration.link_bodies(*link as usize).unwrap_or_default()), *link));
        fill(of_links, count, 0, &mut new.joint_starts, &mut new.joints);
        new.awake.clear();
        new.awake.resize(count, false);

        all.clear();
        let mut free = new.free.iter().copied().peekable();
        for body in old.free.iter().filter(|body| !is_taken[body.at()]) {
            while let Some(new) = free.next_if(|new| new < body) {
                all.free.push(new);
            }
            all.free.push(*body);
        }
        all.free.extend(free);
    }

    /// Merges the new groups with those that stay as they are.
    fn merge(&mut self, old: &Groups) {
        let Self { taken, new, all, .. } = self;
        let mut done = 0;
        let mut taken = taken.iter().map(|g| *g as usize).peekable();
        let copy = |all: &mut Groups, from: &Groups, [first, end]: [usize; 2]| {
            let shift = |starts: &[u32], start: usize, into: &mut Vec<u32>| {
                into.extend(starts[first..end].iter().map(|s| s - starts[first] + start as u32));
                starts[first] as usize..starts[end] as usize
            };
            let bodies = shift(&from.body_starts, all.bodies.len(), &mut all.body_starts);
            all.bodies.extend_from_slice(&from.bodies[bodies]);
            let edges = shift(&from.edge_starts, all.edges.len(), &mut all.edge_starts);
            all.edges.extend_from_slice(&from.edges[edges]);
            let joints = shift(&from.joint_starts, all.joints.len(), &mut all.joint_starts);
            all.joints.extend_from_slice(&from.joints[joints]);
        };
        for k in 0..=new.len() {
            let next = if k < new.len() {
                let first = new.group_bodies(k)[0].0;
                place(old, first).unwrap_or_else(|behind| behind)
            } else {
                old.len()
            };
            while let Some(gone) = taken.next_if(|gone| *gone < next) {
                copy(all, old, [done, gone]);
                done = gone + 1;
            }
            copy(all, old, [done, next]);
            done = next;
            if k < new.len() {
                copy(all, new, [k, k + 1]);
            }
        }
        for (starts, end) in [
            (&mut all.body_starts, all.bodies.len()),
            (&mut all.edge_starts, all.edges.len()),
            (&mut all.joint_starts, all.joints.len()),
        ] {
            starts.push(end as u32);
        }
        all.awake.resize(all.body_starts.len() - 1, false);
    }
}
