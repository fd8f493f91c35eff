use super::{Cursor, Reading, some_of};
use crate::document::{self, quote};
use crate::fault::{FaultKind, Location};
use drystone_core::catalogue::{Implementation, Settings, Value};
use drystone_math::Real;

/// What a build offers: the paradigms, and for each table of `[simulation]` the implementations there are.
#[derive(Debug, Clone, Default)]
pub struct ModuleCatalogue {
    /// By the table's key, like `broad_phase`.
    pub modules: Vec<(&'static str, Vec<Implementation>)>,
    /// Names of presets.
    pub paradigms: Vec<&'static str>,
}

impl ModuleCatalogue {
    /// The key that names the implementation in a table: `solver` for complementarity solvers, else `kind`.
    pub fn name_key(table: &str) -> &'static str {
        if table == "lcp" { "solver" } else { "kind" }
    }
}

/// A parameter that the scene sets.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// Its key.
    pub key: String,
    /// Its value.
    pub value: Value,
    /// Where it stands.
    pub location: Location,
}

/// A table of `[simulation]`: what the scene says about one module.
#[derive(Debug, Clone, PartialEq)]
pub struct ModuleChoice {
    /// The table's key.
    pub table: &'static str,
    /// The implementation, where the scene names one; else the settings are for the paradigm's own choice.
    pub kind: Option<String>,
    /// The parameters, checked where the scene names the implementation.
    pub settings: Vec<Setting>,
    /// Where it stands.
    pub location: Location,
}

/// The section `[simulation]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Simulation {
    /// Name of the preset.
    pub paradigm: String,
    /// Where the preset is named; the whole scene where it is not.
    pub paradigm_location: Location,
    /// Time step (s).
    pub time_step: Real,
    /// Whether a run that diverges is stopped.
    pub limits: bool,
    /// What the scene says about single modules.
    pub modules: Vec<ModuleChoice>,
}

/// The paradigm of a scene that names none.
const DEFAULT_PARADIGM: &str = "velocity-lcp";
/// The time step of a scene that names none (s), the thesis' own.
const DEFAULT_STEP: Real = 0.01;

/// Reads `[simulation]`.
pub(crate) fn read_simulation(at: Option<&Cursor<'_>>, catalogue: &ModuleCatalogue, r: &mut Reading) -> Simulation {
    let mut simulation = Simulation {
        paradigm: DEFAULT_PARADIGM.to_owned(),
        paradigm_location: Location { file: r.file.clone(), ..Location::default() },
        time_step: DEFAULT_STEP,
        limits: true,
        modules: Vec::new(),
    };
    let Some(mut f) = at.and_then(|c| c.fields(r)) else { return simulation };
    if let Some(c) = f.get("paradigm") {
        simulation.paradigm_location = r.location(&c);
        if let Some(name) = c.text(r) {
            if !catalogue.paradigms.contains(&name) {
                let allowed = catalogue.paradigms.join(", ");
                r.fault(&c, FaultKind::Reference { what: "paradigm", found: quote(name), allowed });
            }
            name.clone_into(&mut simulation.paradigm);
        }
    }
    if let Some(c) = f.get("time_step") {
        simulation.time_step = c.positive(r).unwrap_or(DEFAULT_STEP);
    }
    if let Some(mut limits) = f.get("limits").and_then(|c| c.fields(r)) {
        if let Some(c) = limits.get("enabled") {
            simulation.limits = c.boolean(r).unwrap_or(true);
        }
        limits.finish(r);
    }
    for (table, implementations) in &catalogue.modules {
        if let Some(c) = f.get(table)
            && let Some(choice) = read_choice(&c, table, implementations, r)
        {
            simulation.modules.push(choice);
        }
    }
    f.finish(r);
    simulation
}

fn read_choice(
    at: &Cursor<'_>,
    table: &'static str,
    implementations: &[Implementation],
    r: &mut Reading,
) -> Option<ModuleChoice> {
    let entries = at.entries(r)?;
    let name_key = ModuleCatalogue::name_key(table);
    let mut kind = None;
    let mut settings = Vec::new();
    for (key, c) in &entries {
        if *key == name_key {
            kind = c.text(r).map(|name| (name.to_owned(), c));
        } else if let Some(value) = read_value(c, r) {
            settings.push(Setting { key: (*key).to_owned(), value, location: r.location(c) });
        }
    }
    if let Some((name, c)) = &kind {
        let Some(implementation) = implementations.iter().find(|i| i.name == name) else {
            let names: Vec<&str> = implementations.iter().map(|i| i.name).collect();
            r.fault(
                c,
                FaultKind::Reference { what: "implementation", found: quote(name), allowed: some_of(name, &names) },
            );
            return None;
        };
        let mut checked = Settings::defaults(implementation);
        for s in &settings {
            if let Err(e) = checked.set(&s.key, &s.value) {
                r.faults.push(s.location.clone(), FaultKind::Setting(e));
            }
        }
    }
    Some(ModuleChoice { table, kind: kind.map(|(name, _)| name), settings, location: r.location(at) })
}

fn read_value(c: &Cursor<'_>, r: &mut Reading) -> Option<Value> {
    match &c.node().value {
        document::Value::Bool(v) => Some(Value::Bool(*v)),
        document::Value::Integer(v) => Some(Value::Integer(*v)),
        document::Value::Real(v) if v.is_finite() => Some(Value::Real(*v)),
        document::Value::Text(v) => Some(Value::Text(v.clone())),
        _ => {
            r.wrong(c, "true or false, a finite number, or a text");
            None
        }
    }
}
