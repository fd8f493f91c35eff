//! Forces f without friction by linear programs: `A f + b = 0, f >= 0` if no contact separates, otherwise the least sum of f with
//! `A f + b >= 0` as a guess of those that do. Source: Baraff 1989.

use super::complementarity::{Sweeps, write};
use super::rows::{AnalyticParameters, AnalyticRows, Slipping};
use crate::row_solver::{share_of, summary};
use drystone_core::catalogue::{Implementation, Settings, chosen};
use drystone_core::{
    Configuration, ConstraintSolver, Executor, GroupAnswer, GroupProblem, Guesses, Levels, ModuleKind, Resolves,
    SolveReport, Step, Unread, parameters,
};
use drystone_lcp::{
    DenseOperator, LcpReport, LcpStatus, LinearProgram, ProblemView, ProgramReport, ProgramStatus, Relation,
    ResidualWorkspace, Share, Simplex, SimplexWorkspace, natural_residual,
};
use drystone_math::Real;

pub(crate) const DESCRIPTION: Implementation = Implementation {
    name: "acceleration-program",
    summary: "frictionless forces by linear programs: assumes that no contact breaks, or those that the least sum of forces predicts; may guess wrong",
    source: "Baraff 1989, sections 5 to 8 and appendix B",
    parameters: parameters!(&chosen(AnalyticParameters::PARAMETERS, ["resting_speed"]), super::TOLERANCE_CORRECTION),
};

/// Rates below this count as zero (m/s).
const STILL: Real = 1e-8;
/// A contact vanishes if it parts faster than this fraction of the largest right-hand side.
const VANISHES: Real = 1e-7;
/// Fraction of its response by which a joint's row yields, if it has to: rows of joints that hold more than necessary contradict each other by the errors of rounding and of
/// the stages of a step, and would ask for forces without end.
const YIELDS: Real = 1e-8;
/// Forces count as without end above this many times the largest right-hand side, each measured by its own response. A body that hangs on links of a millionth of its mass
/// needs forces of a million.
const WITHOUT_END: Real = 1e9;
/// Cost of missing a row, relative to that of a force.
const ELASTIC: Real = 1e4;
/// Most multiplications of the programs of a group in a frame.
const WORK: Real = 1e9;

/// Accelerations that the forces have to achieve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Forces {
    /// Accelerations at contacts are zero.
    Any,
    /// Contacts do not approach, and the sum of the forces is least.
    Least,
    /// The same, but joints may be missed, at a cost.
    LeastElastic,
    /// Like the first, but joints may be missed, at a cost.
    AnyElastic,
}

impl Forces {
    fn are_least(self) -> bool {
        matches!(self, Self::Least | Self::LeastElastic)
    }

    fn are_elastic(self) -> bool {
        matches!(self, Self::LeastElastic | Self::AnyElastic)
    }
}

/// Condition of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// `w = 0`, its multiplier of either sign: a joint.
    Equality,
    /// `w >= 0` and a multiplier that pushes: a contact or a limit.
    Unilateral,
    /// `w` as near to zero as the bounds of its multiplier allow: a motor.
    Bounded,
}

/// Forces at the level of accelerations by linear programs, without friction: Baraff's heuristic.
///
/// First it is assumed that no contact vanishes: accelerations at all of them are zero, forces push or are zero. If there are no such forces, the least sum of forces that
/// keeps bodies apart predicts which contacts vanish: those that it makes part. If that is wrong too, these forces are used as they are: they are too
/// strong, and put energy into the bodies ([`Guesses`]). Joints are equations whose forces do not count in the sum. Joints that contradict each other are
/// satisfied as nearly as possible, measured by the sum of their errors.
///
/// Impacts that take no time are found in the same way, from velocities.
///
/// A program that ends at its limit, or because of rounding, does not tell whether there are such forces: the guess is passed over, and the report counts the problem as
/// *undecided* and handed over. If no program has an answer, sweeps take over. The residual in the report is that of the complementarity problem whose solution the forces are a
/// guess at.
///
/// # Source
/// E-01, E-02, E-03, E-04, E-05, E-06, E-07, E-08, E-09; Baraff 1989, equations (17) to (26), (35) to (37).
#[derive(Debug)]
pub struct AccelerationProgram {
    parameters: AnalyticParameters,
    rows: AnalyticRows,
    simplex: Simplex,
    programs: ProgramColumns,
    sweeps: Sweeps,
    residual: ResidualWorkspace,
}

