//! Rigid contacts by Newton's method: the regularisation of a convex problem is taken out again by proximal steps.

use super::cone_cost::EllipticCone;
use super::newton::{Newton, Tolerance};
use super::program::{Cost, Program, Term};
use crate::ConstraintRows;
use drystone_lcp::LcpOperator;
use drystone_math::Real;

/// Regularisation of the first problem and the least one, as fractions of a contact's response.
const FIRST: Real = 3e-2;
const LEAST: Real = 1e-7;
/// Most Newton steps of a problem; a problem that takes more is solved with a larger regularisation.
const STEPS_OF_PROBLEM: usize = 15;
/// A residual that falls to more than this fraction falls slowly; after so many slow problems in a row there is no point in more.
const SLOW: Real = 0.3;
const SLOW_PROBLEMS: usize = 8;
/// The velocity by which the answer of a problem may be off, as a fraction of the residual so far.
const INNER: Real = 0.1;

/// Impulses of rigid contacts with Coulomb's friction by Newton's method.
///
/// Of impulses f in Coulomb's cones K, with relative velocities `y = A f + b`, each proximal step makes
///
/// ```text
/// f' = argmin over K of  f'^T A f' / 2 + f'^T (b + s) + (f' - f)^T R (f' - f) / 2
/// ```
///
/// which is a convex problem in the velocities of the bodies. s is the speed at which sliding would open a contact in it, mu times the slip: without it,
/// friction would lift what slides. At a fixed point R plays no part, f' = f, and s belongs to the slip: Coulomb's law holds exactly. A small R
/// needs few proximal steps but more Newton steps in each; R falls as fast as Newton's method allows, and stays above what the changes of s are worth.
/// The sequence of s is extrapolated from its last two values.
///
/// # Cost
/// A factorisation of the bodies' matrix per Newton step, see [`super::envelope`].
///
/// # Source
/// Rockafellar, "Monotone operators and the proximal point algorithm", 1976; Todorov 2014 for one problem; De Saxce and Feng 1998 and Cadoux 2009 for s;
/// Anderson 1965 for the extrapolation.
#[derive(Debug, Default)]
pub(crate) struct ProximalNewton {
    program: Program,
    newton: Newton,
    /// The impulses found, by row.
    pub(crate) f: Vec<Real>,
    /// By row: the response at which R is one.
    response: Vec<Real>,
    rates: Vec<Real>,
    sliding: Sliding,
}

/// The openings s of all contacts and their last change.
#[derive(Debug, Default)]
struct Sliding {
    /// s of the problem that was solved, and of the one before it.
    now: Vec<Real>,
    /// The openings that sliding in the solution asks for, minus s; the same of the problem before it, and what was asked for then.
    change: Vec<Real>,
    change_before: Vec<Real>,
    asked_before: Vec<Real>,
}

/// The goal of a solve (m/s).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Goal {
    /// By how much velocities are off at the start.
    pub(crate) off: Real,
    /// The residual at which iterating ends.
    pub(crate) residual: Real,
    /// The residual at which it ends if it falls slowly.
    pub(crate) enough: Real,
}

/// The outcome of iterating.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reached {
    /// By how much a velocity is off (m/s).
    pub(crate) residual: Real,
    pub(crate) problems: u64,
    pub(crate) newton_steps: usize,
}

impl ProximalNewton {
    /// Takes in the contacts of a group, whose rows start at impulses that are yet to be given.
    pub(crate) fn pose(&mut self, bodies: &[drystone_core::GroupBody], rows: &ConstraintRows) {
        let Self { program, newton, response, .. } = self;
        program.restart(bodies, rows);
        response.clear();
        response.resize(rows.b.len(), 0.0);
        for (k, own) in rows.contacts.iter().enumerate() {
            let first = own.normal as usize;
            let own_response = rows.operator.diagonal(first);
            let cone = EllipticCone::new(own_response, &rows.mu[first + 1..first + own.count()], 1.0);
            let cost = if own_response > 0.0 { Cost::Cone(cone, k) } else { Cost::None };
            response[first..first + own.count()].fill(if own_response > 0.0 { own_response } else { 0.0 });
            program.terms.push(Term { first, cost });
        }
        newton.shape(program);
    }

    /// Multiplications of a factorisation.
    pub(crate) fn work(&self) -> Real {
        self.newton.work()
    }

