use crate::support_change::relative;
use crate::{RestitutionLaw, VelocityParameters};
use drystone_core::{Closing, ContactImpulse, GroupContact, GroupProblem, Impact, ImpactWork, Turning};
use drystone_math::{Real, Twist};

/// The impact of a contact, where it has one in this solve; its rates before and after external forces are those of the normal row.
#[inline]
pub(crate) fn impact_of(
    problem: &GroupProblem,
    c: &GroupContact,
    [before, after]: [Real; 2],
    parameters: &VelocityParameters,
    [h, horizon]: [Real; 2],
) -> Option<(Closing, Impact)> {
    // a contact that yields has its spring to bounce by once it is pressed in
    let yields = parameters.cfm > 0.0 && h > 0.0 && c.separation < 0.0;
    if !parameters.restitution || c.restitution <= 0.0 || yields {
        return None;
    }
    let closing = Closing { gap: c.separation, before, after, horizon };
    let resting = parameters.resting_factor * problem.gravity * horizon;
    closing.impact(c.restitution, resting).map(|impact| (closing, impact))
}

/// What becomes of the impacts of a solve beyond their targets: the bound on what they give back, and where bodies turn.
#[derive(Debug, Default)]
pub(crate) struct Bounce {
    impacts: Vec<Bouncing>,
    /// The answer with restitution in full: velocities, and multipliers of contacts and rows.
    velocities: Vec<Twist>,
    contacts: Vec<ContactImpulse>,
    rows: Vec<Real>,
    turning: Turning,
}

/// A contact that bounces.
#[derive(Debug, Clone, Copy)]
struct Bouncing {
    contact: u32,
    restitution: Real,
    /// When, as a fraction of the horizon.
    at: Real,
    /// Factors of the external velocity change that belong to the time before and after the impact.
    force: [Real; 2],
}

impl Bounce {
    /// Lists the impacts of a problem.
    pub(crate) fn find(&mut self, problem: &GroupProblem, parameters: &VelocityParameters, h: Real, horizon: Real) {
        self.impacts.clear();
        for (k, c) in problem.contacts.iter().enumerate().filter(|(_, c)| c.restitution > 0.0) {
            let before = c.normal.dot(relative(problem, c, |b| b.velocity));
            let after = before + c.normal.dot(relative(problem, c, |b| b.external));
            if let Some((closing, Impact { at, .. })) = impact_of(problem, c, [before, after], parameters, [h, horizon])
            {
                let force = if closing.is_touching() { [0.0; 2] } else { [0.5 + at, 0.5 - at] };
                self.impacts.push(Bouncing { contact: k as u32, restitution: c.restitution, at, force });
            }
        }
    }

    /// Whether nothing bounces.
    pub(crate) fn is_empty(&self) -> bool {
        self.impacts.is_empty()
    }

    /// Whether Newton's law could give back too much: where friction acts, or coefficients of restitution differ.
    pub(crate) fn may_gain(&self, problem: &GroupProblem, parameters: &VelocityParameters) -> bool {
        let first = self.impacts.first().map_or(0.0, |i| i.restitution);
        parameters.restitution_law == RestitutionLaw::Energetic
            && (self.impacts.iter().any(|i| i.restitution != first)
                || problem.contacts.iter().any(|c| c.friction > 0.0 || c.surface != GroupContact::PLAIN))
    }

    /// Puts the answer with restitution aside, and leaves a problem whose impacts stop their bodies where they meet.
    pub(crate) fn put_aside(&mut self, problem: &mut GroupProblem) {
        self.velocities.clear();
        self.velocities.extend(problem.bodies.iter().map(|b| b.solved));
        self.contacts.clear();
        self.contacts.extend(problem.contacts.iter().map(|c| c.impulse));
        self.rows.clear();
        self.rows.extend(problem.rows.iter().map(|r| r.impulse));
        for i in &self.impacts {
            // still impacts, at the same times, that give back nothing
            problem.contacts[i.contact as usize].restitution = Real::MIN_POSITIVE;
        }
    }

    /// From the answer without restitution in `problem` to the one with as much of it as the bound allows.
    pub(crate) fn give_back(&mut self, problem: &mut GroupProblem) {
        for i in &self.impacts {
            problem.contacts[i.contact as usize].restitution = i.restitution;
        }
        let s = self.work(problem).fraction();
        let mix = |from: Real, to: Real| if s == 1.0 { to } else { from + s * (to - from) };
        for (body, full) in problem.bodies.iter_mut().zip(&self.velocities) {
            body.solved = if s == 1.0 { *full } else { body.solved + (*full - body.solved) * s };
        }
        for (c, full) in problem.contacts.iter_mut().zip(&self.contacts) {
            let friction = c.impulse.friction;
            let friction = if s == 1.0 { full.friction } else { friction + (full.friction - friction) * s };
            c.impulse = ContactImpulse { normal: mix(c.impulse.normal, full.normal), friction };
        }
        for (r, full) in problem.rows.iter_mut().zip(&self.rows) {
            r.impulse = mix(r.impulse, *full);
        }
    }

    /// The work of the contacts from the answer in `problem` to the one put aside.
    fn work(&self, problem: &GroupProblem) -> ImpactWork {
        let mut work = ImpactWork::default();
        let mut next = self.impacts.iter().peekable();
        for (k, (c, full)) in problem.contacts.iter().zip(&self.contacts).enumerate() {
            let bouncing = next.next_if(|i| i.contact as usize == k);
            if c.impulse == ContactImpulse::ZERO && *full == ContactImpulse::ZERO {
                continue;
            }
            let impulse = [c.impulse, *full].map(|x| x.total(c.normal));
            let at = |place: usize, u: Twist| u.at(c.position - problem.bodies[place].pose.position);
            let [a, b] = c.bodies.map(|i| i as usize);
            let after = [
                at(b, problem.bodies[b].solved) - at(a, problem.bodies[a].solved),
                at(b, self.velocities[b]) - at(a, self.velocities[a]),
            ];
            let [past, future] = bouncing.map_or([0.0; 2], |i| i.force);
            let external = relative(problem, c, |b| b.external);
            let before = relative(problem, c, |b| b.velocity) + external * past;
            let after = after.map(|u| u - external * future);
            work.add(impulse, before, after, bouncing.map_or(0.0, |i| i.restitution));
        }
        work
    }

    /// Makes bodies that bounce within the step turn where they meet.
    pub(crate) fn turn(&mut self, problem: &mut GroupProblem, horizon: Real) {
        if self.impacts.iter().all(|i| i.at == 0.0) {
            return;
        }
        self.turning.restart(problem.bodies.len());
        let mut next = self.impacts.iter().peekable();
        for (k, c) in problem.contacts.iter().enumerate() {
            let bouncing = next.next_if(|i| i.contact as usize == k);
            if c.impulse.normal > 0.0 {
                self.turning.connect(&problem.bodies, c.bodies, bouncing.map(|i| i.at * horizon));
            }
        }
        for r in problem.rows.iter().filter(|r| r.impulse != 0.0) {
            self.turning.connect(&problem.bodies, r.bodies, None);
        }
        self.turning.write(&mut problem.bodies, true);
    }
}
