use super::sequential::{closing, relative, turn};
use crate::law::Law;
use crate::{apply_impulse, collision_matrix, relative_velocity};
use drystone_core::catalogue::{Implementation, Parameter, Settings};
use drystone_core::{
    CollisionLaw, CollisionSolver, ContactImpulse, GroupAnswer, GroupContact, GroupProblem, Impact, ImpactContact,
    ResolveReport, Turning, parameters, settings,
};
use drystone_math::{Real, Vec3, tangent_basis};
use std::sync::Arc;

settings! {
    /// Contact distance of [`MicroCollisions`], and the limits on its duration.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct MicroCollisionParameters {
        /// approaching contacts closer than this collide (m)
        distance: Real = real(1e-4, 1e-9, 1.0),
        /// maximum impulses per contact and call
        iterations: u32 = integer(32, 1, 1_000_000),
    }
}

/// Impacts of a pair within a small distance, and resting contact as a train of micro-collisions.
///
/// An approach no faster than a fall through the distance, under gravity or under forces that press harder, is a *micro-collision*: it rebounds with at least half of that speed,
/// so that a resting body is in the air most of the time and impacts do not crowd. If all approaching contacts are micro-collisions, they get their impulses together, each in its
/// friction cone, so that a body lying flat leaves without turning. As far as friction permits, it leaves with the opposite of what gravity adds along the surface in half of the
/// coming flight: the flight ends where it began, and a block on a slope does not creep. Faster impacts follow the law, one after the other.
///
/// A pair that is farther apart and bounces collides where it arrives before the next solve, as under the other solvers. So elastic bodies bounce under equal steps too,
/// which do not stop within the distance.
///
/// The velocity that gravity adds is known for a body on one that does not move. Between two flying bodies it is zero,
/// and a body that bears another has its flights cut short by that one's impacts. So a body that rests on a flying one
/// creeps on a slope, at a fraction of the speed of a fall through the distance (44 mm/s at 0.1 mm): of two stacked
/// boxes at 20 degrees the upper one goes down and the lower one up, each at less than half of that speed and in
/// proportion to it. This is inherent in the method, which sees one pair at one instant: neither gravity as if the
/// lower box stood still, nor reversing the mean velocity of arrival, nor ten times the friction removes it. On level
/// ground nothing creeps.
///
/// # Source
/// D-11, A-21; Mirtich and Canny 1995, sections 2 and 4; B. Mirtich, "Impulse-based dynamic simulation of rigid body systems", 1996, section 3.5. Differs in: that text reverses
/// the tangential velocity with which a contact arrives. Impacts at different times then turn the block, and the turns add up to a creep at a quarter of the speed of a fall
/// through the distance.
#[derive(Clone)]
pub struct MicroCollisions {
    /// Law of each impact.
    pub law: Arc<dyn CollisionLaw>,
    /// Contact distance, and the limits on the solver's duration.
    pub parameters: MicroCollisionParameters,
    /// Relative velocities before the call, contact by contact.
    before: Vec<Vec3>,
    /// Effective masses along and across the normal (kg), and the impulses of a joint micro-collision, contact by
    /// contact.
    scales: Vec<[Real; 2]>,
    impulses: Vec<Vec3>,
    /// True if the pair of a contact touches within the distance, contact by contact.
    near: Vec<bool>,
    turning: Turning,
}

/// The least rebound speed of a micro-collision, as a fraction of that of a fall through the distance.
const LEAST_REBOUND: Real = 0.5;
/// Approach below this fraction of that speed counts as none.
const NEGLIGIBLE: Real = 1e-3;
/// Approach that counts as none whatever gravity is (m/s).
const NOISE: Real = 1e-9;

impl MicroCollisions {
    /// Name, parameters and source.
    pub const DESCRIPTION: Implementation = Implementation {
        name: "micro-collisions",
        summary: "impacts within a small distance, one after the other; resting contact is a train of micro-collisions",
        source: "Mirtich and Canny 1995; Mirtich 1996, section 3.5",
        parameters: parameters![
            &[Parameter::choice(
                "law",
                Law::RouthMirtich.name(),
                Law::NAMES,
                "law of impacts that are not micro-collisions",
            )],
            &Law::PARAMETERS,
            MicroCollisionParameters::PARAMETERS,
        ],
    };

    /// From settings made for [`Self::DESCRIPTION`]; `None` if they name a law that is not one of [`Law`]'s.
    pub fn from_settings(settings: &Settings) -> Option<Self> {
        let law = Arc::from(Law::from_name(settings.text("law"))?.make(settings));
        let parameters = MicroCollisionParameters::from_settings(settings);
        Some(Self {
            law,
            parameters,
            before: Vec::new(),
            scales: Vec::new(),
            impulses: Vec::new(),
            near: Vec::new(),
            turning: Turning::default(),
        })
    }

