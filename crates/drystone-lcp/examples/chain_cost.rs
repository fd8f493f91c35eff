//! What a chain of ball joints costs by its length and by the mass at its end: sparse direct solution beside Gauss-Seidel. Writes a Markdown table.
use drystone_lcp::{LcpError, LcpSolver, ProjectedGaussSeidel, SparsePrincipalPivoting, chain_problem};
use std::time::Instant;

fn main() -> Result<(), LcpError> {
    println!(
        "| links | end mass | first solve | warm solve | a link | entries of L | largest impulse | relative residual | Gauss-Seidel, 100 sweeps |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for links in [100, 1000, 10_000] {
        for end_mass in [1.0, 100.0, 1e6] {
            let problem = chain_problem(links, end_mass);
            let view = problem.view();
            let mut x = vec![0.0; problem.b.len()];
            let mut solver = SparsePrincipalPivoting::default();
            let begin = Instant::now();
            solver.solve(&view, &mut x)?;
            let first = begin.elapsed().as_secs_f64() * 1e3;
            let (mut warm, mut residual) = (f64::INFINITY, f64::NAN);
            for _ in 0..7 {
                x.fill(0.0);
                let begin = Instant::now();
                residual = solver.solve(&view, &mut x)?.residual.unwrap_or(f64::NAN);
                warm = warm.min(begin.elapsed().as_secs_f64() * 1e3);
            }
            let scale = |x: &[f64], b: &[f64]| {
                (0..x.len()).fold(0.0_f64, |m, i| m.max(b[i].abs()).max(view.operator.diagonal(i) * x[i].abs()))
            };
            let relative = residual / scale(&x, &problem.b);
            let mut y = vec![0.0; x.len()];
            let sweeps = ProjectedGaussSeidel { iterations: 100, ..Default::default() }.solve(&view, &mut y)?;
            println!(
                "| {links} | {end_mass} | {first:.2} ms | {warm:.2} ms | {:.2} us | {} | {:.3e} | {relative:.1e} | {:.1e} |",
                1e3 * warm / links as f64,
                solver.workspace.factor_entries(),
                x.iter().fold(0.0_f64, |m, v| m.max(v.abs())),
                sweeps.residual.unwrap_or(f64::NAN),
            );
        }
    }
    Ok(())
}
