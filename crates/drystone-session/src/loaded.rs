use drystone::{Pacer, Snapshot, SnapshotError, StepReport, World, WorldError};
use drystone_scene::{JointEntry, MaterialEntry, SceneFaults};
use thiserror::Error;

/// What is changed about a scene from outside.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Overrides {
    /// Another preset: `--paradigm`.
    pub paradigm: Option<String>,
    /// `PATH=VALUE`: `--set`.
    pub set: Vec<String>,
    /// The values of this run out of those that are swept, `PATH=VALUE`, set after the former: `--sweep`.
    pub sweep: Vec<String>,
    /// Another simulated time (s), set after both: `--duration`.
    pub duration: Option<f64>,
    /// Threads; one where not given.
    pub threads: Option<usize>,
    /// Seed of what is random.
    pub seed: u64,
}

/// A scene with the world built from it.
pub struct Loaded {
    /// The world at its initial state.
    pub world: World,
    /// Names of the bodies, in column order.
    pub names: Vec<String>,
    /// Names of the joints, in the order of the configuration.
    pub joint_names: Vec<String>,
    /// What the joints were built from, in the same order.
    pub joints: Vec<JointEntry>,
    /// The materials, in the order of the configuration.
    pub materials: Vec<MaterialEntry>,
    /// The scene's name.
    pub name: String,
    /// What it shows.
    pub description: String,
    /// Where its numbers come from.
    pub source: String,
    /// Simulated time (s).
    pub duration: f64,
    /// Time between recorded frames (s).
    pub frame: f64,
    /// Time step (s).
    pub time_step: f64,
    /// Cuts each time step by the scene's budget, where it has one.
    pub pacer: Option<Pacer>,
    /// The preset's name.
    pub paradigm: String,
    /// Threads in use.
    pub threads: usize,
    /// What is allowed and odd about the scene, and what of it was left out, in words for the user.
    pub warnings: Vec<String>,
    /// Told the time (s) before each step of a run.
    pub before_step: Option<Box<dyn FnMut(f64) + Send>>,
}

impl Loaded {
    /// Simulates `dt` seconds: in as many steps as the scene's budget pays for, where it has one, else in one. The report is the last step's.
    ///
    /// # Errors
    /// As [`World::advance`].
    pub fn advance(&mut self, dt: f64) -> Result<StepReport, WorldError> {
        match &mut self.pacer {
            None => self.world.advance(dt),
            Some(pacer) => pacer.advance(&mut self.world, dt).map(|frame| frame.last),
        }
    }

    /// The present instant, to come back to.
    pub fn keep(&self) -> Kept {
        Kept { world: self.world.snapshot(), pacer: self.pacer }
    }

    /// Reads an instant that [`Snapshot::to_bytes`] or [`Snapshot::to_json`] wrote; a budget is planned afresh from there.
    ///
    /// # Errors
    /// As [`World::read_snapshot`].
    pub fn read(&self, data: &[u8]) -> Result<Kept, SnapshotError> {
        Ok(Kept { world: self.world.read_snapshot(data)?, pacer: None })
    }

    /// Comes back to an instant: with the bits of the first time, where it was kept here.
    ///
    /// # Errors
    /// As [`World::restore`]; nothing has changed then.
    pub fn come_back(&mut self, to: &Kept) -> Result<(), WorldError> {
        self.world.restore(&to.world)?;
        let afresh = |p: Pacer| Pacer::new(p.budget, p.most).with_fewest_iterations(p.fewest_iterations);
        self.pacer = self.pacer.map(|own| to.pacer.unwrap_or(afresh(own)));
        Ok(())
    }
}

/// An instant of a loaded scene: of its world, and of what is planned to be spent of its budget.
#[derive(Debug, Clone)]
pub struct Kept {
    /// The world's.
    pub world: Snapshot,
    pacer: Option<Pacer>,
}

/// Why a scene could not be loaded.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The scene is faulty: one line a fault.
    #[error("{0}")]
    Scene(#[from] SceneFaults),
    /// What was set from outside does not fit.
    #[error("{0}")]
    Input(String),
    /// The world does not take what the scene describes.
    #[error("{scene}: {error}")]
    World {
        /// The scene's name.
        scene: String,
        /// Why.
        error: WorldError,
    },
}
