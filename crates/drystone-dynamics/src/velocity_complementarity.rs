use crate::bounce::Bounce;
use crate::chord_limit::{ChordWork, largest_turn, slack};
use crate::cone_sweep::ConeSweep;
use crate::contact_rows::ContactFriction;
use crate::fused::FusedSweep;
use crate::pyramid::directions;
use crate::support_change::SupportChange;
use crate::{
    ConstraintRows, FrictionModel, VelocityParameters, assemble, assemble_correction, assemble_pyramid,
    needs_correction, stiffen,
};
use drystone_core::{ConstraintSolver, ContactImpulse, GroupBody, GroupProblem, LcpSummary, SolveReport};
use drystone_lcp::{
    ConeProblem, ConeSolver, DiscPasses, LcpOperator, LcpReport, LcpSolver, LcpStatus, Lemke, Measure, NO_DEPENDENCY,
    Operator, ProjectedGaussSeidel, cone_solver_by_name,
};
use drystone_math::{Real, SymmetricMat3, Twist, Vec3};

/// Sweeps of the Gauss-Seidel method that stands in where the chosen solver finds no usable impulses.
const FALLBACK_SWEEPS: usize = 200;

/// A correction that moves bodies this many times further than its rows would one by one goes astray: rows that nearly contradict each other ask for it.
const STRAY: Real = 100.0;
/// What is then added to the rows' diagonal entries, relative to them: the step of Levenberg and Marquardt.
const STRAY_DAMPING: Real = 1e-2;

/// How many times worse than no impulses at all an answer may be before it is thrown away.
const HOPELESS: Real = 10.0;

/// The residual above which a direct solver that did not end is not done, as a fraction of the hopeless one.
const UNFINISHED: Real = 1e-7;

/// The velocity-based complementarity formulation (thesis 4.3 … 4.6, 6.4), over any complementarity solver.
///
/// Where the solver fails (a ray, a breakdown, not finite, or a residual far above that of no impulses at all), projected
/// Gauss-Seidel takes over from zero, and from the best answer so far where a direct solver ran out of steps or work: a group never goes
/// without contact forces, and a step has bounded work. The report counts it.
#[derive(Debug)]
pub struct VelocityComplementarity {
    parameters: VelocityParameters,
    solver: Box<dyn LcpSolver>,
    fallback: ProjectedGaussSeidel,
    corrector: ProjectedGaussSeidel,
    rows: ConstraintRows,
    /// Where the solver is plain Gauss-Seidel: how many sweeps, and whether the residual is measured.
    plain_sweeps: Option<(usize, bool)>,
    fused: FusedSweep,
    discs: DiscPasses,
    /// Inertia and external velocity change of the bodies, while joints are stiffened.
    unstiffened: Vec<(SymmetricMat3, Twist)>,
    bounce: Bounce,
    support: SupportChange,
    /// What the chords of the last solve's rows did; none where it had no rows.
    chord_work: Option<ChordWork>,
    cone: ConeSweep,
    cone_solver: Option<Box<dyn ConeSolver>>,
    /// `W J^T x` of solvers that keep none, six numbers a body.
    changes: Vec<Real>,
}

impl VelocityComplementarity {
    /// From its parameters and the solver of its problems.
    pub fn new(parameters: VelocityParameters, solver: Box<dyn LcpSolver>) -> Self {
        let sweeps = |iterations, measure| ProjectedGaussSeidel { iterations, measure, ..Default::default() };
        Self {
            fallback: sweeps(FALLBACK_SWEEPS, Measure::AtEnd),
            corrector: sweeps(parameters.correction_iterations, Measure::Never),
            cone_solver: named_cone_solver(&parameters),
            parameters,
            solver,
            rows: ConstraintRows::default(),
            plain_sweeps: None,
            fused: FusedSweep::default(),
            discs: DiscPasses::default(),
            unstiffened: Vec::new(),
            bounce: Bounce::default(),
            support: SupportChange::default(),
            chord_work: None,
            cone: ConeSweep::default(),
            changes: Vec::new(),
        }
    }

    /// Says that the solver is plain projected Gauss-Seidel with this many sweeps: groups of contacts alone are then
    /// solved contact by contact without forming rows, to the same iterates up to rounding.
    #[must_use]
    pub fn with_plain_sweeps(mut self, iterations: usize, measure: bool) -> Self {
        self.plain_sweeps = Some((iterations, measure));
        self
    }

