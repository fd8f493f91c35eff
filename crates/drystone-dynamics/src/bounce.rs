use crate::limit_bounce::LimitBounce;
use crate::row::{Row, is_rigid};
use crate::support_change::{FAR, relative, relative_of};
use crate::{RestitutionLaw, RowParameters};
use drystone_core::{
    Closing, Connected, ContactImpulse, GroupAnswer, GroupContact, GroupProblem, GroupRow, Impact, ImpactWork, Step,
    TOUCHING, Turning, Unturned, make_room,
};
use drystone_math::{Real, Twist, Vec3};

/// Contacts that approach more slowly than this (m/s) before external forces are resting: they have no impact.
#[inline]
pub(crate) fn resting_speed(problem: &GroupProblem, parameters: &RowParameters, horizon: Real) -> Real {
    parameters.resting_factor * problem.gravity * horizon
}

/// Returns true if a normal rate before external forces allows an impact: the last condition of [`Closing::impact`].
#[inline]
pub(crate) fn may_bounce(before: Real, resting: Real) -> bool {
    before < -resting
}

/// The normal rate of a contact at the end of the step if nothing bounces: `free`, the one after external forces, if no joints take part.
#[inline]
pub(crate) fn rate_at_end(problem: &GroupProblem, contact: usize, free: Real) -> Real {
    problem.contact_rates.get(contact).copied().unwrap_or(free)
}

/// The normal rate of a contact at the end of the step if nothing bounces.
fn free_rate(problem: &GroupProblem, contact: usize) -> Real {
    let c = &problem.contacts[contact];
    rate_at_end(problem, contact, c.normal.dot(relative(problem, c, |b| b.velocity + b.external)))
}

/// The impact of a contact in this solve, if it has one; the rates before and after external forces are those of the normal row.
#[inline]
pub(crate) fn impact_of(
    problem: &GroupProblem,
    c: &GroupContact,
    [before, after]: [Real; 2],
    parameters: &RowParameters,
    [h, horizon]: [Real; 2],
) -> Option<(Closing, Impact)> {
    if !parameters.restitution || c.restitution <= 0.0 {
        return None;
    }
    // a contact that yields bounces by its spring once it is pressed in
    let response = || Row::of_contact(problem, c, c.normal, 0.0).response(&problem.bodies);
    if h > 0.0 && c.separation < 0.0 && parameters.cfm / (h * h) > YIELDING * response() {
        return None;
    }
    let closing = Closing { gap: c.separation, before, after, horizon };
    let resting = resting_speed(problem, parameters, horizon);
    closing.impact(c.restitution, resting).map(|impact| (closing, impact))
}

/// A contact is a spring if its mixing adds more than this fraction to the response of its bodies; a step of a stiffer one, taken
/// implicitly, stops what arrives and gives nothing back.
const YIELDING: Real = 0.1;

/// A gain of energy counts above this fraction of the work of all contacts: less may be rounding.
const GAINED: Real = 1e-6;

/// Returns true if the energy that impacts give back is bounded.
pub(crate) fn is_energetic(parameters: &RowParameters) -> bool {
    parameters.restitution_law == RestitutionLaw::Energetic
}

/// Impacts of a solve: the bound on the energy that they give back, and the bodies' displacements at the impact.
#[derive(Debug, Default)]
pub(crate) struct Bounce {
    impacts: Vec<Bouncing>,
    /// The answer with restitution in full: velocities, and multipliers of contacts and rows.
    velocities: Vec<Twist>,
    contacts: Vec<ContactImpulse>,
    rows: Vec<Real>,
    /// The velocities at the end of the step if nothing bounces, if joints had to be solved for that; else empty.
    unturned: Vec<Twist>,
    turning: Turning,
    /// Speed of approach below which a contact rests, and of leaving below which it is not followed (m/s).
    resting: Real,
    /// True if friction acts at the middle of the points of a face instead of at each point.
    of_faces: bool,
    /// Angular impulse on each body besides its contacts, without restitution and with it (N m s).
    beside: [Vec<Vec3>; 2],
    /// Sets of bodies between which impulses act; for the body that represents each set, their work: in an answer and its amount, or on the way between two.
    connected: Connected,
    work: Vec<[Real; 2]>,
    between: Vec<ImpactWork>,
    /// For each such body: the fraction of the restitution that is given.
    fractions: Vec<Real>,
}

