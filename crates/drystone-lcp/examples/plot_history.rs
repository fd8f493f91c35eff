//! The residual against the iteration, for a few solvers on a stack of twenty boxes, as an SVG on standard output.
use drystone_lcp::{LcpError, solver_by_name, stack_problem};
use std::fmt::Write;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 400.0;
const ITERATIONS: usize = 200;
/// Decades shown, from 1 down.
const DECADES: f64 = 14.0;

fn main() -> Result<(), LcpError> {
    let problem = stack_problem(1, 20, 0.5, 1.0, 0.0);
    let mut svg = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='-50 -20 {} {}' font-size='12'>",
        WIDTH + 260.0,
        HEIGHT + 60.0
    );
    for decade in 0..=DECADES as usize {
        let y = HEIGHT * decade as f64 / DECADES;
        let _ = write!(svg, "<path d='M0 {y}h{WIDTH}' stroke='#ddd'/><text x='-45' y='{}'>1e-{decade}</text>", y + 4.0);
    }
    let chosen = [
        ("projected-gauss-seidel", "#000"),
        ("projected-sor", "#777"),
        ("nonsmooth-conjugate-gradient", "#c40"),
        ("accelerated-projected-gradient", "#06c"),
        ("mprgp", "#090"),
        ("newton-fischer-burmeister", "#90c"),
    ];
    for (k, (name, colour)) in chosen.into_iter().enumerate() {
        let mut solver = solver_by_name(name)?;
        solver.set("iterations", ITERATIONS as f64)?;
        solver.set("tolerance", 1e-13)?;
        solver.set("measure", 3.0)?;
        let mut x = vec![0.0; problem.b.len()];
        solver.solve(&problem.view(), &mut x)?;
        let mut path = String::new();
        for (i, residual) in solver.history().iter().enumerate() {
            let px = WIDTH * i as f64 / ITERATIONS as f64;
            let py = HEIGHT * (-residual.max(1e-300).log10()).clamp(0.0, DECADES) / DECADES;
            let _ = write!(path, "{}{px:.1} {py:.1}", if i == 0 { "M" } else { "L" });
        }
        let y = 20.0 * k as f64 + 12.0;
        let _ = write!(
            svg,
            "<path d='{path}' fill='none' stroke='{colour}'/><text x='{}' y='{y}' fill='{colour}'>{name}</text>",
            WIDTH + 10.0
        );
    }
    println!("{svg}<text x='250' y='{}'>iterations, 0 to {ITERATIONS}</text></svg>", HEIGHT + 25.0);
    Ok(())
}

#[test]
fn it_runs() {
    main().unwrap();
}
