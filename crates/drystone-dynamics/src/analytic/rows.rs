use crate::assemble::push_joint_row;
use crate::contact_rows::{ContactFriction, STILL};
use crate::limit_bounce;
use crate::rows::Row;
use crate::{ConstraintRows, FrictionModel, RowParameters, Stabilization};
use drystone_core::{GroupProblem, Level, Step, settings};
use drystone_lcp::{
    DenseOperator, LcpReport, LcpSolver, LcpStatus, NO_DEPENDENCY, OperatorRef, ProblemView, ProjectedGaussSeidel,
};
use drystone_math::{Real, Twist, Vec3};

/// Cost of an entry of the matrix in multiplications.
const ENTRY: Real = 12.0;

settings! {
    /// Contact law of an analytic method.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct AnalyticParameters {
        /// whether friction acts
        friction: bool = switch(true),
        /// contacts that separate more slowly than this count as resting (m/s)
        resting_speed: Real = real(1e-3, 0.0, 1e3),
        /// try the last step's partition before the complementarity solver
        partition: bool = switch(true),
    }
}

/// Which contacts slip, with friction opposing their slip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Slipping {
    /// Those that friction cannot stop within the step.
    Fast,
    /// All that move.
    All,
    /// None: the problem of velocities at the end of the step, which has a solution even if that of accelerations has none.
    None,
}

/// Rule that determines a row's multiplier.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Role {
    /// It is an unknown.
    Unknown,
    /// It is `factor` times that of another row: friction that opposes a slip. A factor of zero means that there is none.
    Tied { to: u32, factor: Real },
}

/// The problem of a group at an instant, in impulses over the step: `w = J (h a)` for accelerations, `w = J u+` for an impact.
///
/// If a contact slips, its friction is known except for the size of the normal force, and becomes part of that force's column: the problem is then unsymmetric. Otherwise
/// two rows hold it within bounds given by the normal force (Baraff 1994). Slip that friction can stop within the step has to be zero at its end.
#[derive(Debug, Default)]
pub(crate) struct AnalyticRows {
    /// All rows, in the order of [`crate::assemble`]: joints, then each contact's normal and tangents.
    pub(crate) rows: ConstraintRows,
    /// Parameters of the joint rows; stored because the defaults are read from settings.
    joints: JointParameters,
    roles: Vec<Role>,
    /// The rows that are unknowns.
    unknowns: Vec<u32>,
    /// For each row its place among the unknowns.
    places: Vec<u32>,
    /// The problem in the unknowns alone.
    condensed: Condensed,
    /// Its start value, then its solution.
    pub(crate) x: Vec<Real>,
    /// True if any slip is opposed.
    pub(crate) slips: bool,
    changes: Vec<Real>,
}

/// A dense problem in reused columns.
#[derive(Debug)]
struct Condensed {
    /// The matrix of all rows.
    full: DenseOperator,
    a: DenseOperator,
    b: Vec<Real>,
    lo: Vec<Real>,
    hi: Vec<Real>,
    dependency: Vec<u32>,
    mu: Vec<Real>,
}

impl Default for Condensed {
    fn default() -> Self {
        let [b, lo, hi, mu] = Default::default();
        let (full, a) = Default::default();
        Self { full, a, b, lo, hi, dependency: Vec::new(), mu }
    }
}

/// Slip has to end within the step if it is at most this many times what friction takes in a step from a body under its own weight.
const STOPS: Real = 2.0;

/// Parameters of joints as at the velocity level, but without feedback of errors.
#[derive(Debug)]
struct JointParameters(RowParameters);

impl Default for JointParameters {
    fn default() -> Self {
        Self(RowParameters {
            stabilization: Stabilization::None,
            orthogonal_joints: false,
            warm_start: true,
            ..RowParameters::default()
        })
    }
}

