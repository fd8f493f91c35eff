use crate::problem_text;
use drystone_lcp::{
    BoxedProblem, DiscPasses, LcpDump, LcpStatus, MatrixFamily, ProblemGenerator, ProblemKind, ResidualWorkspace,
    SOLVERS, SolverInfo, chain_problem, natural_residual, solver_by_name, stack_problem,
};
use serde_json::{Value, json};
use wasm_bindgen::prelude::wasm_bindgen;

/// A complementarity problem for all solvers to race on.
#[wasm_bindgen]
pub struct Race {
    problem: BoxedProblem,
    /// The start value; zeros where none came with the problem.
    start: Vec<f64>,
}

/// Most rows that a page takes: direct methods make the matrix dense.
const MOST_ROWS: usize = 3000;

#[wasm_bindgen]
impl Race {
    /// From a text: the JSON of `drystone run --lcp-dump`, or `A`, `b` and, where there are bounds, `lo` and `hi`, each a heading with
    /// its numbers below it.
    ///
    /// # Errors
    /// In words, with the line where there is one.
    #[wasm_bindgen(constructor)]
    pub fn new(text: &str) -> Result<Race, String> {
        let (problem, start) = problem_text::read(text)?;
        let n = problem.b.len();
        if n > MOST_ROWS {
            return Err(format!("{n} rows; allowed: at most {MOST_ROWS} in a page (the command line takes more)"));
        }
        problem.view().validate().map_err(|e| e.to_string())?;
        if start.iter().any(|v| !v.is_finite()) {
            return Err("the start value is not finite".to_owned());
        }
        Ok(Self { problem, start })
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

    /// Rows, rows with bounds that depend on another, pairs that share a disc, and the residual of zero, as JSON.
    pub fn info(&self) -> String {
        let view = self.problem.view();
        let n = self.problem.b.len();
        let dependent = (0..n).filter(|&i| view.parent(i).is_some()).count();
        let discs = (0..n).filter(|&i| view.partner(i).is_some()).count() / 2;
        let zero = natural_residual(&view, &vec![0.0; n], &mut ResidualWorkspace::default());
        let kind = if view.is_standard() { "lcp" } else { "boxed" };
        json!({ "rows": n, "kind": kind, "dependent": dependent, "discs": discs, "residualOfZero": zero }).to_string()
    }

    /// The solvers that take the problem, as a JSON list of `{name, method, source, cost, fails}`.
    pub fn solvers(&self) -> String {
        let kind = if self.problem.view().is_standard() { ProblemKind::Lcp } else { ProblemKind::Boxed };
        let described = |s: &SolverInfo| json!({ "name": s.name, "method": s.method, "source": s.source, "cost": s.cost, "fails": s.fails });
        Value::Array(SOLVERS.iter().filter(|s| s.kinds.contains(&kind)).map(described).collect()).to_string()
    }

    /// Solves by one solver, at most `iterations` of its iterations and until its residual is at most `tolerance`: JSON with status,
    /// iterations, residual, time (ms) and the residual after each iteration.
    ///
    /// # Errors
    /// In words, where the solver does not take the problem.
    pub fn solve(&self, solver: &str, iterations: f64, tolerance: f64) -> Result<String, String> {
        let info = SOLVERS.iter().find(|s| s.name == solver).ok_or_else(|| format!("no solver is named {solver}"))?;
        let mut solver = solver_by_name(solver).map_err(|e| e.to_string())?;
        for (name, value) in [("iterations", iterations), ("tolerance", tolerance), ("measure", 3.0)] {
            if info.parameters.iter().any(|p| p.name == name) {
                solver.set(name, value).map_err(|e| e.to_string())?;
            }
        }
        let view = self.problem.view();
        let mut x = self.start.clone();
        let watch = web_time::Instant::now();
        let report = DiscPasses::default().solve(solver.as_mut(), &view, &mut x).map_err(|e| e.to_string())?;
        let ms = 1e3 * watch.elapsed().as_secs_f64();
        let residual = natural_residual(&view, &x, &mut ResidualWorkspace::default());
        // converged is what the residual shows, never the solver's own word
        let status = match report.status {
            _ if residual <= tolerance => LcpStatus::Converged,
            LcpStatus::Converged => LcpStatus::Stagnated,
            other => other,
        };
        let finite = |v: f64| v.is_finite().then_some(v);
        let history: Vec<Option<f64>> = solver.history().iter().map(|v| finite(*v)).collect();
        let answer = json!({
            "status": status.name(), "iterations": report.iterations, "residual": finite(residual), "ms": ms, "history": history,
        });
        Ok(answer.to_string())
    }
}
