use crate::RowParameters;
use crate::bounce::{Bounce, is_energetic};
use crate::kinetic_energy::{energy_at_start, kinetic_energy};
use crate::limit_bounce::{End, LimitBounce};
use crate::passive::is_resolved;
use crate::row::is_rigid;
use crate::sequence::Sequence;
use crate::support_change::SupportChange;
use drystone_core::{GroupAnswer, GroupProblem, RowLimits, SolveReport, Step, Turn, make_room};
use drystone_math::{Real, Twist};

/// Handles events within a step, around any solver of the velocity problem: limits of joints that are hit, supports that change, and
/// impacts, which give back no more than they may and turn bodies where they meet.
#[derive(Debug, Default)]
pub(crate) struct StepPhases {
    within: Within,
    sequence: Sequence,
    /// The problem, with the influence of joints on its impacts.
    joined: GroupProblem,
    asks_joints: bool,
}

/// Largest number of contacts of a group whose changes of support are followed.
#[derive(Debug, Clone, Copy)]
struct Most(usize);

impl Most {
    fn covers(self, problem: &GroupProblem) -> bool {
        problem.contacts.len() <= self.0
    }
}

impl Default for Most {
    fn default() -> Self {
        Self(usize::MAX)
    }
}

/// An answer is accepted as a start only if its kinetic energy is at most this many times that of before: more comes from a problem without a solution, such as a body
/// that friction has wedged and no impulse can free.
const MULTIPLE: Real = 2.0;

/// Parameters and step with which a problem is solved.
type How<'a> = (&'a RowParameters, Step);

/// The events within a step, and the problem as it changes from one phase to the next.
#[derive(Debug, Default)]
struct Within {
    bounce: Bounce,
    limits: LimitBounce,
    support: SupportChange,
    phase: GroupProblem,
    /// For each body: how external forces change its velocity through the joints, if that was computed; else empty.
    response: Vec<Twist>,
    most_followed: Most,
    /// True if the impacts may give back more than the coefficients of restitution allow.
    may_gain_energy: bool,
    /// True if nothing happened within the step that was solved last.
    uneventful: bool,
}

impl StepPhases {
    /// For a solver of faces. Follows changes of support in groups of up to `most_followed` contacts: each costs another solve of the group.
    pub(crate) fn of_faces(most_followed: usize) -> Self {
        let within = Within { bounce: Bounce::of_faces(), most_followed: Most(most_followed), ..Within::default() };
        Self { within, ..Self::default() }
    }

    /// Returns true if the last step was solved once, with the contacts that it was given.
    pub(crate) fn was_plain(&self) -> bool {
        self.within.uneventful
    }

    /// Solves joints, which `solve` holds exactly, for what they leave of the forces until bodies meet.
    pub(crate) fn asking_joints() -> Self {
        Self { asks_joints: true, ..Self::default() }
    }

    /// Follows changes of support, and solves joints beforehand, in groups of up to this many contacts.
    pub(crate) fn following(mut self, contacts: usize) -> Self {
        self.within.most_followed = Most(contacts);
        self
    }

    /// Solves a step by `solve`: what is reached in it, one after the other.
    pub(crate) fn solve(
        &mut self,
        problem: &GroupProblem,
        parameters: &RowParameters,
        step: Step,
        answer: &mut GroupAnswer,
        mut solve: impl FnMut(&GroupProblem, &RowParameters, Step, &mut GroupAnswer) -> SolveReport,
    ) -> SolveReport {
        let follows = self.within.most_followed.covers(problem);
        if !follows || !self.sequence.begin(problem, parameters, step) {
            return self.solve_at_once(problem, parameters, step, answer, solve);
        }
        let mut sequence = core::mem::take(&mut self.sequence);
        let step = Step { again: false, ..step };
        let mut report = SolveReport::default();
        loop {
            report.merge(&self.solve_at_once(&sequence.problem, parameters, step, answer, &mut solve));
            if !sequence.go_on(answer, parameters, step.horizon) {
                break;
            }
            answer.start(&sequence.problem);
        }
        sequence.write(answer);
        self.within.uneventful = false;
        self.sequence = sequence;
        report
    }

    /// Solves the phases of a step by `solve`, only once if nothing happens within it; with the given parameters or, if nothing bounces, with the same
    /// without restitution.
    fn solve_at_once(
        &mut self,
        problem: &GroupProblem,
        parameters: &RowParameters,
        step: Step,
        answer: &mut GroupAnswer,
        mut solve: impl FnMut(&GroupProblem, &RowParameters, Step, &mut GroupAnswer) -> SolveReport,
    ) -> SolveReport {
        let Self { within, joined, asks_joints, .. } = self;
        within.bounce.find(problem, parameters, step);
        within.limits.find(problem, step.horizon);
        within.response.clear();
        // needed only if something may be hit
        let eventful = !within.bounce.is_empty() || !within.limits.is_empty();
        let resolved = eventful && is_resolved(problem, step.h);
        let mut report = SolveReport::default();
        let mut problem = problem;
        if *asks_joints && !problem.rows.is_empty() && within.most_followed.covers(problem) {
            joined.make_room_for(problem);
            make_room(&mut within.response, problem.bodies.len());
            if resolved && within.ask_joints(problem, joined, (parameters, step), answer, &mut report, &mut solve) {
                problem = joined;
            } else if !resolved && within.bounce.is_joined(problem) {
                within.ask_approach(problem, joined, (parameters, step), answer, &mut report, &mut solve);
            }
        }
        report.merge(&within.solve(problem, resolved, (parameters, step), answer, solve));
        report
    }
}

