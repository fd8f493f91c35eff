//! Forces f at one instant: `a = J W (J^T f + F) + dJ/dt u`, `f_n >= 0`, `a_n >= 0`, `f_n a_n = 0`, with Coulomb friction.
//! Source: Baraff 1994 and 1995.

use super::partition::LastPartition;
use super::rows::{AnalyticParameters, AnalyticRows, Slipping};
use crate::formulation::write_multipliers;
use crate::row_solver::{share_of, summary};
use drystone_core::catalogue::{Implementation, Settings};
use drystone_core::{
    Configuration, ConstraintSolver, Executor, GroupAnswer, GroupProblem, GroupRow, Level, Levels, ModuleKind,
    Resolves, SolveReport, Step, Unread, parameters,
};
use drystone_lcp::{
    Budget, LcpReport, LcpSolver, LcpStatus, Lemke, Measure, PrincipalPivoting, ProjectedGaussSeidel,
    ResidualWorkspace, Share, rate_residual,
};
use drystone_math::{Real, Twist};

pub(crate) const DESCRIPTION: Implementation = Implementation {
    name: "acceleration-complementarity",
    summary: "forces at acceleration level, with static and dynamic friction, by the solver of the lcp table; impulses if no such forces exist",
    source: "Baraff 1994; Baraff 1995, equations (6) to (10)",
    parameters: parameters!(AnalyticParameters::PARAMETERS, super::TOLERANCE_CORRECTION),
};

/// An answer counts as a solution if its residual is at most this fraction of the largest right-hand side.
const ACCURATE: Real = 1e-8;
/// The same for an answer that is good enough.
const USABLE: Real = 1e-5;
/// Rates below this count as zero (m/s).
const STILL: Real = 1e-9;
/// Most sweeps of the final fallback.
const SWEEPS: usize = 20_000;
/// Most multiplications of these sweeps, together with what other solvers took before.
const WORK: Real = 2e8;
/// Sweeps that are made no matter what was taken before: over a matrix, and over rows.
const LEAST_SWEEPS: usize = 20;
const LEAST_ROW_SWEEPS: usize = 200;
/// Cost of a sweep over rows per row, and of one over a matrix per row in addition to its entries, in multiplications.
const ROW: Real = 24.0;
const VISIT: Real = 16.0;
/// Cost of the last step's partition in multiplications, per cube of the number of rows: elimination with complete pivoting.
const PARTITION: Real = 2.0;

/// Forces at the level of accelerations by a complementarity problem: at each contact the normal acceleration or the normal force is zero.
///
/// Friction of a slipping contact opposes the slip, and is part of the normal force's column; otherwise two rows hold the contact within Coulomb's bounds.
/// Before the solver is called, the last step's partition is tried. If the solver finds no answer (Dantzig's rounds of dependent bounds break off or go in
/// circles if friction is at its bound at some contacts of a body and not at others), the problem is handed over to Lemke's method, then to principal pivoting,
/// and the report says so. All of them share the work that the first may take in a frame, and the sweeps behind them what is left of it. If a slipping group
/// has no such forces at all (Painlevé), it gets the impulses for the velocities at the end of the step instead, and the report says `inconsistent`.
///
/// # Source
/// E-02, E-10, E-11, E-12, E-13, E-14; Baraff 1994; Baraff 1995, equations (6) to (10).
#[derive(Debug)]
pub struct AccelerationComplementarity {
    parameters: AnalyticParameters,
    lcp: Box<dyn LcpSolver>,
    /// The solvers that are tried in this order if the first finds no answer.
    others: [Box<dyn LcpSolver>; 2],
    rows: AnalyticRows,
    partition: LastPartition,
    sweeps: Sweeps,
    residual: ResidualWorkspace,
}

impl AccelerationComplementarity {
    /// With a complementarity solver that takes unsymmetric problems.
    pub fn new(parameters: AnalyticParameters, lcp: Box<dyn LcpSolver>) -> Self {
        Self {
            parameters,
            lcp,
            others: [Box::new(Lemke::default()), Box::new(PrincipalPivoting::default())],
            rows: AnalyticRows::default(),
            partition: LastPartition::default(),
            sweeps: Sweeps::default(),
            residual: ResidualWorkspace::default(),
        }
    }

