//! Recording a solver's results for a group.

use super::motion_along::{Carrier, MotionAlong};
use super::task::{Operation, Task};
use super::worker::{Shared, Worker};
use drystone_core::{BodyFrame, BodyIndex, Configuration, GroupRow, JointReaction, RateOf};
use drystone_math::elementary::rotation_by;
use drystone_math::{Real, Twist, Vec3};

/// A turn of a body on joints by less than this (rad) takes back an error of the step that is of third order in it, and is no displacement: the spin is then more
/// exact if left as it is.
const FAR_TURN: Real = 0.003;

impl Worker {
    /// Notes the solver's answer to the problem. Impacts alone leave the multipliers of the last step in place.
    pub(super) fn collect(&mut self, shared: Shared<'_>, task: Task, operation: Operation) {
        match operation {
            Operation::Correct => self.collect_ways(shared),
            Operation::Rate { h, of, .. } => {
                self.collect_velocities(h);
                if of == RateOf::Step {
                    self.collect_own_ways();
                }
            }
            Operation::Resolve { .. } => self.collect_blows(),
            Operation::Solve { h, .. } | Operation::Bear { h, .. } if h == 0.0 => self.collect_blows(),
            Operation::Bear { h, .. } => {
                self.collect_velocities(h);
                if let Task::Layer { layer, .. } = task {
                    self.collect_loads(shared, layer);
                }
                self.collect_multipliers();
            }
            Operation::Solve { h, .. } => {
                self.collect_velocities(h);
                self.collect_own_ways();
                self.collect_multipliers();
                self.collect_foreseen(task);
                self.collect_reactions(shared, task, h);
                if self.answer.solved_once {
                    self.output.solved_once.extend(self.problem.joints.iter().map(|j| j.joint));
                }
            }
        }
    }

    /// Displacements over the step, if the solver moves bodies itself.
    fn collect_own_ways(&mut self) {
        let moved = self.problem.bodies.iter().zip(&self.answer.displacement).filter(|(b, _)| b.is_movable());
        self.output.displacements.extend(moved.map(|(b, way)| (b.index.0, *way)));
    }

    /// Overlap removal predicted by the solver, if any.
    fn collect_foreseen(&mut self, task: Task) {
        let Self { problem, answer, output, .. } = self;
        if let (Task::Group(group), false) = (task, answer.correction.is_empty()) {
            output.foreseen.push(group);
            let displaced = problem.bodies.iter().zip(&answer.correction).filter(|(_, way)| **way != Twist::ZERO);
            output.corrections.extend(displaced.map(|(b, way)| (b.index.0, *way)));
            output.overlap = output.overlap.max(answer.overlap);
        }
    }

    /// New velocities, and the impulses of contacts if no time passes.
    fn collect_blows(&mut self) {
        self.collect_velocities(0.0);
        let contacts = self.problem.contacts.iter().zip(&self.answer.contacts);
        self.output.blows.extend(contacts.map(|(c, impulse)| (c.edge, c.point, *impulse)));
    }

    /// Displacements of bodies by a correction, the change of their potential energy, and their velocities if it
    /// changes those.
    ///
    /// The correction does not end motion that is still to turn within the step: velocities are those after the turn, and poses those before it.
    fn collect_ways(&mut self, shared: Shared<'_>) {
        let Shared { configuration, state, .. } = shared;
        let keeps_energy = self.position_corrector.keeps_energy();
        let in_full = self.position_corrector.pays_in_full();
        let ends_motion = self.position_corrector.ends_motion()
            && !self.problem.rows.is_empty()
            && !self.problem.bodies.iter().any(|b| state.turns_later(b.index));
        let Self { problem, answer, output, .. } = self;
        let moved = problem.bodies.iter().zip(&answer.correction).filter(|(b, _)| b.is_movable());
        let mut lifted = 0.0;
        for (body, way) in moved.clone() {
            let own = configuration.body(body.index);
            lifted -= own.mass * own.gravity_scale * configuration.gravity.dot(way.linear);
        }
        let mut along = MotionAlong::default();
        if keeps_energy || ends_motion {
            let carrier = Carrier::of(&problem.bodies);
            moved.clone().for_each(|(body, way)| along.add(body, *way, &carrier));
        }
        let (mut part, mut along_way) = (1.0, None);
        if keeps_energy {
            let (speed, paid) = along.pay(lifted);
            if in_full && paid < lifted {
                part = paid / lifted;
                lifted = paid;
            }
            output.solve.paid += paid;
            along_way = Some(speed);
        } else if ends_motion {
            along_way = along.ended();
        }
        let least = if problem.rows.is_empty() { 0.0 } else { FAR_TURN };
        for (body, way) in moved.clone() {
            let velocity = along_way.map(|speed| body.velocity + *way * speed);
            let own = velocity.unwrap_or(body.velocity);
            if let Some(velocity) = turned(configuration, body.index, own, way.angular * part, least).or(velocity) {
                output.paid.push((body.index.0, velocity));
            }
        }
        output.solve.lifted += lifted;
        output.corrections.extend(moved.map(|(body, way)| (body.index.0, *way * part)));
    }

