//! Newton's method on the normal map that searches the piecewise linear path instead of a straight line.
mod path;

use crate::budget::WORK;
use crate::buffers::{Kept, collect, refill};
use crate::operator::dense::dot;
use crate::parameters::parameters;
use crate::reduction::Reduction;
use crate::solver::{SolverMemory, affordable, check_dense, check_start, memory_methods};
use crate::{
    DenseOperator, LcpError, LcpReport, LcpSolver, LcpStatus, Measure, ProblemView, SplitMix64, natural_residual,
};
use path::{End, Path, PathWorkspace};

const NAME: &str = "path-search-newton";
/// Starts are perturbed by this fraction of their size, so that no two rows reach zero at once.
const JITTER: f64 = 1e-7;
/// Proximal weights, relative to M's largest entry: the first, and the change after a path that arrived, and after one that did not.
const FIRST_SHIFT: f64 = 1e-4;
const NARROWER: f64 = 0.1;
const WIDER: f64 = 10.0;
/// Paths without a better x after which the method has stagnated.
const PATIENCE: usize = 15;
/// The merit of this many paths is remembered.
const WINDOW: usize = 4;

parameters! {
    /// Newton's method on the normal map F(y) = M y+ - y- + q by path search: the open counterpart of PATH.
    ///
    /// The problem is first written as a standard LCP (dependent bounds included). Its normal map is piecewise linear, so the Newton path, on which F shrinks in
    /// proportion to 1 - t, is followed exactly, cell by cell with one pivot each, as Lemke's method follows its own; where the map folds the path runs backwards
    /// in t, and through a cell with a singular matrix along its null vector. A path that reaches t = 1 solves the problem. One that ends on a ray or in a
    /// singular corner is followed by others: from the origin with a random covering vector, as Lemke's, and on M + s I around the last point (proximal
    /// perturbation), where a point is kept by a non-monotone rule: its residual may exceed the last, not the worst of the last four.
    ///
    /// # Cost
    /// An inverse at first and every fifty pieces, 2 N^2 per piece; N counts two-sided rows twice. One iteration is one piece. Random numbers
    /// (seed 0) jitter the start against degeneracy.
    ///
    /// # When it fails
    /// As Lemke's method where paths end on rays, less often: bimatrix games from zero. Dense: thousands of rows are slow.
    ///
    /// # Source
    /// Ralph: Global convergence of damped Newton's method for nonsmooth equations via the path search, 1994; Dirkse, Ferris: The PATH solver, 1995
    /// (F-32; used in Erleben 2005, 5.2, through its package; that counts paths as its iterations, of many pieces each).
    #[derive(Debug, Clone)]
    pub struct PathSearchNewton {
        /// largest number of path pieces
        iterations: usize = count(10_000),
        /// limit on multiplications per solve
        work: f64 = positive(WORK),
        /// stops at this residual
        tolerance: f64 = not_negative(1e-12),
        /// when the residual is measured; history also keeps its value at each iteration
        measure: Measure = choice(AtEnd),
        /// memory between solves
        memory: SolverMemory = given(SolverMemory::default()),
        /// matrix, factors and vectors
        workspace: Kept<PathSearchWorkspace> = given(Kept::default()),
    }
}

/// Buffers of [`PathSearchNewton`] between solves.
#[derive(Debug, Default)]
pub struct PathSearchWorkspace {
    reduction: Reduction,
    path: PathWorkspace,
    centred: Vec<f64>,
    /// The last point, and the one at the end of a path.
    z: Vec<f64>,
    point: Vec<f64>,
    window: Vec<f64>,
    /// The x of a point.
    trial: Vec<f64>,
}

/// Start of the next path.
#[derive(Clone, Copy)]
enum Start {
    /// z and w of the point given.
    Given,
    /// z = 0.
    Origin,
    /// The last point.
    Last,
}

/// A sequence of paths: where the next one starts, and on which proximal problem.
struct Search<'a> {
    start: Start,
    /// Added to M's diagonal, around the last point.
    shift: f64,
    /// M's largest entry.
    scale: f64,
    /// The last point.
    z: &'a mut Vec<f64>,
    /// The merit of the last points.
    window: &'a mut Vec<f64>,
    random: SplitMix64,
}

impl<'a> Search<'a> {
    fn new(m: &DenseOperator, z: &'a mut Vec<f64>, window: &'a mut Vec<f64>) -> Self {
        window.clear();
        let scale = m.entries().iter().fold(0.0_f64, |m, v| m.max(v.abs())).max(f64::MIN_POSITIVE);
        Self { start: Start::Given, shift: 0.0, scale, z, window, random: SplitMix64::new(0) }
    }

    /// q of the proximal problem around the last point.
    fn centre(&self, q: &[f64], centred: &mut Vec<f64>) {
        collect(centred, q.iter().zip(&*self.z).map(|(q, z)| q - self.shift * z));
    }

