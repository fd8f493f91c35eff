mod poisson;

use super::resting::{Resting, Thresholds};
use super::rows::{self, Part};
use drystone_core::catalogue::{Implementation, Settings};
use drystone_core::{
    Closing, CollisionSolver, ContactImpulse, GroupAnswer, GroupBody, GroupContact, GroupProblem, ImpactWork,
    ResolveReport, Turning, Unturned, choice, settings,
};
use drystone_lcp::{
    FactoredOperator, LcpError, LcpOperator, LcpSolver, LcpStatus, Measure, NO_DEPENDENCY, OperatorRef,
    PrincipalPivoting, ProblemView, ProjectedGaussSeidel,
};
use drystone_math::{Real, Twist, Vec3, tangent_basis};

choice! {
    /// Law of restitution for impacts with friction.
    #[derive(Default)]
    pub enum RestitutionLaw {
        /// As much as Newton's law says, scaled back to the work that the coefficients of restitution allow ([`ImpactWork`]).
        #[default]
        Energetic = "energetic",
        /// Of the velocity, which may add energy.
        Newton = "newton",
        /// Of the impulse: a problem of compression, then one of restitution in which each contact pushes with at least e times what it took
        /// to compress it (Anitescu and Potra 1997).
        Poisson = "poisson",
    }
}

settings! {
    /// Parameters of the problems of [`Simultaneous`] and of their solution.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct SimultaneousParameters {
        /// restitution of velocity, scaled back with friction to the work that e allows, or not (may gain energy); or of impulse
        law: RestitutionLaw = choice(Energetic),
        /// whether friction acts, as a box of mu times the normal impulse
        friction: bool = switch(true),
        /// maximum unknowns for a direct method; beyond that, Gauss-Seidel
        pivoting_up_to: usize = integer(60, 0, 100_000),
        /// maximum Gauss-Seidel sweeps
        iterations: usize = integer(500, 1, 1_000_000_000),
        /// residual at which sweeps end, as a fraction of the fastest approach
        tolerance: Real = real(1e-10, 0.0, 1.0),
        /// maximum problems solved one after the other
        rounds: u32 = integer(20, 1, 1_000_000),
        /// where impacts begin and end
        resting: Resting = all(),
    }
}

/// All impacts of a group in one complementarity problem.
///
/// For each contact i that does not separate: `v_i+ + e_i v_i- >= 0`, `j_i >= 0`, and one of the two is zero. A body may
/// leave faster than its own restitution says, pushed off by a third. With e = 1 everywhere and without friction, kinetic
/// energy is kept. Contacts that separated are left out; if the impulses make them approach, another round is solved.
///
/// # Source
/// D-05, D-06, D-07; Baraff 1989, section 8, (27) to (29). Friction, which the paper leaves out, is a box of `mu j_i` in two
/// tangents that aims at zero slip; if it would add energy, restitution is scaled back ([`RestitutionLaw`]). Poisson's law
/// makes it two problems, of compression and of restitution (D-03).
///
/// A group in which nothing approaches faster than `resting_factor` times what gravity adds in a step is at rest and left alone.
#[derive(Debug, Clone, Default)]
pub struct Simultaneous {
    /// Parameters of its problems and of their solution.
    pub parameters: SimultaneousParameters,
    scratch: Scratch,
}

/// Memory between calls.
#[derive(Debug, Clone, Default)]
struct Scratch {
    operator: FactoredOperator,
    b: Vec<Real>,
    lo: Vec<Real>,
    hi: Vec<Real>,
    dependency: Vec<u32>,
    mu: Vec<Real>,
    x: Vec<Real>,
    /// Rates of the rows before the impact.
    before: Vec<Real>,
    /// The contacts that took part with an impulse, by problem row.
    contact_rows: Vec<(u32, u32)>,
    hit: Vec<bool>,
    jumped: Vec<bool>,
    /// When each contact of `contact_rows` meets (s), and its relative velocity then.
    meetings: Vec<(Real, Vec3)>,
    /// Bodies of the joints' rows that take part.
    joint_rows: Vec<[u32; 2]>,
    /// Approach below which a contact rests (m/s).
    start: Real,
    /// Impulses with full restitution and with none, for when a fraction of it is taken.
    bounced: Vec<Real>,
    plastic: Vec<Real>,
    /// Impulses of compression, by Poisson's law.
    compression: Vec<Real>,
    changes: [Vec<Real>; 2],
    turning: Turning,
    pivoting: PrincipalPivoting,
    sweeps: ProjectedGaussSeidel,
}

