//! The swing of bodies under the tension of their joints: how many sub-steps resolve it, and what becomes of what they do not resolve.

use super::SmallSteps;
use crate::joint_pull::outer;
use crate::moving::MovingRow;
use drystone_core::GroupProblem;
use drystone_math::{Mat3, Real, SymmetricMat3, Vec3};

/// Largest angle (rad) by which a body swings as a pendulum, or turns, in a sub-step.
const SWING: Real = 1.0;
const SPIN: Real = 0.25;
/// Most sub-steps, as a multiple of the least.
const MOST_SUB_STEPS: usize = 4;

impl SmallSteps {
    /// The number of sub-steps of a step of `h` seconds that resolves how bodies swing and turn: a body that forces T hold at arms r swings with
    /// `w^2 = sum T r / I`, and an explicit step is stable for `h w < 2`. I is the least inertia: what the forces are in the step is not known yet.
    pub(super) fn sub_steps(&mut self, problem: &GroupProblem, h: Real) -> usize {
        self.note_tension(h);
        let mut most: Real = 0.0;
        for (body, stiffness) in problem.bodies.iter().zip(&self.swings) {
            let swing = (0.5 * trace(stiffness) * body.inverse_inertia.diagonal.max_element()).sqrt();
            let turns = body.inverse_inertia != SymmetricMat3::ZERO;
            let spin = if turns { body.velocity.angular.length() } else { 0.0 };
            most = most.max(swing / SWING).max(spin / SPIN);
        }
        let wanted = (h * most).ceil();
        let least = self.own.sub_steps.max(1);
        if wanted.is_finite() { (wanted as usize).clamp(least, MOST_SUB_STEPS * least) } else { least }
    }

    /// Notes the stiffness of the bodies' swings, `sum r (T - F F^T / T)` (N m), from the multipliers that joints have had over `h` seconds: forces F of
    /// size T hold at arms r, and a turn about F swings nothing.
    pub(super) fn note_tension(&mut self, h: Real) {
        let Self { swings, joints, bodies, .. } = self;
        swings.clear();
        swings.resize(bodies.len(), Mat3::ZERO);
        for range in &joints.joints {
            let own = &joints.rows[range.start as usize..range.end as usize];
            let Some(first) = own.first() else { continue };
            for side in 0..2 {
                let acts = |r: &&MovingRow| r.row.jacobian[side].linear != Vec3::ZERO;
                let force: Vec3 = own.iter().filter(acts).map(|r| r.row.jacobian[side].linear * r.x).sum();
                let arm = own.iter().filter(acts).map(|r| r.row.jacobian[side].angular.length()).fold(0.0, Real::max);
                if let Some(along) = force.try_normalize() {
                    let across = Mat3::IDENTITY - outer(along, along);
                    swings[first.bodies[side] as usize] += across * (force.length() / h * arm);
                }
            }
        }
    }

    /// Adds inertia to bodies that swing faster than `h` seconds resolve, so that they swing by at most [`SWING`] in that time: none if they swing by just
    /// that, all of `h^2 K` if they swing much faster. Returns the least part of the inertia that is a body's own.
    ///
    /// A body that swings that fast follows its joints either way. With its own inertia the step would be unstable: a
    /// bridge as long as its gap, under boxes that fall on it, ended up to a metre apart; with added inertia 100 of 100
    /// hold to 2e-4 m.
    pub(super) fn slow_swings(&mut self, h: Real) -> Real {
        let limit = h * h / (SWING * SWING);
        let mut own: Real = 1.0;
        for (body, stiffness) in self.now.bodies.iter_mut().zip(&self.swings) {
            // the trace is never below the largest eigenvalue
            if limit * trace(stiffness) * body.inverse_inertia.diagonal.element_sum() <= 1.0 {
                continue;
            }
            let times = limit * fastest(stiffness, &body.inverse_inertia);
            if times > 1.0
                && times.is_finite()
                && let Some(inertia) = body.inverse_inertia.inverse()
            {
                let added = *stiffness * (limit * (1.0 - 1.0 / (times * times)));
                let slower = SymmetricMat3::from_mat3(&(inertia.to_mat3() + added));
                body.inverse_inertia = slower.inverse().unwrap_or(body.inverse_inertia);
                own = own.min(1.0 / (1.0 + times - 1.0 / times));
            }
        }
        own
    }

    /// Gives bodies with added inertia the spins that keep their angular momentum: then no solve adds energy, at the price of some. Returns whether there
    /// are any.
    pub(super) fn keep_momentum(&mut self) -> bool {
        if self.credit.own >= 1.0 {
            return false;
        }
        for (now, body) in self.now.bodies.iter_mut().zip(&self.bodies).filter(|(_, b)| b.is_movable()) {
            if now.inverse_inertia != body.inverse_inertia
                && let Some(inertia) = body.inverse_inertia.inverse()
            {
                now.velocity.angular = now.inverse_inertia.mul_vec(inertia.mul_vec(body.velocity.angular));
            }
        }
        true
    }
}

/// The square of the fastest rate (1/s^2) at which a body swings with a stiffness: the mean of the eigenvalues of `(K / I)^2`, each weighted by itself.
fn fastest(stiffness: &Mat3, inverse_inertia: &SymmetricMat3) -> Real {
    let both = *stiffness * inverse_inertia.to_mat3();
    let square = both * both;
    let sum = trace(&square);
    if sum > 0.0 { (trace(&(square * square)) / sum).sqrt() } else { 0.0 }
}

fn trace(m: &Mat3) -> Real {
    m.x_axis.x + m.y_axis.y + m.z_axis.z
}
