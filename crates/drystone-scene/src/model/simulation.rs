use super::budget::{BUDGET, FrameBudget, read_budget};
use super::declare::{InContext, Key, Kind, Range, Table};
use super::{Cursor, Reading, some_of};
use crate::document::{self, Document, quote};
use crate::fault::{FaultKind, Location};
use drystone_core::ModuleKind;
use drystone_core::catalogue::{Implementation, Settings, Value};
use drystone_joints::JointMaker;
use drystone_math::Real;
use drystone_motion::force::ForceMaker;

/// Catalogue of a build: the paradigms, and for each module's table in `[simulation]` the available implementations.
#[derive(Debug, Clone, Default)]
pub struct ModuleCatalogue {
    /// By module.
    pub modules: Vec<(ModuleKind, Vec<Implementation>)>,
    /// Former names of implementations: the module, the name, and what it is called now.
    pub aliases: Vec<(ModuleKind, &'static str, &'static str)>,
    /// Names of presets.
    pub paradigms: Vec<&'static str>,
    /// Kinds of joints beside those of the format.
    pub joints: Vec<JointMaker>,
    /// Kinds of forces beside those of the format.
    pub forces: Vec<ForceMaker>,
}

/// A parameter that the scene sets.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// Its key.
    pub key: String,
    /// Its value.
    pub value: Value,
    /// Its place in the scene.
    pub location: Location,
}

/// A table of `[simulation]`: what the scene says about one module.
#[derive(Debug, Clone, PartialEq)]
pub struct ModuleChoice {
    /// The module.
    pub module: ModuleKind,
    /// The implementation, where the scene names one; else the settings are for the paradigm's own choice.
    pub kind: Option<String>,
    /// The parameters, checked where the scene names the implementation.
    pub settings: Vec<Setting>,
    /// Its place in the scene.
    pub location: Location,
}

/// The section `[simulation]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Simulation {
    /// Name of the preset.
    pub paradigm: String,
    /// Place where the preset is named; the whole scene if it is not.
    pub paradigm_location: Location,
    /// Time step (s).
    pub time_step: Real,
    /// Cost limit of a time step; `None` for one step at any cost.
    pub budget: Option<FrameBudget>,
    /// The distance within which surfaces count as touching (m); `None` if it follows from the bodies.
    pub contact_envelope: Option<Real>,
    /// True if a run that diverges is stopped.
    pub limits: bool,
    /// The largest length and energy of a run that does not diverge, relative to the scene's; `None` for the usual ones.
    pub largest: [Option<Real>; 2],
    /// Choices of single modules by the scene.
    pub modules: Vec<ModuleChoice>,
}

static PARADIGM: Key<Option<String>> = Key::optional(
    "paradigm",
    Kind::Preset,
    "",
    "the preset: one name for a choice of every module; `real-time` if left out",
);
static TIME_STEP: Key<Real> = Key::or("time_step", Kind::Number(Range::Positive), 0.01, "s", "time step");
static CONTACT_ENVELOPE: Key<Option<Real>> = Key::optional(
    "contact_envelope",
    Kind::Number(Range::NotNegative),
    "m",
    "distance within which surfaces count as touching; if left out, 2 % of the diameter of the smallest dynamic body, at most 1 cm",
);
static LIMITS: Key<InContext> =
    Key::section("limits", Kind::Table(&LIMITS_TABLE), "limits beyond which a run counts as failed");
static BUDGET_SECTION: Key<InContext> = Key::section(
    "budget",
    Kind::Table(&BUDGET),
    "cost limit of a time step; without it, each is one step, whatever it costs",
);
static ENABLED: Key<bool> = Key::or("enabled", Kind::Flag, true, "", "whether a run that diverges is stopped");

static LIMIT_LENGTH: Key<Option<Real>> = Key::optional(
    "length",
    Kind::Number(Range::NotNegative),
    "",
    "largest penetration and gap of a joint, relative to the size of the scene; 1 if left out",
);
static LIMIT_ENERGY: Key<Option<Real>> = Key::optional(
    "energy",
    Kind::Number(Range::NotNegative),
    "",
    "largest gain of energy, relative to the scale of the scene's energy; 1 if left out",
);

static LIMITS_TABLE: Table = Table {
    name: "divergence_limits",
    doc: "Whether a run that diverges is a failure.",
    keys: &[&ENABLED, &LIMIT_LENGTH, &LIMIT_ENERGY],
    one: false,
    example: "",
};

