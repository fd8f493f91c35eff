use crate::buckets::{LEFT_OUT, fill};
use crate::regrouping::Regrouping;
use crate::touching::TouchingEdges;
use crate::union_find::UnionFind;
use drystone_core::{BodyIndex, BodyKind, BodyProperties, ContactGraph, EdgeEntry, FrameView, Groups, Moving};
use drystone_math::Twist;

/// Finds the contact groups: connected components over edges with contact points and over joints.
///
/// # Source
/// H-11, H-20, H-21, H-25, H-27; Erleben 2005, Figures 5.7 and 5.8. Differs in: union-find instead of a recursive
/// traversal, whose depth grows with the pile.
#[derive(Debug, Clone, Default)]
pub(crate) struct GroupFinder {
    /// Contacts between two sleepy bodies are left out ("coloured black").
    subgroup: bool,
    /// Sleepy bodies are taken as fixed.
    fixate: bool,
    /// All bodies that touch or hang on something are one group.
    one_group: bool,
    sets: UnionFind,
    /// The joints and forces by rows from which the sets were made, and what they join.
    links: Vec<(usize, [Option<BodyIndex>; 2])>,
    /// By body: whether it is dynamic.
    dynamic: Vec<bool>,
    touching: TouchingEdges,
    member: Vec<bool>,
    /// Group of each body.
    group_of: Vec<u32>,
    /// Group of each edge with contacts, in the order of the graph, and its slot.
    edge_groups: Vec<(u32, u32)>,
    /// Group of each joint that is whole, and of each force that acts by rows.
    joint_groups: Vec<(u32, u32)>,
    awake: Vec<bool>,
    /// The groups that were found last among all bodies.
    made: Groups,
    regrouping: Regrouping,
    /// The joints that had broken when groups were formed.
    broken: Vec<u32>,
    /// The links, by their place among `links`, with a body that is moved from outside.
    driven: Vec<usize>,
}

impl GroupFinder {
    pub(crate) fn new(subgroup: bool, fixate: bool, one_group: bool) -> Self {
        Self { subgroup, fixate, one_group, ..Self::default() }
    }

    /// Returns true if groups depend on which bodies are sleepy.
    pub(crate) fn watches_sleep(&self) -> bool {
        self.subgroup || self.fixate
    }

    pub(crate) fn run(&mut self, frame: FrameView<'_>, graph: &mut ContactGraph) {
        if let Some(moving) = who_moves(frame, graph).filter(|moving| self.knows_rest(frame, graph, *moving)) {
            return self.regroup(frame, moving, graph);
        }
        if self.connect(frame, graph) && self.has_made(&graph.groups) {
            self.look_who_is_awake(frame, graph);
        } else {
            self.sort_into_groups(frame, graph);
            self.made.clone_from(&graph.groups);
            self.regrouping.forget();
            self.broken.clone_from(&frame.state.broken_joints);
        }
        graph.groups_edited = false;
        self.find_awake(frame, graph);
        graph.groups.fixated.clear();
        if self.fixate {
            let bodies = frame.configuration.bodies.iter().zip(&frame.state.sleepy);
            graph.groups.fixated.extend(bodies.map(|(body, sleepy)| body.is_dynamic() && *sleepy));
        }
    }

    /// Returns true if the groups of bodies that do not move are still those that were formed. If most bodies move, all
    /// groups are formed anew.
    fn knows_rest(&self, frame: FrameView<'_>, graph: &ContactGraph, moving: Moving<'_>) -> bool {
        let n = frame.configuration.bodies.len();
        let has_formed = self.dynamic.len() == n && graph.groups.body_starts.len() == graph.groups.len() + 1;
        has_formed
            && 2 * moving.bodies.len() < n
            && !graph.groups_edited
            && !self.watches_sleep()
            && !self.one_group
            && self.broken == frame.state.broken_joints
    }

    /// Forms the groups of moving bodies anew if they touch others than before, and finds which groups are awake.
    fn regroup(&mut self, frame: FrameView<'_>, moving: Moving<'_>, graph: &mut ContactGraph) {
        let FrameView { configuration, state, .. } = frame;
        self.regrouping.take(&graph.groups, configuration.bodies.len());
        if !self.touching.list_moving(moving, graph) {
            self.regrouping.run(configuration, moving, self.touching.moving(), graph);
        }
        let groups = &mut graph.groups;
        groups.awake.fill(false);
        let awake = moving.bodies.iter().copied().filter(|body| self.dynamic[body.at()] && !state.sleeping[body.at()]);
        self.regrouping.wake(groups, awake);
        let runs = |body: BodyIndex| {
            configuration.body(body).kind == BodyKind::Scripted && state.velocity(body) != Twist::ZERO
        };
        if !moving.bodies.iter().any(|body| runs(*body)) {
            return;
        }
        let [_, touching] = self.touching.moving();
        let touched = touching.iter().map(|entry| [Some(entry.pair.a), Some(entry.pair.b)]);
        let linked = self.driven.iter().map(|k| self.links[*k].1);
        let driven = touched.chain(linked).filter(|ends| ends.iter().flatten().any(|body| runs(*body)));
        self.regrouping.wake(groups, driven.flatten().flatten());
    }