    /// The impulse on B in an impact; `micro` is the speed up to which it is a micro-collision (m/s).
    fn impulse(&self, impact: &ImpactContact, micro: Real) -> Vec3 {
        let approach = -impact.normal.dot(impact.relative_velocity);
        if approach >= micro {
            return self.law.impulse(impact);
        }
        let leaving = (impact.restitution * approach).max(LEAST_REBOUND * micro);
        self.law.impulse(&ImpactContact { restitution: leaving / approach, ..*impact })
    }
}

impl MicroCollisions {
    /// If all approaching contacts are micro-collisions: one joint impulse at all contacts.
    fn rebound(
        &mut self,
        problem: &GroupProblem,
        micro: Real,
        none: Real,
        answer: &mut GroupAnswer,
        report: &mut ResolveReport,
    ) {
        let approaches = problem.contacts.iter().zip(&self.before).map(|(c, before)| -c.normal.dot(*before));
        let fastest = approaches.fold(0.0, Real::max);
        if fastest <= none || fastest >= micro {
            return;
        }
        self.scales.clear();
        for c in &problem.contacts {
            let k = collision_matrix(c.bodies.map(|b| &problem.bodies[b as usize]), c.position);
            let (t1, t2) = tangent_basis(c.normal);
            let [along, cross, across] = [t1.dot(k * t1), t1.dot(k * t2), t2.dot(k * t2)];
            let stiffest = 0.5 * (along + across) + (0.25 * (along - across).powi(2) + cross * cross).sqrt();
            let normal = c.normal.dot(k * c.normal);
            if normal.min(stiffest) <= 0.0 {
                return;
            }
            self.scales.push([1.0 / normal, 1.0 / stiffest]);
        }
        self.impulses.clear();
        self.impulses.resize(problem.contacts.len(), Vec3::ZERO);
        let velocity = &mut answer.velocity;
        for _ in 0..self.parameters.iterations {
            let mut change: Real = 0.0;
            for (k, c) in problem.contacts.iter().enumerate() {
                let before = self.before[k];
                let target = leaving(problem, c, before, micro);
                let off = target - relative_velocity(&problem.bodies, velocity, c);
                let [by_normal, by_slip] = self.scales[k];
                let known = self.impulses[k];
                let normal = (c.normal.dot(known) + by_normal * c.normal.dot(off)).max(0.0);
                // one scale for both tangents: at its limit friction is opposite to the slip
                let wanted = known + off * by_slip;
                let along = wanted - c.normal * c.normal.dot(wanted);
                let (length, most) = (along.length(), c.friction * normal);
                let held = c.normal * normal + if length > most { along * (most / length) } else { along };
                let more = held - known;
                self.impulses[k] = held;
                apply_impulse(&problem.bodies, velocity, c, more);
                change = change.max(more.length() / held.length().max(Real::MIN_POSITIVE));
            }
            report.iterations += problem.contacts.len() as u64;
            if change <= 1e-6 {
                break;
            }
        }
        for ((k, impulse), c) in self.impulses.iter().enumerate().zip(&problem.contacts) {
            answer.contacts[k] += ContactImpulse::of_impulse(*impulse, c.normal);
        }
    }
}

/// The relative velocity with which a pair leaves a micro-collision that it enters at `before` (m/s): along the normal at least half of the speed of a fall through the
/// distance. Across it, a single contact goes back as it came; several leave with the opposite of what gravity adds in half of the coming flight. Either way the body
/// returns to where it was, but several contacts arrive at different times, and sending each back as it came would turn the body.
fn leaving(problem: &GroupProblem, c: &GroupContact, before: Vec3, micro: Real) -> Vec3 {
    let approach = -c.normal.dot(before);
    let speed = (c.restitution * approach).max(LEAST_REBOUND * micro);
    if problem.contacts.len() == 1 {
        return c.normal * (speed - approach) - before;
    }
    let [a, b] = c.bodies.map(|i| Real::from(u8::from(problem.bodies[i as usize].inverse_mass > 0.0)));
    let fall = problem.up * (problem.gravity * (a - b));
    let pressing = -c.normal.dot(fall);
    // half of what a flight lasting 2 speed / pressing adds
    let half = if pressing > 0.0 { (fall + c.normal * pressing) * (speed / pressing) } else { Vec3::ZERO };
    c.normal * speed - half
}

/// The acceleration (m/s^2) of a fall through the distance: that of gravity, or of other forces on the bodies' centres if these press a pair together harder, such as a
/// spring in a world without gravity.
fn pressing(problem: &GroupProblem, horizon: Real) -> Real {
    if horizon <= 0.0 {
        return problem.gravity;
    }
    let approach = |c: &GroupContact| {
        let [a, b] = c.bodies.map(|i| problem.bodies[i as usize].external.linear);
        -c.normal.dot(b - a) / horizon
    };
    let hardest = problem.contacts.iter().map(approach).fold(0.0, Real::max);
    // gravity recovered from velocities carries rounding
    if hardest > problem.gravity * (1.0 + 1e-6) { hardest } else { problem.gravity }
}