    /// Number of unknowns.
    pub(crate) fn variables(&self) -> u64 {
        6 * self.program.bodies() as u64
    }

    /// Iterates from the start value of the rows, for at most `most` Newton steps.
    pub(crate) fn run(&mut self, rows: &ConstraintRows, goal: Goal, most: usize) -> Reached {
        self.f.clone_from(&rows.x);
        let mut softness = FIRST;
        self.program.soften(softness);
        self.aim(&rows.b, softness);
        self.newton.start(&self.program, &self.f);
        self.sliding.begin(&mut self.program, &self.newton, &rows.b, &mut self.rates);
        let mut reached = Reached { residual: goal.off, problems: 0, newton_steps: 0 };
        let mut slow_problems = 0;
        while reached.newton_steps < most && slow_problems < SLOW_PROBLEMS {
            self.aim(&rows.b, softness);
            let allowed = STEPS_OF_PROBLEM.min(most - reached.newton_steps);
            let inner = Tolerance::Velocity(INNER * reached.residual);
            let steps = self.newton.run(&self.program, allowed, inner);
            reached.newton_steps += steps.max(1);
            reached.problems += 1;
            let (factor, floor) = if steps >= allowed {
                (10.0, 0.0)
            } else {
                let violation = self.accept(softness);
                let change = self.sliding.follow(&mut self.program, &self.newton, &rows.b, &mut self.rates);
                let residual = violation.max(change).max(self.newton.residual(&self.program));
                let slow = residual > SLOW * reached.residual;
                slow_problems = if slow { slow_problems + 1 } else { 0 };
                reached.residual = residual;
                if residual <= goal.residual || (slow && residual <= goal.enough) {
                    break;
                }
                (if steps <= STEPS_OF_PROBLEM / 2 { 0.1 } else { 0.3 }, self.worth(change))
            };
            let next = (softness * factor).max(floor).clamp(LEAST, 1.0);
            self.program.soften(next / softness);
            softness = next;
        }
        reached
    }

    /// Makes the present impulses those that the regularisation pulls to.
    fn aim(&mut self, b: &[Real], softness: Real) {
        let Self { program, f, response, .. } = self;
        for (row, ((b, r), f)) in program.rows.iter_mut().zip(b.iter().zip(&*response).zip(&*f)) {
            row.b = b - softness * r * f;
        }
    }

    /// Takes over the impulses of a solved problem; returns by how much their contacts' velocities are off (m/s).
    fn accept(&mut self, softness: Real) -> Real {
        let Self { newton, f, response, .. } = self;
        let change = newton.f.iter().zip(&*f).zip(&*response);
        let off = change.fold(0.0, |off: Real, ((new, old), r)| off.max((softness * r * (new - old)).abs()));
        f.clone_from(&newton.f);
        off
    }

    /// The regularisation at which the largest impulse is worth a velocity (m/s).
    fn worth(&self, velocity: Real) -> Real {
        let largest = self.f.iter().zip(&self.response).fold(0.0, |most: Real, (f, r)| most.max(f.abs() * r));
        if largest > 0.0 { velocity / largest } else { 0.0 }
    }
}

impl Sliding {
    /// The openings at the start value.
    fn begin(&mut self, program: &mut Program, newton: &Newton, b: &[Real], rates: &mut Vec<Real>) {
        program.note_sliding(&newton.u, b, rates);
        self.change.clear();
    }

    /// Finds the openings for the next problem; returns by how much those of the present one were off at most (m/s).
    fn follow(&mut self, program: &mut Program, newton: &Newton, b: &[Real], rates: &mut Vec<Real>) -> Real {
        let Self { now, change, change_before, asked_before } = self;
        now.clone_from(&program.shift);
        let off = program.note_sliding(&newton.u, b, rates);
        core::mem::swap(change, change_before);
        change.clear();
        change.extend(program.shift.iter().zip(&*now).map(|(asked, was)| asked - was));
        now.clone_from(&program.shift);
        if change_before.len() == change.len() {
            let (mut along, mut square) = (0.0, 0.0);
            for (c, before) in change.iter().zip(&*change_before) {
                along += c * (c - before);
                square += (c - before) * (c - before);
            }
            let share = if square > 0.0 { along / square } else { 0.0 };
            for (shift, before) in program.shift.iter_mut().zip(&*asked_before) {
                *shift = (*shift - share * (*shift - before)).max(0.0);
            }
        }
        asked_before.clone_from(now);
        off
    }
}
