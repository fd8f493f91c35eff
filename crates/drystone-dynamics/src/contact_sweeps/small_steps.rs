//! Small steps for groups with joints: all joints at once by one factorisation per sub-step, contacts by sweeps between which joints hold.
//!
//! One sub-step of `h` seconds, with the joints' constraint function C, its Jacobian J and A = J M^-1 J^T:
//!
//! ```text
//! q += h/2 v                                       free rotation: angular momentum is kept
//! v += h M^-1 f                                    external forces
//! J v = -s h/2 (dJ/dt) v, contacts by sweeps       joints hold after each sweep
//! q += h/2 v
//! d = C(q) - C before, A x = -d                    second Newton step of SHAKE
//! q += M^-1 J^T x, v += 2/h M^-1 J^T x
//! ```
//!
//! Joints do no work. What the right-hand side adds along the curved constraint, s times the chord, and the second step's impulse may together give back
//! what the joints have taken in this step; s is the largest share for which they do not give more.
//!
//! Source: Macklin et al., "Small Steps in Physics Simulation", 2019; Ryckaert, Ciccotti and Berendsen, "Numerical integration of the Cartesian equations
//! of motion of a system with constraints", 1977; Baraff, "Linear-time dynamics using Lagrange multipliers", 1996, section 7.

use super::clock::VisitClock;
use super::group::SweptGroup;
use super::links::Links;
use super::parameters::SweepParameters;
use super::separation::Separation;
use crate::boxed::Boxed;
use crate::correction::error_size;
use crate::formulation::Formulation;
use crate::moving::{self, MovingBody, MovingContact, MovingJoints, MovingRow, is_held};
use crate::row_solver::share_of;
use crate::{CorrectionParameters, RowParameters};
use drystone_core::{
    ContactImpulse, GroupAnswer, GroupProblem, GroupRow, OneThread, RowLimits, SolveReport, Step, make_room,
};
use drystone_lcp::LcpSolver;
use drystone_math::{Real, Twist, Vec3, tangent_basis};

/// Largest angle (rad) by which a body swings under the tension of its joints, as a pendulum, or turns in a sub-step.
const SWING: Real = 1.5;
const SPIN: Real = 0.25;
/// Most sub-steps, as a multiple of the least.
const MOST_SUB_STEPS: usize = 4;
/// What is at rest is swept this many times less often in a sub-step than in a step.
const FEWER_SWEEPS: usize = 8;
/// Compliance of joints, as a fraction of the diagonal of A. Loops of joints that contradict each other share the rest; at 1e-4 a chain's gaps grow from 1e-7 to 1e-6 m.
const COMPLIANCE: Real = 1e-6;
/// Most Newton steps on the joints' errors at the end of a step.
const CLOSINGS: usize = 3;
/// Errors of joints (in units of 1e-10 of their arms) that are left to the next step.
const CLOSED: Real = 100.0;
/// Sweeps over overlapping contacts at the end of a step.
const SEPARATIONS: usize = 2;
/// Fraction of a joint's error taken out per sub-step where joints are swept because they cannot be factorised.
const FEEDBACK: Real = 0.2;

/// The solver of groups with joints.
#[derive(Debug)]
pub(super) struct SmallSteps {
    own: SweepParameters,
    rows: RowParameters,
    group: SweptGroup,
    links: Links,
    separation: Separation,
    /// For joints whose factors would fill in too much.
    swept: Boxed,
    /// The group at its present poses.
    now: GroupProblem,
    bodies: Vec<MovingBody>,
    contacts: Vec<MovingContact>,
    joints: MovingJoints,
    /// The answer of one sub-step.
    part: GroupAnswer,
    credit: Credit,
    work: Work,
}

/// The kinetic energy that joints have taken in a step and may give back (J).
#[derive(Debug, Clone, Copy, Default)]
struct Credit {
    taken: Real,
    /// The share of the chords that is asked for, and the energy that they add.
    share: Real,
    given: Real,
}

