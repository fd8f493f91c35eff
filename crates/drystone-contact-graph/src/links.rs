use crate::buckets::Buckets;
use drystone_core::{Configuration, ContactGraph};

/// A way from one body to another.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Link {
    /// The other body, or the world node.
    pub(crate) to: u32,
    /// The edge slot, or [`Link::JOINT`].
    pub(crate) slot: u32,
}

impl Link {
    /// Marks a joint.
    pub(crate) const JOINT: u32 = u32::MAX;
}

/// Neighbours of each body by contacts and joints of the groups, one node more than bodies: the last is the world,
/// to which joints may hold.
#[derive(Debug, Clone, Default)]
pub(crate) struct Links {
    links: Buckets<Link>,
}

impl Links {
    pub(crate) fn collect(&mut self, configuration: &Configuration, graph: &ContactGraph) {
        let n = configuration.bodies.len();
        let world = n as u32;
        let contacts = graph.groups.edges.iter().map(|&slot| {
            let pair = graph.edges[slot as usize].pair;
            (pair.a.0, pair.b.0, slot)
        });
        let joints = graph.groups.joints.iter().map(|&k| {
            let [a, b] = configuration.joints[k as usize].bodies.map(|b| b.map_or(world, |b| b.0));
            (a, b, Link::JOINT)
        });
        let both =
            contacts.chain(joints).flat_map(|(a, b, slot)| [(a, Link { to: b, slot }), (b, Link { to: a, slot })]);
        self.links.fill(both, n + 1, Link { to: world, slot: Link::JOINT });
    }

    /// The neighbours of a node.
    pub(crate) fn of(&self, node: u32) -> &[Link] {
        self.links.get(node as usize)
    }
}