    /// Its parameters.
    pub fn parameters(&self) -> &VelocityParameters {
        &self.parameters
    }

    /// A fork of its solver.
    pub(crate) fn solver_fork(&self) -> Box<dyn LcpSolver> {
        self.solver.fork()
    }

    /// The rows of the last solve or correction: what `run --lcp-dump` writes.
    pub fn rows(&self) -> &ConstraintRows {
        &self.rows
    }

    /// Runs a solver on `self.rows`, and the fallback where it gives nothing usable. Returns the report, and whether
    /// the fallback's accumulator holds the answer.
    fn solve_rows(&mut self, correction: bool) -> (SolveReport, bool) {
        let Self { rows, solver, fallback, corrector, parameters, discs, .. } = self;
        let variables = rows.len() as u64;
        let use_corrector = correction && !parameters.correction_by_lcp;
        let chosen: &mut dyn LcpSolver = if use_corrector { corrector } else { solver.as_mut() };
        let (view, x) = rows.split();
        let outcome = discs.solve(chosen, &view, x);
        // far worse than no impulses at all, whose residual is at most the largest b; a few sweeps may well be above it
        let hopeless = HOPELESS * view.b.iter().fold(0.0_f64, |m, b| m.max(b.abs()));
        let usable = outcome.as_ref().is_ok_and(|r| {
            !matches!(r.status, LcpStatus::Failed | LcpStatus::Ray)
                && x.iter().all(|v| v.is_finite())
                && r.residual.is_none_or(|r| r <= hopeless)
        });
        // a direct solver that ran out of steps or work hands over what it has
        let late = chosen.is_direct()
            && outcome.as_ref().is_ok_and(|r| {
                r.status == LcpStatus::IterationLimit && r.residual.is_some_and(|r| r > UNFINISHED * hopeless)
            });
        if usable && !late {
            // an accumulator of the wrong length: the solver works on a copy of A and has none
            let outcome = outcome.unwrap_or(EMPTY_REPORT);
            return (summary(&outcome, variables, 0), false);
        }
        if !usable {
            x.fill(0.0);
        }
        let outcome = fallback.solve(&view, x).unwrap_or(EMPTY_REPORT);
        (summary(&outcome, variables, 1), true)
    }

    /// The velocity change `W J^T x` at the answer, one twist a body.
    fn with_changes(&mut self, by_fallback: bool, correction: bool, mut apply: impl FnMut(usize, Twist)) {
        let bodies = self.rows.operator.bodies();
        let use_corrector = correction && !self.parameters.correction_by_lcp;
        let solver: &dyn LcpSolver = match (by_fallback, use_corrector) {
            (true, _) => &self.fallback,
            (false, true) => &self.corrector,
            (false, false) => self.solver.as_ref(),
        };
        let own = solver.accumulator();
        // after passes it is that of the last one, which need not be the best
        let passes = !solver.takes_discs() && self.rows.has_discs();
        if own.len() == 6 * bodies && !passes {
            for (i, c) in own.as_chunks::<6>().0.iter().enumerate() {
                apply(i, twist(c));
            }
        } else {
            self.changes.clear();
            self.changes.resize(6 * bodies, 0.0);
            self.rows.operator.start(&self.rows.x, &mut self.changes);
            for (i, c) in self.changes.as_chunks::<6>().0.iter().enumerate() {
                apply(i, twist(c));
            }
        }
    }

    /// Hands the multipliers of `self.rows` back to the rows and contacts they belong to.
    fn scatter_impulses(&mut self, problem: &mut GroupProblem) {
        self.rows.basis.leave(&mut self.rows.x);
        for (r, &x) in problem.rows.iter_mut().zip(&self.rows.x) {
            r.impulse = x;
        }
        let GroupProblem { contacts, surfaces, .. } = problem;
        for (rows, c) in self.rows.contacts.iter().zip(contacts) {
            rows.write(&self.rows.x, c, surfaces);
        }
    }

