//! Baraff's claim (Baraff 1995): a pivoting method costs two to three solutions of one linear system of the same size. Frictionless contact problems,
//! from dumps (`drystone run SCENE --lcp-dump DIR`, folders given as arguments; the largest problem of each) or, without any, from the generator of stacks; time over
//! that of one Cholesky factorisation and solution by faer of A with the same 1e-3 on its diagonal. Writes a Markdown table.
#[path = "shared/largest_dump.rs"]
mod shared;

use drystone_lcp::{BoxedProblem, LcpError, solver_by_name, stack_problem};
use faer::linalg::solvers::Solve;
use shared::largest_dump;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

/// What is added to the diagonal: four contacts a face are one too many, and a linear solution needs a regular matrix.
const REGULARISATION: f64 = 1e-3;
/// Rows of the largest problem that is taken.
const LARGEST: usize = 2000;
/// What a solver is told.
type Settings = &'static [(&'static str, f64)];
/// Solvers and how they are called here.
const SOLVERS: [(&str, &str, Settings); 5] = [
    ("block-principal-pivoting", "", &[]),
    ("dantzig", "", &[]),
    ("dantzig", " without a block start", &[("block_start", 0.0)]),
    ("dantzig", " row by row", &[("block_start", 0.0), ("block", 1.0)]),
    ("newton-minimum-map", "", &[]),
];

/// A dense LCP from a problem's operator.
fn regularised(problem: &BoxedProblem) -> BoxedProblem {
    let mut a = problem.operator.view().to_dense();
    let n = problem.b.len();
    for i in 0..n {
        a.set(i, i, a.get(i, i) + REGULARISATION);
        for j in 0..i {
            // Products in another order may differ in the last bit.
            a.set(i, j, a.get(j, i));
        }
    }
    BoxedProblem::boxed(a, problem.b.clone(), problem.lo.clone(), problem.hi.clone())
}

/// The least of some times in milliseconds.
fn fastest(mut work: impl FnMut() -> Result<(), LcpError>) -> Result<f64, LcpError> {
    let begin = Instant::now();
    work()?;
    let repeats = (0.5 / begin.elapsed().as_secs_f64()).clamp(3.0, 200.0) as usize;
    let mut best = f64::INFINITY;
    for _ in 0..repeats {
        let begin = Instant::now();
        work()?;
        best = best.min(begin.elapsed().as_secs_f64() * 1e3);
    }
    Ok(best)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut problems = Vec::new();
    for path in std::env::args_os().skip(1) {
        problems.extend(largest_dump(Path::new(&path), LARGEST)?);
    }
    if problems.is_empty() {
        problems.extend([1, 3, 10].map(|columns| stack_problem(columns, 25, 0.0, 1.0, 0.0)));
    }
    println!("| n | active | Cholesky | {} |", SOLVERS.map(|(name, kind, _)| format!("{name}{kind}")).join(" | "));
    println!("|---|---|---|{}", "---|".repeat(SOLVERS.len()));
    for problem in &problems {
        let problem = regularised(problem);
        let (view, n) = (problem.view(), problem.b.len());
        let dense = view.operator.to_dense();
        let cholesky = fastest(|| {
            let a = faer::MatRef::from_row_major_slice(dense.entries(), n, n);
            let right = faer::Mat::from_fn(n, 1, |i, _| -problem.b[i]);
            black_box(a.llt(faer::Side::Lower).map(|l| l.solve(&right))).ok();
            Ok(())
        })?;
        let mut cells = Vec::new();
        let (mut x, mut active) = (vec![0.0; n], 0);
        for (name, _, settings) in SOLVERS {
            let mut solver = solver_by_name(name)?;
            for (parameter, value) in settings {
                solver.set(parameter, *value)?;
            }
            let mut solve = || {
                x.fill(0.0);
                solver.solve(&view, &mut x)
            };
            let report = solve()?;
            let time = fastest(|| solve().map(|_| ()))?;
            let residual = report.residual.unwrap_or(f64::NAN);
            cells.push(format!("{:.1} x ({} it., {residual:.0e})", time / cholesky, report.iterations));
            active = x.iter().filter(|x| **x > 0.0).count();
        }
        println!("| {n} | {active} | {cholesky:.3} ms | {} |", cells.join(" | "));
    }
    Ok(())
}
