use super::rows::{self, Part};
use crate::relative_velocity;
use drystone_core::catalogue::{Implementation, Parameter, Settings};
use drystone_core::{CollisionSolver, GroupBody, GroupProblem, ResolveReport};
use drystone_lcp::{
    FactoredOperator, LcpError, LcpSolver, LcpStatus, Measure, NO_DEPENDENCY, OperatorRef, PrincipalPivoting,
    ProblemView, ProjectedGaussSeidel,
};
use drystone_math::{Real, Twist, Vec3, tangent_basis};

/// All impacts of a group in one complementarity problem.
///
/// For each contact i that does not separate: `v_i+ + e_i v_i- >= 0`, `j_i >= 0`, and one of the two is zero. A body may
/// leave faster than its own restitution says, pushed off by a third. With e = 1 everywhere and without friction, kinetic
/// energy is kept. Contacts that separated are left out; where the impulses make them approach, another round is solved.
///
/// # Source
/// D-05, D-06, D-07; Baraff 1989, section 8, (27) to (29). Friction, which the paper leaves out, is a box of `mu j_i` in two
/// tangents that asks for no slip; it may add energy where e > 0.
#[derive(Debug, Clone)]
pub struct Simultaneous {
    /// Whether friction acts.
    pub friction: bool,
    /// Pivot up to so many unknowns; beyond, and where pivoting fails, Gauss-Seidel sweeps are made.
    pub pivoting_up_to: usize,
    /// Most sweeps of Gauss-Seidel.
    pub iterations: usize,
    /// A problem is solved when its residual is at most this part of the fastest approach.
    pub tolerance: Real,
    /// Most rounds.
    pub rounds: u32,
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
    /// Which contacts took part with an impulse, by problem row.
    contact_rows: Vec<(u32, u32)>,
    hit: Vec<bool>,
    jumped: Vec<bool>,
    pivoting: PrincipalPivoting,
    sweeps: ProjectedGaussSeidel,
}

impl Default for Simultaneous {
    fn default() -> Self {
        Self {
            friction: true,
            pivoting_up_to: 200,
            iterations: 2000,
            tolerance: 1e-10,
            rounds: 20,
            scratch: Scratch::default(),
        }
    }
}

/// Slower approach than this is none (m/s).
const STILL: Real = 1e-9;

impl Simultaneous {
    /// Name, parameters and source.
    pub const DESCRIPTION: Implementation = Implementation {
        name: "simultaneous",
        summary: "all impacts of a group in one complementarity problem, Newton restitution as an inequality",
        source: "Baraff 1989 section 8, (27)-(29)",
        parameters: &[
            Parameter::switch("friction", true, "whether friction acts, as a box of mu times the normal impulse"),
            Parameter::integer(
                "pivoting_up_to",
                200,
                0,
                100_000,
                "unknowns up to which a direct method is used; beyond it, Gauss-Seidel",
            ),
            Parameter::integer("iterations", 2000, 1, 1_000_000_000, "most sweeps of Gauss-Seidel"),
            Parameter::real(
                "tolerance",
                1e-10,
                0.0,
                1.0,
                "residual that ends the sweeps, as a part of the fastest approach",
            ),
            Parameter::integer("rounds", 20, 1, 1_000_000, "most problems solved one after the other"),
        ],
    };

    /// From settings made for [`Self::DESCRIPTION`].
    pub fn from_settings(settings: &Settings) -> Self {
        Self {
            friction: settings.switch("friction"),
            pivoting_up_to: settings.integer("pivoting_up_to") as usize,
            iterations: settings.integer("iterations") as usize,
            tolerance: settings.real("tolerance"),
            rounds: settings.integer("rounds") as u32,
            scratch: Scratch::default(),
        }
    }
}

impl Scratch {
    fn clear_rows(&mut self) {
        self.operator.clear_rows();
        self.contact_rows.clear();
        for v in [&mut self.b, &mut self.lo, &mut self.hi, &mut self.mu, &mut self.x] {
            v.clear();
        }
        self.dependency.clear();
    }