/// The result of a program.
enum Forced {
    /// The forces in its report are a solution.
    By,
    /// There are no such forces.
    ByNone,
    /// The method ended before this was known.
    Unknown,
}

/// Memory in which programs are made and solved, kept from one group to the next.
#[derive(Debug, Default)]
struct ProgramColumns {
    kinds: Vec<Kind>,
    program: LinearProgram,
    /// Rows that larger programs had and this one does not need.
    spare: Vec<Vec<Real>>,
    /// The rows that may be missed.
    bending: Vec<usize>,
    vanish: Vec<bool>,
    workspace: SimplexWorkspace,
    report: ProgramReport,
}

impl ProgramColumns {
    /// The forces that were found last.
    fn forces(&self) -> &[Real] {
        &self.report.x[..self.kinds.len()]
    }
}

/// The programs of a group.
struct Programs<'a> {
    a: &'a DenseOperator,
    problem: ProblemView<'a>,
    columns: &'a mut ProgramColumns,
    pivots: usize,
    /// Multiplications taken so far, and the largest number allowed.
    share: Share,
    /// True if one of them ended before its answer was known.
    undecided: bool,
    /// True if it ended because the work limit was reached.
    exhausted: bool,
}

impl Programs<'_> {
    /// Makes rows, right-hand sides and bounds; rows that vanish may part and have no force.
    fn make(&mut self, forces: Forces, yields: Real) {
        let ProgramColumns { kinds, program, spare, bending, vanish, .. } = &mut *self.columns;
        let n = kinds.len();
        let bends = |i: usize| kinds[i] == Kind::Bounded || (forces.are_elastic() && kinds[i] == Kind::Equality);
        bending.clear();
        bending.extend((0..n).filter(|&i| bends(i)));
        let width = n + 2 * bending.len();
        let cost = |i: usize| if forces.are_least() && kinds[i] == Kind::Unilateral { 1.0 } else { 0.0 };
        let LinearProgram { cost: costs, lo, hi, rows, relations, right } = program;
        costs.clear();
        costs.extend((0..n).map(cost));
        costs.resize(width, ELASTIC);
        for (bounds, given, open) in [(lo, self.problem.lo, 0.0), (hi, self.problem.hi, Real::INFINITY)] {
            bounds.clear();
            bounds.extend(given.iter().zip(&*vanish).map(|(bound, vanishes)| if *vanishes { 0.0 } else { *bound }));
            bounds.resize(width, open);
        }
        spare.extend(rows.drain(n.min(rows.len())..).rev());
        while rows.len() < n {
            rows.push(spare.pop().unwrap_or_default());
        }
        relations.clear();
        right.clear();
        for (i, row) in rows.iter_mut().enumerate() {
            row.clear();
            row.extend_from_slice(self.a.row(i));
            if kinds[i] == Kind::Equality {
                row[i] *= 1.0 + yields;
            }
            row.resize(width, 0.0);
            if let Some(k) = bending.iter().position(|e| *e == i) {
                (row[n + 2 * k], row[n + 2 * k + 1]) = (1.0, -1.0);
            }
            let free = kinds[i] == Kind::Unilateral && (forces.are_least() || vanish[i]);
            relations.push(if free { Relation::AtLeast } else { Relation::Equal });
            right.push(-self.problem.b[i]);
        }
    }

    /// Solves the program for forces, within the pivots and the work that earlier ones have left.
    fn ask(&mut self, simplex: &Simplex) -> Forced {
        let left = Simplex {
            iterations: simplex.iterations.saturating_sub(self.pivots),
            work: (self.share.most(simplex.work) - self.share.spent).max(0.0),
        };
        let ProgramColumns { program, workspace, report, .. } = &mut *self.columns;
        if left.solve_with(program, workspace, report).is_err() {
            return Forced::Unknown;
        }
        self.pivots += report.iterations;
        self.exhausted |= report.status == ProgramStatus::IterationLimit && report.iterations < left.iterations;
        // at most a slack and an artificial variable per row, and the cost of updating the basis
        let (rows, columns) = (program.rows.len() as Real, program.cost.len() as Real);
        let cost = (report.iterations as Real + rows) * (rows + 1.0) * (columns + 2.0 * rows + 1.0);
        // a program that ended for want of work has taken no more than that
        self.share.spent += cost.min(left.work);
        match report.status {
            ProgramStatus::Optimal => Forced::By,
            ProgramStatus::Infeasible => Forced::ByNone,
            // sums of forces and of errors are bounded from below
            ProgramStatus::Unbounded | ProgramStatus::IterationLimit | ProgramStatus::Failed => Forced::Unknown,
        }
    }

    /// Computes the forces, with yielding joints if they would otherwise be unbounded; returns true if forces were
    /// found.
    fn solve(&mut self, simplex: &Simplex, forces: Forces) -> bool {
        for yields in [0.0, YIELDS] {
            self.make(forces, yields);
            match self.ask(simplex) {
                Forced::By if self.is_bounded() => return true,
                Forced::By => {}
                Forced::ByNone => return false,
                Forced::Unknown => break,
            }
        }
        self.undecided = true;
        false
    }

    /// Returns true if no force alone does far more than is required.
    fn is_bounded(&self) -> bool {
        let size = self.problem.b.iter().fold(0.0_f64, |m, b| m.max(b.abs()));
        let x = self.columns.forces();
        x.iter().enumerate().all(|(i, x)| x.abs() * self.a.row(i)[i] <= WITHOUT_END * size)
    }

    /// `w` of a row.
    fn rate(&self, i: usize, x: &[Real]) -> Real {
        self.problem.b[i] + self.a.row(i).iter().zip(x).map(|(a, x)| a * x).sum::<Real>()
    }

    /// Finds multipliers, writes them to x, and returns how they were found; `None` if not even the last resort has an answer, or if that is not known.
    fn find(&mut self, simplex: &Simplex, size: Real, x: &mut [Real]) -> Option<Guesses> {
        let n = x.len();
        self.columns.vanish.clear();
        self.columns.vanish.resize(n, false);
        if self.solve(simplex, Forces::Any) {
            x.copy_from_slice(self.columns.forces());
            return Some(Guesses { none_vanish: 1, ..Guesses::default() });
        }
        // joints that contradict each other allow no forces, whatever the contacts do
        let again = if self.solve(simplex, Forces::Least) {
            Forces::Any
        } else if self.solve(simplex, Forces::LeastElastic) {
            Forces::AnyElastic
        } else {
            return None;
        };
        // the forces of the least sum are the answer, unless there are forces without the contacts that these make part
        x.copy_from_slice(self.columns.forces());
        let is_contact = |programs: &Self, i: usize| programs.columns.kinds[i] == Kind::Unilateral;
        for i in 0..n {
            self.columns.vanish[i] = is_contact(self, i) && self.rate(i, x) > VANISHES * size;
        }
        if self.solve(simplex, again) {
            x.copy_from_slice(self.columns.forces());
            return Some(Guesses { predicted: 1, ..Guesses::default() });
        }
        // over the step they push a contact along half the distance by which it parts
        let contacts = (0..n).filter(|&i| is_contact(self, i));
        let energy = contacts.map(|i| 0.5 * x[i] * self.rate(i, x)).sum();
        Some(Guesses { wrong: 1, energy, ..Guesses::default() })
    }
}