    /// y = z - w at the start, jittered.
    fn start(&mut self, reduction: &Reduction, centred: &[f64], y: &mut Vec<f64>) {
        let Self { start, shift, z, random, .. } = self;
        let w = |i: usize| dot(reduction.m.row(i), z) + *shift * z[i] + centred[i];
        let largest = z.iter().zip(&reduction.q).fold(0.0_f64, |m, (z, q)| m.max(z.abs()).max(q.abs()));
        let size = largest.max(f64::MIN_POSITIVE);
        let row = |i: usize| {
            let jitter = JITTER * size * random.range(0.5, 1.5);
            match start {
                Start::Origin => -size * random.range(0.5, 1.5),
                _ if z[i] > 0.0 && z[i] >= w(i) => z[i] + jitter,
                _ => -w(i).max(0.0) - jitter,
            }
        };
        collect(y, (0..z.len()).map(row));
    }

    /// Continues from the end of a path with this merit unless it is worse than all remembered ones, and decides what to try next.
    fn arrive(&mut self, end: End, point: &[f64], merit: f64) {
        let reference = self.window.iter().fold(0.0_f64, |m, v| m.max(*v));
        if merit.is_finite() && (end == End::Zero || self.window.is_empty() || merit <= reference) {
            self.z.copy_from_slice(point);
            self.window.push(merit);
            if self.window.len() > WINDOW {
                self.window.remove(0);
            }
        }
        let (scale, shift) = (self.scale, self.shift);
        (self.start, self.shift) = match (self.start, end) {
            (Start::Given, End::Zero) | (Start::Origin, _) => (Start::Last, FIRST_SHIFT * scale),
            (Start::Given, _) => (Start::Origin, 0.0),
            (Start::Last, End::Zero) => (Start::Last, (NARROWER * shift).max(1e-12 * scale)),
            (Start::Last, _) => (Start::Last, (WIDER * shift).min(scale)),
        };
    }
}

impl PathSearchNewton {
    fn run(&mut self, problem: &ProblemView<'_>, x: &mut [f64]) -> Result<LcpReport, LcpError> {
        let mut report = self.memory.begin(problem, x, self.measure);
        report.change = 0.0;
        let (rows, set_up) = Reduction::cost(problem);
        self.memory.budget.begin(self.work);
        if !self.memory.budget.pays(set_up) {
            return Ok(report);
        }
        let PathSearchWorkspace { reduction, path: workspace, centred, z, point, window, trial } =
            &mut self.workspace.0;
        reduction.make(problem, NAME)?;
        reduction.variables_of(problem, x, z);
        let mut search = Search::new(&reduction.m, z, window);
        let mut best_residual = natural_residual(problem, x, &mut self.memory.residual);
        refill(trial, x.len(), 0.0);
        let mut idle = 0;
        while report.iterations < self.iterations && best_residual > self.tolerance && idle < PATIENCE {
            // an inverse at first
            if !self.memory.budget.pays(rows * rows * rows) {
                break;
            }
            search.centre(&reduction.q, centred);
            search.start(reduction, centred, &mut workspace.y);
            let (mut path, ways) = Path::new(&reduction.m, centred, search.shift, workspace);
            // products with it, and a fresh inverse from time to time
            let piece = rows * rows * (rows / path::RENEW as f64 + 2.0);
            let pieces = affordable(self.memory.budget.left(), piece, self.iterations - report.iterations).max(1);
            let end = path.follow(pieces, ways);
            self.memory.budget.count(path.pieces as f64 * piece);
            report.iterations += path.pieces.max(1);

            collect(point, path.y.iter().map(|y| y.max(0.0)));
            reduction.recover(point, trial);
            let value = natural_residual(problem, trial, &mut self.memory.residual);
            idle = if value < 0.9 * best_residual { 0 } else { idle + 1 };
            if value < best_residual {
                best_residual = value;
                x.copy_from_slice(trial);
            }
            if self.measure == Measure::History {
                self.memory.history.push(best_residual);
            }
            search.arrive(end, point, value);
        }
        report.status = match () {
            () if best_residual <= self.tolerance => LcpStatus::Converged,
            () if report.iterations >= self.iterations || self.memory.budget.is_spent() => LcpStatus::IterationLimit,
            () => LcpStatus::Stagnated,
        };
        Ok(report)
    }
}

impl LcpSolver for PathSearchNewton {
    fn is_direct(&self) -> bool {
        true
    }

    fn solve(&mut self, problem: &ProblemView<'_>, x: &mut [f64]) -> Result<LcpReport, LcpError> {
        check_start(problem, x)?;
        check_dense(&problem.operator)?;
        let report = self.run(problem, x)?;
        Ok(self.memory.finish(problem, x, self.measure, false, report))
    }

    memory_methods!(NAME);
}
