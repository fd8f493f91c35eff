//! The contact graph as the user sees it: the kinds of its nodes and edges.

use super::World;
use drystone_core::{
    BodyFrame, BodyId, BodyIndex, BodyKind, BodyPair, EdgeKind, Joint, JointMemory, NoSuchEdge, NodeKind, RowLimits,
};

/// A node of the contact graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GraphNode {
    /// A body, or a sensor: [`World::node_kind`] says which.
    Body(BodyId),
    /// Rigid bodies that are attached to each other without freedom, named by the first that was added.
    Composite(BodyId),
    /// The links of one mechanism, named by the first that was added.
    Multibody(BodyId),
    /// The rule that two bodies do not meet.
    Rule([BodyId; 2]),
}

/// An edge of the contact graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GraphEdge {
    /// The kind of relation.
    pub kind: EdgeKind,
    /// The two nodes: a rule, a container or a sensor comes first, otherwise the body that was added first.
    pub nodes: [GraphNode; 2],
}

/// Which bodies are held together by joints, and how.
struct Attachments {
    /// For each body, whether a joint with some freedom holds it: it is then a link.
    linked: Vec<bool>,
    /// For each body, whether a joint without freedom holds it.
    attached: Vec<bool>,
    /// For each body, the first of the moving bodies that joints connect it with.
    first: Vec<usize>,
}

impl World {
    /// The kind of a body's node; `None` for a body that is not in the graph, because it does not exist or is passive.
    ///
    /// A dynamic body is a link as soon as a joint with some freedom holds it.
    ///
    /// # Source
    /// H-02, thesis Table 5.1.
    pub fn node_kind(&self, body: BodyId) -> Option<NodeKind> {
        let index = self.index(body).ok()?;
        self.kind_of(&self.attachments(), index)
    }

    /// The edges of the contact graph as of the last step, in this order: physical ones (bodies close to each other), geometrical ones (bodies within sensors),
    /// structural ones (which body is part of which composite or multibody) and logical ones (rules).
    ///
    /// # Cost
    /// A pass over bodies, joints and edges: meant for inspection, not for every step.
    ///
    /// # Source
    /// H-03, thesis Table 5.2.
    pub fn graph_edges(&self) -> Vec<GraphEdge> {
        let held = self.attachments();
        let data = self.engine.data();
        let mut edges = Vec::new();
        let id = |b: BodyIndex| GraphNode::Body(self.body_ids[b.at()]);
        for edge in data.graph.iter().filter(|e| e.overlapping) {
            let BodyPair { a, b } = edge.pair;
            edges.extend(self.joined(&held, edge.pair).map(|kind| GraphEdge { kind, nodes: [id(a), id(b)] }));
        }
        let sensed = self.sensed().map(|ids| ids.map(GraphNode::Body));
        edges.extend(sensed.map(|nodes| GraphEdge { kind: EdgeKind::Geometrical, nodes }));
        for (i, &body) in self.body_ids.iter().enumerate() {
            let first = self.body_ids[held.first[i]];
            let node = match self.kind_of(&held, BodyIndex::new(i)) {
                Some(NodeKind::Rigid) if held.attached[i] => GraphNode::Composite(first),
                Some(NodeKind::Link) => GraphNode::Multibody(first),
                _ => continue,
            };
            edges.push(GraphEdge { kind: EdgeKind::Structural, nodes: [node, GraphNode::Body(body)] });
        }
        for pair in data.configuration.ignored_pairs.iter() {
            let rule = GraphNode::Rule([pair.a, pair.b].map(|b| self.body_ids[b.at()]));
            for body in [pair.a, pair.b] {
                let kind = self.kind_of(&held, body).and_then(|k| EdgeKind::between(NodeKind::Rule, k).ok());
                edges.extend(kind.map(|kind| GraphEdge { kind, nodes: [rule, id(body)] }));
            }
        }
        edges
    }

    /// The kind of edge that two bodies, as they are now, would have between them. `None` if one of them is not in the graph.
    ///
    /// # Errors
    /// [`NoSuchEdge`] if there is none: between two fixed bodies, two scripted ones or two sensors.
    pub fn edge_kind(&self, one: BodyId, other: BodyId) -> Option<Result<EdgeKind, NoSuchEdge>> {
        Some(EdgeKind::between(self.node_kind(one)?, self.node_kind(other)?))
    }

    fn joined(&self, held: &Attachments, pair: BodyPair) -> Option<EdgeKind> {
        EdgeKind::between(self.kind_of(held, pair.a)?, self.kind_of(held, pair.b)?).ok()
    }

    fn kind_of(&self, held: &Attachments, index: BodyIndex) -> Option<NodeKind> {
        let body = self.engine.data().configuration.body(index);
        match body.kind {
            BodyKind::Passive => None,
            _ if body.sensor => Some(NodeKind::Trigger),
            BodyKind::Fixed => Some(NodeKind::Fixed),
            BodyKind::Scripted => Some(NodeKind::Scripted),
            BodyKind::Dynamic if held.linked[index.at()] => Some(NodeKind::Link),
            BodyKind::Dynamic => Some(NodeKind::Rigid),
        }
    }

    fn attachments(&self) -> Attachments {
        let data = self.engine.data();
        let n = data.configuration.bodies.len();
        let mut held = Attachments { linked: vec![false; n], attached: vec![false; n], first: (0..n).collect() };
        for (k, joint) in data.configuration.joints.iter().enumerate().filter(|(k, _)| !data.state.is_broken(*k)) {
            let frames = joint.bodies.map(|b| data.state.body_frame(b));
            let free = !is_attachment(joint, &frames, &data.state.joint_memory, k);
            let moving = |b: &BodyIndex| data.configuration.body(*b).is_dynamic();
            for b in joint.bodies.iter().flatten().filter(|b| moving(b)) {
                held.linked[b.at()] |= free;
                held.attached[b.at()] |= !free;
            }
            if let [Some(a), Some(b)] = joint.bodies
                && moving(&a)
                && moving(&b)
            {
                let (a, b) = (held.first[a.at()], held.first[b.at()]);
                let (least, other) = (a.min(b), a.max(b));
                held.first.iter_mut().filter(|f| **f == other).for_each(|f| *f = least);
            }
        }
        held
    }
}

/// Returns true if a joint leaves its bodies no freedom: it has six rows that hold against any force.
fn is_attachment(joint: &Joint, frames: &[BodyFrame; 2], memory: &JointMemory, place: usize) -> bool {
    let mut rows = Vec::new();
    joint.source.rows([&frames[0], &frames[1]], memory.of(place), &mut rows);
    let holds = |r: &&drystone_core::ConstraintRow| {
        r.correctable && r.limits == RowLimits::BILATERAL && !r.softness.is_soft() && r.target == 0.0
    };
    rows.iter().filter(holds).count() == 6
}