impl AccelerationProgram {
    /// Contacts that part more slowly than `resting_speed` (m/s) rest.
    pub fn new(resting_speed: Real) -> Self {
        let parameters = AnalyticParameters { friction: false, resting_speed, ..AnalyticParameters::default() };
        let simplex = Simplex { work: WORK, ..Simplex::default() };
        Self {
            parameters,
            rows: AnalyticRows::default(),
            simplex,
            programs: ProgramColumns::default(),
            sweeps: Sweeps::default(),
            residual: ResidualWorkspace::default(),
        }
    }

    /// With other limits for the linear programs of a group, which share their pivots and their work.
    #[must_use]
    pub fn with_simplex(self, simplex: Simplex) -> Self {
        Self { simplex, ..self }
    }

    /// From checked settings.
    pub fn from_settings(s: &Settings) -> Self {
        Self::new(AnalyticParameters::from_settings(s).resting_speed)
    }
}

impl ConstraintSolver for AccelerationProgram {
    fn name(&self) -> &'static str {
        DESCRIPTION.name
    }

    fn leaves_out(&self, configuration: &Configuration) -> Option<&'static str> {
        crate::penalty::any_friction(configuration)
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
        let mut share = share_of(problem);
        share.spent += self.rows.matrix_cost();
        if share.spent > share.most(self.simplex.work) {
            let mut report = self.sweeps.solve_rows(&mut self.rows, share_of(problem));
            (report.exhausted, report.guesses.undecided) = (1, 1);
            write(problem, step, &mut self.rows, answer);
            return report;
        }
        self.rows.condense();
        let (view, a, x) = self.rows.split();
        let size = view.b.iter().fold(0.0_f64, |m, b| m.max(b.abs()));
        let kind = |(lo, hi): (&Real, &Real)| match (*lo == Real::NEG_INFINITY, *hi == Real::INFINITY) {
            (true, true) => Kind::Equality,
            (false, true) if *lo == 0.0 => Kind::Unilateral,
            _ => Kind::Bounded,
        };
        let columns = &mut self.programs;
        columns.kinds.clear();
        columns.kinds.extend(view.lo.iter().zip(view.hi).map(kind));
        let (undecided, exhausted) = (false, false);
        let mut programs = Programs { a, problem: view, columns, pivots: 0, share, undecided, exhausted };
        // what stands still needs no forces
        let found = if size <= STILL {
            x.fill(0.0);
            Some(Guesses { none_vanish: 1, ..Guesses::default() })
        } else {
            programs.find(&self.simplex, size, x)
        };
        let Programs { pivots, share, undecided, exhausted, .. } = programs;
        let mut report = if let Some(guesses) = found {
            let status = match (undecided, guesses.wrong) {
                (true, _) => LcpStatus::IterationLimit,
                (false, 0) => LcpStatus::Converged,
                (false, _) => LcpStatus::Stagnated,
            };
            let residual = Some(natural_residual(&view, x, &mut self.residual));
            let report = LcpReport { status, iterations: pivots, residual, change: 0.0 };
            SolveReport { guesses, ..summary(&report, view.b.len() as u64, u64::from(undecided)) }
        } else {
            let mut report = self.sweeps.solve(&mut self.rows, share);
            report.lcp.iterations += pivots as u64;
            report
        };
        report.work += share.spent - problem.spent;
        report.exhausted = u64::from(exhausted);
        report.guesses.undecided = u64::from(undecided);
        write(problem, step, &mut self.rows, answer);
        report
    }

    fn unread(&self) -> &'static [Unread] {
        &[Unread::Table(ModuleKind::Lcp)]
    }

    fn fork(&self) -> Box<dyn ConstraintSolver> {
        Box::new(Self::new(self.parameters.resting_speed).with_simplex(self.simplex.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_lcp::BoxedProblem;

    /// Two equal rows leave the forces undetermined. Rows of joints that yield do not: yielding takes work, and makes a zero determinant positive.
    #[test]
    fn joints_that_yield_take_work_and_contacts_do_not_yield() {
        let a = DenseOperator::from_rows([[2.0, 2.0], [2.0, 2.0]]);
        let problem = BoxedProblem::lcp(a.clone(), vec![1.0, 3.0]);
        let definite = |kind: Kind, yields: Real| {
            let mut columns = ProgramColumns { kinds: vec![kind; 2], vanish: vec![false; 2], ..Default::default() };
            let mut programs = Programs {
                a: &a,
                problem: problem.view(),
                columns: &mut columns,
                pivots: 0,
                share: Share::new(0.0, 0.0),
                undecided: false,
                exhausted: false,
            };
            programs.make(Forces::Any, yields);
            let rows = &columns.program.rows;
            rows[0][0] * rows[1][1] - rows[0][1] * rows[1][0]
        };
        assert_eq!(definite(Kind::Equality, 0.0), 0.0);
        assert_eq!(definite(Kind::Unilateral, YIELDS), 0.0);
        // 4 (1 + e)^2 - 4
        assert!((definite(Kind::Equality, YIELDS) - 8.0 * YIELDS).abs() < 1e-12);
    }
}
