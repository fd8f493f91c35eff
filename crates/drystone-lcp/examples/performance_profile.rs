//! A performance profile after Dolan and More: for each solver the share of problems solved within a factor of the fastest's time.
//! Writes `performance-profile.csv` and `performance-profile.svg` into the folder given (default: here). Problems: generated families and stacks.
use drystone_lcp::{BoxedProblem, MatrixFamily, ProblemGenerator, ProblemKind, SOLVERS, solver_by_name, stack_problem};
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Instant;

const TOLERANCE: f64 = 1e-6;
/// Factors of the fastest time at which the shares are taken.
const FACTORS: [f64; 9] = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 1000.0, 10_000.0];

fn problems() -> Vec<BoxedProblem> {
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
            problems.push(generator.lcp().0);
            problems.push(generator.boxed().0);
        }
    }
    for height in [5, 10, 20] {
        problems.push(stack_problem(1, height, 0.5, 1.0, 0.0));
        problems.push(stack_problem(1, height, 0.0, 2.0, 0.0));
    }
    problems
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(std::env::args_os().nth(1).unwrap_or_else(|| ".".into()));
    let problems = problems();
    let names: Vec<&str> = SOLVERS
        .iter()
        .filter(|s| s.kinds.contains(&ProblemKind::Boxed) && s.name != "enumeration")
        .map(|s| s.name)
        .collect();

    // Seconds per solver and problem, infinite where it was not solved.
    let mut seconds = vec![vec![f64::INFINITY; problems.len()]; names.len()];
    for (s, name) in names.iter().enumerate() {
        for (p, problem) in problems.iter().enumerate() {
            let mut solver = solver_by_name(name)?;
            for (parameter, value) in [("iterations", 2000.0), ("tolerance", TOLERANCE), ("measure", 2.0)] {
                // Lemke has no tolerance to set.
                let _ = solver.set(parameter, value);
            }
            let mut x = vec![0.0; problem.b.len()];
            let begin = Instant::now();
            if let Ok(report) = solver.solve(&problem.view(), &mut x)
                && report.residual.is_some_and(|r| r <= TOLERANCE)
            {
                seconds[s][p] = begin.elapsed().as_secs_f64();
            }
        }
    }
    let fastest: Vec<f64> =
        (0..problems.len()).map(|p| seconds.iter().fold(f64::INFINITY, |m, s| m.min(s[p]))).collect();

    let mut csv = format!("solver,{}\n", FACTORS.map(|f| f.to_string()).join(","));
    let mut svg = String::from("<svg xmlns='http://www.w3.org/2000/svg' viewBox='-40 -20 860 640' font-size='11'>");
    for (s, name) in names.iter().enumerate() {
        let share = |factor: f64| {
            let within =
                (0..problems.len()).filter(|&p| seconds[s][p] <= factor * fastest[p] && seconds[s][p].is_finite());
            within.count() as f64 / problems.len() as f64
        };
        let shares = FACTORS.map(share);
        let _ = writeln!(csv, "{name},{}", shares.map(|v| format!("{v:.3}")).join(","));
        let hue = 360 * s / names.len();
        let mut path = String::new();
        for (k, (factor, share)) in FACTORS.iter().zip(shares).enumerate() {
            let _ = write!(
                path,
                "{}{:.1} {:.1}",
                if k == 0 { "M" } else { "L" },
                140.0 * factor.log10(),
                560.0 * (1.0 - share)
            );
        }
        let y = 18.0 * s as f64 + 12.0;
        let _ = write!(
            svg,
            "<path d='{path}' fill='none' stroke='hsl({hue},80%,40%)'/><text x='575' y='{y}' fill='hsl({hue},80%,40%)'>{name}</text>"
        );
    }
    svg.push_str("<path d='M0 0V560H560' fill='none' stroke='#000'/><text x='180' y='590'>factor of the fastest time, 1 to 10^4</text></svg>");
    std::fs::write(folder.join("performance-profile.csv"), &csv)?;
    std::fs::write(folder.join("performance-profile.svg"), svg)?;
    print!("{csv}");
    Ok(())
}
