use crate::{Session, faults};
use drystone::{ModuleChoice, ModuleKind, Modules, Registry, World};
use drystone_core::BodyIndex;
use drystone_lcp::DiscPasses;
use drystone_lcp_files::LcpDump;
use drystone_session::{LoadError, Overrides, ProblemTap, prepare};
use serde_json::json;
use std::sync::{Arc, Mutex, PoisonError};
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
impl Session {
    /// The largest complementarity problem that the next step solves, as the JSON that [`crate::Race::new`] takes; nothing where there is
    /// none. It is found in a copy of the world at this instant; forces that the scene does not have, the hand's for one, are left out.
    ///
    /// # Errors
    /// In words, where friction makes it another problem, or the step fails.
    pub fn problem(&self) -> Result<Option<String>, String> {
        let found = self.next_problem()?;
        found.map(|dump| dump.to_json().map_err(|e| e.to_string())).transpose()
    }

    /// How the chosen complementarity solver, as it is set, goes through that problem: JSON with its name, the rows, status, iterations and the
    /// residual of the start value and after each iteration (passes and rates, where the solver finds discs by passes over boxes); nothing where there is no problem.
    ///
    /// # Errors
    /// As [`Self::problem`].
    #[wasm_bindgen(js_name = iterationHistory)]
    pub fn iteration_history(&self) -> Result<Option<String>, String> {
        let Some(dump) = self.next_problem()? else { return Ok(None) };
        let modules = self.loaded.world.modules();
        let name = modules.name(ModuleKind::Lcp);
        let registry = Registry::default();
        let solver = registry.lcp_solver_of(name, modules.settings(ModuleKind::Lcp));
        let mut solver = solver.map_err(|e| e.to_string())?;
        let described = registry.lcp_solvers().into_iter().find(|s| s.name == name);
        if described.is_some_and(|s| s.parameters.iter().any(|p| p.name == "measure")) {
            solver.set("measure", 3.0).map_err(|e| e.to_string())?;
        }
        let (problem, mut x) = dump.into_problem().map_err(|e| e.to_string())?;
        x.resize(problem.b.len(), 0.0);
        let mut passes = DiscPasses::default().with_history();
        let report = passes.solve(solver.as_mut(), &problem.view(), &mut x).map_err(|e| e.to_string())?;
        // passes over boxes that approach discs are what converges, where there are any
        let history = if passes.history().is_empty() { solver.history() } else { passes.history() };
        let history: Vec<Option<f64>> = history.iter().map(|v| v.is_finite().then_some(*v)).collect();
        let answer = json!({
            "solver": name, "rows": problem.b.len(), "status": report.status.name(), "iterations": report.iterations,
            "history": history,
        });
        Ok(Some(answer.to_string()))
    }
}

impl Session {
    fn next_problem(&self) -> Result<Option<LcpDump>, String> {
        let largest: Arc<Mutex<Option<LcpDump>>> = Arc::default();
        let keep = Arc::clone(&largest);
        let take = move |dump: LcpDump| {
            let mut kept = keep.lock().unwrap_or_else(PoisonError::into_inner);
            if kept.as_ref().is_none_or(|k| k.b.len() < dump.b.len()) {
                *kept = Some(dump);
            }
        };
        let world = &self.loaded.world;
        let chosen = || -> Vec<ModuleChoice> {
            let of = |kind: ModuleKind| {
                let settings = world.modules().settings(kind).iter();
                let settings = settings.map(|(p, v)| (p.name.to_owned(), v.clone())).collect();
                ModuleChoice { kind, name: Some(world.modules().name(kind).to_owned()), settings }
            };
            ModuleKind::ALL.into_iter().map(of).collect()
        };
        let in_words = |e: LoadError| e.to_string();
        let modules = Modules::assemble(&world.paradigm(), &chosen()).map_err(|e| e.to_string())?;
        let tap = ProblemTap::new(modules, take).map_err(in_words)?;
        let document = faults::document(&self.text).map_err(|e| e.to_string())?;
        let prepared = prepare(document, &Overrides::default()).map_err(in_words)?;
        let mut twin = prepared.constraint_solver(tap).finish().map_err(in_words)?.world;
        for ball in &self.thrown {
            twin.add(ball.clone()).map_err(|e| e.to_string())?;
        }
        // the tapped solver stays: it was given by value
        let others = chosen().into_iter().filter(|c| c.kind != ModuleKind::ConstraintSolver).collect::<Vec<_>>();
        twin.set_paradigm(world.paradigm(), &others).map_err(|e| e.to_string())?;
        self.bring_to_now(&mut twin)?;
        twin.advance(self.loaded.time_step).map_err(|e| e.to_string())?;
        let found = largest.lock().unwrap_or_else(PoisonError::into_inner).take();
        let named = |dump: LcpDump| LcpDump { scene: self.loaded.name.clone(), time: world.time(), ..dump };
        Ok(found.map(named))
    }

    /// Brings a copy to this instant, contacts and their impulses included; where forces were added since, poses and velocities alone.
    fn bring_to_now(&self, twin: &mut World) -> Result<(), String> {
        let world = &self.loaded.world;
        if let Ok(now) = twin.read_snapshot(&world.snapshot().to_bytes()) {
            return twin.restore(&now).map_err(|e| e.to_string());
        }
        for i in 0..world.state().len() {
            let (index, id) = (BodyIndex::new(i), twin.bodies()[i]);
            if !world.configuration().body(index).is_dynamic() {
                continue;
            }
            let frame = world.configuration().body(index).frame(&world.state().pose(index));
            twin.set_pose(id, frame.position, frame.orientation).map_err(|e| e.to_string())?;
            twin.set_velocity(id, world.state().velocity(index)).map_err(|e| e.to_string())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::{Session, scene_text};
    use serde_json::Value;

    #[test]
    fn the_chosen_solver_tells_how_it_went_from_the_multipliers_of_the_last_step() {
        let text = scene_text("box-stack").unwrap();
        let mut session =
            Session::new(&text, Some("velocity-lcp".into()), r#"["simulation.lcp.iterations=30"]"#).unwrap();
        for _ in 0..5 {
            session.step().unwrap();
        }
        let before = session.hash();
        let told: Value = serde_json::from_str(&session.iteration_history().unwrap().unwrap()).unwrap();
        assert_eq!((told["solver"].as_str(), told["iterations"].as_u64()), (Some("projected-gauss-seidel"), Some(30)));
        let history: Vec<f64> = told["history"].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect();
        assert_eq!(history.len(), 31);
        assert!(history[30] < history[0], "{history:?}");
        let problem: Value = serde_json::from_str(&session.problem().unwrap().unwrap()).unwrap();
        let start = problem["warm_start"].as_array().unwrap();
        assert!(start.iter().any(|v| v.as_f64().unwrap() > 0.0), "the copy remembers its contacts");
        assert_eq!(session.hash(), before, "a question changes nothing");
    }

    #[test]
    fn where_nothing_touches_there_is_no_history() {
        let text = "[scene]\nname = \"air\"\n[[bodies]]\nname = \"ball\"\nshape = { sphere = { radius = 1.0 } }\n";
        let session = Session::new(text, Some("velocity-lcp".into()), "[]").unwrap();
        assert_eq!(session.iteration_history().unwrap(), None);
    }
}
