use crate::problem_text;
use drystone_lcp::{
    BoxedProblem, ConeProblem, ConvergenceRate, DiscPasses, LcpError, LcpStatus, MatrixFamily, ProblemGenerator,
    ProblemKind, ResidualWorkspace, SOLVERS, SolverInfo, chain_problem, cone_residual, cone_solver_by_name,
    natural_residual, solver_by_name, stack_problem,
};
use drystone_lcp_files::{FileProblem, LcpDump, read_problem_bytes};
use serde_json::{Value, json};
use wasm_bindgen::prelude::wasm_bindgen;

/// A complementarity problem for all solvers to race on.
#[wasm_bindgen]
pub struct Race {
    problem: FileProblem,
}

/// Most rows that a page takes: direct methods make the matrix dense.
const MOST_ROWS: usize = 3000;

#[wasm_bindgen]
impl Race {
    /// From a text: what `drystone lcp solve` reads (the JSON of `drystone run --lcp-dump`, Siconos' format, files of a folder one below the
    /// other, each after a line `=== NAME`), or `A`, `b` and, where there are bounds, `lo` and `hi`, each a heading with its numbers below it.
    ///
    /// # Errors
    /// In words, with the line where there is one.
    #[wasm_bindgen(constructor)]
    pub fn new(text: &str) -> Result<Race, String> {
        Self::on(problem_text::read(text)?)
    }

    /// From the bytes of one of FCLIB's HDF5 files; the name is for messages.
    ///
    /// # Errors
    /// In words.
    #[wasm_bindgen(js_name = ofHdf5)]
    pub fn of_hdf5(name: &str, bytes: Vec<u8>) -> Result<Race, String> {
        Self::on(read_problem_bytes(name, bytes).map_err(|e| e.to_string())?)
    }

    fn on(problem: FileProblem) -> Result<Race, String> {
        let n = problem.variables();
        if n > MOST_ROWS {
            return Err(format!("{n} rows; allowed: at most {MOST_ROWS} in a page (the command line takes more)"));
        }
        if let FileProblem::Boxed { start: Some(start), .. } = &problem
            && start.iter().any(|v| !v.is_finite())
        {
            return Err("the start value is not finite".to_owned());
        }
        Ok(Self { problem })
    }

    /// A problem of a known kind as a text that [`Race::new`] takes: `stack`, `heavy-top`, `chain`, `random`, `ill-conditioned`.
    pub fn sample(kind: &str) -> Option<String> {
        let random = |family, rows| ProblemGenerator { rows, family, active: 0.5, seed: 1 }.lcp().0;
        let problem = match kind {
            "stack" => stack_problem(2, 8, 0.5, 1.0, 0.0),
            "heavy-top" => stack_problem(1, 5, 0.5, 10.0, 0.0),
            "chain" => chain_problem(20, 100.0),
            "random" => random(MatrixFamily::PositiveDefinite, 60),
            "ill-conditioned" => random(MatrixFamily::IllConditioned { condition: 1e6 }, 40),
            _ => return None,
        };
        let start = vec![0.0; problem.b.len()];
        LcpDump::new(&problem.view(), &start).to_json().ok()
    }

    /// Rows, kind, rows with bounds that depend on another, pairs that share a disc, contacts with cones, and the residual of zero, as JSON.
    pub fn info(&self) -> String {
        let n = self.problem.variables();
        let (dependent, discs, cones) = match &self.problem {
            FileProblem::Boxed { problem, .. } => {
                let view = problem.view();
                let dependent = (0..n).filter(|&i| view.parent(i).is_some()).count();
                (dependent, (0..n).filter(|&i| view.partner(i).is_some()).count() / 2, 0)
            }
            FileProblem::Cone(problem) => (0, 0, problem.mu.len()),
        };
        let zero = self.residual(&vec![0.0; n]);
        json!({
            "rows": n, "kind": self.problem.kind(), "dependent": dependent, "discs": discs, "cones": cones,
            "residualOfZero": zero.is_finite().then_some(zero),
        })
        .to_string()
    }

    /// The solvers that take the problem, as a JSON list of `{name, method, source, cost, fails}`.
    pub fn solvers(&self) -> String {
        let kind = match &self.problem {
            FileProblem::Cone(_) => ProblemKind::Friction,
            FileProblem::Boxed { problem, .. } if problem.view().is_standard() => ProblemKind::Lcp,
            FileProblem::Boxed { .. } => ProblemKind::Boxed,
        };
        let described = |s: &SolverInfo| json!({ "name": s.name, "method": s.method, "source": s.source, "cost": s.cost, "fails": s.fails });
        Value::Array(SOLVERS.iter().filter(|s| s.kinds.contains(&kind)).map(described).collect()).to_string()
    }

