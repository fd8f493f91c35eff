//! Impacts within a sub-step, and the bound on their energy.

use super::SmallSteps;
use crate::moving::{MovingBody, is_held};
use drystone_core::{ContactImpulse, GroupAnswer, GroupProblem, RowLimits, SolveReport, Step};
use drystone_math::{Real, Twist};

/// A part of a sub-step that is too short to be stepped, as a fraction of it.
const NO_TIME: Real = 0.05;
/// Most cuts of a step.
pub(super) const CUTS: usize = 2;
/// Sub-steps for which what was struck turns before its joints have it in hand: inertia is added for that long.
const AFTER_IMPACT: Real = 2.0;
/// Energies that differ by less than this fraction are equal.
const EQUAL: Real = 1e-9;

/// When something bounces that meets within a part of a sub-step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meeting {
    /// When it meets: the part ends there.
    InTime,
    /// In the solve of the part.
    Early,
}

impl SmallSteps {
    /// One sub-step, cut where something that bounces meets as long as the step may be cut. What meets after that bounces where it is.
    pub(super) fn sub_step(&mut self, problem: &GroupProblem, step: Step, answer: &mut GroupAnswer) -> SolveReport {
        let mut report = SolveReport::default();
        let mut left = step.h;
        let meeting = loop {
            let Some(until) = self.first_bounce(problem, left - NO_TIME * step.h) else {
                break Meeting::InTime;
            };
            if self.cuts == 0 {
                break Meeting::Early;
            }
            self.cuts -= 1;
            if until > NO_TIME * step.h {
                let before = Step { h: until, horizon: until, ..step };
                report.merge(&self.part_of_step(problem, before, Meeting::InTime, answer));
                left -= until;
            }
            report.merge(&self.strike(problem, step, answer));
        };
        report.merge(&self.part_of_step(problem, Step { h: left, ..step }, meeting, answer));
        report
    }

    /// Does not slow what bounces before it meets, since a sub-step is cut there: widens gaps that would have to close within the horizon, which is `wider` than
    /// the drift that is left. It bounces in this part only if it may do so early.
    pub(super) fn let_come(&mut self, wider: Real, meeting: Meeting) {
        for i in 0..self.now.contacts.len() {
            let rate = self.contacts[i].normal.dot(self.contacts[i].relative_velocity(&self.bodies));
            let room = self.room(self.now.contacts[i].separation, rate) * wider;
            let c = &mut self.now.contacts[i];
            if c.restitution > 0.0 {
                c.restitution = if meeting == Meeting::Early { c.restitution } else { 0.0 };
                c.separation = if c.separation > 0.0 { room } else { c.separation };
            }
        }
    }

    /// The same for limits.
    pub(super) fn let_limits_come(&mut self, wider: Real) {
        for (k, moving) in self.joints.rows.iter().enumerate().filter(|(_, r)| r.row.restitution > 0.0) {
            let error = self.now.rows[k].row.error;
            if error > 0.0 {
                self.now.rows[k].row.error = self.room(error, moving.rate(&self.bodies)) * wider;
            }
        }
    }

    /// A gap, with how far what meets at the very end of a sub-step may go on until the next one.
    pub(super) fn room(&self, gap: Real, rate: Real) -> Real {
        gap + NO_TIME * self.whole * rate.abs()
    }

    /// Time (s) of the first impact within `h` seconds; `None` if there is none.
    fn first_bounce(&self, problem: &GroupProblem, h: Real) -> Option<Real> {
        let Self { contacts, bodies, now, joints, .. } = self;
        let mut first = Real::INFINITY;
        let external = |i: u32| problem.bodies[i as usize].external * (self.fraction / self.whole);
        // what forces do in a sub-step makes no bounce
        let mut meet = |gap: Real, rate: Real, rise: Real| {
            if rate < -self.rows.resting_factor * self.whole * rise.abs() {
                let gap = gap.max(0.0);
                let root = rate * rate - 2.0 * rise * gap;
                let until = 2.0 * gap / (root.max(0.0).sqrt() - rate);
                if root >= 0.0 && until < h {
                    first = first.min(until);
                }
            }
        };
        for (moving, c) in contacts.iter().zip(&now.contacts).filter(|(_, c)| c.restitution > 0.0) {
            let along = |i: usize, v: Twist| moving.normal.dot(v.linear + v.angular.cross(moving.arms[i]));
            let rise = along(1, external(c.bodies[1])) - along(0, external(c.bodies[0]));
            let rate = moving.normal.dot(moving.relative_velocity(bodies));
            meet(moving.gap + self.ago * rate, rate, rise);
        }
        for r in joints.rows.iter().filter(|r| r.is_limit() && r.row.restitution > 0.0) {
            meet(r.row.error, r.rate(bodies) - r.row.target, r.row.rate(r.bodies.map(external)));
        }
        first.is_finite().then_some(first)
    }

