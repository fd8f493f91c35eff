use drystone::{ModuleChoice, ModuleKind, Paradigm, Registry, World};
use drystone_core::catalogue::{ParameterKind, Value};
use serde_json::{Map, Value as Json, json};

/// A setting as JSON.
pub(crate) fn as_json(value: &Value) -> Json {
    match value {
        Value::Bool(v) => json!(v),
        Value::Integer(v) => json!(v),
        Value::Real(v) => json!(v),
        Value::Text(v) => json!(v),
    }
}

/// The modules of a world and their settings: `{table: {name, settings: {key: value}}}`.
pub fn chosen_modules(world: &World) -> Map<String, Json> {
    let modules = world.modules();
    let described = |kind: ModuleKind| {
        let settings: Map<String, Json> =
            modules.settings(kind).iter().map(|(p, v)| (p.name.to_owned(), as_json(v))).collect();
        json!({ "name": modules.name(kind), "settings": settings })
    };
    ModuleKind::ALL.into_iter().map(|k| (k.table().to_owned(), described(k))).collect()
}

/// The deviations from a preset, in the format of [`chosen_modules`]. A name that is left out is the preset's own, and settings are read as the types that the
/// implementation lists.
///
/// # Errors
/// A message for tables and names that do not exist, and for values of the wrong type.
pub fn module_choices(
    registry: &Registry,
    preset: &Paradigm,
    tables: &Map<String, Json>,
) -> Result<Vec<ModuleChoice>, String> {
    let one = |(table, chosen): (&String, &Json)| {
        let kind = ModuleKind::from_table(table).ok_or_else(|| format!("there is no module {table}"))?;
        choice(registry, kind, preset, chosen)
    };
    tables.iter().map(one).collect()
}

fn choice(registry: &Registry, kind: ModuleKind, preset: &Paradigm, chosen: &Json) -> Result<ModuleChoice, String> {
    let name = chosen["name"].as_str();
    let at = ModuleKind::ALL.iter().position(|k| *k == kind).unwrap_or(0);
    let implementation = registry.find(kind, name.unwrap_or(preset.names()[at])).map_err(|e| e.to_string())?;
    let mut settings = Vec::new();
    for (key, value) in chosen["settings"].as_object().into_iter().flatten() {
        let parameter = implementation.parameters.iter().find(|p| p.name == key);
        let whole = parameter.is_some_and(|p| matches!(p.kind, ParameterKind::Integer { .. }));
        let value = match value {
            Json::Bool(v) => Value::Bool(*v),
            Json::String(v) => Value::Text(v.clone()),
            Json::Number(v) => match v.as_i64().filter(|_| whole) {
                Some(i) => Value::Integer(i),
                None => Value::Real(v.as_f64().unwrap_or(f64::NAN)),
            },
            other => {
                return Err(format!("{}.{key}: found {other}; allowed: a switch, a number or a name", kind.table()));
            }
        };
        settings.push((key.clone(), value));
    }
    Ok(ModuleChoice { kind, name: name.map(str::to_owned), settings })
}
