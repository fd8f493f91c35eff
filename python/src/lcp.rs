//! Complementarity problems given as arrays.

use crate::error::{Done, Fail, detached};
use drystone_lcp::{
    BoxedProblem, ConeProblem, DenseOperator, DiscPasses, LcpStatus, NO_DEPENDENCY, Operator, ProblemKind,
    ResidualWorkspace, SOLVERS, SolverInfo, SparseOperator, cone_residual, cone_solver_by_name, natural_residual,
    solver_by_name, solver_info,
};
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use serde_json::json;
use std::time::Instant;

/// The solvers with their parameters, as JSON.
#[pyfunction]
pub(crate) fn lcp_solvers() -> String {
    let all: Vec<_> = SOLVERS
        .iter()
        .map(|s| {
            let parameters: Vec<_> = s
                .parameters
                .iter()
                .map(|p| json!({ "name": p.name, "default": p.default, "meaning": p.meaning }))
                .collect();
            json!({ "name": s.name, "kinds": s.kinds.iter().map(|k| k.name()).collect::<Vec<_>>(), "method": s.method,
                    "source": s.source, "cost": s.cost, "fails": s.fails, "parameters": parameters })
        })
        .collect();
    json!(all).to_string()
}

/// What to solve, without Python's arrays.
enum Problem {
    Boxed(BoxedProblem),
    Cone(ConeProblem),
}

/// How to solve it.
struct Order {
    solver: String,
    settings: Vec<(String, f64)>,
    tolerance: f64,
    max_iterations: usize,
    history: bool,
}

/// What came out.
struct Answer {
    x: Vec<f64>,
    w: Vec<f64>,
    status: LcpStatus,
    iterations: usize,
    residual: f64,
    seconds: f64,
    history: Vec<f64>,
}

fn vector(array: Option<PyReadonlyArray1<'_, f64>>, n: usize, fill: f64) -> Vec<f64> {
    array.map_or_else(|| vec![fill; n], |a| a.as_array().to_vec())
}