    /// Solves by one solver, at most `iterations` of its iterations and until its residual is at most `tolerance`: JSON with status,
    /// iterations, residual, time (ms), the residual after each iteration and how it falls.
    ///
    /// # Errors
    /// In words, where the solver does not take the problem.
    pub fn solve(&self, solver: &str, iterations: f64, tolerance: f64) -> Result<String, String> {
        let info = SOLVERS.iter().find(|s| s.name == solver).ok_or_else(|| format!("no solver is named {solver}"))?;
        let settings = [("iterations", iterations), ("tolerance", tolerance), ("measure", 3.0)];
        let settings = settings.into_iter().filter(|(name, _)| info.parameters.iter().any(|p| p.name == *name));
        let run = match &self.problem {
            FileProblem::Boxed { problem, start } => boxed(problem, start.as_deref(), info, settings),
            FileProblem::Cone(problem) => cone(problem, info, settings),
        }
        .map_err(|e| e.to_string())?;
        let residual = self.residual(&run.x);
        // converged is what the residual shows, never the solver's own word
        let status = match run.status {
            _ if residual <= tolerance => LcpStatus::Converged,
            LcpStatus::Converged => LcpStatus::Stagnated,
            other => other,
        };
        let finite = |v: f64| v.is_finite().then_some(v);
        let rate = rate(&run.history);
        let history: Vec<Option<f64>> = run.history.into_iter().map(finite).collect();
        let answer = json!({
            "status": status.name(), "iterations": run.iterations, "residual": finite(residual), "ms": run.ms, "history": history, "rate": rate,
        });
        Ok(answer.to_string())
    }
}

impl Race {
    fn residual(&self, x: &[f64]) -> f64 {
        match &self.problem {
            FileProblem::Boxed { problem, .. } => {
                natural_residual(&problem.view(), x, &mut ResidualWorkspace::default())
            }
            FileProblem::Cone(problem) => cone_residual(problem, x),
        }
    }
}

/// How a residual falls until it is rounding; nothing where that is too soon to tell.
fn rate(history: &[f64]) -> Option<Value> {
    const FEWEST: usize = 5;
    let floor = 1e-13 * history.first()?;
    let errors: Vec<f64> = history.iter().copied().take_while(|v| *v > floor).collect();
    let rate = ConvergenceRate::of_errors(&errors).filter(|_| errors.len() >= FEWEST)?;
    Some(json!({ "linear": rate.is_linear(), "factor": rate.factor, "order": rate.order }))
}

/// What a solver did.
struct Run {
    x: Vec<f64>,
    status: LcpStatus,
    iterations: usize,
    /// Wall time (ms).
    ms: f64,
    history: Vec<f64>,
}

fn boxed(
    problem: &BoxedProblem,
    start: Option<&[f64]>,
    info: &SolverInfo,
    settings: impl Iterator<Item = (&'static str, f64)>,
) -> Result<Run, LcpError> {
    let mut solver = solver_by_name(info.name)?;
    for (name, value) in settings {
        solver.set(name, value)?;
    }
    let mut x = start.map_or_else(|| vec![0.0; problem.b.len()], <[f64]>::to_vec);
    let watch = web_time::Instant::now();
    let mut passes = DiscPasses::default().with_history();
    let report = passes.solve(solver.as_mut(), &problem.view(), &mut x)?;
    let ms = 1e3 * watch.elapsed().as_secs_f64();
    let history = if passes.history().is_empty() { solver.history() } else { passes.history() }.to_vec();
    Ok(Run { x, status: report.status, iterations: report.iterations, ms, history })
}

fn cone(
    problem: &ConeProblem,
    info: &SolverInfo,
    settings: impl Iterator<Item = (&'static str, f64)>,
) -> Result<Run, LcpError> {
    let mut solver = cone_solver_by_name(info.name)?;
    for (name, value) in settings {
        solver.set(name, value)?;
    }
    let mut x = vec![0.0; problem.rows()];
    let watch = web_time::Instant::now();
    let report = solver.solve(problem, &mut x)?;
    let ms = 1e3 * watch.elapsed().as_secs_f64();
    Ok(Run { x, status: report.status, iterations: report.iterations, ms, history: solver.history().to_vec() })
}
