use super::couplings::Couplings;
use super::resting::{Resting, Thresholds};
use super::rows::{self, Part};
use super::tournament::Tournament;
use crate::law::{Law, Poisson};
use crate::{apply_impulse, collision_matrix};
use drystone_core::catalogue::{Implementation, Parameter, Settings};
use drystone_core::{
    Closing, CollisionLaw, CollisionSolver, ContactImpulse, GroupAnswer, GroupContact, GroupProblem, Impact,
    ImpactContact, ResolveReport, Turn, Turning, choice, parameters, settings,
};
use drystone_math::{Real, Twist, Vec3};
use std::sync::Arc;

choice! {
    /// In which order impacts are taken.
    #[derive(Default)]
    pub enum Order {
        /// The fastest approach first.
        #[default]
        Fastest = "fastest",
        /// As the contacts are listed, sweep after sweep.
        Listed = "listed",
    }
}

settings! {
    /// Order in which [`Sequential`] resolves the impacts of a group.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct SequentialParameters {
        /// order of impacts: fastest approach first, or as listed
        order: Order = choice(Fastest),
        /// maximum impulses at one contact; for a whole group, this plus twenty per contact
        iterations: u32 = integer(1000, 1, 1_000_000_000),
        /// slower approach counts as none (m/s)
        tolerance: Real = real(1e-9, 0.0, 1.0),
        /// approach slower than after a fall from this height (m) has no restitution
        rest_height: Real = real(0.0, 0.0, 1.0),
        /// where impacts begin and end
        resting: Resting = all(),
    }
}

/// One impact after the other until no contact approaches: collisions propagate through a group.
///
/// An impact of zero duration travels: Newton's cradle hands its speed on to the last ball, whatever the order of the
/// contacts. The price is slow convergence if bodies are caught between others (mass ratio 9, e = 0: a factor of 0.9
/// per round).
///
/// Resting bodies are left alone: nothing is done if no contact approaches faster than `resting_factor` times what gravity adds in a step, and
/// the impacts end when none approaches faster than a fraction of that. The constraint solver takes over from there. Bodies that meet within the
/// step also do so one after the other: each turns where it is hit, unless those with which it exchanged impulses would gain or lose angular
/// momentum by it.
///
/// # Cost
/// Per impact, one evaluation of the law, and one comparison per tree level for each coupled contact. A warm call
/// allocates nothing.
///
/// # Source
/// D-04, D-07, D-12; Baraff 1989, section 8.1; thesis 2.2.4.
#[derive(Clone)]
pub struct Sequential {
    /// Law of one impact.
    pub law: Arc<dyn CollisionLaw>,
    /// Order in which it resolves the impacts of a group.
    pub parameters: SequentialParameters,
    scratch: Scratch,
}

/// Memory between calls.
#[derive(Debug, Clone, Default)]
struct Scratch {
    couplings: Couplings,
    tournament: Tournament,
    known: Known,
}

/// Data of a group's contacts and rows, and the results for them.
#[derive(Debug, Clone, Default)]
struct Known {
    impacts: Vec<KnownContact>,
    rows: Vec<RowImpact>,
    counts: Vec<u32>,
    jumped: Vec<bool>,
    turning: Turning,
}

/// The data of a contact that do not change while impacts are resolved.
#[derive(Debug, Clone, Copy)]
struct KnownContact {
    impact: ImpactContact,
    /// Relative velocity that external forces add over the horizon.
    force: Vec3,
    /// Approach below which it does not bounce (m/s).
    slow: Real,
}

/// Data of a row in an impact.
#[derive(Debug, Clone, Copy)]
struct RowImpact {
    part: Part,
    /// Rate before the impact, which an equality row keeps.
    before: Real,
    mobility: Real,
}

/// A group whose impacts are being resolved. Its items are its contacts, followed by the rows of its joints.
struct Impacts<'a> {
    law: &'a dyn CollisionLaw,
    parameters: &'a SequentialParameters,
    problem: &'a GroupProblem,
    limits: &'a Thresholds,
    known: &'a mut Known,
    answer: &'a mut GroupAnswer,
    report: &'a mut ResolveReport,
}