    /// Returns true if groups are those that were found last, except for which are awake.
    fn has_made(&self, groups: &Groups) -> bool {
        let Groups { bodies, edges, joints, body_starts, edge_starts, joint_starts, free, .. } = &self.made;
        *bodies == groups.bodies
            && *edges == groups.edges
            && *joints == groups.joints
            && *body_starts == groups.body_starts
            && *edge_starts == groups.edge_starts
            && *joint_starts == groups.joint_starts
            && *free == groups.free
    }

    /// Finds which groups are awake, if the groups of contacts are those of the call before.
    fn look_who_is_awake(&mut self, frame: FrameView<'_>, graph: &ContactGraph) {
        self.awake.fill(false);
        if let Some(moving) = who_moves(frame, graph) {
            for &body in moving.bodies.iter().filter(|body| self.group_of[body.at()] != LEFT_OUT) {
                self.awake[self.group_of[body.at()] as usize] |= !frame.state.sleeping[body.at()];
            }
            return;
        }
        for (group, asleep) in self.group_of.iter().zip(&frame.state.sleeping).filter(|(group, _)| **group != LEFT_OUT)
        {
            self.awake[*group as usize] |= !asleep;
        }
    }

    /// Fills in bodies, edges and joints of the groups.
    fn sort_into_groups(&mut self, frame: FrameView<'_>, graph: &mut ContactGraph) {
        let n = frame.configuration.bodies.len();
        self.number(frame, graph);

        // bodies: group by group, each ascending
        let groups = &mut graph.groups;
        let count = self.awake.len();
        let bodies = (0..n).map(|i| (self.group_of[i], BodyIndex::new(i)));
        fill(bodies, count, BodyIndex(0), &mut groups.body_starts, &mut groups.bodies);

        // edges and joints: to the group of their first dynamic body
        self.edge_groups.clear();
        for e in self.touching.entries() {
            let (a, b) = (self.group_of[e.pair.a.at()], self.group_of[e.pair.b.at()]);
            let black = a != LEFT_OUT && b != LEFT_OUT && a != b;
            self.edge_groups
                .push((if black || self.is_black(frame, e.pair.a, e.pair.b) { LEFT_OUT } else { a.min(b) }, e.slot));
        }
        fill(self.edge_groups.iter().copied(), count, 0, &mut groups.edge_starts, &mut groups.edges);
        self.joint_groups.clear();
        for (k, bodies) in self.links.iter().copied() {
            let group = bodies.iter().flatten().map(|b| self.group_of[b.at()]).min().unwrap_or(LEFT_OUT);
            self.joint_groups.push((group, k as u32));
        }
        fill(self.joint_groups.iter().copied(), count, 0, &mut groups.joint_starts, &mut groups.joints);
    }

    /// Joins the bodies of each contact and each joint; fixed and scripted bodies are insulators. If the same bodies touch as in the call before, and the same
    /// joints hold, the sets are unchanged. Returns whether that is so.
    fn connect(&mut self, frame: FrameView<'_>, graph: &ContactGraph) -> bool {
        let n = frame.configuration.bodies.len();
        let dynamic = frame.configuration.bodies.iter().map(BodyProperties::is_dynamic);
        let mut known = !self.regrouping.has_run && !self.subgroup && !self.one_group;
        if !whole_links(frame).eq(self.links.iter().copied()) {
            self.links.clear();
            self.links.extend(whole_links(frame));
            known = false;
        }
        if let Some(moving) = who_moves(frame, graph).filter(|_| self.dynamic.len() == n) {
            known &= self.touching.list_moving(moving, graph);
        } else {
            known &= dynamic.clone().eq(self.dynamic.iter().copied());
            if !known {
                self.dynamic.clear();
                self.dynamic.extend(dynamic);
            }
            known &= self.touching.list(frame, graph);
        }
        if known {
            return true;
        }
        self.sets.reset(n);
        self.member.clear();
        self.member.resize(n, false);
        for e in self.touching.entries() {
            let (a, b) = (e.pair.a, e.pair.b);
            let [moves_a, moves_b] = [a, b].map(|body| self.dynamic[body.at()]);
            // a body whose contacts are all black is a group of its own, not a free body
            self.member[a.at()] |= moves_a;
            self.member[b.at()] |= moves_b;
            if moves_a && moves_b && !self.is_black(frame, a, b) {
                self.sets.union(a.0, b.0);
            }
        }
        let dynamic = |b: BodyIndex| frame.configuration.body(b).is_dynamic();
        for (_, bodies) in self.links.iter().copied() {
            for b in bodies.into_iter().flatten() {
                self.member[b.at()] |= dynamic(b);
            }
            if let [Some(a), Some(b)] = bodies
                && dynamic(a)
                && dynamic(b)
            {
                self.sets.union(a.0, b.0);
            }
        }
        if self.one_group
            && let Some(first) = self.member.iter().position(|m| *m)
        {
            for i in (first..n).filter(|i| self.member[*i]) {
                self.sets.union(first as u32, i as u32);
            }
        }
        false
    }

