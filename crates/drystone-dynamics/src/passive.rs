//! Solves with as large a share of the rows' chords as adds no energy.

use crate::chord_limit::ChordWork;
use crate::formulation::{Formulation, Outcome};
use crate::kinetic_energy::energy_at_start;
use drystone_core::{GroupAnswer, GroupProblem, SolveReport, Step};
use drystone_math::{Real, Twist};

/// Amount of work spent to improve an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effort {
    /// Everything that makes it better.
    Whole,
    /// Only what keeps it from adding energy.
    Once,
}

/// A formulation whose joints add no energy: solved with the largest share of the rows' chords for which this holds, or with all of them if the step resolves
/// how joints turn.
#[derive(Debug)]
pub(crate) struct Passive {
    pub(crate) formulation: Box<dyn Formulation>,
    /// The problem with the multipliers of the last solve as its start.
    again: GroupProblem,
    /// True if the last problem was solved only once, with all of its chords.
    whole: bool,
}

impl Passive {
    pub(crate) fn new(formulation: Box<dyn Formulation>) -> Self {
        Self { formulation, again: GroupProblem::default(), whole: false }
    }

    pub(crate) fn solve(
        &mut self,
        problem: &GroupProblem,
        step: Step,
        effort: Effort,
        answer: &mut GroupAnswer,
    ) -> SolveReport {
        let Self { formulation, again, whole } = self;
        let was_whole = core::mem::take(whole);
        let step = Step { again: step.again && was_whole, ..step };
        let first = formulation.solve(problem, step, 0.0, answer);
        let mut report = first.report;
        let Some(given) = giving(&first, problem, answer, step.h) else {
            *whole = !is_wedged(&first, problem, answer);
            if !*whole {
                report.merge(&formulation.solve(problem, Step { again: false, ..step }, 1.0, answer).report);
            }
            return report;
        };
        let step = Step { again: false, ..step };
        again.clone_from(problem);
        let mut solve_again = |given_up: Real, answer: &mut GroupAnswer| {
            again.start_from(answer);
            let outcome = formulation.solve(again, step, given_up, answer);
            report.merge(&outcome.report);
            outcome
        };
        let without = solve_again(1.0, answer);
        let Some(plain) = without.chords.filter(|_| effort == Effort::Whole) else { return report };
        let share = given.balanced_share(&plain);
        if share > 0.0 {
            let part = solve_again(1.0 - share, answer);
            let most = plain.energy_gain().max(0.0);
            let exceeds = |w: ChordWork| w.energy_gain() > most + ROUNDING * w.work.abs();
            if giving(&part, problem, answer, step.h).is_some_and(exceeds) {
                solve_again(1.0, answer);
            }
        }
        report
    }
}

/// Returns true if chords do more work than the kinetic energy of the bodies between joints and contacts: friction has
/// wedged them, and impulses that balance each other grow with whatever the chords ask for. Joints then take what
/// contacts give, which is not visible from the joints alone.
fn is_wedged(outcome: &Outcome, problem: &GroupProblem, answer: &GroupAnswer) -> bool {
    let bears = || answer.contacts.iter().any(|c| c.normal != 0.0);
    outcome.chords.is_some_and(|chords| chords.work > 0.0 && bears() && chords.work > energy_at_start(problem))
}

/// Tolerance for a balance, as a fraction of the work of the chords.
const ROUNDING: Real = 1e-9;

/// The work of a solve's chords if they gave more than they may, else `None`.
fn giving(outcome: &Outcome, problem: &GroupProblem, answer: &GroupAnswer, h: Real) -> Option<ChordWork> {
    if problem.rows.is_empty() {
        return None;
    }
    // chords that give nothing are within any slack
    let given = outcome.chords.filter(|w| w.gives(0.0))?;
    given.gives(slack(largest_turn(problem, answer, h))).then_some(given)
}

/// The largest angle (rad) that the joints' bodies turn per step, at their velocities before or after it.
fn largest_turn(problem: &GroupProblem, answer: &GroupAnswer, h: Real) -> Real {
    let turn = |u: Twist| u.angular.length() * h;
    let ends = problem.rows.iter().flat_map(|r| r.bodies).map(|i| i as usize);
    ends.fold(0.0, |m: Real, i| m.max(turn(problem.bodies[i].velocity)).max(turn(answer.velocity[i])))
}

/// Rotation per step (rad) up to which joints may exchange energy in both directions.
const RESOLVED: Real = 0.1;
/// Rotation per step (rad) above which joint curvature terms may not add energy: the step does not resolve the rotation.
const UNRESOLVED: Real = 0.3;

/// Returns true if a step of `h` seconds resolves the rotation of the joints' bodies: their motion at its start still
/// holds in its middle.
pub(crate) fn is_resolved(problem: &GroupProblem, h: Real) -> bool {
    let mut ends = problem.rows.iter().flat_map(|r| r.bodies);
    ends.all(|i| problem.bodies[i as usize].velocity.angular.length() * h < UNRESOLVED)
}