/// Buffers.
#[derive(Debug, Default)]
struct Work {
    /// By row: the error at the start of a sub-step, and what is to be taken out.
    start: Vec<Real>,
    errors: Vec<Real>,
    /// Multipliers of the chords, and of what is taken out.
    chords: Vec<Real>,
    x: Vec<Real>,
    /// By body: a displacement, and the pose to go back to.
    ways: Vec<Twist>,
    poses: Vec<MovingBody>,
}

impl SmallSteps {
    /// `solver` sweeps over joints that cannot be factorised.
    pub(super) fn new(own: &SweepParameters, rows: RowParameters, solver: Box<dyn LcpSolver>) -> Self {
        let sweeps = own.sweeps.div_ceil(FEWER_SWEEPS);
        let rows = RowParameters { orthogonal_joints: false, joint_start: false, ..rows };
        Self {
            own: SweepParameters { sweeps, ..own.clone() },
            rows,
            group: SweptGroup::default(),
            links: Links::with_compliance(COMPLIANCE),
            separation: Separation::default(),
            swept: Boxed::new(rows, solver),
            now: GroupProblem::default(),
            bodies: Vec::new(),
            contacts: Vec::new(),
            joints: MovingJoints::default(),
            part: GroupAnswer::default(),
            credit: Credit::default(),
            work: Work::default(),
        }
    }

    /// Solves and moves a group over a step.
    pub(super) fn solve(&mut self, problem: &GroupProblem, step: Step, answer: &mut GroupAnswer) -> SolveReport {
        let steps = self.sub_steps(problem, step.h);
        let fraction = 1.0 / steps as Real;
        let h = step.h * fraction;
        self.start(problem, fraction);
        self.links.share(share_of(problem));
        let before = self.links.spent();
        let mut report = SolveReport::default();
        for k in 0..steps {
            // until the next solve, which may be in a longer sub-step
            let next = if k + 1 < steps { h } else { step.h / self.own.sub_steps.max(1) as Real };
            let horizon = 0.5 * (h + next);
            let step = Step { h, horizon, again: false, started: k > 0 || step.started, slop: None, ..step };
            report.merge(&self.sub_step(problem, step));
            for (sum, x) in answer.contacts.iter_mut().zip(&self.part.contacts) {
                sum.normal += x.normal;
                sum.friction += x.friction;
            }
            self.joints.add_to(answer, 1.0);
        }
        report.merge(&self.close_step(problem));
        moving::write_motion(problem, &self.bodies, answer);
        if step.slop.is_some() {
            answer.correction.resize(problem.bodies.len(), Twist::ZERO);
        }
        answer.solved_once = true;
        report.work = self.links.spent() - before;
        report
    }

    /// The number of sub-steps that resolves how bodies swing and turn, from the tension of the last step: a body that forces T hold at arms r swings with
    /// `w^2 = sum T r / I`, and an explicit step is stable for `h w < 2`.
    fn sub_steps(&mut self, problem: &GroupProblem, h: Real) -> usize {
        let stiffness = &mut self.work.errors;
        stiffness.clear();
        stiffness.resize(problem.bodies.len(), 0.0);
        for own in problem.rows.chunk_by(|r, next| r.joint == next.joint && r.bodies == next.bodies) {
            for side in 0..2 {
                let (mut square, mut arm) = (0.0, 0.0_f64);
                for r in own.iter().filter(|r| r.row.jacobian[side].linear != Vec3::ZERO) {
                    square += r.impulse * r.impulse;
                    arm = arm.max(r.row.jacobian[side].angular.length());
                }
                stiffness[own[0].bodies[side] as usize] += square.sqrt() / h * arm;
            }
        }
        let mut most: Real = 0.0;
        for (body, stiffness) in problem.bodies.iter().zip(&*stiffness) {
            let swing = (stiffness * body.inverse_inertia.diagonal.max_element()).sqrt();
            let moves = body.inverse_inertia != drystone_math::SymmetricMat3::ZERO;
            let spin = if moves { body.velocity.angular.length() } else { 0.0 };
            most = most.max(swing / SWING).max(spin / SPIN);
        }
        let wanted = (h * most).ceil();
        let least = self.own.sub_steps.max(1);
        if wanted.is_finite() { (wanted as usize).clamp(least, MOST_SUB_STEPS * least) } else { least }
    }