    fn is_black(&self, frame: FrameView<'_>, a: BodyIndex, b: BodyIndex) -> bool {
        self.subgroup && frame.state.sleepy[a.at()] && frame.state.sleepy[b.at()]
    }

    /// Numbers the groups by their first body and collects the free bodies.
    fn number(&mut self, frame: FrameView<'_>, graph: &mut ContactGraph) {
        let n = frame.configuration.bodies.len();
        graph.groups.free.clear();
        self.group_of.clear();
        self.group_of.resize(n, LEFT_OUT);
        self.awake.clear();
        for (i, dynamic) in self.dynamic.iter().enumerate() {
            if !self.member[i] {
                if *dynamic {
                    graph.groups.free.push(BodyIndex::new(i));
                }
                continue;
            }
            let root = self.sets.find(i as u32) as usize;
            // the root is the smallest member, so it comes first
            if root == i {
                self.group_of[i] = self.awake.len() as u32;
                self.awake.push(false);
            } else {
                self.group_of[i] = self.group_of[root];
            }
            let rests = frame.state.sleeping[i] || (self.subgroup && frame.state.sleepy[i]);
            self.awake[self.group_of[i] as usize] |= !rests;
        }
    }

    /// A group is awake if a body of it is, or if a scripted body that it touches or hangs on moves.
    fn find_awake(&mut self, frame: FrameView<'_>, graph: &mut ContactGraph) {
        let moving = |b: BodyIndex| {
            frame.configuration.body(b).kind == BodyKind::Scripted && frame.state.velocity(b) != Twist::ZERO
        };
        let mut kinds = frame.configuration.bodies.iter().map(|b| b.kind);
        let has_scripts = match frame.moving {
            // a scripted body always may move
            Some(moving) => moving.bodies.iter().any(|b| frame.configuration.body(*b).kind == BodyKind::Scripted),
            None => kinds.any(|kind| kind == BodyKind::Scripted),
        };
        self.driven.clear();
        if !has_scripts {
            graph.groups.awake.clone_from(&self.awake);
            return;
        }
        let is_scripted = |body: &BodyIndex| frame.configuration.body(*body).kind == BodyKind::Scripted;
        let driven = self.links.iter().enumerate().filter(|(_, (_, ends))| ends.iter().flatten().any(is_scripted));
        self.driven.extend(driven.map(|(k, _)| k));
        for (&(group, _), EdgeEntry { pair, .. }) in self.edge_groups.iter().zip(self.touching.entries()) {
            if group != LEFT_OUT {
                self.awake[group as usize] |= moving(pair.a) || moving(pair.b);
            }
        }
        for &(group, k) in self.joint_groups.iter().filter(|(group, _)| *group != LEFT_OUT) {
            let bodies = frame.configuration.link_bodies(k as usize).unwrap_or_default();
            let moved = bodies.into_iter().flatten().any(moving);
            self.awake[group as usize] |= moved;
        }
        graph.groups.awake.clone_from(&self.awake);
    }
}

/// The bodies that move, if no edge between two others was looked at.
fn who_moves<'a>(frame: FrameView<'a>, graph: &ContactGraph) -> Option<Moving<'a>> {
    frame.moving.filter(|_| graph.knows_moving)
}

/// The joints that are not broken and the forces that act by rows, each with its number among the links.
fn whole_links(frame: FrameView<'_>) -> impl Iterator<Item = (usize, [Option<BodyIndex>; 2])> {
    let FrameView { configuration, state, .. } = frame;
    (0..configuration.link_count())
        .filter(move |&k| !state.is_broken(k))
        .filter_map(move |k| Some((k, configuration.link_bodies(k)?)))
}