/// The fraction of the chords' work that may temporarily be given if the step resolves the motion.
const SLACK: Real = 0.25;

/// The fraction of their work that chords may give in a step in which bodies turn by `turn`.
fn slack(turn: Real) -> Real {
    SLACK * ((UNRESOLVED - turn) / (UNRESOLVED - RESOLVED)).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RowParameters;
    use crate::boxed::Boxed;
    use drystone_core::GroupRow;
    use drystone_lcp::Lemke;
    use drystone_math::Vec3;
    use drystone_testkit::problem::{contact, cube, rigid_row};

    const H: Real = 0.01;

    /// A body of one kilogram, held along x by a joint whose constraint bends by the speed `chord` in half a step,
    /// with a velocity, and a contact that returns an approach along its normal in full.
    fn jointed(velocity: Vec3, chord: Real, normal: Vec3) -> GroupProblem {
        let mut body = cube(1, 1.0, Vec3::ZERO);
        // so fast that not even a temporary gain of energy is allowed
        body.velocity = Twist::new(velocity, Vec3::X * (1.3 * UNRESOLVED / H));
        let mut row = rigid_row([Twist::ZERO, Twist::new(Vec3::X, Vec3::ZERO)]);
        row.curvature = 2.0 * chord / H;
        let meets = contact([0, 1], Vec3::ZERO, normal, 0, 0);
        GroupProblem {
            bodies: vec![cube(0, 0.0, Vec3::ZERO), body],
            rows: vec![GroupRow { bodies: [0, 1], row, impulse: 0.0, joint: 0, place: 0 }],
            contacts: vec![drystone_core::GroupContact { restitution: 1.0, friction: 0.0, ..meets }],
            ..GroupProblem::default()
        }
    }

    /// The velocity after a step, and the energy that the joint and the contact added (J).
    fn solved(problem: &GroupProblem) -> (Vec3, [Real; 2]) {
        let parameters = RowParameters { orthogonal_joints: false, ..RowParameters::default() };
        let mut solver = Passive::new(Box::new(Boxed::new(parameters, Box::new(Lemke::default()))));
        let mut answer = GroupAnswer::default();
        answer.start(problem);
        solver.solve(problem, Step::new(H, H), Effort::Whole, &mut answer);
        let after = answer.velocity[1].linear;
        let mean = (problem.bodies[1].velocity.linear + after) * 0.5;
        let work = [answer.rows[0] * mean.x, answer.contacts[0].normal * mean.dot(problem.contacts[0].normal)];
        (after, work)
    }

    /// The contact stops the body and throws it back as far as it may; the joint across it gains no energy from that, and its rate is reversed.
    #[test]
    fn an_impact_is_no_credit_for_joints() {
        for (speed, chord) in [(0.0, 1.9), (0.4, 1.9), (0.4, -0.5), (-0.4, 0.6), (0.4, 30.0)] {
            let (after, [joint, contact]) = solved(&jointed(Vec3::new(speed, -1.0, 0.0), chord, Vec3::Y));
            let wanted = Vec3::new(-speed.abs() * chord.signum(), 1.0, 0.0);
            assert!((after - wanted).length() < 1e-9, "{speed} {chord}: {after}");
            assert!(joint.abs() < 1e-9 && contact.abs() < 1e-9, "{speed} {chord}: {joint} {contact}");
        }
        // nor does rounding upset the balance
        for k in 1..200 {
            let (after, _) = solved(&jointed(Vec3::new(0.01 * Real::from(k), -1.0, 0.0), 2.7, Vec3::Y));
            assert!((after.x + 0.01 * Real::from(k)).abs() < 1e-9, "{k}: {after}");
        }
        // a joint that gains nothing is left as it is
        let (after, [joint, _]) = solved(&jointed(Vec3::new(0.4, -1.0, 0.0), 0.3, Vec3::Y));
        assert!(
            (after - Vec3::new(-0.3, 1.0, 0.0)).length() < 1e-12 && (joint + 0.035).abs() < 1e-12,
            "{after} {joint}"
        );
    }

    /// If the contact also pushes along the joint, the right share of the chords is still found:
    /// nothing is gained or lost, unless energy is added without chords.
    #[test]
    fn the_share_of_chords_is_balanced_beside_impulses_along_them() {
        let normal = Vec3::new(0.6, 0.8, 0.0);
        for (speed, chord) in [(0.4, 2.0), (0.4, -2.0), (-0.4, 2.0), (-0.4, -2.0), (-1.0, 9.0), (0.1, -5.0)] {
            let problem = jointed(Vec3::new(speed, -1.0, 0.0), chord, normal);
            let plain = solved(&jointed(Vec3::new(speed, -1.0, 0.0), 0.0, normal)).1[0];
            let joint = solved(&problem).1[0];
            assert!(joint <= plain.max(0.0) + 1e-9, "{speed} {chord}: {joint} J, without chords {plain} J");
            assert!(joint >= plain.min(0.0) - 1e-9, "{speed} {chord}: {joint} J, without chords {plain} J");
        }
    }
}