    /// Solves the impacts of all contacts and limits that are met now. It takes no time.
    fn strike(&mut self, problem: &GroupProblem, step: Step, answer: &mut GroupAnswer) -> SolveReport {
        self.follow(problem, 0.0);
        self.slow_swings(self.whole * AFTER_IMPACT);
        let step = Step { h: 0.0, horizon: NO_TIME * step.h, started: false, ..step };
        self.ago = 0.0;
        self.put_by();
        self.now.contacts.iter_mut().for_each(|c| c.impulse = ContactImpulse::default());
        self.joints.rows.iter_mut().for_each(|r| r.x = 0.0);
        for (moving, c) in self.contacts.iter().zip(&mut self.now.contacts) {
            if moving.gap + 2.0 * step.horizon * moving.normal.dot(moving.relative_velocity(&self.bodies)) < 0.0 {
                c.separation = c.separation.min(0.0);
            }
        }
        self.joints.note_rebounds(&self.bodies, 2.0 * step.horizon);
        self.take_rows();
        let credit = self.credit;
        let (_, mut report) = self.solve_now(step);
        if self.gains() {
            self.credit = credit;
            report.merge(&self.bound_rebound(problem, step));
        }
        self.credit = credit;
        self.take_answer();
        self.add_to(answer);
        self.bring_back();
        // curvatures are those of the velocities
        self.joints.follow(problem, &self.bodies);
        report
    }

    /// Puts the present impulses by while something bounces: impulses of an impact start no later solve, and are no tension of joints.
    pub(super) fn put_by(&mut self) {
        let Self { now, joints, work, .. } = self;
        work.contacts.clear();
        work.contacts.extend(now.contacts.iter().map(|c| c.impulse));
        work.rows.clear();
        work.rows.extend(joints.rows.iter().map(|r| r.x));
    }

    /// Takes them up again.
    pub(super) fn bring_back(&mut self) {
        let Self { now, joints, work, .. } = self;
        now.contacts.iter_mut().zip(&work.contacts).for_each(|(c, x)| c.impulse = *x);
        joints.rows.iter_mut().zip(&work.rows).for_each(|(r, x)| r.x = *x);
    }

    /// Starts a solve from no impulses: then each visit takes energy, however far sweeps are from the end. Returns whether that changes anything.
    pub(super) fn start_cold(&mut self) -> bool {
        let Self { now, .. } = self;
        let warm = now.contacts.iter().any(|c| c.impulse != ContactImpulse::default());
        now.contacts.iter_mut().for_each(|c| c.impulse = ContactImpulse::default());
        let warm = warm || now.rows.iter().any(|r| r.impulse != 0.0);
        now.rows.iter_mut().for_each(|r| r.impulse = 0.0);
        warm
    }

    /// Returns true if a contact or limit may bounce.
    pub(super) fn bounces(&self) -> bool {
        self.now.contacts.iter().any(|c| c.restitution > 0.0) || self.joints.rows.iter().any(|r| r.rebound > 0.0)
    }

    /// Returns true if the answer has more energy than it may have.
    pub(super) fn gains(&self) -> bool {
        let [has, allowed] = self.energies();
        has > allowed + EQUAL * allowed.abs()
    }