/// Speeds that tell impacts apart (m/s), and the time until the next solve (s).
#[derive(Debug, Clone, Copy)]
struct Least {
    /// A slower contact that is near is in a micro-collision.
    micro: Real,
    /// A slower contact that is near does not collide.
    none: Real,
    /// A slower contact that arrives within the horizon does not collide.
    arriving: Real,
    horizon: Real,
}

impl MicroCollisions {
    /// The impact of a contact: at once if it is near, or where it arrives within the horizon if it bounces and its pair is not near elsewhere.
    fn impact(&self, problem: &GroupProblem, answer: &GroupAnswer, k: usize, least: Least) -> Option<Impact> {
        let c = &problem.contacts[k];
        let force = relative(problem, c, |i| problem.bodies[i].external);
        let (closing, velocity) = closing(problem, answer, c, force, least.horizon);
        if c.separation <= self.parameters.distance {
            let approach = c.normal.dot(velocity);
            return (approach < -least.none).then_some(Impact { at: 0.0, approach });
        }
        if self.near[k] {
            return None;
        }
        closing.impact(c.restitution, least.arriving)
    }

    /// Finds the pairs that touch within the distance. The contacts of a pair follow each other.
    fn find_near(&mut self, contacts: &[GroupContact]) {
        self.near.clear();
        for pair in contacts.chunk_by(|a, b| a.edge == b.edge) {
            let near = pair.iter().any(|c| c.separation <= self.parameters.distance);
            self.near.extend(pair.iter().map(|_| near));
        }
    }

    /// Resolves the impact of the fastest approach; returns whether there was one.
    fn strike_fastest(&mut self, problem: &GroupProblem, least: Least, answer: &mut GroupAnswer) -> bool {
        let impacts = 0..problem.contacts.len();
        let impacts = impacts.filter_map(|k| Some((k, self.impact(problem, answer, k, least)?)));
        let Some((k, hit)) = impacts.max_by(|a, b| b.1.approach.total_cmp(&a.1.approach)) else { return false };
        let contact = problem.contacts[k];
        let pair = contact.bodies.map(|b| &problem.bodies[b as usize]);
        let forced = if hit.at > 0.0 {
            relative(problem, &contact, |i| problem.bodies[i].external) * (0.5 + hit.at)
        } else {
            Vec3::ZERO
        };
        let impulse = self.impulse(
            &ImpactContact {
                collision_matrix: collision_matrix(pair, contact.position),
                relative_velocity: relative_velocity(&problem.bodies, &answer.velocity, &contact) + forced,
                normal: contact.normal,
                friction: contact.friction,
                restitution: contact.restitution,
            },
            least.micro,
        );
        if !(impulse.is_finite() && impulse.length_squared() > 0.0) {
            return false;
        }
        let before = contact.bodies.map(|b| answer.velocity[b as usize]);
        apply_impulse(&problem.bodies, &mut answer.velocity, &contact, impulse);
        answer.contacts[k] += ContactImpulse::of_impulse(impulse, contact.normal);
        turn(answer, contact.bodies, before, hit.at * least.horizon);
        self.turning.connect(&problem.bodies, contact.bodies, None);
        true
    }
}

impl CollisionSolver for MicroCollisions {
    fn name(&self) -> &'static str {
        Self::DESCRIPTION.name
    }

    fn resolve(&mut self, problem: &GroupProblem, horizon: Real, answer: &mut GroupAnswer) -> ResolveReport {
        let mut report = ResolveReport::default();
        let micro = (2.0 * pressing(problem, horizon) * self.parameters.distance).sqrt();
        let none = (NEGLIGIBLE * micro).max(NOISE);
        self.turning.restart(problem.bodies.len());
        self.find_near(&problem.contacts);
        self.before.clear();
        for c in &problem.contacts {
            self.before.push(relative_velocity(&problem.bodies, &answer.velocity, c));
        }
        self.rebound(problem, micro, none, answer, &mut report);
        // sweeps of the joint impulse that reach their limit are accurate enough; sequential impacts that do not end are reported
        let begun = report.iterations;
        let most = begun + u64::from(self.parameters.iterations) * problem.contacts.len() as u64;
        let least = Least { micro, none, arriving: micro.max(problem.gravity * horizon), horizon };
        while report.iterations < most && self.strike_fastest(problem, least, answer) {
            report.iterations += 1;
        }
        self.turning.keep_momentum(&problem.bodies, &answer.velocity, &mut answer.turn);
        report.truncated = report.iterations == most && most > begun;
        report.impacts = u64::from(report.iterations > 0);
        let moved = problem.bodies.iter().zip(&answer.velocity).filter(|(b, v)| b.velocity != **v);
        report.discontinuities = moved.count() as u64;
        report
    }

    fn fork(&self) -> Box<dyn CollisionSolver> {
        Box::new(self.clone())
    }
}
