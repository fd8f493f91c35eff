//! All solvers on one problem: a file or folder given on the command line, else a stack of ten boxes with friction.
use drystone_lcp::{BoxedProblem, LcpError, ProblemKind, SOLVERS, solver_by_name, stack_problem};
use drystone_lcp_files::{FileProblem, read_problem};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let problem = match std::env::args_os().nth(1) {
        None => stack_problem(1, 10, 0.5, 1.0, 0.0),
        Some(path) => match read_problem(path.as_ref())? {
            FileProblem::Boxed { problem, .. } => problem,
            FileProblem::Cone(_) => return Err("this example takes LCPs and boxed LCPs".into()),
        },
    };
    compare(&problem)?;
    Ok(())
}

fn compare(problem: &BoxedProblem) -> Result<(), LcpError> {
    println!("{} rows", problem.b.len());
    println!("{:36} {:16} {:>6} {:>10} {:>10}", "solver", "status", "iter", "residual", "ms");
    for info in SOLVERS.iter().filter(|info| info.kinds.contains(&ProblemKind::Boxed)) {
        let mut solver = solver_by_name(info.name)?;
        for (name, value) in [("iterations", 300.0), ("tolerance", 1e-9), ("measure", 2.0)] {
            if info.parameters.iter().any(|p| p.name == name) {
                solver.set(name, value)?;
            }
        }
        let mut x = vec![0.0; problem.b.len()];
        let begin = Instant::now();
        match solver.solve(&problem.view(), &mut x) {
            Ok(report) => println!(
                "{:36} {:16} {:>6} {:>10.2e} {:>10.3}",
                info.name,
                report.status.name(),
                report.iterations,
                report.residual.unwrap_or(f64::NAN),
                1e3 * begin.elapsed().as_secs_f64()
            ),
            Err(LcpError::Unsupported { what, .. }) => println!("{:36} does not take {what}", info.name),
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[test]
fn it_runs() {
    compare(&stack_problem(1, 3, 0.5, 1.0, 0.0)).unwrap();
}