    /// The kinetic energy of the answer, and the most that it may have (J): that without any impulses, what joints give back, and the work of scripts, motors
    /// and springs.
    fn energies(&self) -> [Real; 2] {
        let Self { now, bodies, part, credit, joints, contacts, .. } = self;
        let mut allowed = credit.given;
        let mut has = 0.0;
        for ((body, own), v) in bodies.iter().zip(&now.bodies).zip(&part.velocity).filter(|((b, _), _)| b.is_movable())
        {
            let [after, without] = kinetic(body, [*v, body.velocity + own.external]);
            has += after;
            allowed += without;
        }
        let scripted = |i: u32| !bodies[i as usize].is_movable();
        for (r, x) in joints.rows.iter().zip(&part.rows) {
            let row = &r.row;
            if !is_held(row) && row.limits != RowLimits::UNILATERAL {
                let rates = [0, 1].map(|after| {
                    row.rate(r.bodies.map(|i| match after {
                        0 => bodies[i as usize].velocity + now.bodies[i as usize].external,
                        _ => part.velocity[i as usize],
                    }))
                });
                allowed += (0.5 * x * (rates[0] + rates[1])).max(0.0);
            } else {
                for side in (0..2).filter(|k| scripted(r.bodies[*k])) {
                    let (j, v) = (row.jacobian[side], bodies[r.bodies[side] as usize].velocity);
                    allowed -= x * (j.linear.dot(v.linear) + j.angular.dot(v.angular));
                }
            }
        }
        for ((c, moving), x) in now.contacts.iter().zip(contacts).zip(&part.contacts) {
            for side in (0..2).filter(|k| scripted(c.bodies[*k])) {
                let v = bodies[c.bodies[side] as usize].velocity;
                let there = v.linear + v.angular.cross(moving.arms[side]);
                let on_it = (moving.normal * x.normal + x.friction) * if side == 0 { -1.0 } else { 1.0 };
                allowed -= on_it.dot(there);
            }
        }
        [has, allowed]
    }

    /// Solves once more without restitution, and takes as much of the bounce as the energy allows.
    pub(super) fn bound_rebound(&mut self, problem: &GroupProblem, step: Step) -> SolveReport {
        core::mem::swap(&mut self.part, &mut self.work.elastic);
        for c in &mut self.now.contacts {
            c.restitution = 0.0;
        }
        for (r, row) in self.now.rows.iter_mut().zip(&self.joints.rows).filter(|(_, r)| r.rebound > 0.0) {
            (r.row.target, r.row.error) = (row.row.target, 0.0);
        }
        let (_, report) = self.solve_now(step);
        let [least, allowed] = self.energies();
        let Self { part, bodies, work, .. } = self;
        let elastic = &work.elastic;
        // along the way between both answers the energy is a quadratic function, and smallest near the first one
        let (mut slope, mut square) = (0.0, 0.0);
        for ((body, v), u) in
            bodies.iter().zip(&part.velocity).zip(&elastic.velocity).filter(|((b, _), _)| b.is_movable())
        {
            let by = *u - *v;
            let [change, there, here] = kinetic(body, [by, *v + by, *v]);
            square += change;
            slope += there - here - change;
        }
        let room = (allowed - least).max(0.0);
        let root = (slope * slope + 4.0 * square * room).sqrt();
        let share = if square > 0.0 { (0.5 * (root - slope) / square).clamp(0.0, 1.0) } else { 0.0 };
        for (v, u) in part.velocity.iter_mut().zip(&elastic.velocity) {
            *v += (*u - *v) * share;
        }
        for (x, y) in part.rows.iter_mut().zip(&elastic.rows) {
            *x += (y - *x) * share;
        }
        for (x, y) in part.contacts.iter_mut().zip(&elastic.contacts) {
            x.normal += (y.normal - x.normal) * share;
            x.friction += (y.friction - x.friction) * share;
        }
        for (c, own) in self.now.contacts.iter_mut().zip(&problem.contacts) {
            c.restitution = own.restitution;
        }
        report
    }
}

/// Kinetic energies of a body at some velocities (J).
fn kinetic<const N: usize>(body: &MovingBody, velocities: [Twist; N]) -> [Real; N] {
    let inertia = body.inverse_inertia.inverse();
    velocities.map(|v| {
        let turning = inertia.map_or(0.0, |inertia| v.angular.dot(inertia.mul_vec(v.angular)));
        let moving = if body.inverse_mass > 0.0 { v.linear.length_squared() / body.inverse_mass } else { 0.0 };
        0.5 * (moving + turning)
    })
}