    /// Coulomb's cone in a group of contacts alone, by sweeps of its own.
    fn solve_cones(&mut self, problem: &mut GroupProblem, h: Real, horizon: Real) -> SolveReport {
        let Self { rows, parameters, cone, .. } = self;
        assemble(problem, parameters, h, horizon, rows);
        if rows.is_empty() {
            return SolveReport::default();
        }
        let (most, tolerance) = (parameters.cone_iterations, parameters.cone_tolerance);
        let named = self.cone_solver.as_mut().filter(|_| problem.surfaces.is_empty());
        let outcome = named.map(|solver| solve_named_cones(solver.as_mut(), problem, rows));
        let failed = outcome == Some(None);
        let solved = outcome.flatten();
        // after a solver of that name no sweep is made: only its residual and its effect on the bodies are found
        let (sweeps, residual) = cone.solve(rows, if solved.is_some() { 0 } else { most }, tolerance);
        for (body, c) in problem.bodies.iter_mut().zip(cone.accumulator().as_chunks::<6>().0) {
            body.solved = body.velocity + body.external + twist(c);
        }
        let iterations = solved.unwrap_or(0) + sweeps;
        let report = LcpReport { status: LcpStatus::Converged, iterations, residual: Some(residual), change: 0.0 };
        let report = summary(&report, self.rows.len() as u64, u64::from(failed));
        self.chord_work = Some(ChordWork::of(&self.rows, &mut self.changes));
        self.scatter_impulses(problem);
        report
    }

    /// The friction pyramid; `None` where neither the chosen solver nor Lemke's method solves it.
    fn solve_pyramid(&mut self, problem: &mut GroupProblem, h: Real, horizon: Real) -> Option<SolveReport> {
        let p = assemble_pyramid(problem, &self.parameters, h, horizon);
        let mut x = vec![0.0; p.problem.b.len()];
        let scale = p.problem.b.iter().fold(1.0_f64, |m, b| m.max(b.abs()));
        let good = |r: &LcpReport| r.residual.is_some_and(|r| r <= 1e-8 * scale);
        let mut outcome = self.solver.solve(&p.problem.view(), &mut x).ok().filter(good);
        if outcome.is_none() {
            x.fill(0.0);
            outcome = Lemke::default().solve(&p.problem.view(), &mut x).ok().filter(good);
        }
        let outcome = outcome?;

        // physical impulses and the velocities they make
        let mut physical: Vec<Real> = p.places.iter().map(|&i| x[i]).collect();
        let mut acc = vec![0.0; 6 * problem.bodies.len()];
        p.rows.operator.start(&physical, &mut acc);
        for (body, c) in problem.bodies.iter_mut().zip(acc.as_chunks::<6>().0) {
            body.solved = body.velocity + body.external + twist(c);
        }
        p.rows.basis.leave(&mut physical);
        for (r, &x) in problem.rows.iter_mut().zip(&physical) {
            r.impulse = x;
        }
        for (c, x) in problem.contacts.iter_mut().zip(physical[p.joint_rows..].chunks_exact(p.facets + 1)) {
            let (rays, _) = directions(&ContactFriction::of_parts(c, &problem.surfaces), p.facets);
            let friction: Vec3 = rays.zip(&x[1..]).map(|(d, &beta)| d * beta).sum();
            c.impulse = ContactImpulse { normal: x[0], friction };
        }
        Some(summary(&outcome, p.problem.b.len() as u64, 0))
    }

    fn solve_velocities(&mut self, problem: &mut GroupProblem, h: Real, horizon: Real) -> SolveReport {
        // a pyramid has no torques
        let turning = problem.surfaces.iter().any(|s| s.rolling > 0.0 || s.spinning > 0.0);
        let pyramid = self.parameters.friction == FrictionModel::Pyramid;
        let cones = self.parameters.friction == FrictionModel::Cone || (pyramid && turning);
        if cones && problem.rows.is_empty() {
            return self.solve_cones(problem, h, horizon);
        }
        if pyramid && !turning {
            if let Some(report) = self.solve_pyramid(problem, h, horizon) {
                return report;
            }
            // the pyramid found no answer: the box of the same width is always solvable
            let boxed = VelocityParameters { friction: FrictionModel::ScaledBox, ..self.parameters.clone() };
            let pyramid = core::mem::replace(&mut self.parameters, boxed);
            let mut report = self.solve_velocities(problem, h, horizon);
            self.parameters = pyramid;
            report.fallbacks += 1;
            return report;
        }
        if let Some((iterations, measure)) = self.plain_sweeps
            && FusedSweep::takes(problem, self.parameters.friction)
        {
            if problem.contacts.is_empty() {
                return SolveReport::default();
            }
            self.fused.load_velocities(problem, &self.parameters, h, horizon);
            self.fused.sweep(iterations);
            self.fused.unload_velocities(problem);
            return self.fused.report(iterations, measure);
        }
        assemble(problem, &self.parameters, h, horizon, &mut self.rows);
        if self.rows.is_empty() {
            return SolveReport::default();
        }
        if self.parameters.warm_start && h > 0.0 && !problem.rows.is_empty() {
            self.rows.calm_start(&mut self.changes);
        }
        let (report, by_fallback) = self.solve_rows(false);
        self.with_changes(by_fallback, false, |i, change| {
            let body = &mut problem.bodies[i];
            body.solved = body.velocity + body.external + change;
        });
        self.chord_work = Some(ChordWork::of(&self.rows, &mut self.changes));
        self.scatter_impulses(problem);
        report
    }