    /// Takes in a group as it is at the start of a step.
    fn start(&mut self, problem: &GroupProblem, fraction: Real) {
        let Self { now, bodies, contacts, joints, credit, work, .. } = self;
        now.copy_without_joints(problem);
        moving::start(problem, bodies);
        contacts.clear();
        let tangent = |i: usize| tangent_basis(problem.contacts[i].normal).0;
        contacts.extend((0..problem.contacts.len()).map(|i| MovingContact::of(problem, i, tangent(i))));
        joints.start(problem, fraction);
        for c in &mut now.contacts {
            c.impulse = c.impulse * fraction;
        }
        for body in &mut now.bodies {
            body.external = body.external * fraction;
        }
        *credit = Credit::default();
        make_room(&mut work.poses, bodies.len());
    }

    /// One sub-step: half a drift, the solve, half a drift. What would meet something in the first half is solved where it starts, and drifts as a whole.
    fn sub_step(&mut self, problem: &GroupProblem, step: Step) -> SolveReport {
        let lead = if self.arrives_within(0.5 * step.h) { 0.0 } else { 0.5 * step.h };
        let Work { start, .. } = &mut self.work;
        start.clear();
        start.extend(self.joints.rows.iter().map(|r| r.row.error));
        if lead > 0.0 {
            moving::drift_freely(problem, &mut self.bodies, lead);
            self.joints.follow(problem, &self.bodies);
        }
        self.follow();
        self.take_rows();
        self.part.start(&self.now);
        let factorised = self.links.take(&self.now, &self.rows, step, 1.0);
        let report = if factorised { self.solve_part(step) } else { self.sweep_part(step) };
        self.take_answer();
        let trail = step.h - lead;
        moving::drift_freely(problem, &mut self.bodies, trail);
        self.joints.follow(problem, &self.bodies);
        if factorised {
            self.close_joints(problem, trail);
        }
        report
    }

    /// Whether a contact would close, and more, in `h` seconds at the present velocities.
    fn arrives_within(&self, h: Real) -> bool {
        let Self { contacts, bodies, now, .. } = self;
        contacts.iter().zip(&now.contacts).any(|(moving, c)| {
            let rate = moving.normal.dot(moving.relative_velocity(bodies));
            rate < 0.0 && c.separation.max(0.0) + h * rate < -self.own.projection.slop
        })
    }

    /// Impulses of a sub-step whose joints are factorised.
    fn solve_part(&mut self, step: Step) -> SolveReport {
        self.find_share();
        let Self { own, rows, group, links, now, part, .. } = self;
        let report = if now.contacts.is_empty() {
            links.solve_alone(now, part)
        } else {
            group.solve(now, (own, rows), (step, Some(links)), &OneThread, part)
        };
        links.write(now, part);
        report
    }

    /// The same by sweeps over all rows, where the factors would be too large.
    fn sweep_part(&mut self, step: Step) -> SolveReport {
        for (r, now) in self.now.rows.iter_mut().zip(&self.joints.rows).filter(|(r, _)| is_held(&r.row)) {
            r.row.target -= FEEDBACK / step.h * now.row.error;
        }
        let Self { swept, now, part, .. } = self;
        swept.begin(share_of(now));
        let report = swept.solve(now, step, 0.0, part).report;
        SolveReport { fallbacks: report.fallbacks.max(1), ..report }
    }

    /// Finds the largest share of the chords along which joints give no more energy than they take.
    fn find_share(&mut self) {
        let Self { links, credit, work, .. } = self;
        credit.taken += links.energy_taken(&mut work.x);
        let all = links.energy_along_chords(&mut work.chords);
        credit.share = if all > credit.taken { (credit.taken / all).sqrt() } else { 1.0 };
        credit.given = credit.share * credit.share * all;
        links.bend(credit.share);
    }

