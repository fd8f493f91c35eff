use super::couplings::Couplings;
use super::rows::{self, Part};
use super::tournament::Tournament;
use crate::law::{ChatterjeeRuina, LAWS, Newton, law_by_name};
use crate::{apply_impulse, collision_matrix, relative_velocity};
use drystone_core::catalogue::{Implementation, Parameter, Settings};
use drystone_core::{CollisionLaw, CollisionSolver, GroupProblem, ImpactContact, ResolveReport};
use drystone_math::Real;
use std::sync::Arc;

/// In which order impacts are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// The fastest approach first.
    #[default]
    Fastest,
    /// As the contacts are listed, sweep after sweep.
    Listed,
}

/// One impact after the other until no contact approaches: collisions propagate through a group.
///
/// An impact of zero duration travels: Newton's cradle hands its speed on to the last ball, whatever the order of the
/// contacts. The price is slow convergence where bodies are caught between others (mass ratio 9, e = 0: 0.9 a round).
///
/// # Cost
/// One law and one comparison a tree level for each coupled contact, an impact. A warm call allocates nothing.
///
/// # Source
/// D-04, D-07, D-12; Baraff 1989, section 8.1; thesis 2.2.4.
#[derive(Clone)]
pub struct Sequential {
    /// What one impact does.
    pub law: Arc<dyn CollisionLaw>,
    /// In which order.
    pub order: Order,
    /// Most impulses at one contact; where one still approaches then, the report says `truncated`.
    pub iterations: u32,
    /// Slower approach is none (m/s).
    pub tolerance: Real,
    /// Approach slower than that of a fall from this height (m) has no restitution; zero turns that off.
    pub rest_height: Real,
    scratch: Scratch,
}

/// Memory between calls.
#[derive(Debug, Clone, Default)]
struct Scratch {
    couplings: Couplings,
    tournament: Tournament,
    impacts: Vec<ImpactContact>,
    rows: Vec<RowImpact>,
    counts: Vec<u32>,
    jumped: Vec<bool>,
}

/// What a row needs in an impact.
#[derive(Debug, Clone, Copy)]
struct RowImpact {
    part: Part,
    /// Rate before the impact, which an equality row keeps.
    before: Real,
    mobility: Real,
}

/// The names of [`LAWS`].
const LAW_NAMES: &[&str] = &[LAWS[0].name, LAWS[1].name, LAWS[2].name, LAWS[3].name, LAWS[4].name];

impl Default for Sequential {
    fn default() -> Self {
        Self::new(Arc::new(Newton))
    }
}

impl Sequential {
    /// Name, parameters and source.
    pub const DESCRIPTION: Implementation = Implementation {
        name: "sequential",
        summary: "one impact after the other until no contact approaches: collisions propagate",
        source: "Baraff 1989 8.1; thesis 2.2.4",
        parameters: &[
            Parameter::choice("law", "newton", LAW_NAMES, "what a single impact does"),
            ChatterjeeRuina::TANGENTIAL_RESTITUTION,
            Parameter::choice("order", "fastest", &["fastest", "listed"], "which impact comes next"),
            Parameter::integer("iterations", 1000, 1, 1_000_000_000, "most impulses at one contact"),
            Parameter::real("tolerance", 1e-9, 0.0, 1.0, "slower approach is none (m/s)"),
            Parameter::real(
                "rest_height",
                0.0,
                0.0,
                1.0,
                "approach slower than that of a fall from this height (m) has no restitution",
            ),
        ],
    };

    /// With a law, one's own included, and the defaults otherwise.
    pub fn new(law: Arc<dyn CollisionLaw>) -> Self {
        Self {
            law,
            order: Order::Fastest,
            iterations: 1000,
            tolerance: 1e-9,
            rest_height: 0.0,
            scratch: Scratch::default(),
        }
    }

    /// From settings made for [`Self::DESCRIPTION`].
    pub fn from_settings(settings: &Settings) -> Self {
        let law = law_by_name(settings.text("law"), settings).unwrap_or_else(|| Box::new(Newton));
        Self {
            order: if settings.text("order") == "listed" { Order::Listed } else { Order::Fastest },
            iterations: settings.integer("iterations") as u32,
            tolerance: settings.real("tolerance"),
            rest_height: settings.real("rest_height"),
            ..Self::new(Arc::from(law))
        }
    }

    fn prepare(&mut self, problem: &GroupProblem) {
        let s = &mut self.scratch;
        let slow = (2.0 * problem.gravity * self.rest_height).sqrt();
        s.impacts.clear();
        s.impacts.extend(problem.contacts.iter().map(|c| {
            let bodies = c.bodies.map(|b| &problem.bodies[b as usize]);
            let u = relative_velocity(bodies, c.position);
            ImpactContact {
                collision_matrix: collision_matrix(bodies, c.position),
                relative_velocity: u,
                normal: c.normal,
                friction: c.friction,
                restitution: if -c.normal.dot(u) < slow { 0.0 } else { c.restitution },
            }
        }));
        s.rows.clear();
        s.rows.extend(problem.rows.iter().map(|r| RowImpact {
            part: rows::part(&r.row),
            before: rows::rate(r, &problem.bodies),
            mobility: rows::mobility(r, &problem.bodies),
        }));
        let count = problem.contacts.len() + problem.rows.len();
        s.counts.clear();
        s.counts.resize(count, 0);
        s.jumped.clear();
        s.jumped.resize(problem.bodies.len(), false);
    }

