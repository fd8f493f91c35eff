use crate::Session;
use drystone::{ModuleChoice, ModuleKind, Paradigm};
use drystone_core::catalogue::{ParameterKind, Value};
use serde_json::{Map, Value as Json, json};
use wasm_bindgen::prelude::wasm_bindgen;

/// Preset, modules and their settings, while the world runs.
#[wasm_bindgen]
impl Session {
    /// The modules in use and their settings, as JSON: `{table: {name, settings: {key: value}}}`.
    pub fn modules(&self) -> String {
        let modules = self.loaded.world.modules();
        let described = |kind: ModuleKind| {
            let settings: Map<String, Json> =
                modules.settings(kind).iter().map(|(p, v)| (p.name.to_owned(), as_json(v))).collect();
            json!({ "name": modules.name(kind), "settings": settings })
        };
        let all: Map<String, Json> =
            ModuleKind::ALL.into_iter().map(|k| (k.table().to_owned(), described(k))).collect();
        json!({ "paradigm": self.loaded.world.paradigm().name, "modules": all }).to_string()
    }

    /// Swaps all modules for those of a preset with some of them chosen otherwise, `{table: {name, settings: {key: value}}}` as JSON;
    /// bodies and contacts stay.
    ///
    /// # Errors
    /// In words, for unknown names and values that are not allowed; nothing changes then.
    pub fn choose(&mut self, paradigm: &str, choices: &str) -> Result<(), String> {
        let preset = Paradigm::by_name(paradigm).map_err(|e| e.to_string())?;
        let tables: Map<String, Json> = serde_json::from_str(choices).map_err(|e| e.to_string())?;
        let mut list = Vec::new();
        for (table, chosen) in &tables {
            let kind = ModuleKind::from_table(table).ok_or_else(|| format!("there is no module {table}"))?;
            list.push(choice(kind, preset, chosen)?);
        }
        self.loaded.world.set_paradigm(preset, &list).map_err(|e| e.to_string())?;
        preset.name.clone_into(&mut self.loaded.paradigm);
        Ok(())
    }

    /// Sets uniform gravity (m/s^2).
    ///
    /// # Errors
    /// In words, where a number is not finite.
    #[wasm_bindgen(js_name = setGravity)]
    pub fn set_gravity(&mut self, x: f64, y: f64, z: f64) -> Result<(), String> {
        self.loaded.world.set_gravity([x, y, z]).map_err(|e| e.to_string())
    }

    /// Sets the time step (s).
    ///
    /// # Errors
    /// In words, where it is not a time above zero.
    #[wasm_bindgen(js_name = setTimeStep)]
    pub fn set_time_step(&mut self, step: f64) -> Result<(), String> {
        if !(step.is_finite() && step > 0.0) {
            return Err(format!("time step: found {step}; allowed: a time above zero"));
        }
        self.loaded.time_step = step;
        Ok(())
    }
}

fn as_json(value: &Value) -> Json {
    match value {
        Value::Bool(v) => json!(v),
        Value::Integer(v) => json!(v),
        Value::Real(v) => json!(v),
        Value::Text(v) => json!(v),
    }
}

/// One module's choice: its name, the preset's own where it is left out, and settings in the types that it lists.
fn choice(kind: ModuleKind, preset: Paradigm, chosen: &Json) -> Result<ModuleChoice, String> {
    let name = chosen["name"].as_str();
    let at = ModuleKind::ALL.iter().position(|k| *k == kind).unwrap_or(0);
    let implementation =
        drystone::Registry::default().find(kind, name.unwrap_or(preset.names()[at])).map_err(|e| e.to_string())?;
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
