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

mod closing;
mod impacts;
mod stiff_springs;
mod swing;

use closing::INHERITED;
use impacts::{CUTS, Meeting};
use stiff_springs::unresolved;

use super::group::SweptGroup;
use super::links::Links;
use super::parameters::SweepParameters;
use super::separation::Separation;
use crate::RowParameters;
use crate::boxed::Boxed;
use crate::formulation::Formulation;
use crate::moving::{self, MovingBody, MovingContact, MovingJoints, MovingRow, is_held};
use crate::row_solver::share_of;
use drystone_core::{
    ConstraintRow, ContactImpulse, GroupAnswer, GroupProblem, GroupRow, OneThread, Softness, SolveReport, Step,
    make_room,
};
use drystone_lcp::LcpSolver;
use drystone_math::{Mat3, Real, Twist, Vec3, tangent_basis};

/// Factor by which a group at rest has fewer sweeps in a sub-step than in a step.
const FEWER_SWEEPS: usize = 8;
/// Compliance of joints, as a fraction of the diagonal of A. Loops of joints that contradict each other share the rest; at 1e-4 a chain's gaps grow from 1e-7 to 1e-6 m.
const COMPLIANCE: Real = 1e-6;
/// Most contacts of a group that are solved on what the joints leave to move: for more, that takes longer than sweeps between which joints are solved.
const FEW_CONTACTS: usize = 8;
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
    /// By body, the stiffness of its swing under the tension of its joints (N m).
    swings: Vec<Mat3>,
    contacts: Vec<MovingContact>,
    joints: MovingJoints,
    /// The answer of one sub-step.
    part: GroupAnswer,
    /// The fraction of the step that a sub-step is, its duration (s), and the duration that the impulses of `now` belong to.
    fraction: Real,
    whole: Real,
    last: Real,
    /// The time (s) since contacts were followed.
    ago: Real,
    /// Cuts that the step may still take.
    cuts: usize,
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
    /// The least part of the inertia in the present solve that is a body's own.
    own: Real,
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
    /// By body: the angular acceleration with which it turns freely (rad/s^2).
    turning: Vec<Vec3>,
    /// By body: a displacement, and the pose to go back to.
    ways: Vec<Twist>,
    poses: Vec<MovingBody>,
    /// Impulses from before an impact, and its answer with all restitution.
    contacts: Vec<ContactImpulse>,
    rows: Vec<Real>,
    elastic: GroupAnswer,
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
            swings: Vec::new(),
            contacts: Vec::new(),
            joints: MovingJoints::default(),
            part: GroupAnswer::default(),
            fraction: 1.0,
            whole: 0.0,
            last: 0.0,
            ago: 0.0,
            cuts: CUTS,
            credit: Credit::default(),
            work: Work::default(),
        }
    }

    /// Solves and moves a group over a step.
    pub(super) fn solve(&mut self, problem: &GroupProblem, step: Step, answer: &mut GroupAnswer) -> SolveReport {
        self.start(problem);
        let steps = self.sub_steps(problem, step.h);
        let fraction = 1.0 / steps as Real;
        let h = step.h * fraction;
        (self.fraction, self.whole, self.last, self.ago) = (fraction, h, step.h, 0.0);
        self.cuts = CUTS;
        self.links.share(share_of(problem));
        let before = self.links.spent();
        let mut report = SolveReport::default();
        for k in 0..steps {
            // until the next solve, which may be in a longer sub-step
            let next = if k + 1 < steps { h } else { step.h / self.own.sub_steps.max(1) as Real };
            let step =
                Step { h, horizon: 0.5 * (h + next), again: false, started: k > 0 || step.started, slop: None, ..step };
            report.merge(&self.sub_step(problem, step, answer));
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

    /// Takes in a group as it is at the start of a step.
    fn start(&mut self, problem: &GroupProblem) {
        let Self { now, bodies, contacts, joints, credit, work, .. } = self;
        now.copy_without_joints(problem);
        moving::start(problem, bodies);
        contacts.clear();
        let tangent = |i: usize| tangent_basis(problem.contacts[i].normal).0;
        contacts.extend((0..problem.contacts.len()).map(|i| MovingContact::of(problem, i, tangent(i))));
        joints.start(problem, 1.0);
        *credit = Credit::default();
        make_room(&mut work.poses, bodies.len());
        make_room(&mut work.turning, bodies.len());
    }

    fn add_to(&self, answer: &mut GroupAnswer) {
        for (sum, x) in answer.contacts.iter_mut().zip(&self.part.contacts) {
            sum.normal += x.normal;
            sum.friction += x.friction;
        }
        self.joints.add_to(answer, 1.0);
    }

    /// Notes how bodies turn freely at present.
    fn note_turning(&mut self) {
        self.work.turning.clear();
        self.work.turning.extend(self.bodies.iter().map(MovingBody::free_turning));
    }

    /// Notes the errors that the end of a part is to leave as they are. What a first drift of `lead` seconds adds at rates that no motion along the constraint
    /// has is among them: bodies that came with such rates would be thrown back.
    fn note_start(&mut self, h: Real, lead: Real) {
        self.note_turning();
        let Self { joints, bodies, work, .. } = self;
        work.start.clear();
        work.start.extend(joints.rows.iter().map(|r| {
            let rate = if is_held(&r.row) { r.rate(bodies) - r.row.target } else { 0.0 };
            let along = h * r.free_curvature(&work.turning).abs();
            r.row.error + lead * (rate - rate.max(-along).min(along))
        }));
        self.note_springs(lead);
    }

    /// One part of a step: half a drift, the solve, half a drift. If contacts without restitution would close in the first half, the solve comes first.
    fn part_of_step(
        &mut self,
        problem: &GroupProblem,
        step: Step,
        meeting: Meeting,
        answer: &mut GroupAnswer,
    ) -> SolveReport {
        let lead = if self.arrives_within(0.5 * step.h) { 0.0 } else { 0.5 * step.h };
        self.note_start(step.h, lead);
        let ratio = step.h / self.last;
        if ratio != 1.0 {
            self.last = step.h;
            self.now.contacts.iter_mut().for_each(|c| c.impulse = c.impulse * ratio);
            self.joints.rows.iter_mut().for_each(|r| r.x *= ratio);
        }
        if lead > 0.0 {
            moving::drift_freely(problem, &mut self.bodies, lead);
            self.joints.follow(problem, &self.bodies);
        }
        self.follow(problem, step.h * self.fraction / self.whole);
        let trail = step.h - lead;
        self.let_come(step.horizon / trail, meeting);
        self.credit.own = self.slow_swings(self.whole);
        let bounces = meeting == Meeting::Early;
        if bounces {
            self.joints.note_rebounds(&self.bodies, trail);
        } else {
            self.joints.rows.iter_mut().for_each(|r| r.rebound = 0.0);
        }
        self.take_rows();
        self.let_limits_come(step.horizon / trail);
        let credit = self.credit;
        let (mut factorised, mut report) = self.solve_now(step);
        let bounces = bounces && self.bounces();
        for remedy in [Self::keep_momentum, Self::start_cold] {
            if self.gains() && remedy(self) {
                self.credit = credit;
                let (again, more) = self.solve_now(step);
                factorised = again;
                report.merge(&more);
            }
        }
        if bounces && self.gains() {
            self.credit = credit;
            report.merge(&self.bound_rebound(problem, step));
        }
        if bounces {
            self.put_by();
        }
        self.take_answer();
        self.add_to(answer);
        if bounces {
            self.bring_back();
        }
        self.note_tension(step.h);
        self.begin_trail(trail);
        moving::drift_freely(problem, &mut self.bodies, trail);
        self.joints.follow(problem, &self.bodies);
        if factorised {
            self.close_joints(problem, trail);
        }
        self.now.contacts.iter_mut().zip(&problem.contacts).for_each(|(c, own)| c.restitution = own.restitution);
        report
    }

    fn solve_now(&mut self, step: Step) -> (bool, SolveReport) {
        self.part.start(&self.now);
        let factorised = self.links.take(&self.now, &self.rows, step, 1.0);
        let report = if factorised { self.solve_part(step) } else { self.sweep_part(step) };
        (factorised, report)
    }

    /// Returns true if a contact would close and overlap, or a limit be reached, in `h` seconds at the present
    /// velocities.
    fn arrives_within(&self, h: Real) -> bool {
        let Self { contacts, bodies, now, joints, .. } = self;
        let reaches = |r: &MovingRow| r.is_limit() && r.row.error.max(0.0) + h * r.rate(bodies) < -INHERITED;
        if joints.rows.iter().any(reaches) {
            return true;
        }
        contacts.iter().zip(&now.contacts).any(|(moving, c)| {
            let rate = moving.normal.dot(moving.relative_velocity(bodies));
            rate < 0.0 && (c.separation + self.ago * rate).max(0.0) + h * rate < -self.own.projection.slop
        })
    }

    /// Impulses of a sub-step whose joints are factorised.
    fn solve_part(&mut self, step: Step) -> SolveReport {
        self.find_share();
        let Self { own, rows, group, links, now, part, swept, credit, .. } = self;
        let report = if now.contacts.is_empty() {
            links.solve_alone(now, part)
        } else if now.contacts.len() <= FEW_CONTACTS {
            swept.begin(share_of(now));
            let report = swept.solve(now, step, 1.0 - credit.share, part).report;
            return report;
        } else {
            group.solve(now, (own, rows), (step, Some(links)), &OneThread, part)
        };
        links.write(now, part);
        report
    }

    /// The same by sweeps over all rows, where the factors would be too large.
    fn sweep_part(&mut self, step: Step) -> SolveReport {
        for (r, now) in self.now.rows.iter_mut().zip(&self.joints.rows).filter(|(r, _)| is_held(&r.row)) {
            r.row.target -= if step.h > 0.0 { FEEDBACK / step.h * now.row.error } else { 0.0 };
        }
        let Self { swept, now, part, .. } = self;
        swept.begin(share_of(now));
        let report = swept.solve(now, step, 0.0, part).report;
        SolveReport { fallbacks: report.fallbacks.max(1), ..report }
    }

    /// Finds the largest share of the chords along which joints give no more energy than they take.
    fn find_share(&mut self) {
        let Self { links, credit, work, .. } = self;
        // with added inertia it would count energy that bodies do not have
        credit.taken += credit.own * links.energy_taken(&mut work.x);
        let all = links.energy_along_chords(&mut work.chords);
        credit.share = if all > credit.taken { (credit.taken / all).sqrt() } else { 1.0 };
        credit.given = credit.share * credit.share * all;
        links.bend(credit.share);
    }

    /// Writes the rows at the present poses into the problem; rigid rows without their errors, which [`Self::close_joints`] takes out.
    fn take_rows(&mut self) {
        let (whole, h) = (self.whole / self.fraction, self.last);
        self.note_turning();
        let Self { now, joints, bodies, work, .. } = self;
        now.rows.clear();
        for (place, r) in joints.rows.iter().enumerate() {
            let mut row = ConstraintRow { curvature: r.free_curvature(&work.turning), ..r.row };
            if is_held(&row) || r.rebound > 0.0 {
                row.error = 0.0;
            }
            if r.rebound > 0.0 {
                row.target = r.rebound;
            }
            row.error -= unresolved(r, bodies, h) * (row.error - r.spared);
            // fractions per step are those of the whole step
            if let Softness::Fixed { .. } = row.softness
                && let Some(spring) = row.softness.as_spring(whole)
            {
                let (erp, cfm) = spring.over(h);
                row.softness = Softness::Fixed { erp, cfm };
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
    /// Brings bodies of the problem to the present poses, with a fraction of the forces of the step.
    fn follow_bodies(&mut self, problem: &GroupProblem, forces: Real) {
        let Self { now, bodies, .. } = self;
        for ((own, body), start) in now.bodies.iter_mut().zip(bodies.iter()).zip(&problem.bodies) {
            (own.pose, own.velocity, own.inverse_inertia) = (body.pose, body.velocity, body.inverse_inertia);
            own.external = start.external * forces;
        }
    }

    /// Brings bodies and contacts of the problem to the present poses, with a fraction of the forces of the step.
    fn follow(&mut self, problem: &GroupProblem, forces: Real) {
        self.follow_bodies(problem, forces);
        let Self { now, bodies, contacts, .. } = self;
        for (c, moving) in now.contacts.iter_mut().zip(contacts) {
            moving.follow(bodies);
            c.position = bodies[c.bodies[0] as usize].pose.position + moving.arms[0];
            (c.normal, c.separation) = (moving.normal, moving.gap);
            let ContactImpulse { normal, friction } = c.impulse;
            c.impulse.friction = friction - c.normal * c.normal.dot(friction);
            c.impulse.normal = normal;
        }
    }
}