/// A contact that bounces.
#[derive(Debug, Clone, Copy)]
struct Bouncing {
    contact: u32,
    restitution: Real,
    /// When it bounces, as a fraction of the horizon.
    at: Real,
    /// The fractions of the external velocity change that belong to the time before and after the impact.
    force: [Real; 2],
}

impl Bounce {
    /// For a solver whose friction acts at the middle of the points of a face.
    pub(crate) fn of_faces() -> Self {
        Self { of_faces: true, ..Self::default() }
    }

    /// Lists the impacts of a problem.
    pub(crate) fn find(&mut self, problem: &GroupProblem, parameters: &RowParameters, step: Step) {
        self.make_room(problem);
        let resting = resting_speed(problem, parameters, step.horizon);
        self.resting = resting;
        for (k, c) in problem.contacts.iter().enumerate().filter(|(_, c)| c.restitution > 0.0) {
            let before = c.normal.dot(relative(problem, c, |b| b.velocity));
            if !may_bounce(before, resting) {
                continue;
            }
            let after = before + c.normal.dot(relative(problem, c, |b| b.external));
            let after = rate_at_end(problem, k, after);
            if let Some((closing, Impact { at, .. })) =
                impact_of(problem, c, [before, after], parameters, [step.h, step.horizon])
            {
                let force = if closing.is_touching() { [0.0; 2] } else { [0.5 + at, 0.5 - at] };
                self.impacts.push(Bouncing { contact: k as u32, restitution: c.restitution, at, force });
            }
        }
    }

    /// Empties the lists and reserves memory for any impacts of the problem: the first impact after a long rest then allocates nothing.
    fn make_room(&mut self, problem: &GroupProblem) {
        let Self {
            impacts,
            velocities,
            contacts,
            rows,
            unturned,
            turning,
            beside,
            connected,
            work,
            between,
            fractions,
            ..
        } = self;
        connected.make_room(problem.bodies.len());
        make_room(work, problem.bodies.len());
        make_room(between, problem.bodies.len());
        make_room(fractions, problem.bodies.len());
        make_room(unturned, problem.bodies.len());
        make_room(impacts, problem.contacts.len());
        make_room(velocities, problem.bodies.len());
        make_room(contacts, problem.contacts.len());
        make_room(rows, problem.rows.len());
        turning.make_room(problem.bodies.len());
        if self.of_faces {
            for turns in beside {
                make_room(turns, problem.bodies.len());
            }
        }
    }

    /// Returns true if there are no impacts.
    pub(crate) fn is_empty(&self) -> bool {
        self.impacts.is_empty()
    }

    /// Returns true if joints influence the speed at which bodies meet, as a rail does for a falling bead.
    pub(crate) fn is_joined(&self, problem: &GroupProblem) -> bool {
        !problem.rows.is_empty() && self.impacts.iter().any(|i| i.force != [0.0; 2])
    }

    /// Records the answer of a solve in which nothing bounces.
    pub(crate) fn note_unturned(&mut self, free: &GroupAnswer) {
        self.unturned.clone_from(&free.velocity);
    }

    /// Takes the impacts out of a copy of the problem.
    pub(crate) fn hold_off(&self, copy: &mut GroupProblem) {
        for i in &self.impacts {
            copy.contacts[i.contact as usize].separation = FAR;
        }
    }

    /// Brings the impacts back, with the normal rates that external forces give them through the joints.
    pub(crate) fn let_come(&self, problem: &GroupProblem, copy: &mut GroupProblem, response: &[Twist]) {
        for i in &self.impacts {
            let k = i.contact as usize;
            copy.contacts[k].separation = problem.contacts[k].separation;
        }
        copy.contact_rates.clear();
        let end = |i: usize| problem.bodies[i].velocity + response[i];
        let rate = |c: &GroupContact| c.normal.dot(relative_of(problem, c, end));
        copy.contact_rates.extend(problem.contacts.iter().map(rate));
    }