/// After this many impacts per contact, averaged over a large group, the rest is left.
const ROUNDS: u64 = 20;

impl Default for Sequential {
    fn default() -> Self {
        Self::new(Arc::new(Poisson))
    }
}

impl Sequential {
    /// Name, parameters and source.
    pub const DESCRIPTION: Implementation = Implementation {
        name: "sequential",
        summary: "one impact after the other until no contact approaches: collisions propagate",
        source: "Baraff 1989, section 8; Erleben 2005, section 2.2.4",
        parameters: parameters![
            &[Parameter::choice("law", Law::Poisson.name(), Law::NAMES, "law of a single impact")],
            &Law::PARAMETERS,
            SequentialParameters::PARAMETERS,
        ],
    };

    /// With a law, which may be a user-defined one, and otherwise the defaults.
    pub fn new(law: Arc<dyn CollisionLaw>) -> Self {
        Self { law, parameters: SequentialParameters::default(), scratch: Scratch::default() }
    }

    /// From settings made for [`Self::DESCRIPTION`]; `None` if they name a law that is not one of [`Law`]'s: for a user-defined law see
    /// [`Self::with_settings`].
    pub fn from_settings(settings: &Settings) -> Option<Self> {
        let law = Law::from_name(settings.text("law"))?.make(settings);
        Some(Self::with_settings(Arc::from(law), settings))
    }

    /// With a law, which may be a user-defined one, instead of the one that the settings name, and everything else from
    /// the settings.
    pub fn with_settings(law: Arc<dyn CollisionLaw>, settings: &Settings) -> Self {
        Self { parameters: SequentialParameters::from_settings(settings), ..Self::new(law) }
    }
}

impl Known {
    /// Starts anew; contacts that approach less fast than `slow` (m/s) do not bounce.
    fn start(&mut self, problem: &GroupProblem, answer: &GroupAnswer, slow: Real) {
        self.impacts.clear();
        self.impacts.extend(problem.contacts.iter().map(|c| {
            let impact = ImpactContact {
                collision_matrix: collision_matrix(c.bodies.map(|b| &problem.bodies[b as usize]), c.position),
                relative_velocity: Vec3::ZERO,
                normal: c.normal,
                friction: c.friction,
                restitution: c.restitution,
            };
            KnownContact { impact, force: relative(problem, c, |i| problem.bodies[i].external), slow }
        }));
        self.rows.clear();
        self.rows.extend(problem.rows.iter().map(|r| RowImpact {
            part: rows::part(&r.row),
            before: rows::rate(r, &answer.velocity),
            mobility: rows::mobility(r, &problem.bodies),
        }));
        let count = problem.contacts.len() + problem.rows.len();
        self.counts.clear();
        self.counts.resize(count, 0);
        self.jumped.clear();
        self.jumped.resize(problem.bodies.len(), false);
        self.turning.restart(problem.bodies.len());
    }
}

