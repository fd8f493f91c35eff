//! Columns of a group's velocity problem: `w = A x + b`, `A = J W J^T`, `b = J (u + W h F) - target`, a row per direction of a
//! contact or joint. The target of a contact is -d / horizon for a gap d, -e v_n for an impact, else 0; that of a joint is its own,
//! less `h / 2` of its curvature. Source: thesis 4.3 to 4.6; Stewart and Trinkle 1996; Anitescu and Potra 1997.

use crate::bounce::{impact_of, rate_at_end};
use crate::contact_rows::ContactFriction;
use crate::row::{Row, is_rigid};
use crate::rows::Bend;
use crate::spring_rule::Spring;
use crate::{ConstraintRows, FrictionModel, RowParameters, SpringRule, Stabilization};
use drystone_core::{GroupContact, GroupProblem, GroupRow, RowLimits};
use drystone_math::{Real, Registers, Twist, bounded};
use pulp::{Simd, WithSimd};

/// Builds the velocity problem of a group: find impulses x with `w = J u+ - target`, `u+ = u + external + W J^T x`.
///
/// `h` is the step (s), zero for impacts alone; gaps may close within `horizon` seconds. The start value is that of
/// the last solve if [`RowParameters::warm_start`] is set, else zero.
///
/// # Cost
/// Linear in the rows; no allocation once `rows` is warm.
///
/// # Source
/// E-15, E-16, E-17, E-18, E-19, E-26, E-27, E-32, E-33, E-34; G-05, G-07, G-25; rolling and spinning friction P-06; thesis (4.25)-(4.27), (4.213)-(4.223), (6.76). Differs in: w = A x + b
/// throughout, x is an impulse throughout, potential contacts with the gap at the present poses
/// (R-16 with s' = s).
pub fn assemble(problem: &GroupProblem, parameters: &RowParameters, h: Real, horizon: Real, rows: &mut ConstraintRows) {
    assemble_joints(problem, parameters, h, horizon, rows);
    for k in 0..problem.contacts.len() {
        push_contact(problem, k, parameters, h, horizon, rows);
    }
}

/// The rows of joints alone, as in [`assemble`].
pub(crate) fn assemble_joints(
    problem: &GroupProblem,
    parameters: &RowParameters,
    h: Real,
    horizon: Real,
    rows: &mut ConstraintRows,
) {
    rows.restart(&problem.bodies);
    Registers::new().dispatch(JointRows { problem, parameters, times: [h, horizon], rows });
    rows.level();
    rows.basis.enter(&mut rows.x);
}

/// The rows of joints, to be assembled with whatever registers the processor has. Nothing is reordered or fused: the bits are the same on all of them.
struct JointRows<'a> {
    problem: &'a GroupProblem,
    parameters: &'a RowParameters,
    times: [Real; 2],
    rows: &'a mut ConstraintRows,
}

impl WithSimd for JointRows<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        let Self { problem, parameters, times, rows } = self;
        let mut ends = Ends::default();
        for own in problem.rows.chunk_by(|r, next| r.bodies == next.bodies) {
            ends.turn_to(problem, own[0].bodies, times[0]);
            if !parameters.orthogonal_joints && own.iter().all(|r| is_rigid(&r.row)) {
                ends.push_rigid(own, parameters, times, rows);
                continue;
            }
            rows.level();
            for row in own {
                ends.push(problem, row, parameters, times, rows);
            }
        }
    }
}

/// Velocity of two bodies after external forces, without contacts.
fn free_velocities(problem: &GroupProblem, bodies: [u32; 2]) -> [Twist; 2] {
    bodies.map(|i| {
        let b = &problem.bodies[i as usize];
        b.velocity + b.external
    })
}

/// Appends one row of a joint.
pub(crate) fn push_joint_row(
    problem: &GroupProblem,
    joint_row: &GroupRow,
    parameters: &RowParameters,
    [h, horizon]: [Real; 2],
    rows: &mut ConstraintRows,
) {
    let mut ends = Ends::default();
    ends.turn_to(problem, joint_row.bodies, h);
    ends.push(problem, joint_row, parameters, [h, horizon], rows);
}

/// Data that all rows of a joint share.
#[derive(Debug)]
struct Ends {
    bodies: [u32; 2],
    /// Velocities before and after external forces.
    before: [Twist; 2],
    free: [Twist; 2],
    /// The fraction of the chords of its rows that counts.
    trust: Real,
}

impl Default for Ends {
    fn default() -> Self {
        Self { bodies: [u32::MAX; 2], before: [Twist::ZERO; 2], free: [Twist::ZERO; 2], trust: 1.0 }
    }
}

impl Ends {
    /// Updates them for a row between these bodies.
    fn turn_to(&mut self, problem: &GroupProblem, bodies: [u32; 2], h: Real) {
        if self.bodies != bodies {
            let [a, b] = [&problem.bodies[bodies[0] as usize], &problem.bodies[bodies[1] as usize]];
            let before = [a.velocity, b.velocity];
            let free = [a.velocity + a.external, b.velocity + b.external];
            *self = Self { bodies, before, free, trust: trust(0.5 * h, before) };
        }
    }