    /// Writes the rows at the present poses into the problem; rigid rows without their errors, which [`Self::close_joints`] takes out.
    fn take_rows(&mut self) {
        let Self { now, joints, .. } = self;
        now.rows.clear();
        for (place, r) in joints.rows.iter().enumerate() {
            let mut row = r.row;
            if is_held(&row) {
                row.error = 0.0;
            }
            now.rows.push(GroupRow { bodies: r.bodies, row, impulse: r.x, joint: 0, place: place as u32 });
        }
    }

    /// Takes over velocities and impulses of a sub-step.
    fn take_answer(&mut self) {
        let Self { now, bodies, joints, part, .. } = self;
        for (body, v) in bodies.iter_mut().zip(&part.velocity).filter(|(b, _)| b.is_movable()) {
            body.velocity = *v;
        }
        for (r, x) in joints.rows.iter_mut().zip(&part.rows) {
            r.x = *x;
        }
        for (c, x) in now.contacts.iter_mut().zip(&part.contacts) {
            c.impulse = *x;
        }
    }
}

impl SmallSteps {
    /// Takes out what joints have left their constraints by in a drift of `h` seconds, as an impulse that acted over it if they have taken that energy before;
    /// and what they were off by before it, by a displacement alone. Goes back if that leaves them further off.
    fn close_joints(&mut self, problem: &GroupProblem, h: Real) {
        let Self { now, joints, links, bodies, credit, work, .. } = self;
        let Work { start, errors, chords, x, ways, poses } = work;
        if joints.rows.len() != now.rows.len() || start.len() != now.rows.len() {
            return;
        }
        errors.clear();
        errors.extend(
            joints.rows.iter().zip(&*start).map(|(r, start)| if is_closed(r) { r.row.error - start } else { 0.0 }),
        );
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

    /// Brings bodies and contacts of the problem to the present poses.
    fn follow(&mut self) {
        let Self { now, bodies, contacts, .. } = self;
        for (own, body) in now.bodies.iter_mut().zip(bodies.iter()) {
            (own.pose, own.velocity, own.inverse_inertia) = (body.pose, body.velocity, body.inverse_inertia);
        }
        for (c, moving) in now.contacts.iter_mut().zip(contacts) {
            moving.follow(bodies);
            c.position = bodies[c.bodies[0] as usize].pose.position + moving.arms[0];
            (c.normal, c.separation) = (moving.normal, moving.gap);
            let ContactImpulse { normal, friction } = c.impulse;
            c.impulse.friction = friction - c.normal * c.normal.dot(friction);
            c.impulse.normal = normal;
        }
    }

    /// Takes out overlap and what joints are off by at the end of a step, by displacements.
    fn close_step(&mut self, problem: &GroupProblem) -> SolveReport {
        let slop = self.own.projection.slop;
        let parameters = CorrectionParameters {
            slop,
            orthogonal_joints: false,
            joint_start: false,
            ..CorrectionParameters::default()
        };
        let mut report = SolveReport::default();
        self.follow();
        let mut overlaps = self.now.contacts.iter().any(|c| c.separation < -super::BAND * slop);
        for _ in 0..CLOSINGS {
            self.follow();
            self.take_rows();
            let Self { now, joints, links, separation, bodies, work, .. } = self;
            for (r, moving) in now.rows.iter_mut().zip(&joints.rows) {
                r.row.error = moving.row.error;
            }
            let off = now.rows.iter().filter(|r| is_held(&r.row)).map(|r| error_size(now, r, r.row.error));
            if !(overlaps || off.fold(0.0, Real::max) > CLOSED) || !links.take_errors(now, &parameters) {
                break;
            }
            report.lcp.solves += 1;
            let off = square_error(joints);
            work.poses.clone_from(bodies);
            separation.begin(now);
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
                break;
            }
            overlaps = false;
        }
        report
    }
}

/// An error below this (m or rad) is left to the end of the step.
const INHERITED: Real = 1e-9;

/// Whether errors of a row are taken out from both sides.
fn is_closed(r: &MovingRow) -> bool {
    is_held(&r.row) && r.row.limits == RowLimits::BILATERAL
}

/// The sum of squared errors of rigid rows.
fn square_error(joints: &MovingJoints) -> Real {
    joints.rows.iter().filter(|r| is_closed(r)).map(|r| r.row.error * r.row.error).sum()
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
