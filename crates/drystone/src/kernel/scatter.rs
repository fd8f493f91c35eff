//! Bringing the results of groups back to the world.

use super::data::FEW_EDGES;
use super::output::Output;
use super::plane::Plane;
use drystone_core::{
    BodyIndex, Configuration, ContactGraph, ContactImpulse, Edge, Executor, PointMemory, State, Turn, piece_length,
    run_each,
};
use drystone_math::elementary::rotation_by;
use drystone_math::{Pose, Quat, Real, Vec3};

/// Whose multipliers a solve found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Multipliers {
    /// Those of contacts.
    OfContacts,
    /// Those that contacts have in their stack layer.
    OfLayers,
}

/// Displaces bodies as a correction says, and gives them the velocities that go with it.
pub(super) fn displace<'a>(state: &mut State, outputs: impl Iterator<Item = &'a Output>, plane: Option<Plane>) {
    let part = |twist| plane.map_or(twist, |p| p.part(twist));
    for output in outputs {
        for &(body, way) in &output.corrections {
            let (body, way) = (BodyIndex(body), part(way));
            let pose = state.pose(body);
            state.set_pose(body, Pose::new(pose.position + way.linear, turn(pose.orientation, way.angular)));
        }
        let mut ways = output.corrections.iter();
        for &(body, velocity) in &output.paid {
            let index = BodyIndex(body);
            let approach = state.approach_spin(index);
            state.set_velocity(index, part(velocity));
            // the spin before a turn that is still to come turns with the body too, and by no more
            if let Some(spin) = approach
                && let Some((_, way)) = ways.find(|(moved, _)| *moved == body)
            {
                state.set_approach_spin(index, rotation_by(part(*way).angular) * spin);
            }
        }
    }
}

/// Gives bodies the velocities that a solve found, and the displacements over a step of `h` seconds.
pub(super) fn set_velocities<'a>(state: &mut State, outputs: impl Iterator<Item = &'a Output>, h: Real) {
    for output in outputs {
        for &(body, velocity) in &output.velocities {
            state.set_velocity(BodyIndex(body), velocity);
        }
        // a body that the solver does not move is moved by its velocity
        if h > 0.0 && !state.displacement.is_empty() {
            for (body, _) in &output.velocities {
                state.displacement[*body as usize] = Turn::default();
            }
        }
        for (body, way) in &output.displacements {
            state.set_displacement(BodyIndex(*body), *way, h);
        }
    }
}

/// Notes which bodies turn within the step.
pub(super) fn add_turns<'a>(state: &mut State, outputs: impl Iterator<Item = &'a Output>) {
    state.add_turns(outputs.flat_map(|o| &o.turns).map(|(body, turn)| (BodyIndex(*body), *turn)));
}

/// Marks an edge without multipliers.
const NONE: u32 = u32::MAX;

/// Gives contacts their multipliers, and the stiffness that the solver used for them. `starts` is scratch: by slot, where the multipliers of an edge begin.
pub(super) fn set_contacts<'a>(
    graph: &mut ContactGraph,
    outputs: impl Iterator<Item = &'a Output>,
    column: Multipliers,
    (starts, executor): (&mut Vec<u32>, &dyn Executor),
) {
    let set = |edge: &mut Edge, impulses: &[ContactImpulse], is_seen_again: bool| match column {
        Multipliers::OfContacts => {
            edge.fresh &= is_seen_again;
            for (p, impulse) in edge.manifold.points.as_mut_slice().iter_mut().zip(impulses) {
                p.impulse = *impulse;
            }
        }
        Multipliers::OfLayers => {
            for (point, impulse) in impulses.iter().enumerate().take(edge.manifold.points.len()) {
                remembered(edge, point).layer_impulse = *impulse;
            }
        }
    };
    let edges = &mut graph.edges;
    let length = piece_length(executor, edges.len(), FEW_EDGES);
    // grows with the memory of the edges
    starts.clear();
    starts.reserve(edges.capacity());
    for output in outputs {
        let is_seen_again = output.foreseen.is_empty();
        if output.edges.len() < FEW_EDGES || length >= edges.len() {
            for (edge, impulses) in output.by_edge() {
                set(&mut edges[edge.slot as usize], impulses, is_seen_again);
            }
        } else {
            starts.clear();
            starts.resize(edges.len(), NONE);
            let mut start = 0;
            for edge in &output.edges {
                starts[edge.slot as usize] = start;
                start += edge.points;
            }
            run_each(executor, edges.chunks_mut(length).zip(starts.chunks(length)), |(edges, starts)| {
                for (edge, start) in edges.iter_mut().zip(starts).filter(|(_, start)| **start != NONE) {
                    set(edge, &output.contacts[*start as usize..], is_seen_again);
                }
            });
        }
        for &(edge, point, stiffness) in &output.contact_stiffness {
            remembered(&mut edges[edge as usize], point as usize).stiffness = stiffness;
        }
    }
}