impl Within {
    /// Computes how external forces change velocities through the joints, if something may be hit, and what bodies do until then; returns whether `joined` is the problem with
    /// the result.
    fn ask_joints(
        &mut self,
        problem: &GroupProblem,
        joined: &mut GroupProblem,
        (parameters, step): How<'_>,
        answer: &mut GroupAnswer,
        report: &mut SolveReport,
        solve: &mut impl FnMut(&GroupProblem, &RowParameters, Step, &mut GroupAnswer) -> SolveReport,
    ) -> bool {
        let Self { bounce, limits, response, .. } = self;
        let joins = bounce.is_joined(problem);
        if !joins && limits.is_empty() {
            return false;
        }
        let step = Step { again: false, ..step };
        joined.clone_from(problem);
        bounce.hold_off(joined);
        limits.hold_off(joined);
        leave_motion_out(joined, step.horizon);
        report.merge(&solve(joined, &RowParameters { restitution: false, ..*parameters }, step, answer));
        response.clone_from(&answer.velocity);
        if joins {
            joined.clone_from(problem);
            bounce.hold_off(joined);
            report.merge(&solve(joined, parameters, step, answer));
            joined.start_from(answer);
            bounce.let_come(problem, joined, response);
            bounce.find(joined, parameters, step);
            bounce.note_unturned(answer);
        }
        joins
    }

    /// Computes what bodies do until an impact, for a step that does not resolve how their joints turn: nothing more can be told of those.
    fn ask_approach(
        &mut self,
        problem: &GroupProblem,
        joined: &mut GroupProblem,
        (parameters, step): How<'_>,
        answer: &mut GroupAnswer,
        report: &mut SolveReport,
        solve: &mut impl FnMut(&GroupProblem, &RowParameters, Step, &mut GroupAnswer) -> SolveReport,
    ) {
        joined.clone_from(problem);
        self.bounce.hold_off(joined);
        report.merge(&solve(joined, parameters, Step { again: false, ..step }, answer));
        // a step that resolves so little of the motion may find anything
        if kinetic_energy(problem, |i, _| answer.velocity[i]) <= energy_at_start(problem) {
            self.bounce.note_unturned(answer);
        }
    }

    /// Solves a problem whose impacts are known.
    fn solve(
        &mut self,
        problem: &GroupProblem,
        resolved: bool,
        (parameters, step): How<'_>,
        answer: &mut GroupAnswer,
        mut solve: impl FnMut(&GroupProblem, &RowParameters, Step, &mut GroupAnswer) -> SolveReport,
    ) -> SolveReport {
        let was_uneventful = core::mem::take(&mut self.uneventful);
        let Self { bounce, limits, support, phase, may_gain_energy, .. } = self;
        *may_gain_energy = bounce.may_gain(problem, parameters);
        let scattered = bounce.is_scattered() || bounce.parts(problem);
        phase.make_room_for(problem);
        if scattered {
            phase.clone_from(problem);
            bounce.synchronise(phase, None, step.horizon);
        }
        let synchronous = if scattered { &*phase } else { problem };
        if self.most_followed.covers(synchronous) {
            support.find(synchronous, parameters, step);
        } else {
            support.forget();
        }
        if !support.is_empty() || !limits.is_empty() || *may_gain_energy || scattered {
            // the problem changes from phase to phase
            if !scattered {
                phase.clone_from(problem);
            }
            return self.solve_in_phases(resolved, (parameters, Step { again: false, ..step }), answer, solve);
        }
        let restitution = parameters.restitution && !bounce.is_empty();
        let as_before = Step { again: step.again && was_uneventful && problem.contact_rates.is_empty(), ..step };
        let mut report = solve(problem, &RowParameters { restitution, ..*parameters }, as_before, answer);
        self.uneventful = !bounce.has_gained(problem, parameters, answer);
        if !self.uneventful {
            phase.clone_from(problem);
            report.merge(&bounded((bounce, limits), phase, (parameters, step), answer, solve));
        }
        bounce.turn(problem, limits, step.horizon, answer);
        report
    }

