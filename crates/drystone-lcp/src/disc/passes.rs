use crate::operator::with_operator;
use crate::solver::check_dense;
use crate::{
    BoxedProblem, Budget, DenseOperator, FactoredOperator, LcpError, LcpOperator, LcpReport, LcpSolver, LcpStatus,
    Matrix, Operator, OperatorRef, ProblemView, ResidualWorkspace, Share, natural_residual, rate_residual,
};

/// Proximal weight of a pass: the pull towards the pass before it. With less, problems are nearly singular and take box
/// solvers more steps; with more, errors vanish slowly.
const PULL: f64 = 1e-4;
/// Passes without such a hold, if the size of A does not already make it redundant.
const FREE_PASSES: usize = 3;

/// Solves problems with discs using a solver that only knows boxes: passes with boxes turned along the slip.
///
/// In a pass the rows of a disc are turned so that the first opposes the slip of the last pass, and bounded by the coefficient. If the contact slides, the row across yields:
/// its multiplier is -(radius / slip) times its rate, which is how far friction turns when the slip turns. This is Newton's method on the direction: if the direction is
/// right, the row across carries nothing, the pair lies on the circle opposing the slip, and the answer is that of the disc. The pass with the smallest [`rate_residual`] is
/// kept, and the reported residual is that of the disc.
///
/// If contacts are redundant, many multipliers give the same motion, and a box solver returns any of them: the next pass cuts off a corner of one box, finds its
/// answer at the corner of another, and so on without end. A pass therefore moves from the last one to the nearest multipliers that solve it: a proximal step, with
/// `pull` times the diagonal of A around the last pass. A half plane that touches a disc excludes nothing of it, so if contacts stick, each pass comes nearer to every
/// point inside all discs. Its error is `pull` times the length of the step, and vanishes as the passes settle.
///
/// # Cost
/// A solve and two products with A per pass. There are one to seven passes, a single one in warm steps of resting bodies; they share the solver's `work`. A
/// factored operator keeps its pattern, so a solver that remembers patterns analyses it once; other operators become dense.
///
/// # When it fails
/// Contacts that alternate between sticking and sliding may not settle within the passes; the report says so.
///
/// # Source
/// The direction's derivative is that of Alart and Curnier 1991; proximal steps as in Rockafellar 1976.
#[derive(Debug)]
pub struct DiscPasses {
    /// Most passes.
    pub passes: usize,
    /// Passes end when the answer's [`rate_residual`] is at most this times the largest |b|.
    pub tolerance: f64,
    /// Proximal weight that pulls a pass towards the one before it, in units of the diagonal of A; zero for none. It
    /// acts from the first pass on if a factored A has more rows than its bodies have velocities, otherwise once three
    /// passes were not enough.
    pub pull: f64,
    /// Most iterations of the solver in all passes together; `None` if each pass may take as many as the solver is set to.
    pub iterations: Option<usize>,
    turned: BoxedProblem,
    pairs: Vec<Pair>,
    multipliers: Vec<f64>,
    rates: Vec<f64>,
    accumulator: Vec<f64>,
    best: Vec<f64>,
    residual: ResidualWorkspace,
    /// The rate residuals of the start and of the passes, if they are kept.
    history: Option<Vec<f64>>,
}

/// Two rows of a disc, and the direction of the first in a pass: x = (a d_1 - c d_2, s (a d_2 + c d_1)).
#[derive(Debug, Clone, Copy)]
struct Pair {
    rows: [usize; 2],
    direction: [f64; 2],
    /// mu_2 / mu_1.
    scale: f64,
    /// The approximate friction when it slides.
    radius: f64,
    /// The compliance of the row across.
    yielding: f64,
}

impl Default for DiscPasses {
    fn default() -> Self {
        Self {
            passes: 12,
            tolerance: 1e-10,
            pull: PULL,
            iterations: None,
            turned: BoxedProblem::lcp(FactoredOperator::new(), Vec::new()),
            pairs: Vec::new(),
            multipliers: Vec::new(),
            rates: Vec::new(),
            accumulator: Vec::new(),
            best: Vec::new(),
            residual: ResidualWorkspace::default(),
            history: None,
        }
    }
}

impl Clone for DiscPasses {
    /// The same parameters, without memory.
    fn clone(&self) -> Self {
        Self {
            passes: self.passes,
            tolerance: self.tolerance,
            pull: self.pull,
            iterations: self.iterations,
            ..Self::default()
        }
    }
}

