use super::standard_form::StandardForm;
use super::tableau::{Phase, Tableau};
use super::{LinearProgram, ProgramReport, ProgramStatus};
use crate::LcpError;
use crate::budget::WORK;
use crate::buffers::{collect, refill};
use crate::operator::dense::dot;
use crate::step_test::largest_magnitude;

/// The most that may remain of the artificials, relative to the right sides, for a program to count as feasible.
const FEASIBLE: f64 = 1e-9;
/// Number of times the tableau is rebuilt from its basis and improved again.
const REFRESHES: usize = 4;

/// The primal simplex method in two phases on a dense tableau.
///
/// Bounds are rewritten as p >= 0 and rows, and numbers scaled by powers of two. Phase one drives the artificials out, or proves by its multipliers that
/// there is no feasible point. Phase two follows the steepest reduced cost, and after some steps of length zero Bland's smallest-index rule, with which it
/// cannot cycle (Beale's example). The last basis is factored anew before anything is claimed.
///
/// # Cost
/// m (n + m) multiplications per pivot for m constraints, rarely more than 3 m pivots, 2^n at worst.
///
/// # When it fails
/// A program whose pivots cost more than `work` ends as [`ProgramStatus::IterationLimit`], immediately if a single factorisation of its basis would. Degenerate programs whose
/// pivots lose all digits end as [`ProgramStatus::Failed`]; sizes beyond a few thousand are slow, as nothing is sparse.
///
/// # Source
/// Dantzig 1963; Bland 1977; Chvatal: Linear Programming, 1983, ch. 3 and 8; stands in for the packages of Baraff 1995 and Baraff 1989
/// (F-33).
#[derive(Debug, Clone, PartialEq)]
pub struct Simplex {
    /// Largest number of pivots.
    pub iterations: usize,
    /// Most multiplications for its pivots, and for a factorisation of the basis.
    pub work: f64,
}

impl Default for Simplex {
    fn default() -> Self {
        Self { iterations: 50_000, work: WORK }
    }
}

impl Simplex {
    /// Number of pivots that are allowed and within the budget.
    fn limit(&self, tableau: &Tableau) -> usize {
        let (rows, width) = (tableau.rows as f64, tableau.columns() as f64 + 1.0);
        let paid = if rows * rows * width > self.work { 0 } else { (self.work / ((rows + 1.0) * width)) as usize };
        self.iterations.min(paid)
    }

    /// Solves the program, or reports why it cannot be solved.
    ///
    /// # Errors
    /// Those of [`LinearProgram::validate`]. Infeasible and unbounded programs are not errors; the report says so.
    pub fn solve(&self, program: &LinearProgram) -> Result<ProgramReport, LcpError> {
        let mut report = ProgramReport::default();
        self.solve_with(program, &mut SimplexWorkspace::default(), &mut report)?;
        Ok(report)
    }

    /// The same with memory and a report that are reused from one program to the next.
    ///
    /// # Errors
    /// Those of [`Self::solve`].
    pub fn solve_with(
        &self,
        program: &LinearProgram,
        workspace: &mut SimplexWorkspace,
        report: &mut ProgramReport,
    ) -> Result<(), LcpError> {
        program.validate()?;
        workspace.form.make(program);
        workspace.tableau.begin(&workspace.form);
        refill(&mut workspace.cost, workspace.tableau.columns(), 0.0);
        report.ray.clear();
        // reserved even though unbounded programs are rare
        report.ray.reserve(program.cost.len());
        report.status = self.improve(program, workspace, &mut report.ray);
        let SimplexWorkspace { form, tableau, cost, p } = workspace;
        refill(&mut report.multipliers, program.rows.len(), 0.0);
        if let ProgramStatus::Optimal | ProgramStatus::Infeasible = report.status {
            tableau.multipliers(cost, &mut report.multipliers);
            report.multipliers.iter_mut().zip(&form.scale).for_each(|(y, s)| *y *= s);
            report.multipliers.truncate(program.rows.len());
        }
        tableau.point(p);
        form.point(program, p, &mut report.x);
        if report.x.iter().any(|v| !v.is_finite()) {
            collect(&mut report.x, program.lo.iter().zip(&program.hi).map(|(l, h)| 0.0_f64.max(*l).min(*h)));
            report.status = ProgramStatus::Failed;
        }
        report.iterations = tableau.pivots;
        report.objective = dot(&program.cost, &report.x);
        report.violation = program.violation(&report.x);
        // check what is claimed
        let claims = report.status == ProgramStatus::Optimal;
        if claims && report.violation > 10.0 * FEASIBLE * largest_terms(program, &report.x) {
            report.status = ProgramStatus::Failed;
        }
        Ok(())
    }

    /// Both phases; a ray goes into the report.
    fn improve(&self, program: &LinearProgram, workspace: &mut SimplexWorkspace, ray: &mut Vec<f64>) -> ProgramStatus {
        let SimplexWorkspace { form, tableau, cost, p } = workspace;
        let limit = self.limit(tableau);
        // Phase one: minimise the artificials.
        let size = largest_magnitude(&form.right).max(f64::MIN_POSITIVE);
        if tableau.artificial < tableau.columns() {
            cost[tableau.artificial..].fill(1.0);
            let end = tableau.artificial;
            if settle(tableau, cost, end, limit) == Phase::Limit {
                return ProgramStatus::IterationLimit;
            }
            let left: f64 =
                (0..tableau.rows).filter(|&i| tableau.basis[i] >= end).map(|i| tableau.right(i).max(0.0)).sum();
            if left > FEASIBLE * size {
                return ProgramStatus::Infeasible;
            }
            tableau.drop_artificials();
            cost[end..].fill(0.0);
        }
        // Phase two.
        cost.iter_mut().zip(form.reduce(&program.cost)).for_each(|(cost, reduced)| *cost = reduced);
        let end = tableau.artificial;
        match settle(tableau, cost, end, limit) {
            Phase::Optimal => ProgramStatus::Optimal,
            Phase::Unbounded(column) => {
                tableau.direction(column, p);
                form.expand(p, ray);
                ProgramStatus::Unbounded
            }
            Phase::Limit => ProgramStatus::IterationLimit,
        }
    }
}

/// Buffers of [`Simplex`] from one program to the next: opaque, empty by default.
#[derive(Debug, Default)]
pub struct SimplexWorkspace {
    form: StandardForm,
    tableau: Tableau,
    cost: Vec<f64>,
    /// A point of the standard form.
    p: Vec<f64>,
}

/// The size of the constraints' terms at a point: the largest sum of magnitudes in a row.
fn largest_terms(program: &LinearProgram, x: &[f64]) -> f64 {
    program
        .rows
        .iter()
        .zip(&program.right)
        .fold(1.0_f64, |m, (row, b)| m.max(b.abs()).max(row.iter().zip(x).map(|(a, x)| (a * x).abs()).sum()))
}

/// Improves until a freshly factored basis passes the test.
fn settle(tableau: &mut Tableau, cost: &[f64], end: usize, limit: usize) -> Phase {
    let scale = largest_magnitude(cost);
    tableau.price(cost);
    let mut phase = tableau.improve(end, scale, limit);
    for _ in 0..REFRESHES {
        let before = tableau.pivots;
        if phase == Phase::Limit || !tableau.refresh() {
            break;
        }
        tableau.price(cost);
        phase = tableau.improve(end, scale, limit);
        if tableau.pivots == before {
            break;
        }
    }
    phase
}
