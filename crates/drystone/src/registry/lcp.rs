use drystone_core::catalogue::{Implementation, Parameter, ParameterKind, Settings};
use drystone_lcp::{LcpError, LcpSolver, ParameterInfo, ProblemKind, SOLVERS, SolverInfo, solver_by_name};
use std::sync::OnceLock;

/// The one setting of the table that is not the solver's own.
const WARM_START: Parameter =
    Parameter::switch("warm_start", true, "start from the multipliers of the last solve instead of zero");

/// The solvers of boxed problems, described as the other modules are.
pub(super) fn implementations() -> &'static [Implementation] {
    static ALL: OnceLock<Vec<Implementation>> = OnceLock::new();
    ALL.get_or_init(|| {
        let boxed = SOLVERS.iter().filter(|s| s.kinds.contains(&ProblemKind::Boxed));
        boxed.map(describe).collect()
    })
}

/// A solver from its settings.
///
/// # Errors
/// What the solver says of a name or a value that it does not take.
pub(super) fn build(name: &str, settings: &Settings) -> Result<Box<dyn LcpSolver>, LcpError> {
    let mut solver = solver_by_name(name)?;
    let info = SOLVERS.iter().find(|s| s.name == name);
    for parameter in info.map_or(&[][..], |i| i.parameters) {
        let key = key_of(parameter);
        let value = match parameter_of(parameter).kind {
            ParameterKind::Integer { .. } => settings.integer(key) as f64,
            _ => settings.real(key),
        };
        // only what differs is set: the solver's own defaults may be finer than the listing says
        if value != parameter.default {
            solver.set(parameter.name, value)?;
        }
    }
    Ok(solver)
}

/// Whether problems start from the multipliers of the last solve.
pub(super) fn starts_warm(settings: &Settings) -> bool {
    settings.switch(WARM_START.name)
}

/// Sweeps of plain projected Gauss-Seidel, and whether the residual is measured at the end; `None` for anything else.
pub(super) fn plain_sweeps(name: &str, settings: &Settings) -> Option<(usize, bool)> {
    let free = ["iterations", "measure", WARM_START.name];
    let plain = settings.iter().filter(|(p, _)| !free.contains(&p.name)).all(|(p, v)| p.default_value() == *v);
    let measure = settings.integer("measure");
    let iterations = settings.integer("iterations") as usize;
    (name == "projected-gauss-seidel" && plain && measure <= 1).then_some((iterations, measure == 1))
}

/// The listing lives as long as the program: it is made once.
fn describe(info: &SolverInfo) -> Implementation {
    let mut parameters: Vec<Parameter> = info.parameters.iter().map(parameter_of).collect();
    parameters.push(WARM_START);
    let summary = format!("{}; cost: {}; fails: {}", info.method, info.cost, info.fails);
    Implementation {
        name: info.name,
        summary: Box::leak(summary.into_boxed_str()),
        source: info.source,
        parameters: Box::leak(parameters.into_boxed_slice()),
    }
}

/// Scene files spell keys with underscores.
fn key_of(parameter: &ParameterInfo) -> &'static str {
    if parameter.name.contains('-') {
        static KEYS: OnceLock<Vec<(&'static str, String)>> = OnceLock::new();
        let keys = KEYS.get_or_init(|| {
            let all = SOLVERS.iter().flat_map(|s| s.parameters).map(|p| p.name).filter(|n| n.contains('-'));
            all.map(|n| (n, n.replace('-', "_"))).collect()
        });
        return keys.iter().find(|(n, _)| *n == parameter.name).map_or(parameter.name, |(_, k)| k);
    }
    parameter.name
}

fn parameter_of(parameter: &ParameterInfo) -> Parameter {
    let name = key_of(parameter);
    let whole = |max| Parameter::integer(name, parameter.default as i64, 0, max, parameter.meaning);
    match parameter.name {
        "iterations" | "min-iterations" | "permute-every" => whole(1_000_000_000),
        "seed" => whole(1 << 53),
        "measure" => whole(3),
        "sweep" => whole(2),
        "order-by-error" | "ode-diagonal" | "refine" => whole(1),
        _ => Parameter::real(name, parameter.default, 0.0, 1e12, parameter.meaning),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_core::catalogue::Value;

    #[test]
    fn every_listed_solver_is_built_and_knows_its_parameters() {
        for i in implementations() {
            let settings = Settings::defaults(i);
            let solver = build(i.name, &settings).unwrap();
            assert_eq!((solver.name(), starts_warm(&settings)), (i.name, true));
        }
        for p in SOLVERS.iter().flat_map(|s| s.parameters) {
            match parameter_of(p).default_value() {
                Value::Integer(v) => assert_eq!(v as f64, p.default, "{}", p.name),
                v => assert_eq!(v, Value::Real(p.default)),
            }
        }
    }
}