    /// Returns true if impacts come at different times of the step.
    pub(crate) fn is_scattered(&self) -> bool {
        let first = self.impacts.first().map_or(0.0, |i| i.at);
        self.impacts.iter().any(|i| i.at != first)
    }

    /// Returns true if contacts without an impact separate faster than resting ones while other impacts are ahead.
    pub(crate) fn parts(&self, problem: &GroupProblem) -> bool {
        let mut next = self.impacts.iter().peekable();
        self.impacts.iter().any(|i| i.at > 0.0)
            && problem.contacts.iter().enumerate().any(|(k, c)| {
                let bounces = next.next_if(|i| i.contact as usize == k).is_some();
                !bounces && c.separation > TOUCHING && free_rate(problem, k) > self.resting
            })
    }

    /// Bodies that are connected turn at the first of their impacts: the other impacts get the gap with which they would occur at that time too.
    ///
    /// The effect of an impulse between its impact and the end of the step is weighted by that time. Solved for one time and applied at an
    /// earlier one, it would lift the bodies by more than it takes from their motion: a box that lands on two corners in one step gained some percent.
    pub(crate) fn synchronise(&mut self, problem: &mut GroupProblem, limits: Option<&mut LimitBounce>, horizon: Real) {
        self.turning.restart(problem.bodies.len());
        let mut next = self.impacts.iter().peekable();
        for (k, c) in problem.contacts.iter().enumerate() {
            let bouncing = next.next_if(|i| i.contact as usize == k);
            if bouncing.is_some() || c.impulse.normal > 0.0 {
                self.turning.connect(&problem.bodies, c.bodies, bouncing.map(|i| i.at * horizon));
            }
        }
        for r in &problem.rows {
            self.turning.connect(&problem.bodies, r.bodies, None);
        }
        for (bodies, at) in limits.iter().flat_map(|limits| limits.hits(problem)) {
            self.turning.connect(&problem.bodies, bodies, Some(at * horizon));
        }
        if let Some(limits) = limits {
            limits.hit_by(problem, |problem, bodies| self.turning.time(&problem.bodies, bodies) / horizon);
        }
        for i in &mut self.impacts {
            let c = &problem.contacts[i.contact as usize];
            let at = self.turning.time(&problem.bodies, c.bodies) / horizon;
            if at >= i.at {
                continue;
            }
            let before = c.normal.dot(relative(problem, c, |b| b.velocity));
            let after = before + c.normal.dot(relative(problem, c, |b| b.external));
            let after = rate_at_end(problem, i.contact as usize, after);
            let closing = Closing { gap: c.separation, before, after, horizon };
            problem.contacts[i.contact as usize].separation = closing.gap_closed_by(at);
            i.at = at;
            i.force = if at == 0.0 { [0.0; 2] } else { [0.5 + at, 0.5 - at] };
        }
    }

    /// Gives contacts that part until their bodies turn (at the time that [`Self::synchronise`] finds) the gap that they have then, over what is left of the step.
    ///
    /// If they counted as staying where they were, the far side of a disc that lands on its edge would press the floor from a height.
    pub(crate) fn part(&mut self, problem: &mut GroupProblem, horizon: Real) {
        let mut next = self.impacts.iter().peekable();
        for k in 0..problem.contacts.len() {
            let bounces = next.next_if(|i| i.contact as usize == k).is_some();
            let GroupContact { separation, bodies, .. } = problem.contacts[k];
            if bounces || separation <= TOUCHING {
                continue;
            }
            let (rate, time) = (free_rate(problem, k), self.turning.time(&problem.bodies, bodies));
            if rate > self.resting && time > 0.0 && time.is_finite() {
                let left = 1.0 - time / horizon;
                problem.contacts[k].separation =
                    if left > 0.0 { ((separation + rate * time) / left).min(FAR) } else { FAR };
            }
        }
    }

