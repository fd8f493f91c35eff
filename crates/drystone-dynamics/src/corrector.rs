//! Position correction: the displacement dq that minimises `dq^T M dq / 2` with `C + J dq >= 0` for contacts deeper than the slop
//! and `= 0` for joints. Its multipliers solve `w = J W J^T x + C`, complementary to x. Source: thesis (4.246) to (4.283).

use crate::far_projection::FarProjection;
use crate::fused::FusedSweep;
use crate::joint_start::JointStart;
use crate::refinement::{Left, Refinement};
use crate::row_solver::{RowSolver, share_of};
use crate::started_solver::StartedSolver;
use crate::{ConstraintRows, CorrectionParameters, FrictionModel, assemble_correction, needs_correction};
use drystone_core::{GroupAnswer, GroupProblem, PositionCorrector, SolveReport};
use drystone_core::{choice, settings};
use drystone_lcp::{LcpSolver, Measure, NO_DEPENDENCY, ProjectedGaussSeidel};
use drystone_math::Real;

/// A correction that moves bodies this many times further than its rows would one by one has gone astray: its rows nearly contradict each other.
const STRAY: Real = 100.0;
/// Levenberg-Marquardt damping then added to the diagonal of the rows, as a fraction of each entry.
const STRAY_DAMPING: Real = 1e-2;

/// Projection: the smallest displacement in the kinetic-energy norm after which nothing penetrates and no joint is off, a
/// complementarity problem in a first-order world.
///
/// # Source
/// L-02, L-04 to L-07, L-09, L-10, thesis (4.246)-(4.283), (6.78).
#[derive(Debug)]
pub struct Projection {
    parameters: CorrectionParameters,
    solver: RowSolver,
    /// Number of plain sweeps; `None` if another solver is used. Zero sweeps do nothing.
    sweeps: Option<usize>,
    rows: ConstraintRows,
    fused: FusedSweep,
    joint_start: JointStart,
    refinement: Refinement,
    far: FarProjection,
}

choice! {
    /// Solver of the correction's problem.
    pub enum CorrectionSolver {
        /// Projected Gauss-Seidel sweeps of its own.
        GaussSeidel = "gauss-seidel",
        /// The solver of the complementarity table.
        Lcp = "lcp",
        /// One constraint after the other, evaluated anew.
        Nonlinear = "nonlinear",
    }
}

settings! {
    /// Settings of the position correction by projection.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct ProjectionSettings {
        /// penetration that the correction leaves alone (m)
        slop: Real = real(1e-6, 0.0, 1.0) if stabilization is ["projection", "feedback"],
        /// corrections hold contacts from both sides: they also close gaps up to 4/3 of the slop; not with nonlinear
        bilateral: bool = switch(false) if correction_solver is ["gauss-seidel", "lcp"],
        /// Gauss-Seidel iterations of the correction
        correction_iterations: usize = integer(5, 0, 1_000_000) if correction_solver is ["gauss-seidel", "nonlinear"],
        /// solver of the correction: its own Gauss-Seidel, the one of the lcp table, or nonlinear, which re-evaluates each constraint in turn
        correction_solver: CorrectionSolver = choice(GaussSeidel) if stabilization is ["projection", "feedback"],
        /// fraction of a depth that the nonlinear correction removes per visit
        correction_rate: Real = real(0.2, 0.0, 1.0) if correction_solver is ["nonlinear"],
        /// maximum error removed per visit (m or rad)
        correction_limit: Real = real(0.2, 0.0, 1e9) if correction_solver is ["nonlinear"],
        /// take the energy that the correction adds by lifting from the motion along it; energy is conserved if that suffices
        keep_energy: bool = switch(false) if stabilization is ["projection", "feedback"],
        /// with keep_energy: shorten displacements that the motion cannot pay for; energy is then always conserved, but overlap at rest stays
        pay_in_full: bool = switch(false) if keep_energy is ["true"],
    }
}

impl Projection {
    /// Solved by this many projected Gauss-Seidel sweeps, started from zero.
    pub fn by_sweeps(parameters: CorrectionParameters, sweeps: usize) -> Self {
        let solver = ProjectedGaussSeidel { iterations: sweeps, measure: Measure::Never, ..Default::default() };
        Self { sweeps: Some(sweeps), ..Self::by(parameters, Box::new(solver)) }
    }

