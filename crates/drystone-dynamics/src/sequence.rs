//! Impacts that follow one another within a step.
//!
//! A predicted contact acts from the time at which it is reached. A ball that meets a crate and would meet the wall
//! behind it does not bounce off the wall: the crate changes its way. So the impacts that come first for both of their
//! bodies are solved alone. From these velocities it follows what is reached next, and so on to the end of the step. A
//! contact that is reached at no time exerts nothing.

use crate::RowParameters;
use crate::bounce::resting_speed;
use crate::row::is_rigid;
use crate::support_change::{FAR, relative, relative_of};
use drystone_core::{Closing, Connected, ContactImpulse, GroupAnswer, GroupProblem, Step, TOUCHING, Turn, make_room};
use drystone_math::Real;

/// Most phases of a step; what is left comes at once. It bounds the cost of a step: each phase is another solve of the group.
const MOST_PHASES: usize = 8;

/// Largest number of contacts of a group whose impacts are taken one after the other: in a large pile each phase solves the pile again, and leaves it more restless.
const FOLLOWED: usize = 64;

/// Impacts whose times differ by less than this fraction of the step are simultaneous: their difference is rounding.
const SIMULTANEOUS: Real = 1e-9;

/// When a contact is reached.
#[derive(Debug, Clone, Copy)]
struct Reached {
    /// As a fraction of the horizon; infinite if it is not.
    at: Real,
    /// True for an impact, false for a slow arrival.
    hits: bool,
}

/// The phases of a step in which impacts follow one another.
///
/// Between impacts bodies move as if they had always had their present velocity: a body that has turned has another start, by its [`Turn`].
#[derive(Debug, Default)]
pub(crate) struct Sequence {
    /// The problem of the present phase: contacts that are not reached in it are far.
    pub(crate) problem: GroupProblem,
    /// By contact: its gap at the start of the step if its bodies had always moved as at present (m); and whether it was touching then.
    gaps: Vec<Real>,
    touching: Vec<bool>,
    reached: Vec<Reached>,
    connected: Connected,
    /// For the body that represents connected ones: their first impact, as a fraction of the horizon.
    first: Vec<Real>,
    /// Impulses of the phases so far.
    contacts: Vec<ContactImpulse>,
    torques: Vec<[Real; 3]>,
    rows: Vec<Real>,
    turns: Vec<Turn>,
    phases: usize,
    /// True if the present phase is the last.
    last: bool,
}

impl Sequence {
    /// Begins with a problem; returns whether contacts are reached one after the other in it, and a phase is to be solved.
    pub(crate) fn begin(&mut self, problem: &GroupProblem, parameters: &RowParameters, step: Step) -> bool {
        self.make_room(problem);
        // what yields or is limited has no part in a phase of its own
        let told_apart = parameters.restitution
            && step.h > 0.0
            && (2..=FOLLOWED).contains(&problem.contacts.len())
            && problem.contacts.iter().any(|c| c.restitution > 0.0 && c.separation > TOUCHING)
            && problem.rows.iter().all(|r| is_rigid(&r.row) && r.row.target == 0.0);
        if !told_apart {
            return false;
        }
        let Self { gaps, touching, connected, .. } = self;
        gaps.extend(problem.contacts.iter().map(|c| c.separation));
        touching.extend(problem.contacts.iter().map(|c| c.separation <= TOUCHING));
        connected.restart(problem.bodies.len());
        for (c, _) in problem.contacts.iter().zip(touching).filter(|(_, touching)| **touching) {
            connected.connect(&problem.bodies, c.bodies);
        }
        problem.rows.iter().for_each(|r| connected.connect(&problem.bodies, r.bodies));
        if !self.look(problem, parameters, step.horizon) || (0..problem.contacts.len()).all(|k| self.acts(problem, k)) {
            return false;
        }
        self.problem.copy_without_joints(problem);
        self.problem.joints.clone_from(&problem.joints);
        self.problem.joint_memory.clone_from(&problem.joint_memory);
        self.contacts.resize(problem.contacts.len(), ContactImpulse::ZERO);
        self.torques.resize(problem.surfaces.len(), [0.0; 3]);
        self.rows.resize(problem.rows.len(), 0.0);
        self.turns.resize(problem.bodies.len(), Turn::default());
        self.hold_off();
        true
    }

    /// Empties it, with memory for the problem: the first impact after a long rest then allocates nothing.
    fn make_room(&mut self, problem: &GroupProblem) {
        let Self { gaps, touching, reached, connected, first, contacts, torques, rows, turns, .. } = self;
        make_room(gaps, problem.contacts.len());
        make_room(touching, problem.contacts.len());
        make_room(reached, problem.contacts.len());
        connected.make_room(problem.bodies.len());
        make_room(first, problem.bodies.len());
        make_room(contacts, problem.contacts.len());
        make_room(torques, problem.surfaces.len());
        make_room(rows, problem.rows.len());
        make_room(turns, problem.bodies.len());
        (self.phases, self.last) = (0, false);
        self.problem.make_room_for(problem);
    }