    /// Appends rigid rows unchanged, with the same result as [`Self::push`].
    #[inline(always)]
    fn push_rigid(
        &self,
        own: &[GroupRow],
        parameters: &RowParameters,
        [h, horizon]: [Real; 2],
        rows: &mut ConstraintRows,
    ) {
        let fed_back = is_fed_back(parameters) && h > 0.0;
        let started = parameters.warm_start && h > 0.0;
        let closing = 0.0 / horizon;
        for joint_row in own {
            let r = &joint_row.row;
            let row = Row { bodies: joint_row.bodies, jacobian: r.jacobian, cfm: 0.0 };
            let drive = if fed_back { r.softness.over(h).0 * r.error / h } else { 0.0 };
            let bare = row.rate(self.free) - (r.target - closing) + drive;
            let chord = 0.5 * h * r.curvature * self.trust;
            rows.bends.push(Bend { bare, trust: self.trust });
            rows.chords.push(chord);
            rows.b.push(bare + chord * (1.0 - rows.given_up));
            rows.x.push(if started { parameters.warm_start_scale * joint_row.impulse } else { 0.0 });
        }
        rows.push_rigid_blocks(own);
    }

    fn push(
        &self,
        problem: &GroupProblem,
        joint_row: &GroupRow,
        parameters: &RowParameters,
        [h, horizon]: [Real; 2],
        rows: &mut ConstraintRows,
    ) {
        let r = &joint_row.row;
        let (rigid, soft) = (is_rigid(r), r.softness.is_soft());
        // a soft row is a spring: its error term is part of the physics, however errors are removed elsewhere
        let fed_back = is_fed_back(parameters);
        let (erp, cfm) = if h > 0.0 { r.softness.over(h) } else { (0.0, 0.0) };
        // an open limit may close within the horizon, as an open contact may
        let gap = if r.limits == RowLimits::UNILATERAL { r.error.max(0.0) } else { 0.0 };
        let closing = gap / horizon;
        let mut drive = if gap == 0.0 && (soft || fed_back) && h > 0.0 { erp * r.error / h } else { 0.0 };
        let cfm = if h > 0.0 { cfm / (h * h) } else { 0.0 };
        let mut row = Row { bodies: joint_row.bodies, jacobian: r.jacobian, cfm };
        let wanted = r.target - closing;
        // the chord of the next step, not the tangent of the last one: otherwise the speed of a swinging body decreases with an error of order one
        let mut chord = 0.5 * h * r.curvature * self.trust;
        if soft
            && parameters.spring_rule == SpringRule::Trapezoidal
            && let Some(spring) = Spring::of(r, row.response(&problem.bodies), h)
        {
            row.cfm = spring.cfm;
            drive = spring.drive(r, row.rate(self.before));
            chord *= spring.implicit;
        }
        let bare = row.rate(self.free) - wanted + drive;
        let mut b = bare + chord * (1.0 - rows.given_up);
        rows.bends.push(Bend { bare, trust: self.trust });
        rows.plain &= rigid && !parameters.orthogonal_joints;
        // forces become impulses; without a duration a bounded force has none, and neither has a spring
        let idle = h == 0.0 && soft;
        let bound = |f: Real| if f.is_infinite() || f == 0.0 { f } else { f * h };
        let bound = |f: Real| if idle { 0.0 } else { bound(f) };
        let x = if parameters.warm_start && h > 0.0 { parameters.warm_start_scale * joint_row.impulse } else { 0.0 };
        let (lo, hi) = (bound(r.limits.lo), bound(r.limits.hi));
        if parameters.orthogonal_joints && rigid {
            rows.reduce(problem, joint_row.joint, &mut row, [&mut b, &mut chord]);
        }
        rows.chords.push(chord);
        rows.push(row, b, lo, hi, bounded(x, lo, hi));
    }
}

/// Returns true if a rigid row removes its error through its velocity.
fn is_fed_back(parameters: &RowParameters) -> bool {
    matches!(parameters.stabilization, Stabilization::Baumgarte | Stabilization::Feedback)
}

/// The fraction of the chord, which is `half` a step times the curvature, that counts: it is reduced if a body turns by more than half a radian in that time, to zero from
/// a radian on.
///
/// A curvature describes where an arm goes only as long as the angle is small. It grows with the square of the speed: a light link that is flung
/// round faster than the step can resolve would get ever larger speeds from its own. Without the chord a row asks for a velocity along
/// its constraint, which takes energy and never adds any.
fn trust(half: Real, velocities: [Twist; 2]) -> Real {
    let angle = half * velocities[0].angular.length().max(velocities[1].angular.length());
    (2.0 * (1.0 - angle)).clamp(0.0, 1.0)
}