    /// From checked settings.
    pub fn from_settings(s: &Settings, lcp: Box<dyn LcpSolver>) -> Self {
        Self::new(AnalyticParameters::from_settings(s), lcp)
    }

    /// Finds the multipliers of the rows as they stand; false if none are found.
    fn find(&mut self, share: &mut Share) -> (SolveReport, bool) {
        let Self { lcp, others, rows, partition: last, residual, parameters, .. } = self;
        let matrix = rows.matrix_cost();
        rows.condense();
        let (view, a, x) = rows.split();
        let variables = x.len() as u64;
        let size = view.b.iter().fold(0.0_f64, |m, b| m.max(b.abs())).max(STILL);
        // including the rounding error of large multipliers that cancel each other
        let mut off = |x: &[Real]| {
            let lost = |i| a.row(i).iter().zip(x).map(|(a, x)| (a * x).abs()).sum::<Real>() * Real::EPSILON;
            let off = (0..x.len()).map(lost).fold(rate_residual(&view, x, residual), Real::max);
            if off.is_finite() { off } else { Real::INFINITY }
        };
        let told = |iterations, off, fallbacks| {
            let report = LcpReport { status: LcpStatus::Converged, iterations, residual: off, change: 0.0 };
            summary(&report, variables, fallbacks)
        };
        let before = share.spent;
        share.spent += matrix;
        let partition = PARTITION * (variables as Real).powi(3);
        let tried = parameters.partition && share.spent + partition <= share.most(Budget::USUAL);
        if tried {
            share.spent += partition;
        }
        if tried && let Some(found) = last.find(&view, a, x) {
            let off = off(found);
            if off <= ACCURATE * size {
                x.copy_from_slice(found);
                return (SolveReport { work: share.spent - before, ..told(0, Some(off), 0) }, true);
            }
        }
        let (mut pivots, mut exhausted) = (0, 0);
        let told = |pivots, off, fallbacks, spent, exhausted| SolveReport {
            work: spent - before,
            exhausted,
            ..told(pivots, off, fallbacks)
        };
        for (asked, solver) in std::iter::once(lcp).chain(others).enumerate() {
            x.fill(0.0);
            solver.budget().into_iter().for_each(|b| b.share(*share));
            pivots += solver.solve(&view, x).map_or(0, |r| r.iterations);
            if let Some(budget) = solver.budget() {
                share.spent = budget.spent();
                exhausted = u64::from(budget.is_spent());
            }
            let left = off(x);
            if left <= USABLE * size {
                return (told(pivots, Some(left), u64::from(asked > 0), share.spent, exhausted), true);
            }
        }
        (told(pivots, None, 0, share.spent, exhausted), false)
    }

    /// The same, but false if the matrix costs more than the work that is left, or if the bodies would end with far more motion
    /// than they and the external forces have: rows that nearly contradict each other are satisfied by multipliers without end.
    fn find_within_bounds(&mut self, problem: &GroupProblem, share: &mut Share) -> (SolveReport, bool) {
        if share.spent + self.rows.matrix_cost() > share.most(Budget::USUAL) {
            return (SolveReport { exhausted: 1, ..SolveReport::default() }, false);
        }
        let (report, solved) = self.find(share);
        (report, solved && !explodes(problem, &mut self.rows))
    }
}

/// Constraints cannot make more motion than this many times that of before and of external forces together, in the norm of the kinetic energy.
const BEYOND: Real = 10.0;

/// Returns true if the multipliers of the present rows produce a motion that constraints cannot produce. Always false
/// if motors or springs act.
fn explodes(problem: &GroupProblem, rows: &mut AnalyticRows) -> bool {
    let acts = |r: &GroupRow| r.row.target != 0.0 || r.row.softness.is_soft() || !r.row.correctable;
    if problem.rows.iter().any(acts) {
        return false;
    }
    let mut norms = [0.0; 3];
    for (body, change) in problem.bodies.iter().zip(rows.expand()).filter(|(b, _)| b.is_movable()) {
        let twists = [body.velocity, body.external, body.velocity + body.external + change];
        for (sum, twist) in norms.iter_mut().zip(twists) {
            *sum += body.square(twist);
        }
    }
    let [before, external, after] = norms.map(Real::sqrt);
    after > BEYOND * (before + external)
}