impl AnalyticRows {
    /// Makes the rows of a step, without the matrix of their unknowns ([`Self::condense`]).
    pub(crate) fn assemble(
        &mut self,
        problem: &GroupProblem,
        parameters: AnalyticParameters,
        step: Step,
        slipping: Slipping,
    ) {
        self.rows.restart(&problem.bodies);
        self.roles.clear();
        self.slips = false;
        for row in &problem.rows {
            let (mut row, role) = match limit_bounce::at_instant(problem, row, parameters.resting_speed, step) {
                Some(row) => (row, Role::Unknown),
                None => (*row, Role::Tied { to: 0, factor: 0.0 }),
            };
            if step.level == Level::Acceleration {
                // forces at an instant bear the whole bend of the constraint, as those of contacts do; impulses followed by a drift at the final velocities bear half of it
                row.row.target -= step.h * core::mem::take(&mut row.row.curvature);
            }
            push_joint_row(problem, &row, &self.joints.0, [step.h, step.horizon], &mut self.rows);
            if role != Role::Unknown
                && let (Some(lo), Some(hi)) = (self.rows.lo.last_mut(), self.rows.hi.last_mut())
            {
                (*lo, *hi) = (0.0, 0.0);
            }
            self.roles.push(role);
        }
        if step.level == Level::Impact {
            self.push_impacts(problem, parameters);
        } else {
            for k in 0..problem.contacts.len() {
                self.push_contact(problem, k, parameters, step.h, slipping);
            }
        }
        self.list_unknowns();
    }

    /// The problem in the unknowns alone, its matrix, and its start value or solution.
    pub(crate) fn split(&mut self) -> (ProblemView<'_>, &DenseOperator, &mut Vec<Real>) {
        let Condensed { a, b, lo, hi, dependency, mu, .. } = &self.condensed;
        let view = ProblemView { operator: OperatorRef::Dense(a), b, lo, hi, dependency, mu, partner: &[] };
        (view, a, &mut self.x)
    }

    /// Sweeps over all rows as they are, into the solution: for more rows than their matrix can be afforded for.
    pub(crate) fn sweep(&mut self, solver: &mut ProjectedGaussSeidel) -> LcpReport {
        let Self { rows, unknowns, x, .. } = self;
        let (view, found) = rows.split();
        found.fill(0.0);
        let none = LcpReport { status: LcpStatus::Failed, iterations: 0, residual: None, change: 0.0 };
        let report = solver.solve(&view, found).unwrap_or(none);
        x.clear();
        x.extend(unknowns.iter().map(|&i| found[i as usize]));
        report
    }

    /// The largest right-hand side.
    pub(super) fn size(&self) -> Real {
        self.rows.b.iter().fold(0.0_f64, |m, b| m.max(b.abs()))
    }

    /// Cost of the matrix in multiplications.
    pub(super) fn matrix_cost(&self) -> Real {
        ENTRY * (self.roles.len() as Real).powi(2)
    }

    /// Returns true if there are no unknowns.
    pub(crate) fn is_empty(&self) -> bool {
        self.unknowns.is_empty()
    }

    fn push(&mut self, row: Row, b: Real, bounds: (Real, Real), x: Real, role: Role) -> u32 {
        self.roles.push(role);
        self.rows.push(row, b, bounds.0, bounds.1, x)
    }