/// Updates the problem in `rows` for other curvatures and multipliers of its joints' rows. False, with nothing changed, if there are other rows or some are not rigid.
pub(crate) fn assemble_again(
    problem: &GroupProblem,
    parameters: &RowParameters,
    h: Real,
    rows: &mut ConstraintRows,
) -> bool {
    let count = problem.rows.len();
    if !rows.plain || !problem.contacts.is_empty() || rows.len() != count || h <= 0.0 {
        return false;
    }
    for (i, own) in problem.rows.iter().enumerate() {
        let Bend { bare, trust } = rows.bends[i];
        let chord = 0.5 * h * own.row.curvature * trust;
        rows.chords[i] = chord;
        rows.b[i] = bare + chord * (1.0 - rows.given_up);
        rows.x[i] = if parameters.warm_start { parameters.warm_start_scale * own.impulse } else { 0.0 };
    }
    true
}

fn push_contact(
    problem: &GroupProblem,
    k: usize,
    parameters: &RowParameters,
    h: Real,
    horizon: Real,
    rows: &mut ConstraintRows,
) {
    let c = &problem.contacts[k];
    let free = free_velocities(problem, c.bodies);
    let cfm = if h > 0.0 { parameters.cfm / (h * h) } else { 0.0 };
    let scale = if parameters.warm_start && h > 0.0 { parameters.warm_start_scale } else { 0.0 };
    let start = c.impulse * scale;

    // normal row
    let normal = Row::contact(problem, k, c.normal, cfm);
    let free_rate = normal.rate(free);
    let target = normal_target(problem, c, ContactTarget::of(problem, k, &normal, free_rate), parameters, h, horizon);
    let n = rows.push(normal, free_rate - target, 0.0, Real::INFINITY, start.normal.max(0.0));

    // friction rows
    let model = parameters.friction;
    let friction =
        if model.follows_slip() { ContactFriction::along_slip(problem, c) } else { ContactFriction::of(problem, c) };
    let own = friction.rows(model, n);
    rows.contacts.push(own);
    if own.has_tangents {
        let start_impulse = friction.within(model, start);
        for ((direction, mu), x) in friction.tangents.into_iter().zip(friction.mu).zip(start_impulse) {
            let row = Row::contact(problem, k, direction, cfm);
            let rate = row.rate(free);
            if model == FrictionModel::Box {
                let limit = parameters.box_limit * h;
                rows.push(row, rate, -limit, limit, bounded(x, -limit, limit));
            } else {
                rows.push_dependent(row, rate, (0.0, 0.0), n, mu, x);
            }
        }
        if model.shares_discs() {
            rows.share_disc();
        }
    }
    let turning = [
        (own.spins, c.normal, friction.spinning),
        (own.rolls, friction.tangents[0], friction.rolling),
        (own.rolls, friction.tangents[1], friction.rolling),
    ];
    for (_, axis, arm) in turning.into_iter().filter(|(there, ..)| *there) {
        let row = Row::turning(problem, k, axis);
        rows.push_dependent(row, row.rate(free), (0.0, 0.0), n, arm, 0.0);
    }
    if own.rolls && model.shares_discs() {
        rows.share_disc();
    }
}

/// Normal velocities that the target of a contact depends on (m/s), negative if the bodies approach.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ContactTarget {
    /// After external forces and their effect through joints.
    pub(crate) free_rate: Real,
    /// Before external forces.
    pub(crate) approach: Real,
}

impl ContactTarget {
    /// Those of a contact, given its normal row and the rate of this row after external forces.
    pub(crate) fn of(problem: &GroupProblem, contact: usize, normal: &Row, free_rate: Real) -> Self {
        let bodies = problem.contacts[contact].bodies;
        let approach = normal.rate(bodies.map(|i| problem.bodies[i as usize].velocity));
        Self { free_rate: rate_at_end(problem, contact, free_rate), approach }
    }
}

/// The least normal velocity that a contact must have after the step.
#[inline]
pub(crate) fn normal_target(
    problem: &GroupProblem,
    c: &GroupContact,
    rates: ContactTarget,
    parameters: &RowParameters,
    h: Real,
    horizon: Real,
) -> Real {
    let ContactTarget { free_rate, approach } = rates;
    if let Some((meeting, impact)) = impact_of(problem, c, [approach, free_rate], parameters, [h, horizon]) {
        return meeting.velocity_for(&impact, -c.restitution * impact.approach);
    }
    resting_target(c, parameters, h, horizon)
}

/// The same for a contact without an impact.
#[inline]
pub(crate) fn resting_target(c: &GroupContact, parameters: &RowParameters, h: Real, horizon: Real) -> Real {
    let gap = c.separation;
    if gap < 0.0 && parameters.stabilization == Stabilization::Baumgarte && h > 0.0 {
        return -parameters.erp * gap / h;
    }
    // an open gap may close within the horizon (E-19)
    -gap.max(0.0) / horizon
}