impl ConstraintSolver for AccelerationComplementarity {
    fn name(&self) -> &'static str {
        DESCRIPTION.name
    }

    fn levels(&self) -> Levels {
        Levels { impact: true, ..Levels::ACCELERATION }
    }

    fn resolves(&self) -> Resolves {
        Resolves { restitution: false, positions: false, instants: false }
    }

    fn solve(
        &mut self,
        problem: &GroupProblem,
        step: Step,
        _executor: &dyn Executor,
        answer: &mut GroupAnswer,
    ) -> SolveReport {
        self.rows.assemble(problem, self.parameters, step, Slipping::Fast);
        if self.rows.is_empty() {
            return SolveReport::default();
        }
        let slips = self.rows.slips;
        let mut share = share_of(problem);
        let (mut report, mut solved) = self.find_within_bounds(problem, &mut share);
        if !solved && step.level != Level::Impact && report.exhausted == 0 {
            // bounds by the normal forces are the harder part: here friction opposes whatever slip there is
            self.rows.assemble(problem, self.parameters, step, Slipping::All);
            let (again, found) = self.find_within_bounds(problem, &mut share);
            report.merge(&again);
            solved = found;
        }
        let mut by_forces = true;
        if !solved {
            by_forces = !slips;
            self.rows.assemble(problem, self.parameters, step, if slips { Slipping::None } else { Slipping::Fast });
            let found = report.exhausted == 0 && {
                let (again, found) = self.find_within_bounds(problem, &mut share);
                report.merge(&again);
                found
            };
            if !found {
                report.merge(&if report.exhausted > 0 {
                    self.sweeps.solve_rows(&mut self.rows, share)
                } else {
                    self.sweeps.solve(&mut self.rows, share)
                });
            }
            report.inconsistent += u64::from(slips);
        }
        if by_forces {
            write(problem, step, &mut self.rows, answer);
        } else {
            write_velocities(problem, &mut self.rows, answer);
        }
        report
    }

    fn cannot(&self, configuration: &Configuration) -> Option<&'static str> {
        crate::penalty::special_friction(configuration)
    }

    fn unread(&self) -> &'static [Unread] {
        &[Unread::Keys(ModuleKind::Lcp, &["warm_start"])]
    }

    fn fork(&self) -> Box<dyn ConstraintSolver> {
        Box::new(Self::new(self.parameters, self.lcp.fork()))
    }
}

/// The fallback if nothing else has an answer.
#[derive(Debug)]
pub(super) struct Sweeps(ProjectedGaussSeidel);

impl Default for Sweeps {
    fn default() -> Self {
        Self(ProjectedGaussSeidel { iterations: SWEEPS, measure: Measure::AtEnd, ..Default::default() })
    }
}

impl Sweeps {
    /// Sweeps over the rows without forming their matrix; the report counts a fallback.
    pub(super) fn solve_rows(&mut self, rows: &mut AnalyticRows, share: Share) -> SolveReport {
        let (size, count) = (rows.size(), rows.rows.len() as Real);
        self.0.tolerance = ACCURATE * size.max(STILL);
        let sweep = ROW * count.max(1.0);
        self.0.iterations = (((share.most(WORK) - share.spent) / sweep) as usize).clamp(LEAST_ROW_SWEEPS, SWEEPS);
        let report = rows.sweep(&mut self.0);
        SolveReport { work: report.iterations as Real * sweep, ..summary(&report, count as u64, 1) }
    }