impl Impacts<'_> {
    /// Number of items.
    fn count(&self) -> usize {
        self.problem.contacts.len() + self.problem.rows.len()
    }

    /// Approach speed of an item (m/s, or the rate by which a row is off); zero if it does not approach.
    fn urgency(&self, item: usize) -> Real {
        let Self { problem, limits, answer, .. } = self;
        let contacts = problem.contacts.len();
        if item < contacts {
            let c = &problem.contacts[item];
            let (closing, _) = closing(problem, answer, c, self.known.impacts[item].force, limits.horizon);
            return impact(&closing, c.restitution, limits, limits.stop).map_or(0.0, |i| -i.approach);
        }
        let (row, known) = (&problem.rows[item - contacts], &self.known.rows[item - contacts]);
        let off = match known.part {
            Part::Idle => 0.0,
            Part::Equality => (rows::rate(row, &answer.velocity) - known.before).abs(),
            Part::Limit(sign) => -sign * rows::rate(row, &answer.velocity),
        };
        if off > self.parameters.tolerance { off } else { 0.0 }
    }

    /// Applies an item's impulse; false if nothing can be done about it.
    fn strike(&mut self, item: usize) -> bool {
        let Self { law, problem, limits, known: Known { impacts, rows, counts, jumped, turning }, answer, .. } = self;
        let contacts = problem.contacts.len();
        let pair = if item < contacts {
            let contact = problem.contacts[item];
            let known = &impacts[item];
            let (closing, velocity) = closing(problem, answer, &contact, known.force, limits.horizon);
            let Some(hit) = impact(&closing, contact.restitution, limits, limits.stop) else { return false };
            let forced = if hit.at > 0.0 { known.force * (0.5 + hit.at) } else { Vec3::ZERO };
            let bounces = -hit.approach >= known.slow;
            let impulse = law.impulse(&ImpactContact {
                relative_velocity: velocity + forced,
                restitution: if bounces { contact.restitution } else { 0.0 },
                ..known.impact
            });
            if !(impulse.is_finite() && impulse.length_squared() > 0.0) {
                return false;
            }
            let before = contact.bodies.map(|b| answer.velocity[b as usize]);
            apply_impulse(&problem.bodies, &mut answer.velocity, &contact, impulse);
            answer.contacts[item] += ContactImpulse::of_impulse(impulse, contact.normal);
            turn(answer, contact.bodies, before, hit.at * limits.horizon);
            contact.bodies
        } else {
            let row = problem.rows[item - contacts];
            let known = &rows[item - contacts];
            let rate = rows::rate(&row, &answer.velocity);
            let change = match known.part {
                Part::Idle => 0.0,
                Part::Equality => known.before - rate,
                Part::Limit(_) => -(1.0 + row.row.restitution) * rate,
            };
            if !(known.mobility > 0.0 && (change / known.mobility).is_finite() && change != 0.0) {
                return false;
            }
            // a joint passes on the impact on its bodies, at the time when they were struck
            let time = row.bodies.iter().fold(0.0, |t: Real, b| t.max(answer.turn[*b as usize].within));
            let before = row.bodies.map(|b| answer.velocity[b as usize]);
            rows::apply(&row, &problem.bodies, &mut answer.velocity, change / known.mobility);
            turn(answer, row.bodies, before, time);
            row.bodies
        };
        turning.connect(&problem.bodies, pair, None);
        for b in pair {
            jumped[b as usize] |= problem.bodies[b as usize].is_movable();
        }
        counts[item] += 1;
        true
    }

    /// The fastest approach first.
    fn by_speed(&mut self, tournament: &mut Tournament, couplings: &mut Couplings) {
        let (problem, parameters, count) = (self.problem, self.parameters, self.count());
        tournament.reset(count);
        for item in 0..count {
            tournament.set(item, self.urgency(item));
        }
        // nothing approaches: the usual case, without the couplings
        if tournament.best().is_some() {
            couplings.read(problem);
        }
        // an impact passes through a group in a few rounds; whatever takes longer is left to the constraint solver
        let most = u64::from(parameters.iterations) + ROUNDS * count as u64;
        while let Some(item) = tournament.best() {
            if self.report.iterations >= most {
                self.report.truncated = true;
                break;
            }
            let pair = bodies_of(problem, item);
            if self.known.counts[item] >= parameters.iterations || !self.strike(item) {
                // out of the race until a neighbour moves its bodies
                self.report.truncated = true;
                tournament.set(item, 0.0);
                continue;
            }
            self.report.iterations += 1;
            for b in pair.into_iter().filter(|&b| problem.bodies[b as usize].is_movable()) {
                for &other in couplings.of(b) {
                    tournament.set(other as usize, self.urgency(other as usize));
                }
            }
        }
        // items that left the race may have been resolved by their neighbours since
        self.report.truncated = self.report.truncated && (0..count).any(|item| self.urgency(item) > 0.0);
    }

    /// Sweep after sweep.
    fn as_listed(&mut self) {
        let count = self.count();
        for _ in 0..self.parameters.iterations {
            let mut struck = false;
            for item in 0..count {
                if self.urgency(item) > 0.0 && self.strike(item) {
                    struck = true;
                    self.report.iterations += 1;
                }
            }
            if !struck {
                return;
            }
        }
        self.report.truncated = (0..count).any(|item| self.urgency(item) > 0.0);
    }
}

