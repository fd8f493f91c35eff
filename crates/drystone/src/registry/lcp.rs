use super::RegistryError;
use super::shelf::check_name;
use drystone_core::catalogue::{Implementation, Parameter, ParameterKind, Settings, Value};
use drystone_lcp::{
    LcpError, LcpSolver, ParameterInfo, ParameterRange, ProblemKind, SOLVERS, SolverInfo, solver_by_name,
};
use std::sync::{Arc, OnceLock};

/// The one setting of the table that does not belong to the solver.
const WARM_START: Parameter =
    Parameter::switch("warm_start", true, "start from the multipliers of the last solve instead of zero");

/// Makes a solver with its default parameters.
type MakeSolver = dyn Fn() -> Option<Box<dyn LcpSolver>> + Send + Sync;

/// The solvers of complementarity problems.
#[derive(Clone)]
pub(super) struct LcpShelf {
    /// All of them, including those for cones.
    solvers: Vec<SolverInfo>,
    /// The solvers of boxed problems, described like the other modules, and their makers.
    described: Vec<Implementation>,
    make: Vec<Arc<MakeSolver>>,
}

impl Default for LcpShelf {
    fn default() -> Self {
        let boxed = SOLVERS.iter().filter(|s| s.kinds.contains(&ProblemKind::Boxed));
        let make = boxed.map(|s| -> Arc<MakeSolver> { Arc::new(|| solver_by_name(s.name).ok()) });
        Self { solvers: SOLVERS.to_vec(), described: own_descriptions().to_vec(), make: make.collect() }
    }
}

/// Descriptions of this project's solvers, made once and kept as long as the program.
fn own_descriptions() -> &'static [Implementation] {
    static ALL: OnceLock<Vec<Implementation>> = OnceLock::new();
    ALL.get_or_init(|| {
        let boxed = SOLVERS.iter().filter(|s| s.kinds.contains(&ProblemKind::Boxed));
        boxed.map(describe).collect()
    })
}

impl LcpShelf {
    /// Adds another solver.
    pub(super) fn add(
        &mut self,
        info: SolverInfo,
        make: Arc<dyn Fn() -> Box<dyn LcpSolver> + Send + Sync>,
    ) -> Result<(), RegistryError> {
        check_name("lcp", info.name, &self.described)?;
        if self.solvers.iter().any(|s| s.name == info.name) {
            return Err(RegistryError::Taken { table: "lcp", name: info.name });
        }
        self.described.push(describe(&info));
        self.solvers.push(info);
        self.make.push(Arc::new(move || Some(make())));
        Ok(())
    }

    pub(super) fn described(&self) -> &[Implementation] {
        &self.described
    }

    pub(super) fn solvers(&self) -> Vec<SolverInfo> {
        self.solvers.clone()
    }

    /// A solver with its default parameters.
    pub(super) fn make(&self, name: &str) -> Option<Box<dyn LcpSolver>> {
        let at = self.described.iter().position(|d| d.name == name)?;
        self.make[at]()
    }

    /// A solver from its settings.
    ///
    /// # Errors
    /// The solver's own error for a name or a value that it does not accept, or for values that do not go together.
    pub(super) fn build(&self, name: &str, settings: &Settings) -> Result<Box<dyn LcpSolver>, LcpError> {
        let Some(mut solver) = self.make(name) else { return solver_by_name(name) };
        for (parameter, value) in settings.iter().filter(|(p, _)| p.name != WARM_START.name) {
            // only values that differ are set: the solver's own defaults may be more precise than the listing
            if *value != parameter.default_value() {
                solver.set(parameter.name, number_of(parameter, value))?;
            }
        }
        solver.check_parameters()?;
        Ok(solver)
    }
}

/// Returns true if problems start from the multipliers of the last solve.
pub(super) fn starts_warm(settings: &Settings) -> bool {
    settings.switch(WARM_START.name)
}

/// Describes a solver; the description is leaked, so it must be made only once.
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

fn parameter_of(parameter: &ParameterInfo) -> Parameter {
    let ParameterInfo { name, default, range, meaning } = *parameter;
    let real = |most| Parameter::real(name, default, 0.0, most, meaning);
    match range {
        ParameterRange::Whole { least, most } => {
            Parameter::integer(name, default as i64, least as i64, most as i64, meaning)
        }
        ParameterRange::NotNegative | ParameterRange::Positive => real(1e12),
        ParameterRange::Fraction => real(1.0),
        // solvers accept numbers for these, and so did scene files
        ParameterRange::Switch => Parameter::switch(name, default == 1.0, meaning).or_numbered(),
        ParameterRange::Choice(names) => {
            let default = names.get(default as usize).copied().unwrap_or_default();
            Parameter::choice(name, default, names, meaning).or_numbered()
        }
    }
}

/// The number that a solver accepts for a value.
fn number_of(parameter: &Parameter, value: &Value) -> f64 {
    match (value, parameter.kind) {
        (Value::Bool(v), _) => f64::from(u8::from(*v)),
        (Value::Integer(v), _) => *v as f64,
        (Value::Real(v), _) => *v,
        (Value::Text(v), ParameterKind::Choice { options, .. }) => {
            options.iter().position(|name| name == v).unwrap_or(0) as f64
        }
        (Value::Text(_), _) => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn every_listed_solver_is_built_and_knows_its_parameters() {
        let shelf = LcpShelf::default();
        for i in shelf.described() {
            let settings = Settings::defaults(i);
            let solver = shelf.build(i.name, &settings).unwrap();
            assert_eq!((solver.name(), starts_warm(&settings)), (i.name, true));
        }
        for p in SOLVERS.iter().flat_map(|s| s.parameters) {
            let listed = parameter_of(p);
            assert_eq!(number_of(&listed, &listed.default_value()), p.default, "{}", p.name);
        }
    }
}