/// `[simulation]`, without the tables of the modules that a build has.
pub(crate) static SIMULATION: Table = Table {
    name: "simulation",
    doc: "The preset, the time step, and what differs from the preset: a table for each module, with its implementation under `kind` (`solver` in `lcp`) and the settings of that implementation; the implementation's name alone may replace a table with nothing else.",
    keys: &[&PARADIGM, &TIME_STEP, &CONTACT_ENVELOPE, &BUDGET_SECTION, &LIMITS],
    one: false,
    example: r#"[simulation]
paradigm  = "velocity-lcp"
time_step = 0.01

[simulation.broad_phase]
kind = "sweep-and-prune"

[simulation.lcp]
solver     = "projected-gauss-seidel"
iterations = 10"#,
};

impl Simulation {
    /// The section of a document whose other parts may be faulty. What is faulty in it is left out, and told by [`crate::Scene::from_document`].
    pub fn of(document: &Document, catalogue: &ModuleCatalogue) -> Self {
        let mut r = Reading::new(document);
        let entries = Cursor::root(&document.root).entries(&mut r).unwrap_or_default();
        let section = entries.into_iter().find(|(key, _)| *key == SIMULATION.name).map(|(_, c)| c);
        read_simulation(section.as_ref(), catalogue, &mut r)
    }
}

/// The paradigm of a scene that names none.
const DEFAULT_PARADIGM: &str = "real-time";

/// Reads `[simulation]`.
pub(crate) fn read_simulation(at: Option<&Cursor<'_>>, catalogue: &ModuleCatalogue, r: &mut Reading) -> Simulation {
    let mut simulation = Simulation {
        paradigm: DEFAULT_PARADIGM.to_owned(),
        paradigm_location: Location { file: r.file.clone(), ..Location::default() },
        time_step: TIME_STEP.default.unwrap_or(0.01),
        budget: None,
        contact_envelope: None,
        limits: true,
        largest: [None; 2],
        modules: Vec::new(),
    };
    let Some(f) = at.and_then(|c| c.fields(&SIMULATION, r)) else { return simulation };
    let f = f.with(catalogue.modules.iter().map(|(module, _)| module.table()));
    if let Some(c) = f.find(&PARADIGM, r) {
        simulation.paradigm_location = r.location(&c);
    }
    if let Some(Some(name)) = f.read(&PARADIGM, r) {
        if !catalogue.paradigms.contains(&name.as_str()) {
            let kind =
                FaultKind::Reference { what: "paradigm", found: quote(&name), allowed: catalogue.paradigms.join(", ") };
            r.faults.push(simulation.paradigm_location.clone(), kind);
        }
        simulation.paradigm = name;
    }
    simulation.time_step = f.read(&TIME_STEP, r).unwrap_or(simulation.time_step);
    simulation.contact_envelope = f.read(&CONTACT_ENVELOPE, r).flatten();
    simulation.budget = f.find(&BUDGET_SECTION, r).and_then(|c| c.fields(&BUDGET, r)).and_then(|f| read_budget(f, r));
    if let Some(limits) = f.find(&LIMITS, r).and_then(|c| c.fields(&LIMITS_TABLE, r)) {
        simulation.limits = limits.read(&ENABLED, r).unwrap_or(true);
        simulation.largest = [&LIMIT_LENGTH, &LIMIT_ENERGY].map(|key| limits.read(key, r).flatten());
        limits.finish(r);
    }
    for (module, implementations) in &catalogue.modules {
        if let Some(c) = f.named(module.table())
            && let Some(choice) = read_choice(&c, *module, (implementations, &catalogue.aliases), r)
        {
            simulation.modules.push(choice);
        }
    }
    f.finish(r);
    simulation
}

fn read_choice(
    at: &Cursor<'_>,
    module: ModuleKind,
    (implementations, aliases): (&[Implementation], &[(ModuleKind, &'static str, &'static str)]),
    r: &mut Reading,
) -> Option<ModuleChoice> {
    let name_key = module.name_key();
    // a bare name is a table with the name alone
    let entries = match at.node().value {
        document::Value::Text(_) => vec![(name_key, at.clone())],
        document::Value::Table(_) => at.entries(r)?,
        _ => {
            r.wrong(at, "the name of an implementation, or a table");
            return None;
        }
    };
    let present = |name| aliases.iter().find(|(m, former, _)| *m == module && *former == name).map_or(name, |a| a.2);
    let mut kind = None;
    let mut settings = Vec::new();
    for (key, c) in &entries {
        if *key == name_key {
            kind = c.text(r).map(|name| (present(name).to_owned(), c));
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
    Some(ModuleChoice { module, kind: kind.map(|(name, _)| name), settings, location: r.location(at) })
}

pub(crate) fn read_value(c: &Cursor<'_>, r: &mut Reading) -> Option<Value> {
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
