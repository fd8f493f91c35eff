use crate::faults;
use drystone::{Body, StepReport, World};
use drystone_scene::figures::state_hash;
use drystone_session::{Hand, Kept, Loaded, Overrides, Scenery, kind_name, prepare};
use serde_json::{Value, json};
use wasm_bindgen::prelude::wasm_bindgen;

/// A scene with the world built from it.
#[wasm_bindgen]
pub struct Session {
    pub(crate) loaded: Loaded,
    pub(crate) scenery: Scenery,
    pub(crate) hand: Hand,
    pub(crate) report: StepReport,
    /// Wall time of the last step (ms).
    pub(crate) step_ms: f64,
    saved: Option<Kept>,
    /// What it was loaded from, and balls thrown since.
    pub(crate) text: String,
    pub(crate) thrown: Vec<Body>,
}

#[wasm_bindgen]
impl Session {
    /// Loads a scene's text (TOML or JSON) under a preset, its own where none is given, with settings `PATH=VALUE` in a JSON list.
    ///
    /// # Errors
    /// A JSON list of faults, `{line, path, message}`.
    #[wasm_bindgen(constructor)]
    pub fn new(text: &str, paradigm: Option<String>, set: &str) -> Result<Session, String> {
        let set: Vec<String> = serde_json::from_str(set)
            .map_err(|e| json!([{ "line": null, "path": "", "message": format!("settings: {e}") }]).to_string())?;
        let overrides = Overrides { paradigm, set, ..Overrides::default() };
        let document = faults::document(text).map_err(Into::into);
        let loaded = document.and_then(|d| prepare(d, &overrides)?.finish()).map_err(|e| faults::as_json(&e))?;
        Ok(Self {
            scenery: Scenery::of(loaded.world.configuration()),
            loaded,
            hand: Hand::default(),
            report: StepReport::default(),
            step_ms: 0.0,
            saved: None,
            text: text.to_owned(),
            thrown: Vec::new(),
        })
    }

    /// Name, description, duration (s), time step (s), preset, names of the bodies and joints, warnings, as JSON.
    pub fn info(&self) -> String {
        let l = &self.loaded;
        let kinds: Vec<&str> = l.world.configuration().bodies.iter().map(|b| kind_name(b.kind)).collect();
        json!({
            "name": l.name, "description": l.description, "duration": l.duration, "timeStep": l.time_step,
            "paradigm": l.paradigm, "bodies": l.names, "kinds": kinds, "joints": l.joint_names, "warnings": l.warnings,
        })
        .to_string()
    }

    /// Simulates one time step of the scene, cut by its budget where it has one.
    ///
    /// # Errors
    /// In words, where the step fails; the state can be looked at all the same.
    pub fn step(&mut self) -> Result<(), String> {
        let watch = web_time::Instant::now();
        let advanced = self.loaded.advance(self.loaded.time_step);
        self.step_ms = 1e3 * watch.elapsed().as_secs_f64();
        self.report = advanced.map_err(|e| e.to_string())?;
        Ok(())
    }

    /// Sixteen hexadecimal digits over the bits of all bodies' states.
    pub fn hash(&self) -> String {
        state_hash(self.loaded.world.state())
    }

    /// Simulated time (s).
    pub fn time(&self) -> f64 {
        self.loaded.world.time()
    }

    /// Time step (s).
    #[wasm_bindgen(js_name = timeStep)]
    pub fn time_step(&self) -> f64 {
        self.loaded.time_step
    }

    /// Remembers this instant.
    pub fn save(&mut self) {
        self.saved = Some(self.loaded.keep());
    }

    /// Comes back to the remembered instant.
    ///
    /// # Errors
    /// In words, where none is remembered, or bodies were added since.
    pub fn restore(&mut self) -> Result<(), String> {
        let saved = self.saved.as_ref().ok_or("no instant is saved")?;
        self.loaded.come_back(saved).map_err(|e| e.to_string())
    }