    /// Returns true if the energy that these impacts give back is bounded.
    fn is_bounded(&self, parameters: &RowParameters) -> bool {
        is_energetic(parameters) && !self.impacts.is_empty()
    }

    /// Returns true if Newton's law could give back too much: friction, joints, or different restitution coefficients.
    pub(crate) fn may_gain(&self, problem: &GroupProblem, parameters: &RowParameters) -> bool {
        let first = self.impacts.first().map_or(0.0, |i| i.restitution);
        self.is_bounded(parameters)
            && (!problem.rows.is_empty()
                || self.impacts.iter().any(|i| i.restitution != first)
                || problem.contacts.iter().any(|c| c.friction > 0.0 || c.surface != GroupContact::PLAIN))
    }

    /// Returns true if contacts gave energy to the bodies that they connect. Even without friction a contact without an
    /// impact does so if it was separating, and bouncing bodies press it together again.
    pub(crate) fn has_gained(
        &mut self,
        problem: &GroupProblem,
        parameters: &RowParameters,
        answer: &GroupAnswer,
    ) -> bool {
        if !self.is_bounded(parameters) || problem.contacts.len() == 1 {
            return false;
        }
        let Self { connected, work, .. } = self;
        work.clear();
        work.resize(problem.bodies.len(), [0.0; 2]);
        connect(problem, connected, |k| answer.contacts[k] != ContactImpulse::ZERO, |_| true);
        let mut add = |body: u32, own: Real| {
            let [sum, size] = &mut work[body as usize];
            *sum += own;
            *size += own.abs();
        };
        let mut next = self.impacts.iter().peekable();
        for (k, (c, own)) in problem.contacts.iter().zip(&answer.contacts).enumerate() {
            let bouncing = next.next_if(|i| i.contact as usize == k);
            if *own == ContactImpulse::ZERO {
                continue;
            }
            let [before, after] = rates(problem, k, bouncing.copied(), |b| answer.velocity[b]);
            add(connected.of_pair(&problem.bodies, c.bodies), 0.5 * own.total(c.normal).dot(before + after));
        }
        if self.of_faces {
            find_beside(problem, &answer.velocity, &answer.contacts, &mut self.beside[0]);
            for (i, ((body, after), turn)) in
                problem.bodies.iter().zip(&answer.velocity).zip(&self.beside[0]).enumerate()
            {
                add(connected.root(i as u32), 0.5 * turn.dot(body.velocity.angular + after.angular));
            }
        }
        work.iter().any(|[sum, size]| *sum > GAINED * size)
    }

    /// Puts the answer with restitution aside, and leaves a problem whose impacts only stop their bodies where they meet.
    pub(crate) fn put_aside(&mut self, problem: &mut GroupProblem, limits: &LimitBounce, answer: &GroupAnswer) {
        limits.set_restitution(problem, false);
        self.velocities.clone_from(&answer.velocity);
        self.contacts.clone_from(&answer.contacts);
        self.rows.clone_from(&answer.rows);
        for i in &self.impacts {
            // still impacts, at the same times, that give back nothing
            problem.contacts[i.contact as usize].restitution = Real::MIN_POSITIVE;
        }
    }