    /// Solves one phase after the other: without what may be hit, without what arrives, and with everything that is hit or arrives.
    fn solve_in_phases(
        &mut self,
        resolved: bool,
        (parameters, step): How<'_>,
        answer: &mut GroupAnswer,
        mut solve: impl FnMut(&GroupProblem, &RowParameters, Step, &mut GroupAnswer) -> SolveReport,
    ) -> SolveReport {
        let Self { bounce, limits, support, phase, response, .. } = self;
        let step = Step { struck: resolved && !bounce.is_empty(), ..step };
        let mut report = SolveReport::default();
        if !limits.is_empty() {
            limits.hold_off(phase);
            report.merge(&solve(phase, parameters, step, answer));
            if bounce.is_empty() {
                bounce.note_unturned(answer);
            }
            phase.start_from(answer);
            let end = if response.is_empty() { End::Velocities(&answer.velocity) } else { End::Changes(response) };
            limits.let_come(phase, end, parameters.resting_factor, step.horizon);
            if limits.is_hit() {
                bounce.synchronise(phase, Some(limits), step.horizon);
            }
        }
        if bounce.parts(phase) {
            bounce.part(phase, step.horizon);
        }
        let step = Step { struck: step.struck || resolved && limits.is_hit(), ..step };
        if step.struck {
            // what joints bore before it
            phase.row_beginnings.clear();
            phase.row_beginnings.extend(phase.rows.iter().map(|r| r.impulse));
        }
        if !support.is_empty() {
            support.hold_off(phase);
            report.merge(&solve(phase, parameters, step, answer));
            phase.start_from(answer);
            support.let_come(phase);
        }
        report.merge(&solve(phase, parameters, step, answer));
        report.merge(&self.finish((parameters, step), answer, solve));
        report
    }

    /// Bounds the energy that impacts give back in an answer, and turns bodies.
    fn finish(
        &mut self,
        (parameters, step): How<'_>,
        answer: &mut GroupAnswer,
        mut solve: impl FnMut(&GroupProblem, &RowParameters, Step, &mut GroupAnswer) -> SolveReport,
    ) -> SolveReport {
        let Self { bounce, limits, support, phase, may_gain_energy, .. } = self;
        let mut report = SolveReport::default();
        let limited = limits.is_hit() && is_energetic(parameters);
        if *may_gain_energy || limited || bounce.has_gained(phase, parameters, answer) {
            report.merge(&bounded((bounce, limits), phase, (parameters, step), answer, &mut solve));
        }
        if !bounce.turn(phase, limits, step.horizon, answer) && step.struck && !phase.rows.is_empty() {
            // bodies that turn at once do so at the velocity of that time: joints make bodies faster or slower where they meet
            answer.turn.fill(Turn::default());
            limits.hit_now(phase);
            bounce.bounce_now(phase);
            phase.contact_rates.clear();
            phase.start_from(answer);
            report.merge(&solve(phase, parameters, step, answer));
            if is_energetic(parameters) {
                report.merge(&bounded((bounce, limits), phase, (parameters, step), answer, solve));
            }
        }
        support.settle(answer);
        answer.solved_once = step.struck;
        report
    }
}

/// Replaces an answer whose impacts give back too much, or may do so, by one that gives back what is allowed, using a solve without restitution.
fn bounded(
    (bounce, limits): (&mut Bounce, &LimitBounce),
    phase: &mut GroupProblem,
    (parameters, step): How<'_>,
    answer: &mut GroupAnswer,
    mut solve: impl FnMut(&GroupProblem, &RowParameters, Step, &mut GroupAnswer) -> SolveReport,
) -> SolveReport {
    // impulses of an answer that gives back a multiple of what came have grown without bound: they are no start for another solve
    if kinetic_energy(phase, |i, _| answer.velocity[i]) <= MULTIPLE * energy_at_start(phase) {
        phase.start_from(answer);
    }
    bounce.put_aside(phase, limits, answer);
    let report = solve(phase, parameters, Step { again: false, ..step }, answer);
    bounce.give_back(phase, limits, answer);
    report
}

/// Removes the motion from a problem, so that it asks only how external forces change velocities. Rates
/// that joints hold do not change; gaps are those at the end of the step, as the motion makes them.
///
/// The bending of joints' constraints on the way also changes rates and velocities, but does no work: a blow that includes it would.
fn leave_motion_out(problem: &mut GroupProblem, horizon: Real) {
    let GroupProblem { bodies, rows, contacts, .. } = problem;
    for r in rows {
        let rate = r.row.rate(r.bodies.map(|i| bodies[i as usize].velocity));
        r.row.curvature = 0.0;
        if is_rigid(&r.row) && r.row.target == 0.0 {
            r.row.error = 0.0;
        } else if r.row.limits == RowLimits::UNILATERAL {
            r.row.error = (r.row.error + horizon * rate).max(0.0);
        } else {
            r.row.target -= rate;
        }
    }
    for c in contacts {
        let at = |side: usize| {
            let body = &bodies[c.bodies[side] as usize];
            body.velocity.at(c.position - body.pose.position)
        };
        c.separation = (c.separation + horizon * c.normal.dot(at(1) - at(0))).max(0.0);
    }
    for body in bodies {
        body.velocity = Twist::ZERO;
    }
}