/// Approach slower than this counts as none (m/s).
const STILL: Real = 1e-9;

impl Simultaneous {
    /// Name, parameters and source.
    pub const DESCRIPTION: Implementation = Implementation {
        name: "simultaneous",
        summary: "all impacts of a group in one complementarity problem, Newton restitution as an inequality; or Poisson's in two",
        source: "Baraff 1989, section 8, equations (27) to (29); Anitescu and Potra 1997",
        parameters: SimultaneousParameters::PARAMETERS,
    };

    /// From settings made for [`Self::DESCRIPTION`].
    pub fn from_settings(settings: &Settings) -> Self {
        Self { parameters: SimultaneousParameters::from_settings(settings), scratch: Scratch::default() }
    }
}

impl Scratch {
    fn clear_rows(&mut self) {
        self.operator.clear_rows();
        self.contact_rows.clear();
        self.meetings.clear();
        self.joint_rows.clear();
        for v in [&mut self.b, &mut self.lo, &mut self.hi, &mut self.mu, &mut self.x] {
            v.clear();
        }
        self.dependency.clear();
    }

    fn start(&mut self, problem: &GroupProblem, answer: &GroupAnswer, resting: Real) {
        self.start = resting;
        self.operator.clear();
        for body in &problem.bodies {
            let (d, o) = (body.inverse_inertia.diagonal, body.inverse_inertia.off_diagonal);
            self.operator.push_body(body.inverse_mass, [d.x, d.y, d.z, o.z, o.y, o.x]);
        }
        self.before.clear();
        self.before.extend(problem.rows.iter().map(|r| rows::rate(r, &answer.velocity)));
        self.hit.clear();
        self.hit.resize(problem.contacts.len(), false);
        self.jumped.clear();
        self.jumped.resize(problem.bodies.len(), false);
        self.turning.restart(problem.bodies.len());
    }

    /// Appends an unknown: `w = A x + b`, within bounds that may depend on another unknown.
    fn push(
        &mut self,
        bodies: [u32; 2],
        j: [Twist; 2],
        b: Real,
        bounds: [Real; 2],
        parent: Option<(u32, Real)>,
    ) -> Result<u32, LcpError> {
        let [ja, jb] = j.map(|t| {
            let (l, a) = (t.linear, t.angular);
            [l.x, l.y, l.z, a.x, a.y, a.z]
        });
        let row = self.operator.push_row(bodies, ja, jb, 0.0)?;
        self.b.push(b);
        self.lo.push(bounds[0]);
        self.hi.push(bounds[1]);
        let (dependency, mu) = parent.unwrap_or((NO_DEPENDENCY, 0.0));
        self.dependency.push(dependency);
        self.mu.push(mu);
        self.x.push(0.0);
        Ok(row as u32)
    }