    /// Goes from the answer without restitution to one with as much restitution as the bound allows.
    pub(crate) fn give_back(&mut self, problem: &mut GroupProblem, limits: &LimitBounce, answer: &mut GroupAnswer) {
        limits.set_restitution(problem, true);
        for i in &self.impacts {
            problem.contacts[i.contact as usize].restitution = i.restitution;
        }
        self.find_work(problem, limits, answer);
        let Self { connected, between, fractions, .. } = self;
        fractions.clear();
        fractions.extend(between.iter().map(ImpactWork::fraction));
        for (i, (u, full)) in (0..).zip(answer.velocity.iter_mut().zip(&self.velocities)) {
            let s = fractions[connected.root(i) as usize];
            *u = if s == 1.0 { *full } else { *u + (*full - *u) * s };
        }
        let mut of_pair = |pair: [u32; 2]| fractions[connected.of_pair(&problem.bodies, pair) as usize];
        let mix = |s: Real, from: Real, to: Real| if s == 1.0 { to } else { from + s * (to - from) };
        for ((impulse, full), c) in answer.contacts.iter_mut().zip(&self.contacts).zip(&problem.contacts) {
            let (s, friction) = (of_pair(c.bodies), impulse.friction);
            let friction = if s == 1.0 { full.friction } else { friction + (full.friction - friction) * s };
            *impulse = ContactImpulse { normal: mix(s, impulse.normal, full.normal), friction };
        }
        for ((impulse, full), r) in answer.rows.iter_mut().zip(&self.rows).zip(&problem.rows) {
            *impulse = mix(of_pair(r.bodies), *impulse, *full);
        }
    }

    /// The work done between `answer` and the one put aside: by contacts and limits, and by the joints between their bodies, for each set of connected bodies.
    fn find_work(&mut self, problem: &GroupProblem, limits: &LimitBounce, answer: &GroupAnswer) {
        let Self { connected, between, contacts, rows, velocities, beside, .. } = self;
        between.clear();
        between.resize(problem.bodies.len(), ImpactWork::default());
        let bears = |k: usize| answer.contacts[k] != ContactImpulse::ZERO || contacts[k] != ContactImpulse::ZERO;
        connect(problem, connected, bears, |k| answer.rows[k] != 0.0 || rows[k] != 0.0);
        let of_pair = |pair: [u32; 2]| connected.of_pair(&problem.bodies, pair);
        limits.add_work(problem, [&answer.velocity, velocities], [&answer.rows, rows], (between, of_pair));
        let mut next = self.impacts.iter().peekable();
        for (k, (c, full)) in problem.contacts.iter().zip(&*contacts).enumerate() {
            let own = answer.contacts[k];
            let bouncing = next.next_if(|i| i.contact as usize == k);
            if !bears(k) {
                continue;
            }
            let impulse = [own, *full].map(|x| x.total(c.normal));
            let [before, plastic] = rates(problem, k, bouncing.copied(), |b| answer.velocity[b]);
            let [_, elastic] = rates(problem, k, bouncing.copied(), |b| velocities[b]);
            let work = &mut between[connected.of_pair(&problem.bodies, c.bodies) as usize];
            work.add(impulse, before, [plastic, elastic], bouncing.map_or(0.0, |i| i.restitution));
        }
        if self.of_faces {
            let [plastic, elastic] = beside;
            find_beside(problem, &answer.velocity, &answer.contacts, plastic);
            find_beside(problem, velocities, contacts, elastic);
            for (i, body) in problem.bodies.iter().enumerate() {
                let after = [answer.velocity[i].angular, velocities[i].angular];
                let work = &mut between[connected.root(i as u32) as usize];
                work.add([plastic[i], elastic[i]], body.velocity.angular, after, 1.0);
            }
        }
        // motors and springs may work
        let held = |r: &GroupRow| is_rigid(&r.row) && r.row.target == 0.0;
        for (k, r) in problem.rows.iter().enumerate().filter(|(_, r)| held(r)) {
            let rate = |velocity: &dyn Fn(usize) -> Twist| r.row.rate(r.bodies.map(|i| velocity(i as usize)));
            let after = [rate(&|i| answer.velocity[i]), rate(&|i| velocities[i])];
            let work = &mut between[connected.of_pair(&problem.bodies, r.bodies) as usize];
            work.add_held([answer.rows[k], rows[k]], rate(&|i| problem.bodies[i].velocity), after);
        }
    }

    /// Lets the impacts happen at once, at the velocities that bodies have before the step.
    pub(crate) fn bounce_now(&mut self, problem: &mut GroupProblem) {
        for i in &mut self.impacts {
            problem.contacts[i.contact as usize].separation = 0.0;
            (i.at, i.force) = (0.0, [0.0; 2]);
        }
    }

