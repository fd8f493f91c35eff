//! Position errors of joints and contacts after a drift and at the end of a step.

use super::stiff_springs::unresolved;
use super::{COMPLIANCE, SmallSteps};
use crate::CorrectionParameters;
use crate::contact_sweeps::BAND;
use crate::contact_sweeps::clock::VisitClock;
use crate::correction::error_size;
use crate::moving::{self, MovingBody, MovingJoints, MovingRow, is_held};
use drystone_core::{ConstraintRow, GroupProblem, GroupRow, RowLimits, SolveReport};
use drystone_math::{Real, Twist};

/// Most Newton steps on the joints' errors at the end of a step.
const CLOSINGS: usize = 4;
/// A Newton step that leaves joints further off is taken again with their compliance larger by this factor (Levenberg and Marquardt).
const DAMPING: Real = 1e3;
/// Errors of joints (in units of 1e-10 of their arms) that are left to the next step.
const CLOSED: Real = 100.0;
/// Sweeps over overlapping contacts at the end of a step.
const SEPARATIONS: usize = 2;
/// An error below this (m or rad) is left to the end of the step.
pub(super) const INHERITED: Real = 1e-9;

impl SmallSteps {
    /// Takes out what joints have left their constraints by in a drift of `h` seconds, as an impulse that acted over it if they have taken that energy before;
    /// and what they were off by before it, by a displacement alone. Goes back if that leaves them further off.
    pub(super) fn close_joints(&mut self, problem: &GroupProblem, h: Real) {
        let Self { now, joints, links, bodies, credit, work, .. } = self;
        let super::Work { start, errors, chords, x, ways, poses, .. } = work;
        if joints.rows.len() != now.rows.len() || start.len() != now.rows.len() {
            return;
        }
        errors.clear();
        errors.extend(joints.rows.iter().zip(&*start).map(|(r, start)| {
            if is_closed(r) { r.row.error - start } else { unresolved(r, bodies, self.last) * (r.row.error - r.spared) }
        }));
        let off = square_error(joints);
        poses.clone_from(bodies);
        let kick = links.close(errors, ways, x) / (h * h);
        let along: Real = chords.iter().zip(&*errors).map(|(x, error)| x * error).sum();
        let given = credit.given + kick - credit.share * along / h;
        let kicks = given <= credit.taken;
        credit.taken = (credit.taken - if kicks { given } else { credit.given }).max(0.0);
        displace(bodies, ways, if kicks { 1.0 / h } else { 0.0 });
        if joints.rows.iter().zip(&*start).any(|(r, start)| is_closed(r) && start.abs() > INHERITED) {
            errors.clear();
            errors.extend(joints.rows.iter().zip(&*start).map(|(r, start)| if is_closed(r) { *start } else { 0.0 }));
            links.close(errors, ways, x);
            displace(bodies, ways, 0.0);
        }
        moving::settle(problem, bodies);
        joints.follow(problem, bodies);
        let closed = square_error(joints);
        // what is not a number is no nearer
        if closed.is_nan() || closed > off {
            go_back(bodies, poses);
            joints.follow(problem, bodies);
        }
    }

    /// Takes out overlap and what joints are off by at the end of a step, by displacements.
    pub(super) fn close_step(&mut self, problem: &GroupProblem) -> SolveReport {
        let slop = self.own.projection.slop;
        let parameters = CorrectionParameters {
            slop,
            orthogonal_joints: false,
            joint_start: false,
            ..CorrectionParameters::default()
        };
        let mut report = SolveReport::default();
        self.follow(problem, 0.0);
        let mut overlaps = self.now.contacts.iter().any(|c| c.separation < -BAND * slop);
        let mut compliance = COMPLIANCE;
        for _ in 0..CLOSINGS {
            self.follow_bodies(problem, 0.0);
            if !(overlaps || self.is_open()) {
                break;
            }
            self.take_rows();
            let Self { now, joints, links, separation, bodies, work, .. } = self;
            for (r, moving) in now.rows.iter_mut().zip(&joints.rows) {
                r.row.error = moving.row.error;
            }
            if !links.take_errors(now, &parameters, compliance) {
                break;
            }
            report.lcp.solves += 1;
            let off = square_error(joints);
            work.poses.clone_from(bodies);
            separation.begin(now);
            if overlaps {
                separation.seat(now);
            }
            let mut clock = VisitClock::default();
            for left in (1..=if overlaps { SEPARATIONS } else { 0 }).rev() {
                separation.sweep(now, slop, left);
                links.visit(&mut separation.bodies, &mut clock);
            }
            if !overlaps {
                links.visit(&mut separation.bodies, &mut clock);
            }
            for (body, way) in bodies.iter_mut().zip(&separation.bodies).filter(|(b, _)| b.is_movable()) {
                body.shift(way.velocity);
            }
            moving::settle(problem, bodies);
            joints.follow(problem, bodies);
            let closed = square_error(joints);
            if !overlaps && (closed.is_nan() || closed > off) {
                go_back(bodies, &work.poses);
                joints.follow(problem, bodies);
                compliance *= DAMPING;
            }
            overlaps = false;
        }
        report
    }

    /// Whether joints are off by more than is left to the next step.
    fn is_open(&self) -> bool {
        let Self { now, joints, .. } = self;
        joints.rows.iter().filter(|r| is_off(&r.row)).any(|r| {
            let row = GroupRow { bodies: r.bodies, row: r.row, impulse: 0.0, joint: 0, place: 0 };
            error_size(now, &row, r.row.error) > CLOSED
        })
    }
}

/// Returns true if a rigid row has an error to be removed: a limit only where it is overrun.
fn is_off(row: &ConstraintRow) -> bool {
    is_held(row) || row.limits == RowLimits::UNILATERAL && !row.softness.is_soft() && row.error < 0.0
}

/// Returns true if errors of a row are removed on both sides.
fn is_closed(r: &MovingRow) -> bool {
    is_held(&r.row) && r.row.limits == RowLimits::BILATERAL
}

/// The sum of squared errors of rigid rows.
fn square_error(joints: &MovingJoints) -> Real {
    joints.rows.iter().filter(|r| is_off(&r.row)).map(|r| r.row.error * r.row.error).sum()
}

/// Displaces bodies, and changes their velocities by that times `rate` (1/s).
fn displace(bodies: &mut [MovingBody], ways: &[Twist], rate: Real) {
    for (body, way) in bodies.iter_mut().zip(ways).filter(|(b, _)| b.is_movable()) {
        body.shift(*way);
        body.velocity += *way * rate;
    }
}

/// Puts bodies back to poses that they had; velocities stay.
fn go_back(bodies: &mut [MovingBody], poses: &[MovingBody]) {
    for (body, before) in bodies.iter_mut().zip(poses) {
        (body.pose, body.inverse_inertia) = (before.pose, before.inverse_inertia);
    }
}
