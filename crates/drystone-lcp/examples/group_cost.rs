//! What it is worth to solve independent groups one by one (Table 5.4 of Erleben 2005, the solver's share): columns of ten boxes with friction, the whole problem
//! against its groups, to a residual of 1e-6. Writes a Markdown table.
use drystone_lcp::{BoxedProblem, Decomposition, LcpError, LcpSolver, solver_by_name, stack_problem};
use std::time::Instant;

/// Boxes of a column; groups are of `12 BOXES` rows.
const BOXES: usize = 10;
/// Rows up to which the methods on dense matrices are asked for the whole.
const DENSE: usize = 1000;

/// Milliseconds of the fastest of three, and the residual.
fn timed(mut work: impl FnMut() -> Result<Option<f64>, LcpError>) -> Result<(f64, f64), LcpError> {
    let (mut best, mut residual) = (f64::INFINITY, f64::NAN);
    for _ in 0..3 {
        let begin = Instant::now();
        residual = work()?.unwrap_or(f64::NAN);
        best = best.min(begin.elapsed().as_secs_f64() * 1e3);
    }
    Ok((best, residual))
}

fn row(name: &str, problem: &BoxedProblem, solver: &mut dyn LcpSolver) -> Result<(), LcpError> {
    let n = problem.b.len();
    let parts = Decomposition::new(&problem.view())?;
    let mut x = vec![0.0; n];
    let (whole, whole_residual) = timed(|| {
        x.fill(0.0);
        solver.solve(&problem.view(), &mut x).map(|r| r.residual)
    })?;
    let (grouped, residual) = timed(|| {
        x.fill(0.0);
        parts.solve(solver, &mut x).map(|r| r.residual)
    })?;
    println!(
        "| {name} | {} | {n} | {whole:.2} ms ({whole_residual:.0e}) | {grouped:.2} ms ({residual:.0e}) | {:.1} x |",
        parts.groups().len(),
        whole / grouped
    );
    Ok(())
}

fn main() -> Result<(), LcpError> {
    println!("| solver | groups | rows | whole | group by group | speed-up |");
    println!("|---|---|---|---|---|---|");
    for name in ["projected-gauss-seidel", "mprgp", "sparse-principal-pivoting", "newton-minimum-map", "lemke"] {
        for columns in [1, 4, 16] {
            let problem = stack_problem(columns, BOXES, 0.5, 1.0, 1e-4);
            let dense = name.starts_with("newton") || name == "lemke";
            if dense && problem.b.len() > DENSE {
                continue;
            }
            let mut solver = solver_by_name(name)?;
            for (parameter, value) in [("iterations", 2000.0), ("tolerance", 1e-6), ("measure", 2.0)] {
                if parameter != "tolerance" || name != "lemke" {
                    solver.set(parameter, value)?;
                }
            }
            row(name, &problem, solver.as_mut())?;
        }
    }
    Ok(())
}