    fn start(&mut self, problem: &GroupProblem) {
        self.operator.clear();
        for body in &problem.bodies {
            let (d, o) = (body.inverse_inertia.diagonal, body.inverse_inertia.off_diagonal);
            self.operator.push_body(body.inverse_mass, [d.x, d.y, d.z, o.z, o.y, o.x]);
        }
        self.before.clear();
        self.before.extend(problem.rows.iter().map(|r| rows::rate(r, &problem.bodies)));
        self.hit.clear();
        self.hit.resize(problem.contacts.len(), false);
        self.jumped.clear();
        self.jumped.resize(problem.bodies.len(), false);
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

    /// Sets up a round and returns the fastest approach in it (m/s), zero where there is none.
    fn assemble(&mut self, problem: &GroupProblem, friction: bool) -> Result<Real, LcpError> {
        self.clear_rows();
        let mut fastest: Real = 0.0;
        for (i, c) in problem.contacts.iter().enumerate() {
            let bodies = c.bodies.map(|b| &problem.bodies[b as usize]);
            let u = relative_velocity(bodies, c.position);
            let v = c.normal.dot(u);
            let arms = bodies.map(|b| c.position - b.pose.position);
            // a contact that separates is left out (D-06)
            if v > STILL || mobility(bodies, arms, c.normal) <= 0.0 {
                continue;
            }
            fastest = fastest.max(-v);
            let along = [0.0, Real::INFINITY];
            let row = self.push(c.bodies, direction(arms, c.normal), (1.0 + c.restitution) * v, along, None)?;
            self.contact_rows.push((i as u32, row));
            if friction && c.friction > 0.0 {
                let (t1, t2) = tangent_basis(c.normal);
                for t in [t1, t2] {
                    let any = [Real::NEG_INFINITY, Real::INFINITY];
                    self.push(c.bodies, direction(arms, t), t.dot(u), any, Some((row, c.friction)))?;
                }
            }
        }
        for (i, r) in problem.rows.iter().enumerate() {
            let rate = rows::rate(r, &problem.bodies);
            let (b, bounds) = match rows::part(&r.row) {
                Part::Equality => (rate - self.before[i], [Real::NEG_INFINITY, Real::INFINITY]),
                Part::Limit(sign) if sign * rate <= STILL => {
                    let bounds = if sign > 0.0 { [0.0, Real::INFINITY] } else { [Real::NEG_INFINITY, 0.0] };
                    fastest = fastest.max(-sign * rate);
                    ((1.0 + r.row.restitution) * rate, bounds)
                }
                _ => continue,
            };
            if rows::mobility(r, &problem.bodies) > 0.0 {
                self.push(r.bodies, r.row.jacobian, b, bounds, None)?;
            }
        }
        Ok(fastest)
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
    /// Solves the problem in the scratch; returns the iterations, and whether the answer is one.
    fn solve(&mut self, fastest: Real) -> Result<(u64, bool), LcpError> {
        let s = &mut self.scratch;
        let view = ProblemView {
            operator: OperatorRef::Factored(&s.operator),
            b: &s.b,
            lo: &s.lo,
            hi: &s.hi,
            dependency: &s.dependency,
            mu: &s.mu,
        };
        let enough = self.tolerance * fastest;
        let mut iterations = 0;
        if s.b.len() <= self.pivoting_up_to {
            s.pivoting.iterations = 100;
            let report = s.pivoting.solve(&view, &mut s.x)?;
            iterations = report.iterations as u64;
            if report.status == LcpStatus::Converged {
                return Ok((iterations, true));
            }
        }
        s.sweeps.iterations = self.iterations;
        s.sweeps.tolerance = enough;
        s.sweeps.measure = Measure::EveryIteration;
        let report = s.sweeps.solve(&view, &mut s.x)?;
        Ok((iterations + report.iterations as u64, report.residual.is_some_and(|r| r <= enough)))
    }

    /// Applies the impulses in the scratch.
    fn apply(&mut self, problem: &mut GroupProblem) {
        let s = &mut self.scratch;
        for (row, &x) in s.operator.factored_rows().iter().zip(&s.x) {
            if x == 0.0 {
                continue;
            }
            for (b, w) in row.bodies.iter().zip(&row.weighted) {
                if let Some(body) = problem.bodies.get_mut(*b as usize) {
                    body.solved.linear += Vec3::new(w[0], w[1], w[2]) * x;
                    body.solved.angular += Vec3::new(w[3], w[4], w[5]) * x;
                    s.jumped[*b as usize] = true;
                }
            }
        }
        for &(contact, row) in &s.contact_rows {
            s.hit[contact as usize] |= s.x[row as usize] > 0.0;
        }
    }
}

impl CollisionSolver for Simultaneous {
    fn name(&self) -> &'static str {
        Self::DESCRIPTION.name
    }

    fn resolve(&mut self, problem: &mut GroupProblem) -> ResolveReport {
        let mut report = ResolveReport::default();
        self.scratch.start(problem);
        for round in 0..=self.rounds {
            // a group whose bodies are all listed cannot make a row fail; if one does, nothing is resolved
            let fastest = self.scratch.assemble(problem, self.friction).unwrap_or(Real::INFINITY);
            if fastest <= STILL {
                break;
            }
            report.truncated = round == self.rounds || !fastest.is_finite();
            if report.truncated {
                break;
            }
            let Ok((iterations, solved)) = self.solve(fastest) else {
                report.truncated = true;
                break;
            };
            report.iterations += iterations;
            self.apply(problem);
            // a second attempt at a problem that was not solved would begin where this one ended
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