fn operator(
    dense: Option<PyReadonlyArray2<'_, f64>>,
    sparse: Option<(PyReadonlyArray1<'_, i64>, PyReadonlyArray1<'_, i64>, PyReadonlyArray1<'_, f64>)>,
    n: usize,
) -> Done<Operator> {
    if let Some(a) = dense {
        if a.shape() != [n, n] {
            return Err(Fail::Input(format!(
                "A: found the shape {:?}; allowed: ({n}, {n}), as b has {n} entries",
                a.shape()
            )));
        }
        return Ok(DenseOperator::from_row_major(n, a.as_array().iter().copied().collect())?.into());
    }
    let Some((rows, columns, values)) = sparse else { return Err(Fail::Input("A is missing".to_owned())) };
    let (rows, columns, values) = (rows.as_array(), columns.as_array(), values.as_array());
    let triplets: Vec<(usize, usize, f64)> =
        rows.iter().zip(columns).zip(values).map(|((&i, &j), &v)| (i as usize, j as usize, v)).collect();
    Ok(SparseOperator::from_triplets(n, &triplets)?.into())
}

/// Sets what is asked for; what is set for every solver only where it has it.
fn configure(
    order: &Order,
    info: &SolverInfo,
    mut set: impl FnMut(&str, f64) -> Result<(), drystone_lcp::LcpError>,
) -> Done<()> {
    let measure = if order.history { 3.0 } else { 2.0 };
    let general = [("iterations", order.max_iterations as f64), ("tolerance", order.tolerance), ("measure", measure)];
    for (name, value) in general {
        if info.parameters.iter().any(|p| p.name == name) {
            set(name, value)?;
        }
    }
    for (name, value) in &order.settings {
        set(name, *value)?;
    }
    Ok(())
}

fn solve(problem: &Problem, order: &Order, mut x: Vec<f64>) -> Done<Answer> {
    let info = solver_info(&order.solver).ok_or_else(|| {
        let all: Vec<_> = SOLVERS.iter().map(|s| s.name).collect();
        Fail::Input(format!("no solver is named '{}'; allowed: {}", order.solver, all.join(", ")))
    })?;
    let kind = match problem {
        Problem::Boxed(p) if p.view().is_standard() => ProblemKind::Lcp,
        Problem::Boxed(_) => ProblemKind::Boxed,
        Problem::Cone(_) => ProblemKind::Friction,
    };
    if !info.kinds.contains(&kind) {
        return Err(Fail::Input(format!("'{}' takes no problems of the kind '{}'", info.name, kind.name())));
    }
    let mut w = vec![0.0; x.len()];
    let (report, seconds, history, residual);
    match problem {
        Problem::Boxed(p) => {
            let mut solver = solver_by_name(info.name)?;
            configure(order, info, |name, value| solver.set(name, value))?;
            let begin = Instant::now();
            let mut passes = DiscPasses::default().within(order.max_iterations);
            report = passes.solve(solver.as_mut(), &p.view(), &mut x)?;
            seconds = begin.elapsed().as_secs_f64();
            history = solver.history().to_vec();
            residual = natural_residual(&p.view(), &x, &mut ResidualWorkspace::default());
            let view = p.operator.view();
            view.apply(&x, &mut vec![0.0; view.accumulator_len()], &mut w);
            w.iter_mut().zip(&p.b).for_each(|(w, b)| *w += b);
        }
        Problem::Cone(p) => {
            let mut solver = cone_solver_by_name(info.name)?;
            configure(order, info, |name, value| solver.set(name, value))?;
            let begin = Instant::now();
            report = solver.solve(p, &mut x)?;
            seconds = begin.elapsed().as_secs_f64();
            history = solver.history().to_vec();
            residual = cone_residual(p, &x);
            p.velocities(&x, &mut w);
        }
    }
    // what the common residual shows, never the solver's own word
    let status = match report.status {
        _ if residual <= order.tolerance => LcpStatus::Converged,
        LcpStatus::Converged => LcpStatus::Stagnated,
        other => other,
    };
    Ok(Answer { x, w, status, iterations: report.iterations, residual, seconds, history })
}

type Found<'py> =
    (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, &'static str, usize, f64, f64, Bound<'py, PyArray1<f64>>);

/// Solves w = A x + b within bounds, or a problem of cones where `cone_mu` is given.
#[pyfunction]
pub(crate) fn lcp_solve<'py>(
    py: Python<'py>,
    dense: Option<PyReadonlyArray2<'py, f64>>,
    sparse: Option<(PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, f64>)>,
    b: PyReadonlyArray1<'py, f64>,
    lo: Option<PyReadonlyArray1<'py, f64>>,
    hi: Option<PyReadonlyArray1<'py, f64>>,
    dependency: Option<PyReadonlyArray1<'py, i64>>,
    mu: Option<PyReadonlyArray1<'py, f64>>,
    cone_mu: Option<PyReadonlyArray1<'py, f64>>,
    cone_dimension: usize,
    x0: Option<PyReadonlyArray1<'py, f64>>,
    solver: String,
    settings: Vec<(String, f64)>,
    tolerance: f64,
    max_iterations: usize,
    history: bool,
) -> PyResult<Found<'py>> {
    let b = b.as_array().to_vec();
    let n = b.len();
    let operator = operator(dense, sparse, n)?;
    let x = vector(x0, n, 0.0);
    let problem = if let Some(mu) = cone_mu {
        Problem::Cone(ConeProblem { operator, q: b, mu: mu.as_array().to_vec(), dimension: cone_dimension })
    } else {
        let row = |&j: &i64| match u32::try_from(j) {
            Ok(j) => Ok(j),
            Err(_) if j == -1 => Ok(NO_DEPENDENCY),
            Err(_) => Err(Fail::Input(format!("dependency: found {j}; allowed: a row, or -1 for none"))),
        };
        let dependency: Vec<u32> =
            dependency.map_or(Ok(Vec::new()), |d| d.as_array().iter().map(row).collect::<Done<_>>())?;
        let mu = mu.map_or_else(|| vec![0.0; dependency.len()], |m| m.as_array().to_vec());
        Problem::Boxed(BoxedProblem {
            operator,
            lo: vector(lo, n, 0.0),
            hi: vector(hi, n, f64::INFINITY),
            b,
            dependency,
            mu,
            partner: Vec::new(),
        })
    };
    let order = Order { solver, settings, tolerance, max_iterations, history };
    let a = detached(py, || {
        match &problem {
            Problem::Boxed(p) => p.view().validate()?,
            Problem::Cone(p) => p.validate()?,
        }
        solve(&problem, &order, x)
    })?;
    let array = |v: Vec<f64>| PyArray1::from_vec(py, v);
    Ok((array(a.x), array(a.w), a.status.name(), a.iterations, a.residual, a.seconds, array(a.history)))
}
