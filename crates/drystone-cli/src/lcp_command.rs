//! `drystone lcp`: solves problem files with any solver, and says what is in them.

use crate::Failure;
use crate::output::{self, refuse_same};
use clap::{Args, Subcommand};
use drystone::Registry;
use drystone_core::did_you_mean;
use drystone_lcp::{
    DiscPasses, LcpError, LcpReport, LcpStatus, ProblemKind, SolverInfo, cone_residual, cone_solver_by_name,
    is_rounding, natural_residual, solver_by_name,
};
use drystone_lcp_files::{FileProblem, read_problem};
use serde::Serialize;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Arguments of `drystone lcp`.
#[derive(Debug, Args)]
pub(crate) struct LcpArgs {
    #[command(subcommand)]
    command: LcpCommand,
}

#[derive(Debug, Subcommand)]
enum LcpCommand {
    /// Solve problem files.
    Solve(SolveArgs),
    /// Describe problem files.
    Info(InfoArgs),
}

#[derive(Debug, Args)]
struct SolveArgs {
    /// Folders with A.mtx or A.dlm, Siconos' .dat, or dumps of `run --lcp-dump`.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Solvers, separated by commas, or 'all' that accept the problem.
    #[arg(long, default_value = "all", value_delimiter = ',')]
    solver: Vec<String>,
    /// Largest residual that counts as converged.
    #[arg(long, default_value_t = 1e-8, allow_negative_numbers = true)]
    tolerance: f64,
    /// Most sweeps, pivots or Newton steps of a solver.
    #[arg(long, default_value_t = 1000, allow_negative_numbers = true)]
    max_iterations: usize,
    /// Set a solver's parameter: NAME=VALUE; may be repeated.
    #[arg(long = "set", value_name = "NAME=VALUE")]
    settings: Vec<String>,
    /// Start from the file's initial value instead of zero (dumps of a run always do).
    #[arg(long)]
    warm_start: bool,
    /// Write the residual after each iteration as CSV.
    #[arg(long, value_name = "FILE")]
    history: Option<PathBuf>,
    /// Print one JSON array instead of a table.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct InfoArgs {
    /// As for `solve`.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Print one JSON array instead of text.
    #[arg(long)]
    json: bool,
}

/// One row of the output: a file and a solver.
#[derive(Debug, Serialize)]
struct Row {
    file: String,
    kind: &'static str,
    variables: usize,
    solver: &'static str,
    status: &'static str,
    iterations: usize,
    residual: Option<f64>,
    seconds: f64,
    x_inf: Option<f64>,
    w_inf: Option<f64>,
}

/// Description of a file by `lcp info`.
#[derive(Debug, Serialize)]
struct Info {
    file: String,
    kind: &'static str,
    variables: usize,
    dependent: usize,
    two_sided: usize,
    contacts: Option<usize>,
    asymmetry: f64,
    smallest_diagonal: Option<f64>,
    largest_diagonal: Option<f64>,
    residual_of_zero: Option<f64>,
}

/// Runs `drystone lcp`.
pub(crate) fn run(args: &LcpArgs, registry: &Registry) -> Result<(), Failure> {
    let text = match &args.command {
        LcpCommand::Solve(args) => solve(args, registry),
        LcpCommand::Info(args) => info(args),
    };
    output::print(&text.map_err(Failure::Input)?)
}

fn solve(args: &SolveArgs, registry: &Registry) -> Result<String, String> {
    if args.tolerance.is_nan() || args.tolerance < 0.0 {
        return Err(format!("--tolerance: found {}; allowed: a number, zero or more", args.tolerance));
    }
    if let Some(path) = &args.history {
        let read: Vec<_> = args.files.iter().map(|file| ("FILE", file.as_path())).collect();
        refuse_same(&[("--history", path)], &read).map_err(|e| e.to_string())?;
    }
    let settings = args.settings.iter().map(|s| setting(s)).collect::<Result<Vec<_>, _>>()?;
    let chosen = choose(&args.solver, registry)?;
    let mut rows = Vec::new();
    let mut history = String::from("file,solver,iteration,residual\n");
    for path in problems(&args.files) {
        let problem = read(path)?;
        let mut taken = false;
        for info in chosen.iter().filter(|info| takes(info, &problem)) {
            taken = true;
            match solve_one((args, registry), &settings, path, &problem, info, &mut history) {
                Ok(row) => rows.push(row),
                // A solver that cannot take this problem is left out of 'all', and said where it was asked for.
                Err(LcpError::Unsupported { .. } | LcpError::TooManyRows { .. })
                    if args.solver.iter().any(|s| s == "all") => {}
                Err(error) => return Err(format!("{}: {error}", path.display())),
            }
        }
        if !taken {
            return Err(format!("{}: no chosen solver accepts problems of kind {}", path.display(), problem.kind()));
        }
    }
    if let Some(path) = &args.history {
        output::write_file(path, history).map_err(|e| e.to_string())?;
    }
    if args.json { as_json(&rows) } else { Ok(as_table(&rows)) }
}

