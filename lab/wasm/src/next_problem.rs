use crate::{Session, faults};
use drystone::{ModuleChoice, ModuleKind, Modules};
use drystone_core::BodyIndex;
use drystone_lcp::LcpDump;
use drystone_session::{LoadError, Overrides, ProblemTap, prepare};
use std::sync::{Arc, Mutex, PoisonError};
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
impl Session {
    /// The largest complementarity problem that the next step solves, as the JSON that [`crate::Race::new`] takes; nothing where there is
    /// none. It is found in a copy of the world that starts cold; forces that the scene does not have, the hand's for one, are left out.
    ///
    /// # Errors
    /// In words, where friction makes it another problem, or the step fails.
    pub fn problem(&self) -> Result<Option<String>, String> {
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
        for i in 0..world.state().len() {
            let (index, id) = (BodyIndex::new(i), twin.bodies()[i]);
            if !world.configuration().body(index).is_dynamic() {
                continue;
            }
            let frame = world.configuration().body(index).frame(&world.state().pose(index));
            twin.set_pose(id, frame.position, frame.orientation).map_err(|e| e.to_string())?;
            twin.set_velocity(id, world.state().velocity(index)).map_err(|e| e.to_string())?;
        }
        twin.advance(self.loaded.time_step).map_err(|e| e.to_string())?;
        let found = largest.lock().unwrap_or_else(PoisonError::into_inner).take();
        let named = |dump: LcpDump| LcpDump { scene: self.loaded.name.clone(), time: world.time(), ..dump };
        found.map(|dump| named(dump).to_json().map_err(|e| e.to_string())).transpose()
    }
}