    /// The rows of a contact at the level of accelerations.
    fn push_contact(
        &mut self,
        problem: &GroupProblem,
        k: usize,
        parameters: AnalyticParameters,
        h: Real,
        slipping: Slipping,
    ) {
        let c = &problem.contacts[k];
        let bend = problem.contact_curvature.get(k).copied().unwrap_or(Vec3::ZERO);
        let velocities = c.bodies.map(|i| problem.bodies[i as usize].velocity);
        let external = c.bodies.map(|i| problem.bodies[i as usize].external);
        let normal = Row::contact(problem, k, c.normal, 0.0);
        let (parting, turn) = (normal.rate(velocities), c.normal.dot(bend));
        // the error of a step's stages while the normal turns is no parting
        let parts = parting > parameters.resting_speed + 0.5 * h * turn.abs();
        let gone = Role::Tied { to: 0, factor: 0.0 };
        let b = if slipping == Slipping::None { parting.min(0.0) } else { 0.0 } + normal.rate(external) + h * turn;
        let role = if parts { gone } else { Role::Unknown };
        let most = if parts { 0.0 } else { Real::INFINITY };
        let n = self.push(normal, b, (0.0, most), c.impulse.normal.max(0.0), role);

        let mut friction = ContactFriction::along_slip(problem, c);
        let slip = slip_of(problem, k, velocities);
        let speed = slip.length();
        let stops = STOPS * c.friction * problem.gravity * h;
        let slides = match slipping {
            Slipping::Fast => speed > stops && speed > 0.0,
            Slipping::All => speed > STILL,
            Slipping::None => false,
        };
        if slides {
            let along = slip / speed;
            friction.tangents = [along, c.normal.cross(along)];
        }
        let model = if parameters.friction { FrictionModel::ScaledBox } else { FrictionModel::None };
        let own = friction.rows(model, n);
        self.rows.contacts.push(own);
        if !own.has_tangents {
            return;
        }
        self.slips |= slides && !parts;
        let start = friction.within(model, c.impulse);
        for (i, tangent) in friction.tangents.into_iter().enumerate() {
            let row = Row::contact(problem, k, tangent, 0.0);
            if parts || slides {
                let factor = if i == 0 && !parts { -c.friction } else { 0.0 };
                self.push(row, 0.0, (0.0, 0.0), 0.0, Role::Tied { to: n, factor });
            } else {
                // the stages of a step keep to accelerations: slip that they leave goes with the next impact
                let stopped = if speed > parameters.resting_speed { row.rate(velocities) } else { 0.0 };
                let b = stopped + row.rate(external) + h * tangent.dot(bend);
                self.roles.push(Role::Unknown);
                self.rows.push_dependent(row, b, (0.0, 0.0), n, friction.mu[i], start[i]);
            }
        }
    }

    /// The rows of all contacts in an impact. If nothing collides, resting contacts are brought exactly to rest, from either side.
    fn push_impacts(&mut self, problem: &GroupProblem, parameters: AnalyticParameters) {
        let approach = |k: usize| {
            let c = &problem.contacts[k];
            let velocities = c.bodies.map(|i| problem.bodies[i as usize].velocity);
            Row::contact(problem, k, c.normal, 0.0).rate(velocities)
        };
        let collides = (0..problem.contacts.len()).any(|k| approach(k) < -parameters.resting_speed);
        let gone = Role::Tied { to: 0, factor: 0.0 };
        for k in 0..problem.contacts.len() {
            let c = &problem.contacts[k];
            let velocities = c.bodies.map(|i| problem.bodies[i as usize].velocity);
            let normal = Row::contact(problem, k, c.normal, 0.0);
            let rate = normal.rate(velocities);
            let rests = !collides && rate.abs() <= parameters.resting_speed && c.impulse.normal > 0.0;
            let least = if rests { Real::NEG_INFINITY } else { 0.0 };
            let role = if collides || rate <= parameters.resting_speed { Role::Unknown } else { gone };
            let most = if role == gone { 0.0 } else { Real::INFINITY };
            let n = self.push(normal, rate, (least.min(most), most), 0.0, role);
            let friction = ContactFriction::along_slip(problem, c);
            let rubs = parameters.friction && (collides || rests);
            let own = friction.rows(if rubs { FrictionModel::ScaledBox } else { FrictionModel::None }, n);
            self.rows.contacts.push(own);
            if !own.has_tangents {
                continue;
            }
            let last = c.impulse.along(friction.tangents);
            for (i, tangent) in friction.tangents.into_iter().enumerate() {
                let row = Row::contact(problem, k, tangent, 0.0);
                let rate = row.rate(velocities);
                if collides {
                    self.roles.push(Role::Unknown);
                    self.rows.push_dependent(row, rate, (0.0, 0.0), n, friction.mu[i], 0.0);
                } else {
                    // what friction had to spare in the last step
                    let most = friction.mu[i] * c.impulse.normal;
                    let bounds = ((-most - last[i]).min(0.0), (most - last[i]).max(0.0));
                    self.push(row, rate, bounds, 0.0, Role::Unknown);
                }
            }
        }
    }

