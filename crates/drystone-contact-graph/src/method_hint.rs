use drystone_core::{BodyIndex, ContactGraph, Edge, FrameView};
use drystone_math::Real;

/// Which kind of method suits a contact group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MethodHint {
    /// One impulse after the other: few bodies, contacts that collide.
    Impulse,
    /// Simultaneous constraints: many bodies, or contacts that last.
    Constraint,
}

/// Tells which method suits a group, from its size and from how its contacts move.
///
/// # Source
/// H-36, H-38; Erleben 2005, section 5.7: ideas there, without an algorithm. The relative velocities are
/// computed from the state instead of being kept in the edges.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SwitchCriterion {
    /// Groups of more dynamic bodies than this suit constraints, however they move.
    pub bodies: usize,
    /// Normal speed (m/s) up to which a contact counts as lasting.
    pub speed: Real,
}

impl Default for SwitchCriterion {
    /// Ten bodies; 0.1 m/s.
    fn default() -> Self {
        Self { bodies: 10, speed: 0.1 }
    }
}

impl SwitchCriterion {
    /// The hint for a group of the last detection.
    pub fn hint(&self, frame: FrameView<'_>, graph: &ContactGraph, group: usize) -> MethodHint {
        if graph.groups.group_bodies(group).len() > self.bodies {
            return MethodHint::Constraint;
        }
        let mut edges = graph.groups.group_edges(group).iter().map(|e| &graph.edges[*e as usize]);
        if edges.any(|e| normal_speed(frame, e) > self.speed) { MethodHint::Impulse } else { MethodHint::Constraint }
    }
}

/// The largest speed along the normal (m/s), approaching or parting, at the points of an edge.
pub fn normal_speed(frame: FrameView<'_>, edge: &Edge) -> Real {
    let (a, b) = (edge.pair.a, edge.pair.b);
    let (frame_a, frame_b) = (&frame.frames[a.at()], &frame.frames[b.at()]);
    edge.manifold.points.iter().fold(0.0, |most, point| {
        let (normal, position, _) = point.world(frame_a, frame_b);
        let velocity = |body: BodyIndex| {
            let v = frame.state.velocity(body);
            v.linear + v.angular.cross(position - frame.state.position[body.at()])
        };
        (velocity(b) - velocity(a)).dot(normal).abs().max(most)
    })
}