/// The files without those that belong to a folder named before: `A.mtx b.mtx` is one problem.
fn problems(files: &[PathBuf]) -> Vec<&PathBuf> {
    let mut seen: Vec<&Path> = Vec::new();
    let companion = |path: &Path| path.is_file() && path.extension().is_some_and(|e| e == "mtx" || e == "dlm");
    let mut list = Vec::new();
    for path in files {
        let folder = if companion(path) { path.parent().unwrap_or(path) } else { path };
        if companion(path) && seen.contains(&folder) {
            continue;
        }
        seen.push(folder);
        list.push(path);
    }
    list
}

fn read(path: &Path) -> Result<FileProblem, String> {
    if !path.exists() {
        return Err(format!("{}: no such file or folder", path.display()));
    }
    read_problem(path).map_err(|e| e.to_string())
}

/// `NAME=VALUE`.
fn setting(text: &str) -> Result<(String, f64), String> {
    let wrong = || format!("--set: found {text}; allowed: NAME=VALUE with a number");
    let (name, value) = text.split_once('=').ok_or_else(wrong)?;
    Ok((name.to_string(), value.parse().map_err(|_| wrong())?))
}

fn choose(names: &[String], registry: &Registry) -> Result<Vec<SolverInfo>, String> {
    let solvers = registry.lcp_solvers();
    if names.iter().any(|name| name == "all") {
        return Ok(solvers);
    }
    let known = || solvers.iter().map(|s| s.name).collect::<Vec<_>>().join(", ");
    let unknown =
        |name: &String| format!("--solver: found '{name}'{}; allowed: all, {}", did_you_mean(name, &known()), known());
    let find = |name: &String| solvers.iter().find(|s| s.name == *name).copied().ok_or_else(|| unknown(name));
    names.iter().map(find).collect()
}

fn takes(info: &SolverInfo, problem: &FileProblem) -> bool {
    let kind = match problem.kind() {
        "lcp" => ProblemKind::Lcp,
        "boxed" => ProblemKind::Boxed,
        _ => ProblemKind::Friction,
    };
    info.kinds.contains(&kind)
}

/// Sets what the command line says, where the solver has it.
fn configure(
    args: &SolveArgs,
    settings: &[(String, f64)],
    info: &SolverInfo,
    mut set: impl FnMut(&str, f64) -> Result<(), LcpError>,
) -> Result<(), LcpError> {
    let has = |name: &str| info.parameters.iter().any(|p| p.name == name);
    let measure = if args.history.is_some() { 3.0 } else { 2.0 };
    for (name, value) in
        [("iterations", args.max_iterations as f64), ("tolerance", args.tolerance), ("measure", measure)]
    {
        if has(name) {
            set(name, value)?;
        }
    }
    for (name, value) in settings {
        // With several solvers, a setting goes to those that know it.
        if has(name) || args.solver.len() == 1 && args.solver[0] != "all" {
            set(name, *value)?;
        }
    }
    Ok(())
}

fn solve_one(
    (args, registry): (&SolveArgs, &Registry),
    settings: &[(String, f64)],
    path: &Path,
    problem: &FileProblem,
    info: &SolverInfo,
    history: &mut String,
) -> Result<Row, LcpError> {
    let n = problem.variables();
    let mut x = vec![0.0; n];
    let mut w = vec![0.0; n];
    let report: LcpReport;
    let seconds;
    let residual;
    let residuals: Vec<f64>;
    match problem {
        FileProblem::Boxed { problem, start } => {
            let is_dump = path.extension().is_some_and(|e| e == "json");
            if let (Some(start), true) = (start, args.warm_start || is_dump) {
                x.copy_from_slice(start);
            }
            let solver = registry.lcp_solver(info.name);
            let mut solver = solver.map_or_else(|| solver_by_name(info.name), Ok)?;
            configure(args, settings, info, |name, value| solver.set(name, value))?;
            let begin = Instant::now();
            let mut passes = DiscPasses::default().within(args.max_iterations);
            report = passes.solve(solver.as_mut(), &problem.view(), &mut x)?;
            seconds = begin.elapsed().as_secs_f64();
            residual = natural_residual(&problem.view(), &x, &mut drystone_lcp::ResidualWorkspace::default());
            let operator = problem.operator.view();
            operator.apply(&x, &mut vec![0.0; operator.accumulator_len()], &mut w);
            for (w, b) in w.iter_mut().zip(&problem.b) {
                *w += b;
            }
            residuals = solver.history().to_vec();
        }
        FileProblem::Cone(problem) => {
            let mut solver = cone_solver_by_name(info.name)?;
            configure(args, settings, info, |name, value| solver.set(name, value))?;
            let begin = Instant::now();
            report = solver.solve(problem, &mut x)?;
            seconds = begin.elapsed().as_secs_f64();
            residual = cone_residual(problem, &x);
            problem.velocities(&x, &mut w);
            residuals = solver.history().to_vec();
        }
    }
    let swallowed = matches!(problem, FileProblem::Boxed { problem, .. } if is_rounding(&problem.view(), &x));
    let believed = if swallowed { f64::INFINITY } else { residual };
    for (iteration, residual) in residuals.iter().enumerate() {
        let _ = writeln!(history, "{},{},{iteration},{residual:e}", csv_field(&path.to_string_lossy()), info.name);
    }
    Ok(Row {
        file: path.to_string_lossy().into_owned(),
        kind: problem.kind(),
        variables: n,
        solver: info.name,
        status: judge(report.status, believed, args.tolerance).name(),
        iterations: report.iterations,
        residual: finite(residual),
        seconds,
        x_inf: norm(&x),
        w_inf: norm(&w),
    })
}