/// Data that only a few solvers store at a point of an edge.
fn remembered(edge: &mut Edge, point: usize) -> &mut PointMemory {
    let key = edge.manifold.points[point].key;
    edge.manifold.memory_mut(key)
}

/// Gives joints their multipliers, the stiffness that the solver used, and their reactions; a reaction above a joint's strength breaks it.
pub(super) fn set_joints<'a>(
    configuration: &Configuration,
    state: &mut State,
    graph: &mut ContactGraph,
    outputs: impl Iterator<Item = &'a Output>,
) {
    for output in outputs {
        for &(joint, place, stiffness) in &output.joint_stiffness {
            let Some(known) = graph.joint_stiffness.get_mut(joint as usize) else { continue };
            known.truncate(place as usize);
            known.push(stiffness);
        }
        for own in output.joints.chunk_by(|(joint, ..), (next, place, _)| joint == next && *place > 0) {
            let (joint, place, _) = own[0];
            let Some(known) = graph.joint_impulses.get_mut(joint as usize) else { continue };
            if place == 0 && known.len() == own.len() {
                // if there are as many as before, they are overwritten in place
                known.iter_mut().zip(own).for_each(|(to, (.., impulse))| *to = *impulse);
                continue;
            }
            if place == 0 {
                known.clear();
            }
            known.extend(own.iter().map(|(.., impulse)| *impulse));
        }
        for &(joint, reaction) in &output.reactions {
            let Some(known) = graph.joint_reactions.get_mut(joint as usize) else { continue };
            *known = reaction;
            if !configuration.joints[joint as usize].strength.bears(&reaction) {
                state.break_joint(joint as usize);
            }
        }
    }
}

/// The bodies whose poses a correction changed.
pub(super) fn corrected<'a>(outputs: impl Iterator<Item = &'a Output>) -> impl Iterator<Item = BodyIndex> {
    outputs.flat_map(|o| o.corrections.iter().map(|(body, _)| BodyIndex(*body)))
}

/// An orientation after a rotation by the vector `angle` (rad, world frame).
pub(super) fn turn(orientation: Quat, angle: Vec3) -> Quat {
    let size: Real = angle.length();
    if size == 0.0 {
        return orientation;
    }
    (rotation_by(angle) * orientation).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_core::State;
    use drystone_math::{Mat3, Twist};

    /// A light body on joints continues at 10 rad/s until it is struck, and turns at 2000 rad/s after that: a correction turns each of the two spins with the body.
    /// Turned by the change of the latter, the former would become hundreds of rad/s.
    #[test]
    fn a_correction_turns_the_spin_before_a_blow_by_no_more_than_the_body() {
        let mut state = State::default();
        let body = BodyIndex(0);
        state.push(Pose::IDENTITY, Twist::new(Vec3::ZERO, Vec3::X * 2000.0));
        let shift = Twist::new(Vec3::ZERO, (Vec3::Y * 10.0 - Vec3::X * 2000.0) * 1e-3);
        state.add_turn(body, &Turn { shift, within: 1e-3, ..Turn::default() });
        let by = Vec3::Z * 0.3;
        let turned = Mat3::from_quat(rotation_by(by));
        let mut output = Output::default();
        output.corrections.push((0, Twist::new(Vec3::ZERO, by)));
        output.paid.push((0, Twist::new(Vec3::ZERO, turned * Vec3::X * 2000.0)));
        displace(&mut state, core::iter::once(&output), None);
        let before = state.approach_spin(body).unwrap();
        assert!((before - turned * Vec3::Y * 10.0).length() < 1e-9, "{before}");
        assert!((state.angular_velocity[0].length() - 2000.0).abs() < 1e-9);
    }
}