    /// Sets up a round and returns the fastest approach in it (m/s), zero if there is none.
    fn assemble(
        &mut self,
        problem: &GroupProblem,
        answer: &GroupAnswer,
        with: Physics,
        limits: &Thresholds,
    ) -> Result<Real, LcpError> {
        self.clear_rows();
        let mut fastest: Real = 0.0;
        for (i, c) in problem.contacts.iter().enumerate() {
            let bodies = c.bodies.map(|b| &problem.bodies[b as usize]);
            let arms = bodies.map(|b| c.position - b.pose.position);
            let meeting = Meeting::of(c, bodies, answer, arms, limits);
            // a contact that separates is left out (D-06), and one that does not meet
            let Some(Meeting { at, velocity: u }) = meeting.filter(|_| mobility(bodies, arms, c.normal) > 0.0) else {
                continue;
            };
            let v = c.normal.dot(u);
            fastest = fastest.max(-v);
            let restitution = if with.restitution && -v > limits.start { c.restitution } else { 0.0 };
            let along = [0.0, Real::INFINITY];
            let row = self.push(c.bodies, direction(arms, c.normal), (1.0 + restitution) * v, along, None)?;
            self.contact_rows.push((i as u32, row));
            self.meetings.push((at * limits.horizon, u));
            if with.friction && c.friction > 0.0 {
                let (t1, t2) = tangent_basis(c.normal);
                for t in [t1, t2] {
                    let any = [Real::NEG_INFINITY, Real::INFINITY];
                    self.push(c.bodies, direction(arms, t), t.dot(u), any, Some((row, c.friction)))?;
                }
            }
        }
        for (i, r) in problem.rows.iter().enumerate() {
            let rate = rows::rate(r, &answer.velocity);
            let (b, bounds) = match rows::part(&r.row) {
                Part::Equality => (rate - self.before[i], [Real::NEG_INFINITY, Real::INFINITY]),
                Part::Limit(sign) if sign * rate <= STILL => {
                    let bounds = if sign > 0.0 { [0.0, Real::INFINITY] } else { [Real::NEG_INFINITY, 0.0] };
                    fastest = fastest.max(-sign * rate);
                    let bounce = if with.restitution { r.row.restitution } else { 0.0 };
                    ((1.0 + bounce) * rate, bounds)
                }
                _ => continue,
            };
            if rows::mobility(r, &problem.bodies) > 0.0 {
                self.push(r.bodies, r.row.jacobian, b, bounds, None)?;
                self.joint_rows.push(r.bodies);
            }
        }
        Ok(fastest)
    }

    /// The work of the contacts between the impulses without restitution and those with it.
    fn work(&mut self, problem: &GroupProblem) -> ImpactWork {
        let Self { operator, dependency, contact_rows, meetings, bounced, plastic, changes, .. } = self;
        let mut work = ImpactWork::default();
        for (x, changes) in [&*plastic, &*bounced].into_iter().zip(&mut *changes) {
            changes.clear();
            changes.resize(6 * operator.bodies(), 0.0);
            operator.start(x, changes);
        }
        for (&(contact, row), &(_, u)) in contact_rows.iter().zip(&*meetings) {
            let c = &problem.contacts[contact as usize];
            let (t1, t2) = tangent_basis(c.normal);
            let row = row as usize;
            let rough = dependency.get(row + 1).is_some_and(|&d| d as usize == row);
            let own = |i: usize| if rough || i == row { Some(i) } else { None };
            let of =
                |f: &dyn Fn(usize) -> Real| Vec3::new(f(row), own(row + 1).map_or(0.0, f), own(row + 2).map_or(0.0, f));
            let before = Vec3::new(c.normal.dot(u), t1.dot(u), t2.dot(u));
            let after = [(&*plastic, &changes[0]), (&*bounced, &changes[1])]
                .map(|(x, changes)| before + of(&|i| operator.row_dot(i, x, changes)));
            // friction does no work on a tangent without a row, whatever its velocity
            work.add([of(&|i| plastic[i]), of(&|i| bounced[i])], before, after, c.restitution);
        }
        work
    }
}

/// Physical effects that a round includes.
#[derive(Debug, Clone, Copy)]
struct Physics {
    restitution: bool,
    friction: bool,
}

/// Contact in a round of impacts.
struct Meeting {
    /// When it meets, as a fraction of the horizon.
    at: Real,
    /// Relative velocity then.
    velocity: Vec3,
}