    /// The velocity problem, once; twice where joints are stiffened.
    fn solve_once(&mut self, problem: &mut GroupProblem, h: Real, horizon: Real) -> SolveReport {
        let (factor, damping) = (self.parameters.geometric_stiffness, self.parameters.geometric_damping);
        let mut report = self.solve_passively(problem, h, horizon);
        if factor == 0.0 || h == 0.0 || problem.rows.is_empty() {
            return report;
        }
        // forces may have changed at once: the stiffness is that of the multipliers of a first solve
        self.unstiffened.clear();
        self.unstiffened.extend(problem.bodies.iter().map(|b| (b.inverse_inertia, b.external)));
        let [before, free, plain] = [
            kinetic_energy(problem, |b| b.velocity),
            kinetic_energy(problem, |b| b.velocity + b.external),
            kinetic_energy(problem, |b| b.solved),
        ];
        if stiffen(problem, factor, damping, h) {
            report.merge(&self.solve_passively(problem, h, horizon));
            for (body, &(inverse_inertia, external)) in problem.bodies.iter_mut().zip(&self.unstiffened) {
                (body.inverse_inertia, body.external) = (inverse_inertia, external);
            }
            // inertia that comes and goes with the forces can give energy: then the plain solution stands
            if kinetic_energy(problem, |b| b.solved) > before.max(free).max(plain) {
                report.merge(&self.solve_passively(problem, h, horizon));
            }
        }
        report
    }

    /// Solves with as much of the rows' chords as gives no energy: all of them where the step resolves how joints turn.
    fn solve_passively(&mut self, problem: &mut GroupProblem, h: Real, horizon: Real) -> SolveReport {
        let mut report = self.solve_share(problem, 1.0, h, horizon);
        let Some(whole) = self.giving(problem, h) else { return report };
        report.merge(&self.solve_share(problem, 0.0, h, horizon));
        let share = self.chord_work.map_or(0.0, |plain| whole.balanced_share(plain.taken));
        if share > 0.0 {
            report.merge(&self.solve_share(problem, share, h, horizon));
            if self.giving(problem, h).is_some() {
                report.merge(&self.solve_share(problem, 0.0, h, horizon));
            }
        }
        report
    }

    fn solve_share(&mut self, problem: &mut GroupProblem, share: Real, h: Real, horizon: Real) -> SolveReport {
        self.rows.given_up = 1.0 - share;
        self.chord_work = None;
        self.solve_velocities(problem, h, horizon)
    }

    /// The work of the last solve's chords where they gave more than they may.
    fn giving(&self, problem: &GroupProblem, h: Real) -> Option<ChordWork> {
        let slack = slack(largest_turn(problem, h));
        self.chord_work.filter(|w| !problem.rows.is_empty() && w.gives(slack))
    }
}

/// The cone solver that the parameters name; none for the sweeps.
fn named_cone_solver(parameters: &VelocityParameters) -> Option<Box<dyn ConeSolver>> {
    let mut solver = cone_solver_by_name(&parameters.cone_solver).ok()?;
    solver.set("iterations", parameters.cone_iterations as f64).ok()?;
    solver.set("tolerance", parameters.cone_tolerance).ok()?;
    Some(solver)
}

const EMPTY_REPORT: LcpReport = LcpReport { status: LcpStatus::Failed, iterations: 0, residual: None, change: 0.0 };

