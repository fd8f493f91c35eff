//! Kinds of nodes of a contact graph, and the edges allowed between them (thesis Tables 5.1 and 5.2).

use thiserror::Error;

/// Kind of object at a node of the contact graph.
///
/// # Source
/// H-02, thesis Table 5.1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum NodeKind {
    /// A body that forces and impulses move, and no joint holds.
    Rigid,
    /// A body that never moves.
    Fixed,
    /// A body of a jointed mechanism.
    Link,
    /// A body that moves by a script or by the user.
    Scripted,
    /// Rigid bodies that are attached to each other without freedom.
    Composite,
    /// Links and the joints between them.
    Multibody,
    /// A rule about which bodies meet.
    Rule,
    /// A volume that is notified of what enters it.
    Trigger,
    /// A timer, which depends on time alone; it has no edges.
    Timer,
}

/// Purpose of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeCategory {
    /// They meet each other.
    Physical,
    /// They are made of others.
    Container,
    /// They have consequences but no influence on motion.
    Logical,
}

impl NodeKind {
    /// All of them, in the order of the table.
    pub const ALL: [Self; 9] = [
        Self::Rigid,
        Self::Fixed,
        Self::Link,
        Self::Scripted,
        Self::Composite,
        Self::Multibody,
        Self::Rule,
        Self::Trigger,
        Self::Timer,
    ];

    /// Purpose of the node.
    pub fn category(self) -> NodeCategory {
        match self {
            Self::Rigid | Self::Fixed | Self::Link | Self::Scripted => NodeCategory::Physical,
            Self::Composite | Self::Multibody => NodeCategory::Container,
            Self::Rule | Self::Trigger | Self::Timer => NodeCategory::Logical,
        }
    }
}

/// Relation between the two nodes of an edge.
///
/// # Source
/// H-03, thesis Table 5.2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum EdgeKind {
    /// A rule applies to the body; set by the user.
    Logical,
    /// The body is part of the container; set by the user.
    Structural,
    /// The body is within the trigger; found by detection.
    Geometrical,
    /// The bodies are close to each other; found by detection.
    Physical,
}

/// Two nodes that no edge joins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a contact graph has no edge between a {one:?} and a {other:?} node")]
pub struct NoSuchEdge {
    /// One of them.
    pub one: NodeKind,
    /// The other.
    pub other: NodeKind,
}

impl EdgeKind {
    /// Kind of the edge between two nodes, in either order.
    ///
    /// # Errors
    /// [`NoSuchEdge`] for a pair that is not in the table, such as two fixed bodies.
    pub fn between(one: NodeKind, other: NodeKind) -> Result<Self, NoSuchEdge> {
        use NodeKind::{Composite, Fixed, Link, Multibody, Rigid, Rule, Scripted, Trigger};
        // in the order of the enumeration, so that each pair stands once
        match (one.min(other), one.max(other)) {
            (Rigid | Fixed | Link | Scripted, Rule) => Ok(Self::Logical),
            (Rigid, Composite) | (Link, Multibody) => Ok(Self::Structural),
            (Rigid | Fixed | Link | Scripted, Trigger) => Ok(Self::Geometrical),
            (Rigid, Rigid | Fixed | Link | Scripted) | (Fixed, Link) | (Link, Link | Scripted) => Ok(Self::Physical),
            _ => Err(NoSuchEdge { one, other }),
        }
    }

    /// True if the user sets such edges, before the simulation or between its steps; detection finds the others.
    pub fn is_static(self) -> bool {
        matches!(self, Self::Logical | Self::Structural)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Table 5.2, counted by hand: four logical, two structural, four geometrical and seven physical pairs of the 45.
    #[test]
    fn an_edge_joins_what_the_table_lists_and_nothing_else() {
        let mut count = [0; 4];
        let mut refused = 0;
        for (i, &one) in NodeKind::ALL.iter().enumerate() {
            for &other in &NodeKind::ALL[i..] {
                assert_eq!(EdgeKind::between(one, other).ok(), EdgeKind::between(other, one).ok());
                match EdgeKind::between(one, other) {
                    Ok(kind) => count[kind as usize] += 1,
                    Err(refusal) => {
                        assert_eq!(refusal, NoSuchEdge { one, other });
                        refused += 1;
                    }
                }
            }
        }
        assert_eq!((count, refused), ([4, 2, 4, 7], 28));
        let refusal = EdgeKind::between(NodeKind::Fixed, NodeKind::Fixed).unwrap_err();
        assert_eq!(refusal.to_string(), "a contact graph has no edge between a Fixed and a Fixed node");
        assert!(NodeKind::ALL.iter().all(|&k| EdgeKind::between(NodeKind::Timer, k).is_err()));
    }

    #[test]
    fn categories_are_those_of_the_table() {
        let of = |c| NodeKind::ALL.iter().filter(|k| k.category() == c).count();
        assert_eq!([NodeCategory::Physical, NodeCategory::Container, NodeCategory::Logical].map(of), [4, 2, 3]);
    }
}
