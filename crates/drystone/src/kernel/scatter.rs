//! The way back from groups to the world.

use super::data::WorldData;
use super::loads::Loads;
use super::worker::{Operation, Task, Worker};
use drystone_core::{BodyIndex, Turn};
use drystone_math::elementary::rotation_by;
use drystone_math::{Pose, Quat, Real};

/// Brings the workers' results back into state and graph. What is asked for as a rate stays with the workers.
pub(super) fn scatter(
    workers: &[Worker],
    data: &mut WorldData,
    loads: &mut Loads,
    operation: Operation,
    kind: Option<Task>,
) {
    if matches!(operation, Operation::Rate { .. }) {
        return;
    }
    let WorldData { configuration, state, graph, .. } = data;
    let layered = matches!(kind, Some(Task::Layer { .. }));
    let carrying = matches!(kind, Some(Task::Load { .. }));
    for worker in workers {
        for &(body, twist) in &worker.output.bodies {
            let body = BodyIndex(body);
            if operation == Operation::Correct {
                let pose = state.pose(body);
                let turned = turn(pose.orientation, twist.angular);
                state.set_pose(body, Pose::new(pose.position + twist.linear, turned));
            } else if carrying {
                loads.set_solved(body, twist);
            } else {
                state.set_velocity(body, twist);
            }
        }
        let over = operation.h();
        // a body that the solver does not move is one that its velocity moves
        if over > 0.0 && !carrying && !state.displacement.is_empty() {
            for (body, _) in &worker.output.bodies {
                state.displacement[*body as usize] = Turn::default();
            }
        }
        for (body, way) in &worker.output.displacements {
            state.set_displacement(BodyIndex(*body), *way, over);
        }
        for (body, turn) in &worker.output.turns {
            state.add_turn(BodyIndex(*body), turn);
        }
        for &(edge, point, impulse) in &worker.output.contacts {
            let point = &mut graph.edges[edge as usize].manifold.points[point as usize];
            if carrying {
                // kept for a solve that has to begin without the loads
                point.layer_impulse = point.impulse;
            }
            *(if layered { &mut point.layer_impulse } else { &mut point.impulse }) = impulse;
        }
        for &(edge, point, stiffness) in &worker.output.contact_stiffness {
            graph.edges[edge as usize].manifold.points[point as usize].stiffness = stiffness;
        }
        for &(joint, place, stiffness) in &worker.output.joint_stiffness {
            let Some(known) = graph.joint_stiffness.get_mut(joint as usize) else { continue };
            known.truncate(place as usize);
            known.push(stiffness);
        }
        for &(body, impulse) in &worker.output.loads {
            loads.add_load(BodyIndex(body), impulse);
        }
        for &(joint, place, impulse) in &worker.output.joints {
            let Some(known) = graph.joint_impulses.get_mut(joint as usize) else { continue };
            if place == 0 {
                known.clear();
            }
            known.push(impulse);
        }
        for &(joint, reaction) in &worker.output.reactions {
            let Some(known) = graph.joint_reactions.get_mut(joint as usize) else { continue };
            *known = reaction;
            if !configuration.joints[joint as usize].strength.bears(&reaction) {
                state.break_joint(joint as usize);
            }
        }
    }
}

/// The bodies whose poses a correction changed.
pub(super) fn corrected(workers: &[Worker]) -> impl Iterator<Item = BodyIndex> {
    workers.iter().flat_map(|w| w.output.bodies.iter().map(|(body, _)| BodyIndex(*body)))
}

/// An orientation after a rotation by the vector `angle` (rad, world frame).
pub(super) fn turn(orientation: Quat, angle: drystone_math::Vec3) -> Quat {
    let size: Real = angle.length();
    if size == 0.0 {
        return orientation;
    }
    (rotation_by(angle) * orientation).normalize()
}
