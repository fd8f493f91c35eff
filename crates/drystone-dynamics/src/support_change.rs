use crate::RowParameters;
use drystone_core::{Closing, ContactImpulse, GroupAnswer, GroupContact, GroupProblem, Step, Turning, make_room};
use drystone_math::{Real, Twist, Vec3};

/// The change of support of a body that rocks: one corner bears it until another arrives.
///
/// A step in which the other corner arrives has contacts at both. Solved as one, the first corner lifts off at once, and what it bears until the arrival is lost: an
/// angular momentum of order one in the step, always to the same side, so that a rocking block stops too soon. Therefore the step is solved
/// without the arrivals first; what the other contacts of the pair bear then acts as a force for the time until the arrival, and the rest of the step is left to
/// the solver.
///
/// # Source
/// G. W. Housner, "The behavior of inverted pendulum structures during earthquakes", 1963, for the block; velocities belong to the middle of a drift, as in
/// [`Closing::force_until`].
#[derive(Debug, Default)]
pub(crate) struct SupportChange {
    arrivals: Vec<Arrival>,
    /// Approach below which a contact rests (m/s).
    resting: Real,
    /// Which bodies are struck now, directly or through others.
    struck: Turning,
    /// Impulse that each contact has borne in advance.
    borne: Vec<(u32, ContactImpulse)>,
}

#[derive(Debug, Clone, Copy)]
struct Arrival {
    contact: u32,
    edge: u32,
    separation: Real,
    /// When it arrives, as a fraction of the horizon.
    at: Real,
}

/// Arrivals slower than this fraction of what gravity adds in a step have nothing to lose in this way.
pub(crate) const SLOW: Real = 0.25;

/// So far away that nothing arrives (m or rad).
pub(crate) const FAR: Real = 1e12;

impl SupportChange {
    /// Lists the contacts that arrive faster than resting ones move, next to another contact of the same pair that bore something in the last step.
    pub(crate) fn find(&mut self, problem: &GroupProblem, parameters: &RowParameters, step: Step) {
        let Step { h, horizon, .. } = step;
        self.make_room(problem);
        if h == 0.0 {
            return;
        }
        let resting = parameters.resting_factor * problem.gravity * horizon;
        self.resting = resting;
        let contacts = &problem.contacts;
        let touches = |c: &GroupContact| Closing { gap: c.separation, before: 0.0, after: 0.0, horizon }.is_touching();
        for (k, c) in contacts.iter().enumerate().filter(|(_, c)| c.impulse.normal == 0.0 && !touches(c)) {
            // the contacts of a pair are next to each other
            let own = contacts[..k].iter().rev().take_while(|o| o.edge == c.edge);
            let mut others = own.chain(contacts[k + 1..].iter().take_while(|o| o.edge == c.edge));
            if !others.any(|o| o.impulse.normal > 0.0) {
                continue;
            }
            let [before, force] =
                [relative(problem, c, |b| b.velocity), relative(problem, c, |b| b.external)].map(|u| c.normal.dot(u));
            let closing = Closing { gap: c.separation, before, after: before + force, horizon };
            if let Some(at) = closing.arrival()
                && before < -SLOW * resting
            {
                self.arrivals.push(Arrival { contact: k as u32, edge: c.edge, separation: c.separation, at });
            }
        }
    }

    /// Empties the lists and reserves memory for any change of support of the problem: the first one after a long rest then allocates nothing.
    fn make_room(&mut self, problem: &GroupProblem) {
        make_room(&mut self.arrivals, problem.contacts.len());
        make_room(&mut self.borne, problem.contacts.len());
        self.struck.make_room(problem.bodies.len());
    }

    /// Records that no support changes.
    pub(crate) fn forget(&mut self) {
        self.arrivals.clear();
        self.borne.clear();
    }

    /// Returns true if no support changes.
    pub(crate) fn is_empty(&self) -> bool {
        self.arrivals.is_empty()
    }

    /// Takes the arrivals out of the problem.
    pub(crate) fn hold_off(&self, problem: &mut GroupProblem) {
        for a in &self.arrivals {
            problem.contacts[a.contact as usize].separation = FAR;
        }
    }

    /// Brings the arrivals back; whatever bears their bodies in the answer without them acts as a force until they arrive.
    pub(crate) fn let_come(&mut self, problem: &mut GroupProblem) {
        for a in &self.arrivals {
            problem.contacts[a.contact as usize].separation = a.separation;
        }
        self.find_struck(problem);
        for k in 0..problem.contacts.len() {
            let c = problem.contacts[k];
            let first = self.arrivals.iter().filter(|a| a.edge == c.edge).map(|a| a.at).fold(Real::INFINITY, Real::min);
            // what a blow demands of a contact was not borne before
            let is_struck = self.struck.time(&problem.bodies, c.bodies).is_finite();
            if is_struck
                || c.impulse.normal <= 0.0
                || !first.is_finite()
                || self.arrivals.iter().any(|a| a.contact as usize == k)
            {
                continue;
            }
            let share = 0.5 + first;
            let borne = c.impulse * share;
            push(problem, &c, borne);
            problem.contacts[k].impulse = c.impulse * (1.0 - share).max(0.0);
            self.borne.push((k as u32, borne));
        }
    }

    /// Finds the bodies that are struck in the answer without the arrivals.
    fn find_struck(&mut self, problem: &GroupProblem) {
        self.struck.restart(problem.bodies.len());
        for c in problem.contacts.iter().filter(|c| c.impulse.normal > 0.0) {
            let hit = c.normal.dot(relative(problem, c, |b| b.velocity)) < -self.resting;
            self.struck.connect(&problem.bodies, c.bodies, hit.then_some(0.0));
        }
        for r in problem.rows.iter().filter(|r| r.impulse != 0.0) {
            self.struck.connect(&problem.bodies, r.bodies, None);
        }
    }

    /// Adds what was borne in advance to the multipliers.
    pub(crate) fn settle(&self, answer: &mut GroupAnswer) {
        if self.arrivals.is_empty() {
            return;
        }
        for (k, borne) in &self.borne {
            let impulse = &mut answer.contacts[*k as usize];
            *impulse =
                ContactImpulse { normal: impulse.normal + borne.normal, friction: impulse.friction + borne.friction };
        }
    }
}

/// Adds the velocity change due to a contact's multipliers to the external one.
fn push(problem: &mut GroupProblem, c: &GroupContact, borne: ContactImpulse) {
    let impulse = borne.total(c.normal);
    for (b, p) in c.bodies.into_iter().zip([-impulse, impulse]) {
        let body = &mut problem.bodies[b as usize];
        let arm = c.position - body.pose.position;
        body.external += Twist::new(p * body.inverse_mass, body.inverse_inertia.mul_vec(arm.cross(p)));
    }
}

/// Velocity of B against A at a contact, given one of the velocities that each body has.
#[inline]
pub(crate) fn relative(
    problem: &GroupProblem,
    c: &GroupContact,
    column: impl Fn(&drystone_core::GroupBody) -> Twist,
) -> Vec3 {
    relative_of(problem, c, |body| column(&problem.bodies[body]))
}

/// The same, given velocities by the indices of the bodies.
#[inline]
pub(crate) fn relative_of(problem: &GroupProblem, c: &GroupContact, velocity: impl Fn(usize) -> Twist) -> Vec3 {
    let at = |side: usize| {
        let body = c.bodies[side] as usize;
        velocity(body).at(c.position - problem.bodies[body].pose.position)
    };
    at(1) - at(0)
}
