//! A scene of the population in drystone, read from the scene file that `--write` gives.

use super::engine::{BodyState, Effort, PopulationEngine};
use super::scene::PopulationScene;
use crate::EngineError;
use crate::scenes::DT;
use drystone::math::{Pose, Twist};
use drystone::{Paradigm, StepReport, World};
use drystone_scene::Document;
use drystone_session::{Overrides, prepare};

/// A world, and what its last step reported.
pub struct DrystoneRun {
    name: String,
    world: World,
    last: Option<StepReport>,
}

impl DrystoneRun {
    /// Puts a scene into a world of one thread. `settings` are changes such as `lcp.iterations=20`.
    ///
    /// # Errors
    /// As [`prepare`], and those of building a world.
    pub fn new(scene: &PopulationScene, paradigm: Paradigm, settings: &[String]) -> Result<Self, EngineError> {
        let document = Document::from_json_str(&scene.document(paradigm, 1).to_string())?;
        let set = settings.iter().map(|setting| format!("simulation.{setting}")).collect();
        let loaded = prepare(document, &Overrides { set, ..Overrides::default() })?.finish()?;
        Ok(Self { name: paradigm.name.to_owned(), world: loaded.world, last: None })
    }

    /// The world.
    pub fn world(&self) -> &World {
        &self.world
    }
}

impl PopulationEngine for DrystoneRun {
    fn name(&self) -> &str {
        &self.name
    }

    fn step(&mut self) -> Result<(), EngineError> {
        self.last = Some(self.world.advance(DT)?);
        Ok(())
    }

    fn states(&self, states: &mut Vec<BodyState>) {
        states.clear();
        states.extend(self.world.bodies().iter().map(|body| BodyState {
            pose: self.world.pose(*body).unwrap_or(Pose::IDENTITY),
            velocity: self.world.velocity(*body).unwrap_or(Twist::ZERO),
        }));
    }

    fn contacts(&self) -> usize {
        self.last.map_or(0, |report| report.contacts as usize)
    }

    fn effort(&self) -> Option<Effort> {
        let report = self.last?;
        let calls = &report.calls;
        Some(Effort {
            solves: calls.solve.lcp.solves + calls.correction.lcp.solves,
            limited: report.converged == Some(false)
                || calls.resolve.truncated
                || calls.solve.exhausted + calls.correction.exhausted > 0,
        })
    }
}
