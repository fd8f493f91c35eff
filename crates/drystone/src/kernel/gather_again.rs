//! Problems that are kept from a former solve: what a further solve of the same step can reuse, and what remains valid after the bodies have moved.

use super::gather::{Known, WORLD, bare_curvature, group_body, number};
use super::task::Task;
use super::worker::{Shared, Worker};
use drystone_core::{GroupBody, GroupJoint, GroupProblem, Step};
use drystone_math::{Registers, Twist};
use pulp::{Simd, WithSimd};
use std::sync::Arc;

/// Updates a problem to the present poses of its bodies, with whatever vector registers the processor has: a row is copied in a few of them. Nothing is reordered or
/// fused: the bits are the same on all processors.
struct Moved<'a> {
    worker: &'a mut Worker,
    shared: Shared<'a>,
}

impl WithSimd for Moved<'_> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) -> bool {
        self.worker.write_moved(self.shared)
    }
}

impl Worker {
    /// Notes that the present problem was passed to the constraint solver as it was gathered. Only problems of joints alone can be recognised later: contacts and
    /// rows of forces are gathered anew.
    pub(super) fn note_solved(&mut self, task: Task, step: Step) {
        let problem = &self.problem;
        let of_joints = problem.joints.last().is_some_and(|joint| joint.rows.end as usize == problem.rows.len());
        if of_joints && problem.contacts.is_empty() && problem.row_stiffness.is_empty() {
            self.solved = Some((task, step));
        }
    }

    /// Gathers a task whose problem is kept from the last solve. If its bodies have the same poses, velocities and external changes, and the joints are the same,
    /// only multipliers and what has been learnt about the rows' curvature need to be gathered. Returns whether that is so; otherwise the problem must be gathered
    /// in full.
    pub(super) fn gather_again(&mut self, shared: Shared<'_>, task: Task, step: Step) -> bool {
        let solved = self.solved.take();
        if solved != Some((task, step)) || !self.stands(shared, task) {
            return false;
        }
        self.problem.spent = shared.spent;
        self.problem.others = shared.others_than(&task);
        self.problem.row_beginnings.clear();
        for joint in &self.problem.joints {
            let own = joint.rows.start as usize..joint.rows.end as usize;
            let Known { impulses, beginnings, corrections } = shared.known_of(joint.joint as usize);
            for (place, (r, bare)) in self.problem.rows[own.clone()].iter_mut().zip(&self.curvatures[own]).enumerate() {
                r.row.curvature = bare + number(corrections, place);
                r.impulse = number(impulses, place);
                if !shared.beginnings.is_empty() {
                    self.problem.row_beginnings.push(number(beginnings, place));
                }
            }
        }
        true
    }

    /// Updates the present problem to the present poses of its bodies, if it consists of joints alone and belongs to this very group: bodies and rows are
    /// overwritten in place. Returns whether that is so; otherwise the problem must be gathered in full.
    pub(super) fn gather_moved(&mut self, shared: Shared<'_>, task: Task) -> bool {
        if !self.is_of(shared, task) {
            return false;
        }
        self.take_surroundings(shared, &task);
        Registers::new().dispatch(Moved { worker: self, shared })
    }

    /// Overwrites bodies and rows of joints in place; returns whether there are as many rows as before.
    #[inline(always)]
    fn write_moved(&mut self, shared: Shared<'_>) -> bool {
        let Self { problem, joint_frames, joint_rows, curvatures, .. } = self;
        let GroupProblem { bodies, rows, joints, joint_memory, row_beginnings, .. } = problem;
        for body in bodies.iter_mut().filter(|body| body.index != WORLD) {
            *body = group_body(shared, body.index, None);
        }
        // once per body, since most joints share theirs with another
        joint_frames.clear();
        joint_frames.extend(bodies.iter().map(|b| shared.state.body_frame((b.index != WORLD).then_some(b.index))));
        row_beginnings.clear();
        for joint in joints.iter() {
            let link = joint.joint as usize;
            let ends = shared.configuration.joints[link].bodies;
            let frames = joint.bodies.map(|i| &joint_frames[i as usize]);
            let memory = shared.state.joint_memory.of(link);
            let own = joint.rows.start as usize..joint.rows.end as usize;
            let (rows, curvatures) = (&mut rows[own.clone()], &mut curvatures[own]);
            if !joint.source.renew_rows(frames, rows) {
                joint_rows.clear();
                joint.source.rows(frames, memory, joint_rows);
                if joint_rows.len() != rows.len() {
                    return false;
                }
                shared.linking_forces.fit(joint_rows, shared.h);
                rows.iter_mut().zip(joint_rows.iter()).for_each(|(r, row)| r.row = *row);
            }
            if !memory.is_empty() {
                joint_memory[joint.memory.start as usize..joint.memory.end as usize].copy_from_slice(memory);
            }
            let turning = shared.turning(ends);
            let Known { impulses, beginnings, corrections } = shared.known_of(link);
            for (place, (r, bare)) in rows.iter_mut().zip(curvatures).enumerate() {
                *bare = bare_curvature(&r.row, turning);
                r.row.curvature = *bare + number(corrections, place);
                r.impulse = number(impulses, place);
                if !shared.beginnings.is_empty() {
                    row_beginnings.push(number(beginnings, place));
                }
            }
        }
        true
    }