impl DiscPasses {
    /// Limits the solver's iterations in all passes together.
    #[must_use]
    pub fn within(self, iterations: usize) -> Self {
        Self { iterations: Some(iterations), ..self }
    }

    /// Keeps a history of its passes, at the cost of a product with A.
    #[must_use]
    pub fn with_history(self) -> Self {
        Self { history: Some(Vec::new()), ..self }
    }

    /// The [`rate_residual`] of the start and after each of the solver's iterations, as of the last pass that was over by then; empty if there were no passes or
    /// no history is kept.
    pub fn history(&self) -> &[f64] {
        self.history.as_deref().unwrap_or_default()
    }

    /// Solves the problem by `solver`: directly if it takes discs or there are none, otherwise in passes. x as for
    /// [`LcpSolver::solve`]. After passes the solver's accumulator and history are those of its last one.
    ///
    /// # Errors
    /// Those of the solver, and [`LcpError::TooManyRows`] for an operator that would have to become dense.
    pub fn solve(
        &mut self,
        solver: &mut dyn LcpSolver,
        problem: &ProblemView<'_>,
        x: &mut [f64],
    ) -> Result<LcpReport, LcpError> {
        self.solve_with(solver, problem, x, Matrix::Any)
    }

    /// [`Self::solve`] for a caller that knows where the matrix comes from.
    ///
    /// # Errors
    /// Those of [`Self::solve`].
    pub fn solve_with(
        &mut self,
        solver: &mut dyn LcpSolver,
        problem: &ProblemView<'_>,
        x: &mut [f64],
        matrix: Matrix,
    ) -> Result<LcpReport, LcpError> {
        self.history.iter_mut().for_each(Vec::clear);
        if solver.takes_discs() || !problem.has_discs() {
            return solver.solve_with(problem, x, matrix);
        }
        problem.check_sizes(x)?;
        self.begin(problem)?;
        // the passes share the work of one solve
        let shares = solver.budget().is_some_and(|b| !b.is_shared());
        if shares {
            solver.budget().into_iter().for_each(|b| b.share(Share::default()));
        }
        let outcome = self.pass(solver, problem, x);
        if shares {
            solver.budget().into_iter().for_each(Budget::part);
        }
        outcome
    }

    fn pass(
        &mut self,
        solver: &mut dyn LcpSolver,
        problem: &ProblemView<'_>,
        x: &mut [f64],
    ) -> Result<LcpReport, LcpError> {
        let scale = problem.b.iter().fold(0.0_f64, |m, b| m.max(b.abs()));
        let redundant = matches!(problem.operator, OperatorRef::Factored(a) if problem.len() > 6 * a.bodies());
        let mut whole: Option<LcpReport> = None;
        let mut least = f64::INFINITY;
        if let Some(history) = &mut self.history {
            history.push(rate_residual(problem, x, &mut self.residual));
        }
        for k in 0..self.passes.max(1) {
            if !self.goes_on(solver, whole.map_or(0, |w| w.iterations))? {
                break;
            }
            let held = redundant || k >= FREE_PASSES;
            if held && k == FREE_PASSES && !redundant {
                x.copy_from_slice(&self.best);
            }
            self.aim(problem, x);
            self.turn(problem);
            self.multipliers.clear();
            self.multipliers.extend_from_slice(x);
            for pair in &self.pairs {
                pair.enter(&mut self.multipliers);
            }
            if held {
                self.hold();
            }
            let pass = match solver.solve(&self.turned.view(), &mut self.multipliers) {
                Ok(pass) if !matches!(pass.status, LcpStatus::Failed | LcpStatus::Ray) => pass,
                // if a later pass fails, the best one before it stands
                _ if whole.is_some() => break,
                outcome => {
                    x.copy_from_slice(&self.multipliers);
                    self.leave(x);
                    return outcome.map(|report| self.measured(problem, x, report));
                }
            };
            x.copy_from_slice(&self.multipliers);
            self.leave(x);
            let rate = rate_residual(problem, x, &mut self.residual);
            self.keep(rate, pass.iterations);
            let last = whole.unwrap_or(LcpReport { iterations: 0, residual: None, ..pass });
            if rate < least || whole.is_none() {
                least = rate;
                self.best.clear();
                self.best.extend_from_slice(x);
            }
            let done = rate <= self.tolerance * scale;
            let status = if done { LcpStatus::Converged } else { LcpStatus::IterationLimit };
            whole = Some(LcpReport {
                status,
                iterations: last.iterations + pass.iterations,
                residual: None,
                change: pass.change,
            });
            let spent = solver.budget().is_some_and(|b| b.is_spent());
            if done || !rate.is_finite() || spent {
                break;
            }
        }
        x.copy_from_slice(&self.best);
        let whole = whole.ok_or(LcpError::Unsupported { solver: solver.name(), what: "problems with discs" })?;
        Ok(self.measured(problem, x, whole))
    }

