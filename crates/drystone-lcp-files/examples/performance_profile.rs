//! Performance profiles after Dolan and More: for each solver the share of problems solved to a residual of 1e-3, 1e-6 and 1e-9 within a factor of the
//! fastest solver's time. Problems: generated families, stacks, round cones, and the largest problem of each folder of dumps
//! (`drystone run SCENE --lcp-dump DIR`) named after the first argument, the folder for `performance-profile.csv` and `.svg` (default: here).
#[path = "shared/largest_dump.rs"]
mod shared;

use drystone_lcp::{
    BoxedProblem, ConeProblem, LcpError, MatrixFamily, ProblemGenerator, ProblemKind, SOLVERS, SolverInfo,
    cone_problem, cone_residual, cone_solver_by_name, solver_by_name, stack_problem,
};
use shared::largest_dump;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

const TOLERANCES: [f64; 3] = [1e-3, 1e-6, 1e-9];
const ITERATIONS: f64 = 2000.0;
/// Rows of the largest dump that is taken: dense methods shall come to an end too.
const LARGEST: usize = 260;
/// Factors of the fastest time at which the shares are taken.
const FACTORS: [f64; 9] = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 1000.0, 10_000.0];

enum Problem {
    Boxed(BoxedProblem),
    Cone(ConeProblem),
}

fn generated() -> Vec<Problem> {
    let mut problems = Vec::new();
    for seed in 0..3 {
        for family in [
            MatrixFamily::PositiveDefinite,
            MatrixFamily::PositiveSemidefinite { rank: 20 },
            MatrixFamily::UnsymmetricP,
            MatrixFamily::IllConditioned { condition: 1e4 },
            MatrixFamily::ContactChain { cfm: 1e-6 },
        ] {
            let generator = ProblemGenerator { rows: 40, family, active: 0.6, seed };
            problems.push(Problem::Boxed(generator.lcp().0));
            problems.push(Problem::Boxed(generator.boxed().0));
        }
    }
    for height in [5, 10, 20] {
        problems.push(Problem::Boxed(stack_problem(1, height, 0.5, 1.0, 0.0)));
        problems.push(Problem::Boxed(stack_problem(1, height, 0.0, 2.0, 0.0)));
    }
    for seed in 0..4 {
        for contacts in [4, 12, 30] {
            problems.push(Problem::Cone(cone_problem(contacts, 0.3 + 0.2 * seed as f64, seed).0));
        }
    }
    problems
}

/// Seconds to the tolerance, infinite where it is not reached, `None` where the solver takes no such problem.
fn seconds(info: &SolverInfo, problem: &Problem, tolerance: f64) -> Result<Option<f64>, LcpError> {
    let kind = if matches!(problem, Problem::Cone(_)) { ProblemKind::Friction } else { ProblemKind::Boxed };
    if !info.kinds.contains(&kind) {
        return Ok(None);
    }
    let settings = [("iterations", ITERATIONS), ("tolerance", tolerance), ("measure", 2.0)];
    let known = settings.iter().filter(|(name, _)| info.parameters.iter().any(|p| p.name == *name));
    let begin;
    let (spent, residual) = match problem {
        Problem::Boxed(problem) => {
            let mut solver = solver_by_name(info.name)?;
            for (name, value) in known {
                solver.set(name, *value)?;
            }
            let mut x = vec![0.0; problem.b.len()];
            begin = Instant::now();
            let report = match solver.solve(&problem.view(), &mut x) {
                Err(LcpError::Unsupported { .. }) => return Ok(Some(f64::INFINITY)),
                report => report?,
            };
            (begin.elapsed(), report.residual.unwrap_or(f64::INFINITY))
        }
        Problem::Cone(problem) => {
            let mut solver = cone_solver_by_name(info.name)?;
            for (name, value) in known {
                solver.set(name, *value)?;
            }
            let mut r = vec![0.0; problem.rows()];
            begin = Instant::now();
            solver.solve(problem, &mut r)?;
            (begin.elapsed(), cone_residual(problem, &r))
        }
    };
    Ok(Some(if residual <= tolerance { spent.as_secs_f64() } else { f64::INFINITY }))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let folder = PathBuf::from(arguments.next().unwrap_or_else(|| ".".into()));
    let mut problems = generated();
    for dumps in arguments {
        problems.extend(largest_dump(Path::new(&dumps), LARGEST)?.map(Problem::Boxed));
    }
    let solvers: Vec<&SolverInfo> = SOLVERS.iter().filter(|s| s.name != "enumeration").collect();

    let mut csv = format!("tolerance,solver,problems,{},solved\n", FACTORS.map(|f| f.to_string()).join(","));
    let mut svg = String::from(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='-40 -30 860 2020' font-size='10' font-family='sans-serif'>",
    );
    for (panel, tolerance) in TOLERANCES.into_iter().enumerate() {
        let mut times = Vec::new();
        for info in &solvers {
            times.push(problems.iter().map(|p| seconds(info, p, tolerance)).collect::<Result<Vec<_>, _>>()?);
        }
        let fastest: Vec<f64> =
            (0..problems.len()).map(|p| times.iter().filter_map(|t| t[p]).fold(f64::INFINITY, f64::min)).collect();
        let top = 670.0 * panel as f64;
        let _ = write!(svg, "<g transform='translate(0 {top})'><text x='200' y='-8'>residual {tolerance:e}</text>");
        for (s, (info, times)) in solvers.iter().zip(&times).enumerate() {
            let taken: Vec<(f64, f64)> = times.iter().zip(&fastest).filter_map(|(t, f)| t.map(|t| (t, *f))).collect();
            let share = |within: &dyn Fn(f64, f64) -> bool| {
                taken.iter().filter(|(t, f)| t.is_finite() && within(*t, *f)).count() as f64 / taken.len().max(1) as f64
            };
            let shares = FACTORS.map(|factor| share(&|t, f| t <= factor * f));
            let solved = share(&|_, _| true);
            let cells = shares.map(|v| format!("{v:.3}")).join(",");
            let _ = writeln!(csv, "{tolerance:e},{},{},{cells},{solved:.3}", info.name, taken.len());
            let hue = 360 * s / solvers.len();
            let mut path = String::new();
            for (k, (factor, share)) in FACTORS.iter().zip(shares).enumerate() {
                let letter = if k == 0 { "M" } else { "L" };
                let _ = write!(path, "{letter}{:.1} {:.1}", 140.0 * factor.log10(), 560.0 * (1.0 - share));
            }
            let y = 17.0 * s as f64 + 8.0;
            let name = info.name;
            let colour = format!("hsl({hue},80%,40%)");
            let _ = write!(
                svg,
                "<path d='{path}' fill='none' stroke='{colour}'/><text x='575' y='{y}' fill='{colour}'>{name}</text>"
            );
        }
        svg.push_str("<path d='M0 0V560H560' fill='none' stroke='#000'/>");
        svg.push_str("<text x='180' y='585'>factor of the fastest time, 1 to 10^4</text></g>");
    }
    svg.push_str("</svg>\n");
    std::fs::write(folder.join("performance-profile.csv"), &csv)?;
    std::fs::write(folder.join("performance-profile.svg"), svg)?;
    print!("{csv}");
    Ok(())
}
