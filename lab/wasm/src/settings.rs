use crate::Session;
use drystone::{Paradigm, Registry};
use drystone_session::{chosen_modules, module_choices};
use serde_json::{Map, Value as Json, json};
use wasm_bindgen::prelude::wasm_bindgen;

/// Preset, modules and their settings, while the world runs.
#[wasm_bindgen]
impl Session {
    /// The modules in use and their settings, as JSON: `{table: {name, settings: {key: value}}}`.
    pub fn modules(&self) -> String {
        let world = &self.loaded.world;
        json!({ "paradigm": world.paradigm().name, "modules": chosen_modules(world) }).to_string()
    }

    /// Swaps all modules for those of a preset with some of them chosen otherwise, `{table: {name, settings: {key: value}}}` as JSON;
    /// bodies and contacts stay.
    ///
    /// # Errors
    /// In words, for unknown names and values that are not allowed; nothing changes then.
    pub fn choose(&mut self, paradigm: &str, choices: &str) -> Result<(), String> {
        let preset = Paradigm::by_name(paradigm).map_err(|e| e.to_string())?;
        let tables: Map<String, Json> = serde_json::from_str(choices).map_err(|e| e.to_string())?;
        let list = module_choices(&Registry::default(), &preset, &tables)?;
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