    /// Makes bodies that bounce within the step turn where they meet, or where the limits of their joints are hit. False if some cannot: nothing fixed takes
    /// part in their motion, and turning them would change an angular momentum.
    pub(crate) fn turn(
        &mut self,
        problem: &GroupProblem,
        limits: &LimitBounce,
        horizon: Real,
        answer: &mut GroupAnswer,
    ) -> bool {
        if self.impacts.iter().all(|i| i.at == 0.0) && limits.hits(problem).all(|(_, at)| at == 0.0) {
            return true;
        }
        self.turning.restart(problem.bodies.len());
        let mut next = self.impacts.iter().peekable();
        for (k, c) in problem.contacts.iter().enumerate() {
            let bouncing = next.next_if(|i| i.contact as usize == k);
            if answer.contacts[k].normal > 0.0 {
                // a body that arrives without a bounce bore nothing on the way
                let far = !Closing { gap: c.separation, before: 0.0, after: 0.0, horizon }.is_touching();
                let time = bouncing.map(|i| i.at * horizon).or(far.then_some(Real::INFINITY));
                self.turning.connect(&problem.bodies, c.bodies, time);
            }
        }
        for (r, _) in problem.rows.iter().zip(&answer.rows).filter(|(_, x)| **x != 0.0) {
            self.turning.connect(&problem.bodies, r.bodies, None);
        }
        for (bodies, at) in limits.hits(problem) {
            self.turning.connect(&problem.bodies, bodies, Some(at * horizon));
        }
        let before = if self.unturned.is_empty() { Unturned::Forced } else { Unturned::Known(&self.unturned) };
        !self.turning.write(&problem.bodies, &answer.velocity, before, &mut answer.turn)
    }
}

/// Connects the bodies between which contacts and rows act.
fn connect(
    problem: &GroupProblem,
    connected: &mut Connected,
    bears: impl Fn(usize) -> bool,
    holds: impl Fn(usize) -> bool,
) {
    connected.restart(problem.bodies.len());
    for (_, c) in problem.contacts.iter().enumerate().filter(|(k, _)| bears(*k)) {
        connected.connect(&problem.bodies, c.bodies);
    }
    for (_, r) in problem.rows.iter().enumerate().filter(|(k, _)| holds(*k)) {
        connected.connect(&problem.bodies, r.bodies);
    }
}

/// The angular impulses that turned bodies besides their contacts (N m s): friction of a face acts at one height, but its points are at different heights if it is tilted.
fn find_beside(problem: &GroupProblem, after: &[Twist], contacts: &[ContactImpulse], turns: &mut Vec<Vec3>) {
    turns.clear();
    turns.extend(problem.bodies.iter().zip(after).map(|(b, after)| {
        let changed = after.angular - b.velocity.angular - b.external.angular;
        b.inverse_inertia.pseudo_inverse().mul_vec(changed)
    }));
    for (c, impulse) in problem.contacts.iter().zip(contacts).filter(|(_, x)| **x != ContactImpulse::ZERO) {
        let total = impulse.total(c.normal);
        let [a, b] = c.bodies.map(|i| i as usize);
        for (body, impulse) in [(a, -total), (b, total)] {
            let b = &problem.bodies[body];
            if b.is_movable() {
                turns[body] -= (c.position - b.pose.position).cross(impulse);
            }
        }
    }
}

/// The velocity of B against A at a contact just before and just after an impact, given the velocities of bodies at the end of the step.
fn rates(
    problem: &GroupProblem,
    contact: usize,
    bouncing: Option<Bouncing>,
    velocity: impl Fn(usize) -> Twist,
) -> [Vec3; 2] {
    let c = &problem.contacts[contact];
    let [past, future] = bouncing.map_or([0.0; 2], |i| i.force);
    let before = relative(problem, c, |b| b.velocity);
    let external = relative(problem, c, |b| b.external);
    let external = match problem.contact_rates.get(contact) {
        None => external,
        Some(rate) => external + c.normal * (rate - c.normal.dot(before + external)),
    };
    [before + external * past, relative_of(problem, c, velocity) - external * future]
}