/// Converged means what the common residual shows, never the solver's own word.
fn judge(status: LcpStatus, residual: f64, tolerance: f64) -> LcpStatus {
    match status {
        _ if residual <= tolerance => LcpStatus::Converged,
        LcpStatus::Converged => LcpStatus::Stagnated,
        other => other,
    }
}

/// The number, where it is one.
fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

/// The largest magnitude.
fn norm(values: &[f64]) -> Option<f64> {
    finite(values.iter().fold(0.0_f64, |m, v| if v.is_nan() { f64::NAN } else { m.max(v.abs()) }))
}

/// Quotes a field that holds a comma or a quote.
fn csv_field(text: &str) -> String {
    if text.contains([',', '"', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_string() }
}

fn as_json(rows: &[Row]) -> Result<String, String> {
    Ok(serde_json::to_string_pretty(rows).map_err(|e| e.to_string())? + "\n")
}

fn as_table(rows: &[Row]) -> String {
    let mut text = format!(
        "{:36} {:>8} {:16} {:>6} {:>10} {:>10}  file\n",
        "solver", "unknowns", "status", "iter", "residual", "ms"
    );
    for row in rows {
        let residual = row.residual.map_or_else(|| "-".to_string(), |r| format!("{r:.2e}"));
        // writing to a String cannot fail
        let _ = writeln!(
            text,
            "{:36} {:>8} {:16} {:>6} {:>10} {:>10.3}  {}",
            row.solver,
            row.variables,
            row.status,
            row.iterations,
            residual,
            1e3 * row.seconds,
            row.file
        );
    }
    text
}

fn info(args: &InfoArgs) -> Result<String, String> {
    let mut infos = Vec::new();
    for path in problems(&args.files) {
        infos.push(describe(path, &read(path)?));
    }
    if !args.json {
        return Ok(infos.iter().map(text_of).collect());
    }
    Ok(serde_json::to_string_pretty(&infos).map_err(|e| e.to_string())? + "\n")
}

fn text_of(i: &Info) -> String {
    let mut text = format!("{}: {}, {} variables\n", i.file, i.kind, i.variables);
    let number = |v: Option<f64>| v.map_or_else(|| "-".to_string(), |v| format!("{v:.6e}"));
    let mut line = |name: &str, value: String| {
        // writing to a String cannot fail
        let _ = writeln!(text, "  {name:<20}{value}");
    };
    if let Some(contacts) = i.contacts {
        line("contacts", contacts.to_string());
    } else {
        line("dependent bounds", i.dependent.to_string());
        line("two-sided bounds", i.two_sided.to_string());
    }
    line("asymmetry of A", format!("{:.1e}", i.asymmetry));
    line("diagonal", format!("{} to {}", number(i.smallest_diagonal), number(i.largest_diagonal)));
    line("residual at x = 0", number(i.residual_of_zero));
    text
}

fn describe(path: &Path, problem: &FileProblem) -> Info {
    let n = problem.variables();
    let zero = vec![0.0; n];
    let finite = |value: f64| value.is_finite().then_some(value);
    let (dense, dependent, two_sided, contacts, residual) = match problem {
        FileProblem::Boxed { problem, .. } => {
            let view = problem.view();
            let dependent = (0..n).filter(|&i| view.parent(i).is_some()).count();
            let two_sided = (0..n)
                .filter(|&i| view.parent(i).is_none() && view.lo[i].is_finite() && view.hi[i].is_finite())
                .count();
            let residual = natural_residual(&view, &zero, &mut drystone_lcp::ResidualWorkspace::default());
            (problem.operator.view().to_dense(), dependent, two_sided, None, residual)
        }
        FileProblem::Cone(problem) => {
            (problem.operator.view().to_dense(), 0, 0, Some(problem.contacts()), cone_residual(problem, &zero))
        }
    };
    let diagonal: Vec<f64> = (0..n).map(|i| dense.get(i, i)).collect();
    Info {
        file: path.to_string_lossy().into_owned(),
        kind: problem.kind(),
        variables: n,
        dependent,
        two_sided,
        contacts,
        asymmetry: dense.asymmetry(),
        smallest_diagonal: finite(diagonal.iter().copied().fold(f64::INFINITY, f64::min)),
        largest_diagonal: finite(diagonal.iter().copied().fold(f64::NEG_INFINITY, f64::max)),
        residual_of_zero: finite(residual),
    }
}
