use crate::RowParameters;
use crate::bounce::{Bounce, is_energetic};
use crate::limit_bounce::LimitBounce;
use crate::passive::is_resolved;
use crate::support_change::SupportChange;
use drystone_core::{GroupAnswer, GroupProblem, SolveReport, Step, Turn};

/// What happens within a step, around any solver of the velocity problem: limits of joints that are hit, supports that change, and
/// impacts that give back no more than they may and turn bodies where they meet.
#[derive(Debug, Default)]
pub(crate) struct StepPhases {
    bounce: Bounce,
    limits: LimitBounce,
    support: SupportChange,
    /// The problem as it is changed from one phase to the next.
    phase: GroupProblem,
    /// The problem with what joints say of its impacts.
    joined: GroupProblem,
    most_followed: Most,
    asks_joints: bool,
    /// Whether nothing happened within the step that was solved last.
    uneventful: bool,
}

/// The most contacts of a group whose changes of support are followed.
#[derive(Debug, Clone, Copy)]
struct Most(usize);

impl Default for Most {
    fn default() -> Self {
        Self(usize::MAX)
    }
}

impl StepPhases {
    /// Follows changes of support in groups of up to so many contacts: each costs a solve of its group.
    pub(crate) fn following_up_to(contacts: usize) -> Self {
        Self { most_followed: Most(contacts), ..Self::default() }
    }

    /// Asks joints, which `solve` holds exactly, what they leave of the forces until bodies meet.
    pub(crate) fn asking_joints() -> Self {
        Self { asks_joints: true, ..Self::default() }
    }

    /// Solves the phases of a step by `solve`, once where nothing happens within it; with the parameters given, or, where nothing bounces, the same
    /// without restitution.
    pub(crate) fn solve(
        &mut self,
        problem: &GroupProblem,
        parameters: &RowParameters,
        step: Step,
        answer: &mut GroupAnswer,
        mut solve: impl FnMut(&GroupProblem, &RowParameters, Step, &mut GroupAnswer) -> SolveReport,
    ) -> SolveReport {
        let was_uneventful = core::mem::take(&mut self.uneventful);
        let Self { bounce, limits, support, phase, joined, asks_joints, .. } = self;
        bounce.find(problem, parameters, step);
        if *asks_joints && !problem.rows.is_empty() {
            joined.make_room_for(problem);
        }
        let mut report = SolveReport::default();
        let mut problem = problem;
        let resolved = is_resolved(problem, step.h);
        if *asks_joints && resolved && bounce.is_joined(problem) {
            joined.clone_from(problem);
            bounce.hold_off(joined);
            report = solve(joined, parameters, Step { again: false, ..step }, answer);
            joined.start_from(answer);
            bounce.let_come(problem, joined, answer);
            problem = joined;
            bounce.find(problem, parameters, step);
            bounce.note_unturned(answer);
        }
        let gains = bounce.may_gain(problem, parameters);
        let scattered = bounce.is_scattered();
        phase.make_room_for(problem);
        if scattered {
            phase.clone_from(problem);
            bounce.synchronise(phase, None, step.horizon);
        }
        let synchronous = if scattered { &*phase } else { problem };
        limits.find(synchronous, step.horizon);
        if synchronous.contacts.len() <= self.most_followed.0 {
            support.find(synchronous, parameters, step);
        } else {
            support.forget();
        }
        if support.is_empty() && limits.is_empty() && !gains && !scattered {
            let restitution = parameters.restitution && !bounce.is_empty();
            let as_before = Step { again: step.again && was_uneventful && problem.contact_rates.is_empty(), ..step };
            report.merge(&solve(problem, &RowParameters { restitution, ..*parameters }, as_before, answer));
            self.uneventful = !bounce.has_gained(problem, parameters, answer);
            if !self.uneventful {
                phase.clone_from(problem);
                report.merge(&bounded((bounce, limits), phase, (parameters, step), answer, solve));
            }
            bounce.turn(problem, limits, step.horizon, answer);
            return report;
        }
        // each phase has a problem of its own
        let step = Step { again: false, struck: resolved && !bounce.is_empty(), ..step };
        if !scattered {
            phase.clone_from(problem);
        }
        if !limits.is_empty() {
            limits.hold_off(phase);
            report.merge(&solve(phase, parameters, step, answer));
            if bounce.is_empty() {
                bounce.note_unturned(answer);
            }
            phase.start_from(answer);
            limits.let_come(phase, answer, parameters.resting_factor, step.horizon);
            if limits.is_hit() {
                bounce.synchronise(phase, Some(limits), step.horizon);
            }
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
        let limited = limits.is_hit() && is_energetic(parameters);
        if gains || limited || bounce.has_gained(phase, parameters, answer) {
            report.merge(&bounded((bounce, limits), phase, (parameters, step), answer, &mut solve));
        }
        if !bounce.turn(phase, limits, step.horizon, answer) && step.struck && !phase.rows.is_empty() {
            // what turns at once does so at the velocity of that time: joints have it that bodies are faster or slower where they meet
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
        answer.struck = step.struck;
        report
    }
}

/// From an answer whose impacts give back too much, or may, to one that gives back what is allowed: by a solve without restitution.
fn bounded(
    (bounce, limits): (&mut Bounce, &LimitBounce),
    phase: &mut GroupProblem,
    (parameters, step): (&RowParameters, Step),
    answer: &mut GroupAnswer,
    mut solve: impl FnMut(&GroupProblem, &RowParameters, Step, &mut GroupAnswer) -> SolveReport,
) -> SolveReport {
    phase.start_from(answer);
    bounce.put_aside(phase, limits, answer);
    let report = solve(phase, parameters, Step { again: false, ..step }, answer);
    bounce.give_back(phase, limits, answer);
    report
}