impl Meeting {
    fn of(
        c: &GroupContact,
        bodies: [&GroupBody; 2],
        answer: &GroupAnswer,
        arms: [Vec3; 2],
        limits: &Thresholds,
    ) -> Option<Self> {
        let relative = |[a, b]: [Twist; 2]| b.at(arms[1]) - a.at(arms[0]);
        let own = c.bodies.map(|b| b as usize);
        let (u, force) = (relative(own.map(|b| answer.velocity[b])), relative(bodies.map(|b| b.external)));
        let gap = c.separation + c.normal.dot(relative(own.map(|b| answer.turn[b].shift)));
        let before = c.normal.dot(u);
        let closing = Closing { gap, before, after: before + c.normal.dot(force), horizon: limits.horizon };
        if closing.is_touching() {
            return (before <= STILL).then_some(Self { at: 0.0, velocity: u });
        }
        let impact = closing.impact(c.restitution, limits.start)?;
        Some(Self { at: impact.at, velocity: u + force * (0.5 + impact.at) })
    }
}

/// The row of a relative velocity along `n` at `arms` from the centres.
fn direction(arms: [Vec3; 2], n: Vec3) -> [Twist; 2] {
    [Twist::new(-n, -arms[0].cross(n)), Twist::new(n, arms[1].cross(n))]
}

/// `n . K n`.
fn mobility(bodies: [&GroupBody; 2], arms: [Vec3; 2], n: Vec3) -> Real {
    let side = |k: usize| bodies[k].inverse_mass + bodies[k].inverse_inertia.quadratic(arms[k].cross(n));
    side(0) + side(1)
}

impl Simultaneous {
    /// Solves the problem in the scratch; returns the iterations, and whether the answer is valid.
    fn solve(&mut self, fastest: Real, limits: &Thresholds) -> Result<(u64, bool), LcpError> {
        let s = &mut self.scratch;
        let view = ProblemView {
            operator: OperatorRef::Factored(&s.operator),
            b: &s.b,
            lo: &s.lo,
            hi: &s.hi,
            dependency: &s.dependency,
            mu: &s.mu,
            partner: &[],
        };
        let enough = (self.parameters.tolerance * fastest).max(0.2 * limits.stop);
        let mut iterations = 0;
        if s.b.len() <= self.parameters.pivoting_up_to {
            s.pivoting.iterations = 100;
            let report = s.pivoting.solve(&view, &mut s.x)?;
            iterations = report.iterations as u64;
            if report.status == LcpStatus::Converged {
                return Ok((iterations, true));
            }
        }
        s.sweeps.iterations = self.parameters.iterations;
        s.sweeps.tolerance = enough;
        s.sweeps.measure = Measure::EveryIteration;
        let report = s.sweeps.solve(&view, &mut s.x)?;
        Ok((iterations + report.iterations as u64, report.residual.is_some_and(|r| r <= enough)))
    }

    /// Finds the impulses of a round, into the scratch; returns the iterations, and whether they are an answer.
    fn solve_round(
        &mut self,
        problem: &GroupProblem,
        answer: &GroupAnswer,
        limits: &Thresholds,
        fastest: Real,
    ) -> Result<(u64, bool), LcpError> {
        if self.parameters.law == RestitutionLaw::Poisson {
            return self.solve_poisson(problem, answer, limits, fastest);
        }
        let (mut iterations, mut solved) = self.solve(fastest, limits)?;
        let rough = self.parameters.friction && self.scratch.mu.iter().any(|mu| *mu > 0.0);
        if solved && !(rough && self.parameters.law == RestitutionLaw::Energetic) {
            return Ok((iterations, true));
        }
        let Scratch { x, bounced, plastic, .. } = &mut self.scratch;
        bounced.clone_from(x);
        plastic.clear();
        plastic.resize(bounced.len(), 0.0);
        if solved {
            self.scratch.assemble(problem, answer, Physics { restitution: false, friction: true }, limits)?;
            let (more, compressed) = self.solve(fastest, limits)?;
            iterations += more;
            solved = compressed;
            if compressed {
                self.scratch.plastic.copy_from_slice(&self.scratch.x);
            }
        }
        // even an invalid answer must not add energy
        let s = self.scratch.work(problem).fraction();
        let Scratch { x, bounced, plastic, .. } = &mut self.scratch;
        x.clear();
        x.extend(plastic.iter().zip(&*bounced).map(|(p, b)| p + s * (b - p)));
        Ok((iterations, solved))
    }