/// Solves contacts by a cone solver of `drystone-lcp`: its iterations, or `None` and zeros where it gives nothing usable.
fn solve_named_cones(solver: &mut dyn ConeSolver, problem: &GroupProblem, rows: &mut ConstraintRows) -> Option<usize> {
    let cones = ConeProblem {
        operator: Operator::Factored(core::mem::take(&mut rows.operator)),
        q: core::mem::take(&mut rows.b),
        mu: problem.contacts.iter().map(|c| c.friction).collect(),
        dimension: 3,
    };
    let outcome = solver.solve(&cones, &mut rows.x);
    rows.b = cones.q;
    if let Operator::Factored(operator) = cones.operator {
        rows.operator = operator;
    }
    let usable = outcome.ok().filter(|r| r.status != LcpStatus::Failed && rows.x.iter().all(|x| x.is_finite()));
    if usable.is_none() {
        rows.x.fill(0.0);
    }
    usable.map(|r| r.iterations)
}

/// The kinetic energy (J) of a group at the velocities that are told.
fn kinetic_energy(problem: &GroupProblem, velocity: impl Fn(&GroupBody) -> Twist) -> Real {
    let of = |b: &GroupBody| {
        let u = velocity(b);
        let linear = if b.inverse_mass > 0.0 { u.linear.length_squared() / b.inverse_mass } else { 0.0 };
        linear + b.inverse_inertia.inverse().map_or(0.0, |inertia| inertia.quadratic(u.angular))
    };
    0.5 * problem.bodies.iter().map(of).sum::<Real>()
}

fn twist(c: &[Real; 6]) -> Twist {
    Twist::new(Vec3::new(c[0], c[1], c[2]), Vec3::new(c[3], c[4], c[5]))
}

fn summary(r: &LcpReport, variables: u64, fallbacks: u64) -> SolveReport {
    SolveReport {
        lcp: LcpSummary {
            solves: 1,
            iterations: r.iterations as u64,
            residual_sum: r.residual.unwrap_or(0.0),
            residuals: u64::from(r.residual.is_some()),
            residual_max: r.residual.unwrap_or(0.0),
            variables_max: variables,
        },
        fallbacks,
    }
}

impl ConstraintSolver for VelocityComplementarity {
    fn name(&self) -> &'static str {
        crate::parameters::DESCRIPTION.name
    }

    fn solve(&mut self, problem: &mut GroupProblem, h: Real, horizon: Real) -> SolveReport {
        let (mut bounce, mut support) = (core::mem::take(&mut self.bounce), core::mem::take(&mut self.support));
        bounce.find(problem, &self.parameters, h, horizon);
        support.find(problem, &self.parameters, h, horizon);
        let mut report = SolveReport::default();
        if !support.is_empty() {
            support.hold_off(problem);
            report.merge(&self.solve_once(problem, h, horizon));
            support.let_come(problem);
        }
        report.merge(&self.solve_once(problem, h, horizon));
        if !bounce.is_empty() {
            if bounce.may_gain(problem, &self.parameters) {
                bounce.put_aside(problem);
                report.merge(&self.solve_once(problem, h, horizon));
                bounce.give_back(problem);
            }
            bounce.turn(problem, horizon);
        }
        if !support.is_empty() {
            support.settle(problem);
        }
        (self.bounce, self.support) = (bounce, support);
        report
    }

    fn correct(&mut self, problem: &mut GroupProblem) -> SolveReport {
        if self.parameters.correction_iterations == 0 && !self.parameters.correction_by_lcp {
            return SolveReport::default();
        }
        if !needs_correction(problem, &self.parameters) {
            return SolveReport::default();
        }
        if !self.parameters.correction_by_lcp && FusedSweep::takes(problem, FrictionModel::None) {
            self.fused.load_displacements(problem);
            self.fused.sweep(self.parameters.correction_iterations);
            self.fused.unload_displacements(problem);
            return self.fused.report(self.parameters.correction_iterations, false);
        }
        assemble_correction(problem, &self.parameters, 0.0, &mut self.rows);
        debug_assert!(self.rows.dependency.iter().all(|&d| d == NO_DEPENDENCY));
        let (mut report, mut by_fallback) = self.solve_rows(true);
        if self.rows.displacement_ratio(&mut self.changes) > STRAY {
            assemble_correction(problem, &self.parameters, STRAY_DAMPING, &mut self.rows);
            let (damped, by) = self.solve_rows(true);
            report.merge(&damped);
            by_fallback = by;
        }
        self.with_changes(by_fallback, true, |i, change| problem.bodies[i].shift = change);
        report
    }

    fn slop(&self) -> Real {
        self.parameters.slop
    }

    fn fork(&self) -> Box<dyn ConstraintSolver> {
        let mut fork = Self::new(self.parameters.clone(), self.solver.fork());
        fork.plain_sweeps = self.plain_sweeps;
        Box::new(fork)
    }
}
