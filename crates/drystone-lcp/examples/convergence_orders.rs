//! Iterations to a residual of 1e-6 against the height of a stack, and the order p of iterations ~ N^p between heights:
//! Table 6.2 of Erleben 2005, measured. N is the number of variables. Writes a Markdown table.
use drystone_lcp::{LcpError, power_law_exponent, solver_by_name, stack_problem};

const HEIGHTS: [usize; 4] = [4, 8, 16, 32];
const LIMIT: f64 = 60_000.0;

fn main() -> Result<(), LcpError> {
    println!("| solver | theory | {} | measured order |", HEIGHTS.map(|h| format!("N = {}", 4 * h)).join(" | "));
    println!("|---|---|{}---|", "---|".repeat(HEIGHTS.len()));
    for (name, theory) in [
        ("projected-jacobi", "2"),
        ("projected-gauss-seidel", "2"),
        ("projected-sor", "2 (1.5 at the best omega)"),
        ("nonsmooth-conjugate-gradient", "1.5"),
        ("mprgp", "1.5"),
        ("accelerated-projected-gradient", "-"),
        ("two-level-gauss-seidel", "-"),
        ("newton-minimum-map", "-"),
    ] {
        let mut iterations = Vec::new();
        for height in HEIGHTS {
            let problem = stack_problem(1, height, 0.0, 1.0, 0.0);
            let mut solver = solver_by_name(name)?;
            for (parameter, value) in [("iterations", LIMIT), ("tolerance", 1e-6), ("measure", 2.0)] {
                solver.set(parameter, value)?;
            }
            let mut x = vec![0.0; problem.b.len()];
            let report = solver.solve(&problem.view(), &mut x)?;
            iterations.push(report.iterations as f64);
        }
        let points: Vec<(f64, f64)> =
            HEIGHTS.iter().zip(&iterations).skip(1).map(|(h, i)| (4.0 * *h as f64, *i)).collect();
        let order = power_law_exponent(&points).unwrap_or(f64::NAN);
        let cells: Vec<String> =
            iterations.iter().map(|i| if *i >= LIMIT { "> 60000".into() } else { i.to_string() }).collect();
        println!("| {name} | {theory} | {} | {order:.2} |", cells.join(" | "));
    }
    Ok(())
}