    /// New velocities, and which bodies turn within the step.
    fn collect_velocities(&mut self, h: Real) {
        let Self { problem, answer, output, .. } = self;
        for (i, b) in problem.bodies.iter().enumerate().filter(|(_, b)| b.is_movable()) {
            let velocity = answer.acceleration.get(i).map_or(answer.velocity[i], |a| b.velocity + *a * h);
            output.velocities.push((b.index.0, velocity));
            if !answer.turn[i].is_none() {
                output.turns.push((b.index.0, answer.turn[i]));
            }
        }
    }

    /// Multipliers of contacts and rows, and the stiffness that the solver used for them.
    fn collect_multipliers(&mut self) {
        let Self { problem, answer, output, edges, .. } = self;
        if output.contacts.is_empty() {
            // the answer is not read again
            core::mem::swap(&mut output.contacts, &mut answer.contacts);
        } else {
            output.contacts.extend_from_slice(&answer.contacts);
        }
        // all points of an edge are together
        if output.edges.is_empty() {
            core::mem::swap(&mut output.edges, edges);
        } else {
            output.edges.extend_from_slice(edges);
        }
        let rows = problem.rows.iter().zip(&answer.rows);
        output.joints.extend(rows.map(|(r, impulse)| (r.joint, r.place, *impulse)));
        let stiffness = problem.contacts.iter().zip(&answer.contact_stiffness);
        output.contact_stiffness.extend(stiffness.map(|(c, k)| (c.edge, c.point, *k)));
        let stiffness = problem.rows.iter().zip(&answer.row_stiffness);
        output.joint_stiffness.extend(stiffness.map(|(r, k)| (r.joint, r.place, *k)));
    }

    /// The reactions of the joints of a task, averaged over `h` seconds.
    fn collect_reactions(&mut self, shared: Shared<'_>, task: Task, h: Real) {
        let Self { problem, answer, output, joint_frames, .. } = self;
        joint_frames.clear();
        joint_frames.extend(problem.bodies.iter().map(|b| BodyFrame { pose: b.pose, velocity: b.velocity }));
        let (mut rest, mut impulses) = (problem.rows.as_slice(), answer.rows.as_slice());
        let joints = shared.configuration.joints.len() as u32;
        for &joint in shared.joints_of(task).iter().take_while(|j| **j < joints) {
            if shared.state.is_broken(joint as usize) {
                continue;
            }
            // a slack rope or an open limit has no rows
            let count = rest.iter().take_while(|r| r.joint == joint).count();
            let (own, others) = rest.split_at(count);
            let (own_impulses, other_impulses) = impulses.split_at(count);
            (rest, impulses) = (others, other_impulses);
            let Some(first) = own.first() else {
                output.reactions.push((joint, JointReaction::default()));
                continue;
            };
            let frames = first.bodies.map(|i| &joint_frames[i as usize]);
            // written where it stays: choosing between two values would copy the result and wait for what was just written
            output.reactions.push((joint, reaction(shared.configuration, frames, own, own_impulses, h)));
        }
    }
}

/// The velocity of a body that a correction rotates by a rotation vector of more than `least` (rad); `None` if it stays the same.
///
/// A rotation of the body rotates its spin too if its moments of inertia differ: with an axis fixed in the world it would have a different kinetic energy.
pub(super) fn turned(
    configuration: &Configuration,
    body: BodyIndex,
    velocity: Twist,
    by: Vec3,
    least: Real,
) -> Option<Twist> {
    let turns = by.length_squared() > least * least
        && velocity.angular != Vec3::ZERO
        && !configuration.body(body).inertia.is_isotropic();
    turns.then(|| Twist::new(velocity.linear, rotation_by(by) * velocity.angular))
}

/// The action of a joint's rows on its second body, averaged over `h` seconds.
#[inline(always)]
fn reaction(
    configuration: &Configuration,
    frames: [&BodyFrame; 2],
    rows: &[GroupRow],
    impulses: &[Real],
    h: Real,
) -> JointReaction {
    let impulse = rows.iter().zip(impulses).map(|(r, x)| r.row.jacobian[1] * *x).fold(Twist::ZERO, |sum, t| sum + t);
    let center = frames[1].pose.position;
    let point = configuration.joints[rows[0].joint as usize].source.anchor(frames).unwrap_or(center);
    let force = impulse.linear / h;
    JointReaction { force, torque: impulse.angular / h + (center - point).cross(force), point }
}
