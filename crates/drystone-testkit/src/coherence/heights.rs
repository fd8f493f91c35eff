//! The expected stack heights and layers, found by relaxing equations until nothing changes.

use crate::GraphScene;
use drystone_core::{BodyIndex, StackLayers};
use drystone_math::{Real, Vec3};

/// Sine of the slope from which on a contact carries.
const CARRIES: Real = 0.1;

/// Definition of stack heights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heights {
    /// Contacts and joints on the shortest path to what is fixed.
    Shortest,
    /// One more than the highest of the bodies that carry a body, according to normals against gravity; the shortest path if nothing carries it.
    Carried,
}

/// Groups of bodies that joints tie to each other, each as one node; the world is the last node.
struct Nodes {
    of: Vec<usize>,
    /// Pairs of nodes, and whether the first carries the second.
    links: Vec<(usize, usize, bool)>,
}

impl Nodes {
    fn new(scene: &GraphScene) -> Self {
        let of = tied(scene);
        let world = of.len();
        let node = |b: Option<BodyIndex>| b.map_or(world, |b| of[b.at()]);
        let mut links = Vec::new();
        for &slot in &scene.graph.groups.edges {
            let edge = &scene.graph.edges[slot as usize];
            let [a, b] = [edge.pair.a, edge.pair.b].map(|b| node(Some(b)));
            let normal = edge.manifold.points.iter().fold(Vec3::ZERO, |s, p| s + p.normal[0]);
            let frame = scene.configuration.body(edge.pair.a).frame(&scene.state.pose(edge.pair.a));
            let rise = frame.direction(normal).normalize_or_zero().y;
            links.extend([(a, b, rise > CARRIES), (b, a, rise < -CARRIES)]);
        }
        for &k in &scene.graph.groups.joints {
            let [a, b] = scene.configuration.joints[k as usize].bodies.map(node);
            links.extend([(a, b, false), (b, a, false)]);
        }
        links.retain(|(a, b, _)| a != b);
        Self { of, links }
    }

    /// Zero for what is fixed; for all others one more than the smallest height among the neighbours.
    fn shortest(&self, scene: &GraphScene) -> Vec<u32> {
        let dynamic = |b: usize| scene.configuration.body(BodyIndex::new(b)).is_dynamic();
        let mut heights: Vec<u32> =
            (0..self.of.len()).map(|b| if dynamic(b) { StackLayers::NONE } else { 0 }).collect();
        heights.push(0);
        self.relax(|(from, to, _)| {
            let next = heights[from].saturating_add(1);
            let lower = heights[to] > next;
            heights[to] = heights[to].min(next);
            lower
        });
        heights
    }

    /// Matrix of carrying: true if a node carries another, directly or through others.
    fn carries(&self) -> Vec<Vec<bool>> {
        let n = self.of.len() + 1;
        let mut carries = vec![vec![false; n]; n];
        for &(from, to, carried) in &self.links {
            carries[from][to] |= carried;
        }
        for via in 0..n {
            for from in 0..n {
                for to in 0..n {
                    carries[from][to] |= carries[from][via] && carries[via][to];
                }
            }
        }
        carries
    }

    /// Applies a rule to all links until it changes nothing.
    fn relax(&self, mut rule: impl FnMut((usize, usize, bool)) -> bool) {
        while self.links.iter().fold(false, |any, link| rule(*link) | any) {}
    }
}

/// For each body, the first of the dynamic bodies that joints tie to it, found by spreading numbers until nothing changes.
fn tied(scene: &GraphScene) -> Vec<usize> {
    let mut first: Vec<usize> = (0..scene.state.len()).collect();
    let dynamic = |b: BodyIndex| scene.configuration.body(b).is_dynamic();
    loop {
        let before = first.clone();
        for &k in &scene.graph.groups.joints {
            if let [Some(a), Some(b)] = scene.configuration.joints[k as usize].bodies
                && dynamic(a)
                && dynamic(b)
            {
                let least = first[a.at()].min(first[b.at()]);
                (first[a.at()], first[b.at()]) = (least, least);
            }
        }
        if first == before {
            return first;
        }
    }
}

/// Checks that heights follow the rule, and that an edge's layer is the one in which its higher body is free.
pub(super) fn check_heights(scene: &GraphScene, rule: Heights, what: &str) {
    let layers = &scene.graph.layers;
    assert_eq!(layers.heights.len(), scene.state.len(), "{what}");
    let nodes = Nodes::new(scene);
    let shortest = nodes.shortest(scene);
    let carries = nodes.carries();
    for (i, &node) in nodes.of.iter().enumerate() {
        let found = layers.heights[i];
        let fixed = !scene.configuration.body(BodyIndex::new(i)).is_dynamic();
        if rule == Heights::Carried && !fixed && shortest[node] != StackLayers::NONE {
            // a ring of bodies that carry each other is cut somewhere
            if carries[node][node] {
                assert!(found > 0 && found != StackLayers::NONE, "{what}: height of body {i} in a ring");
                continue;
            }
            let height = |n: usize| layers.heights.get(n).copied().unwrap_or(0);
            let carriers = nodes.links.iter().filter(|(_, to, carried)| *to == node && *carried);
            let expected = carriers.map(|(from, ..)| height(*from) + 1).max().unwrap_or(shortest[node]);
            assert_eq!(found, expected, "{what}: height of body {i}");
            continue;
        }
        let expected = if fixed { 0 } else { shortest[node] };
        assert_eq!(found, expected, "{what}: height of body {i}");
    }
    for &slot in &scene.graph.groups.edges {
        let pair = scene.graph.edges[slot as usize].pair;
        let (a, b) = (layers.heights[pair.a.at()], layers.heights[pair.b.at()]);
        let none = [a, b].contains(&StackLayers::NONE);
        let expected = if none { StackLayers::NONE } else { a.max(b).saturating_sub(1) };
        assert_eq!(layers.edge_layers[slot as usize], expected, "{what}: layer of {pair:?}");
    }
}