    /// Leaves the solver what the passes have not taken; false if nothing is left.
    fn goes_on(&self, solver: &mut dyn LcpSolver, taken: usize) -> Result<bool, LcpError> {
        let Some(most) = self.iterations else { return Ok(true) };
        if taken > 0 && taken >= most {
            return Ok(false);
        }
        // a solver that has no such setting counts no iterations to be limited
        match solver.set("iterations", most.saturating_sub(taken).max(1) as f64) {
            Ok(()) | Err(LcpError::UnknownParameter { .. }) => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// Keeps the residual after a pass in the history: while it iterates it is that of the pass before.
    fn keep(&mut self, rate: f64, iterations: usize) {
        if let Some(history) = &mut self.history {
            let before = history.pop().unwrap_or(rate);
            history.extend(core::iter::repeat_n(before, iterations));
            history.push(rate);
        }
    }

    fn measured(&mut self, problem: &ProblemView<'_>, x: &[f64], report: LcpReport) -> LcpReport {
        LcpReport { residual: Some(natural_residual(problem, x, &mut self.residual)), ..report }
    }

    /// Sets up the pairs and everything that does not change from pass to pass.
    fn begin(&mut self, problem: &ProblemView<'_>) -> Result<(), LcpError> {
        self.pairs.clear();
        for i in 0..problem.len() {
            // the value of the row that the disc depends on does not matter here
            if let Some((k, disc)) = problem.disc(i, problem.b)
                && i < k
            {
                let pair = Pair { rows: [i, k], direction: [1.0, 0.0], scale: disc.scale, radius: 0.0, yielding: 0.0 };
                self.pairs.push(pair);
            }
        }
        let turned = &mut self.turned;
        for (to, from) in [(&mut turned.lo, problem.lo), (&mut turned.hi, problem.hi), (&mut turned.mu, problem.mu)] {
            to.clear();
            to.extend_from_slice(from);
        }
        turned.dependency.clear();
        turned.dependency.extend_from_slice(problem.dependency);
        for pair in &self.pairs {
            turned.mu[pair.rows[1]] = turned.mu[pair.rows[0]];
        }
        let factored = match problem.operator {
            OperatorRef::Factored(a) => self.pairs.iter().all(|p| a.can_turn(p.rows, p.scale)),
            _ => false,
        };
        match (factored, &mut self.turned.operator) {
            (true, Operator::Factored(_)) => {}
            (true, other) => *other = FactoredOperator::new().into(),
            (false, other) => {
                if !matches!(problem.operator, OperatorRef::Dense(_)) {
                    check_dense(&problem.operator)?;
                }
                *other = DenseOperator::zeros(0).into();
            }
        }
        Ok(())
    }

    /// Sets the direction of each pair's first row: along the friction that a step against the slip would leave.
    fn aim(&mut self, problem: &ProblemView<'_>, x: &[f64]) {
        self.accumulator.resize(problem.operator.accumulator_len(), 0.0);
        self.rates.resize(x.len(), 0.0);
        problem.operator.apply(x, &mut self.accumulator, &mut self.rates);
        for pair in &mut self.pairs {
            let ([i, k], s) = (pair.rows, pair.scale);
            let slip = [self.rates[i] + problem.b[i], s * (self.rates[k] + problem.b[k])];
            let diagonal = with_operator!(problem.operator, op => op.diagonal(i).max(s * s * op.diagonal(k)));
            let length = if diagonal > 0.0 { 1.0 / diagonal } else { 0.0 };
            let to = [x[i] - length * slip[0], x[k] / s - length * slip[1]];
            let size = (to[0] * to[0] + to[1] * to[1]).sqrt();
            let usable = size > 0.0 && size.is_finite();
            pair.direction = if usable { to.map(|t| t / size) } else { [1.0, 0.0] };
            // the radius that a step of the row it depends on would leave, averaged over the passes: redundant contacts pass their
            // loads back and forth
            let Some(n) = problem.parent(i) else { continue };
            let lift = with_operator!(problem.operator, op => op.diagonal(n));
            let rate = self.rates[n] + problem.b[n];
            let normal = if lift > 0.0 { x[n].max(x[n] - rate / lift) } else { x[n] };
            let radius = problem.mu[i] * normal.max(0.0);
            pair.radius = if pair.radius > 0.0 { 0.5 * (pair.radius + radius) } else { radius };
            let against = -(pair.direction[0] * slip[0] + pair.direction[1] * slip[1]);
            let slides = usable && size > radius && pair.radius > 0.0 && against > 0.0;
            pair.yielding = if slides { against / pair.radius } else { 0.0 };
        }
    }

    /// Writes b and A of the pass.
    fn turn(&mut self, problem: &ProblemView<'_>) {
        let turned = &mut self.turned;
        turned.b.clear();
        turned.b.extend_from_slice(problem.b);
        for pair in &self.pairs {
            pair.turn(&mut turned.b);
        }
        match (&mut turned.operator, problem.operator) {
            (Operator::Factored(to), OperatorRef::Factored(from)) => {
                to.clone_from(from);
                for pair in &self.pairs {
                    to.turn(pair.rows, pair.coefficients(), pair.yielding);
                }
            }
            (Operator::Dense(to), _) => turn_dense(to, &problem.operator.to_dense(), &self.pairs),
            _ => {}
        }
    }

    /// Holds the pass to its start value.
    fn hold(&mut self) {
        for (i, x) in self.multipliers.iter().enumerate() {
            let by = match &mut self.turned.operator {
                Operator::Factored(a) => a.add_cfm(i, self.pull),
                Operator::Dense(a) => {
                    let by = self.pull * a.get(i, i);
                    a.set(i, i, a.get(i, i) + by);
                    by
                }
                _ => 0.0,
            };
            self.turned.b[i] -= by * x;
        }
    }

    fn leave(&self, x: &mut [f64]) {
        for pair in &self.pairs {
            pair.leave(x);
        }
    }
}

impl Pair {
    /// The turned rows as combinations of the two.
    fn coefficients(&self) -> [[f64; 2]; 2] {
        let ([c, d], s) = (self.direction, self.scale);
        [[c, s * d], [-d, s * c]]
    }

    /// Rates along the turned rows.
    fn turn(&self, w: &mut [f64]) {
        let ([i, k], [a, c]) = (self.rows, self.coefficients());
        (w[i], w[k]) = (a[0] * w[i] + a[1] * w[k], c[0] * w[i] + c[1] * w[k]);
    }

    /// Multipliers of the turned rows.
    fn enter(&self, x: &mut [f64]) {
        let ([i, k], [c, d]) = (self.rows, self.direction);
        let y = [x[i], x[k] / self.scale];
        (x[i], x[k]) = (c * y[0] + d * y[1], c * y[1] - d * y[0]);
    }

    /// The reverse of [`Self::enter`].
    fn leave(&self, x: &mut [f64]) {
        let ([i, k], [c, d]) = (self.rows, self.direction);
        (x[i], x[k]) = (c * x[i] - d * x[k], self.scale * (d * x[i] + c * x[k]));
    }
}

fn turn_dense(to: &mut DenseOperator, from: &DenseOperator, pairs: &[Pair]) {
    to.clone_from(from);
    let n = to.rows();
    for pair in pairs {
        let ([i, k], [a, c]) = (pair.rows, pair.coefficients());
        for j in 0..n {
            let (first, second) = (to.get(i, j), to.get(k, j));
            to.set(i, j, a[0] * first + a[1] * second);
            to.set(k, j, c[0] * first + c[1] * second);
        }
        for j in 0..n {
            let (first, second) = (to.get(j, i), to.get(j, k));
            to.set(j, i, a[0] * first + a[1] * second);
            to.set(j, k, c[0] * first + c[1] * second);
        }
        to.set(k, k, to.get(k, k) + pair.yielding);
    }
}
