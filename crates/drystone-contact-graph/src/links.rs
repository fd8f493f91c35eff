use crate::buckets::Buckets;
use crate::union_find::UnionFind;
use drystone_core::{Configuration, ContactGraph};

/// A connection from one body to another.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Link {
    /// The other body, or the world node.
    pub(crate) to: u32,
    /// The edge slot, or [`Link::JOINT`].
    pub(crate) slot: u32,
    /// True if the connection leads from the edge's body B to its body A.
    pub(crate) backwards: bool,
}

impl Link {
    /// Marks a joint.
    pub(crate) const JOINT: u32 = u32::MAX;

    /// The same connection, from its other end.
    pub(crate) fn back_to(self, from: u32) -> Self {
        Self { to: from, slot: self.slot, backwards: !self.backwards }
    }
}

/// Neighbours of each body by contacts and joints of the groups. There is one node more than there are bodies: the last is the world, to which joints may hold.
///
/// Dynamic bodies that joints tie to each other are one node, that of the first of them: none of them can be solved while
/// another is held.
#[derive(Debug, Clone, Default)]
pub(crate) struct Links {
    links: Buckets<Link>,
    tied: UnionFind,
}

impl Links {
    pub(crate) fn collect(&mut self, configuration: &Configuration, graph: &ContactGraph) {
        let n = configuration.bodies.len();
        let world = n as u32;
        let Self { links, tied } = self;
        tied.reset(n + 1);
        for &k in &graph.groups.joints {
            if let Some([Some(a), Some(b)]) = configuration.link_bodies(k as usize)
                && configuration.body(a).is_dynamic()
                && configuration.body(b).is_dynamic()
            {
                tied.union(a.0, b.0);
            }
        }
        let contacts = graph.groups.edges.iter().map(|&slot| {
            let pair = graph.edges[slot as usize].pair;
            (pair.a.0, pair.b.0, slot)
        });
        let joints = graph.groups.joints.iter().filter_map(|&k| {
            let [a, b] = configuration.link_bodies(k as usize)?.map(|b| b.map_or(world, |b| b.0));
            Some((a, b, Link::JOINT))
        });
        let roots: &UnionFind = tied;
        let nodes = contacts.chain(joints).map(|(a, b, slot)| (roots.root(a), roots.root(b), slot));
        let both = nodes.filter(|(a, b, _)| a != b).flat_map(|(a, b, slot)| {
            let way = Link { to: b, slot, backwards: false };
            [(a, way), (b, way.back_to(a))]
        });
        links.fill(both, n + 1, Link { to: world, slot: Link::JOINT, backwards: false });
    }

    /// The node that stands for a body.
    pub(crate) fn node(&self, body: u32) -> u32 {
        self.tied.root(body)
    }

    /// The neighbours of a node.
    pub(crate) fn of(&self, node: u32) -> &[Link] {
        self.links.get(node as usize)
    }
}