    /// Returns true if the present problem was gathered from a group with exactly these bodies and joints, none of
    /// which is broken.
    fn is_of(&self, shared: Shared<'_>, task: Task) -> bool {
        let Task::Group(g) = task else { return false };
        let groups = &shared.graph.groups;
        let problem = &self.problem;
        let own = groups.group_bodies(g as usize);
        let joints = groups.group_joints(g as usize);
        let is_same = |(link, joint): (&u32, &GroupJoint)| {
            let Some(held) = shared.configuration.joints.get(*link as usize) else { return false };
            let ends = joint.bodies.map(|i| problem.bodies[i as usize].index);
            let memory = shared.state.joint_memory.of(*link as usize);
            let stiffness = shared.graph.joint_stiffness.get(*link as usize);
            *link == joint.joint
                && Arc::ptr_eq(&held.source, &joint.source)
                && held.bodies.map(|end| end.unwrap_or(WORLD)) == ends
                && memory.len() == joint.memory.len()
                && !shared.state.is_broken(*link as usize)
                && stiffness.is_none_or(smallvec::SmallVec::is_empty)
        };
        groups.group_edges(g as usize).is_empty()
            && problem.contacts.is_empty()
            && problem.row_stiffness.is_empty()
            && problem.joints.last().is_some_and(|joint| joint.rows.end as usize == problem.rows.len())
            && own.len() == self.own_bodies
            && own.iter().zip(&problem.bodies).all(|(body, known)| *body == known.index)
            && joints.len() == problem.joints.len()
            && joints.iter().zip(&problem.joints).all(is_same)
    }

    /// Returns true if gathering a task would give the present problem, apart from curvature and multipliers.
    fn stands(&self, shared: Shared<'_>, task: Task) -> bool {
        let Task::Group(g) = task else { return false };
        let groups = &shared.graph.groups;
        let problem = &self.problem;
        let own = groups.group_bodies(g as usize);
        let joints = groups.group_joints(g as usize);
        groups.group_edges(g as usize).is_empty()
            && own.len() <= problem.bodies.len()
            && own.iter().zip(&problem.bodies).all(|(body, known)| *body == known.index)
            && problem.bodies.iter().all(|body| is_as_before(shared, body))
            && joints.len() == problem.joints.len()
            && joints.iter().zip(&problem.joints).all(|(link, joint)| {
                *link == joint.joint && !shared.state.is_broken(*link as usize) && self.remembers(shared, joint)
            })
    }

    /// Returns true if a joint's memory is unchanged.
    fn remembers(&self, shared: Shared<'_>, joint: &GroupJoint) -> bool {
        let known = &self.problem.joint_memory[joint.memory.start as usize..joint.memory.end as usize];
        let stiffness = shared.graph.joint_stiffness.get(joint.joint as usize);
        known == shared.state.joint_memory.of(joint.joint as usize)
            && stiffness.is_none_or(smallvec::SmallVec::is_empty)
    }
}

/// Returns true if a body has the same pose, velocity and external velocity change as before.
fn is_as_before(shared: Shared<'_>, known: &GroupBody) -> bool {
    if known.index == WORLD {
        return true;
    }
    let pose = shared.state.pose(known.index);
    let (asleep, moves) = (shared.graph.groups.is_fixated(known.index), known.is_movable());
    let velocity = if asleep { Twist::ZERO } else { shared.state.velocity(known.index) };
    let takes = moves || !shared.configuration.body(known.index).is_dynamic();
    let external = if takes { shared.change[known.index.at()] } else { Twist::ZERO };
    !(asleep && moves) && pose == known.pose && velocity == known.velocity && external == known.external
}