    /// How fast an item approaches (m/s, or the rate by which a row is off); at or below zero if it does not.
    fn urgency(&self, problem: &GroupProblem, item: usize) -> Real {
        let contacts = problem.contacts.len();
        let off = if item < contacts {
            let c = &problem.contacts[item];
            -c.normal.dot(relative_velocity(c.bodies.map(|b| &problem.bodies[b as usize]), c.position))
        } else {
            let (row, known) = (&problem.rows[item - contacts], &self.scratch.rows[item - contacts]);
            match known.part {
                Part::Idle => 0.0,
                Part::Equality => (rows::rate(row, &problem.bodies) - known.before).abs(),
                Part::Limit(sign) => -sign * rows::rate(row, &problem.bodies),
            }
        };
        if off > self.tolerance { off } else { 0.0 }
    }

    /// Applies an item's impulse; false where nothing can be done about it.
    fn strike(&mut self, problem: &mut GroupProblem, item: usize) -> bool {
        let contacts = problem.contacts.len();
        let pair = if item < contacts {
            let contact = &problem.contacts[item];
            let impact = &mut self.scratch.impacts[item];
            let bodies = contact.bodies.map(|b| &problem.bodies[b as usize]);
            impact.relative_velocity = relative_velocity(bodies, contact.position);
            let impulse = self.law.impulse(impact);
            if !(impulse.is_finite() && impulse.length_squared() > 0.0) {
                return false;
            }
            apply_impulse(&mut problem.bodies, contact, impulse);
            contact.bodies
        } else {
            let (row, known) = (&problem.rows[item - contacts], &self.scratch.rows[item - contacts]);
            let rate = rows::rate(row, &problem.bodies);
            let change = match known.part {
                Part::Idle => 0.0,
                Part::Equality => known.before - rate,
                Part::Limit(_) => -(1.0 + row.row.restitution) * rate,
            };
            if !(known.mobility > 0.0 && (change / known.mobility).is_finite() && change != 0.0) {
                return false;
            }
            rows::apply(row, &mut problem.bodies, change / known.mobility);
            row.bodies
        };
        for b in pair {
            self.scratch.jumped[b as usize] |= moves(problem, b);
        }
        self.scratch.counts[item] += 1;
        true
    }

    /// The fastest approach first.
    fn by_speed(&mut self, problem: &mut GroupProblem, report: &mut ResolveReport) {
        let count = problem.contacts.len() + problem.rows.len();
        let mut tournament = core::mem::take(&mut self.scratch.tournament);
        let mut couplings = core::mem::take(&mut self.scratch.couplings);
        tournament.reset(count);
        for item in 0..count {
            tournament.set(item, self.urgency(problem, item));
        }
        // nothing approaches: the usual case, without the couplings
        if tournament.best().is_some() {
            couplings.read(problem);
        }
        while let Some(item) = tournament.best() {
            let pair = bodies_of(problem, item);
            if self.scratch.counts[item] >= self.iterations || !self.strike(problem, item) {
                // out of the race until a neighbour moves its bodies
                report.truncated = true;
                tournament.set(item, 0.0);
                continue;
            }
            report.iterations += 1;
            for b in pair.into_iter().filter(|&b| moves(problem, b)) {
                for &other in couplings.of(b) {
                    tournament.set(other as usize, self.urgency(problem, other as usize));
                }
            }
        }
        // whoever left the race may have been helped by its neighbours since
        report.truncated = report.truncated && (0..count).any(|item| self.urgency(problem, item) > 0.0);
        self.scratch.tournament = tournament;
        self.scratch.couplings = couplings;
    }

    /// Sweep after sweep.
    fn as_listed(&mut self, problem: &mut GroupProblem, report: &mut ResolveReport) {
        let count = problem.contacts.len() + problem.rows.len();
        for _ in 0..self.iterations {
            let mut struck = false;
            for item in 0..count {
                if self.urgency(problem, item) > 0.0 && self.strike(problem, item) {
                    struck = true;
                    report.iterations += 1;
                }
            }
            if !struck {
                return;
            }
        }
        report.truncated = (0..count).any(|item| self.urgency(problem, item) > 0.0);
    }
}

/// The bodies of a contact or a row.
fn bodies_of(problem: &GroupProblem, item: usize) -> [u32; 2] {
    let contacts = problem.contacts.len();
    if item < contacts { problem.contacts[item].bodies } else { problem.rows[item - contacts].bodies }
}

/// Whether impulses change the body's velocity.
fn moves(problem: &GroupProblem, body: u32) -> bool {
    let b = &problem.bodies[body as usize];
    b.inverse_mass > 0.0 || b.inverse_inertia != drystone_math::SymmetricMat3::ZERO
}

impl CollisionSolver for Sequential {
    fn name(&self) -> &'static str {
        Self::DESCRIPTION.name
    }

    fn resolve(&mut self, problem: &mut GroupProblem) -> ResolveReport {
        let mut report = ResolveReport::default();
        self.prepare(problem);
        match self.order {
            Order::Fastest => self.by_speed(problem, &mut report),
            Order::Listed => self.as_listed(problem, &mut report),
        }
        report.impacts = self.scratch.counts[..problem.contacts.len()].iter().filter(|&&n| n > 0).count() as u64;
        report.discontinuities = self.scratch.jumped.iter().filter(|j| **j).count() as u64;
        report
    }

    fn fork(&self) -> Box<dyn CollisionSolver> {
        Box::new(Self { scratch: Scratch::default(), ..self.clone() })
    }
}