    /// What the figures of [`Self::figures`] are, as a JSON list of `[key, label, unit]`.
    #[wasm_bindgen(js_name = figureNames)]
    pub fn figure_names() -> String {
        let list: Vec<Value> = FIGURES.iter().map(|(key, label, unit)| json!([key, label, unit])).collect();
        Value::Array(list).to_string()
    }

    /// What the last step did, in the order of [`Self::figure_names`]; no number where something was not measured.
    pub fn figures(&self) -> Vec<f64> {
        let world: &World = &self.loaded.world;
        let (energy, r, t) = (world.energy(), &self.report, world.times());
        let joints = world.configuration().largest_joint_error(world.state());
        let figures = [
            world.time(),
            energy.kinetic + energy.potential,
            energy.kinetic,
            energy.potential,
            r.penetration,
            joints.linear,
            r.residual.unwrap_or(f64::NAN),
            r.lcp.iterations as f64,
            r.contacts as f64,
            r.groups as f64,
            r.sleeping as f64,
            self.step_ms,
            1e3 * t.broad_phase,
            1e3 * t.narrow_phase,
            1e3 * t.contact_determination,
            1e3 * t.stc_analysis,
            1e3 * t.constraint_solver,
            1e3 * t.collision_solver,
            1e3 * t.motion_solver,
            1e3 * t.time_control,
        ];
        figures.to_vec()
    }
}

const FIGURES: [(&str, &str, &str); 20] = [
    ("time", "time", "s"),
    ("energy", "energy", "J"),
    ("kinetic", "kinetic energy", "J"),
    ("potential", "potential energy", "J"),
    ("penetration", "penetration", "m"),
    ("joint", "joint error", "m"),
    ("residual", "residual / g h", ""),
    ("iterations", "solver iterations", ""),
    ("contacts", "contacts", ""),
    ("groups", "contact groups", ""),
    ("sleeping", "bodies asleep", ""),
    ("ms", "time per step", "ms"),
    ("ms_broad_phase", "broad phase", "ms"),
    ("ms_narrow_phase", "narrow phase", "ms"),
    ("ms_contacts", "contact determination", "ms"),
    ("ms_coherence", "coherence analysis", "ms"),
    ("ms_constraints", "constraint solver", "ms"),
    ("ms_collisions", "collision solver", "ms"),
    ("ms_motion", "motion solver", "ms"),
    ("ms_time_control", "time control", "ms"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_spent_and_comes_back() {
        let tumbling = |time_step: f64, budget: &str| {
            let scene = format!(
                r#"{{"scene": {{"name": "box", "source": "ours", "description": "a box tumbles and lands", "duration": 1}},
                    "simulation": {{"paradigm": "velocity-lcp", "time_step": {time_step}{budget}}},
                    "bodies": [{{"name": "ground", "kind": "fixed", "shape": {{"plane": {{"normal": [0, 1, 0], "offset": 0}}}}}},
                               {{"name": "box", "shape": {{"box": {{"half_extents": [0.1, 0.2, 0.3]}}}}, "position": [0, 1, 0],
                                 "angular_velocity": [5, 0.1, 3]}}]}}"#
            );
            Session::new(&scene, None, "[]").unwrap()
        };
        let after = |session: &mut Session, steps: u32| {
            (0..steps).for_each(|_| session.step().unwrap());
            session.loaded.world.state().orientation[1]
        };
        let mut session = tumbling(0.02, r#", "budget": {"operations": 1e6, "steps": 4}"#);
        let turned = after(&mut session, 10);
        // four steps of a quarter in each, and not one
        let quarter = after(&mut tumbling(0.005, ""), 40);
        let whole = after(&mut tumbling(0.02, ""), 10);
        assert!((turned - quarter).length() < 1e-12 && (turned - whole).length() > 1e-6, "{turned} {quarter} {whole}");
        session.save();
        let hash = |session: &mut Session| {
            (0..30).for_each(|_| session.step().unwrap());
            session.hash()
        };
        let first = hash(&mut session);
        session.restore().unwrap();
        assert_eq!(hash(&mut session), first);
    }
}