    /// Which rows are unknowns, and what they start from.
    fn list_unknowns(&mut self) {
        let Self { rows, roles, unknowns, places, x, .. } = self;
        unknowns.clear();
        places.clear();
        for (i, role) in roles.iter().enumerate() {
            places.push(if *role == Role::Unknown { unknowns.len() as u32 } else { NO_DEPENDENCY });
            if *role == Role::Unknown {
                unknowns.push(i as u32);
            }
        }
        x.clear();
        x.extend(unknowns.iter().map(|&i| rows.x[i as usize]));
    }

    /// Reduces the problem to the unknowns: columns of tied rows are added to those of the rows that they are tied to, then left out together with the tied rows.
    pub(crate) fn condense(&mut self) {
        let Self { rows, roles, unknowns, places, condensed, .. } = self;
        let Condensed { full, a, b, lo, hi, dependency, mu } = condensed;
        OperatorRef::Factored(&rows.operator).write_dense(full);
        a.reset(unknowns.len());
        for (i, &row) in unknowns.iter().enumerate() {
            let from = full.row(row as usize);
            for (j, &column) in unknowns.iter().enumerate() {
                a.set(i, j, from[column as usize]);
            }
            for (t, role) in roles.iter().enumerate() {
                if let Role::Tied { to, factor } = *role
                    && factor != 0.0
                {
                    let j = places[to as usize] as usize;
                    a.set(i, j, a.get(i, j) + factor * from[t]);
                }
            }
        }
        let pick = |into: &mut Vec<Real>, from: &[Real]| {
            into.clear();
            into.extend(unknowns.iter().map(|&i| from[i as usize]));
        };
        pick(b, &rows.b);
        pick(lo, &rows.lo);
        pick(hi, &rows.hi);
        pick(mu, &rows.mu);
        dependency.clear();
        dependency.extend(unknowns.iter().map(|&i| match rows.dependency[i as usize] {
            NO_DEPENDENCY => NO_DEPENDENCY,
            j => places[j as usize],
        }));
    }

    /// Hands the solution back to the rows, and returns the velocity change of each body.
    pub(crate) fn expand(&mut self) -> impl Iterator<Item = Twist> + '_ {
        let Self { rows, roles, unknowns, x, changes, .. } = self;
        for (&i, x) in unknowns.iter().zip(x.iter()) {
            rows.x[i as usize] = *x;
        }
        for (i, role) in roles.iter().enumerate() {
            if let Role::Tied { to, factor } = *role {
                rows.x[i] = if factor == 0.0 { 0.0 } else { factor * rows.x[to as usize] };
            }
        }
        changes.clear();
        changes.resize(6 * rows.operator.bodies(), 0.0);
        OperatorRef::Factored(&rows.operator).start(&rows.x, changes);
        changes.as_chunks::<6>().0.iter().map(crate::row_solver::twist)
    }
}

/// Velocity of B against A along the surfaces of a contact.
fn slip_of(problem: &GroupProblem, k: usize, velocities: [Twist; 2]) -> Vec3 {
    let c = &problem.contacts[k];
    let [a, b] = [0, 1].map(|s| velocities[s].at(c.position - problem.bodies[c.bodies[s] as usize].pose.position));
    (b - a) - c.normal * c.normal.dot(b - a)
}