/// Returns true if anything collides at all.
fn begins(problem: &GroupProblem, answer: &GroupAnswer, limits: &Thresholds) -> bool {
    let hits = |c: &GroupContact| {
        let (closing, _) =
            closing(problem, answer, c, relative(problem, c, |i| problem.bodies[i].external), limits.horizon);
        impact(&closing, c.restitution, limits, limits.start).is_some()
    };
    let closes = |r: &drystone_core::GroupRow| match rows::part(&r.row) {
        Part::Limit(sign) => -sign * rows::rate(r, &answer.velocity) > limits.start,
        _ => false,
    };
    problem.contacts.iter().any(hits) || problem.rows.iter().any(closes)
}

/// The bodies of a contact or a row.
fn bodies_of(problem: &GroupProblem, item: usize) -> [u32; 2] {
    let contacts = problem.contacts.len();
    if item < contacts { problem.contacts[item].bodies } else { problem.rows[item - contacts].bodies }
}

/// Velocity of B relative to A at a contact, from one of the bodies' columns.
pub(super) fn relative(problem: &GroupProblem, c: &GroupContact, column: impl Fn(usize) -> Twist) -> Vec3 {
    let [a, b] = c.bodies.map(|i| column(i as usize).at(c.position - problem.bodies[i as usize].pose.position));
    b - a
}

/// Closing motion of a contact at the velocities found so far, `force` being the addition by external forces; and its
/// relative velocity.
pub(super) fn closing(
    problem: &GroupProblem,
    answer: &GroupAnswer,
    c: &GroupContact,
    force: Vec3,
    horizon: Real,
) -> (Closing, Vec3) {
    let velocity = relative(problem, c, |i| answer.velocity[i]);
    // bodies that turn within the step are in effect somewhere else at its beginning
    let gap = c.separation + c.normal.dot(relative(problem, c, |i| answer.turn[i].shift));
    let before = c.normal.dot(velocity);
    (Closing { gap, before, after: before + c.normal.dot(force), horizon }, velocity)
}

/// The impact of a contact: one that touches goes on until it is as slow as `touching`, one that arrives within the step is at least as fast as
/// an impact that begins.
fn impact(closing: &Closing, restitution: Real, limits: &Thresholds, touching: Real) -> Option<Impact> {
    closing.impact(restitution, if closing.is_touching() { touching } else { limits.start })
}

/// Notes that two bodies' velocities changed at `time` (s) within the step.
pub(super) fn turn(answer: &mut GroupAnswer, pair: [u32; 2], before: [Twist; 2], time: Real) {
    if time > 0.0 {
        for (b, old) in pair.into_iter().zip(before) {
            let shift = (old - answer.velocity[b as usize]) * time;
            answer.turn[b as usize].add(&Turn { shift, within: time, ..Turn::default() });
        }
    }
}

impl CollisionSolver for Sequential {
    fn name(&self) -> &'static str {
        Self::DESCRIPTION.name
    }

    fn resolve(&mut self, problem: &GroupProblem, horizon: Real, answer: &mut GroupAnswer) -> ResolveReport {
        let mut report = ResolveReport::default();
        let limits = self.parameters.resting.thresholds(problem, horizon, self.parameters.tolerance);
        let Self { law, parameters, scratch: Scratch { couplings, tournament, known } } = self;
        if !begins(problem, answer, &limits) {
            return report;
        }
        let slow = (2.0 * problem.gravity * parameters.rest_height).sqrt().max(limits.start);
        known.start(problem, answer, slow);
        let (law, limits) = (law.as_ref(), &limits);
        let mut impacts = Impacts { law, parameters, problem, limits, known, answer, report: &mut report };
        match parameters.order {
            Order::Fastest => impacts.by_speed(tournament, couplings),
            Order::Listed => impacts.as_listed(),
        }
        known.turning.keep_momentum(&problem.bodies, &answer.velocity, &mut answer.turn);
        report.impacts = known.counts[..problem.contacts.len()].iter().filter(|&&n| n > 0).count() as u64;
        report.discontinuities = known.jumped.iter().filter(|j| **j).count() as u64;
        report
    }

    fn fork(&self) -> Box<dyn CollisionSolver> {
        Box::new(Self { scratch: Scratch::default(), ..self.clone() })
    }
}