    /// Sweeps over the rows as they stand, with the work that a share has left; the report counts a fallback.
    pub(super) fn solve(&mut self, rows: &mut AnalyticRows, share: Share) -> SolveReport {
        let (view, _, x) = rows.split();
        let size = view.b.iter().fold(0.0_f64, |m, b| m.max(b.abs())).max(STILL);
        x.fill(0.0);
        self.0.tolerance = ACCURATE * size;
        let sweep = (x.len() as Real * (x.len() as Real + VISIT)).max(1.0);
        self.0.iterations = (((share.most(WORK) - share.spent) / sweep) as usize).clamp(LEAST_SWEEPS, SWEEPS);
        let none = LcpReport { status: LcpStatus::Failed, iterations: 0, residual: None, change: 0.0 };
        let report = self.0.solve(&view, x).unwrap_or(none);
        SolveReport { work: report.iterations as Real * sweep, ..summary(&report, view.b.len() as u64, 1) }
    }
}

/// Writes accelerations, the velocities that they lead to, and multipliers; an impact has no accelerations.
pub(super) fn write(problem: &GroupProblem, step: Step, rows: &mut AnalyticRows, answer: &mut GroupAnswer) {
    if step.level == Level::Impact || step.h <= 0.0 {
        return write_velocities(problem, rows, answer);
    }
    answer.acceleration.resize(problem.bodies.len(), Twist::ZERO);
    write_each(problem, rows, answer, |answer, i, change| {
        answer.acceleration[i] = (problem.bodies[i].external + change) * (1.0 / step.h);
    });
}

/// Writes the velocities and multipliers after an impulse, which implies no acceleration.
fn write_velocities(problem: &GroupProblem, rows: &mut AnalyticRows, answer: &mut GroupAnswer) {
    write_each(problem, rows, answer, |_, _, _| ());
}

/// Writes velocities and multipliers, and whatever else follows from the change of each body's velocity.
fn write_each(
    problem: &GroupProblem,
    rows: &mut AnalyticRows,
    answer: &mut GroupAnswer,
    mut also: impl FnMut(&mut GroupAnswer, usize, Twist),
) {
    for (i, change) in rows.expand().enumerate() {
        let b = &problem.bodies[i];
        answer.velocity[i] = b.velocity + b.external + change;
        also(answer, i, change);
    }
    write_multipliers(problem, &mut rows.rows, answer);
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_core::{ConstraintRow, GroupRow, OneThread};
    use drystone_math::Vec3;
    use drystone_testkit::problem::{Group, cube, rigid_row};

    /// Speed after a step of a 2 kg cube at 1 m/s along z, held by two rows nearly along x:
    /// their directions are `apart` (rad), and one of them has a curvature.
    fn speed(apart: Real) -> Real {
        let bodies = vec![cube(0, 0.0, Vec3::ZERO), cube(1, 2.0, Vec3::ZERO)];
        let mut problem = GroupProblem { bodies, ..GroupProblem::default() };
        problem.bodies[1].velocity = Twist::new(Vec3::Z, Vec3::ZERO);
        for (place, (across, curvature)) in [(0.0, 0.0), (apart, 1.0)].into_iter().enumerate() {
            let way = Twist::new(Vec3::X + Vec3::Y * across, Vec3::ZERO);
            let row = ConstraintRow { curvature, ..rigid_row([way * -1.0, way]) };
            problem.rows.push(GroupRow { bodies: [0, 1], row, impulse: 0.0, joint: 0, place: place as u32 });
        }
        let Group { problem, mut answer, .. } = Group::from(problem);
        answer.start(&problem);
        let mut solver = AccelerationComplementarity::new(AnalyticParameters::default(), Box::new(Lemke::default()));
        let step = Step { level: Level::Acceleration, ..Step::new(0.01, 0.01) };
        solver.solve(&problem, step, &OneThread, &mut answer);
        answer.velocity[1].linear.length()
    }

    #[test]
    fn rows_that_nearly_contradict_each_other_make_no_speed_without_end() {
        // the control: clearly different directions produce the motion that they ask for
        assert!((speed(1.0) - 1.0).abs() < 0.1, "{}", speed(1.0));
        for apart in [1e-4, 1e-5, 1e-6] {
            assert!(speed(apart) < 11.0, "{apart:e}: {} m/s", speed(apart));
        }
    }
}