    /// Solved by a complementarity solver.
    pub fn by(parameters: CorrectionParameters, solver: Box<dyn LcpSolver>) -> Self {
        Self::over(parameters, RowSolver::new(solver), None)
    }

    /// Another one with the same settings.
    pub(crate) fn again(&self) -> Self {
        Self::over(self.parameters, self.solver.fork(), self.sweeps)
    }

    fn over(parameters: CorrectionParameters, solver: RowSolver, sweeps: Option<usize>) -> Self {
        let (rows, fused, joint_start, refinement, far) = Default::default();
        Self { parameters, solver, sweeps, rows, fused, joint_start, refinement, far }
    }
}

impl PositionCorrector for Projection {
    fn name(&self) -> &'static str {
        "projection"
    }

    fn correct(&mut self, problem: &GroupProblem, answer: &mut GroupAnswer) -> SolveReport {
        let Self { parameters, solver, rows, fused, joint_start, refinement, far, .. } = self;
        if !problem.rows.is_empty() {
            refinement.make_room(problem);
            far.make_room(problem);
        }
        if self.sweeps == Some(0) || !needs_correction(problem, parameters) {
            return SolveReport::default();
        }
        if let Some(sweeps) = self.sweeps
            && !parameters.bilateral
            && FusedSweep::takes(problem, FrictionModel::None)
        {
            fused.load_correction(problem);
            fused.sweep(sweeps);
            fused.unload_correction(answer);
            return fused.report(sweeps, None);
        }
        assemble_correction(problem, parameters, 0.0, rows);
        debug_assert!(rows.dependency.iter().all(|&d| d == NO_DEPENDENCY));
        let needed = if parameters.orthogonal_joints {
            JointStart::is_needed_by_orthogonal(problem)
        } else {
            JointStart::is_needed(problem)
        };
        let starts = parameters.joint_start && parameters.joints && !solver.is_direct() && needed;
        let start = starts.then_some((joint_start, problem.contacts.len()));
        let mut solver = StartedSolver::new(solver, start);
        solver.begin(share_of(problem));
        let mut report = solver.begin_and_solve(rows);
        let equations = rows.unbounded && solver.is_exact();
        let mut strays = rows.displacement_ratio((!equations).then(|| solver.changes(rows))) > STRAY;
        solver.with_changes(rows, |i, change| answer.correction[i] = change);
        // sweeps from zero leave errors in any case
        if (starts || solver.holds_equations()) && far.is_needed(problem, parameters, answer) {
            strays = true;
            report.merge(&far.run(problem, parameters, (&mut solver, rows), answer));
        } else if strays {
            assemble_correction(problem, parameters, STRAY_DAMPING, rows);
            report.merge(&solver.solve(rows));
            solver.with_changes(rows, |i, change| answer.correction[i] = change);
        }
        if parameters.refinements > 0 && report.fallbacks == 0 && !strays {
            refinement.restart(problem, parameters);
            for _ in 0..parameters.refinements {
                let left = refinement.look(problem, parameters, answer, rows);
                if left == Left::Nothing {
                    report.finished = report.lcp.solves;
                }
                if left != Left::Errors {
                    break;
                }
                report.merge(&solver.solve(rows));
                solver.with_changes(rows, |i, change| answer.correction[i] = change);
            }
        }
        report
    }

    fn slop(&self) -> Real {
        self.parameters.slop
    }

    fn fork(&self) -> Box<dyn PositionCorrector> {
        Box::new(self.again())
    }
}

/// Leaves errors where they are.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoCorrection;

impl PositionCorrector for NoCorrection {
    fn name(&self) -> &'static str {
        "none"
    }

    fn correct(&mut self, _problem: &GroupProblem, _answer: &mut GroupAnswer) -> SolveReport {
        SolveReport::default()
    }

    fn slop(&self) -> Real {
        Real::INFINITY
    }

    fn fork(&self) -> Box<dyn PositionCorrector> {
        Box::new(*self)
    }
}