    /// Determines when contacts are reached at the present velocities; returns whether there is an impact.
    fn look(&mut self, problem: &GroupProblem, parameters: &RowParameters, horizon: Real) -> bool {
        let Self { gaps, touching, reached, connected, first, .. } = self;
        let resting = resting_speed(problem, parameters, horizon);
        reached.clear();
        first.clear();
        first.resize(problem.bodies.len(), Real::INFINITY);
        for ((c, gap), touching) in problem.contacts.iter().zip(&*gaps).zip(&*touching) {
            let before = c.normal.dot(relative(problem, c, |b| b.velocity));
            let after = before + c.normal.dot(relative(problem, c, |b| b.external));
            let closing = Closing { gap: *gap, before, after, horizon };
            // a gap that is closed already opens
            let at = if *touching || *gap <= 0.0 && after >= 0.0 { None } else { closing.arrival() };
            let hits = at.is_some_and(|at| (before + closing.force_until(at)).max(before) < -resting);
            reached.push(Reached { at: at.unwrap_or(Real::INFINITY), hits });
        }
        // the points of a pair are hit together
        let mut k = 0;
        for pair in problem.contacts.chunk_by(|c, next| c.edge == next.edge) {
            let own = &mut reached[k..k + pair.len()];
            let time = own.iter().filter(|r| r.hits).fold(Real::INFINITY, |t, r| t.min(r.at));
            own.iter_mut().filter(|r| r.hits).for_each(|r| r.at = time);
            for body in pair[0].bodies.into_iter().filter(|b| problem.bodies[*b as usize].is_movable()) {
                let known = &mut first[connected.root(body) as usize];
                *known = known.min(time);
            }
            k += pair.len();
        }
        reached.iter().any(|r| r.hits)
    }

    /// Returns true if a contact acts in the present phase: it touches, it is hit first, or it is reached before its
    /// bodies are hit.
    fn acts(&mut self, problem: &GroupProblem, contact: usize) -> bool {
        let Reached { at, .. } = self.reached[contact];
        let until = |body: u32| {
            if problem.bodies[body as usize].is_movable() {
                self.first[self.connected.root(body) as usize]
            } else {
                Real::INFINITY
            }
        };
        let [a, b] = problem.contacts[contact].bodies.map(until);
        let until = a.min(b);
        self.touching[contact] || until == Real::INFINITY || at <= until + SIMULTANEOUS
    }

    /// Takes the contacts that do not act in the present phase out of its problem.
    fn hold_off(&mut self) {
        let mut problem = core::mem::take(&mut self.problem);
        for k in 0..problem.contacts.len() {
            if !self.touching[k] {
                let acts = self.last || self.acts(&problem, k);
                problem.contacts[k].separation = if acts { self.gaps[k].max(0.0) } else { FAR };
            }
        }
        self.problem = problem;
    }

    /// Takes the answer of a phase, and finds the next; returns whether there is one.
    pub(crate) fn go_on(&mut self, answer: &GroupAnswer, parameters: &RowParameters, horizon: Real) -> bool {
        self.add(answer);
        if self.last {
            return false;
        }
        self.phases += 1;
        let mut problem = core::mem::take(&mut self.problem);
        for (gap, c) in self.gaps.iter_mut().zip(&problem.contacts) {
            *gap += c.normal.dot(relative_of(&problem, c, |b| answer.turn[b].shift));
        }
        for (body, velocity) in problem.bodies.iter_mut().zip(&answer.velocity).filter(|(b, _)| b.is_movable()) {
            body.velocity = *velocity - body.external;
        }
        problem.contacts.iter_mut().for_each(|c| c.impulse = ContactImpulse::ZERO);
        problem.rows.iter_mut().for_each(|r| r.impulse = 0.0);
        problem.contact_rates.clear();
        let hits = self.look(&problem, parameters, horizon);
        let end = |b: usize| answer.velocity[b];
        let goes_in = |c: &drystone_core::GroupContact, gap: Real| {
            gap + horizon * c.normal.dot(relative_of(&problem, c, end)) < -TOUCHING
        };
        let open = problem.contacts.iter().zip(&self.gaps).zip(&self.touching);
        let any_in = open.clone().any(|((c, gap), touching)| !touching && goes_in(c, *gap));
        self.last = !hits || self.phases >= MOST_PHASES;
        self.problem = problem;
        let goes_on = hits || any_in;
        if goes_on {
            self.hold_off();
        }
        goes_on
    }

    /// Adds what a phase has done.
    fn add(&mut self, answer: &GroupAnswer) {
        for (sum, own) in self.contacts.iter_mut().zip(&answer.contacts) {
            sum.normal += own.normal;
            sum.friction += own.friction;
        }
        for (sum, own) in self.torques.iter_mut().zip(&answer.torques) {
            sum.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
        }
        self.rows.iter_mut().zip(&answer.rows).for_each(|(sum, own)| *sum += own);
        self.turns.iter_mut().zip(&answer.turn).for_each(|(sum, own)| sum.add(own));
    }

    /// Completes the answer of the last phase to that of the whole step.
    pub(crate) fn write(&self, answer: &mut GroupAnswer) {
        answer.contacts.clone_from(&self.contacts);
        answer.torques.clone_from(&self.torques);
        answer.rows.clone_from(&self.rows);
        answer.turn.clone_from(&self.turns);
    }
}