    /// Applies the impulses in the scratch.
    fn apply(&mut self, problem: &GroupProblem, answer: &mut GroupAnswer) {
        let s = &mut self.scratch;
        for (row, &x) in s.operator.factored_rows().iter().zip(&s.x) {
            if x == 0.0 {
                continue;
            }
            for (b, w) in row.bodies.iter().zip(&row.weighted) {
                if let Some(u) = answer.velocity.get_mut(*b as usize) {
                    u.linear += Vec3::new(w[0], w[1], w[2]) * x;
                    u.angular += Vec3::new(w[3], w[4], w[5]) * x;
                    s.jumped[*b as usize] = true;
                }
            }
        }
        for (&(contact, row), &(time, u)) in s.contact_rows.iter().zip(&s.meetings) {
            let c = &problem.contacts[contact as usize];
            if s.x[row as usize] > 0.0 {
                s.hit[contact as usize] = true;
                let row = row as usize;
                let rough = s.dependency.get(row + 1).is_some_and(|&d| d as usize == row);
                let along = if rough { [s.x[row], s.x[row + 1], s.x[row + 2]] } else { [s.x[row], 0.0, 0.0] };
                let (t1, t2) = tangent_basis(c.normal);
                answer.contacts[contact as usize] += ContactImpulse::of_multipliers(along, [t1, t2]);
                let collides = time > 0.0 || c.normal.dot(u) < -s.start;
                s.turning.connect(&problem.bodies, c.bodies, collides.then_some(time));
            }
        }
        for pair in &s.joint_rows {
            s.turning.connect(&problem.bodies, *pair, None);
        }
        s.turning.write(&problem.bodies, &answer.velocity, Unturned::Free, &mut answer.turn);
    }
}

impl CollisionSolver for Simultaneous {
    fn name(&self) -> &'static str {
        Self::DESCRIPTION.name
    }

    fn resolve(&mut self, problem: &GroupProblem, horizon: Real, answer: &mut GroupAnswer) -> ResolveReport {
        let mut report = ResolveReport::default();
        let limits = self.parameters.resting.thresholds(problem, horizon, STILL);
        self.scratch.start(problem, answer, limits.start);
        for round in 0..=self.parameters.rounds {
            // a group whose bodies are all listed cannot make a row fail; if one does, nothing is resolved
            let with = Physics { restitution: true, friction: self.parameters.friction };
            let fastest = self.scratch.assemble(problem, answer, with, &limits).unwrap_or(Real::INFINITY);
            if fastest <= if round == 0 { limits.start } else { limits.stop } {
                break;
            }
            report.truncated = round == self.parameters.rounds || !fastest.is_finite();
            if report.truncated {
                break;
            }
            let Ok((iterations, solved)) = self.solve_round(problem, answer, &limits, fastest) else {
                report.truncated = true;
                break;
            };
            report.iterations += iterations;
            self.apply(problem, answer);
            // a second attempt at an unsolved problem would begin where this one ended
            if !solved {
                report.truncated = true;
                break;
            }
        }
        report.impacts = self.scratch.hit.iter().filter(|h| **h).count() as u64;
        report.discontinuities = self.scratch.jumped.iter().filter(|j| **j).count() as u64;
        report
    }

    fn fork(&self) -> Box<dyn CollisionSolver> {
        Box::new(Self { scratch: Scratch::default(), ..self.clone() })
    }
}
