//! Solves with as much of the rows' chords as gives no energy.

use crate::chord_limit::ChordWork;
use crate::formulation::{Formulation, Outcome};
use drystone_core::{GroupAnswer, GroupProblem, SolveReport, Step};
use drystone_math::{Real, Twist};

/// A formulation whose joints give no energy: solved with as much of the rows' chords as gives none, all of them where the step resolves
/// how joints turn.
#[derive(Debug)]
pub(crate) struct Passive {
    pub(crate) formulation: Box<dyn Formulation>,
    /// The problem with the multipliers of the last solve as its start.
    again: GroupProblem,
    /// Whether the last problem was solved once, with all of its chords.
    whole: bool,
}

impl Passive {
    pub(crate) fn new(formulation: Box<dyn Formulation>) -> Self {
        Self { formulation, again: GroupProblem::default(), whole: false }
    }

    pub(crate) fn solve(&mut self, problem: &GroupProblem, step: Step, answer: &mut GroupAnswer) -> SolveReport {
        let Self { formulation, again, whole } = self;
        let was_whole = core::mem::take(whole);
        let step = Step { again: step.again && was_whole, ..step };
        let first = formulation.solve(problem, step, 0.0, answer);
        let Some(given) = giving(&first, problem, answer, step.h) else {
            *whole = true;
            return first.report;
        };
        let step = Step { again: false, ..step };
        let mut report = first.report;
        again.clone_from(problem);
        let mut solve_again = |given_up: Real, answer: &mut GroupAnswer| {
            again.start_from(answer);
            let outcome = formulation.solve(again, step, given_up, answer);
            report.merge(&outcome.report);
            outcome
        };
        let without = solve_again(1.0, answer);
        let share = without.chords.map_or(0.0, |plain| given.balanced_share(plain.taken));
        if share > 0.0 {
            let part = solve_again(1.0 - share, answer);
            if giving(&part, problem, answer, step.h).is_some() {
                solve_again(1.0, answer);
            }
        }
        report
    }
}

/// The work of a solve's chords where they gave more than they may.
fn giving(outcome: &Outcome, problem: &GroupProblem, answer: &GroupAnswer, h: Real) -> Option<ChordWork> {
    if problem.rows.is_empty() {
        return None;
    }
    // what gives nothing gives no more than any slack
    let given = outcome.chords.filter(|w| w.gives(0.0))?;
    given.gives(slack(largest_turn(problem, answer, h))).then_some(given)
}

/// The angle (rad) that the joints' bodies turn in a step, before or after it.
fn largest_turn(problem: &GroupProblem, answer: &GroupAnswer, h: Real) -> Real {
    let turn = |u: Twist| u.angular.length() * h;
    let ends = problem.rows.iter().flat_map(|r| r.bodies).map(|i| i as usize);
    ends.fold(0.0, |m: Real, i| m.max(turn(problem.bodies[i].velocity)).max(turn(answer.velocity[i])))
}

/// Angles (rad) a step up to which energy may go to and fro, and from which on nothing is given.
const RESOLVED: Real = 0.1;
const UNRESOLVED: Real = 0.3;
/// The fraction of the chords' work that may be given for the moment where the step resolves the motion.
const SLACK: Real = 0.25;

/// The fraction of their work that chords may give in a step in which bodies turn so far.
fn slack(turn: Real) -> Real {
    SLACK * ((UNRESOLVED - turn) / (UNRESOLVED - RESOLVED)).clamp(0.0, 1.0)
}
